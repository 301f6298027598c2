//! What each thread needs before it can add its next event. Stored as one byte per thread because the schedule reads it after every
//! event and `Thread` is large.

use manyworlds_core::Action;

/// What a thread needs before it can add its next event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Need {
    /// Nothing.
    Nothing,
    /// The end of another thread.
    End,
    /// A message, or a time-out.
    Message,
    /// The thread ran to its end and has no next event.
    Ended,
    /// The thread is stuck, at a bound, or failed, and has no next event.
    Stopped,
}

impl From<Action> for Need {
    #[inline]
    fn from(next: Action) -> Need {
        match next {
            Action::Send { .. } | Action::Spawn { .. } | Action::Choose { .. } => Need::Nothing,
            Action::Join { .. } => Need::End,
            Action::Recv { .. } => Need::Message,
            Action::End { .. } => Need::Ended,
            Action::Stuck | Action::Bound | Action::Fail => Need::Stopped,
        }
    }
}

/// The need of each thread, and how many threads have each need.
#[derive(Clone, Debug, Default)]
pub struct Ready {
    needs: Vec<Need>,
    counts: [u32; 5],
}

impl Ready {
    /// Adds a thread whose next action is `next`.
    pub fn push(&mut self, next: Action) {
        let need = Need::from(next);
        self.needs.push(need);
        self.counts[need as usize] += 1;
    }

    /// Removes the last thread.
    pub fn pop(&mut self) {
        if let Some(need) = self.needs.pop() {
            self.counts[need as usize] -= 1;
        }
    }

    /// Records that the next action of `thread` is `next`.
    #[inline]
    pub fn mark(&mut self, thread: u32, next: Action) {
        let need = Need::from(next);
        let before = std::mem::replace(&mut self.needs[thread as usize], need);
        self.counts[before as usize] -= 1;
        self.counts[need as usize] += 1;
    }

    /// What `thread` needs; `Stopped` for a thread that does not exist.
    #[inline]
    pub fn need(&self, thread: u32) -> Need {
        self.needs.get(thread as usize).copied().unwrap_or(Need::Stopped)
    }

    /// Whether all threads ran to their ends.
    #[inline]
    pub fn all_ended(&self) -> bool {
        self.counts[Need::Ended as usize] as usize == self.needs.len()
    }

    /// The oldest thread with this need for which `can` holds.
    #[inline]
    pub fn oldest(&self, need: Need, mut can: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.counts[need as usize] == 0 {
            return None;
        }
        (0..).zip(&self.needs).find(|&(thread, &n)| n == need && can(thread)).map(|(thread, _)| thread)
    }

    /// The youngest thread with this need for which `can` holds.
    #[inline]
    pub fn youngest(&self, need: Need, mut can: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.counts[need as usize] == 0 {
            return None;
        }
        (0..self.needs.len() as u32).rev().find(|&thread| self.needs[thread as usize] == need && can(thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds_core::{Network, ProcId, ValueId};

    #[test]
    fn threads_are_found_in_both_directions() {
        let mut ready = Ready::default();
        for _ in 0..4 {
            ready.push(Action::Recv { network: Network::Asyn, blocking: true });
        }
        ready.mark(1, Action::Join { child: ProcId(0) });
        ready.push(Action::Stuck);
        assert_eq!(ready.oldest(Need::Message, |_| true), Some(0));
        assert_eq!(ready.oldest(Need::Message, |t| t > 0), Some(2));
        assert_eq!(ready.youngest(Need::Message, |_| true), Some(3));
        assert_eq!(ready.youngest(Need::Message, |t| t < 2), Some(0));
        assert_eq!(ready.oldest(Need::End, |_| true), Some(1));
        assert_eq!(ready.oldest(Need::Nothing, |_| true), None);
    }

    #[test]
    fn a_stopped_thread_has_not_ended() {
        let mut ready = Ready::default();
        ready.push(Action::End { value: ValueId(0) });
        assert!(ready.all_ended());
        ready.push(Action::Fail);
        assert!(!ready.all_ended());
        ready.mark(1, Action::End { value: ValueId(0) });
        assert!(ready.all_ended());
    }
}
