//! Checks the models through the command line.

use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let program = env!(concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME")));
    let Output { status, stdout, .. } = Command::new(program)
        .args(arguments)
        .output()
        .expect("it runs");
    (
        status.code(),
        String::from_utf8(stdout).expect("it prints text"),
    )
}

#[test]
fn models_are_verified_and_bugs_are_found() {
    for model in ["delivery", "booking", "counter"] {
        assert_eq!(run(&["check", model]).0, Some(0), "{model}");
        assert_eq!(
            run(&["check", &format!("{model}-bug")]).0,
            Some(1),
            "{model}-bug"
        );
    }
}

#[test]
fn a_bug_can_be_seen_again() {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("booking-bug.json");
    let trace = trace.to_str().expect("the path is text");
    assert_eq!(run(&["check", "booking-bug", "--trace", trace]).0, Some(1));
    let (status, printed) = run(&["replay", trace]);
    assert_eq!(status, Some(1));
    assert!(printed.ends_with("reproduced\n"), "{printed}");
}
