//! What is compared: histories for both sides.

use super::generate::{self, MapHistory, QueueHistory, RegisterHistory, Shape};
use super::models::{Access, Cas, Queue, SplitMap, Step, Turn, WholeMap};
use manyworlds::linear::formats::Format;
use manyworlds::linear::specs::{self, cas_register, map, queue};
use manyworlds::linear::{self, CheckOptions, History, Spec, Value};
use porcupine_rs::{CheckResult, Model, Operation, check_operations, check_operations_timeout};
use std::path::Path;
use std::time::Duration;

/// A history for both sides. Each says whether it is linearizable.
pub struct Case {
    /// What it is.
    pub name: String,
    /// How many operations it has.
    pub operations: usize,
    /// Our side.
    pub ours: Box<dyn Fn() -> bool>,
    /// Porcupine's side; `None` if it has no answer within the limit.
    pub peer: Box<dyn Fn(Option<Duration>) -> Option<bool>>,
}

/// Both sides of a history.
fn case<S: Spec, M: Model + 'static>(
    name: impl Into<String>,
    spec: S,
    history: History<S::Operation, S::Response>,
    split: bool,
    step: impl Fn(&S::Operation, Option<&S::Response>) -> M::Op,
) -> Case
where
    M::Op: 'static,
{
    let end = history.operations().iter().filter_map(|op| op.returned).max().unwrap_or(0) + history.len() + 1;
    let theirs: Vec<Operation<M>> = history
        .operations()
        .iter()
        .map(|op| Operation {
            client_id: Some(op.process as u32),
            call_time: op.invoked as i64,
            return_time: op.returned.unwrap_or(end) as i64,
            op: step(&op.operation, op.response.as_ref()),
            metadata: None,
        })
        .collect();
    Case {
        name: name.into(),
        operations: history.len(),
        ours: Box::new(move || {
            let options = CheckOptions { split, explain: false, ..CheckOptions::default() };
            linear::check_with(&spec, &history, &options).is_linearizable()
        }),
        peer: Box::new(move |limit| match limit {
            None => Some(check_operations::<M>(&theirs)),
            Some(limit) => match check_operations_timeout::<M>(&theirs, limit) {
                CheckResult::Ok => Some(true),
                CheckResult::Illegal => Some(false),
                CheckResult::Unknown => None,
            },
        }),
    }
}

fn register(name: impl Into<String>, history: RegisterHistory) -> Case {
    use cas_register::{Operation as Op, Response};
    case::<_, Cas>(name, specs::CasRegister::new(None), history, true, |operation, response| {
        match (operation, response) {
            (Op::Read, Some(Response::Read(seen))) => Step::Read(Some(*seen)),
            (Op::Read, _) => Step::Read(None),
            (Op::Write(value), _) => Step::Write(value.expect("a number is written")),
            (Op::Cas(from, to), response) => {
                let done = match response {
                    Some(Response::Cas(done)) => Some(*done),
                    _ => None,
                };
                Step::Cas(from.expect("a number"), to.expect("a number"), done)
            }
        }
    })
}

fn queue_of(name: impl Into<String>, history: QueueHistory) -> Case {
    case::<_, Queue>(name, specs::Queue::new(), history, true, |operation, response| match (operation, response) {
        (queue::Operation::Enqueue(value), _) => Turn::Enqueue(*value),
        (queue::Operation::Dequeue, Some(queue::Response::Dequeued(value))) => Turn::Dequeue(*value),
        (queue::Operation::Dequeue, _) => unreachable!("no client of a queue gives up"),
    })
}

fn access(operation: &map::Operation<String, String>, response: Option<&map::Response<String>>) -> Access {
    match (operation, response) {
        (map::Operation::Get(key), Some(map::Response::Got(seen))) => {
            Access::Get(key.clone(), seen.clone().unwrap_or_default())
        }
        (map::Operation::Put(key, value), _) => Access::Put(key.clone(), value.clone()),
        (map::Operation::Append(key, value), _) => Access::Append(key.clone(), value.clone()),
        _ => unreachable!("the recorded clients do nothing else"),
    }
}

/// A history of a map, each key on its own.
pub fn map(name: impl Into<String>, history: MapHistory) -> Case {
    case::<_, SplitMap>(name, specs::Map::new(), history, true, access)
}

/// The recorded histories of a folder, in order; none, if it is not there.
pub fn recorded(folder: &Path) -> Vec<Case> {
    let mut files: Vec<_> = ["etcd", "kv"]
        .iter()
        .filter_map(|kind| std::fs::read_dir(folder.join(kind)).ok())
        .flat_map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())))
        .collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

fn read(file: &Path) -> Vec<Case> {
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).expect("it can be read");
    match Format::recognize(&text) {
        Some(Format::Etcd) => vec![register(name, etcd(&text))],
        Some(Format::Kv) => {
            let history = kv(&text);
            vec![
                map(format!("{name}, by key"), history.clone()),
                case::<_, WholeMap>(format!("{name}, whole"), specs::Map::new(), history, false, access),
            ]
        }
        _ => panic!("{name} has no known format"),
    }
}

fn typed<O, R>(
    history: &History<linear::Call, Value>,
    operation: impl Fn(&linear::Call) -> O,
    response: impl Fn(&linear::Call, &Value) -> R,
) -> History<O, R> {
    let typed = |op: &linear::Operation<linear::Call, Value>| linear::Operation {
        process: op.process,
        operation: operation(&op.operation),
        invoked: op.invoked,
        returned: op.returned,
        response: op.response.as_ref().map(|seen| response(&op.operation, seen)),
    };
    History::from_operations(history.operations().iter().map(typed).collect())
}

fn etcd(text: &str) -> RegisterHistory {
    use cas_register::{Operation as Op, Response};
    let recorded = Format::Etcd.read(text).expect("a good log");
    let number = |value: &Value| match value {
        Value::Int(number) => Some(u32::try_from(*number).expect("a small number")),
        _ => None,
    };
    typed(
        &recorded.history,
        |call| match (call.name.as_str(), call.value.pair()) {
            ("read", _) => Op::Read,
            ("cas", Some((from, to))) => Op::Cas(number(from), number(to)),
            _ => Op::Write(number(&call.value)),
        },
        |call, seen| match (call.name.as_str(), seen) {
            ("cas", seen) => Response::Cas(*seen == Value::Bool(true)),
            ("read", seen) => Response::Read(number(seen)),
            _ => Response::Written,
        },
    )
}

fn kv(text: &str) -> MapHistory {
    let recorded = Format::Kv.read(text).expect("a good log");
    let plain = |value: &Value| match value {
        Value::Str(text) => text.clone(),
        other => other.to_string(),
    };
    typed(
        &recorded.history,
        |call| {
            let key = plain(call.key.as_ref().expect("a key"));
            match call.name.as_str() {
                "get" => map::Operation::Get(key),
                "put" => map::Operation::Put(key, plain(&call.value)),
                _ => map::Operation::Append(key, plain(&call.value)),
            }
        },
        |call, seen| match call.name.as_str() {
            "get" => map::Response::Got(Some(plain(seen)).filter(|text| !text.is_empty())),
            _ => map::Response::Done,
        },
    )
}

/// Made for this: many clients, many that give up, an object that errs.
pub fn generated() -> Vec<Case> {
    let plain = Shape { clients: 5, operations: 300, values: 5, writes: 30, cas: 0, lost: 0, wrong: false, seed: 1 };
    let shapes = [
        ("register, 12 clients", Shape { clients: 12, ..plain }),
        ("register, 16 clients", Shape { clients: 16, operations: 200, ..plain }),
        ("register, 10 clients, wrong", Shape { clients: 10, wrong: true, ..plain }),
        ("register, 8 clients, all writes differ", Shape { clients: 8, values: 1 << 30, ..plain }),
        ("cas, 5 clients, 10 % lost", Shape { cas: 30, lost: 10, operations: 120, ..plain }),
        ("cas, 5 clients, 10 % lost, wrong", Shape { cas: 30, lost: 10, operations: 60, wrong: true, ..plain }),
        ("cas, 4 clients, 20 % lost", Shape { clients: 4, cas: 30, lost: 20, operations: 80, seed: 3, ..plain }),
        ("register, 5 clients, 10000 operations", Shape { operations: 10_000, ..plain }),
    ];
    let mut cases: Vec<Case> = shapes.map(|(name, shape)| register(name, generate::register(shape))).into();
    let shape = Shape { clients: 5, operations: 60, writes: 55, ..plain };
    for seed in [1, 5] {
        cases.push(queue_of(format!("queue, 5 clients, seed {seed}"), generate::queue(Shape { seed, ..shape })));
    }
    for (clients, operations, wrong) in [(50, 2_000, false), (50, 2_000, true), (100, 500, false), (100, 500, true)] {
        let name = format!("map, {clients} clients, {operations} operations{}", if wrong { ", wrong" } else { "" });
        let shape = Shape { clients, operations, writes: 60, wrong, ..plain };
        cases.push(map(name, generate::map(shape)));
    }
    cases
}

/// A correct run of a register of so many operations, for our side alone.
pub fn long(operations: usize) -> Case {
    let shape = Shape { clients: 10, operations, values: 1 << 20, writes: 40, cas: 10, lost: 0, wrong: false, seed: 7 };
    register(format!("register, 10 clients, {operations} operations"), generate::register(shape))
}
