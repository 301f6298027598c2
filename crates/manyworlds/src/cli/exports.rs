//! The faces of an outcome that go into files: `--trace`, `--html`, `--dot`, `--shiviz`.

use super::args::ExportArgs;
use super::terminal::note;
use super::{Complaint, output};
use crate::Trace;
use manyworlds_report::html::{Page, html};
use manyworlds_report::{dot, shiviz};
use std::path::{Path, PathBuf};

/// The largest source file that is looked into.
const LARGEST_SOURCE: u64 = 4 << 20;

/// Complains before the run about files that cannot be written, and about two that are one: the first would be lost.
pub fn expect_writable(args: &ExportArgs, trace: Option<&PathBuf>, source: Option<&Path>) -> Result<(), Complaint> {
    let files = [
        ("--trace", trace),
        ("--html", args.html.as_ref()),
        ("--dot", args.dot.as_ref()),
        ("--shiviz", args.shiviz.as_ref()),
    ];
    let files: Vec<(&str, &Path)> =
        files.into_iter().filter_map(|(option, file)| Some((option, file?.as_path()))).collect();
    for (at, &(option, file)) in files.iter().enumerate() {
        output::expect_writable(option, file)?;
        if source.is_some_and(|source| output::same(source, file)) {
            return Err(format!("{option}: {} is the trace itself; expected another file", file.display()));
        }
        if let Some((other, _)) = files[..at].iter().find(|(_, other)| output::same(other, file)) {
            return Err(format!("{option}: {} is the file of {other}, too; expected another one", file.display()));
        }
    }
    Ok(())
}

/// Writes what was asked for. Without a counterexample there is nothing but a page to write.
pub fn write(args: &ExportArgs, page: &Page<'_>) -> Result<(), Complaint> {
    if let Some(file) = &args.html {
        output::write("--html", file, &html(&Page { source: Some(&source), ..*page }))?;
    }
    write_trace("--dot", args.dot.as_deref(), page.trace, dot)?;
    write_trace("--shiviz", args.shiviz.as_deref(), page.trace, shiviz)
}

/// Writes one face of the counterexample, or says why not.
pub fn write_trace(
    option: &str,
    file: Option<&Path>,
    trace: Option<&Trace>,
    face: impl Fn(&Trace) -> String,
) -> Result<(), Complaint> {
    match (file, trace) {
        (Some(file), Some(trace)) => output::write(option, file, &face(trace)),
        (Some(file), None) => {
            note(&format!("there is no counterexample, so {} was not written", file.display()));
            Ok(())
        }
        (None, _) => Ok(()),
    }
}

/// A source file, if it is where the trace says.
fn source(file: &str) -> Option<String> {
    let known = std::fs::metadata(file).ok()?;
    let plain = known.is_file() && known.len() <= LARGEST_SOURCE && (file.ends_with(".rs") || file.ends_with(".p"));
    plain.then(|| std::fs::read_to_string(file).ok()).flatten()
}
