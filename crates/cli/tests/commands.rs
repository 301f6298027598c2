//! What the command line prints, word for word.

#[cfg(target_os = "linux")]
use manyworlds_testkit::{NotRun, not_run};

/// Commands that the files below show at least.
const COMMANDS: usize = 180;

#[test]
fn commands() {
    let files = std::fs::read_dir("tests/cmd").expect("the directory of commands").map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|kind| kind == "trycmd")).collect();
    let text: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let commands = text.lines().filter(|line| line.starts_with("$ ")).count();
    assert!(files.len() >= 8 && commands >= COMMANDS, "{} files, {commands} commands", files.len());
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").default_bin_name("manyworlds");
}

/// What is printed on a terminal, which `script` plays.
///
/// # Errors
/// If there is no `script`.
#[cfg(target_os = "linux")]
fn on_a_terminal(command: &str, variables: &[(&str, &str)]) -> Result<String, NotRun> {
    let program = env!("CARGO_BIN_EXE_manyworlds");
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &format!("'{program}' {command}"), "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
    let script = script.env("SHELL", "/bin/sh");
    let run = script.envs(variables.iter().copied()).stdin(std::process::Stdio::null()).output();
    let run = run.map_err(|error| not_run(&format!("`script` cannot be started: {error}")))?;
    assert!(!run.stdout.is_empty(), "`{command}` printed nothing: {}", String::from_utf8_lossy(&run.stderr));
    Ok(String::from_utf8(run.stdout).expect("it prints text"))
}

#[cfg(target_os = "linux")]
#[test]
fn colours_only_on_a_terminal_and_only_if_wanted() {
    for command in ["help", "check two-phase-commit-bug", "check paxso", "check ns+nr --engine musst", "chek"] {
        let Ok(printed) = on_a_terminal(command, &[]) else { return };
        assert!(printed.contains("\x1b["), "{command}: {printed}");
        // What other programs ask, and this one does not, changes nothing.
        for other in [("OTHER", ""), ("CI", "1"), ("CLICOLOR_FORCE", "1"), ("CLICOLOR", "0")] {
            for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
                let plain = on_a_terminal(command, &[variable, other]).expect("it ran before");
                assert!(!plain.contains("\x1b["), "{command}, {variable:?}, {other:?}: {plain}");
            }
            // To be set and empty is not to be set.
            let coloured = on_a_terminal(command, &[("NO_COLOR", ""), other]).expect("it ran before");
            assert!(coloured.contains("\x1b["), "{command}, {other:?}: {coloured}");
        }
        let program = env!("CARGO_BIN_EXE_manyworlds");
        let piped = std::process::Command::new(program).args(command.split(' ')).output().expect("it runs");
        assert!(![piped.stdout, piped.stderr].concat().contains(&0x1b), "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_run_shows_how_far_it_is() {
    let Ok(printed) = on_a_terminal("check ns+nr n=12 --timeout 1.5", &[]) else { return };
    assert!(printed.contains(" executions, ") && printed.contains("/s, ") && printed.contains(" s left"), "{printed}");
    let quiet = on_a_terminal("check ns+nr n=12 --timeout 1 --quiet", &[]).expect("it ran before");
    assert!(!quiet.contains(" s left"), "{quiet}");
}
