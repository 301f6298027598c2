//! The same objects for both sides: ours are the ready specifications, these are Porcupine's.

use porcupine_rs::{Model, Operation};
use std::collections::BTreeMap;

/// What a register holds: nothing, or a number.
pub type Held = Option<u32>;

/// An operation of a register with what came of it. Pending operations are those of which that is not known.
#[derive(Clone, Debug)]
pub enum Step {
    /// It read this; `None`: not known.
    Read(Option<Held>),
    /// It wrote this.
    Write(u32),
    /// It replaced the first by the second, or not; `None`: not known.
    Cas(u32, u32, Option<bool>),
}

/// A register with compare-and-set.
#[derive(Clone, Debug)]
pub struct Cas;

impl Model for Cas {
    type State = Held;
    type Op = Step;
    type Metadata = ();

    fn init() -> Held {
        None
    }

    fn step(held: &Held, step: &Step) -> (bool, Held) {
        match step {
            Step::Read(seen) => (seen.is_none_or(|seen| seen == *held), *held),
            Step::Write(value) => (true, Some(*value)),
            Step::Cas(from, to, done) => {
                let fits = *held == Some(*from);
                (done.is_none_or(|done| done == fits), if fits { Some(*to) } else { *held })
            }
        }
    }
}

/// An operation of a map with what came of it.
#[derive(Clone, Debug)]
pub enum Access {
    /// It got this.
    Get(String, String),
    /// It put this there.
    Put(String, String),
    /// It appended this there.
    Append(String, String),
}

impl Access {
    fn key(&self) -> &String {
        match self {
            Access::Get(key, _) | Access::Put(key, _) | Access::Append(key, _) => key,
        }
    }
}

/// A map of texts, as a whole.
#[derive(Clone, Debug)]
pub struct WholeMap;

impl Model for WholeMap {
    type State = BTreeMap<String, String>;
    type Op = Access;
    type Metadata = ();

    fn init() -> Self::State {
        BTreeMap::new()
    }

    fn step(map: &Self::State, access: &Access) -> (bool, Self::State) {
        match access {
            Access::Get(key, seen) => (
                map.get(key).is_none_or(|held| held == seen) && (map.contains_key(key) || seen.is_empty()),
                map.clone(),
            ),
            Access::Put(key, value) => {
                let mut map = map.clone();
                map.insert(key.clone(), value.clone());
                (true, map)
            }
            Access::Append(key, more) => {
                let mut map = map.clone();
                map.entry(key.clone()).or_default().push_str(more);
                (true, map)
            }
        }
    }
}

/// A map of texts, each key on its own.
#[derive(Clone, Debug)]
pub struct SplitMap;

impl Model for SplitMap {
    type State = String;
    type Op = Access;
    type Metadata = ();

    fn partition_operations(history: &[Operation<SplitMap>]) -> Vec<Vec<Operation<SplitMap>>> {
        let mut parts: BTreeMap<&String, Vec<Operation<SplitMap>>> = BTreeMap::new();
        for operation in history {
            parts.entry(operation.op.key()).or_default().push(operation.clone());
        }
        parts.into_values().collect()
    }

    fn init() -> String {
        String::new()
    }

    fn step(held: &String, access: &Access) -> (bool, String) {
        match access {
            Access::Get(_, seen) => (held == seen, held.clone()),
            Access::Put(_, value) => (true, value.clone()),
            Access::Append(_, more) => (true, format!("{held}{more}")),
        }
    }
}

/// An operation of a queue with what came of it.
#[derive(Clone, Debug)]
pub enum Turn {
    /// It put this at the end.
    Enqueue(u32),
    /// It took this from the front, or found nothing.
    Dequeue(Option<u32>),
}

/// A queue.
#[derive(Clone, Debug)]
pub struct Queue;

impl Model for Queue {
    type State = Vec<u32>;
    type Op = Turn;
    type Metadata = ();

    fn init() -> Vec<u32> {
        Vec::new()
    }

    fn step(queue: &Vec<u32>, turn: &Turn) -> (bool, Vec<u32>) {
        let mut queue = queue.clone();
        match turn {
            Turn::Enqueue(value) => {
                queue.push(*value);
                (true, queue)
            }
            Turn::Dequeue(None) => (queue.is_empty(), queue),
            Turn::Dequeue(Some(value)) if queue.first() == Some(value) => {
                queue.remove(0);
                (true, queue)
            }
            Turn::Dequeue(Some(_)) => (false, queue),
        }
    }
}
