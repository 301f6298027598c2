//! The chapters of the book, so that its code is compiled and run with the other documentation tests: `cargo test --doc -p manyworlds`.

macro_rules! chapters {
    ($($name:ident: $file:literal),* $(,)?) => {
        $(#[doc = include_str!(concat!("../../../book/src/", $file))]
        mod $name {})*
    };
}

chapters! {
    introduction: "introduction.md",
    tutorial: "tutorial.md",
    protocol: "howto/protocol.md",
    object: "howto/object.md",
    history: "howto/history.md",
    specification: "howto/specification.md",
    report: "howto/report.md",
    command_line: "howto/command-line.md",
    loom: "from/loom.md",
    shuttle: "from/shuttle.md",
    stateright: "from/stateright.md",
    traceforge: "from/traceforge.md",
    engines: "engines/README.md",
    must: "engines/must.md",
    brute: "engines/brute.md",
    states: "engines/states.md",
    random: "engines/random.md",
    persistent: "engines/persistent.md",
    symmetry: "engines/symmetry.md",
    eventually: "engines/eventually.md",
    linearizability: "engines/linearizability.md",
    schedulers: "engines/schedulers.md",
    verdicts: "verdicts.md",
    examples: "examples.md",
    glossary: "glossary.md",
}
