//! The README shows the example as it is, and what it prints.

use std::process::Command;

const README: &str = include_str!("../../../README.md");
const EXAMPLE: &str = include_str!("../examples/lost_update.rs");

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

#[test]
fn the_output_is_what_it_prints() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let run = Command::new(cargo).args(["run", "--quiet", "-p", "manyworlds", "--example", "lost_update"]).output();
    let printed = String::from_utf8(run.expect("cargo runs").stdout).expect("the output is text");
    assert_eq!(block("text"), printed);
}
