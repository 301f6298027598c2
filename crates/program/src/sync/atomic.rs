//! The standard library's atomics, as registers (see [`Register`](super::Register)).
//!
//! Every operation is sequentially consistent, whatever [`Ordering`] is asked for: what weaker orderings allow beyond that is not
//! explored, and the scope of the answer says so if a program uses one. `compare_exchange_weak` never fails for no reason. Atomics cannot be statics, since a register is started by a process.
//!
//! ```no_run
//! # extern crate manyworlds_program as manyworlds;
//! use manyworlds::sync::Arc;
//! use manyworlds::sync::atomic::{AtomicU32, Ordering};
//! use manyworlds::thread;
//!
//! let hits = Arc::new(AtomicU32::new(0));
//! let other = hits.clone();
//! let thread = thread::spawn(move || other.fetch_add(1, Ordering::SeqCst));
//! hits.fetch_add(1, Ordering::SeqCst);
//! thread.join().unwrap();
//! assert_eq!(hits.load(Ordering::SeqCst), 2);
//! ```

use super::register::{Change, Exchange, Memory, exchanged};
use crate::context::try_with;
use crate::values::Message;
use std::ops::{BitAnd, BitOr, BitXor, Not};
pub use std::sync::atomic::Ordering;

/// What can be done to a truth value, or to the bits of a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Logic<T> {
    Exchange(Exchange<T>),
    And(T),
    Nand(T),
    Or(T),
    Xor(T),
}

impl<T> Change<T> for Logic<T>
where
    T: Message + Copy + Not<Output = T> + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T>,
{
    fn apply(self, &old: &T) -> T {
        match self {
            Logic::Exchange(exchange) => exchange.apply(&old),
            Logic::And(value) => old & value,
            Logic::Nand(value) => !(old & value),
            Logic::Or(value) => old | value,
            Logic::Xor(value) => old ^ value,
        }
    }
}

/// What can be done to a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Arithmetic<T> {
    Logic(Logic<T>),
    Add(T),
    Sub(T),
    Max(T),
    Min(T),
}

impl<T> From<Logic<T>> for Arithmetic<T> {
    fn from(logic: Logic<T>) -> Arithmetic<T> {
        Arithmetic::Logic(logic)
    }
}

/// Nothing: operations are sequentially consistent anyway.
pub fn fence(order: Ordering) {
    note_order(order);
}

/// Notes that the program asked for less than sequential consistency, and got it nevertheless: the scope of the answer says so.
fn note_order(order: Ordering) {
    if order != Ordering::SeqCst {
        try_with(|ctx| ctx.shared.note_weak_ordering());
    }
}

/// The handle with the operations that all atomics have.
macro_rules! atomic {
    ($name:ident, $value:ty, $change:ty) => {
        #[doc = concat!("A shared `", stringify!($value), "`, like [`std::sync::atomic::", stringify!($name), "`].")]
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        pub struct $name {
            memory: Memory<$value, $change>,
        }

        impl $name {
            /// One that holds `value`.
            #[track_caller]
            pub fn new(value: $value) -> $name {
                $name { memory: Memory::new("atomic", value) }
            }

            /// The value.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                note_order(order);
                self.memory.read()
            }

            /// Writes.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                note_order(order);
                self.memory.write(value);
            }

            /// Writes and returns what was there.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                note_order(order);
                self.memory.change(Logic::Exchange(Exchange::Swap(value)).into())
            }

            /// Writes `new` if the value is `current`. Returns what was there: `Ok` if it wrote.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                note_order(success);
                note_order(failure);
                let change = Logic::Exchange(Exchange::CompareExchange(current, new));
                exchanged(self.memory.change(change.into()), &current)
            }

            #[doc = concat!("The same as [`", stringify!($name), "::compare_exchange`]: it never fails for no reason.")]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            /// Loads, and tries to write what `update` makes of it until nobody else wrote in between or it says `None`.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut found = self.load(fetch);
                while let Some(new) = update(found) {
                    match self.compare_exchange(found, new, set, fetch) {
                        Ok(old) => return Ok(old),
                        Err(other) => found = other,
                    }
                }
                Err(found)
            }

            /// The value.
            #[track_caller]
            pub fn into_inner(self) -> $value {
                self.memory.read()
            }
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> $name {
                $name::new(<$value>::default())
            }
        }

        impl From<$value> for $name {
            #[track_caller]
            fn from(value: $value) -> $name {
                $name::new(value)
            }
        }
    };
}

/// The operations that return the old value.
macro_rules! fetch {
    ($name:ident, $value:ty, $change:ident: $($method:ident $case:ident $what:literal),*) => {
        impl $name {$(
            #[doc = concat!($what, " and returns what was there.")]
            #[track_caller]
            pub fn $method(&self, value: $value, order: Ordering) -> $value {
                note_order(order);
                self.memory.change($change::$case(value).into())
            }
        )*}
    };
}

macro_rules! logic {
    ($name:ident, $value:ty) => {
        fetch!($name, $value, Logic: fetch_and And "Ands", fetch_nand Nand "Nands", fetch_or Or "Ors", fetch_xor Xor "Xors");
    };
}

atomic!(AtomicBool, bool, Logic<bool>);
logic!(AtomicBool, bool);

impl AtomicBool {
    /// Negates and returns what was there.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

macro_rules! numbers {
    ($($name:ident $value:ty),*) => {$(
        atomic!($name, $value, Arithmetic<$value>);
        logic!($name, $value);
        fetch!(
            $name, $value, Arithmetic:
            fetch_add Add "Adds, wrapping around,", fetch_sub Sub "Subtracts, wrapping around,",
            fetch_max Max "Writes the maximum", fetch_min Min "Writes the minimum"
        );

        impl Change<$value> for Arithmetic<$value> {
            fn apply(self, &old: &$value) -> $value {
                match self {
                    Arithmetic::Logic(logic) => logic.apply(&old),
                    Arithmetic::Add(value) => old.wrapping_add(value),
                    Arithmetic::Sub(value) => old.wrapping_sub(value),
                    Arithmetic::Max(value) => old.max(value),
                    Arithmetic::Min(value) => old.min(value),
                }
            }
        }
    )*};
}

numbers!(
    AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize,
    AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize
);
