//! Compares the checker with the definition on random histories of every object, and verifies every order and explanation.

use crate::oracle::brute::{explains, is_consistent};
use crate::oracle::random::{Words, play, script};
use manyworlds_linear::specs::*;
use manyworlds_linear::{CheckOptions, Consistency, History, Judgement, Operation, Spec, check_with};
use proptest::prelude::*;

/// The maximal number of operations: the brute-force search of longer histories takes too long.
const MOST: usize = 12;

/// The maximal number of operations for which cores are verified.
const FEW: usize = 6;

/// A bag from which any element may be taken.
#[derive(Clone)]
struct Bag;

impl Spec for Bag {
    type State = Vec<u8>;
    type Operation = Option<u8>;
    type Response = Option<u8>;

    fn initial(&self) -> Vec<u8> {
        Vec::new()
    }

    fn outcomes(&self, bag: &Vec<u8>, operation: &Option<u8>, out: &mut Vec<(Vec<u8>, Option<u8>)>) {
        match operation {
            Some(n) => {
                let mut more = bag.clone();
                more.push(*n);
                more.sort_unstable();
                out.push((more, None));
            }
            None => out.extend((0..bag.len()).map(|at| {
                let mut less = bag.clone();
                let taken = less.remove(at);
                (less, Some(taken))
            })),
        }
    }
}

/// The history in which only the invocation is known of the operations that are not in `kept`.
fn freed<O: Clone, R: Clone>(history: &History<O, R>, kept: &[usize]) -> History<O, R> {
    let free = |(number, operation): (usize, &Operation<O, R>)| match kept.contains(&number) {
        true => operation.clone(),
        false => Operation { returned: None, response: None, ..operation.clone() },
    };
    History::from_operations(history.operations().iter().enumerate().map(free).collect())
}

/// The indices of the operations invoked before the return of operation `last`, and the prefix of the history up to that return, with the return or without.
fn up_to<O: Clone, R: Clone>(history: &History<O, R>, last: usize, with: bool) -> (Vec<usize>, History<O, R>) {
    let operations = history.operations();
    let end = operations[last].returned.expect("only an operation that returns is stuck");
    let known = |&at: &usize| at < end || with && at == end;
    let numbers: Vec<usize> = (0..operations.len()).filter(|&number| operations[number].invoked <= end).collect();
    let cut = |&number: &usize| Operation {
        returned: operations[number].returned.filter(known),
        ..operations[number].clone()
    };
    let cut = History::from_operations(numbers.iter().map(cut).collect());
    (numbers, cut)
}

fn agree<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    consistency: Consistency,
    split: bool,
) -> Result<(), TestCaseError> {
    let options = CheckOptions { consistency, split, ..CheckOptions::default() };
    let expected = is_consistent(spec, history, consistency);
    let consistent = |history: &History<_, _>| is_consistent(spec, history, consistency);
    match check_with(spec, history, &options).verdict {
        Judgement::Consistent(order) => {
            prop_assert!(expected, "there is no order");
            prop_assert!(explains(spec, history, &order, consistency), "{order:?} does not explain the history");
        }
        Judgement::Violated(explanation) => {
            prop_assert!(!expected, "there is an order");
            prop_assert!(!explanation.stuck.is_empty());
            prop_assert!(
                explanation.stuck.iter().all(|stuck| !explanation.prefix.contains(stuck))
                    || consistency == Consistency::Linearizable
            );
            // With separate keys, another key may be inconsistent earlier.
            if consistency == Consistency::Linearizable && !split {
                let [stuck] = explanation.stuck[..] else { panic!("one is stuck, not {:?}", explanation.stuck) };
                let (numbers, before) = up_to(history, stuck, false);
                let place = |number: &usize| numbers.iter().position(|other| other == number);
                let prefix: Option<Vec<usize>> = explanation.prefix.iter().map(place).collect();
                let prefix = prefix.expect("the prefix consists of operations invoked before");
                prop_assert!(explains(spec, &before, &prefix, consistency), "{prefix:?} explains no prefix");
                prop_assert!(!consistent(&up_to(history, stuck, true).1), "a longer prefix has an order");
            }
            // If too many operations are unconstrained, the brute-force search takes too long, and the checker may not minimize the core.
            let sets = [(explanation.minimal, false), (explanation.core, true)];
            for (set, cut) in sets.into_iter().filter(|(_, cut)| !cut || history.len() <= FEW) {
                let set = set.expect("no observer stopped the check");
                let only = |set: &[usize]| if cut { freed(history, set) } else { history.restrict(set) };
                prop_assert!(
                    !consistent(&only(&set)),
                    "{set:?} is consistent (core: {cut}, {consistency:?}) {:?}",
                    history.operations()
                );
                for at in 0..set.len() {
                    let mut fewer = set.clone();
                    fewer.remove(at);
                    prop_assert!(
                        consistent(&only(&fewer)),
                        "{set:?} is not minimal (core: {cut}, {consistency:?}): {fewer:?} suffices for {:#?}",
                        history.operations()
                    );
                }
            }
        }
        Judgement::Incomplete(reason) => prop_assert!(false, "stopped: {reason:?}"),
    }
    Ok(())
}

macro_rules! random {
    ($($name:ident: $spec:expr, $operations:expr, $responses:expr;)*) => {
        manyworlds_testkit::random! {
            #![cases = 200]
            $(
                #[test]
                fn $name(script in script()) {
                    let spec = $spec;
                    let words = Words { operations: $operations.into(), responses: $responses.into() };
                    let history = play(&spec, &words, &script, MOST);
                    agree(&spec, &history, Consistency::Linearizable, true)?;
                    agree(&spec, &history, Consistency::Linearizable, false)?;
                    agree(&spec, &history, Consistency::Sequential, true)?;
                }
            )*
        }
    };
}

random! {
    register: Register::new(0),
        [register::Operation::Read, register::Operation::Write(1), register::Operation::Write(2), register::Operation::Read],
        [register::Response::Written, register::Response::Read(0), register::Response::Read(1), register::Response::Read(2)];
    cas_register: CasRegister::new(0),
        [cas_register::Operation::Read, cas_register::Operation::Write(1), cas_register::Operation::Cas(0, 1),
            cas_register::Operation::Cas(1, 2), cas_register::Operation::Cas(2, 0)],
        [cas_register::Response::Written, cas_register::Response::Read(0), cas_register::Response::Read(2),
            cas_register::Response::Cas(true), cas_register::Response::Cas(false)];
    map: Map::new(),
        [map::Operation::Get(0), map::Operation::Put(0, 1), map::Operation::Append(0, 2), map::Operation::Delete(0),
            map::Operation::Get(1), map::Operation::Append(1, 4)],
        [map::Response::Done, map::Response::Got(None), map::Response::Got(Some(1)), map::Response::Got(Some(4))];
    multi_register: MultiRegister::new(0),
        [vec![multi_register::Access::Read(0)], vec![multi_register::Access::Write(0, 1)],
            vec![multi_register::Access::Read(0), multi_register::Access::Write(1, 1)],
            vec![multi_register::Access::Read(0), multi_register::Access::Read(1)],
            vec![multi_register::Access::Write(1, 2), multi_register::Access::Write(0, 2)]],
        [vec![Some(0)], vec![Some(1)], vec![None], vec![Some(0), None], vec![Some(1), Some(0)], vec![Some(0), Some(1)]];
    set: Set::new(),
        [set::Operation::Add(1), set::Operation::Add(2), set::Operation::Remove(1), set::Operation::Contains(1), set::Operation::Read],
        [set::Response::Done, set::Response::Contains(true), set::Response::Contains(false), set::Response::Read(vec![1]),
            set::Response::Read(vec![1, 2])];
    set_of_members: Set::new(),
        [set::Operation::Add(1), set::Operation::Add(2), set::Operation::Remove(1), set::Operation::Contains(1)],
        [set::Response::Done, set::Response::Contains(true), set::Response::Contains(false)];
    queue: Queue::new(),
        [queue::Operation::Enqueue(1), queue::Operation::Enqueue(2), queue::Operation::Dequeue, queue::Operation::Dequeue],
        [queue::Response::Enqueued, queue::Response::Dequeued(None), queue::Response::Dequeued(Some(1)),
            queue::Response::Dequeued(Some(2))];
    queue_of_different_values: Queue::new(),
        [queue::Operation::Enqueue(1), queue::Operation::Dequeue, queue::Operation::Enqueue(2), queue::Operation::Enqueue(3),
            queue::Operation::Dequeue, queue::Operation::Enqueue(4), queue::Operation::Enqueue(5), queue::Operation::Dequeue,
            queue::Operation::Enqueue(6), queue::Operation::Enqueue(7), queue::Operation::Dequeue],
        [queue::Response::Enqueued, queue::Response::Dequeued(None), queue::Response::Dequeued(Some(1)),
            queue::Response::Dequeued(Some(2)), queue::Response::Dequeued(Some(3)), queue::Response::Dequeued(Some(4)),
            queue::Response::Enqueued];
    stack: Stack::new(),
        [stack::Operation::Push(1), stack::Operation::Push(2), stack::Operation::Pop, stack::Operation::Pop],
        [stack::Response::Pushed, stack::Response::Popped(None), stack::Response::Popped(Some(1)),
            stack::Response::Popped(Some(2))];
    counter: Counter::new(0),
        [counter::Operation::Read, counter::Operation::Add(1), counter::Operation::FetchAdd(1), counter::Operation::Add(-1)],
        [counter::Response::Added, counter::Response::Count(0), counter::Response::Count(1)];
    mutex: Mutex::new(),
        [mutex::Operation::Acquire, mutex::Operation::Release, mutex::Operation::TryAcquire],
        [true, false];
    log: Log::new(),
        [log::Operation::Append(1), log::Operation::Append(2), log::Operation::Read, log::Operation::Get(0)],
        [log::Response::At(0), log::Response::At(1), log::Response::Read(vec![1]), log::Response::Got(None),
            log::Response::Got(Some(1))];
    bag: Bag,
        [Some(1), Some(2), None, None],
        [None, Some(1), Some(2)];
}

type QueueHistory = History<queue::Operation<u8>, queue::Response<u8>>;

/// Up to five values, each put in at most twice and taken at most twice, at any time, so that the operations on one value constrain those on others.
fn queues() -> impl Strategy<Value = QueueHistory> {
    use queue::Operation::{Dequeue, Enqueue};
    let ended = || prop_oneof![8 => Just((true, true)), 1 => Just((false, true)), 1 => Just((false, false)), 1 => Just((true, false))];
    let times = || prop_oneof![1 => Just(0..=0usize), 12 => Just(1..=1), 1 => Just(2..=2)].prop_flat_map(|times| times);
    let of_value = (times(), times(), prop::collection::vec(ended(), 4));
    (prop::collection::vec(of_value, 2..=5), prop::collection::vec(any::<u16>(), 40), 0..=1usize).prop_map(
        |(values, places, empty)| {
            let mut operations = vec![(Dequeue, queue::Response::Dequeued(None), (true, true)); empty];
            for (value, (puts, takes, ended)) in values.into_iter().enumerate() {
                let value = value as u8;
                operations.extend((0..puts).map(|nth| (Enqueue(value), queue::Response::Enqueued, ended[nth])));
                operations
                    .extend((0..takes).map(|nth| (Dequeue, queue::Response::Dequeued(Some(value)), ended[2 + nth])));
            }
            // Most values are put in before they are taken.
            let late = |operation| if operation == Dequeue { 1 << 15 } else { 0 };
            let at = |place: usize, operation| (usize::from(places[place]) + late(operation)) * 64 + place;
            let operation = |(process, (operation, response, (returns, known)))| {
                let (one, other) = (at(2 * process, operation), at(2 * process + 1, operation));
                let returned = Some(one.max(other)).filter(|_| returns);
                Operation {
                    process,
                    operation,
                    invoked: one.min(other),
                    returned,
                    response: Some(response).filter(|_| known),
                }
            };
            History::from_operations(operations.into_iter().take(MOST).enumerate().map(operation).collect())
        },
    )
}

/// The same history of a stack.
fn as_stack(history: &QueueHistory) -> History<stack::Operation<u8>, stack::Response<u8>> {
    let operation = |op: &Operation<queue::Operation<u8>, queue::Response<u8>>| Operation {
        process: op.process,
        invoked: op.invoked,
        returned: op.returned,
        operation: match op.operation {
            queue::Operation::Enqueue(value) => stack::Operation::Push(value),
            queue::Operation::Dequeue => stack::Operation::Pop,
        },
        response: op.response.map(|response| match response {
            queue::Response::Enqueued => stack::Response::Pushed,
            queue::Response::Dequeued(value) => stack::Response::Popped(value),
        }),
    };
    History::from_operations(history.operations().iter().map(operation).collect())
}

manyworlds_testkit::random! {
    #![cases = 1_500]

    #[test]
    fn queues_and_stacks_with_few_values(history in queues()) {
        agree(&Queue::new(), &history, Consistency::Linearizable, false)?;
        agree(&Stack::new(), &as_stack(&history), Consistency::Linearizable, false)?;
    }
}
