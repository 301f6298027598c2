//! A deadlock: two transfers lock two accounts, each its own one first. Whoever waits for ever is reported, unless that is allowed.

use manyworlds::prelude::*;
use manyworlds::sync::{Arc, Mutex};

type Accounts = Arc<[Mutex<i32>; 2]>;

/// Locks the account that pays, then the one that is paid: the other transfer may hold that one.
fn payer_first(accounts: &Accounts, from: usize, to: usize) {
    let mut paying = accounts[from].lock().unwrap();
    let mut paid = accounts[to].lock().unwrap();
    *paying -= 10;
    *paid += 10;
}

/// Locks the account with the lower number first, whoever pays.
fn lower_first(accounts: &Accounts, from: usize, to: usize) {
    let mut lower = accounts[from.min(to)].lock().unwrap();
    let mut upper = accounts[from.max(to)].lock().unwrap();
    let up = if from < to { 10 } else { -10 };
    *lower -= up;
    *upper += up;
}

/// Two transfers at once, in opposite directions.
fn transfers(transfer: fn(&Accounts, usize, usize)) -> Check<Program> {
    check(move || {
        let accounts: Accounts = Arc::new([Mutex::new(100), Mutex::new(100)]);
        let transfers = [("alice", 0, 1), ("bob", 1, 0)].map(|(name, from, to)| {
            let accounts = accounts.clone();
            process(name).spawn(move || transfer(&accounts, from, to))
        });
        transfers.into_iter().for_each(|transfer| transfer.join());
        let sum: i32 = accounts.iter().map(|account| *account.lock().unwrap()).sum();
        assert_eq!(sum, 200, "money appears or disappears");
    })
    .name("transfers")
}

fn main() {
    for transfer in [lower_first, payer_first] {
        let checker = transfers(transfer);
        print!("{}", checker.run().unwrap());
    }
}

#[test]
fn each_waits_for_the_other() {
    assert!(transfers(lower_first).run().unwrap().is_verified());
    let outcome = transfers(payer_first).run().unwrap();
    assert_eq!(outcome.violation().expect("they wait for ever").property, manyworlds::Requirement::Deadlock);
}
