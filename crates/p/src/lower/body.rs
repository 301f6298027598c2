//! Bodies of functions: statements become blocks.

use super::Lowering;
use crate::hir::{Case, Expr, ExprKind, Function, Stmt, StmtKind};
use crate::source::Span;
use manyworlds_p_ir as ir;
use manyworlds_p_ir::{BlockId, FunctionBuilder, LocalId, Op, Place, Terminator};

/// A function that is being lowered.
pub(super) struct BodyLowering<'a, 'p> {
    pub(super) l: &'a mut Lowering<'p>,
    pub(super) f: FunctionBuilder,
    /// The locals of the function by number.
    pub(super) locals: Vec<LocalId>,
    /// What is around this statement, outermost first.
    around: Vec<Around>,
}

/// What `break` and `continue` refer to.
enum Around {
    Loop { again: BlockId, after: BlockId },
    Case { after: BlockId },
}

/// Lowers a function.
pub(super) fn function(l: &mut Lowering<'_>, function: &Function) -> FunctionBuilder {
    let mut f = FunctionBuilder::new();
    let mut locals = Vec::new();
    for (number, local) in function.locals.iter().enumerate() {
        let ty = l.ty(&local.ty);
        let name = &local.name.name;
        locals.push(if number < function.params { f.param(name, ty) } else { f.local(name, ty) });
    }
    if let Some(result) = &function.result {
        f.returns(l.ty(result));
    }
    let Some(body) = &function.body else {
        f.foreign();
        return f;
    };
    let mut lowering = BodyLowering { l, f, locals, around: Vec::new() };
    lowering.stmts(body);
    let end = match function.result {
        // The checker has seen that this end cannot be reached.
        Some(_) => Terminator::Fail(None),
        None => Terminator::Return(None),
    };
    lowering.end(end, function.span);
    lowering.f
}

impl BodyLowering<'_, '_> {
    pub(super) fn push(&mut self, op: Op, span: Span) {
        let span = self.l.span(span);
        self.f.push(op, span);
    }

    pub(super) fn end(&mut self, end: Terminator, span: Span) {
        let span = self.l.span(span);
        self.f.end(end, span);
    }

    pub(super) fn jump(&mut self, to: BlockId, span: Span) {
        self.end(Terminator::Jump(to), span);
    }

    /// What follows a terminator cannot be reached, but is lowered into a block of its own.
    fn finish(&mut self, end: Terminator, span: Span) {
        self.end(end, span);
        let unreachable = self.f.block();
        self.f.switch(unreachable);
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if self.f.is_ended() {
                return;
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::Assert(condition, message) => self.assert(condition, message.as_ref(), span),
            StmtKind::Print(message) => {
                let message = self.expr(message);
                self.push(Op::Print { message }, span);
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value));
                self.end(Terminator::Return(value), span);
            }
            StmtKind::Break => {
                let after = match self.around.last() {
                    Some(Around::Loop { after, .. } | Around::Case { after }) => *after,
                    None => return,
                };
                self.jump(after, span);
            }
            StmtKind::Continue => {
                let innermost = self.around.iter().rev().find_map(|around| match around {
                    Around::Loop { again, .. } => Some(*again),
                    Around::Case { .. } => None,
                });
                if let Some(again) = innermost {
                    self.jump(again, span);
                }
            }
            StmtKind::Assign(to, value) => {
                let (to, [value]) = self.place_and(to, [value]);
                self.push(Op::Assign { to, value }, span);
            }
            StmtKind::Insert(to, key, value) => {
                let (to, [key, value]) = self.place_and(to, [key, value]);
                self.push(Op::Insert { to, key, value }, span);
            }
            StmtKind::Add(to, value) => {
                let (to, [value]) = self.place_and(to, [value]);
                self.push(Op::Add { to, value }, span);
            }
            StmtKind::Remove(from, key) => {
                let (from, [key]) = self.place_and(from, [key]);
                self.push(Op::Remove { from, key }, span);
            }
            StmtKind::While(condition, body) => self.repeat(condition, body, span),
            StmtKind::Foreach(variable, of, body) => self.foreach(variable, of, body, span),
            StmtKind::If(branches, otherwise) => self.branches(branches, otherwise.as_deref(), span),
            StmtKind::Eval(expr) => self.eval(expr),
            StmtKind::Raise(event, payload) => {
                let (event, payload) = self.event(event, payload.as_ref());
                self.end(Terminator::Raise { event, payload }, span);
            }
            StmtKind::Send(target, event, payload) => {
                let payload = sent(event, payload.as_ref());
                let all: Vec<&Expr> = [target, event].into_iter().chain(payload).collect();
                let mut all = self.exprs(&all).into_iter();
                let (target, event) = (all.next().expect("a target"), all.next().expect("an event"));
                self.push(Op::Send { target, event, payload: all.next() }, span);
            }
            StmtKind::Announce(event, payload) => {
                let (event, payload) = self.event(event, payload.as_ref());
                self.push(Op::Announce { event, payload }, span);
            }
            StmtKind::Goto(state, payload) => {
                let payload = payload.as_ref().filter(|payload| !matches!(payload.kind, ExprKind::Null));
                let payload = payload.map(|payload| self.expr(payload));
                self.end(Terminator::Goto { state: ir::StateId::at(*state), payload }, span);
            }
            StmtKind::Receive(cases) => self.receive(cases, span),
        }
    }

    fn event(&mut self, event: &Expr, payload: Option<&Expr>) -> (ir::Expr, Option<ir::Expr>) {
        let all: Vec<&Expr> = [event].into_iter().chain(sent(event, payload)).collect();
        let mut all = self.exprs(&all).into_iter();
        (all.next().expect("an event"), all.next())
    }

    /// The message is evaluated only if the condition does not hold.
    fn assert(&mut self, condition: &Expr, message: Option<&Expr>, span: Span) {
        let fails = matches!(condition.kind, ExprKind::Bool(false));
        if message.is_none_or(|message| !self.has_effect(message)) && !fails {
            let condition = self.expr(condition);
            let message = message.map(|message| self.expr(message));
            return self.push(Op::Assert { condition, message }, span);
        }
        if fails {
            let message = message.map(|message| self.expr(message));
            return self.finish(Terminator::Fail(message), span);
        }
        let condition = self.expr(condition);
        let (then, otherwise) = (self.f.block(), self.f.block());
        self.end(Terminator::Branch { condition, then, otherwise }, span);
        self.f.switch(otherwise);
        let message = message.map(|message| self.expr(message));
        self.end(Terminator::Fail(message), span);
        self.f.switch(then);
    }

    fn repeat(&mut self, condition: &Expr, body: &Stmt, span: Span) {
        let (again, then, after) = (self.f.block(), self.f.block(), self.f.block());
        self.jump(again, span);
        self.f.switch(again);
        let at = condition.span;
        let condition = self.expr(condition);
        self.end(Terminator::Branch { condition, then, otherwise: after }, at);
        self.f.switch(then);
        self.around.push(Around::Loop { again, after });
        self.stmt(body);
        self.around.pop();
        self.jump(again, span);
        self.f.switch(after);
    }

    /// The collection is copied; its elements are counted.
    fn foreach(&mut self, variable: &Expr, of: &Expr, body: &Stmt, span: Span) {
        let ty = self.l.ty(&of.ty);
        let value = self.expr(of);
        let (all, next) = (self.f.local("each", ty), self.f.local("next", ir::TypeId::INT));
        self.push(Op::Assign { to: Place::local(all), value }, span);
        self.push(Op::Assign { to: Place::local(next), value: ir::Expr::int(0) }, span);
        let (again, then, after) = (self.f.block(), self.f.block(), self.f.block());
        self.jump(again, span);
        self.f.switch(again);
        let size = ir::Expr::unary(ir::Unary::Size, ir::Expr::Local(all));
        let condition = ir::Expr::binary(ir::Binary::Lt, ir::Expr::Local(next), size);
        self.end(Terminator::Branch { condition, then, otherwise: after }, span);
        self.f.switch(then);
        let (to, []) = self.place_and(variable, []);
        self.push(Op::Assign { to, value: ir::Expr::Local(all).at(ir::Expr::Local(next)) }, span);
        let more = ir::Expr::binary(ir::Binary::Add, ir::Expr::Local(next), ir::Expr::int(1));
        self.push(Op::Assign { to: Place::local(next), value: more }, span);
        self.around.push(Around::Loop { again, after });
        self.stmt(body);
        self.around.pop();
        self.jump(again, span);
        self.f.switch(after);
    }

    fn branches(&mut self, branches: &[(Expr, Stmt)], otherwise: Option<&Stmt>, span: Span) {
        let after = self.f.block();
        for (condition, then) in branches {
            let at = condition.span;
            let condition = self.expr(condition);
            let (taken, not_taken) = (self.f.block(), self.f.block());
            self.end(Terminator::Branch { condition, then: taken, otherwise: not_taken }, at);
            self.f.switch(taken);
            self.stmt(then);
            self.jump(after, span);
            self.f.switch(not_taken);
        }
        if let Some(otherwise) = otherwise {
            self.stmt(otherwise);
        }
        self.jump(after, span);
        self.f.switch(after);
    }

    fn receive(&mut self, cases: &[Case], span: Span) {
        let after = self.f.block();
        let blocks: Vec<BlockId> = cases.iter().map(|_| self.f.block()).collect();
        let mut listed = Vec::new();
        for (case, &block) in cases.iter().zip(&blocks) {
            let payload = case.param.map(|param| self.locals[param]);
            listed.extend(case.events.iter().map(|&event| ir::Case { event: ir::EventId::at(event), payload, block }));
        }
        self.end(Terminator::Receive(listed), span);
        for (case, &block) in cases.iter().zip(&blocks) {
            self.f.switch(block);
            for &local in &case.locals {
                let local = self.locals[local];
                let value = ir::Expr::Default(self.f.local_type(local));
                self.push(Op::Assign { to: Place::local(local), value }, case.span);
            }
            self.around.push(Around::Case { after });
            self.stmts(&case.body);
            self.around.pop();
            self.jump(after, case.span);
        }
        self.f.switch(after);
    }
}

/// The payload of an event; `null` after an event without payload is none.
fn sent<'a>(event: &Expr, payload: Option<&'a Expr>) -> Option<&'a Expr> {
    let literal = matches!(event.kind, ExprKind::Event(_));
    payload.filter(|payload| !(literal && matches!(payload.kind, ExprKind::Null)))
}
