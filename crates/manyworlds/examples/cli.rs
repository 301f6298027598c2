//! A command line for models of one's own: `cargo run -p manyworlds --example cli -- help`.
//!
//! A program, actors and a specification; each says what it is called, which parameters it has, and how it is made of them.

use manyworlds::Specification;
use manyworlds::actor::{Actor, Address, Context, Reserved, System};
use manyworlds::explore::{self, Property};
use manyworlds::models::{Build, Model, Param};
use manyworlds::prelude::*;

manyworlds::cli![RACE, TOKEN, WALK];

/// A program.
const RACE: Model = Model {
    name: "race",
    summary: "senders race to one receiver, and somebody believes that the first one wins",
    params: &[
        Param::int("senders", 2, 1..=6, "senders that race"),
        Param::choice("bet", &["none", "first"], "what is believed"),
    ],
    build: Build::Program(|params| {
        let (senders, bets) = (params.int("senders"), params.text("bet") == "first");
        Ok(Program::new(move || race(senders, bets)))
    }),
};

fn race(senders: usize, bets: bool) {
    let receiver = me();
    for i in 0..senders {
        process(format_args!("sender{i}")).spawn(move || send(receiver, i));
    }
    let order: Vec<usize> = (0..senders).map(|_| recv()).collect();
    assert!(!bets || order[0] == 0, "sender{} is first", order[0]);
}

/// Actors.
const TOKEN: Model = Model {
    name: "token",
    summary: "a token goes round a ring once",
    params: &[Param::int("n", 3, 2..=8, "places on the ring")],
    build: Build::Actors(|params| Ok(ring(params.int("n")))),
};

struct Place {
    next: Address<&'static str>,
    first: bool,
}

impl Actor for Place {
    type State = u32;
    type Message = &'static str;

    fn start(&self, ctx: &mut Context<'_>) -> u32 {
        if self.first {
            ctx.send(self.next, "token");
        }
        0
    }

    fn message(&self, seen: &mut u32, _: Pid, token: &&'static str, ctx: &mut Context<'_>) {
        *seen += 1;
        if !self.first {
            ctx.send(self.next, *token);
        }
    }
}

fn ring(n: usize) -> System {
    let mut system = System::new();
    let places: Vec<_> = (0..n).map(|i| system.reserve(format!("place{i}"))).collect();
    let mut next: Vec<_> = places.iter().map(Reserved::address).collect();
    next.rotate_left(1);
    for (i, (place, next)) in places.into_iter().zip(next).enumerate() {
        system.define(place, Place { next, first: i == 0 });
    }
    system.at_rest("everybody has seen it once", |view| view.all::<u32>().all(|(_, seen)| *seen == 1))
}

/// A specification.
const WALK: Model = Model {
    name: "walk",
    summary: "steps to the left or to the right: how far can one get?",
    params: &[Param::int("steps", 3, 0..=100, "steps"), Param::int("far", 3, 1..=100, "too far")],
    build: Build::Specification(|params| {
        Ok(Box::new(Specification::new(Walk { steps: params.int("steps") as i32, far: params.int("far") as i32 })))
    }),
};

#[derive(Clone)]
struct Walk {
    steps: i32,
    far: i32,
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Left,
    Right,
}

impl explore::Model for Walk {
    /// How many steps were made, and where one is.
    type State = (i32, i32);
    type Action = Step;

    fn initial(&self) -> Vec<(i32, i32)> {
        vec![(0, 0)]
    }

    fn actions(&self, &(made, _): &(i32, i32), actions: &mut Vec<Step>) {
        if made < self.steps {
            actions.extend([Step::Left, Step::Right]);
        }
    }

    fn next(&self, &(made, place): &(i32, i32), step: &Step) -> Option<(i32, i32)> {
        Some(match step {
            Step::Left => (made + 1, place - 1),
            Step::Right => (made + 1, place + 1),
        })
    }

    fn properties(&self) -> Vec<Property<Walk>> {
        vec![Property::never("too far", |walk: &Walk, &(_, place)| place.abs() >= walk.far)]
    }
}
