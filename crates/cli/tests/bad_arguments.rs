//! Whatever is wrong with arguments, variables and files: exit status 2, nothing that looks like a crash, and a message that names what is wrong.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TRACE: &str = include_str!("data/bug.json");
const ACTORS: &str = include_str!("data/actors-bug.json");
const HISTORY: &str = "{\"schema\": \"manyworlds-history/1\"}\n{\"process\": 0, \"type\": \"invoke\", \"f\": \"enqueue\", \"value\": 1}\n";
const LITMUS: &str = "id\tprogram\tasyn\tp2p\tcd\tmbox\n";

/// Files that are not what they should be. What is replaced in a trace must be there.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let edited = |old: &str, new: &str| {
        assert!(TRACE.contains(old), "{old}");
        TRACE.replacen(old, new, 1).into_bytes()
    };
    let history = |line: &str| format!("{HISTORY}{line}\n").into_bytes();
    let litmus = |row: &str| format!("{LITMUS}1\t{row}\n").into_bytes();
    vec![
        ("good.json", TRACE.into()),
        ("good.jsonl", HISTORY.into()),
        ("empty", Vec::new()),
        ("binary", vec![0, 159, 146, 150, 255]),
        ("latin", b"id\tprogram\nr\xe9sum\xe9\n".to_vec()),
        ("truncated.json", TRACE.as_bytes()[..TRACE.len() / 2].to_vec()),
        ("array.json", b"[1, 2]".to_vec()),
        ("deep.json", "[".repeat(100_000).into_bytes()),
        ("schema.json", edited("manyworlds-trace/1", "manyworlds-outcome/1")),
        ("huge.json", edited("\"seed\": 0", "\"seed\": 99999999999999999999")),
        ("negative.json", edited("\"seed\": 0", "\"seed\": -1")),
        ("network.json", edited("\"network\": \"p2p\"", "\"network\": \"tcp\"")),
        ("model.json", edited("\"two-phase-commit-bug\"", "\"two-phase-comit-bug\"")),
        ("model-type.json", edited("\"two-phase-commit-bug\"", "7")),
        ("params.json", edited("\"n\": 3", "\"n\": 300")),
        ("params-name.json", edited("\"n\": 3", "\"m\": 3")),
        ("params-type.json", edited("\"n\": 3", "\"n\": [3]")),
        ("process.json", edited("\"process\": 0", "\"process\": 99")),
        ("kind.json", edited("\"kind\": \"spawn\"", "\"kind\": \"explode\"")),
        ("future.json", edited("\"parents\": [\n        0\n      ]", "\"parents\": [77]")),
        ("message.json", edited("\"message\": \"Prepare\"", "\"message\": \"Surprise\"")),
        ("actors.json", ACTORS.replacen("\"start\"", "\"stop\"", 1).into_bytes()),
        ("no-steps.json", edited("\"steps\"", "\"stops\"")),
        ("words.log", b"hello\nworld\n".to_vec()),
        ("event.jsonl", history("{\"process\": 0, \"type\": \"maybe\"}")),
        ("stray.jsonl", history("{\"process\": 5, \"type\": \"ok\"}")),
        ("busy.jsonl", history("{\"process\": 0, \"type\": \"invoke\", \"f\": \"dequeue\"}")),
        ("cut.jsonl", history("{\"process\": 0, ")),
        ("columns.tsv", litmus("r\t1/0")),
        ("count.tsv", litmus("r\t1/0\tmany\t1/0\t1/0")),
        ("overflow.tsv", litmus("r\t1/0\t1/99999999999999999999\t1/0\t1/0")),
        ("operation.tsv", litmus("s9.0 | r\t1/0\t1/0\t1/0\t1/0")),
    ]
}

/// What is typed after `manyworlds`, and what the message must contain.
type Case = (&'static [&'static str], &'static [&'static str]);

const CHECK: &[Case] = &[
    (&["check", "paxso"], &["`paxso`", "Did you mean `paxos`?", "manyworlds list"]),
    (&["check", "no-such-model"], &["`no-such-model`"]),
    (&["check", ""], &["there is no model ``"]),
    (&["check"], &["<MODEL>"]),
    (&["check", "ns+nr", "3"], &["`3` is no parameter", "KEY=VALUE"]),
    (&["check", "ns+nr", "nn=3"], &["no parameter `nn`", "it has: n"]),
    (&["check", "NS+NR"], &["no model `NS+NR`", "Did you mean `ns+nr`?"]),
    (&["check", "2pc"], &["no model `2pc`", "Did you mean `2pc-tla` or `2pc-tla-bug`?"]),
    (&["check", "ns+nr", "--engine", "MUST"], &["Did you mean `must`?"]),
    (&["check", "counter", "n=8", "--symmetry"], &["sets of 8 identical actors", "5040"]),
    (&["check", "counter", "--decidable", "--engine", "brute"], &["brute", "programs"]),
    (&["check", "2pc-tla", "--decidable"], &["decidable", "actors"]),
    (&["check", "ns+nr", "--html", "same.out", "--trace", "same.out"], &["--html", "same.out", "--trace"]),
    (&["check", "ns+nr", "--dot", "./same.out", "--shiviz", "same.out"], &["--shiviz", "--dot"]),
    (&["replay", "empty", "--html", "./empty"], &["--html", "the trace itself"]),
    (&["litmus", "/dev/null"], &["/dev/null", "no program"]),
    (&["check", "raft", "crashs=1"], &["no parameter `crashs`", "Did you mean `crashes`?"]),
    (&["check", "ns+nr", "=3"], &["no parameter ``"]),
    (&["check", "ns+nr", "n="], &["parameter `n` is ``", "whole number"]),
    (&["check", "ns+nr", "n=3", "n=4"], &["`n` is given twice"]),
    (&["check", "ns+nr", "n=0"], &["parameter `n` is `0`", "from 1 to 100"]),
    (&["check", "ns+nr", "n=-1"], &["parameter `n` is `-1`"]),
    (&["check", "ns+nr", "n=1.5"], &["parameter `n` is `1.5`"]),
    (&["check", "ns+nr", "n=99999999999999999999"], &["`99999999999999999999`"]),
    (&["check", "dr", "reads=agred"], &["parameter `reads` is `agred`", "Did you mean `agreed`?"]),
    (&["check", "chain", "f=3", "n=3"], &["f", "n"]),
    (&["check", "litmus", "program=s1.0 | q"], &["thread 1, operation 1 (`q`)"]),
    (&["check", "litmus", "program=s99999999999.0 | r"], &["`s99999999999.0`"]),
    (&["check", "ns+nr", "--engine", "musst"], &["--engine is `musst`", "Did you mean `must`?"]),
    (&["check", "ns+nr", "--engine", "bfs"], &["engine `bfs`", "use must or brute"]),
    (&["check", "2pc-tla", "--engine", "must"], &["engine `must`"]),
    (&["check", "ns+nr", "--network", "mbx"], &["--network is `mbx`", "Did you mean `mbox`?"]),
    (&["check", "2pc-tla", "--network", "p2p"], &["a specification has no network"]),
    (&["check", "ns+nr", "--policy", "random-ish"], &["--policy is `random-ish`"]),
    (&["check", "ns+nr", "--threads", "0"], &["--threads is `0`", "from 1 to 1024"]),
    (&["check", "ns+nr", "--threads", "99999999999999999999"], &["--threads is `99999999999999999999`"]),
    (&["check", "ns+nr", "--seed", "-1"], &["--seed is `-1`"]),
    (&["check", "ns+nr", "--seed", "1", "--seed", "2"], &["'--seed <N>' cannot be used multiple times"]),
    (&["check", "ns+nr", "--max-executions", "0"], &["--max-executions is `0`", "from 1"]),
    (&["check", "ns+nr", "--max-states", "10"], &["max-states", "use max-executions"]),
    (&["check", "ns+nr", "--max-depth", "deep"], &["--max-depth is `deep`"]),
    (&["check", "ns+nr", "--max-memory", "1G"], &["--max-memory is `1G`"]),
    (&["check", "ns+nr", "--timeout", "NaN"], &["--timeout is `NaN`", "seconds"]),
    (&["check", "ns+nr", "--timeout", "-1"], &["--timeout is `-1`"]),
    (&["check", "ns+nr", "--timeout", "1e300"], &["--timeout is `1e300`"]),
    (&["check", "ns+nr", "--timeout"], &["'--timeout <SECONDS>'"]),
    (&["check", "ns+nr", "--losses", "4294967296"], &["--losses is `4294967296`"]),
    (&["check", "raft", "--losses", "256"], &["losses: 256 is too many"]),
    (&["check", "raft", "--delays", "1"], &["delays", "bfs"]),
    (&["check", "raft", "--eager"], &["eager"]),
    (&["check", "ns+nr", "--eager", "--network", "asyn"], &["eager", "asyn", "use the network p2p"]),
    (&["check", "ns+nr", "--eager", "--network", "mbox"], &["eager", "mbox", "use the network p2p"]),
    (&["check", "ns+nr", "--eager", "--engine", "brute"], &["eager", "brute", "use `must`"]),
    (&["check", "ns+nr", "--max-depth", "3", "--engine", "brute"], &["max-depth", "brute", "use `must`"]),
    (&["check", "ns+nr", "--policy", "random", "--engine", "brute"], &["policy", "brute", "use `must`"]),
    (&["check", "raft", "--policy", "left-to-right"], &["policy", "bfs", "use `must`"]),
    (&["check", "2pc-tla", "--policy", "random"], &["policy", "bfs", "use `must`"]),
    (&["check", "raft", "--policy", "random", "--engine", "dpor"], &["policy", "dpor", "use `must`"]),
    (&["check", "ns+nr", "--netwrok", "p2p"], &["'--netwrok'", "--network"]),
    (
        &["check", "ns+nr", "--html", "no/where/x.html"],
        &["--html", "no/where/x.html", "there is no directory no/where"],
    ),
    (&["check", "ns+nr", "--html", "."], &["--html", ". cannot be written", "directory"]),
    (&["check", "ns+nr", "--trace", ""], &["--trace"]),
    (&["check", "ns+nr", "--html", "empty/x.html"], &["--html", "empty/x.html"]),
];

const REPLAY: &[Case] = &[
    (&["replay"], &["<TRACE>"]),
    (&["replay", "missing.json"], &["missing.json: cannot be read"]),
    (&["replay", "."], &[".: cannot be read"]),
    (&["replay", "empty"], &["empty: line 1", "manyworlds-trace/2"]),
    (&["replay", "binary"], &["binary: byte 1 is not UTF-8"]),
    (&["replay", "truncated.json"], &["truncated.json: line "]),
    (&["replay", "array.json"], &["array.json: schema is `missing`"]),
    (&["replay", "deep.json"], &["deep.json: line 1", "recursion limit"]),
    (
        &["replay", "schema.json"],
        &["schema.json: schema is `manyworlds-outcome/1`; expected `manyworlds-trace/2` or `manyworlds-trace/1`"],
    ),
    (&["replay", "huge.json"], &["huge.json: line 9"]),
    (&["replay", "negative.json"], &["negative.json: line 9"]),
    (&["replay", "network.json"], &["network.json: line 8", "tcp"]),
    (
        &["replay", "model.json"],
        &["model.json: there is no model `two-phase-comit-bug`. Did you mean `two-phase-commit-bug`?"],
    ),
    (&["replay", "model-type.json"], &["model-type.json: line 3"]),
    (&["replay", "params.json"], &["params.json: parameter `n` is `300`"]),
    (&["replay", "params-name.json"], &["params-name.json: model `two-phase-commit-bug` has no parameter `m`"]),
    (&["replay", "params-type.json"], &["params-type.json: parameter `n` is `[3]`"]),
    (&["replay", "process.json"], &["process.json: step 0: there are only 4 processes"]),
    (&["replay", "kind.json"], &["kind.json: step 0", "explode"]),
    (&["replay", "future.json"], &["future.json: step 1: it depends on step 77"]),
    (&["replay", "message.json"], &["message.json: step 3", "Surprise"]),
    (&["replay", "actors.json"], &["actors.json: step 0"]),
    (&["replay", "no-steps.json"], &["no-steps.json: line ", "steps"]),
    (&["replay", "good.json", "--html", "no/x.html"], &["--html", "no/x.html"]),
    (&["replay", "good.json", "extra"], &["'extra'"]),
];

const LINEARIZE: &[Case] = &[
    (&["linearize"], &["<FILE>"]),
    (&["linearize", "missing.log"], &["missing.log: cannot be read"]),
    (&["linearize", "."], &[".: cannot be read"]),
    (&["linearize", "empty"], &["empty:1: "]),
    (&["linearize", "binary"], &["binary:1: byte 1 of the file is not UTF-8"]),
    (&["linearize", "latin"], &["latin:2: "]),
    (&["linearize", "words.log"], &["words.log:1: ", "expected etcd, kv, knossos, json or trace"]),
    (&["linearize", "event.jsonl"], &["event.jsonl:3: ", "expected invoke, ok, fail or info"]),
    (&["linearize", "stray.jsonl"], &["stray.jsonl:3: "]),
    (&["linearize", "busy.jsonl"], &["busy.jsonl:3: "]),
    (&["linearize", "cut.jsonl"], &["cut.jsonl:3: "]),
    (&["linearize", "good.jsonl", "--spec", "quueue"], &["--spec is `quueue`", "Did you mean `queue`?"]),
    (&["linearize", "good.jsonl", "--spec", "mutex"], &["good.jsonl:2: "]),
    (&["linearize", "good.jsonl", "--format", "jsn"], &["--format is `jsn`", "Did you mean `json`?"]),
    (&["linearize", "good.jsonl", "--format", "knossos"], &["good.jsonl:1: "]),
    (
        &["linearize", "good.jsonl", "--consistency", "sequentil"],
        &["--consistency is `sequentil`", "Did you mean `sequential`?"],
    ),
    (&["linearize", "good.jsonl", "--key", "k"], &["--key: good.jsonl: "]),
    (&["linearize", "good.jsonl", "--timeout", "0"], &["--timeout is `0`"]),
    (&["linearize", "good.jsonl", "words.log", "--html", "x.html"], &["--html: a page shows one history"]),
    (&["linearize", "good.jsonl", "--html", "good.jsonl"], &["--html: good.jsonl is the history itself"]),
    (&["linearize", "good.jsonl", "--html", "no/x.html"], &["--html", "no/x.html"]),
];

const OTHERS: &[Case] = &[
    (&["litmus", "missing.tsv"], &["missing.tsv: cannot be read"]),
    (&["litmus", "."], &[".: cannot be read"]),
    (&["litmus", "binary"], &["binary: byte 1 is not UTF-8"]),
    (&["litmus", "columns.tsv"], &["columns.tsv:2: 3 columns; expected six"]),
    (&["litmus", "count.tsv"], &["count.tsv:2: `many` is no count"]),
    (&["litmus", "overflow.tsv"], &["overflow.tsv:2: `1/99999999999999999999`"]),
    (&["litmus", "operation.tsv"], &["operation.tsv:2: thread 0, operation 1 (`s9.0`)"]),
    (&["litmus", "columns.tsv", "--engine", "brut"], &["--engine is `brut`", "Did you mean `brute`?"]),
    (&["bench", "mst"], &["TABLE is `mst`", "must, ds2, dr,", "Did you mean `must`?"]),
    (&["bench", "ds2", "open-cord"], &["TABLE is `open-cord`", "Did you mean `open-chord`?"]),
    (&["bench", "--timeout", "0"], &["--timeout is `0`"]),
    (&["bench", "ds2", "--max-states", "-5"], &["--max-states is `-5`"]),
    (&["new", "2pc"], &["`2pc`", "begin with a letter"]),
    (&["new", "my crate"], &["`my crate`", "letters, digits, - or _"]),
    (&["new", "fn"], &["`fn`"]),
    (&["new", "good.json"], &["`good.json`"]),
    (&["new", "empty"], &["empty exists and is no directory"]),
    (&["new", "no/demo"], &["no/demo cannot be written", "no directory no"]),
    (&["new"], &["<NAME>"]),
    (&["completions", "fsh"], &["'fsh'", "fish"]),
    (&["man", "chek"], &["`chek`", "Did you mean `check`?"]),
    (&["help", "chek"], &["'chek'"]),
    (&["chek", "ns+nr"], &["'chek'", "'check'"]),
    (&["list", "--jsn"], &["'--jsn'", "'--json'"]),
];

#[cfg(unix)]
const OUTPUTS: &[Case] = &[
    // Nobody can write there, not even root; it shows only when it is tried.
    (&["check", "ns+nr", "--html", "/proc/x.html"], &["--html: /proc/x.html cannot be written"]),
    (&["check", "two-phase-commit-bug", "--trace", "/proc/x.json"], &["--trace: /proc/x.json cannot be written"]),
    (&["check", "two-phase-commit-bug", "--dot", "/dev/full"], &["--dot: /dev/full cannot be written"]),
    (&["check", "two-phase-commit-bug", "--shiviz", "/dev/full"], &["--shiviz: /dev/full cannot be written"]),
    (&["replay", "good.json", "--html", "/dev/full"], &["--html: /dev/full cannot be written"]),
    (&["replay", "/proc/self/mem"], &["/proc/self/mem: cannot be read"]),
    (&["linearize", "/proc/self/mem"], &["/proc/self/mem: cannot be read"]),
    (&["new", "/proc/demo"], &["/proc/demo cannot be written"]),
];

fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("there is a place for files");
    files().iter().for_each(|(name, text)| fs::write(place.join(name), text).expect("files can be written"));
    place
}

fn complains(place: &Path, arguments: &[OsString], variable: Option<(&str, &str)>, says: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    command.args(arguments).current_dir(place).env("RUST_BACKTRACE", "1").envs(variable);
    let run = command.output().expect("the command runs");
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}\n{said}");
    assert!(said.starts_with("error: "), "{arguments:?}\n{said}");
    assert!(!said.contains("panicked") && !said.contains("backtrace"), "{arguments:?}\n{said}");
    says.iter().for_each(|word| assert!(said.contains(word), "{arguments:?}: expected `{word}` in\n{said}"));
}

fn all(name: &str, cases: &[Case]) {
    let place = place(name);
    let before: Vec<(PathBuf, Vec<u8>)> = contents(&place);
    for (arguments, says) in cases {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        complains(&place, &arguments, None, says);
    }
    assert_eq!(contents(&place), before, "nothing is written, nothing is lost");
}

fn contents(place: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(place).expect("it can be read").map(|entry| entry.expect("it can be read").path());
    let mut found: Vec<(PathBuf, Vec<u8>)> =
        paths.map(|path| (path.clone(), fs::read(path).unwrap_or_default())).collect();
    found.sort();
    found
}

#[test]
fn check() {
    all("check", CHECK);
}

#[test]
fn replay() {
    all("replay", REPLAY);
}

#[test]
fn linearize() {
    all("linearize", LINEARIZE);
}

#[test]
fn others() {
    all("others", OTHERS);
}

#[cfg(target_os = "linux")]
#[test]
fn outputs() {
    all("outputs", OUTPUTS);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStringExt;
    let place = place("bytes");
    let bad = |prefix: &str| OsString::from_vec([prefix.as_bytes(), &[0xff]].concat());
    let word = |text: &str| OsString::from(text);
    complains(&place, &[word("check"), bad("")], None, &["MODEL is", "UTF-8"]);
    complains(&place, &[word("check"), word("ns+nr"), bad("n=")], None, &["KEY=VALUE is `n=", "UTF-8"]);
    complains(&place, &[word("check"), word("ns+nr"), word("--engine"), bad("mus")], None, &["--engine is `mus"]);
    complains(&place, &[word("replay"), bad("trace")], None, &["trace", "cannot be read"]);
    complains(&place, &[word("linearize"), word("good.jsonl"), word("--init"), bad("")], None, &["--init is", "UTF-8"]);
    complains(&place, &[word("new"), bad("demo")], None, &["NAME is `demo"]);
    complains(&place, &[bad("")], None, &["subcommand"]);
}

/// What a trace says about places in source files is not believed: a line that is not there is not shown.
#[test]
fn a_line_beyond_every_file() {
    let place = place("lines");
    let far = TRACE.replace("two_phase_commit.rs:39:", "two_phase_commit.rs:18446744073709551615:");
    fs::write(place.join("far.json"), far).expect("it can be written");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    let [trace, page] = ["far.json", "far.html"].map(|file| place.join(file));
    command.arg("replay").arg(trace).arg("--html").arg(&page).current_dir(root);
    let run = command.output().expect("the command runs");
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(page.exists());
}

#[test]
fn variables() {
    let place = place("variables");
    let check = ["check", "ns+nr"].map(OsString::from);
    let linearize = ["linearize", "good.jsonl"].map(OsString::from);
    complains(&place, &check, Some(("MANYWORLDS_ENGINE", "musst")), &["MANYWORLDS_ENGINE is `musst`", "Did you mean"]);
    complains(&place, &check, Some(("MANYWORLDS_MAX_STATES", "5")), &["max-states", "MANYWORLDS_MAX_STATES"]);
    complains(&place, &linearize, Some(("MANYWORLDS_CONSISTENCY", "weak")), &["MANYWORLDS_CONSISTENCY is `weak`"]);
    complains(&place, &linearize, Some(("MANYWORLDS_THREADS", "-3")), &["MANYWORLDS_THREADS is `-3`"]);
}
