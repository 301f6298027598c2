//! Input that is deep, long or damaged is refused with a place, in time that grows with its length.

use manyworlds_p::project::compile_text;
use std::time::{Duration, Instant};

fn refused(text: &str, message: &str) {
    let start = Instant::now();
    let compiled = compile_text("a.p", text);
    let shown = compiled.render(false);
    assert!(compiled.diagnostics.has_errors() && shown.contains(message), "{}", &shown[..shown.len().min(2_000)]);
    assert!(shown.len() < 200_000, "{} bytes of messages", shown.len());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

fn in_handler(statements: &str) -> String {
    format!("machine M {{ var x: int; var s: seq[int]; start state S {{ entry {{ {statements} }} }} }}")
}

#[test]
fn nesting_is_bounded() {
    const N: usize = 100_000;
    let deep = |open: &str, inside: &str, close: &str| format!("{}{inside}{}", open.repeat(N), close.repeat(N));
    for expr in
        [deep("(", "1", ")"), deep("-", "1", ""), deep("!", "true", ""), deep("s[", "0", "]"), deep("(1,", "1", ")")]
    {
        refused(&in_handler(&format!("x = {expr};")), "nested more than");
        refused(&in_handler(&format!("x = {};", &expr[..expr.len() / 2])), "nested more than");
    }
    refused(&in_handler(&deep("{", "x = 1;", "}")), "nested more than");
    refused(&in_handler(&deep("if (true) ", "x = 1;", "")), "nested more than");
    refused(&in_handler(&deep("receive { case halt: {", "x = 1;", "}}")), "nested more than");
    refused(&format!("type T = {};", deep("seq[", "int", "]")), "nested more than");
    refused(&format!("module M = {};", deep("(", "{ A }", ")")), "nested more than");
    refused(&in_handler(&format!("x = 1{};", " + 1".repeat(N))), "operators in a row");
    refused(&in_handler(&format!("x = s{};", "[0]".repeat(N))), "operators in a row");
    refused(&"{".repeat(N), "expected a declaration");
    // Chains in parentheses at the beginning of chains are deep, too.
    let chain = (0..150).fold("1".to_string(), |inner, _| format!("({inner}{})", " + 1".repeat(150)));
    refused(&in_handler(&format!("x = {chain};")), "operators in a row");
}

#[test]
fn long_lists_are_fine() {
    const N: usize = 20_000;
    let chain = format!("if (x == 0) {{ }} {}", "else if (x == 1) { x = 2; } ".repeat(N));
    let compiled = compile_text("a.p", &in_handler(&format!("{chain} {}", "x = x + 1; ".repeat(N))));
    assert!(!compiled.diagnostics.has_errors(), "{}", compiled.render(false));
}

#[test]
fn what_is_nearly_too_deep_is_fine() {
    let fine = |expr: &str| {
        let statement = format!("x = {expr};");
        let text = in_handler(&format!("{}{statement}{}", "if (true) {".repeat(90), "}".repeat(90)));
        let compiled = compile_text("a.p", &text);
        assert!(!compiled.diagnostics.has_errors(), "{}", compiled.render(false));
    };
    fine(&format!("{}1{}", "(".repeat(15), ")".repeat(15)));
    fine(&format!("1{}", " + 1".repeat(190)));
    let text = in_handler(&format!("x = {}1{};", "(1 + ".repeat(90), ")".repeat(90)));
    assert!(!compile_text("a.p", &text).diagnostics.has_errors());
    let text = in_handler(&format!("x = {}1{};", "-".repeat(190), ""));
    assert!(!compile_text("a.p", &text).diagnostics.has_errors());
}

#[test]
fn definitions_that_refer_to_one_another_are_bounded() {
    let chain = |n: usize| -> String { (1..n).map(|n| format!("type T{n} = seq[T{}];\n", n - 1)).collect() };
    refused(
        &format!(
            "{}type T0 = int;",
            (1..1_000).rev().map(|n| format!("type T{n} = seq[T{}];\n", n - 1)).collect::<String>()
        ),
        "more than",
    );
    refused(&format!("type T0 = int;\n{}", chain(3_000)), "parts");
    let doubling: String = (1..100).map(|n| format!("type T{n} = (T{m}, T{m});\n", m = n - 1)).collect();
    refused(&format!("type T0 = int;\n{doubling}"), "parts");
    let modules: String = (1..10_000).rev().map(|n| format!("module M{n} = M{};\n", n - 1)).collect();
    refused(&format!("{modules}module M0 = {{ A }};\nmachine A {{ start state S {{ }} }}"), "more than");
}

#[test]
fn many_errors_are_reported_in_time() {
    let unknown: String = (0..50_000).map(|n| format!("x = unknown{n};\n")).collect();
    let compiled = compile_text("a.p", &in_handler(&unknown));
    assert_eq!(compiled.diagnostics.errors(), 50_000);
    refused(&"event event;\n".repeat(200_000), "there are more syntax errors");
    refused(&"\u{0}é#".repeat(1_000_000), "which P does not know");
}
