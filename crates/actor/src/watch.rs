//! What monitors see of a step, and the environment after it.
//!
//! Monitors, and the specification of a history, are parts of the environment. The environment after a step depends on the environment before it, on the
//! branch of the handler, and on which of its messages vanish. It is computed once for each combination: a monitor runs once for each (state of the
//! monitor, branch, messages that vanish). Where no message vanishes and nothing fails, the change of the fingerprint is kept as well, by environment and
//! *observation* (a number for each branch that is observed), so that a step that is observed needs no more than one look-up more than others.
//!
//! Steps that one monitor observes depend on each other. So they are never put to sleep, are in no persistent set, and interfere for the schedulers.

use crate::acts::Change;
use crate::faults::Environment;
use crate::monitor::{Observed, ObservedEvent};
use crate::state::State;
use crate::system::Blueprint;
use crate::table::{Entries, Input, Mirrors, NONE};
use crate::worlds::Worlds;
use manyworlds_core::{Accept, Requirement, Temperature, Violation, panics};
use manyworlds_explore::fingerprint;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A branch of a handler: the id of the effects, and its index.
pub type Done = (u32, u16);

/// No monitor observes an act, and no specification.
pub const QUIET: u32 = u32::MAX;
/// Instead of the number of an observation: the act changes more than an observation says, so the successor is built to know it.
pub const UNKNOWN: u32 = u32::MAX - 1;

/// The result of an observed act that does not fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    /// Id of the environment after it.
    pub environment: u32,
    /// The change of the fingerprint when the environment is replaced.
    pub change: Change,
}

/// The state of a monitor after a step: the id of the value and whether it was cold on the way, or the position of the event at which it fails and the
/// number of the failure.
type Outcome = Result<(u32, bool), (usize, u32)>;

/// What monitors did so far.
#[derive(Default)]
pub struct MonitorCache {
    /// (monitor, state, branch, messages that vanish) → the state after it.
    steps: FxHashMap<(usize, u32, Done, u64), Outcome>,
}

/// An event, with ids.
#[derive(Clone, Copy)]
enum Event {
    Receives(u32),
    Creates(u16),
    Sends(u16, u32),
    Enqueues(u16, u32),
    Records(usize),
    Halts,
}

impl Entries {
    /// The states in which monitors begin.
    pub fn first_monitors(&mut self, blueprint: &Blueprint) -> u32 {
        let states = blueprint.monitors.iter().map(|monitor| self.value(monitor.code.start())).collect();
        self.monitor_states(states)
    }

    /// The id of the states of all monitors.
    fn monitor_states(&mut self, states: Box<[u32]>) -> u32 {
        let values = &self.values;
        self.monitor_states
            .intern(states, |states| fingerprint::of(&states.iter().map(|&id| values.print(id)).collect::<Vec<_>>()))
    }

    /// The events of a branch in their order; a bit of `lost` for each message that vanishes.
    fn events(&self, (effects, branch): Done, lost: u64) -> Vec<Event> {
        let (local, input) = self.causes[effects as usize];
        let branch = &self.effects[effects as usize][usize::from(branch)];
        let mut events = Vec::new();
        if let Input::Message(envelope) = input {
            if self.accepted.get(&(local, envelope)) == Some(&Accept::Ignore) {
                return events;
            }
            events.push(Event::Receives(envelope));
        }
        let mut created = branch.created.iter().peekable();
        for (send, nth) in branch.sends.iter().zip(0..) {
            while let Some(new) = created.next_if(|new| new.after <= nth) {
                events.push(Event::Creates(new.actor));
            }
            events.push(Event::Sends(send.to, send.envelope));
            if lost >> nth.min(63) & 1 == 0 {
                events.push(Event::Enqueues(send.to, send.envelope));
            }
        }
        events.extend(created.map(|new| Event::Creates(new.actor)));
        events.extend((0..branch.notes.len()).map(Event::Records));
        events.extend(branch.halts.then_some(Event::Halts));
        events
    }

    /// Calls `see` for each event of a branch, in order, until it returns something.
    fn observe<T>(&self, done: Done, lost: u64, mut see: impl FnMut(usize, &Observed<'_>) -> Option<T>) -> Option<T> {
        let by = self.names.pid(self.locals.get(self.causes[done.0 as usize].0).actor);
        let branch = &self.effects[done.0 as usize][usize::from(done.1)];
        let message = |envelope: u32| &*self.values.get(self.envelopes.get(envelope).message).value;
        self.events(done, lost).into_iter().enumerate().find_map(|(at, event)| {
            let event = match event {
                Event::Receives(envelope) => {
                    let from = self.names.pid(self.envelopes.get(envelope).from);
                    ObservedEvent::Receives { from, message: message(envelope) }
                }
                Event::Creates(actor) => ObservedEvent::Creates { actor: self.names.pid(actor) },
                Event::Sends(to, id) => ObservedEvent::Sends { to: self.names.pid(to), message: message(id) },
                Event::Enqueues(to, id) => ObservedEvent::Enqueues { to: self.names.pid(to), message: message(id) },
                Event::Records(nth) => {
                    let note = &branch.notes[nth];
                    ObservedEvent::Records { kind: note.kind, value: &*note.value }
                }
                Event::Halts => ObservedEvent::Halts,
            };
            see(at, &Observed { by, event })
        })
    }

    /// The monitors that observe a branch: a bit for each. A panic of `observes` counts as observing: then the monitor fails with the same panic.
    fn watchers(&self, blueprint: &Blueprint, done: Done) -> u64 {
        let mut watchers = 0;
        for (nth, monitor) in blueprint.monitors.iter().enumerate() {
            let see = |_: usize, event: &Observed<'_>| {
                let ask = || panics::listen(|| catch_unwind(AssertUnwindSafe(|| monitor.code.observes(event))));
                ask().unwrap_or(true).then_some(())
            };
            watchers |= u64::from(self.observe(done, 0, see).is_some()) << nth;
        }
        watchers
    }

    /// The state of one monitor after a step.
    fn monitored(&mut self, blueprint: &Blueprint, nth: usize, state: u32, done: Done, lost: u64) -> Outcome {
        if let Some(&known) = self.monitors.steps.get(&(nth, state, done, lost)) {
            return known;
        }
        let code = blueprint.monitors[nth].code.clone();
        let before = self.values.get(state).value.clone();
        let (mut value, mut cooled, mut moved) = (before, false, false);
        let mut failed = None;
        self.observe(done, lost, |at, event| {
            let step = || match code.observes(event) {
                true => {
                    let next = code.step(&*value, event)?;
                    let cold = code.temperature(&*next) == Temperature::Cold;
                    Ok(Some((next, cold)))
                }
                false => Ok(None),
            };
            let stepped = panics::listen(|| catch_unwind(AssertUnwindSafe(step)));
            let problem = match stepped {
                Ok(Ok(None)) => return None,
                Ok(Ok(Some((next, cold)))) => {
                    (value, cooled, moved) = (next, cooled | cold, true);
                    return None;
                }
                Ok(Err(words)) => (words, None),
                Err(payload) => panics::take(payload.as_ref()),
            };
            failed = Some((at, problem));
            failed.as_ref().map(|_| ())
        });
        let outcome = match failed {
            Some((at, (words, location))) => {
                let message = format!("`{}`: {words}", blueprint.monitors[nth].name);
                let violation = Violation { property: Requirement::Monitor, message, location, process: None };
                Err((at, self.failures.intern(violation, fingerprint::of)))
            }
            None if moved => Ok((self.value(value), cooled)),
            None => Ok((state, cooled)),
        };
        self.monitors.steps.insert((nth, state, done, lost), outcome);
        outcome
    }

    /// The environment after a step of `actor` in which monitors, and the specification of a history, have seen what it did; and whether a monitor failed,
    /// which ends the step.
    fn watched(
        &mut self,
        blueprint: &Blueprint,
        before: &Environment,
        actor: u16,
        done: Done,
        lost: u64,
    ) -> (Environment, bool) {
        let mut after = before.clone();
        if let Some(stage) = before.history {
            let notes = self.effects[done.0 as usize][usize::from(done.1)].notes.clone();
            match self.recorded(blueprint, stage, actor, &notes) {
                Ok(stage) => after.history = Some(stage),
                Err(failure) => return (Environment { failed: Some((actor, failure)), ..after }, false),
            }
        }
        let mut states = (**self.monitor_states.get(before.monitors)).clone();
        let mut first: Option<(usize, u32)> = None;
        // A handler that fails does nothing that could be observed.
        let fails = self.effects[done.0 as usize][usize::from(done.1)].failure != NONE;
        for nth in (0..blueprint.monitors.len()).filter(|_| !fails) {
            match self.monitored(blueprint, nth, states[nth], done, lost) {
                Ok((state, _)) => states[nth] = state,
                Err((at, failure)) if first.is_none_or(|(earliest, _)| at < earliest) => first = Some((at, failure)),
                Err(_) => {}
            }
        }
        match first {
            Some((_, failure)) => (Environment { failed: Some((actor, failure)), ..before.clone() }, true),
            None => {
                after.monitors = self.monitor_states(states);
                (after, false)
            }
        }
    }
}

impl Worlds {
    /// The monitors that observe a branch: a bit for each.
    pub(crate) fn watchers(&self, mirrors: &mut Mirrors, done: Done) -> u64 {
        if self.blueprint().monitors.is_empty() {
            return 0;
        }
        if let Some(&known) = mirrors.watchers.get(&done) {
            return known;
        }
        let watchers = self.learn(mirrors, |entries, blueprint| entries.watchers(blueprint, done));
        mirrors.watchers.insert(done, watchers);
        watchers
    }

    /// The observation of a branch: a new number, or [`QUIET`] if neither a monitor nor a specification observes it, or [`UNKNOWN`] if it changes more.
    pub(crate) fn observation(&self, mirrors: &mut Mirrors, actor: u16, done: Done) -> u32 {
        let records = self.monitors() && mirrors.effects[done.0 as usize][usize::from(done.1)].records();
        if self.changes_more(mirrors, done) {
            return UNKNOWN;
        }
        if !records && self.watchers(mirrors, done) == 0 {
            return QUIET;
        }
        mirrors.observations.push((actor, done));
        mirrors.observations.len() as u32 - 1
    }

    /// Whether a branch fails, creates actors or halts.
    pub(crate) fn changes_more(&self, mirrors: &Mirrors, done: Done) -> bool {
        let branch = &mirrors.effects[done.0 as usize][usize::from(done.1)];
        branch.failure != NONE || branch.halts || !branch.created.is_empty()
    }

    /// Whether there are monitors, or a specification of a history.
    #[inline]
    pub(crate) fn has_watchers(&self) -> bool {
        self.monitors() || !self.blueprint().monitors.is_empty()
    }

    /// The environment after a branch is observed, and whether that ends the step.
    pub(crate) fn environment_after(
        &self,
        mirrors: &mut Mirrors,
        environment: u32,
        actor: u16,
        done: Done,
        lost: u64,
    ) -> (u32, bool) {
        if let Some(&known) = mirrors.recorded.get(&(environment, actor, done, lost)) {
            return known;
        }
        let before: Environment = (**mirrors.environments.get(environment)).clone();
        let after = self.learn(mirrors, |entries, blueprint| {
            let (after, ends) = entries.watched(blueprint, &before, actor, done, lost);
            (entries.environment(after), ends)
        });
        mirrors.recorded.insert((environment, actor, done, lost), after);
        after
    }

    /// Whether a branch is observed.
    pub(crate) fn is_watched(&self, mirrors: &mut Mirrors, done: Done) -> bool {
        (self.monitors() && mirrors.effects[done.0 as usize][usize::from(done.1)].records())
            || self.watchers(mirrors, done) != 0
    }

    /// Makes the result of an observation known to the quick path, unless it fails.
    #[cold]
    pub(crate) fn remember(&self, mirrors: &mut Mirrors, environment: u32, observation: u32) {
        let (actor, done) = mirrors.observations[observation as usize];
        let (after, _) = self.environment_after(mirrors, environment, actor, done, 0);
        if !mirrors.environment_summaries[after as usize].failed
            && mirrors.watched.get(environment, observation).is_none()
        {
            let [before, print] = [environment, after].map(|id| mirrors.environments.print(id));
            let change = Change::between(before, print);
            mirrors.watched.insert(environment, observation, Watched { environment: after, change });
        }
    }

    /// The state of a monitor, by number.
    pub(crate) fn monitor_value(&self, mirrors: &Mirrors, state: &State, nth: usize) -> Arc<dyn crate::erased::Value> {
        let states = mirrors.environments.get(state.environment()).monitors;
        let id = mirrors.monitor_states.get(states)[nth];
        mirrors.values.get(id).value.clone()
    }

    /// The temperature of a monitor in a state.
    pub fn temperature(&self, state: &State, monitor: usize) -> Temperature {
        let value = self.monitor_value(&self.prepared(), state, monitor);
        self.blueprint().monitors[monitor].code.temperature(&*value)
    }

    /// The monitors that are in a cold state at some point of a step, after the event that led there: a bit for each.
    pub fn cooled(&self, state: &State, step: &crate::Step) -> u64 {
        let step = self.in_full(state, step);
        let Some(done) = step.handler() else { return 0 };
        let lost = self.lost(&self.prepared(), state, done);
        let before = self.prepared().environments.get(state.environment()).monitors;
        self.with_entries(|entries, blueprint| {
            let before = entries.monitor_states.get(before).clone();
            before
                .iter()
                .enumerate()
                .map(|(nth, &state)| match entries.monitored(blueprint, nth, state, done, lost) {
                    Ok((_, cooled)) => u64::from(cooled) << nth,
                    Err(_) => 0,
                })
                .fold(0, |all, one| all | one)
        })
    }

    /// The messages of a branch that vanish when it is taken in a state: a bit for each, the last one for all that have none of their own.
    pub(crate) fn lost(&self, mirrors: &Mirrors, state: &State, (effects, branch): Done) -> u64 {
        let branch = &mirrors.effects[effects as usize][usize::from(branch)];
        let created = |to: u16| branch.created.iter().any(|new| new.actor == to);
        let lost = |to: u16| !created(to) && self.is_lost(mirrors, state, to);
        let sends = branch.sends.iter().zip(0u32..);
        sends.filter(|(send, _)| lost(send.to)).fold(0, |all, (_, nth)| all | 1 << nth.min(63))
    }

    /// For each monitor the property that no execution ends while it is hot.
    pub(crate) fn temperatures(&self) -> Vec<manyworlds_explore::Property<Worlds>> {
        let property = |(nth, monitor): (usize, &crate::monitor::DeclaredMonitor)| {
            manyworlds_explore::Property::at_rest(hot_end(&monitor.name), move |worlds: &Worlds, state: &State| {
                worlds.temperature(state, nth) != Temperature::Hot
            })
        };
        self.blueprint().monitors.iter().enumerate().map(property).collect()
    }
}

impl Worlds {
    /// For each monitor the property that it does not stay hot: on a path that goes round for ever without a cold state no state is hot.
    pub(crate) fn promises_of_monitors(&self) -> Vec<manyworlds_explore::Property<Worlds>> {
        let is = |nth: usize, wanted: Temperature| {
            move |worlds: &Worlds, state: &State| worlds.temperature(state, nth) == wanted
        };
        let property = |(nth, monitor): (usize, &crate::monitor::DeclaredMonitor)| {
            let name = format!("monitor `{}` does not stay hot", monitor.name);
            let (hot, cold) = (is(nth, Temperature::Hot), is(nth, Temperature::Cold));
            let property = manyworlds_explore::Property::leads_to(name, hot, cold);
            manyworlds_explore::Property { promise: Some(nth), ..property }
        };
        self.blueprint().monitors.iter().enumerate().map(property).collect()
    }

    /// Whether a monitor was in a hot state in some environment of the run.
    pub(crate) fn was_hot(&self, monitor: usize) -> bool {
        let code = self.blueprint().monitors[monitor].code.clone();
        let states: std::collections::BTreeSet<u32> = self.with_entries(|entries, _| {
            let all = (0..entries.monitor_states.len() as u32).map(|id| entries.monitor_states.get(id));
            all.filter_map(|states| states.get(monitor).copied()).collect()
        });
        let mirrors = self.prepared();
        states.into_iter().any(|id| {
            let value = mirrors.values.get(id).value.clone();
            let temperature = panics::listen(|| catch_unwind(AssertUnwindSafe(|| code.temperature(&*value))));
            temperature.is_ok_and(|temperature| temperature == Temperature::Hot)
        })
    }
}

/// The name of the property that no execution ends while a monitor is hot.
fn hot_end(monitor: &str) -> String {
    format!("monitor `{monitor}` is not hot")
}
