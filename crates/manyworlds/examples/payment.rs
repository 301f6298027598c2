//! A payment over a network that may deliver it twice.

use manyworlds::actor::{Actor, Address, Context, Faults, System};
use manyworlds::{Pid, Refused, check};

struct Account;

impl Actor for Account {
    type State = u32;
    type Message = u32;

    fn start(&self, _: &mut Context<'_>) -> u32 {
        0
    }

    fn message(&self, balance: &mut u32, _from: Pid, amount: &u32, ctx: &mut Context<'_>) {
        *balance += amount;
        ctx.note(format!("the balance is {balance}"));
    }
}

struct Customer(Address<u32>);

impl Actor for Customer {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, 10);
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

fn main() -> Result<(), Refused> {
    let mut system = System::new().faults(Faults { duplicates: 1, ..Faults::default() });
    let account = system.add("account", Account);
    system.add("customer", Customer(account.address()));
    let system = system.always_of(account, "nobody pays twice", |balance| *balance <= 10);
    print!("{}", check(system).name("payment").run()?);
    Ok(())
}
