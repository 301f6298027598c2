//! `paxos-tla`: single-decree Paxos as a specification over a growing set of messages, after Lamport: `a` acceptors, one
//! proposer for each of `b` ballots, `v` values. At most one value is chosen.
//!
//! A proposer may be permitted to propose a value for more than one reason (several quorums, or several votes of the same
//! ballot); each reason is a separate action, as in TLC's count of transitions.
//!
//! `paxos-tla-bug`: the proposer adopts any vote of the quorum instead of the highest one, so it may propose an older value after
//! a newer one was chosen. This requires three ballots.

use crate::bits::members;
use crate::{Build, Param};
use manyworlds::Specification;
use manyworlds_explore::{Declared, Fingerprinted, Model, Property, Symmetric, Undeclared, fingerprint};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const PARAMS: &[Param] = &params(2);

const fn params(ballots: u64) -> [Param; 3] {
    [
        Param::int("a", 3, 1..=7, "acceptors"),
        Param::int("b", ballots, 1..=5, "ballots"),
        Param::int("v", 2, 1..=4, "values"),
    ]
}

/// The model `paxos-tla`.
pub const MODEL: manyworlds::models::Model = manyworlds::models::Model {
    name: "paxos-tla",
    summary: "Single-decree Paxos as a specification over a growing set of messages (Paxos1.tla)",
    params: PARAMS,
    build: Build::Specification(|params| {
        Ok(Box::new(Paxos::new(params.int("a"), params.int("b"), params.int("v")).specification()))
    }),
};

/// The model `paxos-tla-bug`, with a seeded bug.
pub const BUG: manyworlds::models::Model = manyworlds::models::Model {
    name: "paxos-tla-bug",
    summary: "paxos-tla in which a proposer adopts any reported vote, not the highest",
    params: &params(3),
    build: Build::Specification(|params| {
        Ok(Box::new(Paxos::with_bug(params.int("a"), params.int("b"), params.int("v")).specification()))
    }),
};

/// The maximal numbers of acceptors, ballots and values.
const ACCEPTORS: usize = 7;
const BALLOTS: usize = 5;
const VALUES: usize = 4;

/// The specification for given numbers of acceptors, ballots and values.
#[derive(Clone, Debug)]
pub struct Paxos {
    acceptors: usize,
    ballots: usize,
    values: usize,
    bug: bool,
    /// Every majority, as a set of acceptors.
    quorums: Vec<u8>,
}

/// The state of an acceptor, and the messages that it has sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
struct Acceptor {
    /// `1b` messages: for each ballot the vote that the message reports, plus one; zero if the acceptor did not send one.
    promises: [u8; BALLOTS],
    /// `2b` messages: bit `vote - 1` for a vote of ballot `b` for value `v`.
    votes: u32,
    /// The highest ballot that the acceptor has seen, plus one; zero if none.
    ballot: u8,
    /// The last vote, zero if there is none.
    vote: u8,
}

/// A global state. Ballots, values and acceptors count from zero; a vote is `1 + ballot * VALUES + value`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    acceptors: [Acceptor; ACCEPTORS],
    /// `1a` messages, by ballot.
    prepares: u8,
    /// `2a` messages, by vote.
    proposals: u32,
}

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Phase 1a of a ballot.
    Prepare {
        /// The ballot.
        ballot: u8,
    },
    /// Phase 2a: one action for each quorum, and each vote in it, that permits the proposal.
    Propose {
        /// The ballot.
        ballot: u8,
        /// The value.
        value: u8,
        /// The set of acceptors that promised.
        quorum: u8,
    },
    /// Phase 1b: an acceptor promises.
    Promise {
        /// The acceptor.
        acceptor: u8,
        /// The ballot.
        ballot: u8,
    },
    /// Phase 2b: an acceptor votes.
    Vote {
        /// The acceptor.
        acceptor: u8,
        /// The ballot.
        ballot: u8,
        /// The value.
        value: u8,
    },
}

fn vote(ballot: u8, value: u8) -> u8 {
    1 + ballot * VALUES as u8 + value
}

fn ballot_of(vote: u8) -> u8 {
    (vote - 1) / VALUES as u8
}

fn value_of(vote: u8) -> u8 {
    (vote - 1) % VALUES as u8
}

fn bit(vote: u8) -> u32 {
    1 << (vote - 1)
}

/// A vote with a readable `Debug` text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Ballot(u8);

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("nothing"),
            vote => write!(f, "{} in {}", value_of(vote), ballot_of(vote)),
        }
    }
}

/// The votes in a set.
fn votes_in(set: u32) -> BTreeSet<Ballot> {
    members(set).into_iter().map(|bit| Ballot(bit as u8 + 1)).collect()
}

/// `promised` maps each promised ballot to the last vote before the promise.
impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let promises = self.promises.iter().enumerate().filter(|&(_, &byte)| byte > 0);
        let promised: BTreeMap<_, _> = promises.map(|(ballot, &byte)| (ballot, Ballot(byte - 1))).collect();
        f.debug_struct("Acceptor").field("promised", &promised).field("voted", &votes_in(self.votes)).finish()
    }
}

/// Acceptors that are not mentioned have done nothing. A vote for value v in ballot b is `v in b`.
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let active = self.acceptors.iter().enumerate().filter(|&(_, acceptor)| *acceptor != Acceptor::default());
        f.debug_struct("State")
            .field("prepared", &members(self.prepares.into()))
            .field("proposed", &votes_in(self.proposals))
            .field("acceptors", &active.collect::<BTreeMap<_, _>>())
            .finish()
    }
}

impl Paxos {
    /// At most seven acceptors, five ballots and four values.
    pub fn new(acceptors: usize, ballots: usize, values: usize) -> Paxos {
        assert!((1..=ACCEPTORS).contains(&acceptors), "from 1 to {ACCEPTORS} acceptors");
        assert!((1..=BALLOTS).contains(&ballots), "from 1 to {BALLOTS} ballots");
        assert!((1..=VALUES).contains(&values), "from 1 to {VALUES} values");
        let majority = |set: &u8| 2 * set.count_ones() as usize > acceptors;
        let quorums = (0..1u16 << acceptors).map(|set| set as u8).filter(majority).collect();
        Paxos { acceptors, ballots, values, bug: false, quorums }
    }

    /// With the seeded bug.
    pub fn with_bug(acceptors: usize, ballots: usize, values: usize) -> Paxos {
        Paxos { bug: true, ..Paxos::new(acceptors, ballots, values) }
    }

    fn all_acceptors(&self) -> impl Iterator<Item = (u8, usize)> + Clone + use<> {
        (0..self.acceptors).map(|acceptor| (acceptor as u8, acceptor))
    }

    /// Adds one action for each reason that permits the proposer of a ballot to propose a value.
    fn propose(&self, state: &State, ballot: u8, out: &mut Vec<Action>) {
        if (0..self.values as u8).any(|value| state.proposals & bit(vote(ballot, value)) != 0) {
            return;
        }
        let promise = |acceptor: usize| state.acceptors[acceptor].promises[ballot as usize];
        let promised = self.all_acceptors().filter(|&(_, a)| promise(a) > 0).fold(0u8, |set, (bit, _)| set | 1 << bit);
        for value in 0..self.values as u8 {
            for &quorum in self.quorums.iter().filter(|&&quorum| quorum & !promised == 0) {
                let members = self.all_acceptors().filter(|&(bit, _)| quorum >> bit & 1 == 1);
                // The votes that the promises report, without the acceptors that had not voted.
                let votes = members.map(|(_, acceptor)| promise(acceptor) - 1).filter(|&vote| vote > 0);
                let highest = votes.clone().map(ballot_of).max();
                let permits = |&last: &u8| value_of(last) == value && (self.bug || Some(ballot_of(last)) == highest);
                let reasons = if highest.is_none() { 1 } else { votes.filter(permits).count() };
                out.extend(std::iter::repeat_n(Action::Propose { ballot, value, quorum }, reasons));
            }
        }
    }

    /// Adds the promises and votes that an acceptor can send.
    fn acceptor_actions(&self, state: &State, acceptor: u8, out: &mut Vec<Action>) {
        let seen = state.acceptors[acceptor as usize].ballot;
        // `seen` counts from one: ballot `b` is higher than all that the acceptor has seen if `b >= seen`.
        let ballots = 0..self.ballots as u8;
        let prepared = ballots.clone().filter(|&ballot| ballot >= seen && state.prepares >> ballot & 1 == 1);
        out.extend(prepared.map(|ballot| Action::Promise { acceptor, ballot }));
        for ballot in ballots.filter(|&ballot| ballot + 1 >= seen) {
            let proposed = (0..self.values as u8).filter(|&value| state.proposals & bit(vote(ballot, value)) != 0);
            out.extend(proposed.map(|value| Action::Vote { acceptor, ballot, value }));
        }
    }

    fn chosen(&self, state: &State, vote: u8) -> bool {
        let votes = self.all_acceptors().filter(|&(_, acceptor)| state.acceptors[acceptor].votes & bit(vote) != 0);
        2 * votes.count() > self.acceptors
    }

    fn agreement(&self, state: &State) -> bool {
        let chosen = |value: u8| (0..self.ballots as u8).any(|ballot| self.chosen(state, vote(ballot, value)));
        (0..self.values as u8).filter(|&value| chosen(value)).count() <= 1
    }
}

impl Paxos {
    /// The specification with its declarations: symmetry and fingerprints.
    pub fn specification(self) -> Specification<Paxos, Undeclared, Declared> {
        Specification::new(self).symmetric().fingerprinted()
    }
}

impl Model for Paxos {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State { acceptors: [Acceptor::default(); ACCEPTORS], prepares: 0, proposals: 0 }]
    }

    #[inline]
    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        for ballot in 0..self.ballots as u8 {
            out.push(Action::Prepare { ballot });
            self.propose(state, ballot, out);
        }
        self.all_acceptors().for_each(|(acceptor, _)| self.acceptor_actions(state, acceptor, out));
    }

    #[inline]
    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = *state;
        match *action {
            Action::Prepare { ballot } => next.prepares |= 1 << ballot,
            Action::Propose { ballot, value, .. } => next.proposals |= bit(vote(ballot, value)),
            Action::Promise { acceptor, ballot } => {
                let acceptor = &mut next.acceptors[acceptor as usize];
                acceptor.ballot = ballot + 1;
                acceptor.promises[ballot as usize] = acceptor.vote + 1;
            }
            Action::Vote { acceptor, ballot, value } => {
                let acceptor = &mut next.acceptors[acceptor as usize];
                acceptor.ballot = ballot + 1;
                acceptor.vote = vote(ballot, value);
                acceptor.votes |= bit(acceptor.vote);
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Paxos>> {
        vec![Property::always("Agreement", Paxos::agreement).stable()]
    }
}

impl Fingerprinted for Paxos {
    #[inline]
    fn fingerprint(&self, state: &State) -> u128 {
        let mut words = [0; 2 * ACCEPTORS + 1];
        for (acceptor, pair) in state.acceptors.iter().zip(words.chunks_exact_mut(2)) {
            let [a, b, c, d, e] = acceptor.promises;
            pair[0] = u64::from_le_bytes([a, b, c, d, e, acceptor.ballot, acceptor.vote, 0]);
            pair[1] = u64::from(acceptor.votes);
        }
        words[2 * ACCEPTORS] = u64::from(state.prepares) << 32 | u64::from(state.proposals);
        fingerprint::of_words(words)
    }
}

impl Symmetric for Paxos {
    /// Acceptors are interchangeable: the canonical state sorts them.
    fn canonical(&self, mut state: State) -> State {
        state.acceptors[..self.acceptors].sort_unstable();
        state
    }
}
