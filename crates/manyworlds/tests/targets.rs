//! Every file of integration tests belongs to the one test binary of its crate. Cargo does not look for other ones (`autotests = false`), so a
//! file that no `mod` declares would never run.

use std::fs;
use std::path::{Path, PathBuf};

/// The entries of a directory.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    entries.map(|entry| entry.expect("an entry can be read").path()).collect()
}

/// The modules of `directory` and below that `root` declares; panics at the first one that it does not.
fn declared(directory: &Path, root: &str) -> usize {
    let text = fs::read_to_string(directory.join(root)).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let modules = entries(directory).into_iter().filter(|path| path.file_name().is_some_and(|name| name != root));
    let mut count = 0;
    for path in modules {
        let nested = path.join("mod.rs").exists();
        if !nested && path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.file_stem().expect("a module has a name").to_string_lossy().into_owned();
        let declarations = [format!("mod {name};"), format!("pub mod {name};")];
        assert!(
            text.lines().any(|line| declarations.iter().any(|declaration| line == declaration)),
            "{root} does not declare {}",
            path.display()
        );
        count += if nested { declared(&path, "mod.rs") } else { 1 };
    }
    count
}

#[test]
fn every_file_is_part_of_the_test_binary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = entries(&root.join("crates")).into_iter().chain([root.join("protocols")]);
    let suites: Vec<PathBuf> = crates.map(|directory| directory.join("tests")).filter(|tests| tests.is_dir()).collect();
    let files: usize = suites.iter().map(|tests| declared(tests, "main.rs")).sum();
    assert!(suites.len() >= 6 && files >= 60, "{} suites, {files} files", suites.len());
}
