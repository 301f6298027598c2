//! One run of one test: replay what failed before, explore, report.

use super::store::{self, Store};
use super::{Environment, Incomplete, TestCase};
use crate::{Check, Outcome, Replayed, StopReason, Subject, Trace, TraceError, Verdict, Violation};
use manyworlds_report::{Hints, Style, failure, step, summary};
use std::path::{Path, PathBuf};

/// A test, how it is checked, and where its output goes.
pub struct Session<'a> {
    case: &'a TestCase,
    check: Check<Box<dyn Subject>>,
    store: Store,
    style: Style,
    say: &'a mut dyn FnMut(&str),
}

impl<'a> Session<'a> {
    /// A test that was not run yet.
    pub fn new(
        case: &'a TestCase,
        environment: &Environment,
        check: Check<Box<dyn Subject>>,
        say: &'a mut dyn FnMut(&str),
    ) -> Session<'a> {
        let style = Style { color: environment.color, ..Style::default() };
        Session { case, check, store: Store::of(case, environment), style, say }
    }

    /// Replays the trace of the last failure, if there is one; `Ok` if nothing is known to be wrong any more.
    pub fn replay_first(&mut self) -> Result<(), String> {
        let Some(loaded) = self.store.load() else { return Ok(()) };
        let path = self.store.path().display().to_string();
        let gone = match loaded {
            Err(problem) => problem,
            Ok(trace) if trace.model != self.case.model() => format!("{path}: this is a trace of `{}`", trace.model),
            Ok(mut trace) => match self.replay(&mut trace, false) {
                Ok(Replayed::Reproduced) => {
                    (self.say)(&format!("replayed first, and still there: {path}"));
                    return Err(self.violated(&trace, Some(&path)));
                }
                Ok(Replayed::Gone) => format!("{path}: what failed before does not fail any more"),
                Err(error) => format!("{path}: {error}"),
            },
        };
        let removed = match self.store.remove() {
            Ok(()) => "the file is deleted".to_string(),
            Err(error) => format!("the file cannot be deleted ({error})"),
        };
        (self.say)(&format!("{gone}; {removed}, and every world is explored"));
        Ok(())
    }

    /// Explores every world.
    pub fn explore(&mut self) -> Result<(), String> {
        let answer =
            self.check.run().map_err(|refused| format!("`{}` cannot be checked: {refused}", self.case.model()))?;
        let outcome = answer.outcome;
        match &outcome.verdict {
            Verdict::Violated { trace, .. } => return Err(self.found(trace)),
            Verdict::Invalid(invalid) => {
                return Err(format!("`{}` is not a valid model: {invalid}", self.case.model()));
            }
            Verdict::Incomplete { reason } if self.case.incomplete.unwrap_or_default() == Incomplete::Forbid => {
                return Err(self.incomplete(*reason, &outcome));
            }
            _ => (self.say)(&summary(&self.case.model(), &outcome, None, &self.style)),
        }
        let counts = [
            ("executions", "complete executions", self.case.executions, outcome.stats.executions.map(u128::from)),
            ("states", "states", self.case.states, outcome.stats.states),
        ];
        let model = self.case.model();
        let wrong = counts.into_iter().find_map(|(option, what, expected, found)| match (expected?.into(), found) {
            (expected, Some(found)) if found == expected => None,
            (expected, Some(found)) => {
                Some(format!("`{model}` has {found} {what}; the test says `{option} = {expected}`"))
            }
            (expected, None) => Some(format!(
                "the engine that checks `{model}` does not count {what}; the test says `{option} = {expected}`"
            )),
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Replays one trace, showing each step, and nothing else.
    pub fn replay_only(&mut self, file: &Path) -> Result<(), String> {
        let file = self.find(file);
        let mut trace = store::read(&file).map_err(|problem| format!("MANYWORLDS_REPLAY: {problem}"))?;
        if trace.model != self.case.model() {
            (self.say)(&format!(
                "`{}` is skipped: MANYWORLDS_REPLAY is a trace of `{}`",
                self.case.model(),
                trace.model
            ));
            return Ok(());
        }
        match self.replay(&mut trace, true) {
            Ok(Replayed::Reproduced) => Err(self.violated(&trace, Some(&file.display().to_string()))),
            Ok(Replayed::Gone) => {
                (self.say)("every step was performed, and nothing fails any more");
                Ok(())
            }
            Err(error) => Err(format!("MANYWORLDS_REPLAY: {}: {error}", file.display())),
        }
    }

    /// A path may be meant from where the command was typed: the package, or a directory above it.
    fn find(&self, file: &Path) -> PathBuf {
        let above = Path::new(self.case.directory).ancestors().map(|directory| directory.join(file));
        std::iter::once(file.to_path_buf())
            .chain(above)
            .find(|path| path.exists())
            .unwrap_or_else(|| file.to_path_buf())
    }

    /// Performs a trace and brings its source locations up to date.
    fn replay(&mut self, trace: &mut Trace, aloud: bool) -> Result<Replayed, TraceError> {
        let mut fresh = trace.clone();
        let replayed = self.check.replay(trace, |i, performed| {
            fresh.steps[i].at.clone_from(&performed.at);
            if aloud {
                (self.say)(&step(&fresh, i, &self.style));
            }
        })?;
        let bad = fresh.steps.iter().find(|step| step.kind.is_bad());
        if let Some(location) = bad.and_then(|step| step.at.clone()) {
            fresh.violation.location = Some(location);
        }
        *trace = fresh;
        Ok(replayed)
    }

    /// Reports a violation that was found just now.
    fn found(&mut self, trace: &Trace) -> String {
        let path = self.store.path().display().to_string();
        match self.store.save(trace) {
            Ok(()) => self.violated(trace, Some(&path)),
            Err(error) => {
                let message = self.violated(trace, None);
                (self.say)(&format!("the trace cannot be written to {path}: {error}"));
                message
            }
        }
    }

    /// Shows a violation; returns it in a line.
    fn violated(&mut self, trace: &Trace, file: Option<&str>) -> String {
        let replay = file.map(|file| {
            format!("MANYWORLDS_REPLAY={} cargo test -p {} {}", quoted(file), self.case.package, self.case.path())
        });
        let ours = file.is_some_and(|file| Path::new(file) == self.store.path());
        let page = ours.then(|| self.store.save_page(trace).ok()).flatten().map(|page| page.display().to_string());
        let hints = Hints { replay: replay.as_deref(), file, html: page.as_deref() };
        (self.say)(&format!("\n{}", failure(trace, &hints, &self.style)));
        one_line(&self.case.model(), &trace.violation)
    }

    fn incomplete(&self, reason: StopReason, outcome: &Outcome) -> String {
        let remedy = match reason {
            StopReason::MaxExecutions => "raise `max_executions`",
            StopReason::MaxStates => "raise `max_states`",
            StopReason::MaxDepth => "raise `max_depth`",
            StopReason::MaxSteps => "raise `max_steps`",
            StopReason::Timeout => "raise `timeout`",
            StopReason::MaxMemory | StopReason::Cancelled => "let it run on",
            StopReason::SchedulerIncomplete => "use an engine that leaves nothing out",
        };
        let seen = match (outcome.stats.executions, outcome.stats.states) {
            (None, Some(states)) => format!("{states} states"),
            (executions, _) => format!("{} complete executions", executions.unwrap_or(0)),
        };
        let bounds = outcome.scope.limits();
        format!(
            "`{}` is not verified: a bound was hit ({}) after {seen} without a violation, bounds: {bounds}; \
             {remedy}, make the {} smaller, or accept less with `incomplete = \"allow\"`",
            self.case.model(),
            reason.name(),
            self.check.kind(),
        )
    }
}

/// `text` as a shell reads it as one word.
fn quoted(text: &str) -> String {
    match text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+=:@,".contains(c)) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

fn one_line(model: &str, violation: &Violation) -> String {
    let process = violation.process.as_ref().map(|process| format!(" in {process}")).unwrap_or_default();
    let place = violation.location.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
    let message: Vec<&str> = violation.message.split_whitespace().collect();
    format!("`{model}` violates `{}`{process}{place}: {}", violation.property, message.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_one_word_of_a_command() {
        assert_eq!(quoted("/a/b-c_1.json"), "/a/b-c_1.json");
        assert_eq!(quoted("/it's here"), r"'/it'\''s here'");
    }
}
