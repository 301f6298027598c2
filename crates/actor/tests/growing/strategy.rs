//! Strategies that generate such systems.

use super::automaton::{Automaton, CLASSES};
use super::program::{Action, Alternative, Case, Handler, Kind, Reception, TAGS, To};
use manyworlds_actor::Faults;
use manyworlds_core::{Network, Temperature};
use proptest::prelude::*;
use std::sync::Arc;

/// The number of rows of a kind.
const ROWS: u8 = 2;
/// The number of kinds.
const KINDS: u8 = 3;

/// The parameters of generated systems.
#[derive(Clone, Copy)]
pub struct Profile {
    pub faults: bool,
    pub failures: bool,
    /// Whether messages may be deferred and ignored.
    pub defers: bool,
    /// Whether actors may halt.
    pub halts: bool,
    /// Whether actors may create others.
    pub creates: bool,
    /// Whether the system may go on for ever.
    pub ticks: bool,
    /// The maximal number of monitors.
    pub monitors: usize,
}

fn action(declared: u16, profile: Profile) -> impl Strategy<Value = Action> {
    let to = prop_oneof![
        2 => (0..declared).prop_map(To::Declared),
        1 => Just(To::Sender),
        1 => Just(To::Me),
        2 => Just(To::Parent),
        3 => Just(To::Child),
    ];
    let spawns = if profile.creates { 3 } else { 0 };
    prop_oneof![
        5 => (to, 0..TAGS as u8).prop_map(|(to, tag)| Action::Send(to, tag)),
        spawns => (0..KINDS).prop_map(Action::Spawn),
        1 => (0..2u8).prop_map(Action::Note),
    ]
}

fn alternative(declared: u16, profile: Profile) -> impl Strategy<Value = Alternative> {
    let halts = prop::bool::weighted(if profile.halts { 0.15 } else { 0.0 });
    let fails = prop::bool::weighted(if profile.failures { 0.03 } else { 0.0 });
    let actions = prop::collection::vec(action(declared, profile), 0..=3);
    let timer = if profile.ticks { 0.5 } else { 0.2 };
    (0..ROWS, actions, prop::bool::weighted(timer), halts, fails)
        .prop_map(|(next, actions, sets_timer, halts, fails)| Alternative { next, actions, sets_timer, halts, fails })
}

fn handler(declared: u16, profile: Profile) -> impl Strategy<Value = Handler> {
    prop_oneof![
        1 => Just(vec![]),
        5 => prop::collection::vec(alternative(declared, profile), 1),
        1 => prop::collection::vec(alternative(declared, profile), 2),
    ]
}

fn kind(declared: u16, profile: Profile) -> impl Strategy<Value = Kind> {
    let rare = if profile.defers { 1 } else { 0 };
    let reception =
        prop_oneof![3 => Just(Reception::Take), rare => Just(Reception::Defer), rare => Just(Reception::Ignore)];
    let messages = prop::collection::vec((reception, handler(declared, profile)), TAGS);
    let rows = prop::collection::vec((messages, handler(declared, profile)), usize::from(ROWS));
    let durable = prop::collection::vec(prop::option::of(0..ROWS), usize::from(ROWS));
    let ticks = prop::bool::weighted(if profile.ticks { 0.7 } else { 0.0 });
    (handler(declared, profile), rows, durable, ticks).prop_map(|(start, rows, durable, ticks)| Kind {
        start,
        rows,
        durable,
        ticks,
    })
}

fn faults(profile: Profile) -> BoxedStrategy<Faults> {
    let none = Faults::default();
    if !profile.faults {
        return Just(none).boxed();
    }
    let kinds = vec![
        none,
        none,
        Faults { losses: 1, ..none },
        Faults { duplicates: 1, ..none },
        Faults { crashes: 1, ..none },
        Faults { crashes: 1, restarts: 1, ..none },
    ];
    prop::sample::select(kinds).boxed()
}

fn automaton() -> impl Strategy<Value = Automaton> {
    let next = prop_oneof![1 => Just(None), 20 => (0..2u8).prop_map(Some)];
    let temperature = prop::sample::select(vec![Temperature::Hot, Temperature::Warm, Temperature::Cold]);
    (
        prop::collection::vec(any::<bool>(), CLASSES),
        any::<bool>(),
        prop::collection::vec(prop::collection::vec(next, CLASSES), 2),
        prop::collection::vec(temperature, 2),
    )
        .prop_map(|(observes, first_only, next, temperatures)| Automaton {
            observes,
            first_only,
            next,
            temperatures,
        })
}

/// Random systems of one to three declared actors.
pub fn cases(profile: Profile) -> impl Strategy<Value = Case> {
    (1..=3u16).prop_flat_map(move |n| {
        let kinds = prop::collection::vec(kind(n, profile), usize::from(KINDS));
        let declared = prop::collection::vec((0..KINDS, 1..=(4 - n) as u8), usize::from(n));
        let network = prop::sample::select(Network::ALL.to_vec());
        let creates = if profile.creates { (1..=4u16).boxed() } else { Just(0).boxed() };
        let monitors = prop::collection::vec(automaton(), 0..=profile.monitors);
        (kinds, declared, network, faults(profile), creates, prop::bool::weighted(0.2), monitors).prop_map(
            |(kinds, declared, network, faults, creates, forbids_halted, monitors)| Case {
                kinds: Arc::new(kinds),
                declared,
                network,
                faults,
                creates,
                forbids_halted,
                monitors,
            },
        )
    })
}
