//! An order that the specification proposes is checked here, so that a wrong proposal costs time and no more.

use super::relation::Relation;
use super::subject::{Known, Span};

/// Whether the operations at these places, in this order, explain every response and respect real time.
pub fn explains(order: &[usize], spans: &[Span], known: &[Known], kinds: &[u32], relation: &mut Relation<'_>) -> bool {
    let mut is_left = vec![true; known.len()];
    // The latest invocation so far: what comes now must not have returned before it.
    let (mut latest, mut state) = (0, 0);
    for &place in order {
        let Some(known) = known.get(place).filter(|_| std::mem::take(&mut is_left[place])) else { return false };
        latest = spans[known.number].invoked.max(latest);
        if known.returned.is_some_and(|returned| returned < latest) {
            return false;
        }
        // One of several outcomes would have to be chosen: that is a search.
        let Some(next) = relation.only_successor(state, kinds[place]) else { return false };
        state = next;
    }
    known.iter().zip(is_left).all(|(known, is_left)| !is_left || known.returned.is_none())
}

#[cfg(test)]
mod tests {
    use crate::{History, Operation, Seen, Sequential, check};

    /// A register of numbers that always proposes the order of places.
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

    /// The user's steps show whether the proposal was enough: a step for each operation.
    fn steps(operations: Vec<Operation<Option<u8>, u8>>) -> (bool, u64) {
        let answer = check(&InOrder, &History::from_operations(operations));
        (answer.is_linearizable(), answer.user_steps)
    }

    #[test]
    fn a_right_proposal_is_the_answer_and_a_wrong_one_is_not() {
        let write = operation(Some(1), 1, 0, Some(9));
        assert_eq!(steps(vec![write.clone(), operation(None, 1, 2, Some(3))]), (true, 2));
        // The wrong response for this order; the other order is right.
        let (good, steps_taken) = steps(vec![write.clone(), operation(None, 0, 2, Some(3))]);
        assert!(good && steps_taken > 2);
        // Against real time: no order is right.
        assert!(!steps(vec![operation(Some(1), 1, 5, Some(9)), operation(None, 1, 2, Some(3))]).0);
    }

    /// Proposes what is not a permutation of the operations that returned.
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
    fn operations_are_in_the_order_once_and_those_that_returned_are() {
        let impossible = vec![operation(Some(1), 1, 0, Some(1)), operation(None, 0, 2, Some(3))];
        for order in [vec![], vec![0], vec![0, 0], vec![1, 1], vec![0, 7]] {
            let answer = check(&Wrong(order.clone()), &History::from_operations(impossible.clone()));
            assert!(!answer.is_linearizable(), "{order:?}");
        }
    }
}
