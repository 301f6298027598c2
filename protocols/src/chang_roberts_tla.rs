//! `chang-roberts-tla`: leader election on a unidirectional ring of `n` nodes with FIFO channels, after Chang and Roberts.
//! Initially every node has sent its own id. A node forwards greater ids, drops smaller ones, and wins when it receives its own
//! id. At most one node wins, and it has the greatest id. `order=asc` assigns the ids 1 … n clockwise, `order=desc` n … 1.
//!
//! `chang-roberts-tla-bug`: nodes forward smaller ids instead of dropping them, so every node receives its own id and wins.

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

/// The model `chang-roberts-tla`.
pub const MODEL: manyworlds::models::Model = manyworlds::models::Model {
    name: "chang-roberts-tla",
    summary: "Leader election on a ring as a specification (ChangRoberts.tla)",
    params: PARAMS,
    build: Build::Specification(|params| {
        Ok(Box::new(ChangRoberts::new(params.int("n"), order(params)).specification()))
    }),
};

/// The model `chang-roberts-tla-bug`, with a seeded bug.
pub const BUG: manyworlds::models::Model = manyworlds::models::Model {
    name: "chang-roberts-tla-bug",
    summary: "chang-roberts-tla in which smaller ids are forwarded",
    params: PARAMS,
    build: Build::Specification(|params| {
        Ok(Box::new(ChangRoberts::with_bug(params.int("n"), order(params)).specification()))
    }),
};

/// The order of the ids around the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// 1 … n clockwise.
    Ascending,
    /// n … 1 clockwise.
    Descending,
}

/// The specification for a given number of nodes.
#[derive(Clone, Debug)]
pub struct ChangRoberts {
    n: usize,
    order: Order,
    bug: bool,
}

/// The maximal number of nodes.
const MAX_NODES: usize = 10;

/// A global state. An id takes four bits and is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    /// Channel `i` leads from node `i` to the next: the first id in it is in the lowest bits.
    channels: [u64; MAX_NODES],
    /// Bit `i`: node `i` has lost; bit `16 + i`: it has won.
    outcome: u32,
}

/// The successor of this node receives from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receive(pub u8);

impl ChangRoberts {
    /// `n` nodes, at most ten.
    pub fn new(n: usize, order: Order) -> ChangRoberts {
        assert!((1..=MAX_NODES).contains(&n), "from 1 to {MAX_NODES} nodes");
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
    /// The specification with its declared fingerprints.
    pub fn specification(self) -> Specification<ChangRoberts, Undeclared, Declared> {
        Specification::new(self).fingerprinted()
    }
}

impl Model for ChangRoberts {
    type State = State;
    type Action = Receive;

    fn initial(&self) -> Vec<State> {
        let mut channels = [0; MAX_NODES];
        (0..self.n).for_each(|node| channels[node] = self.id(node));
        vec![State { channels, outcome: 0 }]
    }

    #[inline]
    fn actions(&self, state: &State, out: &mut Vec<Receive>) {
        out.extend((0..self.n).filter(|&i| state.channels[i] != 0).map(|i| Receive(i as u8)));
    }

    #[inline]
    fn next(&self, state: &State, &Receive(from): &Receive) -> Option<State> {
        let (from, to) = (from as usize, (from as usize + 1) % self.n);
        let mut next = *state;
        let id = state.channels[from] & 15;
        next.channels[from] >>= 4;
        if id == self.id(to) {
            // The latest outcome replaces earlier ones: a winner has not lost.
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
    #[inline]
    fn fingerprint(&self, state: &State) -> u128 {
        let mut words = [u64::from(state.outcome); MAX_NODES + 1];
        words[..MAX_NODES].copy_from_slice(&state.channels);
        fingerprint::of_words(words)
    }
}
