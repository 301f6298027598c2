//! What a test needs and may not find: files that are kept outside of the repository (large recorded histories, and tables of counts that other
//! tools computed), and programs that are not installed everywhere.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A test was not run.
#[derive(Debug)]
pub struct NotRun(());

/// Says that a test cannot be run, on the terminal even if the test harness keeps back what tests print. The test then returns.
///
/// # Panics
/// If `CI` is `true`: there every test must run.
pub fn not_run(why: &str) -> NotRun {
    report(why, std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1"))
}

fn report(why: &str, must: bool) -> NotRun {
    assert!(!must, "this test must run, but {why}");
    drop(writeln!(std::io::stderr(), "NOT RUN: {why}"));
    NotRun(())
}

/// The path of a file or directory among the shared files. They are in the directory that `MANYWORLDS_TEST_SHARED` names, or else in `shared` beside
/// the repository. `MANYWORLDS_TEST_SHARED=none` says that there are none.
///
/// # Errors
/// If there is no such file: see [`not_run`].
///
/// # Panics
/// If there is no such file although `CI` is `true` or `MANYWORLDS_TEST_SHARED` names a directory.
pub fn shared(file: &str) -> Result<PathBuf, NotRun> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    match std::env::var_os("MANYWORLDS_TEST_SHARED") {
        Some(none) if none == "none" => Err(report("MANYWORLDS_TEST_SHARED is `none`", false)),
        Some(directory) => find(Path::new(&directory), file).map_err(|why| report(&why, true)),
        None => find(&beside, file).map_err(|why| not_run(&why)),
    }
}

fn find(directory: &Path, file: &str) -> Result<PathBuf, String> {
    let path = directory.join(file);
    let why = || format!("there is no {}; MANYWORLDS_TEST_SHARED names the directory of shared files", path.display());
    if path.exists() { Ok(path) } else { Err(why()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(find(here, "Cargo.toml"), Ok(here.join("Cargo.toml")));
        assert!(find(here, "nothing.tsv").is_err_and(|why| why.contains("nothing.tsv")));
        let NotRun(()) = report("this is a test", false);
    }

    #[test]
    #[should_panic(expected = "this test must run, but there is no such file")]
    fn what_must_run_is_a_failure() {
        let _ = report("there is no such file", true);
    }
}
