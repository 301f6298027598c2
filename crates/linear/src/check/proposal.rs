//! Verification of a linearization that the specification proposes. A wrong proposal only costs time.

use super::relation::Relation;
use super::subject::{Known, Span};

/// Whether this order of operations, given by indices in `known`, explains every response and respects real-time order.
pub fn explains(order: &[usize], spans: &[Span], known: &[Known], kinds: &[u32], relation: &mut Relation<'_>) -> bool {
    let mut is_left = vec![true; known.len()];
    // The latest invocation so far: an operation that returned before it must not follow.
    let (mut latest, mut state) = (0, 0);
    for &place in order {
        let Some(known) = known.get(place).filter(|_| std::mem::take(&mut is_left[place])) else { return false };
        latest = spans[known.number].invoked.max(latest);
        if known.returned.is_some_and(|returned| returned < latest) {
            return false;
        }
        // With several outcomes a search would be needed.
        let Some(next) = relation.only_successor(state, kinds[place]) else { return false };
        state = next;
    }
    known.iter().zip(is_left).all(|(known, is_left)| !is_left || known.returned.is_none())
}

#[cfg(test)]
mod tests {
    use crate::{History, Operation, Seen, Sequential, check};

    /// A register that always proposes the order of the operations in the history.
    struct InOrder;

    impl Sequential for InOrder {
        type State = u8;
        type Operation = Option<u8>;
        type Response = u8;

        fn initial(&self) -> u8 {
            0
        }

        fn apply(&self, held: &mut u8, write: &Option<u8>) -> u8 {
            *held = write.unwrap_or(*held);
            *held
        }

        fn proposal(&self, history: &[Seen<'_, Option<u8>, u8>]) -> Option<Vec<usize>> {
            Some((0..history.len()).collect())
        }
    }

    fn operation(
        operation: Option<u8>,
        response: u8,
        invoked: usize,
        returned: Option<usize>,
    ) -> Operation<Option<u8>, u8> {
        Operation { process: invoked, operation, invoked, returned, response: Some(response) }
    }

    /// The verdict and the evaluated steps: one step per operation if the proposal was accepted.
    fn steps(operations: Vec<Operation<Option<u8>, u8>>) -> (bool, u64) {
        let answer = check(&InOrder, &History::from_operations(operations));
        (answer.is_linearizable(), answer.user_steps)
    }

    #[test]
    fn a_correct_proposal_is_accepted_and_a_wrong_one_is_not() {
        let write = operation(Some(1), 1, 0, Some(9));
        assert_eq!(steps(vec![write.clone(), operation(None, 1, 2, Some(3))]), (true, 2));
        // The response contradicts the proposed order; the other order is correct.
        let (good, steps_taken) = steps(vec![write.clone(), operation(None, 0, 2, Some(3))]);
        assert!(good && steps_taken > 2);
        // The responses contradict real time: no order is correct.
        assert!(!steps(vec![operation(Some(1), 1, 5, Some(9)), operation(None, 1, 2, Some(3))]).0);
    }

    /// Proposes an order that is not a permutation of the operations that returned.
    struct Wrong(Vec<usize>);

    impl Sequential for Wrong {
        type State = u8;
        type Operation = Option<u8>;
        type Response = u8;

        fn initial(&self) -> u8 {
            0
        }

        fn apply(&self, held: &mut u8, write: &Option<u8>) -> u8 {
            InOrder.apply(held, write)
        }

        fn proposal(&self, _: &[Seen<'_, Option<u8>, u8>]) -> Option<Vec<usize>> {
            Some(self.0.clone())
        }
    }

    #[test]
    fn a_proposal_that_is_not_a_permutation_is_rejected() {
        let impossible = vec![operation(Some(1), 1, 0, Some(1)), operation(None, 0, 2, Some(3))];
        for order in [vec![], vec![0], vec![0, 0], vec![1, 1], vec![0, 7]] {
            let answer = check(&Wrong(order.clone()), &History::from_operations(impossible.clone()));
            assert!(!answer.is_linearizable(), "{order:?}");
        }
    }
}
