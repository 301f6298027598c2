//! What functions do, themselves and through the functions that they call: exit and transition functions must not leave the handler, and
//! specifications must only observe. The interfaces that a machine creates are found on the way.
//!
//! The first reason for each effect is propagated along calls from the callee to its callers, in rounds, until nothing changes.

use super::Checker;
use crate::ast::MachineKind;
use crate::diagnostic::Diagnostic;
use crate::hir::Effects;
use crate::source::Span;
use std::collections::BTreeSet;

/// Effects that matter to callers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Leave,
    Send,
    Announce,
    Receive,
    New,
    Nondet,
}

const KINDS: [(Kind, &str); 6] = [
    (Kind::Leave, "raises an event or changes the state"),
    (Kind::Send, "sends an event"),
    (Kind::Announce, "announces an event"),
    (Kind::Receive, "receives events"),
    (Kind::New, "creates a machine"),
    (Kind::Nondet, "makes a choice"),
];

fn own(effects: &Effects, kind: Kind) -> Option<Span> {
    match kind {
        Kind::Leave => effects.raise.or(effects.goto),
        Kind::Send => effects.send,
        Kind::Announce => effects.announce,
        Kind::Receive => effects.receive,
        Kind::New => effects.new,
        Kind::Nondet => effects.nondet,
    }
}

impl Checker<'_> {
    /// For each function, the place in it (a statement or a call) from which an effect comes.
    fn closure(&self, kind: Kind) -> Vec<Option<Span>> {
        let functions = &self.p.functions;
        let mut callers: Vec<Vec<(usize, Span)>> = vec![Vec::new(); functions.len()];
        for (caller, function) in functions.iter().enumerate() {
            for (&callee, &at) in &function.effects.calls {
                callers[callee].push((caller, at));
            }
        }
        let mut why: Vec<Option<Span>> = functions.iter().map(|function| own(&function.effects, kind)).collect();
        let mut open: Vec<usize> = (0..functions.len()).filter(|&function| why[function].is_some()).collect();
        while let Some(callee) = open.pop() {
            for &(caller, at) in &callers[callee] {
                if why[caller].is_none() {
                    why[caller] = Some(at);
                    open.push(caller);
                }
            }
        }
        why
    }

    pub(super) fn check_effects(&mut self) {
        let leave = self.closure(Kind::Leave);
        self.check_silent(&leave);
        for (kind, what) in KINDS {
            if kind != Kind::Leave {
                let why = self.closure(kind);
                self.check_observers(kind, what, &why);
            }
        }
        self.infer_creates();
    }

    /// Exit and transition functions.
    fn check_silent(&mut self, leave: &[Option<Span>]) {
        for machine in 0..self.p.machines.len() {
            for state in 0..self.p.machines[machine].states.len() {
                let state = &self.p.machines[machine].states[state];
                let mut silent: Vec<(usize, &str, Span)> = Vec::new();
                silent.extend(state.exit.map(|exit| (exit, "an exit function", state.name.span)));
                for (handler, at) in state.handlers.values() {
                    if let crate::hir::Handler::Goto(_, Some(with)) = handler {
                        silent.push((*with, "the function of a transition", *at));
                    }
                }
                for (function, what, at) in silent {
                    self.silent(function, what, at, leave);
                }
            }
        }
    }

    fn silent(&mut self, function: usize, what: &str, at: Span, leave: &[Option<Span>]) {
        let Some(why) = leave[function] else { return };
        let function = &self.p.functions[function];
        let message =
            format!("{what} cannot raise events or change the state, also not through the functions it calls");
        let diagnostic = match function.anonymous {
            true => Diagnostic::error(why, message),
            false => {
                let message = format!("{message}; `{}` does", function.name);
                Diagnostic::error(at, message).related(why, "here")
            }
        };
        self.d
            .push(diagnostic.help("send an event to `this` instead, or do it in the entry function of the next state"));
    }

    /// Calls from specifications to global functions that do what specifications must not do. What a function of the specification does itself was
    /// reported where it does it.
    fn check_observers(&mut self, kind: Kind, what: &str, why: &[Option<Span>]) {
        for caller in 0..self.p.functions.len() {
            let function = &self.p.functions[caller];
            let spec = function.owner.filter(|&owner| self.p.machines[owner].kind != MachineKind::Machine);
            if spec.is_none() || own(&function.effects, kind).is_some() {
                continue;
            }
            let calls: Vec<(usize, Span)> = function.effects.calls.iter().map(|(&callee, &at)| (callee, at)).collect();
            for (callee, at) in calls {
                let Some(reason) = why[callee].filter(|_| self.p.functions[callee].owner.is_none()) else { continue };
                let name = &self.p.functions[callee].name;
                let message = format!("a specification cannot call `{name}`, which {what}: it only observes");
                self.d.push(Diagnostic::error(at, message).related(reason, "here"));
            }
        }
    }

    /// The interfaces that machines create, also through global functions.
    fn infer_creates(&mut self) {
        for machine in 0..self.p.machines.len() {
            let mut open = self.p.machines[machine].functions.clone();
            let mut seen: BTreeSet<usize> = open.iter().copied().collect();
            let mut creates = BTreeSet::new();
            while let Some(function) = open.pop() {
                let function = &self.p.functions[function];
                creates.extend(function.effects.creates.iter().chain(&function.creates).copied());
                open.extend(function.effects.calls.keys().copied().filter(|&callee| seen.insert(callee)));
            }
            self.p.machines[machine].creates = creates;
        }
    }
}
