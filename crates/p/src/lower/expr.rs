//! Expressions: what has an effect becomes an instruction with a temporary, in the order of the source.
//!
//! Operands are evaluated from left to right. If one of them has an effect, those before it are put into temporaries, unless nothing can change or fail
//! in them.

use super::body::BodyLowering;
use crate::ast::{BinaryOp, UnaryOp};
use crate::hir::{self, Expr, ExprKind};
use manyworlds_p_ir as ir;
use manyworlds_p_ir::{Choice, Const, LocalId, Op, Place, Root, Step, Terminator};

impl BodyLowering<'_, '_> {
    /// Whether evaluating an expression calls, creates or chooses.
    pub(super) fn has_effect(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Call(..)
            | ExprKind::New(..)
            | ExprKind::Nondet
            | ExprKind::FairNondet
            | ExprKind::ChooseInt(_)
            | ExprKind::ChooseFrom(_) => true,
            ExprKind::Format(_, all) | ExprKind::Tuple(all) | ExprKind::Named(all) => {
                all.iter().any(|expr| self.has_effect(expr))
            }
            ExprKind::Keys(a)
            | ExprKind::Values(a)
            | ExprKind::Sizeof(a)
            | ExprKind::Item(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::As(a)
            | ExprKind::To(a) => self.has_effect(a),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => self.has_effect(a) || self.has_effect(b),
            _ => false,
        }
    }

    /// Operands, from left to right.
    pub(super) fn exprs(&mut self, exprs: &[&Expr]) -> Vec<ir::Expr> {
        let last = exprs.iter().rposition(|expr| self.has_effect(expr));
        let mut lowered = Vec::new();
        for (number, expr) in exprs.iter().enumerate() {
            let value = match last {
                Some(last) if number < last => self.kept(expr),
                _ => self.expr(expr),
            };
            lowered.push(value);
        }
        lowered
    }

    /// An operand whose value must not change, and which must fail now if it fails.
    fn kept(&mut self, expr: &Expr) -> ir::Expr {
        match &expr.kind {
            ExprKind::Tuple(fields) => {
                let fields = fields.iter().map(|field| self.kept(field)).collect();
                return ir::Expr::Tuple(fields);
            }
            ExprKind::Named(fields) => {
                let names = self.l.names(&expr.ty);
                let fields = fields.iter().map(|field| self.kept(field)).collect();
                return ir::Expr::Named(names, fields);
            }
            _ => {}
        }
        let value = self.expr(expr);
        if matches!(value, ir::Expr::Const(_) | ir::Expr::Local(_) | ir::Expr::Param(_) | ir::Expr::This) {
            return value;
        }
        let to = self.temporary(expr);
        self.push(Op::Assign { to: Place::local(to), value }, expr.span);
        ir::Expr::Local(to)
    }

    /// A temporary of the type of an expression.
    fn temporary(&mut self, expr: &Expr) -> LocalId {
        let ty = self.l.ty(&expr.ty);
        self.f.local("temp", ty)
    }

    /// Evaluates an expression and drops its value.
    pub(super) fn eval(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call(function, args) => self.call(None, *function, args, expr),
            ExprKind::New(interface, payload) => self.create(None, *interface, payload.as_deref(), expr),
            _ => {
                self.expr(expr);
            }
        }
    }

    fn call(&mut self, to: Option<LocalId>, function: usize, args: &[Expr], expr: &Expr) {
        let args = self.exprs(&args.iter().collect::<Vec<_>>());
        self.push(Op::Call { to, function: ir::FunctionId::at(function), args }, expr.span);
    }

    fn create(&mut self, to: Option<LocalId>, interface: usize, payload: Option<&Expr>, expr: &Expr) {
        let none = self.l.p.interfaces[interface].payload == crate::types::Ty::Null;
        let payload = payload.filter(|_| !none).map(|payload| self.expr(payload));
        self.push(Op::New { to, interface: ir::InterfaceId::at(interface), payload }, expr.span);
    }

    fn choose(&mut self, from: Choice, expr: &Expr) -> ir::Expr {
        let to = self.temporary(expr);
        self.push(Op::Choose { to, from }, expr.span);
        ir::Expr::Local(to)
    }

    fn boxed(&mut self, expr: &Expr) -> Box<ir::Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> ir::Expr {
        match &expr.kind {
            ExprKind::Local(local) => ir::Expr::Local(self.locals[*local]),
            ExprKind::Field(field) => ir::Expr::Field(ir::FieldId::at(*field)),
            ExprKind::Param(param) => ir::Expr::Param(ir::ParamId::at(*param)),
            ExprKind::Element(of, number) => ir::Expr::Const(Const::Enum(ir::EnumId::at(*of), *number)),
            ExprKind::Event(event) => ir::Expr::event(ir::EventId::at(*event)),
            ExprKind::Int(value) => ir::Expr::int(*value),
            ExprKind::Float(value) => ir::Expr::Const(Const::Float(*value)),
            ExprKind::Bool(value) => ir::Expr::bool(*value),
            ExprKind::Str(text) => ir::Expr::Const(Const::String(text.clone())),
            ExprKind::Null | ExprKind::Error => ir::Expr::Const(Const::Null),
            ExprKind::This => ir::Expr::This,
            ExprKind::Nondet => self.choose(Choice::Bool, expr),
            ExprKind::FairNondet => self.choose(Choice::FairBool, expr),
            ExprKind::ChooseInt(of) => {
                let of = self.expr(of);
                self.choose(Choice::Int(of), expr)
            }
            ExprKind::ChooseFrom(of) => {
                let of = self.expr(of);
                self.choose(Choice::Element(of), expr)
            }
            ExprKind::Format(pieces, args) => {
                let args = self.exprs(&args.iter().collect::<Vec<_>>());
                ir::Expr::Format(pieces.iter().map(piece).collect(), args)
            }
            ExprKind::Keys(of) => ir::Expr::Unary(ir::Unary::Keys, self.boxed(of)),
            ExprKind::Values(of) => ir::Expr::Unary(ir::Unary::Values, self.boxed(of)),
            ExprKind::Sizeof(of) => ir::Expr::Unary(ir::Unary::Size, self.boxed(of)),
            ExprKind::Default => ir::Expr::Default(self.l.ty(&expr.ty)),
            ExprKind::New(interface, payload) => {
                let to = self.temporary(expr);
                self.create(Some(to), *interface, payload.as_deref(), expr);
                ir::Expr::Local(to)
            }
            ExprKind::Call(function, args) => {
                let to = self.temporary(expr);
                self.call(Some(to), *function, args, expr);
                ir::Expr::Local(to)
            }
            ExprKind::Tuple(fields) => ir::Expr::Tuple(self.exprs(&fields.iter().collect::<Vec<_>>())),
            ExprKind::Named(fields) => {
                let names = self.l.names(&expr.ty);
                ir::Expr::Named(names, self.exprs(&fields.iter().collect::<Vec<_>>()))
            }
            ExprKind::Item(of, number) => ir::Expr::Item(self.boxed(of), *number),
            ExprKind::Index(of, index) => {
                let mut both = self.exprs(&[of, index]).into_iter();
                let (of, index) = (both.next().expect("a collection"), both.next().expect("an index"));
                of.at(index)
            }
            ExprKind::Unary(op, of) => {
                let op = match op {
                    UnaryOp::Neg => ir::Unary::Negate,
                    UnaryOp::Not => ir::Unary::Not,
                };
                ir::Expr::Unary(op, self.boxed(of))
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr),
            ExprKind::As(of) => {
                let of = self.boxed(of);
                ir::Expr::Cast(of, self.l.ty(&expr.ty))
            }
            ExprKind::To(of) => {
                let of = self.boxed(of);
                ir::Expr::Coerce(of, self.l.ty(&expr.ty))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, expr: &Expr) -> ir::Expr {
        let lowered = match op {
            BinaryOp::And | BinaryOp::Or if self.has_effect(right) => return self.lazy(op, left, right, expr),
            BinaryOp::And => ir::Binary::And,
            BinaryOp::Or => ir::Binary::Or,
            BinaryOp::Mul => ir::Binary::Mul,
            BinaryOp::Div => ir::Binary::Div,
            BinaryOp::Mod => ir::Binary::Rem,
            BinaryOp::Add => ir::Binary::Add,
            BinaryOp::Sub => ir::Binary::Sub,
            BinaryOp::Lt => ir::Binary::Lt,
            BinaryOp::Gt => ir::Binary::Gt,
            BinaryOp::Le => ir::Binary::Le,
            BinaryOp::Ge => ir::Binary::Ge,
            BinaryOp::In => ir::Binary::In,
            BinaryOp::Eq => ir::Binary::Eq,
            BinaryOp::Ne => ir::Binary::Ne,
        };
        let mut both = self.exprs(&[left, right]).into_iter();
        let (left, right) = (both.next().expect("a left side"), both.next().expect("a right side"));
        ir::Expr::binary(lowered, left, right)
    }

    /// `&&` and `||` whose right side has an effect, which only happens if the left side does not decide.
    fn lazy(&mut self, op: BinaryOp, left: &Expr, right: &Expr, expr: &Expr) -> ir::Expr {
        let result = self.temporary(expr);
        let condition = self.expr(left);
        let (more, decided, after) = (self.f.block(), self.f.block(), self.f.block());
        let (then, otherwise) = if op == BinaryOp::And { (more, decided) } else { (decided, more) };
        self.end(Terminator::Branch { condition, then, otherwise }, expr.span);
        self.f.switch(decided);
        let value = ir::Expr::bool(op == BinaryOp::Or);
        self.push(Op::Assign { to: Place::local(result), value }, expr.span);
        self.jump(after, expr.span);
        self.f.switch(more);
        let value = self.expr(right);
        self.push(Op::Assign { to: Place::local(result), value }, expr.span);
        self.jump(after, expr.span);
        self.f.switch(after);
        ir::Expr::Local(result)
    }

    /// A place and operands after it; the indices in the place are evaluated first.
    pub(super) fn place_and<const N: usize>(&mut self, place: &Expr, operands: [&Expr; N]) -> (Place, [ir::Expr; N]) {
        let mut steps = Vec::new();
        let mut indices: Vec<&Expr> = Vec::new();
        let mut at = place;
        loop {
            match &at.kind {
                ExprKind::Item(of, number) => {
                    steps.push(Some(*number));
                    at = of;
                }
                ExprKind::Index(of, index) => {
                    steps.push(None);
                    indices.push(index);
                    at = of;
                }
                _ => break,
            }
        }
        steps.reverse();
        indices.reverse();
        let root = match at.kind {
            ExprKind::Field(field) => Root::Field(ir::FieldId::at(field)),
            ExprKind::Local(local) => Root::Local(self.locals[local]),
            _ => unreachable!("the checker refuses other places"),
        };
        let inside = indices.len();
        let all: Vec<&Expr> = indices.into_iter().chain(operands).collect();
        let mut lowered = self.exprs(&all);
        let operands = lowered.split_off(inside).try_into().expect("as many as there were");
        let mut indices = lowered.into_iter();
        let step = |step: Option<u32>| match step {
            Some(number) => Step::Item(number),
            None => Step::Index(indices.next().expect("as many as there were")),
        };
        let path = steps.into_iter().map(step).collect();
        (Place { root, path }, operands)
    }
}

fn piece(piece: &hir::Piece) -> ir::code::Piece {
    match piece {
        hir::Piece::Text(text) => ir::code::Piece::Text(text.clone()),
        hir::Piece::Arg(number) => ir::code::Piece::Arg(*number),
    }
}
