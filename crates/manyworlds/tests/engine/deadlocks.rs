//! Waiting for ever is a violation, is not, or is excused.

use super::{counts, ignore, violation};
use manyworlds::prelude::*;
use manyworlds::{Requirement, Verdict};

/// A server that answers once more than it is asked.
fn server(daemon: bool) -> Program {
    Program::new(move || {
        let builder = process("server");
        let builder = if daemon { builder.daemon() } else { builder };
        builder.spawn(|| {
            loop {
                let client = recv::<Pid>();
                send(client, "answer");
            }
        });
        let server = Pid::ROOT.child(0);
        send(server, me());
        recv::<&str>();
    })
}

#[test]
fn forbidden_allowed_excused() {
    let found = violation(check(server(false)));
    assert_eq!((found.property, found.process.as_deref()), (Requirement::Deadlock, Some("server")));
    assert!(found.location.is_some_and(|location| location.file.ends_with("engine/deadlocks.rs")));

    let allowed = check(server(false).deadlock(Deadlock::Allow));
    assert!(allowed.run().unwrap().is_verified());
    assert_eq!(counts(&allowed), (0, 1));

    assert!(check(server(true)).run().unwrap().is_verified());
    assert_eq!(counts(&check(server(true))), (1, 0));
}

#[test]
fn every_process_that_waits_is_named() {
    let found = violation(check(|| {
        for name in ["a", "b", "c"] {
            let builder = process(name);
            let builder = if name == "b" { builder.daemon() } else { builder };
            builder.spawn(|| ignore(recv::<u32>()));
        }
    }));
    assert_eq!(found.message, "a, c wait for ever");
}

#[test]
fn who_waits_for_a_daemon_waits() {
    let found = violation(check(|| {
        process("daemon").daemon().spawn(|| ignore(recv::<u32>())).join();
    }));
    assert_eq!((found.property, found.process.as_deref()), (Requirement::Deadlock, Some("main")));
}

#[test]
fn an_assumption_excuses_those_who_wait() {
    let checker = check(|| {
        spawn(|| ignore(recv::<u32>()));
        assume(flip());
        send(Pid::ROOT.child(0), 1u32);
    });
    let outcome = checker.run().unwrap();
    assert!(matches!(outcome.verdict, Verdict::Verified), "{outcome:?}");
    assert_eq!(counts(&checker), (1, 1));
}

#[test]
fn a_time_out_saves_from_deadlock() {
    let checker = check(|| {
        let other = spawn(|| recv_timeout::<u32>());
        if flip() {
            send(other.pid(), 1u32);
        }
        other.join();
    });
    assert!(checker.run().unwrap().is_verified());
    assert_eq!(counts(&checker), (3, 0));
}
