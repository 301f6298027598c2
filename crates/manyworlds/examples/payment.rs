//! A payment over a network that may deliver it twice.

use manyworlds::actor::{Actor, Context, Faults, System};
use manyworlds::{Options, Pid, Refused};

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

struct Customer(Pid);

impl Actor for Customer {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, 10u32);
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

fn main() -> Result<(), Refused> {
    let mut system = System::new().faults(Faults { duplicates: 1, ..Faults::default() });
    let account = system.add("account", Account);
    system.add("customer", Customer(account));
    let system = system.always("nobody pays twice", move |view| *view.state::<u32>(account) <= 10);
    let options = Options::new().name("payment");
    print!("{}", options.report(&options.check(&system)?));
    Ok(())
}
