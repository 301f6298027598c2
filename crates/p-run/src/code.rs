//! A program prepared for one test.

use crate::live::Live;
use crate::local::{Local, Status};
use manyworlds_p_ir::{
    Attached, Body, EventId, EventSetId, Flaw, FunctionId, InterfaceId, MachineId, Op, Program, StateId, Test, validate,
};
use rustc_hash::FxHashSet;
use std::fmt;
use std::sync::Arc;

/// Why a test cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unusable {
    /// The program has no test of this name; these are there.
    NoTest {
        /// The name.
        name: String,
        /// The names of all tests.
        tests: Vec<String>,
    },
    /// The program is not valid.
    Invalid(Vec<Flaw>),
    /// The test calls these foreign functions, which nothing defines.
    Foreign(Vec<String>),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::NoTest { name, tests } => {
                write!(f, "there is no test `{name}`; the tests are: {}", tests.join(", "))
            }
            Unusable::Invalid(flaws) => {
                let flaws: Vec<String> = flaws.iter().map(Flaw::to_string).collect();
                write!(f, "the program is not valid: {}", flaws.join("; "))
            }
            Unusable::Foreign(names) => {
                write!(f, "the test calls foreign functions, which are not defined: {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for Unusable {}

/// What a state does with the events of its inbox.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Take {
    /// Takes it.
    Take,
    /// Leaves it where it is.
    Skip,
    /// Removes it.
    Drop,
}

/// The bounds of what a handler may do without letting another machine run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most instructions: a handler that executes more is taken for an endless loop.
    pub instructions: u32,
    /// The most calls that can be open.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { instructions: 1_000_000, calls: 100_000 }
    }
}

/// A program with one of its tests, and what is known about it before it runs.
pub struct Code {
    /// The program.
    pub program: Arc<Program>,
    /// The test.
    pub test: Test,
    /// The bounds of handlers.
    pub limits: Limits,
    /// Live locals, by function.
    pub live: Vec<Live>,
}

impl Code {
    /// Prepares a test.
    pub fn new(program: Arc<Program>, test: &str, limits: Limits) -> Result<Code, Unusable> {
        let flaws = validate(&program);
        if !flaws.is_empty() {
            return Err(Unusable::Invalid(flaws));
        }
        let Some(test) = program.test(test).cloned() else {
            let tests = program.tests.iter().map(|test| test.name.clone()).collect();
            return Err(Unusable::NoTest { name: test.to_string(), tests });
        };
        let foreign = foreign(&program, &test);
        if !foreign.is_empty() {
            return Err(Unusable::Foreign(foreign));
        }
        let live = program.functions.iter().map(Live::new).collect();
        Ok(Code { program, test, limits, live })
    }

    /// The machine that `new interface` creates in a machine that was created through `creator`, and the interface of the new machine.
    pub fn creates(&self, creator: InterfaceId, wanted: InterfaceId) -> Option<(InterfaceId, MachineId)> {
        let made = self.test.made(creator, wanted);
        Some((made, self.test.machine(made)?))
    }

    /// The specs that observe an event that a machine created through this interface sends, by their number.
    pub fn observers(&self, interface: InterfaceId, event: EventId) -> impl Iterator<Item = usize> + '_ {
        let observes = move |attached: &Attached| {
            attached.observes(interface) && self.program.machine(attached.spec).observes.binary_search(&event).is_ok()
        };
        self.test.specs.iter().enumerate().filter(move |(_, attached)| observes(attached)).map(|(n, _)| n)
    }

    /// What a machine in this state does with an event of its inbox.
    pub fn take(&self, machine: MachineId, state: StateId, event: EventId) -> Take {
        use manyworlds_p_ir::Handler;
        match self.program.machine(machine).states[state.index()].handler(event) {
            Some(Handler::Defer) => Take::Skip,
            Some(Handler::Ignore) => Take::Drop,
            _ => Take::Take,
        }
    }

    /// Whether the state has a handler for `null`.
    pub fn handles_null(&self, machine: MachineId, state: StateId) -> bool {
        self.program.machine(machine).states[state.index()].handler(EventId::NULL).is_some()
    }

    /// The events that a machine that was left at a receive waits for; `halt` is always one of them.
    pub fn awaited(&self, local: &Local) -> Vec<EventId> {
        let Status::Left(_, continuation) = &local.status else { return Vec::new() };
        let Some(frame) = continuation.frames.last() else { return Vec::new() };
        let block = self.program.function(frame.function).block(frame.block);
        let manyworlds_p_ir::Terminator::Receive(cases) = &block.end else { return Vec::new() };
        let mut events: Vec<EventId> = cases.iter().map(|case| case.event).filter(|&e| e != EventId::NULL).collect();
        events.push(EventId::HALT);
        events.sort_unstable();
        events.dedup();
        events
    }

    /// The events that a machine may receive.
    pub fn receives(&self, machine: MachineId) -> EventSetId {
        self.program.machine(machine).receives
    }
}

/// The foreign functions that the machines and specs of a test may call, sorted.
fn foreign(program: &Program, test: &Test) -> Vec<String> {
    let mut todo: Vec<FunctionId> = Vec::new();
    let machines = test.bindings.iter().map(|(_, machine)| *machine);
    for machine in machines.chain(test.specs.iter().map(|attached| attached.spec)) {
        for state in &program.machine(machine).states {
            todo.extend(state.entry);
            todo.extend(state.exit);
            todo.extend(state.handlers.iter().filter_map(|(_, handler)| match handler {
                manyworlds_p_ir::Handler::Do(function) => Some(*function),
                manyworlds_p_ir::Handler::Goto { with, .. } => *with,
                _ => None,
            }));
        }
    }
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        let function = program.function(id);
        if function.body == Body::Foreign {
            found.push(function.name.clone());
        }
        for instruction in function.blocks().iter().flat_map(|block| &block.instructions) {
            if let Op::Call { function, .. } = instruction.op {
                todo.push(function);
            }
        }
    }
    found.sort();
    found
}
