//! A concurrent object: a counter that should be linearizable.
//!
//! Threads record the invocations and responses of their operations. In every execution, Manyworlds
//! checks whether some sequential order of the operations explains the responses.

use manyworlds::linear::specs::Counter;
use manyworlds::linear::specs::counter::{Operation, Response};
use manyworlds::models::{Build, Model, Param};
use manyworlds::prelude::*;
use manyworlds::sync::Arc;
use manyworlds::sync::atomic::{AtomicI64, Ordering::SeqCst};
use manyworlds::{invoked, returned, thread};

const PARAMS: &[Param] = &[Param::int("threads", 2, 1..=3, "threads that count")];

/// The correct counter.
pub const MODEL: Model = Model {
    name: "counter",
    summary: "a counter that adds at once is linearizable",
    params: PARAMS,
    build: Build::Program(|params| Ok(counting(params.int("threads"), add_at_once))),
};

/// Between the load and the store, another thread may change the counter.
pub const BUG: Model = Model {
    name: "counter-bug",
    summary: "a counter that loads and stores loses what others add",
    build: Build::Program(|params| Ok(counting(params.int("threads"), add_in_two_steps))),
    ..MODEL
};

fn add_at_once(count: &AtomicI64) {
    count.fetch_add(1, SeqCst);
}

fn add_in_two_steps(count: &AtomicI64) {
    let before = count.load(SeqCst);
    count.store(before + 1, SeqCst);
}

/// Each thread adds one; then the main thread reads the counter.
fn counting(threads: usize, add: fn(&AtomicI64)) -> Program {
    Program::new(move || {
        let count = Arc::new(AtomicI64::new(0));
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                let count = count.clone();
                thread::spawn(move || {
                    invoked(Operation::Add(1));
                    add(&count);
                    returned(Response::Added);
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        invoked(Operation::Read);
        let total = count.load(SeqCst);
        returned(Response::Count(total));
    })
    .linearizable(Counter::new(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds::Requirement;

    #[manyworlds::test]
    fn adding_at_once_is_linearizable() -> Program {
        counting(2, add_at_once)
    }

    #[test]
    fn two_steps_are_one_too_many() {
        let answer = check(counting(2, add_in_two_steps)).run().unwrap();
        let violation = answer.violation().expect("one addition is lost");
        assert_eq!(violation.property, Requirement::Linearizable);
    }
}
