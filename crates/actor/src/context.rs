//! The actions available to a handler. Nothing takes effect before the handler returns: its messages enter the network then, in program
//! order.

use crate::address::Recipient;
use crate::creation::Spawned;
use crate::erased::Value;
use manyworlds_core::{Choices, Fingerprint, Pid, TraceNote, TraceValue, ValueTree};
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::Location;
use std::sync::Arc;

/// The kind of a note.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NoteKind {
    /// An operation is invoked.
    Invoked,
    /// The operation that this actor invoked last returns.
    Returned,
    /// The operation takes effect here.
    Linearized,
    /// Any other value, for monitors.
    Recorded,
    /// A text.
    Text,
}

/// An entry that a handler adds to traces and histories.
#[derive(Clone, Debug)]
pub struct Note {
    /// Its kind.
    pub kind: NoteKind,
    /// The operation, the response or the text.
    pub value: Arc<dyn Value>,
}

impl Note {
    /// The note as it appears in traces.
    pub fn in_trace(&self) -> TraceNote {
        let value = || {
            let id = Some(Fingerprint(self.value.print()));
            TraceValue { value: ValueTree::parse(&self.value.show()), id }
        };
        match self.kind {
            NoteKind::Invoked => TraceNote::Invoked(value()),
            NoteKind::Returned => TraceNote::Returned(value()),
            NoteKind::Linearized => TraceNote::Linearized(value()),
            NoteKind::Recorded => TraceNote::Text(self.value.show()),
            NoteKind::Text => {
                TraceNote::Text(self.value.as_any().downcast_ref::<String>().cloned().unwrap_or_default())
            }
        }
    }
}

/// A message that a handler sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The destination.
    pub to: Pid,
    /// The message.
    pub message: Arc<dyn Value>,
    /// The source location of the send.
    pub location: &'static Location<'static>,
}

/// The interface of a handler to the system, and the record of what the handler did.
pub struct Context<'a> {
    me: Pid,
    /// The options to take at the choices of the handler, in order; at further choices the first option is taken.
    script: &'a [u32],
    pub(crate) arities: Vec<u32>,
    pub(crate) answers: Vec<u32>,
    pub(crate) chosen: Vec<String>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) timers: Vec<&'static str>,
    pub(crate) notes: Vec<Note>,
    pub(crate) misuse: Option<String>,
    /// The actors that the handler creates, and how many its actor has created before.
    pub(crate) spawned: Vec<Spawned>,
    pub(crate) spawned_before: u32,
    pub(crate) halts: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(me: Pid, script: &'a [u32], timers: Vec<&'static str>) -> Context<'a> {
        Context {
            me,
            script,
            arities: Vec::new(),
            answers: Vec::new(),
            chosen: Vec::new(),
            sent: Vec::new(),
            timers,
            notes: Vec::new(),
            misuse: None,
            spawned: Vec::new(),
            spawned_before: 0,
            halts: false,
        }
    }

    /// The id of this actor.
    pub fn me(&self) -> Pid {
        self.me
    }

    /// Sends a message to an [`Address`](crate::Address), or to the sender of the message that is handled. The receiver must handle
    /// messages of this type: for an address the compiler checks that; a send to a [`Pid`] is checked when the handler returns.
    #[track_caller]
    pub fn send<M: Clone + Eq + Hash + Debug + Send + Sync + 'static>(&mut self, to: impl Recipient<M>, message: M) {
        self.sent.push(Sent { to: to.id(), message: Arc::new(message), location: Location::caller() });
    }

    /// Sends a message to each of `to`, in order.
    #[track_caller]
    pub fn broadcast<M: Clone + Eq + Hash + Debug + Send + Sync + 'static, R: Recipient<M>>(
        &mut self,
        to: impl IntoIterator<Item = R>,
        message: M,
    ) {
        let message: Arc<dyn Value> = Arc::new(message);
        let location = Location::caller();
        self.sent.extend(to.into_iter().map(|to| Sent { to: to.id(), message: message.clone(), location }));
    }

    /// Sets a timer: it may expire at any time from now on, once. Setting it again has no effect.
    pub fn set_timer(&mut self, timer: &'static str) {
        if !self.timers.contains(&timer) {
            self.timers.push(timer);
        }
    }

    /// Cancels a timer.
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
    /// If there are no options.
    #[track_caller]
    pub fn choose<C: Choices>(&mut self, options: C) -> C::Item
    where
        C::Item: Debug,
    {
        let count = options.count();
        assert!(count > 0, "there is nothing to choose from");
        let count = u32::try_from(count).expect("so many options can never be explored");
        let answer = self.script.get(self.arities.len()).copied().unwrap_or(0);
        self.arities.push(count);
        self.answers.push(answer);
        let item = options.option(answer as usize);
        self.chosen.push(format!("{item:?}"));
        item
    }

    /// Chooses between `false` and `true`.
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

    /// Records a value for monitors; it is shown in traces, too.
    pub fn record<R: Clone + Eq + Hash + Debug + Send + Sync + 'static>(&mut self, value: R) {
        self.notes.push(Note { kind: NoteKind::Recorded, value: Arc::new(value) });
    }

    /// Records a text that is shown in traces.
    pub fn note(&mut self, words: impl Into<String>) {
        self.notes.push(Note { kind: NoteKind::Text, value: Arc::new(words.into()) });
    }

    pub(crate) fn misused(&mut self, problem: String) {
        self.misuse.get_or_insert(problem);
    }
}
