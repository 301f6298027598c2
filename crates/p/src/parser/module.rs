//! Modules, implementations and tests.

use super::{Parsed, Parser};
use crate::ast::{ModExpr, ModKind, ModuleDef, ParamValue, TestDef, TestParam};
use crate::diagnostic::Diagnostic;
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn module_def(&mut self) -> Parsed<ModuleDef> {
        self.bump();
        let name = self.ident("the name of a module")?;
        self.expect(Token::Eq)?;
        let is = self.mod_expr()?;
        self.semicolon()?;
        Ok(ModuleDef { name, is })
    }

    pub(super) fn implementation_def(&mut self) -> Parsed<TestDef> {
        self.bump();
        let name = self.ident("the name of an implementation")?;
        self.test_rest(TestDef {
            name,
            params: Vec::new(),
            assume: None,
            wise: None,
            main: None,
            module: ModExpr { kind: ModKind::Error, span: self.span() },
        })
    }

    pub(super) fn test_def(&mut self) -> Parsed<TestDef> {
        self.bump();
        let mut params = Vec::new();
        if self.accept(Token::Param).is_some() {
            self.expect(Token::LParen)?;
            params = self.list(Parser::test_param)?;
            self.expect(Token::RParen)?;
        }
        let assume = if self.accept(Token::Assume).is_some() { Some(self.expr()?) } else { None };
        let mut wise = None;
        if let Some(span) = self.accept(Token::Pairwise) {
            wise = Some((2, span));
        } else if self.peek() == Token::LParen {
            let open = self.bump();
            let number = self.expect(Token::Int)?;
            self.expect(Token::Wise)?;
            self.expect(Token::RParen)?;
            wise = self.int_value(number).map(|k| (k, self.since(open)));
        }
        let name = self.ident("the name of a test")?;
        let module = ModExpr { kind: ModKind::Error, span: self.span() };
        self.test_rest(TestDef { name, params, assume, wise, main: None, module })
    }

    fn test_rest(&mut self, mut test: TestDef) -> Parsed<TestDef> {
        if self.accept(Token::LBracket).is_some() {
            self.expect(Token::Main)?;
            self.expect(Token::Eq)?;
            test.main = Some(self.ident("the name of a machine")?);
            self.expect(Token::RBracket)?;
        }
        self.expect(Token::Colon)?;
        test.module = self.mod_expr()?;
        if self.peek() == Token::Refines {
            let diagnostic = Diagnostic::error(self.span(), "refinement tests are not implemented in P");
            return Err(self.error(diagnostic.help("write a test of one module, with specifications")));
        }
        self.semicolon()?;
        Ok(test)
    }

    fn test_param(&mut self) -> Parsed<TestParam> {
        let name = self.ident("the name of a test parameter")?;
        self.expect(Token::In)?;
        self.expect(Token::LBracket)?;
        let values = self.list(|parser| {
            let start = parser.span();
            let value = match parser.peek() {
                Token::True => ParamValue::Bool(true),
                Token::False => ParamValue::Bool(false),
                Token::Int => ParamValue::Int(parser.int_value(start).unwrap_or(0)),
                Token::Minus if parser.peek_at(1) == Token::Int => {
                    parser.bump();
                    let span = parser.span();
                    ParamValue::Int(-parser.int_value(span).unwrap_or(0))
                }
                _ => return Err(parser.unexpected("a number, `true` or `false`")),
            };
            parser.bump();
            Ok((value, parser.since(start)))
        })?;
        self.expect(Token::RBracket)?;
        Ok(TestParam { name, values })
    }

    fn mod_expr(&mut self) -> Parsed<ModExpr> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.mod_kind()?;
            Ok(ModExpr { kind, span: parser.since(start) })
        })
    }

    fn mod_kind(&mut self) -> Parsed<ModKind> {
        match self.peek() {
            Token::LParen => {
                self.bump();
                let inner = self.mod_expr()?;
                self.expect(Token::RParen)?;
                Ok(inner.kind)
            }
            Token::LBrace => {
                self.bump();
                let binds = self.list(|parser| {
                    let machine = parser.ident("the name of a machine")?;
                    let to = match parser.accept(Token::Arrow) {
                        Some(_) => Some(parser.ident("the name of an interface")?),
                        None => None,
                    };
                    Ok((machine, to))
                })?;
                self.expect(Token::RBrace)?;
                Ok(ModKind::Bind(binds))
            }
            Token::Ident => Ok(ModKind::Name(self.ident("the name of a module")?.name)),
            Token::Compose => {
                self.bump();
                Ok(ModKind::Compose(self.list(Parser::mod_expr)?))
            }
            Token::Union => {
                self.bump();
                Ok(ModKind::Union(self.list(Parser::mod_expr)?))
            }
            Token::HideE => {
                self.bump();
                let events = self.list(|parser| parser.event(false))?;
                Ok(ModKind::HideEvents(events, self.in_module()?))
            }
            Token::HideI => {
                self.bump();
                let interfaces = self.list(|parser| parser.ident("the name of an interface"))?;
                Ok(ModKind::HideInterfaces(interfaces, self.in_module()?))
            }
            Token::Assert => {
                self.bump();
                let specs = self.list(|parser| parser.ident("the name of a specification"))?;
                Ok(ModKind::Assert(specs, self.in_module()?))
            }
            Token::Rename => {
                self.bump();
                let old = self.ident("the name of an interface")?;
                self.expect(Token::To)?;
                let new = self.ident("the name of an interface")?;
                Ok(ModKind::Rename(old, new, self.in_module()?))
            }
            Token::Main => {
                self.bump();
                self.ident("the name of a machine")?;
                Ok(self.in_module()?.kind)
            }
            _ => Err(self.unexpected("a module: its name, `{ Machine, … }`, `union …`, `compose …`, `assert … in …`")),
        }
    }

    fn in_module(&mut self) -> Parsed<Box<ModExpr>> {
        self.expect(Token::In)?;
        Ok(Box::new(self.mod_expr()?))
    }
}
