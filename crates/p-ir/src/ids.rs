//! Ids: indices into the tables of a [`Program`](crate::Program), its machines and its functions.

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident;)*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a vector.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of this index.
            ///
            /// # Panics
            /// If the index does not fit 32 bits.
            pub fn at(index: usize) -> $name {
                $name(u32::try_from(index).expect("a table with more than 2^32 entries"))
            }
        }
    )* };
}

ids! {
    /// A type: an index into [`Types`](crate::Types).
    TypeId;
    /// The list of field names of a named tuple: an index into [`Types`](crate::Types).
    NamesId;
    /// A set of events: an index into [`Types`](crate::Types).
    EventSetId;
    /// An enum of the program.
    EnumId;
    /// A foreign type of the program.
    ForeignId;
    /// An event of the program.
    EventId;
    /// An interface of the program.
    InterfaceId;
    /// A machine, a spec or a scenario of the program: its declaration, not an instance.
    MachineId;
    /// A function of the program.
    FunctionId;
    /// A global test parameter of the program.
    ParamId;
    /// A state of a machine.
    StateId;
    /// A field of a machine.
    FieldId;
    /// A parameter, a local variable or a temporary of a function.
    LocalId;
    /// A basic block of a function.
    BlockId;
}

impl EventId {
    /// The built-in event `null`.
    pub const NULL: EventId = EventId(0);
    /// The built-in event `halt`.
    pub const HALT: EventId = EventId(1);
}

impl EventSetId {
    /// The universal set: every event but `null`.
    pub const ALL: EventSetId = EventSetId(0);
}

impl StateId {
    /// The first state of a machine.
    pub const FIRST: StateId = StateId(0);
}

impl BlockId {
    /// The block in which a function begins.
    pub const ENTRY: BlockId = BlockId(0);
}
