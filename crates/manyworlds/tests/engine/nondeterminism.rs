//! Processes that do not repeat their past are found, named, and never explored as if they did.

use crate::{ignore, violation};
use manyworlds::prelude::*;
use manyworlds::{Property, Violation};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

fn nondeterministic(checker: Checker) -> Violation {
    let found = violation(checker);
    assert_eq!(found.property, Property::Deterministic, "{found:?}");
    assert_eq!(found.process.as_deref(), Some("culprit"), "{found:?}");
    assert!(found.message.contains("first did `") && found.message.contains("and now does `"), "{}", found.message);
    let (before, after) = found.message.split_once("and now does").expect("checked");
    let quoted = |text: &str| text.split('`').nth(1).map(str::to_string);
    assert_ne!(quoted(before), quoted(after), "both actions are the same: {}", found.message);
    assert!(found.message.contains("engine/nondeterminism.rs:"), "no source line: {}", found.message);
    found
}

/// A process `culprit` that does `f`, and another for company.
fn culprit(f: fn()) -> Checker {
    Checker::new(move || {
        process("culprit").spawn(f);
        spawn(|| send(Pid::ROOT, "innocent"));
        recv::<&str>();
    })
    .deadlock(Deadlock::Allow)
}

#[test]
fn a_static_counter() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let found = nondeterministic(culprit(|| send(Pid::ROOT, COUNT.fetch_add(1, Ordering::Relaxed))));
    assert!(found.location.is_some_and(|location| location.contains("engine/nondeterminism.rs:")));
}

#[test]
fn a_thread_local() {
    thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });
    nondeterministic(culprit(|| send(Pid::ROOT, COUNT.replace(COUNT.get() + 1))));
}

#[test]
fn the_clock() {
    nondeterministic(culprit(|| {
        let now = std::time::Instant::now();
        send(Pid::ROOT, now);
    }));
}

#[test]
fn the_order_of_a_hash_map() {
    nondeterministic(culprit(|| {
        let map: HashMap<u32, ()> = (0..50).map(|key| (key, ())).collect();
        map.into_keys().for_each(|key| send(Pid::ROOT, key));
    }));
}

#[test]
fn an_address() {
    nondeterministic(culprit(|| {
        let leaked: &'static u64 = Box::leak(Box::new(1));
        send(Pid::ROOT, std::ptr::from_ref(leaked) as usize);
    }));
}

/// True every other time.
fn alternates(count: &AtomicU32) -> bool {
    count.fetch_add(1, Ordering::Relaxed) % 2 == 1
}

#[test]
fn one_action_less() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| {
        if !alternates(&COUNT) {
            send(Pid::ROOT, 1u32);
        }
    }));
}

#[test]
fn one_action_more() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| {
        if alternates(&COUNT) {
            send(Pid::ROOT, 1u32);
        }
    }));
}

#[test]
fn another_kind_of_action() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| {
        if alternates(&COUNT) {
            flip();
        } else {
            recv_timeout::<u32>();
        }
    }));
}

#[test]
fn another_destination() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| send(if alternates(&COUNT) { Pid::ROOT } else { me() }, 1u32)));
}

#[test]
fn another_type_of_message() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| if alternates(&COUNT) { ignore(recv::<u32>()) } else { ignore(recv::<u64>()) }));
}

#[test]
fn a_panic_now_and_then() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| {
        assert!(!alternates(&COUNT), "unlucky");
        send(Pid::ROOT, 1u32);
    }));
}

#[test]
fn a_child_now_and_then() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| {
        if alternates(&COUNT) {
            spawn(|| ());
        }
        recv_timeout::<u32>();
    }));
}

#[test]
fn another_result() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let checker = Checker::new(|| {
        process("culprit").spawn(|| COUNT.fetch_add(1, Ordering::Relaxed));
    });
    let found = violation(checker);
    assert_eq!((found.property, found.process.as_deref()), (Property::Deterministic, Some("culprit")));
    assert!(found.message.contains("end with 0") && found.message.contains("end with 1"), "{}", found.message);
}

#[test]
fn after_a_long_common_past() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    nondeterministic(culprit(|| {
        for _ in 0..3 {
            flip();
        }
        send(Pid::ROOT, COUNT.fetch_add(1, Ordering::Relaxed));
    }));
}

#[test]
fn a_monitor() {
    use manyworlds::monitor::Subscription;
    static COUNT: AtomicU32 = AtomicU32::new(0);
    struct Moody;
    impl manyworlds::Monitor for Moody {
        fn subscriptions() -> Vec<Subscription<Moody>> {
            vec![Subscription::to::<u32>()]
        }
    }
    impl Observe<u32> for Moody {
        fn notify(&mut self, _: &Observed<'_, u32>) {
            assert!(!alternates(&COUNT), "now and then");
        }
    }
    let found = violation(Checker::new(|| send(me(), 1u32)).monitor(|| Moody));
    assert_eq!(
        (found.property, found.process.as_deref()),
        (Property::Deterministic, Some("Moody")),
        "{}",
        found.message
    );
}
