//! Whether all paths of a function that returns a value end with one: with `return`, `raise`, `goto`, `assert false`, or a `receive` all of whose cases
//! do. Loops never count.

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::hir::{ExprKind, Stmt, StmtKind};
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn check_paths(&mut self, function: usize, body: &[Stmt], span: Span) {
        let function = &self.p.functions[function];
        if function.result.is_some() && !block_ends(body) {
            let message = format!("`{}` must return a value on every path", function.name);
            let end = Span { start: span.end.saturating_sub(1), ..span };
            let diagnostic = Diagnostic::error(function.span, message).related(end, "this end can be reached");
            self.d.push(diagnostic);
        }
    }
}

fn block_ends(stmts: &[Stmt]) -> bool {
    stmts.iter().any(ends)
}

fn ends(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Raise(..) | StmtKind::Goto(..) => true,
        StmtKind::Assert(condition, _) => matches!(condition.kind, ExprKind::Bool(false)),
        StmtKind::Block(stmts) => block_ends(stmts),
        StmtKind::If(branches, otherwise) => {
            branches.iter().all(|(_, then)| ends(then)) && otherwise.as_deref().is_some_and(ends)
        }
        StmtKind::Receive(cases) => cases.iter().all(|case| block_ends(&case.body)),
        _ => false,
    }
}
