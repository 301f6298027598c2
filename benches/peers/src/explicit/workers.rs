//! What a second worker is worth to breadth-first search: wall time, with the CPU time beside it.

use super::cases::zoo;
use crate::floors::{Demand, Floor};
use crate::measure::cpu_seconds;
use crate::table;
use manyworlds::explore::{Budget, Config, Engine, NoObserver, TransitionSystem, explore};
use manyworlds_protocols::two_phase_tla::TwoPhase;
use std::time::Instant;

/// Each number of workers is measured so often, taking turns.
const TURNS: usize = 7;

/// The least seconds of one and of two workers.
pub struct Worth {
    name: &'static str,
    wall: [f64; 2],
    cpu: [f64; 2],
}

/// Measures what is demanded.
pub fn measure() -> [Worth; 2] {
    let paxos = || zoo("paxos", &[("p", "3")]);
    [of("2pc-tla n=8", || TwoPhase::new(8).specification(), None), of("paxos p=3 a=3, 18 steps", paxos, Some(18))]
}

/// A new model for each run, so that none has an easier time than the one before it.
fn of<M: TransitionSystem>(name: &'static str, model: impl Fn() -> M, depth: Option<u64>) -> Worth {
    eprintln!("measuring two workers on {name}");
    let mut worth = Worth { name, wall: [f64::INFINITY; 2], cpu: [f64::INFINITY; 2] };
    for (turn, threads) in (0..TURNS).flat_map(|_| [(0, 1), (1, 2)]) {
        let model = model();
        let config = Config { threads, budget: Budget { depth, ..Budget::default() }, ..Config::default() };
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        assert!(explore(&model, Engine::Bfs, &config, &NoObserver).is_ok_and(|report| report.found.is_none()));
        worth.wall[turn] = worth.wall[turn].min(wall.elapsed().as_secs_f64());
        worth.cpu[turn] = worth.cpu[turn].min(cpu_seconds() - cpu);
    }
    worth
}

/// The seconds.
pub fn figures(all: &[Worth]) -> String {
    let head = ["bfs", "wall s, one worker", "two", "CPU s, one worker", "two"].map(String::from);
    let row = |worth: &Worth| {
        let [one, two] = worth.wall.map(|seconds| format!("{seconds:.3}"));
        let [cpu_one, cpu_two] = worth.cpu.map(|seconds| format!("{seconds:.3}"));
        [worth.name.to_string(), one, two, cpu_one, cpu_two]
    };
    table::columns(&std::iter::once(head).chain(all.iter().map(row)).collect::<Vec<_>>(), 1)
}

/// What is demanded.
pub fn floors(all: &[Worth]) -> Vec<Floor> {
    let floor = |worth: &Worth| Floor {
        what: format!("{}: wall time of bfs, one worker / two", worth.name),
        demand: Demand::AtLeast(1.7),
        seen: Some(worth.wall[0] / worth.wall[1]),
    };
    all.iter().map(floor).collect()
}
