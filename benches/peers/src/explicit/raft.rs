//! Raft against Stateright's actors: the states, messages and properties of the zoo's `raft`, without crashes (a crashed actor of Stateright
//! keeps its state until it restarts, and restarts are not counted: other states).

use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network, Out, model_peers, model_timeout};
use std::borrow::Cow;

fn term_of(entry: u8) -> u8 {
    entry >> 4
}

/// Between nodes; the first field is the sender's term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Message {
    RequestVote(u8, End),
    Vote(u8),
    Append { term: u8, prev: End, entries: Vec<u8>, commit: u8 },
    Matches(u8, u8),
    Differs(u8),
}

impl Message {
    fn term(&self) -> u8 {
        match *self {
            Message::RequestVote(term, _) | Message::Vote(term) | Message::Append { term, .. } => term,
            Message::Matches(term, _) | Message::Differs(term) => term,
        }
    }
}

/// The last entry of a log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct End {
    term: u8,
    len: u8,
}

impl End {
    fn of(log: &[u8]) -> End {
        End { term: log.last().copied().map_or(0, term_of), len: log.len() as u8 }
    }
}

/// What a node is at the moment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    Follower,
    Candidate(u8),
    Leader { beats: u8, next: Vec<u8>, matched: Vec<u8> },
}

/// What a node remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    term: u8,
    vote: u8,
    log: Vec<u8>,
    commit: u8,
    role: Role,
    led: u8,
    committed: Vec<u8>,
}

impl Node {
    fn commit(&mut self, len: u8) {
        self.commit = self.commit.max(len);
        if usize::from(self.commit) > self.committed.len() {
            self.committed = self.log[..usize::from(self.commit)].to_vec();
        }
    }
}

/// What a node waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Timer {
    Election,
    Heartbeat,
    Request,
}

/// The bounds.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub nodes: u8,
    pub terms: u8,
    pub entries: u8,
    pub beats: u8,
}

/// A node.
pub struct Raft {
    bounds: Bounds,
    peers: Vec<Id>,
}

impl Raft {
    fn is_majority(&self, nodes: u32) -> bool {
        2 * nodes > u32::from(self.bounds.nodes)
    }

    fn follow(&self, state: &mut Node, term: u8, o: &mut Out<Raft>) {
        if term > state.term {
            state.term = term;
            state.vote = 0;
        }
        state.role = Role::Follower;
        o.cancel_timer(Timer::Heartbeat);
        o.cancel_timer(Timer::Request);
        match state.term < self.bounds.terms {
            true => o.set_timer(Timer::Election, model_timeout()),
            false => o.cancel_timer(Timer::Election),
        }
    }

    fn stand(&self, id: Id, state: &mut Node, o: &mut Out<Raft>) {
        self.follow(state, state.term + 1, o);
        state.vote = usize::from(id) as u8 + 1;
        state.role = Role::Candidate(1 << usize::from(id));
        o.broadcast(&self.peers, &Message::RequestVote(state.term, End::of(&state.log)));
        self.count(state, o);
    }

    fn count(&self, state: &mut Node, o: &mut Out<Raft>) {
        let Role::Candidate(votes) = state.role else { return };
        if self.is_majority(votes.count_ones()) {
            let n = usize::from(self.bounds.nodes);
            let next = vec![state.log.len() as u8; n];
            state.role = Role::Leader { beats: self.bounds.beats, next, matched: vec![0; n] };
            state.led |= 1 << state.term;
            o.cancel_timer(Timer::Election);
            if self.bounds.beats > 0 {
                o.set_timer(Timer::Heartbeat, model_timeout());
            }
            self.expect_request(state, o);
        }
    }

    fn expect_request(&self, state: &Node, o: &mut Out<Raft>) {
        if state.log.len() < usize::from(self.bounds.entries) {
            o.set_timer(Timer::Request, model_timeout());
        }
    }

    fn request(&self, id: Id, state: &mut Node, o: &mut Out<Raft>) {
        state.log.push(state.term << 4 | usize::from(id) as u8);
        self.expect_request(state, o);
        self.advance(state);
    }

    fn heartbeat(&self, state: &mut Node, o: &mut Out<Raft>) {
        let Role::Leader { beats, next, .. } = &mut state.role else { return };
        *beats -= 1;
        if *beats > 0 {
            o.set_timer(Timer::Heartbeat, model_timeout());
        }
        for &peer in &self.peers {
            let (known, new) = state.log.split_at(usize::from(next[usize::from(peer)]));
            let (term, commit) = (state.term, state.commit);
            o.send(peer, Message::Append { term, prev: End::of(known), entries: new.to_vec(), commit });
        }
    }

    fn append(&self, state: &mut Node, from: Id, (prev, entries, commit): (End, &[u8], u8), o: &mut Out<Raft>) {
        self.follow(state, state.term, o);
        let at = usize::from(prev.len);
        if state.log.len() < at || End::of(&state.log[..at]) != prev {
            return o.send(from, Message::Differs(state.term));
        }
        let same = state.log[at..].iter().zip(entries).take_while(|(mine, theirs)| mine == theirs).count();
        if same < entries.len() {
            state.log.truncate(at + same);
            state.log.extend_from_slice(&entries[same..]);
        }
        let matched = prev.len + entries.len() as u8;
        state.commit(commit.min(matched));
        o.send(from, Message::Matches(state.term, matched));
    }

    fn advance(&self, state: &mut Node) {
        let Role::Leader { matched, .. } = &state.role else { return };
        let may_commit = |&len: &usize| {
            let others = matched.iter().filter(|&&other| usize::from(other) >= len).count() as u32;
            self.is_majority(others + 1) && term_of(state.log[len - 1]) == state.term
        };
        if let Some(len) = (usize::from(state.commit) + 1..=state.log.len()).rev().find(may_commit) {
            state.commit(len as u8);
        }
    }
}

impl Actor for Raft {
    type Msg = Message;
    type Timer = Timer;
    type State = Node;
    type Storage = ();
    type Random = ();

    fn on_start(&self, _: Id, _: &Option<()>, o: &mut Out<Raft>) -> Node {
        o.set_timer(Timer::Election, model_timeout());
        Node { term: 0, vote: 0, log: Vec::new(), commit: 0, role: Role::Follower, led: 0, committed: Vec::new() }
    }

    fn on_timeout(&self, id: Id, state: &mut Cow<'_, Node>, timer: &Timer, o: &mut Out<Raft>) {
        match timer {
            Timer::Election => self.stand(id, state.to_mut(), o),
            Timer::Heartbeat => self.heartbeat(state.to_mut(), o),
            Timer::Request => self.request(id, state.to_mut(), o),
        }
    }

    fn on_msg(&self, _: Id, state: &mut Cow<'_, Node>, from: Id, message: Message, o: &mut Out<Raft>) {
        if message.term() < state.term {
            return;
        }
        let state = state.to_mut();
        if message.term() > state.term {
            self.follow(state, message.term(), o);
        }
        let peer = usize::from(from);
        match (&message, &mut state.role) {
            (&Message::RequestVote(_, end), _) => {
                let candidate = peer as u8 + 1;
                if (state.vote == 0 || state.vote == candidate) && end >= End::of(&state.log) {
                    state.vote = candidate;
                    o.send(from, Message::Vote(state.term));
                }
            }
            (Message::Vote(_), Role::Candidate(votes)) => {
                *votes |= 1 << peer;
                self.count(state, o);
            }
            (Message::Append { prev, entries, commit, .. }, _) => {
                self.append(state, from, (*prev, entries, *commit), o);
            }
            (&Message::Matches(_, len), Role::Leader { next, matched, .. }) => {
                next[peer] = next[peer].max(len);
                matched[peer] = matched[peer].max(len);
                self.advance(state);
            }
            (Message::Differs(_), Role::Leader { next, matched, .. }) => {
                next[peer] = next[peer].saturating_sub(1).max(matched[peer]);
            }
            _ => {}
        }
    }
}

/// Whether something holds for every two nodes.
fn every_two(state: &ActorModelState<Raft>, holds: impl Fn(&Node, &Node) -> bool) -> bool {
    let nodes = &state.actor_states;
    nodes.iter().enumerate().all(|(i, a)| nodes.iter().skip(i + 1).all(|b| holds(a, b)))
}

fn logs_match(a: &Node, b: &Node) -> bool {
    match a.log.iter().zip(&b.log).rposition(|(x, y)| term_of(*x) == term_of(*y)) {
        Some(last) => a.log[..=last] == b.log[..=last],
        None => true,
    }
}

fn is_complete(leader: &Node, other: &Node) -> bool {
    let leads = matches!(leader.role, Role::Leader { .. });
    !leads || leader.term < other.term || leader.log.starts_with(&other.committed)
}

/// The system, under p2p.
pub fn model(bounds: Bounds) -> ActorModel<Raft> {
    let n = usize::from(bounds.nodes);
    ActorModel::new((), ())
        .actors((0..n).map(|nth| Raft { bounds, peers: model_peers(nth, n) }))
        .init_network(Network::new_ordered([]))
        .property(Expectation::Always, "election safety", |_, state| every_two(state, |a, b| a.led & b.led == 0))
        .property(Expectation::Always, "log matching", |_, state| every_two(state, logs_match))
        .property(Expectation::Always, "leader completeness", |_, state| {
            every_two(state, |a, b| is_complete(a, b) && is_complete(b, a))
        })
        .property(Expectation::Sometimes, "an entry is committed", |_, state| {
            state.actor_states.iter().any(|node| !node.committed.is_empty())
        })
}
