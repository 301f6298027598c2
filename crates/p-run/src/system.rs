//! A test of a P program as a transition system for the engines of `explore`.

use crate::code::{Code, Limits, Unusable};
use crate::fault::{Failure, FaultKind};
use crate::interner::NONE;
use crate::liveness;
use crate::narrate::{self, Cast};
use crate::persistent;
use crate::show;
use crate::table::{Access, Kind, Mirror, Table};
use crate::world::{Action, Happened, Steps, World};
use manyworlds_core::{LocalStats, Location, NarratedStep, Requirement, TraceProcess, Violation};
use manyworlds_explore::{Property as StateProperty, States, TransitionSystem};
use manyworlds_p_ir::{Program, Span};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A test of a program as a transition system. Each clone has its own mirrors of one shared table.
pub struct System {
    pub(crate) table: Arc<Table>,
    mirror: RefCell<Mirror>,
    pub(crate) cast: RefCell<Cast>,
    max_inbox: Option<usize>,
}

impl Clone for System {
    fn clone(&self) -> System {
        System { max_inbox: self.max_inbox, ..System::sharing(self.table.clone()) }
    }
}

impl System {
    /// The transition system of a test.
    ///
    /// ```
    /// use manyworlds_explore::{Config, Engine, NoObserver, explore};
    /// use manyworlds_p_ir::text;
    /// use manyworlds_p_run::System;
    /// use std::sync::Arc;
    ///
    /// let program = text::parse(
    ///     "interface Main () receives all;
    ///      machine Main receives all sends all { start state Init { entry Main.entry; } }
    ///      fun Main.entry in Main () {
    ///        local x: int;
    ///      b0: x = choose int(3); assert (x < 2), \"too large\"; return;
    ///      }
    ///      test tc main Main { Main -> Main; }",
    /// )?;
    /// let system = System::new(Arc::new(program), "tc")?;
    /// let report = explore(&system, Engine::Bfs, &Config::default(), &NoObserver)?;
    /// assert_eq!(report.found.unwrap().violation.message, "too large");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(program: Arc<Program>, test: &str) -> Result<System, Unusable> {
        System::limited(program, test, Limits::default())
    }

    /// The same with other bounds of handlers.
    pub fn limited(program: Arc<Program>, test: &str, limits: Limits) -> Result<System, Unusable> {
        Ok(System::sharing(Arc::new(Table::new(Arc::new(Code::new(program, test, limits)?)))))
    }

    fn sharing(table: Arc<Table>) -> System {
        System { table, mirror: RefCell::default(), cast: RefCell::default(), max_inbox: None }
    }

    /// The same system in which no inbox gets more than this number of messages: a send to a full inbox waits. An answer is then incomplete if
    /// [`System::hit_inbox_bound`].
    pub fn with_max_inbox(self, most: Option<usize>) -> System {
        System { max_inbox: most, ..self }
    }

    /// Whether some send had to wait in any run on this table, because of a bound on inboxes.
    pub fn hit_inbox_bound(&self) -> bool {
        self.table.cut.load(Ordering::Relaxed)
    }

    /// The program and the test.
    pub fn code(&self) -> &Code {
        &self.table.code
    }

    /// Calls a function with the steps of the system.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut Steps<'_>) -> R) -> R {
        let mirror = &mut *self.mirror.borrow_mut();
        let access = Access { table: &self.table, mirror };
        let specs = self.table.code.test.specs.len();
        let mut steps = Steps { access, specs, max_inbox: self.max_inbox, cut: false };
        let result = f(&mut steps);
        if steps.cut {
            self.table.cut.store(true, Ordering::Relaxed);
        }
        result
    }

    /// A step, and what happened in it besides.
    pub fn step(&self, world: &World, action: Action) -> Option<(World, Happened)> {
        let mut happened = Happened::default();
        let next = self.with(|steps| steps.perform(world, action, &mut happened))?;
        Some((next, happened))
    }

    /// The failure that a state shows: of the step that led to it, if that failed.
    pub fn failed(&self, world: &World) -> Option<Failure> {
        (world.ids[0] != NONE).then(|| self.table.lock().failure(world.ids[0]).clone())
    }

    /// A place in the source.
    pub fn location(&self, span: Span) -> Option<Location> {
        let file = self.code().program.files.get(span.file as usize)?;
        (span.line > 0).then(|| Location { file: file.clone(), line: span.line, column: span.column })
    }

    fn violation(&self, failure: Failure) -> Violation {
        let property = match failure.fault.kind {
            FaultKind::Endless | FaultKind::TooDeep | FaultKind::TooLarge => Requirement::ApiContract,
            _ => Requirement::Assertion,
        };
        let message = match failure.fault.kind {
            FaultKind::Assertion => failure.fault.message,
            _ => format!("{}: {}", failure.machine, failure.fault.message),
        };
        Violation { property, message, location: self.location(failure.span), process: Some(failure.machine) }
    }

    /// The machines that wait in a receive statement, with the events that they wait for.
    pub fn blocked(&self, world: &World) -> Vec<(crate::names::NameId, Vec<String>)> {
        let code = self.code();
        self.with(|steps| {
            let slots: Vec<usize> = steps.slots(&world.ids).collect();
            let mut blocked = Vec::new();
            for slot in slots {
                let entry = steps.entry(&world.ids, slot);
                if entry.kind == Kind::Receive {
                    let events = code.awaited(&entry.local);
                    let names = events.iter().map(|&event| code.program.event(event).name.clone()).collect();
                    blocked.push((entry.local.name, names));
                }
            }
            blocked
        })
    }

    /// The numbers of the specs that are in a hot state.
    pub fn hot(&self, world: &World) -> Vec<usize> {
        self.with(|steps| {
            let specs = steps.specs;
            (0..specs).filter(|spec| steps.access.local(world.ids[1 + spec]).hot).collect()
        })
    }

    /// What is wrong with a state in which no machine can run: some machine waits in a receive statement, or some spec is in a hot state.
    fn wrong_at_rest(&self, world: &World) -> Option<Violation> {
        let suspicious = self.with(|steps| {
            let ids = &world.ids;
            let hot = (1..steps.first()).any(|slot| steps.access.local(ids[slot]).hot);
            let blocked = hot || steps.slots(ids).any(|slot| steps.access.local(ids[slot]).kind == Kind::Receive);
            blocked && steps.at_rest(ids)
        });
        if !suspicious {
            return None;
        }
        let blocked = self.blocked(world);
        let entries = self.table.lock();
        let (program, values) = (&self.code().program, &entries.values);
        if !blocked.is_empty() {
            let who: Vec<String> = blocked
                .iter()
                .map(|(name, events)| {
                    format!("{} waits for {}", show::machine(program, values, *name), events.join(" or "))
                })
                .collect();
            let message = format!("no machine can run, and {}", who.join(", and "));
            let process = blocked.first().map(|(name, _)| show::machine(program, values, *name));
            return Some(Violation { property: Requirement::Deadlock, message, location: None, process });
        }
        drop(entries);
        let spec = *self.hot(world).first()?;
        let local = self.with(|steps| steps.access.local(world.ids[1 + spec]).clone());
        let declared = self.code().program.machine(local.declaration);
        let state = &declared.states[local.local.state.index()];
        let message = format!("no machine can run, and the spec {} is in the hot state {}", declared.name, state.name);
        let property = Requirement::AtRest { name: format!("{} is not in a hot state", declared.name) };
        let location = self.location(state.span);
        Some(Violation { property, message, location, process: Some(declared.name.clone()) })
    }

    /// The state in words; equal states have equal words in every run.
    pub fn in_words(&self, world: &World) -> String {
        narrate::in_words(self, world)
    }

    /// The blocks that were executed so far in any run on this table, and the events that were handled, by machine and state; sorted.
    pub fn covered(&self) -> Covered {
        let entries = self.table.lock();
        let mut blocks: Vec<_> = entries.blocks().iter().copied().collect();
        let mut handled: Vec<_> = entries.handled().iter().copied().collect();
        blocks.sort_unstable();
        handled.sort_unstable();
        Covered { blocks, handled }
    }
}

/// What was executed so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Covered {
    /// Blocks of functions.
    pub blocks: Vec<(manyworlds_p_ir::FunctionId, manyworlds_p_ir::BlockId)>,
    /// Events that a machine or spec took in a state.
    pub handled: Vec<(manyworlds_p_ir::MachineId, manyworlds_p_ir::StateId, manyworlds_p_ir::EventId)>,
}

impl States for System {
    type State = World;
}

impl TransitionSystem for System {
    type Action = Action;

    fn initial(&self) -> Vec<World> {
        vec![self.with(|steps| steps.initial())]
    }

    fn actions(&self, world: &World, out: &mut Vec<Action>) {
        self.with(|steps| steps.actions(world, out));
    }

    fn next(&self, world: &World, action: &Action) -> Option<World> {
        self.with(|steps| steps.perform(world, *action, &mut Happened::default()))
    }

    fn properties(&self) -> Vec<StateProperty<System>> {
        Vec::new()
    }

    fn failure(&self, world: &World) -> Option<Violation> {
        match self.failed(world) {
            Some(failure) => Some(self.violation(failure)),
            None => self.wrong_at_rest(world),
        }
    }

    fn has_failed(&self, world: &World) -> bool {
        world.ids[0] != NONE || self.wrong_at_rest(world).is_some()
    }

    fn fingerprint(&self, world: &World) -> u128 {
        world.print
    }

    fn at_rest(&self, world: &World) -> bool {
        self.with(|steps| steps.at_rest(&world.ids))
    }

    fn persistent(&self, world: &World, actions: &mut [Action]) -> usize {
        persistent::persistent(self, world, actions)
    }

    fn local_stats(&self) -> Option<LocalStats> {
        Some(self.table.stats())
    }

    fn cycle_violates(&self, violation: &Violation, states: &[&World], from: usize) -> Option<bool> {
        liveness::shows(self, states, from, violation)
    }

    fn begin_trace(&self, processes: &[TraceProcess]) {
        *self.cast.borrow_mut() = Cast::known(processes);
    }

    fn trace_processes(&self) -> Vec<TraceProcess> {
        self.cast.borrow().processes()
    }

    fn trace_start(&self, _: &World) -> Vec<NarratedStep> {
        Vec::new()
    }

    fn trace_step(&self, before: &World, action: &Action, after: Option<&World>) -> Vec<NarratedStep> {
        after.map(|after| narrate::narrate(self, before, *action, after)).unwrap_or_default()
    }
}
