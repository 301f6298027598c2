//! Bodies of functions: variables and statements.

use super::Checker;
use crate::ast::{self, Case, EventName, Ident, MachineKind, VarDef};
use crate::diagnostic::Diagnostic;
use crate::hir::{self, Effects, Expr, ExprKind, Local, NULL, Stmt, StmtKind};
use crate::source::Span;
use crate::types::Ty;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The function that is being checked.
#[derive(Default)]
pub(super) struct Context {
    pub(super) owner: Option<usize>,
    pub(super) effects: Effects,
    result: Option<Ty>,
    /// The variables by scope: those of the function, and those of the cases of receives around this place.
    scopes: Vec<FxHashMap<Arc<str>, usize>>,
    locals: Vec<Local>,
    loops: u32,
    cases: u32,
}

impl Checker<'_> {
    pub(super) fn check_bodies(&mut self) {
        for index in 0..self.functions.len() {
            let source = self.functions[index];
            let function = &self.p.functions[index];
            let mut scope = FxHashMap::default();
            for (number, local) in function.locals.iter().enumerate() {
                scope.entry(local.name.name.clone()).or_insert(number);
            }
            self.cx = Context {
                owner: function.owner,
                result: function.result.clone(),
                scopes: vec![scope],
                locals: function.locals.clone(),
                ..Context::default()
            };
            let Some(body) = source.body else { continue };
            self.variables(&body.vars);
            let stmts = self.stmts(&body.stmts);
            self.check_paths(index, &stmts, body.span);
            let function = &mut self.p.functions[index];
            function.body = Some(stmts);
            let done = std::mem::take(&mut self.cx);
            (function.locals, function.effects) = (done.locals, done.effects);
        }
    }

    pub(super) fn in_spec(&self) -> bool {
        self.cx.owner.is_some_and(|owner| self.p.machines[owner].kind != MachineKind::Machine)
    }

    /// Declares variables in the innermost scope; returns their numbers.
    fn variables(&mut self, vars: &[VarDef]) -> Vec<usize> {
        let mut declared = Vec::new();
        for var in vars {
            let ty = self.resolve(&var.ty);
            for name in &var.names {
                declared.extend(self.declare_variable("the variable", name, ty.clone()));
            }
        }
        declared
    }

    fn declare_variable(&mut self, what: &str, name: &Ident, ty: Ty) -> Option<usize> {
        self.not_a_param(name);
        let scope = self.cx.scopes.last().expect("there is a scope");
        let known = scope.get(&name.name).map(|&local| self.cx.locals[local].name.span);
        let new = self.twice(what, name, known);
        let number = self.cx.locals.len();
        if new {
            self.cx.locals.push(Local { name: name.clone(), ty });
            self.cx.scopes.last_mut().expect("there is a scope").insert(name.name.clone(), number);
        }
        new.then_some(number)
    }

    /// The variable that a name stands for here, and where it is declared.
    pub(super) fn variable(&self, name: &Arc<str>) -> Option<(ExprKind, Ty, Span)> {
        if let Some(&local) = self.cx.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            let Local { ty, name } = &self.cx.locals[local];
            return Some((ExprKind::Local(local), ty.clone(), name.span));
        }
        if let Some(machine) = self.cx.owner
            && let Some(&field) = self.tables[machine].fields.get(name)
        {
            let Local { ty, name } = &self.p.machines[machine].fields[field];
            return Some((ExprKind::Field(field), ty.clone(), name.span));
        }
        let &(param, declared) = self.names.params.get(name)?;
        Some((ExprKind::Param(param), self.p.params[param].ty.clone(), declared))
    }

    pub(super) fn visible_variables(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = self.cx.scopes.iter().flat_map(|scope| scope.keys().cloned()).collect();
        if let Some(machine) = self.cx.owner {
            names.extend(self.tables[machine].fields.keys().cloned());
        }
        names
    }

    fn stmts(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Stmt {
        Stmt { kind: self.stmt_kind(stmt), span: stmt.span }
    }

    fn boxed_stmt(&mut self, stmt: &ast::Stmt) -> Box<Stmt> {
        Box::new(self.stmt(stmt))
    }

    fn condition(&mut self, expr: &ast::Expr) -> Expr {
        let condition = self.expr(expr);
        self.fits(&Ty::Bool, &condition, "the condition");
        condition
    }

    fn stmt_kind(&mut self, stmt: &ast::Stmt) -> StmtKind {
        let span = stmt.span;
        match &stmt.kind {
            ast::StmtKind::Block(stmts) => StmtKind::Block(self.stmts(stmts)),
            ast::StmtKind::Assert(condition, message) => {
                let condition = self.condition(condition);
                let message = message.as_ref().map(|message| self.expr(message));
                if let Some(message) = &message {
                    self.fits(&Ty::String, message, "the message of `assert`");
                }
                StmtKind::Assert(condition, message)
            }
            ast::StmtKind::Print(message) => {
                let message = self.expr(message);
                self.fits(&Ty::String, &message, "what `print` prints");
                StmtKind::Print(message)
            }
            ast::StmtKind::Return(value) => self.check_return(value.as_ref(), span),
            ast::StmtKind::Break | ast::StmtKind::Continue => {
                let is_break = matches!(stmt.kind, ast::StmtKind::Break);
                // A `break` in a case leaves the case.
                if self.cx.loops == 0 && !(is_break && self.cx.cases > 0) {
                    let what = if is_break { "break" } else { "continue" };
                    self.error(span, format!("`{what}` outside of a loop"));
                }
                if is_break { StmtKind::Break } else { StmtKind::Continue }
            }
            ast::StmtKind::Assign(place, value) => {
                let (place, value) = (self.place(place), self.expr(value));
                self.fits(&place.ty, &value, "what is assigned");
                StmtKind::Assign(place, value)
            }
            ast::StmtKind::Insert(place, key, value) => self.insert(place, key, value),
            ast::StmtKind::Add(place, value) => self.add(place, value),
            ast::StmtKind::Remove(place, key) => self.remove(place, key),
            ast::StmtKind::While(condition, body) => {
                let condition = self.condition(condition);
                self.cx.loops += 1;
                let body = self.boxed_stmt(body);
                self.cx.loops -= 1;
                StmtKind::While(condition, body)
            }
            ast::StmtKind::Foreach(variable, collection, body) => self.foreach(variable, collection, body),
            ast::StmtKind::If(branches, otherwise) => {
                let branches =
                    branches.iter().map(|(condition, then)| (self.condition(condition), self.stmt(then))).collect();
                StmtKind::If(branches, otherwise.as_ref().map(|otherwise| self.boxed_stmt(otherwise)))
            }
            ast::StmtKind::New(interface, args) => {
                let (kind, ty) = self.new_machine(interface, args, span);
                StmtKind::Eval(Expr { kind, ty, span })
            }
            ast::StmtKind::Call(name, args) => {
                let (kind, ty) = self.call(name, args, span);
                StmtKind::Eval(Expr { kind, ty: ty.unwrap_or(Ty::Null), span })
            }
            ast::StmtKind::Raise(event, payload) => {
                self.cx.effects.raise.get_or_insert(span);
                self.leaves_a_value("raise", span);
                let (event, payload) = self.event_and_payload(event, payload, "raised");
                StmtKind::Raise(event, payload)
            }
            ast::StmtKind::Send(target, event, payload) => {
                self.cx.effects.send.get_or_insert(span);
                self.not_in_spec("`send`", span);
                let target = self.expr(target);
                self.target(&target);
                let (event, payload) = self.event_and_payload(event, payload, "sent");
                self.may_send(&event);
                StmtKind::Send(target, event, payload)
            }
            ast::StmtKind::Announce(event, payload) => {
                self.cx.effects.announce.get_or_insert(span);
                self.not_in_spec("`announce`", span);
                let (event, payload) = self.event_and_payload(event, payload, "announced");
                StmtKind::Announce(event, payload)
            }
            ast::StmtKind::Goto(state, payload) => self.goto(state, payload, span),
            ast::StmtKind::Receive(cases) => self.receive(cases, span),
            ast::StmtKind::Empty => StmtKind::Block(Vec::new()),
            // Whatever it was, it may have ended the path.
            ast::StmtKind::Error => StmtKind::Return(None),
        }
    }

    fn target(&mut self, target: &Expr) {
        if !matches!(target.ty, Ty::Machine | Ty::Interface(_) | Ty::EventSet(_) | Ty::Error) {
            let message = format!("an event can only be sent to a machine, not to {}", self.show(&target.ty));
            self.error(target.span, message);
        }
    }

    /// A machine with a list of events that it sends cannot send others; this is only certain when the program runs.
    fn may_send(&mut self, event: &Expr) {
        let Some(machine) = self.cx.owner else { return };
        if let ExprKind::Event(index) = event.kind
            && index != NULL
            && self.machine_defs[machine].sends.is_some()
            && !self.p.machines[machine].sends.contains(&index)
        {
            let (name, machine) = (&self.p.events[index].name.name, &self.p.machines[machine].name.name);
            let message = format!("`{machine}` does not list `{name}` among the events that it sends");
            self.d.push(Diagnostic::warning(event.span, message).help("the send fails when it is executed"));
        }
    }

    fn check_return(&mut self, value: Option<&ast::Expr>, span: Span) -> StmtKind {
        let value = value.map(|value| self.expr(value));
        let expected = if self.cx.cases > 0 { None } else { self.cx.result.clone() };
        match (&expected, &value) {
            (Some(expected), Some(value)) => self.fits(expected, value, "the result"),
            (Some(expected), None) => {
                let message = format!("the function must return a value of type {}", self.show(expected));
                self.error(span, message);
            }
            (None, Some(_)) if self.cx.cases > 0 => {
                let help = "assign it to a variable, and return it after the `receive`";
                self.error_with(span, "a case of a `receive` cannot return a value", help);
            }
            (None, Some(_)) => {
                self.error_with(span, "this function returns nothing", "write `return;`, or declare a result");
            }
            (None, None) => {
                if self.cx.cases > 0 && self.cx.result.is_some() {
                    let message = "a case of a `receive` cannot leave a function that returns a value";
                    self.error(span, message);
                }
            }
        }
        StmtKind::Return(value)
    }

    /// What can be assigned to.
    fn place(&mut self, place: &ast::Expr) -> Expr {
        let checked = self.expr(place);
        let mut root = &checked;
        let mut set = None;
        while let ExprKind::Item(base, _) | ExprKind::Index(base, _) = &root.kind {
            if matches!((&root.kind, &base.ty), (ExprKind::Index(..), Ty::Set(_))) {
                set = Some(root.span);
            }
            root = base;
        }
        if let Some(span) = set {
            let help = "remove it with `-=`, and add another one with `+=`";
            self.error_with(span, "an element of a set cannot be assigned to", help);
        }
        let (span, shown) = (root.span, checked.span);
        match root.kind {
            ExprKind::Local(_) | ExprKind::Field(_) | ExprKind::Error => {}
            ExprKind::Param(_) => self.error(span, "a test parameter cannot be changed"),
            ExprKind::Event(_) => self.error(span, "an event cannot be assigned to"),
            _ => self.error(shown, "only variables, fields, and parts of them can be assigned to"),
        }
        checked
    }

    fn insert(&mut self, place: &ast::Expr, key: &ast::Expr, value: &ast::Expr) -> StmtKind {
        let (place, key, value) = (self.place(place), self.expr(key), self.expr(value));
        match place.ty.clone() {
            Ty::Seq(element) => {
                self.fits(&Ty::Int, &key, "the index");
                self.fits(&element, &value, "the element");
            }
            Ty::Map(expected, element) => {
                self.fits(&expected, &key, "the key");
                self.fits(&element, &value, "the value");
            }
            Ty::Error => {}
            Ty::Set(_) => {
                let help = "`s += (e);` adds to a set; a tuple is added by `s += ((a, b));`";
                self.error_with(place.span, "a set has no index to insert at", help);
            }
            other => {
                let message = format!("`+=` needs a sequence, a set or a map, not {}", self.show(&other));
                self.error(place.span, message);
            }
        }
        StmtKind::Insert(place, key, value)
    }

    fn add(&mut self, place: &ast::Expr, value: &ast::Expr) -> StmtKind {
        let (place, value) = (self.place(place), self.expr(value));
        match place.ty.clone() {
            Ty::Set(element) => self.fits(&element, &value, "the element"),
            Ty::Error => {}
            Ty::Seq(_) => {
                let message = "a sequence needs an index at which to insert";
                self.error_with(place.span, message, "write `s += (sizeof(s), e);` to append");
            }
            Ty::Map(..) => {
                self.error_with(place.span, "a map needs a key and a value", "write `m += (key, value);`");
            }
            other => {
                let message = format!("`+=` needs a sequence, a set or a map, not {}", self.show(&other));
                self.error_with(place.span, message, "a number is increased by `n = n + 1;`");
            }
        }
        StmtKind::Add(place, value)
    }

    fn remove(&mut self, place: &ast::Expr, key: &ast::Expr) -> StmtKind {
        let (place, key) = (self.place(place), self.expr(key));
        match place.ty.clone() {
            Ty::Seq(_) => self.fits(&Ty::Int, &key, "the index"),
            Ty::Set(expected) => self.fits(&expected, &key, "the element"),
            Ty::Map(expected, _) => self.fits(&expected, &key, "the key"),
            Ty::Error => {}
            other => {
                let message = format!("`-=` needs a sequence, a set or a map, not {}", self.show(&other));
                self.error_with(place.span, message, "a number is decreased by `n = n - 1;`");
            }
        }
        StmtKind::Remove(place, key)
    }

    fn foreach(&mut self, variable: &Ident, collection: &ast::Expr, body: &ast::Stmt) -> StmtKind {
        let known = self.variable(&variable.name);
        let place = match known {
            Some((kind, ty, declared)) => {
                self.refer(variable.span, declared);
                if matches!(kind, ExprKind::Param(_)) {
                    self.error(variable.span, "a test parameter cannot be changed");
                }
                Expr { kind, ty, span: variable.span }
            }
            None => {
                let message = format!("there is no variable named `{}`", variable.name);
                let help = format!("declare it: `var {}: …;`", variable.name);
                self.error_with(variable.span, message, help);
                Expr { kind: ExprKind::Error, ty: Ty::Error, span: variable.span }
            }
        };
        let collection = self.expr(collection);
        match collection.ty.clone() {
            Ty::Seq(element) | Ty::Set(element) => {
                if !self.p.same(&element, &place.ty) {
                    let message = format!(
                        "`{}` has the type {}, but the elements have the type {}",
                        variable.name,
                        self.show(&place.ty),
                        self.show(&element)
                    );
                    self.error(variable.span, message);
                }
            }
            Ty::Error => {}
            other => {
                let help = if matches!(other, Ty::Map(..)) { "write `keys(…)` or `values(…)`" } else { "" };
                let message = format!("`foreach` needs a sequence or a set, not {}", self.show(&other));
                self.error_with(collection.span, message, help);
            }
        }
        self.cx.loops += 1;
        let body = self.boxed_stmt(body);
        self.cx.loops -= 1;
        StmtKind::Foreach(place, collection, body)
    }

    /// A function that returns a value cannot leave its caller.
    fn leaves_a_value(&mut self, what: &str, span: Span) {
        if self.cx.result.is_some() {
            let message = format!("a function that returns a value cannot `{what}`");
            self.error_with(span, message, "return something that tells the caller what to do");
        }
    }

    fn goto(&mut self, name: &Ident, payload: &[ast::Expr], span: Span) -> StmtKind {
        self.cx.effects.goto.get_or_insert(span);
        self.leaves_a_value("goto", span);
        let args: Vec<Expr> = payload.iter().map(|arg| self.expr(arg)).collect();
        let Some(machine) = self.cx.owner else {
            self.error_with(span, "a global function has no states to go to", "move the function into the machine");
            return StmtKind::Return(None);
        };
        let Some(state) = self.state(machine, name) else { return StmtKind::Return(None) };
        let entry = self.p.machines[machine].states.get(state).and_then(|state| state.entry);
        let expected = entry.and_then(|entry| self.params_of(entry).into_iter().next()).unwrap_or(Ty::Null);
        let payload = self.payload(&format!("the state `{}`", name.name), &expected, args, name.span);
        StmtKind::Goto(state, payload)
    }

    fn receive(&mut self, cases: &[Case], span: Span) -> StmtKind {
        self.cx.effects.receive.get_or_insert(span);
        self.not_in_spec("`receive`", span);
        let mut seen: FxHashMap<usize, Span> = FxHashMap::default();
        let mut checked = Vec::new();
        for case in cases {
            let mut events = Vec::new();
            for at in &case.events {
                let Some(event) = self.event(at) else { continue };
                if let Some(first) = seen.insert(event, at.span) {
                    let message = format!("two cases for the event `{}`", self.p.events[event].name.name);
                    self.d.push(Diagnostic::error(at.span, message).related(first, "the first one is here"));
                }
                if at.event == EventName::Null {
                    let message = "a case for `null` is never taken";
                    self.d.push(Diagnostic::warning(at.span, message).help("remove it"));
                }
                events.push((event, at.span));
            }
            checked.push(self.case(case, events));
        }
        StmtKind::Receive(checked)
    }

    fn case(&mut self, case: &Case, events: Vec<(usize, Span)>) -> hir::Case {
        self.cx.scopes.push(FxHashMap::default());
        let params = &case.closure.params;
        let mut param = None;
        if let [_, second, ..] = params.as_slice() {
            self.error(second.name.span, "a case has at most one parameter");
        }
        if let Some(first) = params.first() {
            let ty = self.resolve(&first.ty);
            param = self.declare_variable("the parameter", &first.name, ty);
        }
        self.case_payload(case, &events, param);
        let locals = self.variables(&case.closure.body.vars);
        // A loop around the receive is not looked for: `break` in a case is not the same as outside of it.
        self.cx.cases += 1;
        let body = self.stmts(&case.closure.body.stmts);
        self.cx.cases -= 1;
        self.cx.scopes.pop();
        let events = events.into_iter().map(|(event, _)| event).collect();
        hir::Case { events, param, locals, body, span: case.span }
    }

    /// A case for an event with a payload declares a parameter for it.
    fn case_payload(&mut self, case: &Case, events: &[(usize, Span)], param: Option<usize>) {
        let ty = param.map(|param| self.cx.locals[param].ty.clone());
        for &(event, at) in events {
            let payload = self.p.events[event].payload.clone();
            let name = self.p.events[event].name.name.clone();
            match &ty {
                None if payload == Ty::Null || payload.is_error() || !case.closure.params.is_empty() => {}
                None => {
                    let help = format!("write `case {name}: (payload: {}) {{ … }}`", self.p.show(&payload));
                    self.error_with(at, format!("the case for `{name}` needs a parameter for its payload"), help);
                }
                Some(ty) if self.p.assignable(ty, &payload) => {}
                Some(ty) => {
                    let message = format!(
                        "the event `{name}` has a payload of type {}, but the parameter has the type {}",
                        self.show(&payload),
                        self.show(ty)
                    );
                    let span = case.closure.params.first().map_or(at, |param| param.name.span.to(param.ty.span));
                    self.error(span, message);
                }
            }
        }
    }
}
