//! Manyworlds' engines on global states against Stateright: the same protocols with the same states, messages and properties, one file each.

mod abd;
mod cases;
mod paxos;
mod raft;
mod report;
mod sides;
mod two_phase;
mod two_phase_sets;
mod workers;

use crate::floors::Floor;
use crate::table;
use cases::{Case, cases};
use sides::{Measure, Side};
use std::process::{Command, ExitCode};

/// How often each side of each case is measured; the best counts.
#[derive(Clone, Copy)]
pub struct Turns(pub usize);

/// Measures every side of every case whose name begins with one of `wanted` (all, if there are none), and judges.
pub fn compare(turns: Turns, wanted: &[String]) -> ExitCode {
    let is_wanted = |case: &Case| wanted.is_empty() || wanted.iter().any(|name| case.name.starts_with(name.as_str()));
    let all: Vec<report::Compared> =
        cases().into_iter().filter(is_wanted).map(|case| compare_sides(case, turns)).collect();
    let workers = if wanted.is_empty() { workers::measure().into() } else { Vec::new() };
    let floors: Vec<Floor> = report::floors(&all).into_iter().chain(workers::floors(&workers)).collect();
    println!("{}", report::figures(&all));
    if !workers.is_empty() {
        println!("{}", workers::figures(&workers));
    }
    println!("{}", table::floors(&floors));
    ExitCode::from(u8::from(floors.iter().any(Floor::fails)))
}

fn compare_sides(case: Case, turns: Turns) -> report::Compared {
    let mut best: [Option<Measure>; 4] = [None; 4];
    for _ in 0..turns.0 {
        for (side, best) in Side::ALL.into_iter().zip(&mut best) {
            eprintln!("measuring {}: {}", case.name, side.name());
            let measure = in_a_child(&case, side);
            if best.is_none_or(|best| measure.seconds < best.seconds) {
                *best = Some(measure);
            }
        }
    }
    report::Compared { case, figures: best.map(|best| best.expect("there is at least one turn")) }
}

/// A process of its own, so that the peak of its memory is that of one run.
fn in_a_child(case: &Case, side: Side) -> Measure {
    let this = std::env::current_exe().expect("a running program knows its file");
    let output = Command::new(this).args(["stateright-one", case.name, side.name()]).output().expect("it starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    let problem = || format!("{} by {}: {}", case.name, side.name(), String::from_utf8_lossy(&output.stderr));
    text.parse().unwrap_or_else(|()| panic!("{}", problem()))
}

/// What the child does.
pub fn measure_one(case: &str, side: &str) -> ExitCode {
    let case = cases().into_iter().find(|known| known.name == case);
    let side = Side::ALL.into_iter().find(|known| known.name() == side);
    let Some((case, side)) = case.zip(side) else { return ExitCode::from(2) };
    println!("{}", case.run(side));
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides of the small cases see the same states and steps, however they search.
    #[test]
    fn everyone_sees_the_same_states() {
        for case in cases::small() {
            let [first, others @ ..] = Side::ALL.map(|side| case.run(side));
            for other in others {
                assert_eq!((first.states, first.transitions), (other.states, other.transitions), "{}", case.name);
            }
        }
    }
}
