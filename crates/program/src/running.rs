//! Which process of a table runs at the moment. A switch to a process costs about as much as a few hundred instructions, so all that is noted on the
//! way is a number.

use crate::trie::NONE;
use manyworlds_core::running::{Call, UserCode};
use manyworlds_core::{Pid, ProcId};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The processes of one table, and which of them runs.
#[derive(Debug)]
pub struct Processes {
    /// The number of the call in the upper half, the process in the lower half; [`NONE`] while no process runs. Only the table's own thread writes it.
    current: AtomicU64,
    names: Mutex<FxHashMap<u32, String>>,
}

impl Default for Processes {
    fn default() -> Processes {
        Processes { current: AtomicU64::new(u64::from(NONE)), names: Mutex::default() }
    }
}

impl Processes {
    /// Runs `f`, which is code of this process and does not unwind.
    #[inline]
    pub fn note<R>(&self, process: ProcId, f: impl FnOnce() -> R) -> R {
        let number = (self.current.load(Ordering::Relaxed) & !u64::from(NONE)).wrapping_add(1 << 32);
        self.current.store(number | u64::from(process.0), Ordering::Relaxed);
        let result = f();
        self.current.store(number | u64::from(NONE), Ordering::Relaxed);
        result
    }

    /// Keeps the name of a process; one without a name is called by its id.
    pub fn name(&self, process: ProcId, pid: Pid, name: &dyn std::fmt::Display) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.entry(process.0).or_insert_with(|| match name.to_string() {
            name if name.is_empty() => format!("{pid:?}"),
            name => name,
        });
    }
}

impl UserCode for Processes {
    fn running(&self) -> Option<Call> {
        let current = self.current.load(Ordering::Relaxed);
        let process = current as u32;
        if process == NONE {
            return None;
        }
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names.get(&process).map_or("?", String::as_str);
        Some(Call { number: current >> 32, what: format!("process `{name}`") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_named_while_it_runs() {
        let processes = Processes::default();
        processes.name(ProcId(0), Pid::ROOT, &"main");
        processes.name(ProcId(7), Pid::root(3), &"");
        assert_eq!(processes.running(), None);
        let calls = [0, 7].map(|process| processes.note(ProcId(process), || processes.running()));
        let call = |number, what: &str| Some(Call { number, what: what.to_string() });
        assert_eq!(calls, [call(1, "process `main`"), call(2, "process `p3`")]);
        assert_eq!(processes.running(), None);
    }
}
