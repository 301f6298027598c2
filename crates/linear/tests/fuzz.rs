//! Fuzz tests of the readers of histories: no input makes a reader panic or hang. An accepted history can be written, read again and checked; the error of a
//! rejected one names its line.

use crate::formats::SAMPLES;
use manyworlds_core::{Observer, Progress, StopReason};
use manyworlds_linear::formats::{Format, json};
use manyworlds_linear::{CheckOptions, Object};
use manyworlds_testkit::{Fuzz, Fuzzed};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Stops a check after a few ticks: a mutated history may be expensive to check.
#[derive(Default)]
struct TickLimit(AtomicU32);

impl Observer for TickLimit {
    fn tick(&self, _: &Progress) -> Option<StopReason> {
        (self.0.fetch_add(1, Ordering::Relaxed) > 3).then_some(StopReason::Timeout)
    }
}

const WORDS: [&str; 46] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "#{",
    "#op",
    "#_",
    "\"",
    "\\",
    ":",
    ",",
    ";",
    "\n",
    "\r\n",
    "\t",
    " ",
    "nil",
    "null",
    "true",
    "0",
    "1",
    "-1",
    ":process",
    ":type",
    ":invoke",
    ":ok",
    ":fail",
    ":info",
    ":f",
    ":read",
    ":write",
    ":cas",
    ":value",
    ":key",
    "\"process\":",
    "\"type\":",
    "\"invoke\"",
    "\"ok\"",
    "\"f\":",
    "\"value\":",
    "INFO  jepsen.util - ",
    ":timed-out",
    "{\"schema\": \"manyworlds-history/1\"}\n",
    ":nemesis",
];

/// The contents of the files in the test data of the command line whose names end with `ends`.
fn files(folder: &str, ends: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/data").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ends));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Reads mutated files of a format, with the readers of all formats.
fn fuzz(name: &'static str, format: Format, cases: u32, folder: &str, ends: &str) -> Fuzzed {
    let own = SAMPLES.iter().filter(|sample| sample.0 == format).map(|sample| sample.1.as_bytes().to_vec());
    let fuzz = Fuzz::new(name, cases).samples(own).samples(files(folder, ends)).words(WORDS);
    fuzz.run(|input| read(&String::from_utf8_lossy(input), format), names_a_place)
}

/// Whether an error message names the line, a part of the file, the whole file, or the malformed text.
fn names_a_place(why: &str) -> bool {
    let parts = ["line ", "step ", "schema ", "history", "the file", "the trace", "`"];
    why.starts_with(|first: char| first.is_ascii_digit()) || parts.iter().any(|part| why.contains(part))
}

fn read(text: &str, format: Format) -> Result<(), String> {
    let _ = Format::recognize(text);
    for other in Format::ALL {
        let _ = other.read(text);
    }
    let recorded = format.read(text).map_err(|bad| bad.to_string())?;
    let again = json::read(&json::write(&recorded)).expect("a written history can be read");
    assert_eq!(again.history.len(), recorded.history.len(), "no operation is lost when the history is written");
    if let Some(object) = Object::recognize(&recorded) {
        let observer = TickLimit::default();
        let _ = object.check(&recorded, None, &CheckOptions { observer: &observer, ..CheckOptions::default() });
    }
    Ok(())
}

#[test]
fn etcd() {
    fuzz("logs of etcd", Format::Etcd, 2_000, "histories", ".log").at_least(5, 10);
}

#[test]
fn kv() {
    fuzz("maps of keys", Format::Kv, 2_000, "histories", ".txt").at_least(5, 10);
}

#[test]
fn knossos() {
    fuzz("histories of Knossos", Format::Knossos, 2_000, "histories", ".edn").at_least(5, 10);
}

#[test]
fn json() {
    fuzz("histories as JSON", Format::Json, 2_000, "histories", ".jsonl").at_least(5, 10);
}

#[test]
fn trace() {
    fuzz("histories of traces", Format::Trace, 600, "", "edr.json").at_least(5, 10);
}
