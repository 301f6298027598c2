//! Whether expressions fit where they are used: arguments, payloads and operands.

use super::Checker;
use crate::ast;
use crate::hir::{Expr, ExprKind};
use crate::source::Span;
use crate::types::Ty;

impl Checker<'_> {
    /// Reports an expression that has not the type that is expected.
    pub(super) fn fits(&mut self, expected: &Ty, expr: &Expr, what: &str) {
        if self.p.assignable(expected, &expr.ty) {
            return;
        }
        let message = format!("{what} must be {}, not {}", self.show(expected), self.show(&expr.ty));
        let help = self.conversion(expected, &expr.ty);
        self.error_with(expr.span, message, help);
    }

    /// What may help where one type was expected and another found.
    fn conversion(&self, expected: &Ty, found: &Ty) -> String {
        match (expected, found) {
            (Ty::Float, Ty::Int) => "write `… to float`".to_string(),
            (Ty::Int, Ty::Float | Ty::Enum(_)) => "write `… to int`".to_string(),
            (Ty::Interface(_) | Ty::EventSet(_), Ty::Null) => {
                format!("write `default({})`", self.p.show(expected))
            }
            (_, Ty::Any | Ty::Data) => format!("write `… as {}`", self.p.show(expected)),
            (Ty::Interface(_) | Ty::EventSet(_), Ty::Machine) => format!("write `… as {}`", self.p.show(expected)),
            (Ty::Tuple(of), found) if of.len() == 1 && self.p.assignable(&of[0], found) => {
                "a tuple of one element is written `(e,)`".to_string()
            }
            (Ty::Named(of), Ty::Tuple(_)) => {
                let names: Vec<String> = of.iter().map(|(name, _)| format!("{name} = …")).collect();
                format!("write `({}{})`", names.join(", "), if names.len() == 1 { "," } else { "" })
            }
            _ => String::new(),
        }
    }

    /// Checks the arguments of a function.
    pub(super) fn check_args(&mut self, name: &str, expected: &[Ty], args: &[Expr], span: Span) {
        if expected.len() != args.len() {
            let message = format!(
                "`{name}` takes {}, not {}",
                count(expected.len(), "argument"),
                if args.is_empty() { "none".to_string() } else { args.len().to_string() }
            );
            self.error(span, message);
            return;
        }
        for (expected, arg) in expected.iter().zip(args) {
            self.fits(expected, arg, "the argument");
        }
    }

    /// The payload of an event, a state or a new machine: none, one expression, or the fields of a tuple.
    pub(super) fn payload(&mut self, of: &str, expected: &Ty, args: Vec<Expr>, span: Span) -> Option<Expr> {
        if expected.is_error() {
            return self.tuple_of(args);
        }
        match (expected, args.len()) {
            (Ty::Null, 0) => {}
            (Ty::Null, 1) if matches!(args[0].ty, Ty::Null | Ty::Error) => {}
            (Ty::Null, _) => {
                let message = format!("{of} has no payload");
                self.error(args[0].span.to(args[args.len() - 1].span), message);
            }
            (_, 0) => self.error(span, format!("{of} needs a payload of type {}", self.show(expected))),
            (_, 1) => self.fits(expected, &args[0], &format!("the payload of {of}")),
            (Ty::Tuple(fields), n) if fields.len() == n => {
                for (field, arg) in fields.clone().iter().zip(&args) {
                    self.fits(field, arg, &format!("this part of the payload of {of}"));
                }
            }
            _ => {
                let all = args[0].span.to(args[args.len() - 1].span);
                let message = format!("{of} needs one payload of type {}", self.show(expected));
                self.error_with(all, message, "write a tuple in parentheses");
            }
        }
        self.tuple_of(args)
    }

    /// Several expressions after an event are a tuple.
    pub(super) fn tuple_of(&mut self, mut args: Vec<Expr>) -> Option<Expr> {
        if args.len() <= 1 {
            return args.pop();
        }
        let span = args[0].span.to(args[args.len() - 1].span);
        let ty = Ty::Tuple(args.iter().map(|arg| arg.ty.clone()).collect());
        Some(Expr { kind: ExprKind::Tuple(args), ty, span })
    }

    /// The expression of a `raise`, `send` or `announce`, with the payload.
    pub(super) fn event_and_payload(
        &mut self,
        event: &ast::Expr,
        payload: &[ast::Expr],
        verb: &str,
    ) -> (Expr, Option<Expr>) {
        let event = self.expr(event);
        let args: Vec<Expr> = payload.iter().map(|arg| self.expr(arg)).collect();
        match event.kind {
            ExprKind::Null => self.error(event.span, format!("`null` cannot be {verb}")),
            ExprKind::Event(index) => {
                let expected = self.p.events[index].payload.clone();
                let name = format!("the event `{}`", self.p.events[index].name.name);
                let span = event.span;
                let payload = self.payload(&name, &expected, args, span);
                return (event, payload);
            }
            _ => self.fits(&Ty::Event, &event, "what is raised, sent or announced"),
        }
        let payload = self.tuple_of(args);
        (event, payload)
    }
}

/// `no argument`, `1 argument`, `2 arguments`
fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
