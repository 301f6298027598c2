//! Symmetry: voters are alike, so of all states that differ in their names only, one is explored.

use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::{Answer, Pid, Refused, check};

struct Voter {
    box_: Address<bool>,
}

impl Actor for Voter {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        let vote = ctx.flip();
        ctx.send(self.box_, vote);
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

/// Counts votes against and for.
struct BallotBox;

impl Actor for BallotBox {
    type State = [usize; 2];
    type Message = bool;

    fn start(&self, _: &mut Context<'_>) -> [usize; 2] {
        [0, 0]
    }

    fn message(&self, votes: &mut [usize; 2], _: Pid, vote: &bool, _: &mut Context<'_>) {
        votes[usize::from(*vote)] += 1;
    }
}

fn system(voters: usize) -> System {
    let mut system = System::new();
    let box_ = system.add("box", BallotBox);
    let voter = |nth| system.add(format!("voter{nth}"), Voter { box_: box_.address() });
    let all: Vec<_> = (0..voters).map(voter).collect();
    system.identical(all).at_rest_of(box_, "all votes count", move |votes| votes.iter().sum::<usize>() == voters)
}

fn answer(symmetry: bool) -> Result<Answer, Refused> {
    check(system(5)).name("vote").symmetry(symmetry).run()
}

fn main() -> Result<(), Refused> {
    for symmetry in [false, true] {
        print!("{}", answer(symmetry)?);
    }
    Ok(())
}

#[test]
fn fewer_states_and_the_same_verdict() {
    let [all, few] = [false, true].map(|symmetry| answer(symmetry).unwrap().outcome);
    assert!(all.is_verified() && few.is_verified());
    assert!(few.stats.states < all.stats.states);
}
