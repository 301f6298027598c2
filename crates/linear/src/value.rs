//! Values of recorded histories: nothing, truths, numbers, texts, lists.

use serde_json::{Value as Json, json};
use std::fmt;

/// A value of a recorded history.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Nil,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Str(String),
    /// Several values.
    List(Vec<Value>),
}

impl Value {
    /// A list of two.
    pub fn pair(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::List(items) => match &items[..] {
                [first, second] => Some((first, second)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether there is nothing in it: nil, the empty text, the empty list.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Nil => true,
            Value::Str(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            Value::Bool(_) | Value::Int(_) => false,
        }
    }

    /// Whether it is the first word of a part of a transaction that reads.
    pub(crate) fn reads(&self) -> bool {
        matches!(self, Value::Str(name) if ["read", "r"].contains(&name.as_str()))
    }

    /// Whether it is the first word of a part of a transaction that writes.
    pub(crate) fn writes(&self) -> bool {
        matches!(self, Value::Str(name) if ["write", "w"].contains(&name.as_str()))
    }

    /// From JSON, which may say more than a value can.
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

    /// As JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Nil => Json::Null,
            Value::Bool(truth) => json!(truth),
            Value::Int(number) => json!(number),
            Value::Str(text) => json!(text),
            Value::List(items) => Json::Array(items.iter().map(Value::to_json).collect()),
        }
    }

    /// What a person typed: a number, `nil`, `true`, `false`, or a text.
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
    /// Texts and lists grow; nothing becomes what is appended. Anything else is taken as a list of itself.
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
