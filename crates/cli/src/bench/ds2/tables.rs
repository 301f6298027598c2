//! Which of DS2's tables are measured, and with what: its five systems in the order of its appendix, a chain, and a map with one key more or less.

/// A system of the paper.
struct System {
    model: &'static str,
    params: &'static [(&'static str, &'static str)],
    agents: u8,
    /// How often a request is tried again; the paper has a star for "as often as it takes".
    retries: &'static str,
    quorum: &'static str,
}

/// Two agents each, as in the paper, three for `edr`, and a chain of three.
const DR: System = System { model: "dr", params: &[], agents: 2, retries: "*", quorum: "2" };
const EDR: System =
    System { model: "edr", params: &[], agents: 3, retries: "*", quorum: "2 for reads, none for writes" };
const ADR: System = System { model: "adr", params: &[("r", "3")], agents: 2, retries: "3", quorum: "2" };
const PAXOS: System = System { model: "multi-paxos-map", params: &[], agents: 2, retries: "0", quorum: "majority" };
const CHORD: System = System { model: "open-chord", params: &[], agents: 2, retries: "N/A", quorum: "N/A" };
/// The second write is about another key; here the second read is too.
const CHORD_2: System = System { params: &[("keys", "2")], ..CHORD };
const CHAIN: System = System { model: "chain-map", params: &[], agents: 3, retries: "N/A", quorum: "N/A" };

/// A table: a system, a harness, and its number in the paper.
pub struct Plan {
    system: System,
    harness: &'static str,
    number: Option<&'static str>,
}

/// All tables.
pub const PLANS: &[Plan] = &[
    Plan { system: DR, harness: "2r1w", number: Some("A2") },
    Plan { system: DR, harness: "2r2w", number: Some("A3") },
    Plan { system: EDR, harness: "2r1w", number: Some("A4") },
    Plan { system: EDR, harness: "2r2w", number: Some("A5") },
    Plan { system: ADR, harness: "2r1w", number: Some("A6") },
    Plan { system: ADR, harness: "2r2w", number: Some("A7") },
    Plan { system: PAXOS, harness: "2r1w", number: Some("A8") },
    Plan { system: PAXOS, harness: "2r2w", number: Some("A9") },
    Plan { system: CHORD, harness: "2r1w", number: Some("A10") },
    Plan { system: CHORD_2, harness: "2r2w", number: Some("A11") },
    Plan { system: CHORD_2, harness: "2r1w", number: None },
    Plan { system: CHORD, harness: "2r2w", number: None },
    Plan { system: CHAIN, harness: "2r1w", number: None },
    Plan { system: CHAIN, harness: "2r2w", number: None },
];

/// What is different from the paper, and what its letters mean.
pub const LEGEND: &str = "
DS2's tables A2 to A11, measured here. Each system has two clients that begin at once; each writes, then reads from another agent. With one write the
second client only reads. DS2 has fewer schedules: its counts suggest that a request is invoked when an agent takes it, and that what clients receive is
no step. Its table A11 has a second key for the second write; here the second read is about that key too.
A run that the budget ends has seen what comes first, so what it finds depends on the order in which clients were added: ex finds nothing in edr within
the budget if the client that writes was added first.

#Inv, #Agents, Qrm (agents that must agree): as in DS2. #Rtry (times that a request is tried again, * as often as it takes) is 3 there for dr
and edr, and * for multi-paxos-map.
#S: schedules; executions for must, states for bfs. A + stands where the budget ended the run: what follows is about what was seen by then.
#CH, #IH: schedules with complete and incomplete histories. #UH: unique histories, #NL: those of them that are not linearizable. Histories that no
specification can tell apart are one here; DS2 tells them apart by the order of their entries, and counts more.
NL/UH: quality. UH/S: progression. NL/S: precision.
Seconds. TS: to make the schedules. ST: the same without snapshots, estimated by the steps. TC: to check unique histories. TT: TS + TC.
#HF: unique histories before the first one that is not linearizable. #SF: #S up to the first bug. TF: seconds until then.
verdict: bug, if it was found. proof, if enough was seen to say that there is none. stopped, if the budget ended the run before it found one.
missed, if the run came to its end without finding what another engine found. no bug, if it came to its end and nobody found one: that is no proof.
#CH, #SF, the verdict, must and bfs are not in DS2.";

impl Plan {
    /// The model.
    pub fn model(&self) -> &'static str {
        self.system.model
    }

    /// Its parameters.
    pub fn params(&self) -> Vec<(&'static str, &'static str)> {
        [("h", self.harness), ("clients", "two")].into_iter().chain(self.system.params.iter().copied()).collect()
    }

    /// Whether it is about two keys.
    pub fn has_two_keys(&self) -> bool {
        self.system.params.contains(&("keys", "2"))
    }

    /// What the table is about.
    pub fn title(&self) -> String {
        let keys = if self.has_two_keys() { ", two keys" } else { "" };
        format!("{}, {}{keys}", self.system.model, self.harness.replace('r', "r+"))
    }

    /// The title, and where in the paper it is.
    pub fn heading(&self) -> String {
        let place = self.number.map_or("not in DS2".to_string(), |number| format!("DS2 table {number}"));
        format!("{} ({place})", self.title())
    }

    /// What the paper writes at the side of a table.
    pub fn side(&self) -> String {
        let System { agents, retries, quorum, .. } = self.system;
        let invocations = self.harness.to_uppercase().replace('R', "R+");
        format!("#Inv. {invocations}   #Agents = {agents}   #Rtry = {retries}   Qrm = {quorum}")
    }
}
