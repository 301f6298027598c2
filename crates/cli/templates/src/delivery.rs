//! An actor protocol: parcels are sent over a network that may lose messages.
//!
//! The sender sends a parcel again until it is confirmed. It cannot know whether the parcel or the
//! confirmation was lost, so the receiver must recognize parcels that it already has.

use manyworlds::Pid;
use manyworlds::actor::{Actor, Address, Context, Faults, System};
use manyworlds::models::{Build, Model, Param};

const PARAMS: &[Param] = &[
    Param::int("parcels", 2, 1..=5, "parcels to deliver"),
    Param::int("losses", 1, 0..=3, "messages that may be lost"),
];

/// The correct protocol.
pub const MODEL: Model = Model {
    name: "delivery",
    summary: "every parcel arrives once, although messages are lost",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("parcels"), params.int("losses"), true))),
};

/// The receiver does not check whether it already has a parcel.
pub const BUG: Model = Model {
    name: "delivery-bug",
    summary: "a parcel that is sent again is taken again",
    build: Build::Actors(|params| Ok(system(params.int("parcels"), params.int("losses"), false))),
    ..MODEL
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Parcel(usize);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Confirmed(usize);

struct Sender {
    receiver: Address<Parcel>,
    parcels: usize,
    /// How often a parcel may be sent again: as often as messages may be lost.
    repeats: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Sending {
    parcel: usize,
    repeats: usize,
}

impl Sender {
    fn send(&self, parcel: usize, repeats: usize, ctx: &mut Context<'_>) -> Sending {
        if parcel < self.parcels {
            ctx.send(self.receiver, Parcel(parcel));
            if repeats > 0 {
                ctx.set_timer("repeat");
            }
        }
        Sending { parcel, repeats }
    }
}

impl Actor for Sender {
    type State = Sending;
    type Message = Confirmed;

    fn start(&self, ctx: &mut Context<'_>) -> Sending {
        self.send(0, self.repeats, ctx)
    }

    fn timer(&self, state: &mut Sending, _: &'static str, ctx: &mut Context<'_>) {
        *state = self.send(state.parcel, state.repeats - 1, ctx);
    }

    fn message(&self, state: &mut Sending, _: Pid, message: &Confirmed, ctx: &mut Context<'_>) {
        // It may also be a second confirmation of an earlier parcel.
        if message.0 == state.parcel {
            ctx.cancel_timer("repeat");
            *state = self.send(state.parcel + 1, self.repeats, ctx);
        }
    }
}

struct Receiver {
    looks: bool,
}

impl Actor for Receiver {
    type State = Vec<usize>;
    type Message = Parcel;

    fn start(&self, _: &mut Context<'_>) -> Vec<usize> {
        Vec::new()
    }

    fn message(&self, taken: &mut Vec<usize>, from: Pid, parcel: &Parcel, ctx: &mut Context<'_>) {
        if !self.looks || !taken.contains(&parcel.0) {
            taken.push(parcel.0);
        }
        ctx.send(from, Confirmed(parcel.0));
    }
}

fn system(parcels: usize, losses: usize, looks: bool) -> System {
    let faults = Faults {
        losses: losses as u8,
        ..Faults::default()
    };
    let mut system = System::new().faults(faults);
    let receiver = system.add("receiver", Receiver { looks });
    system.add(
        "sender",
        Sender {
            receiver: receiver.address(),
            parcels,
            repeats: losses,
        },
    );
    system
        .always_of(receiver, "no parcel is taken twice", |taken| {
            (1..taken.len()).all(|i| !taken[..i].contains(&taken[i]))
        })
        .at_rest_of(receiver, "all parcels arrived", move |taken| {
            taken.len() == parcels
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds::{Refused, check};

    #[manyworlds::test]
    fn every_parcel_arrives_once() -> System {
        system(2, 2, true)
    }

    #[test]
    fn a_lost_confirmation_shows_the_bug() -> Result<(), Refused> {
        let answer = check(system(2, 1, false)).run()?;
        let violation = answer.violation().expect("a parcel is taken twice");
        assert!(violation.message.contains("no parcel is taken twice"));
        Ok(())
    }
}
