//! Parses what functions do: blocks, instructions, expressions.

use super::lexer::Token;
use super::parse::{Reader, SyntaxError};
use crate::builder::FunctionBuilder;
use crate::code::{Binary, Case, Choice, Expr, Op, Piece, Place, Root, Step, Terminator, Unary};
use crate::ids::{BlockId, FieldId, LocalId, MachineId};
use crate::program::Const;
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, SyntaxError>;

/// The body of one function.
pub struct Body<'a> {
    pub reader: &'a mut Reader,
    pub builder: &'a mut FunctionBuilder,
    pub locals: FxHashMap<String, LocalId>,
    pub machine: Option<MachineId>,
}

/// An instruction, or the end of a block.
enum Read {
    Op(Op),
    End(Terminator),
}

impl Body<'_> {
    /// All blocks and the closing brace.
    pub fn blocks(mut self) -> Result<()> {
        let mut count = 0;
        while !self.reader.takes("}") {
            let label = self.block_name()?;
            self.reader.sign(":")?;
            if label.0 != count {
                return self.reader.error(format!("expected block b{count}: blocks are numbered in order"));
            }
            if count > 0 {
                self.builder.block();
            }
            self.builder.switch(label);
            self.block()?;
            count += 1;
        }
        if count == 0 { self.reader.error("a function has at least one block") } else { Ok(()) }
    }

    fn block(&mut self) -> Result<()> {
        loop {
            let span = self.reader.span()?;
            let read = self.instruction()?;
            self.reader.sign(";")?;
            match read {
                Read::Op(op) => self.builder.push(op, span),
                Read::End(end) => {
                    self.builder.end(end, span);
                    return Ok(());
                }
            }
        }
    }

    fn block_name(&mut self) -> Result<BlockId> {
        let number = match self.reader.peek() {
            Token::Name(name) => name.strip_prefix('b').and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        match number {
            Some(number) => {
                self.reader.next();
                Ok(BlockId(number))
            }
            None => self.reader.expected("a block, such as b0"),
        }
    }

    fn instruction(&mut self) -> Result<Read> {
        let second_is_place = matches!(self.reader.peek_second(), Token::Sign("=" | "[" | "."));
        let Token::Name(word) = self.reader.peek().clone() else { return self.reader.expected("an instruction") };
        if second_is_place {
            return self.assignment().map(Read::Op);
        }
        self.reader.next();
        match word.as_str() {
            "insert" => {
                let to = self.place()?;
                self.reader.sign(",")?;
                let key = self.expr()?;
                self.reader.sign(",")?;
                Ok(Read::Op(Op::Insert { to, key, value: self.expr()? }))
            }
            "add" => {
                let to = self.place()?;
                self.reader.sign(",")?;
                Ok(Read::Op(Op::Add { to, value: self.expr()? }))
            }
            "remove" => {
                let from = self.place()?;
                self.reader.sign(",")?;
                Ok(Read::Op(Op::Remove { from, key: self.expr()? }))
            }
            "call" => self.call(None).map(Read::Op),
            "new" => self.create(None).map(Read::Op),
            "send" => {
                let target = self.expr()?;
                self.reader.sign(",")?;
                let event = self.expr()?;
                Ok(Read::Op(Op::Send { target, event, payload: self.more()? }))
            }
            "announce" => {
                let event = self.expr()?;
                Ok(Read::Op(Op::Announce { event, payload: self.more()? }))
            }
            "assert" => {
                let condition = self.expr()?;
                Ok(Read::Op(Op::Assert { condition, message: self.more()? }))
            }
            "print" => Ok(Read::Op(Op::Print { message: self.expr()? })),
            _ => self.end(&word).map(Read::End),
        }
    }

    fn end(&mut self, word: &str) -> Result<Terminator> {
        match word {
            "jump" => Ok(Terminator::Jump(self.block_name()?)),
            "if" => {
                let condition = self.expr()?;
                let then = self.block_name()?;
                self.reader.word("else")?;
                Ok(Terminator::Branch { condition, then, otherwise: self.block_name()? })
            }
            "return" => Ok(Terminator::Return(self.unless_done()?)),
            "fail" => Ok(Terminator::Fail(self.unless_done()?)),
            "raise" => {
                let event = self.expr()?;
                Ok(Terminator::Raise { event, payload: self.more()? })
            }
            "goto" => {
                let Some(machine) = self.machine else {
                    return self.reader.error("a global function cannot change the state");
                };
                let state = self.reader.state_id(machine)?;
                Ok(Terminator::Goto { state, payload: self.more()? })
            }
            "receive" => {
                self.reader.sign("{")?;
                let mut cases = Vec::new();
                while !self.reader.takes("}") {
                    if !cases.is_empty() {
                        self.reader.sign(",")?;
                    }
                    cases.push(self.case()?);
                }
                Ok(Terminator::Receive(cases))
            }
            _ => self.reader.error(format!("`{word}` is not an instruction")),
        }
    }

    fn case(&mut self) -> Result<Case> {
        let event = self.reader.event()?;
        let mut payload = None;
        if self.reader.takes("(") {
            payload = Some(self.local()?);
            self.reader.sign(")")?;
        }
        self.reader.sign("->")?;
        Ok(Case { event, payload, block: self.block_name()? })
    }

    /// What follows a comma, if there is one.
    fn more(&mut self) -> Result<Option<Expr>> {
        if self.reader.takes(",") { self.expr().map(Some) } else { Ok(None) }
    }

    fn unless_done(&mut self) -> Result<Option<Expr>> {
        if self.reader.sees(";") { Ok(None) } else { self.expr().map(Some) }
    }

    fn assignment(&mut self) -> Result<Op> {
        let to = self.place()?;
        self.reader.sign("=")?;
        let follows_name = matches!(self.reader.peek_second(), Token::Name(_));
        let Token::Name(word) = self.reader.peek().clone() else { return self.assigned(to) };
        let local = match to {
            Place { root: Root::Local(local), ref path } if path.is_empty() => Some(local),
            _ => None,
        };
        let (true, Some(local)) = (follows_name, local) else { return self.assigned(to) };
        match word.as_str() {
            "call" => {
                self.reader.next();
                self.call(Some(local))
            }
            "new" => {
                self.reader.next();
                self.create(Some(local))
            }
            "choose" => {
                self.reader.next();
                Ok(Op::Choose { to: local, from: self.choice()? })
            }
            _ => self.assigned(to),
        }
    }

    fn assigned(&mut self, to: Place) -> Result<Op> {
        Ok(Op::Assign { to, value: self.expr()? })
    }

    fn choice(&mut self) -> Result<Choice> {
        let word = self.reader.name()?;
        match word.as_str() {
            "bool" => Ok(Choice::Bool),
            "fair" => Ok(Choice::FairBool),
            "int" | "of" => {
                self.reader.sign("(")?;
                let expr = self.expr()?;
                self.reader.sign(")")?;
                Ok(if word == "int" { Choice::Int(expr) } else { Choice::Element(expr) })
            }
            _ => self.reader.error(format!("`{word}` is not a choice: expected bool, fair, int(…) or of(…)")),
        }
    }

    fn call(&mut self, to: Option<LocalId>) -> Result<Op> {
        let function = self.reader.function()?;
        self.reader.sign("(")?;
        Ok(Op::Call { to, function, args: self.exprs(")")? })
    }

    fn create(&mut self, to: Option<LocalId>) -> Result<Op> {
        let interface = self.reader.interface()?;
        self.reader.sign("(")?;
        let payload = if self.reader.sees(")") { None } else { Some(self.expr()?) };
        self.reader.sign(")")?;
        Ok(Op::New { to, interface, payload })
    }

    fn exprs(&mut self, end: &str) -> Result<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.reader.takes(end) {
            if !items.is_empty() {
                self.reader.sign(",")?;
            }
            items.push(self.expr()?);
        }
        Ok(items)
    }

    fn local(&mut self) -> Result<LocalId> {
        match self.reader.peek() {
            Token::Name(name) => match self.locals.get(name) {
                Some(&local) => {
                    self.reader.next();
                    Ok(local)
                }
                None => {
                    let message = format!("there is no local `{name}`");
                    self.reader.error(message)
                }
            },
            _ => self.reader.expected("a local"),
        }
    }

    fn field(&self, name: &str) -> Option<FieldId> {
        let fields = &self.reader.program.machine(self.machine?).fields;
        fields.iter().position(|field| field.name == name).map(FieldId::at)
    }

    fn place(&mut self) -> Result<Place> {
        let field = match self.reader.peek() {
            Token::Name(name) => name.strip_prefix("this.").map(|field| self.field(field)),
            _ => None,
        };
        let root = match field {
            Some(Some(field)) => {
                self.reader.next();
                Root::Field(field)
            }
            Some(None) => return self.reader.error("there is no such field"),
            None => Root::Local(self.local()?),
        };
        let mut place = Place { root, path: Vec::new() };
        loop {
            if self.reader.takes(".") {
                place.path.push(Step::Item(self.reader.number32()?));
            } else if self.reader.takes("[") {
                place.path.push(Step::Index(self.expr()?));
                self.reader.sign("]")?;
            } else {
                return Ok(place);
            }
        }
    }

    fn expr(&mut self) -> Result<Expr> {
        if self.reader.depth >= super::DEEPEST {
            return self.reader.error(format!("nested more than {} levels deep", super::DEEPEST));
        }
        self.reader.depth += 1;
        let read = self.postfix();
        self.reader.depth -= 1;
        read
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut expr = self.primary()?;
        let mut steps = 0;
        loop {
            if self.reader.takes(".") {
                expr = expr.item(self.reader.number32()?);
            } else if self.reader.takes("[") {
                expr = expr.at(self.expr()?);
                self.reader.sign("]")?;
            } else {
                return Ok(expr);
            }
            steps += 1;
            if steps > super::DEEPEST {
                return self.reader.error("too many parts of parts");
            }
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.reader.peek().clone() {
            Token::Number(_) | Token::Text(_) | Token::Sign("-" | "@") => self.reader.constant().map(Expr::Const),
            Token::Sign("?") => {
                self.reader.next();
                Ok(Expr::Param(self.reader.param()?))
            }
            Token::Sign("(") => self.binary(),
            Token::Name(name) => self.named(&name),
            _ => self.reader.expected("an expression"),
        }
    }

    fn binary(&mut self) -> Result<Expr> {
        self.reader.sign("(")?;
        let a = self.expr()?;
        let op = match self.reader.peek() {
            Token::Sign("+") => Binary::Add,
            Token::Sign("-") => Binary::Sub,
            Token::Sign("*") => Binary::Mul,
            Token::Sign("/") => Binary::Div,
            Token::Sign("%") => Binary::Rem,
            Token::Sign("<") => Binary::Lt,
            Token::Sign("<=") => Binary::Le,
            Token::Sign(">") => Binary::Gt,
            Token::Sign(">=") => Binary::Ge,
            Token::Sign("==") => Binary::Eq,
            Token::Sign("!=") => Binary::Ne,
            Token::Sign("&&") => Binary::And,
            Token::Sign("||") => Binary::Or,
            Token::Name(word) if word == "in" => Binary::In,
            _ => return self.reader.expected("an operator"),
        };
        self.reader.next();
        let b = self.expr()?;
        self.reader.sign(")")?;
        Ok(Expr::binary(op, a, b))
    }

    /// An expression that begins with a name.
    fn named(&mut self, name: &str) -> Result<Expr> {
        if let Some(field) = name.strip_prefix("this.") {
            let Some(field) = self.field(field) else { return self.reader.error("there is no such field") };
            self.reader.next();
            return Ok(Expr::Field(field));
        }
        match self.reader.peek_second() {
            Token::Sign("::") => return self.reader.constant().map(Expr::Const),
            Token::Sign("(") => return self.applied(name),
            _ => {}
        }
        match name {
            "null" | "true" | "false" => self.reader.constant().map(Expr::Const),
            "this" => {
                self.reader.next();
                Ok(Expr::This)
            }
            _ => self.local().map(Expr::Local),
        }
    }

    /// Something that is written like a function.
    fn applied(&mut self, name: &str) -> Result<Expr> {
        if name == "float" {
            return self.reader.constant().map(Expr::Const);
        }
        let unary = match name {
            "not" => Some(Unary::Not),
            "neg" => Some(Unary::Negate),
            "sizeof" => Some(Unary::Size),
            "keys" => Some(Unary::Keys),
            "values" => Some(Unary::Values),
            _ => None,
        };
        if unary.is_none() && !["tuple", "named", "as", "to", "default", "format"].contains(&name) {
            return self.reader.error(format!("`{name}` is not an operator"));
        }
        self.reader.next();
        self.reader.sign("(")?;
        if let Some(op) = unary {
            let of = self.expr()?;
            self.reader.sign(")")?;
            return Ok(Expr::unary(op, of));
        }
        match name {
            "tuple" => Ok(Expr::Tuple(self.exprs(")")?)),
            "named" => self.named_tuple(),
            "as" | "to" => {
                let of = Box::new(self.expr()?);
                self.reader.sign(",")?;
                let ty = self.reader.ty()?;
                self.reader.sign(")")?;
                Ok(if name == "as" { Expr::Cast(of, ty) } else { Expr::Coerce(of, ty) })
            }
            "default" => {
                let ty = self.reader.ty()?;
                self.reader.sign(")")?;
                Ok(Expr::Default(ty))
            }
            _ => self.format(),
        }
    }

    fn named_tuple(&mut self) -> Result<Expr> {
        let (mut names, mut items) = (Vec::new(), Vec::new());
        while !self.reader.takes(")") {
            if !names.is_empty() {
                self.reader.sign(",")?;
            }
            names.push(self.reader.name()?);
            self.reader.sign("=")?;
            items.push(self.expr()?);
        }
        Ok(Expr::Named(self.reader.program.types.names(names), items))
    }

    fn format(&mut self) -> Result<Expr> {
        let mut pieces = Vec::new();
        while !self.reader.takes(";") {
            if !pieces.is_empty() {
                self.reader.sign(",")?;
            }
            pieces.push(if self.reader.takes("$") {
                Piece::Arg(self.reader.number32()?)
            } else {
                Piece::Text(self.reader.text()?)
            });
        }
        Ok(Expr::Format(pieces, self.exprs(")")?))
    }
}

impl Reader {
    /// A constant.
    pub fn constant(&mut self) -> Result<Const> {
        match self.peek().clone() {
            Token::Number(_) | Token::Sign("-") => Ok(Const::Int(self.signed()?)),
            Token::Text(_) => Ok(Const::String(self.text()?)),
            Token::Sign("@") => Ok(Const::Event(self.event()?)),
            Token::Name(name) => {
                self.next();
                match name.as_str() {
                    "null" => Ok(Const::Null),
                    "true" => Ok(Const::Bool(true)),
                    "false" => Ok(Const::Bool(false)),
                    "float" => {
                        self.sign("(")?;
                        let text = self.text()?;
                        let Ok(value) = text.parse() else { return self.error("expected a number, such as \"1.5\"") };
                        self.sign(")")?;
                        Ok(Const::Float(value))
                    }
                    name => {
                        self.sign("::")?;
                        self.element(name)
                    }
                }
            }
            _ => self.expected("a constant"),
        }
    }
}
