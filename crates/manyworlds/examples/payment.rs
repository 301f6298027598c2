//! A customer who pays again, in case the first payment was lost.

use manyworlds::actor::{Actor, Context, System};
use manyworlds::{Options, Pid, Refused};

struct Account;

impl Actor for Account {
    type State = u32;
    type Message = u32;

    fn start(&self, _: &mut Context<'_>) -> u32 {
        0
    }

    fn message(&self, balance: &mut u32, from: Pid, amount: &u32, ctx: &mut Context<'_>) {
        *balance += amount;
        ctx.send(from, "paid");
    }
}

struct Customer(Pid);

impl Actor for Customer {
    type State = ();
    type Message = &'static str;

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, 10u32);
        ctx.set_timer("patience");
    }

    fn message(&self, _: &mut (), _: Pid, _paid: &&str, ctx: &mut Context<'_>) {
        ctx.cancel_timer("patience");
    }

    fn timer(&self, _: &mut (), _: &'static str, ctx: &mut Context<'_>) {
        ctx.send(self.0, 10u32); // The first one may be lost.
    }
}

fn main() -> Result<(), Refused> {
    let mut system = System::new();
    let account = system.add("account", Account);
    system.add("customer", Customer(account));
    let system = system.always("nobody pays twice", move |view| *view.state::<u32>(account) <= 10);
    let options = Options::new().name("payment");
    print!("{}", options.report(&options.check(&system)?));
    Ok(())
}
