//! asyn (Def. 3.4): no order between messages, any candidate may be read.

/// Never.
pub fn dominated() -> bool {
    false
}
