//! Linearizability: a register with a copy. Reads at the copy may be out of date, and then somebody goes back in time.

use manyworlds::actor::{Actor, Address, Client, Context, Service, System};
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{Answer, Pid, Refused, check};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Ask(Operation<u8>),
    Copy(u8),
    Answer(Response<u8>),
}

/// Answers at once; whoever has a copy tells it about writes afterwards.
struct Server {
    copy: Option<Address<Message>>,
}

impl Actor for Server {
    type State = u8;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> u8 {
        0
    }

    fn message(&self, held: &mut u8, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match message {
            Message::Ask(Operation::Read) => ctx.send(from, Message::Answer(Response::Read(*held))),
            Message::Ask(Operation::Write(value)) => {
                *held = *value;
                ctx.send(from, Message::Answer(Response::Written));
                self.copy.iter().for_each(|&copy| ctx.send(copy, Message::Copy(*value)));
            }
            Message::Copy(value) => *held = *value,
            Message::Answer(_) => {}
        }
    }
}

struct At(Address<Message>);

impl Service for At {
    type Operation = Operation<u8>;
    type Response = Response<u8>;
    type Message = Message;

    fn request(&self, _: usize, operation: &Operation<u8>) -> Vec<(Address<Message>, Message)> {
        vec![(self.0, Message::Ask(*operation))]
    }

    fn response(&self, message: &Message) -> Option<(usize, Response<u8>)> {
        if let Message::Answer(response) = message { Some((0, *response)) } else { None }
    }
}

fn system(read_at_the_copy: bool) -> System {
    let mut system = System::new();
    let copy = system.add("copy", Server { copy: None }).address();
    let server = system.add("server", Server { copy: Some(copy) }).address();
    system.add("writer", Client::new(At(server), [Operation::Write(1)]));
    let place = if read_at_the_copy { copy } else { server };
    system.add("reader", Client::new(At(place), [Operation::Read]).at_any_time());
    system.linearizable(Register::new(0u8))
}

fn answer(read_at_the_copy: bool) -> Result<Answer, Refused> {
    check(system(read_at_the_copy)).name("register").run()
}

fn main() -> Result<(), Refused> {
    for read_at_the_copy in [false, true] {
        print!("{}", answer(read_at_the_copy)?);
    }
    Ok(())
}

#[test]
fn a_copy_is_out_of_date() {
    assert!(answer(false).unwrap().is_verified());
    let answer = answer(true).unwrap();
    assert_eq!(answer.violation().unwrap().property, manyworlds::Requirement::Linearizable);
}
