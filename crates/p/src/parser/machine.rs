//! Machines, specifications, scenarios and their states.

use super::{Failed, Parsed, Parser};
use crate::ast::{
    Closure, EventRef, HandlerFun, MachineDef, MachineKind, StateDef, StateItem, StateItemKind, Temperature,
};
use crate::diagnostic::Diagnostic;
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn machine_def(&mut self) -> Parsed<MachineDef> {
        let kind = match self.peek() {
            Token::Spec => MachineKind::Spec,
            Token::Scenario => MachineKind::Scenario,
            _ => MachineKind::Machine,
        };
        self.bump();
        let name = self.ident(match kind {
            MachineKind::Machine => "the name of a machine",
            MachineKind::Spec => "the name of a specification",
            MachineKind::Scenario => "the name of a scenario",
        })?;
        let mut machine = MachineDef {
            kind,
            name,
            receives: None,
            sends: None,
            observes: Vec::new(),
            fields: Vec::new(),
            functions: Vec::new(),
            states: Vec::new(),
        };
        if kind == MachineKind::Machine {
            self.removed_bound("machine")?;
            self.removed_annotation()?;
            self.receives_and_sends(&mut machine)?;
        } else {
            self.removed_monitors()?;
            self.expect(Token::Observes)?;
            machine.observes = self.list(|parser| parser.event(false))?;
        }
        let open = self.expect(Token::LBrace)?;
        self.machine_body(&mut machine);
        if self.accept(Token::RBrace).is_none() {
            let message = format!("expected `}}` at the end of `{}`, found {}", machine.name.name, self.found());
            let diagnostic = Diagnostic::error(self.span(), message).related(open, "this `{` is not closed");
            self.error(diagnostic);
            self.complete = false;
        }
        Ok(machine)
    }

    fn receives_and_sends(&mut self, machine: &mut MachineDef) -> Parsed<()> {
        loop {
            let list: &mut Option<Vec<EventRef>> = match self.peek() {
                Token::Receives => &mut machine.receives,
                Token::Sends => &mut machine.sends,
                _ => return Ok(()),
            };
            self.bump();
            let events = self.events_until_semicolon()?;
            list.get_or_insert_default().extend(events);
        }
    }

    /// Fields, functions and states, up to the closing brace.
    fn machine_body(&mut self, machine: &mut MachineDef) {
        loop {
            let before = self.at;
            let result = match self.peek() {
                Token::RBrace | Token::End => return,
                Token::Var => {
                    self.bump();
                    self.var_def("a field").map(|field| machine.fields.push(field))
                }
                Token::Fun => self.fun_def().map(|function| machine.functions.push(function)),
                Token::State | Token::Start | Token::Hot | Token::Cold => {
                    self.state_def().map(|state| machine.states.push(state))
                }
                _ if self.at_margin() && super::decl::begins_item(self.peek()) => return,
                _ => Err(match self.removed_machine_item() {
                    Some(failed) => failed,
                    None => self.unexpected("`var`, `fun`, `state` or `}`"),
                }),
            };
            if let Err(Failed) = result {
                self.complete = false;
                self.skip_until(before, |parser| {
                    matches!(
                        parser.peek(),
                        Token::Var | Token::Fun | Token::State | Token::Start | Token::Hot | Token::Cold
                    )
                });
            }
        }
    }

    fn state_def(&mut self) -> Parsed<StateDef> {
        let start = self.accept(Token::Start).is_some();
        let temperature = match self.peek() {
            Token::Hot => Temperature::Hot,
            Token::Cold => Temperature::Cold,
            _ => Temperature::Warm,
        };
        if temperature != Temperature::Warm {
            self.bump();
        }
        if self.peek() == Token::Start {
            let diagnostic = Diagnostic::error(self.span(), "`start` must come before `hot` and `cold`");
            return Err(self.error(diagnostic.help("write `start hot state …`")));
        }
        self.expect(Token::State)?;
        let name = self.ident("the name of a state")?;
        self.removed_annotation()?;
        let open = self.expect(Token::LBrace)?;
        let items = self.state_body();
        if self.accept(Token::RBrace).is_none() {
            let message = format!("expected `}}` at the end of the state `{}`, found {}", name.name, self.found());
            let diagnostic = Diagnostic::error(self.span(), message).related(open, "this `{` is not closed");
            return Err(self.error(diagnostic));
        }
        Ok(StateDef { name, start, temperature, items })
    }

    fn state_body(&mut self) -> Vec<StateItem> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                Token::RBrace | Token::End => return items,
                Token::State | Token::Start | Token::Fun | Token::Var => return items,
                token if self.at_margin() && super::decl::begins_item(token) => return items,
                _ => {}
            }
            let before = self.at;
            match self.state_item() {
                Ok(item) => items.push(item),
                Err(Failed) => {
                    self.skip_until(before, |parser| {
                        use Token::{Defer, Entry, Exit, Fun, Ignore, On, Start, State};
                        let next = matches!(parser.peek(), Entry | Exit | Defer | Ignore | On);
                        next || parser.at_new_line() && matches!(parser.peek(), State | Start | Fun)
                    });
                }
            }
        }
    }

    fn state_item(&mut self) -> Parsed<StateItem> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Entry => {
                self.bump();
                StateItemKind::Entry(self.handler_fun()?)
            }
            Token::Exit => {
                self.bump();
                StateItemKind::Exit(self.handler_fun()?)
            }
            Token::Defer => {
                self.bump();
                StateItemKind::Defer(self.listed_events()?)
            }
            Token::Ignore => {
                self.bump();
                StateItemKind::Ignore(self.listed_events()?)
            }
            Token::On => self.on_event()?,
            _ => return Err(self.unexpected("`entry`, `exit`, `on`, `defer`, `ignore` or `}`")),
        };
        Ok(StateItem { kind, span: self.since(start) })
    }

    fn listed_events(&mut self) -> Parsed<Vec<EventRef>> {
        let events = self.list(|parser| parser.event(false))?;
        self.removed_annotation()?;
        self.semicolon()?;
        Ok(events)
    }

    fn on_event(&mut self) -> Parsed<StateItemKind> {
        self.bump();
        let events = self.list(|parser| parser.event(true))?;
        match self.peek() {
            Token::Do => {
                self.bump();
                Ok(StateItemKind::Do(events, self.handler_fun()?))
            }
            Token::Goto => {
                self.bump();
                let state = self.ident("the name of a state")?;
                self.removed_dotted_state()?;
                if self.accept(Token::With).is_some() {
                    return Ok(StateItemKind::Goto(events, state, Some(self.handler_fun()?)));
                }
                self.removed_annotation()?;
                self.semicolon()?;
                Ok(StateItemKind::Goto(events, state, None))
            }
            _ => Err(match self.removed_push() {
                Some(failed) => failed,
                None => self.unexpected("`do` or `goto`"),
            }),
        }
    }

    /// `f;`, or a block with or without parameters.
    fn handler_fun(&mut self) -> Parsed<HandlerFun> {
        match self.peek() {
            Token::LParen | Token::LBrace => {
                let closure = self.closure()?;
                // Older programs end a block with a semicolon; it means nothing.
                if self.peek() == Token::Semi {
                    let diagnostic = Diagnostic::error(self.span(), "there is no `;` after the block of a handler");
                    self.error(diagnostic.help("remove it"));
                    self.bump();
                }
                Ok(HandlerFun::Block(Box::new(closure)))
            }
            Token::Ident => {
                let name = self.ident("the name of a function")?;
                self.removed_annotation()?;
                self.semicolon()?;
                Ok(HandlerFun::Named(name))
            }
            _ => Err(self.unexpected("the name of a function or a block `{ … }`")),
        }
    }

    /// `(p: t) { … }`
    pub(super) fn closure(&mut self) -> Parsed<Closure> {
        if self.peek() == Token::LParen && self.peek_at(1) == Token::RParen {
            let diagnostic = Diagnostic::error(self.span(), "expected a parameter in these parentheses");
            self.error(diagnostic.help("a handler without a parameter is written without parentheses"));
        }
        let params = if self.peek() == Token::LParen { self.params()? } else { Vec::new() };
        if self.peek() != Token::LBrace {
            return Err(self.unexpected("a block `{ … }`"));
        }
        Ok(Closure { params, body: self.body()? })
    }
}
