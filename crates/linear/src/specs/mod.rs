//! Ready specifications: one file an object.

pub mod map;
pub mod register;

pub use map::Map;
pub use register::Register;
