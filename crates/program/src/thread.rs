//! The standard library's `thread`.
