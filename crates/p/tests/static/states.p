event e; event f: int; event g: (int, bool); event h: bool;
fun global() { }
fun globalAny(x: any) { }
machine NoStart { state S { } } //~ error: `NoStart` has no start state
machine Empty { } //~ error: `Empty` has no start state
machine Two { start state A { } start state B { } } //~ error: `Two` has two start states
machine M {
  start state S {
    entry { }
    entry { } //~ error: the state `S` has two entry functions
    exit { }
    exit named; //~ error: the state `S` has two exit functions
    on e do { }
    on e goto T; //~ error: the state `S` has two actions for the event `e`
    defer e; //~ error: the state `S` has two actions for the event `e`
    ignore f, e; //~ error: the state `S` has two actions for the event `e`
    on missing do { } //~ error: there is no event named `missing`
    on g goto Nowhere; //~ error: there is no state of `M` named `Nowhere`
  }
  state T {
    entry nothing; //~ error: there is no function of `M` named `nothing`
    on e do global; //~ error: the global function `global` cannot be a handler
    on f do foreign; //~ error: the foreign function `foreign` cannot be a handler
  }
  state Parameters { //~ error: an entry function has at most one parameter; `two` has 2
    entry two;
    exit (x: int) { } //~ error: an exit function has no parameter
    on f do two; //~ error: the function of a handler has at most one parameter; `two` has 2
    on g do (a: int, b: bool) { } //~ error: the function of a handler has at most one parameter
    on h goto S with two; //~ error: the function of a transition has at most one parameter; `two` has 2
  }
  state Payloads {
    on e do takesInt; //~ error: the event `e` has no payload, but the parameter of the function has the type `int`
    on f do takesInt;
    on h do (x: int) { } //~ error: the event `h` has a payload of type `bool`
    on g goto WithInt; //~ error: the event `g` has a payload of type `(int, bool)`, but the parameter of the entry function of `WithInt`
    on null goto S with (x: int) { } //~ error: the event `null` has no payload
    on halt do (x: any) { }
  }
  state WithInt { entry (x: int) { } exit takesInt; } //~ error: an exit function has no parameter; `takesInt` has 1
  state Silent {
    exit { leave(); } //~ error: an exit function cannot raise events or change the state
    on e goto S with { raise f, 1; } //~ error: the function of a transition cannot raise events
    on f goto S with leaveInt; //~ error: the function of a transition cannot raise events
  }
  state SilentByName { //~ error: an exit function cannot raise events or change the state, also not through the functions it calls; `leave` does
    exit leave;
  }
  fun named() { }
  fun two(a: int, b: int) { }
  fun takesInt(x: int) { }
  fun leave() { inner(); }
  fun inner() { if ($) { goto T; } }
  fun leaveInt(x: int) { raise f, x; }
  fun foreign(x: int);
}
