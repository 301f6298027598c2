//! The observer that knows the clock and the memory: engines do not.

use manyworlds_core::{Observer, Progress, StopReason};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Memory is looked at once in so many microseconds: reading it takes a few system calls, and engines tick often.
const MEMORY_EVERY: u64 = 5_000;

/// Ends a run for reasons the engine cannot see.
pub struct Watch<'a> {
    deadline: Option<Instant>,
    max_memory: Option<u64>,
    /// How resident memory is read; a parameter for tests.
    resident: fn() -> Option<u64>,
    cancel: Option<Arc<AtomicBool>>,
    inner: Option<&'a dyn Observer>,
    /// When memory is looked at next, in microseconds after the start.
    next_look: AtomicU64,
    started: Instant,
    first_bug: OnceLock<Duration>,
    /// Since when a history is being judged, and how long others were.
    judging: Mutex<(Option<Instant>, Duration)>,
}

impl<'a> Watch<'a> {
    /// A watch that starts now.
    pub fn new(
        timeout: Option<Duration>,
        max_memory: Option<u64>,
        cancel: Option<Arc<AtomicBool>>,
        inner: Option<&'a dyn Observer>,
    ) -> Watch<'a> {
        let started = Instant::now();
        let deadline = timeout.and_then(|timeout| started.checked_add(timeout));
        let (next_look, first_bug, judging) = (AtomicU64::new(0), OnceLock::new(), Mutex::default());
        let resident = resident_bytes;
        Watch { deadline, max_memory, resident, cancel, inner, next_look, started, first_bug, judging }
    }

    /// How long a scheduler judged histories.
    pub fn judging_time(&self) -> Duration {
        self.judging.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    /// How long it took a scheduler to find something wrong.
    pub fn first_bug_time(&self) -> Option<Duration> {
        self.first_bug.get().copied()
    }

    /// Whether there is a limit on memory that cannot be observed, because this system does not report resident memory.
    pub fn memory_not_observed(&self) -> bool {
        self.max_memory.is_some() && (self.resident)().is_none()
    }

    /// Whether memory has not been looked at for a while. One worker looks for all.
    fn is_time_to_look(&self) -> bool {
        let (now, next) = (self.started.elapsed().as_micros() as u64, self.next_look.load(Ordering::Relaxed));
        let later = now + MEMORY_EVERY;
        now >= next && self.next_look.compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// A watch that never ends a run.
    pub fn idle() -> Watch<'a> {
        Watch::new(None, None, None, None)
    }
}

impl Observer for Watch<'_> {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        // Whoever watches sees every tick, also those that end the run.
        let wanted = self.inner.and_then(|inner| inner.tick(progress));
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(StopReason::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(StopReason::Timeout);
        }
        if let Some(max) = self.max_memory
            && self.is_time_to_look()
            && (self.resident)().is_some_and(|bytes| bytes > max)
        {
            return Some(StopReason::MaxMemory);
        }
        wanted
    }

    fn explored(&self) {
        if let Some(inner) = self.inner {
            inner.explored();
        }
    }

    fn first_bug(&self, schedule: u64) {
        let _ = self.first_bug.set(self.started.elapsed());
        if let Some(inner) = self.inner {
            inner.first_bug(schedule);
        }
    }

    fn judging(&self, begins: bool) {
        let (since, spent) = &mut *self.judging.lock().unwrap_or_else(PoisonError::into_inner);
        match since.take() {
            Some(since) if !begins => *spent += since.elapsed(),
            _ => *since = begins.then(Instant::now),
        }
        if let Some(inner) = self.inner {
            inner.judging(begins);
        }
    }
}

/// The memory this process holds, where the operating system reports it.
pub fn resident_bytes() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

/// The most memory this process ever held. Only Linux reports it.
pub fn peak_resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes: u64 =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A watch with this limit that reads resident memory so.
    fn watch(max_memory: Option<u64>, resident: fn() -> Option<u64>) -> Watch<'static> {
        Watch { resident, ..Watch::new(None, max_memory, None, None) }
    }

    #[test]
    fn a_limit_that_cannot_be_observed_is_reported_and_ends_nothing() {
        let blind = watch(Some(1), || None);
        assert!(blind.memory_not_observed());
        assert_eq!(blind.tick(&Progress::default()), None);
        assert!(!watch(None, || None).memory_not_observed(), "there is no limit");
        let seeing = watch(Some(1), || Some(2));
        assert!(!seeing.memory_not_observed());
        assert_eq!(seeing.tick(&Progress::default()), Some(StopReason::MaxMemory));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn resident_memory_is_known_and_below_its_peak() {
        // The kernel updates the peak in batches, so the two may differ a little.
        let (now, peak) = (resident_bytes().expect("it is known"), peak_resident_bytes().expect("it is known"));
        assert!(now > 1 << 16 && now < peak + (8 << 20), "{now} bytes, at most {peak}");
    }
}
