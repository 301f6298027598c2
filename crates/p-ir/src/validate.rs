//! The validator: what an executor relies on. A program that passes is executed without a panic.
//!
//! It checks that ids exist, that blocks and functions fit together, that types fit, that names can be printed and read again, and that every machine
//! that a test can create is bound. It does not repeat the rules of P that make a program sensible; a front end has checked those.

use crate::code::{Block, Body, Choice, Expr, Function, Op, Place, Span, Step, Terminator};
use crate::ids::{BlockId, EventId, FunctionId, InterfaceId, LocalId, MachineId, TypeId};
use crate::program::{Const, Handler, Machine, MachineKind, Program, State, Test};
use crate::text::DEEPEST;
use crate::types::{EventSet, Type};
use crate::typing::{Scope, Shape, assignable};
use rustc_hash::FxHashSet;
use std::fmt;

/// What is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The declaration.
    pub inside: String,
    /// Where in the source.
    pub span: Span,
    /// What is wrong, and what is expected.
    pub message: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.inside)?;
        if self.span != Span::default() {
            write!(f, " ({}:{}:{})", self.span.file, self.span.line, self.span.column)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Everything that is wrong with a program; nothing, if it can be executed.
pub fn validate(program: &Program) -> Vec<Flaw> {
    let mut check = Check { program, flaws: Vec::new() };
    if check.types() {
        check.names();
        check.declarations();
        for (n, machine) in program.machines.iter().enumerate() {
            check.machine(MachineId::at(n), machine);
        }
        program.functions.iter().for_each(|function| check.function(function));
        program.tests.iter().for_each(|test| check.test(test));
    }
    check.flaws
}

struct Check<'a> {
    program: &'a Program,
    flaws: Vec<Flaw>,
}

impl<'a> Check<'a> {
    fn flaw(&mut self, inside: impl Into<String>, span: Span, message: impl Into<String>) {
        self.flaws.push(Flaw { inside: inside.into(), span, message: message.into() });
    }

    /// Whether all ids inside of types exist; types refer to earlier ones only, so they end.
    fn types(&mut self) -> bool {
        let types = &self.program.types;
        for n in 0..types.len() {
            let earlier = |id: &TypeId| id.index() < n;
            let fine = match types.get(TypeId::at(n)) {
                Type::Enum(id) => id.index() < self.program.enums.len(),
                Type::Foreign(id) => id.index() < self.program.foreign_types.len(),
                Type::Permission(set) => set.index() < types.event_sets(),
                Type::Seq(of) | Type::Set(of) => earlier(of),
                Type::Map(key, value) => earlier(key) && earlier(value),
                Type::Tuple(items) => items.iter().all(earlier),
                Type::Named(names, items) => {
                    let known = names.index() < types.name_lists();
                    known && types.names_of(*names).len() == items.len() && items.iter().all(earlier)
                }
                _ => true,
            };
            if !fine {
                self.flaw("types", Span::default(), format!("type {n} refers to something that is not there"));
            }
        }
        for n in 0..types.event_sets() {
            if let EventSet::Only(events) = types.event_set_of(crate::ids::EventSetId::at(n))
                && events.iter().any(|event| event.index() >= self.program.events.len())
            {
                self.flaw("types", Span::default(), format!("event set {n} refers to an event that is not there"));
            }
        }
        let declared = |name: &str, at: usize| self.program.events.get(at).is_some_and(|event| event.name == name);
        if !declared("null", 0) || !declared("halt", 1) {
            self.flaw("events", Span::default(), "the first two events must be `null` and `halt`");
        }
        self.flaws.is_empty()
    }

    fn has_type(&self, id: TypeId) -> bool {
        id.index() < self.program.types.len() && id != TypeId::NULL
    }

    /// Names must be readable, and those of declarations of one kind must differ.
    fn names(&mut self) {
        let program = self.program;
        let simple = |names: Vec<&str>| names.into_iter().map(str::to_string).collect::<Vec<_>>();
        let types =
            program.enums.iter().map(|e| e.name.as_str()).chain(program.foreign_types.iter().map(String::as_str));
        self.distinct("types", simple(types.collect()), false);
        self.distinct("events", simple(program.events.iter().map(|e| e.name.as_str()).collect()), false);
        self.distinct("interfaces", simple(program.interfaces.iter().map(|i| i.name.as_str()).collect()), false);
        self.distinct("machines", simple(program.machines.iter().map(|m| m.name.as_str()).collect()), false);
        self.distinct("test parameters", simple(program.params.iter().map(|p| p.name.as_str()).collect()), false);
        self.distinct("functions", simple(program.functions.iter().map(|f| f.name.as_str()).collect()), true);
        self.distinct("tests", simple(program.tests.iter().map(|t| t.name.as_str()).collect()), false);
    }

    fn distinct(&mut self, inside: &str, names: Vec<String>, dots: bool) {
        let mut seen = FxHashSet::default();
        for name in names {
            let part = |part: &str| {
                let first = part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                first && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '~')
            };
            let readable = if dots { name.split('.').all(part) } else { part(&name) };
            if !readable {
                self.flaw(inside, Span::default(), format!("{name:?} cannot be used as a name"));
            } else if seen.contains(&name) {
                self.flaw(inside, Span::default(), format!("`{name}` is declared twice"));
            }
            seen.insert(name);
        }
    }

    fn declarations(&mut self) {
        let program = self.program;
        for event in &program.events {
            if event.payload.is_some_and(|id| !self.has_type(id)) {
                self.flaw(&event.name, event.span, "its payload has no type");
            }
        }
        for interface in &program.interfaces {
            let fine = interface.payload.is_none_or(|id| self.has_type(id))
                && interface.receives.index() < program.types.event_sets();
            if !fine {
                self.flaw(&interface.name, interface.span, "its payload or receive set is not there");
            }
        }
        for declared in &program.enums {
            if declared.elements.is_empty() {
                self.flaw(&declared.name, Span::default(), "an enum must have an element");
            }
        }
        for param in &program.params {
            if !self.has_type(param.ty) {
                self.flaw(&param.name, Span::default(), "a test parameter has no type");
            }
        }
    }

    fn machine(&mut self, id: MachineId, machine: &Machine) {
        let name = &machine.name;
        if machine.states.is_empty() || machine.start.index() >= machine.states.len() {
            self.flaw(name, machine.span, "it has no start state");
        }
        let sets = self.program.types.event_sets();
        if machine.receives.index() >= sets || machine.sends.index() >= sets {
            self.flaw(name, machine.span, "its receive or send set is not there");
        }
        if machine.observes.iter().any(|event| event.index() >= self.program.events.len()) {
            self.flaw(name, machine.span, "it observes an event that is not there");
        }
        if !machine.observes.is_sorted() {
            self.flaw(name, machine.span, "the observed events are not sorted");
        }
        for field in &machine.fields {
            if !self.has_type(field.ty) {
                self.flaw(name, machine.span, format!("field {} has no type", field.name));
            }
        }
        self.distinct(name, machine.fields.iter().map(|field| field.name.clone()).collect(), false);
        self.distinct(name, machine.states.iter().map(|state| state.name.clone()).collect(), false);
        machine.states.iter().for_each(|state| self.state(id, machine, state));
    }

    fn state(&mut self, id: MachineId, machine: &Machine, state: &State) {
        let name = format!("{}.{}", machine.name, state.name);
        let fine = |function: FunctionId, most: u32| {
            let found = self.program.functions.get(function.index());
            found.is_some_and(|function| {
                function.machine == Some(id) && function.params <= most && matches!(function.body, Body::Blocks(_))
            })
        };
        let mut flaws = Vec::new();
        if state.entry.is_some_and(|entry| !fine(entry, 1)) {
            flaws.push("its entry function is not a function of the machine with at most one parameter");
        }
        if state.exit.is_some_and(|exit| !fine(exit, 0)) {
            flaws.push("its exit function is not a function of the machine without parameters");
        }
        for (event, handler) in &state.handlers {
            let target = match handler {
                Handler::Goto { target, .. } => target.index() < machine.states.len(),
                _ => true,
            };
            let function = match handler {
                Handler::Do(function) => Some(*function),
                Handler::Goto { with, .. } => *with,
                _ => None,
            };
            if event.index() >= self.program.events.len() || !target {
                flaws.push("a handler names an event or a state that is not there");
            }
            if function.is_some_and(|function| !fine(function, 1)) {
                flaws.push("a handler is not a function of the machine with at most one parameter");
            }
            if machine.kind != MachineKind::Machine && (*handler == Handler::Defer || *event == EventId::NULL) {
                flaws.push("a spec cannot defer events or handle `null`");
            }
        }
        if !state.handlers.is_sorted_by_key(|(event, _)| *event) {
            flaws.push("its handlers are not sorted by event");
        }
        flaws.into_iter().for_each(|flaw| self.flaw(&name, state.span, flaw));
    }

    fn function(&mut self, function: &Function) {
        let name = &function.name;
        let fine = function.machine.is_none_or(|machine| machine.index() < self.program.machines.len())
            && function.params as usize <= function.locals.len()
            && function.result.is_none_or(|id| self.has_type(id))
            && function.locals.iter().all(|local| self.has_type(local.ty));
        if !fine {
            return self.flaw(name, function.span, "its machine, a parameter or a type is not there");
        }
        self.distinct(name, function.locals.iter().map(|local| local.name.clone()).collect(), false);
        let Body::Blocks(blocks) = &function.body else { return };
        if blocks.is_empty() {
            return self.flaw(name, function.span, "it has no block");
        }
        let inside = Inside { scope: Scope { program: self.program, function }, spec: self.is_spec(function) };
        for block in blocks {
            for (span, message) in inside.block(block) {
                self.flaw(name, span, message);
            }
        }
    }

    fn is_spec(&self, function: &Function) -> bool {
        let machine = function.machine.map(|machine| self.program.machine(machine));
        machine.is_some_and(|machine| machine.kind != MachineKind::Machine)
    }

    fn test(&mut self, test: &Test) {
        let program = self.program;
        let interface = |id: InterfaceId| id.index() < program.interfaces.len();
        let mut flaws = Vec::new();
        let bindings = test.bindings.iter().all(|&(bound, machine)| {
            let declared = program.machines.get(machine.index());
            interface(bound) && declared.is_some_and(|machine| machine.kind == MachineKind::Machine)
        });
        if !bindings {
            flaws.push("an interface is not bound to a machine".to_string());
        }
        if test.machine(test.main).is_none() {
            flaws.push("its main interface is not bound".to_string());
        }
        if !test.links.iter().all(|link| interface(link.creator) && interface(link.wanted) && interface(link.made)) {
            flaws.push("a link names an interface that is not there".to_string());
        }
        let spec = |id: MachineId| program.machines.get(id.index()).is_some_and(|m| m.kind != MachineKind::Machine);
        if !test.specs.iter().all(|attached| spec(attached.spec)) {
            flaws.push("something is attached that is not a spec".to_string());
        }
        for (param, value) in &test.params {
            let Some(param) = program.params.get(param.index()) else {
                flaws.push("a parameter is not there".to_string());
                continue;
            };
            let fits = match (value, program.types.get(param.ty)) {
                (Const::Bool(_), Type::Bool) | (Const::Int(_), Type::Int) => true,
                (Const::Enum(id, _), Type::Enum(ty)) => id == ty,
                _ => false,
            };
            if !fits {
                flaws.push(format!("the value of parameter `{}` is not of its type", param.name));
            }
        }
        flaws.into_iter().for_each(|flaw| self.flaw(&test.name, test.span, flaw));
    }
}

/// The inside of a function.
struct Inside<'a> {
    scope: Scope<'a>,
    spec: bool,
}

type Found = std::result::Result<(), String>;

impl Inside<'_> {
    fn block(&self, block: &Block) -> Vec<(Span, String)> {
        let ops = block.instructions.iter().map(|instruction| (instruction.span, self.op(&instruction.op)));
        let all = ops.chain(std::iter::once((block.span, self.end(&block.end))));
        all.filter_map(|(span, found)| Some((span, found.err()?))).collect()
    }

    fn local(&self, local: LocalId) -> Result<TypeId, String> {
        self.scope.root(crate::code::Root::Local(local))
    }

    fn target(&self, block: BlockId) -> Found {
        let there = block.index() < self.scope.function.blocks().len();
        if there { Ok(()) } else { Err(format!("there is no block b{}", block.0)) }
    }

    fn shallow(&self, exprs: &[&Expr]) -> Found {
        if exprs.iter().all(|expr| depth(expr, 0) <= 2 * DEEPEST) {
            Ok(())
        } else {
            Err(format!("an expression is nested more than {} levels deep", 2 * DEEPEST))
        }
    }

    fn place(&self, place: &Place) -> Result<TypeId, String> {
        let indices: Vec<&Expr> = place
            .path
            .iter()
            .filter_map(|step| match step {
                Step::Index(index) => Some(index),
                Step::Item(_) => None,
            })
            .collect();
        self.shallow(&indices)?;
        self.scope.place(place)
    }

    fn expect(&self, expr: &Expr, ty: TypeId) -> Found {
        self.shallow(&[expr])?;
        self.scope.expect(expr, ty)
    }

    fn any(&self, expr: Option<&Expr>) -> Found {
        match expr {
            Some(expr) => self.expect(expr, TypeId::ANY),
            None => Ok(()),
        }
    }

    fn not_in_spec(&self, what: &str) -> Found {
        if self.spec { Err(format!("a spec cannot {what}")) } else { Ok(()) }
    }

    fn op(&self, op: &Op) -> Found {
        let program = self.scope.program;
        let wrong = |what: &str, ty: TypeId| Err(format!("{what}: {}", program.type_name(ty)));
        match op {
            Op::Assign { to, value } => self.expect(value, self.place(to)?),
            Op::Insert { to, key, value } => {
                let ty = self.place(to)?;
                match program.types.get(ty) {
                    Type::Seq(of) => self.expect(key, TypeId::INT).and_then(|()| self.expect(value, *of)),
                    Type::Map(k, v) => self.expect(key, *k).and_then(|()| self.expect(value, *v)),
                    _ => wrong("nothing can be inserted", ty),
                }
            }
            Op::Add { to, value } => {
                let ty = self.place(to)?;
                match program.types.get(ty) {
                    Type::Set(of) => self.expect(value, *of),
                    _ => wrong("nothing can be added", ty),
                }
            }
            Op::Remove { from, key } => {
                let ty = self.place(from)?;
                match program.types.get(ty) {
                    Type::Seq(_) => self.expect(key, TypeId::INT),
                    Type::Set(_) | Type::Map(..) => self.any(Some(key)),
                    _ => wrong("nothing can be removed", ty),
                }
            }
            Op::Call { to, function, args } => self.call(*to, *function, args),
            Op::Choose { to, from } => self.choose(*to, from),
            Op::Send { target, event, payload } => {
                self.not_in_spec("send")?;
                self.expect(target, TypeId::MACHINE)?;
                self.expect(event, TypeId::EVENT)?;
                self.any(payload.as_ref())
            }
            Op::Announce { event, payload } => {
                self.not_in_spec("announce")?;
                self.expect(event, TypeId::EVENT)?;
                self.any(payload.as_ref())
            }
            Op::New { to, interface, payload } => {
                self.not_in_spec("create machines")?;
                if interface.index() >= program.interfaces.len() {
                    return Err("there is no such interface".to_string());
                }
                if let Some(to) = to {
                    let ty = self.local(*to)?;
                    if !assignable(program, TypeId::MACHINE, ty) {
                        return wrong("a machine cannot be stored", ty);
                    }
                }
                self.any(payload.as_ref())
            }
            Op::Assert { condition, message } => {
                self.expect(condition, TypeId::BOOL)?;
                message.as_ref().map_or(Ok(()), |message| self.expect(message, TypeId::STRING))
            }
            Op::Print { message } => self.expect(message, TypeId::STRING),
        }
    }

    fn call(&self, to: Option<LocalId>, function: FunctionId, args: &[Expr]) -> Found {
        let program = self.scope.program;
        let Some(called) = program.functions.get(function.index()) else {
            return Err("there is no such function".to_string());
        };
        if called.machine.is_some() && called.machine != self.scope.function.machine {
            return Err(format!("`{}` belongs to another machine", called.name));
        }
        if called.params as usize != args.len() || called.locals.len() < args.len() {
            return Err(format!("`{}` has {} parameters, not {}", called.name, called.params, args.len()));
        }
        for (arg, param) in args.iter().zip(&called.locals) {
            self.expect(arg, param.ty)?;
        }
        let Some(to) = to else { return Ok(()) };
        match called.result {
            Some(result) if assignable(program, result, self.local(to)?) => Ok(()),
            Some(_) => Err(format!("the result of `{}` does not fit", called.name)),
            None => Err(format!("`{}` returns nothing", called.name)),
        }
    }

    fn choose(&self, to: LocalId, from: &Choice) -> Found {
        self.not_in_spec("choose")?;
        let (program, ty) = (self.scope.program, self.local(to)?);
        let of = match from {
            Choice::Bool | Choice::FairBool => TypeId::BOOL,
            Choice::Int(n) => {
                self.expect(n, TypeId::INT)?;
                TypeId::INT
            }
            Choice::Element(of) => {
                self.shallow(&[of])?;
                match self.scope.expr(of)? {
                    Shape::SeqOf(of) => of,
                    Shape::Known(id) => match program.types.get(id) {
                        Type::Seq(of) | Type::Set(of) | Type::Map(of, _) => *of,
                        _ => return Err(format!("nothing can be chosen of {}", program.type_name(id))),
                    },
                    shape => return Err(format!("nothing can be chosen of {}", self.scope.shape_name(&shape))),
                }
            }
        };
        if assignable(program, of, ty) { Ok(()) } else { Err("the chosen value does not fit".to_string()) }
    }

    fn end(&self, end: &Terminator) -> Found {
        let (program, function) = (self.scope.program, self.scope.function);
        match end {
            Terminator::Jump(block) => self.target(*block),
            Terminator::Branch { condition, then, otherwise } => {
                self.expect(condition, TypeId::BOOL)?;
                self.target(*then).and_then(|()| self.target(*otherwise))
            }
            Terminator::Return(None) => match function.result {
                // The front end has checked that this is not reached.
                Some(_) | None => Ok(()),
            },
            Terminator::Return(Some(value)) => match function.result {
                Some(result) => self.expect(value, result),
                None => Err("the function returns nothing".to_string()),
            },
            Terminator::Raise { event, payload } => {
                self.expect(event, TypeId::EVENT)?;
                self.any(payload.as_ref())
            }
            Terminator::Goto { state, payload } => {
                let machine = function.machine.ok_or("a global function cannot change the state")?;
                if state.index() >= program.machine(machine).states.len() {
                    return Err("there is no such state".to_string());
                }
                self.any(payload.as_ref())
            }
            Terminator::Receive(cases) => {
                self.not_in_spec("receive")?;
                for case in cases {
                    if case.event.index() >= program.events.len() {
                        return Err("there is no such event".to_string());
                    }
                    case.payload.map_or(Ok(()), |local| self.local(local).map(|_| ()))?;
                    self.target(case.block)?;
                }
                Ok(())
            }
            Terminator::Fail(message) => {
                message.as_ref().map_or(Ok(()), |message| self.expect(message, TypeId::STRING))
            }
        }
    }
}

/// How deeply an expression is nested, as far as that matters.
fn depth(expr: &Expr, at: usize) -> usize {
    if at > 2 * DEEPEST {
        return at;
    }
    let deeper = |items: &[Expr]| items.iter().map(|item| depth(item, at + 1)).max().unwrap_or(at);
    match expr {
        Expr::Unary(_, of) | Expr::Item(of, _) | Expr::Cast(of, _) | Expr::Coerce(of, _) => depth(of, at + 1),
        Expr::Binary(_, a, b) | Expr::Index(a, b) => depth(a, at + 1).max(depth(b, at + 1)),
        Expr::Tuple(items) | Expr::Named(_, items) | Expr::Format(_, items) => deeper(items),
        _ => at,
    }
}
