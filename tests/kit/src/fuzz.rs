//! Input that is random, or valid but for some damage, for a reader. It must accept or refuse it: it may not panic, or go on for ever.

use crate::mutate::{Kind, Source, input};
use crate::tier::{cases, seed, seed_of};
use manyworlds_core::random::SplitMix64;
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a reader may take for one input. It is far more than any of them needs, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How much of an input a failure shows.
const SHOWN: usize = 2_000;

/// A reader's inputs.
pub struct Fuzz {
    name: &'static str,
    cases: u32,
    samples: Vec<Vec<u8>>,
    words: Vec<String>,
}

/// What a reader did.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Fuzzed {
    /// Inputs that it was given.
    pub run: u64,
    /// Those that it accepted.
    pub accepted: u64,
    /// Those that it refused.
    pub refused: u64,
    /// How many were accepted, by kind of input.
    pub by_kind: BTreeMap<String, u64>,
}

impl Fuzz {
    /// So many inputs in an ordinary run. Each name has its own.
    pub fn new(name: &'static str, cases: u32) -> Fuzz {
        Fuzz { name, cases, samples: Vec::new(), words: Vec::new() }
    }

    /// Valid inputs, or nearly.
    pub fn samples<T: Into<Vec<u8>>>(mut self, samples: impl IntoIterator<Item = T>) -> Fuzz {
        self.samples.extend(samples.into_iter().map(Into::into));
        self
    }

    /// Words that mean something to the reader: brackets, keywords, separators.
    pub fn words<T: Into<String>>(mut self, words: impl IntoIterator<Item = T>) -> Fuzz {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// Gives each input to `read`, which says whether it was accepted, or why not. `names_a_place` looks at the reason.
    ///
    /// # Panics
    /// If `read` panics or takes too long, if a reason names no place, or if not both some inputs were accepted and some refused.
    pub fn run(&self, read: impl Fn(&[u8]) -> Result<(), String>, names_a_place: impl Fn(&str) -> bool) -> Fuzzed {
        assert!(!self.samples.is_empty() && !self.words.is_empty(), "{}: there is nothing to begin with", self.name);
        let source = Source { samples: &self.samples, words: &self.words };
        let seed_of_all = seed_of(self.name);
        let mut fuzzed = Fuzzed::default();
        let watched = Mutex::new((Instant::now(), String::new()));
        let (done, stop) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| watch(&watched, stop));
            // The watch ends when this is dropped, also by a panic.
            let done = done;
            for case in 0..u64::from(cases(self.cases)) {
                let kind = Kind::of(case);
                let input = input(kind, &source, &mut SplitMix64::new(seed_of_all ^ (case + 1).rotate_left(32)));
                let what = format!("{}, case {case} ({kind:?}), MANYWORLDS_TEST_SEED={}", self.name, seed());
                *watched.lock().expect("the watch does not panic") =
                    (Instant::now(), format!("{what}: {}", show(&input)));
                let answer = catch_unwind(AssertUnwindSafe(|| read(&input)));
                fuzzed.run += 1;
                match answer {
                    Err(_) => panic!("{what}: the reader panics at {}", show(&input)),
                    Ok(Ok(())) => {
                        fuzzed.accepted += 1;
                        *fuzzed.by_kind.entry(format!("{kind:?}")).or_default() += 1;
                    }
                    Ok(Err(why)) => {
                        assert!(names_a_place(&why), "{what}: `{why}` names no place in {}", show(&input));
                        fuzzed.refused += 1;
                    }
                }
            }
            drop(done);
        });
        println!("{}: {fuzzed:?}", self.name);
        assert!(fuzzed.accepted > 0 && fuzzed.refused > 0, "{}: {fuzzed:?}", self.name);
        fuzzed
    }
}

impl Fuzzed {
    /// Checks that at least so many inputs of a hundred were accepted and that so many were refused.
    ///
    /// # Panics
    /// If there were fewer.
    pub fn at_least(&self, accepted: u64, refused: u64) {
        let enough = |count: u64, percent: u64| 100 * count >= percent * self.run;
        assert!(self.run > 0 && enough(self.accepted, accepted) && enough(self.refused, refused), "{self:?}");
    }
}

/// Stops the whole process if a reader does not come back: a thread cannot be stopped from outside.
fn watch(watched: &Mutex<(Instant, String)>, stop: Receiver<()>) {
    while stop.recv_timeout(Duration::from_millis(500)) == Err(RecvTimeoutError::Timeout) {
        let (since, what) = &*watched.lock().expect("the test does not panic while it writes this");
        if since.elapsed() > PATIENCE {
            drop(writeln!(std::io::stderr(), "the reader did not come back from {what}"));
            std::process::abort();
        }
    }
}

/// An input, as a literal; the beginning of a long one.
fn show(input: &[u8]) -> String {
    let shown = &input[..input.len().min(SHOWN)];
    let rest = input.len() - shown.len();
    let more = if rest > 0 { format!(" and {rest} more bytes") } else { String::new() };
    format!("b\"{}\"{more}", shown.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fuzz() -> Fuzz {
        Fuzz::new("a list of numbers", 500).samples(["1 2 3", "40 50"]).words(["1", " ", "x"])
    }

    fn read(input: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(input).map_err(|e| format!("byte {}", e.valid_up_to()))?;
        let wrong = text.split(' ').position(|word| word.parse::<u32>().is_err());
        wrong.map_or(Ok(()), |word| Err(format!("word {word}")))
    }

    #[test]
    fn a_reader_accepts_some_and_refuses_some() {
        let fuzzed = fuzz().run(read, |why| why.starts_with("byte ") || why.starts_with("word "));
        fuzzed.at_least(10, 10);
        assert_eq!(fuzzed.run, u64::from(cases(500)));
        assert!(fuzzed.by_kind["Sample"] > 0);
    }

    #[test]
    #[should_panic(expected = "the reader panics at b\"")]
    fn a_panic_is_a_failure() {
        fuzz().run(|input| if input.contains(&b'x') { panic!("an x") } else { Ok(()) }, |_| true);
    }

    #[test]
    #[should_panic(expected = "names no place")]
    fn so_is_a_reason_without_a_place() {
        fuzz().run(|input| read(input).map_err(|_| "no".to_string()), |why| why != "no");
    }
}
