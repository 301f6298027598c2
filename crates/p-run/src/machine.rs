//! The interpreter of one machine: from where it was left up to where it lets another machine run.
//!
//! This is the pseudo-code of the language's execution model with one simplification that changes no behaviour. There, a machine takes an event out of
//! its inbox and lets other machines run before it handles the event. Here, it lets other machines run first, and takes the event when it
//! handles it. Others only append to the inbox, and nothing that the machine does in between depends on it: which event is the first that can be
//! taken does not change. The same holds for a receive statement that finds its event at once. What remains visible is kept: a state with a handler
//! for `null` decides that there is no event, and lets others run before it runs that handler.

use crate::code::Code;
use crate::eval::Eval;
use crate::fault::{Fault, FaultKind};
use crate::local::{Continuation, Frame, Local, Message, Status, Task, Wait};
use crate::names::{Name, NameId};
use crate::value::{Val, Values};
use manyworlds_p_ir::{
    BlockId, Case, EventId, Expr, FunctionId, Handler, InterfaceId, LocalId, MachineId, Op, Span, StateId, Temperature,
    Terminator, TypeId,
};
use std::collections::VecDeque;

/// The most values that one choice can have.
pub const MOST_VALUES: usize = 10_000;
/// When the choices since the machine was continued have more combinations than this, it is left at the next one.
pub const MOST_BRANCHES: u64 = 256;

/// When the branches of a choice would execute more instructions than this again, the machine is left at the choice, too.
pub const MOST_REPEATED: u64 = 50_000;

/// What a machine is continued with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// It starts.
    Start,
    /// It takes this message out of its inbox: to handle it, or in a receive statement.
    Message(Message),
    /// It finds that there is no event, and will handle `null`.
    NoEvent,
    /// It continues: after a send, at a choice, or with the handler for `null`.
    Continue,
    /// The machine that it wanted to create is there.
    Created(NameId),
}

/// A place in the source at which a choice is made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Site {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// The instruction.
    pub at: u32,
}

/// A choice that was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Chosen {
    /// Where.
    pub site: Site,
    /// The place in the source.
    pub span: Span,
    /// Whether every value is chosen infinitely often, if the choice is made infinitely often.
    pub fair: bool,
    /// The chosen value.
    pub value: Val,
    /// The number of the option.
    pub option: u32,
    /// The number of options.
    pub options: u32,
}

/// A send or an announcement, which specs observe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Observed {
    /// What they observe.
    pub message: Message,
    /// The machine that it is sent to; none, if it is announced.
    pub to: Option<NameId>,
    /// The place in the source.
    pub span: Span,
}

/// What a run of the interpreter did, besides changing the machine.
#[derive(Default)]
pub struct Log {
    /// Choices, in order.
    pub chosen: Vec<Chosen>,
    /// Sends and announcements, in order.
    pub observed: Vec<Observed>,
    /// What was printed.
    pub printed: Vec<(String, Span)>,
    /// Blocks that were executed.
    pub blocks: Vec<(FunctionId, BlockId)>,
    /// Whether a cold state was entered.
    pub cold: bool,
}

/// How a run of the interpreter ends.
enum End {
    Ready,
    Halted,
    Left(Wait),
}

/// Where the control goes after an instruction.
pub(crate) enum Next {
    Go,
    Leave(Wait),
}

pub(crate) type Result<T> = std::result::Result<T, Fault>;

/// A machine that runs.
pub struct Machine<'a> {
    pub(crate) code: &'a Code,
    pub(crate) values: &'a mut Values,
    params: &'a [Val],
    pub(crate) name: NameId,
    pub(crate) declaration: MachineId,
    pub(crate) interface: Option<InterfaceId>,
    state: StateId,
    pub(crate) fields: Vec<Val>,
    frames: Vec<Frame>,
    rest: VecDeque<Task>,
    raised: Option<Message>,
    /// The options to take, of the first choices.
    pub(crate) script: &'a [u32],
    pub(crate) combinations: u64,
    pub(crate) executed: u32,
    /// The place of the current instruction in the source.
    pub(crate) span: Span,
    /// What it does.
    pub log: Log,
}

impl<'a> Machine<'a> {
    /// A machine in a local state.
    pub fn new(
        code: &'a Code,
        values: &'a mut Values,
        params: &'a [Val],
        local: &Local,
        script: &'a [u32],
    ) -> Machine<'a> {
        let Name { interface, machine, .. } = *values.names.get(local.name);
        Machine {
            code,
            values,
            params,
            name: local.name,
            declaration: machine,
            interface,
            state: local.state,
            fields: local.fields.to_vec(),
            frames: Vec::new(),
            rest: VecDeque::new(),
            raised: None,
            script,
            combinations: 1,
            executed: 0,
            span: code.program.machine(machine).states[local.state.index()].span,
            log: Log::default(),
        }
    }

    /// Where it is, for messages.
    pub fn place(&self) -> (StateId, Span) {
        (self.state, self.span)
    }

    /// Continues the machine, up to where it lets another machine run.
    pub fn run(&mut self, local: &Local, input: Input) -> Result<Local> {
        if let Status::Left(_, continuation) = &local.status {
            self.frames = continuation.frames.to_vec();
            self.rest = continuation.rest.iter().copied().collect();
        }
        if let Some(frame) = self.frames.last() {
            self.log.blocks.push((frame.function, frame.block));
        }
        let end = match self.begin(local, input)? {
            Some(status) => return Ok(self.frozen(status)),
            None => self.go()?,
        };
        let status = match end {
            End::Ready => Status::Ready,
            End::Halted => Status::Halted,
            End::Left(wait) => {
                let continuation = self.continuation(wait)?;
                Status::Left(wait, continuation)
            }
        };
        Ok(self.frozen(status))
    }

    fn frozen(&self, status: Status) -> Local {
        let halted = status == Status::Halted;
        let fields = if halted { Box::default() } else { self.fields.clone().into() };
        let state = if halted { StateId::FIRST } else { self.state };
        Local { name: self.name, state, fields, status }
    }

    /// Prepares what the input asks for. A status, if there is nothing to run.
    fn begin(&mut self, local: &Local, input: Input) -> Result<Option<Status>> {
        match (&local.status, input) {
            (Status::New(payload), Input::Start) => {
                let program = &self.code.program;
                for field in &program.machine(self.declaration).fields {
                    let value = self.values.default_of(program, field.ty)?;
                    self.fields.push(value);
                }
                self.rest.push_back(Task::Enter(self.state, *payload));
            }
            (Status::Ready, Input::NoEvent) => return Ok(Some(Status::Null)),
            (Status::Ready, Input::Message(message)) => self.dispatch(message),
            (Status::Null, Input::Continue) => {
                self.dispatch(Message { event: EventId::NULL, payload: Val::NULL });
            }
            (Status::Left(Wait::Receive, _), Input::Message(message)) => self.received(message)?,
            (Status::Left(Wait::New { permission, to, .. }, _), Input::Created(name)) => {
                let reference = self.values.machine(name, *permission);
                self.store_result(*to, reference);
            }
            (Status::Left(..), Input::Continue) => {}
            _ => unreachable!("the input does not belong to the status"),
        }
        Ok(None)
    }

    fn go(&mut self) -> Result<End> {
        loop {
            if !self.frames.is_empty() {
                if let Next::Leave(wait) = self.instruction()? {
                    return Ok(End::Left(wait));
                }
            } else if let Some(task) = self.rest.pop_front() {
                if task == Task::Halt {
                    return Ok(End::Halted);
                }
                self.task(task)?;
            } else if let Some(message) = self.raised.take() {
                self.count()?;
                let state = &self.code.program.machine(self.declaration).states[self.state.index()];
                match state.handler(message.event) {
                    Some(Handler::Ignore | Handler::Defer) => {}
                    _ => self.dispatch(message),
                }
            } else {
                return Ok(End::Ready);
            }
        }
    }

    fn count(&mut self) -> Result<()> {
        self.executed += 1;
        if self.executed <= self.code.limits.instructions {
            return Ok(());
        }
        let most = self.code.limits.instructions;
        let message = format!("{most} instructions were executed without letting another machine run");
        Err(Fault::new(FaultKind::Endless, message))
    }

    /// What the machine does with an event.
    fn dispatch(&mut self, Message { event, payload }: Message) {
        let state = &self.code.program.machine(self.declaration).states[self.state.index()];
        self.span = state.span;
        match state.handler(event) {
            Some(Handler::Do(function)) => self.rest.push_back(Task::Run(function, payload)),
            Some(Handler::Goto { target, with }) => {
                self.rest.push_back(Task::Exit);
                self.rest.extend(with.map(|with| Task::Run(with, payload)));
                self.rest.push_back(Task::Enter(target, payload));
            }
            Some(Handler::Ignore | Handler::Defer) => {}
            None if event == EventId::HALT => self.rest.extend([Task::Exit, Task::Halt]),
            None => self.rest.extend([Task::Exit, Task::Unhandled(event)]),
        }
    }

    fn task(&mut self, task: Task) -> Result<()> {
        let machine = self.code.program.machine(self.declaration);
        match task {
            Task::Exit => match machine.states[self.state.index()].exit {
                Some(exit) => self.call_handler(exit, Val::NULL),
                None => Ok(()),
            },
            Task::Run(function, payload) => self.call_handler(function, payload),
            Task::Enter(target, payload) => {
                self.state = target;
                let state = &machine.states[target.index()];
                self.log.cold |= state.temperature == Temperature::Cold;
                match state.entry {
                    Some(entry) => self.call_handler(entry, payload),
                    None => Ok(()),
                }
            }
            Task::Unhandled(event) => {
                let state = &machine.states[self.state.index()];
                self.span = state.span;
                let event = &self.code.program.event(event).name;
                let message = format!("the event {event} cannot be handled in state {}", state.name);
                Err(Fault::new(FaultKind::Unhandled, message))
            }
            Task::Halt => unreachable!("the caller halts the machine"),
        }
    }

    pub(crate) fn eval<T>(&mut self, with: impl FnOnce(&mut Eval<'_>) -> Result<T>) -> Result<T> {
        let locals: &[Val] = self.frames.last().map_or(&[], |frame| &frame.locals);
        with(&mut Eval {
            program: &self.code.program,
            values: self.values,
            this: (self.name, self.code.receives(self.declaration)),
            params: self.params,
            fields: &self.fields,
            locals,
        })
    }

    pub(crate) fn expr(&mut self, expr: &Expr) -> Result<Val> {
        self.eval(|eval| eval.expr(expr))
    }

    pub(crate) fn optional(&mut self, expr: Option<&Expr>) -> Result<Val> {
        expr.map_or(Ok(Val::NULL), |expr| self.expr(expr))
    }

    /// Calls a handler: a function with at most one parameter.
    fn call_handler(&mut self, id: FunctionId, payload: Val) -> Result<()> {
        let function = self.code.program.function(id);
        self.span = function.span;
        let args = match function.params {
            0 => Vec::new(),
            _ => vec![self.eval(|eval| eval.payload(payload, function.locals[0].ty))?],
        };
        self.call(id, args, None)
    }

    pub(crate) fn call(&mut self, id: FunctionId, args: Vec<Val>, to: Option<LocalId>) -> Result<()> {
        self.count()?;
        let most = self.code.limits.calls;
        if self.frames.len() >= most {
            return Err(Fault::new(FaultKind::TooDeep, format!("more than {most} calls are open")));
        }
        let code = self.code;
        let function = code.program.function(id);
        let mut locals = args;
        for local in &function.locals[function.params as usize..] {
            locals.push(self.values.default_of(&code.program, local.ty)?);
        }
        self.log.blocks.push((id, BlockId::ENTRY));
        self.frames.push(Frame { function: id, block: BlockId::ENTRY, at: 0, locals: locals.into(), to });
        Ok(())
    }

    pub(crate) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function runs")
    }

    fn instruction(&mut self) -> Result<Next> {
        self.count()?;
        let code = self.code;
        let frame = self.frames.last().expect("a function runs");
        let block = code.program.function(frame.function).block(frame.block);
        let Some(instruction) = block.instructions.get(frame.at as usize) else {
            self.span = block.span;
            return self.end(&block.end);
        };
        self.span = instruction.span;
        if let Op::Choose { to, from } = &instruction.op {
            return self.choose(*to, from);
        }
        self.top().at += 1;
        self.op(&instruction.op)
    }

    fn end(&mut self, end: &Terminator) -> Result<Next> {
        match end {
            Terminator::Jump(block) => self.jump(*block),
            Terminator::Branch { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                let block = if self.eval(|eval| eval.truth(condition))? { then } else { otherwise };
                self.jump(*block);
            }
            Terminator::Return(value) => self.ret(value.as_ref())?,
            Terminator::Raise { event, payload } => {
                let message = self.message(event, payload.as_ref())?;
                self.raise(message)?;
            }
            Terminator::Goto { state, payload } => {
                let payload = self.optional(payload.as_ref())?;
                self.unwind()?;
                self.rest.extend([Task::Exit, Task::Enter(*state, payload)]);
            }
            Terminator::Receive(_) => return Ok(Next::Leave(Wait::Receive)),
            Terminator::Fail(message) => return self.failed(message.as_ref()),
        }
        Ok(Next::Go)
    }

    fn jump(&mut self, block: BlockId) {
        let frame = self.top();
        (frame.block, frame.at) = (block, 0);
        let function = frame.function;
        self.log.blocks.push((function, block));
    }

    fn ret(&mut self, value: Option<&Expr>) -> Result<()> {
        let value = value.map(|value| self.expr(value)).transpose()?;
        let frame = self.frames.pop().expect("a function runs");
        let Some(to) = frame.to else { return Ok(()) };
        let Some(value) = value else {
            let name = &self.code.program.function(frame.function).name;
            return Err(Fault::new(FaultKind::NoResult, format!("{name} returns no value")));
        };
        self.store_result(Some(to), value);
        Ok(())
    }

    /// Ends the handler and all functions that it called.
    fn unwind(&mut self) -> Result<()> {
        if !self.rest.is_empty() {
            let message = "an exit or transition function raises an event or changes the state";
            return Err(Fault::new(FaultKind::RaiseInExit, message));
        }
        self.frames.clear();
        Ok(())
    }

    fn raise(&mut self, message: Message) -> Result<()> {
        self.unwind()?;
        self.raised = Some(message);
        Ok(())
    }

    fn receive_cases(&self) -> &'a [Case] {
        let frame = self.frames.last().expect("a receive statement belongs to a function");
        match &self.code.program.function(frame.function).block(frame.block).end {
            Terminator::Receive(cases) => cases,
            _ => &[],
        }
    }

    fn received(&mut self, message: Message) -> Result<()> {
        self.span = {
            let frame = self.frames.last().expect("a receive statement belongs to a function");
            self.code.program.function(frame.function).block(frame.block).span
        };
        let Some(case) = self.receive_cases().iter().find(|case| case.event == message.event) else {
            return self.raise(message);
        };
        if let Some(local) = case.payload {
            let ty: TypeId = self.code.program.function(self.top().function).locals[local.index()].ty;
            let value = self.eval(|eval| eval.payload(message.payload, ty))?;
            self.top().locals[local.index()] = value;
        }
        self.jump(case.block);
        Ok(())
    }

    /// What remains to be done. Locals that will not be read are set to the default values of their types.
    fn continuation(&mut self, wait: Wait) -> Result<Continuation> {
        let mut to = match wait {
            Wait::New { to, .. } => to,
            _ => None,
        };
        let code = self.code;
        for frame in self.frames.iter_mut().rev() {
            let function = code.program.function(frame.function);
            let live = &code.live[frame.function.index()];
            for (n, value) in frame.locals.iter_mut().enumerate() {
                if to == Some(LocalId::at(n)) || !live.is_live(frame.block.0, frame.at, n) {
                    *value = self.values.default_of(&code.program, function.locals[n].ty)?;
                }
            }
            to = frame.to;
        }
        let frames = self.frames.clone().into();
        Ok(Continuation { frames, rest: self.rest.iter().copied().collect() })
    }
}
