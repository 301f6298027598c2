//! Panics in user code, wherever it runs: the message, the place and the process are reported, and the next check is not disturbed.

use super::violation;
use manyworlds::monitor::Subscription;
use manyworlds::prelude::*;
use manyworlds::{Monitor, Requirement, StepKind, TraceStep};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A sender of each value to `main`, which does `then`.
fn receiving(values: &'static [u32], then: fn()) -> Check<Program> {
    check(receiver(values, then))
}

fn receiver(values: &'static [u32], then: fn()) -> Program {
    Program::new(move || {
        for &value in values {
            process(format!("sender{value}")).spawn(move || send(Pid::ROOT, value));
        }
        then();
    })
}

#[test]
fn a_panic_has_a_message_a_place_and_a_process() {
    let found = violation(receiving(&[1, 2], || {
        spawn(|| ());
        assert_eq!(recv::<u32>(), 1, "the first message");
    }));
    assert_eq!(found.property, Requirement::Assertion);
    assert!(found.message.contains("the first message") && found.message.contains("right: 1"), "{}", found.message);
    let location = found.location.expect("a panic has a place");
    assert!(location.file.ends_with("engine/failures.rs"), "{location}");
    assert_eq!(found.process.as_deref(), Some("main"));
}

#[test]
fn a_trace_shows_what_was_chosen() {
    let program = check(|| {
        let (colour, heads, cups) = (choose(["red", "blue"]), flip(), choose(5..8));
        assert!((colour, heads, cups) != ("blue", true, 6));
    });
    for nodes in [1, 1 << 16] {
        let outcome = program.clone().max_nodes(nodes).run().unwrap();
        let steps = &outcome.trace().expect("a world fails").steps;
        let chosen = |step: &TraceStep| match &step.kind {
            StepKind::Choose { option, value } => Some((*option, value.as_ref().map(ToString::to_string))),
            _ => None,
        };
        let expected = ["\"blue\"", "true", "6"].map(|value| (Some(1), Some(value.to_string())));
        assert_eq!(steps.iter().filter_map(chosen).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_payload_that_is_no_text_is_reported_too() {
    let found = violation(check(|| std::panic::panic_any(42)));
    assert_eq!(found.property, Requirement::Assertion);
    assert!(found.message.contains("payload"), "{}", found.message);
    assert!(found.location.is_some());
}

#[test]
fn a_panic_that_the_process_catches_is_its_own_business() {
    let outcome = check(|| {
        let caught = std::panic::catch_unwind(|| panic!("internal"));
        assert!(caught.is_err());
        spawn(|| send(Pid::ROOT, 1u32));
        recv::<u32>();
    })
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
}

#[test]
fn a_filter_that_panics_fails_in_its_process() {
    // Whichever of the messages is looked at first, the filter panics on one of them in the end.
    for bad in [1, 2, 3] {
        let checker = check(move || {
            for value in [1u32, 2, 3] {
                spawn(move || send(Pid::ROOT, value));
            }
            process("picky").spawn(|| ());
            recv_where(move |value: &u32| {
                assert!(*value != bad, "no {value} please");
                true
            });
        });
        let found = violation(checker.clone());
        assert_eq!((found.property, found.message), (Requirement::Assertion, format!("no {bad} please")));
        assert_eq!(found.process.as_deref(), Some("main"));
        let stats = checker.keep_going(true).run().unwrap().stats;
        assert_eq!((stats.executions, stats.violations), (Some(2), 1));
    }
}

#[test]
fn a_filter_that_panics_on_unread_messages_only_when_asked() {
    let outcome = receiving(&[1, 2], || {
        recv_where(|value: &u32| *value == 1);
    })
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
}

/// A message with one misbehaving trait.
#[derive(Debug, Default)]
struct Bad {
    clone: bool,
    eq: bool,
    hash: bool,
}

impl Clone for Bad {
    fn clone(&self) -> Bad {
        assert!(!self.clone, "Clone panics");
        Bad { ..*self }
    }
}
impl PartialEq for Bad {
    fn eq(&self, other: &Bad) -> bool {
        assert!(!self.eq, "Eq panics");
        (self.clone, self.eq, self.hash) == (other.clone, other.eq, other.hash)
    }
}
impl Eq for Bad {}
impl Hash for Bad {
    fn hash<H: Hasher>(&self, _: &mut H) {
        assert!(!self.hash, "Hash panics");
    }
}

#[test]
fn clone_of_a_message_panics_in_the_receiver() {
    let found = violation(check(|| {
        process("receiver").spawn(|| {
            recv::<Bad>();
        });
        send(Pid::ROOT.child(0), Bad { clone: true, ..Bad::default() });
    }));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Assertion, "Clone panics"));
    assert_eq!(found.process.as_deref(), Some("receiver"));
}

#[test]
fn hash_of_a_message_panics_in_the_sender() {
    let found = violation(check(|| {
        process("sender").spawn(|| send(Pid::ROOT, Bad { hash: true, ..Bad::default() }));
        let _ = recv_timeout::<Bad>();
    }));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Assertion, "Hash panics"));
    assert_eq!(found.process.as_deref(), Some("sender"));
}

#[test]
fn eq_of_a_message_panics_in_the_sender() {
    let found = violation(check(|| {
        process("sender").spawn(|| {
            send(Pid::ROOT, Bad { eq: true, ..Bad::default() });
            send(Pid::ROOT, Bad { eq: true, ..Bad::default() });
        });
    }));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Assertion, "Eq panics"));
    assert_eq!(found.process.as_deref(), Some("sender"));
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct NoDebug;

impl fmt::Debug for NoDebug {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("Debug panics")
    }
}

#[test]
fn debug_of_a_message_spoils_only_its_own_words() {
    let found = violation(check(|| {
        spawn(|| send(Pid::ROOT, NoDebug));
        recv::<NoDebug>();
        panic!("afterwards");
    }));
    assert_eq!(found.message, "afterwards");
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct BadDrop(bool);

impl Drop for BadDrop {
    fn drop(&mut self) {
        if self.0 && !std::thread::panicking() {
            panic!("Drop panics");
        }
    }
}

#[test]
fn drop_of_a_local_panics_in_its_process() {
    let found = violation(check(|| {
        process("owner").spawn(|| drop(BadDrop(true)));
    }));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Assertion, "Drop panics"));
    assert_eq!(found.process.as_deref(), Some("owner"));
}

#[test]
fn drop_of_a_received_message_panics_in_the_receiver() {
    // The runtime drops copies of its own, too; those must not bring the engine down.
    let found = violation(check(|| {
        process("sender").spawn(|| send(Pid::ROOT, BadDrop(true)));
        drop(recv::<BadDrop>());
    }));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Assertion, "Drop panics"));
}

#[test]
fn drop_in_a_process_that_waits_for_ever_is_harmless() {
    // Its stack is unwound when the engine is done with it.
    let checker = check(|| {
        let _guard = BadDrop(true);
        recv::<u32>();
    });
    let found = violation(checker);
    assert_eq!(found.property, Requirement::Deadlock);
}

#[test]
fn a_destructor_that_uses_the_api_does_not_confuse_the_engine() {
    #[derive(Clone)]
    struct Farewell;
    impl Drop for Farewell {
        fn drop(&mut self) {
            send(Pid::ROOT, 1u32);
        }
    }
    let outcome = check(|| {
        spawn(|| {
            let _farewell = Farewell;
        });
        assert_eq!(recv::<u32>(), 1);
    })
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
}

/// Objects to `2`; its filter cannot bear `3`; misses a message at the end.
struct Guard(u32);

impl Monitor for Guard {
    fn subscriptions() -> Vec<Subscription<Guard>> {
        vec![Subscription::to::<u32>()]
    }

    fn at_end(&mut self) {
        assert!(self.0 > 0, "nothing was sent");
    }
}

impl Observe<u32> for Guard {
    fn filter(seen: &Observed<'_, u32>) -> bool {
        assert!(*seen.message != 3, "the filter panics");
        *seen.message < 10
    }

    fn notify(&mut self, seen: &Observed<'_, u32>) {
        assert!(*seen.message != 2, "sent a 2");
        self.0 += 1;
    }
}

#[test]
fn a_monitor_objects() {
    let guarded = |value: u32| check(Program::new(move || send(me(), value)).monitor(|| Guard(0)));
    assert!(guarded(1).run().unwrap().is_verified());

    let found = violation(guarded(2));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Monitor, "sent a 2"));
    assert_eq!(found.process.as_deref(), Some("Guard"));

    let found = violation(guarded(3));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Assertion, "the filter panics"));
    assert_eq!(found.process.as_deref(), Some("main"));

    let found = violation(guarded(10));
    assert_eq!((found.property, found.message.as_str()), (Requirement::Monitor, "nothing was sent"));
}

#[test]
fn a_dropped_message_costs_a_monitor_nothing() {
    let program = |values: &'static [u32]| {
        receiver(values, || {
            recv::<u32>();
        })
    };
    let events = |program: Program| {
        let (worlds, duplicates) = check(program).worlds();
        assert_eq!(duplicates, 0);
        let events = worlds.iter().flat_map(|w| &w.processes).map(|(_, events)| events.len()).sum::<usize>();
        (worlds.len(), events)
    };
    let plain = events(program(&[10, 11]));
    let watched = events(program(&[10, 11]).monitor(|| Guard(1)));
    assert_eq!(plain, watched);
}
