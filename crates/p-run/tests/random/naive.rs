//! A naive interpreter of the execution model of P, which clones whole configurations.
//!
//! It follows the pseudo-code of the language's execution model literally: an event is taken out of the inbox before other machines may run, a receive that finds
//! its event does so at once. Values are trees, nothing is interned or memoised, machines are numbered in the order of their creation.

use manyworlds_p_ir as ir;
use manyworlds_p_ir::{
    Binary, Choice, EventId, Expr, Handler, InterfaceId, MachineId, Op, Piece, Place, Program, Root, StateId, Step,
    Temperature, Terminator, Test, Type, TypeId, Unary,
};
use std::collections::{BTreeMap, BTreeSet};

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum V {
    Null,
    Bool(bool),
    Int(i64),
    Str(String),
    Enum(u32, i64),
    Event(EventId),
    Machine(usize),
    Seq(Vec<V>),
    Set(BTreeSet<V>),
    Map(BTreeMap<V, V>),
    Tuple(Vec<V>),
}

/// An error at run time: its kind.
pub type Bug = &'static str;
type Result<T> = std::result::Result<T, Bug>;

/// A function that runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Frame {
    function: ir::FunctionId,
    block: usize,
    at: usize,
    locals: Vec<V>,
    to: Option<usize>,
}

/// What `run(f, v)` is part of: what follows when the function has ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum After {
    Exit,
    Call(ir::FunctionId, V),
    Switch(StateId),
    Entry(V),
    Halt,
    Error,
}

/// Where a machine is in the pseudo-code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum At {
    /// It has not started.
    Boot(V),
    /// At the yield before the inbox is looked at, in a state with a handler for `null`.
    BeforeNull,
    /// At the yield after the event was dequeued.
    Dequeued(EventId, V),
    /// At the yield before the handler for `null`.
    NullEvent,
    /// Idle.
    Idle,
    /// At the yield of a send: the machine, the event, the payload.
    Sending(usize, EventId, V),
    /// At the yield of a `new`.
    Creating(InterfaceId, V, Option<usize>),
    /// At the yield of a receive that has its event.
    Received(EventId, V),
    /// Blocked in a receive.
    Blocked,
    /// Halted.
    Halted,
    /// Runs; never between steps.
    Running,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct M {
    declaration: MachineId,
    interface: Option<InterfaceId>,
    creator: Option<usize>,
    /// The number among the creations of the creator.
    nth: usize,
    children: usize,
    state: StateId,
    fields: Vec<V>,
    inbox: Vec<(EventId, V)>,
    raised: Option<(EventId, V)>,
    frames: Vec<Frame>,
    after: Vec<After>,
    at: At,
}

/// A configuration.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Configuration {
    specs: Vec<M>,
    machines: Vec<M>,
    /// What failed: a bug, and the machine or spec.
    pub failed: Option<(Bug, String)>,
}

/// A run with more instructions is taken for an endless loop.
const FUEL: u32 = 5_000;

impl Configuration {
    /// The number of machines, or the length of the longest inbox.
    pub fn size(&self) -> usize {
        let longest = self.machines.iter().map(|machine| machine.inbox.len()).max().unwrap_or(0);
        longest.max(self.machines.len())
    }
}

/// What ends a run up to the next yield.
enum Stop {
    Yield,
    Bug(Bug),
    /// The run must be repeated with one more choice, of this many options.
    Choose(usize),
}

impl From<Bug> for Stop {
    fn from(bug: Bug) -> Stop {
        Stop::Bug(bug)
    }
}

/// The interpreter.
pub struct Naive<'a> {
    pub program: &'a Program,
    pub test: &'a Test,
}

/// A choice: the machine, the place, the chosen value, and all that could be chosen.
pub type Made = (usize, (ir::FunctionId, usize, usize), V, Vec<V>);

/// A step.
pub struct Step1 {
    pub who: usize,
    pub next: Configuration,
    /// Specs that entered a cold state.
    pub cold: Vec<usize>,
    /// Fair choices.
    pub made: Vec<Made>,
}

/// One run of one machine, with the answers to its choices.
struct Run<'a> {
    naive: &'a Naive<'a>,
    config: Configuration,
    /// The machine, or the spec.
    who: Who,
    script: &'a [usize],
    used: usize,
    fuel: u32,
    cold: Vec<usize>,
    made: Vec<Made>,
}

#[derive(Clone, Copy, PartialEq)]
enum Who {
    Machine(usize),
    Spec(usize),
}

impl Naive<'_> {
    fn machine(&self, id: MachineId) -> &ir::Machine {
        self.program.machine(id)
    }

    fn default_of(&self, ty: TypeId) -> V {
        match self.program.types.get(ty) {
            Type::Bool => V::Bool(false),
            Type::Int => V::Int(0),
            Type::String => V::Str(String::new()),
            Type::Enum(id) => V::Enum(id.0, self.program.enums[id.index()].least()),
            Type::Seq(_) => V::Seq(Vec::new()),
            Type::Set(_) => V::Set(BTreeSet::new()),
            Type::Map(..) => V::Map(BTreeMap::new()),
            Type::Tuple(items) => V::Tuple(items.iter().map(|&ty| self.default_of(ty)).collect()),
            _ => V::Null,
        }
    }

    fn fits(&self, value: &V, ty: TypeId) -> bool {
        match (value, self.program.types.get(ty)) {
            (_, Type::Any | Type::Data) => true,
            (V::Null, _) => self.program.types.is_nullable(ty),
            (V::Bool(_), Type::Bool)
            | (V::Int(_), Type::Int)
            | (V::Str(_), Type::String)
            | (V::Event(_), Type::Event)
            | (V::Machine(_), Type::Machine | Type::Permission(_)) => true,
            (V::Enum(id, _), Type::Enum(ty)) => *id == ty.0,
            (V::Seq(items), Type::Seq(of)) => items.iter().all(|item| self.fits(item, *of)),
            (V::Set(items), Type::Set(of)) => items.iter().all(|item| self.fits(item, *of)),
            (V::Map(map), Type::Map(key, of)) => map.iter().all(|(k, v)| self.fits(k, *key) && self.fits(v, *of)),
            (V::Tuple(items), Type::Tuple(types)) => {
                items.len() == types.len() && items.iter().zip(types).all(|(item, &ty)| self.fits(item, ty))
            }
            _ => false,
        }
    }

    fn born(&self, declaration: MachineId, interface: Option<InterfaceId>, payload: V) -> M {
        M {
            declaration,
            interface,
            creator: None,
            nth: 0,
            children: 0,
            state: self.machine(declaration).start,
            fields: self.machine(declaration).fields.iter().map(|field| self.default_of(field.ty)).collect(),
            inbox: Vec::new(),
            raised: None,
            frames: Vec::new(),
            after: Vec::new(),
            at: At::Boot(payload),
        }
    }

    /// The initial configuration.
    pub fn initial(&self) -> Configuration {
        let specs = self.test.specs.iter().map(|attached| self.born(attached.spec, None, V::Null)).collect();
        let machine = self.test.machine(self.test.main).expect("it is bound");
        let machines = vec![self.born(machine, Some(self.test.main), V::Null)];
        let mut config = Configuration { specs, machines, failed: None };
        for spec in 0..config.specs.len() {
            let mut run = Run {
                naive: self,
                config,
                who: Who::Spec(spec),
                script: &[],
                used: 0,
                fuel: FUEL,
                cold: Vec::new(),
                made: Vec::new(),
            };
            let bug = match run.boot() {
                Err(Stop::Bug(bug)) => Some(bug),
                _ => None,
            };
            config = run.config;
            if let Some(bug) = bug {
                config.failed = Some((bug, self.machine(config.specs[spec].declaration).name.clone()));
                break;
            }
        }
        config
    }

    /// All successors of a configuration; `None` if a machine makes too many choices in one step.
    pub fn successors(&self, config: &Configuration) -> Option<Vec<Step1>> {
        let mut successors = Vec::new();
        if config.failed.is_some() {
            return Some(successors);
        }
        for who in 0..config.machines.len() {
            if !self.runnable(config, who) {
                continue;
            }
            let mut scripts = vec![Vec::new()];
            while let Some(script) = scripts.pop() {
                if script.len() > 6 {
                    return None;
                }
                let mut run = Run {
                    naive: self,
                    config: config.clone(),
                    who: Who::Machine(who),
                    script: &script,
                    used: 0,
                    fuel: FUEL,
                    cold: Vec::new(),
                    made: Vec::new(),
                };
                match run.step() {
                    Ok(()) | Err(Stop::Yield) => successors.push(run.taken(who)),
                    Err(Stop::Choose(options)) => {
                        scripts.extend((0..options).map(|option| [script.clone(), vec![option]].concat()));
                    }
                    Err(Stop::Bug(bug)) => {
                        let name = self.name(&run.config, who);
                        run.config.failed.get_or_insert((bug, name));
                        successors.push(run.taken(who));
                    }
                }
            }
        }
        Some(successors)
    }

    /// Whether a machine is enabled.
    pub fn runnable(&self, config: &Configuration, who: usize) -> bool {
        let machine = &config.machines[who];
        match machine.at {
            At::Idle => machine
                .inbox
                .iter()
                .any(|(event, _)| !matches!(self.handler(machine, *event), Some(Handler::Defer | Handler::Ignore))),
            At::Blocked | At::Halted => false,
            _ => true,
        }
    }

    fn handler(&self, machine: &M, event: EventId) -> Option<Handler> {
        let states = &self.machine(machine.declaration).states;
        states[machine.state.index()].handlers.iter().find(|(on, _)| *on == event).map(|(_, handler)| *handler)
    }

    fn cases(&self, machine: &M) -> Vec<ir::Case> {
        let frame = machine.frames.last().expect("it receives");
        match &self.program.function(frame.function).blocks()[frame.block].end {
            Terminator::Receive(cases) => cases.clone(),
            _ => panic!("it receives"),
        }
    }

    fn path(&self, config: &Configuration, who: usize) -> String {
        let machine = &config.machines[who];
        match machine.creator {
            Some(creator) => format!("{}.{}", self.path(config, creator), machine.nth),
            None => machine.nth.to_string(),
        }
    }

    /// The name of a machine.
    pub fn name(&self, config: &Configuration, who: usize) -> String {
        let interface = config.machines[who].interface.expect("machines have interfaces");
        format!("{}({})", self.program.interface(interface).name, self.path(config, who))
    }

    fn show(&self, config: &Configuration, value: &V) -> String {
        let list = |items: Vec<String>| items.join(", ");
        match value {
            V::Null => "null".to_string(),
            V::Bool(b) => b.to_string(),
            V::Int(n) => n.to_string(),
            V::Str(text) => format!("{text:?}"),
            V::Enum(_, n) => n.to_string(),
            V::Event(event) => self.program.event(*event).name.clone(),
            V::Machine(who) => self.name(config, *who),
            V::Seq(items) => format!("[{}]", list(items.iter().map(|item| self.show(config, item)).collect())),
            V::Set(items) => format!("{{{}}}", list(items.iter().map(|item| self.show(config, item)).collect())),
            V::Map(map) => {
                let entry = |(k, v): (&V, &V)| format!("{}: {}", self.show(config, k), self.show(config, v));
                format!("{{{}}}", list(map.iter().map(entry).collect()))
            }
            V::Tuple(items) => format!("({})", list(items.iter().map(|item| self.show(config, item)).collect())),
        }
    }

    fn shown_state(&self, config: &Configuration, machine: &M) -> String {
        let declared = self.machine(machine.declaration);
        let state = &declared.states[machine.state.index()].name;
        if machine.at == At::Halted {
            return "halted".to_string();
        }
        let field = |(field, value): (&ir::Variable, &V)| format!("{}: {}", field.name, self.show(config, value));
        let fields: Vec<String> = declared.fields.iter().zip(&machine.fields).map(field).collect();
        if fields.is_empty() { state.clone() } else { format!("{state} {{ {} }}", fields.join(", ")) }
    }

    /// The number of machines.
    pub fn machines(config: &Configuration) -> usize {
        config.machines.len()
    }

    /// Whether a spec is in a hot state.
    pub fn is_hot(&self, config: &Configuration, spec: usize) -> bool {
        let spec = &config.specs[spec];
        let state = &self.machine(spec.declaration).states[spec.state.index()];
        spec.at != At::Halted && state.temperature == Temperature::Hot
    }

    /// A configuration without enabled machines in words: what each spec and machine that has not halted looks like, and what is wrong.
    pub fn end_in_words(&self, config: &Configuration) -> BTreeSet<String> {
        let mut words = BTreeSet::new();
        for spec in &config.specs {
            let name = &self.machine(spec.declaration).name;
            words.insert(format!("{name}: {}", self.shown_state(config, spec)));
        }
        for (who, machine) in config.machines.iter().enumerate() {
            if machine.at == At::Halted {
                continue;
            }
            let idle = machine.at == At::Idle;
            let kept = machine.inbox.iter().filter(|(event, _)| {
                // An idle machine will remove what it ignores before it looks at anything else.
                !(idle && matches!(self.handler(machine, *event), Some(Handler::Ignore)))
            });
            let message = |(event, payload): &(EventId, V)| match payload {
                V::Null if self.program.event(*event).payload.is_none() => self.program.event(*event).name.clone(),
                payload => format!("{}({})", self.program.event(*event).name, self.show(config, payload)),
            };
            let inbox: Vec<String> = kept.map(message).collect();
            let status = if idle { "" } else { " receives" };
            let (name, state) = (self.name(config, who), self.shown_state(config, machine));
            words.insert(format!("{name}{status}: {state} [{}]", inbox.join(", ")));
        }
        let hot = |spec: &&M| {
            let declared = self.machine(spec.declaration);
            declared.kind == ir::MachineKind::Spec
                && spec.at != At::Halted
                && declared.states[spec.state.index()].temperature == Temperature::Hot
        };
        if config.machines.iter().any(|machine| machine.at == At::Blocked) {
            words.insert("deadlock".to_string());
        } else if config.specs.iter().any(|spec| hot(&spec)) {
            words.insert("hot".to_string());
        }
        words
    }
}

impl Run<'_> {
    fn taken(self, who: usize) -> Step1 {
        Step1 { who, next: self.config, cold: self.cold, made: self.made }
    }

    fn me(&mut self) -> &mut M {
        match self.who {
            Who::Machine(who) => &mut self.config.machines[who],
            Who::Spec(spec) => &mut self.config.specs[spec],
        }
    }

    fn boot(&mut self) -> std::result::Result<(), Stop> {
        let At::Boot(payload) = std::mem::replace(&mut self.me().at, At::Running) else { panic!("it boots") };
        self.me().after = vec![After::Entry(payload)];
        self.run()
    }

    /// Runs the machine from where it is to its next yield.
    fn step(&mut self) -> std::result::Result<(), Stop> {
        match std::mem::replace(&mut self.me().at, At::Running) {
            At::Boot(payload) => {
                self.me().at = At::Boot(payload);
                self.boot()
            }
            At::BeforeNull => self.dequeue(false),
            At::Dequeued(event, payload) => self.handle(event, payload),
            At::NullEvent => self.handle(EventId::NULL, V::Null),
            At::Idle => self.dequeue(true),
            At::Sending(to, event, payload) => {
                self.enqueue(to, event, payload);
                self.run()
            }
            At::Creating(interface, payload, to) => {
                self.create(interface, payload, to);
                self.run()
            }
            At::Received(event, payload) => self.received(event, payload),
            At::Blocked | At::Halted | At::Running => panic!("it cannot run"),
        }
    }

    fn enqueue(&mut self, to: usize, event: EventId, payload: V) {
        let machine = &self.config.machines[to];
        if machine.at == At::Halted {
            return;
        }
        let waits = machine.at == At::Blocked
            && (event == EventId::HALT || self.naive.cases(machine).iter().any(|case| case.event == event));
        let machine = &mut self.config.machines[to];
        if waits {
            machine.at = At::Received(event, payload);
        } else {
            machine.inbox.push((event, payload));
        }
    }

    fn create(&mut self, interface: InterfaceId, payload: V, to: Option<usize>) {
        let Who::Machine(who) = self.who else { panic!("specs create nothing") };
        let declaration = self.naive.test.machine(interface).expect("it was looked up");
        let mut child = self.naive.born(declaration, Some(interface), payload);
        child.creator = Some(who);
        child.nth = self.me().children;
        self.me().children += 1;
        self.config.machines.push(child);
        let id = self.config.machines.len() - 1;
        if let Some(to) = to {
            self.me().frames.last_mut().expect("it runs").locals[to] = V::Machine(id);
        }
    }

    /// `loop()` of the pseudo-code.
    fn main_loop(&mut self) -> std::result::Result<(), Stop> {
        loop {
            self.fuel = self.fuel.checked_sub(1).ok_or("Endless")?;
            if let Some((event, payload)) = self.me().raised.take() {
                let machine = self.me().clone();
                match self.naive.handler(&machine, event) {
                    Some(Handler::Ignore | Handler::Defer) => continue,
                    _ => return self.handle(event, payload),
                }
            }
            if let Who::Spec(_) = self.who {
                self.me().at = At::Idle;
                return Ok(());
            }
            let machine = self.me().clone();
            if self.naive.handler(&machine, EventId::NULL).is_some() {
                self.me().at = At::BeforeNull;
                return Err(Stop::Yield);
            }
            return self.dequeue(false);
        }
    }

    fn dequeue(&mut self, woken: bool) -> std::result::Result<(), Stop> {
        let machine = self.me().clone();
        let mut at = 0;
        while at < self.me().inbox.len() {
            let event = self.me().inbox[at].0;
            match self.naive.handler(&machine, event) {
                Some(Handler::Ignore) => _ = self.me().inbox.remove(at),
                Some(Handler::Defer) => at += 1,
                _ => {
                    let (event, payload) = self.me().inbox.remove(at);
                    if woken {
                        return self.handle(event, payload);
                    }
                    self.me().at = At::Dequeued(event, payload);
                    return Err(Stop::Yield);
                }
            }
        }
        let null = self.naive.handler(&machine, EventId::NULL).is_some();
        self.me().at = if null { At::NullEvent } else { At::Idle };
        Err(Stop::Yield)
    }

    fn handle(&mut self, event: EventId, payload: V) -> std::result::Result<(), Stop> {
        let machine = self.me().clone();
        self.me().after = match self.naive.handler(&machine, event) {
            Some(Handler::Do(f)) => vec![After::Call(f, payload)],
            Some(Handler::Goto { target, with }) => {
                let mut after = vec![After::Exit];
                after.extend(with.map(|f| After::Call(f, payload.clone())));
                after.extend([After::Switch(target), After::Entry(payload)]);
                after
            }
            Some(Handler::Defer | Handler::Ignore) => Vec::new(),
            None if event == EventId::HALT => vec![After::Exit, After::Halt],
            None => vec![After::Exit, After::Error],
        };
        self.run()
    }

    fn call(&mut self, f: ir::FunctionId, payload: V) -> Result<()> {
        let function = self.naive.program.function(f);
        let mut locals: Vec<V> = function.locals.iter().map(|local| self.naive.default_of(local.ty)).collect();
        if function.params == 1 {
            if !self.naive.fits(&payload, function.locals[0].ty) {
                return Err("BadPayload");
            }
            locals[0] = payload;
        }
        self.me().frames.push(Frame { function: f, block: 0, at: 0, locals, to: None });
        Ok(())
    }

    fn run(&mut self) -> std::result::Result<(), Stop> {
        loop {
            self.fuel = self.fuel.checked_sub(1).ok_or("Endless")?;
            if !self.me().frames.is_empty() {
                self.instruction()?;
                continue;
            }
            if self.me().after.is_empty() {
                return self.main_loop();
            }
            let after = self.me().after.remove(0);
            let declared = self.naive.machine(self.me().declaration);
            let state = self.me().state.index();
            match after {
                After::Exit => {
                    if let Some(exit) = declared.states[state].exit {
                        self.call(exit, V::Null)?;
                    }
                }
                After::Call(f, payload) => self.call(f, payload)?,
                After::Switch(target) => {
                    if let (Who::Spec(spec), Temperature::Cold) =
                        (self.who, declared.states[target.index()].temperature)
                    {
                        self.cold.push(spec);
                    }
                    self.me().state = target;
                }
                After::Entry(payload) => {
                    if let Some(entry) = declared.states[state].entry {
                        self.call(entry, payload)?;
                    }
                }
                After::Halt => {
                    self.me().at = At::Halted;
                    self.me().inbox.clear();
                    return Err(Stop::Yield);
                }
                After::Error => return Err(Stop::Bug("Unhandled")),
            }
        }
    }

    fn unwind(&mut self) -> Result<()> {
        if !self.me().after.is_empty() {
            return Err("RaiseInExit");
        }
        self.me().frames.clear();
        Ok(())
    }

    fn received(&mut self, event: EventId, payload: V) -> std::result::Result<(), Stop> {
        let machine = self.me().clone();
        let Some(case) = self.naive.cases(&machine).into_iter().find(|case| case.event == event) else {
            self.unwind()?;
            self.me().raised = Some((event, payload));
            return self.run();
        };
        let frame = self.me().frames.last().expect("it receives").clone();
        if let Some(local) = case.payload {
            let ty = self.naive.program.function(frame.function).locals[local.index()].ty;
            if !self.naive.fits(&payload, ty) {
                return Err(Stop::Bug("BadPayload"));
            }
            self.me().frames.last_mut().expect("it receives").locals[local.index()] = payload;
        }
        let frame = self.me().frames.last_mut().expect("it receives");
        (frame.block, frame.at) = (case.block.index(), 0);
        self.run()
    }

    fn top(&mut self) -> &mut Frame {
        self.me().frames.last_mut().expect("it runs")
    }

    fn optional(&mut self, expr: &Option<Expr>) -> Result<V> {
        expr.as_ref().map_or(Ok(V::Null), |expr| self.expr(expr))
    }

    fn event(&mut self, event: &Expr, payload: &Option<Expr>) -> Result<(EventId, V)> {
        let event = self.expr(event)?;
        let payload = self.optional(payload)?;
        match event {
            V::Event(event) => Ok((event, payload)),
            _ => Err("Null"),
        }
    }

    /// The specs that observe an event run; a bug of theirs ends the run.
    fn observed(&mut self, event: EventId, payload: &V) -> std::result::Result<(), Stop> {
        let interface = self.me().interface.expect("machines send");
        for (n, attached) in self.naive.test.specs.iter().enumerate() {
            if !attached.observes(interface) || !self.naive.machine(attached.spec).observes.contains(&event) {
                continue;
            }
            if self.config.specs[n].at == At::Halted {
                continue;
            }
            let config = self.config.clone();
            let mut run = Run {
                naive: self.naive,
                config,
                who: Who::Spec(n),
                script: &[],
                used: 0,
                fuel: FUEL,
                cold: Vec::new(),
                made: Vec::new(),
            };
            run.me().at = At::Running;
            let end = run.handle(event, payload.clone());
            self.config = run.config;
            self.cold.extend(run.cold);
            if let Err(Stop::Bug(bug)) = end {
                self.config.failed = Some((bug, self.naive.machine(attached.spec).name.clone()));
                return Err(Stop::Bug(bug));
            }
        }
        Ok(())
    }

    fn instruction(&mut self) -> std::result::Result<(), Stop> {
        let frame = self.top().clone();
        let block = &self.naive.program.function(frame.function).blocks()[frame.block];
        let Some(instruction) = block.instructions.get(frame.at) else { return self.end(&block.end) };
        self.top().at += 1;
        match &instruction.op {
            Op::Assign { to, value } => {
                let path = self.path(to)?;
                let value = self.expr(value)?;
                self.change(to.root, &path, &mut |slot| {
                    *slot = value.clone();
                    Ok(())
                })?;
            }
            Op::Insert { to, key, value } => {
                let path = self.path(to)?;
                let (key, value) = (self.expr(key)?, self.expr(value)?);
                self.change(to.root, &path, &mut |slot| insert(slot, &key, &value))?;
            }
            Op::Add { to, value } => {
                let path = self.path(to)?;
                let value = self.expr(value)?;
                self.change(to.root, &path, &mut |slot| match slot {
                    V::Set(items) => {
                        items.insert(value.clone());
                        Ok(())
                    }
                    _ => Err("Null"),
                })?;
            }
            Op::Remove { from, key } => {
                let path = self.path(from)?;
                let key = self.expr(key)?;
                self.change(from.root, &path, &mut |slot| remove(slot, &key))?;
            }
            Op::Call { to, function, args } => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.expr(arg)?);
                }
                let called = self.naive.program.function(*function);
                let rest = called.locals[called.params as usize..].iter().map(|local| self.naive.default_of(local.ty));
                values.extend(rest);
                let to = to.map(|to| to.index());
                self.me().frames.push(Frame { function: *function, block: 0, at: 0, locals: values, to });
            }
            Op::Choose { to, from } => {
                let options: Vec<V> = match from {
                    Choice::Bool | Choice::FairBool => vec![V::Bool(false), V::Bool(true)],
                    Choice::Int(n) => match self.expr(n)? {
                        V::Int(n) if (0..=10_000).contains(&n) => (0..n.max(1)).map(V::Int).collect(),
                        _ => return Err(Stop::Bug("BadChoice")),
                    },
                    Choice::Element(of) => match self.expr(of)? {
                        V::Seq(items) => items,
                        V::Set(items) => items.into_iter().collect(),
                        V::Map(map) => map.into_keys().collect(),
                        _ => return Err(Stop::Bug("Null")),
                    },
                };
                if options.is_empty() {
                    return Err(Stop::Bug("BadChoice"));
                }
                let Some(&option) = self.script.get(self.used) else { return Err(Stop::Choose(options.len())) };
                self.used += 1;
                if let (Who::Machine(who), false) = (self.who, matches!(from, Choice::Bool)) {
                    let place = (frame.function, frame.block, frame.at);
                    self.made.push((who, place, options[option].clone(), options.clone()));
                }
                self.top().locals[to.index()] = options[option].clone();
            }
            Op::Send { target, event, payload } => {
                let target = self.expr(target)?;
                let (event, payload) = self.event(event, payload)?;
                let V::Machine(to) = target else { return Err(Stop::Bug("Null")) };
                self.observed(event, &payload)?;
                self.me().at = At::Sending(to, event, payload);
                return Err(Stop::Yield);
            }
            Op::Announce { event, payload } => {
                let (event, payload) = self.event(event, payload)?;
                self.observed(event, &payload)?;
            }
            Op::New { to, interface, payload } => {
                let payload = self.optional(payload)?;
                let made = self.naive.test.made(self.me().interface.expect("machines create"), *interface);
                self.me().at = At::Creating(made, payload, to.map(|to| to.index()));
                return Err(Stop::Yield);
            }
            Op::Assert { condition, .. } => {
                if self.expr(condition)? != V::Bool(true) {
                    return Err(Stop::Bug("Assertion"));
                }
            }
            Op::Print { message } => _ = self.expr(message)?,
        }
        Ok(())
    }

    fn end(&mut self, end: &Terminator) -> std::result::Result<(), Stop> {
        match end {
            Terminator::Jump(block) => self.jump(*block),
            Terminator::Branch { condition, then, otherwise } => {
                let holds = self.expr(condition)? == V::Bool(true);
                self.jump(if holds { *then } else { *otherwise });
            }
            Terminator::Return(value) => {
                let value = self.optional(value)?;
                let frame = self.me().frames.pop().expect("it runs");
                if let Some(to) = frame.to {
                    self.top().locals[to] = value;
                }
            }
            Terminator::Raise { event, payload } => {
                let raised = self.event(event, payload)?;
                self.unwind()?;
                self.me().raised = Some(raised);
            }
            Terminator::Goto { state, payload } => {
                let payload = self.optional(payload)?;
                self.unwind()?;
                self.me().after = vec![After::Exit, After::Switch(*state), After::Entry(payload)];
            }
            Terminator::Receive(_) => {
                let machine = self.me().clone();
                let cases = self.naive.cases(&machine);
                let wanted = |event: EventId| event == EventId::HALT || cases.iter().any(|case| case.event == event);
                match machine.inbox.iter().position(|(event, _)| wanted(*event)) {
                    Some(at) => {
                        let (event, payload) = self.me().inbox.remove(at);
                        self.me().at = At::Received(event, payload);
                    }
                    None => self.me().at = At::Blocked,
                }
                return Err(Stop::Yield);
            }
            Terminator::Fail(_) => return Err(Stop::Bug("Assertion")),
        }
        Ok(())
    }

    fn jump(&mut self, block: ir::BlockId) {
        let frame = self.top();
        (frame.block, frame.at) = (block.index(), 0);
    }

    fn path(&mut self, place: &Place) -> Result<Vec<(Option<usize>, V)>> {
        let mut path = Vec::new();
        for step in &place.path {
            path.push(match step {
                Step::Item(n) => (Some(*n as usize), V::Null),
                Step::Index(index) => (None, self.expr(index)?),
            });
        }
        Ok(path)
    }

    fn change(
        &mut self,
        root: Root,
        path: &[(Option<usize>, V)],
        edit: &mut dyn FnMut(&mut V) -> Result<()>,
    ) -> Result<()> {
        let slot = match root {
            Root::Local(local) => &mut self.top().locals[local.index()],
            Root::Field(field) => &mut self.me().fields[field.index()],
        };
        let mut value = slot.clone();
        let mut at = &mut value;
        for (n, (item, index)) in path.iter().enumerate() {
            let last = n + 1 == path.len();
            at = match (item, at) {
                (Some(item), V::Tuple(items)) => &mut items[*item],
                (None, V::Seq(items)) => match index {
                    V::Int(n) if (0..items.len() as i64).contains(n) => &mut items[*n as usize],
                    _ => return Err("OutOfRange"),
                },
                (None, V::Map(map)) => {
                    if last && !map.contains_key(index) {
                        // Only an assignment adds a key: whatever else looks for the key fails.
                        let mut new = V::Null;
                        edit(&mut new).map_err(|_| "MissingKey")?;
                        map.insert(index.clone(), new);
                        *slot = value;
                        return Ok(());
                    }
                    map.get_mut(index).ok_or("MissingKey")?
                }
                _ => return Err("SetElement"),
            };
        }
        edit(at)?;
        match root {
            Root::Local(local) => self.top().locals[local.index()] = value,
            Root::Field(field) => self.me().fields[field.index()] = value,
        }
        Ok(())
    }

    fn expr(&mut self, expr: &Expr) -> Result<V> {
        Ok(match expr {
            Expr::Const(ir::Const::Null) => V::Null,
            Expr::Const(ir::Const::Bool(b)) => V::Bool(*b),
            Expr::Const(ir::Const::Int(n)) => V::Int(*n),
            Expr::Const(ir::Const::String(text)) => V::Str(text.clone()),
            Expr::Const(ir::Const::Enum(id, n)) => V::Enum(id.0, *n),
            Expr::Const(ir::Const::Event(event)) => V::Event(*event),
            Expr::Const(ir::Const::Float(_)) | Expr::Param(_) | Expr::Named(..) | Expr::Coerce(..) => {
                panic!("random programs do not use it")
            }
            Expr::Local(local) => self.top().locals[local.index()].clone(),
            Expr::Field(field) => self.me().fields[field.index()].clone(),
            Expr::This => match self.who {
                Who::Machine(who) => V::Machine(who),
                Who::Spec(_) => panic!("a spec has no `this`"),
            },
            Expr::Unary(op, of) => match (op, self.expr(of)?) {
                (Unary::Not, V::Bool(b)) => V::Bool(!b),
                (Unary::Negate, V::Int(n)) => V::Int(n.wrapping_neg()),
                (Unary::Size, V::Seq(items)) => V::Int(items.len() as i64),
                (Unary::Size, V::Set(items)) => V::Int(items.len() as i64),
                (Unary::Size, V::Map(map)) => V::Int(map.len() as i64),
                (Unary::Keys, V::Map(map)) => V::Seq(map.into_keys().collect()),
                (Unary::Values, V::Map(map)) => V::Seq(map.into_values().collect()),
                _ => return Err("Null"),
            },
            Expr::Binary(Binary::And, a, b) => match self.expr(a)? {
                V::Bool(true) => self.expr(b)?,
                other => other,
            },
            Expr::Binary(Binary::Or, a, b) => match self.expr(a)? {
                V::Bool(false) => self.expr(b)?,
                other => other,
            },
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                return binary(*op, a, b);
            }
            Expr::Tuple(items) => V::Tuple(items.iter().map(|item| self.expr(item)).collect::<Result<_>>()?),
            Expr::Item(of, n) => match self.expr(of)? {
                V::Tuple(items) => items[*n as usize].clone(),
                _ => return Err("Null"),
            },
            Expr::Index(of, index) => {
                let (of, index) = (self.expr(of)?, self.expr(index)?);
                match (of, index) {
                    (V::Seq(items), V::Int(n)) => {
                        usize::try_from(n).ok().and_then(|n| items.get(n).cloned()).ok_or("OutOfRange")?
                    }
                    (V::Set(items), V::Int(n)) => {
                        usize::try_from(n).ok().and_then(|n| items.into_iter().nth(n)).ok_or("OutOfRange")?
                    }
                    (V::Map(map), key) => map.get(&key).cloned().ok_or("MissingKey")?,
                    _ => return Err("Null"),
                }
            }
            Expr::Cast(of, ty) => {
                let value = self.expr(of)?;
                if !self.naive.fits(&value, *ty) {
                    return Err("BadCast");
                }
                value
            }
            Expr::Default(ty) => self.naive.default_of(*ty),
            Expr::Format(pieces, _) => {
                let text = |piece: &Piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Arg(_) => panic!("random programs do not use it"),
                };
                V::Str(pieces.iter().map(text).collect())
            }
        })
    }
}

fn binary(op: Binary, a: V, b: V) -> Result<V> {
    let int = |f: fn(i64, i64) -> i64| match (&a, &b) {
        (V::Int(a), V::Int(b)) => Ok(V::Int(f(*a, *b))),
        _ => Err("Null"),
    };
    let compare = |f: fn(i64, i64) -> bool| match (&a, &b) {
        (V::Int(a), V::Int(b)) => Ok(V::Bool(f(*a, *b))),
        _ => Err("Null"),
    };
    match op {
        Binary::Eq => Ok(V::Bool(a == b)),
        Binary::Ne => Ok(V::Bool(a != b)),
        Binary::Add => int(i64::wrapping_add),
        Binary::Sub => int(i64::wrapping_sub),
        Binary::Mul => int(i64::wrapping_mul),
        Binary::Div | Binary::Rem if b == V::Int(0) => Err("DivisionByZero"),
        Binary::Div => int(i64::wrapping_div),
        Binary::Rem => int(i64::wrapping_rem),
        Binary::Lt => compare(|a, b| a < b),
        Binary::Le => compare(|a, b| a <= b),
        Binary::Gt => compare(|a, b| a > b),
        Binary::Ge => compare(|a, b| a >= b),
        Binary::In => match b {
            V::Seq(items) => Ok(V::Bool(items.contains(&a))),
            V::Set(items) => Ok(V::Bool(items.contains(&a))),
            V::Map(map) => Ok(V::Bool(map.contains_key(&a))),
            _ => Err("Null"),
        },
        Binary::And | Binary::Or => Err("Null"),
    }
}

fn insert(slot: &mut V, key: &V, value: &V) -> Result<()> {
    match (slot, key) {
        (V::Seq(items), V::Int(n)) if (0..=items.len() as i64).contains(n) => {
            items.insert(*n as usize, value.clone());
            Ok(())
        }
        (V::Seq(_), _) => Err("OutOfRange"),
        (V::Map(map), key) => match map.contains_key(key) {
            true => Err("DuplicateKey"),
            false => {
                map.insert(key.clone(), value.clone());
                Ok(())
            }
        },
        _ => Err("Null"),
    }
}

fn remove(slot: &mut V, key: &V) -> Result<()> {
    match (slot, key) {
        (V::Seq(items), V::Int(n)) if (0..items.len() as i64).contains(n) => {
            items.remove(*n as usize);
            Ok(())
        }
        (V::Seq(_), _) => Err("OutOfRange"),
        (V::Set(items), key) => {
            items.remove(key);
            Ok(())
        }
        (V::Map(map), key) => {
            map.remove(key);
            Ok(())
        }
        _ => Err("Null"),
    }
}
