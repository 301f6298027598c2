//! `manyworlds::cli!`: the example with models of its own does what the zoo's command does.

use crate::built;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Said {
    status: Option<i32>,
    out: String,
    err: String,
}

fn said(command: &mut Command) -> Said {
    let Output { status, stdout, stderr } = command.output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    Said { status: status.code(), out: text(stdout), err: text(stderr) }
}

fn run(arguments: &[&str]) -> Said {
    said(built::example("cli").args(arguments))
}

fn run_with(variable: (&str, &str), arguments: &[&str]) -> Said {
    said(built::example("cli").env(variable.0, variable.1).args(arguments))
}

fn scratch(file: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{}-{file}", std::process::id()))
}

#[test]
fn models_are_listed() {
    let listed = run(&["list"]);
    assert_eq!(listed.status, Some(0));
    assert!(
        listed.out.contains("race   senders race") && listed.out.contains("n=3  places on the ring"),
        "{}",
        listed.out
    );
    let json: Value = serde_json::from_str(&run(&["list", "--json"]).out).expect("it is JSON");
    let kinds: Vec<&str> = json.as_array().unwrap().iter().map(|model| model["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["program", "actors", "specification"]);
}

#[test]
fn every_kind_of_model_is_checked() {
    for (model, executions, states) in [("race", Some(2), None), ("token", None, Some(4)), ("walk", None, None)] {
        let arguments: &[&str] = if model == "walk" { &["far=4"] } else { &[] };
        let checked = run(&[&["check", model, "--json"], arguments].concat());
        assert_eq!((checked.status, checked.err.as_str()), (Some(0), ""), "{model}");
        let json: Value = serde_json::from_str(&checked.out).expect("one JSON object and nothing else");
        assert_eq!((json["schema"].as_str(), json["model"].as_str()), (Some("manyworlds-outcome/1"), Some(model)));
        assert_eq!(json["executions"].as_u64(), executions, "{model}");
        assert!(states.is_none() || json["states"].as_u64() == states, "{json}");
    }
    assert_eq!(run(&["check", "race", "senders=4", "--max-executions", "3"]).status, Some(3));
    assert_eq!(run(&["check", "walk"]).status, Some(1));
}

#[test]
fn a_counterexample_is_written_replayed_and_drawn() {
    let [trace, page, dot] = ["t.json", "t.html", "t.dot"].map(scratch);
    let [t, p, d] = [&trace, &page, &dot].map(|path| path.to_str().expect("the path is text"));
    let found = run(&["check", "race", "bet=first", "--trace", t]);
    assert_eq!(found.status, Some(1));
    assert!(found.out.contains("sender1 is first") && found.out.contains(&format!("cli replay {t}")), "{}", found.out);
    let again = run(&["replay", t, "--html", p, "--dot", d]);
    assert_eq!(again.status, Some(1), "{}", again.err);
    assert!(again.out.ends_with("reproduced\n"), "{}", again.out);
    let page = std::fs::read_to_string(&page).expect("the page is written");
    assert!(page.contains("race") && std::fs::read_to_string(&dot).expect("it is written").starts_with("digraph"));

    // The trace of another program.
    let text = std::fs::read_to_string(&trace).expect("it is written");
    std::fs::write(&trace, text.replace("\"model\": \"race\"", "\"model\": \"rase\"")).expect("it can be written");
    let strange = run(&["replay", t]);
    assert_eq!(strange.status, Some(2));
    assert!(
        strange.err.contains("there is no model `rase`. Did you mean `race`? `cli list` shows them all"),
        "{}",
        strange.err
    );
}

#[test]
fn the_page_of_a_program_tells_what_was_exercised() {
    let page = scratch("race.html");
    let checked = run(&["check", "race", "senders=3", "--html", page.to_str().expect("the path is text")]);
    assert_eq!(checked.status, Some(0), "{}", checked.err);
    let page = std::fs::read_to_string(&page).expect("the page is written");
    // Three messages, numbers all of them, and main has received each in some world.
    assert!(page.contains(r#"{"kind":"message","name":"value","offered":3,"handled":3}"#), "the messages of main");
    assert!(page.contains(r#""kind":"program""#));
}

#[test]
fn what_was_meant_is_suggested() {
    for (arguments, meant) in [
        (&["check", "tokn"][..], "there is no model `tokn`. Did you mean `token`?"),
        (&["check", "race", "sender=2"], "it has: senders, bet. Did you mean `senders`?"),
        (&["check", "race", "bet=frist"], "Did you mean `first`?"),
        (&["check", "race", "--engine", "mus"], "Did you mean `must`?"),
        (&["chek", "race"], "a similar subcommand exists: 'check'"),
    ] {
        let complained = run(arguments);
        assert_eq!((complained.status, complained.out.as_str()), (Some(2), ""));
        assert!(complained.err.contains(meant), "{}", complained.err);
    }
}

#[test]
fn help_speaks_of_this_program() {
    let help = run(&["help"]);
    assert!(help.out.contains("Usage: cli <COMMAND>") && !help.out.contains("litmus"), "{}", help.out);
    let check = run(&["help", "check"]);
    assert!(check.out.contains("cli check race senders=2 --html race.html"), "{}", check.out);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        assert_eq!(script.status, Some(0));
        assert!(script.out.contains("linearize") && script.out.contains("network"), "{shell}");
    }
    for shell in ["bash", "zsh"] {
        assert!(run(&["completions", shell]).out.contains("token"), "{shell} completes the names of models");
    }
    assert!(run(&["man"]).out.contains(".TH cli 1"));
    assert!(run(&["man", "check"]).out.contains("cli\\-check"));
}

#[test]
fn variables_change_defaults_and_options_count_more() {
    assert_eq!(run_with(("MANYWORLDS_MAX_EXECUTIONS", "1"), &["check", "race"]).status, Some(3));
    assert_eq!(run_with(("MANYWORLDS_MAX_EXECUTIONS", ""), &["check", "race"]).status, Some(0));
    let both = run_with(("MANYWORLDS_MAX_EXECUTIONS", "1"), &["check", "race", "--max-executions", "9"]);
    assert_eq!(both.status, Some(0));
    let engine = run_with(("MANYWORLDS_ENGINE", "brute"), &["check", "race", "--json"]);
    assert!(engine.out.contains("\"engine\":\"brute\""), "{}", engine.out);
    for (name, value) in [
        ("MANYWORLDS_ENGINE", "musst"),
        ("MANYWORLDS_NETWORK", "tcp"),
        ("MANYWORLDS_THREADS", "0"),
        ("MANYWORLDS_SEED", "-1"),
        ("MANYWORLDS_POLICY", "fifo"),
        ("MANYWORLDS_MAX_EXECUTIONS", "0"),
        ("MANYWORLDS_MAX_STATES", "many"),
        ("MANYWORLDS_MAX_DEPTH", "1.5"),
        ("MANYWORLDS_TIMEOUT", "soon"),
        ("MANYWORLDS_MAX_MEMORY", "1G"),
        ("MANYWORLDS_LOSSES", "4294967296"),
        ("MANYWORLDS_DELAYS", "x"),
    ] {
        let bad = run_with((name, value), &["check", "race"]);
        assert_eq!((bad.status, bad.out.as_str()), (Some(2), ""), "{name}");
        assert!(bad.err.starts_with(&format!("error: {name} is `{value}`; expected ")), "{}", bad.err);
        // A variable that is overruled is not even looked at.
        let option = name.trim_start_matches("MANYWORLDS_").to_lowercase().replace('_', "-");
        let good = match option.as_str() {
            "engine" => "must",
            "network" => "mbox",
            "policy" => "random",
            _ => "10",
        };
        let overruled = run_with((name, value), &["check", "race", &format!("--{option}"), good]);
        assert!(!overruled.err.contains(name), "{}", overruled.err);
    }
    let refused = run_with(("MANYWORLDS_MAX_EXECUTIONS", "5"), &["check", "token"]);
    assert_eq!(refused.status, Some(2));
    assert!(refused.err.contains("(from the environment: MANYWORLDS_MAX_EXECUTIONS)"), "{}", refused.err);
}
