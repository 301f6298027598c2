//! Actors with properties of states: `always`, and `at_rest` for what must be true when nothing more can happen.

use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::{Answer, Pid, Refused, check};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Acquire,
    Granted,
    Release,
}

struct Server {
    /// Whether a grant waits until the lock is free.
    patient: bool,
}

impl Actor for Server {
    /// Who has the lock, and then who waits for it.
    type State = Vec<Pid>;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Vec<Pid> {
        Vec::new()
    }

    fn message(&self, queue: &mut Vec<Pid>, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match message {
            Message::Acquire => {
                queue.push(from);
                if queue.len() == 1 || !self.patient {
                    ctx.send(from, Message::Granted);
                }
            }
            Message::Release => {
                queue.retain(|&pid| pid != from);
                if let Some(&next) = queue.first() {
                    ctx.send(next, Message::Granted);
                }
            }
            Message::Granted => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Client {
    Waits,
    Works,
    Done,
}

struct Worker(Address<Message>);

impl Actor for Worker {
    type State = Client;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Client {
        ctx.send(self.0, Message::Acquire);
        Client::Waits
    }

    fn message(&self, state: &mut Client, _: Pid, _: &Message, ctx: &mut Context<'_>) {
        if *state == Client::Waits {
            *state = Client::Works;
            ctx.set_timer("done");
        }
    }

    fn timer(&self, state: &mut Client, _: &'static str, ctx: &mut Context<'_>) {
        *state = Client::Done;
        ctx.send(self.0, Message::Release);
    }
}

fn system(patient: bool) -> System {
    let mut system = System::new();
    let server = system.add("server", Server { patient }).address();
    for name in ["alice", "bob"] {
        system.add(name, Worker(server));
    }
    system
        .at_most(1, "one works at a time", |client: &Client| (*client == Client::Works).then_some(()))
        .at_rest("everybody is done", |view| view.all::<Client>().all(|(_, c)| *c == Client::Done))
}

fn answer(patient: bool) -> Result<Answer, Refused> {
    check(system(patient)).name("lock-server").run()
}

fn main() -> Result<(), Refused> {
    for patient in [true, false] {
        print!("{}", answer(patient)?);
    }
    Ok(())
}

#[test]
fn an_impatient_server_grants_twice() {
    assert!(answer(true).unwrap().is_verified());
    let answer = answer(false).unwrap();
    let violation = answer.violation().expect("two work at a time");
    assert_eq!(violation.property.to_string(), "always one works at a time");
}
