//! `ns+nr(n)`: `n` processes send to one that receives `n` times: `n!` executions.

use crate::factorial;
use crate::measure::Program;
use manyworlds::Network;
use must::event::Model;
use must::{Ctx, System, Val};
use traceforge::thread;

/// All three versions.
pub fn program(n: usize) -> Program {
    Program::new(format!("ns+nr({n})"), factorial(n))
        .manyworlds("ns+nr", &[("n", n)])
        .must_mc(Network::P2p, move |model| must_mc(n, model))
        .traceforge(Network::P2p, move || traceforge(n))
}

/// The receiver is added last: must-mc then adds its receives when all messages are there, and has nothing to revisit.
fn must_mc(n: usize, model: Model) -> System {
    let receiver = n;
    let mut system = System::new();
    for i in 0..n {
        let value = Val::from(i.to_string());
        system.add(move |c: Ctx| async move { c.send(receiver, value, model) });
    }
    system.add(move |c: Ctx| async move {
        for _ in 0..n {
            c.recv(|_| true).await;
        }
    });
    system
}

fn traceforge(n: usize) {
    let receiver = thread::current().id();
    for i in 0..n {
        thread::spawn(move || traceforge::send_msg(receiver, i));
    }
    for _ in 0..n {
        let _: usize = traceforge::recv_msg_block();
    }
}
