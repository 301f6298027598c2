//! All programs of a checkout of p-org/P, if the variable `MANYWORLDS_P_CHECKOUT` names one: those that P refuses are refused, the others are accepted.

use manyworlds_p::project::{Disk, compile};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// All directories with files of P, but those that hide.
fn directories(path: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if entry.is_dir() && !name.starts_with('.') {
            directories(&entry, found);
        } else if name.ends_with(".p") && !name.starts_with('.') {
            found.insert(path.to_path_buf());
        }
    }
}

#[test]
fn the_programs_of_a_checkout() {
    let Some(checkout) = std::env::var_os("MANYWORLDS_P_CHECKOUT") else {
        eprintln!("NOT RUN: MANYWORLDS_P_CHECKOUT names no checkout of p-org/P");
        return;
    };
    let mut found = BTreeSet::new();
    directories(&Path::new(&checkout).join("Tst/RegressionTests"), &mut found);
    let (mut tally, mut wrong) = ([(0, 0), (0, 0), (0, 0)], Vec::new());
    for directory in found {
        let kinds = ["Correct", "DynamicError", "StaticError"];
        let parts: Vec<_> = directory.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let Some(kind) = kinds.iter().position(|&kind| parts.iter().any(|part| part == kind)) else { continue };
        let compiled = compile(&directory, &Disk).unwrap();
        let fine = compiled.diagnostics.has_errors() == (kind == 2);
        tally[kind].0 += 1;
        tally[kind].1 += usize::from(fine);
        if fine && kind < 2 {
            crate::lowering::lowered(&compiled);
        }
        if !fine {
            wrong.push(format!("{}\n{}", directory.display(), compiled.render(false)));
        }
    }
    println!("Correct, DynamicError, StaticError: {tally:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tally.iter().all(|&(all, _)| all > 100), "{tally:?}");
}
