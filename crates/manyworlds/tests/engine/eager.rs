//! Eager ordering (Must §6.2) tells more worlds apart and says the same.

use super::{counts, violation};
use manyworlds::prelude::*;
use manyworlds::{Requirement, Verdict};

fn senders(n: u32, receives: u32) -> Check<Program> {
    check(move || {
        for i in 0..n {
            spawn(move || send(Pid::ROOT, i));
        }
        for _ in 0..receives {
            recv::<u32>();
        }
    })
}

#[test]
fn one_receive_costs_a_factorial() {
    for (n, factorial) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120)] {
        assert_eq!(counts(&senders(n, 1)), (u64::from(n), 0));
        assert_eq!(counts(&senders(n, 1).eager(true)), (factorial, 0));
        assert_eq!(counts(&senders(n, n).eager(true)), (factorial, 0));
        assert_eq!(counts(&senders(n, 1).eager(true).threads(2)), (factorial, 0));
    }
}

#[test]
fn other_networks_are_refused() {
    for network in [Network::Asyn, Network::Cd, Network::Mbox] {
        let refused = senders(4, 1).network(network).eager(true).run().expect_err("it is for p2p");
        assert!(refused.to_string().contains(&format!("under p2p, and the network is {network}")), "{refused}");
    }
}

#[test]
fn the_verdict_is_the_same() {
    let order = |eager| {
        check(|| {
            for i in 0..3u32 {
                process(format!("sender{i}")).spawn(move || send(Pid::ROOT, i));
            }
            assert_ne!(recv::<u32>(), 2, "out of order");
        })
        .eager(eager)
    };
    let found = violation(order(false));
    let outcome = order(true).run().unwrap();
    let Verdict::Violated { violation: eager, .. } = &outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!(*eager, found);
    assert_eq!(found.property, Requirement::Assertion);
}
