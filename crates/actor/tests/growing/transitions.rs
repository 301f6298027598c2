//! The public interface to local transitions: a search for global states under asyn that knows nothing else finds the states of bfs.

use super::program::Case;
use super::strategy::{Profile, cases};
use manyworlds_actor::{Faults, Worlds};
use manyworlds_core::{
    Accept, ActorId, Effect, Input, LocalBranch, LocalId, LocalTransitions, MsgId, Network, NoObserver,
};
use manyworlds_explore::{Config, Engine};
use manyworlds_testkit::random;
use std::collections::{BTreeMap, BTreeSet};

/// Local states, messages in flight as a sorted list, and who failed by which failure (`None`: too many actors were created).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct State {
    locals: BTreeMap<ActorId, LocalId>,
    bag: Vec<(ActorId, MsgId)>,
    failed: Option<(ActorId, Option<u32>)>,
    halted: BTreeSet<ActorId>,
}

struct Search<'a> {
    table: &'a Worlds,
    declared: usize,
    most: usize,
}

impl Search<'_> {
    fn after(&self, state: &State, actor: ActorId, branch: &LocalBranch) -> State {
        let mut next = state.clone();
        if let Some(failure) = branch.failure {
            next.failed = Some((actor, Some(failure.0)));
            return next;
        }
        let new = branch.effects.iter().filter(|effect| matches!(effect, Effect::Create { .. })).count();
        if new > 0 && state.locals.len() - self.declared + new > self.most {
            next.failed = Some((actor, None));
            return next;
        }
        next.locals.insert(actor, branch.next);
        for effect in &branch.effects {
            match *effect {
                Effect::Create { actor, local } => _ = next.locals.insert(actor, local),
                Effect::Enqueue { to, message } if !next.halted.contains(&to) => next.bag.push((to, message)),
                Effect::Halt => {
                    next.halted.insert(actor);
                    next.bag.retain(|(to, _)| *to != actor);
                }
                _ => {}
            }
        }
        next.bag.sort_unstable();
        next
    }

    fn react(&self, before: &State, actor: ActorId, local: LocalId, input: Input) -> Vec<State> {
        self.table.branches(local, input).iter().map(|branch| self.after(before, actor, branch)).collect()
    }

    fn initial(&self) -> Vec<State> {
        let locals: BTreeMap<ActorId, LocalId> = self.table.roots().into_iter().collect();
        let blank = State { locals: locals.clone(), ..State::default() };
        locals.into_iter().fold(vec![blank], |states, (actor, local)| {
            let start = |state: State| match state.failed {
                Some(_) => vec![state],
                None => self.react(&state, actor, local, Input::Start),
            };
            states.into_iter().flat_map(start).collect()
        })
    }

    fn successors(&self, state: &State) -> Vec<State> {
        let mut all = Vec::new();
        if state.failed.is_some() {
            return all;
        }
        for (&actor, &local) in &state.locals {
            assert_eq!(self.table.owner(local), actor);
            let mut inputs = Vec::new();
            self.table.own_inputs(local, &mut inputs);
            all.extend(inputs.into_iter().flat_map(|input| self.react(state, actor, local, input)));
        }
        for (at, &(to, message)) in state.bag.iter().enumerate() {
            let local = state.locals[&to];
            if matches!(self.table.accepts(local, message), Some(Accept::Take | Accept::Ignore)) {
                let mut taken = state.clone();
                taken.bag.remove(at);
                all.extend(self.react(&taken, to, local, Input::Message(message)));
            }
        }
        all
    }
}

/// Returns whether the system is small enough.
fn compare(case: &Case) -> bool {
    let table = case.system().worlds();
    let search = Search { table: &table, declared: case.declared.len(), most: usize::from(case.creates) };
    let mut open = search.initial();
    let mut seen: BTreeSet<State> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        if seen.len() > 2_000 {
            return false;
        }
        open.extend(search.successors(&state).into_iter().filter(|next| seen.insert(next.clone())));
    }
    let worlds = case.system().worlds();
    let config = Config { keep_going: true, collect_states: true, ..Config::default() };
    let report = manyworlds_explore::explore(&worlds, Engine::Bfs, &config, &NoObserver).expect("nothing to refuse");
    assert_eq!(report.stats.states, Some(seen.len() as u128));
    // What is displayed and fingerprinted is the same in another run.
    let shown = |table: &Worlds, locals: &mut dyn Iterator<Item = LocalId>| -> BTreeSet<(String, u128)> {
        locals.map(|local| (table.show_local(local), table.local_fingerprint(local))).collect()
    };
    let ours = shown(&table, &mut seen.iter().flat_map(|state| state.locals.values().copied()));
    let mut theirs = shown(&worlds, &mut report.states.iter().flat_map(|state| worlds.locals_of(state)));
    theirs.retain(|(words, _)| !words.starts_with("Absent"));
    assert_eq!(ours, theirs);
    true
}

const PROFILE: Profile =
    Profile { faults: false, failures: true, defers: true, halts: true, creates: true, ticks: true, monitors: 0 };

random! {
    #![cases = 500, compared = 80]

    #[test]
    fn local_transitions_are_all_that_a_search_under_asyn_needs(case in cases(PROFILE)) {
        let case = Case { network: Network::Asyn, faults: Faults::default(), forbids_halted: false, ..case };
        return Ok(u64::from(compare(&case)));
    }
}
