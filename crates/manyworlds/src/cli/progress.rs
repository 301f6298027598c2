//! A progress bar on a terminal: executions or states, their rate, and what is left.

use crate::{Observer, Options, Progress, StopReason};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// An estimate from less than this part of the work would be a guess.
const ENOUGH: f64 = 0.001;

/// Work of a known length, piece by piece: how much is done, how fast, and what is left, if stderr is a terminal.
pub struct Pieces(ProgressBar);

impl Pieces {
    /// So many pieces, called `what`.
    pub fn new(total: usize, what: &'static str) -> Pieces {
        let style = ProgressStyle::with_template("[{bar:20}] {pos} of {len} {msg}, {per_sec}, about {eta} left");
        let bar = ProgressBar::with_draw_target(Some(total as u64), target(false)).with_message(what);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        Pieces(bar)
    }

    /// One more is done.
    pub fn next(&self) {
        self.0.inc(1);
    }

    /// Says something above the bar, or where it would be.
    pub fn suspend(&self, say: impl FnOnce()) {
        self.0.suspend(say);
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn target(quiet: bool) -> ProgressDrawTarget {
    let draws = !quiet && std::io::stderr().is_terminal();
    if draws { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
}

/// An observer that draws, if stderr is a terminal.
pub struct Bar {
    bar: ProgressBar,
    started: Instant,
    /// What the states of an engine are called.
    states: &'static str,
    max_states: Option<u64>,
    max_executions: Option<u64>,
    timeout: Option<Duration>,
}

impl Bar {
    /// A bar; `quiet` ones draw nothing.
    pub fn new(quiet: bool, options: &Options) -> Bar {
        let bar = ProgressBar::with_draw_target(Some(1000), target(quiet));
        let style = ProgressStyle::with_template("[{bar:20}] {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        let Options { max_states, max_executions, timeout, .. } = *options;
        Bar { bar, started: Instant::now(), states: "states", max_states, max_executions, timeout }
    }

    /// A bar for the check of a recorded history.
    pub fn of_history(timeout: Option<Duration>) -> Bar {
        Bar { states: "configurations", ..Bar::new(false, &Options { timeout, ..Options::default() }) }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// How much is done, where that can be told: of the executions, or of a budget.
    fn done(&self, progress: &Progress, elapsed: Duration) -> f64 {
        let part = |count: u64, max: Option<u64>| max.map_or(0.0, |max| count as f64 / max.max(1) as f64);
        let (states, executions) =
            (part(progress.states, self.max_states), part(progress.executions, self.max_executions));
        let time = self.timeout.map_or(0.0, |timeout| elapsed.as_secs_f64() / timeout.as_secs_f64().max(1e-9));
        progress.done.max(states).max(executions).max(time).clamp(0.0, 1.0)
    }
}

impl Observer for Bar {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        let elapsed = self.started.elapsed();
        if !self.bar.is_hidden() && elapsed > PATIENCE {
            let done = self.done(progress, elapsed);
            self.bar.set_position((done * 1000.0) as u64);
            self.bar.set_message(words(progress, self.states, elapsed, done));
        }
        None
    }
}

/// What stands beside the bar.
fn words(progress: &Progress, states: &str, elapsed: Duration, done: f64) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let (count, what, waiting) = match progress.states {
        0 => (progress.executions, "executions", String::new()),
        count if progress.frontier == 0 => (count, states, String::new()),
        count => (count, states, format!(", {} to expand", progress.frontier)),
    };
    let left = match done > ENOUGH {
        true => format!("about {:.0} s left", seconds / done - seconds),
        false => "how much is left cannot be told yet".to_string(),
    };
    format!("{count} {what}, {:.0}/s{waiting}, {left}", count as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_estimate() {
        let two = Duration::from_secs(2);
        let executions = Progress { executions: 1000, done: 0.25, ..Progress::default() };
        assert_eq!(words(&executions, "states", two, 0.25), "1000 executions, 500/s, about 6 s left");
        let states = Progress { states: 30, frontier: 7, ..Progress::default() };
        assert_eq!(
            words(&states, "states", two, 0.0),
            "30 states, 15/s, 7 to expand, how much is left cannot be told yet"
        );
        let history = Progress { states: 30, ..Progress::default() };
        assert_eq!(words(&history, "configurations", two, 0.5), "30 configurations, 15/s, about 2 s left");
    }

    #[test]
    fn budgets_tell_what_is_done_at_least() {
        let options = Options { max_states: Some(100), timeout: Some(Duration::from_secs(10)), ..Options::default() };
        let bar = Bar::new(true, &options);
        let few = Bar::new(true, &Options { max_executions: Some(40), ..Options::default() });
        assert_eq!(few.done(&Progress { executions: 30, done: 0.1, ..Progress::default() }, Duration::ZERO), 0.75);
        let states = Progress { states: 30, ..Progress::default() };
        assert_eq!(bar.done(&states, Duration::from_secs(1)), 0.3);
        assert_eq!(bar.done(&states, Duration::from_secs(5)), 0.5);
        assert_eq!(bar.done(&states, Duration::from_secs(50)), 1.0);
    }
}
