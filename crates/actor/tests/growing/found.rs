//! Small systems that show one rule each.

use manyworlds_actor::{Actor, Context, Monitor, Observed, System, Worlds};
use manyworlds_core::{Accept, NoObserver, Pid, Temperature};
use manyworlds_explore::{Config, Engine, Reduction, Report, Unanswered};

fn run(system: &System, config: &Config) -> Report<Worlds> {
    manyworlds_explore::explore(&system.worlds(), Engine::Bfs, config, &NoObserver).expect("nothing to refuse")
}

fn violation(system: &System) -> Option<String> {
    Some(run(system, &Config::default()).found?.violation.message)
}

/// A clock whose timer never stops. In a round of `two_in_one` it records both halves in one step, otherwise one in each step.
struct Clock {
    two_in_one: bool,
}

impl Actor for Clock {
    type State = bool;
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) -> bool {
        ctx.set_timer("tick");
        false
    }

    fn message(&self, _: &mut bool, _: Pid, _: &(), _: &mut Context<'_>) {}

    fn timer(&self, late: &mut bool, _: &'static str, ctx: &mut Context<'_>) {
        ctx.set_timer("tick");
        *late = !*late;
        if self.two_in_one {
            ctx.record("tock");
            ctx.record("tick");
        } else if *late {
            ctx.record("tick");
        }
    }
}

/// Hot after a tick; a tock brings it to this temperature.
struct Promise(Temperature);

impl Monitor for Promise {
    type State = bool;

    fn start(&self) -> bool {
        false
    }

    fn step(&self, hot: &mut bool, event: &Observed<'_>) -> Result<(), String> {
        match event.recorded::<&str>() {
            Some(&"tick") => *hot = true,
            Some(_) => *hot = false,
            None => {}
        }
        Ok(())
    }

    fn temperature(&self, hot: &bool) -> Temperature {
        if *hot { Temperature::Hot } else { self.0 }
    }
}

fn clock(two_in_one: bool, temperature: Temperature) -> System {
    let mut system = System::new();
    system.add("clock", Clock { two_in_one });
    system.monitor("promise", Promise(temperature))
}

#[test]
fn a_monitor_that_stays_hot_on_a_cycle_is_a_violation() {
    let message = violation(&clock(false, Temperature::Cold)).expect("no tock ever comes");
    assert!(message.contains("does not stay hot"), "{message}");
}

#[test]
fn a_state_that_is_cold_in_the_middle_of_a_step_cools() {
    assert_eq!(violation(&clock(true, Temperature::Cold)), None);
    assert!(violation(&clock(true, Temperature::Warm)).is_some(), "a warm state does not cool");
}

#[test]
fn persistent_sets_refuse_monitors_that_get_hot() {
    let config = Config { reduction: Reduction::Persistent, ..Config::default() };
    let answer =
        manyworlds_explore::explore(&clock(true, Temperature::Cold).worlds(), Engine::Bfs, &config, &NoObserver);
    assert!(matches!(answer, Err(Unanswered::Refused(_))));
}

/// Creates another of its kind in every generation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Cell(u32);

impl Actor for Cell {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.spawn(format!("cell {}", self.0 + 1), Cell(self.0 + 1));
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

#[test]
fn the_bound_on_created_actors_is_named() {
    let mut system = System::new();
    system.add("cell 0", Cell(0));
    let message = violation(&system.clone().may_create(3)).expect("there is no end");
    assert!(message.contains("at most 3") && message.contains("may_create"), "{message}");
    let message = violation(&system).expect("it is not allowed");
    assert!(message.contains("may_create"), "{message}");
}

/// More actors than a word has bits.
#[test]
fn a_hundred_actors_are_created_one_after_the_other() {
    let mut system = System::new();
    system.add("cell 0", Cell(0));
    let report = run(&system.may_create(100), &Config { keep_going: true, ..Config::default() });
    // The declared actor has started; then 99 created ones start, and the start of the last one fails.
    assert_eq!(report.stats.states, Some(101));
}

/// Ignores a message without saying that it may.
struct Quiet;

impl Actor for Quiet {
    type State = ();
    type Message = u8;

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(ctx.me(), 1u8);
    }

    fn message(&self, _: &mut (), _: Pid, _: &u8, _: &mut Context<'_>) {}

    fn accepts(&self, _: &(), _: Pid, _: &u8) -> Accept {
        Accept::Ignore
    }
}

#[test]
fn an_actor_that_ignores_a_message_must_say_that_it_may() {
    let mut system = System::new();
    system.add("quiet", Quiet);
    let message = violation(&system).expect("it does not say so");
    assert!(message.contains("defers"), "{message}");
}

/// Sends itself a message that it does nothing with.
pub struct Idle;

impl Actor for Idle {
    type State = ();
    type Message = u8;

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(ctx.me(), 1u8);
    }

    fn message(&self, _: &mut (), _: Pid, _: &u8, _: &mut Context<'_>) {}
}

/// Observes everything and never complains.
pub struct Watch;

impl Monitor for Watch {
    type State = ();

    fn start(&self) {}

    fn step(&self, _: &mut (), _: &Observed<'_>) -> Result<(), String> {
        Ok(())
    }
}
