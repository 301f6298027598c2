//! What a handler can do. Nothing takes effect before the handler returns: sends enter the network then, in program order.

use crate::erased::Value;
use manyworlds_core::{Choices, Fingerprint, Pid, TraceNote, TraceValue, ValueTree};
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::Location;
use std::sync::Arc;

/// What a note says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NoteKind {
    /// An operation is invoked.
    Invoked,
    /// The operation that this actor invoked last returns.
    Returned,
    /// The operation takes effect here.
    Linearized,
    /// Words.
    Text,
}

/// Something a handler wants to have remembered in traces and histories.
#[derive(Clone, Debug)]
pub struct Note {
    /// What it says.
    pub kind: NoteKind,
    /// The operation, the response, the words.
    pub value: Arc<dyn Value>,
}

impl Note {
    /// The note as traces have it.
    pub fn in_trace(&self) -> TraceNote {
        let value = || {
            let id = Some(Fingerprint(self.value.print()));
            TraceValue { value: ValueTree::parse(&self.value.show()), id }
        };
        match self.kind {
            NoteKind::Invoked => TraceNote::Invoked(value()),
            NoteKind::Returned => TraceNote::Returned(value()),
            NoteKind::Linearized => TraceNote::Linearized(value()),
            NoteKind::Text => {
                TraceNote::Text(self.value.as_any().downcast_ref::<String>().cloned().unwrap_or_default())
            }
        }
    }
}

/// A message that a handler sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// To whom.
    pub to: Pid,
    /// What.
    pub message: Arc<dyn Value>,
    /// Where in the source.
    pub location: &'static Location<'static>,
}

/// What a handler can do, and what it did.
pub struct Context<'a> {
    me: Pid,
    /// Answers for the choices, in order; whoever asks for more gets the first option.
    script: &'a [u32],
    pub(crate) asked: Vec<u32>,
    pub(crate) answers: Vec<u32>,
    pub(crate) chosen: Vec<String>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) timers: Vec<&'static str>,
    pub(crate) notes: Vec<Note>,
    pub(crate) misuse: Option<String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(me: Pid, script: &'a [u32], timers: Vec<&'static str>) -> Context<'a> {
        Context {
            me,
            script,
            asked: Vec::new(),
            answers: Vec::new(),
            chosen: Vec::new(),
            sent: Vec::new(),
            timers,
            notes: Vec::new(),
            misuse: None,
        }
    }

    /// The id of this actor.
    pub fn me(&self) -> Pid {
        self.me
    }

    /// Sends a message.
    #[track_caller]
    pub fn send<M: Clone + Eq + Hash + Debug + Send + Sync + 'static>(&mut self, to: Pid, message: M) {
        self.sent.push(Sent { to, message: Arc::new(message), location: Location::caller() });
    }

    /// Sends a message to each of `to`, in order.
    #[track_caller]
    pub fn broadcast<'p, M: Clone + Eq + Hash + Debug + Send + Sync + 'static>(
        &mut self,
        to: impl IntoIterator<Item = &'p Pid>,
        message: M,
    ) {
        let message: Arc<dyn Value> = Arc::new(message);
        let location = Location::caller();
        self.sent.extend(to.into_iter().map(|&to| Sent { to, message: message.clone(), location }));
    }

    /// Sets a timer: it may go off at any time from now on, once. Setting it again changes nothing.
    pub fn set_timer(&mut self, timer: &'static str) {
        if !self.timers.contains(&timer) {
            self.timers.push(timer);
        }
    }

    /// Takes a timer back.
    pub fn cancel_timer(&mut self, timer: &'static str) {
        self.timers.retain(|&set| set != timer);
    }

    /// Whether a timer is set.
    pub fn timer_is_set(&self, timer: &'static str) -> bool {
        self.timers.contains(&timer)
    }

    /// Chooses one of the options: every one is explored.
    ///
    /// # Panics
    /// If there is nothing to choose from.
    #[track_caller]
    pub fn choose<C: Choices>(&mut self, options: C) -> C::Item
    where
        C::Item: Debug,
    {
        let count = options.count();
        assert!(count > 0, "there is nothing to choose from");
        let count = u32::try_from(count).expect("so many options can never be explored");
        let answer = self.script.get(self.asked.len()).copied().unwrap_or(0);
        self.asked.push(count);
        self.answers.push(answer);
        let item = options.option(answer as usize);
        self.chosen.push(format!("{item:?}"));
        item
    }

    /// Chooses between yes and no.
    #[track_caller]
    pub fn flip(&mut self) -> bool {
        self.choose([false, true])
    }

    /// Records that an operation is invoked.
    pub fn invoked<O: Clone + Eq + Hash + Debug + Send + Sync + 'static>(&mut self, operation: O) {
        self.notes.push(Note { kind: NoteKind::Invoked, value: Arc::new(operation) });
    }

    /// Records that the operation this actor invoked last returns.
    pub fn returned<R: Clone + Eq + Hash + Debug + Send + Sync + 'static>(&mut self, response: R) {
        self.notes.push(Note { kind: NoteKind::Returned, value: Arc::new(response) });
    }

    /// Records that an operation takes effect here.
    pub fn linearized<O: Clone + Eq + Hash + Debug + Send + Sync + 'static>(&mut self, operation: O) {
        self.notes.push(Note { kind: NoteKind::Linearized, value: Arc::new(operation) });
    }

    /// Records words for whoever reads the trace.
    pub fn note(&mut self, words: impl Into<String>) {
        self.notes.push(Note { kind: NoteKind::Text, value: Arc::new(words.into()) });
    }

    pub(crate) fn misused(&mut self, problem: String) {
        self.misuse.get_or_insert(problem);
    }
}
