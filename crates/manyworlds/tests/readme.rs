//! The README shows code that is run, and what it prints.

use crate::built;
use manyworlds::prelude::*;

const README: &str = include_str!("../../../README.md");

/// The examples whose output the README shows, in the order in which it does.
const EXAMPLES: [(&str, &str); 2] =
    [("replicas", include_str!("../examples/replicas.rs")), ("payment", include_str!("../examples/payment.rs"))];

/// Where the code after them is from: a test of this file, and an example that another test runs.
const PARTS: [&str; 2] = [include_str!("readme.rs"), include_str!("../examples/race.rs")];

/// The blocks of the README in this language, from the first to the last.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let ends = |block: &'static str| &block[..block.find("```").expect("the block ends")];
    README.split(&*fence).skip(1).map(ends).collect()
}

#[test]
fn all_code_is_run() {
    let blocks = blocks("rust");
    let (whole, parts) = blocks.split_at(EXAMPLES.len());
    for ((name, example), block) in EXAMPLES.into_iter().zip(whole) {
        let (_, code) = example.split_once("\n\n").expect("the example has a heading");
        assert_eq!(*block, code, "{name}");
    }
    assert_eq!(parts.len(), PARTS.len(), "every block is from somewhere");
    for (block, file) in parts.iter().zip(PARTS) {
        assert!(file.contains(&format!("\n\n{block}")), "this is in no file that is run:\n{block}");
    }
}

#[manyworlds::test(network = "mbox", executions = 2)]
fn either_may_be_first() {
    let server = spawn(|| (recv::<u32>(), recv::<u32>()));
    spawn(move || send(server.pid(), 1u32));
    spawn(move || send(server.pid(), 2u32));
    let (first, second) = server.join();
    assert_eq!(first + second, 3);
}

#[test]
fn the_output_is_what_it_prints() {
    let outputs = blocks("text");
    assert_eq!(outputs.len(), EXAMPLES.len(), "every output belongs to an example");
    for ((name, _), output) in EXAMPLES.into_iter().zip(outputs) {
        let run = built::example(name).output().expect("the example runs");
        let printed = String::from_utf8(run.stdout).expect("the output is text");
        assert_eq!(output, printed, "{name}");
    }
}

#[test]
fn the_tables_of_engines_are_those_of_the_decision_table() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in ["README.md", "book/src/engines/README.md"] {
        let text = std::fs::read_to_string(root.join(file)).expect("it is part of the repository");
        let (_, rest) =
            text.split_once("<!-- engines -->\n").unwrap_or_else(|| panic!("{file} has no table of engines"));
        let (table, _) = rest.split_once("<!-- end -->").expect("the table ends");
        assert_eq!(table, manyworlds_core::decides::markdown(), "{file}");
    }
}
