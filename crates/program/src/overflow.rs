//! A process that uses up its stack runs into the guard page below it. We catch that fault and make the coroutine return, so that it is
//! reported like any other failure. (If the stack ends in the middle of the allocator, whose lock then stays locked, the program may hang
//! afterwards; there is no way to know.) Only on platforms where we know the registers; elsewhere the operating system ends the program.

use crate::coroutine::Over;
use corosensei::trap::CoroutineTrapHandler;
use std::cell::Cell;

type Trap = CoroutineTrapHandler<Over>;

thread_local! {
    static TRAP: Cell<Option<Trap>> = const { Cell::new(None) };
}

/// While it lives, faults on the given coroutine's stack end the coroutine.
pub struct Guard {
    before: Option<Trap>,
}

impl Guard {
    /// Watches a coroutine.
    pub fn new(trap: Trap) -> Guard {
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        handler::install();
        Guard { before: TRAP.replace(Some(trap)) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        TRAP.set(self.before);
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod handler {
    use super::{Over, TRAP};
    use std::sync::Once;
    use std::sync::OnceLock;

    static INSTALLED: Once = Once::new();
    static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

    pub fn install() {
        INSTALLED.call_once(|| {
            // SAFETY: both structures are plain data for which zero is a valid value; the handler has the signature that
            // SA_SIGINFO asks for and touches only a thread-local `Cell` and the context it is given. SA_ONSTACK makes it run on
            // the alternate stack that the standard library sets up for every thread.
            unsafe {
                let mut ours: libc::sigaction = std::mem::zeroed();
                let mut previous: libc::sigaction = std::mem::zeroed();
                ours.sa_sigaction = on_fault as *const () as usize;
                ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut ours.sa_mask);
                if libc::sigaction(libc::SIGSEGV, &ours, &mut previous) == 0 {
                    let _ = PREVIOUS.set(previous);
                }
            }
        });
    }

    extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a valid `siginfo_t` and `ucontext_t`. If the fault lies on the stack of the coroutine that runs on
        // this thread, its frames are abandoned: nothing outside points into them but the context of the process, which is only read
        // afterwards, and no table is borrowed while user code runs.
        unsafe {
            let context = &mut *context.cast::<libc::ucontext_t>();
            let registers = &mut context.uc_mcontext.gregs;
            let stack_pointer = registers[libc::REG_RSP as usize] as usize;
            let fault = (*info).si_addr() as usize;
            if let Some(trap) = TRAP.get() {
                // A fault on the guard page is near the stack pointer; a wild pointer is not.
                let near = fault.abs_diff(stack_pointer) < 1 << 20;
                if near && trap.stack_ptr_in_bounds(stack_pointer) {
                    let regs = trap.setup_trap_handler(|| Over::Overflow);
                    registers[libc::REG_RIP as usize] = regs.rip as i64;
                    registers[libc::REG_RSP as usize] = regs.rsp as i64;
                    registers[libc::REG_RBP as usize] = regs.rbp as i64;
                    registers[libc::REG_RDI as usize] = regs.rdi as i64;
                    registers[libc::REG_RSI as usize] = regs.rsi as i64;
                    return;
                }
            }
            pass_on(signal, info, context);
        }
    }

    /// # Safety
    /// Called from a signal handler with the arguments it got.
    unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: &mut libc::ucontext_t) {
        let context: *mut libc::c_void = std::ptr::from_mut(context).cast();
        // SAFETY: the previous action is called the way its flags ask for; the default one is restored, so that the fault happens
        // again and ends the program.
        unsafe {
            match PREVIOUS.get() {
                Some(previous) if previous.sa_sigaction > libc::SIG_IGN => {
                    if previous.sa_flags & libc::SA_SIGINFO != 0 {
                        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                            std::mem::transmute(previous.sa_sigaction);
                        handler(signal, info, context);
                    } else {
                        let handler: extern "C" fn(libc::c_int) = std::mem::transmute(previous.sa_sigaction);
                        handler(signal);
                    }
                }
                _ => {
                    libc::signal(libc::SIGSEGV, libc::SIG_DFL);
                }
            }
        }
    }
}
