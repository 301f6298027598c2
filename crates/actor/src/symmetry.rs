//! Symmetry reduction: of all states that are equal up to the names of identical actors, one representative is explored.
//!
//! It is the state under the renaming for which the sequence of slot fingerprints is least; most renamings are ruled out at the first
//! slots, and the rest of the renamed state is not computed. Fingerprints depend on content and not on ids, so the representative does not
//! depend on the worker or on the time of the visit.

use crate::causal::Causal;
use crate::faults::{Environment, named_side};
use crate::inbox::{self, Inbox, Key};
use crate::state::State;
use crate::system::Blueprint;
use crate::table::{Entries, Local, NONE};
use crate::worlds::Worlds;
use manyworlds_core::{Pid, panics};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The maximal number of renamings that are tried for each state: 7!
const MAX_RENAMINGS: usize = 5040;

/// A permutation of the actors.
#[derive(Clone, Debug)]
pub struct Renaming {
    to: Vec<u16>,
    /// The inverse: for each new name the actor that gets it.
    from: Vec<u16>,
}

impl Renaming {
    fn new(to: Vec<u16>) -> Renaming {
        let mut from = vec![0; to.len()];
        to.iter().zip(0..).for_each(|(&name, actor)| from[usize::from(name)] = actor);
        Renaming { to, from }
    }

    /// The new name of an actor.
    pub fn rename(&self, actor: Pid) -> Pid {
        (0..self.to.len()).find(|&n| Pid::root(n as u16) == actor).map_or(actor, |n| Pid::root(self.to[n]))
    }

    fn index(&self, actor: u16) -> u16 {
        self.to[usize::from(actor)]
    }
}

/// All permutations of declared identical actors, the identity first, with a cache of renamed ids.
#[derive(Default)]
pub struct Symmetry {
    renamings: Vec<Renaming>,
    /// (renaming, local) → the renamed local state.
    locals: FxHashMap<(u32, u32), u32>,
    /// (renaming, inbox) → the renamed inbox.
    inboxes: FxHashMap<(u32, u32), u32>,
}

/// The reason why symmetry reduction is refused, if there are too many permutations.
pub fn refusal(blueprint: &Blueprint) -> Option<String> {
    if !blueprint.monitors.is_empty() {
        return Some("the states of monitors are not renamed: check without symmetry".to_string());
    }
    if blueprint.creates > 0 {
        let why =
            "the ids of created actors contain those of their creators, and are not renamed: check without symmetry";
        return Some(why.to_string());
    }
    let ways = |group: &Vec<u16>| (1..=group.len()).try_fold(1usize, usize::checked_mul);
    let all = blueprint.identical.iter().try_fold(1usize, |all, group| all.checked_mul(ways(group)?));
    let fits = all.is_some_and(|all| all <= MAX_RENAMINGS);
    let sizes: Vec<String> = blueprint.identical.iter().map(|group| group.len().to_string()).collect();
    (!fits).then(|| {
        format!(
            "sets of {} identical actors can be renamed in more than {MAX_RENAMINGS} ways (7!), and every state would be renamed in all of them: \
             declare smaller sets, or check without symmetry",
            sizes.join(" and ")
        )
    })
}

impl Symmetry {
    /// The renamings of the declared sets of identical actors, see [`refusal`].
    pub fn new(blueprint: &Blueprint) -> Symmetry {
        let mut renamings = vec![(0..blueprint.actors.len() as u16).collect::<Vec<u16>>()];
        for group in &blueprint.identical {
            let orders = permutations(group);
            let apply = |to: &Vec<u16>, order: &Vec<u16>| {
                let mut to = to.clone();
                group.iter().zip(order).for_each(|(&from, &name)| to[usize::from(from)] = name);
                to
            };
            renamings = renamings.iter().flat_map(|to| orders.iter().map(move |order| apply(to, order))).collect();
        }
        Symmetry { renamings: renamings.into_iter().map(Renaming::new).collect(), ..Symmetry::default() }
    }

    /// The id in one slot of a renamed state.
    fn slot(&mut self, worlds: &Worlds, nth: u32, state: &State, slot: usize) -> u32 {
        let (names, n) = (&self.renamings[nth as usize], worlds.actors());
        if slot < n {
            let old = state.ids()[usize::from(names.from[slot])];
            let renamed = || worlds.with_entries(|entries, blueprint| local(entries, blueprint, names, old));
            return *self.locals.entry((nth, old)).or_insert_with(renamed);
        }
        if slot == state.ids().len() - 1 {
            return environment(worlds, names, state);
        }
        if worlds.is_causal() {
            return worlds.with_entries(|entries, blueprint| causal(entries, blueprint, names, state.ids()[n]));
        }
        let old = state.inbox(names.from[slot - n]);
        let renamed = || worlds.with_entries(|entries, blueprint| inbox(entries, blueprint, names, old));
        *self.inboxes.entry((nth, old)).or_insert_with(renamed)
    }

    /// Whether a renamed state has less slot fingerprints than `prints`, in lexicographic order.
    fn is_less(&mut self, worlds: &Worlds, nth: u32, state: &State, prints: &[u128]) -> bool {
        for (slot, &print) in prints.iter().enumerate() {
            let id = self.slot(worlds, nth, state, slot);
            match worlds.slot_print(state, slot, id).cmp(&print) {
                Ordering::Less => return true,
                Ordering::Greater => return false,
                Ordering::Equal => {}
            }
        }
        false
    }
}

fn permutations(of: &[u16]) -> Vec<Vec<u16>> {
    let Some((&first, rest)) = of.split_first() else { return vec![Vec::new()] };
    let insert = |order: Vec<u16>| {
        (0..=order.len()).map(move |at| {
            let mut longer = order.clone();
            longer.insert(at, first);
            longer
        })
    };
    permutations(rest).into_iter().flat_map(insert).collect()
}

/// The representative of a state.
pub fn canonical(worlds: &Worlds, symmetry: &mut Symmetry, state: State) -> State {
    let (mut least, mut prints) = (0, worlds.slot_prints(&state));
    for nth in 1..symmetry.renamings.len() as u32 {
        if symmetry.is_less(worlds, nth, &state, &prints) {
            (least, prints) = (nth, worlds.slot_prints(&renamed(worlds, symmetry, nth, &state)));
        }
    }
    if least == 0 { state } else { renamed(worlds, symmetry, least, &state) }
}

fn renamed(worlds: &Worlds, symmetry: &mut Symmetry, nth: u32, state: &State) -> State {
    let ids: Vec<u32> = (0..state.ids().len()).map(|slot| symmetry.slot(worlds, nth, state, slot)).collect();
    worlds.state(&ids)
}

/// The renamed environment of a state.
fn environment(worlds: &Worlds, names: &Renaming, state: &State) -> u32 {
    let n = worlds.actors();
    let environment = worlds.environment(&worlds.prepared(), state);
    let side = |side: u64| (0..n as u16).filter(|a| (side >> a) & 1 == 1).fold(0, |s, a| s | 1u64 << names.index(a));
    let renamed_history = |stage: u32| {
        worlds.with_entries(|entries, _| {
            let renamed = entries.stages.get(stage).renamed(|actor| names.index(actor));
            entries.stage(renamed)
        })
    };
    let renamed = Environment {
        split: environment.split.map(|old| named_side(side(old), n)),
        failed: environment.failed.map(|(actor, failure)| (names.index(actor), failure)),
        history: environment.history.map(renamed_history),
        monitors: environment.monitors,
        left: environment.left,
    };
    match renamed == environment {
        true => state.environment(),
        false => worlds.with_entries(|entries, _| entries.environment(renamed)),
    }
}

fn local(entries: &mut Entries, blueprint: &Blueprint, names: &Renaming, id: u32) -> u32 {
    let Local { actor, status, value, timers, origin } = (**entries.locals.get(id)).clone();
    let code = &blueprint.actors[usize::from(actor)].code;
    let value = match value {
        NONE => NONE,
        _ => {
            let old = entries.values.get(value).value.clone();
            let renamed = guarded(entries, blueprint, actor, "rename_state", || code.rename_state(&*old, names));
            entries.value(renamed.unwrap_or(old))
        }
    };
    entries.local(names.index(actor), status, value, timers.into_vec(), origin)
}

/// Runs user code. The first panic is recorded: the run then has no valid result, see [`Worlds::renaming_failure`].
fn guarded<T>(
    entries: &mut Entries,
    blueprint: &Blueprint,
    actor: u16,
    what: &str,
    rename: impl FnOnce() -> T,
) -> Option<T> {
    let renamed = panics::listen(|| catch_unwind(AssertUnwindSafe(rename)));
    let payload = match renamed {
        Ok(renamed) => return Some(renamed),
        Err(payload) => payload,
    };
    let (words, place) = panics::take(payload.as_ref());
    let name = &blueprint.actors[usize::from(actor)].name;
    let place = place.map(|place| format!(" (at {place})")).unwrap_or_default();
    entries.renaming_failure.get_or_insert_with(|| format!("`{what}` of actor `{name}` panics: {words}{place}"));
    None
}

impl Worlds {
    /// The first panic of user code that renames actors; if there is one, no result of the run is valid.
    pub fn renaming_failure(&self) -> Option<String> {
        self.with_entries(|entries, _| entries.renaming_failure.clone())
    }
}

/// The renamed envelope; the message is renamed by the code of its destination.
fn envelope(entries: &mut Entries, blueprint: &Blueprint, names: &Renaming, to: u16, id: u32) -> u32 {
    let old = entries.envelopes.get(id).clone();
    let message = entries.values.get(old.message).value.clone();
    let code = &blueprint.actors[usize::from(to)].code;
    let renamed = guarded(entries, blueprint, to, "rename_message", || code.rename_message(&*message, names));
    let message = renamed.flatten().unwrap_or(message);
    entries.envelope(names.index(old.from), message)
}

fn inbox(entries: &mut Entries, blueprint: &Blueprint, names: &Renaming, id: u32) -> u32 {
    let old = entries.inboxes.get(id).clone();
    let mut items: Box<[u32]> = Box::default();
    let owner = names.index(old.owner);
    for &id in &old.items {
        let id = envelope(entries, blueprint, names, old.owner, id);
        items = inbox::push(&items, id, |id| {
            let from = entries.envelopes.get(id).from;
            Key::new(blueprint.channel(from, owner), from, id)
        });
    }
    entries.inbox(blueprint, Inbox { owner, items })
}

fn causal(entries: &mut Entries, blueprint: &Blueprint, names: &Renaming, id: u32) -> u32 {
    let old: Causal = (**entries.causals.get(id)).clone();
    let network = |from, to| blueprint.channel(from, to);
    let renamed = old.renamed(|a| names.index(a), |to, id| envelope(entries, blueprint, names, to, id), &network);
    entries.causal(renamed, &network)
}
