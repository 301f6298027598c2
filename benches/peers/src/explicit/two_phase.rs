//! Two-phase commit against Stateright's transition systems: the state, the actions and the invariant of the zoo's `2pc-tla`, word for word
//! as compact.

use stateright::{Model, Property};

const WORKING: u32 = 0;
const PREPARED: u32 = 1;
const COMMITTED: u32 = 2;
const ABORTED: u32 = 3;

const DONE: u8 = 1;
const SAID_COMMIT: u8 = 2;
const SAID_ABORT: u8 = 4;

/// The specification for so many resource managers.
pub struct TwoPhase(pub u8);

/// A global state; resource manager `r` has bits `2r` and `2r + 1` of `rm`, and bit `r` of the sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    rm: u32,
    prepared: u16,
    said_prepared: u16,
    tm: u8,
}

/// A step; the number is that of the resource manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Commit,
    Abort,
    HearPrepared(u8),
    Prepare(u8),
    Quit(u8),
    HearCommit(u8),
    HearAbort(u8),
}

impl State {
    fn set(&mut self, r: u8, place: u32) {
        self.rm = self.rm & !(3 << (2 * r)) | place << (2 * r);
    }
}

fn is_consistent(_: &TwoPhase, state: &State) -> bool {
    let (low, high) = (state.rm & 0x5555_5555, state.rm >> 1 & 0x5555_5555);
    high & !low == 0 || high & low == 0
}

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State { rm: 0, prepared: 0, said_prepared: 0, tm: 0 }]
    }

    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        let deciding = state.tm & DONE == 0;
        if deciding && state.prepared.count_ones() == u32::from(self.0) {
            out.push(Action::Commit);
        }
        if deciding {
            out.push(Action::Abort);
        }
        for r in 0..self.0 {
            if deciding && state.said_prepared >> r & 1 == 1 {
                out.push(Action::HearPrepared(r));
            }
            if state.rm >> (2 * r) & 3 == WORKING {
                out.extend([Action::Prepare(r), Action::Quit(r)]);
            }
            if state.tm & SAID_COMMIT != 0 {
                out.push(Action::HearCommit(r));
            }
            if state.tm & SAID_ABORT != 0 {
                out.push(Action::HearAbort(r));
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = *state;
        match action {
            Action::Commit => next.tm = DONE | SAID_COMMIT,
            Action::Abort => next.tm = DONE | SAID_ABORT,
            Action::HearPrepared(r) => next.prepared |= 1 << r,
            Action::Prepare(r) => {
                next.set(r, PREPARED);
                next.said_prepared |= 1 << r;
            }
            Action::Quit(r) | Action::HearAbort(r) => next.set(r, ABORTED),
            Action::HearCommit(r) => next.set(r, COMMITTED),
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<TwoPhase>> {
        vec![Property::always("Consistent", is_consistent)]
    }
}
