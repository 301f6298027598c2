//! Figures in columns, and what is demanded of them.

use super::cases::Case;
use super::sides::{Measure, Side};
use crate::floors::{Demand, Floor};
use crate::table;

/// The peak of our bfs is at most this part of Stateright's.
const MEMORY: f64 = 0.4;

/// All figures of one case, in the order of [`Side::ALL`].
pub struct Compared {
    /// What was compared.
    pub case: Case,
    /// The best run of each side.
    pub figures: [Measure; 4],
}

impl Compared {
    fn floors(&self) -> Vec<Floor> {
        let [our_bfs, our_dfs, bfs, dfs] = &self.figures;
        let better = |bfs: &Measure, dfs: &Measure| bfs.speed().max(dfs.speed());
        let faster = self.case.times.map(|times| Floor {
            what: format!("{}: transitions a CPU second, our better / Stateright's better", self.case.name),
            demand: Demand::AtLeast(times),
            seen: Some(better(our_bfs, our_dfs) / better(bfs, dfs)),
        });
        let memory = self.case.times.map(|_| Floor {
            what: format!("{}: peak memory of bfs, ours / Stateright's", self.case.name),
            demand: Demand::AtMost(MEMORY),
            seen: Some(our_bfs.peak as f64 / bfs.peak as f64),
        });
        faster.into_iter().chain(memory).collect()
    }

    /// Why a side does not see what ours sees.
    fn remark(&self, side: Side, figure: &Measure) -> &'static str {
        let ours = &self.figures[0];
        let same = (ours.states, ours.transitions) == (figure.states, figure.transitions);
        match (same, side, self.case.depth) {
            (true, _, _) => "",
            (false, Side::Ours(_), Some(_)) => "expands a state again when it reaches it sooner",
            (false, Side::Peer(_), Some(_)) => "does not expand a state again when it reaches it sooner: misses states",
            (false, _, None) => "DIFFERENT",
        }
    }
}

/// What everybody needs.
pub fn figures(all: &[Compared]) -> String {
    let head = ["case", "side", "states", "transitions", "CPU s", "transitions/s", "peak MB", ""].map(String::from);
    let rows = all.iter().flat_map(|compared| {
        Side::ALL.into_iter().zip(&compared.figures).map(|(side, figure)| {
            [
                compared.case.name.to_string(),
                side.name().to_string(),
                figure.states.to_string(),
                figure.transitions.to_string(),
                format!("{:.3}", figure.seconds),
                format!("{:.0}", figure.speed()),
                format!("{:.1}", figure.peak as f64 / 1e6),
                compared.remark(side, figure).to_string(),
            ]
        })
    });
    table::columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 2)
}

/// What is demanded and what was seen.
pub fn floors(all: &[Compared]) -> Vec<Floor> {
    all.iter().flat_map(Compared::floors).collect()
}
