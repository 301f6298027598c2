//! `token-ring`: `n` stations in a ring share a resource. A token goes round `rounds` times; a station that wants the resource uses it when
//! the token comes, and passes the token on when it is done; one that does not want it passes the token on at once. Never do two stations use
//! the resource at the same time, and the token has been everywhere `rounds` times in the end. There is one message at any time, so every network
//! will do.
//!
//! `token-ring-bug`: the first station takes a token that is away for lost, without any reason but impatience, and makes another one: two
//! stations use the resource.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Context, System};

const PARAMS: &[Param] =
    &[Param::int("n", 5, 2..=64, "stations"), Param::int("rounds", 3, 1..=100, "how many times the token goes round")];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "token-ring",
    summary: "n stations use a resource while they have the token: mutual exclusion",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("rounds"), false))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "token-ring-bug",
    summary: "an impatient station makes a second token: two stations use the resource",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("rounds"), true))),
};

const WANT: &str = "want the resource";
const RELEASE: &str = "release the resource";
const IMPATIENCE: &str = "the token must be lost";

/// Says which round this is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Token(usize);

struct Station {
    next: Pid,
    /// The first station starts with the token and counts the rounds.
    first: bool,
    rounds: usize,
    impatient: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Use {
    wants: bool,
    /// Has the token, and the resource, in this round.
    uses: Option<usize>,
    /// How often the token was here.
    visits: usize,
}

impl Station {
    fn pass_on(&self, round: usize, ctx: &mut Context<'_>) {
        let round = if self.first { round + 1 } else { round };
        if round <= self.rounds {
            ctx.send(self.next, Token(round));
        }
    }
}

impl Actor for Station {
    type State = Use;
    type Message = Token;

    fn start(&self, ctx: &mut Context<'_>) -> Use {
        ctx.set_timer(WANT);
        if self.first {
            self.pass_on(0, ctx);
            if self.impatient {
                ctx.set_timer(IMPATIENCE);
            }
        }
        Use::default()
    }

    fn message(&self, state: &mut Use, _: Pid, &Token(round): &Token, ctx: &mut Context<'_>) {
        ctx.cancel_timer(IMPATIENCE);
        state.visits += 1;
        if state.wants && state.uses.is_none() {
            state.uses = Some(round);
            ctx.set_timer(RELEASE);
        } else {
            self.pass_on(round, ctx);
        }
    }

    fn timer(&self, state: &mut Use, timer: &'static str, ctx: &mut Context<'_>) {
        match timer {
            WANT => state.wants = true,
            IMPATIENCE => self.pass_on(0, ctx),
            _ => {
                let round = state.uses.take().expect("only who uses the resource releases it");
                state.wants = false;
                ctx.set_timer(WANT);
                self.pass_on(round, ctx);
            }
        }
    }
}

fn system(n: usize, rounds: usize, impatient: bool) -> System {
    let mut system = System::new();
    let mut ring = Vec::new();
    for i in 0..n {
        let next = Pid::root(((i + 1) % n) as u16);
        ring.push((system.add(format!("station {i}"), Station { next, first: i == 0, rounds, impatient }), next));
    }
    let system = ring.into_iter().fold(system, |system, (station, next)| system.sends_only_to(station, [next]));
    system
        .always("at most one station uses the resource", |view| {
            view.all::<Use>().filter(|(_, state)| state.uses.is_some()).count() <= 1
        })
        .sometimes("a station uses the resource while all others want it", |view| {
            view.all::<Use>().all(|(_, state)| state.wants) && view.all::<Use>().any(|(_, state)| state.uses.is_some())
        })
        .eventually("the token has been everywhere", move |view| {
            view.all::<Use>().filter(|(_, state)| state.visits > 0).count() == n
        })
        .at_rest("the token went round as often as it should", move |view| {
            view.all::<Use>().all(|(_, state)| state.visits == rounds)
        })
}
