//! The interface for a lowering: declarations get their ids first, so that they can refer to each other, and are defined later.

use crate::code::{Block, Body, Function, Instruction, Op, Span, Terminator};
use crate::ids::{
    BlockId, EnumId, EventId, EventSetId, FieldId, ForeignId, FunctionId, InterfaceId, LocalId, MachineId, ParamId,
    StateId, TypeId,
};
use crate::program::{Enum, Event, Interface, Machine, MachineKind, Program, State, Test, Variable};
use crate::types::Type;

impl Program {
    /// Adds a source file; spans refer to it by this number.
    pub fn add_file(&mut self, name: impl Into<String>) -> u32 {
        self.files.push(name.into());
        self.files.len() as u32 - 1
    }

    /// Adds an enum.
    pub fn add_enum(&mut self, name: impl Into<String>, elements: Vec<(String, i64)>) -> EnumId {
        self.enums.push(Enum { name: name.into(), elements });
        EnumId::at(self.enums.len() - 1)
    }

    /// Adds a foreign type.
    pub fn add_foreign_type(&mut self, name: impl Into<String>) -> ForeignId {
        self.foreign_types.push(name.into());
        ForeignId::at(self.foreign_types.len() - 1)
    }

    /// Adds an event. Its payload may be set later, in [`Program::events`].
    pub fn add_event(&mut self, name: impl Into<String>, payload: Option<TypeId>, span: Span) -> EventId {
        self.events.push(Event { name: name.into(), payload, span });
        EventId::at(self.events.len() - 1)
    }

    /// Adds an interface.
    pub fn add_interface(
        &mut self,
        name: impl Into<String>,
        payload: Option<TypeId>,
        receives: EventSetId,
        span: Span,
    ) -> InterfaceId {
        self.interfaces.push(Interface { name: name.into(), payload, receives, span });
        InterfaceId::at(self.interfaces.len() - 1)
    }

    /// Adds a machine without fields and states, which may receive and send everything.
    pub fn add_machine(&mut self, name: impl Into<String>, kind: MachineKind, span: Span) -> MachineId {
        self.machines.push(Machine {
            name: name.into(),
            kind,
            fields: Vec::new(),
            states: Vec::new(),
            start: StateId::FIRST,
            receives: EventSetId::ALL,
            sends: EventSetId::ALL,
            observes: Vec::new(),
            span,
        });
        MachineId::at(self.machines.len() - 1)
    }

    /// Adds a field to a machine.
    pub fn add_field(&mut self, machine: MachineId, name: impl Into<String>, ty: TypeId) -> FieldId {
        let fields = &mut self.machines[machine.index()].fields;
        fields.push(Variable { name: name.into(), ty });
        FieldId::at(fields.len() - 1)
    }

    /// Adds a state to a machine. Entry, exit, temperature and handlers are set later, through [`Program::state_mut`].
    pub fn add_state(&mut self, machine: MachineId, name: impl Into<String>, span: Span) -> StateId {
        let states = &mut self.machines[machine.index()].states;
        states.push(State { span, ..State::new(name) });
        StateId::at(states.len() - 1)
    }

    /// A state, to be changed.
    pub fn state_mut(&mut self, machine: MachineId, state: StateId) -> &mut State {
        &mut self.machines[machine.index()].states[state.index()]
    }

    /// Adds a global test parameter.
    pub fn add_param(&mut self, name: impl Into<String>, ty: TypeId) -> ParamId {
        self.params.push(Variable { name: name.into(), ty });
        ParamId::at(self.params.len() - 1)
    }

    /// Adds a function that does nothing; [`Program::define`] says what it does. Where the name is taken, a number is appended.
    pub fn declare(&mut self, name: &str, machine: Option<MachineId>, span: Span) -> FunctionId {
        let name = unique(name, |name| self.functions.iter().any(|function| function.name == name));
        let body = FunctionBuilder::new().body();
        self.functions.push(Function { name, machine, params: 0, result: None, locals: Vec::new(), body, span });
        FunctionId::at(self.functions.len() - 1)
    }

    /// Says what a declared function does.
    pub fn define(&mut self, id: FunctionId, builder: FunctionBuilder) {
        let function = &mut self.functions[id.index()];
        function.params = builder.params;
        function.result = builder.result;
        function.locals.clone_from(&builder.locals);
        function.body = builder.body();
    }

    /// Adds a test.
    pub fn add_test(&mut self, mut test: Test) {
        test.bindings.sort_unstable();
        self.tests.push(test);
    }

    /// A type as text, for messages.
    pub fn type_name(&self, id: TypeId) -> String {
        crate::text::type_text(self, id)
    }

    /// Whether `from` is an enum, and which.
    pub fn enum_of(&self, from: TypeId) -> Option<EnumId> {
        match self.types.get(from) {
            Type::Enum(id) => Some(*id),
            _ => None,
        }
    }
}

/// The name, with a number where it is taken.
fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(name) {
        return name.to_string();
    }
    (1..).map(|n: u64| format!("{name}~{n}")).find(|name| !taken(name)).expect("there are enough numbers")
}

/// Builds the body of a function: instructions are added to the current block.
///
/// ```
/// use manyworlds_p_ir::{Expr, FunctionBuilder, Op, Place, Span, Terminator, TypeId};
///
/// let mut f = FunctionBuilder::new();
/// let n = f.param("n", TypeId::INT);
/// let (again, done) = (f.block(), f.block());
/// f.end(Terminator::Jump(again), Span::default());
/// f.switch(again);
/// f.push(Op::Assign { to: Place::local(n), value: Expr::int(0) }, Span::default());
/// f.end(Terminator::Jump(done), Span::default());
/// f.switch(done);
/// assert!(!f.is_ended());
/// f.end(Terminator::Return(None), Span::default());
/// ```
#[derive(Clone, Debug)]
pub struct FunctionBuilder {
    params: u32,
    result: Option<TypeId>,
    locals: Vec<Variable>,
    blocks: Vec<Draft>,
    current: BlockId,
    foreign: bool,
}

/// A block that may not have a terminator yet.
#[derive(Clone, Debug, Default)]
struct Draft {
    instructions: Vec<Instruction>,
    end: Option<(Terminator, Span)>,
}

impl Default for FunctionBuilder {
    fn default() -> FunctionBuilder {
        FunctionBuilder::new()
    }
}

impl FunctionBuilder {
    /// A function with one empty block, which is the current one.
    pub fn new() -> FunctionBuilder {
        let blocks = vec![Draft::default()];
        FunctionBuilder { params: 0, result: None, locals: Vec::new(), blocks, current: BlockId::ENTRY, foreign: false }
    }

    /// Adds a parameter; before the first local.
    ///
    /// # Panics
    /// If there is a local already.
    pub fn param(&mut self, name: &str, ty: TypeId) -> LocalId {
        assert_eq!(self.params as usize, self.locals.len(), "parameters come before locals");
        self.params += 1;
        self.local(name, ty)
    }

    /// Says what the function returns.
    pub fn returns(&mut self, ty: TypeId) {
        self.result = Some(ty);
    }

    /// The function is foreign: it has no blocks.
    pub fn foreign(&mut self) {
        self.foreign = true;
    }

    /// Adds a local variable or a temporary. Where the name is taken, a number is appended.
    pub fn local(&mut self, name: &str, ty: TypeId) -> LocalId {
        let name = unique(name, |name| self.locals.iter().any(|local| local.name == name));
        self.locals.push(Variable { name, ty });
        LocalId::at(self.locals.len() - 1)
    }

    /// The type of a local.
    pub fn local_type(&self, local: LocalId) -> TypeId {
        self.locals[local.index()].ty
    }

    /// Adds an empty block. The current block stays the same.
    pub fn block(&mut self) -> BlockId {
        self.blocks.push(Draft::default());
        BlockId::at(self.blocks.len() - 1)
    }

    /// Makes a block the current one.
    pub fn switch(&mut self, block: BlockId) {
        self.current = block;
    }

    /// The current block.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Adds an instruction to the current block. After a terminator it is dropped, because it cannot be reached.
    pub fn push(&mut self, op: Op, span: Span) {
        let block = &mut self.blocks[self.current.index()];
        if block.end.is_none() {
            block.instructions.push(Instruction { op, span });
        }
    }

    /// Ends the current block. After a terminator it is dropped, because it cannot be reached.
    pub fn end(&mut self, end: Terminator, span: Span) {
        self.blocks[self.current.index()].end.get_or_insert((end, span));
    }

    /// Whether the current block has a terminator.
    pub fn is_ended(&self) -> bool {
        self.blocks[self.current.index()].end.is_some()
    }

    /// The blocks; one without a terminator returns.
    fn body(self) -> Body {
        if self.foreign {
            return Body::Foreign;
        }
        let block = |draft: Draft| {
            let (end, span) = draft.end.unwrap_or((Terminator::Return(None), Span::default()));
            Block { instructions: draft.instructions, end, span }
        };
        Body::Blocks(self.blocks.into_iter().map(block).collect())
    }
}
