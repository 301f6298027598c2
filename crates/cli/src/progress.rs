//! A progress bar on a terminal: executions, their rate, and what is left.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use manyworlds::{Observer, Progress, StopReason};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// An observer that draws, if stderr is a terminal.
pub struct Bar {
    bar: ProgressBar,
    started: Instant,
}

impl Bar {
    /// A bar; `quiet` ones draw nothing.
    pub fn new(quiet: bool) -> Bar {
        let draws = !quiet && std::io::stderr().is_terminal();
        let target = if draws { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1000), target);
        let style = ProgressStyle::with_template("[{bar:30}] {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Bar { bar, started: Instant::now() }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        let elapsed = self.started.elapsed();
        if !self.bar.is_hidden() && elapsed > PATIENCE {
            let seconds = elapsed.as_secs_f64();
            if progress.states > 0 {
                let rate = progress.states as f64 / seconds;
                let message = format!("{} states, {rate:.0}/s, {} to expand", progress.states, progress.frontier);
                self.bar.set_message(message);
                return None;
            }
            let rate = progress.executions as f64 / seconds;
            let left = if progress.done > 0.001 { seconds / progress.done - seconds } else { f64::INFINITY };
            let left = if left.is_finite() { format!("about {left:.0} s left") } else { "no estimate yet".to_string() };
            self.bar.set_position((progress.done * 1000.0) as u64);
            self.bar.set_message(format!("{} executions, {rate:.0}/s, {left}", progress.executions));
        }
        None
    }
}
