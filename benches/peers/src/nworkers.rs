//! `nworkers(n)`: `n` workers report to a coordinator; when it has heard from all it tells main, which may have a message of its own waiting:
//! `2·n!` executions.

use crate::factorial;
use crate::measure::Program;
use manyworlds::Network;
use must::event::Model;
use must::{Ctx, System, Val};
use traceforge::thread;

/// All three versions.
pub fn program(n: usize) -> Program {
    Program::new(format!("nworkers({n})"), 2 * factorial(n))
        .manyworlds("nworkers", &[("n", n)])
        .must_mc(Network::P2p, move |model| must_mc(n, model))
        .traceforge(Network::P2p, move || traceforge(n))
}

/// Main is added last, which makes must-mc about twice as fast as adding it first.
fn must_mc(n: usize, model: Model) -> System {
    let (coordinator, main) = (n, n + 1);
    let mut system = System::new();
    for i in 0..n {
        let value = Val::from(i.to_string());
        system.add(move |c: Ctx| async move { c.send(coordinator, value, model) });
    }
    let (done, mine) = (Val::from("done"), Val::from("mine"));
    system.add(move |c: Ctx| async move {
        for _ in 0..n {
            c.recv(|_| true).await;
        }
        c.send(main, done, model);
    });
    system.add(move |c: Ctx| async move {
        c.send(main, mine, model);
        c.recv(|_| true).await;
    });
    system
}

fn traceforge(n: usize) {
    let main = thread::current().id();
    let coordinator = thread::spawn(move || {
        for _ in 0..n {
            let _: usize = traceforge::recv_msg_block();
        }
        traceforge::send_msg(main, "done");
    });
    let coordinator = coordinator.thread().id();
    for i in 0..n {
        thread::spawn(move || traceforge::send_msg(coordinator, i));
    }
    traceforge::send_msg(main, "mine");
    let _: &str = traceforge::recv_msg_block();
}
