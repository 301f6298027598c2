//! Prints a program.

use crate::code::{
    Binary, Block, Body, Choice, Expr, Function, Instruction, Op, Piece, Place, Root, Span, Step, Terminator, Unary,
};
use crate::ids::{EventId, EventSetId, FieldId, FunctionId, LocalId, MachineId, TypeId};
use crate::program::{Const, Handler, Machine, MachineKind, Program, State, Temperature, Test, Variable};
use crate::types::{EventSet, Type};
use std::fmt::Write;

/// The program as text. Names of declarations of one kind, and of the locals of one function, must differ, as [`crate::validate()`] makes sure.
pub fn print(program: &Program) -> String {
    let mut out = Printer { program, text: String::new() };
    out.declarations();
    program.machines.iter().for_each(|machine| out.machine(machine));
    program.functions.iter().for_each(|function| out.function(function));
    program.tests.iter().for_each(|test| out.test(test));
    out.text
}

/// A type as text.
pub fn type_text(program: &Program, id: TypeId) -> String {
    let list = |ids: &[TypeId]| ids.iter().map(|&id| type_text(program, id)).collect::<Vec<_>>().join(", ");
    match program.types.get(id) {
        Type::Null => "null".to_string(),
        Type::Bool => "bool".to_string(),
        Type::Int => "int".to_string(),
        Type::Float => "float".to_string(),
        Type::String => "string".to_string(),
        Type::Event => "event".to_string(),
        Type::Machine => "machine".to_string(),
        Type::Data => "data".to_string(),
        Type::Any => "any".to_string(),
        Type::Enum(id) => program.enums[id.index()].name.clone(),
        Type::Foreign(id) => program.foreign_types[id.index()].clone(),
        Type::Permission(set) => format!("perm {}", set_text(program, *set)),
        Type::Seq(of) => format!("seq[{}]", type_text(program, *of)),
        Type::Set(of) => format!("set[{}]", type_text(program, *of)),
        Type::Map(key, value) => format!("map[{}, {}]", type_text(program, *key), type_text(program, *value)),
        Type::Tuple(items) => format!("({})", list(items)),
        Type::Named(names, items) => {
            let field = |(name, &id): (&String, &TypeId)| format!("{name}: {}", type_text(program, id));
            let fields: Vec<String> = program.types.names_of(*names).iter().zip(items).map(field).collect();
            format!("({})", fields.join(", "))
        }
    }
}

fn set_text(program: &Program, id: EventSetId) -> String {
    match program.types.event_set_of(id) {
        EventSet::All => "all".to_string(),
        EventSet::Only(events) => {
            let names: Vec<String> = events.iter().map(|event| format!("@{}", program.event(*event).name)).collect();
            format!("{{{}}}", names.join(", "))
        }
    }
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
}

impl<'a> Printer<'a> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("a string can be written to");
        self.text.push('\n');
    }

    fn ty(&self, id: TypeId) -> String {
        type_text(self.program, id)
    }

    fn payload(&self, id: Option<TypeId>) -> String {
        id.map(|id| self.ty(id)).unwrap_or_default()
    }

    fn event(&self, id: EventId) -> String {
        format!("@{}", self.program.event(id).name)
    }

    fn name(&self, id: FunctionId) -> &'a str {
        &self.program.function(id).name
    }

    fn set(&self, id: EventSetId) -> String {
        set_text(self.program, id)
    }

    fn declarations(&mut self) {
        let program = self.program;
        for file in &program.files {
            self.line(format_args!("file {file:?};"));
        }
        for declared in &program.enums {
            let elements: Vec<String> = declared.elements.iter().map(|(name, n)| format!("{name} = {n}")).collect();
            self.line(format_args!("enum {} {{ {} }}", declared.name, elements.join(", ")));
        }
        for name in &program.foreign_types {
            self.line(format_args!("foreign {name};"));
        }
        for event in program.events.iter().skip(2) {
            let payload = event.payload.map(|id| format!(": {}", self.ty(id))).unwrap_or_default();
            self.line(format_args!("{}event {}{payload};", at(event.span), event.name));
        }
        for interface in &program.interfaces {
            let (payload, receives) = (self.payload(interface.payload), self.set(interface.receives));
            let (span, name) = (at(interface.span), &interface.name);
            self.line(format_args!("{span}interface {name} ({payload}) receives {receives};"));
        }
        for Variable { name, ty } in &program.params {
            self.line(format_args!("param {name}: {};", self.ty(*ty)));
        }
    }

    fn machine(&mut self, machine: &Machine) {
        let kind = match machine.kind {
            MachineKind::Machine => "machine",
            MachineKind::Spec => "spec",
            MachineKind::Scenario => "scenario",
        };
        let (receives, sends) = (self.set(machine.receives), self.set(machine.sends));
        let observed: Vec<String> = machine.observes.iter().map(|&event| self.event(event)).collect();
        let observes =
            if observed.is_empty() { String::new() } else { format!(" observes {{{}}}", observed.join(", ")) };
        let (span, name) = (at(machine.span), &machine.name);
        self.line(format_args!("{span}{kind} {name} receives {receives} sends {sends}{observes} {{"));
        for Variable { name, ty } in &machine.fields {
            self.line(format_args!("  field {name}: {};", self.ty(*ty)));
        }
        for (n, state) in machine.states.iter().enumerate() {
            self.state(machine, state, machine.start.index() == n);
        }
        self.line(format_args!("}}"));
    }

    fn state(&mut self, machine: &Machine, state: &State, start: bool) {
        let temperature = match state.temperature {
            Temperature::Warm => "",
            Temperature::Hot => "hot ",
            Temperature::Cold => "cold ",
        };
        let start = if start { "start " } else { "" };
        self.line(format_args!("  {}{start}{temperature}state {} {{", at(state.span), state.name));
        if let Some(entry) = state.entry {
            self.line(format_args!("    entry {};", self.name(entry)));
        }
        if let Some(exit) = state.exit {
            self.line(format_args!("    exit {};", self.name(exit)));
        }
        for (event, handler) in &state.handlers {
            let event = self.event(*event);
            match handler {
                Handler::Do(function) => self.line(format_args!("    on {event} do {};", self.name(*function))),
                Handler::Goto { target, with } => {
                    let with = with.map(|with| format!(" with {}", self.name(with))).unwrap_or_default();
                    let target = &machine.states[target.index()].name;
                    self.line(format_args!("    on {event} goto {target}{with};"));
                }
                Handler::Defer => self.line(format_args!("    defer {event};")),
                Handler::Ignore => self.line(format_args!("    ignore {event};")),
            }
        }
        self.line(format_args!("  }}"));
    }

    fn function(&mut self, function: &Function) {
        let machine = function.machine.map(|id| format!(" in {}", self.program.machine(id).name)).unwrap_or_default();
        let (params, locals) = function.locals.split_at(function.params as usize);
        let variable = |variable: &Variable| format!("{}: {}", variable.name, self.ty(variable.ty));
        let params = params.iter().map(variable).collect::<Vec<_>>().join(", ");
        let result = function.result.map(|id| format!(": {}", self.ty(id))).unwrap_or_default();
        let head = format!("{}fun {}{machine} ({params}){result}", at(function.span), function.name);
        let Body::Blocks(blocks) = &function.body else { return self.line(format_args!("{head} foreign;")) };
        let locals: Vec<String> = locals.iter().map(variable).collect();
        self.line(format_args!("{head} {{"));
        locals.iter().for_each(|local| self.line(format_args!("  local {local};")));
        let code = Code { program: self.program, function, machine: function.machine };
        for (n, block) in blocks.iter().enumerate() {
            self.text.push_str(&code.block(n, block));
        }
        self.line(format_args!("}}"));
    }

    fn test(&mut self, test: &Test) {
        let interface = |id: crate::ids::InterfaceId| self.program.interface(id).name.clone();
        let mut lines = Vec::new();
        for (bound, machine) in &test.bindings {
            lines.push(format!("{} -> {};", interface(*bound), self.program.machine(*machine).name));
        }
        for link in &test.links {
            let (creator, wanted, made) = (interface(link.creator), interface(link.wanted), interface(link.made));
            lines.push(format!("link {creator}, {wanted} -> {made};"));
        }
        for attached in &test.specs {
            let spec = &self.program.machine(attached.spec).name;
            let scope = attached.scope.as_ref().map(|scope| {
                let names: Vec<String> = scope.iter().map(|&id| interface(id)).collect();
                format!(" on ({})", names.join(", "))
            });
            lines.push(format!("assert {spec}{};", scope.unwrap_or_default()));
        }
        for (param, value) in &test.params {
            let name = &self.program.params[param.index()].name;
            lines.push(format!("set {name} = {};", constant(self.program, value)));
        }
        self.line(format_args!("{}test {} main {} {{", at(test.span), test.name, interface(test.main)));
        lines.iter().for_each(|line| self.line(format_args!("  {line}")));
        self.line(format_args!("}}"));
    }
}

/// A place in the source, before what stands there.
fn at(span: Span) -> String {
    if span == Span::default() { String::new() } else { format!("#{}:{}:{} ", span.file, span.line, span.column) }
}

fn constant(program: &Program, constant: &Const) -> String {
    match constant {
        Const::Null => "null".to_string(),
        Const::Bool(b) => b.to_string(),
        Const::Int(n) => n.to_string(),
        Const::Float(x) => format!("float(\"{x:?}\")"),
        Const::String(text) => format!("{text:?}"),
        Const::Enum(id, n) => {
            let declared = &program.enums[id.index()];
            let name = declared.elements.iter().find(|(_, number)| number == n);
            let element = name.map_or_else(|| n.to_string(), |(name, _)| name.clone());
            format!("{}::{element}", declared.name)
        }
        Const::Event(event) => format!("@{}", program.event(*event).name),
    }
}

/// The code of one function.
struct Code<'a> {
    program: &'a Program,
    function: &'a Function,
    machine: Option<MachineId>,
}

impl Code<'_> {
    fn block(&self, n: usize, block: &Block) -> String {
        let mut text = format!("b{n}:\n");
        for Instruction { op, span } in &block.instructions {
            text.push_str(&format!("  {}{};\n", at(*span), self.op(op)));
        }
        text.push_str(&format!("  {}{};\n", at(block.span), self.end(&block.end)));
        text
    }

    fn local(&self, id: LocalId) -> &str {
        &self.function.locals[id.index()].name
    }

    fn field(&self, id: FieldId) -> String {
        let machine = self.machine.map(|machine| self.program.machine(machine));
        machine.map_or_else(|| format!("this.{}", id.0), |machine| format!("this.{}", machine.fields[id.index()].name))
    }

    fn place(&self, place: &Place) -> String {
        let mut text = match place.root {
            Root::Local(local) => self.local(local).to_string(),
            Root::Field(field) => self.field(field),
        };
        for step in &place.path {
            match step {
                Step::Item(n) => text.push_str(&format!(".{n}")),
                Step::Index(index) => text.push_str(&format!("[{}]", self.expr(index))),
            }
        }
        text
    }

    fn optional(&self, expr: Option<&Expr>) -> String {
        expr.map(|expr| format!(", {}", self.expr(expr))).unwrap_or_default()
    }

    fn op(&self, op: &Op) -> String {
        let to = |to: &Option<LocalId>| to.map(|to| format!("{} = ", self.local(to))).unwrap_or_default();
        match op {
            Op::Assign { to, value } => format!("{} = {}", self.place(to), self.expr(value)),
            Op::Insert { to, key, value } => {
                format!("insert {}, {}, {}", self.place(to), self.expr(key), self.expr(value))
            }
            Op::Add { to, value } => format!("add {}, {}", self.place(to), self.expr(value)),
            Op::Remove { from, key } => format!("remove {}, {}", self.place(from), self.expr(key)),
            Op::Call { to: result, function, args } => {
                format!("{}call {}({})", to(result), self.program.function(*function).name, self.list(args))
            }
            Op::Choose { to, from } => {
                let from = match from {
                    Choice::Bool => "bool".to_string(),
                    Choice::FairBool => "fair".to_string(),
                    Choice::Int(n) => format!("int({})", self.expr(n)),
                    Choice::Element(of) => format!("of({})", self.expr(of)),
                };
                format!("{} = choose {from}", self.local(*to))
            }
            Op::Send { target, event, payload } => {
                format!("send {}, {}{}", self.expr(target), self.expr(event), self.optional(payload.as_ref()))
            }
            Op::Announce { event, payload } => {
                format!("announce {}{}", self.expr(event), self.optional(payload.as_ref()))
            }
            Op::New { to: result, interface, payload } => {
                let payload = payload.as_ref().map(|payload| self.expr(payload)).unwrap_or_default();
                format!("{}new {}({payload})", to(result), self.program.interface(*interface).name)
            }
            Op::Assert { condition, message } => {
                format!("assert {}{}", self.expr(condition), self.optional(message.as_ref()))
            }
            Op::Print { message } => format!("print {}", self.expr(message)),
        }
    }

    fn end(&self, end: &Terminator) -> String {
        let result = |value: &Option<Expr>| value.as_ref().map(|v| format!(" {}", self.expr(v))).unwrap_or_default();
        match end {
            Terminator::Jump(block) => format!("jump b{}", block.0),
            Terminator::Branch { condition, then, otherwise } => {
                format!("if {} b{} else b{}", self.expr(condition), then.0, otherwise.0)
            }
            Terminator::Return(value) => format!("return{}", result(value)),
            Terminator::Raise { event, payload } => {
                format!("raise {}{}", self.expr(event), self.optional(payload.as_ref()))
            }
            Terminator::Goto { state, payload } => {
                let states = self.machine.map(|machine| &self.program.machine(machine).states);
                let name = states.map_or_else(|| state.0.to_string(), |states| states[state.index()].name.clone());
                format!("goto {name}{}", self.optional(payload.as_ref()))
            }
            Terminator::Receive(cases) => {
                let case = |case: &crate::code::Case| {
                    let payload = case.payload.map(|local| format!(" ({})", self.local(local))).unwrap_or_default();
                    format!("@{}{payload} -> b{}", self.program.event(case.event).name, case.block.0)
                };
                format!("receive {{ {} }}", cases.iter().map(case).collect::<Vec<_>>().join(", "))
            }
            Terminator::Fail(message) => format!("fail{}", result(message)),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => constant(self.program, value),
            Expr::Local(local) => self.local(*local).to_string(),
            Expr::Field(field) => self.field(*field),
            Expr::Param(param) => format!("?{}", self.program.params[param.index()].name),
            Expr::This => "this".to_string(),
            Expr::Unary(op, of) => format!("{}({})", unary_name(*op), self.expr(of)),
            Expr::Binary(op, a, b) => format!("({} {} {})", self.expr(a), binary_name(*op), self.expr(b)),
            Expr::Tuple(items) => format!("tuple({})", self.list(items)),
            Expr::Named(names, items) => {
                let names = self.program.types.names_of(*names);
                let field = |(name, item): (&String, &Expr)| format!("{name} = {}", self.expr(item));
                format!("named({})", names.iter().zip(items).map(field).collect::<Vec<_>>().join(", "))
            }
            Expr::Item(of, n) => format!("{}.{n}", self.expr(of)),
            Expr::Index(of, index) => format!("{}[{}]", self.expr(of), self.expr(index)),
            Expr::Cast(of, to) => format!("as({}, {})", self.expr(of), type_text(self.program, *to)),
            Expr::Coerce(of, to) => format!("to({}, {})", self.expr(of), type_text(self.program, *to)),
            Expr::Default(id) => format!("default({})", type_text(self.program, *id)),
            Expr::Format(pieces, args) => {
                let piece = |piece: &Piece| match piece {
                    Piece::Text(text) => format!("{text:?}"),
                    Piece::Arg(n) => format!("${n}"),
                };
                let pieces: Vec<String> = pieces.iter().map(piece).collect();
                format!("format({}; {})", pieces.join(", "), self.list(args))
            }
        }
    }
}

/// The name of an operator with one operand.
pub fn unary_name(op: Unary) -> &'static str {
    match op {
        Unary::Not => "not",
        Unary::Negate => "neg",
        Unary::Size => "sizeof",
        Unary::Keys => "keys",
        Unary::Values => "values",
    }
}

/// The sign of an operator with two operands.
pub fn binary_name(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::In => "in",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}
