//! Handles, addresses and reserved actors: what the compiler cannot check is checked when a message is sent.

use manyworlds_actor::{Actor, Address, Context, System, Worlds};
use manyworlds_core::{Budget, NoObserver, Pid, Requirement, Violation};
use manyworlds_explore::{Config, Engine, explore};

struct Counter;

impl Actor for Counter {
    type State = u32;
    type Message = u32;

    fn start(&self, _: &mut Context<'_>) -> u32 {
        0
    }

    fn message(&self, total: &mut u32, from: Pid, add: &u32, ctx: &mut Context<'_>) {
        *total += add;
        ctx.send(from, *total);
    }
}

/// It handles no numbers.
struct Customer(Address<u32>);

impl Actor for Customer {
    type State = String;
    type Message = String;

    fn start(&self, ctx: &mut Context<'_>) -> String {
        ctx.send(self.0, 2);
        String::new()
    }

    fn message(&self, state: &mut String, _: Pid, message: &String, _: &mut Context<'_>) {
        state.push_str(message);
    }
}

fn violation(system: &System) -> Option<Violation> {
    let config = Config { budget: Budget { states: Some(100), ..Budget::default() }, ..Config::default() };
    let report = explore::<Worlds>(&system.worlds(), Engine::Bfs, &config, &NoObserver).expect("it can be decided");
    report.found.map(|found| found.violation)
}

#[test]
fn a_reply_that_the_sender_does_not_handle_is_an_error_where_it_is_sent() {
    let mut system = System::new();
    let counter = system.add("counter", Counter);
    system.add("customer", Customer(counter.address()));
    let violation = violation(&system).expect("numbers are not handled");
    assert_eq!(violation.property, Requirement::ApiContract);
    assert_eq!(
        violation.message,
        "counter sent 2 of type `u32` to customer, which handles messages of type `alloc::string::String`"
    );
    assert_eq!(violation.process.as_deref(), Some("counter"));
    let location = violation.location.expect("the send has one");
    assert!(location.to_string().contains("typed.rs:19:"), "{location}");
}

#[test]
fn a_reserved_actor_must_be_defined() {
    let mut system = System::new();
    let counter = system.reserve::<Counter>("counter");
    assert_eq!(
        system.blueprint().undefined().as_deref(),
        Some("`counter` was reserved and not defined: call `System::define`")
    );
    let found = violation(&system).expect("it cannot start");
    assert!(found.message.contains("this actor was reserved and not defined"), "{}", found.message);
    let defined = system.define(counter, Counter);
    assert_eq!((system.blueprint().undefined(), defined.pid()), (None, Pid::root(0)));
    assert_eq!(violation(&system), None);
}

#[test]
fn a_state_is_read_by_its_handle() {
    let mut system = System::new();
    let counter = system.add("counter", Counter);
    let worlds = system.worlds();
    let state = manyworlds_explore::TransitionSystem::initial(&worlds).remove(0);
    let view = worlds.view(&state);
    assert_eq!(view.state(counter), Some(&0));
    assert_eq!(
        (view.get::<u32>(counter), view.get::<u8>(counter), view.get::<u32>(Pid::root(7))),
        (Some(&0), None, None)
    );
    assert_eq!(format!("{:?} {counter:?}", counter.address()), format!("{0:?} {0:?}", Pid::root(0)));
}
