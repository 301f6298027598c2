//! No file, argument or variable makes the command crash: traces are read, replayed and drawn in this process, the rest is given to the program.

use manyworlds::Trace;
use manyworlds_report::html::{Page, html};
use manyworlds_report::{Hints, Style, dot, failure, shiviz};
use manyworlds_testkit::{Fuzz, Fuzzed};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn data(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The traces that can be replayed.
const TRACES: [&str; 8] = [
    "bug.json",
    "actors-bug.json",
    "specification-bug.json",
    "edr.json",
    "version-2.json",
    "version-2-actors.json",
    "version-2-specification.json",
    "version-2-history.json",
];

const JSON: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "true",
    "0",
    "1",
    "-1",
    "\"schema\":",
    "\"steps\":",
    "\"process\":",
    "\"processes\":",
    "\"peer\":",
    "\"reads\":",
    "\"parents\":",
    "\"kind\":",
    "\"send\"",
    "\"loop_from\": 0,",
    "\"violation\":",
    "\\u0000",
];

/// Where an error of a trace is, in the words of the message.
const PLACES: [&str; 7] = ["line ", "byte ", "step ", "schema ", "history", "losses", "loop"];

#[test]
fn traces() {
    let replayed = Cell::new([0; 3]);
    let fuzzed = Fuzz::new("traces", 1_500).samples(TRACES.map(data)).words(JSON).run(
        |input| {
            let text = std::str::from_utf8(input).map_err(|wrong| format!("byte {}", wrong.valid_up_to()))?;
            let trace = Trace::from_json(text).map_err(|wrong| wrong.to_string())?;
            let again = Trace::from_json(&trace.to_json()).expect("what is written can be read");
            assert_eq!(again, trace);
            let mut counts = replayed.get();
            counts[replay(&trace)] += 1;
            replayed.set(counts);
            draw(&trace);
            Ok(())
        },
        |why| PLACES.iter().any(|place| why.contains(place)),
    );
    fuzzed.at_least(10, 20);
    let [unknown, refused, followed] = replayed.get();
    println!(
        "{followed} traces were replayed to their end, {refused} differ from their model, {unknown} have no model"
    );
    assert!(20 * followed >= fuzzed.accepted && refused > 0 && unknown > 0);
}

/// Whether there is such a model, and whether it can follow the trace.
fn replay(trace: &Trace) -> usize {
    let Some(model) = manyworlds_protocols::find(&trace.model) else { return 0 };
    let Ok(params) = model.params_from_json(&trace.params) else { return 0 };
    let Ok(subject) = model.subject(&params) else { return 0 };
    match subject.replay(trace, &mut |_, _| {}) {
        Ok(_) => 2,
        Err(wrong) => {
            assert!(!wrong.to_string().is_empty());
            1
        }
    }
}

/// Draws it in every way there is.
fn draw(trace: &Trace) {
    let drawn = [
        failure(trace, &Hints::default(), &Style::default()),
        html(&Page { title: "fuzz", trace: Some(trace), ..Page::default() }),
        dot(trace),
        shiviz(trace),
    ];
    assert!(drawn.iter().all(|text| !text.is_empty()));
}

/// A directory with files to read.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(name);
    drop(std::fs::remove_dir_all(&place));
    std::fs::create_dir_all(&place).expect("there is a place for files");
    let files = [("good.json", "bug.json"), ("good.tsv", "good.tsv"), ("good.jsonl", "histories/queue.jsonl")];
    files.into_iter().for_each(|(file, from)| std::fs::write(place.join(file), data(from)).expect("it can be written"));
    place
}

/// Runs the command. It must end by itself, with one of its statuses and without a panic; an error says what is wrong.
fn run(place: &Path, arguments: &[&str], variable: Option<(&str, &str)>) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    let bounds = [("MANYWORLDS_TIMEOUT", "0.2"), ("MANYWORLDS_THREADS", "1")];
    command.args(arguments).current_dir(place).stdin(Stdio::null()).envs(bounds).envs(variable);
    let run = command.output().unwrap_or_else(|e| panic!("{arguments:?}: {e}"));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    match run.status.code() {
        Some(0 | 1 | 3) => Ok(()),
        Some(2) => Err(said.into_owned()),
        other => panic!("{arguments:?} ended with {other:?}: {said}"),
    }
}

/// Whether it is an error that says something, or how the command is used, which is the answer to no arguments at all.
fn is_error(said: &str) -> bool {
    said.contains("Usage: manyworlds <COMMAND>")
        || said.lines().any(|line| line.starts_with("error: ") && line.len() > "error: ".len())
}

#[test]
fn arguments() {
    let place = place("arguments");
    let samples = [
        "check ns+nr n=3 --engine must --network p2p --json",
        "check two-phase-commit n=2 --max-executions 10 --policy random --seed 7 --quiet",
        "check 2pc-tla n=2 --engine bfs --max-states 100 --max-memory 1000000000 --threads 2",
        "check raft --engine random --max-depth 5 --max-executions 3 --losses 1",
        "replay good.json --html page.html",
        "linearize good.jsonl --spec queue --consistency sequential",
        "litmus good.tsv --engine brute",
        "help check",
    ];
    let words = [
        " ",
        "=",
        "--",
        "-",
        "n=",
        "n=2",
        "--engine",
        "--network",
        "must",
        "brute",
        "bfs",
        "dfs",
        "asyn",
        "--symmetry",
        "--fair",
        "--exact",
        "--eager",
        "--decidable",
        "--help",
        "--version",
        "--json",
        "1KiB",
        "1e9",
        "99999999999999999999",
        "-1",
        "0",
        "none",
        "good.json",
        "check",
        "replay",
        "linearize",
        "models",
    ];
    let fuzz = Fuzz::new("arguments", 400).samples(samples).words(words);
    let fuzzed: Fuzzed = fuzz.run(
        |input| {
            // An argument holds no zero byte and is not longer than the system allows.
            let text = String::from_utf8_lossy(input).replace('\0', "");
            let arguments = text.split(' ').filter(|argument| !argument.is_empty());
            let arguments: Vec<&str> =
                arguments.map(|argument| argument.get(..30_000).unwrap_or(argument)).take(500).collect();
            // These write projects and take minutes.
            let long = ["bench", "new"].iter().any(|command| arguments.contains(command));
            if long || arguments.iter().any(|argument| argument.len() > 30_000) {
                return Err("error: not tried".to_string());
            }
            run(&place, &arguments, None)
        },
        is_error,
    );
    fuzzed.at_least(10, 30);
}

#[test]
fn variables() {
    let place = place("variables");
    let names = [
        "MANYWORLDS_ENGINE",
        "MANYWORLDS_NETWORK",
        "MANYWORLDS_THREADS",
        "MANYWORLDS_SEED",
        "MANYWORLDS_POLICY",
        "MANYWORLDS_MAX_EXECUTIONS",
        "MANYWORLDS_MAX_DEPTH",
        "MANYWORLDS_TIMEOUT",
        "MANYWORLDS_MAX_MEMORY",
        "MANYWORLDS_LOSSES",
        "MANYWORLDS_DELAYS",
    ];
    let samples = ["must", "p2p", "2", "receive-last", "100", "0.1", "1GiB"];
    let words = ["must", "mbox", "0", "1", "2", "-1", ".", "e", "KiB", "MB", "inf", "NaN", " ", "+", "0x10"];
    let turn = Cell::new(0);
    let fuzzed = Fuzz::new("variables", 300).samples(samples).words(words).run(
        |input| {
            turn.set(turn.get() + 1);
            let text = String::from_utf8_lossy(input).replace('\0', "");
            let value = text.get(..30_000).unwrap_or(&text);
            if value.len() > 30_000 {
                return Err("error: not tried".to_string());
            }
            run(&place, &["check", "ns+nr", "n=3"], Some((names[turn.get() % names.len()], value)))
        },
        is_error,
    );
    fuzzed.at_least(5, 30);
}

#[test]
fn litmus_tables() {
    let place = place("litmus");
    let samples = [
        "id\tprogram\tasyn\tp2p\tcd\tmbox\n1\ts1.0 s1.1 | r r\t2/0\t1/0\t1/0\t1/0\n2\tr | s0.1\t1/0\t1/0\t1/0\t1/0\n"
            .to_string(),
        data("good.tsv"),
    ];
    let words = ["\t", "\n", "|", "r", "n", "s0.0", "s1.0", "1/0", "2/0", "/", "0/1", "c2", "id"];
    let file = place.join("table.tsv");
    let fuzzed = Fuzz::new("tables of litmus programs", 200).samples(samples).words(words).run(
        |input| {
            std::fs::write(&file, input).expect("it can be written");
            run(&place, &["litmus", "table.tsv"], None)
        },
        |said| is_error(said) && said.contains("table.tsv"),
    );
    fuzzed.at_least(10, 30);
}

/// The same files as above, as the command reads them: bytes that are not text as well.
#[test]
fn files() {
    let place = place("files");
    let samples =
        [data("bug.json"), data("histories/queue.jsonl"), data("histories/lock.edn"), data("histories/run.log")];
    let file = place.join("input");
    let turn = Cell::new(0);
    let fuzzed = Fuzz::new("files", 200).samples(samples).words(JSON).run(
        |input| {
            turn.set(turn.get() + 1);
            std::fs::write(&file, input).expect("it can be written");
            run(&place, &[["linearize", "replay"][turn.get() % 2], "input"], None)
        },
        |said| is_error(said) && said.contains("input"),
    );
    fuzzed.at_least(5, 30);
}
