//! Deliveries that do nothing may be left out under asyn: the same combinations of local states, failures and verdicts, in fewer states.

use super::compare::{claim, claim_in};
use super::program::Case;
use super::strategy::{Profile, cases};
use super::world::explore;
use manyworlds_actor::Worlds;
use manyworlds_core::{Engine, Network, NoObserver};
use manyworlds_explore::{Config, Report, TransitionSystem};
use manyworlds_testkit::random;
use std::collections::BTreeSet;

const STATES: usize = 400;

fn run(worlds: &Worlds, engine: Engine, config: &Config) -> Report<Worlds> {
    manyworlds_explore::explore(worlds, engine, config, &NoObserver).expect("every question can be decided")
}

/// Returns whether anything was left out, if the system is small enough.
fn compare(case: &Case) -> Option<bool> {
    let graph = explore(case, STATES)?;
    let locals: BTreeSet<(Vec<String>, bool)> =
        graph.worlds.iter().map(|world| (world.locals(), world.failed.is_some())).collect();
    let wrong = (0..graph.worlds.len()).any(|id| graph.worlds[id].failed.is_some() || !claim_in(&graph, id));
    let mut fewer = false;
    for (engine, threads) in [(Engine::Bfs, 1), (Engine::Bfs, 2), (Engine::Dfs, 1)] {
        let system = case.system().leave_out_idle_deliveries(true);
        let worlds = system.worlds();
        let config = Config { threads, keep_going: true, collect_states: true, ..Config::default() };
        let report = run(&worlds, engine, &config);
        let ours =
            report.states.iter().map(|state| (worlds.locals_in_words(state), worlds.has_failed(state))).collect();
        assert_eq!(locals, ours, "local states, {engine:?} with {threads} threads");
        let states = report.stats.states.expect("it counts them") as usize;
        assert!(states <= graph.worlds.len());
        fewer |= states < graph.worlds.len();
        let claimed = claim(system).worlds();
        let found = run(&claimed, engine, &Config { threads, ..Config::default() }).found;
        assert_eq!(found.is_some(), wrong, "the claim, {engine:?} with {threads} threads");
        assert!(!claimed.looked_at_messages());
    }
    Some(fewer)
}

const PROFILE: Profile =
    Profile { faults: true, failures: true, defers: true, halts: true, creates: true, ticks: false, monitors: 0 };

random! {
    #![cases = 500, compared = 25]

    #[test]
    fn local_states_are_the_same_without_idle_deliveries(case in cases(PROFILE)) {
        let case = Case { network: Network::Asyn, ..case };
        return Ok(u64::from(compare(&case) == Some(true)));
    }
}

#[test]
fn each_condition_under_which_nothing_may_be_left_out_is_told() {
    let system = || manyworlds_actor::System::new().actor("one", super::found::Idle).network(Network::Asyn);
    let why = |system: manyworlds_actor::System, engine| system.blueprint().needs_idle_deliveries(engine);
    assert_eq!(why(system(), Engine::Bfs), None);
    assert_eq!(why(system().always("all is well", |_| true), Engine::Dfs), None);
    assert!(why(system().network(Network::P2p), Engine::Bfs).is_some());
    assert!(why(system().at_rest("it is over", |_| true), Engine::Bfs).is_some());
    assert!(why(system().eventually("it happens", |_| true), Engine::Bfs).is_some());
    assert!(why(system().monitor("watch", super::found::Watch), Engine::Bfs).is_some());
    assert!(why(system(), Engine::Dpor).is_some() && why(system(), Engine::Must).is_some());
    // Where it is not sound it is not done: the state without the message is reached.
    let states =
        |system: &manyworlds_actor::System| run(&system.worlds(), Engine::Bfs, &Config::default()).stats.states;
    assert_eq!(states(&system()), Some(2));
    assert_eq!(states(&system().leave_out_idle_deliveries(true)), Some(1));
    assert_eq!(states(&system().network(Network::P2p).leave_out_idle_deliveries(true)), Some(2));
    // A property that looks at messages is noticed.
    let looks =
        system().always("few messages", |view| view.flights().len() < 9).leave_out_idle_deliveries(true).worlds();
    run(&looks, Engine::Bfs, &Config::default());
    assert!(looks.looked_at_messages());
}
