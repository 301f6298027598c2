//! The objects that recorded histories may be about: from names to specifications.

use crate::check::{Answer, Options, check_with};
use crate::history::{History, Operation};
use crate::recorded::{BadLine, Call, Recorded};
use crate::spec::{Sequential, Spec, key_of};
use crate::specs::*;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// [`Register`]: `read`, `write v`
    Register,
    /// [`CasRegister`]: `read`, `write v`, `cas [from to]`
    CasRegister,
    /// [`MultiRegister`]: `txn [[read k v] [write k v] …]`; with a key also `read` and `write v`
    MultiRegister,
    /// A map: `get`, `put v`, `append v`, `delete`, each with a key
    Kv,
    /// [`Set`]: `add v`, `remove v`, `contains v`, `read`
    Set,
    /// [`Queue`]: `enqueue v`, `dequeue`
    Queue,
    /// [`Stack`]: `push v`, `pop`
    Stack,
    /// [`Counter`]: `read`, `add n`, `fetch-add n`
    Counter,
    /// [`Mutex`]: `acquire`, `try-acquire`, `release`
    Mutex,
    /// [`Log`]: `append v`, `read`, `get place`
    Log,
}

impl Object {
    /// All of them.
    pub const ALL: [Object; 10] = [
        Object::Register,
        Object::CasRegister,
        Object::MultiRegister,
        Object::Kv,
        Object::Set,
        Object::Queue,
        Object::Stack,
        Object::Counter,
        Object::Mutex,
        Object::Log,
    ];

    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Object::Register => "register",
            Object::CasRegister => "cas-register",
            Object::MultiRegister => "multi-register",
            Object::Kv => "kv",
            Object::Set => "set",
            Object::Queue => "queue",
            Object::Stack => "stack",
            Object::Counter => "counter",
            Object::Mutex => "mutex",
            Object::Log => "log",
        }
    }

    /// The operations of the object.
    pub fn operations(self) -> &'static [&'static str] {
        match self {
            Object::Register => &["read", "write"],
            Object::CasRegister => &["read", "write", "cas"],
            Object::MultiRegister => &["txn", "read", "write"],
            Object::Kv => &["get", "put", "append", "delete"],
            Object::Set => &["add", "remove", "contains", "read"],
            Object::Queue => &["enqueue", "dequeue"],
            Object::Stack => &["push", "pop"],
            Object::Counter => &["read", "add", "fetch-add"],
            Object::Mutex => &["acquire", "try-acquire", "release"],
            Object::Log => &["append", "read", "get"],
        }
    }

    /// The object that a history seems to be about, by the names of its operations: one that has them all.
    pub fn recognize(recorded: &Recorded) -> Option<Object> {
        let calls = || recorded.history.operations().iter().map(|operation| &operation.operation);
        let has_all = |object: &Object| {
            let keyed = matches!(object, Object::Kv | Object::MultiRegister);
            let transacts = *object == Object::MultiRegister;
            calls().all(|call| {
                let known = object.operations().contains(&call.name.as_str());
                known && call.key.is_some() == (keyed && !(transacts && call.name == "txn"))
            })
        };
        // Sets and counters share the names of their operations; what they read tells them apart.
        let counts = recorded.history.operations().iter().any(|op| matches!(op.response, Some(Value::Int(_))));
        let has_all = |object: &Object| has_all(object) && !(counts && *object == Object::Set);
        // A register is a register with compare-and-set of which nobody made use.
        Object::ALL.into_iter().filter(|object| *object != Object::Register).find(has_all)
    }

    /// Checks a recorded history. `initial` is what the object holds at the start, if it is not what such objects usually hold.
    pub fn check(self, recorded: &Recorded, initial: Option<&Value>, options: &Options) -> Result<Answer, BadLine> {
        let initial = initial.or(recorded.initial.as_ref());
        let held = || initial.cloned().unwrap_or_default();
        let refuse = || match initial {
            Some(value) if self != Object::Kv => {
                let problem = format!("a {self} is empty at the start; `{value}` cannot be in it");
                Err(BadLine::new(0, problem))
            }
            _ => Ok(()),
        };
        match self {
            Object::Register => run(&Register::new(held()), recorded, options, register),
            Object::CasRegister => run(&CasRegister::new(held()), recorded, options, cas_register),
            Object::MultiRegister => run(&MultiRegister::new(held()), recorded, options, multi_register),
            Object::Kv => run(&Kv { initial: held() }, recorded, options, kv),
            Object::Set => refuse().and_then(|()| run(&Set::new(), recorded, options, set)),
            Object::Queue => refuse().and_then(|()| run(&Queue::new(), recorded, options, queue)),
            Object::Stack => refuse().and_then(|()| run(&Stack::new(), recorded, options, stack)),
            Object::Log => refuse().and_then(|()| run(&Log::new(), recorded, options, log)),
            Object::Counter => match held() {
                Value::Nil => run(&Counter::new(0), recorded, options, counter),
                Value::Int(start) => run(&Counter::new(start), recorded, options, counter),
                other => Err(BadLine::new(0, format!("a counter cannot start at `{other}`; expected a whole number"))),
            },
            Object::Mutex => match held() {
                Value::Nil | Value::Bool(false) => run(&Mutex::new(), recorded, options, mutex),
                Value::Bool(true) => run(&Mutex::held(), recorded, options, mutex),
                other => {
                    Err(BadLine::new(0, format!("a mutex cannot start as `{other}`; expected true (held) or false")))
                }
            },
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Object {
    type Err = String;

    fn from_str(name: &str) -> Result<Object, String> {
        Object::ALL.into_iter().find(|object| object.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Object::ALL.into_iter().map(Object::name).collect();
            format!("unknown specification `{name}`: expected one of {}", names.join(", "))
        })
    }
}

/// An operation and its response in the words of a specification, or why they make no sense.
type Translated<O, R> = Result<(O, Option<R>), String>;

fn run<S: Spec>(
    spec: &S,
    recorded: &Recorded,
    options: &Options,
    translate: impl Fn(&Call, Option<&Value>) -> Translated<S::Operation, S::Response>,
) -> Result<Answer, BadLine> {
    let mut operations = Vec::with_capacity(recorded.history.len());
    for (number, known) in recorded.history.operations().iter().enumerate() {
        let line = recorded.lines.get(number).copied().unwrap_or(0);
        let (operation, response) = translate(&known.operation, known.response.as_ref())
            .map_err(|problem| BadLine::new(line, format!("`{}`: {problem}", known.operation)))?;
        let Operation { process, invoked, returned, .. } = *known;
        operations.push(Operation { process, operation, invoked, returned, response });
    }
    Ok(check_with(spec, &History::from_operations(operations), options))
}

fn unknown<T>(object: Object) -> Result<T, String> {
    Err(format!("a {object} has no such operation; expected {}", object.operations().join(", ")))
}

fn truth(response: Option<&Value>) -> Result<Option<bool>, String> {
    match response {
        None => Ok(None),
        Some(Value::Bool(truth)) => Ok(Some(*truth)),
        // Somebody who does not say so was successful.
        Some(Value::Nil) => Ok(Some(true)),
        Some(other) => Err(format!("the response is `{other}`; expected true or false")),
    }
}

fn items(value: &Value) -> Result<Vec<Value>, String> {
    match value {
        Value::List(items) => Ok(items.clone()),
        Value::Nil => Ok(Vec::new()),
        other => Err(format!("`{other}` is no list")),
    }
}

fn whole(value: &Value) -> Result<i64, String> {
    match value {
        Value::Int(number) => Ok(*number),
        other => Err(format!("`{other}` is no whole number")),
    }
}

fn place(value: &Value) -> Result<usize, String> {
    usize::try_from(whole(value)?).map_err(|_| format!("`{value}` is no place; expected a number from 0 on"))
}

/// Nothing stands for nothing.
fn something(value: &Value) -> Option<Value> {
    Some(value.clone()).filter(|value| *value != Value::Nil)
}

fn register(
    call: &Call,
    response: Option<&Value>,
) -> Translated<register::Operation<Value>, register::Response<Value>> {
    use register::{Operation, Response};
    Ok(match call.name.as_str() {
        "read" => (Operation::Read, response.cloned().map(Response::Read)),
        "write" => (Operation::Write(call.value.clone()), response.map(|_| Response::Written)),
        _ => return unknown(Object::Register),
    })
}

fn cas_register(
    call: &Call,
    response: Option<&Value>,
) -> Translated<cas_register::Operation<Value>, cas_register::Response<Value>> {
    use cas_register::{Operation, Response};
    Ok(match call.name.as_str() {
        "read" => (Operation::Read, response.cloned().map(Response::Read)),
        "write" => (Operation::Write(call.value.clone()), response.map(|_| Response::Written)),
        "cas" => {
            let (from, to) = call.value.pair().ok_or("expected [from to]")?;
            (Operation::Cas(from.clone(), to.clone()), truth(response)?.map(Response::Cas))
        }
        _ => return unknown(Object::CasRegister),
    })
}

type Transaction = Vec<multi_register::Access<Value, Value>>;

fn multi_register(call: &Call, response: Option<&Value>) -> Translated<Transaction, multi_register::Response<Value>> {
    use multi_register::Access;
    let key = || call.key.clone().ok_or("there is no key");
    match call.name.as_str() {
        "read" => Ok((vec![Access::Read(key()?)], response.map(|value| vec![Some(value.clone())]))),
        "write" => Ok((vec![Access::Write(key()?, call.value.clone())], response.map(|_| vec![None]))),
        "txn" => transaction(&call.value, response),
        _ => unknown(Object::MultiRegister),
    }
}

/// A transaction. What it read stands in its response; a read of nil, which may have read anything, is left out.
fn transaction(asked: &Value, response: Option<&Value>) -> Translated<Transaction, multi_register::Response<Value>> {
    use multi_register::Access;
    let told = response.filter(|response| **response != Value::Nil);
    let (mut accesses, mut reads) = (Vec::new(), Vec::new());
    let parts = items(told.unwrap_or(asked))?;
    if told.is_some() && parts.len() != items(asked)?.len() {
        return Err(format!("the response has {} parts, not as many as were asked for", parts.len()));
    }
    for part in parts {
        let Value::List(part) = &part else { return Err(format!("`{part}` is no part of a transaction")) };
        match &part[..] {
            [Value::Str(name), key, value] if ["read", "r"].contains(&name.as_str()) => {
                if told.is_some() && *value != Value::Nil {
                    accesses.push(Access::Read(key.clone()));
                    reads.push(Some(value.clone()));
                }
            }
            [Value::Str(name), key, value] if ["write", "w"].contains(&name.as_str()) => {
                accesses.push(Access::Write(key.clone(), value.clone()));
                reads.push(None);
            }
            _ => return Err("a part of a transaction is not [read key value] or [write key value]".to_string()),
        }
    }
    Ok((accesses, response.map(|_| reads)))
}

fn kv(call: &Call, response: Option<&Value>) -> Translated<map::Operation<Value, Value>, map::Response<Value>> {
    use map::{Operation, Response};
    let key = call.key.clone().ok_or("there is no key")?;
    let done = response.map(|_| Response::Done);
    Ok(match call.name.as_str() {
        "get" => (Operation::Get(key), response.map(|value| Response::Got(Some(value.clone())))),
        "put" => (Operation::Put(key, call.value.clone()), done),
        "append" => (Operation::Append(key, call.value.clone()), done),
        "delete" => (Operation::Delete(key), done),
        _ => return unknown(Object::Kv),
    })
}

/// A map in which every key has a value from the start.
struct Kv {
    initial: Value,
}

impl Sequential for Kv {
    /// The keys whose value is not the initial one.
    type State = BTreeMap<Value, Value>;
    type Operation = map::Operation<Value, Value>;
    type Response = map::Response<Value>;

    fn initial(&self) -> BTreeMap<Value, Value> {
        BTreeMap::new()
    }

    fn apply(&self, held: &mut BTreeMap<Value, Value>, operation: &Self::Operation) -> Self::Response {
        use map::{Append, Operation, Response};
        let mut value = held.get(operation.key()).unwrap_or(&self.initial).clone();
        match operation {
            Operation::Get(_) => return Response::Got(Some(value)),
            Operation::Put(_, new) => value.clone_from(new),
            Operation::Append(_, more) => value.append(more),
            Operation::Delete(_) => value.clone_from(&self.initial),
        }
        if value == self.initial {
            held.remove(operation.key());
        } else {
            held.insert(operation.key().clone(), value);
        }
        Response::Done
    }

    fn key(&self, operation: &Self::Operation) -> Option<u64> {
        Some(key_of(operation.key()))
    }

    fn reads(&self, operation: &Self::Operation, _: Option<&Self::Response>) -> bool {
        matches!(operation, map::Operation::Get(_))
    }
}

fn set(call: &Call, response: Option<&Value>) -> Translated<set::Operation<Value>, set::Response<Value>> {
    use set::{Operation, Response};
    let (value, done) = (call.value.clone(), response.map(|_| Response::Done));
    Ok(match call.name.as_str() {
        "add" => (Operation::Add(value), done),
        "remove" => (Operation::Remove(value), done),
        "contains" => (Operation::Contains(value), truth(response)?.map(Response::Contains)),
        "read" => {
            let mut members = response.map(items).transpose()?;
            members.iter_mut().for_each(|members| {
                members.sort_unstable();
                members.dedup();
            });
            (Operation::Read, members.map(Response::Read))
        }
        _ => return unknown(Object::Set),
    })
}

fn queue(call: &Call, response: Option<&Value>) -> Translated<queue::Operation<Value>, queue::Response<Value>> {
    use queue::{Operation, Response};
    Ok(match call.name.as_str() {
        "enqueue" => (Operation::Enqueue(call.value.clone()), response.map(|_| Response::Enqueued)),
        "dequeue" => (Operation::Dequeue, response.map(|value| Response::Dequeued(something(value)))),
        _ => return unknown(Object::Queue),
    })
}

fn stack(call: &Call, response: Option<&Value>) -> Translated<stack::Operation<Value>, stack::Response<Value>> {
    use stack::{Operation, Response};
    Ok(match call.name.as_str() {
        "push" => (Operation::Push(call.value.clone()), response.map(|_| Response::Pushed)),
        "pop" => (Operation::Pop, response.map(|value| Response::Popped(something(value)))),
        _ => return unknown(Object::Stack),
    })
}

fn counter(call: &Call, response: Option<&Value>) -> Translated<counter::Operation, counter::Response> {
    use counter::{Operation, Response};
    let count = || Ok::<_, String>(response.map(whole).transpose()?.map(Response::Count));
    Ok(match call.name.as_str() {
        "read" => (Operation::Read, count()?),
        "add" => (Operation::Add(whole(&call.value)?), response.map(|_| Response::Added)),
        "fetch-add" => (Operation::FetchAdd(whole(&call.value)?), count()?),
        _ => return unknown(Object::Counter),
    })
}

fn mutex(call: &Call, response: Option<&Value>) -> Translated<mutex::Operation, mutex::Response> {
    use mutex::Operation;
    Ok(match call.name.as_str() {
        "acquire" => (Operation::Acquire, response.map(|_| true)),
        "release" => (Operation::Release, response.map(|_| true)),
        "try-acquire" => (Operation::TryAcquire, truth(response)?),
        _ => return unknown(Object::Mutex),
    })
}

fn log(call: &Call, response: Option<&Value>) -> Translated<log::Operation<Value>, log::Response<Value>> {
    use log::{Operation, Response};
    Ok(match call.name.as_str() {
        // Not every log tells the place.
        "append" => {
            let told = response.filter(|response| **response != Value::Nil);
            (Operation::Append(call.value.clone()), told.map(place).transpose()?.map(Response::At))
        }
        "read" => (Operation::Read, response.map(items).transpose()?.map(Response::Read)),
        "get" => (Operation::Get(place(&call.value)?), response.map(|value| Response::Got(something(value)))),
        _ => return unknown(Object::Log),
    })
}
