//! Conversion of recorded operations to operations of the specifications: one function for each object.

use crate::objects::Object;
use crate::recorded::Call;
use crate::spec::{Seen, Sequential, key_of};
use crate::specs::map::Append;
use crate::specs::observed::{self, Effect};
use crate::specs::*;
use crate::value::Value;
use std::collections::BTreeMap;

/// An operation and its response as values of a specification, or a message why they are invalid for it.
pub type Translated<O, R> = Result<(O, Option<R>), String>;

fn unknown<T>(object: Object) -> Result<T, String> {
    Err(format!("a {object} has no such operation; expected {}", object.operations().join(", ")))
}

fn truth(response: Option<&Value>) -> Result<Option<bool>, String> {
    match response {
        None => Ok(None),
        Some(Value::Bool(truth)) => Ok(Some(*truth)),
        // Without a value, the operation succeeded.
        Some(Value::Nil) => Ok(Some(true)),
        Some(other) => Err(format!("the response is `{other}`; expected true or false")),
    }
}

fn items(value: &Value) -> Result<Vec<Value>, String> {
    match value {
        Value::List(items) => Ok(items.clone()),
        Value::Nil => Ok(Vec::new()),
        other => Err(format!("`{other}` is not a list")),
    }
}

fn whole(value: &Value) -> Result<i64, String> {
    match value {
        Value::Int(number) => Ok(*number),
        other => Err(format!("`{other}` is not a whole number")),
    }
}

fn place(value: &Value) -> Result<usize, String> {
    usize::try_from(whole(value)?).map_err(|_| format!("`{value}` is not a place; expected a number from 0 on"))
}

/// Converts nil to `None`.
fn something(value: &Value) -> Option<Value> {
    Some(value.clone()).filter(|value| *value != Value::Nil)
}

/// For [`Object::Register`].
pub fn register(
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

/// For [`Object::CasRegister`].
pub fn cas_register(
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

/// The accesses of a transaction to several registers.
pub type Transaction = Vec<multi_register::Access<Value, Value>>;

/// For [`Object::MultiRegister`].
pub fn multi_register(
    call: &Call,
    response: Option<&Value>,
) -> Translated<Transaction, multi_register::Response<Value>> {
    use multi_register::Access;
    let key = || call.key.clone().ok_or("there is no key");
    match call.name.as_str() {
        "txn" if call.key.is_some() => Err("a transaction has a key; expected keys in its parts alone".to_string()),
        "read" => Ok((vec![Access::Read(key()?)], response.map(|value| vec![Some(value.clone())]))),
        "write" => Ok((vec![Access::Write(key()?, call.value.clone())], response.map(|_| vec![None]))),
        "txn" => transaction(&call.value, response),
        _ => unknown(Object::MultiRegister),
    }
}

/// A transaction. The values that it read are in its response; a read without a value, which may have read anything, is omitted.
fn transaction(invoked: &Value, response: Option<&Value>) -> Translated<Transaction, multi_register::Response<Value>> {
    use multi_register::Access;
    let returned = response.filter(|response| **response != Value::Nil);
    let (invoked, parts) = (items(invoked)?, items(returned.unwrap_or(invoked))?);
    if invoked.len() != parts.len() {
        return Err(format!("the response has {} parts, not as many as were invoked", parts.len()));
    }
    let (mut accesses, mut reads) = (Vec::new(), Vec::new());
    for (access, part) in invoked.iter().zip(&parts) {
        if !same_access(access, part) {
            return Err(format!("the response has `{part}` where `{access}` was invoked"));
        }
        match words(part) {
            [name, key, value] if name.writes() => {
                accesses.push(Access::Write(key.clone(), value.clone()));
                reads.push(None);
            }
            [name, key, value] if name.reads() && returned.is_some() => {
                accesses.push(Access::Read(key.clone()));
                reads.push(Some(value.clone()));
            }
            [name, _] | [name, _, _] if name.reads() => {}
            _ => {
                return Err(format!(
                    "`{part}` is not a part of a transaction; expected [read key value], or [read key] if the value is not known, or [write key value]"
                ));
            }
        }
    }
    Ok((accesses, response.map(|_| reads)))
}

fn words(part: &Value) -> &[Value] {
    match part {
        Value::List(words) => words,
        _ => &[],
    }
}

/// Whether a part of a response matches a part of the invocation: they are equal, except for the value read.
fn same_access(invoked: &Value, returned: &Value) -> bool {
    match (words(invoked), words(returned)) {
        ([reads, key, ..], [also, same, ..]) if reads.reads() && also.reads() => key == same,
        _ => invoked == returned,
    }
}

/// For [`Object::Kv`].
pub fn kv(call: &Call, response: Option<&Value>) -> Translated<map::Operation<Value, Value>, map::Response<Value>> {
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

/// A map in which every key initially has the same value.
pub struct Kv {
    /// The initial value.
    pub initial: Value,
}

impl Sequential for Kv {
    /// The keys whose value is not the initial one.
    type State = BTreeMap<Value, Held<Value>>;
    type Operation = map::Operation<Value, Value>;
    type Response = map::Response<Value>;

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn apply(&self, held: &mut Self::State, operation: &Self::Operation) -> Self::Response {
        use map::{Operation, Response};
        let before = held.get(operation.key());
        let after = match operation {
            Operation::Get(_) => {
                return Response::Got(Some(before.map_or_else(|| self.initial.clone(), Held::value)));
            }
            Operation::Put(_, new) => Held::new(new.clone()),
            Operation::Append(_, more) => match before {
                Some(before) => before.appended(more),
                None => Held::new(self.initial.clone()).appended(more),
            },
            Operation::Delete(_) => Held::new(self.initial.clone()),
        };
        if after.is(&self.initial) {
            held.remove(operation.key());
        } else {
            held.insert(operation.key().clone(), after);
        }
        Response::Done
    }

    fn key(&self, operation: &Self::Operation) -> Option<u64> {
        Some(key_of(operation.key()))
    }

    fn reads(&self, operation: &Self::Operation, _: Option<&Self::Response>) -> bool {
        matches!(operation, map::Operation::Get(_))
    }

    fn reads_as(&self, held: &Self::State, operation: &Self::Operation, response: &Self::Response) -> bool {
        match response {
            map::Response::Got(Some(wanted)) => match held.get(operation.key()) {
                Some(held) => held.is(wanted),
                None => self.initial == *wanted,
            },
            _ => false,
        }
    }

    fn precedence(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Vec<(usize, usize)> {
        let Some(initial) = text_or_nil(&self.initial) else { return Vec::new() };
        observed::precedence(history, initial, |seen| effect(seen, initial))
    }

    fn proposal(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Option<Vec<usize>> {
        let initial = text_or_nil(&self.initial)?;
        observed::proposal(history, initial, |seen| effect(seen, initial))
    }
}

/// Treats nil as the empty string: appending a string to either gives that string. Identifying the two can only make more values possible, not fewer.
fn text_or_nil(value: &Value) -> Option<&str> {
    match value {
        Value::Nil => Some(""),
        value => value.as_text(),
    }
}

/// The key of an operation, and its effect on a string.
fn effect<'h>(
    seen: &Seen<'h, map::Operation<Value, Value>, map::Response<Value>>,
    initial: &'h str,
) -> (&'h Value, Option<Effect<'h>>) {
    use map::{Operation, Response};
    let effect = match (seen.operation, seen.response) {
        (Operation::Put(_, value), _) => text_or_nil(value).map(Effect::Becomes),
        (Operation::Append(_, value), _) => value.as_text().map(Effect::Appends),
        (Operation::Delete(_), _) => Some(Effect::Becomes(initial)),
        (Operation::Get(_), Some(Response::Got(Some(value)))) => text_or_nil(value).map(Effect::Reads),
        (Operation::Get(_), _) => Some(Effect::ReadsAnything),
    };
    (seen.operation.key(), effect)
}

/// For [`Object::Set`].
pub fn set(call: &Call, response: Option<&Value>) -> Translated<set::Operation<Value>, set::Response<Value>> {
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

/// For [`Object::Queue`].
pub fn queue(call: &Call, response: Option<&Value>) -> Translated<queue::Operation<Value>, queue::Response<Value>> {
    use queue::{Operation, Response};
    Ok(match call.name.as_str() {
        "enqueue" => (Operation::Enqueue(call.value.clone()), response.map(|_| Response::Enqueued)),
        "dequeue" => (Operation::Dequeue, response.map(|value| Response::Dequeued(something(value)))),
        _ => return unknown(Object::Queue),
    })
}

/// For [`Object::Stack`].
pub fn stack(call: &Call, response: Option<&Value>) -> Translated<stack::Operation<Value>, stack::Response<Value>> {
    use stack::{Operation, Response};
    Ok(match call.name.as_str() {
        "push" => (Operation::Push(call.value.clone()), response.map(|_| Response::Pushed)),
        "pop" => (Operation::Pop, response.map(|value| Response::Popped(something(value)))),
        _ => return unknown(Object::Stack),
    })
}

/// For [`Object::Counter`].
pub fn counter(call: &Call, response: Option<&Value>) -> Translated<counter::Operation, counter::Response> {
    use counter::{Operation, Response};
    let count = || Ok::<_, String>(response.map(whole).transpose()?.map(Response::Count));
    Ok(match call.name.as_str() {
        "read" => (Operation::Read, count()?),
        "add" => (Operation::Add(whole(&call.value)?), response.map(|_| Response::Added)),
        "fetch-add" => (Operation::FetchAdd(whole(&call.value)?), count()?),
        _ => return unknown(Object::Counter),
    })
}

/// For [`Object::Mutex`].
pub fn mutex(call: &Call, response: Option<&Value>) -> Translated<mutex::Operation, mutex::Response> {
    use mutex::Operation;
    Ok(match call.name.as_str() {
        "acquire" => (Operation::Acquire, response.map(|_| true)),
        "release" => (Operation::Release, response.map(|_| true)),
        "try-acquire" => (Operation::TryAcquire, truth(response)?),
        _ => return unknown(Object::Mutex),
    })
}

/// For [`Object::Log`].
pub fn log(call: &Call, response: Option<&Value>) -> Translated<log::Operation<Value>, log::Response<Value>> {
    use log::{Operation, Response};
    Ok(match call.name.as_str() {
        // Not every log returns the index.
        "append" => {
            let returned = response.filter(|response| **response != Value::Nil);
            (Operation::Append(call.value.clone()), returned.map(place).transpose()?.map(Response::At))
        }
        "read" => (Operation::Read, response.map(items).transpose()?.map(Response::Read)),
        "get" => (Operation::Get(place(&call.value)?), response.map(|value| Response::Got(something(value)))),
        _ => return unknown(Object::Log),
    })
}
