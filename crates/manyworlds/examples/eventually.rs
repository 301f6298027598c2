//! Actors and `eventually`: a message goes round for ever, unless somebody stops it. The counterexample is a lasso: a path, and a cycle at its end.

use manyworlds::actor::{Actor, Context, System};
use manyworlds::{Answer, Options, Pid, Refused};

struct Player {
    other: Pid,
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
    System::new()
        .actor("left", Player { other: Pid::root(1), serves: true, may_miss: false })
        .actor("right", Player { other: Pid::root(0), serves: false, may_miss })
        .eventually("the game ends", |view| view.all::<bool>().any(|(_, missed)| *missed))
}

fn check(may_miss: bool) -> Result<Answer, Refused> {
    Options::new().name("game").check(&game(may_miss))
}

fn main() -> Result<(), Refused> {
    print!("{}", Options::new().name("game").report(&check(true)?));
    Ok(())
}

#[test]
fn whoever_may_miss_need_not() {
    for may_miss in [true, false] {
        let answer = check(may_miss).unwrap();
        let trace = answer.outcome.trace().expect("nobody has to miss, ever");
        assert!(trace.loop_from.is_some(), "the path goes round");
    }
}
