event a //~ error: expected `;` after this
event b;
event c d; //~ error: expected `;`, found `d`
event if; //~ error: expected the name of an event, found the keyword `if`
enum E { A = 1, B } //~ error: either all elements of `E` have a number
enum F { C = -1 } //~ error: the number of an enum element cannot be negative
type T = (int; //~ error: expected `)`, found `;`
nonsense //~ error: expected a declaration
machine M {
  var x: int = 3; //~ error: a variable cannot be given a value where it is declared
  var y // the type is missing
  start state S { //~ error: expected `:`, found the keyword `start`
    entry (x: int) { }; //~ error: there is no `;` after the block of a handler
    exit () { } //~ error: expected a parameter in these parentheses
    defer null; //~ error: expected the name of an event, found `null`
    on a { } //~ error: expected `do` or `goto`
    on a do {
      x == 1; //~ error: expected `=`, `+=` or `-=`, found `==`
      x = 1 //~ error: expected `;` after this
      y = 2;
      var z: int; //~ error: variables are declared at the beginning
      x += 1; //~ error: expected `(` after `+=`
      s += (a = 1, b = 2); //~ error: expected `)`, found `=`
      x = (a = 1); //~ error: a tuple of one field needs a comma
      x = 99999999999; //~ error: the number is too large
      x = t.99999999999; //~ error: the number is too large
      x = float(1, 2); //~ error: `float(a, b)` is not implemented
      x = ; //~ error: expected an expression, found `;`
      f() = 1; //~ error: expected `;`, found `=`
      1 = 2; //~ error: expected a statement or `}`
      if x { } //~ error: expected `(`, found `x`
      receive { } //~ error: expected `case`, found `}`
      x = #; //~ error: expected an expression, found `#`, which P does not know
      send a; //~ error: expected `,`, found `;`
    }
  }
  fun noBody()
} //~ error: expected the body of the function
test t [main = M]: { M } refines { M }; //~ error: refinement tests are not implemented
