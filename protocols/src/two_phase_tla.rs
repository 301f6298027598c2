//! `2pc-tla`: two-phase commit as a specification over a growing set of messages, after Gray and Lamport. `n` resource managers
//! prepare or abort unilaterally; the transaction manager commits when it has received a prepared message from each, and may
//! abort before. No resource manager commits while another aborts.
//!
//! `2pc-tla-bug`: the transaction manager commits when all but one are prepared; the last one may still abort unilaterally.

use crate::bits::{Word, members};
use crate::{Build, Param};
use manyworlds::Specification;
use manyworlds_explore::{Declared, Fingerprinted, Independent, Model, Property, Symmetric, fingerprint};
use std::collections::BTreeMap;
use std::fmt;

const PARAMS: &[Param] = &[Param::int("n", 3, 1..=16, "resource managers")];

/// The model `2pc-tla`.
pub const MODEL: manyworlds::models::Model = manyworlds::models::Model {
    name: "2pc-tla",
    summary: "Two-phase commit as a specification over a growing set of messages (TwoPhase.tla)",
    params: PARAMS,
    build: Build::Specification(|params| Ok(Box::new(TwoPhase::new(params.int("n")).specification()))),
};

/// The model `2pc-tla-bug`, with a seeded bug.
pub const BUG: manyworlds::models::Model = manyworlds::models::Model {
    name: "2pc-tla-bug",
    summary: "2pc-tla in which the transaction manager commits before all resource managers are prepared",
    params: PARAMS,
    build: Build::Specification(|params| Ok(Box::new(TwoPhase::with_bug(params.int("n")).specification()))),
};

/// The state of a resource manager, in two bits.
const WORKING: u32 = 0;
const PREPARED: u32 = 1;
const COMMITTED: u32 = 2;
const ABORTED: u32 = 3;

/// Bits of [`State::tm`].
const DONE: u8 = 1;
const SENT_COMMIT: u8 = 2;
const SENT_ABORT: u8 = 4;

/// The specification for a given number of resource managers.
#[derive(Clone, Debug)]
pub struct TwoPhase {
    n: u32,
    bug: bool,
}

/// A global state; resource manager `r` has bits `2r` and `2r + 1` of `rm`, and bit `r` of the sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    rm: u32,
    /// The resource managers whose prepared message the transaction manager has received.
    prepared: u16,
    /// The resource managers that have sent a prepared message.
    said_prepared: u16,
    tm: u8,
}

/// A step; the number is the index of the resource manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The transaction manager decides to commit and sends the decision to all.
    Commit,
    /// The transaction manager decides to abort and sends the decision to all.
    Abort,
    /// The transaction manager receives the prepared message of a resource manager.
    HearPrepared(u8),
    /// A resource manager prepares, and sends a prepared message.
    Prepare(u8),
    /// A resource manager aborts unilaterally.
    Quit(u8),
    /// A resource manager receives the decision to commit.
    HearCommit(u8),
    /// A resource manager receives the decision to abort.
    HearAbort(u8),
}

impl Action {
    /// The resource manager of the action, if it has one.
    #[inline]
    fn manager(self) -> Option<u8> {
        match self {
            Action::Commit | Action::Abort => None,
            Action::HearPrepared(r)
            | Action::Prepare(r)
            | Action::Quit(r)
            | Action::HearCommit(r)
            | Action::HearAbort(r) => Some(r),
        }
    }
}

impl TwoPhase {
    /// `n` resource managers, at most 16.
    pub fn new(n: usize) -> TwoPhase {
        assert!((1..=16).contains(&n), "from 1 to 16 resource managers");
        TwoPhase { n: n as u32, bug: false }
    }

    /// With the seeded bug.
    pub fn with_bug(n: usize) -> TwoPhase {
        TwoPhase { bug: true, ..TwoPhase::new(n) }
    }

    #[inline]
    fn may_commit(&self, state: &State) -> bool {
        state.prepared.count_ones() + u32::from(self.bug) >= self.n
    }

    #[inline]
    fn consistent(&self, state: &State) -> bool {
        let (low, high) = (state.rm & 0x5555_5555, state.rm >> 1 & 0x5555_5555);
        high & !low == 0 || high & low == 0
    }
}

impl State {
    #[inline]
    fn with(mut self, r: u8, status: u32) -> State {
        self.rm = self.rm & !(3 << (2 * r)) | status << (2 * r);
        self
    }
}

/// Resource managers that are not mentioned are working.
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = |r: u32| match self.rm >> (2 * r) & 3 {
            PREPARED => Some((r, Word("prepared"))),
            COMMITTED => Some((r, Word("committed"))),
            ABORTED => Some((r, Word("aborted"))),
            _ => None,
        };
        let tm = match self.tm {
            tm if tm & SENT_COMMIT != 0 => "committed",
            tm if tm & SENT_ABORT != 0 => "aborted",
            _ => "init",
        };
        f.debug_struct("State")
            .field("rm", &(0..16).filter_map(status).collect::<BTreeMap<_, _>>())
            .field("tm", &Word(tm))
            .field("prepared", &members(self.prepared.into()))
            .field("said_prepared", &members(self.said_prepared.into()))
            .finish()
    }
}

impl TwoPhase {
    /// The specification with its declarations: symmetry, independence and fingerprints.
    pub fn specification(self) -> Specification<TwoPhase, Declared, Declared> {
        Specification::new(self).symmetric().independent().fingerprinted()
    }
}

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State { rm: 0, prepared: 0, said_prepared: 0, tm: 0 }]
    }

    #[inline]
    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        let deciding = state.tm & DONE == 0;
        if deciding && self.may_commit(state) {
            out.push(Action::Commit);
        }
        if deciding {
            out.push(Action::Abort);
        }
        for r in 0..self.n as u8 {
            if deciding && state.said_prepared >> r & 1 == 1 {
                out.push(Action::HearPrepared(r));
            }
            if state.rm >> (2 * r) & 3 == WORKING {
                out.push(Action::Prepare(r));
                out.push(Action::Quit(r));
            }
            if state.tm & SENT_COMMIT != 0 {
                out.push(Action::HearCommit(r));
            }
            if state.tm & SENT_ABORT != 0 {
                out.push(Action::HearAbort(r));
            }
        }
    }

    #[inline]
    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = *state;
        match *action {
            Action::Commit => next.tm = DONE | SENT_COMMIT,
            Action::Abort => next.tm = DONE | SENT_ABORT,
            Action::HearPrepared(r) => next.prepared |= 1 << r,
            Action::Prepare(r) => {
                next = next.with(r, PREPARED);
                next.said_prepared |= 1 << r;
            }
            Action::Quit(r) | Action::HearAbort(r) => next = next.with(r, ABORTED),
            Action::HearCommit(r) => next = next.with(r, COMMITTED),
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<TwoPhase>> {
        vec![Property::always("Consistent", TwoPhase::consistent)]
    }
}

impl Fingerprinted for TwoPhase {
    #[inline]
    fn fingerprint(&self, state: &State) -> u128 {
        let sets = u64::from(state.prepared) << 48 | u64::from(state.said_prepared) << 32;
        fingerprint::of_words([sets | u64::from(state.rm), u64::from(state.tm)])
    }
}

impl Independent for TwoPhase {
    /// Actions of different resource managers are independent.
    #[inline]
    fn independent(&self, _: &State, a: &Action, b: &Action) -> bool {
        matches!((a.manager(), b.manager()), (Some(a), Some(b)) if a != b)
    }

    /// Decisions depend on all other actions and have no name. No resource manager receives both decisions, so `HearCommit` and `HearAbort`
    /// share a name; four names for each of 16 resource managers suffice.
    #[inline]
    fn name(&self, action: &Action) -> Option<u32> {
        let kind = match action {
            Action::Commit | Action::Abort => return None,
            Action::HearPrepared(_) => 0,
            Action::Prepare(_) => 1,
            Action::Quit(_) => 2,
            Action::HearCommit(_) | Action::HearAbort(_) => 3,
        };
        action.manager().map(|r| 4 * u32::from(r) + kind)
    }
}

impl Symmetric for TwoPhase {
    /// Resource managers are interchangeable: the canonical state sorts them.
    fn canonical(&self, state: State) -> State {
        let of = |r: u32| {
            (state.rm >> (2 * r) & 3) << 2
                | u32::from(state.prepared >> r & 1) << 1
                | u32::from(state.said_prepared >> r & 1)
        };
        let mut all: [u32; 16] = std::array::from_fn(|r| of(r as u32));
        let all = &mut all[..self.n as usize];
        all.sort_unstable();
        let mut sorted = State { rm: 0, prepared: 0, said_prepared: 0, tm: state.tm };
        for (r, &one) in all.iter().enumerate() {
            sorted.rm |= (one >> 2) << (2 * r);
            sorted.prepared |= (one as u16 >> 1 & 1) << r;
            sorted.said_prepared |= (one as u16 & 1) << r;
        }
        sorted
    }
}
