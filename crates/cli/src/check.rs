//! `manyworlds check`

use crate::args::CheckArgs;
use crate::progress::Bar;
use crate::{Complaint, Exit, json, suggest};
use manyworlds::{Checker, Engine, Network, Outcome, Policy, Trace, Verdict};
use manyworlds_protocols::{Model, Params, find, models};
use manyworlds_report::{Hints, Style, failure, summary};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Checks one model.
pub fn run(args: &CheckArgs) -> Result<Exit, Complaint> {
    let model = model(&args.model)?;
    let params = parse_params(model, &args.params)?;
    let engine = engine(&args.engine)?;
    let checker = configure(model.checker(&params)?, args)?.engine(engine).cancel(interrupt());
    let network = checker.default_network();

    let started = Instant::now();
    let bar = Bar::new(args.quiet);
    let outcome = checker.check_with(&bar);
    bar.clear();
    let time = started.elapsed();

    if let (Some(file), Some(trace)) = (&args.trace, outcome.trace()) {
        write_trace(file, trace)?;
    }
    if args.json {
        print_line(&json::outcome(&outcome, model.name, &params, engine.name(), network, time).to_string());
    } else {
        print_human(args, &outcome, time);
    }
    Ok(match outcome.verdict {
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

/// The engine with this name; the other engines of the house check other kinds of models.
pub fn engine(name: &str) -> Result<Engine, Complaint> {
    name.parse().map_err(|problem: String| {
        let near = suggest::closest(name, ["auto", "must", "brute"].into_iter());
        let hint = near.map(|near| format!(". Did you mean `{near}`?")).unwrap_or_default();
        format!("--engine: {problem}{hint}")
    })
}

fn configure(checker: Checker, args: &CheckArgs) -> Result<Checker, Complaint> {
    let threads = match args.threads {
        Some(n) => n as usize,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut checker = checker.threads(threads).seed(args.seed).policy(policy(&args.policy, args.seed)?);
    checker = checker.keep_going(args.keep_going).eager(args.eager);
    if let Some(name) = &args.network {
        checker = checker.network(name.parse::<Network>().map_err(|problem| format!("--network: {problem}"))?);
    }
    if args.max_states.is_some() {
        return Err("--max-states is for engines on global states; this one counts executions: use --max-executions"
            .to_string());
    }
    if let Some(seconds) = args.timeout {
        let timeout = Duration::try_from_secs_f64(seconds)
            .map_err(|_| format!("--timeout: `{seconds}` is no span of time; expected seconds, as in 2.5"))?;
        checker = checker.timeout(timeout);
    }
    if let Some(max) = args.max_executions {
        checker = checker.max_executions(max);
    }
    if let Some(max) = args.max_depth {
        checker = checker.max_depth(max);
    }
    if let Some(max) = args.max_memory {
        checker = checker.max_memory(max);
    }
    if let Some(losses) = args.losses {
        checker = checker.loss_budget(losses);
    }
    Ok(checker)
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
fn interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = flag.clone();
    // Without a handler Ctrl-C just ends the program, as ever.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    flag
}

fn write_trace(file: &Path, trace: &Trace) -> Result<(), Complaint> {
    std::fs::write(file, trace.to_json()).map_err(|e| format!("cannot write the trace to {}: {e}", file.display()))
}

fn print_human(args: &CheckArgs, outcome: &Outcome, time: Duration) {
    if let Some(trace) = outcome.trace()
        && !args.quiet
    {
        let file = args.trace.as_ref().map(|file| file.display().to_string());
        let replay = match &file {
            Some(file) => format!("manyworlds replay {file}"),
            None => "add --trace FILE here, then: manyworlds replay FILE".to_string(),
        };
        print_line(&failure(trace, &Hints { replay: Some(&replay), file: file.as_deref() }, &style()));
    }
    print_line(&summary(&args.model, outcome, Some(time), &style()));
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
