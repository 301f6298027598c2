//! `sometimes`: is the interesting case reached at all? A model in which nothing happens satisfies every other property.

use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::{Answer, Pid, Refused, check};

/// Answers "yes" to the first who asks, and "no" to the others.
struct Bank;

impl Actor for Bank {
    type State = bool;
    type Message = &'static str;

    fn start(&self, _: &mut Context<'_>) -> bool {
        false
    }

    fn message(&self, lent: &mut bool, from: Pid, _: &&'static str, ctx: &mut Context<'_>) {
        ctx.send(from, if *lent { "no" } else { "yes" });
        *lent = true;
    }
}

struct Customer(Address<&'static str>);

impl Actor for Customer {
    /// What it heard.
    type State = Option<&'static str>;
    type Message = &'static str;

    fn start(&self, ctx: &mut Context<'_>) -> Option<&'static str> {
        ctx.send(self.0, "please");
        None
    }

    fn message(&self, heard: &mut Option<&'static str>, _: Pid, answer: &&'static str, _: &mut Context<'_>) {
        *heard = Some(*answer);
    }
}

fn system(customers: usize) -> System {
    let mut system = System::new();
    let bank = system.add("bank", Bank).address();
    for nth in 0..customers {
        system.add(format!("customer{nth}"), Customer(bank));
    }
    system.sometimes("somebody hears no", |view| view.all::<Option<&str>>().any(|(_, heard)| *heard == Some("no")))
}

fn answer(customers: usize) -> Result<Answer, Refused> {
    check(system(customers)).name(format!("bank with {customers}")).run()
}

fn main() -> Result<(), Refused> {
    for customers in [1, 2] {
        print!("{}", answer(customers)?);
    }
    Ok(())
}

#[test]
fn it_takes_two_to_hear_no() {
    let alone = answer(1).unwrap();
    assert_eq!(alone.violation().unwrap().property.to_string(), "sometimes somebody hears no");
    assert!(answer(2).unwrap().is_verified());
}
