event e;
event e: int; //~ error: the event `e` is declared twice
event g;
enum Color { RED, g } //~ error: the enum element `g` is declared twice
enum Color { BLUE } //~ error: the enum `Color` is declared twice
type Color = int; //~ error: the type `Color` is declared twice
type T = seq[Missing]; //~ error: there is no type named `Missing`
type Loop = map[int, Loop]; //~ error: the type is defined by itself
type F = (a: int, a: bool); //~ error: the field `a` is declared twice
type OfSpec = seq[Watch]; //~ error: `Watch` is a specification, not a type
param p, q: int;
param p: bool; //~ error: the test parameter `p` is declared twice
event q; //~ error: `q` is a test parameter
eventset S = { e, missing }; //~ error: there is no event named `missing`
eventset S = { e }; //~ error: the event set `S` is declared twice
eventset R = { RED }; //~ error: `RED` is an element of an enum, not an event
interface I (int) receives e, missing; //~ error: there is no event named `missing`
interface I () receives e; //~ error: the interface `I` is declared twice
fun f(x: int, x: bool) { } //~ error: the parameter `x` is declared twice
fun f() { } //~ error: the function `f` is declared twice
fun foreign(x: int): int creates Nobody; //~ error: there is no machine or interface named `Nobody`
machine M {
  var a: int;
  var a, b: bool; //~ error: the field `a` is declared twice
  var p: int; //~ error: `p` is a test parameter
  fun h() { var x: int; var x: bool; } //~ error: the variable `x` is declared twice
  fun h() { } //~ error: the function `h` is declared twice
  start state Init { }
  state Init { } //~ error: the state `Init` is declared twice
  state h { } //~ error: `h` names a function and a state
}
machine M { start state S { } } //~ error: the machine `M` is declared twice
spec Watch observes e { start state S { } }
module X = { M };
module X = { M }; //~ error: the module `X` is declared twice
test t [main = M]: { M };
test t [main = M]: { M }; //~ error: the test `t` is declared twice
