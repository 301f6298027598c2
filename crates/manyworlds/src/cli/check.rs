//! `manyworlds check`

use super::args::CheckArgs;
use super::exports::{expect_writable, write_trace};
use super::progress::Bar;
use super::terminal::{note, print_line, style};
use super::watchdog::{Stuck, Watchdog};
use super::{App, Complaint, Exit, exports, json, status};
use crate::models::{Model, Params};
use crate::states::explored;
use crate::subject::bounds;
use crate::{Answer, Engine, Options, Policy, Progress, Rebuild, Scope, Stats, Subject, Trace, Verdict};
use manyworlds_report::html::{Page, Run};
use manyworlds_report::{Hints, failure, summary};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Checks one model.
pub fn run(app: &App, args: &CheckArgs) -> Result<Exit, Complaint> {
    let model = app.model(&args.model)?;
    if args.test.is_some() {
        return Err(format!("option test: `{}` is a model, and has no tests; it is for P programs", model.name));
    }
    let params = parse_params(model, &args.params)?;
    let subject = model.subject(&params)?;
    let again = params.clone();
    let options = Options {
        name: model.name.to_string(),
        params: params.json().clone(),
        rebuild: Some(Rebuild::new(move || model.system(&again).ok())),
        ..options(args)
    };

    expect_writable(&args.exports, args.trace.as_ref(), None)?;
    let checked = Checked { name: model.name, shown: &args.model, params: params.json(), kind: model.kind() };
    run_subject(app, args, &checked, &*subject, &options)
}

/// What is checked: its name in JSON and for people, its parameters, and its kind.
pub struct Checked<'a> {
    /// The name in JSON.
    pub name: &'a str,
    /// The name for people.
    pub shown: &'a str,
    /// The values of its parameters.
    pub params: &'a Map<String, Value>,
    /// What it is.
    pub kind: &'a str,
}

/// Checks a subject, prints the answer and writes the files that show it.
pub fn run_subject(
    app: &App,
    args: &CheckArgs,
    checked: &Checked<'_>,
    subject: &dyn Subject,
    options: &Options,
) -> Result<Exit, Complaint> {
    let started = Instant::now();
    let bar = Bar::new(args.quiet, options);
    let watchdog = Watchdog::new(options, &bar);
    let finish = |answer: &Answer| {
        bar.clear();
        finish(app.name, args, checked, answer, started.elapsed())
    };
    let give_up = |stuck: Stuck| {
        let finished = finish(&unfinished(options, checked.kind, &stuck));
        note(&stuck.message(checked.kind));
        // The thread in which user code runs cannot be ended otherwise.
        std::process::exit(i32::from(status(finished)));
    };
    let answer = watchdog.guard(|| subject.check(options, Some(&watchdog)), give_up);
    finish(&answer.map_err(|refused| refused.to_string())?)
}

/// What is known of a run that could not stop.
fn unfinished(options: &Options, kind: &str, stuck: &Stuck) -> Answer {
    let engine = match (options.engine, kind) {
        (Engine::Auto, "program") => Engine::Must,
        (Engine::Auto, _) => Engine::Bfs,
        (engine, _) => engine,
    };
    let keeps_states = engine.keeps_states();
    let Progress { executions, states, frontier, .. } = stuck.progress;
    let stats = match keeps_states {
        true => Stats { states: Some(states.into()), ..Stats::default() },
        false => Stats { executions: Some(executions), ..Stats::default() },
    };
    // The figures are those of the last progress report; 0 means that there was none.
    let frontier = (keeps_states && frontier > 0).then_some(frontier);
    let scope = Scope {
        explored: explored(engine, options),
        network: options.network,
        bounds: bounds(options),
        frontier,
        ..Scope::default()
    };
    let outcome = crate::Outcome { verdict: Verdict::Incomplete { reason: stuck.reason }, scope, stats };
    let (name, network) = (options.name.clone(), options.network);
    Answer { name, outcome, engine, why: None, network, coverage: None, frontier, omission: None }
}

/// Prints an answer and writes the files that show it.
fn finish(
    program: &str,
    args: &CheckArgs,
    checked: &Checked<'_>,
    answer: &Answer,
    time: Duration,
) -> Result<Exit, Complaint> {
    // First the answer: whatever becomes of the files, it is not lost.
    if args.json {
        print_line(&json::outcome(answer, checked.name, checked.params, time));
    } else {
        print_human(program, args, checked.shown, answer, time);
    }
    write_trace("--trace", args.trace.as_deref(), answer.outcome.trace(), Trace::to_json)?;
    exports::write(&args.exports, &page(answer, checked, time))?;
    Ok(match answer.outcome.verdict {
        Verdict::Verified => Exit::Verified,
        Verdict::Violated { .. } => Exit::Violated,
        Verdict::Possible { .. } | Verdict::Incomplete { .. } => Exit::Incomplete,
        Verdict::Invalid(_) => Exit::Invalid,
    })
}

fn parse_params(model: &Model, given: &[String]) -> Result<Params, Complaint> {
    let mut pairs = Vec::new();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            return Err(format!("`{text}` is no parameter; expected KEY=VALUE, as in n=4"));
        };
        pairs.push((name, value));
    }
    model.params(pairs)
}

/// Workers: as many as there are cores, if nobody says.
pub fn workers(given: Option<usize>) -> usize {
    given.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The options that were given.
pub fn options(args: &CheckArgs) -> Options {
    let policy = match args.policy {
        Policy::Random(_) => Policy::Random(args.seed),
        policy => policy,
    };
    Options {
        engine: args.engine,
        network: args.network,
        threads: workers(args.threads),
        seed: args.seed,
        policy,
        max_executions: args.max_executions,
        max_states: args.max_states,
        max_depth: args.max_depth,
        timeout: args.timeout,
        max_memory: args.max_memory,
        cancel: Some(interrupt()),
        keep_going: args.keep_going,
        losses: args.losses,
        eager: args.eager,
        exact: args.exact,
        reduce: args.reduce,
        symmetry: args.symmetry,
        decidable: args.decidable,
        coverage: args.exports.html.is_some(),
        delays: args.delays,
        ..Options::default()
    }
}

/// A flag that Ctrl-C sets: the run then stops cleanly and says what it knows.
pub fn interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = flag.clone();
    // Without a handler Ctrl-C just ends the program, as ever.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    flag
}

/// What the HTML report shows.
fn page<'a>(answer: &'a Answer, checked: &Checked<'a>, time: Duration) -> Page<'a> {
    let run = Run {
        outcome: &answer.outcome,
        kind: checked.kind,
        params: checked.params,
        engine: answer.engine.name(),
        why: answer.why.as_deref(),
        network: answer.network,
        time: Some(time),
        coverage: answer.coverage.as_ref(),
    };
    Page { title: checked.name, run: Some(run), trace: answer.outcome.trace(), ..Page::default() }
}

fn print_human(program: &str, args: &CheckArgs, name: &str, answer: &Answer, time: Duration) {
    let outcome = &answer.outcome;
    if let Some(trace) = outcome.trace()
        && !args.quiet
    {
        let file = args.trace.as_ref().map(|file| file.display().to_string());
        let replay = match &file {
            Some(file) => format!("{program} replay {file}"),
            None => format!("add --trace FILE here, then: {program} replay FILE"),
        };
        let html = args.exports.html.as_ref().map(|file| file.display().to_string());
        let hints = Hints { replay: Some(&replay), file: file.as_deref(), html: html.as_deref() };
        print_line(&failure(trace, &hints, &style()));
    }
    print_line(&summary(name, outcome, Some(time), &style()));
    if let Some(reason) = outcome.stats.stopped {
        print_line(&format!("stopped by {}, so there may be more", reason.name()));
    }
    if let (Some(why), false) = (&answer.why, args.quiet) {
        print_line(&format!("engine {}: {why}", answer.engine));
    }
    if let (Some(histories), false) = (&outcome.stats.histories, args.quiet) {
        print_line(&manyworlds_report::histories(histories));
    }
    if args.verbose {
        let stats = &outcome.stats;
        print_line(&format!(
            "user code ran {} local steps, {} of them distinct",
            stats.user_steps, stats.distinct_steps
        ));
        if let (Some(revisits), Some(depth)) = (stats.revisits, stats.depth) {
            print_line(&format!("{revisits} backward revisits; the longest execution has {depth} events"));
        }
    }
}
