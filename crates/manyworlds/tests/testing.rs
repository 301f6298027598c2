//! The life of a failing test: its trace is written, replayed first, and forgotten when the program is mended.

use manyworlds::prelude::*;
use manyworlds::testing::{Environment, Incomplete, TestCase, attempt};
use manyworlds::{Observe, Observed, Trace};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A test and a directory of its own for its trace.
struct Bench {
    case: TestCase,
    /// Completes the program.
    configure: fn(Program) -> Program,
    environment: Environment,
    said: Vec<String>,
}

impl Bench {
    fn new(name: &'static str) -> Bench {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&directory));
        let (package, module) = ("some-package", "some_crate::inner");
        let case = TestCase::new(package, "/nowhere", module, name);
        Bench {
            case,
            configure: |program| program,
            environment: Environment { directory: Some(directory), ..Environment::default() },
            said: Vec::new(),
        }
    }

    fn file(&self) -> PathBuf {
        let directory = self.environment.directory.as_ref().unwrap();
        directory.join(format!("some-package-some_crate-inner-{}.json", self.case.name))
    }

    fn run(&mut self, program: impl Fn() + Send + Sync + 'static) -> Result<(), String> {
        self.said.clear();
        let (program, configure) = (std::sync::Arc::new(program), self.configure);
        let make = move || {
            let program = program.clone();
            configure(Program::new(move || program()))
        };
        attempt(&self.case, &self.environment, make, &mut |text| self.said.push(text.to_string()))
    }

    /// Runs a program that fails.
    fn fails(&mut self, program: impl Fn() + Send + Sync + 'static) -> String {
        self.run(program).expect_err("this program is wrong")
    }

    fn said(&self) -> String {
        self.said.join("\n")
    }

    /// The file is there, and not because it was written just now.
    fn mark(&self) {
        let text = fs::read_to_string(self.file()).unwrap();
        fs::write(self.file(), text + "\n\n").unwrap();
    }

    fn is_marked(&self) -> bool {
        fs::read_to_string(self.file()).unwrap().ends_with("\n\n")
    }
}

/// Two senders race; the program is wrong if it matters who is first.
fn race(wrong: bool) -> impl Fn() + Send + Sync {
    move || {
        let first = process("server").spawn(|| (recv::<u32>(), recv::<u32>()).0);
        process("one").spawn(move || send(first.pid(), 1u32));
        process("two").spawn(move || send(first.pid(), 2u32));
        let first = first.join();
        assert!(!wrong || first == 1, "{first} was first");
    }
}

#[test]
fn a_trace_is_written_replayed_first_and_forgotten_when_mended() {
    let mut bench = Bench::new("lifecycle");
    assert_eq!(bench.run(race(false)), Ok(()));
    assert!(bench.said().contains("some_crate::inner::lifecycle verified: every execution under p2p (isolation sampled: 2 executions); 2 executions"));
    assert!(!bench.file().exists());

    let message = bench.fails(race(true));
    assert!(message.starts_with(
        "`some_crate::inner::lifecycle` violates `assertion` in main at crates/manyworlds/tests/testing.rs:"
    ));
    assert!(message.ends_with(": 2 was first") && !message.contains('\n'), "{message}");
    let file = bench.file().display().to_string();
    let replay =
        format!("replay: MANYWORLDS_REPLAY={file} cargo test -p some-package inner::lifecycle\ntrace:  {file}");
    assert!(bench.said().contains("✗ fails here") && bench.said().contains(&replay), "{}", bench.said());
    let mut names: Vec<_> =
        fs::read_dir(bench.file().parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let page = bench.file().with_extension("html");
    assert_eq!(names, [page.clone(), bench.file()], "no drafts are left");
    assert!(bench.said().contains(&format!("report: {}", page.display())), "{}", bench.said());
    assert!(fs::read_to_string(&page).unwrap().contains("2 was first"));

    bench.mark();
    assert_eq!(bench.fails(race(true)), message);
    assert!(bench.said().contains("replayed first, and still there") && bench.said().contains("✗ fails here"));
    assert!(bench.is_marked(), "nothing was explored");

    assert_eq!(bench.run(race(false)), Ok(()));
    assert!(bench.said().contains("does not fail any more; the file is deleted"), "{}", bench.said());
    assert!(bench.said().contains("verified") && !bench.file().exists() && !page.exists());
}

#[test]
fn a_program_that_goes_another_way_is_explored_again() {
    let mut bench = Bench::new("another_way");
    bench.fails(race(true));
    bench.mark();
    let message = bench.fails(|| assert!(!flip(), "tails"));
    assert!(bench.said().contains("was the program changed since the trace was written?"), "{}", bench.said());
    assert!(message.ends_with(": tails") && !bench.is_marked());
}

#[test]
fn a_file_that_cannot_be_used_is_deleted() {
    let mut bench = Bench::new("unusable");
    bench.fails(race(true));
    let good = fs::read(bench.file()).unwrap();
    let other = String::from_utf8(good.clone()).unwrap().replace("some_crate::inner", "another_crate");
    for bad in [&good[..good.len() / 2], b"\xff\xfe", b"{}", b"", other.as_bytes()] {
        fs::write(bench.file(), bad).unwrap();
        assert_eq!(bench.run(race(false)), Ok(()));
        assert!(bench.said().contains("the file is deleted") && !bench.file().exists(), "{}", bench.said());
    }
}

#[test]
fn a_trace_that_cannot_be_written_does_not_hide_the_violation() {
    let mut bench = Bench::new("unwritable");
    let directory = bench.environment.directory.clone().unwrap();
    fs::create_dir_all(directory.parent().unwrap()).unwrap();
    fs::write(&directory, "a file where a directory should be").unwrap();
    assert!(bench.fails(race(true)).ends_with("2 was first"));
    assert!(
        bench.said().contains("✗ fails here") && bench.said().contains("the trace cannot be written to"),
        "{}",
        bench.said()
    );
    assert!(!bench.said().contains("MANYWORLDS_REPLAY"), "there is nothing to replay");
    fs::remove_file(directory).unwrap();
}

#[test]
fn one_trace_can_be_replayed_alone() {
    let mut bench = Bench::new("alone");
    bench.fails(race(true));
    bench.mark();
    bench.environment.replay = Some(bench.file());

    assert!(bench.fails(race(true)).ends_with("2 was first"));
    let trace = Trace::from_json(&fs::read_to_string(bench.file()).unwrap()).unwrap();
    let steps: Vec<&String> = bench.said.iter().filter(|line| line.starts_with("  ") && !line.contains('\n')).collect();
    assert_eq!(steps.len(), trace.steps.len(), "{}", bench.said());
    assert!(steps[0].starts_with("  0  main spawns server  testing.rs:"), "{}", steps[0]);
    assert!(bench.said().contains("fails: 2 was first") && bench.said().contains("✗ fails here"));

    assert_eq!(bench.run(race(false)), Ok(()));
    assert!(bench.said().contains("nothing fails any more"));
    assert!(!bench.said().contains("verified") && bench.is_marked(), "a replay explores nothing and deletes nothing");

    let message = bench.fails(|| assert!(!flip(), "tails"));
    assert!(message.starts_with("MANYWORLDS_REPLAY: ") && message.contains("the program does"), "{message}");

    bench.case.name = "other";
    assert_eq!(bench.run(|| panic!("not run")), Ok(()));
    assert!(
        bench.said().contains(
            "`some_crate::inner::other` is skipped: MANYWORLDS_REPLAY is a trace of `some_crate::inner::alone`"
        )
    );

    bench.environment.replay = Some(PathBuf::from("no/such.json"));
    assert!(bench.fails(race(true)).starts_with("MANYWORLDS_REPLAY: no/such.json: "));
}

#[test]
fn a_hit_bound_fails_unless_it_is_allowed() {
    let mut bench = Bench::new("bound");
    bench.environment.max_executions = Some(1);
    let message = bench.fails(race(false));
    assert!(message.contains("a bound was hit (max-executions) after 1 complete executions"), "{message}");
    assert!(message.contains("at most 1 execution,") && message.contains("raise `max_executions`"), "{message}");
    bench.case.incomplete = Some(Incomplete::Allow);
    assert_eq!(bench.run(race(false)), Ok(()));
    assert!(bench.said().contains("incomplete"));
    bench.case.executions = Some(2);
    assert!(bench.fails(race(false)).contains("has 1 complete executions"));
}

#[test]
fn a_deadlock_is_mended_by_a_daemon_or_by_leave_to_wait() {
    let mut bench = Bench::new("deadlock");
    let server = |daemon: bool| {
        move || {
            let server = process("server");
            let server = if daemon { server.daemon() } else { server };
            server.spawn(|| recv::<u32>());
        }
    };
    assert!(bench.fails(server(false)).ends_with("server waits for ever"));
    assert_eq!(bench.run(server(true)), Ok(()));
    bench.fails(server(false));
    bench.configure = |program| program.deadlock(Deadlock::Allow);
    assert_eq!(bench.run(server(false)), Ok(()));
    assert!(!bench.file().exists());
}

#[test]
fn a_loss_that_the_budget_no_longer_allows_is_no_violation() {
    let mut bench = Bench::new("loss");
    bench.case.options.losses = Some(1);
    let talk = || {
        let listener = spawn(|| recv::<u32>());
        send_lossy(listener.pid(), 1u32);
    };
    bench.fails(talk);
    assert!(bench.said().contains("├╌ 1 ╌╌╌╌╌⊘│"), "{}", bench.said());
    bench.case.options.losses = None;
    assert_eq!(bench.run(talk), Ok(()));
}

/// Wants to see an end.
#[manyworlds::monitor(u32, at_end = ended)]
#[derive(Default)]
struct Ends {
    ended: bool,
}

impl Ends {
    fn ended(&self) {
        assert!(self.ended, "no end");
    }
}

impl Observe<u32> for Ends {
    fn notify(&mut self, seen: &Observed<'_, u32>) {
        self.ended |= *seen.message == 0;
    }
}

/// Sends these numbers to somebody who does not care.
fn count(numbers: &'static [u32]) -> impl Fn() + Send + Sync {
    move || {
        let idle = spawn(|| ());
        for &number in numbers {
            send(idle.pid(), number);
        }
    }
}

#[test]
fn a_monitor_makes_its_last_check_only_at_the_end() {
    let mut bench = Bench::new("last_check");
    bench.configure = |program| program.monitor(Ends::default);
    assert!(bench.fails(count(&[2, 1])).ends_with("no end"));
    // Every step of the trace can be done, but then the program goes on and ends well.
    assert_eq!(bench.run(count(&[2, 1, 0])), Ok(()));
    assert!(!bench.file().exists());
}

#[test]
fn a_replay_knows_where_the_lines_are_now() {
    let mut bench = Bench::new("moved");
    let message = bench.fails(|| assert!(!flip(), "tails"));
    let moved = bench.fails(|| {
        assert!(!flip(), "tails");
    });
    assert!(bench.said().contains("still there"));
    let line = |message: &str| message.split(':').rev().nth(2).unwrap().parse::<u32>().unwrap();
    assert_eq!(line(&moved), line(&message) + 2, "{message}\n{moved}");
    assert_eq!(
        bench.said().matches(&format!("testing.rs:{}", line(&moved))).count(),
        3,
        "headline and both steps: {}",
        bench.said()
    );
}

#[manyworlds::test(executions = 2)]
#[ignore = "the test below runs it, as `cargo test` would"]
fn specimen() {
    race(std::env::var_os("SPECIMEN_IS_WRONG").is_some())();
}

/// Runs `specimen` in a process of its own.
fn harness(variables: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "testing::specimen", "--ignored", "--nocapture"]);
    for name in
        std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("MANYWORLDS_"))
    {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.success(), text)
}

#[test]
fn the_environment_is_obeyed_under_the_test_harness() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("harness");
    drop(fs::remove_dir_all(&directory));
    let wrong = ("SPECIMEN_IS_WRONG", "1");
    let dir = ("MANYWORLDS_DIR", directory.to_str().unwrap());

    let (passed, text) = harness(&[dir]);
    assert!(passed && text.contains("it::testing::specimen verified"), "{text}");

    let (passed, text) = harness(&[dir, wrong]);
    let file = directory.join("manyworlds-it-testing-specimen.json");
    assert!(!passed && file.exists() && text.contains("cargo test -p manyworlds testing::specimen\n"), "{text}");
    assert!(
        text.contains("panicked at crates/manyworlds/tests/testing.rs:"),
        "a failure is blamed on the test: {text}"
    );

    let replay = ("MANYWORLDS_REPLAY", file.to_str().unwrap());
    let (passed, text) = harness(&[dir, wrong, replay]);
    assert!(!passed && text.contains("main spawns server") && text.contains("✗ fails here"), "{text}");
    let (passed, text) = harness(&[dir, replay]);
    assert!(passed && text.contains("nothing fails any more"), "{text}");

    let (passed, text) = harness(&[dir, ("MANYWORLDS_MAX_EXECUTIONS", "1")]);
    assert!(!passed && text.contains("a bound was hit (max-executions)"), "{text}");
    let (passed, text) = harness(&[dir, ("MANYWORLDS_THREADS", "many")]);
    assert!(!passed && text.contains("MANYWORLDS_THREADS is `many`; expected a whole number from 1 on"), "{text}");
}
