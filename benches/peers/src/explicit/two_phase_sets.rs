//! Two-phase commit against Stateright's transition systems, as its users write it: a list of places, a set of messages.

use stateright::{Model, Property};
use std::collections::BTreeSet;

/// The specification for so many resource managers.
pub struct TwoPhase(pub usize);

/// Where a resource manager is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    Working,
    Prepared,
    Committed,
    Aborted,
}

/// Where the transaction manager is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Manager {
    Deciding,
    Committed,
    Aborted,
}

/// What was said; nothing is ever unsaid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Message {
    Prepared(usize),
    Commit,
    Abort,
}

/// A global state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    places: Vec<Place>,
    manager: Manager,
    prepared: Vec<bool>,
    said: BTreeSet<Message>,
}

/// A step; the number is that of the resource manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Commit,
    Abort,
    HearPrepared(usize),
    Prepare(usize),
    Quit(usize),
    HearCommit(usize),
    HearAbort(usize),
}

fn is_consistent(_: &TwoPhase, state: &State) -> bool {
    !(state.places.contains(&Place::Committed) && state.places.contains(&Place::Aborted))
}

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let (places, prepared) = (vec![Place::Working; self.0], vec![false; self.0]);
        vec![State { places, manager: Manager::Deciding, prepared, said: BTreeSet::new() }]
    }

    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        let deciding = state.manager == Manager::Deciding;
        if deciding && state.prepared.iter().all(|&prepared| prepared) {
            out.push(Action::Commit);
        }
        if deciding {
            out.push(Action::Abort);
        }
        for r in 0..self.0 {
            if deciding && state.said.contains(&Message::Prepared(r)) {
                out.push(Action::HearPrepared(r));
            }
            if state.places[r] == Place::Working {
                out.extend([Action::Prepare(r), Action::Quit(r)]);
            }
            if state.said.contains(&Message::Commit) {
                out.push(Action::HearCommit(r));
            }
            if state.said.contains(&Message::Abort) {
                out.push(Action::HearAbort(r));
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Commit => {
                next.manager = Manager::Committed;
                next.said.insert(Message::Commit);
            }
            Action::Abort => {
                next.manager = Manager::Aborted;
                next.said.insert(Message::Abort);
            }
            Action::HearPrepared(r) => next.prepared[r] = true,
            Action::Prepare(r) => {
                next.places[r] = Place::Prepared;
                next.said.insert(Message::Prepared(r));
            }
            Action::Quit(r) | Action::HearAbort(r) => next.places[r] = Place::Aborted,
            Action::HearCommit(r) => next.places[r] = Place::Committed,
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<TwoPhase>> {
        vec![Property::always("Consistent", is_consistent)]
    }
}
