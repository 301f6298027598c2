//! Coroutines and their stacks. Allocating a stack costs hundreds of switches, so a coroutine runs one process after the other, and stacks
//! are pooled.

use crate::context::{Ctx, Shared, enter};
use crate::overflow;
use crate::trie::Closing;
use corosensei::CoroutineResult;
use corosensei::stack::{DefaultStack, Stack};
use manyworlds_core::panics;
use manyworlds_core::{Failure, FailureKind, Obs, ValueId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Bytes at the end of each stack that user code may run into, but not call the API from. A fault in the middle of our own code would leave
/// tables borrowed and locks of the allocator taken; and a process that waits must have room to be unwound.
const RESERVE: usize = 64 << 10;

type Coroutine = corosensei::Coroutine<Obs, Closing, Over, DefaultStack>;
/// How a process asks for an answer.
pub type Yielder = corosensei::Yielder<Obs, Closing>;

/// How a coroutine returns.
#[derive(Clone, Copy)]
pub enum Over {
    /// It was given no other process to run.
    Idle,
    /// The process used up its stack.
    Overflow,
}

/// A coroutine with a process that waits for its start or an answer, or that ran to its end.
pub struct Live {
    coroutine: Coroutine,
    /// What the process knows.
    pub ctx: Rc<Ctx>,
    ended: bool,
}

/// Where a process came to.
pub enum Stop {
    /// It waits for the answer to its closing action.
    Waits(Closing),
    /// It is over.
    Over(Closing),
}

impl Live {
    /// Gives the process its answer; the first one, which starts it, is of no interest.
    #[inline]
    pub fn resume(&mut self, obs: Obs) -> Stop {
        let trap = overflow::Guard::new(self.coroutine.trap_handler());
        let coroutine = &mut self.coroutine;
        let run = || panics::listen(|| catch_unwind(AssertUnwindSafe(|| coroutine.resume(obs))));
        let result = self.ctx.shared.processes.note(self.ctx.proc(), || enter(&self.ctx, run));
        drop(trap);
        match result {
            Ok(CoroutineResult::Yield(closing)) => match closing {
                Closing::Recv { .. } | Closing::Choose { .. } | Closing::Join { .. } | Closing::Paused => {
                    Stop::Waits(closing)
                }
                _ => {
                    self.ended = matches!(closing, Closing::End { .. });
                    Stop::Over(closing)
                }
            },
            Ok(CoroutineResult::Return(Over::Overflow)) => Stop::Over(overflowed()),
            Ok(CoroutineResult::Return(Over::Idle)) => unreachable!("a coroutine is resumed with a process to run"),
            Err(payload) => {
                let (message, location) = panics::take(payload.as_ref());
                let kind = match payload.is::<panics::NotLinearizable>() {
                    true => FailureKind::NotLinearizable,
                    false => FailureKind::Panic,
                };
                let failure = Failure { kind, message, location };
                Stop::Over(Closing::Fail(Box::new(failure)))
            }
        }
    }
}

/// Coroutines and stacks that are not in use.
pub struct Stacks {
    resting: Vec<Live>,
    free: Vec<DefaultStack>,
    size: usize,
}

impl Stacks {
    /// A pool of stacks of `size` bytes each.
    pub fn new(size: usize) -> Stacks {
        Stacks { resting: Vec::new(), free: Vec::new(), size }
    }

    /// A coroutine for a process to begin in.
    pub fn take(&mut self, shared: &Rc<Shared>) -> Live {
        match self.resting.pop() {
            Some(live) => Live { ended: false, ..live },
            None => self.create(shared),
        }
    }

    fn create(&mut self, shared: &Rc<Shared>) -> Live {
        let stack = self
            .free
            .pop()
            .unwrap_or_else(|| DefaultStack::new(self.size + RESERVE).expect("no memory for the stack of a process"));
        let ctx = Rc::new(Ctx::new(shared.clone(), stack.limit().get() + RESERVE));
        let inner = ctx.clone();
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder, _| {
            inner.yielder.set(yielder);
            while let Some(template) = inner.template.take() {
                let value = ValueId(template.run(&inner));
                drop(template);
                yielder.suspend(Closing::End { value });
            }
            Over::Idle
        });
        Live { coroutine, ctx, ended: false }
    }

    /// Takes the coroutine of a process back. If the process is in the middle of something, what lives on its stack is dropped.
    pub fn retire(&mut self, mut live: Live) {
        if live.ended {
            return self.resting.push(live);
        }
        if !live.coroutine.done() {
            // A destructor that panics while unwinding ends the process too; there is nothing to report it to.
            let unwind = || panics::listen(|| catch_unwind(AssertUnwindSafe(|| live.coroutine.force_unwind())));
            let _ = enter(&live.ctx, unwind);
        }
        if live.coroutine.done() {
            self.free.push(live.coroutine.into_stack());
        }
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        for live in &mut self.resting {
            // With nothing to run it returns; there is nothing to unwind.
            live.coroutine.resume(0);
        }
    }
}

/// The failure of a process that used up its stack.
pub fn overflowed() -> Closing {
    Closing::Fail(Box::new(Failure {
        kind: FailureKind::StackOverflow,
        message:
            "the process used up its stack: a recursion without end, or a stack that is too small (see `stack_size`)"
                .to_string(),
        location: None,
    }))
}
