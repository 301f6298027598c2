//! asyn (Def. 3.4): messages are unordered, so any candidate may be read.

/// Always false.
pub fn dominated() -> bool {
    false
}
