//! DS2's schedulers behind the one interface.

use manyworlds::actor::{Actor, Address, Client, Context, Handle, Service, System};
use manyworlds::explore::Model;
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{
    Engine, Observer, Options, Pid, Progress, Replayed, Requirement, Specification, StopReason, Subject, Verdict, check,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// Remembers who came first.
struct Door;

impl Actor for Door {
    type State = Option<Pid>;
    type Message = ();

    fn start(&self, _: &mut Context<'_>) -> Option<Pid> {
        None
    }

    fn message(&self, first: &mut Option<Pid>, from: Pid, _: &(), _: &mut Context<'_>) {
        first.get_or_insert(from);
    }
}

struct Guest(Address<()>);

impl Actor for Guest {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.invoked("knock");
        ctx.send(self.0, ());
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

fn party(guests: usize) -> (System, Handle<Door>, Vec<Pid>) {
    let mut system = System::new();
    let door = system.add("door", Door);
    let guests = (0..guests).map(|n| system.add(format!("guest {n}"), Guest(door.address())).pid()).collect();
    (system, door, guests)
}

const SCHEDULERS: [(Engine, &str); 7] = [
    (Engine::SystematicRandom, "sr"),
    (Engine::Exhaustive, "ex"),
    (Engine::Delay, "db"),
    (Engine::Dpor, "dp"),
    (Engine::TransDpor, "td"),
    (Engine::IRed, "ir"),
    (Engine::LiViola, "lv"),
];

#[test]
fn only_two_of_them_verify() {
    let (system, ..) = party(3);
    for (engine, letters) in SCHEDULERS {
        assert_eq!(letters.parse(), Ok(engine));
        assert_eq!(engine.name().parse(), Ok(engine));
        let answer = check(&system).engine(engine).run().expect("it applies");
        let figures = answer.outcome.stats.histories.expect("a scheduler has these figures");
        assert_eq!((figures.complete, figures.incomplete), (0, figures.schedules), "nobody is let in");
        let scope = answer.outcome.scope.to_string();
        match (engine, answer.outcome.verdict) {
            (Engine::Exhaustive | Engine::Dpor, Verdict::Verified) => {
                assert!(scope.starts_with("every schedule"), "{scope}");
                assert_eq!(figures.schedules, 6);
            }
            (_, Verdict::Incomplete { reason }) => assert_eq!(reason, StopReason::SchedulerIncomplete),
            (_, verdict) => panic!("{engine}: {verdict:?}"),
        }
    }
}

struct Bugs(AtomicU64);

impl Observer for Bugs {
    fn tick(&self, _: &Progress) -> Option<StopReason> {
        None
    }

    fn first_bug(&self, schedule: u64) {
        self.0.fetch_add(schedule, Ordering::Relaxed);
    }
}

#[test]
fn all_of_them_find_and_replay() {
    let (system, door, guests) = party(3);
    let last = guests[2];
    let system = system.at_rest("the last is not first", move |view| view.state(door) != Some(&Some(last)));
    for (engine, _) in SCHEDULERS {
        let bugs = Bugs(AtomicU64::new(0));
        let answer = check(&system).engine(engine).run_with(&bugs).expect("it applies");
        let Verdict::Violated { trace, .. } = &answer.outcome.verdict else { panic!("{engine}: nothing found") };
        assert_eq!(trace.engine, engine);
        assert_eq!(system.replay(trace, &mut |_, _| {}), Ok(Replayed::Reproduced), "{engine}");
        let figures = answer.outcome.stats.histories.expect("a scheduler has these figures");
        assert_eq!(figures.first_bug, Some(bugs.0.into_inner()), "{engine}");
        assert_eq!(figures.first_bug, Some(figures.schedules), "it stops there");
        assert!(figures.first_bug_time.is_some(), "{engine}");
    }
}

/// A budget that ends a run is told even if something was found before; a run that stops there has no other reason.
#[test]
fn what_ends_a_run_that_goes_on_is_told() {
    let (system, door, guests) = party(4);
    let last = guests[3];
    let system = system.at_rest("the last is not first", move |view| view.state(door) != Some(&Some(last)));
    let after = |engine, keep_going, most| {
        let options = Options { keep_going, max_executions: Some(most), threads: 1, engine, ..Options::default() };
        let outcome = check(&system).options(options.clone()).run().expect("it applies").outcome;
        (outcome.violation().is_some(), outcome.stopped())
    };
    for engine in [Engine::Exhaustive, Engine::Dpor, Engine::Must] {
        assert_eq!(after(engine, true, 23), (true, Some(StopReason::MaxExecutions)), "{engine}");
        assert_eq!(after(engine, true, 25), (true, None), "{engine}");
        assert_eq!(after(engine, false, 23), (true, None), "{engine}");
        assert_eq!(after(engine, true, 1).1, Some(StopReason::MaxExecutions), "{engine}");
    }
    let (system, door, _) = party(4);
    let system = system.always_of(door, "nobody comes", Option::is_none);
    for engine in [Engine::Bfs, Engine::Dfs] {
        let options = Options { keep_going: true, max_states: Some(10), threads: 1, engine, ..Options::default() };
        let outcome = check(&system).options(options.clone()).run().expect("it applies").outcome;
        assert!(outcome.violation().is_some(), "{engine}");
        assert_eq!(outcome.stopped(), Some(StopReason::MaxStates), "{engine}");
    }
}

/// Answers at once, and forgets what it was told to keep.
struct Forgetful;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Ask(usize, Operation<u8>),
    Answer(usize, Response<u8>),
}

impl Actor for Forgetful {
    type State = ();
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) {}

    fn message(&self, _: &mut (), from: Pid, message: &Message, ctx: &mut Context<'_>) {
        if let Message::Ask(number, operation) = message {
            let response = if *operation == Operation::Read { Response::Read(0) } else { Response::Written };
            ctx.send(from, Message::Answer(*number, response));
        }
    }
}

struct At(Address<Message>);

impl Service for At {
    type Operation = Operation<u8>;
    type Response = Response<u8>;
    type Message = Message;

    fn request(&self, number: usize, operation: &Operation<u8>) -> Vec<(Address<Message>, Message)> {
        vec![(self.0, Message::Ask(number, *operation))]
    }

    fn response(&self, message: &Message) -> Option<(usize, Response<u8>)> {
        if let Message::Answer(number, response) = message { Some((*number, *response)) } else { None }
    }
}

/// A write that is forgotten shows only when a read begins after it has returned.
#[test]
fn histories_are_judged_and_bad_ones_replayed() {
    let mut system = System::new();
    let register = system.add("register", Forgetful).address();
    for operation in [Operation::Write(1), Operation::Read] {
        system.add(format!("{operation:?}"), Client::new(At(register), [operation]));
    }
    let system = system.linearizable(Register::new(0u8));
    for (engine, _) in SCHEDULERS {
        let options = Options { keep_going: true, engine, ..Options::default() };
        let outcome = check(&system).options(options.clone()).run().expect("it applies").outcome;
        let figures = outcome.stats.histories.expect("a scheduler has these figures");
        if matches!(engine, Engine::Exhaustive | Engine::Dpor) {
            assert_eq!((figures.unique, figures.non_linearizable), (3, Some(1)), "{engine}");
        }
        assert_eq!(outcome.violation().is_some(), figures.non_linearizable > Some(0), "{engine}");
        let Some(trace) = outcome.trace() else { continue };
        assert_eq!(trace.violation.property, Requirement::Linearizable);
        let last = trace.steps.last().expect("something happened");
        assert_eq!((last.kind.name(), trace.processes[last.process].name.as_str()), ("fail", "Read"), "{engine}");
        assert_eq!(last.kind, manyworlds::StepKind::Fail(trace.violation.message.clone()));
        assert_eq!(trace.steps[last.parents[0]].process, last.process, "it follows what this client did last");
        let mut shown = 0;
        assert_eq!(system.replay(trace, &mut |_, _| shown += 1), Ok(Replayed::Reproduced), "{engine}");
        assert_eq!(shown, trace.steps.len());

        let mut edited = trace.clone();
        edited.steps.last_mut().expect("something happened").kind =
            manyworlds::StepKind::Fail("Read returned Read(7)".to_string());
        assert!(system.replay(&edited, &mut |_, _| {}).is_err(), "{engine}: that was not returned");
    }
}

/// Returns what nobody asked for.
struct Hasty;

impl Actor for Hasty {
    type State = ();
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(ctx.me(), Message::Answer(0, Response::Read(0)));
    }

    fn message(&self, _: &mut (), _: Pid, _: &Message, ctx: &mut Context<'_>) {
        ctx.returned(Response::<u8>::Read(0));
    }
}

#[test]
fn a_history_that_is_none_is_replayed_too() {
    let mut system = System::new();
    system.add("hasty", Hasty);
    let system = system.linearizable(Register::new(0u8));
    for (engine, _) in SCHEDULERS {
        let outcome = check(&system).engine(engine).run().expect("it applies").outcome;
        let trace = outcome.trace().unwrap_or_else(|| panic!("{engine}: nothing found"));
        assert_eq!(trace.violation.property, Requirement::ApiContract);
        assert_eq!(trace.steps.last().map(|step| step.kind.name()), Some("fail"));
        assert_eq!(system.replay(trace, &mut |_, _| {}), Ok(Replayed::Reproduced), "{engine}");
    }
}

#[derive(Clone)]
struct Nothing;

impl Model for Nothing {
    type State = ();
    type Action = ();

    fn initial(&self) -> Vec<()> {
        vec![()]
    }

    fn actions(&self, _: &(), _: &mut Vec<()>) {}

    fn next(&self, _: &(), _: &()) -> Option<()> {
        None
    }
}

#[test]
fn they_are_for_actors() {
    let (system, ..) = party(1);
    let program = manyworlds::Program::new(|| {});
    for (engine, _) in SCHEDULERS {
        let options = Options { engine, ..Options::default() };
        assert!(
            check(&program)
                .options(options.clone())
                .run()
                .expect_err("no actors")
                .to_string()
                .contains("receives of actors")
        );
        let refused =
            check(&Specification::new(Nothing)).options(options.clone()).run().expect_err("no actors").to_string();
        assert!(refused.contains("receives of actors"), "{refused}");
        let delayed = Options { delays: Some(1), ..options.clone() };
        assert_eq!(check(&system).options(delayed).run().is_ok(), engine == Engine::Delay);
        let counted = Options { max_states: Some(1), ..options };
        assert!(check(&system).options(counted).run().is_err());
    }
}
