//! Actors and `eventually`: a message goes round for ever, unless somebody stops it. The counterexample is a lasso: a path, and a cycle at its end.

use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::{Answer, Pid, Refused, check};

struct Player {
    other: Address<&'static str>,
    serves: bool,
    /// Whether it may miss, and always returns otherwise.
    may_miss: bool,
}

impl Actor for Player {
    /// Whether it has missed.
    type State = bool;
    type Message = &'static str;

    fn start(&self, ctx: &mut Context<'_>) -> bool {
        if self.serves {
            ctx.send(self.other, "ball");
        }
        false
    }

    fn message(&self, missed: &mut bool, _: Pid, ball: &&'static str, ctx: &mut Context<'_>) {
        *missed = self.may_miss && ctx.flip();
        if !*missed {
            ctx.send(self.other, *ball);
        }
    }
}

/// A game in which nobody may miss, or the second player may.
fn game(may_miss: bool) -> System {
    let mut system = System::new();
    let (left, right) = (system.reserve("left"), system.reserve("right"));
    let (to_left, to_right) = (left.address(), right.address());
    system.define(left, Player { other: to_right, serves: true, may_miss: false });
    system.define(right, Player { other: to_left, serves: false, may_miss });
    system.eventually("the game ends", |view| view.all::<bool>().any(|(_, missed)| *missed))
}

fn answer(may_miss: bool) -> Result<Answer, Refused> {
    check(game(may_miss)).name("game").run()
}

fn main() -> Result<(), Refused> {
    print!("{}", answer(true)?);
    Ok(())
}

#[test]
fn whoever_may_miss_need_not() {
    for may_miss in [true, false] {
        let answer = answer(may_miss).unwrap();
        let trace = answer.trace().expect("nobody has to miss, ever");
        assert!(trace.loop_from.is_some(), "the path goes round");
    }
}
