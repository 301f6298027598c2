//! Monitors given by tables.

use manyworlds_actor::{Monitor, Observed, ObservedEvent};
use manyworlds_core::{Pid, Temperature};

/// The number of classes of events.
pub const CLASSES: usize = 13;

/// The class of an event: what happens, and the tag of the message or the number of the note.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Receives(u8),
    Sends(u8),
    Enqueues(u8),
    Creates,
    Records(u8),
    Halts,
}

impl Class {
    pub fn number(self) -> usize {
        match self {
            Class::Receives(tag) => usize::from(tag),
            Class::Sends(tag) => 3 + usize::from(tag),
            Class::Enqueues(tag) => 6 + usize::from(tag),
            Class::Creates => 9,
            Class::Records(n) => 10 + usize::from(n),
            Class::Halts => 12,
        }
    }
}

/// A monitor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// The classes that it observes.
    pub observes: Vec<bool>,
    /// Only what the first actor does.
    pub first_only: bool,
    /// For each state and class the next state; `None`: it fails.
    pub next: Vec<Vec<Option<u8>>>,
    pub temperatures: Vec<Temperature>,
}

impl Automaton {
    pub fn sees(&self, by_first: bool, class: Class) -> bool {
        self.observes[class.number()] && (by_first || !self.first_only)
    }
}

fn class(event: &Observed<'_>) -> Class {
    let tag = |message: &dyn manyworlds_actor::Value| *message.as_any().downcast_ref::<u8>().expect("a tag");
    match event.event {
        ObservedEvent::Receives { message, .. } => Class::Receives(tag(message)),
        ObservedEvent::Sends { message, .. } => Class::Sends(tag(message)),
        ObservedEvent::Enqueues { message, .. } => Class::Enqueues(tag(message)),
        ObservedEvent::Creates { .. } => Class::Creates,
        ObservedEvent::Records { value, .. } => {
            let words = value.as_any().downcast_ref::<String>().expect("a note");
            Class::Records(words.parse().expect("a number"))
        }
        ObservedEvent::Halts => Class::Halts,
    }
}

impl Monitor for Automaton {
    type State = u8;

    fn start(&self) -> u8 {
        0
    }

    fn observes(&self, event: &Observed<'_>) -> bool {
        self.sees(event.by == Pid::root(0), class(event))
    }

    fn step(&self, state: &mut u8, event: &Observed<'_>) -> Result<(), String> {
        let class = class(event);
        let next = self.next[usize::from(*state)][class.number()];
        *state = next.ok_or_else(|| format!("{class:?} in state {state}"))?;
        Ok(())
    }

    fn temperature(&self, state: &u8) -> Temperature {
        self.temperatures[usize::from(*state)]
    }
}
