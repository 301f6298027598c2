//! `#[manyworlds::test]` and `#[manyworlds::monitor]` as users write them.

use manyworlds::actor::{Actor, Context, System};
use manyworlds::explore::{Model, Property};
use manyworlds::prelude::*;
use manyworlds::{Message, Observe, Observed, Specification};

/// Starts a process that receives two numbers and returns them as they came.
fn pair() -> JoinHandle<(u32, u32)> {
    process("pair").spawn(|| (recv::<u32>(), recv::<u32>()))
}

/// One sender, two messages: only `asyn` lets the second overtake the first.
fn two_in_a_row() {
    let to = pair().pid();
    send(to, 1u32);
    send(to, 2u32);
}

#[manyworlds::test(network = "asyn", executions = 2)]
fn asyn_reorders_two_in_a_row() {
    two_in_a_row();
}

#[manyworlds::test(executions = 1)]
fn p2p_is_the_default_and_keeps_two_in_a_row() {
    two_in_a_row();
}

/// A message, and another one that is caused by it through a third process: only `cd` and `mbox` keep their order.
fn around_the_corner() {
    let to = pair().pid();
    let relay = process("relay").spawn(move || send(to, recv::<u32>()));
    send(to, 1u32);
    send(relay.pid(), 2u32);
}

#[manyworlds::test(network = "p2p", executions = 2)]
fn p2p_reorders_around_the_corner() {
    around_the_corner();
}

#[manyworlds::test(network = "cd", executions = 1)]
fn cd_keeps_order_around_the_corner() {
    around_the_corner();
}

/// Two senders, two receivers, opposite orders: under `mbox` one of the four outcomes would need a cycle of sends.
fn crossing() {
    let [left, right] = [pair().pid(), pair().pid()];
    spawn(move || {
        send(left, 1u32);
        send(right, 1u32);
    });
    send(right, 2u32);
    send(left, 2u32);
}

#[manyworlds::test(network = "cd", executions = 4, threads = 2)]
fn cd_crosses_freely() {
    crossing();
}

#[manyworlds::test(network = "mbox", executions = 2 + 1, threads = 2)]
fn mbox_does_not_cross_everywhere() {
    crossing();
}

mod numbers {
    use super::*;

    const WORLDS: u64 = 6;

    #[manyworlds::test(executions = WORLDS, max_executions = 1_000, max_depth = 100, max_steps = 100, timeout = 60)]
    fn bounds_that_are_not_hit_do_no_harm() {
        assert!(choose(0..3) < 3 && usize::from(flip()) < 2);
    }

    #[manyworlds::test(losses = 1, executions = 3)]
    fn one_of_two_messages_may_be_lost() {
        let idle = spawn(|| ());
        send_lossy(idle.pid(), 1u32);
        send_lossy(idle.pid(), 2u32);
    }

    #[manyworlds::test(deadlock = "allow", executions = 0)]
    fn waiting_for_ever_may_be_allowed() {
        recv::<u32>();
    }

    #[manyworlds::test(incomplete = "allow", max_executions = 2)]
    fn a_bound_may_be_allowed() {
        choose(0..100);
    }

    #[manyworlds::test]
    fn r#try() -> () {
        assert_eq!(spawn(|| 7).join(), 7);
    }
}

#[manyworlds::test]
#[should_panic(expected = "`it::attribute::a_deadlock_is_a_violation` violates `no deadlock` in main at ")]
fn a_deadlock_is_a_violation() {
    recv::<u32>();
}

#[manyworlds::test]
#[should_panic(expected = "violates `assertion` in pair at crates/manyworlds/tests/attribute.rs:")]
fn a_violation_names_the_process_and_the_line() {
    let to = process("pair").spawn(|| assert!(recv::<u32>() < recv::<u32>(), "out of order"));
    for number in [1u32, 2] {
        spawn(move || send(to.pid(), number));
    }
}

#[manyworlds::test(executions = 3)]
#[should_panic(expected = "has 2 complete executions; the test says `executions = 3`")]
fn a_wrong_number_of_executions_fails() {
    flip();
}

#[manyworlds::test(max_executions = 2)]
#[should_panic(expected = "is not verified: a bound was hit (max-executions)")]
fn a_bound_that_is_hit_fails() {
    choose(0..100);
}

#[manyworlds::test(max_steps = 10)]
#[should_panic(expected = "raise `max_steps`")]
fn a_process_that_goes_on_for_ever_fails() {
    loop {
        flip();
    }
}

#[manyworlds::test]
#[ignore = "attributes are passed through: this one is not run"]
fn an_ignored_test_is_ignored() {
    panic!("not ignored");
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Vote {
    Yes,
    No,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Decision(bool);

/// Nobody decides yes after a no, and there is a decision in the end. It does not want to hear of yes.
#[manyworlds::monitor(Vote, Decision, at_end = decided)]
#[derive(Default)]
struct Agreement {
    refused: bool,
    decisions: usize,
}

impl Agreement {
    fn decided(&self) {
        assert!(self.decisions > 0, "no decision");
    }
}

impl Observe<Vote> for Agreement {
    fn filter(seen: &Observed<'_, Vote>) -> bool {
        *seen.message == Vote::No
    }

    fn notify(&mut self, seen: &Observed<'_, Vote>) {
        assert_eq!(*seen.message, Vote::No, "the filter drops the others");
        self.refused = true;
    }
}

impl Observe<Decision> for Agreement {
    fn notify(&mut self, seen: &Observed<'_, Decision>) {
        self.decisions += 1;
        assert!(!(self.refused && seen.message.0), "decided {} after a no", seen.message.0);
    }
}

/// Two voters; the decision goes to a third process.
fn vote(votes: [Vote; 2], decide: fn(&[Vote]) -> Option<Decision>) {
    let clerk = process("clerk").daemon().spawn(|| recv::<Decision>());
    let main = me();
    for vote in votes {
        process("voter").spawn(move || send(main, vote));
    }
    let votes = [recv::<Vote>(), recv::<Vote>()];
    if let Some(decision) = decide(&votes) {
        send(clerk.pid(), decision);
    }
}

fn all(votes: &[Vote]) -> Option<Decision> {
    Some(Decision(votes.iter().all(|vote| *vote == Vote::Yes)))
}

#[manyworlds::test(monitors(Agreement), executions = 2)]
fn a_monitor_that_hears_only_what_it_wants_adds_no_executions() {
    vote([Vote::Yes, Vote::Yes], all);
}

#[manyworlds::test(monitors(Agreement), executions = 2)]
fn a_monitor_that_has_nothing_to_object() {
    vote([Vote::Yes, Vote::No], all);
}

#[manyworlds::test(monitors(Agreement))]
#[should_panic(expected = "violates `monitor` in Agreement")]
fn a_monitor_that_objects() {
    vote([Vote::Yes, Vote::No], |_| Some(Decision(true)));
}

#[manyworlds::test(monitors(Agreement))]
#[should_panic(expected = "no decision")]
fn a_monitor_that_objects_at_the_end() {
    vote([Vote::Yes, Vote::Yes], |_| None);
}

/// Sees every value of a type once, whatever the type is.
#[manyworlds::monitor(T)]
struct Unique<T: Message, const MOST: usize> {
    seen: Vec<T>,
}

impl<T: Message, const MOST: usize> Default for Unique<T, MOST> {
    fn default() -> Self {
        Unique { seen: Vec::new() }
    }
}

impl<T: Message, const MOST: usize> Observe<T> for Unique<T, MOST> {
    fn notify(&mut self, seen: &Observed<'_, T>) {
        assert!(!self.seen.contains(seen.message), "{:?} twice", seen.message);
        self.seen.push(seen.message.clone());
        assert!(self.seen.len() <= MOST, "more than {MOST}");
    }
}

#[manyworlds::test(monitors(Unique<u32, 2>, Unique<Vote, 0>), network = "asyn", executions = 2)]
fn generic_monitors() {
    two_in_a_row();
}

#[manyworlds::test(monitors(Unique<u32, 1>))]
#[should_panic(expected = "more than 1")]
fn a_generic_monitor_that_objects() {
    two_in_a_row();
}

/// Counts what it sends to itself.
struct Loop(u32);

impl Actor for Loop {
    type State = u32;
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) -> u32 {
        ctx.send(ctx.me(), ());
        0
    }

    fn message(&self, turns: &mut u32, _: Pid, (): &(), ctx: &mut Context<'_>) {
        *turns += 1;
        if *turns < self.0 {
            ctx.send(ctx.me(), ());
        }
    }
}

fn turns(most: u32) -> System {
    let mut system = System::new();
    let counter = system.add("loop", Loop(most));
    system.at_rest_of(counter, "all turns are made", move |turns| *turns == most)
}

#[manyworlds::test(states = 4)]
fn a_test_may_return_a_system() -> System {
    turns(3)
}

#[manyworlds::test(engine = "must", executions = 1, network = "asyn")]
fn with_an_engine_and_a_network() -> System {
    turns(3)
}

#[manyworlds::test(max_depth = 2, incomplete = "allow")]
fn or_a_bound() -> System {
    turns(3)
}

#[manyworlds::test(losses = 1)]
#[should_panic(expected = "violates `at rest all turns are made`")]
fn or_losses() -> System {
    turns(3).faults_hit_own_messages()
}

#[manyworlds::test]
#[should_panic(expected = "`it::attribute::what_is_returned_may_be_wrong` violates `never two`")]
fn what_is_returned_may_be_wrong() -> System {
    turns(2).never("two", |view| view.all::<u32>().any(|(_, turns)| *turns == 2))
}

#[derive(Clone)]
struct Tens;

impl Model for Tens {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, n: &u32, out: &mut Vec<u32>) {
        out.extend((*n < 10).then_some(1));
    }

    fn next(&self, n: &u32, step: &u32) -> Option<u32> {
        Some(n + step)
    }

    fn properties(&self) -> Vec<Property<Tens>> {
        vec![Property::always("small", |_, n| *n <= 10)]
    }
}

#[manyworlds::test(states = 11)]
fn or_a_specification() -> Specification<Tens> {
    Specification::new(Tens)
}

#[manyworlds::test(executions = 2)]
fn or_a_program() -> Program {
    Program::new(|| {
        flip();
    })
}
