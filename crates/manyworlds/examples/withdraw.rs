//! Actors with an assertion in a handler, and `never`: two customers ask how much there is, and then take it.

use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::{Answer, Pid, Refused, check};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    HowMuch,
    Holds(i32),
    Take(i32),
}

struct Account {
    /// Whether it gives no more than it has.
    looks: bool,
    /// Whether it insists on that with an assertion.
    asserts: bool,
}

impl Actor for Account {
    type State = i32;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> i32 {
        10
    }

    fn message(&self, held: &mut i32, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::HowMuch => ctx.send(from, Message::Holds(*held)),
            Message::Take(amount) if self.looks && amount > *held => {}
            Message::Take(amount) => {
                assert!(!self.asserts || amount <= *held, "{amount} is taken of {held}");
                *held -= amount;
            }
            Message::Holds(_) => {}
        }
    }
}

struct Customer(Address<Message>);

impl Actor for Customer {
    type State = ();
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, Message::HowMuch);
    }

    fn message(&self, _: &mut (), account: Pid, message: &Message, ctx: &mut Context<'_>) {
        if let Message::Holds(amount) = message {
            ctx.send(account, Message::Take(*amount));
        }
    }
}

fn answer(looks: bool, asserts: bool) -> Result<Answer, Refused> {
    let mut system = System::new();
    let account = system.add("account", Account { looks, asserts });
    for name in ["alice", "bob"] {
        system.add(name, Customer(account.address()));
    }
    let system = system.never_of(account, "overdrawn", |held| *held < 0);
    check(system).name("withdraw").run()
}

fn main() -> Result<(), Refused> {
    for (looks, asserts) in [(true, true), (false, false), (false, true)] {
        print!("{}", answer(looks, asserts)?);
    }
    Ok(())
}

#[test]
fn what_was_true_when_asked_is_not_true_when_taken() {
    assert!(answer(true, true).unwrap().is_verified());
    let violated = |asserts| answer(false, asserts).unwrap().violation().unwrap().property.to_string();
    assert_eq!(violated(false), "never overdrawn");
    assert_eq!(violated(true), "assertion");
}
