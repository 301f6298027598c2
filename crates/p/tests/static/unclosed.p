event a;
machine M {
  start state S {
    on a do {
      if (true) { print "x";
    }
  state T { } //~ error: expected a statement or `}`, found the keyword `state`
}
event b;
machine N { start state S { ignore a } } //~ error: expected `;`, found `}`
machine O { start state S { entry { print "not closed; } } } //~ error: expected an expression, found a string that is not closed
