//! A specification in the manner of TLA+: two jugs, of 3 and of 5 litres. Can there be 4 litres in the big one? Deny it, and see.

use manyworlds::explore::{Model, Property};
use manyworlds::{Answer, Refused, Specification, check};

const SMALL: u8 = 3;
const BIG: u8 = 5;

#[derive(Clone)]
struct Jugs;

#[derive(Clone, PartialEq, Debug)]
enum Action {
    FillSmall,
    FillBig,
    EmptySmall,
    EmptyBig,
    SmallIntoBig,
    BigIntoSmall,
}

impl Model for Jugs {
    /// What is in the small one and in the big one.
    type State = (u8, u8);
    type Action = Action;

    fn initial(&self) -> Vec<(u8, u8)> {
        vec![(0, 0)]
    }

    fn actions(&self, _: &(u8, u8), out: &mut Vec<Action>) {
        use Action::*;
        out.extend([FillSmall, FillBig, EmptySmall, EmptyBig, SmallIntoBig, BigIntoSmall]);
    }

    fn next(&self, &(small, big): &(u8, u8), action: &Action) -> Option<(u8, u8)> {
        let (pours, back) = (small.min(BIG - big), big.min(SMALL - small));
        Some(match action {
            Action::FillSmall => (SMALL, big),
            Action::FillBig => (small, BIG),
            Action::EmptySmall => (0, big),
            Action::EmptyBig => (small, 0),
            Action::SmallIntoBig => (small - pours, big + pours),
            Action::BigIntoSmall => (small + back, big - back),
        })
    }

    fn properties(&self) -> Vec<Property<Jugs>> {
        vec![Property::never("four litres", |_, &(_, big)| big == 4)]
    }
}

fn answer() -> Result<Answer, Refused> {
    check(Specification::new(Jugs)).name("jugs").run()
}

fn main() -> Result<(), Refused> {
    print!("{}", answer()?);
    Ok(())
}

#[test]
fn the_shortest_way_has_six_steps() {
    let answer = answer().unwrap();
    let steps = &answer.trace().expect("there is a way").steps;
    assert_eq!(steps.iter().filter(|step| matches!(step.kind, manyworlds::StepKind::Action(_))).count(), 6);
}
