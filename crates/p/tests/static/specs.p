event e; event f: int;
fun sending(m: machine) { send m, e; }
fun picks(): int { return choose(3); }
fun makes() { new M(); }
fun tells() { announce e; }
fun waits() { receive { case e: { } } }
fun calls() { tells(); }
machine M { start state S { ignore e, f; } }
spec W observes e, f {
  var m: machine;
  start state S {
    entry (x: int) { } //~ error: the entry function of the start state of a specification has no parameter
    defer e; //~ error: specifications cannot defer events
    on null do { } //~ error: specifications have no inbox
    on f do (x: int) {
      send m, e; //~ error: a specification cannot use `send`
      announce e; //~ error: a specification cannot use `announce`
      receive { case e: { } } //~ error: a specification cannot use `receive`
      m = new M(); //~ error: a specification cannot use `new`
      m = this; //~ error: a specification cannot use `this`
      if ($) { } //~ error: a specification cannot use `$`
      if ($$) { } //~ error: a specification cannot use `$$`
      x = choose(3); //~ error: a specification cannot use `choose`
    }
  }
  state T {
    entry {
      sending(m); //~ error: a specification cannot call `sending`, which sends an event
      assert picks() > 0; //~ error: a specification cannot call `picks`, which makes a choice
      makes(); //~ error: a specification cannot call `makes`, which creates a machine
      waits(); //~ error: a specification cannot call `waits`, which receives events
      calls(); //~ error: a specification cannot call `calls`, which announces an event
    }
  }
}
spec None observes e { } //~ error: `None` has no start state
