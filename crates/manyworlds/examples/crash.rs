//! Faults: a server crashes and comes up again with what is durable. Whether it wrote the number down makes the difference.

use manyworlds::actor::{Actor, Address, Context, Faults, System};
use manyworlds::{Answer, Pid, Refused, check};

/// Gives out numbers, each once.
struct Tickets {
    writes_down: bool,
}

impl Actor for Tickets {
    type State = u32;
    type Message = &'static str;

    fn start(&self, _: &mut Context<'_>) -> u32 {
        0
    }

    fn message(&self, last: &mut u32, from: Pid, _: &&'static str, ctx: &mut Context<'_>) {
        *last += 1;
        ctx.send(from, *last);
    }

    fn durable(&self, last: &u32) -> Option<u32> {
        self.writes_down.then_some(*last)
    }
}

struct Guest(Address<&'static str>);

impl Actor for Guest {
    type State = Option<u32>;
    type Message = u32;

    fn start(&self, ctx: &mut Context<'_>) -> Option<u32> {
        ctx.send(self.0, "a ticket, please");
        None
    }

    fn message(&self, ticket: &mut Option<u32>, _: Pid, number: &u32, _: &mut Context<'_>) {
        *ticket = Some(*number);
    }
}

fn system(writes_down: bool) -> System {
    let mut system = System::new().faults(Faults { crashes: 1, restarts: 1, ..Faults::default() });
    let server = system.add("tickets", Tickets { writes_down });
    let guests = ["alice", "bob"].map(|name| system.add(name, Guest(server.address())));
    system.may_crash([server]).always("no number twice", move |view| {
        let [alice, bob] = guests.map(|guest| view.state(guest).copied().flatten());
        alice.is_none() || alice != bob
    })
}

fn answer(writes_down: bool) -> Result<Answer, Refused> {
    check(system(writes_down)).name("tickets").run()
}

fn main() -> Result<(), Refused> {
    for writes_down in [true, false] {
        print!("{}", answer(writes_down)?);
    }
    Ok(())
}

#[test]
fn what_is_not_written_down_is_given_out_again() {
    assert!(answer(true).unwrap().is_verified());
    let answer = answer(false).unwrap();
    let trace = answer.trace().expect("two guests have one number");
    assert!(trace.steps.iter().any(|step| step.kind == manyworlds::StepKind::Restart));
}
