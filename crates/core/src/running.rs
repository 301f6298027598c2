//! The calls of user code that are running, used to explain why an engine does not stop.
//!
//! An engine looks at its budgets between calls of user code, so a call that never returns keeps it from stopping. Front ends register a
//! [`UserCode`] for each table and note their calls in it; a watchdog on another thread reads them with [`running`]. Nothing here ends a call.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A call of user code that has not returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Which call of its table it is: another call of the same table has another number.
    pub number: u64,
    /// The called function, as part of a sentence: `handler of actor "server" for message Ping from "client"`.
    pub what: String,
}

/// The calls of user code that one table makes, one at a time.
pub trait UserCode: Send + Sync {
    /// The call that has not returned, if there is one.
    fn running(&self) -> Option<Call>;
}

/// The registered tables that still exist. A table registers once, so the lock is rarely taken.
static REGISTERED: Mutex<Vec<Weak<dyn UserCode>>> = Mutex::new(Vec::new());

/// Registers the calls of a table, for as long as the table keeps `code`.
pub fn register<C: UserCode + 'static>(code: &Arc<C>) {
    let code: Arc<dyn UserCode> = code.clone();
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    registered.retain(|known| known.strong_count() > 0);
    registered.push(Arc::downgrade(&code));
}

/// The calls of user code that have not returned, in the whole program.
pub fn running() -> Vec<Call> {
    let registered: Vec<Arc<dyn UserCode>> = {
        let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        registered.iter().filter_map(Weak::upgrade).collect()
    };
    registered.iter().filter_map(|code| code.running()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u64);

    impl UserCode for Fixed {
        fn running(&self) -> Option<Call> {
            (self.0 > 0).then(|| Call { number: self.0, what: format!("call {}", self.0) })
        }
    }

    #[test]
    fn what_runs_is_known_for_as_long_as_its_table_exists() {
        let [idle, busy] = [0, 77_001].map(|number| Arc::new(Fixed(number)));
        register(&idle);
        register(&busy);
        let mine = || running().into_iter().filter(|call| call.number == 77_001).count();
        assert_eq!(mine(), 1);
        drop(busy);
        assert_eq!(mine(), 0);
        assert!(idle.running().is_none());
    }
}
