//! The examples, as programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An example, which is built with all the tests; or cargo, to build and run it, if only some of them are.
pub fn example(name: &str) -> Command {
    let mut command = match built(name) {
        Some(built) => Command::new(built),
        None => cargo_run(name),
    };
    let variables = std::env::vars_os().map(|(name, _)| name);
    for variable in variables.filter(|name| name.to_string_lossy().starts_with("MANYWORLDS_")) {
        command.env_remove(variable);
    }
    command
}

/// The program, unless there is none or its source has changed since.
fn built(name: &str) -> Option<PathBuf> {
    let tests = std::env::current_exe().expect("this test is a program");
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let built = tests.parent()?.parent()?.join("examples").join(file);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
    let age = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    (age(&built)? >= age(&source)?).then_some(built)
}

fn cargo_run(name: &str) -> Command {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()));
    cargo.args(["run", "--quiet", "-p", "manyworlds", "--example", name, "--"]);
    cargo
}
