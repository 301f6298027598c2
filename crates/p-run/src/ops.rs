//! The instructions of the interpreter: assignments, calls, choices, sends, creations.

use crate::eval::{Edit, Key, permits};
use crate::fault::{Fault, FaultKind};
use crate::local::{Message, Wait};
use crate::machine::{Chosen, MOST_BRANCHES, MOST_REPEATED, MOST_VALUES, Machine, Next, Observed, Result, Site};
use crate::show;
use crate::value::{Val, Value};
use manyworlds_p_ir::{Choice, EventId, Expr, InterfaceId, LocalId, Op, Place, Root};

impl Machine<'_> {
    pub(crate) fn op(&mut self, op: &Op) -> Result<Next> {
        match op {
            Op::Assign { to, value } => {
                let keys = self.eval(|eval| eval.keys(to))?;
                let value = self.expr(value)?;
                self.change(to, &keys, Edit::Set(value))?;
            }
            Op::Insert { to, key, value } => {
                let keys = self.eval(|eval| eval.keys(to))?;
                let (key, value) = (self.expr(key)?, self.expr(value)?);
                self.change(to, &keys, Edit::Insert(key, value))?;
            }
            Op::Add { to, value } => {
                let keys = self.eval(|eval| eval.keys(to))?;
                let value = self.expr(value)?;
                self.change(to, &keys, Edit::Add(value))?;
            }
            Op::Remove { from, key } => {
                let keys = self.eval(|eval| eval.keys(from))?;
                let key = self.expr(key)?;
                self.change(from, &keys, Edit::Remove(key))?;
            }
            Op::Call { to, function, args } => {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<Val>>>()?;
                self.call(*function, args, *to)?;
            }
            Op::Choose { .. } => unreachable!("a choice is made by the caller"),
            Op::Send { target, event, payload } => return self.send(target, event, payload.as_ref()),
            Op::Announce { event, payload } => {
                let message = self.message(event, payload.as_ref())?;
                self.log.observed.push(Observed { message, to: None, span: self.span });
            }
            Op::New { to, interface, payload } => return self.create(*to, *interface, payload.as_ref()),
            Op::Assert { condition, message } => {
                let holds = self.expr(condition)?;
                if !self.eval(|eval| eval.truth(holds))? {
                    return self.failed(message.as_ref());
                }
            }
            Op::Print { message } => {
                let message = self.expr(message)?;
                let text = self.eval(|eval| Ok(eval.text(message)))?;
                self.log.printed.push((text, self.span));
            }
        }
        Ok(Next::Go)
    }

    pub(crate) fn failed(&mut self, message: Option<&Expr>) -> Result<Next> {
        let mut text = "an assertion does not hold".to_string();
        if let Some(message) = message {
            let message = self.expr(message)?;
            text = self.eval(|eval| Ok(eval.text(message)))?;
        }
        Err(Fault::new(FaultKind::Assertion, text))
    }

    pub(crate) fn change(&mut self, place: &Place, keys: &[Key], edit: Edit) -> Result<()> {
        let value = self.eval(|eval| {
            let old = eval.root(place.root);
            eval.edited(old, keys, edit)
        })?;
        match place.root {
            Root::Local(local) => self.top().locals[local.index()] = value,
            Root::Field(field) => self.fields[field.index()] = value,
        }
        Ok(())
    }

    pub(crate) fn store_result(&mut self, to: Option<LocalId>, value: Val) {
        if let Some(to) = to {
            self.top().locals[to.index()] = value;
        }
    }

    pub(crate) fn message(&mut self, event: &Expr, payload: Option<&Expr>) -> Result<Message> {
        let event = self.expr(event)?;
        let payload = self.optional(payload)?;
        match **self.values.get(event) {
            Value::Event(event) if event != EventId::NULL => Ok(Message { event, payload }),
            _ => Err(Fault::null("an event")),
        }
    }

    pub(crate) fn send(&mut self, target: &Expr, event: &Expr, payload: Option<&Expr>) -> Result<Next> {
        let target = self.expr(target)?;
        let message = self.message(event, payload);
        let Value::Machine(name, permission) = **self.values.get(target) else {
            return Err(Fault::null("the machine of a send"));
        };
        let message = message?;
        let (program, event) = (&self.code.program, message.event);
        if !permits(program, program.machine(self.declaration).sends, event) {
            let text = format!("{} is not in the send set of the machine", program.event(event).name);
            return Err(Fault::new(FaultKind::NotPermitted, text));
        }
        if !permits(program, permission, event) {
            let to = show::machine(program, self.values, name);
            let text = format!("the reference to {to} does not permit to send {}", program.event(event).name);
            return Err(Fault::new(FaultKind::NotPermitted, text));
        }
        self.log.observed.push(Observed { message, to: Some(name), span: self.span });
        Ok(Next::Leave(Wait::Send(name, message)))
    }

    pub(crate) fn create(&mut self, to: Option<LocalId>, wanted: InterfaceId, payload: Option<&Expr>) -> Result<Next> {
        let payload = self.optional(payload)?;
        let made = self.interface.and_then(|creator| self.code.creates(creator, wanted));
        let declared = self.code.program.interface(wanted);
        let Some((interface, _)) = made else {
            let message = format!("the test binds no machine to {}", declared.name);
            return Err(Fault::new(FaultKind::Unbound, message));
        };
        Ok(Next::Leave(Wait::New { interface, permission: declared.receives, payload, to }))
    }

    pub(crate) fn choose(&mut self, to: LocalId, from: &Choice) -> Result<Next> {
        let options = self.options(from)?;
        let combinations = self.combinations * options.count() as u64;
        let many = self.combinations > 1 && combinations > MOST_BRANCHES;
        // Each branch executes again what comes before the choice.
        let long = self.executed > 1 && combinations * u64::from(self.executed) > MOST_REPEATED;
        if many || long {
            return Ok(Next::Leave(Wait::Choice));
        }
        self.combinations = combinations;
        let option = self.script.get(self.log.chosen.len()).copied().unwrap_or(0);
        let value = match &options {
            Options::Bool => self.values.bool(option == 1),
            Options::Below(_) => self.values.int(i64::from(option)),
            Options::Of(elements) => elements[option as usize],
        };
        let (fair, span) = (from.is_fair(), self.span);
        let frame = self.top();
        let site = Site { function: frame.function, block: frame.block, at: frame.at };
        frame.at += 1;
        frame.locals[to.index()] = value;
        let options = options.count() as u32;
        self.log.chosen.push(Chosen { site, span, fair, value, option, options });
        Ok(Next::Go)
    }

    fn options(&mut self, from: &Choice) -> Result<Options> {
        match from {
            Choice::Bool | Choice::FairBool => Ok(Options::Bool),
            Choice::Int(n) => {
                let n = self.expr(n)?;
                let n = self.eval(|eval| eval.int(n))?;
                let n = usize::try_from(n).ok().filter(|&n| n <= MOST_VALUES).ok_or_else(|| wrong_choice(n))?;
                Ok(Options::Below(n.max(1)))
            }
            Choice::Element(of) => {
                let of = self.expr(of)?;
                let elements = self.eval(|eval| eval.elements(of))?;
                if elements.is_empty() || elements.len() > MOST_VALUES {
                    return Err(wrong_choice(elements.len() as i64));
                }
                Ok(Options::Of(elements))
            }
        }
    }
}

/// What can be chosen.
enum Options {
    Bool,
    Below(usize),
    Of(Box<[Val]>),
}

impl Options {
    fn count(&self) -> usize {
        match self {
            Options::Bool => 2,
            Options::Below(n) => *n,
            Options::Of(elements) => elements.len(),
        }
    }
}

fn wrong_choice(n: i64) -> Fault {
    let message = format!("a choice has between 1 and {MOST_VALUES} values, not {n}");
    Fault::new(FaultKind::BadChoice, message)
}
