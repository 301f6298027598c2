//! Processes that do not repeat their past are found, named, and never explored as if they did.

use super::ignore;
use manyworlds::prelude::*;
use manyworlds::{Flaw, InvalidModel};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// The flaw of `checker`, which must be that `process` is not deterministic; the same with two workers and with a tiny trie.
fn nondeterministic_process(checker: &Check<Program>, process: &str) -> InvalidModel {
    let variants = [
        checker.clone(),
        checker.clone().threads(2),
        checker.clone().max_nodes(1).max_coroutines(1),
        checker.clone().keep_going(true),
    ];
    let mut flaws = variants.iter().map(|variant| {
        let outcome = variant.run().unwrap();
        let invalid = outcome.invalid().unwrap_or_else(|| panic!("the flaw was missed: {outcome:?}")).clone();
        assert_eq!(invalid.flaw, Flaw::NotDeterministic, "{invalid:?}");
        assert!(invalid.message.contains(&format!("process `{process}` is not deterministic")), "{invalid}");
        invalid
    });
    let first = flaws.next().expect("there are variants");
    assert_eq!(flaws.count(), 3);
    first
}

fn nondeterministic(checker: Check<Program>) -> InvalidModel {
    let found = nondeterministic_process(&checker, "culprit");
    let [before, after] = &found.evidence[..] else { panic!("two behaviours are shown: {found}") };
    assert!(before.starts_with("first run: ") && after.starts_with("run again: "), "{found}");
    assert_ne!(before["first run: ".len()..], after["run again: ".len()..], "both behaviours are the same");
    assert!(found.to_string().contains("engine/nondeterminism.rs:"), "no source line: {found}");
    found
}

/// A process `culprit` that does `f`, and another for company.
fn culprit(f: fn()) -> Check<Program> {
    check(
        Program::new(move || {
            process("culprit").spawn(f);
            spawn(|| send(Pid::ROOT, "innocent"));
            recv::<&str>();
        })
        .deadlock(Deadlock::Allow),
    )
}

#[test]
fn a_static_counter() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let found = nondeterministic(culprit(|| send(Pid::ROOT, COUNT.fetch_add(1, Ordering::Relaxed))));
    assert!(found.location.is_some_and(|location| location.file.ends_with("engine/nondeterminism.rs")));
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
    let checker = check(|| {
        process("culprit").spawn(|| COUNT.fetch_add(1, Ordering::Relaxed));
    });
    let evidence = nondeterministic_process(&checker, "culprit").evidence;
    assert!(evidence[0].contains("end with 0") && evidence[1].contains("end with 1"), "{evidence:?}");
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
    nondeterministic_process(&check(Program::new(|| send(me(), 1u32)).monitor(|| Moody)), "Moody");
}
