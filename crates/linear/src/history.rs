//! Concurrent histories: the operations of each process, with their responses and the times of invocations and returns.

use rustc_hash::FxHashMap;
use std::fmt;

/// One operation of a history.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation<O, R> {
    /// The process that invoked the operation.
    pub process: usize,
    /// The invoked operation.
    pub operation: O,
    /// The time of the invocation: a position in the order of all events.
    pub invoked: usize,
    /// The time of the return. `None` if the operation is *pending*: it may take effect at any time after its invocation, or never.
    pub returned: Option<usize>,
    /// The response. `None` if it is unknown: any response matches. A pending operation with a response takes effect with that response, if at all.
    pub response: Option<R>,
}

impl<O, R> Operation<O, R> {
    /// Whether the operation did not return.
    pub fn is_pending(&self) -> bool {
        self.returned.is_none()
    }

    /// Whether this operation returned before the other was invoked.
    pub fn precedes(&self, other: &Operation<O, R>) -> bool {
        self.returned.is_some_and(|returned| returned < other.invoked)
    }
}

/// An event that is invalid at its position in a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misplaced {
    /// The process invokes an operation while another of its own is open.
    Busy(usize),
    /// The process returns, but no operation of its own is open.
    Idle(usize),
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misplaced::Busy(process) => {
                write!(f, "process {process} invokes an operation while another of its own is open")
            }
            Misplaced::Idle(process) => {
                write!(f, "process {process} completes an operation, but none of its own is open")
            }
        }
    }
}

impl std::error::Error for Misplaced {}

/// An event of a history, as programs and actors record it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event<O, R> {
    /// An operation is invoked.
    Invoke(O),
    /// The open operation returns this response.
    Respond(R),
    /// The open operation returns an unknown response.
    Return,
    /// The process abandons the open operation, which stays pending.
    Abandon,
    /// The open operation had no effect and is removed from the history.
    Fail,
}

/// A history: a list of operations, in the order of their invocations if it was built from events.
///
/// ```
/// use manyworlds_linear::specs::register::{Operation, Response};
/// use manyworlds_linear::{History, check, specs::Register};
///
/// let mut history = History::new();
/// history.invoke(0, Operation::Write(1)).unwrap();
/// history.invoke(1, Operation::Read).unwrap();
/// history.respond(1, Response::Read(0)).unwrap(); // the write has not taken effect yet
/// history.respond(0, Response::Written).unwrap();
/// assert!(check(&Register::new(0), &history).is_linearizable());
///
/// history.invoke(1, Operation::Read).unwrap();
/// history.respond(1, Response::Read(0)).unwrap(); // but now it has
/// assert!(!check(&Register::new(0), &history).is_linearizable());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History<O, R> {
    operations: Vec<Operation<O, R>>,
    /// The open operation of each process that has one.
    open: FxHashMap<usize, usize>,
    /// The position of the next event.
    next: usize,
}

impl<O, R> Default for History<O, R> {
    fn default() -> History<O, R> {
        History::new()
    }
}

impl<O, R> History<O, R> {
    /// Creates an empty history.
    pub fn new() -> History<O, R> {
        History { operations: Vec::new(), open: FxHashMap::default(), next: 0 }
    }

    /// Creates a history of these operations. Positions may be any numbers, such as times; if one operation returns at the same position at
    /// which another is invoked, the two operations overlap.
    pub fn from_operations(operations: Vec<Operation<O, R>>) -> History<O, R> {
        let ends = operations.iter().map(|operation| operation.returned.unwrap_or(0).max(operation.invoked));
        History { next: ends.max().map_or(0, |last| last.saturating_add(1)), operations, open: FxHashMap::default() }
    }

    /// Creates a history from recorded events, such as those of a trace.
    pub fn from_events(events: impl IntoIterator<Item = (usize, Event<O, R>)>) -> Result<History<O, R>, Misplaced> {
        let (mut history, mut failed) = (History::new(), Vec::new());
        for (process, event) in events {
            match event {
                Event::Fail => failed.push(history.close(process)?),
                event => history.event(process, event)?,
            }
        }
        history.remove(&failed);
        Ok(history)
    }

    /// Appends an event.
    pub fn event(&mut self, process: usize, event: Event<O, R>) -> Result<(), Misplaced> {
        match event {
            Event::Invoke(operation) => self.invoke(process, operation).map(drop),
            Event::Respond(response) => self.respond(process, response),
            Event::Return => self.returns(process),
            Event::Abandon => self.abandon(process),
            Event::Fail => self.fail(process),
        }
    }

    /// Reserves the position of an event that belongs to no operation, and returns it.
    pub fn aside(&mut self) -> usize {
        self.tick()
    }

    /// Appends an invocation. Returns the index of the operation.
    pub fn invoke(&mut self, process: usize, operation: O) -> Result<usize, Misplaced> {
        if self.open.contains_key(&process) {
            return Err(Misplaced::Busy(process));
        }
        let number = self.operations.len();
        self.open.insert(process, number);
        let invoked = self.tick();
        self.operations.push(Operation { process, operation, invoked, returned: None, response: None });
        Ok(number)
    }

    /// The open operation of the process returns `response`.
    pub fn respond(&mut self, process: usize, response: R) -> Result<(), Misplaced> {
        let number = self.close(process)?;
        self.operations[number].returned = Some(self.tick());
        self.operations[number].response = Some(response);
        Ok(())
    }

    /// The open operation of the process returns an unknown response.
    pub fn returns(&mut self, process: usize) -> Result<(), Misplaced> {
        let number = self.close(process)?;
        self.operations[number].returned = Some(self.tick());
        Ok(())
    }

    /// The process abandons its open operation, which stays pending; the process may invoke another operation.
    pub fn abandon(&mut self, process: usize) -> Result<(), Misplaced> {
        self.close(process).map(drop)
    }

    /// The open operation of the process had no effect and is removed.
    pub fn fail(&mut self, process: usize) -> Result<(), Misplaced> {
        let number = self.close(process)?;
        self.remove(&[number]);
        Ok(())
    }

    /// Removes operations that are not open. Removing many in one call takes linear time; one at a time it would take quadratic time.
    pub(crate) fn remove(&mut self, numbers: &[usize]) {
        let gone = marked(numbers, self.operations.len());
        let mut gone_before = 0;
        let mut place: Vec<usize> = Vec::with_capacity(gone.len());
        for (number, &gone) in gone.iter().enumerate() {
            place.push(number - gone_before);
            gone_before += usize::from(gone);
        }
        keep(&mut self.operations, &gone);
        self.open.values_mut().for_each(|open| *open = place[*open]);
    }

    /// The open operation of the process.
    pub fn open(&self, process: usize) -> Option<&Operation<O, R>> {
        self.open.get(&process).map(|&number| &self.operations[number])
    }

    /// The index of the open operation of the process.
    pub fn position(&self, process: usize) -> Option<usize> {
        self.open.get(&process).copied()
    }

    /// Marks the open operation of the process as not open, and returns its index.
    pub(crate) fn close(&mut self, process: usize) -> Result<usize, Misplaced> {
        self.open.remove(&process).ok_or(Misplaced::Idle(process))
    }

    fn tick(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// The operations.
    pub fn operations(&self) -> &[Operation<O, R>] {
        &self.operations
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are no operations.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The number of pending operations.
    pub fn pending(&self) -> usize {
        self.operations.iter().filter(|operation| operation.is_pending()).count()
    }

    /// The maximal number of operations open at the same time. Pending operations stay open.
    pub fn max_concurrency(&self) -> usize {
        let mut ends: Vec<(usize, bool)> = self.operations.iter().map(|operation| (operation.invoked, false)).collect();
        ends.extend(self.operations.iter().filter_map(|operation| Some((operation.returned?, true))));
        ends.sort_unstable();
        let (mut open, mut most) = (0, 0);
        for (_, ends) in ends {
            open = if ends { open - 1 } else { open + 1 };
            most = most.max(open);
        }
        most
    }

    /// The history restricted to these operations.
    pub fn restrict(&self, numbers: &[usize]) -> History<O, R>
    where
        O: Clone,
        R: Clone,
    {
        History::from_operations(numbers.iter().map(|&number| self.operations[number].clone()).collect())
    }
}

/// A vector of `len` flags that are true at these indices.
pub(crate) fn marked(numbers: &[usize], len: usize) -> Vec<bool> {
    let mut marked = vec![false; len];
    numbers.iter().for_each(|&number| marked[number] = true);
    marked
}

/// Removes the items whose flag in `gone` is true.
pub(crate) fn keep<T>(items: &mut Vec<T>, gone: &[bool]) {
    let mut gone = gone.iter();
    items.retain(|_| !gone.next().is_some_and(|&gone| gone));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_make_operations() {
        let events = [
            (0, Event::Invoke("a")),
            (1, Event::Invoke("b")),
            (2, Event::Invoke("c")),
            (1, Event::Fail),
            (2, Event::Respond(3)),
            (0, Event::Abandon),
            (0, Event::Invoke("d")),
            (0, Event::Return),
        ];
        let history = History::from_events(events).unwrap();
        let seen: Vec<_> =
            history.operations().iter().map(|o| (o.operation, o.returned.is_some(), o.response)).collect();
        assert_eq!(seen, [("a", false, None), ("c", true, Some(3)), ("d", true, None)]);
        assert_eq!((history.pending(), history.max_concurrency()), (1, 2));
        assert!(history.operations()[1].precedes(&history.operations()[2]));
        assert!(!history.operations()[0].precedes(&history.operations()[2]));
    }

    #[test]
    fn failed_operations_are_removed_one_by_one_or_together() {
        let events = [
            (0, Event::Invoke('a')),
            (1, Event::Invoke('b')),
            (2, Event::Invoke('c')),
            (0, Event::Fail),
            (0, Event::Invoke('d')),
            (1, Event::Fail),
            (2, Event::Respond(3)),
        ];
        let mut history = History::new();
        events.iter().for_each(|(process, event)| history.event(*process, event.clone()).unwrap());
        assert_eq!(history, History::from_events(events).unwrap());
        history.respond(0, 4).unwrap();
        let seen: Vec<_> = history.operations().iter().map(|o| (o.operation, o.response)).collect();
        assert_eq!(seen, [('c', Some(3)), ('d', Some(4))]);
    }

    #[test]
    fn misplaced_events_are_rejected() {
        let mut history: History<u8, u8> = History::new();
        assert_eq!(history.respond(1, 0), Err(Misplaced::Idle(1)));
        history.invoke(1, 0).unwrap();
        assert_eq!(history.invoke(1, 0), Err(Misplaced::Busy(1)));
    }
}
