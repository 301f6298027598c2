//! Actors given by tables: the elements of random systems, and their construction with the public interface.

use manyworlds_actor::{Actor, Context, Faults, Handle, System, View};
use manyworlds_core::{Network, Pid};
use std::fmt;

/// The names of timers.
pub const TIMERS: [&str; 2] = ["a", "b"];
/// The number of message tags.
pub const TAGS: usize = 3;

/// The local state of an actor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local {
    /// Its row in the table.
    pub at: u8,
    /// The remaining fuel: it bounds the system.
    pub fuel: u8,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at, self.fuel)
    }
}

/// The destination of a message.
#[derive(Clone, Copy, Debug)]
pub enum To {
    /// The actor with this index.
    Actor(usize),
    /// The sender of the message that is handled; for other inputs the actor itself.
    Sender,
    /// The actor itself.
    Me,
}

/// One alternative of a handler.
#[derive(Clone)]
pub struct Alternative {
    /// Its next row.
    pub next: u8,
    /// The messages that it sends: destination and tag.
    pub sends: Vec<(To, u8)>,
    /// A timer that it sets.
    pub set: Option<usize>,
    /// A timer that it cancels before.
    pub cancel: Option<usize>,
    /// It fails after all these effects.
    pub fails: bool,
}

/// The choices of a handler: first a list, then an alternative of it. Empty: it has no effect.
pub type Entry = Vec<Vec<Alternative>>;

/// What consumes fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Each message; without fuel for all of them none is sent. Timers may be set for ever.
    Sends,
    /// Each handler except start; without fuel a handler has no effect. Every execution ends.
    Steps,
}

/// The table of an actor.
#[derive(Clone)]
pub struct Table {
    /// The handler of the start.
    pub start: Entry,
    /// The handler of a restart with the part of the state that survived.
    pub restart: Entry,
    /// For each row the handlers of the messages by tag, then of the timers.
    pub rows: Vec<Vec<Entry>>,
    /// For each row the row that survives a crash.
    pub durable: Vec<Option<u8>>,
    /// The initial fuel.
    pub fuel: u8,
    /// What consumes fuel.
    pub cost: Cost,
}

impl fmt::Debug for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.next)?;
        self.sends.iter().try_for_each(|(to, tag)| write!(f, ", send {tag} to {to:?}"))?;
        self.cancel.iter().try_for_each(|&timer| write!(f, ", cancel {}", TIMERS[timer]))?;
        self.set.iter().try_for_each(|&timer| write!(f, ", set {}", TIMERS[timer]))?;
        write!(f, "{}", if self.fails { ", fail" } else { "" })
    }
}

impl fmt::Debug for Table {
    /// Nonempty entries, one line each, to make failing cases readable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fuel {} for {:?}, durable {:?}", self.fuel, self.cost, self.durable)?;
        let inputs = self.rows.iter().enumerate().flat_map(|(row, entries)| {
            entries.iter().enumerate().map(move |(input, entry)| match input.checked_sub(TAGS) {
                None => (format!("row {row}, message {input}"), entry),
                Some(timer) => (format!("row {row}, timer {}", TIMERS[timer]), entry),
            })
        });
        let rest = [("start".to_string(), &self.start), ("restart".to_string(), &self.restart)];
        let mut all = rest.into_iter().chain(inputs).filter(|(_, entry)| !entry.is_empty());
        all.try_for_each(|(input, entry)| writeln!(f, "    {input}: {entry:?}"))
    }
}

/// An actor with this table.
pub struct TableActor(pub Table);

impl TableActor {
    fn run(&self, state: &mut Local, entry: &Entry, from: Option<Pid>, free: bool, ctx: &mut Context<'_>) {
        if entry.is_empty() || (self.0.cost == Cost::Steps && !free && state.fuel == 0) {
            return;
        }
        let list = ctx.choose(entry);
        let alternative = ctx.choose(&list);
        let price = match self.0.cost {
            Cost::Sends if alternative.sends.len() <= usize::from(state.fuel) => alternative.sends.len() as u8,
            Cost::Sends => 0,
            Cost::Steps => u8::from(!free),
        };
        if self.0.cost == Cost::Steps || price as usize == alternative.sends.len() {
            for &(to, tag) in &alternative.sends {
                let to = match to {
                    To::Actor(n) => Pid::root(n as u16),
                    To::Sender => from.unwrap_or(ctx.me()),
                    To::Me => ctx.me(),
                };
                ctx.send(to, tag);
            }
        }
        if let Some(timer) = alternative.cancel {
            ctx.cancel_timer(TIMERS[timer]);
        }
        if let Some(timer) = alternative.set {
            ctx.set_timer(TIMERS[timer]);
        }
        assert!(!alternative.fails, "alternative {}", alternative.next);
        *state = Local { at: alternative.next, fuel: state.fuel - price };
    }
}

impl Actor for TableActor {
    type State = Local;
    type Message = u8;

    fn start(&self, ctx: &mut Context<'_>) -> Local {
        let mut state = Local { at: 0, fuel: self.0.fuel };
        self.run(&mut state, &self.0.start, None, true, ctx);
        state
    }

    fn message(&self, state: &mut Local, from: Pid, tag: &u8, ctx: &mut Context<'_>) {
        let entry = &self.0.rows[usize::from(state.at)][usize::from(*tag)];
        self.run(state, entry, Some(from), false, ctx);
    }

    fn timer(&self, state: &mut Local, timer: &'static str, ctx: &mut Context<'_>) {
        let nth = TIMERS.iter().position(|&name| name == timer).expect("a timer of the table");
        let entry = &self.0.rows[usize::from(state.at)][TAGS + nth];
        self.run(state, entry, None, false, ctx);
    }

    fn durable(&self, state: &Local) -> Option<Local> {
        self.0.durable[usize::from(state.at)].map(|at| Local { at, ..*state })
    }

    fn restart(&self, mut durable: Local, ctx: &mut Context<'_>) -> Local {
        self.run(&mut durable, &self.0.restart, None, false, ctx);
        durable
    }
}

/// A random system.
#[derive(Clone)]
pub struct Case {
    pub actors: Vec<Table>,
    pub network: Network,
    pub channels: Vec<(usize, usize, Network)>,
    pub faults: Faults,
    /// The actors that may crash; `None`: all.
    pub may_crash: Option<Vec<usize>>,
    /// One side of the only partition; `None`: all partitions.
    pub side: Option<u64>,
    /// Losses and duplicates hit messages to oneself.
    pub own_faults: bool,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {:?} {:?}", self.network, self.channels, self.faults)?;
        writeln!(f, "may crash: {:?}, side: {:?}, own: {}", self.may_crash, self.side, self.own_faults)?;
        self.actors.iter().enumerate().try_for_each(|(n, table)| write!(f, "  actor {n}: {table:?}"))
    }
}

/// An invariant: the actors are never in these two rows at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub one: (usize, u8),
    pub other: (usize, u8),
}

impl Claim {
    /// Whether it holds, given the rows in which the actors are.
    pub fn holds(&self, at: impl Fn(usize) -> Option<u8>) -> bool {
        at(self.one.0) != Some(self.one.1) || at(self.other.0) != Some(self.other.1)
    }

    /// Whether it holds in a state of the engine.
    pub fn holds_in(&self, view: &View<'_>) -> bool {
        self.holds(|n| view.get::<Local>(Pid::root(n as u16)).map(|local| local.at))
    }
}

/// Whether the first two actors have run out of fuel. Without crashes this is stable.
pub fn out_of_fuel(get: impl Fn(usize) -> Option<Local>) -> bool {
    (0..2).all(|n| get(n).is_some_and(|local| local.fuel == 0))
}

/// The same in a state of the engine.
pub fn out_of_fuel_in(view: &View<'_>) -> bool {
    out_of_fuel(|n| view.get::<Local>(Pid::root(n as u16)).copied())
}

impl Case {
    /// The network of a channel.
    pub fn channel(&self, from: usize, to: usize) -> Network {
        let own = self.channels.iter().rev().find(|&&(f, t, _)| (f, t) == (from, to));
        own.map_or(self.network, |&(_, _, network)| network)
    }

    /// The system, built with the public interface.
    pub fn system(&self) -> System {
        self.system_of(|actor| actor)
    }

    /// The same system with each actor wrapped by `around`.
    pub fn system_of<A: Actor>(&self, around: impl Fn(TableActor) -> A) -> System {
        self.system_and_handles(around).0
    }

    /// The same, with the handles of the actors.
    pub fn system_and_handles<A: Actor>(&self, around: impl Fn(TableActor) -> A) -> (System, Vec<Handle<A>>) {
        let pid = |n: usize| Pid::root(n as u16);
        let mut system = System::new().network(self.network).faults(self.faults);
        let add = |(n, table): (usize, &Table)| system.add(format!("actor {n}"), around(TableActor(table.clone())));
        let handles = self.actors.iter().enumerate().map(add).collect();
        for &(from, to, network) in &self.channels {
            system = system.channel(pid(from), pid(to), network);
        }
        if let Some(may_crash) = &self.may_crash {
            system = system.may_crash(may_crash.iter().map(|&n| pid(n)));
        }
        if self.own_faults {
            system = system.faults_hit_own_messages();
        }
        if let Some(side) = self.side {
            system = system.may_split((0..self.actors.len()).filter(|n| (side >> n) & 1 == 1).map(pid));
        }
        (system, handles)
    }
}
