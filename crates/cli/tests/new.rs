//! What `manyworlds new` writes can be built, tested and asked, and nothing is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_manyworlds");

/// An empty directory.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("there is a place for files");
    place
}

fn new(path: &str, place: &Path) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        Command::new(PROGRAM).args(["new", path]).current_dir(place).output().expect("the command runs");
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

fn cargo(directory: &Path, arguments: &[&str]) -> Output {
    let target = Path::new(PROGRAM).parent().and_then(Path::parent).expect("the program is in a target directory");
    Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()))
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo runs")
}

/// Lets Cargo use what was built for this workspace: the same versions, built in the same way.
fn borrow_from_the_workspace(directory: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock")).expect("the versions can be copied");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("the workspace has a manifest");
    let profiles = &manifest[manifest.find("[profile.").expect("it has profiles")..];
    fs::create_dir_all(directory.join(".cargo")).expect("there is a place for files");
    fs::write(directory.join(".cargo/config.toml"), profiles).expect("the profiles can be written");
    // The format of the workspace is not that of the crate.
    fs::write(directory.join("rustfmt.toml"), "").expect("the format can be written");
}

#[test]
fn the_crate_passes_its_tests_and_finds_its_bugs() {
    let place = place("whole");
    let (status, said) = new("demo", &place);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("cd demo\n") && said.contains("cargo run -- check booking-bug"), "{said}");
    let demo = place.join("demo");
    let manifest = fs::read_to_string(demo.join("Cargo.toml")).expect("there is a manifest");
    assert!(manifest.contains("name = \"demo\"") && manifest.contains("manyworlds = { path = "), "{manifest}");
    assert_eq!(fs::read_dir(&place).expect("it can be read").count(), 1, "nothing is left beside it");

    borrow_from_the_workspace(&demo);
    let test = cargo(&demo, &["test", "--offline", "--quiet"]);
    let said = String::from_utf8_lossy(&[test.stdout, test.stderr].concat()).into_owned();
    assert!(test.status.success() && said.contains("6 passed") && said.contains("2 passed"), "{said}");
    assert!(!said.contains("warning"), "{said}");

    let found = cargo(&demo, &["run", "--offline", "--quiet", "--", "check", "booking-bug"]);
    let drawn = String::from_utf8_lossy(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{drawn}");
    assert!(drawn.contains("customers on one seat") && drawn.contains("then: demo replay FILE"), "{drawn}");

    if cargo(&demo, &["fmt", "--version"]).status.success() {
        let format = cargo(&demo, &["fmt", "--check"]);
        assert!(format.status.success(), "{}", String::from_utf8_lossy(&format.stdout));
    }
}

#[test]
fn what_is_there_stays() {
    let place = place("taken");
    fs::create_dir(place.join("full")).expect("a directory");
    fs::write(place.join("full/precious"), "mine").expect("a file");
    fs::write(place.join("file"), "mine").expect("a file");
    for (name, problem) in
        [("full", "with something in it"), ("file", "is no directory"), ("no/demo", "no directory no")]
    {
        let (status, said) = new(name, &place);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.starts_with(&format!("error: {name} ")) && said.contains(problem), "{said}");
    }
    assert_eq!(fs::read_to_string(place.join("full/precious")).expect("it is there"), "mine");
    assert_eq!(fs::read_dir(place.join("full")).expect("it is there").count(), 1);
    assert_eq!(fs::read_to_string(place.join("file")).expect("it is there"), "mine");
    assert!(!place.join("no").exists());
}

#[test]
fn an_empty_directory_and_a_path_will_do() {
    let place = place("empty");
    fs::create_dir_all(place.join("some/where")).expect("a directory");
    fs::create_dir(place.join("empty")).expect("a directory");
    assert_eq!(new("empty", &place).0, Some(0));
    assert_eq!(new("some/where/my-protocol", &place).0, Some(0));
    let manifest = fs::read_to_string(place.join("some/where/my-protocol/Cargo.toml")).expect("there is a manifest");
    assert!(manifest.contains("name = \"my-protocol\""), "{manifest}");
    assert!(place.join("empty/src/main.rs").exists());
}

#[test]
fn within_a_workspace_the_crate_is_one_of_its_own() {
    let place = place("inside");
    fs::write(place.join("Cargo.toml"), "[workspace]\nmembers = []\n").expect("a manifest");
    assert_eq!(new("demo", &place).0, Some(0));
    let manifest = fs::read_to_string(place.join("demo/Cargo.toml")).expect("there is a manifest");
    assert!(manifest.ends_with("[workspace]\n"), "{manifest}");
    let metadata = cargo(&place.join("demo"), &["metadata", "--offline", "--no-deps", "--format-version", "1"]);
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
}

#[test]
fn a_bad_name_is_explained() {
    let place = place("names");
    for bad in ["2pc", "my crate", "é", "fn", "test", "manyworlds", ".."] {
        let (status, said) = new(bad, &place);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("expected a letter, then letters, digits, - or _"), "{said}");
    }
    assert_eq!(fs::read_dir(&place).expect("it can be read").count(), 0);
}
