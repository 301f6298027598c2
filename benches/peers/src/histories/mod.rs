//! Our linearizability checker against `porcupine-rs`: the same histories, recorded and generated, in the same process.

mod cases;
mod generate;
mod models;
mod report;

use crate::measure::cpu_seconds;
use cases::Case;
use report::Compared;
use std::path::Path;
use std::process::ExitCode;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Runs of each side, three or more; the median counts.
    pub runs: usize,
    /// A side that has used so many CPU seconds on a history gets no fourth run.
    pub seconds: f64,
}

/// Measures both sides on every history, and judges.
pub fn compare(effort: Effort) -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/histories");
    let recorded = cases::recorded(&folder);
    if recorded.is_empty() {
        println!("There are no recorded histories in {}: only generated ones are measured.", folder.display());
    }
    // First, while nobody has left anything to the allocator: what is tidied up later is charged to whoever asks for much.
    let lengths = [25_000, 50_000, 100_000].map(|operations| {
        let case = cases::long(operations);
        (operations, median(&case.name, &*case.ours, effort).0)
    });
    let all: Vec<Compared> = recorded.into_iter().chain(cases::generated()).map(|case| both(case, effort)).collect();
    let floors = report::floors(&all, &lengths);
    println!("{}\n{}\n{}", report::figures(&all), report::lengths(&lengths), crate::table::floors(&floors));
    ExitCode::from(u8::from(floors.iter().any(|floor| floor.fails())))
}

fn both(case: Case, effort: Effort) -> Compared {
    let (ours, our_verdict) = median(&case.name, &*case.ours, effort);
    eprintln!("measuring {}: ours {:.3} ms", case.name, ours * 1e3);
    let (peer, verdict) = median(&case.name, &*case.peer, effort);
    assert_eq!(our_verdict, verdict, "the verdict on {}", case.name);
    Compared { name: case.name, operations: case.operations, linearizable: verdict, ours, peer }
}

/// The median of the CPU time of some runs, and what they say.
fn median(name: &str, run: &dyn Fn() -> bool, effort: Effort) -> (f64, bool) {
    let mut times = Vec::new();
    let mut verdict = None;
    // At least three: what one side leaves to the allocator to tidy up must not be charged to the other.
    while times.len() < 3 || times.len() < effort.runs && times.iter().sum::<f64>() < effort.seconds {
        let start = cpu_seconds();
        let said = run();
        times.push(cpu_seconds() - start);
        assert_eq!(*verdict.get_or_insert(said), said, "the verdict on {name} is always the same");
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], verdict.expect("at least one run"))
}

#[cfg(test)]
mod tests {
    /// Both sides say the same about generated histories, and what is meant to be right or wrong is.
    #[test]
    fn both_sides_agree() {
        for case in super::cases::generated().into_iter().filter(|case| case.operations <= 100) {
            let ours = (case.ours)();
            assert_eq!(ours, (case.peer)(), "{}", case.name);
            assert_eq!(ours, !case.name.contains("wrong"), "{}", case.name);
        }
    }
}
