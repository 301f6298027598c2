//! Expressions: precedence climbing. The depth of the tree is bounded, also that of long chains of operators and accesses, because what follows recurses.

use super::{MAX_DEPTH, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::Token;

/// How many expressions may be nested in one another. What follows one another, as in `1 + 2 + 3`, is nested, too.
const MAX_HEIGHT: u32 = MAX_DEPTH;

/// The precedence of `as` and `to`, between sums and comparisons.
const CAST: u8 = 5;

/// The operator that a token stands for, and its precedence; what is higher binds tighter.
fn binary(token: Token) -> Option<(BinaryOp, u8)> {
    Some(match token {
        Token::Star => (BinaryOp::Mul, 7),
        Token::Slash => (BinaryOp::Div, 7),
        Token::Percent => (BinaryOp::Mod, 7),
        Token::Plus => (BinaryOp::Add, 6),
        Token::Minus => (BinaryOp::Sub, 6),
        Token::Lt => (BinaryOp::Lt, 4),
        Token::Gt => (BinaryOp::Gt, 4),
        Token::Le => (BinaryOp::Le, 4),
        Token::Ge => (BinaryOp::Ge, 4),
        Token::In => (BinaryOp::In, 4),
        Token::EqEq => (BinaryOp::Eq, 3),
        Token::Ne => (BinaryOp::Ne, 3),
        Token::AndAnd => (BinaryOp::And, 2),
        Token::OrOr => (BinaryOp::Or, 1),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let expr = self.binary(0)?;
        if matches!(self.peek(), Token::Implies | Token::Iff) {
            return Err(self.verifier_only("this operator"));
        }
        Ok(expr)
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        self.nested(|parser| {
            let mut left = parser.unary()?;
            loop {
                if parser.is_word("is") {
                    return Err(parser.verifier_only("`is`"));
                }
                let token = parser.peek();
                if matches!(token, Token::As | Token::To) && CAST > least {
                    parser.bump();
                    let ty = parser.type_expr()?;
                    let span = left.span.to(ty.span);
                    let kind = if token == Token::As {
                        ExprKind::As(Box::new(left), ty)
                    } else {
                        ExprKind::To(Box::new(left), ty)
                    };
                    left = parser.node(kind, span)?;
                } else {
                    let Some((op, precedence)) = binary(token).filter(|&(_, precedence)| precedence > least) else {
                        return Ok(left);
                    };
                    parser.bump();
                    let right = parser.binary(precedence)?;
                    let span = left.span.to(right.span);
                    left = parser.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)?;
                }
            }
        })
    }

    /// Builds an expression; its height is bounded.
    fn node(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let height = 1 + kind.parts().iter().map(|part| part.height).max().unwrap_or(0);
        if height <= MAX_HEIGHT {
            return Ok(Expr { kind, span, height });
        }
        let message = format!("an expression of more than {MAX_HEIGHT} operators in a row, or in one another");
        let help = "move a part of the expression into a variable";
        Err(self.error(Diagnostic::error(self.span(), message).help(help)))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let op = match self.peek() {
            Token::Minus => UnaryOp::Neg,
            Token::Bang => UnaryOp::Not,
            _ => {
                let primary = self.primary()?;
                return self.postfix(primary);
            }
        };
        self.nested(|parser| {
            let start = parser.bump();
            let operand = parser.unary()?;
            let span = parser.since(start);
            parser.node(ExprKind::Unary(op, Box::new(operand)), span)
        })
    }

    /// `.f`, `.0` and `[e]` after an expression.
    pub(super) fn postfix(&mut self, mut base: Expr) -> Parsed<Expr> {
        loop {
            let start = base.span;
            let kind = match self.peek() {
                Token::Dot if self.peek_at(1) == Token::Int => {
                    self.bump();
                    let span = self.bump();
                    let index = self.int_value(span).map(|index| index as u32);
                    ExprKind::Index(Box::new(base), index, span)
                }
                Token::Dot => {
                    self.bump();
                    ExprKind::Field(Box::new(base), self.ident("the name of a field")?)
                }
                Token::LBracket => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect(Token::RBracket)?;
                    ExprKind::Element(Box::new(base), Box::new(index))
                }
                _ => return Ok(base),
            };
            let span = self.since(start);
            base = self.node(kind, span)?;
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = self.primary_kind()?;
        let span = self.since(start);
        self.node(kind, span)
    }

    fn primary_kind(&mut self) -> Parsed<ExprKind> {
        let simple = match self.peek() {
            Token::True => ExprKind::Bool(true),
            Token::False => ExprKind::Bool(false),
            Token::Null => ExprKind::Null,
            Token::Halt => ExprKind::Halt,
            Token::This => ExprKind::This,
            Token::Dollar => ExprKind::Nondet,
            Token::DollarDollar => ExprKind::FairNondet,
            Token::Str => ExprKind::Str(self.string()),
            Token::Int => return Ok(self.number()),
            Token::Dot if self.peek_at(1) == Token::Int => return Ok(self.number()),
            Token::Ident => return self.name_or_call(),
            Token::LParen => return self.tuple(),
            Token::Format => return self.format(),
            Token::Keys => return Ok(ExprKind::Keys(self.operand()?)),
            Token::Values => return Ok(ExprKind::Values(self.operand()?)),
            Token::Sizeof => return Ok(ExprKind::Sizeof(self.operand()?)),
            Token::Default => return self.default(),
            Token::Choose => return self.choose(),
            Token::New => return self.new_machine(),
            Token::Float if self.peek_at(1) == Token::LParen => {
                let diagnostic = Diagnostic::error(self.span(), "`float(a, b)` is not implemented in P");
                return Err(self.error(diagnostic.help("write the number with a point, as in `3.14`")));
            }
            _ => {
                return Err(match self.removed_expression() {
                    Some(failed) => failed,
                    None => self.unexpected("an expression"),
                });
            }
        };
        self.bump();
        Ok(simple)
    }

    /// The text between the quotation marks of the next token.
    fn string(&self) -> std::sync::Arc<str> {
        let text = self.text_of(self.span());
        text[1..text.len() - 1].into()
    }

    /// `1`, `1.5` or `.5`; spaces around the point are allowed.
    fn number(&mut self) -> ExprKind {
        let whole = self.accept(Token::Int);
        if self.peek() == Token::Dot && self.peek_at(1) == Token::Int {
            self.bump();
            let fraction = self.bump();
            let text = format!("{}.{}", whole.map_or("0", |span| self.text_of(span)), self.text_of(fraction));
            return ExprKind::Float(text.parse().expect("digits with a point are a number"));
        }
        ExprKind::Int(self.int_value(whole.unwrap_or_default()))
    }

    /// The value of digits. A literal must fit 32 bits.
    pub(super) fn int_value(&mut self, span: Span) -> Option<i64> {
        let value = self.text_of(span).parse::<i32>();
        if value.is_err() {
            let message = format!("the number is too large: it must be at most {}", i32::MAX);
            let help = "larger numbers can be computed; `int` has 64 bits when the program runs";
            self.error(Diagnostic::error(span, message).help(help));
        }
        value.ok().map(i64::from)
    }

    fn name_or_call(&mut self) -> Parsed<ExprKind> {
        if let Some(failed) = self.removed_expression() {
            return Err(failed);
        }
        let name = self.ident("a name")?;
        // In `test … assume p (2 wise) …` the parenthesis belongs to the test.
        let wise = self.peek_at(1) == Token::Int && self.peek_at(2) == Token::Wise;
        if self.peek() == Token::LParen && !wise {
            return Ok(ExprKind::Call(name, self.args()?));
        }
        Ok(ExprKind::Name(name.name))
    }

    /// `(e, f)` after the name of a function or of an interface.
    pub(super) fn args(&mut self) -> Parsed<Vec<Expr>> {
        self.expect(Token::LParen)?;
        self.list_until(Token::RParen, Parser::argument)
    }

    pub(super) fn argument(&mut self) -> Parsed<Expr> {
        let argument = self.expr()?;
        match self.removed_linear() {
            Some(failed) => Err(failed),
            None => Ok(argument),
        }
    }

    /// `(e)` after a keyword.
    fn operand(&mut self) -> Parsed<Box<Expr>> {
        self.bump();
        self.expect(Token::LParen)?;
        let operand = self.expr()?;
        self.expect(Token::RParen)?;
        Ok(Box::new(operand))
    }

    fn format(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Token::LParen)?;
        let span = self.span();
        if self.peek() != Token::Str {
            return Err(self.unexpected("a string literal"));
        }
        let text = Ident { name: self.string(), span };
        self.bump();
        let mut args = Vec::new();
        if self.accept(Token::Comma).is_some() {
            args = self.list(Parser::expr)?;
        }
        self.expect(Token::RParen)?;
        Ok(ExprKind::Format(text, args))
    }

    fn default(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Token::LParen)?;
        let ty = self.type_expr()?;
        self.expect(Token::RParen)?;
        Ok(ExprKind::Default(ty))
    }

    fn choose(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Token::LParen)?;
        let of = if self.peek() == Token::RParen { None } else { Some(Box::new(self.expr()?)) };
        self.expect(Token::RParen)?;
        Ok(ExprKind::Choose(of))
    }

    fn new_machine(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let interface = self.ident("the name of a machine or an interface")?;
        Ok(ExprKind::New(interface, self.args()?))
    }

    /// `(e)`, `(e,)`, `(e, f)`, `(a = e,)`, `(a = e, b = f)`
    fn tuple(&mut self) -> Parsed<ExprKind> {
        let open = self.bump();
        if self.peek_at(1) == Token::Eq {
            return self.named_tuple(open);
        }
        let first = self.expr()?;
        if self.accept(Token::RParen).is_some() {
            return Ok(first.kind);
        }
        self.expect(Token::Comma)?;
        let mut fields = vec![first];
        if self.accept(Token::RParen).is_some() {
            return Ok(ExprKind::Tuple(fields));
        }
        fields.extend(self.list(Parser::expr)?);
        self.expect(Token::RParen)?;
        Ok(ExprKind::Tuple(fields))
    }

    fn named_tuple(&mut self, open: Span) -> Parsed<ExprKind> {
        let mut fields = vec![self.field()?];
        if self.peek() == Token::RParen {
            let message = "a tuple of one field needs a comma after the field";
            let diagnostic = Diagnostic::error(self.since(open), message);
            self.error(diagnostic.help(format!("write `({} = …,)`", fields[0].0.name)));
        } else {
            self.expect(Token::Comma)?;
            if self.peek() != Token::RParen {
                fields.extend(self.list(Parser::field)?);
            }
        }
        self.expect(Token::RParen)?;
        Ok(ExprKind::Named(fields))
    }

    fn field(&mut self) -> Parsed<(Ident, Expr)> {
        let name = self.ident("the name of a field")?;
        self.expect(Token::Eq)?;
        Ok((name, self.expr()?))
    }
}
