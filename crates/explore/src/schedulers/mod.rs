//! DS2's schedulers of actor systems: *Linearizability of actor systems* §2–3. A schedule is a sequence of receives, from an initial state to
//! a terminal one; the operations that its steps record are a history.
//!
//! | file | scheduler | explored schedules | guarantee |
//! |---|---|---|---|
//! | `systematic_random` | SR | as many as the budget says, drawn | nothing |
//! | `exhaustive` | EX | all | everything |
//! | `delay` | DB | those that a round robin with few delays makes | nothing |
//! | `dpor` | DP | at least one of each class up to the order of independent receives | every terminal state, every failure, every history that no failure ends |
//! | `trans_dpor` | TD | one reversal at a time for each state | nothing |
//! | `ired` | IR | as TD, and only reversals whose cause is found by a chain of senders and receivers | nothing |
//! | `liviola` | LV | as IR, and only reversals that concern one key | nothing |
//!
//! They share one depth-first `skeleton`; DP and what builds on it share the search for `races`. TD, IR and LV differ only by two
//! predicates on receives, [`Scheduler::are_dependent`] and [`Scheduler::did_enable`].
//!
//! Points that the paper leaves open, and their interpretation here:
//!
//! - Two receives are dependent if they have the same receiver. That is enough where the order in which messages enter a queue
//!   can be observed by no process but their sender (asyn, p2p, cd). With one mailbox for all senders two sends to it are dependent too, and
//!   a return and an invocation are, because histories record their order: see [`Receive::interferes`].
//! - A handler may choose. A receive represents all outcomes of its choices, and all are explored.
//! - Timers are messages of a process to itself. They can be cancelled, which messages cannot: `races` handles that.
//! - Faults interfere with everything. A state in which one may happen is explored in full.
//! - Cycles: a schedule that does not end is cut off, and the run is incomplete.
//!
//! Schedulers run on one thread: the next schedule depends on all before it.

mod bits;
mod delay;
mod dpor;
mod exhaustive;
mod frame;
mod histories;
mod ired;
mod liviola;
mod races;
mod skeleton;
mod systematic_random;
mod trans_dpor;

use crate::TransitionSystem;
use crate::config::Report;
use crate::receive::Receive;
use crate::run::Run;
use frame::Frame;
use manyworlds_core::Engine;
use skeleton::Search;

/// The coverage of a scheduler that has no more schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    /// Every schedule.
    EverySchedule,
    /// Of every schedule one that differs in the order of independent receives at most.
    EveryTrace,
    /// Some schedules.
    SomeSchedules,
}

/// The differences between schedulers. The defaults are TransDPOR.
pub trait Scheduler: Sized {
    /// Its coverage when it has no more schedules.
    const PROMISE: Promise;

    /// Whether it uses the data of receives. A scheduler that does not treats each action by itself.
    const RECEIVES: bool = true;

    /// The initial state to begin the `nth` time with; `None` when it is done.
    fn root(&mut self, nth: u64, roots: usize) -> Option<usize> {
        usize::try_from(nth).ok().filter(|&root| root < roots)
    }

    /// A new state is on top of the stack: adds to its backtracking set, and possibly to those below.
    fn open<M: TransitionSystem>(&mut self, frames: &mut [Frame<M>]) {
        races::look_back(self, frames);
        frames.last_mut().into_iter().for_each(races::begin);
    }

    /// Whether it matters which of two receives comes first (Definition 3).
    fn are_dependent(&self, one: &Receive, other: &Receive) -> bool {
        one.interferes(other)
    }

    /// Whether `earlier` is taken for what made `later` possible; `co_enabled` says whether it was enabled together with the step that
    /// `later` races with. TransDPOR requires no more than that: the root is the first of them.
    fn did_enable(&self, earlier: &Receive, later: &Receive, co_enabled: bool) -> bool {
        let _ = (earlier, later);
        co_enabled
    }
}

/// Runs a scheduler; any other engine counts as the exhaustive one.
pub fn run<M: TransitionSystem>(run: &Run<'_, M>, name: Engine) -> Report<M> {
    let config = run.config;
    match name {
        Engine::SystematicRandom => Search::new(run, systematic_random::SystematicRandom::new(config)).run(),
        Engine::Delay => Search::new(run, delay::Delay::new(config)).run(),
        Engine::Dpor => Search::new(run, dpor::Dpor).run(),
        Engine::TransDpor => Search::new(run, trans_dpor::TransDpor).run(),
        Engine::IRed => Search::new(run, ired::IRed).run(),
        Engine::LiViola => Search::new(run, liviola::LiViola).run(),
        _ => Search::new(run, exhaustive::Exhaustive).run(),
    }
}
