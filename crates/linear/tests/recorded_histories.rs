//! Histories of real systems with known verdicts, kept outside of the repository.

use manyworlds_linear::formats::Format;
use manyworlds_linear::{Object, Options, Verdict};
use std::path::Path;

#[test]
fn every_recorded_history_gets_its_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/histories");
    let Ok(table) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        println!("skipped: there is no {}", folder.display());
        return;
    };
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(!rows.is_empty(), "verdicts.csv is empty");
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
        for split in [true, false] {
            let options = Options { split, explain: false, ..Options::default() };
            let answer = object.check(&recorded, None, &options).unwrap_or_else(|bad| panic!("{file}:{bad}"));
            let seen = match answer.verdict {
                Verdict::Consistent(_) => "linearizable",
                Verdict::Violated(_) => "not",
                Verdict::Incomplete(_) => "incomplete",
            };
            assert_eq!(seen, verdict, "{file}, split: {split}");
        }
    }
}
