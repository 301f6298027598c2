//! Values that cannot be compared, hashed or displayed, used through a key that can.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A value of any type with a key by which it is compared, hashed and displayed.
///
/// States and messages must be `Clone + Eq + Hash + Debug`. A value that is not (a closure, a socket address type of another crate, a float)
/// can be part of them if it is wrapped with a key. Two values with equal keys count as equal, and one may be used in the place of the
/// other: the key must determine all that code does with the value.
///
/// ```
/// use manyworlds_core::Keyed;
///
/// // A float is neither `Eq` nor `Hash`; its bits are.
/// let half = Keyed::new(0.5_f64, 0.5_f64.to_bits());
/// assert_eq!(half, Keyed::new(0.5, 0.5_f64.to_bits()));
/// assert_eq!(*half + 1.0, 1.5);
///
/// // A function, by its name.
/// let double = Keyed::new(|n: u32| 2 * n, "double");
/// assert_eq!((double.value())(4), 8);
/// assert_eq!(format!("{double:?}"), "\"double\"");
/// ```
pub struct Keyed<T, K> {
    value: Arc<T>,
    key: K,
}

impl<T, K> Keyed<T, K> {
    /// A value with its key.
    pub fn new(value: T, key: K) -> Keyed<T, K> {
        Keyed { value: Arc::new(value), key }
    }

    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The key.
    pub fn key(&self) -> &K {
        &self.key
    }
}

impl<T, K> Deref for Keyed<T, K> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T, K: Clone> Clone for Keyed<T, K> {
    fn clone(&self) -> Keyed<T, K> {
        Keyed { value: self.value.clone(), key: self.key.clone() }
    }
}

impl<T, K: PartialEq> PartialEq for Keyed<T, K> {
    fn eq(&self, other: &Keyed<T, K>) -> bool {
        self.key == other.key
    }
}

impl<T, K: Eq> Eq for Keyed<T, K> {}

impl<T, K: Hash> Hash for Keyed<T, K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl<T, K: fmt::Debug> fmt::Debug for Keyed<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}
