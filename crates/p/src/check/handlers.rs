//! Handlers: what their functions take, and whether payloads fit.

use super::Checker;
use crate::ast::MachineKind;
use crate::diagnostic::Diagnostic;
use crate::hir::Handler;
use crate::source::Span;
use crate::types::Ty;

impl Checker<'_> {
    pub(super) fn check_handlers(&mut self) {
        for machine in 0..self.p.machines.len() {
            for state in 0..self.p.machines[machine].states.len() {
                self.check_state(machine, state);
            }
            self.check_spec_start(machine);
        }
    }

    /// A specification starts without a payload.
    fn check_spec_start(&mut self, machine: usize) {
        let of = &self.p.machines[machine];
        let entry = of.states.get(of.start).and_then(|state| state.entry);
        if of.kind == MachineKind::Machine {
            return;
        }
        if let Some(param) =
            entry.and_then(|entry| self.p.functions[entry].locals[..self.p.functions[entry].params].first())
        {
            let span = param.name.span;
            self.error(span, "the entry function of the start state of a specification has no parameter");
        }
    }

    fn check_state(&mut self, machine: usize, state: usize) {
        let state = self.p.machines[machine].states[state].clone();
        if let Some(entry) = state.entry {
            self.takes(entry, 1, "an entry function", state.name.span);
        }
        if let Some(exit) = state.exit {
            self.takes(exit, 0, "an exit function", state.name.span);
        }
        for (&event, &(handler, at)) in &state.handlers {
            match handler {
                Handler::Defer | Handler::Ignore => {}
                Handler::Do(run) => {
                    if self.takes(run, 1, "the function of a handler", at) {
                        self.gets(run, event, "the function", at);
                    }
                }
                Handler::Goto(target, with) => {
                    if let Some(with) = with
                        && self.takes(with, 1, "the function of a transition", at)
                    {
                        self.gets(with, event, "the function of the transition", at);
                    }
                    let entry = self.p.machines[machine].states[target].entry;
                    if let Some(entry) = entry.filter(|&entry| self.p.functions[entry].params == 1) {
                        let what =
                            format!("the entry function of `{}`", self.p.machines[machine].states[target].name.name);
                        self.gets(entry, event, &what, at);
                    }
                }
            }
        }
    }

    /// Whether a function has at most this number of parameters.
    fn takes(&mut self, function: usize, most: usize, what: &str, at: Span) -> bool {
        let function = &self.p.functions[function];
        if function.params <= most {
            return true;
        }
        let allowed = if most == 0 { "has no parameter" } else { "has at most one parameter" };
        let extra = function.locals[most].name.span;
        let message = format!("{what} {allowed}");
        let diagnostic = match function.anonymous {
            true => Diagnostic::error(extra, message),
            false => {
                let message = format!("{message}; `{}` has {}", function.name, function.params);
                Diagnostic::error(at, message).related(extra, "here")
            }
        };
        self.d.push(diagnostic);
        false
    }

    /// Checks that a function can take the payload of an event.
    fn gets(&mut self, function: usize, event: usize, what: &str, at: Span) {
        let function = &self.p.functions[function];
        let Some(param) = function.locals[..function.params].first() else { return };
        let payload = &self.p.events[event].payload;
        if self.p.assignable(&param.ty, payload) {
            return;
        }
        let (name, ty) = (&self.p.events[event].name.name, self.show(&param.ty));
        let has = match payload {
            Ty::Null => "has no payload".to_string(),
            payload => format!("has a payload of type {}", self.show(payload)),
        };
        let message = format!("the event `{name}` {has}, but the parameter of {what} has the type {ty}");
        let diagnostic = Diagnostic::error(at, message).related(param.name.span, "the parameter");
        self.d.push(diagnostic);
    }
}
