//! Paxos against Stateright's actors: the states, messages and properties of the zoo's `paxos`. One type of actor needs an enum of roles.

use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network, Out, model_timeout};
use std::borrow::Cow;

/// What the actors say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Message {
    Prepare(u8),
    Promise(u8, Vote),
    Accept(Vote),
    Accepted(Vote),
}

/// A value in a ballot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Vote {
    ballot: u8,
    value: u8,
}

/// How many there are of each; proposers come first, learners last.
#[derive(Clone, Copy)]
pub struct Cast {
    pub proposers: u8,
    pub acceptors: u8,
    pub learners: u8,
    pub tries: u8,
}

/// An actor; which one it is its id says.
pub struct Paxos {
    cast: Cast,
    acceptors: Vec<Id>,
    learners: Vec<Id>,
}

/// What an actor remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum State {
    Proposer { ballot: u8, promises: u8, asked: bool, highest: Vote },
    Acceptor { promised: u8, last: Vote },
    Learner { votes: Vec<u8>, chosen: u8 },
}

impl Paxos {
    fn is_majority(&self, acceptors: u8) -> bool {
        2 * acceptors.count_ones() > u32::from(self.cast.acceptors)
    }

    /// The set with this acceptor only.
    fn bit(&self, acceptor: Id) -> u8 {
        1 << (usize::from(acceptor) - usize::from(self.cast.proposers))
    }

    fn propose(&self, ballot: u8, o: &mut Out<Paxos>) -> State {
        o.broadcast(&self.acceptors, &Message::Prepare(ballot));
        if ballot + self.cast.proposers <= self.cast.tries * self.cast.proposers {
            o.set_timer((), model_timeout());
        }
        State::Proposer { ballot, promises: 0, asked: false, highest: Vote::default() }
    }
}

impl Actor for Paxos {
    type Msg = Message;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, id: Id, _: &Option<()>, o: &mut Out<Paxos>) -> State {
        let (nth, Cast { proposers, acceptors, .. }) = (usize::from(id) as u8, self.cast);
        match nth {
            _ if nth < proposers => self.propose(nth + 1, o),
            _ if nth < proposers + acceptors => State::Acceptor { promised: 0, last: Vote::default() },
            _ => State::Learner { votes: Vec::new(), chosen: 0 },
        }
    }

    fn on_msg(&self, id: Id, state: &mut Cow<'_, State>, from: Id, message: Message, o: &mut Out<Paxos>) {
        match (&**state, message) {
            (&State::Proposer { ballot, promises, asked: false, highest }, Message::Promise(promised, vote))
                if promised == ballot =>
            {
                let (promises, highest) = (promises | self.bit(from), highest.max(vote));
                let asked = self.is_majority(promises);
                *state.to_mut() = State::Proposer { ballot, promises, asked, highest };
                if asked {
                    let value = if highest.ballot == 0 { usize::from(id) as u8 + 1 } else { highest.value };
                    o.broadcast(&self.acceptors, &Message::Accept(Vote { ballot, value }));
                }
            }
            (&State::Acceptor { promised, last }, Message::Prepare(ballot)) if ballot > promised => {
                *state.to_mut() = State::Acceptor { promised: ballot, last };
                o.send(from, Message::Promise(ballot, last));
            }
            (&State::Acceptor { promised, .. }, Message::Accept(vote)) if vote.ballot >= promised => {
                *state.to_mut() = State::Acceptor { promised: vote.ballot, last: vote };
                o.broadcast(&self.learners, &Message::Accepted(vote));
            }
            (State::Learner { .. }, Message::Accepted(vote)) => {
                let State::Learner { votes, chosen } = state.to_mut() else { unreachable!("a learner stays one") };
                let at = usize::from(vote.ballot);
                if votes.len() <= at {
                    votes.resize(at + 1, 0);
                }
                votes[at] |= self.bit(from);
                if self.is_majority(votes[at]) {
                    *chosen |= 1 << vote.value;
                }
            }
            _ => {}
        }
    }

    fn on_timeout(&self, _: Id, state: &mut Cow<'_, State>, (): &(), o: &mut Out<Paxos>) {
        if let State::Proposer { ballot, .. } = **state {
            *state.to_mut() = self.propose(ballot + self.cast.proposers, o);
        }
    }
}

type Model = ActorModel<Paxos, Cast>;

/// All values that some learner knows to be chosen: a bit each.
fn chosen(state: &ActorModelState<Paxos>) -> u8 {
    state.actor_states.iter().fold(0, |all, state| match **state {
        State::Learner { chosen, .. } => all | chosen,
        _ => all,
    })
}

/// The system, under p2p.
pub fn model(cast: Cast) -> Model {
    let Cast { proposers, acceptors, learners, .. } = cast;
    let ids = |from: u8, count: u8| Id::vec_from(usize::from(from)..usize::from(from + count));
    let actor = || Paxos { cast, acceptors: ids(proposers, acceptors), learners: ids(proposers + acceptors, learners) };
    ActorModel::new(cast, ())
        .actors((0..proposers + acceptors + learners).map(|_| actor()))
        .init_network(Network::new_ordered([]))
        .property(Expectation::Always, "agreement", |_, state| chosen(state).count_ones() <= 1)
        .property(Expectation::Always, "validity", |model, state| {
            let proposed = (1..=model.cfg.proposers).fold(0, |values, value| values | 1 << value);
            chosen(state) & !proposed == 0
        })
        .property(Expectation::Sometimes, "a value is chosen", |_, state| chosen(state) != 0)
}
