//! Machines: fields, functions with their signatures, states with their tables of handlers.

use super::{Checker, FunctionSource, MachineNames};
use crate::ast::{
    Closure, EventRef, FunDef, HandlerFun, Ident, MachineDef, MachineKind, StateDef, StateItem, StateItemKind,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{Effects, Function, Handler, Local, NULL, State};
use crate::source::Span;
use crate::types::Ty;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

impl<'a> Checker<'a> {
    pub(super) fn declare_machines(&mut self) {
        for index in 0..self.machine_defs.len() {
            let def = self.machine_defs[index];
            self.tables.push(MachineNames::default());
            self.declare_events(index, def);
            self.declare_fields(index, def);
            for function in &def.functions {
                self.declare_function(function, Some(index));
            }
            for (number, state) in def.states.iter().enumerate() {
                self.not_a_param(&state.name);
                let known = self.tables[index].states.get(&state.name.name).map(|&of| def.states[of].name.span);
                if self.twice("the state", &state.name, known) {
                    let function = self.tables[index].functions.get(&state.name.name);
                    if let Some(&function) = function {
                        let (span, message) = (self.p.functions[function].span, "a function and a state");
                        let message = format!("`{}` names {message}", state.name.name);
                        self.d.push(Diagnostic::error(state.name.span, message).related(span, "the function is here"));
                    }
                    self.tables[index].states.insert(state.name.name.clone(), number);
                }
            }
        }
        for index in 0..self.machine_defs.len() {
            self.declare_states(index);
        }
    }

    fn declare_events(&mut self, index: usize, def: &'a MachineDef) {
        let receives = def.receives.as_ref().map(|events| self.events(events));
        let sends = def.sends.as_ref().map(|events| self.events(events));
        let observes = self.events(&def.observes);
        let universe = self.p.universe();
        let machine = &mut self.p.machines[index];
        machine.receives = receives.unwrap_or_else(|| universe.clone());
        machine.sends = sends.unwrap_or(universe);
        machine.observes = observes;
        if let Some(interface) = machine.interface {
            self.p.interfaces[interface].receives = machine.receives.clone();
        }
    }

    fn declare_fields(&mut self, index: usize, def: &'a MachineDef) {
        for var in &def.fields {
            let ty = self.resolve(&var.ty);
            for name in &var.names {
                self.not_a_param(name);
                let fields = &self.p.machines[index].fields;
                let known = self.tables[index].fields.get(&name.name).map(|&field| fields[field].name.span);
                if self.twice("the field", name, known) {
                    self.tables[index].fields.insert(name.name.clone(), self.p.machines[index].fields.len());
                    self.p.machines[index].fields.push(Local { name: name.clone(), ty: ty.clone() });
                }
            }
        }
    }

    /// A named function; `owner` is nothing for a global one.
    pub(super) fn declare_function(&mut self, def: &'a FunDef, owner: Option<usize>) {
        self.not_a_param(&def.name);
        let known = match owner {
            Some(machine) => self.tables[machine].functions.get(&def.name.name).copied(),
            None => self.names.functions.get(&def.name.name).map(|known| known.0),
        };
        let creates = def.creates.iter().filter_map(|name| self.interface(name)).collect();
        let source = FunctionSource { params: &def.params, result: def.result.as_ref(), body: def.body.as_ref() };
        let index = self.add_function(def.name.name.clone(), def.name.span, owner, source, false);
        self.p.functions[index].creates = creates;
        let known = known.map(|function| self.p.functions[function].span);
        if self.twice("the function", &def.name, known) {
            match owner {
                Some(machine) => self.tables[machine].functions.insert(def.name.name.clone(), index),
                None => self.names.functions.insert(def.name.name.clone(), (index, def.name.span)).map(|known| known.0),
            };
        }
    }

    fn add_function(
        &mut self,
        name: Arc<str>,
        span: Span,
        owner: Option<usize>,
        source: FunctionSource<'a>,
        anonymous: bool,
    ) -> usize {
        let mut locals: Vec<Local> = Vec::new();
        let mut seen: FxHashMap<Arc<str>, Span> = FxHashMap::default();
        for param in source.params {
            self.not_a_param(&param.name);
            self.twice("the parameter", &param.name, seen.insert(param.name.name.clone(), param.name.span));
            let ty = self.resolve(&param.ty);
            locals.push(Local { name: param.name.clone(), ty });
        }
        let result = source.result.map(|ty| self.resolve(ty));
        let index = self.functions.len();
        self.functions.push(source);
        let params = locals.len();
        let function = Function {
            name,
            span,
            anonymous,
            owner,
            params,
            locals,
            result,
            body: source.body.map(|_| Vec::new()),
            creates: Vec::new(),
            effects: Effects::default(),
        };
        self.p.functions.push(function);
        if let Some(machine) = owner {
            self.p.machines[machine].functions.push(index);
        }
        index
    }

    fn declare_states(&mut self, index: usize) {
        let def = self.machine_defs[index];
        let mut start: Option<(usize, Span)> = None;
        for (number, state) in def.states.iter().enumerate() {
            if state.start {
                match start {
                    None => start = Some((number, state.name.span)),
                    Some((_, first)) => {
                        let message = format!("`{}` has two start states", def.name.name);
                        self.d
                            .push(Diagnostic::error(state.name.span, message).related(first, "the first one is here"));
                    }
                }
            }
            let state = self.declare_state(index, state);
            self.p.machines[index].states.push(state);
        }
        if start.is_none() && (def.kind == MachineKind::Machine || def.states.is_empty()) {
            let help = if def.states.is_empty() { "write `start state Init { }`" } else { "write `start state …`" };
            self.error_with(def.name.span, format!("`{}` has no start state", def.name.name), help);
        }
        self.p.machines[index].start = start.map_or(0, |start| start.0);
        let entry = self.p.machines[index].states.get(start.map_or(0, |start| start.0)).and_then(|state| state.entry);
        if let (Some(entry), Some(interface)) = (entry, self.p.machines[index].interface)
            && let [param, ..] = &self.p.functions[entry].locals[..self.p.functions[entry].params]
        {
            self.p.interfaces[interface].payload = param.ty.clone();
        }
    }

    fn declare_state(&mut self, machine: usize, def: &'a StateDef) -> State {
        let mut state = State {
            name: def.name.clone(),
            temperature: def.temperature,
            entry: None,
            exit: None,
            handlers: BTreeMap::new(),
        };
        let (mut entry, mut exit) = (None, None);
        for item in &def.items {
            match &item.kind {
                StateItemKind::Entry(function) => {
                    if self.only(&mut entry, "entry", def, item) {
                        state.entry = self.handler(machine, function, "entry", &def.name, None, item.span);
                    }
                }
                StateItemKind::Exit(function) => {
                    if self.only(&mut exit, "exit", def, item) {
                        state.exit = self.handler(machine, function, "exit", &def.name, None, item.span);
                    }
                }
                StateItemKind::Defer(events) => self.put(machine, &mut state, events, Handler::Defer),
                StateItemKind::Ignore(events) => self.put(machine, &mut state, events, Handler::Ignore),
                StateItemKind::Do(events, function) => {
                    let run = self.handler(machine, function, "on", &def.name, events.first(), item.span);
                    // Without its function the handler is still one for these events.
                    self.put(machine, &mut state, events, run.map_or(Handler::Ignore, Handler::Do));
                }
                StateItemKind::Goto(events, target, with) => {
                    let with = with
                        .as_ref()
                        .and_then(|with| self.handler(machine, with, "with", &def.name, events.first(), item.span));
                    let target = self.state(machine, target);
                    self.put(machine, &mut state, events, target.map_or(Handler::Ignore, |to| Handler::Goto(to, with)));
                }
            }
        }
        state
    }

    fn only(&mut self, seen: &mut Option<Span>, what: &str, def: &StateDef, item: &StateItem) -> bool {
        match seen {
            None => {
                *seen = Some(item.span);
                true
            }
            Some(first) => {
                let message = format!("the state `{}` has two {what} functions", def.name.name);
                self.d.push(Diagnostic::error(item.span, message).related(*first, "the first one is here"));
                false
            }
        }
    }

    /// The state of a machine with a name.
    pub(super) fn state(&mut self, machine: usize, name: &Ident) -> Option<usize> {
        if let Some(&state) = self.tables[machine].states.get(&name.name) {
            let declared = self.machine_defs[machine].states[state].name.span;
            self.refer(name.span, declared);
            return Some(state);
        }
        let names: Vec<&str> = self.machine_defs[machine].states.iter().map(|state| &*state.name.name).collect();
        let what = format!("state of `{}`", self.p.machines[machine].name.name);
        self.unknown(&what, &name.name, name.span, names.into_iter());
        None
    }

    fn put(&mut self, machine: usize, state: &mut State, events: &[EventRef], handler: Handler) {
        let spec = self.p.machines[machine].kind != MachineKind::Machine;
        for at in events {
            if spec && handler == Handler::Defer {
                let help = "a specification sees events when they are sent; `ignore` drops them";
                self.error_with(at.span, "specifications cannot defer events", help);
            }
            let Some(event) = self.event(at) else { continue };
            if spec && event == NULL {
                self.error(at.span, "specifications have no inbox, so they cannot handle `null`");
            }
            if let Some((_, first)) = state.handlers.get(&event) {
                let name = &self.p.events[event].name.name;
                let message = format!("the state `{}` has two actions for the event `{name}`", state.name.name);
                self.d.push(Diagnostic::error(at.span, message).related(*first, "the first one is here"));
            } else {
                state.handlers.insert(event, (handler, at.span));
            }
        }
    }

    /// The function of a handler.
    fn handler(
        &mut self,
        machine: usize,
        function: &'a HandlerFun,
        what: &str,
        state: &Ident,
        event: Option<&EventRef>,
        span: Span,
    ) -> Option<usize> {
        match function {
            HandlerFun::Named(name) => self.handler_by_name(machine, name),
            HandlerFun::Block(closure) => {
                let event = event.map(|event| match &event.event {
                    crate::ast::EventName::Named(name) => format!("_{name}"),
                    crate::ast::EventName::Halt => "_halt".to_string(),
                    crate::ast::EventName::Null => "_null".to_string(),
                });
                let name = format!("{}_{what}{}", state.name, event.unwrap_or_default());
                Some(self.block(machine, closure, name.into(), span))
            }
        }
    }

    fn block(&mut self, machine: usize, closure: &'a Closure, name: Arc<str>, span: Span) -> usize {
        let source = FunctionSource { params: &closure.params, result: None, body: Some(&closure.body) };
        self.add_function(name, span, Some(machine), source, true)
    }

    fn handler_by_name(&mut self, machine: usize, name: &Ident) -> Option<usize> {
        if let Some(&function) = self.tables[machine].functions.get(&name.name) {
            self.refer(name.span, self.p.functions[function].span);
            if self.p.functions[function].body.is_none() {
                let message = format!("the foreign function `{}` cannot be a handler", name.name);
                self.error_with(name.span, message, "call it from a block `{ … }`");
                return None;
            }
            return Some(function);
        }
        if let Some(&(_, declared)) = self.names.functions.get(&name.name) {
            let message = format!("the global function `{}` cannot be a handler", name.name);
            let diagnostic = Diagnostic::error(name.span, message).related(declared, "declared here");
            self.d.push(diagnostic.help("call it from a block `{ … }`, or move it into the machine"));
            return None;
        }
        let functions = &self.p.functions;
        let names: Vec<Arc<str>> =
            self.tables[machine].functions.values().map(|&function| functions[function].name.clone()).collect();
        let what = format!("function of `{}`", self.p.machines[machine].name.name);
        self.unknown(&what, &name.name, name.span, names.iter().map(|name| &**name));
        None
    }

    /// The parameters of a function.
    pub(super) fn params_of(&self, function: usize) -> Vec<Ty> {
        let function = self.function(function);
        function.locals[..function.params].iter().map(|local| local.ty.clone()).collect()
    }
}
