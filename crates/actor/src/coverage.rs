//! The coverage of a run, read from the table of local transitions, which contains every reaction of every actor once.

use crate::faults::Faults;
use crate::system::Blueprint;
use crate::table::{Entries, Input, Local, NONE, Status, Table};
use manyworlds_core::{Accept, Coverage, FaultCoverage, InputCoverage, ProcessCoverage, ValueTree};
use std::collections::{BTreeMap, BTreeSet};

/// The reactions of the actors in a table so far.
pub fn coverage(table: &Table) -> Coverage {
    let (blueprint, entries) = (&table.blueprint, &*table.lock());
    let mut tallies = Tallies::new(blueprint, entries);
    let mut sent = BTreeSet::new();
    for (local, input, effects) in entries.reactions() {
        let before = entries.locals.get(local);
        let ignored = |envelope| entries.accepted.get(&(local, envelope)) == Some(&Accept::Ignore);
        if matches!(input, Input::Message(envelope) if ignored(envelope)) {
            continue;
        }
        let tally = tallies.of(before.actor);
        tally.handlers += 1;
        tally.add_local(before);
        match input {
            Input::Message(envelope) => tally.input(entries, envelope).1.insert(envelope),
            Input::Timer(at) => tally.timer(before.timers[usize::from(at)]).1.insert(0),
            Input::Start | Input::Restart => false,
        };
        for branch in entries.effects[effects as usize].iter() {
            tally.add_local(entries.locals.get(branch.local));
            sent.extend(branch.sends.iter().map(|send| (send.to, send.envelope)));
        }
    }
    for (to, envelope) in sent {
        tallies.of(to).input(entries, envelope).0.insert(envelope);
    }
    Coverage {
        properties: blueprint.questions.iter().map(|question| question.violation().property.to_string()).collect(),
        unreached: Vec::new(),
        processes: tallies.into_coverage(blueprint),
        faults: faults(blueprint, entries),
        actions: Vec::new(),
    }
}

/// The envelopes (or timers) that were offered to an actor, and those that it handled.
type InputCounts = (BTreeSet<u32>, BTreeSet<u32>);

/// The coverage of each declared actor, and of created actors by name.
struct Tallies {
    declared: Vec<Tally>,
    created: BTreeMap<String, Tally>,
    /// The name of each created actor.
    names: BTreeMap<u16, String>,
}

impl Tallies {
    fn new(blueprint: &Blueprint, entries: &Entries) -> Tallies {
        let mut names = BTreeMap::new();
        for local in (0..entries.locals.len() as u32).map(|id| entries.locals.get(id)) {
            if local.origin.code != NONE {
                names.entry(local.actor).or_insert_with(|| entries.codes.get(local.origin.code).name.clone());
            }
        }
        let declared = blueprint.actors.iter().map(|_| Tally::default()).collect();
        Tallies { declared, created: BTreeMap::new(), names }
    }

    fn of(&mut self, actor: u16) -> &mut Tally {
        match self.declared.get_mut(usize::from(actor)) {
            Some(tally) => tally,
            None => self.created.entry(self.names.get(&actor).cloned().unwrap_or_default()).or_default(),
        }
    }

    fn into_coverage(self, blueprint: &Blueprint) -> Vec<ProcessCoverage> {
        let declared = blueprint.actors.iter().map(|actor| actor.name.clone()).zip(self.declared);
        let created = self.created.into_iter().filter(|(name, _)| !name.is_empty());
        declared.chain(created).map(|(name, tally)| tally.into_coverage(&name)).collect()
    }
}

/// The coverage of one actor.
#[derive(Default)]
struct Tally {
    states: BTreeSet<u32>,
    handlers: u64,
    inputs: BTreeMap<(&'static str, String), InputCounts>,
}

impl Tally {
    fn add_local(&mut self, local: &Local) {
        if local.status == Status::Up && local.value != NONE {
            self.states.insert(local.value);
        }
        for timer in &local.timers {
            self.timer(timer).0.insert(0);
        }
    }

    fn input(&mut self, entries: &Entries, envelope: u32) -> &mut InputCounts {
        let shown = entries.values.get(entries.envelopes.get(envelope).message).value.show();
        let name = ValueTree::parse(&shown).type_name().unwrap_or("value").to_string();
        self.inputs.entry(("message", name)).or_default()
    }

    fn timer(&mut self, name: &str) -> &mut InputCounts {
        self.inputs.entry(("timer", name.to_string())).or_default()
    }

    fn into_coverage(self, name: &str) -> ProcessCoverage {
        let covered = |((kind, name), (offered, handled)): ((&str, String), InputCounts)| InputCoverage {
            kind: kind.to_string(),
            name,
            offered: offered.len() as u64,
            handled: handled.len() as u64,
        };
        ProcessCoverage {
            name: name.to_string(),
            states: self.states.len() as u64,
            handlers: self.handlers,
            inputs: self.inputs.into_iter().map(covered).collect(),
        }
    }
}

/// The name of a fault and its fault budget.
type FaultKind = (&'static str, fn(&Faults) -> u8);

fn faults(blueprint: &Blueprint, entries: &Entries) -> Vec<FaultCoverage> {
    let kinds: [FaultKind; 5] = [
        ("losses", |f| f.losses),
        ("duplicates", |f| f.duplicates),
        ("crashes", |f| f.crashes),
        ("restarts", |f| f.restarts),
        ("splits", |f| f.splits),
    ];
    let budgeted = kinds.into_iter().filter(|(_, of)| of(&blueprint.faults) > 0);
    let covered = |(name, of): FaultKind| {
        let budget = of(&blueprint.faults);
        let left = (0..entries.environments.len()).map(|id| of(&entries.environments.get(id as u32).left)).min();
        let used = budget - left.unwrap_or(budget).min(budget);
        FaultCoverage { name: name.to_string(), budget: u64::from(budget), used: u64::from(used) }
    };
    budgeted.map(covered).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Actor, Context, Faults, System};
    use manyworlds_core::{InputCoverage, Pid};
    use manyworlds_explore::{Config, Engine, TransitionSystem, explore};

    /// Sends a message to a peer, and sets a timer that may expire before or after its delivery.
    struct Caller;
    struct Callee;

    impl Actor for Caller {
        type State = bool;
        type Message = Call;
        fn start(&self, ctx: &mut Context<'_>) -> bool {
            ctx.send(Pid::root(1), Call::Ring);
            ctx.set_timer("hang up");
            false
        }
        fn message(&self, _: &mut bool, _: Pid, _: &Call, _: &mut Context<'_>) {}
        fn timer(&self, hung_up: &mut bool, _: &'static str, _: &mut Context<'_>) {
            *hung_up = true;
        }
    }

    impl Actor for Callee {
        type State = u8;
        type Message = Call;
        fn start(&self, _: &mut Context<'_>) -> u8 {
            0
        }
        fn message(&self, rings: &mut u8, _: Pid, _: &Call, _: &mut Context<'_>) {
            *rings += 1;
        }
    }

    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    enum Call {
        Ring,
    }

    #[test]
    fn what_happened_is_counted_and_what_did_not_is_zero() {
        let system = System::new()
            .actor("caller", Caller)
            .actor("callee", Callee)
            .faults(Faults { losses: 1, splits: 1, ..Faults::default() })
            .always("rings once", |view| view.get::<u8>(Pid::root(1)).is_none_or(|n| *n <= 1));
        let worlds = system.worlds();
        explore(&worlds, Engine::Bfs, &Config::default(), &manyworlds_core::NoObserver).unwrap();
        let coverage = worlds.coverage().unwrap();
        assert_eq!(coverage.properties, ["always rings once"]);
        let [caller, callee] = &coverage.processes[..] else { panic!("two actors") };
        assert_eq!((caller.states, caller.handlers), (2, 2));
        assert_eq!((callee.states, callee.handlers), (2, 2));
        let input = |kind: &str, name: &str| InputCoverage {
            kind: kind.to_string(),
            name: name.to_string(),
            offered: 1,
            handled: 1,
        };
        assert_eq!(caller.inputs, [input("timer", "hang up")]);
        assert_eq!(callee.inputs, [input("message", "Ring")]);
        let used: Vec<(&str, u64)> = coverage.faults.iter().map(|f| (f.name.as_str(), f.used)).collect();
        assert_eq!(used, [("losses", 1), ("splits", 1)]);
    }
}
