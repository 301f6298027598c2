//! `manyworlds replay`

use super::args::ReplayArgs;
use super::terminal::{note, print_line, style};
use super::{App, Complaint, Exit, exports, p};
use crate::{Replayed, Subject, Trace};
use manyworlds_report::html::Page;
use manyworlds_report::{Hints, failure, step};

/// Reproduces a counterexample step by step.
pub fn run(app: &App, args: &ReplayArgs) -> Result<Exit, Complaint> {
    let file = args.trace.display();
    exports::expect_writable(&args.exports, None, Some(&args.trace))?;
    let bytes = std::fs::read(&args.trace).map_err(|e| format!("{file}: cannot be read: {e}"))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        format!("{file}: byte {} is not UTF-8; expected a `manyworlds-trace/2` JSON file", e.utf8_error().valid_up_to())
    })?;
    let trace = Trace::from_json(&text).map_err(|e| format!("{file}: {e}"))?;
    let subject = subject(app, &trace).map_err(|e| format!("{file}: {e}"))?;
    let replayed = subject
        .replay(&trace, &mut |i, _| print_line(&step(&trace, i, &style())))
        .map_err(|e| format!("{file}: {e}"))?;
    match replayed {
        Replayed::Reproduced => {
            exports::write(&args.exports, &Page { title: &trace.model, trace: Some(&trace), ..Page::default() })?;
            let html = args.exports.html.as_ref().map(|file| file.display().to_string());
            print_line(&failure(&trace, &Hints { html: html.as_deref(), ..Hints::default() }, &style()));
            print_line("reproduced");
            Ok(Exit::Violated)
        }
        Replayed::Gone => {
            print_line("every step was done, but the violation did not happen: it seems to be mended");
            if args.exports.any() {
                note("there is no counterexample any more, so no file was written");
            }
            Ok(Exit::Verified)
        }
    }
}

/// The model or the test of a P program that the trace is of.
fn subject(app: &App, trace: &Trace) -> Result<Box<dyn Subject>, Complaint> {
    if app.is_program(&trace.model) {
        return p::subject(trace);
    }
    let model = app.model(&trace.model)?;
    model.subject(&model.params_from_json(&trace.params)?)
}
