//! A barrier: where workers wait for each other between the phases of a round.
//!
//! A phase takes well under a millisecond, less than it takes to send a thread to sleep and wake it up again. So a worker that
//! arrives early spins for a while before it goes to sleep.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Spins before a worker goes to sleep: about as long as falling asleep and waking up take.
const SPINS: u32 = 20_000;

/// A barrier for a fixed number of workers that can be used again and again.
pub struct Barrier {
    workers: AtomicUsize,
    /// How many workers have arrived.
    present: AtomicUsize,
    /// How often all workers have arrived.
    passed: AtomicUsize,
    asleep: Mutex<()>,
    wake: Condvar,
}

impl Barrier {
    /// A barrier for so many workers.
    pub fn new(workers: usize) -> Barrier {
        Barrier {
            workers: AtomicUsize::new(workers),
            present: AtomicUsize::new(0),
            passed: AtomicUsize::new(0),
            asleep: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Some workers will never arrive: there is no thread for them. To be called before the first wait, by a worker that is expected.
    pub fn do_without(&self, absent: usize) {
        self.workers.fetch_sub(absent, Ordering::AcqRel);
    }

    /// Waits until all workers have arrived.
    pub fn wait(&self) {
        let passed = self.passed.load(Ordering::Acquire);
        if self.present.fetch_add(1, Ordering::AcqRel) + 1 == self.workers.load(Ordering::Acquire) {
            self.present.store(0, Ordering::Relaxed);
            // Behind the lock, so that no worker falls asleep between its last check and this.
            let _asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            self.passed.store(passed + 1, Ordering::Release);
            self.wake.notify_all();
            return;
        }
        let over = || self.passed.load(Ordering::Acquire) != passed;
        for look in 1..=SPINS {
            if over() {
                return;
            }
            // With more workers than cores, another worker may need this core to arrive.
            if look.is_multiple_of(64) { std::thread::yield_now() } else { spin_loop() }
        }
        let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        while !over() {
            asleep = self.wake.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_worker_leaves_before_all_have_arrived() {
        let (barrier, count) = (Barrier::new(3), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let (barrier, count) = (&barrier, &count);
                scope.spawn(move || {
                    for round in 1..=200 {
                        if worker == round % 3 && round % 50 == 0 {
                            // Long enough for the others to fall asleep.
                            std::thread::sleep(std::time::Duration::from_millis(3));
                        }
                        count.fetch_add(1, Ordering::Relaxed);
                        barrier.wait();
                        assert_eq!(count.load(Ordering::Relaxed), 3 * round);
                        barrier.wait();
                    }
                });
            }
        });
    }
}
