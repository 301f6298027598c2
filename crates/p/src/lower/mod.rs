//! Lowering: from a checked program to the intermediate representation of [`manyworlds_p_ir`].
//!
//! Tables keep their order, so that the ids of events, interfaces and machines are the indices of [`crate::hir`]. An interface that a module hides
//! becomes an interface of its own, `I~1`. Each instance of a parametrised test is a test.

mod body;
mod expr;

use crate::ast::{MachineKind, ParamValue, Temperature};
use crate::hir::{Bound, HALT, Handler, Program, Test};
use crate::source::{Position, Sources, Span};
use crate::types::Ty;
use manyworlds_p_ir as ir;
use std::collections::{BTreeMap, BTreeSet};

/// Lowers a program that has no errors.
pub fn lower(program: &Program, sources: &Sources) -> ir::Program {
    let mut lowering = Lowering { p: program, sources, out: ir::Program::new(), hidden: BTreeMap::new() };
    for source in sources.iter() {
        lowering.out.add_file(&*source.path);
    }
    lowering.types();
    lowering.machines();
    lowering.functions();
    lowering.states();
    lowering.tests();
    lowering.out
}

struct Lowering<'a> {
    p: &'a Program,
    sources: &'a Sources,
    out: ir::Program,
    /// Interfaces that modules hide.
    hidden: BTreeMap<Bound, ir::InterfaceId>,
}

impl Lowering<'_> {
    fn span(&self, span: Span) -> ir::Span {
        let Position { line, column } = self.sources.position(span);
        ir::Span::new(span.file, line, column)
    }

    /// The id of a type.
    fn ty(&mut self, ty: &Ty) -> ir::TypeId {
        match ty {
            Ty::Bool => ir::TypeId::BOOL,
            Ty::Int => ir::TypeId::INT,
            Ty::Float => ir::TypeId::FLOAT,
            Ty::String => ir::TypeId::STRING,
            Ty::Event => ir::TypeId::EVENT,
            Ty::Machine => ir::TypeId::MACHINE,
            Ty::Data => ir::TypeId::DATA,
            // Temporaries may hold `null`; no variable has its type.
            Ty::Any | Ty::Null | Ty::Error => ir::TypeId::ANY,
            Ty::Enum(of) => self.out.types.intern(ir::Type::Enum(ir::EnumId::at(*of))),
            Ty::Foreign(of) => self.out.types.intern(ir::Type::Foreign(ir::ForeignId::at(*of))),
            Ty::Interface(_) | Ty::EventSet(_) => {
                let events = self.p.permissions(ty).cloned().unwrap_or_default();
                let set = self.events(&events);
                self.out.types.intern(ir::Type::Permission(set))
            }
            Ty::Seq(of) => {
                let of = self.ty(of);
                self.out.types.seq(of)
            }
            Ty::Set(of) => {
                let of = self.ty(of);
                self.out.types.set(of)
            }
            Ty::Map(key, value) => {
                let (key, value) = (self.ty(key), self.ty(value));
                self.out.types.map(key, value)
            }
            Ty::Tuple(fields) => {
                let fields = fields.iter().map(|field| self.ty(field)).collect();
                self.out.types.tuple(fields)
            }
            Ty::Named(fields) => {
                let types = fields.iter().map(|(_, field)| self.ty(field)).collect();
                let names = self.names(ty);
                self.out.types.intern(ir::Type::Named(names, types))
            }
        }
    }

    /// The field names of a named tuple.
    fn names(&mut self, ty: &Ty) -> ir::NamesId {
        let Ty::Named(fields) = ty else { return self.out.types.names(Vec::new()) };
        self.out.types.names(fields.iter().map(|(name, _)| name.to_string()).collect())
    }

    fn events(&mut self, events: &BTreeSet<usize>) -> ir::EventSetId {
        let set = match events.len() == self.p.events.len() - HALT {
            true => ir::EventSet::All,
            false => ir::EventSet::Only(events.iter().map(|&event| ir::EventId::at(event)).collect()),
        };
        self.out.types.event_set(set)
    }

    /// The type of a payload, if there is one.
    fn payload(&mut self, ty: &Ty) -> Option<ir::TypeId> {
        (*ty != Ty::Null).then(|| self.ty(ty))
    }

    fn types(&mut self) {
        for of in &self.p.enums {
            let elements = of.elements.iter().map(|(name, number)| (name.name.to_string(), *number)).collect();
            self.out.add_enum(&*of.name.name, elements);
        }
        for number in 0..self.p.enums.len() {
            self.ty(&Ty::Enum(number));
        }
        for foreign in &self.p.foreign {
            self.out.add_foreign_type(&*foreign.name);
        }
        // The events come before all types with permissions, which name events.
        for event in &self.p.events[HALT + 1..] {
            let span = self.span(event.name.span);
            self.out.add_event(&*event.name.name, None, span);
        }
        for (number, event) in self.p.events.iter().enumerate() {
            self.out.events[number].payload = self.payload(&event.payload);
        }
        for interface in &self.p.interfaces {
            let (payload, receives) = (self.payload(&interface.payload), self.events(&interface.receives));
            let span = self.span(interface.name.span);
            self.out.add_interface(&*interface.name.name, payload, receives, span);
        }
        for param in &self.p.params {
            let ty = self.ty(&param.ty);
            self.out.add_param(&*param.name.name, ty);
        }
    }

    fn machines(&mut self) {
        for (number, machine) in self.p.machines.iter().enumerate() {
            let kind = match machine.kind {
                MachineKind::Machine => ir::MachineKind::Machine,
                MachineKind::Spec => ir::MachineKind::Spec,
                MachineKind::Scenario => ir::MachineKind::Scenario,
            };
            let span = self.span(machine.name.span);
            let id = self.out.add_machine(&*machine.name.name, kind, span);
            let (receives, sends) = (self.events(&machine.receives), self.events(&machine.sends));
            let out = &mut self.out.machines[number];
            (out.receives, out.sends) = (receives, sends);
            out.start = ir::StateId::at(machine.start);
            out.observes = machine.observes.iter().map(|&event| ir::EventId::at(event)).collect();
            for field in &machine.fields {
                let ty = self.ty(&field.ty);
                self.out.add_field(id, &*field.name.name, ty);
            }
            for state in &machine.states {
                let span = self.span(state.name.span);
                self.out.add_state(id, &*state.name.name, span);
            }
        }
    }

    fn functions(&mut self) {
        for function in &self.p.functions {
            let name = match function.owner {
                Some(machine) => format!("{}.{}", self.p.machines[machine].name.name, function.name),
                None => function.name.to_string(),
            };
            let span = self.span(function.span);
            self.out.declare(&name, function.owner.map(ir::MachineId::at), span);
        }
        for number in 0..self.p.functions.len() {
            let builder = body::function(self, &self.p.functions[number]);
            self.out.define(ir::FunctionId::at(number), builder);
        }
    }

    fn states(&mut self) {
        for (number, machine) in self.p.machines.iter().enumerate() {
            for (at, state) in machine.states.iter().enumerate() {
                let out = self.out.state_mut(ir::MachineId::at(number), ir::StateId::at(at));
                out.temperature = match state.temperature {
                    Temperature::Hot => ir::Temperature::Hot,
                    Temperature::Warm => ir::Temperature::Warm,
                    Temperature::Cold => ir::Temperature::Cold,
                };
                out.entry = state.entry.map(ir::FunctionId::at);
                out.exit = state.exit.map(ir::FunctionId::at);
                for (&event, (handler, _)) in &state.handlers {
                    let handler = match *handler {
                        Handler::Do(function) => ir::Handler::Do(ir::FunctionId::at(function)),
                        Handler::Goto(target, with) => {
                            ir::Handler::Goto { target: ir::StateId::at(target), with: with.map(ir::FunctionId::at) }
                        }
                        Handler::Defer => ir::Handler::Defer,
                        Handler::Ignore => ir::Handler::Ignore,
                    };
                    out.on(ir::EventId::at(event), handler);
                }
            }
        }
    }

    fn interface(&mut self, (interface, instance): Bound) -> ir::InterfaceId {
        if instance == 0 {
            return ir::InterfaceId::at(interface);
        }
        if let Some(&id) = self.hidden.get(&(interface, instance)) {
            return id;
        }
        let of = self.out.interfaces[interface].clone();
        let name = format!("{}~{instance}", of.name);
        let id = self.out.add_interface(name, of.payload, of.receives, of.span);
        self.hidden.insert((interface, instance), id);
        id
    }

    fn tests(&mut self) {
        for test in &self.p.tests {
            let test = self.test(test);
            self.out.add_test(test);
        }
    }

    fn test(&mut self, test: &Test) -> ir::Test {
        let bindings =
            test.bindings.iter().map(|(&bound, &machine)| (self.interface(bound), ir::MachineId::at(machine)));
        let bindings = bindings.collect();
        let links = test.links.iter().map(|(&(creator, wanted), &made)| ir::Link {
            creator: self.interface(creator),
            wanted: ir::InterfaceId::at(wanted),
            made: self.interface(made),
        });
        let links = links.collect();
        let mut specs = Vec::new();
        for (spec, scope) in &test.specs {
            let scope = scope.as_ref().map(|scope| {
                let mut scope: Vec<_> = scope.iter().map(|&bound| self.interface(bound)).collect();
                scope.sort_unstable();
                scope
            });
            specs.push(ir::Attached { spec: ir::MachineId::at(*spec), scope });
        }
        let params = test.params.iter().map(|&(param, value)| {
            let value = match value {
                ParamValue::Int(value) => ir::Const::Int(value),
                ParamValue::Bool(value) => ir::Const::Bool(value),
            };
            (ir::ParamId::at(param), value)
        });
        let params = params.collect();
        let (main, span) = (self.interface(test.main), self.span(test.span));
        ir::Test { name: test.instance.clone(), main, bindings, links, specs, params, span }
    }
}
