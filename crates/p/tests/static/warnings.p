event unused; //~ warning: the event `unused` is not used
event onlySent; //~ warning: nothing handles or receives the event `onlySent`
event onlyHandled; //~ warning: nothing sends or raises the event `onlyHandled`
event e;
machine M sends e, onlySent; {
  start state S {
    entry { send this, e; send this, onlySent; raise onlyRaised; }
    ignore e, onlyHandled;
    on onlyRaised goto T;
  }
  state T { ignore e; }
  hot state Never { ignore e; } //~ warning: the state `Never` of `M` cannot be reached //~ warning: `hot` and `cold` have a meaning in specifications only
}
machine N {
  start state S { entry { send this, other; } ignore other; }
}
machine O sends e; {
  start state S { entry { send this, onlySent; } ignore e; } //~ warning: `O` does not list `onlySent`
}
event onlyRaised;
spec Used observes e { start state S { on e do { raise inner; } on inner do { } on other do { } } } //~ warning: `Used` does not observe the event `other`
event inner;
event other;
spec Unused observes e { start state S { ignore e; } } //~ warning: no test asserts the specification `Unused`
scenario Cold observes e { start cold state S { ignore e; } } //~ warning: the start state of a scenario is cold
scenario Warm observes e { start state S { ignore e; } } //~ warning: the scenario `Warm` has no cold state
test t [main = M]: assert Used in { M };
test u [main = N]: { N };
test v [main = O]: { O };
