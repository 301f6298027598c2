//! A program on a network that may lose one message: an order that is sent once may never come, one that is sent twice does.

use manyworlds::prelude::*;

/// A customer who orders so many times, and a shop that waits for an order.
fn orders(times: usize) -> Check<Program> {
    check(move || {
        let shop = process("shop").spawn(|| recv::<&str>());
        process("customer").spawn(move || {
            for _ in 0..times {
                send_lossy(shop.pid(), "tea");
            }
        });
        assert_eq!(shop.join(), "tea");
    })
    .losses(1)
    .name(format!("{times} orders"))
}

fn main() {
    for times in [2, 1] {
        let checker = orders(times);
        print!("{}", checker.run().unwrap());
    }
}

#[test]
fn twice_is_enough_for_one_loss() {
    assert!(orders(2).run().unwrap().is_verified());
    let outcome = orders(1).run().unwrap();
    assert_eq!(outcome.violation().expect("the shop waits for ever").property, manyworlds::Requirement::Deadlock);
    assert!(orders(1).losses(0).run().unwrap().is_verified());
}
