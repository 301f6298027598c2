//! A stack: last in, first out.

use crate::spec::{Datum, Sequential};

/// A stack that is empty at the start.
#[derive(Clone, Debug)]
pub struct Stack<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Stack<V> {
    /// An empty one.
    pub fn new() -> Stack<V> {
        Stack { of: std::marker::PhantomData }
    }
}

impl<V> Default for Stack<V> {
    fn default() -> Stack<V> {
        Stack::new()
    }
}

/// What can be asked of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Put this on top.
    Push(V),
    /// Take what is on top.
    Pop,
}

/// What a stack answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// It is on the stack.
    Pushed,
    /// This was on top; nothing, if the stack was empty.
    Popped(Option<V>),
}

impl<V: Datum> Sequential for Stack<V> {
    type State = Vec<V>;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> Vec<V> {
        Vec::new()
    }

    fn apply(&self, stack: &mut Vec<V>, operation: &Operation<V>) -> Response<V> {
        match operation {
            Operation::Push(value) => {
                stack.push(value.clone());
                Response::Pushed
            }
            Operation::Pop => Response::Popped(stack.pop()),
        }
    }

    fn reads(&self, _: &Operation<V>, response: Option<&Response<V>>) -> bool {
        response == Some(&Response::Popped(None))
    }
}
