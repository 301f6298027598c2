//! Syntax that P had in earlier versions, and syntax of its verifier: refused by name, with what to write instead.

use super::{Failed, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::token::Token;

impl Parser<'_> {
    fn refuse(&mut self, message: impl Into<String>, help: &str) -> Failed {
        self.error(Diagnostic::error(self.span(), message).help(help))
    }

    pub(super) fn verifier_only(&mut self, what: &str) -> Failed {
        let help = "remove it: a program is checked here by exploring its behaviours, not by proof";
        self.refuse(format!("{what} belongs to the P verifier (PVerifier)"), help)
    }

    fn word(&self) -> Option<&str> {
        (self.peek() == Token::Ident).then(|| self.text_of(self.span()))
    }

    pub(super) fn removed_item(&mut self) -> Option<Failed> {
        let next = self.peek_at(1);
        if self.peek() == Token::Main && next == Token::Machine {
            let help =
                "write `machine`, and a test: `test tc [main = M]: { M };`; without a test the machine `Main` is run";
            return Some(self.refuse("`main machine` was removed from P", help));
        }
        let word = self.word()?.to_string();
        let declares = next == Token::Ident || next == Token::Colon || next == Token::LBrace;
        Some(match word.as_str() {
            "pure" | "invariant" | "axiom" | "Lemma" | "Theorem" | "Proof" if declares || next == Token::LParen => {
                self.verifier_only(&format!("`{word}`"))
            }
            "axiom" | "invariant" => self.verifier_only(&format!("`{word}`")),
            "init" if next == Token::Minus => self.verifier_only("`init-condition`"),
            "model" | "real" if matches!(next, Token::Machine | Token::Type | Token::Fun | Token::Ident) => {
                self.refuse(format!("`{word}` was removed from P"), "remove the word; write `machine`, `type` or `fun`")
            }
            "static" if matches!(next, Token::Fun | Token::Ident) => {
                self.refuse("`static fun` was removed from P", "write `fun` outside of all machines")
            }
            "include" if next == Token::Str => {
                let help = "list the files in a project file (.pproj), or put them into one directory";
                self.refuse("`include` was removed from P", help)
            }
            "monitor" if matches!(next, Token::Ident) => {
                self.refuse("`monitor` was removed from P", "write `spec M observes e, f { … }`")
            }
            _ => return None,
        })
    }

    pub(super) fn removed_machine_item(&mut self) -> Option<Failed> {
        let next = self.peek_at(1);
        match self.word()? {
            "group" if next == Token::Ident => {
                Some(self.refuse("groups of states were removed from P", "write the states directly into the machine"))
            }
            "model" | "static" | "real" if next == Token::Fun => {
                let message = "`model`, `real` and `static` were removed from P";
                Some(self.refuse(message, "write `fun`"))
            }
            _ => None,
        }
    }

    /// `assert 2` or `assume 2` after the name of an event or a machine.
    pub(super) fn removed_bound(&mut self, of: &str) -> Parsed<()> {
        if !matches!(self.peek(), Token::Assert | Token::Assume) || self.peek_at(1) != Token::Int {
            return Ok(());
        }
        let word = self.found();
        let help = "remove it; `--max-inbox` bounds the inboxes of machines";
        self.refuse(format!("bounds after the name of {of}s ({word} and a number) were removed in P 3.0"), help);
        self.bump();
        self.bump();
        Ok(())
    }

    /// `[a = b]` after names and statements.
    pub(super) fn removed_annotation(&mut self) -> Parsed<()> {
        if self.peek() != Token::LBracket {
            return Ok(());
        }
        Err(self.refuse("annotations in brackets were removed from P", "remove it"))
    }

    pub(super) fn removed_monitors(&mut self) -> Parsed<()> {
        if self.is_word("monitors") {
            self.refuse("`monitors` was renamed in P", "write `observes`");
            self.bump();
            return Err(Failed);
        }
        Ok(())
    }

    pub(super) fn removed_push(&mut self) -> Option<Failed> {
        let help = "write `on e goto S;`; what `pop` returned to becomes a state of its own";
        self.is_word("push").then(|| self.refuse("`push` was removed from P", help))
    }

    pub(super) fn removed_dotted_state(&mut self) -> Parsed<()> {
        if self.peek() != Token::Dot {
            return Ok(());
        }
        Err(self.refuse("groups of states and names such as `G.S` were removed from P", "write the name of the state"))
    }

    pub(super) fn removed_statement(&mut self) -> Option<Failed> {
        let next = self.peek_at(1);
        if self.peek() == Token::Assume {
            return Some(self.verifier_only("`assume`"));
        }
        let word = self.word()?;
        Some(match word {
            "pop" if next == Token::Semi => {
                self.refuse("`pop` was removed from P", "write `goto` with the state in which to continue")
            }
            "push" if next == Token::Ident => self.refuse("`push` was removed from P", "write `goto`"),
            "monitor" if next == Token::Ident => {
                self.refuse("the statement `monitor` was renamed in P", "write `announce`")
            }
            _ => return None,
        })
    }

    /// Quantifiers and the like, and arguments with `swap` or `move`.
    pub(super) fn removed_expression(&mut self) -> Option<Failed> {
        let (next, after) = (self.peek_at(1), self.peek_at(2));
        let word = self.word()?.to_string();
        Some(match word.as_str() {
            "forall" | "exists"
                if next == Token::LParen && after == Token::Ident && self.peek_at(3) == Token::Colon =>
            {
                self.verifier_only(&format!("`{word}`"))
            }
            "inflight" | "sent" | "targets" if next == Token::Ident => self.verifier_only(&format!("`{word}`")),
            _ => return None,
        })
    }

    /// `requires`, `ensures` and `invariant` before a body.
    pub(super) fn verifier_clause(&mut self) -> Parsed<()> {
        let word = match self.word() {
            Some(word @ ("requires" | "ensures" | "invariant")) => format!("`{word}`"),
            _ => return Ok(()),
        };
        if matches!(self.peek_at(1), Token::Eq | Token::PlusEq | Token::MinusEq | Token::Dot | Token::LBracket) {
            return Ok(());
        }
        Err(self.verifier_only(&word))
    }

    /// `x swap` and `x move` as arguments.
    pub(super) fn removed_linear(&mut self) -> Option<Failed> {
        let linear = self.is_word("swap") || self.is_word("move");
        linear.then(|| self.refuse("`swap` and `move` were removed from P", "remove the word: values are copied"))
    }
}
