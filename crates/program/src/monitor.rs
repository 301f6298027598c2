//! Monitors (Must §2.3.6, §5): processes that watch what is sent and object.
//!
//! A monitor is told about messages of the types it observes, just before they are sent, under causal delivery, so it sees causally ordered
//! sends in their order and all orders of concurrent ones. Its filter is asked in the sender: a message that it drops costs nothing, not
//! even an event. When nobody can go on any more, the monitor is told and makes its last check.
//!
//! Declare one with `#[manyworlds::monitor(TypeA, TypeB, at_end = method)]` on a struct and implement [`Observe`] for each type.

use crate::api::ask_message;
use crate::context::{Ctx, Template, quietly};
use crate::trie::Loc;
use crate::values::{Message, Value, show};
use manyworlds_core::{Network, OBS_END, Pid, ProcessRole, TraceMessage, TraceNote, TraceValue, ValueTree};
use std::any::{Any, TypeId};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// A process that watches. Implemented by `#[manyworlds::monitor(…)]`.
pub trait Monitor: Sized + 'static {
    /// What it observes.
    fn subscriptions() -> Vec<Subscription<Self>>;

    /// Called when the run is over; panics if something is missing.
    fn at_end(&mut self) {}
}

/// How a monitor observes messages of type `M`.
pub trait Observe<M: Message>: Monitor {
    /// Whether it wants to see this message. Asked in the sender; must depend on the arguments only.
    fn filter(seen: &Observed<'_, M>) -> bool {
        let _ = seen;
        true
    }

    /// Sees a message that is about to be sent; panics if it must not be.
    fn notify(&mut self, seen: &Observed<'_, M>);
}

/// A message that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a, M> {
    /// Who sends it.
    pub from: Pid,
    /// Who is to get it.
    pub to: Pid,
    /// What it says.
    pub message: &'a M,
}

/// A monitor's interest in one type of message.
pub struct Subscription<S> {
    watch: Watch,
    notify: fn(&mut S, &Note),
}

#[derive(Clone, Copy)]
struct Watch {
    kind: TypeId,
    wants: fn(Pid, Pid, &dyn Any) -> bool,
}

impl<S> Subscription<S> {
    /// Interest in messages of type `M`.
    pub fn to<M: Message>() -> Subscription<S>
    where
        S: Observe<M>,
    {
        let wants = |from, to, message: &dyn Any| {
            message.downcast_ref::<M>().is_some_and(|message| S::filter(&Observed { from, to, message }))
        };
        let notify = |state: &mut S, note: &Note| {
            if let Some(message) = note.message.as_any().downcast_ref::<M>() {
                state.notify(&Observed { from: note.from, to: note.to, message });
            }
        };
        Subscription { watch: Watch { kind: TypeId::of::<M>(), wants }, notify }
    }
}

/// A monitor and how to start it.
#[derive(Clone)]
pub struct MonitorSpec {
    /// Its name in traces.
    pub name: String,
    /// What it is for: it observes messages, or it judges a history.
    pub role: ProcessRole,
    /// How it is told.
    network: Network,
    watches: Vec<Watch>,
    start: Arc<dyn Fn(Network) -> Rc<dyn Template> + Send + Sync>,
}

impl MonitorSpec {
    /// A monitor that starts as `make()` in every execution.
    pub fn new<S: Monitor>(make: impl Fn() -> S + Send + Sync + 'static) -> MonitorSpec {
        let make = Arc::new(make);
        let name = std::any::type_name::<S>().rsplit("::").next().unwrap_or("monitor").to_string();
        MonitorSpec {
            name,
            role: ProcessRole::Monitor,
            network: Network::Cd,
            watches: S::subscriptions().iter().map(|s| s.watch).collect(),
            start: Arc::new(move |network| Rc::new(Watching { make: make.clone(), network })),
        }
    }

    /// Under another name.
    pub fn named(mut self, name: impl Into<String>) -> MonitorSpec {
        self.name = name.into();
        self
    }

    /// The monitor that judges the history which processes record.
    pub fn of_history(mut self) -> MonitorSpec {
        self.role = ProcessRole::History;
        self
    }

    /// Told in the order in which things happen, of all orders in which they may: under mbox, whose one order of all sends is also that of every
    /// other mailbox. Causal order, which monitors are told in otherwise, knows nothing of what mailboxes order.
    pub fn in_real_time(mut self) -> MonitorSpec {
        self.network = Network::Mbox;
        self
    }

    pub(crate) fn template(&self) -> Rc<dyn Template> {
        (self.start)(self.network)
    }

    pub(crate) fn watcher(&self, pid: Pid) -> Watcher {
        Watcher { pid, network: self.network, watches: self.watches.clone() }
    }
}

/// The code of a monitor.
struct Watching<F> {
    make: Arc<F>,
    network: Network,
}

impl<S: Monitor, F: Fn() -> S> Template for Watching<F> {
    fn run(&self, ctx: &Ctx) -> u32 {
        let mut state = (self.make)();
        let subscriptions = S::subscriptions();
        loop {
            let loc = Location::caller();
            let obs = ask_message::<Note, fn(&Note) -> bool>(ctx, self.network, true, None, loc);
            if obs == OBS_END {
                state.at_end();
                return ctx.intern(());
            }
            let note: Note = ctx.copy(obs);
            for subscription in subscriptions.iter().filter(|s| s.watch.kind == note.message.as_any().type_id()) {
                (subscription.notify)(&mut state, &note);
            }
        }
    }
}

/// A monitor as senders see it.
pub struct Watcher {
    pid: Pid,
    network: Network,
    watches: Vec<Watch>,
}

/// Tells the monitors that want to know that `message` is about to be sent.
#[inline]
pub fn notify<M: Message>(ctx: &Ctx, to: Pid, message: &M, what: Recorded, loc: Loc) {
    for watcher in &ctx.shared.monitors {
        let kind = TypeId::of::<M>();
        if watcher.watches.iter().any(|w| w.kind == kind && quietly(|| (w.wants)(ctx.pid(), to, message))) {
            let note = Note { from: ctx.pid(), to, what, message: Rc::new(quietly(|| message.clone())) };
            ctx.send(watcher.pid, note, watcher.network, loc);
        }
    }
}

/// What a note records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Recorded {
    /// Nothing of a history.
    Nothing,
    /// An operation is invoked.
    Invocation,
    /// An operation returns.
    Response,
}

/// A value as a message of a trace.
pub(crate) fn message(value: &dyn Value) -> TraceMessage {
    match value.downcast::<Note>() {
        Some(note) => note.message(),
        None => TraceMessage::shown(&value.show()),
    }
}

/// What a monitor is sent.
#[derive(Clone)]
struct Note {
    from: Pid,
    to: Pid,
    what: Recorded,
    message: Rc<dyn Seen>,
}

/// A message whose type is forgotten, but not how to compare it.
trait Seen {
    fn as_any(&self) -> &dyn Any;
    fn same(&self, other: &dyn Any) -> bool;
    fn digest(&self, state: &mut dyn Hasher);
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<M: Message> Seen for M {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<M>() == Some(self)
    }

    fn digest(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }

    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Note {
    fn message(&self) -> TraceMessage {
        struct Shown<'n>(&'n dyn Seen);
        impl fmt::Debug for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.debug(f)
            }
        }
        let value = ValueTree::parse(&show(&Shown(&*self.message)));
        match self.what {
            Recorded::Invocation => TraceMessage::Notes(vec![TraceNote::Invoked(TraceValue::shown(value))]),
            Recorded::Response => TraceMessage::Notes(vec![TraceNote::Returned(TraceValue::shown(value))]),
            // Nobody else gets what is sent to oneself: a note.
            Recorded::Nothing if self.from == self.to => TraceMessage::Value(value),
            Recorded::Nothing => TraceMessage::Observed { from: self.from.to_string(), to: self.to.to_string(), value },
        }
    }
}

impl PartialEq for Note {
    fn eq(&self, other: &Note) -> bool {
        (self.from, self.to, self.what) == (other.from, other.to, other.what)
            && self.message.same(other.message.as_any())
    }
}
impl Eq for Note {}

impl Hash for Note {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.from, self.to).hash(state);
        self.message.digest(state);
    }
}

impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Note::message(self), f)
    }
}
