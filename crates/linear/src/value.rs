//! Values of recorded histories: nil, booleans, integers, strings and lists.

use serde_json::{Value as Json, json};
use std::fmt;

/// A value of a recorded history.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Value {
    /// No value.
    #[default]
    Nil,
    /// A Boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string.
    Str(String),
    /// A list of values.
    List(Vec<Value>),
}

impl Value {
    /// The elements of a list of length two.
    pub fn pair(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::List(items) => match &items[..] {
                [first, second] => Some((first, second)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the value is nil, the empty string or the empty list.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Nil => true,
            Value::Str(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            Value::Bool(_) | Value::Int(_) => false,
        }
    }

    /// Whether the value is the name of a read in a transaction.
    pub(crate) fn reads(&self) -> bool {
        matches!(self, Value::Str(name) if ["read", "r"].contains(&name.as_str()))
    }

    /// Whether the value is the name of a write in a transaction.
    pub(crate) fn writes(&self) -> bool {
        matches!(self, Value::Str(name) if ["write", "w"].contains(&name.as_str()))
    }

    /// Converts from JSON. Fails for JSON values that have no counterpart.
    pub fn from_json(json: &Json) -> Result<Value, String> {
        match json {
            Json::Null => Ok(Value::Nil),
            Json::Bool(truth) => Ok(Value::Bool(*truth)),
            Json::Number(number) => {
                number.as_i64().map(Value::Int).ok_or_else(|| format!("{number} is not a whole number of 64 bits"))
            }
            Json::String(text) => Ok(Value::Str(text.clone())),
            Json::Array(items) => items.iter().map(Value::from_json).collect::<Result<_, _>>().map(Value::List),
            Json::Object(_) => {
                Err("an object is not a value; expected null, a number, a text, true, false or a list".into())
            }
        }
    }

    /// Converts to JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Nil => Json::Null,
            Value::Bool(truth) => json!(truth),
            Value::Int(number) => json!(number),
            Value::Str(text) => json!(text),
            Value::List(items) => Json::Array(items.iter().map(Value::to_json).collect()),
        }
    }

    /// Parses a value as typed on a command line: an integer, `nil`, `null`, `true`, `false`, or else a string.
    pub fn typed(text: &str) -> Value {
        match text {
            "nil" | "null" => Value::Nil,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => text.parse().map_or_else(|_| Value::Str(text.to_string()), Value::Int),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => f.write_str("nil"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Str(text) => write!(f, "{text:?}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "" } else { " " })?;
                }
                f.write_str("]")
            }
        }
    }
}

impl crate::specs::map::Append for Value {
    /// Appends to strings and lists; nil is replaced by the appended value. Any other value becomes a list of itself and the appended value.
    fn append(&mut self, more: &Value) {
        match (&mut *self, more) {
            (Value::Str(text), Value::Str(more)) => text.push_str(more),
            (Value::List(items), Value::List(more)) => items.extend_from_slice(more),
            (Value::List(items), more) => items.push(more.clone()),
            (Value::Nil, more) => *self = more.clone(),
            (_, more) => *self = Value::List(vec![std::mem::take(self), more.clone()]),
        }
    }

    fn as_text(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }
}
