//! The programs in `static/`: a line with an error or a warning ends with a comment `//~ error: …` or `//~ warning: …`, which begins the message. Nothing
//! else is reported.

use manyworlds_p::diagnostic::Severity;
use manyworlds_p::project::compile_text;
use std::collections::BTreeMap;
use std::path::Path;

/// By line: what is expected.
fn expected(text: &str) -> BTreeMap<u32, Vec<String>> {
    let mut expected: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        for part in line.split("//~ ").skip(1) {
            expected.entry(number as u32 + 1).or_default().push(part.trim().to_string());
        }
    }
    expected
}

#[test]
fn every_error_is_reported_where_it_is() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/static");
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut errors, mut warnings, mut wrong) = (0, 0, Vec::new());
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        let compiled = compile_text(&name, &text);
        let mut expected = expected(&text);
        for found in compiled.diagnostics.iter() {
            let line = compiled.sources.position(found.span).line;
            let kind = if found.severity == Severity::Error { "error" } else { "warning" };
            let message = format!("{kind}: {}", found.message);
            let here = expected.entry(line).or_default();
            let Some(at) = here.iter().position(|expected| message.starts_with(expected.as_str())) else {
                wrong.push(format!("{name}:{line}: not expected: {message}; expected: {here:?}"));
                continue;
            };
            here.remove(at);
            match found.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
        }
        expected.retain(|_, missing| !missing.is_empty());
        wrong.extend(expected.iter().map(|(line, missing)| format!("{name}:{line}: not reported: {missing:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        files.len() >= 13 && errors >= 120 && warnings >= 10,
        "{} files, {errors} errors, {warnings} warnings",
        files.len()
    );
}

#[test]
fn errors_are_sorted_and_shown_with_their_lines() {
    let text = "machine M {\n  start state S {\n    entry { x = 1; send this, e; }\n  }\n}\nevent f;\n";
    let compiled = compile_text("dir/a.p", text);
    let shown = compiled.render(false);
    let heads: Vec<&str> = shown.lines().filter(|line| line.starts_with("dir/a.p:")).collect();
    assert_eq!(
        heads,
        [
            "dir/a.p:3:13: error: there is no variable, event or enum element named `x`",
            "dir/a.p:3:31: error: there is no variable, event or enum element named `e`"
        ]
    );
    assert!(shown.contains("3 |     entry { x = 1; send this, e; }\n  |             ^\n"), "{shown}");
}

#[test]
fn names_that_are_close_are_suggested() {
    let text = "event eRequest; machine M { start state S { entry { send this, eRequst; goto Stat; } } state State { ignore eRequest; } }";
    let shown = compile_text("a.p", text).render(false);
    assert!(shown.contains("did you mean `eRequest`?") && shown.contains("did you mean `State`?"), "{shown}");
}
