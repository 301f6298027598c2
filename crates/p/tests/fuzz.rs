//! Damaged and random programs are accepted or refused with a place.

use manyworlds_p::project::compile_text;
use manyworlds_p::token::{KEYWORDS, VERIFIER_WORDS};
use manyworlds_testkit::Fuzz;

/// Programs without errors.
pub const SAMPLES: [&str; 4] = [
    include_str!("programs/ring.p"),
    include_str!("programs/values.p"),
    include_str!("programs/modules.p"),
    include_str!("programs/receive.p"),
];

#[test]
fn the_samples_have_no_errors() {
    for sample in SAMPLES {
        let compiled = compile_text("a.p", sample);
        assert!(!compiled.diagnostics.has_errors(), "{}", compiled.render(false));
        assert!(!compiled.program.tests.is_empty());
    }
}

#[test]
fn damaged_programs_are_refused_with_a_place() {
    let symbols = [
        "(", ")", "{", "}", "[", "]", ",", ";", ":", ".", "=", "+=", "-=", "->", "==", "!", "$", "$$", "\"", "0", "x",
        "/*",
    ];
    let words = KEYWORDS.iter().chain(VERIFIER_WORDS).chain(&symbols).copied();
    let read = |bytes: &[u8]| {
        let compiled = compile_text("a.p", &String::from_utf8_lossy(bytes));
        let shown = compiled.render(false);
        if compiled.diagnostics.has_errors() { Err(shown) } else { Ok(()) }
    };
    let names_a_place = |why: &str| {
        let mut lines = why.lines().filter(|line| line.starts_with("a.p:"));
        lines.next().is_some_and(|line| {
            let mut parts = line.splitn(4, ':').skip(1);
            parts.next().is_some_and(|line| line.parse::<u32>().is_ok())
                && parts.next().is_some_and(|column| column.parse::<u32>().is_ok())
        })
    };
    Fuzz::new("p programs", 6_000).samples(SAMPLES).words(words).run(read, names_a_place).at_least(2, 40);
}
