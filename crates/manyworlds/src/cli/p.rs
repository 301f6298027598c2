//! `manyworlds check PATH`, `list PATH` and `compile PATH`: programs in the language P.
//!
//! Errors of the program go to stderr, and nothing to stdout. Tests run one after the other, each with the whole budget; the exit status is the worst of
//! theirs.

use super::args::{CheckArgs, CompileArgs};
use super::check::{Checked, options, run_subject};
use super::exports::expect_writable;
use super::terminal::{complain, print_line};
use super::{App, Complaint, Exit};
use crate::p::{Program, Test};
use crate::suggest::did_you_mean;
use crate::{Options, Subject, Trace};
use manyworlds_p::diagnostic::Severity;
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Reads a program; nothing if it has errors, which are shown. Warnings are shown if they were asked for.
fn read(path: &Path, warnings: bool) -> Result<Option<Program>, Complaint> {
    let program = Program::read(path)?;
    let compiled = program.compiled();
    let errors = compiled.diagnostics.has_errors();
    if errors || warnings {
        let mut stderr = std::io::stderr();
        let styled = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        // A reader that went away is no reason to panic.
        let _ = stderr.write_all(compiled.render(styled).as_bytes());
    }
    Ok((!errors).then_some(program))
}

/// `compile PATH`
pub fn compile(args: &CompileArgs) -> Result<Exit, Complaint> {
    if !args.json {
        return Ok(if read(&args.path, true)?.is_some() { Exit::Verified } else { Exit::Invalid });
    }
    let program = Program::read(&args.path)?;
    let compiled = program.compiled();
    let entry = |found: &manyworlds_p::diagnostic::Diagnostic| {
        let position = compiled.sources.position(found.span);
        json!({
            "file": &*compiled.sources.get(found.span.file).path,
            "line": position.line,
            "column": position.column,
            "severity": if found.severity == Severity::Error { "error" } else { "warning" },
            "message": found.message,
            "help": found.help,
        })
    };
    print_line(&Value::from_iter(compiled.diagnostics.iter().map(entry)).to_string());
    Ok(if compiled.diagnostics.has_errors() { Exit::Invalid } else { Exit::Verified })
}

/// `list PATH`
pub fn list(path: &Path, json: bool) -> Result<Exit, Complaint> {
    let Some(tests) = read(path, false)?.and_then(|program| program.tests()) else { return Ok(Exit::Invalid) };
    if json {
        let entry = |test: &Test| json!({ "name": test.instance(), "kind": test.kind(), "params": test.params() });
        print_line(&Value::from_iter(tests.iter().map(entry)).to_string());
        return Ok(Exit::Verified);
    }
    for test in &tests {
        let values = test.params().iter().skip(1).map(|(name, value)| format!(" {name}={value}"));
        print_line(&format!("{}{}", test.name(), values.collect::<String>()));
    }
    Ok(Exit::Verified)
}

/// `check PATH`
pub fn check(app: &App, args: &CheckArgs) -> Result<Exit, Complaint> {
    if let Some(param) = args.params.first() {
        return Err(format!("`{param}`: a P program takes no parameters here; --test NAME chooses a test"));
    }
    let path = Path::new(&args.model);
    let Some(program) = read(path, false)? else { return Ok(Exit::Invalid) };
    let tests = program.tests().unwrap_or_default();
    let chosen = choose(&tests, args.test.as_deref(), path)?;
    if chosen.len() > 1 && (args.trace.is_some() || args.exports.any()) {
        let complaint = "a file shows one test, but there are several; choose one with --test NAME, for example --test";
        return Err(format!("{complaint} {}", chosen[0].instance()));
    }
    expect_writable(&args.exports, args.trace.as_ref(), None)?;
    let given = options(args);
    let mut worst = Exit::Verified;
    for test in chosen {
        let exit = check_test(app, args, &program.compiled().name, test, &given);
        if badness(exit) > badness(worst) {
            worst = exit;
        }
    }
    Ok(worst)
}

fn badness(exit: Exit) -> u8 {
    match exit {
        Exit::Verified => 0,
        Exit::Incomplete => 1,
        Exit::Violated => 2,
        Exit::Invalid => 3,
    }
}

fn check_test(app: &App, args: &CheckArgs, project: &str, test: &Test, given: &Options) -> Exit {
    // The trace names the path, so that it can be replayed.
    let options = Options { name: args.model.clone(), params: test.params().clone(), ..given.clone() };
    let checked = Checked { name: project, shown: test.instance(), params: test.params(), kind: test.kind() };
    match run_subject(app, args, &checked, test, &options) {
        Ok(exit) => exit,
        Err(why) => {
            if args.json {
                print_line(&refused(project, test, &why).to_string());
            }
            complain(&format!("{}: {why}", test.instance()));
            Exit::Invalid
        }
    }
}

/// The row of a test that cannot be run.
fn refused(project: &str, test: &Test, why: &str) -> Value {
    json!({
        "schema": "manyworlds-outcome/1",
        "model": project,
        "params": test.params(),
        "verdict": "refused",
        "reason": why,
    })
}

/// The tests that are to run: those with this name, else the only one whose name contains it, else all.
fn choose<'a>(tests: &'a [Test], name: Option<&str>, path: &Path) -> Result<Vec<&'a Test>, Complaint> {
    if tests.is_empty() {
        let expected = "expected `test tc [main = M]: …`, or a machine `Main` without a payload";
        return Err(format!("{} has no test; {expected}", path.display()));
    }
    let Some(name) = name else { return Ok(tests.iter().collect()) };
    let exact: Vec<&Test> = tests.iter().filter(|test| test.name() == name || test.instance() == name).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let part: Vec<&Test> = tests.iter().filter(|test| test.instance().contains(name)).collect();
    let mut names: Vec<&str> = part.iter().map(|test| test.name()).collect();
    names.dedup();
    match names.as_slice() {
        // A part of the name of a test, or of one of its instances.
        [_] => Ok(part),
        [] => {
            let hint = did_you_mean(name, tests.iter().map(Test::name));
            let mut known: Vec<&str> = tests.iter().map(Test::name).collect();
            known.dedup();
            Err(format!("there is no test `{name}`{hint}; the tests are: {}", known.join(", ")))
        }
        several => Err(format!("`{name}` is a part of several names: {}", several.join(", "))),
    }
}

/// The test that a trace is of.
pub fn subject(trace: &Trace) -> Result<Box<dyn Subject>, Complaint> {
    let program = Program::read(Path::new(&trace.model))?;
    let Some(tests) = program.tests() else {
        return Err(format!("{} has errors: `compile` shows them", trace.model));
    };
    let test = tests.into_iter().find(|test| test.params() == &trace.params);
    match test {
        Some(test) => Ok(Box::new(test)),
        None => Err(format!("{} has no test with the parameters of the trace", trace.model)),
    }
}
