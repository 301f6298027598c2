//! Types: aliases are unfolded, payloads, parameters and event sets are filled in.
//!
//! An alias may be used many times, so a short program can write down a huge type. Types are bounded: by [`MAX_PARTS`] parts.

use super::names::TypeName;
use super::{Alias, Checker};
use crate::ast::{EventRef, File, Item, TypeExpr, TypeKind};
use crate::diagnostic::Diagnostic;
use crate::hir::HALT;
use crate::source::Span;
use crate::types::Ty;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many parts a type may have, when all names are replaced by what they stand for.
const MAX_PARTS: usize = 1_000;

/// How many aliases may refer to one another.
const MAX_ALIASES: u32 = 100;

impl<'a> Checker<'a> {
    pub(super) fn declare_types(&mut self, files: &'a [File]) {
        for alias in 0..self.aliases.len() {
            self.alias(alias, None);
        }
        let (mut event, mut set) = (HALT + 1, 0);
        for item in files.iter().flat_map(|file| &file.items) {
            match item {
                Item::Event(def) => {
                    if let Some(payload) = &def.payload {
                        self.p.events[event].payload = self.resolve(payload);
                    }
                    event += 1;
                }
                Item::EventSet(def) => {
                    self.p.event_sets[set].events = self.events(&def.events);
                    set += 1;
                }
                Item::Param(def) => {
                    let ty = self.resolve(&def.ty);
                    for name in &def.names {
                        if let Some(&(index, _)) = self.names.params.get(&name.name) {
                            self.p.params[index].ty = ty.clone();
                        }
                    }
                }
                _ => {}
            }
        }
        let mut interface = 0;
        for item in files.iter().flat_map(|file| &file.items) {
            match item {
                Item::Interface(def) => {
                    self.p.interfaces[interface].receives = self.events(&def.receives);
                    if let Some(payload) = &def.payload {
                        self.p.interfaces[interface].payload = self.resolve(payload);
                    }
                    interface += 1;
                }
                Item::Machine(def) if def.kind == crate::ast::MachineKind::Machine => interface += 1,
                _ => {}
            }
        }
    }

    /// The events of a list.
    pub(super) fn events(&mut self, events: &[EventRef]) -> BTreeSet<usize> {
        events.iter().filter_map(|event| self.event(event)).collect()
    }

    /// What an alias stands for, and how many parts that has.
    fn alias(&mut self, index: usize, used: Option<Span>) -> (Ty, usize) {
        let def = match &self.aliases[index] {
            Alias::Known(ty, parts) => return (ty.clone(), *parts),
            Alias::Busy => {
                let message = "the type is defined by itself";
                let help = "a recursive type needs a level in between, such as a machine or a map from numbers";
                self.error_with(used.unwrap_or_default(), message, help);
                return (Ty::Error, 1);
            }
            Alias::Unknown(def) => *def,
        };
        self.aliases[index] = Alias::Busy;
        self.depth += 1;
        let mut found = (Ty::Error, 1);
        if self.depth > MAX_ALIASES {
            self.error(def.name.span, format!("more than {MAX_ALIASES} types are defined by one another"));
        } else if let Some(is) = &def.is {
            found = self.parts(is);
        }
        self.depth -= 1;
        self.aliases[index] = Alias::Known(found.0.clone(), found.1);
        found
    }

    /// The type that is written.
    pub(super) fn resolve(&mut self, ty: &TypeExpr) -> Ty {
        self.parts(ty).0
    }

    fn parts(&mut self, ty: &TypeExpr) -> (Ty, usize) {
        let simple = match &ty.kind {
            TypeKind::Bool => Ty::Bool,
            TypeKind::Int => Ty::Int,
            TypeKind::Float => Ty::Float,
            TypeKind::String => Ty::String,
            TypeKind::Event => Ty::Event,
            TypeKind::Machine => Ty::Machine,
            TypeKind::Data => Ty::Data,
            TypeKind::Any => Ty::Any,
            _ => return self.compound(ty),
        };
        (simple, 1)
    }

    fn compound(&mut self, ty: &TypeExpr) -> (Ty, usize) {
        let (built, parts) = match &ty.kind {
            TypeKind::Name(name) => return self.named(name, ty.span),
            TypeKind::Seq(of) => {
                let (of, parts) = self.parts(of);
                (Ty::Seq(of.into()), parts)
            }
            TypeKind::Set(of) => {
                let (of, parts) = self.parts(of);
                (Ty::Set(of.into()), parts)
            }
            TypeKind::Map(key, value) => {
                let ((key, first), (value, second)) = (self.parts(key), self.parts(value));
                (Ty::Map(key.into(), value.into()), first + second)
            }
            TypeKind::Tuple(fields) => {
                let (fields, parts): (Vec<Ty>, Vec<usize>) = fields.iter().map(|field| self.parts(field)).unzip();
                (Ty::Tuple(fields.into()), parts.iter().sum())
            }
            TypeKind::Named(fields) => {
                let mut seen: FxHashMap<Arc<str>, Span> = FxHashMap::default();
                let mut parts = 0;
                let mut built = Vec::new();
                for (name, ty) in fields {
                    self.twice("the field", name, seen.insert(name.name.clone(), name.span));
                    let (ty, more) = self.parts(ty);
                    parts += more;
                    built.push((name.name.clone(), ty));
                }
                (Ty::Named(built.into()), parts)
            }
            _ => (Ty::Error, 0),
        };
        if parts >= MAX_PARTS {
            let message = format!("the type has more than {MAX_PARTS} parts");
            self.error_with(ty.span, message, "split it up, or refer to a part of it by a number in a map");
            return (Ty::Error, 1);
        }
        (built, parts + 1)
    }

    fn named(&mut self, name: &Arc<str>, span: Span) -> (Ty, usize) {
        if let Some(&(index, declared)) = self.names.event_sets.get(name)
            && !self.names.types.contains_key(name)
        {
            self.refer(span, declared);
            return (Ty::EventSet(index), 1);
        }
        let Some(&(is, declared)) = self.names.types.get(name) else {
            let names: Vec<Arc<str>> = self.names.types.keys().chain(self.names.event_sets.keys()).cloned().collect();
            let keywords = ["bool", "int", "float", "string", "event", "machine", "data", "any"];
            self.unknown("type", name, span, names.iter().map(|name| &**name).chain(keywords));
            return (Ty::Error, 1);
        };
        self.refer(span, declared);
        let ty = match is {
            TypeName::Alias(index) => return self.alias(index, Some(span)),
            TypeName::Foreign(index) => Ty::Foreign(index),
            TypeName::Enum(index) => Ty::Enum(index),
            TypeName::Interface(index) => Ty::Interface(index),
            TypeName::Machine(index) => match self.p.machines[index].interface {
                Some(interface) => Ty::Interface(interface),
                None => {
                    let diagnostic = Diagnostic::error(span, format!("`{name}` is a specification, not a type"));
                    self.d.push(diagnostic.related(declared, "declared here"));
                    Ty::Error
                }
            },
        };
        (ty, 1)
    }
}
