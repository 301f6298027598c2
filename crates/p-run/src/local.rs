//! The local state of a machine or a spec: a plain value, with the continuation of a handler that was left.

use crate::names::NameId;
use crate::value::{Val, Values};
use manyworlds_explore::fingerprint;
use manyworlds_p_ir::{BlockId, EventId, EventSetId, FunctionId, InterfaceId, LocalId, StateId};

/// An event with its payload.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Message {
    /// The event.
    pub event: EventId,
    /// The payload.
    pub payload: Val,
}

/// A local state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// The machine.
    pub name: NameId,
    /// The control state; the start state before the machine has started.
    pub state: StateId,
    /// The fields; empty before the machine has started, and after it has halted.
    pub fields: Box<[Val]>,
    /// Where it is.
    pub status: Status,
}

/// Where a machine is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// It was created with this payload, and has not started.
    New(Val),
    /// It waits for an event of its inbox.
    Ready,
    /// It found no event, and will run the handler for `null`.
    Null,
    /// A handler was left.
    Left(Wait, Continuation),
    /// It has halted.
    Halted,
}

/// Why a handler was left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// The message was observed by the specs and will be put into the inbox of this machine.
    Send(NameId, Message),
    /// A machine will be created.
    New {
        /// The interface through which it is created.
        interface: InterfaceId,
        /// The events that may be sent through the reference.
        permission: EventSetId,
        /// The payload of its entry function.
        payload: Val,
        /// Where the reference goes.
        to: Option<LocalId>,
    },
    /// It waits for an event of its receive statement.
    Receive,
    /// It makes a choice. Other machines cannot run before.
    Choice,
}

/// What remains to be done of a handler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Continuation {
    /// The functions that were called, the innermost last.
    pub frames: Box<[Frame]>,
    /// What follows when they have returned.
    pub rest: Box<[Task]>,
}

/// A function that was called.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// How many instructions of the block were executed.
    pub at: u32,
    /// The values of its locals.
    pub locals: Box<[Val]>,
    /// Where its result goes in the function that called it.
    pub to: Option<LocalId>,
}

/// A part of what a machine does with an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Task {
    /// Runs the exit function of the state.
    Exit,
    /// Runs a function with this payload.
    Run(FunctionId, Val),
    /// Changes the state and runs its entry function with this payload.
    Enter(StateId, Val),
    /// Halts.
    Halt,
    /// Fails, because the event cannot be handled.
    Unhandled(EventId),
}

impl Local {
    /// The machines that it refers to.
    pub fn mentions(&self, values: &Values) -> Box<[NameId]> {
        let mut found: Vec<NameId> = Vec::new();
        let mut see = |value: Val| found.extend_from_slice(values.mentions(value));
        self.fields.iter().for_each(|&value| see(value));
        match &self.status {
            Status::New(payload) => see(*payload),
            Status::Left(wait, continuation) => {
                for frame in &continuation.frames {
                    frame.locals.iter().for_each(|&value| see(value));
                }
                for task in &continuation.rest {
                    if let Task::Run(_, payload) | Task::Enter(_, payload) = task {
                        see(*payload);
                    }
                }
                match wait {
                    Wait::Send(target, message) => {
                        see(message.payload);
                        found.push(*target);
                    }
                    Wait::New { payload, .. } => see(*payload),
                    Wait::Receive | Wait::Choice => {}
                }
            }
            Status::Ready | Status::Null | Status::Halted => {}
        }
        found.sort_unstable_by_key(|name| name.0);
        found.dedup();
        found.into()
    }

    /// The fingerprint of the content.
    pub fn print(&self, values: &Values) -> u128 {
        let of = |value: Val| values.print(value);
        let fields: Vec<u128> = self.fields.iter().map(|&value| of(value)).collect();
        let status = match &self.status {
            Status::New(payload) => fingerprint::of(&(0u8, of(*payload))),
            Status::Ready => fingerprint::of(&1u8),
            Status::Null => fingerprint::of(&2u8),
            Status::Left(wait, continuation) => {
                fingerprint::of(&(3u8, wait_print(wait, values), continuation_print(continuation, values)))
            }
            Status::Halted => fingerprint::of(&4u8),
        };
        fingerprint::of(&("local", values.names.print(self.name), self.state.0, fields, status))
    }
}

fn wait_print(wait: &Wait, values: &Values) -> u128 {
    match *wait {
        Wait::Send(target, Message { event, payload }) => {
            fingerprint::of(&(0u8, values.names.print(target), event.0, values.print(payload)))
        }
        Wait::New { interface, permission, payload, to } => {
            fingerprint::of(&(1u8, interface.0, permission.0, values.print(payload), to.map(|to| to.0)))
        }
        Wait::Receive => fingerprint::of(&2u8),
        Wait::Choice => fingerprint::of(&3u8),
    }
}

fn continuation_print(continuation: &Continuation, values: &Values) -> u128 {
    let frame = |frame: &Frame| {
        let locals: Vec<u128> = frame.locals.iter().map(|&value| values.print(value)).collect();
        (frame.function.0, frame.block.0, frame.at, locals, frame.to.map(|to| to.0))
    };
    let task = |task: &Task| match *task {
        Task::Exit => (0u8, 0, 0),
        Task::Run(function, payload) => (1, function.0, values.print(payload)),
        Task::Enter(state, payload) => (2, state.0, values.print(payload)),
        Task::Halt => (3, 0, 0),
        Task::Unhandled(event) => (4, event.0, 0),
    };
    let frames: Vec<_> = continuation.frames.iter().map(frame).collect();
    let rest: Vec<_> = continuation.rest.iter().map(task).collect();
    fingerprint::of(&(frames, rest))
}
