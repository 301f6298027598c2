//! Specifications of common objects: one file per object.

mod blocks;
pub mod cas_register;
pub mod counter;
mod held;
pub mod log;
pub mod map;
pub mod multi_register;
pub mod mutex;
pub(crate) mod observed;
mod parse;
pub mod queue;
pub mod register;
pub mod set;
pub mod stack;
mod stays;

pub use cas_register::CasRegister;
pub use counter::Counter;
pub use held::Held;
pub use log::Log;
pub use map::Map;
pub use multi_register::MultiRegister;
pub use mutex::Mutex;
pub use queue::Queue;
pub use register::Register;
pub use set::Set;
pub use stack::Stack;
