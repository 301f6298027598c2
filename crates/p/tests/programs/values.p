type Pair = (int, string);
type Named = (key: int, value: seq[Pair], flag: bool);
type Foreign;
enum Color { RED = 3, GREEN = 1, BLUE = 2 }
event eAny: any;
event eData: data;
eventset Both = { eAny, eData };
param size: int;
param fast: bool;

fun join(a: string, b: string): string { return a + b; }
fun outside(x: Foreign): int;
fun sum(all: seq[int]): int {
  var x: int;
  var total: int;
  foreach (x in all) { total = total + x; }
  return total;
}

machine Main {
  var m: map[int, set[Color]];
  var n: Named;
  var x: any;
  var f: float;
  var both: Both;
  start state S {
    entry start_here;
    on eAny do (payload: any) { x = payload; }
    on eData goto Next;
    on null goto Next with { print "nothing to do"; }
    on halt do { raise halt; }
  }
  state Next { entry { var i: int; i = choose(size + 1); assert i <= size; } ignore eAny, eData; on null do { raise halt; } }
  fun start_here() {
    var i: int;
    var colors: set[Color];
    var t: (int,(int, int));
    colors += (GREEN);
    colors += (RED);
    m[1] = colors;
    m += (2, default(set[Color]));
    m -= 1;
    n = (key = -1, value = default(seq[Pair]), flag = !fast || true && 1 < 2 * 3);
    n.value += (0, (7, join("a", "b\n{{}}")));
    n.value += (sizeof(n.value), (8, format("{0} {1}", i, n.key)));
    n.value[0].0 = n.value[1].0 % 5;
    n.value -= 0;
    f = 3.5 + (i to float) - .25;
    t = (1, (2, 3));
    i = t.1.0 + (RED to int) + (f to int);
    x = n;
    n = x as Named;
    both = this to Both;
    if (i in keys(m) || 2 in m) { i = sum(default(seq[int])); } else { i = choose(keys(m)); }
    while (true) { i = i + 1; if (i > 3) break; else continue; }
    send both, eAny, (a = 1, b = null);
    send this, eData, RED;
    assert values(m) != default(seq[set[Color]]), "all values are gone";
  }
}

test param (size in [0, 2, -1], fast in [true, false]) assume (size >= 0 && (fast || size > 0)) tcValues [main = Main]: { Main };
test param (size in [0, 1], fast in [true, false]) pairwise tcPairs [main = Main]: { Main };
test param (size in [0, 1], fast in [true, false]) (1 wise) tcSingles [main = Main]: { Main };
