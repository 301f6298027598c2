//! Measures Manyworlds against the two published implementations of Must, `must-mc` and `traceforge`: the same programs, in the same run.
//! With `stateright` it measures the engines on global states against Stateright's, with `porcupine` the linearizability checker against
//! `porcupine-rs`.
//! Prints what everyone needs and whether Manyworlds is as much faster as is demanded; exits with 1 if it is not.

mod explicit;
mod floors;
mod histories;
mod measure;
mod ns_nr;
mod nworkers;
mod ping_pong;
mod sides;
mod table;
mod two_phase_commit;
mod workers;

use floors::{Floor, faster_than, linear, mbox_against_cd, two_workers};
use manyworlds::Network::{Mbox, P2p};
use measure::{Effort, Measured, Program, Who, load_average, measure};
use std::process::ExitCode;

const FULL: Effort = Effort { turns: 9, seconds: 10.0, skip_slow: false };
const QUICK: Effort = Effort { turns: 5, seconds: 2.0, skip_slow: true };

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => must(FULL),
        ["--quick"] => must(QUICK),
        ["porcupine", "--quick", ..] => histories::compare(histories::QUICK, &arguments[2..]),
        ["porcupine", ..] => histories::compare(histories::FULL, &arguments[1..]),
        ["stateright", "--quick", ..] => explicit::compare(explicit::Turns(1), &arguments[2..]),
        ["stateright", ..] => explicit::compare(explicit::Turns(3), &arguments[1..]),
        ["stateright-one", case, side] => explicit::measure_one(case, side),
        _ => {
            eprintln!(
                "usage: peers [--quick]\n       peers stateright [--quick] [case…]\n       peers porcupine [--quick] [case…]"
            );
            ExitCode::from(2)
        }
    }
}

/// Against the two implementations of Must.
fn must(effort: Effort) -> ExitCode {
    let load = load_average();
    let programs = [ns_nr::program(8), nworkers::program(8), two_phase_commit::program(6), ping_pong::program(40, 5)];
    let growing = [100, 200, 400, 800].map(|k| ping_pong::ours(k, 5));
    let all: Vec<Measured> = programs.iter().chain(&growing).map(|program| announce(program, effort)).collect();
    let floors = demanded(&all, effort);
    println!("{}\n{}\n{}", table::speeds(&all), table::distances(&all), table::floors(&floors));
    if let Some(load) = load {
        println!("Load average of the machine before the run: {load}.");
    }
    ExitCode::from(u8::from(floors.iter().any(Floor::fails)))
}

fn announce(program: &Program, effort: Effort) -> Measured {
    eprintln!("measuring {}", program.name);
    measure(program, effort)
}

/// The demands on these eight programs.
fn demanded(all: &[Measured], effort: Effort) -> Vec<Floor> {
    let [ns_nr, nworkers, two_phase_commit, ping_pong, shortest, .., longest] = all else {
        unreachable!("eight programs")
    };
    let mut floors = vec![
        faster_than(ns_nr, Who::MustMc, P2p, 4.0),
        faster_than(ns_nr, Who::TraceForge, P2p, 20.0),
        faster_than(nworkers, Who::MustMc, P2p, 4.0),
        faster_than(nworkers, Who::TraceForge, P2p, 20.0),
        faster_than(two_phase_commit, Who::TraceForge, P2p, 20.0),
        faster_than(ping_pong, Who::MustMc, Mbox, 100.0),
        faster_than(ping_pong, Who::TraceForge, Mbox, 100.0),
    ];
    floors.extend(all.iter().map(mbox_against_cd));
    floors.push(linear(shortest, longest));
    eprintln!("measuring two workers");
    floors.push(two_workers(9, workers::speedup(9, effort.turns)));
    floors
}

/// `1·2·…·n`.
fn factorial(n: usize) -> u64 {
    (1..=n as u64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use floors::Demand;

    /// Everyone finds as many executions as there are, or `measure` panics.
    #[test]
    fn everyone_agrees_on_small_instances() {
        let once = Effort { turns: 1, seconds: 1.0, skip_slow: false };
        for program in [ns_nr::program(4), nworkers::program(3), two_phase_commit::program(3), ping_pong::program(3, 3)]
        {
            let measured = measure(&program, once);
            assert_eq!(measured.figures.len(), 5, "{}", program.name);
            assert!(measured.figures.iter().all(|figure| figure.answer.others == 0), "{}", program.name);
        }
    }

    #[test]
    fn floors_are_met_or_not() {
        let verdict = |demand, seen| Floor { what: String::new(), demand, seen }.verdict();
        assert_eq!(verdict(Demand::AtLeast(4.0), Some(4.0)), "PASS");
        assert_eq!(verdict(Demand::AtLeast(4.0), Some(3.9)), "FAIL");
        assert_eq!(verdict(Demand::AtMost(2.0), Some(2.1)), "FAIL");
        assert_eq!(verdict(Demand::AtMost(2.0), None), "SKIP");
    }
}
