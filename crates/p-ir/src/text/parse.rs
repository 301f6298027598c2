//! Parses the textual form: declarations. What functions do is in `body`.
//!
//! The first pass finds where declarations begin and gives them their ids; the second one reads them, so that their order does not matter.

use super::DEEPEST;
use super::body::Body;
use super::lexer::{Located, Token, tokens};
use crate::builder::FunctionBuilder;
use crate::code::Span;
use crate::ids::{
    EnumId, EventId, EventSetId, ForeignId, FunctionId, InterfaceId, MachineId, ParamId, StateId, TypeId,
};
use crate::program::{Attached, Const, Handler, Link, MachineKind, Program, Temperature, Test};
use crate::types::{EventSet, Type};
use rustc_hash::FxHashMap;

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is wrong, and what is expected.
    pub message: String,
}

/// The program that a text describes. It need not be valid: see [`crate::validate()`].
pub fn parse(text: &str) -> Result<Program> {
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
        program: Program::new(),
        names: FxHashMap::default(),
        enums: FxHashMap::default(),
        depth: 0,
    };
    reader.names.insert((Kind::Event, "null".to_string()), EventId::NULL.0);
    reader.names.insert((Kind::Event, "halt".to_string()), EventId::HALT.0);
    let mut found = reader.survey()?;
    found.sort_by_key(|(rank, ..)| *rank);
    for (_, word, at, span) in found {
        reader.at = at;
        reader.declaration(word, span)?;
    }
    Ok(reader.program)
}

/// The kind of a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Type,
    Event,
    Interface,
    Machine,
    Function,
    Param,
}

type Result<T> = std::result::Result<T, SyntaxError>;

/// What is read, and what is known so far.
pub struct Reader {
    tokens: Vec<Located>,
    at: usize,
    pub program: Program,
    names: FxHashMap<(Kind, String), u32>,
    /// The numbers of the elements of enums.
    enums: FxHashMap<(EnumId, String), i64>,
    pub depth: usize,
}

impl Reader {
    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    pub fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        let (_, line, column) = self.tokens[self.at];
        Err(SyntaxError { line, column, message: message.into() })
    }

    pub fn expected<T>(&self, what: &str) -> Result<T> {
        self.error(format!("expected {what}, found {}", self.peek().show()))
    }

    pub fn sees(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    pub fn takes(&mut self, sign: &str) -> bool {
        let found = self.sees(sign);
        if found {
            self.next();
        }
        found
    }

    pub fn sign(&mut self, sign: &str) -> Result<()> {
        if self.takes(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    pub fn sees_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == word)
    }

    pub fn takes_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        if found {
            self.next();
        }
        found
    }

    pub fn word(&mut self, word: &str) -> Result<()> {
        if self.takes_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub fn name(&mut self) -> Result<String> {
        match self.peek() {
            Token::Name(name) => {
                let name = name.clone();
                self.next();
                Ok(name)
            }
            _ => self.expected("a name"),
        }
    }

    pub fn number(&mut self) -> Result<u64> {
        match *self.peek() {
            Token::Number(n) => {
                self.next();
                Ok(n)
            }
            _ => self.expected("a number"),
        }
    }

    pub fn number32(&mut self) -> Result<u32> {
        let n = self.number()?;
        u32::try_from(n).or_else(|_| self.error("the number is too large"))
    }

    pub fn text(&mut self) -> Result<String> {
        match self.peek() {
            Token::Text(text) => {
                let text = text.clone();
                self.next();
                Ok(text)
            }
            _ => self.expected("a string"),
        }
    }

    /// Items with commas between them, up to `end`.
    pub fn list<T>(&mut self, end: &str, mut item: impl FnMut(&mut Reader) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.takes(end) {
            if !items.is_empty() {
                self.sign(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// What is nested one level deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Reader) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return self.error(format!("nested more than {DEEPEST} levels deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A place in the source, if there is one.
    pub fn span(&mut self) -> Result<Span> {
        if !self.takes("#") {
            return Ok(Span::default());
        }
        let file = self.number32()?;
        self.sign(":")?;
        let line = self.number32()?;
        self.sign(":")?;
        Ok(Span::new(file, line, self.number32()?))
    }

    fn find(&mut self, kind: Kind, what: &str) -> Result<u32> {
        let at = self.at;
        let name = self.name()?;
        match self.names.get(&(kind, name.clone())) {
            Some(&id) => Ok(id),
            None => {
                self.at = at;
                self.error(format!("there is no {what} `{name}`"))
            }
        }
    }

    pub fn event(&mut self) -> Result<EventId> {
        self.sign("@")?;
        self.find(Kind::Event, "event").map(EventId)
    }

    pub fn interface(&mut self) -> Result<InterfaceId> {
        self.find(Kind::Interface, "interface").map(InterfaceId)
    }

    fn machine(&mut self) -> Result<MachineId> {
        self.find(Kind::Machine, "machine").map(MachineId)
    }

    pub fn function(&mut self) -> Result<FunctionId> {
        self.find(Kind::Function, "function").map(FunctionId)
    }

    pub fn param(&mut self) -> Result<ParamId> {
        self.find(Kind::Param, "test parameter").map(ParamId)
    }

    fn known(&mut self, kind: Kind, name: &str, id: u32) -> Result<()> {
        match self.names.insert((kind, name.to_string()), id) {
            None => Ok(()),
            Some(_) => self.error(format!("`{name}` is declared twice")),
        }
    }

    /// Finds all declarations: the order in which they are read, the word that begins them, the place after that word, and their span.
    fn survey(&mut self) -> Result<Vec<(u8, String, usize, Span)>> {
        let mut found = Vec::new();
        while *self.peek() != Token::End {
            let span = self.span()?;
            let word = self.name()?;
            let at = self.at;
            let rank = self.register(&word, span)?;
            found.push((rank, word, at, span));
            self.skip_declaration()?;
        }
        Ok(found)
    }

    /// Gives a declaration its id. The rank is the order in which kinds of declarations are read.
    fn register(&mut self, word: &str, span: Span) -> Result<u8> {
        if word == "file" {
            return Ok(0);
        }
        let name = self.name()?;
        let none = EventSetId::ALL;
        match word {
            "enum" => {
                let id = self.program.add_enum(&name, Vec::new());
                self.known(Kind::Type, &name, id.0)?;
                self.program.types.intern(Type::Enum(id));
                Ok(1)
            }
            "foreign" => {
                let ForeignId(id) = self.program.add_foreign_type(&name);
                self.known(Kind::Type, &name, FOREIGN | id)?;
                Ok(1)
            }
            "event" => {
                let id = self.program.add_event(&name, None, span);
                self.known(Kind::Event, &name, id.0)?;
                Ok(2)
            }
            "interface" => {
                let id = self.program.add_interface(&name, None, none, span);
                self.known(Kind::Interface, &name, id.0)?;
                Ok(2)
            }
            "param" => {
                let id = self.program.add_param(&name, TypeId::INT);
                self.known(Kind::Param, &name, id.0)?;
                Ok(2)
            }
            "machine" | "spec" | "scenario" => {
                let kind = match word {
                    "machine" => MachineKind::Machine,
                    "spec" => MachineKind::Spec,
                    _ => MachineKind::Scenario,
                };
                let id = self.program.add_machine(&name, kind, span);
                self.known(Kind::Machine, &name, id.0)?;
                Ok(3)
            }
            "fun" => {
                let id = self.program.declare(&name, None, span);
                self.known(Kind::Function, &name, id.0)?;
                Ok(4)
            }
            "test" => Ok(5),
            _ => self.error(format!(
                "`{word}` begins no declaration: expected file, enum, foreign, event, interface, param, machine, spec, scenario, fun or test"
            )),
        }
    }

    /// Skips to the end of a declaration: a semicolon or a closing brace that is not inside of anything. Braces of event sets are closed before.
    fn skip_declaration(&mut self) -> Result<()> {
        loop {
            match self.next() {
                Token::Sign(";") => return Ok(()),
                Token::Sign("{") => {
                    let body = !matches!(self.peek(), Token::Sign("@" | "}"));
                    let empty = self.sees("}");
                    let mut depth = 1;
                    while depth > 0 {
                        match self.next() {
                            Token::Sign("{") => depth += 1,
                            Token::Sign("}") => depth -= 1,
                            Token::End => return self.error("a brace is not closed"),
                            _ => {}
                        }
                    }
                    // A set of events is part of the head of a declaration, and something follows it.
                    let head = matches!(self.peek(), Token::Sign("{" | ";" | ")" | "," | "]" | ":"))
                        || ["sends", "observes", "in"].iter().any(|word| self.sees_word(word));
                    if body || (empty && !head) {
                        return Ok(());
                    }
                }
                Token::End => return self.error("a declaration has no end"),
                _ => {}
            }
        }
    }

    fn declaration(&mut self, word: String, span: Span) -> Result<()> {
        if word == "file" {
            let name = self.text()?;
            self.program.add_file(name);
            return self.sign(";");
        }
        match word.as_str() {
            "enum" => self.enumeration(),
            "foreign" => {
                self.name()?;
                self.sign(";")
            }
            "event" => {
                let EventId(id) = self.find(Kind::Event, "event").map(EventId)?;
                let payload = if self.takes(":") { Some(self.ty()?) } else { None };
                self.program.events[id as usize].payload = payload;
                self.sign(";")
            }
            "interface" => {
                let id = self.interface()?;
                self.sign("(")?;
                let payload = if self.sees(")") { None } else { Some(self.ty()?) };
                self.sign(")")?;
                self.word("receives")?;
                let receives = self.event_set()?;
                let interface = &mut self.program.interfaces[id.index()];
                (interface.payload, interface.receives) = (payload, receives);
                self.sign(";")
            }
            "param" => {
                let id = self.param()?;
                self.sign(":")?;
                self.program.params[id.index()].ty = self.ty()?;
                self.sign(";")
            }
            "machine" | "spec" | "scenario" => self.machine_body(),
            "fun" => self.function_body(),
            _ => self.test(span),
        }
    }

    fn enumeration(&mut self) -> Result<()> {
        let id = EnumId(self.find(Kind::Type, "enum")?);
        self.sign("{")?;
        let elements = self.list("}", |reader| {
            let name = reader.name()?;
            reader.sign("=")?;
            Ok((name, reader.signed()?))
        })?;
        self.enums.extend(elements.iter().map(|(name, number)| ((id, name.clone()), *number)));
        self.program.enums[id.index()].elements = elements;
        Ok(())
    }

    /// An integer, with or without a sign.
    pub fn signed(&mut self) -> Result<i64> {
        let negative = self.takes("-");
        let n = self.number()?;
        let n = if negative { -i128::from(n) } else { i128::from(n) };
        i64::try_from(n).or_else(|_| self.error("the number does not fit 64 bits"))
    }

    fn event_set(&mut self) -> Result<EventSetId> {
        if self.takes_word("all") {
            return Ok(EventSetId::ALL);
        }
        self.sign("{")?;
        let events = self.list("}", Reader::event)?;
        Ok(self.program.types.event_set(EventSet::Only(events)))
    }

    /// A type.
    pub fn ty(&mut self) -> Result<TypeId> {
        self.nested(Reader::ty_inside)
    }

    fn ty_inside(&mut self) -> Result<TypeId> {
        if self.takes("(") {
            let named = matches!(self.peek_second(), Token::Sign(":"));
            if !named {
                let items = self.list(")", Reader::ty)?;
                return Ok(self.program.types.tuple(items));
            }
            let fields = self.list(")", |reader| {
                let name = reader.name()?;
                reader.sign(":")?;
                Ok((name, reader.ty()?))
            })?;
            let (names, items): (Vec<String>, Vec<TypeId>) = fields.into_iter().unzip();
            let names = self.program.types.names(names);
            return Ok(self.program.types.intern(Type::Named(names, items)));
        }
        let at = self.at;
        let name = self.name()?;
        Ok(match name.as_str() {
            "null" => TypeId::NULL,
            "bool" => TypeId::BOOL,
            "int" => TypeId::INT,
            "float" => TypeId::FLOAT,
            "string" => TypeId::STRING,
            "event" => TypeId::EVENT,
            "machine" => TypeId::MACHINE,
            "data" => TypeId::DATA,
            "any" => TypeId::ANY,
            "perm" => {
                let set = self.event_set()?;
                self.program.types.intern(Type::Permission(set))
            }
            "seq" | "set" => {
                self.sign("[")?;
                let of = self.ty()?;
                self.sign("]")?;
                if name == "seq" { self.program.types.seq(of) } else { self.program.types.set(of) }
            }
            "map" => {
                self.sign("[")?;
                let key = self.ty()?;
                self.sign(",")?;
                let value = self.ty()?;
                self.sign("]")?;
                self.program.types.map(key, value)
            }
            _ => match self.names.get(&(Kind::Type, name.clone())) {
                Some(id) if id & FOREIGN != 0 => {
                    let id = ForeignId(id & !FOREIGN);
                    self.program.types.intern(Type::Foreign(id))
                }
                Some(&id) => self.program.types.intern(Type::Enum(EnumId(id))),
                None => {
                    self.at = at;
                    return self.error(format!("there is no type `{name}`"));
                }
            },
        })
    }

    /// The element of an enum after its name and `::`.
    pub fn element(&mut self, name: &str) -> Result<Const> {
        let id = self.names.get(&(Kind::Type, name.to_string())).filter(|id| **id & FOREIGN == 0);
        let Some(&id) = id else { return self.error(format!("there is no enum `{name}`")) };
        let id = EnumId(id);
        if let Token::Number(_) | Token::Sign("-") = self.peek() {
            return Ok(Const::Enum(id, self.signed()?));
        }
        let at = self.at;
        let element = self.name()?;
        match self.enums.get(&(id, element.clone())) {
            Some(&number) => Ok(Const::Enum(id, number)),
            None => {
                self.at = at;
                self.error(format!("enum `{name}` has no element `{element}`"))
            }
        }
    }

    fn machine_body(&mut self) -> Result<()> {
        let id = self.machine()?;
        self.word("receives")?;
        let receives = self.event_set()?;
        self.word("sends")?;
        let sends = self.event_set()?;
        let mut observes = Vec::new();
        if self.takes_word("observes") {
            self.sign("{")?;
            observes = self.list("}", Reader::event)?;
            observes.sort_unstable();
        }
        let machine = &mut self.program.machines[id.index()];
        (machine.receives, machine.sends, machine.observes) = (receives, sends, observes);
        self.sign("{")?;
        while self.takes_word("field") {
            let name = self.name()?;
            self.sign(":")?;
            let ty = self.ty()?;
            self.program.add_field(id, name, ty);
            self.sign(";")?;
        }
        self.state_names(id)?;
        let mut nth = 0;
        while !self.takes("}") {
            self.state(id, StateId(nth))?;
            nth += 1;
        }
        Ok(())
    }

    /// Adds the states of a machine, without what they do: handlers refer to states that follow.
    fn state_names(&mut self, id: MachineId) -> Result<()> {
        let at = self.at;
        while !self.sees("}") {
            let span = self.span()?;
            let start = self.takes_word("start");
            let temperature = self.temperature();
            self.word("state")?;
            let name = self.name()?;
            let state = self.program.add_state(id, name, span);
            self.program.state_mut(id, state).temperature = temperature;
            if start {
                self.program.machines[id.index()].start = state;
            }
            self.sign("{")?;
            while !self.takes("}") {
                if self.next() == Token::End {
                    return self.error("a brace is not closed");
                }
            }
        }
        self.at = at;
        Ok(())
    }

    fn temperature(&mut self) -> Temperature {
        if self.takes_word("hot") {
            Temperature::Hot
        } else if self.takes_word("cold") {
            Temperature::Cold
        } else {
            Temperature::Warm
        }
    }

    /// The state of this name of a machine.
    pub fn state_id(&mut self, machine: MachineId) -> Result<StateId> {
        let at = self.at;
        let name = self.name()?;
        match self.program.machine(machine).states.iter().position(|state| state.name == name) {
            Some(found) => Ok(StateId::at(found)),
            None => {
                self.at = at;
                self.error(format!("there is no state `{name}`"))
            }
        }
    }

    fn state(&mut self, machine: MachineId, state: StateId) -> Result<()> {
        while !self.takes("{") {
            self.next();
        }
        while !self.takes("}") {
            if self.takes_word("entry") {
                let function = self.function()?;
                self.program.state_mut(machine, state).entry = Some(function);
            } else if self.takes_word("exit") {
                let function = self.function()?;
                self.program.state_mut(machine, state).exit = Some(function);
            } else {
                let (event, handler) = self.handler(machine)?;
                if !self.program.state_mut(machine, state).on(event, handler) {
                    return self.error("the state has two handlers for one event");
                }
            }
            self.sign(";")?;
        }
        Ok(())
    }

    fn handler(&mut self, machine: MachineId) -> Result<(EventId, Handler)> {
        if self.takes_word("defer") {
            return Ok((self.event()?, Handler::Defer));
        }
        if self.takes_word("ignore") {
            return Ok((self.event()?, Handler::Ignore));
        }
        if !self.takes_word("on") {
            return self.expected("`entry`, `exit`, `on`, `defer` or `ignore`");
        }
        let event = self.event()?;
        if self.takes_word("do") {
            return Ok((event, Handler::Do(self.function()?)));
        }
        self.word("goto")?;
        let target = self.state_id(machine)?;
        let with = if self.takes_word("with") { Some(self.function()?) } else { None };
        Ok((event, Handler::Goto { target, with }))
    }

    fn function_body(&mut self) -> Result<()> {
        let id = self.function()?;
        let machine = if self.takes_word("in") { Some(self.machine()?) } else { None };
        self.program.functions[id.index()].machine = machine;
        let mut builder = FunctionBuilder::new();
        let mut locals = FxHashMap::default();
        self.sign("(")?;
        let params = self.list(")", Reader::variable)?;
        for (name, ty) in params {
            locals.insert(name.clone(), builder.param(&name, ty));
        }
        if self.takes(":") {
            let result = self.ty()?;
            builder.returns(result);
        }
        if self.takes_word("foreign") {
            builder.foreign();
            self.program.define(id, builder);
            return self.sign(";");
        }
        self.sign("{")?;
        while self.takes_word("local") {
            let (name, ty) = self.variable()?;
            locals.insert(name.clone(), builder.local(&name, ty));
            self.sign(";")?;
        }
        Body { reader: self, builder: &mut builder, locals, machine }.blocks()?;
        self.program.define(id, builder);
        Ok(())
    }

    fn variable(&mut self) -> Result<(String, TypeId)> {
        let name = self.name()?;
        self.sign(":")?;
        Ok((name, self.ty()?))
    }

    fn test(&mut self, span: Span) -> Result<()> {
        let name = self.name()?;
        self.word("main")?;
        let main = self.interface()?;
        let (bindings, links, specs, params) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut test = Test { name, main, bindings, links, specs, params, span };
        self.sign("{")?;
        while !self.takes("}") {
            self.test_item(&mut test)?;
            self.sign(";")?;
        }
        self.program.add_test(test);
        Ok(())
    }

    fn test_item(&mut self, test: &mut Test) -> Result<()> {
        let arrow = matches!(self.peek_second(), Token::Sign("->"));
        if !arrow && self.takes_word("link") {
            let creator = self.interface()?;
            self.sign(",")?;
            let wanted = self.interface()?;
            self.sign("->")?;
            test.links.push(Link { creator, wanted, made: self.interface()? });
        } else if !arrow && self.takes_word("assert") {
            let spec = self.machine()?;
            let mut scope = None;
            if self.takes_word("on") {
                self.sign("(")?;
                scope = Some(self.list(")", Reader::interface)?);
            }
            test.specs.push(Attached { spec, scope });
        } else if !arrow && self.takes_word("set") {
            let param = self.param()?;
            self.sign("=")?;
            test.params.push((param, self.constant()?));
        } else {
            let interface = self.interface()?;
            self.sign("->")?;
            test.bindings.push((interface, self.machine()?));
        }
        Ok(())
    }
}

/// The mark of the ids of foreign types among the names of types.
const FOREIGN: u32 = 1 << 31;
