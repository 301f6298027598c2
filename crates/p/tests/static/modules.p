event a; event b; event c: int;
interface I () receives a, b;
interface K (int) receives a;
interface L () receives c;
machine A receives a; sends b; { start state S { } }
machine A2 receives a; sends b; { start state S { } }
machine B receives b; sends a; { start state S { entry { new I(); } } }
machine C receives a, b; sends c; { start state S { entry { new A(); } } }
machine P { start state S { entry (x: int) { } } }
spec W observes b { start state S { } }
spec Z observes c { start state S { } }
param g1: int; param g2: bool; param g3: string;
module M1 = { Missing }; //~ error: there is no machine or interface named `Missing`
module M2 = { I }; //~ error: `I` is an interface, not a machine
module M3 = { W }; //~ error: `W` is a specification
module M4 = { A, A }; //~ error: the interface `A` is bound twice
module M5 = { A -> I }; //~ error: the machine `A` does not receive the event `b`
module M6 = { A -> K }; //~ error: the machine `A` is created with `null`, but the interface `K` with `int`
module M7 = assert A in { A }; //~ error: `A` is a machine, not a specification
module M8 = assert Missing in { A }; //~ error: there is no specification named `Missing`
module M9 = assert Z in { A }; //~ error: `Z` observes the event `c`, which no machine of the module sends
module M10 = assert W in assert W in { A }; //~ error: the specification `W` is attached twice
module M11 = union { A }, { A, B }; //~ error: the interface `A` is bound in two
module M12 = union (assert W in { A }), (assert W in { A2 }); //~ error: the specification `W` is attached in two
module M13 = compose { C }, { C -> I }; //~ error: the event `c` is sent by two of the composed modules
module M14 = unknown; //~ error: there is no module named `unknown`
module M15 = M15; //~ error: the module is defined by itself
module M16 = rename I to L in { B }; //~ error: `I` and `L` do not receive the same events
module M17 = rename L to I in { B }; //~ error: the module neither binds nor creates `L`
module M18 = hidei A in { A }; //~ error: `A` cannot be hidden
module M19 = hidee c in { A }; //~ error: `c` cannot be hidden
module M20 = rename I to A in { A, B }; //~ error: the module already binds or creates `A`
test t1 [main = B]: { B }; //~ error: `B` creates `I`, which the module of the test does not bind
test t2 [main = A]: { B, C -> I }; //~ error: the module of the test does not bind the main machine `A`
test t3 [main = P]: { P }; //~ error: the start state of the main machine `P` needs a payload
test t4 [main = W]: { A }; //~ error: `W` is a specification
test t5: { A }; //~ error: the test `t5` does not say which machine is created first
test param (missing in [1]) t6 [main = A]: { A }; //~ error: there is no test parameter named `missing`
test param (g1 in [true]) t7 [main = A]: { A }; //~ error: the parameter has the type `int`, not `bool`
test param (g1 in [1, 1]) t8 [main = A]: { A }; //~ error: this value is in the list twice
test param (g2 in [true, true]) t9 [main = A]: { A };
test param (g1 in [1], g1 in [2]) t10 [main = A]: { A }; //~ error: the parameter of the test `g1` is declared twice
test param (g1 in [1], g2 in [true]) (3 wise) t11 [main = A]: { A }; //~ error: the number before `wise` must be from 1 to 2
test param (g1 in [1]) assume (g1) t12 [main = A]: { A }; //~ error: what is assumed must be `bool`
test param (g1 in [0]) assume (1 / g1 > 0) t13 [main = A]: { A }; //~ error: this divides by zero
test param (g1 in [0]) assume (sizeof(default(seq[int])) > g1) t14 [main = A]: { A }; //~ error: only parameters, numbers
test param (g1 in [0]) assume (b == a) t15 [main = A]: { A }; //~ error: there is no variable //~ error: there is no variable
