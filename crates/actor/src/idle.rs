//! Deliveries that do nothing, left out under asyn.
//!
//! A delivery that changes no local state, sends nothing and records nothing only removes its message. Under asyn a message may stay in flight for as long
//! as one likes, and keeps no other message back. So let a path contain such a delivery; leave it out, and keep the message in flight: every later step
//! can be taken as before, with the same local states, and sends, failures and records are the same. Hence without these deliveries the same
//! combinations of local states are reached, the same handlers fail, and the same histories are made. What differs is which messages are in flight, and
//! whether something can still happen.
//!
//! So this is refused (with the reason) for properties of states at rest and for temporal properties, for monitors, because they may be hot in the end,
//! for schedulers and must, and where some channel is not asyn. A property that looks at messages in flight ([`View::flights`](crate::View::flights)) is
//! known only when it does: [`Worlds::looked_at_messages`]; then the run has no result, and the caller runs again without leaving anything out.

use crate::system::{Blueprint, System};
use crate::table::{Branch, Input, NONE};
use crate::worlds::Worlds;
use manyworlds_core::{Engine, Kind, Network};
use std::sync::atomic::Ordering;

impl System {
    /// Leaves out deliveries that change nothing, send nothing and record nothing, where that is sound: all channels are asyn, and all properties are
    /// `always`, `never` or `sometimes` and do not look at messages in flight. The default is to explore them.
    pub fn leave_out_idle_deliveries(mut self, leave_out: bool) -> System {
        self.blueprint_mut().leaves_out_idle = leave_out;
        self
    }
}

impl Blueprint {
    /// Why an engine cannot leave out deliveries that do nothing, if so.
    pub fn needs_idle_deliveries(&self, engine: Engine) -> Option<&'static str> {
        let looks_at_ends = |kind: Kind| kind.is_temporal() || kind == Kind::AtRest;
        let networks = [Network::P2p, Network::Cd, Network::Mbox];
        match engine {
            Engine::Auto | Engine::Bfs | Engine::Dfs | Engine::Random => {}
            _ => return Some("it is for bfs, dfs and random"),
        }
        if networks.into_iter().any(|network| self.uses(network)) {
            return Some("some messages are not sent under asyn, and keep others back");
        }
        if self.questions.iter().any(|question| looks_at_ends(question.kind)) {
            return Some("a property is about how paths end or go on for ever");
        }
        (!self.monitors.is_empty()).then_some("there are monitors, which may observe receipts and be hot in the end")
    }
}

impl Worlds {
    /// Whether some property has looked at the messages in flight.
    pub fn looked_at_messages(&self) -> bool {
        self.table.looked.load(Ordering::Relaxed)
    }

    /// Whether this reaction is left out: it is the receipt of a message, and none of its branches does anything.
    pub(crate) fn is_left_out(&self, local: u32, input: Input, branches: &[Branch]) -> bool {
        let idle = |branch: &Branch| {
            let silent = branch.sends.is_empty() && branch.created.is_empty() && !branch.halts;
            silent && branch.local == local && branch.failure == NONE && !branch.records()
        };
        self.leaves_out_idle() && matches!(input, Input::Message(_)) && branches.iter().all(idle)
    }
}
