//! The schedulers: the number of schedules is the number of paths of the naive explorer, and they end in the same states.

use super::explorer::{Graph, explore};
use super::strategy::{Profile, cases};
use super::table::{Case, Cost, Local, TableActor};
use manyworlds_actor::{Actor, Context, System, Worlds};
use manyworlds_core::{Budget, Network, NoObserver, Pid, ScheduleStats};
use manyworlds_explore::{Config, Engine, Keys, Report, TransitionSystem};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Larger systems are skipped.
const STATES: usize = 2_000;
const SCHEDULES: u64 = 5_000;

/// The number of paths from an initial state to a terminal state; different steps between the same two states are different paths. The
/// graph has no cycles.
pub fn paths(graph: &Graph) -> u64 {
    fn from(graph: &Graph, id: usize, known: &mut Vec<Option<u64>>) -> u64 {
        if let Some(known) = known[id] {
            return known;
        }
        let on: u64 = graph.successors[id].iter().map(|&next| from(graph, next, known)).fold(0, u64::saturating_add);
        let paths = if graph.successors[id].is_empty() { 1 } else { on };
        known[id] = Some(paths);
        paths
    }
    let mut known = vec![None; graph.worlds.len()];
    graph.initial.iter().map(|&id| from(graph, id, &mut known)).fold(0, u64::saturating_add)
}

pub fn run(system: &System, name: Engine, config: Config) -> (Report<Worlds>, ScheduleStats) {
    let config = Config { keep_going: true, collect_final: true, ..config };
    let engine = name;
    let report =
        manyworlds_explore::explore(&system.worlds(), engine, &config, &NoObserver).expect("nothing to refuse");
    let figures = report.stats.histories.expect("a scheduler has these figures");
    (report, figures)
}

pub fn ends(system: &System, report: &Report<Worlds>) -> BTreeSet<u128> {
    let worlds = system.worlds();
    report.final_states.iter().map(|state| worlds.fingerprint(state)).collect()
}

/// An actor that records a history. It invokes an operation when it starts; the notes at a message depend on its tag and, if
/// `state_dependent`, on the local state.
struct Recording {
    actor: TableActor,
    state_dependent: bool,
}

impl Actor for Recording {
    type State = Local;
    type Message = u8;

    fn start(&self, ctx: &mut Context<'_>) -> Local {
        ctx.invoked("first");
        self.actor.start(ctx)
    }

    fn message(&self, state: &mut Local, from: Pid, tag: &u8, ctx: &mut Context<'_>) {
        match if self.state_dependent { (tag + state.at + state.fuel) % 4 } else { *tag } {
            0 => ctx.returned(*state),
            1 => ctx.invoked("next"),
            _ => {}
        }
        self.actor.message(state, from, tag, ctx);
    }

    fn timer(&self, state: &mut Local, timer: &'static str, ctx: &mut Context<'_>) {
        self.actor.timer(state, timer, ctx);
    }

    fn durable(&self, state: &Local) -> Option<Local> {
        self.actor.durable(state)
    }

    fn restart(&self, durable: Local, ctx: &mut Context<'_>) -> Local {
        self.actor.restart(durable, ctx)
    }
}

fn adds_up(figures: &ScheduleStats, report: &Report<Worlds>) {
    assert_eq!(figures.complete + figures.incomplete, figures.schedules);
    assert_eq!(report.stats.executions, Some(figures.schedules));
    assert!(figures.unique <= figures.schedules && (figures.unique > 0) == (figures.schedules > 0));
    assert_eq!(figures.non_linearizable, None, "no specification is given");
    assert_eq!(figures.first_bug.is_some(), report.found.is_some());
    assert_eq!(report.found.is_some(), report.stats.violations > 0);
}

/// Returns under how many networks the schedulers were compared.
fn compare(case: &Case) -> u64 {
    let mut compared = 0;
    for network in Network::ALL {
        let case = Case { network, ..case.clone() };
        let Some(graph) = explore(&case, STATES) else { continue };
        let all = paths(&graph);
        if all > SCHEDULES {
            continue;
        }
        compared += 1;
        let system = case.system();
        let (exhaustive, figures) = run(&system, Engine::Exhaustive, Config::default());
        assert_eq!(figures.schedules, all, "every path once under {network}");
        assert_eq!(exhaustive.stopped, None);
        adds_up(&figures, &exhaustive);
        let every = ends(&system, &exhaustive);
        assert_eq!(every.len(), graph.finals().count(), "every end under {network}");
        assert_eq!(exhaustive.found.is_some(), graph.failures().next().is_some());

        let (dpor, figures) = run(&system, Engine::Dpor, Config::default());
        adds_up(&figures, &dpor);
        assert!(figures.schedules <= all, "a reduction under {network}");
        assert_eq!(ends(&system, &dpor), every, "how schedules end under {network}");
        assert_eq!(dpor.found.is_some(), exhaustive.found.is_some(), "failures under {network}");
        assert_eq!(dpor.stopped, None);

        let keyed = system.clone().touches(|tag: &u8| Keys::only([tag % 2]));
        for &name in Engine::SCHEDULERS {
            let budget = Budget { executions: Some(all.min(200)), ..Budget::default() };
            let (report, figures) = run(&keyed, name, Config { budget, ..Config::default() });
            adds_up(&figures, &report);
            assert!(figures.schedules <= all.min(200));
            assert!(
                ends(&keyed, &report).is_subset(&every),
                "{name:?} reaches a final state that EX does not reach under {network}"
            );
        }
        if exhaustive.found.is_some() {
            // A failure ends a schedule at different local states of the other actors.
            continue;
        }
        for state_dependent in [false, true] {
            let recording = case.system_of(|actor| Recording { actor, state_dependent });
            let (_, of_all) = run(&recording, Engine::Exhaustive, Config::default());
            assert_eq!(of_all.schedules, all, "recording changes nothing under {network}");
            let (_, of_dpor) = run(&recording, Engine::Dpor, Config::default());
            assert_eq!(of_dpor.unique, of_all.unique, "histories under {network}, state_dependent: {state_dependent}");
        }
    }
    compared
}

const PROFILE: Profile =
    Profile { cost: Cost::Steps, failures: true, faults: false, channels: false, sends: 2, sparse: false };

random! {
    #![cases = 300, compared = 150, regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random/schedules.regressions")]

    #[test]
    fn schedules_are_those_of_the_naive_explorer(
        case in prop_oneof![2 => cases(PROFILE), 1 => cases(Profile { channels: true, ..PROFILE }), 1 => cases(Profile { faults: true, ..PROFILE })]
    ) {
        return Ok(compare(&case));
    }
}
