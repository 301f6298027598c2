//! Statements.

use super::{Failed, Parsed, Parser};
use crate::ast::{Body, Case, Expr, ExprKind, Ident, Stmt, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::token::Token;

/// Whether only a statement can begin with this token, so that it is a good place to continue after an error.
fn begins_statement(token: Token) -> bool {
    use Token::{Announce, Assert, Break, Continue, Foreach, Goto, If, Print, Raise, Receive, Return, Send, While};
    matches!(
        token,
        Announce | Assert | Break | Continue | Foreach | Goto | If | Print | Raise | Receive | Return | Send | While
    )
}

impl Parser<'_> {
    /// Variables and statements in braces.
    pub(super) fn body(&mut self) -> Parsed<Body> {
        let open = self.expect(Token::LBrace)?;
        let mut vars = Vec::new();
        while self.accept(Token::Var).is_some() {
            let before = self.at;
            match self.var_def("a variable") {
                Ok(var) => vars.push(var),
                Err(Failed) => {
                    self.complete = false;
                    self.next_statement(before);
                }
            }
        }
        let stmts = self.statements();
        if self.accept(Token::RBrace).is_none() {
            let diagnostic =
                Diagnostic::error(self.span(), format!("expected a statement or `}}`, found {}", self.found()));
            return Err(self.error(diagnostic.related(open, "this `{` is not closed")));
        }
        Ok(Body { vars, stmts, span: self.since(open) })
    }

    /// Statements up to a closing brace, which is not taken.
    fn statements(&mut self) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        loop {
            match self.peek() {
                Token::RBrace | Token::End => return stmts,
                // The brace before these is missing: what is around continues.
                Token::On | Token::Defer | Token::Ignore | Token::Entry | Token::Exit | Token::State | Token::Start => {
                    return stmts;
                }
                Token::Fun if self.at_new_line() => return stmts,
                token if self.at_margin() && super::decl::begins_item(token) => return stmts,
                _ => {}
            }
            let (before, start) = (self.at, self.span());
            match self.stmt() {
                Ok(stmt) => stmts.push(stmt),
                Err(Failed) => {
                    self.next_statement(before);
                    stmts.push(Stmt { kind: StmtKind::Error, span: start });
                }
            }
        }
    }

    /// Skips to what looks like the next statement.
    fn next_statement(&mut self, before: usize) {
        self.skip_until(before, |parser| {
            use Token::{Defer, Entry, Exit, Ignore, On};
            let ends = matches!(parser.tokens[parser.at.saturating_sub(1)].token, Token::Semi);
            ends || parser.at_new_line()
                && (begins_statement(parser.peek()) || matches!(parser.peek(), Defer | Entry | Exit | Ignore | On))
        });
    }

    pub(super) fn stmt(&mut self) -> Parsed<Stmt> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.stmt_kind()?;
            Ok(Stmt { kind, span: parser.since(start) })
        })
    }

    fn stmt_kind(&mut self) -> Parsed<StmtKind> {
        match self.peek() {
            Token::Semi => {
                self.bump();
                Ok(StmtKind::Empty)
            }
            Token::LBrace => self.block(),
            Token::Assert => {
                self.bump();
                let condition = self.expr()?;
                let message = if self.accept(Token::Comma).is_some() { Some(self.expr()?) } else { None };
                self.end(StmtKind::Assert(condition, message))
            }
            Token::Print => self.print(),
            Token::Return => {
                self.bump();
                let value = if self.peek() == Token::Semi { None } else { Some(self.expr()?) };
                self.end(StmtKind::Return(value))
            }
            Token::Break => {
                self.bump();
                self.end(StmtKind::Break)
            }
            Token::Continue => {
                self.bump();
                self.end(StmtKind::Continue)
            }
            Token::While => {
                self.bump();
                self.expect(Token::LParen)?;
                let condition = self.expr()?;
                self.expect(Token::RParen)?;
                self.verifier_clause()?;
                Ok(StmtKind::While(condition, Box::new(self.stmt()?)))
            }
            Token::Foreach => self.foreach(),
            Token::If => self.if_else(),
            Token::New => {
                self.bump();
                let interface = self.ident("the name of a machine or an interface")?;
                let args = self.args()?;
                self.end(StmtKind::New(interface, args))
            }
            Token::Raise => {
                self.bump();
                let event = self.expr()?;
                let payload = self.payload()?;
                self.end(StmtKind::Raise(event, payload))
            }
            Token::Send => self.send(),
            Token::Announce => {
                self.bump();
                let event = self.expr()?;
                let payload = self.payload()?;
                self.end(StmtKind::Announce(event, payload))
            }
            Token::Goto => {
                self.bump();
                let state = self.ident("the name of a state")?;
                self.removed_dotted_state()?;
                let payload = self.payload()?;
                self.end(StmtKind::Goto(state, payload))
            }
            Token::Receive => self.receive(),
            Token::Ident => self.call_or_assignment(),
            Token::Var => Err(self.late_variable()),
            _ => Err(match self.removed_statement() {
                Some(failed) => failed,
                None => self.unexpected("a statement or `}`"),
            }),
        }
    }

    fn end(&mut self, kind: StmtKind) -> Parsed<StmtKind> {
        self.removed_annotation()?;
        self.semicolon()?;
        Ok(kind)
    }

    fn late_variable(&mut self) -> Failed {
        let message = "variables are declared at the beginning of a function, before the first statement";
        let help = "move this line to the beginning of the body, and assign to the variable here";
        self.error(Diagnostic::error(self.span(), message).help(help))
    }

    fn block(&mut self) -> Parsed<StmtKind> {
        let open = self.bump();
        let stmts = self.statements();
        if self.accept(Token::RBrace).is_none() {
            let diagnostic =
                Diagnostic::error(self.span(), format!("expected a statement or `}}`, found {}", self.found()));
            return Err(self.error(diagnostic.related(open, "this `{` is not closed")));
        }
        Ok(StmtKind::Block(stmts))
    }

    fn print(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let text = self.expr()?;
        if self.peek() == Token::Comma {
            let message = "`print` takes one string";
            let help = "write `print format(\"… {0} …\", value);`";
            return Err(self.error(Diagnostic::error(self.span(), message).help(help)));
        }
        self.end(StmtKind::Print(text))
    }

    fn foreach(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Token::LParen)?;
        let variable = self.ident("the name of a variable")?;
        self.expect(Token::In)?;
        let collection = self.expr()?;
        self.expect(Token::RParen)?;
        self.verifier_clause()?;
        Ok(StmtKind::Foreach(variable, collection, Box::new(self.stmt()?)))
    }

    /// A chain of `else if` is a list, however long it is.
    fn if_else(&mut self) -> Parsed<StmtKind> {
        let mut branches = Vec::new();
        loop {
            self.bump();
            self.expect(Token::LParen)?;
            let condition = self.expr()?;
            self.expect(Token::RParen)?;
            branches.push((condition, self.stmt()?));
            if self.accept(Token::Else).is_none() {
                return Ok(StmtKind::If(branches, None));
            }
            if self.peek() != Token::If {
                return Ok(StmtKind::If(branches, Some(Box::new(self.stmt()?))));
            }
        }
    }

    fn send(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let target = self.expr()?;
        self.expect(Token::Comma)?;
        let event = self.expr()?;
        let payload = self.payload()?;
        self.end(StmtKind::Send(target, event, payload))
    }

    /// `, e, f`
    fn payload(&mut self) -> Parsed<Vec<Expr>> {
        match self.accept(Token::Comma) {
            Some(_) => self.list(Parser::argument),
            None => Ok(Vec::new()),
        }
    }

    fn receive(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(Token::LBrace)?;
        let mut cases = Vec::new();
        loop {
            let before = self.at;
            match self.case() {
                Ok(Some(case)) => cases.push(case),
                Ok(None) => break,
                Err(Failed) => self.skip_until(before, |parser| parser.peek() == Token::Case),
            }
        }
        if self.accept(Token::RBrace).is_none() {
            let diagnostic = Diagnostic::error(self.span(), format!("expected `case` or `}}`, found {}", self.found()));
            return Err(self.error(diagnostic.related(open, "this `{` is not closed")));
        }
        Ok(StmtKind::Receive(cases))
    }

    /// A case of a receive; nothing at the closing brace.
    fn case(&mut self) -> Parsed<Option<Case>> {
        match self.peek() {
            Token::Case => {}
            Token::RBrace if self.tokens[self.at - 1].token != Token::LBrace => return Ok(None),
            Token::RBrace => {
                self.unexpected("`case`");
                return Ok(None);
            }
            Token::End => return Ok(None),
            _ => return Err(self.unexpected("`case` or `}`")),
        }
        let start = self.bump();
        let events = self.list(|parser| parser.event(true))?;
        self.expect(Token::Colon)?;
        let closure = self.closure()?;
        Ok(Some(Case { events, closure, span: self.since(start) }))
    }

    fn call_or_assignment(&mut self) -> Parsed<StmtKind> {
        if let Some(failed) = self.removed_statement() {
            return Err(failed);
        }
        if self.peek_at(1) == Token::LParen {
            let function = self.ident("a name")?;
            let args = self.args()?;
            if matches!(self.peek(), Token::Eq | Token::Dot | Token::LBracket) {
                let diagnostic = Diagnostic::error(self.span(), format!("expected `;`, found {}", self.found()));
                return Err(self.error(diagnostic.help("the result of a call cannot be assigned to")));
            }
            return self.end(StmtKind::Call(function, args));
        }
        let place = self.place()?;
        match self.peek() {
            Token::Eq => {
                self.bump();
                let value = self.expr()?;
                self.end(StmtKind::Assign(place, value))
            }
            Token::PlusEq => self.insert(place),
            Token::MinusEq => {
                self.bump();
                let value = self.expr()?;
                self.end(StmtKind::Remove(place, value))
            }
            Token::EqEq => {
                let diagnostic = Diagnostic::error(self.span(), "expected `=`, `+=` or `-=`, found `==`");
                Err(self.error(diagnostic.help("`=` assigns, `==` compares")))
            }
            _ => Err(self.unexpected("`=`, `+=`, `-=` or a call `(…)`")),
        }
    }

    /// `l += (e);` or `l += (k, v);`
    fn insert(&mut self, place: Expr) -> Parsed<StmtKind> {
        self.bump();
        let help = "`s += (e);` adds to a set, `c += (key, value);` inserts into a map or a sequence; a number is \
                    increased by `n = n + 1;`";
        if self.peek() != Token::LParen {
            let diagnostic = Diagnostic::error(self.span(), format!("expected `(` after `+=`, found {}", self.found()));
            return Err(self.error(diagnostic.help(help)));
        }
        self.bump();
        let first = self.expr()?;
        let kind = match self.accept(Token::Comma) {
            Some(_) => StmtKind::Insert(place, first, self.expr()?),
            None => StmtKind::Add(place, first),
        };
        if self.peek() != Token::RParen {
            let diagnostic = Diagnostic::error(self.span(), format!("expected `)`, found {}", self.found()));
            return Err(self.error(diagnostic.help("a tuple is added in parentheses of its own: `s += ((a, b));`")));
        }
        self.bump();
        self.end(kind)
    }

    /// `x`, `x.f`, `x.0`, `x[e]`: what can be assigned to.
    fn place(&mut self) -> Parsed<Expr> {
        let Ident { name, span } = self.ident("a variable")?;
        self.postfix(Expr { kind: ExprKind::Name(name), span, height: 1 })
    }
}
