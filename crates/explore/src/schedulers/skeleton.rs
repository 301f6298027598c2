//! The depth-first skeleton that all schedulers share: a stack of snapshots, each with its enabled set, its backtracking set (to be explored), its
//! explored set, and whether more may be added (the freeze flag). A snapshot is a model's state, so backtracking costs nothing and no prefix of a
//! schedule is run twice.

use super::frame::{Entry, Frame, Way};
use super::histories::Histories;
use super::{Promise, Scheduler};
use crate::check::Checks;
use crate::config::{Config, Found, Report};
use crate::guard::caught;
use crate::rebuild::Wrong;
use crate::receive::{HistoryEvent, Receives};
use crate::run::Run;
use crate::stepper::{Stepper, count_user_steps};
use crate::{Kind, Path, TransitionSystem};
use manyworlds_core::{Flaw, InvalidModel, Observer, Progress, ScheduleStats, StopReason, Violation};
use rustc_hash::FxHashSet;

/// Steps of a schedule, if the budget does not say: systems that go on for ever are cut off here.
const STEPS: u64 = 10_000;
/// The observer is called once in so many states.
const TICK: u64 = 64;

/// The evidence of a violation.
enum Bug<M: TransitionSystem> {
    /// The last state of the schedule.
    State,
    /// A panic of the specification in that state.
    Panic(Wrong<M>),
    /// The history.
    History,
}

/// A run of a scheduler.
pub struct Search<'a, M: TransitionSystem, S> {
    stepper: Stepper<M>,
    checks: Checks<M>,
    scheduler: S,
    config: &'a Config,
    observer: &'a dyn Observer,
    /// The current schedule.
    frames: Vec<Frame<M>>,
    /// Its history.
    history: Vec<HistoryEvent>,
    histories: Histories,
    report: Report<M>,
    figures: ScheduleStats,
    /// Terminal states, by fingerprint, if they are collected.
    at_rest: FxHashSet<u128>,
    /// States, repeated ones included.
    visits: u64,
    ticks: u64,
    cut: u64,
    longest: usize,
    over: bool,
}

impl<'a, M: TransitionSystem, S: Scheduler> Search<'a, M, S> {
    /// A run that has not begun.
    pub fn new(run: &Run<'a, M>, scheduler: S) -> Search<'a, M, S> {
        Search {
            stepper: Stepper::new(run),
            checks: Checks::new(run.model),
            scheduler,
            config: run.config,
            observer: run.observer,
            frames: Vec::new(),
            history: Vec::new(),
            histories: Histories::default(),
            report: Report::default(),
            figures: ScheduleStats::default(),
            at_rest: FxHashSet::default(),
            visits: 0,
            ticks: 0,
            cut: 0,
            longest: 0,
            over: false,
        }
    }

    /// Runs it.
    pub fn run(mut self) -> Report<M> {
        let roots = self.stepper.initial();
        let mut begun = 0;
        while let Some(root) = self.scheduler.root(begun, roots.len()) {
            self.tick();
            if self.over || self.is_used_up() {
                break;
            }
            begun += 1;
            if let Some(receives) = self.stepper.model.receives() {
                receives.recorded_at_start(&roots[root].1, &mut self.history);
            }
            self.enter(roots[root].1.clone());
            self.explore();
            self.frames.clear();
            self.history.clear();
        }
        self.finish()
    }

    /// Explores everything reachable from the state on the stack.
    fn explore(&mut self) {
        while !self.over {
            let Some(top) = self.frames.last_mut() else { return };
            if !top.advance() {
                self.frames.pop();
                let recorded = self.frames.last().map_or(0, |frame| frame.recorded);
                self.history.truncate(recorded);
                continue;
            }
            self.tick();
            if self.over || self.is_used_up() {
                return;
            }
            let top = self.frames.last().expect("it went on");
            let Way { action, next, .. } = top.way().expect("it went on");
            if let Some(receives) = self.stepper.model.receives() {
                receives.recorded(&top.state, action, next, &mut self.history);
            }
            let next = next.clone();
            self.enter(next);
        }
    }

    /// Adds a state to the current schedule.
    fn enter(&mut self, state: M::State) {
        self.visits += 1;
        let (checks, model) = (&self.checks, &self.stepper.model);
        let before = self.frames.last().is_some_and(|frame| frame.wrong);
        let failed = model.has_failed(&state);
        let wrong = failed || checks.look(model, &state) || before;
        let entries = if failed { Ok(Vec::new()) } else { self.entries(&state) };
        let (entries, panicked) = match entries {
            Ok(entries) => (entries, None),
            Err(panicked) => (Vec::new(), Some(panicked)),
        };
        let (failed, wrong) = (failed || panicked.is_some(), wrong || panicked.is_some());
        let rests = entries.is_empty() && !failed;
        let steps = self.frames.len();
        self.longest = self.longest.max(steps);
        self.frames.push(Frame::new(state, entries, self.history.len(), wrong));
        self.scheduler.open(&mut self.frames);
        if wrong && !before {
            self.bug(self.figures.schedules + 1, panicked.map_or(Bug::State, Bug::Panic));
        }
        let top = self.frames.last_mut().expect("just entered");
        let cut = !top.entries.is_empty() && steps as u64 >= self.config.budget.depth.unwrap_or(STEPS);
        if top.entries.is_empty() || cut || self.over {
            top.backtrack.fill(false);
            self.cut += u64::from(cut);
            self.end(rests);
        }
    }

    /// The enabled actions of a state, one entry for each lane; `Err` if the specification panics.
    fn entries(&self, state: &M::State) -> Result<Vec<Entry<M>>, Wrong<M>> {
        let model = &self.stepper.model;
        let (mut actions, mut entries) = (Vec::new(), Vec::<Entry<M>>::new());
        let wrong = |violation, attempted| Wrong { state: state.clone(), violation, attempted };
        caught::<M, _>(|| model.actions(state, &mut actions)).map_err(|violation| wrong(violation, None))?;
        let receives = model.receives().filter(|_| S::RECEIVES);
        for action in actions {
            let next = caught::<M, _>(|| model.next(state, &action));
            let Some(next) = next.map_err(|violation| wrong(violation, Some(action.clone())))? else { continue };
            let receive = receives.and_then(|receives: &dyn Receives<_, _>| receives.receive(state, &action));
            let lane = receive.as_ref().map(|receive| receive.lane);
            let way = Way { action, receive, next };
            match entries.iter_mut().find(|entry| lane.is_some() && entry.lane() == lane) {
                Some(entry) => entry.add(way),
                None => entries.push(Entry::new(way)),
            }
        }
        Ok(entries)
    }

    /// The current schedule is over.
    fn end(&mut self, rests: bool) {
        self.figures.schedules += 1;
        self.figures.steps += self.frames.len() as u64 - 1;
        let judged = self.histories.judge(&self.history, |history| {
            self.observer.judging(true);
            let judged = self.stepper.model.receives().and_then(|receives| receives.linearizable(history));
            self.observer.judging(false);
            Some(judged?.is_ok())
        });
        match judged.complete {
            true => self.figures.complete += 1,
            false => self.figures.incomplete += 1,
        }
        let top = self.frames.last().expect("a schedule has a last state");
        let (state, wrong) = (&top.state, top.wrong);
        if rests && self.config.collect_final && self.at_rest.insert(self.stepper.model.fingerprint(state)) {
            self.report.final_states.push(state.clone());
        }
        let wrong_at_rest = rests && !wrong && self.checks.is_wrong_at_rest(&self.stepper.model, state);
        let not_linearizable = judged.linearizable == Some(false);
        if not_linearizable {
            // It is the last history, and the first that is not linearizable.
            self.figures.good_histories.get_or_insert_with(|| self.histories.count().0 - 1);
        }
        if wrong || wrong_at_rest || not_linearizable {
            self.report.stats.violations += 1;
        }
        if !wrong && wrong_at_rest {
            self.bug(self.figures.schedules, Bug::State);
        } else if !wrong && not_linearizable {
            self.bug(self.figures.schedules, Bug::History);
        }
    }

    /// The number of steps after which the history is no longer linearizable, and why. No later step can change that.
    fn bad_history(&self) -> Option<(usize, Violation)> {
        let receives = self.stepper.model.receives()?;
        let why = |frame: &Frame<M>| receives.linearizable(&self.history[..frame.recorded])?.err();
        self.frames.iter().enumerate().find_map(|(steps, frame)| Some((steps, why(frame)?)))
    }

    /// The current schedule, which has this number, shows a violation.
    fn bug(&mut self, number: u64, bug: Bug<M>) {
        self.over |= !self.config.keep_going;
        if self.report.found.is_some() {
            return;
        }
        self.figures.first_bug = Some(number);
        self.observer.first_bug(number);
        let last = self.frames.len() - 1;
        let of_state = |wrong: Wrong<M>| (last, wrong.violation, wrong.attempted);
        let found = match bug {
            Bug::Panic(wrong) => Ok(of_state(wrong)),
            Bug::State => self.checks.blame(&self.stepper.model, &self.frames[last].state).map(of_state),
            Bug::History => self.bad_history().map(|(steps, violation)| (steps, violation, None)).ok_or_else(|| {
                let message = "a history was judged not linearizable, and is linearizable the second time";
                Box::new(InvalidModel::new(Flaw::NotAFunction, message))
            }),
        };
        match found {
            Ok((steps, violation, attempted)) => {
                self.report.found = Some(Found { violation, path: Path { attempted, ..self.path(steps) } });
            }
            Err(flaw) => {
                self.report.flaw.get_or_insert(flaw);
                self.over = true;
            }
        }
    }

    /// The first steps of the current schedule.
    fn path(&self, steps: usize) -> Path<M> {
        let mut path = Path::new(self.frames[0].state.clone());
        for frame in &self.frames[..steps] {
            let way = frame.way().expect("a step was taken here");
            path.steps.push((way.action.clone(), way.next.clone()));
        }
        path
    }

    fn is_used_up(&mut self) -> bool {
        let used_up = self.config.budget.executions.is_some_and(|most| self.figures.schedules >= most);
        if used_up {
            self.stop(StopReason::MaxExecutions);
        }
        used_up
    }

    fn stop(&mut self, reason: StopReason) {
        self.over = true;
        self.report.stopped.get_or_insert(reason);
    }

    fn tick(&mut self) {
        self.ticks += 1;
        if self.ticks % TICK == 1 {
            let progress = Progress { executions: self.figures.schedules, done: self.done(), ..Progress::default() };
            if let Some(reason) = self.observer.tick(&progress) {
                self.stop(reason);
            }
        }
    }

    /// The explored fraction of the tree, as far as it is known now.
    fn done(&self) -> f64 {
        let (mut done, mut share) = (0.0, 1.0);
        for frame in &self.frames {
            let (behind, all) = frame.share();
            done += share * behind as f64 / all.max(1) as f64;
            share /= all.max(1) as f64;
        }
        f64::clamp(done, 0.0, 1.0)
    }

    fn finish(mut self) -> Report<M> {
        if self.report.stopped.is_none() && self.report.found.is_none() && self.report.flaw.is_none() {
            self.conclude();
        }
        (self.figures.unique, self.figures.non_linearizable) = self.histories.count();
        let stats = &mut self.report.stats;
        stats.histories = Some(self.figures);
        stats.executions = Some(self.figures.schedules);
        stats.truncated = Some(self.cut);
        stats.transitions = Some(self.visits.into());
        stats.depth = Some(self.longest as u64);
        count_user_steps(std::iter::once(&self.stepper), stats);
        let model = &self.stepper.model;
        self.report.final_states.sort_by_cached_key(|state| model.fingerprint(state));
        self.report
    }

    /// The result of a run without violation that has no more schedules.
    fn conclude(&mut self) {
        let unseen = Checks::never_seen(&[&self.checks], self.visits.into());
        let passing = |kind| matches!(kind, Kind::Always | Kind::Never);
        let passes = self.stepper.model.properties().iter().any(|p| passing(p.kind) && !p.stable);
        if self.cut > 0 {
            return self.stop(StopReason::MaxDepth);
        }
        match S::PROMISE {
            Promise::EverySchedule => {
                let start = self.stepper.initial()[0].1.clone();
                self.report.found = unseen.map(|violation| Found { violation, path: Path::new(start) });
                self.report.stats.violations += u64::from(self.report.found.is_some());
            }
            // A state in the middle of a schedule may occur in none of the explored schedules.
            Promise::EveryTrace if !passes && unseen.is_none() => {}
            _ => self.stop(StopReason::SchedulerIncomplete),
        }
    }
}
