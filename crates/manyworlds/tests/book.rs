//! The book is whole: every chapter is in its table of contents and among those whose code is run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const CODE: &str = include_str!("../src/book.rs");

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src")
}

/// Every chapter, from the directory of the book.
fn chapters(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the book is there") {
        let path = entry.expect("the book can be read").path();
        if path.is_dir() {
            chapters(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("SUMMARY.md") {
            found.insert(path.strip_prefix(book()).expect("it is in the book").to_path_buf());
        }
    }
}

/// Where the links of the table of contents lead.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[test]
fn every_chapter_is_listed_and_run() {
    let mut found = BTreeSet::new();
    chapters(&book(), &mut found);
    let summary = fs::read_to_string(book().join("SUMMARY.md")).expect("there is a table of contents");
    let listed: BTreeSet<PathBuf> = links(&summary).map(PathBuf::from).collect();
    assert_eq!(found, listed, "the table of contents");
    let quoted = CODE.split('"').filter(|quoted| quoted.ends_with(".md"));
    assert_eq!(found, quoted.map(PathBuf::from).collect(), "the chapters of src/book.rs");
}
