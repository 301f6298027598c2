//! Two clerks add ten to the same balance.

use manyworlds::prelude::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Bank {
    Get(Pid),
    Set(u32),
}

fn bank() {
    let mut balance = 0;
    loop {
        match recv() {
            Bank::Get(who) => send(who, balance),
            Bank::Set(new) => balance = new,
        }
    }
}

fn main() {
    let checker = Checker::new(|| {
        let bank = process("bank").daemon().spawn(bank).pid();
        let deposit = move || {
            send(bank, Bank::Get(me()));
            send(bank, Bank::Set(recv::<u32>() + 10));
        };
        let (alice, bob) = (process("alice").spawn(deposit), process("bob").spawn(deposit));
        alice.join();
        bob.join();
        send(bank, Bank::Get(me()));
        assert_eq!(recv::<u32>(), 20, "a deposit was lost");
    })
    .name("lost-update")
    .network(Network::Mbox);
    print!("{}", checker.report(&checker.check()));
}
