//! `raft`: Raft leader election and log replication with `n` nodes. Terms go up to `t` and logs up to `e` entries; a leader sends `h` rounds of
//! heartbeats in its term. There are up to `crashes` crashes; a crashed node can restart with its term, vote and log.
//!
//! No term has two leaders; logs whose entries at an index have the same term agree up to that index; a committed entry is in the log of every
//! later leader. The default parameters give too many states for an exhaustive search: bound the depth (7 steps commit a first entry).
//!
//! `raft-bug`: the vote does not survive a crash, so a node may vote twice in a term, and the term may get two leaders.

use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Address, Context, Faults, Reserved, System, View};
use manyworlds::{Network, Pid};
use std::fmt;

const PARAMS: &[Param] = &[
    Param::int("n", 3, 1..=7, "nodes"),
    Param::int("t", 2, 1..=7, "highest term"),
    Param::int("e", 2, 0..=7, "entries of the longest log"),
    Param::int("h", 2, 0..=15, "rounds of heartbeats of a leader"),
    Param::int("crashes", 1, 0..=7, "crashes, each with a restart"),
];

/// The model `raft`.
pub const MODEL: Model = Model {
    name: "raft",
    summary: "Raft with n nodes: elections, log replication, crashes; one leader per term, which has all committed entries",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The model `raft-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "raft-bug",
    summary: "votes do not survive a crash: a node votes twice in a term, and the term has two leaders",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// A log entry: its term in the upper four bits, the leader that created it in the lower four.
type Entry = u8;

fn term_of(entry: Entry) -> u8 {
    entry >> 4
}

/// Messages between nodes; the first field is the sender's term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A candidate requests a vote; `End` is the end of its log.
    RequestVote(u8, End),
    /// The sender votes for the receiver.
    Vote(u8),
    /// The leader replicates the entries that follow `prev`.
    Append {
        /// The leader's term.
        term: u8,
        /// The entry that the follower's log must contain.
        prev: End,
        /// The entries after `prev`.
        entries: Vec<Entry>,
        /// The number of committed entries.
        commit: u8,
    },
    /// The sender's log equals the leader's up to this length.
    Matches(u8, u8),
    /// The sender's log does not contain `prev`.
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

/// The last entry of a log or of a prefix of it; of two logs the one with the higher end is more up to date.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct End {
    term: u8,
    len: u8,
}

impl End {
    fn of(log: &[Entry]) -> End {
        End { term: log.last().copied().map_or(0, term_of), len: log.len() as u8 }
    }
}

/// The current role of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The node waits for a leader.
    Follower,
    /// The node has the votes of these nodes: a bit each.
    Candidate(u8),
    /// The node replicates its log.
    Leader {
        /// The remaining rounds of heartbeats.
        beats: u8,
        /// For each node the length up to which its log is assumed to equal the leader's.
        next: Vec<u8>,
        /// For each node the length up to which it is known to equal the leader's.
        matched: Vec<u8>,
    },
}

/// A node's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    term: u8,
    /// The node it voted for in this term.
    vote: Option<Name>,
    log: Vec<Entry>,
    /// The number of entries known to be committed; a crash resets it.
    commit: u8,
    role: Role,
    /// The terms in which the node was leader: a bit each. Only the properties read this field, and it survives crashes.
    led: u8,
    /// All entries that the node ever knew to be committed. Only the properties read this field, and it survives crashes.
    committed: Vec<Entry>,
}

/// The index of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u8);

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node{}", self.0)
    }
}

impl Node {
    fn leads(&self) -> bool {
        matches!(self.role, Role::Leader { .. })
    }

    /// Records that the first `len` entries are committed.
    fn commit(&mut self, len: u8) {
        self.commit = self.commit.max(len);
        if usize::from(self.commit) > self.committed.len() {
            self.committed = self.log[..usize::from(self.commit)].to_vec();
        }
    }
}

struct Raft {
    index: u8,
    peers: Vec<Address<Message>>,
    n: u8,
    terms: u8,
    entries: u8,
    beats: u8,
    keeps_vote: bool,
}

impl Raft {
    fn is_majority(&self, nodes: u32) -> bool {
        2 * nodes > u32::from(self.n)
    }

    /// Becomes a follower. Its election timer is set unless the highest term is reached.
    fn follow(&self, state: &mut Node, term: u8, ctx: &mut Context<'_>) {
        if term > state.term {
            state.term = term;
            state.vote = None;
        }
        state.role = Role::Follower;
        ctx.cancel_timer("heartbeat");
        ctx.cancel_timer("request");
        match state.term < self.terms {
            true => ctx.set_timer("election"),
            false => ctx.cancel_timer("election"),
        }
    }

    fn start_election(&self, state: &mut Node, ctx: &mut Context<'_>) {
        self.follow(state, state.term + 1, ctx);
        state.vote = Some(Name(self.index));
        state.role = Role::Candidate(1 << self.index);
        ctx.broadcast(&self.peers, Message::RequestVote(state.term, End::of(&state.log)));
        self.count_votes(state, ctx);
    }

    fn count_votes(&self, state: &mut Node, ctx: &mut Context<'_>) {
        let Role::Candidate(votes) = state.role else { return };
        if self.is_majority(votes.count_ones()) {
            let n = usize::from(self.n);
            let next = vec![state.log.len() as u8; n];
            state.role = Role::Leader { beats: self.beats, next, matched: vec![0; n] };
            state.led |= 1 << state.term;
            ctx.cancel_timer("election");
            if self.beats > 0 {
                ctx.set_timer("heartbeat");
            }
            self.expect_request(state, ctx);
        }
    }

    /// Permits a client request to the leader unless the log has its maximal length.
    fn expect_request(&self, state: &Node, ctx: &mut Context<'_>) {
        if state.log.len() < usize::from(self.entries) {
            ctx.set_timer("request");
        }
    }

    fn request(&self, state: &mut Node, ctx: &mut Context<'_>) {
        state.log.push(state.term << 4 | self.index);
        self.expect_request(state, ctx);
        self.advance(state);
    }

    fn heartbeat(&self, state: &mut Node, ctx: &mut Context<'_>) {
        let Role::Leader { beats, next, .. } = &mut state.role else { return };
        *beats -= 1;
        if *beats > 0 {
            ctx.set_timer("heartbeat");
        }
        for &peer in &self.peers {
            let (known, new) = state.log.split_at(usize::from(next[usize::from(number(peer.pid(), self.n))]));
            let append =
                Message::Append { term: state.term, prev: End::of(known), entries: new.to_vec(), commit: state.commit };
            ctx.send(peer, append);
        }
    }

    /// Votes for the first candidate of a term, if its log is at least as up to date.
    fn requested_vote(&self, state: &mut Node, from: Pid, end: End, ctx: &mut Context<'_>) {
        let candidate = Name(number(from, self.n));
        let free = state.vote.is_none_or(|vote| vote == candidate);
        if free && end >= End::of(&state.log) {
            state.vote = Some(candidate);
            ctx.send(from, Message::Vote(state.term));
        }
    }

    fn append(&self, state: &mut Node, from: Pid, prev: End, entries: &[Entry], commit: u8, ctx: &mut Context<'_>) {
        self.follow(state, state.term, ctx);
        let at = usize::from(prev.len);
        if state.log.len() < at || End::of(&state.log[..at]) != prev {
            return ctx.send(from, Message::Differs(state.term));
        }
        let same = state.log[at..].iter().zip(entries).take_while(|(mine, theirs)| mine == theirs).count();
        if same < entries.len() {
            // From the first conflict on, the leader's entries replace the follower's.
            state.log.truncate(at + same);
            state.log.extend_from_slice(&entries[same..]);
        }
        let matched = prev.len + entries.len() as u8;
        state.commit(commit.min(matched));
        ctx.send(from, Message::Matches(state.term, matched));
    }

    /// Commits the entries that a majority has, if the last of them is of the leader's own term.
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

/// The index of a node among `n`.
fn number(pid: Pid, n: u8) -> u8 {
    (0..n).find(|&index| Pid::root(u16::from(index)) == pid).expect("only nodes send")
}

impl Actor for Raft {
    type State = Node;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Node {
        ctx.set_timer("election");
        Node { term: 0, vote: None, log: Vec::new(), commit: 0, role: Role::Follower, led: 0, committed: Vec::new() }
    }

    fn timer(&self, state: &mut Node, timer: &'static str, ctx: &mut Context<'_>) {
        match timer {
            "election" => self.start_election(state, ctx),
            "heartbeat" => self.heartbeat(state, ctx),
            _ => self.request(state, ctx),
        }
    }

    fn message(&self, state: &mut Node, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        if message.term() > state.term {
            self.follow(state, message.term(), ctx);
        } else if message.term() < state.term {
            return;
        }
        let peer = usize::from(number(from, self.n));
        match (message, &mut state.role) {
            (&Message::RequestVote(_, end), _) => self.requested_vote(state, from, end, ctx),
            (Message::Vote(_), Role::Candidate(votes)) => {
                *votes |= 1 << peer;
                self.count_votes(state, ctx);
            }
            (Message::Append { prev, entries, commit, .. }, _) => {
                self.append(state, from, *prev, entries, *commit, ctx);
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

    fn durable(&self, state: &Node) -> Option<Node> {
        let vote = state.vote.filter(|_| self.keeps_vote);
        Some(Node { vote, commit: 0, role: Role::Follower, ..state.clone() })
    }

    fn restart(&self, mut durable: Node, ctx: &mut Context<'_>) -> Node {
        let term = durable.term;
        self.follow(&mut durable, term, ctx);
        durable
    }
}

fn nodes<'a>(view: &'a View<'_>) -> Vec<&'a Node> {
    view.all().map(|(_, node)| node).collect()
}

/// Whether a relation holds for all pairs of nodes.
fn all_pairs(view: &View<'_>, holds: impl Fn(&Node, &Node) -> bool) -> bool {
    let nodes = nodes(view);
    nodes.iter().enumerate().all(|(i, a)| nodes.iter().skip(i + 1).all(|b| holds(a, b)))
}

/// Where two entries at the same index have the same term, the logs are equal up to that index.
fn logs_match(a: &Node, b: &Node) -> bool {
    let common = a.log.iter().zip(&b.log);
    match common.clone().rposition(|(x, y)| term_of(*x) == term_of(*y)) {
        Some(last) => a.log[..=last] == b.log[..=last],
        None => true,
    }
}

/// A leader has all entries that a node of the leader's term or an earlier one ever knew to be committed.
fn is_complete(leader: &Node, other: &Node) -> bool {
    !leader.leads() || leader.term < other.term || leader.log.starts_with(&other.committed)
}

fn system(params: &Params, keeps_vote: bool) -> System {
    let [n, terms, entries, beats, crashes] = ["n", "t", "e", "h", "crashes"].map(|name| params.int(name) as u8);
    let mut system = System::new().network(Network::P2p);
    let reserved: Vec<_> = (0..n).map(|index| system.reserve(format!("node{index}"))).collect();
    let all: Vec<_> = reserved.iter().map(Reserved::address).collect();
    for (index, node) in (0..).zip(reserved) {
        let peers = all.iter().copied().filter(|&peer| peer != node.address()).collect();
        system.define(node, Raft { index, peers, n, terms, entries, beats, keeps_vote });
    }
    system
        .faults(Faults { crashes, restarts: crashes, ..Faults::default() })
        .always_stable("election safety", |view| all_pairs(view, |a, b| a.led & b.led == 0))
        .always("log matching", |view| all_pairs(view, logs_match))
        .always("leader completeness", |view| all_pairs(view, |a, b| is_complete(a, b) && is_complete(b, a)))
        .sometimes("an entry is committed", |view| nodes(view).iter().any(|node| !node.committed.is_empty()))
}
