//! The first return at which a history stops being linearizable, decided from the events up to that return alone.
//!
//! [`check`](crate::check) uses the whole history: a late response constrains the effect of an operation while it was still open, so the
//! linearizable prefix that `check` reports may be shorter.

use crate::check::{CheckOptions, Judgement, check_with};
use crate::explain::Explanation;
use crate::history::{History, Operation};
use crate::spec::Spec;

/// The first return that makes the history non-linearizable, with an explanation and a linearization of the history before it. `None` if there is
/// none.
pub fn first_impossible<S: Spec>(spec: &S, operations: &[Operation<S::Operation, S::Response>]) -> Option<Explanation> {
    let check = |operations| check_with(spec, &History::from_operations(operations), &CheckOptions::default()).verdict;
    let mut ends: Vec<usize> = operations.iter().filter_map(|operation| operation.returned).collect();
    ends.sort_unstable();
    let (mut before, mut order) = (0, Vec::new());
    for end in ends {
        match check(until(operations, end, &[])) {
            Judgement::Consistent(found) => (before, order) = (end, found),
            Judgement::Violated(mut explanation) => {
                let returns = |number: &usize| operations[*number].returned == Some(end);
                explanation.stuck = (0..operations.len()).filter(returns).collect();
                // Prefer a linearization in which the stuck operation takes effect with its own response or not at all. There may be none: other
                // operations may have observed an effect of the stuck operation.
                explanation.prefix = match check(until(operations, before, &explanation.stuck)) {
                    Judgement::Consistent(without) => without,
                    _ => order,
                };
                return Some(explanation);
            }
            Judgement::Incomplete(_) => return None,
        }
    }
    None
}

/// The history up to a return, with the same indices: operations invoked later are kept as pending, and need not take effect. Operations open at the
/// return have no response, except those in `answered`, which take effect with their response if at all.
fn until<O: Clone, R: Clone>(operations: &[Operation<O, R>], end: usize, answered: &[usize]) -> Vec<Operation<O, R>> {
    let cut = |(number, operation): (usize, &Operation<O, R>)| match operation.returned {
        Some(returned) if returned <= end => operation.clone(),
        _ => {
            let response = operation.response.clone().filter(|_| answered.contains(&number));
            Operation { returned: None, response, ..operation.clone() }
        }
    };
    operations.iter().enumerate().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specs::counter::{Operation as Count, Response as Counted};
    use crate::specs::register::{Operation as Op, Response};
    use crate::specs::{Counter, Register};

    fn operation<O, R>(process: usize, what: O, answer: R, invoked: usize, returned: usize) -> Operation<O, R> {
        Operation { process, operation: what, invoked, returned: Some(returned), response: Some(answer) }
    }

    #[test]
    fn the_first_return_without_an_order_is_found_whatever_comes_later() {
        let spec = Register::new(0u8);
        let mut operations = vec![
            operation(0, Op::Write(1), Response::Written, 0, 2),
            operation(1, Op::Read, Response::Read(0), 1, 3),
            operation(1, Op::Read, Response::Read(0), 4, 6),
            // Impossible as well, but later.
            operation(0, Op::Read, Response::Read(7), 5, 7),
        ];
        let why = first_impossible(&spec, &operations).unwrap();
        assert_eq!((why.prefix, why.stuck, why.core), (vec![1, 0], vec![2], Some(vec![0, 2])));
        operations[2] = operation(1, Op::Read, Response::Read(1), 4, 6);
        let why = first_impossible(&spec, &operations).unwrap();
        assert_eq!((why.prefix, why.stuck), (vec![1, 0, 2], vec![3]));
        operations.pop();
        assert!(first_impossible(&spec, &operations).is_none());
    }

    #[test]
    fn a_late_response_is_stuck_even_if_other_operations_observed_its_effect() {
        let operations = vec![
            operation(0, Count::FetchAdd(1), Counted::Count(5), 0, 3),
            operation(1, Count::Read, Counted::Count(1), 1, 2),
        ];
        let whole = crate::check(&Counter::new(0), &History::from_operations(operations.clone()));
        assert_eq!(whole.explanation().unwrap().stuck, [1], "with the later response 5, the read cannot be explained");
        let why = first_impossible(&Counter::new(0), &operations).unwrap();
        assert_eq!((why.stuck, why.prefix), (vec![0], vec![0, 1]));
    }
}
