//! No text makes the reader of the textual form panic or hang. What it accepts is validated and printed, and the printed form is read again.

use crate::text::SAMPLE;
use manyworlds_p_ir::text::{parse, print};
use manyworlds_p_ir::validate;
use manyworlds_testkit::Fuzz;

const WORDS: [&str; 36] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ",",
    ".",
    "->",
    "::",
    "#0:1:2",
    "@ePing",
    "@halt",
    "all",
    "perm",
    "seq[",
    "map[",
    "int",
    "event",
    "machine",
    "fun",
    "local",
    "state",
    "b0",
    "b1",
    "this",
    "this.count",
    "call",
    "choose",
    "receive",
    "goto Next",
    "tuple(",
    "-9223372036854775808",
    "\"",
];

#[test]
fn texts_are_read_or_refused_with_a_place() {
    let read = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let program = parse(&text).map_err(|error| error.to_string())?;
        if validate(&program).is_empty() {
            let printed = print(&program);
            assert_eq!(parse(&printed).map(|read| print(&read)), Ok(printed));
        }
        Ok(())
    };
    let located = |why: &str| why.split(':').take(2).all(|part| part.parse::<u32>().is_ok());
    Fuzz::new("p-ir, text", 3_000).samples([SAMPLE]).words(WORDS).run(read, located).at_least(2, 20);
}
