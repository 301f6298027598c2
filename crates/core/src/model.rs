//! The choices a user makes about a run: network, scheduling policy, what counts as a deadlock.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A communication model (Must §3): which of the pending messages a receive may take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// Fully asynchronous: any pending message, in any order (UDP).
    Asyn,
    /// FIFO between each pair of processes (TCP).
    #[default]
    P2p,
    /// Causal delivery: a message never overtakes one that causally precedes it.
    Cd,
    /// Mailbox: every message enters its destination's queue at the moment it is sent.
    Mbox,
}

impl Network {
    /// All four, weakest first.
    pub const ALL: [Network; 4] = [Network::Asyn, Network::P2p, Network::Cd, Network::Mbox];

    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Network::Asyn => "asyn",
            Network::P2p => "p2p",
            Network::Cd => "cd",
            Network::Mbox => "mbox",
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(s: &str) -> Result<Network, String> {
        Network::ALL
            .into_iter()
            .find(|n| n.name() == s)
            .ok_or_else(|| format!("unknown network `{s}`: expected asyn, p2p, cd or mbox"))
    }
}

/// The order in which an engine adds enabled events (`next_P` of Must §4). Counts never depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Processes run until each waits in a receive; then, of those that can receive, the one created last does. The
    /// default: a receive added late sees most of its messages at once, and few backward revisits remain. Parents
    /// mostly gather what their children send, so children go first.
    #[default]
    ReceiveLast,
    /// The enabled process that was created first.
    LeftToRight,
    /// The enabled process that was created last.
    RightToLeft,
    /// A pseudo-random enabled process; a function of the graph and the seed.
    Random(u64),
}

/// Whether an execution in which some process waits for ever is a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Deadlock {
    /// It is a violation, unless only daemon processes wait.
    #[default]
    Forbid,
    /// It is counted as blocked and nothing more.
    Allow,
}
