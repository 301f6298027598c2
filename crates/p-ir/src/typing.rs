//! The types of expressions and places, and assignability.
//!
//! The front end has checked the program by the rules of P already. This is what an executor relies on, so it is a little more generous where P's rules are
//! about style (two permission types are always assignable to one another here), and exact about the shapes of values.

use crate::code::{Binary, Expr, Function, Place, Root, Step, Unary};
use crate::ids::{MachineId, TypeId};
use crate::program::{Const, Program};
use crate::types::Type;

/// What is known where an expression stands.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function.
    pub function: &'a Function,
}

/// The type of an expression. Types that the program does not mention by id are given by their shape.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A type of the program.
    Known(TypeId),
    /// `seq` of a type: the result of `keys` and `values`.
    SeqOf(TypeId),
    /// A tuple that is built here.
    TupleOf(Vec<Shape>),
    /// A named tuple that is built here.
    NamedOf(crate::ids::NamesId, Vec<Shape>),
}

impl<'a> Scope<'a> {
    fn machine(&self) -> Option<MachineId> {
        self.function.machine
    }

    fn ty(&self, id: TypeId) -> &'a Type {
        self.program.types.get(id)
    }

    /// The type of a place.
    pub fn place(&self, place: &Place) -> Result<TypeId, String> {
        let mut at = self.root(place.root)?;
        for step in &place.path {
            at = match (step, self.ty(at)) {
                (Step::Item(n), Type::Tuple(items) | Type::Named(_, items)) => {
                    *items.get(*n as usize).ok_or_else(|| format!("a tuple has no field {n}"))?
                }
                (Step::Index(index), Type::Seq(of)) => {
                    self.expect(index, TypeId::INT)?;
                    *of
                }
                (Step::Index(index), Type::Map(key, value)) => {
                    self.expect(index, *key)?;
                    *value
                }
                (Step::Item(_), _) => return Err(format!("{} is not a tuple", self.name(at))),
                (Step::Index(_), _) => return Err(format!("{} has no elements to assign to", self.name(at))),
            };
        }
        Ok(at)
    }

    /// The type of a variable.
    pub fn root(&self, root: Root) -> Result<TypeId, String> {
        match root {
            Root::Local(local) => {
                let variable = self.function.locals.get(local.index());
                variable.map(|variable| variable.ty).ok_or_else(|| format!("there is no local {}", local.0))
            }
            Root::Field(field) => {
                let machine = self.machine().ok_or("a global function has no fields")?;
                let variable = self.program.machine(machine).fields.get(field.index());
                variable.map(|variable| variable.ty).ok_or_else(|| format!("there is no field {}", field.0))
            }
        }
    }

    fn name(&self, id: TypeId) -> String {
        self.program.type_name(id)
    }

    /// The name of a shape.
    pub fn shape_name(&self, shape: &Shape) -> String {
        let list = |items: &[Shape]| items.iter().map(|item| self.shape_name(item)).collect::<Vec<_>>().join(", ");
        match shape {
            Shape::Known(id) => self.name(*id),
            Shape::SeqOf(of) => format!("seq[{}]", self.name(*of)),
            Shape::TupleOf(items) => format!("({})", list(items)),
            Shape::NamedOf(names, items) => {
                format!("({}) named {}", list(items), self.program.types.names_of(*names).join(", "))
            }
        }
    }

    /// Whether a value of this shape can be stored in a variable of type `to`.
    pub fn fits(&self, from: &Shape, to: TypeId) -> bool {
        match (from, self.ty(to)) {
            (Shape::Known(from), _) => assignable(self.program, *from, to),
            (_, Type::Any | Type::Data) => true,
            (Shape::SeqOf(of), Type::Seq(to)) => assignable(self.program, *of, *to),
            (Shape::TupleOf(items), Type::Tuple(to)) => {
                items.len() == to.len() && items.iter().zip(to).all(|(item, &to)| self.fits(item, to))
            }
            (Shape::NamedOf(names, items), Type::Named(wanted, to)) => {
                names == wanted && items.iter().zip(to).all(|(item, &to)| self.fits(item, to))
            }
            _ => false,
        }
    }

    /// Checks that the value of an expression can be stored in a variable of a type.
    pub fn expect(&self, expr: &Expr, to: TypeId) -> Result<(), String> {
        let shape = self.expr(expr)?;
        if self.fits(&shape, to) {
            return Ok(());
        }
        Err(format!("a value of type {} is used where {} is expected", self.shape_name(&shape), self.name(to)))
    }

    fn constant(&self, constant: &Const) -> Result<TypeId, String> {
        Ok(match constant {
            Const::Null => TypeId::NULL,
            Const::Bool(_) => TypeId::BOOL,
            Const::Int(_) => TypeId::INT,
            Const::Float(_) => TypeId::FLOAT,
            Const::String(_) => TypeId::STRING,
            Const::Event(event) if event.index() < self.program.events.len() => TypeId::EVENT,
            Const::Event(event) => return Err(format!("there is no event {}", event.0)),
            Const::Enum(id, number) => {
                let declared = self.program.enums.get(id.index()).ok_or("there is no such enum")?;
                if !declared.elements.iter().any(|(_, element)| element == number) {
                    return Err(format!("enum {} has no element with the number {number}", declared.name));
                }
                self.program.types.find(&Type::Enum(*id)).ok_or("the enum is not among the types of the program")?
            }
        })
    }

    /// The type of an expression.
    pub fn expr(&self, expr: &Expr) -> Result<Shape, String> {
        let known = |id: TypeId| Ok(Shape::Known(id));
        match expr {
            Expr::Const(constant) => known(self.constant(constant)?),
            Expr::Local(local) => known(self.root(Root::Local(*local))?),
            Expr::Field(field) => known(self.root(Root::Field(*field))?),
            Expr::Param(param) => {
                known(self.program.params.get(param.index()).ok_or("there is no such test parameter")?.ty)
            }
            Expr::This => match self.machine() {
                Some(_) => known(TypeId::MACHINE),
                None => Err("`this` is used in a global function".to_string()),
            },
            Expr::Unary(op, of) => self.unary(*op, of),
            Expr::Binary(op, a, b) => self.binary(*op, a, b).map(Shape::Known),
            Expr::Tuple(items) => Ok(Shape::TupleOf(self.all(items)?)),
            Expr::Named(names, items) => {
                if names.index() >= self.program.types.name_lists()
                    || self.program.types.names_of(*names).len() != items.len()
                {
                    return Err("a named tuple has another number of names than of values".to_string());
                }
                Ok(Shape::NamedOf(*names, self.all(items)?))
            }
            Expr::Item(of, n) => self.item(&self.expr(of)?, *n),
            Expr::Index(of, index) => self.index(&self.expr(of)?, index),
            Expr::Cast(of, to) => {
                self.expr(of)?;
                self.known_type(*to)
            }
            Expr::Coerce(of, to) => {
                self.expr(of)?;
                match self.ty(*to) {
                    Type::Int | Type::Float | Type::Permission(_) | Type::Machine => known(*to),
                    _ => Err(format!("nothing is converted to {}", self.name(*to))),
                }
            }
            Expr::Default(id) => self.known_type(*id),
            Expr::Format(pieces, args) => {
                self.all(args)?;
                let most = pieces.iter().filter_map(|piece| match piece {
                    crate::code::Piece::Arg(n) => Some(*n as usize + 1),
                    crate::code::Piece::Text(_) => None,
                });
                if most.max().unwrap_or(0) > args.len() {
                    return Err("a format refers to an argument that is not there".to_string());
                }
                known(TypeId::STRING)
            }
        }
    }

    fn known_type(&self, id: TypeId) -> Result<Shape, String> {
        if id.index() < self.program.types.len() { Ok(Shape::Known(id)) } else { Err("there is no such type".into()) }
    }

    fn all(&self, exprs: &[Expr]) -> Result<Vec<Shape>, String> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn item(&self, of: &Shape, n: u32) -> Result<Shape, String> {
        let missing = || format!("{} has no field {n}", self.shape_name(of));
        match of {
            Shape::TupleOf(items) | Shape::NamedOf(_, items) => items.get(n as usize).cloned().ok_or_else(missing),
            Shape::Known(id) => match self.ty(*id) {
                Type::Tuple(items) | Type::Named(_, items) => {
                    items.get(n as usize).map(|&id| Shape::Known(id)).ok_or_else(missing)
                }
                _ => Err(missing()),
            },
            Shape::SeqOf(_) => Err(missing()),
        }
    }

    fn index(&self, of: &Shape, index: &Expr) -> Result<Shape, String> {
        let (key, value) = match of {
            Shape::SeqOf(of) => (TypeId::INT, *of),
            Shape::Known(id) => match self.ty(*id) {
                Type::Seq(of) | Type::Set(of) => (TypeId::INT, *of),
                Type::Map(key, value) => (*key, *value),
                _ => return Err(format!("{} has no elements", self.name(*id))),
            },
            _ => return Err(format!("{} has no elements", self.shape_name(of))),
        };
        self.expect(index, key)?;
        Ok(Shape::Known(value))
    }

    fn unary(&self, op: Unary, of: &Expr) -> Result<Shape, String> {
        let shape = self.expr(of)?;
        let ty = if let Shape::Known(id) = &shape { Some(self.ty(*id)) } else { None };
        let wrong = || Err(format!("{op:?} does not apply to {}", self.shape_name(&shape)));
        match (op, ty) {
            (Unary::Not, Some(Type::Bool)) | (Unary::Negate, Some(Type::Int | Type::Float)) => Ok(shape),
            (Unary::Size, Some(Type::Seq(_) | Type::Set(_) | Type::Map(..))) => Ok(Shape::Known(TypeId::INT)),
            (Unary::Size, None) if matches!(shape, Shape::SeqOf(_)) => Ok(Shape::Known(TypeId::INT)),
            (Unary::Keys, Some(Type::Map(key, _))) => Ok(Shape::SeqOf(*key)),
            (Unary::Values, Some(Type::Map(_, value))) => Ok(Shape::SeqOf(*value)),
            _ => wrong(),
        }
    }

    fn binary(&self, op: Binary, a: &Expr, b: &Expr) -> Result<TypeId, String> {
        let (x, y) = (self.expr(a)?, self.expr(b)?);
        let wrong = || {
            let (x, y) = (self.shape_name(&x), self.shape_name(&y));
            Err(format!("{op:?} does not apply to {x} and {y}"))
        };
        let both = |ty: TypeId| x == Shape::Known(ty) && y == Shape::Known(ty);
        let number = |ty: TypeId| ty == TypeId::INT || ty == TypeId::FLOAT;
        let same = match (&x, &y) {
            (Shape::Known(one), Shape::Known(other)) if one == other => Some(*one),
            _ => None,
        };
        match op {
            Binary::And | Binary::Or if both(TypeId::BOOL) => Ok(TypeId::BOOL),
            Binary::Add if both(TypeId::STRING) => Ok(TypeId::STRING),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem => match same {
                Some(ty) if number(ty) => Ok(ty),
                _ => wrong(),
            },
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => match same {
                Some(ty) if number(ty) || ty == TypeId::STRING => Ok(TypeId::BOOL),
                _ => wrong(),
            },
            Binary::Eq | Binary::Ne => Ok(TypeId::BOOL),
            Binary::In => match &y {
                Shape::SeqOf(_) => Ok(TypeId::BOOL),
                Shape::Known(id) if matches!(self.ty(*id), Type::Seq(_) | Type::Set(_) | Type::Map(..)) => {
                    Ok(TypeId::BOOL)
                }
                _ => wrong(),
            },
            Binary::And | Binary::Or => wrong(),
        }
    }
}

/// Whether every value of type `from` can be stored in a variable of type `to`.
pub fn assignable(program: &Program, from: TypeId, to: TypeId) -> bool {
    use Type::*;
    if from == to {
        return true;
    }
    let get = |id| program.types.get(id);
    let fits = |from: &TypeId, to: &TypeId| assignable(program, *from, *to);
    match (get(from), get(to)) {
        (_, Any | Data) => true,
        (Null, _) => program.types.is_nullable(to),
        (Permission(_) | Machine, Permission(_) | Machine) => true,
        (Seq(from), Seq(to)) | (Set(from), Set(to)) => fits(from, to),
        (Map(k, v), Map(key, value)) => fits(k, key) && fits(v, value),
        (Tuple(from), Tuple(to)) => from.len() == to.len() && from.iter().zip(to).all(|(from, to)| fits(from, to)),
        (Named(names, from), Named(wanted, to)) => names == wanted && from.iter().zip(to).all(|(f, t)| fits(f, t)),
        _ => false,
    }
}
