//! Figures in columns, and what is demanded of them.

use crate::floors::{Demand, Floor};
use crate::table;

/// Histories on which Porcupine needs less are too easy to tell anything.
const HARD: f64 = 0.010;

/// Both sides of a history.
pub struct Compared {
    /// What it is.
    pub name: String,
    /// How many operations it has.
    pub operations: usize,
    /// What both sides say.
    pub linearizable: bool,
    /// Our CPU seconds.
    pub ours: f64,
    /// Porcupine's CPU seconds.
    pub peer: f64,
    /// Whether Porcupine had an answer in that time.
    pub is_finished: bool,
}

impl Compared {
    fn ratio(&self) -> f64 {
        self.peer / self.ours
    }
}

/// What everybody needs.
pub fn figures(all: &[Compared]) -> String {
    let head =
        ["history", "operations", "linearizable", "ours ms", "porcupine-rs ms", "ratio", "counts"].map(String::from);
    let rows = all.iter().map(|compared| {
        [
            compared.name.clone(),
            compared.operations.to_string(),
            if compared.linearizable { "yes" } else { "no" }.to_string(),
            format!("{:.3}", compared.ours * 1e3),
            format!("{}{:.3}", if compared.is_finished { "" } else { "> " }, compared.peer * 1e3),
            format!("{}{:.1}", if compared.is_finished { "" } else { "> " }, compared.ratio()),
            if compared.peer > HARD { "yes" } else { "" }.to_string(),
        ]
    });
    table::columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 1)
}

/// How our time grows with the length of a history.
pub fn lengths(lengths: &[(usize, f64); 3]) -> String {
    let head = ["register, 10 clients: operations", "ours ms", "µs an operation"].map(String::from);
    let rows = lengths.iter().map(|&(operations, seconds)| {
        [operations.to_string(), format!("{:.3}", seconds * 1e3), format!("{:.3}", seconds * 1e6 / operations as f64)]
    });
    table::columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 1)
}

/// What is demanded of maps: the recorded ones of 50 clients, and the generated ones.
pub fn map_floors(recorded: &[Compared], maps: &[Compared]) -> Vec<Floor> {
    let demand = Demand::AtLeast(5.0);
    let recorded = ["c50-ok, by key", "c50-bad, by key"].map(|name| Floor {
        what: format!("{name}: CPU time of porcupine-rs / ours"),
        demand,
        seen: recorded.iter().find(|compared| compared.name == name).map(Compared::ratio),
    });
    let generated = [true, false].map(|linearizable| {
        let some: Vec<f64> = maps
            .iter()
            .filter(|map| map.linearizable == linearizable && map.peer > HARD)
            .map(Compared::ratio)
            .collect();
        let kind = if linearizable { "correct" } else { "corrupted" };
        Floor {
            what: format!(
                "{} generated maps where it needs > 10 ms, {kind}: CPU time of porcupine-rs / ours, least",
                some.len()
            ),
            demand,
            seen: some.into_iter().min_by(f64::total_cmp),
        }
    });
    recorded.into_iter().chain(generated).collect()
}

/// What is demanded and what was seen.
pub fn floors(all: &[Compared], lengths: Option<&[(usize, f64); 3]>) -> Vec<Floor> {
    let hard: Vec<f64> = all.iter().filter(|compared| compared.peer > HARD).map(Compared::ratio).collect();
    let least = hard.iter().copied().min_by(f64::total_cmp);
    let mean = (!hard.is_empty()).then(|| (hard.iter().map(|ratio| ratio.ln()).sum::<f64>() / hard.len() as f64).exp());
    let growth = lengths.map(|&[(short, first), _, (long, last)]| (last / long as f64) / (first / short as f64));
    vec![
        Floor {
            what: format!("CPU time of porcupine-rs / ours, least of {} histories where it needs > 10 ms", hard.len()),
            demand: Demand::AtLeast(1.0),
            seen: least,
        },
        Floor { what: "the same, geometric mean".to_string(), demand: Demand::AtLeast(5.0), seen: mean },
        Floor {
            what: "our CPU time for each operation, longest register history / shortest".to_string(),
            demand: Demand::AtMost(1.5),
            seen: growth,
        },
    ]
}
