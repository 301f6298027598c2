event eReq: int;
machine Main {
  start state S {
    entry { send this, eRequest, 1; raise eReq; }
    on eReq do (x: bool) { }
  }
}
