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

/// Complains before the run about files that cannot be written.
pub fn expect_writable(args: &ExportArgs, trace: Option<&PathBuf>) -> Result<(), Complaint> {
    let files = [("--trace", trace), ("--html", args.html.as_ref()), ("--dot", args.dot.as_ref())];
    let files = files.into_iter().chain([("--shiviz", args.shiviz.as_ref())]);
    files.filter_map(|(option, file)| Some((option, file?))).try_for_each(|(o, file)| output::expect_writable(o, file))
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
    let plain = known.is_file() && known.len() <= LARGEST_SOURCE && file.ends_with(".rs");
    plain.then(|| std::fs::read_to_string(file).ok()).flatten()
}
