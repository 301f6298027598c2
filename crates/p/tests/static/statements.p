event e; event n: int; event t: (int, bool); event b: bool;
param p: int;
fun result(x: bool): int { if (x) { return 1; } } //~ error: `result` must return a value on every path
fun loops(): int { while (true) { return 1; } } //~ error: `loops` must return a value
fun fine(x: bool): int { if (x) { return 1; } else { assert false; } }
fun leaves(): int { raise e; } //~ error: a function that returns a value cannot `raise`
fun goes() { goto S; } //~ error: a global function has no states to go to
fun waits(): int { receive { case e: { return 1; } case n: (x: int) { raise e; } } } //~ error: a case of a `receive` cannot return a value //~ error: a function that returns a value cannot `raise`
machine Other { start state S { entry (x: int) { } } }
machine M {
  var i: int; var s: string; var q: seq[int]; var u: set[int]; var m: map[int, bool]; var ev: event; var mm: machine; var a: any;
  start state S {
    entry {
      assert 1; //~ error: the condition must be `bool`, not `int`
      assert true, 1; //~ error: the message of `assert` must be `string`
      print 1; //~ error: what `print` prints must be `string`
      if (i) { } //~ error: the condition must be `bool`
      while (s) { } //~ error: the condition must be `bool`
      return 1; //~ error: this function returns nothing
      i = true; //~ error: what is assigned must be `int`, not `bool`
      p = 1; //~ error: a test parameter cannot be changed
      e = null; //~ error: an event cannot be assigned to
      u[0] = 1; //~ error: an element of a set cannot be assigned to
      q += (1); //~ error: a sequence needs an index
      q += (true, 1); //~ error: the index must be `int`
      q += (0, s); //~ error: the element must be `int`
      u += (0, 1); //~ error: a set has no index
      u += (true); //~ error: the element must be `int`
      m += (1); //~ error: a map needs a key and a value
      m += (true, true); //~ error: the key must be `int`
      m += (1, 1); //~ error: the value must be `bool`
      i += (1); //~ error: `+=` needs a sequence, a set or a map
      i -= 1; //~ error: `-=` needs a sequence, a set or a map
      q -= true; //~ error: the index must be `int`
      u -= true; //~ error: the element must be `int`
      m -= true; //~ error: the key must be `int`
      foreach (x in q) { } //~ error: there is no variable named `x`
      foreach (s in q) { } //~ error: `s` has the type `string`, but the elements have the type `int`
      foreach (a in q) { } //~ error: `a` has the type `any`
      foreach (i in m) { } //~ error: `foreach` needs a sequence or a set
      foreach (p in q) { } //~ error: a test parameter cannot be changed
      send i, e; //~ error: an event can only be sent to a machine
      send mm, i; //~ error: what is raised, sent or announced must be `event`
      send mm, null; //~ error: `null` cannot be sent
      raise null; //~ error: `null` cannot be raised
      announce null; //~ error: `null` cannot be announced
      send mm, e, 1; //~ error: the event `e` has no payload
      send mm, n; //~ error: the event `n` needs a payload of type `int`
      send mm, n, true; //~ error: the payload of the event `n` must be `int`
      send mm, t, 1, true;
      send mm, t, 1, 2; //~ error: this part of the payload of the event `t` must be `bool`
      send mm, n, 1, 2; //~ error: the event `n` needs one payload of type `int`
      send mm, ev, 1, 2;
      send mm, e, null;
      goto Missing; //~ error: there is no state of `M` named `Missing`
      goto Int; //~ error: the state `Int` needs a payload of type `int`
      goto Int, true; //~ error: the payload of the state `Int` must be `int`
      goto Plain, 1; //~ error: the state `Plain` has no payload
      new Other(); //~ error: `Other` needs a payload of type `int`
      new Spec(); //~ error: `Spec` is a specification, and specifications cannot be created
      break; //~ error: `break` outside of a loop
      continue; //~ error: `continue` outside of a loop
    }
    on e do {
      receive {
        case e: { break; }
        case e: { } //~ error: two cases for the event `e`
        case missing: { } //~ error: there is no event named `missing`
        case n: { } //~ error: the case for `n` needs a parameter for its payload
        case b: (x: int) { } //~ error: the event `b` has a payload of type `bool`, but the parameter has the type `int`
        case t: (x: any) { continue; } //~ error: `continue` outside of a loop
        case null: { } //~ warning: a case for `null` is never taken
      }
    }
  }
  state Int { entry (x: int) { } }
  state Plain { entry { } }
}
spec Spec observes e { start state S { } }
