//! The trie of observed histories. A node is what a process knows; it stores what the process does there: a list of actions that need no
//! answer, then a closing one. An edge is an answer.

use crate::context::Template;
use crate::values::Tag;
use manyworlds_core::{Action, Failure, Network, Obs, Pid, ProcId, ValueId};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::panic::Location;
use std::rc::Rc;

/// No node.
pub const NONE: u32 = u32::MAX;
/// Children beyond this number are found by hashing.
const WIDE: u16 = 8;

/// A source location.
pub type Loc = &'static Location<'static>;
/// Whether two calls stand in the same place. Nearly always they are one and the same location, and no text is compared.
#[inline]
pub fn same_place(a: Loc, b: Loc) -> bool {
    std::ptr::eq(a, b) || a == b
}

/// Whether a message is taken.
pub type Takes = Rc<dyn Fn(&dyn Any) -> bool>;

/// A receive's filter, with the answers it gave.
pub struct Filter {
    /// Asks it.
    pub takes: Takes,
    /// By value id: 0 not asked, 1 no, 2 yes.
    pub answers: Vec<u8>,
}

/// An action that needs no answer.
#[derive(Clone)]
pub struct Rec {
    /// As engines see it.
    pub action: Action,
    /// Where it was called.
    pub loc: Loc,
    /// The name of a spawned process.
    pub name: Option<Rc<str>>,
}

/// How a node closes.
pub enum Closing {
    /// User code has not run there yet.
    Unknown,
    /// A process of a rerun came to its next operation; never stored.
    Paused,
    /// Waits for a message of type `tag`.
    Recv {
        /// Of the message.
        network: Network,
        /// Or times out.
        blocking: bool,
        /// The type it takes.
        tag: Tag,
        /// And the values.
        filter: Option<Box<Filter>>,
        /// Where it was called.
        loc: Loc,
    },
    /// Takes each answer.
    Choose {
        /// How many.
        arity: u32,
        /// Whose message answer 1 loses, if it loses one.
        loss: Option<Pid>,
        /// Where it was called.
        loc: Loc,
    },
    /// Waits for the end of a process.
    Join {
        /// Which.
        child: ProcId,
        /// Where it was called.
        loc: Loc,
    },
    /// Ran to its end.
    End {
        /// The result.
        value: ValueId,
    },
    /// Gave up at an assumption.
    Stuck {
        /// Where.
        loc: Loc,
    },
    /// Used up its step bound.
    Bound,
    /// Failed.
    Fail(Box<Failure>),
}

impl Closing {
    /// As engines see it.
    #[inline]
    pub fn action(&self) -> Action {
        match self {
            Closing::Recv { network, blocking, .. } => Action::Recv { network: *network, blocking: *blocking },
            Closing::Choose { arity, loss, .. } => Action::Choose { arity: *arity, loss: loss.is_some() },
            Closing::Join { child, .. } => Action::Join { child: *child },
            Closing::End { value } => Action::End { value: *value },
            Closing::Stuck { .. } => Action::Stuck,
            Closing::Bound => Action::Bound,
            Closing::Fail(_) => Action::Fail,
            Closing::Unknown | Closing::Paused => unreachable!("nodes are started before their actions are read"),
        }
    }

    /// Whether running the same history again closed in the same way. Filters cannot be compared; their place can.
    #[inline]
    pub fn same(&self, other: &Closing) -> bool {
        match (self, other) {
            (Closing::Recv { tag: a, loc: x, .. }, Closing::Recv { tag: b, loc: y, .. }) => {
                a == b && x == y && self.action() == other.action()
            }
            (Closing::Fail(a), Closing::Fail(b)) => a == b,
            (Closing::Fail(_), _) | (_, Closing::Fail(_)) => false,
            _ => self.action() == other.action() && self.loc() == other.loc(),
        }
    }

    /// Where it was called.
    #[inline]
    pub fn loc(&self) -> Option<Loc> {
        match self {
            Closing::Recv { loc, .. }
            | Closing::Choose { loc, .. }
            | Closing::Join { loc, .. }
            | Closing::Stuck { loc } => Some(loc),
            _ => None,
        }
    }
}

/// What a process knows.
pub struct Node {
    /// Who.
    pub proc: ProcId,
    /// What it knew before, or [`NONE`] at its start.
    pub parent: u32,
    /// What it learnt then.
    pub obs: Obs,
    /// What it chose then, in words.
    pub note: Option<Box<str>>,
    /// The first action that needs an answer.
    pub closing: Closing,
    /// What it does before.
    pub actions: Box<[Rec]>,
    /// The live coroutine that stands here, or [`NONE`].
    pub coroutine: u32,
    depth: u32,
    first_child: u32,
    sibling: u32,
    children: u16,
}

impl Node {
    /// Whether it cannot be forgotten just so: the filter belongs to the user, the coroutine to its stack.
    fn matters(&self) -> bool {
        self.coroutine != NONE || matches!(self.closing, Closing::Recv { filter: Some(_), .. })
    }
}

/// The trie, a forest with a root for each start of a process.
#[derive(Default)]
pub struct Trie {
    nodes: Vec<Option<Node>>,
    free: Vec<u32>,
    wide: FxHashMap<(u32, Obs), u32>,
    /// The code of a process, at its start.
    templates: FxHashMap<u32, Rc<dyn Template>>,
}

impl Trie {
    /// The node with this id.
    #[inline(always)]
    pub fn node(&self, id: u32) -> &Node {
        self.nodes[id as usize].as_ref().expect("ids in use have nodes")
    }

    /// The node with this id.
    #[inline]
    pub fn node_mut(&mut self, id: u32) -> &mut Node {
        self.nodes[id as usize].as_mut().expect("ids in use have nodes")
    }

    /// How many nodes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Adds the start of a process.
    pub fn add_root(&mut self, proc: ProcId, template: Rc<dyn Template>) -> u32 {
        let root = self.add(proc, NONE, 0, 0);
        self.templates.insert(root, template);
        root
    }

    /// Adds the child of `parent` for `obs`.
    #[inline]
    pub fn add_child(&mut self, parent: u32, obs: Obs) -> u32 {
        let &Node { proc, first_child: first, depth, .. } = self.node(parent);
        let id = self.add(proc, parent, obs, depth + 1);
        self.node_mut(id).sibling = first;
        let node = self.node_mut(parent);
        node.first_child = id;
        node.children = node.children.saturating_add(1);
        let wide = node.children > WIDE;
        if wide {
            self.index(parent);
        }
        id
    }

    fn index(&mut self, parent: u32) {
        let mut child = self.node(parent).first_child;
        while child != NONE {
            let node = self.node(child);
            let (obs, next) = (node.obs, node.sibling);
            // Older children are indexed already.
            if self.wide.insert((parent, obs), child).is_some() {
                break;
            }
            child = next;
        }
    }

    #[inline]
    fn add(&mut self, proc: ProcId, parent: u32, obs: Obs, depth: u32) -> u32 {
        let node = Node {
            proc,
            parent,
            obs,
            note: None,
            closing: Closing::Unknown,
            actions: Box::default(),
            coroutine: NONE,
            depth,
            first_child: NONE,
            sibling: NONE,
            children: 0,
        };
        match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = Some(node);
                id
            }
            None => {
                self.nodes.push(Some(node));
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// The child of `parent` for `obs`, if it is known.
    #[inline]
    pub fn child(&self, parent: u32, obs: Obs) -> Option<u32> {
        let node = self.node(parent);
        if node.children > WIDE {
            return self.wide.get(&(parent, obs)).copied();
        }
        let mut child = node.first_child;
        while child != NONE {
            let node = self.node(child);
            if node.obs == obs {
                return Some(child);
            }
            child = node.sibling;
        }
        None
    }

    /// Writes to `path` the nodes from the start of the process to `id`. It holds such nodes already, or none; mostly the beginning is the
    /// same.
    #[inline]
    pub fn path(&self, id: u32, path: &mut Vec<u32>) {
        let mut node = self.node(id);
        path.truncate(node.depth as usize);
        path.resize(node.depth as usize + 1, id);
        for place in path.iter_mut().rev().skip(1) {
            if *place == node.parent {
                break;
            }
            *place = node.parent;
            node = self.node(node.parent);
        }
    }

    /// The code of the process that starts at `root`.
    pub fn template(&self, root: u32) -> Rc<dyn Template> {
        self.templates[&root].clone()
    }

    /// Forgets everything. Returns what belongs to the user, to be dropped when nothing is borrowed.
    pub fn clear(&mut self) -> (Vec<Node>, Vec<Rc<dyn Template>>) {
        let Trie { nodes, templates, .. } = std::mem::take(self);
        (nodes.into_iter().flatten().filter(Node::matters).collect(), templates.into_values().collect())
    }

    /// Forgets what is neither in `live`, nor above it, nor the start of a process that one of those spawned. Returns what was
    /// forgotten and belongs to the user, or has a coroutine, to be dropped when nothing is borrowed.
    pub fn retain(&mut self, live: &mut dyn Iterator<Item = u32>) -> (Vec<Node>, Vec<Rc<dyn Template>>) {
        let mut keep = vec![false; self.nodes.len()];
        for id in live {
            self.mark(id, &mut keep);
        }
        let mut dropped = Vec::new();
        for (id, slot) in self.nodes.iter_mut().enumerate() {
            if let Some(node) = slot {
                (node.first_child, node.sibling, node.children) = (NONE, NONE, 0);
                if !keep[id] {
                    dropped.extend(slot.take().filter(Node::matters));
                    self.free.push(id as u32);
                }
            }
        }
        self.wide.clear();
        for id in 0..self.nodes.len() as u32 {
            if keep[id as usize] && self.node(id).parent != NONE {
                self.link(id);
            }
        }
        let unused = self.templates.extract_if(|root, _| !keep[*root as usize]).map(|(_, template)| template).collect();
        (dropped, unused)
    }

    fn mark(&self, id: u32, keep: &mut [bool]) {
        let mut open = vec![id];
        while let Some(mut id) = open.pop() {
            while id != NONE && !std::mem::replace(&mut keep[id as usize], true) {
                for rec in &self.node(id).actions {
                    if let Action::Spawn { root, .. } = rec.action {
                        open.push(root.0);
                    }
                }
                id = self.node(id).parent;
            }
        }
    }

    fn link(&mut self, id: u32) {
        let parent = self.node(id).parent;
        let first = self.node(parent).first_child;
        self.node_mut(id).sibling = first;
        let node = self.node_mut(parent);
        node.first_child = id;
        node.children = node.children.saturating_add(1);
        if node.children > WIDE {
            self.index(parent);
        }
    }

    /// The nodes in use.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.nodes.iter_mut().flatten()
    }
}
