//! Systems on which an engine and the naive explorer once disagreed.

use super::explorer::explore;
use super::strategy::Service;
use super::table::{Alternative, Case, Claim, Cost, Entry, TAGS, TIMERS, Table, To};
use super::{states, symmetric};
use manyworlds_actor::Faults;
use manyworlds_core::Network;

const CLAIM: Claim = Claim { one: (0, 0), other: (1, 1) };

/// An actor with three rows, with this start and these reactions to (row, message).
fn table(start: Entry, reacts: &[(usize, usize, Alternative)]) -> Table {
    let mut rows = vec![vec![vec![]; TAGS + TIMERS.len()]; 3];
    reacts.iter().for_each(|(row, tag, alternative)| rows[*row][*tag] = vec![vec![alternative.clone()]]);
    Table { start, restart: vec![], rows, durable: vec![None; 3], fuel: 3, cost: Cost::Sends }
}

fn alternative(next: u8, sends: &[(usize, u8)]) -> Alternative {
    let sends = sends.iter().map(|&(to, tag)| (To::Actor(to), tag)).collect();
    Alternative { next, sends, set: None, cancel: None, fails: false }
}

fn case(network: Network, faults: Faults, actors: Vec<Table>) -> Case {
    Case { actors, network, channels: vec![], faults, may_crash: None, side: None, own_faults: false }
}

/// Two messages make one actor fail in the same way: the failed states are equal, with exact comparison too.
#[test]
fn the_same_failure_is_the_same_state() {
    let sender = || table(vec![vec![alternative(0, &[(0, 0)])]], &[]);
    let taker = table(vec![], &[(0, 0, Alternative { fails: true, ..alternative(1, &[]) })]);
    let faults = Faults { losses: 1, ..Faults::default() };
    assert!(states::compare(&case(Network::Asyn, faults, vec![taker, sender(), sender()]), CLAIM));
}

/// The actor that failed is part of the state, even where the failures are otherwise equal.
#[test]
fn different_failures_are_different_states() {
    let failing = Alternative { fails: true, ..alternative(1, &[]) };
    let set = Alternative { set: Some(0), ..alternative(0, &[]) };
    let mut taker = table(vec![vec![set]], &[]);
    taker.rows[0][TAGS] = vec![vec![failing]];
    assert!(states::compare(&case(Network::P2p, Faults::default(), vec![taker.clone(), taker]), CLAIM));
}

/// A duplicate is in its receiver's causal past: a message caused by it that is sent back does not overtake it.
#[test]
fn nothing_overtakes_a_duplicate_that_caused_it() {
    let first = table(vec![vec![alternative(0, &[(1, 0)])]], &[]);
    let second = table(vec![], &[(0, 0, alternative(1, &[(2, 0)])), (1, 1, alternative(2, &[]))]);
    let third = table(vec![], &[(0, 0, alternative(0, &[(1, 1)]))]);
    let faults = Faults { duplicates: 1, ..Faults::default() };
    assert!(states::compare(&case(Network::Cd, faults, vec![first, second, third]), CLAIM));
}

/// A partition is represented by one of its two sides, and renaming may exchange the sides.
#[test]
fn a_renamed_split_is_the_same_split() {
    let faults = Faults { splits: 1, ..Faults::default() };
    let service = Service { case: case(Network::Asyn, faults, vec![table(vec![], &[]); 3]), server: 0 };
    let graph = explore(&service.case, 100).expect("it is small");
    symmetric::compare(&service, (0, 0), &graph);
}
