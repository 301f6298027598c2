enum Color { RED, GREEN }
type Point = (x: int, y: int);
event e; event n: int;
interface I () receives e;
interface J () receives e, n;
fun two(a: int, b: bool): int { return a; }
fun nothing() { }
fun here(): machine { return this; } //~ error: `this` has no meaning outside of a machine
machine M receives e, n; {
  var i: int; var b: bool; var f: float; var s: string; var q: seq[int]; var u: set[int]; var m: map[int, bool];
  var t: (int, bool); var p: Point; var a: any; var d: data; var ev: event; var mm: machine; var c: Color; var self: M; var j: I;
  start state S {
    entry {
      i = x; //~ error: there is no variable, event or enum element named `x`
      i = M; //~ error: `M` is the name of a type or a machine, not a value
      i = unknown(1); //~ error: there is no function named `unknown`
      i = two(1); //~ error: `two` takes 2 arguments, not 1
      i = two(true, 1); //~ error: the argument must be `int`, not `bool` //~ error: the argument must be `bool`, not `int`
      i = nothing(); //~ error: `nothing` returns nothing
      mm = new Nobody(); //~ error: there is no machine or interface named `Nobody`
      mm = new M(1); //~ error: `M` has no payload
      mm = new I(i); //~ error: `I` has no payload
      i = p.z; //~ error: there is no field of `(x: int, y: int)` named `z`
      i = t.2; //~ error: the tuple `(int, bool)` has no element `.2`
      i = i.x; //~ error: `int` has no fields
      i = self.i; //~ error: `M` has no fields
      i = i.0; //~ error: `int` is not a tuple
      i = i[0]; //~ error: `int` has no elements
      i = q[true]; //~ error: the index must be `int`, not `bool`
      b = m[b]; //~ error: the index must be `int`, not `bool`
      q = keys(q); //~ error: `keys` needs a map
      q = values(i); //~ error: `values` needs a map
      i = sizeof(i); //~ error: `sizeof` needs a sequence
      i = 1 + true; //~ error: `+` cannot be applied to `int` and `bool`
      f = 1 + f; //~ error: `+` cannot be applied to `int` and `float`
      s = s + 1; //~ error: `+` cannot be applied to `string` and `int`
      s = s - s; //~ error: `-` cannot be applied to `string` and `string`
      b = s < s && i < i && f < f;
      b = b < b; //~ error: `<` cannot be applied to `bool` and `bool`
      b = i && b; //~ error: an operand of `&&` must be `bool`, not `int`
      b = 1 in 2; //~ error: `in` needs a sequence
      b = true in q; //~ error: the left side of `in` must be `int`
      b = true in m; //~ error: the left side of `in` must be `int`
      b = i == b; //~ error: `int` and `bool` cannot be compared
      b = self == null; //~ error: `M` and `null` cannot be compared
      b = mm == null && a == i && ev != null;
      b = !i; //~ error: `!` needs `bool`
      i = -b; //~ error: `-` needs `int` or `float`
      i = b as int; //~ error: `bool` can never be `int`
      i = a as int;
      s = i to string; //~ error: `int` cannot be converted to `string`
      c = i to Color; //~ error: `int` cannot be converted to `Color`
      i = c to int;
      j = this to I;
      mm = this to J;
      mm = j to J; //~ error: `J` may be sent events that `I` may not be sent
      i = choose(s); //~ error: `choose` needs a number
      i = choose(10001); //~ error: `choose` has at most 10000 values
      i = choose(q) + choose(u) + choose(m) + choose(10000);
      s = "{0}"; //~ error: this string has places for arguments
      s = "{"; //~ error: expected a place
      s = format("{0} {1}", i); //~ error: the format has 2 places for arguments, but there are 1 arguments
      s = format("none", i); //~ error: the format has 0 places
      s = "\q"; //~ error: `\q` is no escape
      t = (i,); //~ error: what is assigned must be `(int, bool)`, not `(int)`
      p = (x = 1, x = 2); //~ error: the field `x` is declared twice //~ error: what is assigned must be
      p = (y = 1, x = 2); //~ error: what is assigned must be
      p = (1, 2); //~ error: what is assigned must be
      d = this; //~ error: what is assigned must be `data`, not `M`
      d = RED;
      self = mm; //~ error: what is assigned must be `M`, not `machine`
      self = null; //~ error: what is assigned must be `M`, not `null`
      f = i; //~ error: what is assigned must be `float`, not `int`
      c = 1; //~ error: what is assigned must be `Color`, not `int`
    }
  }
}
