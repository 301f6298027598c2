//! `ping-pong(k, m)`: two processes exchange `k` rounds, then `m` processes race to send to the first: `m!` executions with a long common past.

use crate::factorial;
use crate::measure::Program;
use manyworlds::Network;
use must::event::Model;
use must::{Ctx, System, Val};
use traceforge::thread;

/// All three versions, the peers' under mbox.
pub fn program(k: usize, m: usize) -> Program {
    ours(k, m)
        .must_mc(Network::Mbox, move |model| must_mc(k, m, model))
        .traceforge(Network::Mbox, move || traceforge(k, m))
        .slow_for_peers()
}

/// Our version alone: how does its cost grow with `k`?
pub fn ours(k: usize, m: usize) -> Program {
    Program::new(format!("ping-pong({k},{m})"), factorial(m)).manyworlds("ping-pong", &[("k", k), ("m", m)])
}

/// In the other versions the racers are spawned after the last round. Processes of must-mc exist from the start, so here the first receives
/// take balls only, which comes to the same. (Racers that wait for a starting signal would cost must-mc more, and so would racers added last.)
fn must_mc(k: usize, m: usize, model: Model) -> System {
    let (ping, pong) = (m, m + 1);
    let mut system = System::new();
    for i in 0..m {
        let value = Val::from(format!("racer{i}"));
        system.add(move |c: Ctx| async move { c.send(ping, value, model) });
    }
    system.add(move |c: Ctx| async move {
        let mut ball = "0".to_string();
        for _ in 0..k {
            c.send(pong, ball, model);
            ball = c.recv(|message| !message.starts_with("racer")).await;
        }
        for _ in 0..m {
            c.recv(|_| true).await;
        }
    });
    system.add(move |c: Ctx| async move {
        for _ in 0..k {
            let ball: usize = c.recv(|_| true).await.parse().expect("a ball is a number");
            c.send(ping, (ball + 1).to_string(), model);
        }
    });
    system
}

fn traceforge(k: usize, m: usize) {
    let ping = thread::current().id();
    let pong = thread::spawn(move || {
        for _ in 0..k {
            let ball: usize = traceforge::recv_msg_block();
            traceforge::send_msg(ping, ball + 1);
        }
    });
    let pong = pong.thread().id();
    let mut ball: usize = 0;
    for _ in 0..k {
        traceforge::send_msg(pong, ball);
        ball = traceforge::recv_msg_block();
    }
    for i in 0..m {
        thread::spawn(move || traceforge::send_msg(ping, i));
    }
    for _ in 0..m {
        let _: usize = traceforge::recv_msg_block();
    }
}
