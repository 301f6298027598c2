//! `token-ring`: mutual exclusion by a token. `n` stations in a ring share a resource. The token goes round `rounds` times; a
//! station that wants the resource uses it when the token arrives, and forwards the token when it has finished; other stations
//! forward the token immediately. At most one station uses the resource at any time, and at the end the token has visited every
//! station `rounds` times. There is at most one message at any time, so the model is correct under every network.
//!
//! `token-ring-bug`: the first station assumes on a timeout that the token is lost, although it is not, and creates another one:
//! two stations use the resource.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Address, Context, Reserved, System};

const PARAMS: &[Param] =
    &[Param::int("n", 5, 2..=64, "stations"), Param::int("rounds", 3, 1..=100, "how many times the token goes round")];

/// The model `token-ring`.
pub const MODEL: Model = Model {
    name: "token-ring",
    summary: "n stations in a ring use a resource while they have the token: mutual exclusion",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("rounds"), false))),
};

/// The model `token-ring-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "token-ring-bug",
    summary: "a station creates a second token on a timeout: two stations use the resource",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("rounds"), true))),
};

const WANT: &str = "want the resource";
const RELEASE: &str = "release the resource";
const TOKEN_TIMEOUT: &str = "the token must be lost";

/// The token, with the number of the current round.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Token(usize);

struct Station {
    next: Address<Token>,
    /// Whether this is the first station, which starts with the token and counts the rounds.
    first: bool,
    rounds: usize,
    /// Whether the first station creates another token on a timeout.
    regenerates: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Use {
    wants: bool,
    /// The round of the token, while the station has the token and uses the resource.
    uses: Option<usize>,
    /// The number of visits of the token.
    visits: usize,
}

impl Station {
    fn forward(&self, round: usize, ctx: &mut Context<'_>) {
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
            self.forward(0, ctx);
            if self.regenerates {
                ctx.set_timer(TOKEN_TIMEOUT);
            }
        }
        Use::default()
    }

    fn message(&self, state: &mut Use, _: Pid, &Token(round): &Token, ctx: &mut Context<'_>) {
        ctx.cancel_timer(TOKEN_TIMEOUT);
        state.visits += 1;
        if state.wants && state.uses.is_none() {
            state.uses = Some(round);
            ctx.set_timer(RELEASE);
        } else {
            self.forward(round, ctx);
        }
    }

    fn timer(&self, state: &mut Use, timer: &'static str, ctx: &mut Context<'_>) {
        match timer {
            WANT => state.wants = true,
            TOKEN_TIMEOUT => self.forward(0, ctx),
            _ => {
                let round = state.uses.take().expect("only a station that uses the resource releases it");
                state.wants = false;
                ctx.set_timer(WANT);
                self.forward(round, ctx);
            }
        }
    }
}

fn system(n: usize, rounds: usize, regenerates: bool) -> System {
    let mut system = System::new();
    let reserved: Vec<_> = (0..n).map(|i| system.reserve(format!("station {i}"))).collect();
    let mut next: Vec<_> = reserved.iter().map(Reserved::address).collect();
    next.rotate_left(1);
    let mut ring = Vec::new();
    for (i, (station, next)) in reserved.into_iter().zip(next).enumerate() {
        ring.push((system.define(station, Station { next, first: i == 0, rounds, regenerates }), next));
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
