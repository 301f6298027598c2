event exists: int; //~ warning: `exists` is a keyword of the P verifier
event forall; //~ warning: `forall` is a keyword
machine Main {
  var is: bool; //~ warning: `is` is a keyword
  start state S {
    entry { send this, exists, 1; send this, forall; is = true; }
    on exists goto S;
    ignore forall;
  }
}
