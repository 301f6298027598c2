//! Programs: declarations, and the tests with what they run.

use crate::code::{Function, Span};
use crate::ids::{EnumId, EventId, EventSetId, FunctionId, InterfaceId, MachineId, ParamId, StateId, TypeId};
use crate::types::Types;

/// A program: everything that a test can run.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The names of source files; a [`Span`] refers to them.
    pub files: Vec<String>,
    /// The types.
    pub types: Types,
    /// The enums.
    pub enums: Vec<Enum>,
    /// The names of foreign types.
    pub foreign_types: Vec<String>,
    /// The events. The first two are `null` and `halt`.
    pub events: Vec<Event>,
    /// The interfaces. Every machine that is not a spec declares one of its own name.
    pub interfaces: Vec<Interface>,
    /// The machines, specs and scenarios.
    pub machines: Vec<Machine>,
    /// The functions, those of machines and anonymous handlers included.
    pub functions: Vec<Function>,
    /// The global test parameters.
    pub params: Vec<Variable>,
    /// The tests. Each instance of a parametrised test is one of them.
    pub tests: Vec<Test>,
}

/// An enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// The elements with their numbers, in the order of the declaration.
    pub elements: Vec<(String, i64)>,
}

impl Enum {
    /// The default value: the element with the least number.
    pub fn least(&self) -> i64 {
        self.elements.iter().map(|(_, number)| *number).min().unwrap_or(0)
    }
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// The type of its payload.
    pub payload: Option<TypeId>,
    /// Where it is declared.
    pub span: Span,
}

/// An interface: what `new` creates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// The type of the payload of `new`.
    pub payload: Option<TypeId>,
    /// The events that may be sent to a machine that is created through it.
    pub receives: EventSetId,
    /// Where it is declared.
    pub span: Span,
}

/// A variable: a field, a parameter or a local.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// What kind of machine a declaration declares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MachineKind {
    /// A machine.
    Machine,
    /// A spec: observes events.
    Spec,
    /// A coverage monitor: observes events, is attached to every test and makes no claim about liveness.
    Scenario,
}

/// A machine, a spec or a scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MachineKind,
    /// Its fields.
    pub fields: Vec<Variable>,
    /// Its states.
    pub states: Vec<State>,
    /// The state in which it starts.
    pub start: StateId,
    /// The events that it may receive.
    pub receives: EventSetId,
    /// The events that it may send.
    pub sends: EventSetId,
    /// The events that a spec observes, sorted.
    pub observes: Vec<EventId>,
    /// Where it is declared.
    pub span: Span,
}

/// The temperature of a state of a spec.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Temperature {
    /// Neither hot nor cold.
    #[default]
    Warm,
    /// Something must still happen.
    Hot,
    /// Nothing must happen.
    Cold,
}

/// A state of a machine.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// Its temperature.
    pub temperature: Temperature,
    /// The entry function, with at most one parameter.
    pub entry: Option<FunctionId>,
    /// The exit function, without a parameter.
    pub exit: Option<FunctionId>,
    /// The handlers, sorted by event; `null` is one of the events.
    pub handlers: Vec<(EventId, Handler)>,
    /// Where it is declared.
    pub span: Span,
}

impl State {
    /// A state without handlers.
    pub fn new(name: impl Into<String>) -> State {
        State {
            name: name.into(),
            temperature: Temperature::Warm,
            entry: None,
            exit: None,
            handlers: Vec::new(),
            span: Span::default(),
        }
    }

    /// The handler for an event.
    pub fn handler(&self, event: EventId) -> Option<Handler> {
        let at = self.handlers.binary_search_by_key(&event, |(event, _)| *event).ok()?;
        Some(self.handlers[at].1)
    }

    /// Adds a handler, and keeps the table sorted. Whether there was none for this event.
    pub fn on(&mut self, event: EventId, handler: Handler) -> bool {
        match self.handlers.binary_search_by_key(&event, |(event, _)| *event) {
            Ok(_) => false,
            Err(at) => {
                self.handlers.insert(at, (event, handler));
                true
            }
        }
    }
}

/// What a state does with an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Handler {
    /// Runs a function, with at most one parameter.
    Do(FunctionId),
    /// Runs the exit function, then `with`, changes the state, and runs the entry function of the new state.
    Goto {
        /// The new state.
        target: StateId,
        /// The transition function, with at most one parameter.
        with: Option<FunctionId>,
    },
    /// Leaves the event where it is.
    Defer,
    /// Removes the event.
    Ignore,
}

/// A value that is known before the program runs.
#[derive(Clone, PartialEq, Debug)]
pub enum Const {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    String(String),
    /// An element of an enum, by its number.
    Enum(EnumId, i64),
    /// An event.
    Event(EventId),
}

/// A test: what runs, and what is observed. The operations of modules are resolved.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// Its name; an instance of a parametrised test has one of its own.
    pub name: String,
    /// The interface that is created first, without a payload.
    pub main: InterfaceId,
    /// The machine that each interface of the test creates, sorted by interface.
    pub bindings: Vec<(InterfaceId, MachineId)>,
    /// Where `new` of a machine that was itself created through `creator` makes something else than what is written.
    pub links: Vec<Link>,
    /// The specs and scenarios, in the order in which they are attached.
    pub specs: Vec<Attached>,
    /// The values of test parameters; the others have the default value of their type.
    pub params: Vec<(ParamId, Const)>,
    /// Where it is declared.
    pub span: Span,
}

impl Test {
    /// The machine that an interface creates.
    pub fn machine(&self, interface: InterfaceId) -> Option<MachineId> {
        self.bindings.iter().find(|(bound, _)| *bound == interface).map(|(_, machine)| *machine)
    }

    /// The interface that `new wanted` creates in a machine that was created through `creator`.
    pub fn made(&self, creator: InterfaceId, wanted: InterfaceId) -> InterfaceId {
        let link = self.links.iter().find(|link| (link.creator, link.wanted) == (creator, wanted));
        link.map_or(wanted, |link| link.made)
    }
}

/// The effect of `rename` and `hidei`: in a machine created through `creator`, `new wanted` creates `made`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The interface through which the creating machine was created.
    pub creator: InterfaceId,
    /// The interface in the source.
    pub wanted: InterfaceId,
    /// The interface that is created.
    pub made: InterfaceId,
}

/// A spec that is attached to a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attached {
    /// The spec or scenario.
    pub spec: MachineId,
    /// The interfaces of the machines whose sends and announcements it observes, sorted; `None` if it observes all.
    pub scope: Option<Vec<InterfaceId>>,
}

impl Attached {
    /// Whether it observes what a machine created through this interface sends.
    pub fn observes(&self, interface: InterfaceId) -> bool {
        self.scope.as_ref().is_none_or(|scope| scope.contains(&interface))
    }
}

impl Default for Program {
    fn default() -> Program {
        Program::new()
    }
}

impl Program {
    /// A program that declares nothing but the events `null` and `halt`.
    pub fn new() -> Program {
        let event = |name: &str| Event { name: name.to_string(), payload: None, span: Span::default() };
        Program {
            files: Vec::new(),
            types: Types::default(),
            enums: Vec::new(),
            foreign_types: Vec::new(),
            events: vec![event("null"), event("halt")],
            interfaces: Vec::new(),
            machines: Vec::new(),
            functions: Vec::new(),
            params: Vec::new(),
            tests: Vec::new(),
        }
    }

    /// The declaration of a machine.
    pub fn machine(&self, id: MachineId) -> &Machine {
        &self.machines[id.index()]
    }

    /// The declaration of an event.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The declaration of an interface.
    pub fn interface(&self, id: InterfaceId) -> &Interface {
        &self.interfaces[id.index()]
    }

    /// The test with this name.
    pub fn test(&self, name: &str) -> Option<&Test> {
        self.tests.iter().find(|test| test.name == name)
    }
}
