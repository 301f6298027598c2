//! Symmetry: voters are alike, so of all states that differ in their names only, one is explored.

use manyworlds::actor::{Actor, Context, System};
use manyworlds::{Answer, Options, Pid, Refused};

struct Voter {
    box_: Pid,
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
    let all: Vec<Pid> = (0..voters).map(|nth| system.add(format!("voter{nth}"), Voter { box_ })).collect();
    system.identical(all).at_rest("all votes count", move |view| {
        let votes: &[usize; 2] = view.state(box_);
        votes.iter().sum::<usize>() == voters
    })
}

fn check(symmetry: bool) -> Result<Answer, Refused> {
    Options { symmetry, ..Options::new().name("vote") }.check(&system(5))
}

fn main() -> Result<(), Refused> {
    for symmetry in [false, true] {
        print!("{}", Options::new().name("vote").report(&check(symmetry)?));
    }
    Ok(())
}

#[test]
fn fewer_states_and_the_same_verdict() {
    let [all, few] = [false, true].map(|symmetry| check(symmetry).unwrap().outcome);
    assert!(all.is_verified() && few.is_verified());
    assert!(few.stats.states < all.stats.states);
}
