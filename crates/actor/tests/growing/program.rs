//! Actors given by programs: they create others, halt, defer and ignore messages. A handler is a list of alternatives, one of which is chosen; an
//! alternative is a list of actions in order.

use super::automaton::Automaton;
use manyworlds_actor::{Actor, Context, Faults, System};
use manyworlds_core::{Accept, Network, Pid};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The number of message tags.
pub const TAGS: usize = 3;
/// The name of the timer.
pub const TIMER: &str = "t";

/// What an actor does with a message in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    Take,
    Defer,
    Ignore,
}

/// The destination of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    Declared(u16),
    /// The sender of the message that is handled; for other inputs the actor itself.
    Sender,
    Me,
    /// The creator; of a declared actor itself.
    Parent,
    /// The actor created last; before there is one, the actor itself.
    Child,
}

/// An action of a handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Send(To, u8),
    /// Creates an actor of a kind, if there is fuel.
    Spawn(u8),
    Note(u8),
}

/// An alternative of a handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alternative {
    pub next: u8,
    pub actions: Vec<Action>,
    pub sets_timer: bool,
    pub halts: bool,
    pub fails: bool,
}

/// The alternatives of a handler; empty: nothing happens.
pub type Handler = Vec<Alternative>;

/// A kind of actors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    pub start: Handler,
    /// For each row what it does with each message, and the handler of the timer.
    pub rows: Vec<(Vec<(Reception, Handler)>, Handler)>,
    /// For each row the row that survives a crash.
    pub durable: Vec<Option<u8>>,
    /// Without fuel the handler of the timer still runs, but only changes the row, makes notes and sets the timer: so the system goes on for ever.
    pub ticks: bool,
}

impl Kind {
    pub fn defers(&self) -> bool {
        self.rows.iter().flat_map(|(messages, _)| messages).any(|(reception, _)| *reception != Reception::Take)
    }
}

/// The local state of an actor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local {
    pub at: u8,
    pub fuel: u8,
    pub child: Option<Pid>,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at, self.fuel)?;
        self.child.map_or(Ok(()), |child| write!(f, " {child:?}"))
    }
}

/// An actor of the system.
#[derive(Clone)]
pub struct Grower {
    pub kinds: Arc<Vec<Kind>>,
    pub kind: u8,
    pub parent: Option<Pid>,
    pub fuel: u8,
}

impl PartialEq for Grower {
    fn eq(&self, other: &Grower) -> bool {
        (self.kind, self.parent, self.fuel) == (other.kind, other.parent, other.fuel)
    }
}

impl Eq for Grower {}

impl Hash for Grower {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, self.parent, self.fuel).hash(state);
    }
}

impl fmt::Debug for Grower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kind {} with fuel {}", self.kind, self.fuel)
    }
}

impl Grower {
    fn run(&self, state: &mut Local, handler: &Handler, sender: Option<Pid>, free: bool, ctx: &mut Context<'_>) {
        if handler.is_empty() || (!free && state.fuel == 0) {
            return;
        }
        let chosen = &handler[ctx.choose(0..handler.len())];
        state.fuel -= u8::from(!free);
        state.at = chosen.next;
        for action in &chosen.actions {
            match *action {
                Action::Send(to, tag) => {
                    let to = match to {
                        To::Declared(n) => Pid::root(n),
                        To::Sender => sender.unwrap_or(ctx.me()),
                        To::Me => ctx.me(),
                        To::Parent => self.parent.unwrap_or(ctx.me()),
                        To::Child => state.child.unwrap_or(ctx.me()),
                    };
                    ctx.send(to, tag);
                }
                Action::Spawn(kind) if state.fuel > 0 => {
                    state.fuel -= 1;
                    let parent = Some(ctx.me());
                    let actor = Grower { kinds: self.kinds.clone(), kind, parent, fuel: state.fuel };
                    state.child = Some(ctx.spawn(format!("kind {kind}"), actor).pid());
                }
                Action::Spawn(_) => {}
                Action::Note(n) => ctx.note(n.to_string()),
            }
        }
        if chosen.sets_timer {
            ctx.set_timer(TIMER);
        }
        if chosen.halts {
            ctx.halt();
        }
        assert!(!chosen.fails, "row {}", chosen.next);
    }

    /// The handler of the timer without fuel.
    fn tick(&self, state: &mut Local, handler: &Handler, ctx: &mut Context<'_>) {
        if !self.of().ticks || handler.is_empty() {
            return;
        }
        let chosen = &handler[ctx.choose(0..handler.len())];
        state.at = chosen.next;
        for action in &chosen.actions {
            if let Action::Note(n) = action {
                ctx.note(n.to_string());
            }
        }
        if chosen.sets_timer {
            ctx.set_timer(TIMER);
        }
    }

    fn of(&self) -> &Kind {
        &self.kinds[usize::from(self.kind)]
    }
}

impl Actor for Grower {
    type State = Local;
    type Message = u8;

    fn start(&self, ctx: &mut Context<'_>) -> Local {
        let mut state = Local { at: 0, fuel: self.fuel, child: None };
        self.run(&mut state, &self.of().start, None, true, ctx);
        state
    }

    fn message(&self, state: &mut Local, from: Pid, tag: &u8, ctx: &mut Context<'_>) {
        let (_, handler) = &self.of().rows[usize::from(state.at)].0[usize::from(*tag)];
        self.run(state, handler, Some(from), false, ctx);
    }

    fn timer(&self, state: &mut Local, _: &'static str, ctx: &mut Context<'_>) {
        let handler = &self.of().rows[usize::from(state.at)].1;
        if state.fuel == 0 {
            return self.tick(state, handler, ctx);
        }
        self.run(state, handler, None, false, ctx);
    }

    fn accepts(&self, state: &Local, _: Pid, tag: &u8) -> Accept {
        match self.of().rows[usize::from(state.at)].0[usize::from(*tag)].0 {
            Reception::Take => Accept::Take,
            Reception::Defer => Accept::Defer,
            Reception::Ignore => Accept::Ignore,
        }
    }

    fn defers(&self) -> bool {
        self.of().defers()
    }

    fn durable(&self, state: &Local) -> Option<Local> {
        self.of().durable[usize::from(state.at)].map(|at| Local { at, ..*state })
    }
}

/// A random system.
#[derive(Clone, Debug)]
pub struct Case {
    pub kinds: Arc<Vec<Kind>>,
    /// Kind and fuel of each declared actor.
    pub declared: Vec<(u8, u8)>,
    pub network: Network,
    pub faults: Faults,
    /// The maximal number of created actors.
    pub creates: u16,
    pub forbids_halted: bool,
    pub monitors: Vec<Automaton>,
}

impl Case {
    /// Whether messages to oneself can be lost or duplicated.
    pub fn faults_hit_own(&self) -> bool {
        false
    }

    pub fn system(&self) -> System {
        let mut system = System::new().network(self.network).faults(self.faults).may_create(self.creates);
        for (n, &(kind, fuel)) in self.declared.iter().enumerate() {
            let actor = Grower { kinds: self.kinds.clone(), kind, parent: None, fuel };
            system.add(format!("actor {n}"), actor);
        }
        for (n, monitor) in self.monitors.iter().enumerate() {
            system = system.monitor(format!("m{n}"), monitor.clone());
        }
        if self.forbids_halted { system.forbid_messages_to_halted() } else { system }
    }
}
