//! Actors with an assertion in a handler, and `never`: two customers ask how much there is, and then take it.

use manyworlds::actor::{Actor, Context, System};
use manyworlds::{Answer, Options, Pid, Refused};

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

struct Customer(Pid);

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

fn check(looks: bool, asserts: bool) -> Result<Answer, Refused> {
    let mut system = System::new();
    let account = system.add("account", Account { looks, asserts });
    for name in ["alice", "bob"] {
        system.add(name, Customer(account));
    }
    let system = system.never("overdrawn", move |view| *view.state::<i32>(account) < 0);
    Options::new().name("withdraw").check(&system)
}

fn main() -> Result<(), Refused> {
    for (looks, asserts) in [(true, true), (false, false), (false, true)] {
        print!("{}", Options::new().name("withdraw").report(&check(looks, asserts)?));
    }
    Ok(())
}

#[test]
fn what_was_true_when_asked_is_not_true_when_taken() {
    assert!(check(true, true).unwrap().outcome.is_verified());
    let violated = |asserts| check(false, asserts).unwrap().outcome.violation().unwrap().property.to_string();
    assert_eq!(violated(false), "never overdrawn");
    assert_eq!(violated(true), "assertion");
}
