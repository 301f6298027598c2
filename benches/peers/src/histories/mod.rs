//! Our linearizability checker against `porcupine-rs`: the same histories, recorded and generated, in the same process.

mod cases;
mod generate;
mod maps;
mod models;
mod report;

use crate::measure::cpu_seconds;
use cases::Case;
use report::Compared;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Runs of each side, three or more; the median counts.
    pub runs: usize,
    /// A side that has used so many CPU seconds on a history gets no fourth run.
    pub seconds: f64,
    /// Porcupine is stopped after this time; it is exponential on many histories.
    pub limit: Duration,
}

/// What is measured for good.
pub const FULL: Effort = Effort { runs: 15, seconds: 3.0, limit: Duration::from_secs(2) };
/// What is measured in a hurry.
pub const QUICK: Effort = Effort { runs: 3, seconds: 0.5, limit: Duration::from_secs(1) };

/// Measures both sides on every history, or on those whose names begin like one of `only`, and judges.
pub fn compare(effort: Effort, only: &[String]) -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/histories");
    let recorded = cases::recorded(&folder);
    if recorded.is_empty() {
        println!("There are no recorded histories in {}: only generated ones are measured.", folder.display());
    }
    // First, while the allocator holds nothing that an earlier run has freed: tidying that up is charged to the run that allocates next.
    let lengths = only.is_empty().then(|| {
        [25_000, 50_000, 100_000].map(|operations| {
            let case = cases::long(operations);
            (operations, median(&case.name, &*case.ours, effort).0)
        })
    });
    let measure = |cases: Vec<Case>| -> Vec<Compared> {
        let is_wanted = |case: &Case| only.is_empty() || only.iter().any(|name| case.name.starts_with(name));
        cases.into_iter().filter(is_wanted).map(|case| limited(case, effort)).collect()
    };
    let all = measure(recorded.into_iter().chain(cases::generated()).collect());
    let maps = measure(maps::cases());
    let mut floors = report::floors(&all, lengths.as_ref());
    floors.extend(report::map_floors(&all, &maps));
    println!("{}\n{}", report::figures(&all), report::figures(&maps));
    if let Some(lengths) = &lengths {
        println!("{}", report::lengths(lengths));
    }
    println!("{}", crate::table::floors(&floors));
    ExitCode::from(u8::from(floors.iter().any(|floor| floor.fails())))
}

fn both(case: Case, effort: Effort) -> Compared {
    let (ours, our_verdict) = median(&case.name, &*case.ours, effort);
    eprintln!("measuring {}: ours {:.3} ms", case.name, ours * 1e3);
    let peer = || (case.peer)(None).expect("there is no limit");
    let (peer, verdict) = median(&case.name, &peer, effort);
    assert_eq!(our_verdict, verdict, "the verdict on {}", case.name);
    Compared { name: case.name, operations: case.operations, linearizable: verdict, ours, peer, is_finished: true }
}

/// The same, but a history on which Porcupine has no answer in time gets its time so far, and our verdict.
fn limited(case: Case, effort: Effort) -> Compared {
    let start = cpu_seconds();
    if (case.peer)(Some(effort.limit)).is_some() {
        return both(case, effort);
    }
    let peer = cpu_seconds() - start;
    let (ours, linearizable) = median(&case.name, &*case.ours, effort);
    Compared { name: case.name, operations: case.operations, linearizable, ours, peer, is_finished: false }
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
    use std::time::Duration;

    /// Both sides say the same about generated histories, and what is meant to be right or wrong is.
    #[test]
    fn both_sides_agree() {
        for case in super::cases::generated().into_iter().filter(|case| case.operations <= 100) {
            let ours = (case.ours)();
            assert_eq!(Some(ours), (case.peer)(None), "{}", case.name);
            assert_eq!(ours, !case.name.contains("wrong"), "{}", case.name);
        }
    }

    /// The same for maps, as far as Porcupine has an answer in time.
    #[test]
    fn both_sides_agree_on_maps() {
        let limit = Some(Duration::from_millis(20));
        let (mut good, mut bad) = (0, 0);
        for case in super::maps::cases() {
            let ours = (case.ours)();
            if let Some(theirs) = (case.peer)(limit) {
                assert_eq!(ours, theirs, "{}", case.name);
                *if ours { &mut good } else { &mut bad } += 1;
            }
            assert!(
                ours || case.name.ends_with("Foreign")
                    || case.name.ends_with("Stale")
                    || case.name.ends_with("Swapped")
            );
        }
        assert!(good >= 10 && bad >= 10, "{good} {bad}");
    }
}
