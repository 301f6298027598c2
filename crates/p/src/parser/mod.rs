//! The parser: recursive descent over the tokens of one file, in linear time and with bounded recursion.
//!
//! A construct that cannot be understood is reported once; the parser then continues with the next statement, the next part of the state or of the
//! machine, or the next declaration, so that one run reports the errors of a whole file. Rules return `Err(Failed)` after they reported an error; the
//! rules for lists (`items`, `machine_body`, `state_body`, `block`) recover.
//!
//! Syntax of earlier versions of P and of its verifier is recognised in `removed` and refused by name.

mod decl;
mod expr;
mod machine;
mod module;
mod removed;
mod stmt;
mod types;

use crate::ast::{EventName, EventRef, File, Ident};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Source, Span};
use crate::token::{Spanned, Token, VERIFIER_WORDS, tokens};
use std::collections::BTreeSet;

/// How deeply expressions, statements, types and modules may be nested.
pub const MAX_DEPTH: u32 = 200;

/// How many syntax errors of a file are reported.
const MAX_ERRORS: usize = 100;

/// An error was reported.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses a file. What could not be understood is missing from the tree, and [`File::complete`] says whether a declaration is.
pub fn parse(source: &Source, file: u32, diagnostics: &mut Diagnostics) -> File {
    let mut parser = Parser {
        text: &source.text,
        tokens: tokens(&source.text, file),
        at: 0,
        depth: 0,
        errors: 0,
        at_end: false,
        complete: true,
        reported: None,
        warned: BTreeSet::new(),
        diagnostics,
    };
    let items = parser.items();
    File { items, complete: parser.complete }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Spanned>,
    at: usize,
    depth: u32,
    errors: usize,
    /// The unexpected end of the file was reported.
    at_end: bool,
    /// No declaration was left out.
    complete: bool,
    /// Where the last error was reported.
    reported: Option<u32>,
    /// Words of the verifier that are used as names and were reported.
    warned: BTreeSet<&'static str>,
    diagnostics: &'a mut Diagnostics,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at].token
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// From a span to the last token that was taken.
    fn since(&self, start: Span) -> Span {
        let end = self.previous().end.max(start.end);
        Span { end, ..start }
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn text_of(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Whether the next token is this word, which is not reserved.
    fn is_word(&self, word: &str) -> bool {
        self.peek() == Token::Ident && self.text_of(self.span()) == word
    }

    fn accept(&mut self, token: Token) -> Option<Span> {
        (self.peek() == token).then(|| self.bump())
    }

    fn expect(&mut self, token: Token) -> Parsed<Span> {
        match self.accept(token) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(token.describe())),
        }
    }

    /// A missing `;` is reported where it is missing. If a new line begins there, the parser continues as if it were written.
    fn semicolon(&mut self) -> Parsed<()> {
        if self.accept(Token::Semi).is_some() {
            return Ok(());
        }
        if let Some(failed) = self.removed_linear() {
            return Err(failed);
        }
        if self.peek() == Token::End {
            return Err(self.unexpected("`;`"));
        }
        let (before, next) = (self.previous(), self.span());
        let found = self.found();
        let new_line = self.text[before.end as usize..next.start as usize].contains('\n');
        if new_line {
            self.error(Diagnostic::error(last_character(before), "expected `;` after this").help("add `;` here"));
            return Ok(());
        }
        Err(self.error(Diagnostic::error(next, format!("expected `;`, found {found}"))))
    }

    /// How a message names the next token.
    fn found(&self) -> String {
        let (token, text) = (self.peek(), self.text_of(self.span()));
        match token {
            Token::Ident | Token::Int => format!("`{text}`"),
            Token::Bad if text.starts_with('"') => "a string that is not closed".to_string(),
            Token::Bad if text.starts_with("/*") => "a comment that is not closed".to_string(),
            Token::Bad => {
                let shown: String = text.chars().take(20).flat_map(char::escape_debug).collect();
                format!("`{shown}`, which P does not know")
            }
            _ if token.is_keyword() => format!("the keyword `{text}`"),
            _ => token.describe().to_string(),
        }
    }

    fn unexpected(&mut self, expected: &str) -> Failed {
        let (span, found) = (self.span(), self.found());
        self.error(Diagnostic::error(span, format!("expected {expected}, found {found}")))
    }

    fn error(&mut self, diagnostic: Diagnostic) -> Failed {
        let end = self.peek() == Token::End && diagnostic.span.start as usize >= self.text.len();
        if end && std::mem::replace(&mut self.at_end, true) {
            return Failed;
        }
        // What is not closed takes the rest of the file with it.
        self.at_end |= self.tokens[self.at].token == Token::Bad && self.peek_at(1) == Token::End;
        // One error at a place: the second one is a consequence.
        if self.reported.replace(diagnostic.span.start) == Some(diagnostic.span.start) {
            return Failed;
        }
        self.errors += 1;
        if self.errors < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        } else if self.errors == MAX_ERRORS {
            let rest = "there are more syntax errors in this file after this one; they are not listed";
            self.diagnostics.push(diagnostic.help(rest));
        }
        Failed
    }

    fn warn(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} deep");
            let diagnostic =
                Diagnostic::error(self.span(), message).help("move a part of it into a function or a variable");
            return Err(self.error(diagnostic));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// A name. `what` says what it names.
    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let span = self.span();
        if self.peek() == Token::Ident {
            self.bump();
            let name = self.text_of(span).into();
            self.reserved_by_verifier(span);
            return Ok(Ident { name, span });
        }
        let word = self.text_of(span).to_string();
        if self.peek().is_keyword() {
            let message = format!("expected {what}, found the keyword `{word}`");
            let help = format!("keywords cannot be names; a name such as `{word}_` can");
            return Err(self.error(Diagnostic::error(span, message).help(help)));
        }
        Err(self.unexpected(what))
    }

    fn reserved_by_verifier(&mut self, span: Span) {
        let word = VERIFIER_WORDS.iter().copied().find(|&word| word == self.text_of(span));
        if let Some(word) = word.filter(|word| !self.warned.contains(word)) {
            self.warned.insert(word);
            let message = format!("`{word}` is a keyword of the P verifier, and the P compiler refuses it as a name");
            self.warn(Diagnostic::warning(span, message).help("rename it if the program is to be compiled by P, too"));
        }
    }

    /// One or more, separated by commas.
    fn list<T>(&mut self, mut rule: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![rule(self)?];
        while self.accept(Token::Comma).is_some() {
            all.push(rule(self)?);
        }
        Ok(all)
    }

    /// Any number, separated by commas, up to a closing token, which is taken.
    fn list_until<T>(&mut self, close: Token, rule: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        if self.accept(close).is_some() {
            return Ok(Vec::new());
        }
        let all = self.list(rule)?;
        self.expect(close)?;
        Ok(all)
    }

    /// The name of an event, or `halt`, or (where it may be written) `null`.
    fn event(&mut self, null: bool) -> Parsed<EventRef> {
        let span = self.span();
        match self.peek() {
            Token::Halt => {
                self.bump();
                Ok(EventRef { event: EventName::Halt, span })
            }
            Token::Null if null => {
                self.bump();
                Ok(EventRef { event: EventName::Null, span })
            }
            Token::Null => {
                let message = "expected the name of an event, found `null`";
                let help = "`null` may only be handled with `on null do …` or `on null goto …`";
                Err(self.error(Diagnostic::error(span, message).help(help)))
            }
            _ => {
                let ident = self.ident("the name of an event")?;
                Ok(EventRef { event: EventName::Named(ident.name), span })
            }
        }
    }

    /// Events up to `;`, possibly none.
    fn events_until_semicolon(&mut self) -> Parsed<Vec<EventRef>> {
        let mut events = Vec::new();
        if !matches!(self.peek(), Token::Semi) {
            events = self.list(|parser| parser.event(false))?;
        }
        self.semicolon()?;
        Ok(events)
    }

    /// Whether the next token is the first of its line and not indented.
    fn at_margin(&self) -> bool {
        let start = self.span().start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// Whether the next token is the first of its line.
    fn at_new_line(&self) -> bool {
        let (before, next) = (self.previous(), self.span());
        before.end <= next.start && self.text[before.end as usize..next.start as usize].contains('\n')
    }

    /// Skips tokens, but for what is in braces that open on the way as a whole, until `stop` holds, a `}` closes what is around, or a declaration
    /// begins at the margin.
    /// The token at `from` is skipped in any case, so that parsing goes on.
    fn skip_until(&mut self, from: usize, stop: impl Fn(&Self) -> bool) {
        let mut open = 0usize;
        loop {
            let first = self.at == from;
            match self.peek() {
                Token::End => return,
                Token::LBrace => open += 1,
                Token::RBrace if open == 0 => return,
                _ if first => {}
                _ if self.at_margin() && decl::begins_item(self.peek()) && self.peek() != Token::Fun => return,
                _ if open == 0 && stop(self) => return,
                Token::RBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}

/// The last byte of a span, as a mark for what should follow; tokens that end with a letter beyond ASCII do not exist.
fn last_character(span: Span) -> Span {
    Span { start: span.end.saturating_sub(1).max(span.start), ..span }
}
