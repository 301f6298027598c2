//! `manyworlds linearize`: is a recorded history linearizable?

use super::args::LinearizeArgs;
use super::check::{interrupt, workers};
use super::progress::Bar;
use super::terminal::{complain, note, print_line, style};
use super::{Complaint, Exit, history_page, output};
use crate::suggest::did_you_mean;
use crate::{Observer, Watch};
use manyworlds_linear::formats::Format;
use manyworlds_linear::{
    Answer, Aside, BadLine, CheckOptions, Consistency, Explanation, Judgement, Object, Recorded, Value,
};
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
        let bar = Bar::of_history(question.timeout);
        let watch = Watch::new(question.timeout, args.max_memory, Some(cancel.clone()), Some(&bar));
        let checked = check(&question, file, &watch);
        bar.clear();
        if watch.memory_not_observed() {
            note("--max-memory was not observed: this system does not report resident memory");
        }
        match checked {
            Ok(checked) => {
                violated |= matches!(checked.answer.verdict, Judgement::Violated(_));
                incomplete |= matches!(checked.answer.verdict, Judgement::Incomplete(_));
                print_line(&if args.json { checked.json() } else { checked.words() });
                for remark in &checked.recorded.remarks {
                    note(&format!("{}: {remark}", file.display()));
                }
                if checked.recorded.history.is_empty() {
                    note(&format!("{}: there are no operations in it, so nothing was judged", file.display()));
                }
                if let Some(page) = &args.html {
                    unread.extend(output::write("--html", page, &checked.page()).err());
                }
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
    if files.iter().any(|file| output::same(file, page)) {
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
    let text = read(file)?;
    let format = match question.format.or_else(|| Format::recognize(&text)) {
        Some(format) => format,
        None => return Err(format!("{name}:1: this is no known format; expected etcd, kv, knossos, json or trace")),
    };
    let mut recorded = format.read(&text).map_err(|bad| complaint(file, &bad))?;
    if let Some(key) = &question.key {
        recorded = recorded.of_key(key).map_err(|problem| format!("--key: {name}: {problem}"))?;
    }
    let object = object(question, format, &recorded).map_err(|bad| complaint(file, &bad))?;
    expect_initial(question, format, object, &recorded).map_err(|problem| format!("{name}: {problem}"))?;
    let options = CheckOptions {
        consistency: question.consistency,
        threads: question.threads,
        observer,
        ..CheckOptions::default()
    };
    let started = Instant::now();
    let answer = object.check(&recorded, question.initial.as_ref(), &options).map_err(|bad| match bad.line {
        // What is wrong is what the object should hold at the start.
        0 if question.initial.is_some() => format!("--init: {name}: {bad}"),
        0 => complaint(file, &BadLine { line: recorded.header, ..bad }),
        _ => complaint(file, &bad),
    })?;
    let time = started.elapsed();
    Ok(Checked { file, format, object, consistency: question.consistency, recorded, answer, time })
}

/// What is wrong with a file, where, and what may have been meant.
fn complaint(file: &Path, bad: &BadLine) -> Complaint {
    let gap = if bad.line == 0 { " " } else { "" };
    let hint = match &bad.mistyped {
        Some((word, known)) => did_you_mean(word, known.iter().copied()),
        None => String::new(),
    };
    format!("{}:{gap}{bad}{hint}", file.display())
}

/// A trace does not say what its object holds at the start: of some objects nobody else can know.
fn expect_initial(question: &Question, format: Format, object: Object, recorded: &Recorded) -> Result<(), Complaint> {
    let varies = [Object::Register, Object::CasRegister, Object::MultiRegister, Object::Counter].contains(&object);
    match format == Format::Trace && varies && question.initial.is_none() && recorded.initial.is_none() {
        true => Err(format!("a trace does not say what a {object} holds at the start; give it with --init")),
        false => Ok(()),
    }
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
fn object(question: &Question, format: Format, recorded: &Recorded) -> Result<Object, BadLine> {
    match (question.object, &recorded.spec, format) {
        (Some(object), ..) => Ok(object),
        (None, Some(name), _) => name.parse().map_err(|_| {
            let known: Vec<&str> = Object::ALL.into_iter().map(Object::name).collect();
            BadLine::mistyped(recorded.header, "spec", name, &known)
        }),
        (None, None, Format::Etcd) => Ok(Object::CasRegister),
        (None, None, Format::Kv) => Ok(Object::Kv),
        (None, None, Format::Knossos | Format::Json | Format::Trace) => Object::recognize(recorded).ok_or_else(|| {
            let mut names: Vec<&str> =
                recorded.history.operations().iter().map(|operation| operation.operation.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let names = names.join(", ");
            BadLine::new(0, format!("no specification has all of the operations {names}; name one with --spec"))
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
            Judgement::Consistent(_) => "linearizable",
            Judgement::Violated(_) => "not-linearizable",
            Judgement::Incomplete(_) => "incomplete",
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
                "stuck_lines": self.lines(&explanation.stuck),
                "minimal": explanation.minimal,
                "minimal_lines": explanation.minimal.as_deref().and_then(|minimal| self.lines(minimal)),
                "is_minimal": explanation.is_minimal,
                "core": explanation.core,
                "core_lines": explanation.core.as_deref().and_then(|core| self.lines(core)),
            })
        });
        let reason = match &self.answer.verdict {
            Judgement::Incomplete(reason) => Some(reason.name()),
            _ => None,
        };
        json!({
            "schema": "manyworlds-linearize/1",
            "file": self.file.display().to_string(),
            "format": self.format.name(),
            "spec": self.object.name(),
            "consistency": self.verdict().1,
            "verdict": self.verdict().0,
            "reason": reason,
            "operations": history.len(),
            "pending": history.pending(),
            "partitions": self.answer.partitions,
            "max_concurrency": history.max_concurrency(),
            "time_s": self.time.as_secs_f64(),
            "explanation": explanation,
        })
        .to_string()
    }

    /// Where operations stand in the file: their numbers do not count those that failed, or that are about other keys.
    fn lines(&self, numbers: &[usize]) -> Option<Vec<usize>> {
        numbers.iter().map(|&number| self.recorded.line(number)).collect()
    }

    /// The verdict in words.
    fn judgment(&self) -> String {
        let verdict = match (&self.answer.verdict, self.consistency) {
            (Judgement::Consistent(_), Consistency::Linearizable) => "linearizable",
            (Judgement::Consistent(_), Consistency::Sequential) => "sequentially consistent",
            (Judgement::Violated(_), Consistency::Linearizable) => "not linearizable",
            (Judgement::Violated(_), Consistency::Sequential) => "not sequentially consistent",
            (Judgement::Incomplete(_), _) => "incomplete",
        };
        let stopped = match &self.answer.verdict {
            Judgement::Incomplete(reason) => format!(" ({})", reason.name()),
            _ => String::new(),
        };
        format!("{verdict}{stopped}")
    }

    /// What was checked.
    fn figures(&self) -> String {
        let history = &self.recorded.history;
        let parts = match self.answer.partitions {
            0 | 1 => String::new(),
            parts if self.object.has_keys() => format!(", {parts} keys"),
            parts if self.has_keys() => format!(", {parts} keys, each with a {} of its own", self.object),
            parts => format!(", {parts} independent parts"),
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

    fn has_keys(&self) -> bool {
        self.recorded.history.operations().iter().any(|operation| operation.operation.key.is_some())
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
            let line = self.recorded.line(number).map_or(String::new(), |line| format!(", line {line}"));
            let (process, label) = (operation.process, self.label(number));
            text.push_str(&format!("\n    operation {number}, process {process}{line}: {label}"));
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
                true => format!("\n\na minimal part that fails by itself: operation {numbers}"),
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
            Judgement::Consistent(order) => timeline.linearization.clone_from(order),
            Judgement::Violated(explanation) => {
                timeline.linearization.clone_from(&explanation.prefix);
                timeline.stuck.clone_from(&explanation.stuck);
                timeline.minimal = explanation.minimal.clone().unwrap_or_default();
                timeline.core = explanation.core.clone().unwrap_or_default();
            }
            Judgement::Incomplete(_) => {}
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
            Judgement::Consistent(_) => Some(true),
            Judgement::Violated(_) => Some(false),
            Judgement::Incomplete(_) => None,
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
