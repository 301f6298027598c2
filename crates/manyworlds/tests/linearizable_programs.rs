//! Programs that record operations.

use manyworlds::linear::Sequential;
use manyworlds::linear::specs::counter::{Operation as Count, Response as Counted};
use manyworlds::linear::specs::queue::{Operation as Ask, Response as Answer};
use manyworlds::linear::specs::register::{Operation as Access, Response as Accessed};
use manyworlds::linear::specs::{Counter, Queue, Register};
use manyworlds::prelude::{me, recv, send};
use manyworlds::sync::atomic::{AtomicI64, Ordering};
use manyworlds::sync::mpsc;
use manyworlds::{
    Check, Deadlock, Ending, Engine, Network, Pid, Program, Replayed, Requirement, Trace, TraceValue, check, invoked,
    returned, thread,
};
use manyworlds_report::html::{Page, html};
use manyworlds_report::{Hints, Style, failure};
use manyworlds_testkit::random;
use proptest::prelude::*;

fn increments(atomic: bool) -> Check<Program> {
    check(
        Program::new(move || {
            let count = AtomicI64::new(0);
            let increment = move |count: &AtomicI64| {
                invoked(Count::Add(1));
                if atomic {
                    count.fetch_add(1, Ordering::SeqCst);
                } else {
                    count.store(count.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
                }
                returned(Counted::Added);
            };
            let other = count.clone();
            let thread = thread::spawn(move || increment(&other));
            increment(&count);
            invoked(Count::Read);
            returned(Counted::Count(count.load(Ordering::SeqCst)));
            thread.join().unwrap();
        })
        .linearizable(Counter::new(0)),
    )
}

#[test]
fn an_atomic_increment_is_linearizable_and_two_steps_are_not() {
    assert!(increments(true).run().unwrap().is_verified());
    let outcome = increments(false).run().unwrap();
    let violation = outcome.violation().expect("a lost increment");
    assert_eq!(violation.property, Requirement::Linearizable);
    assert_eq!(violation.process.as_deref(), Some("main"));
    assert!(violation.location.as_ref().unwrap().file.contains("linearizable_programs.rs"), "{violation:?}");
}

/// Sending does not wait, so only the mailbox orders two sends. A monitor that is told causally would see the second one first.
#[test]
fn a_channel_is_a_queue() {
    let queue = || {
        let (sender, receiver) = mpsc::channel();
        for value in 1..=2i64 {
            let sender = sender.clone();
            thread::spawn(move || {
                invoked(Ask::Enqueue(value));
                sender.send(value).unwrap();
                returned(Answer::<i64>::Enqueued);
            });
        }
        for _ in 0..2 {
            invoked(Ask::<i64>::Dequeue);
            returned(Answer::Dequeued(Some(receiver.recv().unwrap())));
        }
    };
    assert!(check(Program::new(queue).linearizable(Queue::<i64>::new())).run().unwrap().is_verified());
}

/// Two clients of one object each; the second one is wrong.
fn two_objects() -> Check<Program> {
    check(
        Program::new(|| {
            invoked(Count::Add(1));
            returned(Counted::Added);
            invoked(Ask::<i64>::Dequeue);
            returned(Answer::<i64>::Dequeued(Some(7)));
        })
        .linearizable(Counter::new(0))
        .linearizable(Queue::<i64>::new()),
    )
}

#[test]
fn a_counterexample_carries_its_history_and_why_it_is_impossible() {
    for engine in [Engine::Must, Engine::Brute] {
        let outcome = increments(false).engine(engine).run().unwrap();
        let history = outcome.trace().unwrap().history.clone().unwrap();
        let shown = |value: &TraceValue| value.to_string();
        let operations = history.operations.iter();
        let words: Vec<_> = operations.map(|o| (shown(&o.call), o.response.as_ref().map(shown))).collect();
        let words: Vec<_> = words.iter().map(|(call, response)| (call.as_str(), response.as_deref())).collect();
        assert_eq!(
            words,
            [("Add(1)", Some("Added")), ("Add(1)", Some("Added")), ("Read", Some("Count(1)"))],
            "{}",
            engine.name()
        );
        assert_eq!((history.stuck, history.linearization.len()), (vec![2], 2));
        assert_eq!((history.minimal, history.core), (vec![2], vec![0, 1, 2]));
    }
}

#[test]
fn with_several_objects_the_history_is_that_of_the_one_that_is_wrong() {
    let outcome = two_objects().run().unwrap();
    let history = outcome.trace().unwrap().history.clone().unwrap();
    assert_eq!(history.operations.len(), 1);
    assert_eq!(history.operations[0].call.to_string(), "Dequeue");
    assert_eq!((history.stuck, history.core), (vec![0], vec![0]));
}

#[test]
fn chart_and_timeline_are_printed_and_a_file_prints_the_same() {
    let checker = increments(false);
    let outcome = checker.run().unwrap();
    let trace = outcome.trace().unwrap();
    let told = failure(trace, &Hints::default(), &Style::default());
    assert!(told.contains("├─ invoked Read ──────▶│"), "the chart: {told}");
    assert!(told.contains("├ ✗ Read → Count(1) ┤"), "the timeline: {told}");
    let read = Trace::from_json(&trace.to_json()).unwrap();
    assert_eq!(failure(&read, &Hints::default(), &Style::default()), told);
    assert_eq!(checker.replay(&read, |_, _| {}), Ok(Replayed::Reproduced));
    let page = |trace: &Trace| html(&Page { title: "increments", trace: Some(trace), ..Page::default() });
    assert!(page(trace).contains("\"stuck\":[2]"));
    assert_eq!(page(trace), page(&read));
}

/// A counter whose code panics somewhere.
struct Broken(&'static str);

impl Sequential for Broken {
    type State = i64;
    type Operation = Count;
    type Response = Counted;

    fn initial(&self) -> i64 {
        assert!(self.0 != "initial", "initial is broken");
        0
    }

    fn apply(&self, _: &mut i64, _: &Count) -> Counted {
        assert!(self.0 != "apply", "apply is broken");
        Counted::Added
    }

    fn key(&self, _: &Count) -> Option<u64> {
        assert!(self.0 != "key", "key is broken");
        None
    }
}

#[test]
fn a_specification_that_panics_is_a_violation() {
    for part in ["initial", "apply", "key"] {
        let program = || {
            invoked(Count::Add(1));
            returned(Counted::Added);
        };
        let outcome = check(Program::new(program).linearizable(Broken(part))).run().unwrap();
        let violation = outcome.violation().unwrap_or_else(|| panic!("{part}: {:?}", outcome.verdict));
        assert_eq!(violation.property, Requirement::Monitor, "{part}");
        assert!(violation.message.contains(&format!("{part} is broken")), "{}", violation.message);
        assert_eq!(violation.process.as_deref(), Some("history"));
    }
}

/// What a client does with a register of which there are two copies: a write goes to one after the other, a read to one of them.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Write(u8),
    Read(u16),
}

/// What a copy is told.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Told {
    Keep(u8),
    Tell(Pid),
}

fn copies(network: Network, clients: &[Vec<Deed>]) -> Check<Program> {
    let copy = || {
        let mut held = 0;
        loop {
            match recv::<Told>() {
                Told::Keep(value) => held = value,
                Told::Tell(client) => send(client, held),
            }
        }
    };
    let mut program = Program::empty().process("copy0", copy).process("copy1", copy);
    for deeds in clients {
        let deeds = deeds.clone();
        program = program.process("client", move || deeds.iter().for_each(|&deed| perform(deed)));
    }
    check(program.network(network).deadlock(Deadlock::Allow).linearizable(Register::new(0u8)))
}

fn perform(deed: Deed) {
    match deed {
        Deed::Write(value) => {
            invoked(Access::Write(value));
            (0..2).for_each(|copy| send(Pid::root(copy), Told::Keep(value)));
            returned(Accessed::<u8>::Written);
        }
        Deed::Read(copy) => {
            invoked(Access::<u8>::Read);
            send(Pid::root(copy), Told::Tell(me()));
            returned(Accessed::Read(recv::<u8>()));
        }
    }
}

/// Steps after which brute force gives up and a program is not compared.
const BRUTE_STEPS: u64 = 40_000;

random! {
    #![cases = 40, compared = 50]

    #[test]
    fn must_misses_no_history_that_brute_force_finds(
        network in prop::sample::select(Network::ALL.to_vec()),
        clients in prop::collection::vec(
            prop::collection::vec(prop_oneof![(1..3u8).prop_map(Deed::Write), (0..2u16).prop_map(Deed::Read)], 1..=2),
            2..=2,
        ),
    ) {
        let checker = copies(network, &clients);
        let Some(worlds) = checker.brute_worlds(BRUTE_STEPS) else { return Ok(0) };
        let wrong = worlds.iter().any(|world| world.ending == Ending::Violating);
        prop_assert_eq!(checker.run().unwrap().violation().is_some(), wrong, "{} {:?}", network, clients);
    }
}

/// So that the comparison above is one: it is wrong in some cases and right in others, whatever is drawn.
#[test]
fn copies_are_right_or_wrong() {
    use Deed::{Read, Write};
    let wrong = |network, clients: &[Vec<Deed>]| copies(network, clients).run().unwrap().violation().is_some();
    let new_then_old = [vec![Write(1)], vec![Read(0), Read(1)]];
    assert!(Network::ALL.iter().all(|&network| wrong(network, &new_then_old)));
    let after_the_write = [vec![Write(1), Read(1)]];
    assert!(wrong(Network::Asyn, &after_the_write) && !wrong(Network::P2p, &after_the_write));
}
