//! The handler that is currently running. A handler runs once for each (local state, input), so storing references to its actor and its
//! input costs little; they are formatted only when they are reported.

use crate::erased::{Event, Value};
use manyworlds_core::running::{Call, UserCode};
use std::sync::{Arc, Mutex, PoisonError};

/// The input of a call of user code.
pub enum Called {
    /// The actor starts.
    Start,
    /// The actor restarts after a crash.
    Restart,
    /// A timer expired.
    Timer(&'static str),
    /// A message, and the name of the actor that sent it.
    Message(String, Arc<dyn Value>),
    /// The user code that returns the part of the state that survives a crash.
    Durable,
}

impl Called {
    /// The handler for `event`; if that is a message, `sent` is the name of its sender and the message.
    pub fn new(event: Event<'_>, sent: Option<(String, Arc<dyn Value>)>) -> Called {
        match (event, sent) {
            (Event::Message(..), Some((from, message))) => Called::Message(from, message),
            (Event::Timer(timer), _) => Called::Timer(timer),
            (Event::Restart, _) => Called::Restart,
            _ => Called::Start,
        }
    }

    fn words(&self) -> String {
        match self {
            Called::Start => "`start`".to_string(),
            Called::Restart => "`restart`".to_string(),
            Called::Timer(timer) => format!("the handler of timer `{timer}`"),
            Called::Message(from, message) => format!("the handler of message `{}` from `{from}`", message.show()),
            Called::Durable => "`durable`".to_string(),
        }
    }
}

/// The handler that is running, if any. The table runs one at a time.
#[derive(Default)]
pub struct Handlers(Mutex<(u64, Option<(String, Called)>)>);

impl Handlers {
    /// Runs `f`, which calls a handler of the actor with this name and does not unwind.
    pub fn note<R>(&self, actor: &str, called: Called, f: impl FnOnce() -> R) -> R {
        {
            let (number, current) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *number += 1;
            *current = Some((actor.to_string(), called));
        }
        let result = f();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = None;
        result
    }
}

impl UserCode for Handlers {
    fn running(&self) -> Option<Call> {
        let (number, current) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (actor, called) = current.as_ref()?;
        Some(Call { number: *number, what: format!("actor `{actor}`: {}", called.words()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_named_while_it_runs() {
        let handlers = Handlers::default();
        let ping = || Called::Message("client".to_string(), Arc::new(Some(7u8)));
        let call = handlers.note("server", ping(), || handlers.running());
        let what = "actor `server`: the handler of message `Some(7)` from `client`".to_string();
        assert_eq!(call, Some(Call { number: 1, what }));
        let call = handlers.note("server", Called::Timer("retry"), || handlers.running());
        assert_eq!(call.map(|call| call.number), Some(2));
        assert_eq!(handlers.running(), None);
    }
}
