//! User code that never returns: the command line still ends, with what is known, and names the code.
//!
//! The command runs in a process of its own: this very test program, asked for the one test that is ignored otherwise.

use manyworlds::Specification;
use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::cli::App;
use manyworlds::explore::{self, Property};
use manyworlds::models::{Build, Model};
use manyworlds::prelude::*;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The arguments of the command, separated by spaces.
const ARGUMENTS: &str = "MANYWORLDS_TEST_ENDLESS";
/// What endless code prints before it goes on for ever.
const ENTERED: &str = "entered";

fn forever() -> ! {
    eprintln!("{ENTERED}");
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

const MODELS: &[Model] = &[
    Model {
        name: "handler",
        summary: "a handler never returns",
        params: &[],
        build: Build::Actors(|_| Ok(pair(false, false))),
    },
    Model {
        name: "timer",
        summary: "a timer never returns",
        params: &[],
        build: Build::Actors(|_| Ok(pair(true, false))),
    },
    Model {
        name: "property",
        summary: "a property never returns",
        params: &[],
        build: Build::Actors(|_| Ok(pair(false, true))),
    },
    Model {
        name: "process",
        summary: "a process never returns",
        params: &[],
        build: Build::Program(|_| Ok(Program::new(receiver))),
    },
    Model {
        name: "filter",
        summary: "the filter of a receive never returns",
        params: &[],
        build: Build::Program(|_| Ok(Program::new(picky))),
    },
    Model {
        name: "next",
        summary: "`next` never returns",
        params: &[],
        build: Build::Specification(|_| Ok(Box::new(Specification::new(Endless)))),
    },
];

struct Server {
    by_timer: bool,
    returns: bool,
}

impl Actor for Server {
    type State = u32;
    type Message = (&'static str, u32);

    fn start(&self, ctx: &mut Context<'_>) -> u32 {
        if self.by_timer {
            ctx.set_timer("retry");
        }
        0
    }

    fn message(&self, state: &mut u32, _: Pid, _: &(&'static str, u32), _: &mut Context<'_>) {
        *state += 1;
        if !self.returns {
            forever();
        }
    }

    fn timer(&self, _: &mut u32, _: &'static str, _: &mut Context<'_>) {
        forever();
    }
}

struct Client(Address<(&'static str, u32)>, bool);

impl Actor for Client {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        if self.1 {
            ctx.send(self.0, ("ping", 7u32));
        }
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

fn pair(by_timer: bool, by_property: bool) -> System {
    let mut system = System::new();
    let server = system.add("server", Server { by_timer, returns: by_property });
    system.add("client", Client(server.address(), !by_timer));
    match by_property {
        true => system.never("endless", |view| view.all::<u32>().any(|(_, n)| *n > 0) && forever()),
        false => system.at_rest("done", |_| true),
    }
}

fn receiver() {
    let worker = process("worker").spawn(|| {
        let _: u32 = recv();
        forever()
    });
    send(worker.pid(), 1u32);
}

fn picky() {
    let worker = process("picky").spawn(|| recv_where(|_: &u32| forever()));
    send(worker.pid(), 1u32);
}

#[derive(Clone)]
struct Endless;

impl explore::Model for Endless {
    type State = u32;
    type Action = ();

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, out: &mut Vec<()>) {
        out.push(());
    }

    fn next(&self, n: &u32, (): &()) -> Option<u32> {
        if *n < 10 { Some(n + 1) } else { forever() }
    }

    fn properties(&self) -> Vec<Property<Endless>> {
        vec![Property::always("small", |_, n| *n < 100)]
    }
}

/// The command: run by the other tests only.
#[test]
#[ignore = "it never returns"]
fn command() {
    let arguments = std::env::var(ARGUMENTS).expect("the other tests of this file set it");
    let arguments = std::iter::once("endless").chain(arguments.split(' ')).map(Into::into);
    let code = App::new("endless", "1", MODELS).run_with(arguments);
    panic!("the command ended by itself: {code:?}");
}

struct Said {
    status: ExitStatus,
    out: String,
    err: String,
    /// Since the run was to stop, or earlier.
    took: Duration,
}

fn start(arguments: &str) -> (Child, BufReader<ChildStderr>) {
    let mut child = Command::new(std::env::current_exe().expect("this test is a program"))
        .args(["--ignored", "--exact", "--nocapture", "endless::command"])
        .env(ARGUMENTS, arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let err = BufReader::new(child.stderr.take().expect("it is a pipe"));
    (child, err)
}

fn end((mut child, mut err): (Child, BufReader<ChildStderr>), since: Instant) -> Said {
    let status = child.wait().expect("it ends");
    let took = since.elapsed();
    let (mut said, mut complained) = (String::new(), String::new());
    child.stdout.take().expect("it is a pipe").read_to_string(&mut said).expect("it prints text");
    err.read_to_string(&mut complained).expect("it prints text");
    Said { status, out: said, err: complained, took }
}

impl Said {
    /// Ended in time with status 3, having named `what`.
    fn names(&self, what: &str, reason: &str) {
        assert_eq!(self.status.code(), Some(3), "{}{}", self.out, self.err);
        assert!(self.took < Duration::from_secs(4), "it took {:?}", self.took);
        assert!(self.err.contains(reason) && self.err.contains(what), "expected {what}: {}", self.err);
    }

    /// The one object on stdout; the test harness prints a line of its own before.
    fn json(&self) -> Value {
        let line = self.out.lines().find(|line| line.starts_with('{'));
        serde_json::from_str(line.unwrap_or_else(|| panic!("no JSON: {}", self.out))).expect("it is JSON")
    }
}

#[test]
fn the_time_limit_ends_code_that_never_returns_and_names_it() {
    for (arguments, what) in [
        ("handler", "actor `server`: the handler of message `(\"ping\", 7)` from `client`"),
        ("handler --engine must", "actor `server`: the handler of message `(\"ping\", 7)` from `client`"),
        ("handler --engine dfs --threads 1", "actor `server`: the handler of message `(\"ping\", 7)` from `client`"),
        ("timer --engine random", "actor `server`: the handler of timer `retry`"),
        ("property", "a property"),
        ("process", "process `worker`"),
        ("filter --threads 1", "process `picky`"),
        ("next", "`initial`, `actions`, `next` or a property of the specification"),
        ("next --engine dfs --threads 1", "`initial`, `actions`, `next` or a property of the specification"),
    ] {
        let since = Instant::now();
        let said = end(start(&format!("check {arguments} --json --timeout 0.5")), since);
        said.names(what, "after the time was up");
        let json = said.json();
        assert_eq!((&json["verdict"], &json["reason"]), (&"incomplete".into(), &"timeout".into()), "{arguments}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_code_that_never_returns_and_names_it() {
    for (arguments, what) in [
        ("handler", "actor `server`: the handler of message `(\"ping\", 7)` from `client`"),
        ("process", "process `worker`"),
        ("next", "`next`"),
    ] {
        let (child, mut err) = start(&format!("check {arguments}"));
        let mut line = String::new();
        err.read_line(&mut line).expect("it prints text");
        assert_eq!(line.trim_end(), ENTERED);
        let since = Instant::now();
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        let said = end((child, err), since);
        said.names(what, "after the run was cancelled");
        assert!(said.out.contains("incomplete") && said.out.contains("cancelled"), "{}", said.out);
    }
}
