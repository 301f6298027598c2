//! The names that a program declares, before anything else is known about them.

use super::{Alias, Checker};
use crate::ast::{File, Ident, Item, MachineKind};
use crate::hir::{Enum, Event, EventSet, Interface, Machine, Param};
use crate::source::Span;
use crate::types::Ty;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Names of one kind and where they are declared.
pub(super) type Table<T> = FxHashMap<Arc<str>, (T, Span)>;

/// What a name stands for where a type is expected.
#[derive(Clone, Copy)]
pub(super) enum TypeName {
    Alias(usize),
    Foreign(usize),
    Enum(usize),
    Interface(usize),
    Machine(usize),
}

/// What a name stands for where a value is expected, apart from variables.
#[derive(Clone, Copy)]
pub(super) enum ValueName {
    Event(usize),
    Element(usize, i64),
}

/// The names of a program.
#[derive(Default)]
pub(super) struct Names {
    pub(super) types: Table<TypeName>,
    pub(super) values: Table<ValueName>,
    pub(super) event_sets: Table<usize>,
    pub(super) functions: Table<usize>,
    pub(super) params: Table<usize>,
    pub(super) modules: Table<usize>,
    pub(super) tests: Table<()>,
}

impl<'a> Checker<'a> {
    pub(super) fn declare_names(&mut self, files: &'a [File]) {
        for name in ["null", "halt"] {
            let name = Ident { name: name.into(), span: Span::default() };
            self.p.events.push(Event { name, payload: Ty::Null });
        }
        let items = || files.iter().flat_map(|file| &file.items);
        // The parameters come first, because other names must differ from theirs.
        for item in items() {
            if let Item::Param(param) = item {
                for name in &param.names {
                    if self.twice("the test parameter", name, self.names.params.get(&name.name).map(|known| known.1)) {
                        self.names.params.insert(name.name.clone(), (self.p.params.len(), name.span));
                        self.p.params.push(Param { name: name.clone(), ty: Ty::Error });
                    }
                }
            }
        }
        for item in items() {
            self.declare_item(item);
        }
    }

    fn declare_item(&mut self, item: &'a Item) {
        match item {
            Item::Type(def) => {
                let what = match def.is {
                    Some(_) => TypeName::Alias(self.aliases.len()),
                    None => TypeName::Foreign(self.p.foreign.len()),
                };
                self.declare_type("the type", &def.name, what);
                match def.is {
                    Some(_) => self.aliases.push(Alias::Unknown(def)),
                    None => self.p.foreign.push(def.name.clone()),
                }
            }
            Item::Enum(def) => {
                let index = self.p.enums.len();
                self.declare_type("the enum", &def.name, TypeName::Enum(index));
                for (element, number) in &def.elements {
                    self.declare_value("the enum element", element, ValueName::Element(index, *number));
                }
                self.p.enums.push(Enum { name: def.name.clone(), elements: def.elements.clone() });
            }
            Item::Event(def) => {
                self.declare_value("the event", &def.name, ValueName::Event(self.p.events.len()));
                self.p.events.push(Event { name: def.name.clone(), payload: Ty::Null });
            }
            Item::EventSet(def) => {
                if self.twice("the event set", &def.name, self.names.event_sets.get(&def.name.name).map(|n| n.1)) {
                    self.names.event_sets.insert(def.name.name.clone(), (self.p.event_sets.len(), def.name.span));
                }
                self.not_a_param(&def.name);
                self.p.event_sets.push(EventSet { name: def.name.clone(), events: BTreeSet::new() });
            }
            Item::Interface(def) => {
                let index = self.p.interfaces.len();
                self.declare_type("the interface", &def.name, TypeName::Interface(index));
                self.p.interfaces.push(interface(&def.name, None));
            }
            Item::Machine(def) => {
                let index = self.p.machines.len();
                self.declare_type("the machine", &def.name, TypeName::Machine(index));
                let own = (def.kind == MachineKind::Machine).then_some(self.p.interfaces.len());
                if own.is_some() {
                    self.p.interfaces.push(interface(&def.name, Some(index)));
                }
                self.p.machines.push(machine(&def.name, def.kind, own));
                self.machine_defs.push(def);
            }
            Item::Module(def) => {
                if self.twice("the module", &def.name, self.names.modules.get(&def.name.name).map(|n| n.1)) {
                    self.names.modules.insert(def.name.name.clone(), (self.modules.len(), def.name.span));
                }
                self.modules.push(super::module::Named::new(def));
            }
            Item::Fun(_) | Item::Param(_) | Item::Test(_) | Item::Implementation(_) => {}
        }
    }

    fn declare_type(&mut self, what: &str, name: &Ident, is: TypeName) {
        self.not_a_param(name);
        if self.twice(what, name, self.names.types.get(&name.name).map(|known| known.1)) {
            self.names.types.insert(name.name.clone(), (is, name.span));
        }
    }

    fn declare_value(&mut self, what: &str, name: &Ident, is: ValueName) {
        self.not_a_param(name);
        if self.twice(what, name, self.names.values.get(&name.name).map(|known| known.1)) {
            self.names.values.insert(name.name.clone(), (is, name.span));
        }
    }
}

fn interface(name: &Ident, machine: Option<usize>) -> Interface {
    Interface { name: name.clone(), payload: Ty::Null, receives: BTreeSet::new(), machine }
}

fn machine(name: &Ident, kind: MachineKind, interface: Option<usize>) -> Machine {
    Machine {
        kind,
        name: name.clone(),
        interface,
        fields: Vec::new(),
        states: Vec::new(),
        start: 0,
        receives: BTreeSet::new(),
        sends: BTreeSet::new(),
        observes: BTreeSet::new(),
        functions: Vec::new(),
        creates: BTreeSet::new(),
    }
}
