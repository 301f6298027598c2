//! Where workers wait for each other between the phases of a round.
//!
//! A phase takes well under a millisecond, less than it takes to send a thread to sleep and wake it up again. So whoever comes first looks
//! around for a while before it goes to sleep.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Looks before a worker goes to sleep: about as long as falling asleep and waking up take.
const LOOKS: u32 = 20_000;

/// A meeting of a fixed number of workers, over and over again.
pub struct Meeting {
    workers: AtomicUsize,
    /// Who has come to the present meeting.
    present: AtomicUsize,
    /// How many meetings there were.
    held: AtomicUsize,
    asleep: Mutex<()>,
    wake: Condvar,
}

impl Meeting {
    /// Meetings of so many workers.
    pub fn new(workers: usize) -> Meeting {
        Meeting {
            workers: AtomicUsize::new(workers),
            present: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            asleep: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Some workers will never come: there is no thread for them. To be said before the first meeting, by one who is expected there.
    pub fn do_without(&self, absent: usize) {
        self.workers.fetch_sub(absent, Ordering::AcqRel);
    }

    /// Waits until all workers have come.
    pub fn wait(&self) {
        let meeting = self.held.load(Ordering::Acquire);
        if self.present.fetch_add(1, Ordering::AcqRel) + 1 == self.workers.load(Ordering::Acquire) {
            self.present.store(0, Ordering::Relaxed);
            // Behind the lock, so that nobody falls asleep between a last look and this.
            let _asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            self.held.store(meeting + 1, Ordering::Release);
            self.wake.notify_all();
            return;
        }
        let over = || self.held.load(Ordering::Acquire) != meeting;
        for look in 1..=LOOKS {
            if over() {
                return;
            }
            // With more workers than cores, somebody may need this one to get here.
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
    fn nobody_leaves_before_all_have_come() {
        let (meeting, count) = (Meeting::new(3), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let (meeting, count) = (&meeting, &count);
                scope.spawn(move || {
                    for round in 1..=200 {
                        if worker == round % 3 && round % 50 == 0 {
                            // Long enough for the others to fall asleep.
                            std::thread::sleep(std::time::Duration::from_millis(3));
                        }
                        count.fetch_add(1, Ordering::Relaxed);
                        meeting.wait();
                        assert_eq!(count.load(Ordering::Relaxed), 3 * round);
                        meeting.wait();
                    }
                });
            }
        });
    }
}
