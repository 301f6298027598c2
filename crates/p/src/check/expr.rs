//! The types of expressions.

use super::Checker;
use super::names::ValueName;
use super::strings;
use crate::ast::{self, BinaryOp, Ident, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, ExprKind, HALT};
use crate::source::Span;
use crate::types::Ty;
use std::sync::Arc;

/// The largest number of values that a choice may have.
const MAX_CHOICES: i64 = 10_000;

impl Checker<'_> {
    /// An expression that has a value.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let (kind, ty) = self.kind(expr);
        Expr { kind, ty, span: expr.span }
    }

    fn boxed(&mut self, expr: &ast::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn kind(&mut self, expr: &ast::Expr) -> (ExprKind, Ty) {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Int(value) => (value.map_or(ExprKind::Error, ExprKind::Int), Ty::Int),
            ast::ExprKind::Float(value) => (ExprKind::Float(*value), Ty::Float),
            ast::ExprKind::Bool(value) => (ExprKind::Bool(*value), Ty::Bool),
            ast::ExprKind::Str(text) => self.string(text, span),
            ast::ExprKind::Null => (ExprKind::Null, Ty::Null),
            ast::ExprKind::Halt => (ExprKind::Event(HALT), Ty::Event),
            ast::ExprKind::This => self.this(span),
            ast::ExprKind::Nondet => {
                self.nondet("`$`", span);
                (ExprKind::Nondet, Ty::Bool)
            }
            ast::ExprKind::FairNondet => {
                self.nondet("`$$`", span);
                (ExprKind::FairNondet, Ty::Bool)
            }
            ast::ExprKind::Format(text, args) => self.format(text, args, span),
            ast::ExprKind::Keys(of) => self.keys_or_values(of, "keys"),
            ast::ExprKind::Values(of) => self.keys_or_values(of, "values"),
            ast::ExprKind::Sizeof(of) => {
                let of = self.boxed(of);
                if !matches!(of.ty, Ty::Seq(_) | Ty::Set(_) | Ty::Map(..) | Ty::Error) {
                    let message = format!("`sizeof` needs a sequence, a set or a map, not {}", self.show(&of.ty));
                    self.error(of.span, message);
                }
                (ExprKind::Sizeof(of), Ty::Int)
            }
            ast::ExprKind::Default(ty) => (ExprKind::Default, self.resolve(ty)),
            ast::ExprKind::Choose(of) => self.choose(of.as_deref(), span),
            ast::ExprKind::New(interface, args) => self.new_machine(interface, args, span),
            ast::ExprKind::Call(name, args) => {
                let (kind, ty) = self.call(name, args, span);
                let ty = ty.unwrap_or_else(|| {
                    self.error(span, format!("`{}` returns nothing, so its call has no value", name.name));
                    Ty::Error
                });
                (kind, ty)
            }
            ast::ExprKind::Tuple(fields) => {
                let fields: Vec<Expr> = fields.iter().map(|field| self.expr(field)).collect();
                let ty = Ty::Tuple(fields.iter().map(|field| field.ty.clone()).collect());
                (ExprKind::Tuple(fields), ty)
            }
            ast::ExprKind::Named(fields) => self.named_tuple(fields),
            ast::ExprKind::Field(base, name) => self.field(base, name),
            ast::ExprKind::Index(base, index, at) => self.item(base, *index, *at),
            ast::ExprKind::Element(base, index) => self.element(base, index),
            ast::ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ast::ExprKind::As(value, ty) => {
                let (value, ty) = (self.boxed(value), self.resolve(ty));
                if !self.p.comparable(&ty, &value.ty) {
                    let message = format!("{} can never be {}", self.show(&value.ty), self.show(&ty));
                    self.error_with(span, message, "`to` converts numbers, enums and machines");
                }
                (ExprKind::As(value), ty)
            }
            ast::ExprKind::To(value, ty) => self.convert(value, ty, span),
            ast::ExprKind::Error => (ExprKind::Error, Ty::Error),
        }
    }

    fn name(&mut self, name: &Arc<str>, span: Span) -> (ExprKind, Ty) {
        if let Some((kind, ty, declared)) = self.variable(name) {
            self.refer(span, declared);
            return (kind, ty);
        }
        if !self.test_constants
            && let Some(&(value, declared)) = self.names.values.get(name)
        {
            self.refer(span, declared);
            return match value {
                ValueName::Event(event) => (ExprKind::Event(event), Ty::Event),
                ValueName::Element(of, number) => (ExprKind::Element(of, number), Ty::Enum(of)),
            };
        }
        self.unknown_value(name, span);
        (ExprKind::Error, Ty::Error)
    }

    fn unknown_value(&mut self, name: &str, span: Span) {
        if let Some(&(_, declared)) = self.names.types.get(name) {
            let message = format!("`{name}` is the name of a type or a machine, not a value");
            let diagnostic = Diagnostic::error(span, message).related(declared, "declared here");
            self.d.push(diagnostic.help("`new` creates a machine; `this` is the machine that runs"));
            return;
        }
        let mut known: Vec<Arc<str>> = self.visible_variables();
        known.extend(self.names.params.keys().cloned());
        if !self.test_constants {
            known.extend(self.names.values.keys().cloned());
        }
        self.unknown("variable, event or enum element", name, span, known.iter().map(|name| &**name));
    }

    fn string(&mut self, text: &str, span: Span) -> (ExprKind, Ty) {
        match strings::pieces(text) {
            Err(why) => self.error(span, why),
            Ok(pieces) if strings::arguments(&pieces) > 0 => {
                let help = "write `format(\"…\", …)` with the arguments, or double the braces";
                self.error_with(span, "this string has places for arguments, but there are no arguments", help);
            }
            Ok(pieces) => return (ExprKind::Str(strings::plain(pieces)), Ty::String),
        }
        (ExprKind::Error, Ty::String)
    }

    fn format(&mut self, text: &Ident, args: &[ast::Expr], span: Span) -> (ExprKind, Ty) {
        let args: Vec<Expr> = args.iter().map(|arg| self.expr(arg)).collect();
        match strings::pieces(&text.name) {
            Err(why) => self.error(text.span, why),
            Ok(pieces) if strings::arguments(&pieces) != args.len() => {
                let places = strings::arguments(&pieces);
                let message =
                    format!("the format has {places} places for arguments, but there are {} arguments", args.len());
                self.error_with(span, message, "places are numbered from `{0}`");
            }
            Ok(pieces) => return (ExprKind::Format(pieces, args), Ty::String),
        }
        (ExprKind::Error, Ty::String)
    }

    fn this(&mut self, span: Span) -> (ExprKind, Ty) {
        let Some(machine) = self.cx.owner else {
            self.error_with(span, "`this` has no meaning outside of a machine", "pass the machine as an argument");
            return (ExprKind::Error, Ty::Error);
        };
        match self.p.machines[machine].interface {
            Some(interface) => (ExprKind::This, Ty::Interface(interface)),
            None => {
                self.error(span, "a specification cannot use `this`: it has no inbox");
                (ExprKind::Error, Ty::Error)
            }
        }
    }

    fn nondet(&mut self, what: &str, span: Span) {
        self.cx.effects.nondet.get_or_insert(span);
        self.not_in_spec(what, span);
    }

    /// What a specification must not do, because it only observes.
    pub(super) fn not_in_spec(&mut self, what: &str, span: Span) {
        if self.in_spec() {
            self.error(span, format!("a specification cannot use {what}: it only observes"));
        }
    }

    fn keys_or_values(&mut self, of: &ast::Expr, what: &str) -> (ExprKind, Ty) {
        let of = self.boxed(of);
        let ty = match (&of.ty, what) {
            (Ty::Map(key, _), "keys") => Ty::Seq(key.clone()),
            (Ty::Map(_, value), _) => Ty::Seq(value.clone()),
            (Ty::Error, _) => Ty::Error,
            _ => {
                let message = format!("`{what}` needs a map, not {}", self.show(&of.ty));
                self.error(of.span, message);
                Ty::Error
            }
        };
        (if what == "keys" { ExprKind::Keys(of) } else { ExprKind::Values(of) }, ty)
    }

    fn choose(&mut self, of: Option<&ast::Expr>, span: Span) -> (ExprKind, Ty) {
        self.nondet("`choose`", span);
        let Some(of) = of else { return (ExprKind::Nondet, Ty::Bool) };
        let of = self.boxed(of);
        let ty = match &of.ty {
            Ty::Int => {
                if let ExprKind::Int(n) = of.kind
                    && n > MAX_CHOICES
                {
                    let message = format!("`choose` has at most {MAX_CHOICES} values, not {n}");
                    self.error(of.span, message);
                }
                return (ExprKind::ChooseInt(of), Ty::Int);
            }
            Ty::Seq(element) | Ty::Set(element) => (**element).clone(),
            Ty::Map(key, _) => (**key).clone(),
            Ty::Error => Ty::Error,
            other => {
                let message = format!("`choose` needs a number, a sequence, a set or a map, not {}", self.show(other));
                self.error(of.span, message);
                Ty::Error
            }
        };
        (ExprKind::ChooseFrom(of), ty)
    }

    pub(super) fn new_machine(&mut self, interface: &Ident, args: &[ast::Expr], span: Span) -> (ExprKind, Ty) {
        self.cx.effects.new.get_or_insert(span);
        self.not_in_spec("`new`", span);
        let args: Vec<Expr> = args.iter().map(|arg| self.expr(arg)).collect();
        let Some(index) = self.interface(interface) else { return (ExprKind::Error, Ty::Error) };
        self.cx.effects.creates.insert(index);
        let expected = self.p.interfaces[index].payload.clone();
        let name = format!("`{}`", interface.name);
        let payload = self.payload(&name, &expected, args, span);
        (ExprKind::New(index, payload.map(Box::new)), Ty::Interface(index))
    }

    /// A call, and the type of its result if it has one.
    pub(super) fn call(&mut self, name: &Ident, args: &[ast::Expr], span: Span) -> (ExprKind, Option<Ty>) {
        let args: Vec<Expr> = args.iter().map(|arg| self.expr(arg)).collect();
        let own = self.cx.owner.and_then(|machine| self.tables[machine].functions.get(&name.name).copied());
        let Some(function) = own.or_else(|| self.names.functions.get(&name.name).map(|known| known.0)) else {
            let mut known: Vec<Arc<str>> = self.names.functions.keys().cloned().collect();
            if let Some(machine) = self.cx.owner {
                known.extend(self.tables[machine].functions.keys().cloned());
            }
            self.unknown("function", &name.name, name.span, known.iter().map(|name| &**name));
            return (ExprKind::Error, Some(Ty::Error));
        };
        self.refer(name.span, self.p.functions[function].span);
        self.cx.effects.calls.entry(function).or_insert(span);
        let expected = self.params_of(function);
        self.check_args(&name.name, &expected, &args, span);
        let result = self.p.functions[function].result.clone();
        (ExprKind::Call(function, args), result)
    }

    fn named_tuple(&mut self, fields: &[(Ident, ast::Expr)]) -> (ExprKind, Ty) {
        let mut seen = rustc_hash::FxHashMap::default();
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for (name, value) in fields {
            self.twice("the field", name, seen.insert(name.name.clone(), name.span));
            let value = self.expr(value);
            types.push((name.name.clone(), value.ty.clone()));
            values.push(value);
        }
        (ExprKind::Named(values), Ty::Named(types.into()))
    }

    fn field(&mut self, base: &ast::Expr, name: &Ident) -> (ExprKind, Ty) {
        let base = self.boxed(base);
        match &base.ty {
            Ty::Error => {}
            Ty::Named(fields) => {
                if let Some(at) = fields.iter().position(|field| field.0 == name.name) {
                    let ty = fields[at].1.clone();
                    return (ExprKind::Item(base, at as u32), ty);
                }
                let fields = fields.clone();
                let what = format!("field of {}", self.show(&base.ty));
                self.unknown(&what, &name.name, name.span, fields.iter().map(|field| &*field.0));
            }
            other => {
                let help = match other {
                    Ty::Interface(_) | Ty::EventSet(_) | Ty::Machine => {
                        "the fields of a machine are its own; it can send them in an event"
                    }
                    Ty::Tuple(_) => "the elements of a tuple without names are `.0`, `.1`, …",
                    _ => "only named tuples have fields",
                };
                let message = format!("{} has no fields", self.show(other));
                self.error_with(name.span, message, help);
            }
        }
        (ExprKind::Error, Ty::Error)
    }

    fn item(&mut self, base: &ast::Expr, index: Option<u32>, at: Span) -> (ExprKind, Ty) {
        let base = self.boxed(base);
        let Some(index) = index else { return (ExprKind::Error, Ty::Error) };
        let found = match &base.ty {
            Ty::Error => return (ExprKind::Error, Ty::Error),
            Ty::Tuple(fields) => Ok(fields.get(index as usize).cloned().ok_or(fields.len())),
            Ty::Named(fields) => Ok(fields.get(index as usize).map(|field| field.1.clone()).ok_or(fields.len())),
            other => Err(format!("{} is not a tuple, so it has no element `.{index}`", self.show(other))),
        };
        match found {
            Ok(Ok(ty)) => return (ExprKind::Item(base, index), ty),
            Ok(Err(fields)) => {
                let message = format!("the tuple {} has no element `.{index}`", self.show(&base.ty));
                self.error_with(at, message, format!("the last one is `.{}`", fields.saturating_sub(1)));
            }
            Err(message) => self.error(at, message),
        }
        (ExprKind::Error, Ty::Error)
    }

    fn element(&mut self, base: &ast::Expr, index: &ast::Expr) -> (ExprKind, Ty) {
        let (base, index) = (self.boxed(base), self.boxed(index));
        let (expected, ty) = match &base.ty {
            Ty::Seq(element) | Ty::Set(element) => (Ty::Int, (**element).clone()),
            Ty::Map(key, value) => ((**key).clone(), (**value).clone()),
            Ty::Error => return (ExprKind::Error, Ty::Error),
            other => {
                let message = format!("{} has no elements: only sequences, sets and maps have", self.show(other));
                self.error(base.span, message);
                return (ExprKind::Error, Ty::Error);
            }
        };
        self.fits(&expected, &index, "the index");
        (ExprKind::Index(base, index), ty)
    }

    fn unary(&mut self, op: UnaryOp, operand: &ast::Expr) -> (ExprKind, Ty) {
        let operand = self.boxed(operand);
        let ty = match (op, &operand.ty) {
            (UnaryOp::Not, Ty::Bool | Ty::Error) => Ty::Bool,
            (UnaryOp::Neg, ty) if ty.is_number() => ty.clone(),
            (UnaryOp::Not, other) => {
                let message = format!("`!` needs `bool`, not {}", self.show(other));
                self.error(operand.span, message);
                Ty::Bool
            }
            (UnaryOp::Neg, other) => {
                let message = format!("`-` needs `int` or `float`, not {}", self.show(other));
                self.error(operand.span, message);
                Ty::Error
            }
        };
        (ExprKind::Unary(op, operand), ty)
    }

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> (ExprKind, Ty) {
        let (left, right) = (self.boxed(left), self.boxed(right));
        let ty = match op {
            BinaryOp::And | BinaryOp::Or => {
                for side in [&left, &right] {
                    self.fits(&Ty::Bool, side, &format!("an operand of `{}`", op.text()));
                }
                Ty::Bool
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                if !self.p.comparable(&left.ty, &right.ty) {
                    let (a, b) = (self.show(&left.ty), self.show(&right.ty));
                    let null = left.ty == Ty::Null || right.ty == Ty::Null;
                    let machine = if left.ty == Ty::Null { &right.ty } else { &left.ty };
                    let permission = null && self.p.permissions(machine).is_some();
                    let help =
                        if permission { format!("write `default({})`", self.p.show(machine)) } else { String::new() };
                    self.error_with(span, format!("{a} and {b} cannot be compared"), help);
                }
                Ty::Bool
            }
            BinaryOp::In => {
                self.check_in(&left, &right);
                Ty::Bool
            }
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => {
                self.operands(op, &left, &right, true, span);
                Ty::Bool
            }
            BinaryOp::Add => self.operands(op, &left, &right, true, span),
            BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                self.operands(op, &left, &right, false, span)
            }
        };
        (ExprKind::Binary(op, left, right), ty)
    }

    /// Two operands of one type: numbers, or (where they may be) strings.
    fn operands(&mut self, op: BinaryOp, left: &Expr, right: &Expr, strings: bool, span: Span) -> Ty {
        let allowed = |ty: &Ty| ty.is_number() || strings && *ty == Ty::String;
        if left.ty.is_error() || right.ty.is_error() {
            for side in [left, right] {
                if !allowed(&side.ty) {
                    let message = format!("`{}` cannot be applied to {}", op.text(), self.show(&side.ty));
                    self.error(side.span, message);
                }
            }
            return if left.ty.is_error() { right.ty.clone() } else { left.ty.clone() };
        }
        if left.ty == right.ty && allowed(&left.ty) {
            return left.ty.clone();
        }
        let (a, b) = (self.show(&left.ty), self.show(&right.ty));
        let help = match (&left.ty, &right.ty) {
            (Ty::Int, Ty::Float) | (Ty::Float, Ty::Int) => "write `… to float` for the `int`",
            (Ty::String, _) | (_, Ty::String) if op == BinaryOp::Add => "write `format(\"{0} {1}\", …)`",
            (Ty::Enum(_), _) | (_, Ty::Enum(_)) => "write `… to int` for the enum element",
            _ => "",
        };
        self.error_with(span, format!("`{}` cannot be applied to {a} and {b}", op.text()), help);
        Ty::Error
    }

    fn check_in(&mut self, left: &Expr, right: &Expr) {
        match &right.ty {
            Ty::Seq(element) | Ty::Set(element) => self.fits(&element.clone(), left, "the left side of `in`"),
            Ty::Map(key, _) => self.fits(&key.clone(), left, "the left side of `in`"),
            Ty::Error => {}
            other => {
                let message = format!("`in` needs a sequence, a set or a map, not {}", self.show(other));
                self.error(right.span, message);
            }
        }
    }

    /// `e to t`
    fn convert(&mut self, value: &ast::Expr, ty: &ast::TypeExpr, span: Span) -> (ExprKind, Ty) {
        let (value, to) = (self.boxed(value), self.resolve(ty));
        let fine = match (&to, &value.ty) {
            (Ty::Error, _) | (_, Ty::Error) | (Ty::Int, Ty::Float | Ty::Enum(_)) | (Ty::Float, Ty::Int) => true,
            (Ty::Interface(_) | Ty::EventSet(_), Ty::Machine) => true,
            (Ty::Interface(_) | Ty::EventSet(_), Ty::Interface(_) | Ty::EventSet(_)) => {
                let (new, old) = (self.p.permissions(&to), self.p.permissions(&value.ty));
                let fewer = new.zip(old).is_some_and(|(new, old)| new.is_subset(old));
                if !fewer {
                    let message =
                        format!("{} may be sent events that {} may not be sent", self.show(&to), self.show(&value.ty));
                    self.error(span, message);
                }
                true
            }
            _ => false,
        };
        if !fine {
            let message = format!("{} cannot be converted to {}", self.show(&value.ty), self.show(&to));
            let help = match (&to, &value.ty) {
                (Ty::Enum(_), Ty::Int) => "P cannot turn numbers into enum elements; compare the number instead",
                _ => "`to` converts `int` to `float`, `float` and enums to `int`, and machines to interfaces",
            };
            self.error_with(span, message, help);
        }
        (ExprKind::To(value), to)
    }
}
