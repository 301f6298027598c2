//! The engines, by name. Every other part of the workspace, traces included, uses this one enum.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// An engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Engine {
    /// Selected by the kind of the model; the answer names the engine that ran, and the reason.
    #[default]
    Auto,
    /// The optimal DPOR of Must: every distinct execution once.
    Must,
    /// Breadth-first search over global states: a shortest counterexample.
    Bfs,
    /// Depth-first search over global states: little memory.
    Dfs,
    /// Seeded random walks: never complete.
    Random,
    /// Every interleaving, one by one: the naive reference implementation of `must`.
    Brute,
    /// DS2's systematic random scheduler (SR): schedules drawn with a seed.
    SystematicRandom,
    /// DS2's exhaustive scheduler (EX): every schedule.
    Exhaustive,
    /// DS2's delay-bounded scheduler (DB): a round robin with few delays.
    Delay,
    /// DS2's DPOR scheduler (DP): every schedule up to the order of independent receives.
    Dpor,
    /// DS2's TransDPOR scheduler (TD): one reversal at a time; may miss schedules.
    TransDpor,
    /// DS2's IRed scheduler (IR): reversals that a chain of senders shows; may miss schedules.
    IRed,
    /// DS2's LiViola scheduler (LV): reversals that concern one key; may miss schedules.
    LiViola,
}

impl Engine {
    /// All of them, the schedulers last.
    pub const ALL: [Engine; 13] = [
        Engine::Auto,
        Engine::Must,
        Engine::Bfs,
        Engine::Dfs,
        Engine::Random,
        Engine::Brute,
        Engine::SystematicRandom,
        Engine::Exhaustive,
        Engine::Delay,
        Engine::Dpor,
        Engine::TransDpor,
        Engine::IRed,
        Engine::LiViola,
    ];

    /// DS2's schedulers, in the order of the paper.
    pub const SCHEDULERS: &[Engine] = Engine::ALL.split_at(6).1;

    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Must => "must",
            Engine::Brute => "brute",
            Engine::Bfs => "bfs",
            Engine::Dfs => "dfs",
            Engine::Random => "random",
            Engine::SystematicRandom => "systematic-random",
            Engine::Exhaustive => "exhaustive",
            Engine::Delay => "delay",
            Engine::Dpor => "dpor",
            Engine::TransDpor => "trans-dpor",
            Engine::IRed => "ired",
            Engine::LiViola => "liviola",
        }
    }

    /// The two letters that DS2 has for a scheduler; other engines have none.
    pub fn letters(self) -> Option<&'static str> {
        Some(match self {
            Engine::SystematicRandom => "sr",
            Engine::Exhaustive => "ex",
            Engine::Delay => "db",
            Engine::Dpor => "dp",
            Engine::TransDpor => "td",
            Engine::IRed => "ir",
            Engine::LiViola => "lv",
            _ => return None,
        })
    }

    /// Whether it is one of DS2's schedulers.
    pub fn is_scheduler(self) -> bool {
        self.letters().is_some()
    }

    /// Whether it keeps a set of global states.
    pub fn keeps_states(self) -> bool {
        matches!(self, Engine::Bfs | Engine::Dfs)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(s: &str) -> Result<Engine, String> {
        Engine::ALL.into_iter().find(|engine| engine.name() == s || engine.letters() == Some(s)).ok_or_else(|| {
            let names = Engine::ALL.map(Engine::name).join(", ");
            format!("unknown engine `{s}`: expected one of {names}")
        })
    }
}

impl Serialize for Engine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Engine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Engine, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}
