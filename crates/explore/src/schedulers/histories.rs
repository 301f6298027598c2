//! The histories of schedules, each checked once.
//!
//! Linearizability requires an order of the operations that a sequential object could have had, in which each operation that returned
//! before another one was invoked comes first. So it depends only on the sequence of events of each process, and on which returns precede
//! which invocations. Neighbouring invocations of different processes can change places without affecting either, and so can neighbouring
//! returns; histories that differ in nothing else are one here.

use crate::receive::{HistoryEvent, HistoryKind};
use rustc_hash::FxHashMap;

/// The histories found so far, in canonical form, with their verdicts.
#[derive(Default)]
pub struct Histories(FxHashMap<Vec<HistoryEvent>, Option<bool>>);

/// The verdict on a history.
pub struct Judged {
    /// No operation is open in the end.
    pub complete: bool,
    /// Whether it is linearizable; `None` if there is no specification.
    pub linearizable: Option<bool>,
}

impl Histories {
    /// Adds a history; `judge` is called if it is new.
    pub fn judge(&mut self, history: &[HistoryEvent], judge: impl FnOnce(&[HistoryEvent]) -> Option<bool>) -> Judged {
        let canonical = canonical(history);
        let complete = is_complete(&canonical);
        let linearizable = match self.0.get(&canonical) {
            Some(&known) => known,
            None => {
                let said = judge(&canonical);
                self.0.insert(canonical, said);
                said
            }
        };
        Judged { complete, linearizable }
    }

    /// How many there are, and how many of them are not linearizable, if there is a specification.
    pub fn count(&self) -> (u64, Option<u64>) {
        let judged = self.0.values().any(Option::is_some);
        let bad = self.0.values().filter(|&&said| said == Some(false)).count() as u64;
        (self.0.len() as u64, judged.then_some(bad))
    }
}

/// The history with each run of invocations, and each run of returns, sorted by process. The events of one process keep their order.
fn canonical(history: &[HistoryEvent]) -> Vec<HistoryEvent> {
    let mut history = history.to_vec();
    for run in history.chunk_by_mut(|one, next| one.kind == next.kind) {
        run.sort_by_key(|event| event.process);
    }
    history
}

fn is_complete(history: &[HistoryEvent]) -> bool {
    let mut open: FxHashMap<u32, i64> = FxHashMap::default();
    for event in history {
        *open.entry(event.process).or_default() += if event.kind == HistoryKind::Invoked { 1 } else { -1 };
    }
    open.values().all(|&open| open <= 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use HistoryKind::{Invoked, Returned};

    fn event(process: u32, kind: HistoryKind) -> HistoryEvent {
        HistoryEvent { process, kind, label: process }
    }

    #[test]
    fn only_what_linearizability_sees_tells_histories_apart() {
        let one = [event(0, Invoked), event(1, Invoked), event(1, Returned), event(0, Returned)];
        let same = [event(1, Invoked), event(0, Invoked), event(0, Returned), event(1, Returned)];
        let other = [event(0, Invoked), event(0, Returned), event(1, Invoked), event(1, Returned)];
        let mut histories = Histories::default();
        let mut judged = 0;
        for history in [&one, &same, &other] {
            let judged = histories.judge(history, |_| {
                judged += 1;
                Some(judged == 1)
            });
            assert!(judged.complete);
        }
        assert_eq!((judged, histories.count()), (2, (2, Some(1))));
        assert!(!histories.judge(&one[..3], |_| None).complete);
    }

    #[test]
    fn the_operations_of_one_process_keep_their_order() {
        let labelled = |label| HistoryEvent { label, ..event(0, Invoked) };
        let mut histories = Histories::default();
        histories.judge(&[labelled(1), labelled(2)], |_| None);
        histories.judge(&[labelled(2), labelled(1)], |_| None);
        assert_eq!(histories.count(), (2, None));
    }
}
