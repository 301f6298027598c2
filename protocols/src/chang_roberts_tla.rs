//! `chang-roberts-tla`: leader election on a one-way ring of `n` nodes with FIFO channels, after Chang and Roberts. Every node has sent
//! its own id; a greater id is passed on, a smaller one dropped, and who gets its own id back has won. At most one node wins, and it has
//! the greatest id. `order=asc` puts the ids 1 … n clockwise, `order=desc` n … 1.
//!
//! `chang-roberts-tla-bug` passes smaller ids on instead of dropping them: every node gets its own id back, and wins.

use crate::bits::members;
use crate::{Build, Param, Params};
use manyworlds::Specification;
use manyworlds_explore::{Declared, Fingerprinted, Model, Property, Undeclared, fingerprint};
use std::collections::BTreeMap;
use std::fmt;

const PARAMS: &[Param] = &[
    Param::int("n", 4, 1..=10, "nodes on the ring"),
    Param::choice("order", &["asc", "desc"], "ids clockwise: ascending or descending"),
];

fn order(params: &Params) -> Order {
    if params.text("order") == "desc" { Order::Descending } else { Order::Ascending }
}

/// `chang-roberts-tla`
pub const MODEL: manyworlds::models::Model = manyworlds::models::Model {
    name: "chang-roberts-tla",
    summary: "Leader election on a ring as a specification (ChangRoberts.tla)",
    params: PARAMS,
    build: Build::Specification(|params| {
        Ok(Box::new(ChangRoberts::new(params.int("n"), order(params)).specification()))
    }),
};

/// `chang-roberts-tla-bug`
pub const BUG: manyworlds::models::Model = manyworlds::models::Model {
    name: "chang-roberts-tla-bug",
    summary: "chang-roberts-tla in which smaller ids are passed on",
    params: PARAMS,
    build: Build::Specification(|params| {
        Ok(Box::new(ChangRoberts::with_bug(params.int("n"), order(params)).specification()))
    }),
};

/// Which way the ids go round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// 1 … n clockwise.
    Ascending,
    /// n … 1 clockwise.
    Descending,
}

/// The specification for a number of nodes.
#[derive(Clone, Debug)]
pub struct ChangRoberts {
    n: usize,
    order: Order,
    bug: bool,
}

/// The most nodes there can be.
const MOST: usize = 10;

/// A global state. Ids take four bits; none is zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    /// Channel `i` leads from node `i` to the next: the first id in it is in the lowest bits.
    channels: [u64; MOST],
    /// Bit `i`: node `i` has lost; bit `16 + i`: it has won.
    outcome: u32,
}

/// The node after this one receives from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receive(pub u8);

impl ChangRoberts {
    /// `n` nodes, at most ten.
    pub fn new(n: usize, order: Order) -> ChangRoberts {
        assert!((1..=MOST).contains(&n), "from 1 to {MOST} nodes");
        ChangRoberts { n, order, bug: false }
    }

    /// With the seeded bug.
    pub fn with_bug(n: usize, order: Order) -> ChangRoberts {
        ChangRoberts { bug: true, ..ChangRoberts::new(n, order) }
    }

    fn id(&self, node: usize) -> u64 {
        match self.order {
            Order::Ascending => node as u64 + 1,
            Order::Descending => (self.n - node) as u64,
        }
    }
}

fn append(channel: u64, id: u64) -> u64 {
    let length = (u64::BITS - channel.leading_zeros()).div_ceil(4);
    channel | id << (4 * length)
}

impl State {
    fn winners(&self) -> u32 {
        self.outcome >> 16
    }

    fn losers(&self) -> u32 {
        self.outcome & 0xffff
    }
}

/// Channels that are not mentioned are empty.
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = |channel: u64| (0..16).map(|i| channel >> (4 * i) & 15).take_while(|&id| id > 0).collect::<Vec<_>>();
        let channels = self.channels.iter().copied().map(ids).enumerate().filter(|(_, ids)| !ids.is_empty());
        f.debug_struct("State")
            .field("channels", &channels.collect::<BTreeMap<_, _>>())
            .field("lost", &members(self.losers()))
            .field("won", &members(self.winners()))
            .finish()
    }
}

impl ChangRoberts {
    /// The specification with all that it knows about itself.
    pub fn specification(self) -> Specification<ChangRoberts, Undeclared, Declared> {
        Specification::new(self).fingerprinted()
    }
}

impl Model for ChangRoberts {
    type State = State;
    type Action = Receive;

    fn initial(&self) -> Vec<State> {
        let mut channels = [0; MOST];
        (0..self.n).for_each(|node| channels[node] = self.id(node));
        vec![State { channels, outcome: 0 }]
    }

    fn actions(&self, state: &State, out: &mut Vec<Receive>) {
        out.extend((0..self.n).filter(|&i| state.channels[i] != 0).map(|i| Receive(i as u8)));
    }

    fn next(&self, state: &State, &Receive(from): &Receive) -> Option<State> {
        let (from, to) = (from as usize, (from as usize + 1) % self.n);
        let mut next = *state;
        let id = state.channels[from] & 15;
        next.channels[from] >>= 4;
        if id == self.id(to) {
            // The latest outcome counts: a winner has not lost.
            next.outcome = next.outcome & !(1 << to) | 1 << (16 + to);
        } else if id > self.id(to) {
            next.channels[to] = append(next.channels[to], id);
            next.outcome = next.outcome & !(1 << (16 + to)) | 1 << to;
        } else if self.bug {
            next.channels[to] = append(next.channels[to], id);
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<ChangRoberts>> {
        vec![
            Property::always("OneLeader", |_: &ChangRoberts, state: &State| state.winners().count_ones() <= 1),
            Property::always("MaxWins", |model: &ChangRoberts, state: &State| {
                (0..model.n).all(|node| state.winners() >> node & 1 == 0 || model.id(node) == model.n as u64)
            }),
        ]
    }
}

impl Fingerprinted for ChangRoberts {
    fn fingerprint(&self, state: &State) -> u128 {
        let mut words = [u64::from(state.outcome); MOST + 1];
        words[..MOST].copy_from_slice(&state.channels);
        fingerprint::of_words(words)
    }
}
