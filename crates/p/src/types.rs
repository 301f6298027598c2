//! Types, and which values can be stored where.

use crate::hir::{HALT, Program};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// A type. Aliases are unfolded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ty {
    /// There was an error; everything fits.
    Error,
    /// The type of `null`, and the payload of what has none.
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `string`
    String,
    /// `event`
    Event,
    /// `machine`
    Machine,
    /// `data`
    Data,
    /// `any`
    Any,
    /// An enum.
    Enum(usize),
    /// A foreign type.
    Foreign(usize),
    /// An interface, or the machine of that name.
    Interface(usize),
    /// A machine to which the events of a set may be sent.
    EventSet(usize),
    /// `seq[t]`
    Seq(Arc<Ty>),
    /// `set[t]`
    Set(Arc<Ty>),
    /// `map[k, v]`
    Map(Arc<Ty>, Arc<Ty>),
    /// `(t, u)`
    Tuple(Arc<[Ty]>),
    /// `(a: t, b: u)`
    Named(Arc<[(Arc<str>, Ty)]>),
}

impl Ty {
    /// Whether it is the type of something with an error.
    pub fn is_error(&self) -> bool {
        *self == Ty::Error
    }

    /// Whether it is `int` or `float`, or has an error.
    pub fn is_number(&self) -> bool {
        matches!(self, Ty::Int | Ty::Float | Ty::Error)
    }
}

impl Program {
    /// The events that may be sent to a machine of a type, if the type has such a set.
    pub fn permissions(&self, ty: &Ty) -> Option<&BTreeSet<usize>> {
        match ty {
            Ty::Interface(interface) => Some(&self.interfaces[*interface].receives),
            Ty::EventSet(set) => Some(&self.event_sets[*set].events),
            _ => None,
        }
    }

    /// All events that can be sent.
    pub fn universe(&self) -> BTreeSet<usize> {
        (HALT..self.events.len()).collect()
    }

    /// Whether a value of type `from` can be stored where `to` is expected.
    pub fn assignable(&self, to: &Ty, from: &Ty) -> bool {
        use Ty::{Any, Data, Error, Event, EventSet, Interface, Machine, Map, Named, Null, Seq, Set, Tuple};
        match (to, from) {
            (Error, _) | (_, Error) | (Any, _) => true,
            (Data, from) => self.is_data(from),
            (Event, from) => matches!(from, Event | Null),
            (Machine, from) => matches!(from, Machine | Null | Interface(_) | EventSet(_)),
            (Interface(_) | EventSet(_), Interface(_) | EventSet(_)) => self.permissions(to) == self.permissions(from),
            (Seq(to), Seq(from)) | (Set(to), Set(from)) => self.assignable(to, from),
            (Map(to, value), Map(from, other)) => self.assignable(to, from) && self.assignable(value, other),
            (Tuple(to), Tuple(from)) => {
                to.len() == from.len() && to.iter().zip(from.iter()).all(|(to, from)| self.assignable(to, from))
            }
            (Named(to), Named(from)) => {
                let names = to.iter().map(|field| &field.0).eq(from.iter().map(|field| &field.0));
                names && to.iter().zip(from.iter()).all(|(to, from)| self.assignable(&to.1, &from.1))
            }
            _ => to == from,
        }
    }

    /// Whether each type can be stored where the other is expected.
    pub fn same(&self, a: &Ty, b: &Ty) -> bool {
        self.assignable(a, b) && self.assignable(b, a)
    }

    /// Whether values of two types can be compared.
    pub fn comparable(&self, a: &Ty, b: &Ty) -> bool {
        self.assignable(a, b) || self.assignable(b, a)
    }

    /// Whether values of a type hold no reference to a machine.
    fn is_data(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Any | Ty::Machine | Ty::Foreign(_) => false,
            Ty::Interface(_) | Ty::EventSet(_) => self.permissions(ty).is_some_and(BTreeSet::is_empty),
            Ty::Seq(of) | Ty::Set(of) => self.is_data(of),
            Ty::Map(key, value) => self.is_data(key) && self.is_data(value),
            Ty::Tuple(fields) => fields.iter().all(|field| self.is_data(field)),
            Ty::Named(fields) => fields.iter().all(|(_, field)| self.is_data(field)),
            _ => true,
        }
    }

    /// A type as it is written.
    pub fn show(&self, ty: &Ty) -> String {
        let mut text = String::new();
        self.write(ty, &mut text);
        text
    }

    fn write(&self, ty: &Ty, out: &mut String) {
        let simple = match ty {
            Ty::Error => "?",
            Ty::Null => "null",
            Ty::Bool => "bool",
            Ty::Int => "int",
            Ty::Float => "float",
            Ty::String => "string",
            Ty::Event => "event",
            Ty::Machine => "machine",
            Ty::Data => "data",
            Ty::Any => "any",
            Ty::Enum(of) => &self.enums[*of].name.name,
            Ty::Foreign(of) => &self.foreign[*of].name,
            Ty::Interface(of) => &self.interfaces[*of].name.name,
            Ty::EventSet(of) => &self.event_sets[*of].name.name,
            Ty::Seq(of) => return self.write_parts("seq[", [(None, &**of)].into_iter(), "]", out),
            Ty::Set(of) => return self.write_parts("set[", [(None, &**of)].into_iter(), "]", out),
            Ty::Map(key, value) => {
                return self.write_parts("map[", [(None, &**key), (None, &**value)].into_iter(), "]", out);
            }
            Ty::Tuple(fields) => return self.write_parts("(", fields.iter().map(|ty| (None, ty)), ")", out),
            Ty::Named(fields) => {
                let fields = fields.iter().map(|(name, ty)| (Some(&**name), ty));
                return self.write_parts("(", fields, ")", out);
            }
        };
        out.push_str(simple);
    }

    fn write_parts<'a>(
        &self,
        open: &str,
        parts: impl Iterator<Item = (Option<&'a str>, &'a Ty)>,
        close: &str,
        out: &mut String,
    ) {
        out.push_str(open);
        for (n, (name, ty)) in parts.enumerate() {
            if n > 0 {
                out.push_str(", ");
            }
            if let Some(name) = name {
                let _ = write!(out, "{name}: ");
            }
            self.write(ty, out);
        }
        out.push_str(close);
    }
}
