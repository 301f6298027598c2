//! Fairness of actors: which assumptions cover a step.
//!
//! An actor as a whole takes the steps in which it starts, takes a message or notices a timer; faults are nobody's. A queue of an actor takes the
//! deliveries of its head, also those that leave a duplicate behind: there is one queue for each sender under p2p and cd, and one for all
//! senders under mbox. Under asyn there are no queues, and each sender and value counts as one.

use crate::inbox::Key;
use crate::state::State;
use crate::step::Step;
use crate::system::Blueprint;
use crate::worlds::Worlds;
use manyworlds_explore::{Assumed, Label, Strength};

/// Distinguishes the keys of queues from those of actors.
const QUEUE: u128 = 1 << 96;

impl Worlds {
    /// Adds the assumptions that cover a step.
    pub(crate) fn add_labels(&self, state: &State, step: &Step, out: &mut Vec<Label>) {
        let Some(actor) = step.actor() else { return };
        // Nothing is assumed of created actors.
        let Some(declared) = self.blueprint().actors.get(usize::from(actor)) else { return };
        out.extend(declared.fair.map(|strength| Label { strength, key: u128::from(actor) }));
        let Some(strength) = declared.fair_queues else { return };
        if let Step::Deliver { to, message, .. } = self.in_full(state, step) {
            let mirrors = self.prepared();
            let id = self.envelope(&mirrors, state, message);
            let from = mirrors.envelopes.get(id).from;
            let queue = Key::new(self.blueprint().channel(from, to), from, id).to_bits();
            out.push(Label { strength, key: QUEUE | u128::from(to) << 64 | u128::from(queue) });
        }
    }
}

/// What a system assumes, by name.
pub(crate) fn assumed(blueprint: &Blueprint) -> Assumed {
    let mut assumed = Assumed::default();
    for actor in &blueprint.actors {
        let names = [(actor.fair, actor.name.clone()), (actor.fair_queues, format!("the queues of {}", actor.name))];
        for (strength, name) in names {
            match strength {
                Some(Strength::Weak) => assumed.weakly.push(name),
                Some(Strength::Strong) => assumed.strongly.push(name),
                None => {}
            }
        }
    }
    assumed
}
