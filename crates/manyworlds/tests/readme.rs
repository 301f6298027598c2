//! The README shows the example as it is, and what it prints.

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../../README.md");
const EXAMPLE: &str = include_str!("../examples/replicas.rs");

/// The first block of the README in this language.
fn block(language: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let start = README.find(&fence).expect("the README has such a block") + fence.len();
    &README[start..start + README[start..].find("```").expect("the block ends")]
}

#[test]
fn the_code_is_the_example() {
    let (_, code) = EXAMPLE.split_once("\n\n").expect("the example has a heading");
    assert_eq!(block("rust"), code);
}

/// The example, which is built with the tests; or cargo, to build and run it.
fn example() -> Command {
    let tests = std::env::current_exe().expect("this test is a program");
    let built = tests.parent().and_then(Path::parent).map(|target| target.join("examples/replicas"));
    if let Some(built) = built.filter(|built| built.exists()) {
        return Command::new(built);
    }
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()));
    cargo.args(["run", "--quiet", "-p", "manyworlds", "--example", "replicas"]);
    cargo
}

#[test]
fn the_output_is_what_it_prints() {
    let run = example().output().expect("the example runs");
    let printed = String::from_utf8(run.stdout).expect("the output is text");
    assert_eq!(block("text"), printed);
}
