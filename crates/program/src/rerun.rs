//! Runs an execution again for real, to check that its processes share nothing.
//!
//! The table runs the code of a process once for each local history, and alone. That is right only if a process depends on nothing but what it
//! receives. Here all processes of one execution run together, from their starts: a process that is spawned runs the very closure that its
//! parent has just made, and the processes go on in the order that the caller gives, from operation to operation. Whatever they do is compared with
//! the table. Memory that they share (an `Arc`, a static, a thread-local) makes the order visible, and then some process departs from the table.

use crate::context::discard;
use crate::coroutine::{Live, Stop};
use crate::table::Table;
use crate::trie::Closing;
use manyworlds_core::{Deviation, ProcId, Rerun};

/// A process of the rerun.
struct Runner {
    live: Live,
    /// Its known past: exchanged with the one in memory while it runs.
    path: Vec<u32>,
    over: bool,
}

impl Table {
    /// See the module.
    pub(crate) fn run_again(&mut self, run: &Rerun<'_>) -> Result<(), Deviation> {
        let mut runners: Vec<Option<Runner>> = run.ends.iter().map(|_| None).collect();
        let result = run.turns.iter().try_for_each(|&turn| self.take_turn(run, &mut runners, turn as usize));
        for runner in runners.into_iter().flatten() {
            self.stacks.retire(runner.live);
        }
        let spawned = std::mem::take(&mut *self.shared.spawned.borrow_mut());
        spawned.into_values().for_each(discard);
        result
    }

    /// Runs one process to its next operation.
    fn take_turn(&mut self, run: &Rerun<'_>, runners: &mut [Option<Runner>], process: usize) -> Result<(), Deviation> {
        let runner = match &mut runners[process] {
            Some(runner) => runner,
            unborn => {
                let (proc, node) = run.ends[process];
                unborn.insert(self.begin_again(proc, node.0))
            }
        };
        if runner.over {
            return Ok(());
        }
        std::mem::swap(&mut self.shared.memory.borrow_mut().path, &mut runner.path);
        let stop = runner.live.resume(0);
        let deviation = match stop {
            Stop::Waits(_) => None,
            Stop::Over(closing) => {
                runner.over = true;
                self.compare(runner, closing)
            }
        };
        std::mem::swap(&mut self.shared.memory.borrow_mut().path, &mut runner.path);
        let deviation = deviation.map(|(expected, found, location)| Deviation { process, expected, found, location });
        deviation.map_or(Ok(()), Err)
    }

    fn begin_again(&mut self, proc: ProcId, node: u32) -> Runner {
        let live = self.stacks.take(&self.shared);
        let mut path = Vec::new();
        let pid = {
            let memory = &mut *self.shared.memory.borrow_mut();
            memory.trie.path(node, &mut path);
            std::mem::swap(&mut memory.path, &mut path);
            memory.procs[proc.0 as usize].pid
        };
        let spawned = self.shared.spawned.borrow().get(&pid).cloned();
        live.ctx.begin_rerun(proc, spawned);
        let memory = &mut *self.shared.memory.borrow_mut();
        std::mem::swap(&mut memory.path, &mut path);
        self.stats.user_steps += path.len() as u64;
        Runner { live, path, over: false }
    }

    /// How a process that is over departed from its known past, if it did.
    fn compare(
        &self,
        runner: &Runner,
        closing: Closing,
    ) -> Option<(String, String, Option<manyworlds_core::Location>)> {
        let ctx = &runner.live.ctx;
        if let Some(strayed) = ctx.take_strayed() {
            return Some(strayed);
        }
        if matches!(closing, Closing::Unknown) {
            return None;
        }
        let same = {
            let memory = self.shared.memory.borrow();
            let known = ctx.known_node(&memory);
            ctx.at_newest() && ctx.repeated() == known.actions.len() && known.closing.same(&closing)
        };
        (!same).then(|| self.parted(ctx, &closing))
    }
}
