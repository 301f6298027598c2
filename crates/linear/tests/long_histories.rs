//! Tests with long histories: an impossible response is found and explained with bounded effort, and the verdict does not depend on the number of threads.

use manyworlds_core::random::SplitMix64;
use manyworlds_core::{Observer, Progress, StopReason};
use manyworlds_linear::specs::map::{Operation as Access, Response as Reply};
use manyworlds_linear::specs::register::{Operation as Op, Response};
use manyworlds_linear::specs::{Map, Queue, Register, Stack, queue, stack};
use manyworlds_linear::{CheckOptions, Consistency, History, Judgement, Sequential, Spec, check_with};
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts the calls of `tick`.
#[derive(Default)]
struct TickCount(AtomicU32);

impl Observer for TickCount {
    fn tick(&self, _: &Progress) -> Option<StopReason> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }
}

/// Pairs of concurrent writes and reads of a register; the operation with index `wrong` reads a value that was never written.
fn history(operations: u32, wrong: u32) -> History<Op<u32>, Response<u32>> {
    let mut history = History::new();
    for n in 0..operations / 2 {
        history.invoke(0, Op::Write(n % 1_000)).unwrap();
        history.invoke(1, Op::Read).unwrap();
        history.respond(0, Response::Written).unwrap();
        let read = if 2 * n + 1 == wrong { u32::MAX } else { n % 1_000 };
        history.respond(1, Response::Read(read)).unwrap();
    }
    history
}

#[test]
fn an_impossible_read_in_a_long_history_is_explained_soon() {
    for wrong in [1, 10_001, 19_999] {
        let ticks = TickCount::default();
        let options = CheckOptions { observer: &ticks, ..CheckOptions::default() };
        let answer = check_with(&Register::new(0), &history(20_000, wrong), &options);
        let why = answer.explanation().expect("a value was read that was never written");
        assert_eq!(why.stuck, [wrong as usize]);
        assert_eq!((why.minimal.as_deref(), why.is_minimal), (Some(&[wrong as usize][..]), true));
        assert_eq!(why.prefix.len(), wrong as usize);
        let ticks = ticks.0.into_inner();
        assert!(ticks < 100, "the observer was called {ticks} times");
    }
}

/// Two registers; operations on the second panic.
struct Fragile;

impl Sequential for Fragile {
    type State = ();
    type Operation = u64;
    type Response = ();

    fn initial(&self) {}

    fn apply(&self, _: &mut (), register: &u64) {
        assert!(*register == 0, "register {register} breaks");
    }

    fn key(&self, register: &u64) -> Option<u64> {
        Some(*register)
    }
}

#[test]
fn a_panic_of_the_specification_is_propagated_from_every_thread() {
    let mut history = History::new();
    for n in 0..5_000 {
        history.invoke(0, n % 2).unwrap();
        history.respond(0, ()).unwrap();
    }
    for threads in [1, 2] {
        let check = || check_with(&Fragile, &history, &CheckOptions { threads, ..CheckOptions::default() });
        let panic = std::panic::catch_unwind(check).unwrap_err();
        let words = panic.downcast_ref::<String>().expect("a text");
        assert!(words.contains("register 1 breaks"), "{words}");
    }
}

/// Stops the check after a number of ticks.
struct TickLimit(AtomicU32);

impl Observer for TickLimit {
    fn tick(&self, _: &Progress) -> Option<StopReason> {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.is_err().then_some(StopReason::Timeout)
    }
}

/// A history that is expensive to check: concurrent appends of all binary words of one to three letters, and a read of seven zeros, although the words that
/// consist of zeros have only six in total. The read can be split into words in many ways, so it implies nothing about the order of the appends.
fn hard() -> History<Access<u8, String>, Reply<String>> {
    let mut history = History::new();
    for process in 0..14 {
        history.invoke(process, Access::Append(0, format!("{:b}", process + 2)[1..].to_string())).unwrap();
    }
    (0..14).for_each(|process| history.respond(process, Reply::Done).unwrap());
    history.invoke(0, Access::Get(0)).unwrap();
    history.respond(0, Reply::Got(Some("0".repeat(7)))).unwrap();
    history
}

/// The same, with other keys whose reads are all correct except the last.
fn hard_and_bad() -> History<Access<u8, String>, Reply<String>> {
    let mut history = hard();
    for (key, n) in (1..4u8).flat_map(|key| (0..1_000).map(move |n| (key, n))) {
        let value = (n % 7).to_string();
        history.invoke(0, Access::Put(key, value.clone())).unwrap();
        history.respond(0, Reply::Done).unwrap();
        history.invoke(1, Access::Get(key)).unwrap();
        let read = if (key, n) == (3, 999) { "never written".to_string() } else { value };
        history.respond(1, Reply::Got(Some(read))).unwrap();
    }
    history
}

#[test]
fn an_expensive_key_does_not_hide_an_inconsistent_one() {
    let history = hard_and_bad();
    assert!(history.len() > 4_000, "long enough for several threads");
    for threads in [1, 2, 3] {
        let limit = TickLimit(AtomicU32::new(2_000));
        let options = CheckOptions { threads, observer: &limit, ..CheckOptions::default() };
        let answer = check_with(&Map::new(), &history, &options);
        let why = answer.explanation().expect("key 3 is inconsistent whatever the verdict of key 0");
        assert_eq!(why.stuck, [history.len() - 1]);
    }
}

#[test]
fn a_check_stopped_by_the_observer_is_incomplete() {
    for consistency in [Consistency::Linearizable, Consistency::Sequential] {
        let limit = TickLimit(AtomicU32::new(20));
        let options = CheckOptions { consistency, observer: &limit, ..CheckOptions::default() };
        assert_eq!(check_with(&Map::new(), &hard(), &options).verdict, Judgement::Incomplete(StopReason::Timeout));
    }
}

#[test]
fn a_linearizable_history_is_quickly_found_sequentially_consistent() {
    let ticks = TickCount::default();
    let options = CheckOptions { consistency: Consistency::Sequential, observer: &ticks, ..CheckOptions::default() };
    let history = history(100_000, u32::MAX);
    let Judgement::Consistent(order) = check_with(&Register::new(0), &history, &options).verdict else {
        panic!("the history is linearizable")
    };
    assert_eq!(order.len(), history.len());
    let ticks = ticks.0.into_inner();
    assert!(ticks < 100, "the observer was called {ticks} times");
}

/// A pseudo-random history of four clients of a queue or a stack: each client invokes an operation, which later takes effect, and later returns. `put`
/// creates the operation that puts a number in; no number is put in twice.
fn concurrent_clients<S: Sequential>(
    spec: &S,
    operations: u32,
    seed: u64,
    put: impl Fn(u32) -> S::Operation,
    take: &S::Operation,
) -> History<S::Operation, S::Response> {
    let mut random = SplitMix64::new(seed);
    let mut roll = |n: usize| random.below(n);
    let (mut history, mut state, mut invoked) = (History::new(), spec.initial(), 0);
    let mut clients = [const { (None, None) }; 4];
    while invoked < operations || clients.iter().any(|client| client.0.is_some()) {
        let me = roll(4);
        let (operation, response) = &mut clients[me];
        match (operation.take(), response.take()) {
            (None, _) if invoked < operations => {
                invoked += 1;
                let next = if roll(100) < 55 { put(invoked) } else { take.clone() };
                history.invoke(me, next.clone()).unwrap();
                *operation = Some(next);
            }
            (None, _) => {}
            (Some(_), Some(answer)) => history.respond(me, answer).unwrap(),
            (Some(open), None) => {
                *response = Some(spec.apply(&mut state, &open));
                *operation = Some(open);
            }
        }
    }
    history
}

/// The same history with the responses of two operations near the end exchanged.
fn swapped<O: Clone, R: Clone>(history: &History<O, R>, got: impl Fn(&R) -> bool) -> History<O, R> {
    let mut operations = history.operations().to_vec();
    let takes: Vec<usize> =
        (0..operations.len()).filter(|&n| operations[n].response.as_ref().is_some_and(&got)).collect();
    let [.., one, _, _, _, _, _, _, other] = takes[..] else { panic!("too few") };
    let (early, late) = operations.split_at_mut(other);
    std::mem::swap(&mut early[one].response, &mut late[0].response);
    History::from_operations(operations)
}

/// The order of two puts is determined by the takes, which come much later. Without the precedence pairs of the specification, checks of such histories do
/// not finish in reasonable time.
#[test]
fn queues_and_stacks_are_checked_with_few_ticks() {
    fn judge<S: Spec>(spec: &S, history: &History<S::Operation, S::Response>, good: bool, what: &str) {
        let ticks = TickCount::default();
        let options = CheckOptions { observer: &ticks, explain: false, ..CheckOptions::default() };
        assert_eq!(check_with(spec, history, &options).is_linearizable(), good, "{what}");
        let ticks = ticks.0.into_inner();
        assert!(ticks < 20, "{what}: the observer was called {ticks} times");
    }
    for seed in 1..20 {
        let history =
            concurrent_clients(&Queue::new(), 400, seed, queue::Operation::Enqueue, &queue::Operation::Dequeue);
        judge(&Queue::new(), &history, true, &format!("queue {seed}"));
        let bad = swapped(&history, |response| matches!(response, queue::Response::Dequeued(Some(_))));
        judge(&Queue::new(), &bad, false, &format!("queue {seed}, swapped"));
        let history = concurrent_clients(&Stack::new(), 400, seed, stack::Operation::Push, &stack::Operation::Pop);
        judge(&Stack::new(), &history, true, &format!("stack {seed}"));
    }
}
