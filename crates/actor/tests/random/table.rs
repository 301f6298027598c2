//! Actors given as tables: what a random system is made of, and how it is built with the public interface.

use manyworlds_actor::{Actor, Context, Faults, System, View};
use manyworlds_core::{Network, Pid};
use std::fmt;

/// The names of timers.
pub const TIMERS: [&str; 2] = ["a", "b"];
/// Message tags are 0 up to this.
pub const TAGS: usize = 3;

/// What an actor remembers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local {
    /// Its row in the table.
    pub at: u8,
    /// What it may still do: this keeps systems finite.
    pub fuel: u8,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at, self.fuel)
    }
}

/// To whom something is sent.
#[derive(Clone, Copy, Debug)]
pub enum To {
    /// An actor with a number.
    Actor(usize),
    /// Whoever sent the message that is handled; without one, oneself.
    Sender,
    /// Oneself.
    Me,
}

/// One thing that a handler may do.
#[derive(Clone)]
pub struct Deed {
    /// Its next row.
    pub next: u8,
    /// What it sends: to whom, and the tag.
    pub sends: Vec<(To, u8)>,
    /// A timer that it sets.
    pub set: Option<usize>,
    /// A timer that it cancels before.
    pub cancel: Option<usize>,
    /// It fails after all that.
    pub fails: bool,
}

/// What a handler chooses from: first a list, then a deed of it. Empty: it does nothing.
pub type Entry = Vec<Vec<Deed>>;

/// What costs fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Each message; without fuel for all of them nothing is sent. Timers may go on for ever.
    Sends,
    /// Each handler but start; without fuel nothing is done. Every execution ends.
    Steps,
}

/// An actor.
#[derive(Clone)]
pub struct Table {
    /// When it starts.
    pub start: Entry,
    /// When it comes up again with what survived.
    pub restart: Entry,
    /// For each row: the messages by tag, then the timers.
    pub rows: Vec<Vec<Entry>>,
    /// For each row the row that survives a crash.
    pub durable: Vec<Option<u8>>,
    /// What it has to begin with.
    pub fuel: u8,
    /// What fuel is spent on.
    pub cost: Cost,
}

impl fmt::Debug for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.next)?;
        self.sends.iter().try_for_each(|(to, tag)| write!(f, ", send {tag} to {to:?}"))?;
        self.cancel.iter().try_for_each(|&timer| write!(f, ", cancel {}", TIMERS[timer]))?;
        self.set.iter().try_for_each(|&timer| write!(f, ", set {}", TIMERS[timer]))?;
        write!(f, "{}", if self.fails { ", fail" } else { "" })
    }
}

impl fmt::Debug for Table {
    /// What is not empty, a line each: a failing case is read by people.
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

/// The actor.
pub struct TableActor(pub Table);

impl TableActor {
    fn run(&self, state: &mut Local, entry: &Entry, from: Option<Pid>, free: bool, ctx: &mut Context<'_>) {
        if entry.is_empty() || (self.0.cost == Cost::Steps && !free && state.fuel == 0) {
            return;
        }
        let list = ctx.choose(entry);
        let deed = ctx.choose(&list);
        let price = match self.0.cost {
            Cost::Sends if deed.sends.len() <= usize::from(state.fuel) => deed.sends.len() as u8,
            Cost::Sends => 0,
            Cost::Steps => u8::from(!free),
        };
        if self.0.cost == Cost::Steps || price as usize == deed.sends.len() {
            for &(to, tag) in &deed.sends {
                let to = match to {
                    To::Actor(n) => Pid::root(n as u16),
                    To::Sender => from.unwrap_or(ctx.me()),
                    To::Me => ctx.me(),
                };
                ctx.send(to, tag);
            }
        }
        if let Some(timer) = deed.cancel {
            ctx.cancel_timer(TIMERS[timer]);
        }
        if let Some(timer) = deed.set {
            ctx.set_timer(TIMERS[timer]);
        }
        assert!(!deed.fails, "deed {}", deed.next);
        *state = Local { at: deed.next, fuel: state.fuel - price };
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
    /// Who may crash; all if not given.
    pub may_crash: Option<Vec<usize>>,
    /// The way in which the network may fall apart; all if not given.
    pub side: Option<u64>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {:?} {:?}", self.network, self.channels, self.faults)?;
        writeln!(f, "may crash: {:?}, side: {:?}", self.may_crash, self.side)?;
        self.actors.iter().enumerate().try_for_each(|(n, table)| write!(f, "  actor {n}: {table:?}"))
    }
}

/// Something that is asked: never is one actor in this row while the other is in that one.
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

/// Whether the first two actors have run out of fuel. Where nobody crashes that is for ever.
pub fn spent(get: impl Fn(usize) -> Option<Local>) -> bool {
    (0..2).all(|n| get(n).is_some_and(|local| local.fuel == 0))
}

/// Whether they have in a state of the engine.
pub fn spent_in(view: &View<'_>) -> bool {
    spent(|n| view.get::<Local>(Pid::root(n as u16)).copied())
}

impl Case {
    /// The network of a channel.
    pub fn channel(&self, from: usize, to: usize) -> Network {
        let own = self.channels.iter().rev().find(|&&(f, t, _)| (f, t) == (from, to));
        own.map_or(self.network, |&(_, _, network)| network)
    }

    /// The system as a user would write it.
    pub fn system(&self) -> System {
        self.system_of(|actor| actor)
    }

    /// The same system with something around each actor.
    pub fn system_of<A: Actor>(&self, around: impl Fn(TableActor) -> A) -> System {
        let pid = |n: usize| Pid::root(n as u16);
        let mut system = System::new().network(self.network).faults(self.faults);
        for (n, table) in self.actors.iter().enumerate() {
            system.add(format!("actor {n}"), around(TableActor(table.clone())));
        }
        for &(from, to, network) in &self.channels {
            system = system.channel(pid(from), pid(to), network);
        }
        if let Some(mortal) = &self.may_crash {
            system = system.may_crash(mortal.iter().map(|&n| pid(n)));
        }
        if let Some(side) = self.side {
            system = system.may_split((0..self.actors.len()).filter(|n| (side >> n) & 1 == 1).map(pid));
        }
        system
    }
}
