type Alias = (from: Client, kind: Kind);
enum Kind { A, B }
type Same = Kind;
event e: Alias;
interface Client () receives e;
machine C receives e; { var k: Same; start state S { on e do (x: (from: Client, kind: Same)) { k = x.kind; if (k == A) { } } } }
machine Main {
  start state S {
    entry {
      var c: Client; var a: Alias; var m: machine; var any1: any;
      c = new C();
      m = c; any1 = c; any1 = null; m = null;
      a = (from = c, kind = B);
      c = default(Client);
      if (m == null || c == default(Client)) { send a.from, e, a; }
      m = any1 as machine;
    }
  }
}
