//! `manyworlds linearize`: is a recorded history linearizable?

use super::args::LinearizeArgs;
use super::check::{interrupt, workers};
use super::terminal::{complain, print_line, style};
use super::{Complaint, Exit, history_page, output};
use crate::{Observer, Watch};
use manyworlds_linear::formats::Format;
use manyworlds_linear::{Answer, Aside, BadLine, Consistency, Explanation, Object, Options, Recorded, Value, Verdict};
use manyworlds_report::history::{Fault, Operation, Timeline};
use manyworlds_report::html::Headline;
use manyworlds_report::timeline;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Of more operations the first and the last are named.
const MOST_NUMBERS: usize = 20;

/// What is asked of every file.
struct Question {
    object: Option<Object>,
    format: Option<Format>,
    initial: Option<Value>,
    key: Option<String>,
    consistency: Consistency,
    threads: usize,
    timeout: Option<Duration>,
}

/// A file and what was found.
struct Checked<'a> {
    file: &'a Path,
    format: Format,
    object: Object,
    consistency: Consistency,
    recorded: Recorded,
    answer: Answer,
    time: Duration,
}

/// Checks every file. A file that cannot be read does not keep the others from being checked.
pub fn run(args: &LinearizeArgs) -> Result<Exit, Complaint> {
    let question = question(args);
    if let Some(page) = &args.html {
        expect_page(page, &args.files)?;
    }
    let cancel = interrupt();
    let (mut unread, mut violated, mut incomplete) = (Vec::new(), false, false);
    for file in &args.files {
        let watch = Watch::new(question.timeout, args.max_memory, Some(cancel.clone()), None);
        match check(&question, file, &watch) {
            Ok(checked) => {
                if let Some(page) = &args.html {
                    unread.extend(output::write("--html", page, &checked.page()).err());
                }
                violated |= matches!(checked.answer.verdict, Verdict::Violated(_));
                incomplete |= matches!(checked.answer.verdict, Verdict::Incomplete(_));
                print_line(&if args.json { checked.json() } else { checked.words() });
            }
            Err(complaint) => unread.push(complaint),
        }
    }
    match unread.pop() {
        Some(last) => {
            unread.iter().for_each(|complaint| complain(complaint));
            Err(last)
        }
        None if violated => Ok(Exit::Violated),
        None if incomplete => Ok(Exit::Incomplete),
        None => Ok(Exit::Verified),
    }
}

/// Complains before the check about a page that cannot be.
fn expect_page(page: &Path, files: &[PathBuf]) -> Result<(), Complaint> {
    if files.len() > 1 {
        return Err(format!("--html: a page shows one history, and there are {} files; run it for each", files.len()));
    }
    let same = |file: &PathBuf| matches!((file.canonicalize(), page.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if files.iter().any(same) {
        return Err(format!("--html: {} is the history itself; expected another file", page.display()));
    }
    output::expect_writable("--html", page)
}

fn question(args: &LinearizeArgs) -> Question {
    Question {
        object: args.spec,
        format: args.format,
        initial: args.init.as_deref().map(Value::typed),
        key: args.key.clone(),
        consistency: args.consistency,
        threads: workers(args.threads),
        timeout: args.timeout,
    }
}

fn check<'a>(question: &Question, file: &'a Path, observer: &dyn Observer) -> Result<Checked<'a>, Complaint> {
    let name = file.display();
    let at = |bad: BadLine| match bad.line {
        0 => format!("{name}: {bad}"),
        _ => format!("{name}:{bad}"),
    };
    let text = read(file)?;
    let format = match question.format.or_else(|| Format::recognize(&text)) {
        Some(format) => format,
        None => return Err(format!("{name}:1: this is no known format; expected etcd, kv, knossos or json")),
    };
    let mut recorded = format.read(&text).map_err(at)?;
    if let Some(key) = &question.key {
        recorded = recorded.of_key(key).map_err(|problem| format!("--key: {name}: {problem}"))?;
    }
    let object = object(question, format, &recorded).map_err(|problem| format!("{name}: {problem}"))?;
    let options =
        Options { consistency: question.consistency, threads: question.threads, observer, ..Options::default() };
    let started = Instant::now();
    let answer = object.check(&recorded, question.initial.as_ref(), &options).map_err(at)?;
    let time = started.elapsed();
    Ok(Checked { file, format, object, consistency: question.consistency, recorded, answer, time })
}

fn read(file: &Path) -> Result<String, Complaint> {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|e| format!("{name}: cannot be read: {e}"))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("{name}:{line}: byte {good} of the file is not UTF-8; expected a text")
    })?;
    // Some editors begin a text with a mark.
    Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

/// The object that was named, or that the file names, or that has the operations of the file.
fn object(question: &Question, format: Format, recorded: &Recorded) -> Result<Object, Complaint> {
    match (question.object, &recorded.spec, format) {
        (Some(object), ..) => Ok(object),
        (None, Some(name), _) => name.parse(),
        (None, None, Format::Etcd) => Ok(Object::CasRegister),
        (None, None, Format::Kv) => Ok(Object::Kv),
        (None, None, Format::Knossos | Format::Json) => Object::recognize(recorded).ok_or_else(|| {
            let mut names: Vec<&str> =
                recorded.history.operations().iter().map(|operation| operation.operation.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            format!("no specification has all of the operations {}; name one with --spec", names.join(", "))
        }),
    }
}

fn counted(operations: usize) -> String {
    match operations {
        1 => "1 operation".to_string(),
        n => format!("{n} operations"),
    }
}

impl Checked<'_> {
    /// The verdict and the consistency it is about. The verdicts are words of a contract, whatever the consistency.
    fn verdict(&self) -> (&'static str, &'static str) {
        let verdict = match &self.answer.verdict {
            Verdict::Consistent(_) => "linearizable",
            Verdict::Violated(_) => "not-linearizable",
            Verdict::Incomplete(_) => "incomplete",
        };
        match self.consistency {
            Consistency::Linearizable => (verdict, "linearizable"),
            Consistency::Sequential => (verdict, "sequential"),
        }
    }

    /// `manyworlds-linearize/1`.
    fn json(&self) -> String {
        let history = &self.recorded.history;
        let explanation = self.answer.explanation().map(|explanation| {
            json!({
                "longest_prefix": explanation.prefix.len(),
                "stuck": explanation.stuck,
                "minimal": explanation.minimal,
                "is_minimal": explanation.is_minimal,
                "core": explanation.core,
            })
        });
        json!({
            "schema": "manyworlds-linearize/1",
            "file": self.file.display().to_string(),
            "format": self.format.name(),
            "spec": self.object.name(),
            "consistency": self.verdict().1,
            "verdict": self.verdict().0,
            "operations": history.len(),
            "pending": history.pending(),
            "partitions": self.answer.partitions,
            "max_concurrency": history.max_concurrency(),
            "time_s": self.time.as_secs_f64(),
            "explanation": explanation,
        })
        .to_string()
    }

    /// The verdict in words.
    fn judgment(&self) -> String {
        let verdict = match (&self.answer.verdict, self.consistency) {
            (Verdict::Consistent(_), Consistency::Linearizable) => "linearizable",
            (Verdict::Consistent(_), Consistency::Sequential) => "sequentially consistent",
            (Verdict::Violated(_), Consistency::Linearizable) => "not linearizable",
            (Verdict::Violated(_), Consistency::Sequential) => "not sequentially consistent",
            (Verdict::Incomplete(_), _) => "incomplete",
        };
        let stopped = match &self.answer.verdict {
            Verdict::Incomplete(reason) => format!(" ({})", reason.name()),
            _ => String::new(),
        };
        format!("{verdict}{stopped}")
    }

    /// What was checked.
    fn figures(&self) -> String {
        let history = &self.recorded.history;
        let parts = match self.answer.partitions {
            0 | 1 => String::new(),
            parts => format!(", {parts} keys"),
        };
        format!(
            "{} history of a {}: {}, {} pending, at most {} at a time{parts}",
            self.format,
            self.object,
            counted(history.len()),
            history.pending(),
            history.max_concurrency(),
        )
    }

    fn words(&self) -> String {
        let mut text = format!("{}: {}\n  {}", self.file.display(), self.judgment(), self.figures());
        if let Some(explanation) = self.answer.explanation() {
            text.push_str(&self.why(explanation));
        }
        text
    }

    /// Why not, for people.
    fn why(&self, explanation: &Explanation) -> String {
        let mut text = match explanation.prefix.len() {
            0 => "\n  this cannot be placed:".to_string(),
            placed => format!("\n  {} can be put in order; then this cannot be placed:", counted(placed)),
        };
        for &number in &explanation.stuck {
            let operation = &self.recorded.history.operations()[number];
            text.push_str(&format!(
                "\n    operation {number}, process {}, line {}: {}",
                operation.process,
                self.recorded.lines[number],
                self.label(number)
            ));
        }
        if let Some(core) = &explanation.core {
            text.push_str(
                "\n\nThese contradict each other, even if every other operation took effect whenever that helps:\n\n",
            );
            text.push_str(timeline(&self.timeline().only(core), &style()).trim_end());
        }
        if explanation.core.is_none() {
            text.push_str("\n\nno few operations were found that contradict each other whatever the others did");
        }
        if let Some(minimal) = &explanation.minimal {
            let numbers = match &minimal[..] {
                few if few.len() <= MOST_NUMBERS => few.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
                [first, .., last] => format!("{first} to {last}, {} of them", minimal.len()),
                _ => String::new(),
            };
            text.push_str(&match explanation.is_minimal {
                true => format!("\n\nsmallest part that fails by itself: operation {numbers}"),
                false => format!("\n\na part that fails by itself (there may be a smaller one): operation {numbers}"),
            });
        }
        text
    }

    /// What was asked and answered.
    fn label(&self, number: usize) -> String {
        let operation = &self.recorded.history.operations()[number];
        let told = Operation {
            call: operation.operation.to_string(),
            response: self.response(number),
            end: operation.returned,
            ..Operation::default()
        };
        let pending = if operation.is_pending() { " (pending)" } else { "" };
        format!("{}{pending}", told.words())
    }

    /// Every operation, and what is known of them.
    fn timeline(&self) -> Timeline {
        let operations = self.recorded.history.operations();
        let mut processes: Vec<usize> = operations.iter().map(|operation| operation.process).collect();
        processes.sort_unstable();
        processes.dedup();
        let operation = |number: usize| Operation {
            process: processes.binary_search(&operations[number].process).expect("a process of one of them"),
            call: operations[number].operation.to_string(),
            response: self.response(number),
            start: operations[number].invoked,
            end: operations[number].returned,
        };
        let fault = |aside: &Aside| Fault { process: None, at: aside.at, label: aside.words.clone() };
        let mut timeline = Timeline {
            lanes: processes.iter().map(|process| format!("process {process}")).collect(),
            operations: (0..operations.len()).map(operation).collect(),
            faults: self.recorded.asides.iter().map(fault).collect(),
            ..Timeline::default()
        };
        match &self.answer.verdict {
            Verdict::Consistent(order) => timeline.linearization.clone_from(order),
            Verdict::Violated(explanation) => {
                timeline.linearization.clone_from(&explanation.prefix);
                timeline.stuck.clone_from(&explanation.stuck);
                timeline.minimal = explanation.minimal.clone().unwrap_or_default();
                timeline.core = explanation.core.clone().unwrap_or_default();
            }
            Verdict::Incomplete(_) => {}
        }
        timeline
    }

    /// What was answered; empty if that says nothing.
    fn response(&self, number: usize) -> Option<String> {
        let operation = &self.recorded.history.operations()[number];
        let asks = ["read", "get", "dequeue", "pop"].contains(&operation.operation.name.as_str());
        match (&operation.response, operation.returned) {
            (_, None) | (None, Some(_)) => None,
            (Some(Value::Nil), Some(_)) if !asks => Some(String::new()),
            (Some(response), Some(_)) => Some(response.to_string()),
        }
    }

    /// The report for the browser.
    fn page(&self) -> String {
        let good = match &self.answer.verdict {
            Verdict::Consistent(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Incomplete(_) => None,
        };
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let (verdict, sentence) = (self.judgment(), self.figures());
        // Without real time the points of an order need not lie within the operations.
        let timeline = match self.consistency {
            Consistency::Linearizable => self.timeline(),
            Consistency::Sequential => Timeline { linearization: Vec::new(), ..self.timeline() },
        };
        history_page::write(&name, Headline { verdict: &verdict, good, sentence: &sentence }, &timeline)
    }
}
