//! `manyworlds check`

use crate::args::CheckArgs;
use crate::exports::{expect_writable, write_trace};
use crate::progress::Bar;
use crate::{Complaint, Exit, exports, json, suggest};
use manyworlds::{Answer, EngineName, Network, Options, Policy, Trace, Verdict};
use manyworlds_protocols::{Model, Params, find, models};
use manyworlds_report::html::{Page, Run};
use manyworlds_report::{Hints, Style, failure, summary};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Checks one model.
pub fn run(args: &CheckArgs) -> Result<Exit, Complaint> {
    let model = model(&args.model)?;
    let params = parse_params(model, &args.params)?;
    let subject = model.subject(&params)?;
    let options = Options { name: model.name.to_string(), params: params.json().clone(), ..options(args)? };

    expect_writable(&args.exports, args.trace.as_ref())?;
    let started = Instant::now();
    let bar = Bar::new(args.quiet);
    let answer = options.check_with(&*subject, &bar).map_err(|refused| refused.to_string())?;
    bar.clear();
    let time = started.elapsed();

    write_trace("--trace", args.trace.as_deref(), answer.outcome.trace(), Trace::to_json)?;
    exports::write(&args.exports, &page(&answer, model, &params, time))?;
    if args.json {
        print_line(&json::outcome(&answer, model.name, &params, time).to_string());
    } else {
        print_human(args, &answer, time);
    }
    Ok(match answer.outcome.verdict {
        Verdict::Verified { .. } => Exit::Verified,
        Verdict::Violated { .. } => Exit::Violated,
        Verdict::Incomplete { .. } => Exit::Incomplete,
    })
}

/// The model with this name, or a complaint that helps.
pub fn model(name: &str) -> Result<&'static Model, Complaint> {
    find(name).ok_or_else(|| {
        let near = suggest::closest(name, models().iter().map(|m| m.name));
        let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
        format!("there is no model `{name}`.{hint} `manyworlds list` shows them all")
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

/// The engine with this name.
fn engine(name: &str) -> Result<EngineName, Complaint> {
    name.parse().map_err(|problem: String| {
        let near = suggest::closest(name, EngineName::ALL.into_iter().map(EngineName::name));
        let hint = near.map(|near| format!(". Did you mean `{near}`?")).unwrap_or_default();
        format!("--engine: {problem}{hint}")
    })
}

fn options(args: &CheckArgs) -> Result<Options, Complaint> {
    let threads = match args.threads {
        Some(n) => n as usize,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let network = match &args.network {
        Some(name) => Some(name.parse::<Network>().map_err(|problem| format!("--network: {problem}"))?),
        None => None,
    };
    let timeout = match args.timeout {
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| format!("--timeout: `{seconds}` is no span of time; expected seconds, as in 2.5"))?,
        ),
        None => None,
    };
    Ok(Options {
        engine: engine(&args.engine)?,
        network,
        threads,
        seed: args.seed,
        policy: policy(&args.policy, args.seed)?,
        max_executions: args.max_executions,
        max_states: args.max_states,
        max_depth: args.max_depth,
        timeout,
        max_memory: args.max_memory,
        cancel: Some(interrupt()),
        keep_going: args.keep_going,
        losses: args.losses,
        eager: args.eager,
        exact: args.exact,
        reduce: args.reduce,
        symmetry: args.symmetry,
        coverage: args.exports.html.is_some(),
        delays: args.delays,
        ..Options::default()
    })
}

fn policy(name: &str, seed: u64) -> Result<Policy, Complaint> {
    match name {
        "receive-last" => Ok(Policy::ReceiveLast),
        "left-to-right" => Ok(Policy::LeftToRight),
        "right-to-left" => Ok(Policy::RightToLeft),
        "random" => Ok(Policy::Random(seed)),
        _ => Err(format!(
            "--policy: unknown policy `{name}`; expected receive-last, left-to-right, right-to-left or random"
        )),
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
fn page<'a>(answer: &'a Answer, model: &'a Model, params: &'a Params, time: Duration) -> Page<'a> {
    let run = Run {
        outcome: &answer.outcome,
        params: params.json(),
        engine: answer.engine.name(),
        why: answer.why.as_deref(),
        network: answer.network,
        time: Some(time),
        coverage: answer.coverage.as_ref(),
    };
    Page { title: model.name, run: Some(run), trace: answer.outcome.trace(), ..Page::default() }
}

fn print_human(args: &CheckArgs, answer: &Answer, time: Duration) {
    let outcome = &answer.outcome;
    if let Some(trace) = outcome.trace()
        && !args.quiet
    {
        let file = args.trace.as_ref().map(|file| file.display().to_string());
        let replay = match &file {
            Some(file) => format!("manyworlds replay {file}"),
            None => "add --trace FILE here, then: manyworlds replay FILE".to_string(),
        };
        let html = args.exports.html.as_ref().map(|file| file.display().to_string());
        let hints = Hints { replay: Some(&replay), file: file.as_deref(), html: html.as_deref() };
        print_line(&failure(trace, &hints, &style()));
    }
    print_line(&summary(&args.model, outcome, Some(time), &style()));
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

/// How to draw on this terminal.
pub fn style() -> Style {
    let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Style { color, ..Style::default() }
}

/// Prints a line; a reader that went away is no reason to panic.
pub fn print_line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
