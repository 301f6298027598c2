//! `Barrier`: a daemon that counts who has come and lets them all go.
//!
//! The order in which processes come is explored, `n!` executions a round: the last one is told that it leads.

use super::server::{Client, Inbox, Server};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Arrive(Client<bool>);

fn serve(inbox: Inbox<Arrive>, n: usize) {
    loop {
        let mut early = Vec::new();
        for _ in 1..n {
            early.push(inbox.next(|_| true));
        }
        let Arrive(last) = inbox.next(|_| true);
        for Arrive(client) in early {
            client.reply(false);
        }
        last.reply(true);
    }
}

/// A place where processes wait for each other, like [`std::sync::Barrier`].
///
/// ```no_run
/// # extern crate manyworlds_program as manyworlds;
/// use manyworlds::sync::Barrier;
/// use manyworlds::thread;
///
/// let barrier = Barrier::new(2);
/// let other = barrier.clone();
/// let thread = thread::spawn(move || other.wait().is_leader());
/// let leads = barrier.wait().is_leader();
/// assert_ne!(leads, thread.join().unwrap());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Barrier {
    server: Server<Arrive>,
}

impl Barrier {
    /// A barrier for `n` processes.
    #[track_caller]
    pub fn new(n: usize) -> Barrier {
        Barrier { server: Server::start("barrier", move |inbox| serve(inbox, n)) }
    }

    /// Waits until `n` processes wait, this one included. The barrier can then be used again.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        BarrierWaitResult(self.server.ask(Arrive))
    }
}

/// Whether a process came last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for one process a round.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}
