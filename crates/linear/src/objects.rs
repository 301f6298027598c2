//! The objects of recorded histories: specifications by name.

use crate::check::{Answer, CheckOptions, check_with};
use crate::history::{History, Operation};
use crate::per_key::PerKey;
use crate::recorded::{BadLine, Call, Recorded};
use crate::spec::Spec;
use crate::specs::*;
use crate::translate::{self, Kv, Translated};
use crate::value::Value;
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
    /// All objects.
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

    /// Whether keys name parts of one object. Otherwise there is a separate object for each key.
    pub fn has_keys(self) -> bool {
        matches!(self, Object::Kv | Object::MultiRegister)
    }

    /// Guesses the object of a history from the names of its operations: an object that has all of them.
    pub fn recognize(recorded: &Recorded) -> Option<Object> {
        let calls = || recorded.history.operations().iter().map(|operation| &operation.operation);
        let has_all = |object: &Object| {
            calls().all(|call| {
                let keyed = call.key.is_some() || call.name == "txn" || !object.has_keys();
                object.operations().contains(&call.name.as_str()) && keyed
            })
        };
        // Sets and counters share the names of their operations; what they read distinguishes them.
        let counts = recorded.history.operations().iter().any(|op| matches!(op.response, Some(Value::Int(_))));
        // A history of a register is also one of a register with compare-and-set.
        let fits =
            |object: &Object| *object != Object::Register && !(counts && *object == Object::Set) && has_all(object);
        // If operations have keys, objects with keyed parts take precedence.
        let keyed = calls().any(|call| call.key.is_some());
        let own = Object::ALL.into_iter().filter(|object| keyed && object.has_keys()).find(fits);
        own.or_else(|| Object::ALL.into_iter().find(fits))
    }

    /// Checks a recorded history. `initial` is the initial value of the object; `None` for that of the file or the default.
    pub fn check(
        self,
        recorded: &Recorded,
        initial: Option<&Value>,
        options: &CheckOptions,
    ) -> Result<Answer, BadLine> {
        let initial = initial.or(recorded.initial.as_ref());
        let held = || initial.cloned().unwrap_or_default();
        let refuse = || match initial {
            Some(value) if !value.is_empty() => {
                let problem = format!("a {self} is empty at the start; `{value}` cannot be in it");
                Err(BadLine::new(0, problem))
            }
            _ => Ok(()),
        };
        match self {
            Object::Register => each(Register::new(held()), recorded, options, translate::register),
            Object::CasRegister => each(CasRegister::new(held()), recorded, options, translate::cas_register),
            Object::MultiRegister => run(&MultiRegister::new(held()), recorded, options, translate::multi_register),
            Object::Kv => run(&Kv { initial: held() }, recorded, options, translate::kv),
            Object::Set => refuse().and_then(|()| each(Set::new(), recorded, options, translate::set)),
            Object::Queue => refuse().and_then(|()| each(Queue::new(), recorded, options, translate::queue)),
            Object::Stack => refuse().and_then(|()| each(Stack::new(), recorded, options, translate::stack)),
            Object::Log => refuse().and_then(|()| each(Log::new(), recorded, options, translate::log)),
            Object::Counter => match held() {
                empty if empty.is_empty() => each(Counter::new(0), recorded, options, translate::counter),
                Value::Int(start) => each(Counter::new(start), recorded, options, translate::counter),
                other => Err(BadLine::new(0, format!("a counter cannot start at `{other}`; expected a whole number"))),
            },
            Object::Mutex => match held() {
                Value::Bool(true) => each(Mutex::held(), recorded, options, translate::mutex),
                free if free.is_empty() || free == Value::Bool(false) => {
                    each(Mutex::new(), recorded, options, translate::mutex)
                }
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

/// Checks the history of one object, or, if operations have keys, of one object for each key.
fn each<S: Spec>(
    spec: S,
    recorded: &Recorded,
    options: &CheckOptions,
    translated: impl Fn(&Call, Option<&Value>) -> Translated<S::Operation, S::Response>,
) -> Result<Answer, BadLine> {
    let keyed = recorded.history.operations().iter().any(|operation| operation.operation.key.is_some());
    if !keyed {
        return run(&spec, recorded, options, translated);
    }
    run(&PerKey(spec), recorded, options, |call, response| {
        let key = call.key.clone().ok_or("there is no key, but other operations have one")?;
        let (operation, response) = translated(call, response)?;
        Ok(((key, operation), response))
    })
}

fn run<S: Spec>(
    spec: &S,
    recorded: &Recorded,
    options: &CheckOptions,
    translated: impl Fn(&Call, Option<&Value>) -> Translated<S::Operation, S::Response>,
) -> Result<Answer, BadLine> {
    let mut operations = Vec::with_capacity(recorded.history.len());
    for (number, known) in recorded.history.operations().iter().enumerate() {
        let line = recorded.line(number).unwrap_or(0);
        let (operation, response) = translated(&known.operation, known.response.as_ref())
            .map_err(|problem| BadLine::new(line, format!("`{}`: {problem}", known.operation)))?;
        let Operation { process, invoked, returned, .. } = *known;
        operations.push(Operation { process, operation, invoked, returned, response });
    }
    Ok(check_with(spec, &History::from_operations(operations), options))
}
