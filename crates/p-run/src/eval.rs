//! Evaluates expressions, and changes parts of values. Nothing here has an effect outside of the variables that it is given.

use crate::fault::{Fault, FaultKind};
use crate::names::NameId;
use crate::show;
use crate::value::{Val, Value, Values};
use manyworlds_p_ir::{Binary, EventSet, EventSetId, Expr, Piece, Place, Program, Root, Step, Type, TypeId, Unary};

type Result<T> = std::result::Result<T, Fault>;

/// The longest collection or string that a program can build.
const LARGEST: usize = 1 << 22;

/// What an expression can see.
pub struct Eval<'a> {
    /// The program.
    pub program: &'a Program,
    /// All values.
    pub values: &'a mut Values,
    /// The machine that runs, with the events that it may receive.
    pub this: (NameId, EventSetId),
    /// The values of test parameters.
    pub params: &'a [Val],
    /// The fields of the machine.
    pub fields: &'a [Val],
    /// The locals of the function.
    pub locals: &'a [Val],
}

/// The last step of a change.
pub enum Edit {
    /// Becomes this.
    Set(Val),
    /// Gets an element at an index, or a new key.
    Insert(Val, Val),
    /// Gets an element of a set.
    Add(Val),
    /// Loses an index, an element or a key.
    Remove(Val),
}

/// A part of a value.
pub enum Key {
    /// A field of a tuple.
    Item(u32),
    /// An index or a key.
    Index(Val),
}

fn out_of_range(index: i64, length: usize) -> Fault {
    Fault::new(FaultKind::OutOfRange, format!("index {index} is outside of a collection with {length} elements"))
}

fn null_key() -> Fault {
    Fault::null("an element of a set or a key of a map")
}

impl Eval<'_> {
    /// The value of an expression.
    pub fn expr(&mut self, expr: &Expr) -> Result<Val> {
        match expr {
            Expr::Const(constant) => Ok(self.values.constant(constant)),
            Expr::Local(local) => Ok(self.locals[local.index()]),
            Expr::Field(field) => Ok(self.fields[field.index()]),
            Expr::Param(param) => Ok(self.params[param.index()]),
            Expr::This => Ok(self.values.machine(self.this.0, self.this.1)),
            Expr::Unary(op, of) => {
                let of = self.expr(of)?;
                self.unary(*op, of)
            }
            Expr::Binary(Binary::And, a, b) => {
                let a = self.expr(a)?;
                if self.truth(a)? { self.expr(b) } else { Ok(a) }
            }
            Expr::Binary(Binary::Or, a, b) => {
                let a = self.expr(a)?;
                if self.truth(a)? { Ok(a) } else { self.expr(b) }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.binary(*op, a, b)
            }
            Expr::Tuple(items) => {
                let items = self.all(items)?;
                self.values.intern(Value::Tuple(items))
            }
            Expr::Named(names, items) => {
                let items = self.all(items)?;
                self.values.intern(Value::Named(*names, items))
            }
            Expr::Item(of, n) => {
                let of = self.expr(of)?;
                self.item(of, *n)
            }
            Expr::Index(of, index) => {
                let (of, index) = (self.expr(of)?, self.expr(index)?);
                self.index(of, index)
            }
            Expr::Cast(of, ty) => {
                let of = self.expr(of)?;
                self.cast(of, *ty)
            }
            Expr::Coerce(of, ty) => {
                let of = self.expr(of)?;
                self.coerce(of, *ty)
            }
            Expr::Default(ty) => self.values.default_of(self.program, *ty),
            Expr::Format(pieces, args) => self.format(pieces, args),
        }
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<Box<[Val]>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// A boolean.
    pub fn truth(&self, value: Val) -> Result<bool> {
        match **self.values.get(value) {
            Value::Bool(b) => Ok(b),
            _ => Err(Fault::null("a boolean")),
        }
    }

    /// An integer.
    pub fn int(&self, value: Val) -> Result<i64> {
        match **self.values.get(value) {
            Value::Int(n) | Value::Enum(_, n) => Ok(n),
            _ => Err(Fault::null("an integer")),
        }
    }

    /// A string, as a message.
    pub fn text(&self, value: Val) -> String {
        show::render(self.program, self.values, value).unwrap_or_default()
    }

    /// The place of an index in a collection of this length; `end` also allows the place after the last element.
    fn place_of(&self, index: Val, length: usize, end: bool) -> Result<usize> {
        let index = self.int(index)?;
        let at = usize::try_from(index).ok().filter(|&at| at < length || end && at == length);
        at.ok_or_else(|| out_of_range(index, length))
    }

    fn unary(&mut self, op: Unary, of: Val) -> Result<Val> {
        let value = self.values.get(of).clone();
        match (op, &*value) {
            (Unary::Not, Value::Bool(b)) => Ok(self.values.bool(!b)),
            (Unary::Negate, Value::Int(n)) => Ok(self.values.int(n.wrapping_neg())),
            (Unary::Negate, Value::Float(x)) => Ok(self.values.float(-f64::from_bits(*x))),
            (Unary::Size, Value::Seq(items) | Value::Set(items)) => Ok(self.values.int(items.len() as i64)),
            (Unary::Size, Value::Map(entries)) => Ok(self.values.int(entries.len() as i64)),
            (Unary::Keys, Value::Map(entries)) => {
                self.values.intern(Value::Seq(entries.iter().map(|(key, _)| *key).collect()))
            }
            (Unary::Values, Value::Map(entries)) => {
                self.values.intern(Value::Seq(entries.iter().map(|(_, value)| *value).collect()))
            }
            _ => Err(Fault::null("an operand")),
        }
    }

    fn binary(&mut self, op: Binary, a: Val, b: Val) -> Result<Val> {
        let result = match op {
            Binary::Eq => self.values.equal(a, b),
            Binary::Ne => !self.values.equal(a, b),
            Binary::In => self.contains(b, a)?,
            _ => {
                let (x, y) = (self.values.get(a).clone(), self.values.get(b).clone());
                return match (&*x, &*y) {
                    (Value::Int(x), Value::Int(y)) => self.on_ints(op, *x, *y),
                    (Value::Float(x), Value::Float(y)) => self.on_floats(op, f64::from_bits(*x), f64::from_bits(*y)),
                    (Value::String(x), Value::String(y)) => self.on_strings(op, x, y),
                    _ => Err(Fault::null("an operand")),
                };
            }
        };
        Ok(self.values.bool(result))
    }

    fn on_ints(&mut self, op: Binary, x: i64, y: i64) -> Result<Val> {
        if matches!(op, Binary::Div | Binary::Rem) && y == 0 {
            return Err(Fault::new(FaultKind::DivisionByZero, "an integer is divided by zero"));
        }
        let n = match op {
            Binary::Add => x.wrapping_add(y),
            Binary::Sub => x.wrapping_sub(y),
            Binary::Mul => x.wrapping_mul(y),
            Binary::Div => x.wrapping_div(y),
            Binary::Rem => x.wrapping_rem(y),
            _ => return self.compared(op, x.cmp(&y)),
        };
        Ok(self.values.int(n))
    }

    fn on_floats(&mut self, op: Binary, x: f64, y: f64) -> Result<Val> {
        let x = match op {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div => x / y,
            Binary::Rem => x % y,
            _ => {
                return match x.partial_cmp(&y) {
                    Some(order) => self.compared(op, order),
                    None => Ok(self.values.bool(false)),
                };
            }
        };
        Ok(self.values.float(x))
    }

    fn on_strings(&mut self, op: Binary, x: &str, y: &str) -> Result<Val> {
        if op != Binary::Add {
            return self.compared(op, x.cmp(y));
        }
        if x.len() + y.len() > LARGEST {
            return Err(Fault::new(FaultKind::TooLarge, format!("a string is longer than {LARGEST} bytes")));
        }
        Ok(self.values.string(format!("{x}{y}")))
    }

    fn compared(&mut self, op: Binary, order: std::cmp::Ordering) -> Result<Val> {
        let holds = match op {
            Binary::Lt => order.is_lt(),
            Binary::Le => order.is_le(),
            Binary::Gt => order.is_gt(),
            Binary::Ge => order.is_ge(),
            _ => return Err(Fault::null("a number")),
        };
        Ok(self.values.bool(holds))
    }

    fn contains(&self, collection: Val, value: Val) -> Result<bool> {
        match &**self.values.get(collection) {
            Value::Seq(items) => Ok(items.iter().any(|&item| self.values.equal(item, value))),
            Value::Set(items) => Ok(self.values.search(items, value).is_ok()),
            Value::Map(entries) => Ok(self.values.search_key(entries, value).is_ok()),
            _ => Err(Fault::null("a collection")),
        }
    }

    fn item(&self, of: Val, n: u32) -> Result<Val> {
        match &**self.values.get(of) {
            Value::Tuple(items) | Value::Named(_, items) if (n as usize) < items.len() => Ok(items[n as usize]),
            _ => Err(Fault::null("a tuple")),
        }
    }

    fn index(&self, of: Val, index: Val) -> Result<Val> {
        match &**self.values.get(of) {
            Value::Seq(items) | Value::Set(items) => Ok(items[self.place_of(index, items.len(), false)?]),
            Value::Map(entries) => match self.values.search_key(entries, index) {
                Ok(at) => Ok(entries[at].1),
                Err(_) => Err(self.missing(index)),
            },
            _ => Err(Fault::null("a collection")),
        }
    }

    fn missing(&self, key: Val) -> Fault {
        Fault::new(FaultKind::MissingKey, format!("the map has no key {}", self.text(key)))
    }

    /// `value as ty`.
    pub fn cast(&mut self, value: Val, ty: TypeId) -> Result<Val> {
        if self.values.fits(self.program, value, ty) {
            return Ok(value);
        }
        let content = self.values.get(value).clone();
        match (&*content, self.program.types.get(ty)) {
            (Value::Enum(_, n), Type::Int) => Ok(self.values.int(*n)),
            (Value::Int(n), Type::Enum(id))
                if self.program.enums[id.index()].elements.iter().any(|(_, number)| number == n) =>
            {
                Ok(self.values.constant(&manyworlds_p_ir::Const::Enum(*id, *n)))
            }
            _ => {
                let shown = show::tree(self.program, self.values, value);
                let message = format!("{shown} is not a value of type {}", self.program.type_name(ty));
                Err(Fault::new(FaultKind::BadCast, message))
            }
        }
    }

    /// `value to ty`.
    fn coerce(&mut self, value: Val, ty: TypeId) -> Result<Val> {
        let content = self.values.get(value).clone();
        match (&*content, self.program.types.get(ty)) {
            (Value::Null, Type::Permission(_) | Type::Machine) => Ok(value),
            (Value::Int(n) | Value::Enum(_, n), Type::Int) => Ok(self.values.int(*n)),
            (Value::Float(x), Type::Int) => Ok(self.values.int(f64::from_bits(*x) as i64)),
            (Value::Int(n) | Value::Enum(_, n), Type::Float) => Ok(self.values.float(*n as f64)),
            (Value::Float(_), Type::Float) | (Value::Machine(..), Type::Machine) => Ok(value),
            (Value::Machine(name, has), Type::Permission(wanted)) => {
                let types = &self.program.types;
                let (has, wanted_set) = (types.event_set_of(*has), types.event_set_of(*wanted));
                if !wanted_set.is_subset(has, self.program.events.len()) {
                    let ty = self.program.type_name(ty);
                    let message = format!("the reference {} does not permit {ty}", self.text(value));
                    return Err(Fault::new(FaultKind::NotPermitted, message));
                }
                Ok(self.values.machine(*name, *wanted))
            }
            _ => Err(Fault::null("a number or a machine")),
        }
    }

    fn format(&mut self, pieces: &[Piece], args: &[Expr]) -> Result<Val> {
        let args = self.all(args)?;
        let mut text = String::new();
        let too_long = || Fault::new(FaultKind::TooLarge, "a string is too long");
        for piece in pieces {
            match piece {
                Piece::Text(literal) => text.push_str(literal),
                Piece::Arg(n) => {
                    let shown = show::render(self.program, self.values, args[*n as usize]);
                    text.push_str(&shown.ok_or_else(too_long)?);
                }
            }
            if text.len() > LARGEST {
                return Err(too_long());
            }
        }
        Ok(self.values.string(text))
    }

    /// The value of a parameter that is given this payload: a tuple with one field also stands for that field.
    pub fn payload(&mut self, payload: Val, ty: TypeId) -> Result<Val> {
        if self.values.fits(self.program, payload, ty) {
            return Ok(payload);
        }
        let content = self.values.get(payload).clone();
        if let Value::Tuple(items) = &*content
            && let [only] = **items
            && self.values.fits(self.program, only, ty)
        {
            return Ok(only);
        }
        let shown = show::tree(self.program, self.values, payload);
        let message = format!("the payload {shown} is given to a parameter of type {}", self.program.type_name(ty));
        Err(Fault::new(FaultKind::BadPayload, message))
    }

    /// The elements from which `choose` chooses.
    pub fn elements(&self, of: Val) -> Result<Box<[Val]>> {
        match &**self.values.get(of) {
            Value::Seq(items) | Value::Set(items) => Ok(items.clone()),
            Value::Map(entries) => Ok(entries.iter().map(|(key, _)| *key).collect()),
            _ => Err(Fault::null("a collection")),
        }
    }

    /// The steps of a place, evaluated.
    pub fn keys(&mut self, place: &Place) -> Result<Vec<Key>> {
        let key = |step: &Step| match step {
            Step::Item(n) => Ok(Key::Item(*n)),
            Step::Index(index) => self.expr(index).map(Key::Index),
        };
        place.path.iter().map(key).collect()
    }

    /// The value of the variable of a place.
    pub fn root(&self, root: Root) -> Val {
        match root {
            Root::Local(local) => self.locals[local.index()],
            Root::Field(field) => self.fields[field.index()],
        }
    }

    /// A value in which the part at `keys` is edited.
    pub fn edited(&mut self, value: Val, keys: &[Key], edit: Edit) -> Result<Val> {
        let Some((key, rest)) = keys.split_first() else { return self.edit(value, edit) };
        let content = self.values.get(value).clone();
        match (key, &*content) {
            (Key::Item(n), Value::Tuple(items)) => {
                let items = self.with_item(items, *n, rest, edit)?;
                self.values.intern(Value::Tuple(items))
            }
            (Key::Item(n), Value::Named(names, items)) => {
                let items = self.with_item(items, *n, rest, edit)?;
                self.values.intern(Value::Named(*names, items))
            }
            (Key::Index(index), Value::Seq(items)) => {
                let at = self.place_of(*index, items.len(), false)?;
                let items = self.with_item(items, at as u32, rest, edit)?;
                self.values.intern(Value::Seq(items))
            }
            (Key::Index(index), Value::Map(entries)) => self.edited_entry(entries, *index, rest, edit),
            (Key::Index(_), Value::Set(_)) => {
                Err(Fault::new(FaultKind::SetElement, "an element of a set cannot be assigned to"))
            }
            _ => Err(Fault::null("a value with parts")),
        }
    }

    fn with_item(&mut self, items: &[Val], n: u32, rest: &[Key], edit: Edit) -> Result<Box<[Val]>> {
        let Some(&old) = items.get(n as usize) else { return Err(out_of_range(i64::from(n), items.len())) };
        let new = self.edited(old, rest, edit)?;
        let mut items: Box<[Val]> = items.into();
        items[n as usize] = new;
        Ok(items)
    }

    fn edited_entry(&mut self, entries: &[(Val, Val)], key: Val, rest: &[Key], edit: Edit) -> Result<Val> {
        let mut all = entries.to_vec();
        match (self.values.search_key(entries, key), edit) {
            (Ok(at), edit) => all[at].1 = self.edited(entries[at].1, rest, edit)?,
            (Err(at), Edit::Set(value)) if rest.is_empty() => {
                if key == Val::NULL {
                    return Err(null_key());
                }
                all.insert(at, (key, value));
            }
            (Err(_), _) => return Err(self.missing(key)),
        }
        self.values.intern(Value::Map(all.into()))
    }

    fn edit(&mut self, value: Val, edit: Edit) -> Result<Val> {
        let content = self.values.get(value).clone();
        match (edit, &*content) {
            (Edit::Set(new), _) => Ok(new),
            (Edit::Insert(index, new), Value::Seq(items)) => {
                let at = self.place_of(index, items.len(), true)?;
                if items.len() >= LARGEST {
                    return Err(Fault::new(FaultKind::TooLarge, format!("a sequence has {LARGEST} elements")));
                }
                let mut items = items.to_vec();
                items.insert(at, new);
                self.values.intern(Value::Seq(items.into()))
            }
            (Edit::Insert(key, new), Value::Map(entries)) => match self.values.search_key(entries, key) {
                Ok(_) => {
                    let message = format!("the map has the key {} already", self.text(key));
                    Err(Fault::new(FaultKind::DuplicateKey, message))
                }
                Err(_) if key == Val::NULL => Err(null_key()),
                Err(at) => {
                    let mut entries = entries.to_vec();
                    entries.insert(at, (key, new));
                    self.values.intern(Value::Map(entries.into()))
                }
            },
            (Edit::Add(new), Value::Set(items)) => match self.values.search(items, new) {
                Ok(_) => Ok(value),
                Err(_) if new == Val::NULL => Err(null_key()),
                Err(at) => {
                    let mut items = items.to_vec();
                    items.insert(at, new);
                    self.values.intern(Value::Set(items.into()))
                }
            },
            (Edit::Remove(index), Value::Seq(items)) => {
                let at = self.place_of(index, items.len(), false)?;
                let mut items = items.to_vec();
                items.remove(at);
                self.values.intern(Value::Seq(items.into()))
            }
            (Edit::Remove(old), Value::Set(items)) => match self.values.search(items, old) {
                Err(_) => Ok(value),
                Ok(at) => {
                    let mut items = items.to_vec();
                    items.remove(at);
                    self.values.intern(Value::Set(items.into()))
                }
            },
            (Edit::Remove(key), Value::Map(entries)) => match self.values.search_key(entries, key) {
                Err(_) => Ok(value),
                Ok(at) => {
                    let mut entries = entries.to_vec();
                    entries.remove(at);
                    self.values.intern(Value::Map(entries.into()))
                }
            },
            _ => Err(Fault::null("a collection")),
        }
    }
}

/// Whether a reference with these permissions may be sent an event.
pub fn permits(program: &Program, set: EventSetId, event: manyworlds_p_ir::EventId) -> bool {
    let set: &EventSet = program.types.event_set_of(set);
    set.contains(event)
}
