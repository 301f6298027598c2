//! Warnings: what is legal, and probably a mistake.

use super::Checker;
use crate::ast::{File, Item, MachineKind, Temperature};
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, ExprKind, HALT, Handler, NULL, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The events and states that statements mention.
#[derive(Default)]
struct Mentioned {
    /// Events that are values: sent, raised, announced, assigned, passed.
    events: BTreeSet<usize>,
    /// Events that a receive waits for.
    received: BTreeSet<usize>,
    /// States that are gone to.
    states: BTreeSet<usize>,
}

impl Checker<'_> {
    pub(super) fn warn(&mut self, files: &[File]) {
        if self.d.has_errors() {
            return;
        }
        let mentioned: Vec<Mentioned> =
            self.p.functions.iter().map(|function| mentioned(function.body.as_deref())).collect();
        self.warn_events(&mentioned);
        for machine in 0..self.p.machines.len() {
            self.warn_states(machine, &mentioned);
            self.warn_spec(machine);
        }
        let tests = files.iter().flat_map(|file| &file.items).any(|item| matches!(item, Item::Test(_)));
        if tests {
            self.warn_specs_without_test();
        }
    }

    fn warn_events(&mut self, mentioned: &[Mentioned]) {
        let values: BTreeSet<usize> = mentioned.iter().flat_map(|of| of.events.iter().copied()).collect();
        let mut taken: BTreeSet<usize> = mentioned.iter().flat_map(|of| of.received.iter().copied()).collect();
        for machine in &self.p.machines {
            taken.extend(machine.states.iter().flat_map(|state| state.handlers.keys().copied()));
            taken.extend(machine.observes.iter().copied());
        }
        for event in HALT + 1..self.p.events.len() {
            let name = &self.p.events[event].name;
            let message = match (values.contains(&event), taken.contains(&event)) {
                (true, true) => continue,
                (true, false) => format!("nothing handles or receives the event `{}`", name.name),
                (false, true) => format!("nothing sends or raises the event `{}`", name.name),
                (false, false) => format!("the event `{}` is not used", name.name),
            };
            self.d.push(Diagnostic::warning(name.span, message));
        }
    }

    fn warn_states(&mut self, machine: usize, mentioned: &[Mentioned]) {
        let of = &self.p.machines[machine];
        // Whichever function is called: it may be called in any state that is reachable.
        let gone_to: BTreeSet<usize> =
            of.functions.iter().flat_map(|&function| mentioned[function].states.iter().copied()).collect();
        let mut reached: BTreeSet<usize> = gone_to.into_iter().chain([of.start]).collect();
        let mut open: Vec<usize> = reached.iter().copied().collect();
        while let Some(state) = open.pop() {
            let Some(state) = of.states.get(state) else { continue };
            for (handler, _) in state.handlers.values() {
                if let Handler::Goto(target, _) = handler
                    && reached.insert(*target)
                {
                    open.push(*target);
                }
            }
        }
        for (number, state) in of.states.iter().enumerate() {
            if !reached.contains(&number) {
                let message = format!("the state `{}` of `{}` cannot be reached", state.name.name, of.name.name);
                self.d.push(Diagnostic::warning(state.name.span, message));
            }
        }
    }

    fn warn_spec(&mut self, machine: usize) {
        let of = &self.p.machines[machine];
        if of.kind == MachineKind::Machine {
            for state in of.states.iter().filter(|state| state.temperature != Temperature::Warm) {
                let message = "`hot` and `cold` have a meaning in specifications only";
                self.d.push(Diagnostic::warning(state.name.span, message));
            }
            return;
        }
        let raised: BTreeSet<usize> = of
            .functions
            .iter()
            .filter_map(|&function| self.p.functions[function].body.as_deref())
            .flat_map(|body| mentioned(Some(body)).events)
            .collect();
        for state in &of.states {
            for (&event, (_, at)) in &state.handlers {
                if !of.observes.contains(&event) && !raised.contains(&event) && event != NULL {
                    let (name, spec) = (&self.p.events[event].name.name, &of.name.name);
                    let message = format!("`{spec}` does not observe the event `{name}`, so this is never executed");
                    let help = format!("add `{name}` to `observes`");
                    self.d.push(Diagnostic::warning(*at, message).help(help));
                }
            }
        }
        if of.kind == MachineKind::Scenario {
            let cold = |state: &crate::hir::State| state.temperature == Temperature::Cold;
            if !of.states.iter().any(cold) {
                let message = format!("the scenario `{}` has no cold state, so it is never covered", of.name.name);
                self.d.push(Diagnostic::warning(of.name.span, message));
            } else if of.states.get(of.start).is_some_and(cold) {
                let message = "the start state of a scenario is cold, which does not count as covered";
                self.d.push(Diagnostic::warning(of.states[of.start].name.span, message));
            }
        }
    }

    fn warn_specs_without_test(&mut self) {
        let used: BTreeSet<usize> =
            self.p.tests.iter().flat_map(|test| test.specs.iter().map(|&(spec, _)| spec)).collect();
        for (index, machine) in self.p.machines.iter().enumerate() {
            if machine.kind == MachineKind::Spec && !used.contains(&index) {
                let message = format!("no test asserts the specification `{}`", machine.name.name);
                let help = format!("write `test tc [main = M]: assert {} in {{ … }};`", machine.name.name);
                self.d.push(Diagnostic::warning(machine.name.span, message).help(help));
            }
        }
    }
}

fn mentioned(body: Option<&[Stmt]>) -> Mentioned {
    let mut found = Mentioned::default();
    for stmt in body.unwrap_or_default() {
        found.stmt(stmt);
    }
    found
}

impl Mentioned {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Assert(a, b) | StmtKind::Raise(a, b) | StmtKind::Announce(a, b) => {
                [Some(a), b.as_ref()].into_iter().flatten().for_each(|expr| self.expr(expr));
            }
            StmtKind::Print(a) | StmtKind::Eval(a) => self.expr(a),
            StmtKind::Assign(a, b) | StmtKind::Add(a, b) | StmtKind::Remove(a, b) => {
                [a, b].into_iter().for_each(|expr| self.expr(expr));
            }
            StmtKind::Insert(a, b, c) => [a, b, c].into_iter().for_each(|expr| self.expr(expr)),
            StmtKind::Send(a, b, c) => {
                [Some(a), Some(b), c.as_ref()].into_iter().flatten().for_each(|expr| self.expr(expr));
            }
            StmtKind::While(condition, body) => {
                self.expr(condition);
                self.stmt(body);
            }
            StmtKind::Foreach(_, of, body) => {
                self.expr(of);
                self.stmt(body);
            }
            StmtKind::If(branches, otherwise) => {
                for (condition, then) in branches {
                    self.expr(condition);
                    self.stmt(then);
                }
                otherwise.iter().for_each(|otherwise| self.stmt(otherwise));
            }
            StmtKind::Goto(state, payload) => {
                self.states.insert(*state);
                payload.iter().for_each(|payload| self.expr(payload));
            }
            StmtKind::Receive(cases) => {
                for case in cases {
                    self.received.extend(case.events.iter().copied());
                    case.body.iter().for_each(|stmt| self.stmt(stmt));
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Event(event) => {
                self.events.insert(*event);
            }
            ExprKind::Format(_, all) | ExprKind::Call(_, all) | ExprKind::Tuple(all) | ExprKind::Named(all) => {
                all.iter().for_each(|expr| self.expr(expr));
            }
            ExprKind::New(_, payload) => payload.iter().for_each(|payload| self.expr(payload)),
            ExprKind::ChooseInt(a)
            | ExprKind::ChooseFrom(a)
            | ExprKind::Keys(a)
            | ExprKind::Values(a)
            | ExprKind::Sizeof(a)
            | ExprKind::Item(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::As(a)
            | ExprKind::To(a) => self.expr(a),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            _ => {}
        }
    }
}
