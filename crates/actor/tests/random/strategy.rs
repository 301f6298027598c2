//! Strategies that generate random systems.

use super::table::{Alternative, Case, Claim, Cost, Entry, TAGS, TIMERS, Table, To};
use manyworlds_actor::Faults;
use manyworlds_core::Network;
use proptest::prelude::*;
use std::ops::RangeInclusive;

/// The number of rows of a table.
pub const ROWS: u8 = 3;

/// The parameters of generated systems.
#[derive(Clone, Copy)]
pub struct Profile {
    /// What consumes fuel.
    pub cost: Cost,
    /// Whether handlers may fail.
    pub failures: bool,
    /// Whether there may be a fault budget.
    pub faults: bool,
    /// Whether channels may have networks of their own.
    pub channels: bool,
    /// The maximal number of messages that a handler sends.
    pub sends: usize,
    /// Whether every actor sends to at most two others, and some to none.
    pub sparse: bool,
}

fn network() -> impl Strategy<Value = Network> {
    prop::sample::select(Network::ALL.to_vec())
}

fn alternative(to: BoxedStrategy<To>, profile: Profile) -> BoxedStrategy<Alternative> {
    let timer = || prop::option::weighted(0.25, 0..TIMERS.len());
    let sends = prop::collection::vec((to, 0..TAGS as u8), 0..=profile.sends);
    let fails = prop::bool::weighted(if profile.failures { 0.04 } else { 0.0 });
    (0..ROWS, sends, timer(), timer(), fails)
        .prop_map(|(next, sends, set, cancel, fails)| Alternative { next, sends, set, cancel, fails })
        .boxed()
}

fn entry(alternative: BoxedStrategy<Alternative>) -> BoxedStrategy<Entry> {
    let single = alternative.clone().prop_map(|alternative| vec![vec![alternative]]);
    let several = prop::collection::vec(prop::collection::vec(alternative, 1..=2), 1..=2);
    prop_oneof![2 => Just(vec![]), 5 => single, 1 => several].boxed()
}

fn table(to: BoxedStrategy<To>, fuel: RangeInclusive<u8>, profile: Profile) -> impl Strategy<Value = Table> {
    let entry = entry(alternative(to, profile));
    let row = prop::collection::vec(entry.clone(), TAGS + TIMERS.len());
    let rows = prop::collection::vec(row, usize::from(ROWS));
    let durable = prop::collection::vec(prop::option::of(0..ROWS), usize::from(ROWS));
    (entry.clone(), entry, rows, durable, fuel).prop_map(move |(start, restart, rows, durable, fuel)| Table {
        start,
        restart,
        rows,
        durable,
        fuel,
        cost: profile.cost,
    })
}

/// One or two kinds of faults, once each.
fn faults(profile: Profile) -> BoxedStrategy<Faults> {
    if !profile.faults {
        return Just(Faults::default()).boxed();
    }
    let none = Faults::default();
    let kinds = vec![
        none,
        Faults { losses: 1, ..none },
        Faults { duplicates: 1, ..none },
        Faults { crashes: 1, ..none },
        Faults { crashes: 1, restarts: 1, ..none },
        Faults { splits: 1, ..none },
    ];
    let both = |(a, b): (Faults, Faults)| Faults {
        losses: a.losses.max(b.losses),
        duplicates: a.duplicates.max(b.duplicates),
        crashes: a.crashes.max(b.crashes),
        restarts: a.restarts.max(b.restarts),
        splits: a.splits.max(b.splits),
    };
    (prop::sample::select(kinds.clone()), prop::sample::select(kinds)).prop_map(both).boxed()
}

/// The actors of a system.
fn tables(n: usize, fuel: RangeInclusive<u8>, profile: Profile) -> BoxedStrategy<Vec<Table>> {
    if !profile.sparse {
        let to = prop_oneof![4 => (0..n).prop_map(To::Actor), 1 => Just(To::Sender)].boxed();
        return prop::collection::vec(table(to, fuel, profile), n).boxed();
    }
    let row = prop::sample::subsequence((0..n).map(To::Actor).collect::<Vec<_>>(), 0..=2);
    let of_row = move |row: Vec<To>| match row.is_empty() {
        true => table(Just(To::Me).boxed(), fuel.clone(), Profile { sends: 0, ..profile }).boxed(),
        false => table(prop::sample::select(row).boxed(), fuel.clone(), profile).boxed(),
    };
    prop::collection::vec(row.prop_flat_map(of_row), n).boxed()
}

/// Random systems of two to four actors.
pub fn cases(profile: Profile) -> impl Strategy<Value = Case> {
    (2..=4usize).prop_flat_map(move |n| {
        let fuel = match (profile.cost, n) {
            (_, 2) => 1..=3,
            (_, 3) => 1..=2,
            _ => 0..=2,
        };
        let own = prop::collection::vec((0..n, 0..n, network()), 0..=if profile.channels { 2 } else { 0 });
        (
            tables(n, fuel, profile),
            network(),
            prop_oneof![Just(vec![]), own],
            faults(profile),
            prop::option::of(prop::sample::subsequence((0..n).collect::<Vec<_>>(), 1..=n)),
            prop::option::of((1..1u64 << (n - 1)).prop_map(|half| half << 1)),
            any::<bool>(),
        )
            .prop_map(|(actors, network, channels, faults, may_crash, side, own_faults)| Case {
                actors,
                network,
                channels,
                faults,
                may_crash,
                side,
                own_faults,
            })
    })
}

/// A server and two or three identical clients.
#[derive(Clone, Debug)]
pub struct Service {
    pub case: Case,
    pub server: usize,
}

impl Service {
    /// The clients.
    pub fn clients(&self) -> Vec<usize> {
        (0..self.case.actors.len()).filter(|&n| n != self.server).collect()
    }
}

/// Random services; the server comes first or last.
pub fn services(profile: Profile) -> impl Strategy<Value = Service> {
    (2..=3usize, any::<bool>()).prop_flat_map(move |(clients, first)| {
        let server = if first { 0 } else { clients };
        let to_server = prop_oneof![4 => Just(To::Actor(server)), 1 => Just(To::Sender), 1 => Just(To::Me)].boxed();
        let to_client = prop_oneof![4 => Just(To::Sender), 1 => Just(To::Me)].boxed();
        let fuels = if clients == 2 { 1..=2 } else { 1..=1 };
        (table(to_server, fuels, profile), table(to_client, 0..=3, profile), network(), faults(profile)).prop_map(
            move |(client, of_server, network, faults)| {
                let mut actors = vec![client; clients];
                actors.insert(server, of_server);
                Service {
                    case: Case {
                        actors,
                        network,
                        channels: vec![],
                        faults,
                        may_crash: None,
                        side: None,
                        own_faults: false,
                    },
                    server,
                }
            },
        )
    })
}

/// Claims about a system with at least two actors.
pub fn claims() -> impl Strategy<Value = Claim> {
    ((0..2usize, 0..ROWS), (0..2usize, 0..ROWS)).prop_map(|(one, other)| Claim { one, other })
}
