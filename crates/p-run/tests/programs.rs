//! Programs with known answers.

use manyworlds_core::{Replayed, StopReason};
use manyworlds_explore::{Budget, Config, Engine, NoObserver, Report, explore, narrate, replay};
use manyworlds_p_ir::text;
use manyworlds_p_run::{Limits, System};
use manyworlds_testkit::Fuzz;
use std::sync::Arc;

/// The system of the test `tc` of a program.
pub fn system(program: &str) -> System {
    let program = text::parse(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    System::new(Arc::new(program), "tc").unwrap_or_else(|error| panic!("{error}"))
}

/// Runs an engine; a violation is narrated and replayed on a system of its own.
fn run(program: &str, engine: Engine) -> Report<System> {
    let model = system(program);
    let config = Config { coverage: true, ..Config::default() };
    let report = explore(&model, engine, &config, &NoObserver).expect("the engine runs programs");
    if let Some(found) = &report.found {
        let trace = narrate(&model, &found.path, found.violation.clone());
        assert!(trace.steps.iter().all(|step| step.process < trace.processes.len()), "{trace:?}");
        let replayed = replay(&system(program), &trace, |_, _| {});
        assert_eq!(replayed, Ok(Replayed::Reproduced), "{trace:#?}");
    }
    report
}

fn message(program: &str) -> Option<String> {
    let found = |engine| run(program, engine).found.map(|found| found.violation.message);
    let message = found(Engine::Bfs);
    assert_eq!(found(Engine::Dfs).is_some(), message.is_some());
    message
}

const PING: &str = "
event ePing: machine;
event ePong: int;
interface Main () receives all;
interface Server (int) receives all;
machine Main receives all sends all {
  field s: machine;
  start state Init { entry Main.entry; on @ePong do Main.pong; }
}
machine Server receives all sends all {
  field n: int;
  start state Up { entry Server.entry; on @ePing do Server.ping; }
}
fun Main.entry in Main () {
  local s: machine;
  b0: s = new Server(3); this.s = s; send this.s, @ePing, this; return;
}
fun Main.pong in Main (n: int) {
  b0: if (n < 5) b1 else b2;
  b1: send this.s, @ePing, this; return;
  b2: assert (n == LAST), format(\"n is \", $0; n); return;
}
fun Server.entry in Server (n: int) { b0: this.n = n; return; }
fun Server.ping in Server (m: machine) { b0: send m, @ePong, this.n; this.n = (this.n + 1); return; }
test tc main Main { Main -> Main; Server -> Server; }
";

#[test]
fn ping_and_pong_end() {
    assert_eq!(message(&PING.replace("LAST", "5")), None);
    assert_eq!(message(&PING.replace("LAST", "6")), Some("n is 5".to_string()));
}

#[test]
fn a_receive_without_a_sender_is_a_deadlock() {
    let program = "
event e;
interface Main () receives all;
machine Main receives all sends all { start state Init { entry Main.entry; } }
fun Main.entry in Main () { b0: receive { @e -> b1 }; b1: return; }
test tc main Main { Main -> Main; }
";
    let found = run(program, Engine::Bfs).found.expect("a deadlock");
    assert_eq!(found.violation.message, "no machine can run, and Main(0) waits for halt or e");
}

#[test]
fn machines_that_come_and_go_leave_nothing_behind() {
    // The main machine creates a child and waits for its message, again and again. The child halts in the step in which the message arrives: there are
    // finitely many states because its name is used again.
    let program = "
event eGo;
interface Main () receives all;
interface Child (machine) receives all;
machine Main receives all sends all { start state Init { entry Main.entry; } }
machine Child receives all sends all { start state Init { entry Child.entry; } }
fun Main.entry in Main () { b0: new Child(this); receive { @eGo -> b1 }; b1: goto Init; }
fun Child.entry in Child (m: machine) { b0: send m, @eGo; END }
test tc main Main { Main -> Main; Child -> Child; }
";
    let explored = |end: &str| {
        let config = Config { budget: Budget { states: Some(2_000), ..Budget::default() }, ..Config::default() };
        let model = system(&program.replace("END", end));
        let report = explore(&model, Engine::Bfs, &config, &NoObserver).expect("it runs");
        (report.stats.states, report.stopped)
    };
    assert_eq!(explored("raise @halt;"), (Some(5), None));
    assert_eq!(explored("return;").1, Some(StopReason::MaxStates));
}

#[test]
fn a_spec_sees_sends_before_they_arrive() {
    let program = "
event e: int;
interface Main () receives all;
machine Main receives all sends all { start state Init { entry Main.entry; ignore @e; } }
spec Sum receives all sends all observes {@e} {
  field sum: int;
  start cold state Even { on @e do Sum.add; }
  hot state Odd { on @e do Sum.add; }
}
fun Main.entry in Main () {
  local n: int;
  b0: n = choose int(3); send this, @e, n; print \"sent\"; return;
}
fun Sum.add in Sum (n: int) {
  b0: this.sum = (this.sum + n); assert (this.sum < 2), \"too much\"; if (this.sum == 1) b1 else b2;
  b1: goto Odd;
  b2: goto Even;
}
test tc main Main { Main -> Main; assert Sum; }
";
    assert_eq!(message(program), Some("too much".to_string()));
    let hot = program.replace("int(3)", "int(2)");
    assert_eq!(message(&hot), Some("no machine can run, and the spec Sum is in the hot state Odd".to_string()));
    assert_eq!(message(&hot.replace("assert Sum;", "assert Sum on ();")), None);
}

#[test]
fn endless_handlers_and_wrong_payloads_are_failures() {
    let program = "
event e: int;
interface Main () receives all;
machine Main receives all sends all { start state Init { entry Main.entry; on @e do Main.take; } }
fun Main.entry in Main () { b0: BODY }
fun Main.take in Main (n: int) { b0: return; }
test tc main Main { Main -> Main; }
";
    for (body, expected) in [
        ("jump b0;", "1000000 instructions were executed without letting another machine run"),
        ("send this, @e; return;", "the payload null is given to a parameter of type int"),
        ("call Main.take((1 / 0)); return;", "an integer is divided by zero"),
        ("send as(null, machine), @e, 1; return;", "null is used where the machine of a send is needed"),
        ("raise @e, 3;", ""),
        ("fail \"stop\";", "stop"),
    ] {
        let found = message(&program.replace("BODY", body));
        assert_eq!(found.is_none(), expected.is_empty(), "{body}: {found:?}");
        assert!(found.unwrap_or_default().ends_with(expected), "{body}");
    }
}

#[test]
fn programs_that_are_damaged_run_or_are_refused() {
    let samples = [PING.replace("LAST", "5"), crate::random::example()];
    let words =
        ["this.n", "this.s", "0", "null", "b0", "b1", "return", "jump b0", "@ePing", "@halt", "raise @halt", "(1 / 0)"];
    let (ran, run) = (std::cell::Cell::new(0u64), |bytes: &[u8]| {
        let program = text::parse(&String::from_utf8_lossy(bytes)).map_err(|error| error.to_string())?;
        let limits = Limits { instructions: 2_000, calls: 100 };
        let system = System::limited(Arc::new(program), "tc", limits).map_err(|_| "0:0: unusable".to_string())?;
        let config = Config { budget: Budget { states: Some(300), ..Budget::default() }, ..Config::default() };
        let report = explore(&system, Engine::Bfs, &config, &NoObserver).expect("it runs");
        if let Some(found) = &report.found {
            narrate(&system, &found.path, found.violation.clone());
        }
        Ok::<u64, String>(u64::try_from(report.stats.states.unwrap_or(0)).expect("at most 300"))
    });
    let read = |bytes: &[u8]| {
        ran.set(ran.get() + run(bytes)?);
        Ok(())
    };
    let located = |why: &str| why.split(':').take(2).all(|part| part.parse::<u32>().is_ok());
    Fuzz::new("p-run, damaged programs", 1_500).samples(samples).words(words).run(read, located).at_least(2, 20);
    assert!(ran.get() > 0);
}

#[test]
fn large_choices_are_made_one_after_the_other() {
    let program = |body: &str| {
        format!(
            "interface Main () receives all;
machine Main receives all sends all {{ start state Init {{ entry Main.entry; }} }}
fun Main.entry in Main () {{ local i: int; local q: seq[int]; local x: int; {body} }}
test tc main Main {{ Main -> Main; }}"
        )
    };
    let build = "b0: if (i < N) b1 else b2; b1: insert q, i, i; i = (i + 1); jump b0;";
    for (body, expected) in [
        ("b0: x = choose int(10000); x = choose int(10000); i = choose int(10001); return;", "not 10001"),
        ("b0: x = choose int(-1); return;", "not -1"),
        ("b0: x = choose int(0); assert (x == 0); return;", ""),
        (&format!("{} b2: x = choose of(q); assert (x < 1999), \"last\"; return;", build.replace('N', "2000")), "last"),
        (&format!("{} b2: x = choose of(q); return;", build.replace('N', "10001")), "not 10001"),
    ] {
        let model = system(&program(body));
        let report = explore(&model, Engine::Dfs, &Config::default(), &NoObserver).expect("it runs");
        let found = report.found.map(|found| found.violation.message).unwrap_or_default();
        assert!(found.ends_with(expected) && found.is_empty() == expected.is_empty(), "{body}: {found}");
    }
}

#[test]
fn a_bound_on_inboxes_makes_growth_finite_and_is_told() {
    let program = "
event e;
interface Main () receives all;
interface Sink () receives all;
machine Main receives all sends all { start state Init { entry Main.entry; } }
machine Sink receives all sends all { start state Init { ignore @e; entry Sink.entry; } }
fun Main.entry in Main () { local m: machine; b0: m = new Sink(); jump b1; b1: send m, @e; jump b1; }
fun Sink.entry in Sink () { local c: bool; b0: receive { @halt -> b1 }; b1: return; }
test tc main Main { Main -> Main; Sink -> Sink; }
";
    let config = Config { budget: Budget { states: Some(500), ..Budget::default() }, ..Config::default() };
    let stopped = |model: &System| explore(model, Engine::Bfs, &config, &NoObserver).expect("it runs").stopped;
    assert_eq!(stopped(&system(program)), Some(StopReason::MaxStates));
    let bounded = system(program).with_max_inbox(Some(3));
    assert!(!bounded.hit_inbox_bound());
    assert_eq!((stopped(&bounded), bounded.hit_inbox_bound()), (None, true));
}
