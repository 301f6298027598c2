//! Checks histories of real systems with known verdicts, which are stored outside of the repository.

use manyworlds_linear::formats::Format;
use manyworlds_linear::{CheckOptions, Judgement, Object};
use manyworlds_testkit::shared;

/// The minimal number of histories in the table.
const ROWS: usize = 58;

/// Histories with more operations are only checked with separate keys. The table has two such histories.
const LONG: usize = 1_000;

#[test]
fn every_recorded_history_gets_its_verdict() {
    let Ok(folder) = shared("histories") else { return };
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("the table of verdicts can be read");
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(rows.len() >= ROWS, "verdicts.csv has {} rows", rows.len());
    let mut compared = 0;
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [file, .., operations, concurrency, verdict, _] = fields[..] else { panic!("too few columns: {row}") };
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let format = Format::recognize(&text).unwrap();
        assert_eq!(file.split('/').next(), Some(format.name()), "{file}");
        let recorded = format.read(&text).unwrap_or_else(|bad| panic!("{file}:{bad}"));
        assert_eq!(recorded.history.len().to_string(), operations, "operations of {file}");
        assert_eq!(recorded.history.max_concurrency().to_string(), concurrency, "concurrency of {file}");
        let object = Object::recognize(&recorded).unwrap();
        // Without splitting, the largest ones take minutes.
        let splits: &[bool] = if recorded.history.len() > LONG { &[true] } else { &[true, false] };
        for &split in splits {
            let options = CheckOptions { split, explain: false, ..CheckOptions::default() };
            let answer = object.check(&recorded, None, &options).unwrap_or_else(|bad| panic!("{file}:{bad}"));
            let seen = match answer.verdict {
                Judgement::Consistent(_) => "linearizable",
                Judgement::Violated(_) => "not",
                Judgement::Incomplete(_) => "incomplete",
            };
            assert_eq!(seen, verdict, "{file}, split: {split}");
            compared += 1;
        }
    }
    assert!(compared >= 2 * ROWS - 2, "{compared} verdicts were compared");
}
