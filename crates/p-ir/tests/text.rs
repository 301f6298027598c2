//! The textual form is read and printed without loss.

use manyworlds_p_ir::text::{parse, print};
use manyworlds_p_ir::validate;

pub const SAMPLE: &str = r#"file "a b.p";
file "c.p";
enum E { A = 5, B = -2 }
foreign F;
event ePing: (from: machine, key: int);
#1:2:3 event eAny: any;
event eNone;
interface Main () receives all;
interface Other ((int, seq[set[map[E, F]]])) receives {@halt, @eNone};
param n: int;
param b: bool;
machine Main receives all sends {@ePing} {
  field count: int;
  field log: map[int, seq[(int, string)]];
  field who: perm {@eNone};
  start state Init {
    entry Main.entry;
    exit Main.exit;
    on @null do Main.exit;
    on @halt goto Next;
    on @ePing goto Init with Main.ping;
    defer @eAny;
    ignore @eNone;
  }
  state Next {
  }
}
spec Watch receives all sends all observes {@ePing, @eNone} {
  start hot state Busy {
    on @ePing goto Idle;
    ignore @eNone;
  }
  cold state Idle {
  }
}
fun Main.entry in Main () {
  local x: int;
  local y: any;
  local m: machine;
  local ok: bool;
b0:
  #0:1:2 x = (1 + (-3 * ?n));
  this.log[x] = default(seq[(int, string)]);
  insert this.log[x], 0, tuple(x, "a\"b\\c\nd\u{7f}é");
  this.log[x][0].1 = format("{x}", $0, "-", $1; x, this);
  remove this.log, x;
  ok = choose bool;
  ok = choose fair;
  x = choose int(3);
  x = choose of(keys(this.log));
  x = call twice(x);
  call Main.ping(named(from = this, key = sizeof(this.log)));
  y = named(a = true, b = E::A);
  y = E::B;
  m = new Main();
  new Other(tuple(1, default(seq[set[map[E, F]]])));
  send m, @ePing, named(from = this, key = neg(x));
  send this, @eNone;
  announce @eAny, null;
  assert not((x == 3)), "no";
  assert (ok && (x in this.log));
  print "done";
  #0:9:9 if ((float("1.5") < float("2.0")) || ?b) b1 else b2;
b1:
  receive { @ePing -> b0, @eAny (y) -> b2 };
b2:
  goto Next, to(float("1.5"), int);
}
fun Main.exit in Main () {
b0:
  return;
}
fun Main.ping in Main (p: (from: machine, key: int)) {
b0:
  this.count = as(p.1, int);
  raise @eNone;
}
fun twice (x: int): int {
b0:
  jump b1;
b1:
  return (x + x);
}
fun outside (x: F): F foreign;
test tc main Main {
  Main -> Main;
  Other -> Main;
  link Main, Main -> Other;
  assert Watch on (Main);
  assert Watch;
  set n = -4;
  set b = true;
}
"#;

#[test]
fn the_sample_is_read_printed_and_valid() {
    let program = parse(SAMPLE).expect("the sample is well formed");
    let printed = print(&program);
    assert_eq!(printed, SAMPLE);
    assert_eq!(parse(&printed).map(|read| print(&read)), Ok(printed));
    let flaws = validate(&program);
    assert!(flaws.is_empty(), "{flaws:?}");
}

#[test]
fn errors_are_located() {
    for (text, at, what) in [
        ("event", (1, 6), "expected a name"),
        ("event e: nothing;", (1, 10), "there is no type `nothing`"),
        ("event e;\nevent e;", (2, 8), "declared twice"),
        ("machine M receives all sends all {\n state A { on @x do f; }\n}", (2, 16), "there is no event `x`"),
        ("fun f () {\nb0:\n jump b1;\n}\nfun g", (5, 6), "a declaration has no end"),
        ("fun f () {\nb0:\n y = 1;\n return;\n}", (3, 2), "there is no local `y`"),
        ("fun f () {\nb1:\n return;\n}", (3, 2), "expected block b0"),
        ("test \"", (1, 6), "the string has no end"),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!((error.line, error.column), at, "{text}: {error}");
        assert!(error.message.contains(what), "{text}: {error}");
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let deep = |n: usize| format!("fun f () {{\nb0:\n print {}1{};\n return;\n}}", "neg(".repeat(n), ")".repeat(n));
    assert!(parse(&deep(100)).is_ok());
    assert!(parse(&deep(100_000)).expect_err("too deep").message.contains("levels deep"));
    let types = format!("event e: {}int{};", "seq[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(&types).expect_err("too deep").message.contains("levels deep"));
}
