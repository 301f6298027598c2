//! Lowered programs pass the validator of the intermediate representation, and their text can be read again.

use manyworlds_p::lower::lower;
use manyworlds_p::project::{Compiled, compile_text};
use manyworlds_p_ir as ir;

/// Lowers a program; it must be valid.
pub fn lowered(compiled: &Compiled) -> ir::Program {
    assert!(!compiled.diagnostics.has_errors(), "{}", compiled.render(false));
    let program = lower(&compiled.program, &compiled.sources);
    let flaws: Vec<String> = ir::validate(&program).iter().map(ToString::to_string).collect();
    assert!(flaws.is_empty(), "{}:\n{}\n{}", compiled.name, flaws.join("\n"), ir::text::print(&program));
    program
}

fn text_of(source: &str) -> String {
    ir::text::print(&lowered(&compile_text("a.p", source)))
}

#[test]
fn samples_are_lowered_to_valid_programs() {
    for sample in crate::fuzz::SAMPLES {
        let text = text_of(sample);
        let read = ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(ir::text::print(&read), text);
    }
}

/// The instructions of the entry function of a machine with these statements.
fn entry(declarations: &str, statements: &str) -> Vec<String> {
    let source = format!(
        "event e: any; machine Main {{ {declarations} start state S {{ entry {{ {statements} }} ignore e; }} }}"
    );
    let program = lowered(&compile_text("a.p", &source));
    let function = program.functions.iter().find(|function| function.name == "Main.S_entry").unwrap();
    function
        .blocks()
        .iter()
        .flat_map(|block| {
            block.instructions.iter().map(|at| kind(&at.op).to_string()).chain([end(&block.end).to_string()])
        })
        .collect()
}

fn kind(op: &ir::Op) -> &'static str {
    match op {
        ir::Op::Assign { .. } => "assign",
        ir::Op::Insert { .. } => "insert",
        ir::Op::Add { .. } => "add",
        ir::Op::Remove { .. } => "remove",
        ir::Op::Call { .. } => "call",
        ir::Op::Choose { .. } => "choose",
        ir::Op::Send { .. } => "send",
        ir::Op::Announce { .. } => "announce",
        ir::Op::New { .. } => "new",
        ir::Op::Assert { .. } => "assert",
        ir::Op::Print { .. } => "print",
    }
}

fn end(end: &ir::Terminator) -> &'static str {
    match end {
        ir::Terminator::Jump(_) => "jump",
        ir::Terminator::Branch { .. } => "branch",
        ir::Terminator::Return(_) => "return",
        ir::Terminator::Raise { .. } => "raise",
        ir::Terminator::Goto { .. } => "goto",
        ir::Terminator::Receive(_) => "receive",
        ir::Terminator::Fail(_) => "fail",
    }
}

#[test]
fn effects_happen_in_the_order_of_the_source() {
    let fields = "var x: int; var q: seq[int]; fun f(): int { x = x + 1; return x; }";
    assert_eq!(entry(fields, "x = x + f();"), ["assign", "call", "assign", "return"]);
    assert_eq!(entry(fields, "x = f() + x;"), ["call", "assign", "return"]);
    assert_eq!(entry(fields, "q[x] = f();"), ["assign", "call", "assign", "return"]);
    assert_eq!(entry(fields, "q[f()] = f() + choose(2);"), ["call", "call", "choose", "assign", "return"]);
    assert_eq!(
        entry(fields, "send this, e, (a = x, b = f(), c = new Main());"),
        ["assign", "call", "new", "send", "return"]
    );
    assert_eq!(entry(fields, "f(); new Main();"), ["call", "new", "return"]);
}

#[test]
fn what_need_not_happen_does_not() {
    let lazy = entry("", "if ($ && $$) { print \"both\"; }");
    assert_eq!(lazy.iter().filter(|kind| *kind == "choose").count(), 2);
    assert_eq!(lazy[..2], ["choose", "branch"]);
    assert_eq!(entry("", "if (true && false || true) { }")[0], "branch");
    let message = entry("fun f(): string { return \"x\"; }", "assert $, f();");
    assert_eq!(message, ["choose", "branch", "return", "call", "fail"]);
    assert_eq!(entry("", "assert false; print \"never\";"), ["fail", "print", "return"]);
}

#[test]
fn control_flow_is_explicit() {
    assert_eq!(
        entry("var i: int;", "while (i < 3) { if (i == 1) break; i = i + 1; continue; }")
            .iter()
            .filter(|kind| *kind == "branch")
            .count(),
        2
    );
    assert_eq!(
        entry("", "receive { case e: (x: any) { var y: int; y = 1; } case halt: { raise halt; } }"),
        ["receive", "return", "assign", "assign", "jump", "raise"]
    );
    assert_eq!(entry("", "goto S;"), ["goto"]);
}

#[test]
fn tests_have_bindings_links_and_specs() {
    let program = lowered(&compile_text("a.p", include_str!("programs/modules.p")));
    let name = |id: ir::InterfaceId| program.interfaces[id.index()].name.clone();
    let test = |name: &str| program.test(name).unwrap();
    let hidden = test("tcHidden");
    assert_eq!(hidden.links.len(), 1);
    assert_eq!(
        (name(hidden.links[0].creator), name(hidden.links[0].made)),
        ("Client".to_string(), "IServer~1".to_string())
    );
    let strict = test("tcStrict");
    assert_eq!((strict.specs.len(), strict.bindings.len(), strict.links.len()), (2, 3, 0));
    let scope = strict.specs[0].scope.as_ref().unwrap();
    assert_eq!(scope.iter().map(|&id| name(id)).collect::<Vec<_>>(), ["IServer", "Client"]);
    assert!(strict.specs[1].scope.is_none());
    assert_eq!(test("tcLoose").specs[0].scope.as_ref().unwrap().len(), 3);
    let values = lowered(&compile_text("a.p", include_str!("programs/values.p")));
    let names: Vec<&str> = values.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names.len(), 3 + 4 + 2, "{names:?}");
    assert_eq!(names[0], "tcValues___size_0__fast_true");
}
