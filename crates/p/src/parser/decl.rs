//! Declarations at the top level.

use super::{Failed, Parsed, Parser};
use crate::ast::{EnumDef, EventDef, EventSetDef, FunDef, Ident, InterfaceDef, Item, ParamDef, TypeDef, VarDef};
use crate::diagnostic::Diagnostic;
use crate::token::Token;

/// Whether a declaration at the top level begins with this token.
pub(super) fn begins_item(token: Token) -> bool {
    use Token::{
        Enum, Event, EventSet, Fun, Implementation, Interface, Machine, Module, Param, Scenario, Spec, Test, Type,
    };
    matches!(
        token,
        Type | Enum
            | Event
            | EventSet
            | Interface
            | Machine
            | Spec
            | Scenario
            | Fun
            | Param
            | Module
            | Implementation
            | Test
    )
}

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek() != Token::End {
            let before = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(Failed) => {
                    self.complete = false;
                    if self.at == before {
                        self.bump();
                    }
                    self.next_item();
                }
            }
        }
        items
    }

    /// Skips to what looks like the next declaration.
    fn next_item(&mut self) {
        let mut open = 0usize;
        loop {
            let token = self.peek();
            let after = matches!(self.tokens[self.at.saturating_sub(1)].token, Token::Semi | Token::RBrace);
            match token {
                Token::End => return,
                _ if begins_item(token) && (self.at_margin() || open == 0 && after) => return,
                // A declaration of an earlier version of P, or of its verifier.
                Token::Ident if open == 0 && self.at_margin() => return,
                Token::LBrace => open += 1,
                Token::RBrace => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        match self.peek() {
            Token::Type => self.type_def().map(Item::Type),
            Token::Enum => self.enum_def().map(Item::Enum),
            Token::Event => self.event_def().map(Item::Event),
            Token::EventSet => self.event_set_def().map(Item::EventSet),
            Token::Interface => self.interface_def().map(Item::Interface),
            Token::Machine | Token::Spec | Token::Scenario => self.machine_def().map(Item::Machine),
            Token::Fun => self.fun_def().map(Item::Fun),
            Token::Param => {
                self.bump();
                self.var_def("a test parameter").map(Item::Param)
            }
            Token::Module => self.module_def().map(Item::Module),
            Token::Implementation => self.implementation_def().map(Item::Implementation),
            Token::Test => self.test_def().map(Item::Test),
            _ => Err(match self.removed_item() {
                Some(failed) => failed,
                None => self.unexpected(
                    "a declaration (`event`, `machine`, `spec`, `fun`, `type`, `enum`, `module`, `test`, …)",
                ),
            }),
        }
    }

    fn type_def(&mut self) -> Parsed<TypeDef> {
        self.bump();
        let name = self.ident("the name of a type")?;
        let is = match self.accept(Token::Eq) {
            Some(_) => Some(self.type_expr()?),
            None => None,
        };
        self.semicolon()?;
        Ok(TypeDef { name, is })
    }

    fn enum_def(&mut self) -> Parsed<EnumDef> {
        self.bump();
        let name = self.ident("the name of an enum")?;
        self.expect(Token::LBrace)?;
        let mut numbered = None;
        let mut elements: Vec<(Ident, i64)> = Vec::new();
        loop {
            let element = self.ident("the name of an element")?;
            let has_number = self.accept(Token::Eq).is_some();
            if *numbered.get_or_insert(has_number) != has_number {
                let message = format!("either all elements of `{}` have a number, or none", name.name);
                self.error(Diagnostic::error(element.span, message).help("write `A = 1, B = 2` or `A, B`"));
            }
            let number = if has_number { self.element_number()? } else { elements.len() as i64 };
            elements.push((element, number));
            if self.accept(Token::Comma).is_none() {
                break;
            }
        }
        self.expect(Token::RBrace)?;
        Ok(EnumDef { name, elements })
    }

    fn element_number(&mut self) -> Parsed<i64> {
        if self.peek() == Token::Minus {
            let diagnostic = Diagnostic::error(self.span(), "the number of an enum element cannot be negative");
            return Err(self.error(diagnostic));
        }
        let span = self.expect(Token::Int)?;
        Ok(self.int_value(span).unwrap_or(0))
    }

    fn event_def(&mut self) -> Parsed<EventDef> {
        self.bump();
        if self.peek() == Token::Null {
            let diagnostic = Diagnostic::error(self.span(), "`null` is an event of its own and cannot be declared");
            return Err(self.error(diagnostic));
        }
        let name = self.ident("the name of an event")?;
        self.removed_bound("event")?;
        let payload = match self.accept(Token::Colon) {
            Some(_) => Some(self.type_expr()?),
            None => None,
        };
        self.removed_annotation()?;
        self.semicolon()?;
        Ok(EventDef { name, payload })
    }

    fn event_set_def(&mut self) -> Parsed<EventSetDef> {
        self.bump();
        let name = self.ident("the name of an event set")?;
        self.expect(Token::Eq)?;
        self.expect(Token::LBrace)?;
        let events = self.list(|parser| parser.event(false))?;
        self.expect(Token::RBrace)?;
        self.semicolon()?;
        Ok(EventSetDef { name, events })
    }

    fn interface_def(&mut self) -> Parsed<InterfaceDef> {
        self.bump();
        let name = self.ident("the name of an interface")?;
        self.expect(Token::LParen)?;
        let payload = if self.peek() == Token::RParen { None } else { Some(self.type_expr()?) };
        self.expect(Token::RParen)?;
        self.expect(Token::Receives)?;
        let receives = self.events_until_semicolon()?;
        Ok(InterfaceDef { name, payload, receives })
    }

    /// `x, y: t;` after `var` or `param`.
    pub(super) fn var_def(&mut self, what: &str) -> Parsed<VarDef> {
        let what = format!("the name of {what}");
        let names = self.list(|parser| parser.ident(&what))?;
        self.expect(Token::Colon)?;
        let ty = self.type_expr()?;
        if self.peek() == Token::Eq {
            let message = "a variable cannot be given a value where it is declared";
            let help = "declare it, and assign to it in a statement of its own";
            return Err(self.error(Diagnostic::error(self.span(), message).help(help)));
        }
        self.semicolon()?;
        Ok(VarDef { names, ty })
    }

    pub(super) fn params(&mut self) -> Parsed<Vec<ParamDef>> {
        self.expect(Token::LParen)?;
        self.list_until(Token::RParen, |parser| {
            let name = parser.ident("the name of a parameter")?;
            parser.expect(Token::Colon)?;
            Ok(ParamDef { name, ty: parser.type_expr()? })
        })
    }

    pub(super) fn fun_def(&mut self) -> Parsed<FunDef> {
        self.bump();
        let name = self.ident("the name of a function")?;
        let params = self.params()?;
        let result = match self.accept(Token::Colon) {
            Some(_) => Some(self.type_expr()?),
            None => None,
        };
        let mut creates = Vec::new();
        if self.accept(Token::Creates).is_some() {
            creates = self.list(|parser| parser.ident("the name of an interface"))?;
        }
        self.verifier_clause()?;
        if self.accept(Token::Semi).is_some() {
            return Ok(FunDef { name, params, result, creates, body: None });
        }
        if self.peek() != Token::LBrace {
            return Err(self.unexpected("the body of the function, or `;` if it is foreign"));
        }
        let body = self.body()?;
        Ok(FunDef { name, params, result, creates, body: Some(body) })
    }
}
