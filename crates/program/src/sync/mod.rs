//! The standard library's `sync`.
