//! Programs in P, from the text to the verdict: what statements and expressions mean, choices, events, specifications, modules, replay.

use manyworlds::p::{Program, Test};
use manyworlds::{Engine, Replayed, Subject, check};

fn tests(source: &str) -> Vec<Test> {
    let program = Program::from_text("test.p", source);
    program.tests().unwrap_or_else(|| panic!("{}", program.compiled().render(false)))
}

/// What comes of the first test: nothing, or the message of the violation, which can be replayed.
fn verdict(source: &str) -> Result<(), String> {
    let test = tests(source).remove(0);
    let answer = check(&test).run().unwrap();
    let depth_first = check(&test).engine(Engine::Dfs).run().unwrap();
    assert_eq!(answer.outcome.is_verified(), depth_first.outcome.is_verified(), "{source}");
    if answer.outcome.is_verified() {
        return Ok(());
    }
    let trace = answer.outcome.trace().unwrap_or_else(|| panic!("{source}: {:?}", answer.outcome));
    assert_eq!(test.replay(trace, &mut |_, _| {}), Ok(Replayed::Reproduced));
    Err(answer.outcome.violation().unwrap().message.clone())
}

/// A machine whose entry function has these statements.
fn main_with(declarations: &str, statements: &str) -> String {
    format!(
        "event e; event n: int; event a: any; enum Color {{ RED = 5, GREEN = 2 }}
         machine Main {{
           {declarations}
           start state S {{ entry {{ {statements} }} ignore e, n, a; }}
         }}"
    )
}

/// Statements that do not fail.
fn holds(declarations: &str, statements: &str) {
    assert_eq!(verdict(&main_with(declarations, statements)), Ok(()), "{declarations} {statements}");
}

/// Statements that fail.
fn fails(declarations: &str, statements: &str, message: &str) {
    let found = verdict(&main_with(declarations, statements)).expect_err(statements);
    assert!(found.contains(message), "{statements}: `{found}` instead of `{message}`");
}

#[test]
fn values_are_copied() {
    holds("var a: seq[int]; var b: seq[int];", "a += (0, 1); b = a; b[0] = 2; assert a[0] == 1 && b[0] == 2;");
    holds(
        "var m: map[int, seq[int]]; fun change(s: seq[int]) { s += (0, 9); }",
        "m[1] = default(seq[int]); change(m[1]); assert sizeof(m[1]) == 0; m[1] += (0, 3); assert m[1][0] == 3;",
    );
    holds(
        "var t: (x: int, y: (int, int)); var u: (x: int, y: (int, int));",
        "t = (x = 1, y = (2, 3)); u = t; u.y.1 = 7; t.x = 5; assert u == (x = 1, y = (2, 7)) && t == (x = 5, y = (2, 3));",
    );
    holds(
        "var q: seq[int]; var x: int; var sum: int;",
        "q += (0, 1); q += (1, 2); foreach (x in q) { q += (sizeof(q), 5); sum = sum + x; } assert sum == 3 && sizeof(q) == 4;",
    );
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    let fields = "var x: int; var q: seq[int]; var t: (int, int, int); fun f(): int { x = x + 1; return x; }";
    holds(fields, "t = (x, f(), x); assert t == (0, 1, 1);");
    holds(fields, "assert x + f() * 10 + x == 11;");
    holds(fields, "q += (0, 0); q += (1, 0); q += (2, 0); q[x] = f(); assert q[0] == 1;");
    holds(fields, "q += (0, 0); q += (1, 0); q += (2, 0); q[f()] = f(); assert q[1] == 2;");
    holds(fields, "if (false && f() > 0) { } if (true || f() > 0) { } assert x == 0;");
    holds(fields, "if (true && f() > 0) { x = x + 10; } assert x == 11;");
    holds(&format!("{fields} fun s(): string {{ x = 9; return \"s\"; }}"), "assert true, s(); assert x == 0;");
    fails(&format!("{fields} fun s(): string {{ return \"called\"; }}"), "assert false, s();", "called");
    holds(fields, "assert format(\"{1}{0}\", f(), f()) == \"21\";");
}

#[test]
fn arithmetic_and_text() {
    holds("", "assert -7 / 2 == -3 && -7 % 2 == -1 && 2 + 3 * 4 == 14 && (3.7 to int) == 3;");
    holds("var f: float;", "f = 1 to float; assert f / 2.0 == .5;");
    holds("", "assert RED to int == 5 && default(Color) == GREEN && (1, true) != (1, false);");
    holds("var c: any;", "c = 1; assert c == 1 && c != 1.0; c = null; assert c == null;");
    holds("", "assert \"a\" + \"b\" == \"ab\" && \"a\" < \"b\" && format(\"{0}{{}}\", 1) == \"1{{}}\";");
    fails("var z: int;", "z = 1 / z;", "zero");
    fails("var q: seq[int];", "q[0] = 1;", "index");
    fails("var m: map[int, int];", "assert m[3] == 0;", "3");
    fails("var m: map[int, int];", "m += (1, 1); m += (1, 2);", "1");
    fails("var c: any;", "c = true; assert (c as int) == 0;", "int");
    fails("var m: machine;", "send m, e;", "null");
}

#[test]
fn loops_and_early_exits() {
    holds(
        "var i: int; var sum: int;",
        "while (true) { i = i + 1; if (i == 2) continue; if (i > 4) break; sum = sum + i; } assert sum == 8;",
    );
    holds(
        "var x: int; var y: int; var s: set[int]; var n: int;",
        "s += (1); s += (2); foreach (x in s) { foreach (y in s) { if (x == y) continue; if (x > y) break; n = n + 1; } } assert n == 1;",
    );
    holds("fun f(n: int): int { if (n == 0) { return 0; } return n + f(n - 1); }", "assert f(10) == 55;");
    holds("fun stop() { inner(); assert false; } fun inner() { raise e; }", "stop(); assert false;");
}

#[test]
fn choices() {
    fails("var i: int;", "i = choose(3); assert i != 2, \"two\";", "two");
    holds("var i: int;", "i = choose(3); assert i >= 0 && i < 3; i = choose(0); assert i == 0;");
    fails("var s: set[int];", "s += (4); s += (7); assert choose(s) != 7, \"seven\";", "seven");
    fails("var s: set[int];", "assert choose(s) == 0;", "not 0");
    fails("", "if ($ && $$) { assert false, \"both\"; }", "both");
    holds("var m: map[int, bool];", "m[3] = true; assert choose(m) == 3 && choose(keys(m)) == 3;");
}

#[test]
fn receives_wait_for_what_they_list() {
    holds(
        "var got: seq[int];",
        "var v: int; send this, n, 1; send this, e; send this, n, 2; v = 0;
         while (v < 2) { receive { case n: (x: int) { var y: int; y = y + x; got += (sizeof(got), y); v = v + 1; } } }
         assert got[0] == 1 && got[1] == 2;",
    );
    fails("", "receive { case n: (x: int) { } }", "waits for halt or n");
    holds(
        "var x: int; fun wait(): int { var r: int; receive { case n: (v: int) { r = v; } } return r; }",
        "send this, n, 5; x = wait() + 1; assert x == 6;",
    );
    holds(
        "var x: int;",
        "send this, e; while (true) { receive { case e: { x = 1; break; } } x = x + 1; break; } assert x == 2;",
    );
}

#[test]
fn states_change_in_order() {
    let source = "event e; event p: int;
        machine Main {
          var log: seq[int];
          fun add(n: int) { log += (sizeof(log), n); }
          start state A {
            entry { add(1); send this, p, 7; raise e; }
            on e goto B with { add(3); }
            exit { add(2); }
          }
          state B {
            entry enterB;
            defer p;
            exit { add(5); }
          }
          state C {
            entry (n: int) { add(n); }
            on p do (n: int) { add(n); assert log[0] == 1 && log[1] == 2 && log[2] == 3 && log[3] == 4 && log[4] == 5 && log[5] == 6 && log[6] == 7; raise halt; }
          }
          fun enterB() { add(4); leave(); add(0); }
          fun leave() { goto C, 6; }
        }";
    assert_eq!(verdict(source), Ok(()));
    let unhandled = "event e; machine Main { start state S { entry { raise e; } } }";
    assert!(verdict(unhandled).unwrap_err().contains('e'));
    let ignored = "event e; machine Main { start state S { entry { raise e; } ignore e; } }";
    assert_eq!(verdict(ignored), Ok(()));
    let halted = "event e; machine M { start state S { ignore e; entry { raise halt; } } }
        machine Main { start state S { entry { send new M(), e; } } }";
    assert_eq!(verdict(halted), Ok(()));
}

#[test]
fn several_payloads_are_a_tuple() {
    let source = "event e: (int, bool);
        machine M { start state S { entry (x: (int, int)) { assert x.1 == 2; } } }
        machine Main {
          start state S { entry { new M((1, 2)); new M(1, 2); send this, e, 3, true; } on e do (x: (int, bool)) { assert x.0 == 3 && x.1; goto T, (4, 5); } }
          state T { entry named; }
          fun named(x: (int, int)) { assert x.0 + x.1 == 9; }
        }";
    assert_eq!(verdict(source), Ok(()));
}

#[test]
fn modules_decide_who_is_created_and_observed() {
    let source = "event e; event n: int;
        interface I () receives e, n, halt;
        machine A receives e, n, halt; { start state S { entry { announce n, 1; } ignore e, n; } }
        machine B receives e, n, halt; { start state S { entry { announce n, 2; } ignore e, n; } }
        machine Main { start state S { entry { new I(); } } }
        spec NoTwo observes n { start state S { on n do (x: int) { assert x != 2, \"two\"; } } }
        test one [main = Main]: assert NoTwo in { Main, A -> I };
        test two [main = Main]: assert NoTwo in { Main, B -> I };
        test outside [main = Main]: union (assert NoTwo in { Main }), { B -> I };";
    let verdicts: Vec<bool> =
        tests(source).iter().map(|test| check(test).run().unwrap().outcome.is_verified()).collect();
    assert_eq!(verdicts, [true, false, true]);
}

#[test]
fn parameters_have_the_values_of_the_instance() {
    let source = "param k: int; param b: bool;
        machine Main { start state S { entry { assert k != 2 || b, \"two without b\"; } } }
        test param (k in [1, 2], b in [true, false]) t [main = Main]: { Main };";
    let tests = tests(source);
    let verdicts: Vec<(String, bool)> = tests
        .iter()
        .map(|test| (test.instance().to_string(), check(test).run().unwrap().outcome.is_verified()))
        .collect();
    let names = ["t___k_1__b_true", "t___k_2__b_true", "t___k_1__b_false", "t___k_2__b_false"];
    assert_eq!(verdicts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(verdicts.iter().map(|(_, fine)| *fine).collect::<Vec<_>>(), [true, true, true, false]);
    assert_eq!(serde_json::to_string(tests[1].params()).unwrap(), r#"{"test":"t","k":2,"b":true}"#);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let foreign = "fun outside(x: int): int; machine Main { start state S { entry { assert outside(1) == 1; } } }";
    let refused = check(&tests(foreign)[0]).run().unwrap_err();
    assert!(refused.to_string().contains("outside"), "{refused}");
    let fine = tests("machine Main { start state S { } }").remove(0);
    assert!(check(&fine).network(manyworlds::Network::P2p).run().is_err());
    assert!(check(&fine).symmetry(true).run().is_err());
    assert!(check(&fine).engine(Engine::Must).run().is_err());
}
