//! Values: immutable, canonical and interned. Equal contents have equal ids, so a deep copy is a copy of an id.
//!
//! Sets and maps are sorted by an order of contents that does not depend on ids. References to machines compare by identity: two references to one
//! machine that carry different permissions are equal for the program, and yet two values. So values are compared by contents where the program
//! has references with different permissions, and by id otherwise. -0.0 is stored as 0.0, and there is one NaN.

use crate::fault::{Fault, FaultKind};
use crate::interner::Interner;
use crate::names::{NameId, Names};
use manyworlds_explore::fingerprint;
use manyworlds_p_ir::{Const, EnumId, EventId, EventSetId, NamesId, Program, Type, TypeId};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::sync::Arc;

/// The id of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Val(pub u32);

/// Values nested more deeply are refused: they can be built only through `any`.
const DEEPEST: u16 = 500;

/// A value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// The bits of a floating-point number.
    Float(u64),
    /// A string.
    String(Box<str>),
    /// An element of an enum, by its number.
    Enum(EnumId, i64),
    /// An event.
    Event(EventId),
    /// A reference to a machine with the events that may be sent through it.
    Machine(NameId, EventSetId),
    /// A sequence.
    Seq(Box<[Val]>),
    /// A set, sorted.
    Set(Box<[Val]>),
    /// A map, sorted by key.
    Map(Box<[(Val, Val)]>),
    /// A tuple.
    Tuple(Box<[Val]>),
    /// A named tuple.
    Named(NamesId, Box<[Val]>),
}

/// The values that occurred so far.
pub struct Values {
    items: Interner<Value>,
    /// The names of machines inside of each value, sorted by id.
    mentions: Vec<Arc<[NameId]>>,
    depths: Vec<u16>,
    nothing: Arc<[NameId]>,
    defaults: Vec<Option<Val>>,
    fits: FxHashMap<(Val, TypeId), bool>,
    /// References to one machine may carry different permissions.
    permissions_differ: bool,
    /// The names of machines.
    pub names: Names,
}

impl Values {
    /// No values but `null`.
    pub fn new(program: &Program) -> Values {
        let mut values = Values {
            items: Interner::default(),
            mentions: Vec::new(),
            depths: Vec::new(),
            nothing: Arc::new([]),
            defaults: Vec::new(),
            fits: FxHashMap::default(),
            permissions_differ: program.types.event_sets() > 1,
            names: Names::default(),
        };
        let null = values.intern(Value::Null);
        debug_assert_eq!(null, Ok(Val::NULL));
        values
    }

    /// The value with this id.
    pub fn get(&self, id: Val) -> &Arc<Value> {
        self.items.get(id.0)
    }

    /// Its fingerprint.
    pub fn print(&self, id: Val) -> u128 {
        self.items.print(id.0)
    }

    /// The machines that it refers to.
    pub fn mentions(&self, id: Val) -> &Arc<[NameId]> {
        &self.mentions[id.0 as usize]
    }

    /// The id of a value; a fault, if it is nested too deeply.
    pub fn intern(&mut self, value: Value) -> Result<Val, Fault> {
        if let Some(id) = self.items.find(&value) {
            return Ok(Val(id));
        }
        let parts = parts(&value);
        let depth = 1 + parts.iter().map(|part| self.depths[part.0 as usize]).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err(Fault::new(FaultKind::TooDeep, format!("a value is nested more than {DEEPEST} levels deep")));
        }
        let mentions = match &value {
            Value::Machine(name, _) => Arc::new([*name]) as Arc<[NameId]>,
            _ => self.mentions_of(&parts),
        };
        let print = self.fingerprint(&value, &parts);
        self.mentions.push(mentions);
        self.depths.push(depth);
        Ok(Val(self.items.add(value, print)))
    }

    fn mentions_of(&self, parts: &[Val]) -> Arc<[NameId]> {
        let mut some = parts.iter().map(|&part| self.mentions(part)).filter(|mentions| !mentions.is_empty());
        let Some(first) = some.next() else { return self.nothing.clone() };
        let mut all = first.to_vec();
        some.for_each(|mentions| all.extend_from_slice(mentions));
        all.sort_unstable_by_key(|name| name.0);
        all.dedup();
        if all.len() == first.len() { first.clone() } else { all.into() }
    }

    fn fingerprint(&self, value: &Value, parts: &[Val]) -> u128 {
        let parts: Vec<u128> = parts.iter().map(|&part| self.print(part)).collect();
        match value {
            Value::Null => fingerprint::of(&0u8),
            Value::Bool(b) => fingerprint::of(&(1u8, b)),
            Value::Int(n) => fingerprint::of(&(2u8, n)),
            Value::Float(bits) => fingerprint::of(&(3u8, bits)),
            Value::String(text) => fingerprint::of(&(4u8, text)),
            Value::Enum(id, n) => fingerprint::of(&(5u8, id.0, n)),
            Value::Event(id) => fingerprint::of(&(6u8, id.0)),
            Value::Machine(name, set) => fingerprint::of(&(7u8, self.names.print(*name), set.0)),
            Value::Seq(_) => fingerprint::of(&(8u8, parts)),
            Value::Set(_) => fingerprint::of(&(9u8, parts)),
            Value::Map(_) => fingerprint::of(&(10u8, parts)),
            Value::Tuple(_) => fingerprint::of(&(11u8, parts)),
            Value::Named(names, _) => fingerprint::of(&(12u8, names.0, parts)),
        }
    }

    /// A value without parts.
    fn atom(&mut self, value: Value) -> Val {
        self.intern(value).expect("a value without parts is not deep")
    }

    /// A boolean.
    pub fn bool(&mut self, b: bool) -> Val {
        self.atom(Value::Bool(b))
    }

    /// An integer.
    pub fn int(&mut self, n: i64) -> Val {
        self.atom(Value::Int(n))
    }

    /// A floating-point number.
    pub fn float(&mut self, x: f64) -> Val {
        let x = if x == 0.0 {
            0.0
        } else if x.is_nan() {
            f64::NAN
        } else {
            x
        };
        self.atom(Value::Float(x.to_bits()))
    }

    /// A string.
    pub fn string(&mut self, text: String) -> Val {
        self.atom(Value::String(text.into()))
    }

    /// An event.
    pub fn event(&mut self, event: EventId) -> Val {
        self.atom(Value::Event(event))
    }

    /// A reference to a machine.
    pub fn machine(&mut self, name: NameId, permission: EventSetId) -> Val {
        self.atom(Value::Machine(name, permission))
    }

    /// A constant.
    pub fn constant(&mut self, constant: &Const) -> Val {
        match constant {
            Const::Null => Val::NULL,
            Const::Bool(b) => self.bool(*b),
            Const::Int(n) => self.int(*n),
            Const::Float(x) => self.float(*x),
            Const::String(text) => self.string(text.clone()),
            Const::Enum(id, n) => self.atom(Value::Enum(*id, *n)),
            Const::Event(event) => self.event(*event),
        }
    }

    /// The default value of a type.
    pub fn default_of(&mut self, program: &Program, ty: TypeId) -> Result<Val, Fault> {
        if self.defaults.len() < program.types.len() {
            self.defaults.resize(program.types.len(), None);
        }
        if let Some(known) = self.defaults[ty.index()] {
            return Ok(known);
        }
        let value = match program.types.get(ty) {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(0),
            Type::Float => Value::Float(0f64.to_bits()),
            Type::String => Value::String("".into()),
            Type::Enum(id) => Value::Enum(*id, program.enums[id.index()].least()),
            Type::Seq(_) => Value::Seq(Box::new([])),
            Type::Set(_) => Value::Set(Box::new([])),
            Type::Map(..) => Value::Map(Box::new([])),
            Type::Tuple(items) => Value::Tuple(self.defaults_of(program, items)?),
            Type::Named(names, items) => Value::Named(*names, self.defaults_of(program, items)?),
            _ => Value::Null,
        };
        let value = self.intern(value)?;
        self.defaults[ty.index()] = Some(value);
        Ok(value)
    }

    fn defaults_of(&mut self, program: &Program, items: &[TypeId]) -> Result<Box<[Val]>, Fault> {
        items.iter().map(|&ty| self.default_of(program, ty)).collect()
    }

    /// Whether two values are equal for the program.
    pub fn equal(&self, a: Val, b: Val) -> bool {
        a == b || self.permissions_differ && self.compare(a, b) == Ordering::Equal
    }

    /// The order of values by content: the same in every run.
    pub fn compare(&self, a: Val, b: Val) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let all = |x: &[Val], y: &[Val]| {
            let unequal = x.iter().zip(y).map(|(&x, &y)| self.compare(x, y)).find(|order| order.is_ne());
            unequal.unwrap_or_else(|| x.len().cmp(&y.len()))
        };
        match (&**self.get(a), &**self.get(b)) {
            (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
            (Value::Int(x), Value::Int(y)) => x.cmp(y),
            (Value::Float(x), Value::Float(y)) => f64::from_bits(*x).total_cmp(&f64::from_bits(*y)),
            (Value::String(x), Value::String(y)) => x.cmp(y),
            (Value::Enum(e, x), Value::Enum(f, y)) => (e, x).cmp(&(f, y)),
            (Value::Event(x), Value::Event(y)) => x.cmp(y),
            (Value::Machine(x, _), Value::Machine(y, _)) => self.names.compare(*x, *y),
            (Value::Seq(x), Value::Seq(y)) | (Value::Set(x), Value::Set(y)) | (Value::Tuple(x), Value::Tuple(y)) => {
                all(x, y)
            }
            (Value::Map(x), Value::Map(y)) => {
                let flat = |map: &[(Val, Val)]| map.iter().flat_map(|&(k, v)| [k, v]).collect::<Vec<_>>();
                all(&flat(x), &flat(y))
            }
            (Value::Named(n, x), Value::Named(m, y)) => n.cmp(m).then_with(|| all(x, y)),
            (x, y) => rank(x).cmp(&rank(y)),
        }
    }

    /// The place of a value among sorted ones.
    pub fn search(&self, sorted: &[Val], value: Val) -> Result<usize, usize> {
        sorted.binary_search_by(|&other| self.compare(other, value))
    }

    /// The place of a key among sorted entries.
    pub fn search_key(&self, sorted: &[(Val, Val)], key: Val) -> Result<usize, usize> {
        sorted.binary_search_by(|&(other, _)| self.compare(other, key))
    }

    /// Whether a value is of a type, deeply. `null` is of the types whose default value it is.
    pub fn fits(&mut self, program: &Program, value: Val, ty: TypeId) -> bool {
        let content = self.get(value).clone();
        match (&*content, program.types.get(ty)) {
            (_, Type::Any | Type::Data) => true,
            (Value::Null, _) => program.types.is_nullable(ty),
            (Value::Bool(_), Type::Bool)
            | (Value::Int(_), Type::Int)
            | (Value::Float(_), Type::Float)
            | (Value::String(_), Type::String)
            | (Value::Event(_), Type::Event)
            | (Value::Machine(..), Type::Machine | Type::Permission(_)) => true,
            (Value::Enum(is, _), Type::Enum(wanted)) => is == wanted,
            _ => {
                if let Some(&known) = self.fits.get(&(value, ty)) {
                    return known;
                }
                let fits = self.parts_fit(program, &content, ty);
                self.fits.insert((value, ty), fits);
                fits
            }
        }
    }

    fn parts_fit(&mut self, program: &Program, value: &Value, ty: TypeId) -> bool {
        match (value, program.types.get(ty)) {
            (Value::Seq(items), Type::Seq(of)) | (Value::Set(items), Type::Set(of)) => {
                items.iter().all(|&item| self.fits(program, item, *of))
            }
            (Value::Map(entries), Type::Map(key, of)) => {
                entries.iter().all(|&(k, v)| self.fits(program, k, *key) && self.fits(program, v, *of))
            }
            (Value::Tuple(items), Type::Tuple(types)) => {
                items.len() == types.len() && items.iter().zip(types).all(|(&i, &ty)| self.fits(program, i, ty))
            }
            (Value::Named(names, items), Type::Named(wanted, types)) => {
                names == wanted && items.iter().zip(types).all(|(&item, &ty)| self.fits(program, item, ty))
            }
            _ => false,
        }
    }
}

impl Val {
    /// `null`, the first value of all.
    pub const NULL: Val = Val(0);
}

fn parts(value: &Value) -> Vec<Val> {
    match value {
        Value::Seq(items) | Value::Set(items) | Value::Tuple(items) | Value::Named(_, items) => items.to_vec(),
        Value::Map(entries) => entries.iter().flat_map(|&(key, value)| [key, value]).collect(),
        _ => Vec::new(),
    }
}

/// The order of values of different kinds.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) => 2,
        Value::Float(_) => 3,
        Value::String(_) => 4,
        Value::Enum(..) => 5,
        Value::Event(_) => 6,
        Value::Machine(..) => 7,
        Value::Seq(_) => 8,
        Value::Set(_) => 9,
        Value::Map(_) => 10,
        Value::Tuple(_) => 11,
        Value::Named(..) => 12,
    }
}
