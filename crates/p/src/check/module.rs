//! Modules: which interface is implemented by which machine, what `new` creates where, and which specifications observe whom.
//!
//! A hidden interface is known by an instance number that nothing outside of the module has, so that another module may bind an interface of the same
//! name. Links say what `new` of an interface creates in a machine that was created through another: renaming changes links, and so does hiding.

use super::Checker;
use crate::ast::{EventRef, Ident, MachineKind, ModExpr, ModKind, ModuleDef};
use crate::diagnostic::Diagnostic;
use crate::hir::Bound;
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How many modules may refer to one another.
const MAX_MODULES: u32 = 100;

/// A module that has a name.
pub(super) struct Named<'a> {
    def: &'a ModuleDef,
    value: Value,
}

enum Value {
    Unknown,
    Busy,
    Known(Option<Module>),
}

impl<'a> Named<'a> {
    pub(super) fn new(def: &'a ModuleDef) -> Named<'a> {
        Named { def, value: Value::Unknown }
    }
}

/// What a module expression stands for.
#[derive(Clone, Default)]
pub(super) struct Module {
    pub(super) bindings: BTreeMap<Bound, usize>,
    pub(super) links: BTreeMap<(Bound, usize), Bound>,
    pub(super) specs: Vec<(usize, BTreeSet<Bound>)>,
    sends: BTreeSet<usize>,
    receives: BTreeSet<usize>,
    private: BTreeSet<usize>,
}

impl Module {
    fn creates(&self) -> BTreeSet<Bound> {
        self.links.values().copied().collect()
    }

    /// Replaces an interface everywhere.
    fn replace(&mut self, old: Bound, new: Bound) {
        let to = |bound: Bound| if bound == old { new } else { bound };
        self.bindings =
            std::mem::take(&mut self.bindings).into_iter().map(|(bound, machine)| (to(bound), machine)).collect();
        self.links = std::mem::take(&mut self.links)
            .into_iter()
            .map(|((creator, wanted), made)| ((to(creator), wanted), to(made)))
            .collect();
        for (_, scope) in &mut self.specs {
            *scope = std::mem::take(scope).into_iter().map(to).collect();
        }
    }
}

impl Checker<'_> {
    /// Evaluates all modules, also those that no test uses.
    pub(super) fn check_modules(&mut self) {
        for index in 0..self.modules.len() {
            self.named_module(index, self.modules[index].def.name.span);
        }
    }

    fn named_module(&mut self, index: usize, used: Span) -> Option<Module> {
        match &self.modules[index].value {
            Value::Known(module) => return module.clone(),
            Value::Busy => {
                self.error(used, "the module is defined by itself");
                return None;
            }
            Value::Unknown => {}
        }
        let def = self.modules[index].def;
        self.modules[index].value = Value::Busy;
        self.depth += 1;
        let module = if self.depth > MAX_MODULES {
            self.error(def.name.span, format!("more than {MAX_MODULES} modules are defined by one another"));
            None
        } else {
            self.module(&def.is)
        };
        self.depth -= 1;
        self.modules[index].value = Value::Known(module.clone());
        module
    }

    /// What a module expression stands for; nothing if there was an error.
    pub(super) fn module(&mut self, expr: &ModExpr) -> Option<Module> {
        match &expr.kind {
            ModKind::Bind(binds) => self.bind(binds),
            ModKind::Name(name) => match self.names.modules.get(name).copied() {
                Some((index, declared)) => {
                    self.refer(expr.span, declared);
                    self.named_module(index, expr.span)
                }
                None => {
                    let known: Vec<_> = self.names.modules.keys().cloned().collect();
                    self.unknown("module", name, expr.span, known.iter().map(|name| &**name));
                    if self.names.types.contains_key(name) {
                        self.error(expr.span, format!("a module of one machine is written `{{ {name} }}`"));
                    }
                    None
                }
            },
            ModKind::Compose(parts) => self.combine(parts, true),
            ModKind::Union(parts) => self.combine(parts, false),
            ModKind::HideEvents(events, of) => {
                let module = self.module(of)?;
                self.hide_events(events, module)
            }
            ModKind::HideInterfaces(interfaces, of) => {
                let module = self.module(of)?;
                self.hide_interfaces(interfaces, module)
            }
            ModKind::Assert(specs, of) => {
                let module = self.module(of);
                self.assert(specs, module)
            }
            ModKind::Rename(old, new, of) => {
                let module = self.module(of)?;
                self.rename(old, new, module)
            }
            ModKind::Error => None,
        }
    }

    fn bind(&mut self, binds: &[(Ident, Option<Ident>)]) -> Option<Module> {
        let mut module = Module::default();
        let mut fine = true;
        let mut bound: BTreeMap<usize, Span> = BTreeMap::new();
        for (name, to) in binds {
            let Some(machine) = self.machine(name) else {
                fine = false;
                continue;
            };
            let interface = match to {
                Some(to) => self.interface(to),
                None => self.p.machines[machine].interface,
            };
            let Some(interface) = interface else {
                fine = false;
                continue;
            };
            let at = to.as_ref().unwrap_or(name);
            if let Some(first) = bound.insert(interface, at.span) {
                let message = format!("the interface `{}` is bound twice", at.name);
                self.d.push(Diagnostic::error(at.span, message).related(first, "the first time here"));
                fine = false;
            }
            fine &= self.check_bind(machine, interface, at.span);
            let of = &self.p.machines[machine];
            module.bindings.insert((interface, 0), machine);
            module.sends.extend(&of.sends);
            module.receives.extend(&self.p.interfaces[interface].receives);
            module.links.extend(of.creates.iter().map(|&created| (((interface, 0), created), (created, 0))));
        }
        fine.then_some(module)
    }

    /// The machine with a name, which must not be a specification.
    fn machine(&mut self, name: &Ident) -> Option<usize> {
        let interface = self.interface(name)?;
        let machine = self.p.interfaces[interface].machine;
        if machine.is_none() {
            let help = format!("write `M -> {}` with the machine that implements it", name.name);
            self.error_with(name.span, format!("`{}` is an interface, not a machine", name.name), help);
        }
        machine
    }

    fn check_bind(&mut self, machine: usize, interface: usize, at: Span) -> bool {
        let of = &self.p.machines[machine];
        let to = &self.p.interfaces[interface];
        if let Some(&event) = to.receives.difference(&of.receives).next() {
            let message = format!(
                "the machine `{}` does not receive the event `{}`, which may be sent to the interface `{}`",
                of.name.name, self.p.events[event].name.name, to.name.name
            );
            self.error(at, message);
            return false;
        }
        let own = of.interface.map(|own| &self.p.interfaces[own].payload);
        if let Some(own) = own.filter(|own| !self.p.assignable(own, &to.payload)) {
            let message = format!(
                "the machine `{}` is created with {}, but the interface `{}` with {}",
                of.name.name,
                self.show(own),
                to.name.name,
                self.show(&to.payload)
            );
            self.error(at, message);
            return false;
        }
        true
    }

    /// The specification with a name.
    fn spec(&mut self, name: &Ident) -> Option<usize> {
        use super::names::TypeName;
        match self.names.types.get(&name.name).copied() {
            Some((TypeName::Machine(machine), declared)) => {
                self.refer(name.span, declared);
                if self.p.machines[machine].kind != MachineKind::Machine {
                    return Some(machine);
                }
                self.error(name.span, format!("`{}` is a machine, not a specification", name.name));
            }
            _ => {
                let specs = self.p.machines.iter().filter(|machine| machine.kind != MachineKind::Machine);
                let known: Vec<_> = specs.map(|machine| machine.name.name.clone()).collect();
                self.unknown("specification", &name.name, name.span, known.iter().map(|name| &**name));
            }
        }
        None
    }

    fn assert(&mut self, specs: &[Ident], module: Option<Module>) -> Option<Module> {
        let found: Vec<Option<usize>> = specs.iter().map(|name| self.spec(name)).collect();
        let mut module = module?;
        let mut fine = true;
        for (at, spec) in specs.iter().zip(found) {
            let Some(spec) = spec else {
                fine = false;
                continue;
            };
            if let Some(&event) = self.p.machines[spec].observes.difference(&module.sends).next() {
                let (name, event) = (&at.name, &self.p.events[event].name.name);
                let message = format!("`{name}` observes the event `{event}`, which no machine of the module sends");
                self.error(at.span, message);
                fine = false;
            }
            if module.specs.iter().any(|&(known, _)| known == spec) {
                self.error(at.span, format!("the specification `{}` is attached twice to the same machines", at.name));
                fine = false;
            }
            let scope = module.bindings.keys().copied().collect();
            module.specs.push((spec, scope));
        }
        fine.then_some(module)
    }

    fn hide_events(&mut self, events: &[EventRef], mut module: Module) -> Option<Module> {
        let mut fine = true;
        for at in events {
            let event = self.event(at)?;
            if !module.sends.contains(&event) || !module.receives.contains(&event) {
                let name = &self.p.events[event].name.name;
                let message = format!("`{name}` cannot be hidden: the module must both send and receive it");
                self.error(at.span, message);
                fine = false;
            }
            module.sends.remove(&event);
            module.receives.remove(&event);
            module.private.insert(event);
        }
        fine.then_some(module)
    }

    fn hide_interfaces(&mut self, interfaces: &[Ident], mut module: Module) -> Option<Module> {
        for name in interfaces {
            let interface = self.interface(name)?;
            let public = (interface, 0);
            if !module.bindings.contains_key(&public) || !module.creates().contains(&public) {
                let message = format!("`{}` cannot be hidden: the module must both create and bind it", name.name);
                self.error(name.span, message);
                return None;
            }
            self.instances += 1;
            module.replace(public, (interface, self.instances));
        }
        Some(module)
    }

    fn rename(&mut self, old: &Ident, new: &Ident, mut module: Module) -> Option<Module> {
        let (from, to) = (self.interface(old)?, self.interface(new)?);
        let known = |interface| {
            let bound = (interface, 0);
            module.bindings.contains_key(&bound) || module.creates().contains(&bound)
        };
        if !known(from) {
            self.error(old.span, format!("the module neither binds nor creates `{}`", old.name));
            return None;
        }
        if known(to) {
            self.error(new.span, format!("the module already binds or creates `{}`", new.name));
            return None;
        }
        if self.p.interfaces[from].receives != self.p.interfaces[to].receives {
            let message = format!("`{}` and `{}` do not receive the same events", old.name, new.name);
            self.error(old.span.to(new.span), message);
            return None;
        }
        module.replace((from, 0), (to, 0));
        Some(module)
    }

    /// `union` and `compose`.
    fn combine(&mut self, parts: &[ModExpr], compose: bool) -> Option<Module> {
        let evaluated: Vec<(Span, Option<Module>)> = parts.iter().map(|part| (part.span, self.module(part))).collect();
        let mut whole = Module::default();
        let mut fine = true;
        for (span, part) in evaluated {
            let Some(part) = part else {
                fine = false;
                continue;
            };
            if let Some(why) = self.clash(&whole, &part, compose) {
                self.error(span, why);
                fine = false;
            }
            whole.bindings.extend(part.bindings);
            whole.links.extend(part.links);
            whole.specs.extend(part.specs);
            whole.sends.extend(part.sends);
            whole.receives.extend(part.receives);
            whole.private.extend(part.private);
        }
        fine.then_some(whole)
    }

    /// Why two modules cannot be combined.
    fn clash(&self, a: &Module, b: &Module, compose: bool) -> Option<String> {
        let interface = |bound: &Bound| self.p.interfaces[bound.0].name.name.clone();
        let event = |event: &usize| self.p.events[*event].name.name.clone();
        if let Some(bound) = b.bindings.keys().find(|bound| a.bindings.contains_key(bound)) {
            return Some(format!("the interface `{}` is bound in two of the modules", interface(bound)));
        }
        if let Some((spec, _)) = b.specs.iter().find(|(spec, _)| a.specs.iter().any(|(known, _)| known == spec)) {
            return Some(format!(
                "the specification `{}` is attached in two of the modules",
                self.p.machines[*spec].name.name
            ));
        }
        let public = |module: &Module| -> BTreeSet<usize> { module.sends.union(&module.receives).copied().collect() };
        let hidden = a.private.intersection(&public(b)).chain(b.private.intersection(&public(a))).next().copied();
        if let Some(hidden) = hidden {
            return Some(format!(
                "the event `{}` is hidden in one of the modules and public in another",
                event(&hidden)
            ));
        }
        if compose {
            if let Some(sent) = a.sends.intersection(&b.sends).next() {
                let name = event(sent);
                return Some(format!("the event `{name}` is sent by two of the composed modules; `union` allows it"));
            }
            let (first, second) = (a.creates(), b.creates());
            if let Some(created) = first.intersection(&second).next() {
                let name = interface(created);
                return Some(format!("`{name}` is created by two of the composed modules; `union` allows it"));
            }
        }
        None
    }
}
