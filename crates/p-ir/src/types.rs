//! Types, interned: equal types have equal ids. Field names of named tuples and sets of events are interned beside them.

use crate::ids::{EnumId, EventId, EventSetId, ForeignId, NamesId, TypeId};
use rustc_hash::FxHashMap;

/// A type. Aliases are gone: a lowering unfolds them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// The type of the literal `null`. No variable has it.
    Null,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `string`.
    String,
    /// `event`.
    Event,
    /// `machine`: a reference to any machine.
    Machine,
    /// `data`.
    Data,
    /// `any`.
    Any,
    /// An enum.
    Enum(EnumId),
    /// A foreign type.
    Foreign(ForeignId),
    /// A machine, an interface or an event set used as a type: a reference to a machine that may be sent these events.
    Permission(EventSetId),
    /// `seq[t]`.
    Seq(TypeId),
    /// `set[t]`.
    Set(TypeId),
    /// `map[k, v]`.
    Map(TypeId, TypeId),
    /// `(t, u)`.
    Tuple(Vec<TypeId>),
    /// `(a: t, b: u)`.
    Named(NamesId, Vec<TypeId>),
}

/// A set of events.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum EventSet {
    /// Every event of the program but `null`; so `halt` is one of them.
    All,
    /// These events, sorted.
    Only(Vec<EventId>),
}

impl EventSet {
    /// Whether an event is in the set.
    pub fn contains(&self, event: EventId) -> bool {
        match self {
            EventSet::All => event != EventId::NULL,
            EventSet::Only(events) => events.binary_search(&event).is_ok(),
        }
    }

    /// Whether every event of this set is in `other`, in a program with this number of events.
    pub fn is_subset(&self, other: &EventSet, events: usize) -> bool {
        match self {
            EventSet::Only(own) => own.iter().all(|&event| other.contains(event)),
            EventSet::All => (1..events).all(|event| other.contains(EventId::at(event))),
        }
    }
}

/// The types, field names and event sets of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Types {
    types: Vec<Type>,
    names: Vec<Vec<String>>,
    sets: Vec<EventSet>,
    type_ids: FxHashMap<Type, TypeId>,
    name_ids: FxHashMap<Vec<String>, NamesId>,
    set_ids: FxHashMap<EventSet, EventSetId>,
}

impl Default for Types {
    fn default() -> Types {
        let mut types = Types {
            types: Vec::new(),
            names: Vec::new(),
            sets: Vec::new(),
            type_ids: FxHashMap::default(),
            name_ids: FxHashMap::default(),
            set_ids: FxHashMap::default(),
        };
        let all = types.event_set(EventSet::All);
        debug_assert_eq!(all, EventSetId::ALL);
        for basic in
            [Type::Null, Type::Bool, Type::Int, Type::Float, Type::String, Type::Event, Type::Machine, Type::Data]
        {
            types.intern(basic);
        }
        types.intern(Type::Any);
        types
    }
}

/// The types without parts, which every program has.
impl TypeId {
    /// The type of `null`.
    pub const NULL: TypeId = TypeId(0);
    /// `bool`.
    pub const BOOL: TypeId = TypeId(1);
    /// `int`.
    pub const INT: TypeId = TypeId(2);
    /// `float`.
    pub const FLOAT: TypeId = TypeId(3);
    /// `string`.
    pub const STRING: TypeId = TypeId(4);
    /// `event`.
    pub const EVENT: TypeId = TypeId(5);
    /// `machine`.
    pub const MACHINE: TypeId = TypeId(6);
    /// `data`.
    pub const DATA: TypeId = TypeId(7);
    /// `any`.
    pub const ANY: TypeId = TypeId(8);
}

impl Types {
    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.type_ids.get(&ty) {
            return id;
        }
        let id = TypeId::at(self.types.len());
        self.types.push(ty.clone());
        self.type_ids.insert(ty, id);
        id
    }

    /// The id of a type, if the program has it.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.type_ids.get(ty).copied()
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// The number of types.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are no types; there always are some.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// `seq[of]`.
    pub fn seq(&mut self, of: TypeId) -> TypeId {
        self.intern(Type::Seq(of))
    }

    /// `set[of]`.
    pub fn set(&mut self, of: TypeId) -> TypeId {
        self.intern(Type::Set(of))
    }

    /// `map[key, value]`.
    pub fn map(&mut self, key: TypeId, value: TypeId) -> TypeId {
        self.intern(Type::Map(key, value))
    }

    /// A tuple.
    pub fn tuple(&mut self, items: Vec<TypeId>) -> TypeId {
        self.intern(Type::Tuple(items))
    }

    /// A named tuple.
    pub fn named(&mut self, fields: &[(&str, TypeId)]) -> TypeId {
        let names = self.names(fields.iter().map(|(name, _)| (*name).to_string()).collect());
        self.intern(Type::Named(names, fields.iter().map(|(_, ty)| *ty).collect()))
    }

    /// A reference to a machine that may be sent these events.
    pub fn permission(&mut self, set: EventSet) -> TypeId {
        let set = self.event_set(set);
        self.intern(Type::Permission(set))
    }

    /// The id of a list of field names.
    pub fn names(&mut self, names: Vec<String>) -> NamesId {
        if let Some(&id) = self.name_ids.get(&names) {
            return id;
        }
        let id = NamesId::at(self.names.len());
        self.names.push(names.clone());
        self.name_ids.insert(names, id);
        id
    }

    /// The field names with this id.
    pub fn names_of(&self, id: NamesId) -> &[String] {
        &self.names[id.index()]
    }

    /// The number of lists of field names.
    pub fn name_lists(&self) -> usize {
        self.names.len()
    }

    /// The id of a set of events.
    pub fn event_set(&mut self, set: EventSet) -> EventSetId {
        let set = match set {
            EventSet::All => EventSet::All,
            EventSet::Only(mut events) => {
                events.sort_unstable();
                events.dedup();
                EventSet::Only(events)
            }
        };
        if let Some(&id) = self.set_ids.get(&set) {
            return id;
        }
        let id = EventSetId::at(self.sets.len());
        self.sets.push(set.clone());
        self.set_ids.insert(set, id);
        id
    }

    /// The set of events with this id.
    pub fn event_set_of(&self, id: EventSetId) -> &EventSet {
        &self.sets[id.index()]
    }

    /// The number of sets of events.
    pub fn event_sets(&self) -> usize {
        self.sets.len()
    }

    /// Whether `null` is a value of the type: it is the default value of these types.
    pub fn is_nullable(&self, id: TypeId) -> bool {
        use Type::*;
        matches!(self.get(id), Null | Event | Machine | Data | Any | Foreign(_) | Permission(_))
    }
}
