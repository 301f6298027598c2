//! Sets of options for `choose`.

use std::fmt::Debug;
use std::ops::{Range, RangeInclusive};

/// A finite list of options.
pub trait Choices {
    /// The type of the options.
    type Item: Debug;

    /// How many options there are.
    fn count(&self) -> usize;

    /// Option number `i`.
    fn option(self, i: usize) -> Self::Item;
}

/// How many numbers lie between; the difference of two integers need not fit their type.
fn length(start: i128, end: i128) -> usize {
    usize::try_from((end - start).max(0)).unwrap_or(usize::MAX)
}

macro_rules! ranges {
    ($($int:ty),*) => {$(
        impl Choices for Range<$int> {
            type Item = $int;

            fn count(&self) -> usize {
                length(self.start as i128, self.end as i128)
            }

            fn option(self, i: usize) -> $int {
                (self.start as i128 + i as i128) as $int
            }
        }

        impl Choices for RangeInclusive<$int> {
            type Item = $int;

            fn count(&self) -> usize {
                length(*self.start() as i128, *self.end() as i128 + 1)
            }

            fn option(self, i: usize) -> $int {
                (*self.start() as i128 + i as i128) as $int
            }
        }
    )*};
}

ranges!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl<T: Clone + Debug> Choices for &[T] {
    type Item = T;

    fn count(&self) -> usize {
        self.len()
    }

    fn option(self, i: usize) -> T {
        self[i].clone()
    }
}

impl<T: Clone + Debug> Choices for &Vec<T> {
    type Item = T;

    fn count(&self) -> usize {
        self.len()
    }

    fn option(self, i: usize) -> T {
        self[i].clone()
    }
}

impl<T: Debug, const N: usize> Choices for [T; N] {
    type Item = T;

    fn count(&self) -> usize {
        N
    }

    fn option(self, i: usize) -> T {
        self.into_iter().nth(i).expect("the engine answers within the arity")
    }
}
