event E assert 2; //~ error: bounds after the name of events
event F assume 3: int; //~ error: bounds after the name of events
main machine Old { start state S { } } //~ error: `main machine` was removed
model type T = int; //~ error: `model` was removed
static fun f() { } //~ error: `static fun` was removed
include "other.p" //~ error: `include` was removed
machine M assume 3 { //~ error: bounds after the name of machines
  model fun g() { } //~ error: `model`, `real` and `static` were removed
  group G { } //~ error: groups of states were removed
  start state S {
    entry {
      pop; //~ error: `pop` was removed
      push S; //~ error: `push` was removed
      monitor E; //~ error: the statement `monitor` was renamed
      goto G.S; //~ error: groups of states and names such as `G.S`
      print "x = {0}", x; //~ error: `print` takes one string
      x = f(y swap); //~ error: `swap` and `move` were removed
      x = y move; //~ error: `swap` and `move` were removed
    }
    on E push S; //~ error: `push` was removed
    on F goto G.S; //~ error: groups of states and names such as `G.S`
  }
}
spec W monitors E { start state S { } } //~ error: `monitors` was renamed
test t refines { M }; //~ error: expected `:`
