//! A specification with a property of each kind: philosophers take one fork, then another, eat, and put both back.

use manyworlds::explore::{Model, Property};
use manyworlds::{Answer, Refused, Specification, check};

const SEATS: usize = 3;

#[derive(Clone)]
struct Table {
    /// Whether the last one takes his forks in the other order.
    one_is_different: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Philosopher {
    Hungry,
    HasOneFork,
    Eats,
    Done,
}
use Philosopher::*;

type Seats = [Philosopher; SEATS];

impl Table {
    /// The forks of a seat, in the order in which they are taken.
    fn forks(&self, seat: usize) -> [usize; 2] {
        let (left, right) = (seat, (seat + 1) % SEATS);
        if self.one_is_different && seat == SEATS - 1 { [right, left] } else { [left, right] }
    }

    fn holds(&self, state: &Seats, seat: usize, fork: usize) -> bool {
        let held = match state[seat] {
            Hungry | Done => 0,
            HasOneFork => 1,
            Eats => 2,
        };
        self.forks(seat)[..held].contains(&fork)
    }

    fn is_free(&self, state: &Seats, fork: usize) -> bool {
        (0..SEATS).all(|seat| !self.holds(state, seat, fork))
    }
}

impl Model for Table {
    type State = Seats;
    /// Who goes on.
    type Action = usize;

    fn initial(&self) -> Vec<Seats> {
        vec![[Hungry; SEATS]]
    }

    fn actions(&self, state: &Seats, out: &mut Vec<usize>) {
        out.extend((0..SEATS).filter(|&seat| {
            let [first, second] = self.forks(seat);
            match state[seat] {
                Hungry => self.is_free(state, first),
                HasOneFork => self.is_free(state, second),
                Eats => true,
                Done => false,
            }
        }));
    }

    fn next(&self, state: &Seats, &seat: &usize) -> Option<Seats> {
        let mut next = *state;
        next[seat] = match state[seat] {
            Hungry => HasOneFork,
            HasOneFork => Eats,
            Eats | Done => Done,
        };
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Table>> {
        vec![
            // Any two share a fork, as there are three of them.
            Property::always("one eats at a time", |_, state: &Seats| {
                state.iter().filter(|&&philosopher| philosopher == Eats).count() <= 1
            }),
            Property::never("a fork in two hands", |table: &Table, state| {
                (0..SEATS).any(|fork| (0..SEATS).filter(|&seat| table.holds(state, seat, fork)).count() > 1)
            }),
            Property::sometimes("one is done and another eats", |_, state: &Seats| {
                state.contains(&Done) && state.contains(&Eats)
            }),
            Property::at_rest("all are done", |_, state| *state == [Done; SEATS]),
            Property::eventually("somebody eats", |_, state: &Seats| state.contains(&Eats)),
        ]
    }
}

fn answer(one_is_different: bool) -> Result<Answer, Refused> {
    check(Specification::new(Table { one_is_different })).name("philosophers").run()
}

fn main() -> Result<(), Refused> {
    for one_is_different in [true, false] {
        print!("{}", answer(one_is_different)?);
    }
    Ok(())
}

#[test]
fn all_take_their_left_fork_and_wait() {
    assert!(answer(true).unwrap().is_verified());
    let answer = answer(false).unwrap();
    assert_eq!(answer.violation().unwrap().property.to_string(), "at rest all are done");
}
