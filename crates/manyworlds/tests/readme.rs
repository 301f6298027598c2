//! The README shows the examples as they are, and what they print.

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The examples, in the order in which the README shows them.
const EXAMPLES: [(&str, &str); 2] =
    [("replicas", include_str!("../examples/replicas.rs")), ("payment", include_str!("../examples/payment.rs"))];

/// The blocks of the README in this language, from the first to the last.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let ends = |block: &'static str| &block[..block.find("```").expect("the block ends")];
    README.split(&*fence).skip(1).map(ends).collect()
}

#[test]
fn the_code_is_the_example() {
    for ((name, example), block) in EXAMPLES.into_iter().zip(blocks("rust")) {
        let (_, code) = example.split_once("\n\n").expect("the example has a heading");
        assert_eq!(block, code, "{name}");
    }
}

/// The example, which is built with the tests; or cargo, to build and run it.
fn run(name: &str) -> Command {
    let tests = std::env::current_exe().expect("this test is a program");
    let built = tests.parent().and_then(Path::parent).map(|target| target.join("examples").join(name));
    if let Some(built) = built.filter(|built| built.exists()) {
        return Command::new(built);
    }
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()));
    cargo.args(["run", "--quiet", "-p", "manyworlds", "--example", name]);
    cargo
}

#[test]
fn the_output_is_what_it_prints() {
    let outputs = blocks("text");
    assert_eq!(outputs.len(), EXAMPLES.len(), "every output belongs to an example");
    for ((name, _), output) in EXAMPLES.into_iter().zip(outputs) {
        let run = run(name).output().expect("the example runs");
        let printed = String::from_utf8(run.stdout).expect("the output is text");
        assert_eq!(output, printed, "{name}");
    }
}
