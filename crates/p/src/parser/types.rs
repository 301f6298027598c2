//! Types.

use super::{Parsed, Parser};
use crate::ast::{TypeExpr, TypeKind};
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.type_kind()?;
            Ok(TypeExpr { kind, span: parser.since(start) })
        })
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        let simple = match self.peek() {
            Token::Bool => TypeKind::Bool,
            Token::IntType => TypeKind::Int,
            Token::Float => TypeKind::Float,
            Token::StringType => TypeKind::String,
            Token::Event => TypeKind::Event,
            Token::Machine => TypeKind::Machine,
            Token::Data => TypeKind::Data,
            Token::Any => TypeKind::Any,
            Token::Ident => return Ok(TypeKind::Name(self.ident("a type")?.name)),
            Token::Seq => return Ok(TypeKind::Seq(Box::new(self.element_type()?))),
            Token::Set => return Ok(TypeKind::Set(Box::new(self.element_type()?))),
            Token::Map => return self.map_type(),
            Token::LParen => return self.tuple_type(),
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        Ok(simple)
    }

    fn element_type(&mut self) -> Parsed<TypeExpr> {
        self.bump();
        self.expect(Token::LBracket)?;
        let element = self.type_expr()?;
        self.expect(Token::RBracket)?;
        Ok(element)
    }

    fn map_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Token::LBracket)?;
        let key = self.type_expr()?;
        self.expect(Token::Comma)?;
        let value = self.type_expr()?;
        self.expect(Token::RBracket)?;
        Ok(TypeKind::Map(Box::new(key), Box::new(value)))
    }

    fn tuple_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        if matches!(self.peek_at(1), Token::Colon) {
            let fields = self.list(|parser| {
                let name = parser.ident("the name of a field")?;
                parser.expect(Token::Colon)?;
                Ok((name, parser.type_expr()?))
            })?;
            self.expect(Token::RParen)?;
            return Ok(TypeKind::Named(fields));
        }
        let fields = self.list(Parser::type_expr)?;
        self.expect(Token::RParen)?;
        Ok(TypeKind::Tuple(fields))
    }
}
