//! Programs that record operations.

use manyworlds::linear::Sequential;
use manyworlds::linear::specs::counter::{Operation as Count, Response as Counted};
use manyworlds::linear::specs::queue::{Operation as Ask, Response as Answer};
use manyworlds::linear::specs::{Counter, Queue};
use manyworlds::sync::atomic::{AtomicI64, Ordering};
use manyworlds::sync::mpsc;
use manyworlds::{Checker, Engine, Property, Replayed, Trace, invoked, returned, thread};
use manyworlds_report::html::{Page, html};
use manyworlds_report::{Hints, Style, failure};

fn increments(atomic: bool) -> Checker {
    Checker::new(move || {
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
    .linearizable(Counter::new(0))
}

#[test]
fn an_atomic_increment_is_linearizable_and_two_steps_are_not() {
    assert!(increments(true).check().is_verified());
    let outcome = increments(false).check();
    let violation = outcome.violation().expect("a lost increment");
    assert_eq!(violation.property, Property::Linearizable);
    assert_eq!(violation.process.as_deref(), Some("main"));
    assert!(violation.location.as_deref().unwrap().contains("linearizable_programs.rs"), "{violation:?}");
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
    assert!(Checker::new(queue).linearizable(Queue::<i64>::new()).check().is_verified());
}

/// Two clients of one object each; the second one is wrong.
fn two_objects() -> Checker {
    Checker::new(|| {
        invoked(Count::Add(1));
        returned(Counted::Added);
        invoked(Ask::<i64>::Dequeue);
        returned(Answer::<i64>::Dequeued(Some(7)));
    })
    .linearizable(Counter::new(0))
    .linearizable(Queue::<i64>::new())
}

#[test]
fn a_counterexample_carries_its_history_and_why_it_is_impossible() {
    for engine in [Engine::Must, Engine::Brute] {
        let outcome = increments(false).engine(engine).check();
        let history = outcome.trace().unwrap().history.clone().unwrap();
        let words: Vec<_> = history.operations.iter().map(|o| (o.call.as_str(), o.response.as_deref())).collect();
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
    let outcome = two_objects().check();
    let history = outcome.trace().unwrap().history.clone().unwrap();
    assert_eq!(history.operations.len(), 1);
    assert_eq!(history.operations[0].call, "Dequeue");
    assert_eq!((history.stuck, history.core), (vec![0], vec![0]));
}

#[test]
fn chart_and_timeline_are_printed_and_a_file_prints_the_same() {
    let checker = increments(false);
    let outcome = checker.check();
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
        let outcome = Checker::new(program).linearizable(Broken(part)).check();
        let violation = outcome.violation().unwrap_or_else(|| panic!("{part}: {:?}", outcome.verdict));
        assert_eq!(violation.property, Property::Monitor, "{part}");
        assert!(violation.message.contains(&format!("{part} is broken")), "{}", violation.message);
        assert_eq!(violation.process.as_deref(), Some("history"));
    }
}
