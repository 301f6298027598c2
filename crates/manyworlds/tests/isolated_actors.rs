//! Handlers that keep state outside of `State` make a model invalid.

use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::{Engine, Flaw, InvalidModel, Options, Pid, Rebuild, check};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Sends what `read` returns to its peer when it starts, and again for each message up to three.
struct Leaky {
    peer: Address<u32>,
    read: Arc<dyn Fn() -> u32 + Send + Sync>,
}

impl Actor for Leaky {
    type State = Vec<u32>;
    type Message = u32;

    fn start(&self, ctx: &mut Context<'_>) -> Vec<u32> {
        ctx.send(self.peer, (self.read)());
        Vec::new()
    }

    fn message(&self, state: &mut Vec<u32>, _: Pid, message: &u32, ctx: &mut Context<'_>) {
        state.push(*message);
        if state.len() < 3 {
            ctx.send(self.peer, (self.read)());
        }
    }
}

type Read = Arc<dyn Fn() -> u32 + Send + Sync>;

fn pair(first: Read, second: Read) -> System {
    let mut system = System::new();
    let reserved = (system.reserve("first"), system.reserve("second"));
    let [to_first, to_second] = [reserved.0.address(), reserved.1.address()];
    system.define(reserved.0, Leaky { peer: to_second, read: first });
    system.define(reserved.1, Leaky { peer: to_first, read: second });
    system.at_rest("all arrive", |view| view.all::<Vec<u32>>().all(|(_, state)| state.len() == 3))
}

fn flaw(system: &System, options: &Options) -> InvalidModel {
    let outcome = check(system).options(options.clone()).run().expect("it applies").outcome;
    outcome.invalid().unwrap_or_else(|| panic!("{:?}: {:?}", options.engine, outcome.verdict)).clone()
}

fn not_isolated(system: &System) {
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Must, Engine::Exhaustive, Engine::Dpor] {
        let invalid = flaw(system, &Options { engine, ..Options::default() });
        assert_eq!(invalid.flaw, Flaw::NotIsolated, "{engine}: {invalid}");
        assert!(invalid.message.contains("is not isolated"), "{invalid}");
        assert!(invalid.evidence.len() >= 2, "{invalid}");
    }
}

#[test]
fn a_counter_in_an_actor() {
    let count = Arc::new(AtomicU32::new(0));
    not_isolated(&pair(Arc::new(move || count.fetch_add(1, Ordering::SeqCst)), Arc::new(|| 7)));
}

#[test]
fn a_counter_that_two_actors_share() {
    let count = Arc::new(AtomicU32::new(0));
    let (first, second) = (count.clone(), count);
    let read: Read = Arc::new(move || second.load(Ordering::SeqCst));
    not_isolated(&pair(
        Arc::new(move || {
            first.fetch_add(1, Ordering::SeqCst);
            0
        }),
        read,
    ));
}

#[test]
fn a_static_and_a_thread_local() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    not_isolated(&pair(Arc::new(|| COUNT.fetch_add(1, Ordering::SeqCst)), Arc::new(|| 7)));
    thread_local!(static LOCAL: Cell<u32> = const { Cell::new(0) });
    not_isolated(&pair(Arc::new(|| LOCAL.replace(LOCAL.get() + 1)), Arc::new(|| 7)));
}

#[test]
fn a_system_that_is_built_again_starts_from_fresh_memory() {
    // The counter of each copy begins at 0, so that only the walks themselves make it visible.
    let build = || {
        let count = Arc::new(AtomicU32::new(0));
        pair(Arc::new(move || count.fetch_add(1, Ordering::SeqCst)), Arc::new(|| 7))
    };
    let options = Options { rebuild: Some(Rebuild::new(move || Some(build()))), ..Options::default() };
    assert_eq!(flaw(&build(), &options).flaw, Flaw::NotIsolated);
}

#[test]
fn isolated_actors_are_sampled_and_pass() {
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Must, Engine::Exhaustive] {
        let outcome = check(&pair(Arc::new(|| 1), Arc::new(|| 2))).engine(engine).run().expect("it applies").outcome;
        assert!(outcome.is_verified(), "{engine}: {:?}", outcome.verdict);
        assert!(outcome.scope.isolation_samples > Some(0), "{engine}");
    }
}

/// Stores into memory that it shares with a reader, or reads it into its state, when a message comes.
struct Sharing {
    flag: Arc<AtomicBool>,
    writes: bool,
    peer: Option<Address<()>>,
}

impl Actor for Sharing {
    type State = Option<bool>;
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) -> Option<bool> {
        if let Some(peer) = self.peer {
            ctx.send(peer, ());
        }
        None
    }

    fn message(&self, state: &mut Option<bool>, _: Pid, (): &(), _: &mut Context<'_>) {
        match self.writes {
            true => self.flag.store(true, Ordering::SeqCst),
            false => *state = Some(self.flag.load(Ordering::SeqCst)),
        }
    }
}

/// Two actors that start each other, of which one writes and one reads, in this order or the other.
fn sharing(writer_first: bool) -> System {
    let flag = Arc::new(AtomicBool::new(false));
    let mut system = System::new();
    let reserved = (system.reserve("first"), system.reserve("second"));
    let [to_first, to_second] = [reserved.0.address(), reserved.1.address()];
    system.define(reserved.0, Sharing { flag: flag.clone(), writes: writer_first, peer: Some(to_second) });
    system.define(reserved.1, Sharing { flag, writes: !writer_first, peer: Some(to_first) });
    system.never("not written", |view| view.all::<Option<bool>>().any(|(_, read)| *read == Some(false)))
}

#[test]
fn one_actor_writes_and_another_one_reads_in_the_same_state() {
    for writer_first in [true, false] {
        for engine in [Engine::Bfs, Engine::Dfs, Engine::Exhaustive] {
            let rebuild = Some(Rebuild::new(move || Some(sharing(writer_first))));
            let invalid = flaw(&sharing(writer_first), &Options { engine, rebuild, ..Options::default() });
            assert_eq!(invalid.flaw, Flaw::NotIsolated, "{engine} {writer_first}: {invalid}");
        }
    }
}
