//! Systems of actors behind the one interface: what user code does wrong is an answer, never the end of the checker.

use manyworlds::actor::{Actor, Address, Context, Faults, Handle, Renaming, System};
use manyworlds::linear::Sequential;
use manyworlds::{
    Engine, Network, Options, Pid, Replayed, Requirement, StepKind, Subject, ValueTree, Verdict, Violation, check,
};

/// Counts what it gets, and says what survives a crash.
struct Counter {
    survives: fn(&u32) -> Option<u32>,
}

impl Actor for Counter {
    type State = u32;
    type Message = u32;

    fn start(&self, _: &mut Context<'_>) -> u32 {
        0
    }

    fn message(&self, total: &mut u32, _: Pid, n: &u32, _: &mut Context<'_>) {
        *total += n;
    }

    fn durable(&self, total: &u32) -> Option<u32> {
        (self.survives)(total)
    }
}

/// Sends something once.
struct Sender(Address<u32>);

impl Actor for Sender {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, 1u32);
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

fn system(survives: fn(&u32) -> Option<u32>) -> (System, Handle<Counter>) {
    let mut system = System::new();
    let counter = system.add("counter", Counter { survives });
    system.add("sender", Sender(counter.address()));
    (system, counter)
}

fn violation(system: &System, engine: Engine) -> Violation {
    let answer = check(system).engine(engine).run().expect("the engine can decide this");
    let Verdict::Violated { violation, trace } = answer.outcome.verdict else {
        panic!("{engine}: {:?}", answer.outcome.verdict);
    };
    assert_eq!(system.replay(&trace, &mut |_, _| {}), Ok(Replayed::Reproduced), "{engine}");
    violation
}

#[test]
fn a_predicate_that_panics_is_a_violation() {
    let (system, counter) = system(|_| None);
    let system = system.at_rest("small", move |view| {
        assert!(view.state(counter) == Some(&0), "it is not 0");
        true
    });
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Must] {
        let violation = violation(&system, engine);
        assert_eq!(violation.property, Requirement::AtRest { name: "small".to_string() }, "{engine}");
        assert!(violation.message.contains("it is not 0"), "{engine}: {}", violation.message);
        assert!(violation.location.is_some_and(|place| place.file.contains("actors.rs")), "{engine}");
    }
}

#[test]
fn a_state_that_did_not_survive_is_told_apart() {
    let (system, counter) = system(|_| None);
    let faults = Faults { crashes: 1, ..Faults::default() };
    let there = system.clone().faults(faults).always("there", move |view| view.state(counter).is_some());
    assert_eq!(violation(&there, Engine::Bfs).property, Requirement::Always { name: "there".to_string() });
    let small = system.clone().faults(faults).always("small", move |view| view.state(counter).is_none_or(|n| *n < 5));
    assert!(check(&small).run().expect("bfs decides everything").outcome.is_verified());
    let of_it = system.faults(faults).always_of(counter, "small", |n| *n < 5);
    let outcome = check(&of_it).run().expect("bfs decides everything").outcome;
    assert!(outcome.is_verified());
    assert_eq!(outcome.scope.semantics, [manyworlds::Semantics::PropertiesSkippedWhileActorsAreAbsent]);
}

#[test]
fn a_panic_while_saying_what_survives_is_a_violation() {
    let (system, _) = system(|total| {
        assert_eq!(*total, 0, "crashed after counting");
        None
    });
    let system = system.faults(Faults { crashes: 1, ..Faults::default() });
    for engine in [Engine::Bfs, Engine::Dfs] {
        let violation = violation(&system, engine);
        assert_eq!(violation.property, Requirement::Assertion, "{engine}");
        assert_eq!(violation.process.as_deref(), Some("counter"), "{engine}");
    }
}

#[test]
fn engines_refuse_what_they_cannot_decide() {
    let (system, counter) = system(|_| None);
    let refused = |system: &System, options: Options| {
        check(system).options(options).run().expect_err("it is refused").to_string()
    };
    let sometimes = system.clone().sometimes("counted", move |view| view.state(counter) == Some(&1));
    let must = Options { engine: Engine::Must, ..Options::default() };
    assert!(refused(&sometimes, must.clone()).contains("sometimes counted"));
    let lossy = system.clone().faults(Faults { losses: 1, ..Faults::default() });
    assert!(refused(&lossy, must).contains("faults"));
    let symmetric = Options { symmetry: true, ..Options::default() };
    assert!(refused(&system, symmetric).contains("symmetry"));
    let eventually = system.eventually("counted", move |view| view.state(counter) == Some(&1));
    assert!(
        refused(&eventually, Options { engine: Engine::Random, ..Options::default() }).contains("eventually counted")
    );
}

#[test]
fn a_trace_tells_the_states_whichever_engine_found_it() {
    let (mut system, counter) = system(|_| None);
    system.add("another sender", Sender(counter.address()));
    let system = system.at_rest_of(counter, "odd", |total| total % 2 == 1);
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Must] {
        let answer = check(&system).engine(engine).run().expect("the engine can decide this");
        let trace = answer.outcome.trace().expect("two messages make an even number");
        let received = trace.steps.iter().filter(|step| step.process == 0 && matches!(step.kind, StepKind::Receive(_)));
        let states: Vec<Option<ValueTree>> = received.map(|step| step.state.clone()).collect();
        assert_eq!(states, ["1", "2"].map(|state| Some(ValueTree::Atom(state.to_string()))), "{engine}");
    }
}

#[test]
fn an_answer_tells_what_was_exercised_if_asked() {
    let (system, counter) = system(|_| None);
    let system = system
        .faults(Faults { losses: 2, ..Faults::default() })
        .always_of(counter, "small", |total| *total <= 1)
        .sometimes("one", move |view| view.state(counter) == Some(&1));
    assert_eq!(check(&system).run().unwrap().coverage, None);

    let whole = Options { coverage: true, ..Options::default() };
    let coverage = check(&system).options(whole.clone()).run().unwrap().coverage.expect("it was asked for");
    assert_eq!(coverage.properties, ["always small", "sometimes one"]);
    assert_eq!(coverage.unreached, [""; 0]);
    let counted: Vec<(&str, u64, u64)> =
        coverage.processes.iter().map(|p| (p.name.as_str(), p.states, p.handlers)).collect();
    assert_eq!(counted, [("counter", 2, 2), ("sender", 1, 1)]);
    assert_eq!((coverage.faults[0].budget, coverage.faults[0].used), (2, 1), "there is one message to lose");

    let bounded = Options { max_depth: Some(0), ..whole };
    let answer = check(&system).options(bounded.clone()).run().unwrap();
    assert!(matches!(answer.outcome.verdict, Verdict::Incomplete { .. }));
    assert_eq!(answer.coverage.expect("it was asked for").unreached, ["one"]);
}

/// Asks its own question, and knows the answer.
struct Alone;

impl Actor for Alone {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.invoked(());
        ctx.returned(());
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

/// A specification whose code panics somewhere.
struct Broken(&'static str);

impl Sequential for Broken {
    type State = ();
    type Operation = ();
    type Response = ();

    fn initial(&self) {
        assert!(self.0 != "initial", "initial is broken");
    }

    fn apply(&self, _: &mut (), _: &()) {
        assert!(self.0 != "apply", "apply is broken");
    }

    fn key(&self, _: &()) -> Option<u64> {
        assert!(self.0 != "key", "key is broken");
        None
    }
}

#[test]
fn a_specification_that_panics_is_an_answer() {
    let engines = [Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Must, Engine::Dpor];
    for engine in engines {
        for part in ["apply", "key"] {
            let mut system = System::new();
            system.add("alone", Alone);
            let violation = violation(&system.linearizable(Broken(part)), engine);
            // must has a process that asks it.
            let property = if engine == Engine::Must { Requirement::Monitor } else { Requirement::Assertion };
            assert_eq!(violation.property, property, "{engine}");
            assert_eq!(violation.message, format!("the specification panics: {part} is broken"), "{engine}");
        }
        let mut system = System::new();
        system.add("alone", Alone);
        let refused = check(&system.linearizable(Broken("initial"))).engine(engine).run().unwrap_err();
        let words = refused.to_string();
        assert!(words.contains("`initial` of the specification panics: initial is broken (at "), "{engine}: {words}");
    }
}

/// Sends something to itself, and does not know its new name.
struct Misnamed(&'static str);

impl Actor for Misnamed {
    type State = u8;
    type Message = u8;

    fn start(&self, ctx: &mut Context<'_>) -> u8 {
        ctx.send(ctx.me(), 1u8);
        0
    }

    fn message(&self, state: &mut u8, _: Pid, _: &u8, _: &mut Context<'_>) {
        *state += 1;
    }

    fn rename_state(&self, state: &u8, _: &Renaming) -> u8 {
        assert!(self.0 != "rename_state", "who is that?");
        *state
    }

    fn rename_message(&self, message: &u8, _: &Renaming) -> u8 {
        assert!(self.0 != "rename_message", "who is that?");
        *message
    }
}

#[test]
fn a_renaming_that_panics_is_named() {
    for part in ["rename_state", "rename_message"] {
        for engine in [Engine::Bfs, Engine::Dfs] {
            let mut system = System::new();
            let all: Vec<_> = (0..2).map(|n| system.add(format!("a{n}"), Misnamed(part))).collect();
            let system = system
                .identical(all.clone())
                .never("both", move |view| all.iter().all(|&a| view.state(a).is_some_and(|n| *n > 0)));
            let options = Options { symmetry: true, engine, ..Options::default() };
            let outcome = check(&system).options(options.clone()).run().expect("it applies").outcome;
            let invalid = outcome.invalid().unwrap_or_else(|| panic!("{:?}", outcome.verdict));
            assert_eq!(invalid.flaw, manyworlds::Flaw::WrongSymmetry);
            let words = &invalid.message;
            let named = |name| words.starts_with(&format!("`{part}` of actor `{name}` panics: who is that? (at "));
            assert!(named("a0") || named("a1"), "{words}");
        }
    }
}

/// Chooses one of far too many.
struct Undecided;

impl Actor for Undecided {
    type State = u32;
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) -> u32 {
        ctx.choose(0..300u32) + ctx.choose(0..300u32)
    }

    fn message(&self, _: &mut u32, _: Pid, _: &(), _: &mut Context<'_>) {}
}

#[test]
fn a_handler_with_too_many_choices_is_named_and_not_cut_off() {
    let mut system = System::new();
    system.add("undecided", Undecided);
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Must] {
        let violation = violation(&system, engine);
        assert_eq!(violation.property, Requirement::ApiContract, "{engine}");
        assert!(violation.message.contains("more than 32768 ways"), "{engine}: {}", violation.message);
    }
}

/// Counts to two, whoever sends.
fn crowd(senders: u16) -> (System, Handle<Counter>) {
    let (mut system, counter) = system(|_| None);
    for nth in 1..senders {
        system.add(format!("sender{nth}"), Sender(counter.address()));
    }
    (system, counter)
}

#[test]
fn a_handler_runs_once_in_each_situation_whoever_asks() {
    let (system, _) = crowd(4);
    for engine in [Engine::Must, Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Exhaustive] {
        for threads in [1, 2, 4] {
            let answer = check(&system)
                .options(Options { threads, engine, ..Options::default() })
                .run()
                .expect("can be decided");
            let stats = answer.outcome.stats;
            // Five start; the counter gets each of four messages in some of its situations: 0 to 3 received.
            assert_eq!(stats.user_steps, stats.distinct_steps, "{engine} {threads}");
            if engine != Engine::Random {
                assert_eq!(stats.user_steps, 5 + 4 * 4, "{engine} {threads}");
            }
        }
    }
}

#[test]
fn losses_that_the_run_allows_are_part_of_the_trace() {
    let (system, counter) = system(|_| None);
    let system = system.at_rest("all arrives", move |view| view.state(counter) == Some(&1));
    let options = Options { losses: Some(1), ..Options::default() };
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Random] {
        let answer = check(&system).options(Options { engine, ..options.clone() }).run().expect("can be decided");
        let trace = answer.outcome.trace().expect("the message may be lost");
        let again = manyworlds::Trace::from_json(&trace.to_json()).expect("a trace is a trace");
        assert_eq!(again.losses, Some(1));
        assert_eq!(system.replay(&again, &mut |_, _| {}), Ok(Replayed::Reproduced), "{engine}");
    }
    assert!(check(&system).run().expect("can be decided").outcome.is_verified());
}

#[test]
fn too_many_identical_actors_and_ways_to_fall_apart_are_refused() {
    let (mut system, counter) = crowd(30);
    let senders: Vec<Pid> = (1..9).map(Pid::root).collect();
    let refused =
        |system: &System, options: Options| check(system).options(options).run().expect_err("too much").to_string();
    let symmetric = Options { symmetry: true, ..Options::default() };
    let few = check(crowd(4).0.identical((1..5).map(Pid::root))).options(symmetric.clone()).run().expect("few enough");
    assert_eq!(few.outcome.stats.states, Some(5), "how many have arrived");
    let why = refused(&system.clone().identical(senders), symmetric);
    assert!(why.starts_with("sets of 8 identical actors can be renamed in more than 5040 ways"), "{why}");
    system = system.faults(Faults { splits: 1, ..Faults::default() });
    let why = refused(&system, Options::default());
    assert!(why.contains("31 actors can be cut in two") && why.contains("may_split"), "{why}");
    let declared =
        check(&system.may_split([counter])).options(Options { max_states: Some(10), ..Options::default() }).run();
    assert!(declared.is_ok());
}

/// A thousand messages wait for one actor, and each may come first.
#[test]
fn a_crowded_inbox_is_no_problem() {
    struct Flood(Address<u32>);

    impl Actor for Flood {
        type State = ();
        type Message = ();

        fn start(&self, ctx: &mut Context<'_>) {
            (0..1_100u32).for_each(|n| ctx.send(self.0, n));
        }

        fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
    }

    let mut system = System::new().network(manyworlds::Network::Asyn);
    let counter = system.add("counter", Counter { survives: |_| None });
    system.add("flood", Flood(counter.address()));
    let system = system.never("the last comes first", move |view| view.state(counter) == Some(&1_099));
    let answer = check(&system).run().expect("can be decided");
    let trace = answer.outcome.trace().expect("any may come first");
    assert_eq!(system.replay(trace, &mut |_, _| {}), Ok(Replayed::Reproduced));
}

#[test]
fn what_an_engine_cannot_decide_is_left_out_if_that_is_wanted() {
    let (system, counter) = crowd(2);
    let system = system
        .at_rest("all arrives", move |view| view.state(counter) == Some(&2))
        .sometimes("one arrives", move |view| view.state(counter) == Some(&1))
        .eventually("all arrive", move |view| view.state(counter) == Some(&2));
    let ask = |engine, reduce| {
        check(&system).options(Options { engine, reduce, decidable: true, ..Options::default() }).run()
    };
    for (engine, reduce, left_out) in [
        (Engine::Must, false, vec!["sometimes one arrives", "eventually all arrive"]),
        (Engine::Bfs, true, vec!["sometimes one arrives", "eventually all arrive"]),
        (Engine::Exhaustive, false, vec!["eventually all arrive"]),
        (Engine::Bfs, false, vec![]),
    ] {
        assert_eq!(
            check(&system).options(Options { engine, reduce, ..Options::default() }).run().is_err(),
            !left_out.is_empty()
        );
        let outcome = ask(engine, reduce).expect("the rest can be decided").outcome;
        assert_eq!(outcome.verdict, Verdict::Verified, "{engine}");
        assert_eq!(outcome.scope.not_checked, left_out, "{engine}");
        assert_eq!(outcome.scope.to_string().contains("not checked"), !left_out.is_empty(), "{engine}");
    }
}

/// Counts what it is sent.
struct Late;

impl Actor for Late {
    type State = u32;
    type Message = u32;
    fn start(&self, ctx: &mut Context<'_>) -> u32 {
        ctx.send(Pid::root(0), 1u32);
        0
    }
    fn message(&self, state: &mut u32, _: Pid, message: &u32, _: &mut Context<'_>) {
        *state += message;
    }
}

#[test]
fn properties_are_not_evaluated_before_the_actors_they_look_at_have_started() {
    let mut system = System::new().network(Network::Mbox);
    let [first, second] = [(); 2].map(|()| system.add("late", Late));
    let system = system
        .always_of(second, "few", |total| *total <= 2)
        .never_of(first, "too many", |total| *total > 2)
        .eventually_of(first, "both arrive", |total| *total == 2);
    for engine in [Engine::Bfs, Engine::Dfs] {
        let outcome = check(&system).engine(engine).run().expect("it applies").outcome;
        assert!(outcome.is_verified(), "{engine}: {:?}", outcome.verdict);
        assert_eq!(outcome.scope.semantics, [manyworlds::Semantics::PropertiesSkippedWhileActorsAreAbsent]);
    }
    // A property that says what to do then is evaluated, and what is wrong while actors start is found.
    let early = system.always("has started", move |view| view.state(second).is_some());
    let outcome = check(&early).run().expect("it applies").outcome;
    assert_eq!(outcome.violation().map(|v| v.property.to_string()), Some("always has started".to_string()));
}

#[test]
fn an_actor_that_is_reserved_and_not_defined_is_refused() {
    let (mut system, _) = system(|_| None);
    let late = system.reserve::<Late>("late");
    for engine in [Engine::Auto, Engine::Dfs, Engine::Must, Engine::Exhaustive] {
        let refused = check(&system).engine(engine).run().expect_err("it has no handlers");
        assert_eq!(refused.to_string(), "`late` was reserved and not defined: call `System::define`", "{engine}");
    }
    system.define(late, Late);
    assert!(check(&system).run().is_ok());
}

/// Replies with a number to whoever sends one.
struct Echo;

impl Actor for Echo {
    type State = ();
    type Message = u32;

    fn start(&self, _: &mut Context<'_>) {}

    fn message(&self, _: &mut (), from: Pid, n: &u32, ctx: &mut Context<'_>) {
        ctx.send(from, *n);
    }
}

#[test]
fn a_reply_of_the_wrong_type_is_found_by_every_engine_where_it_is_sent() {
    let mut system = System::new();
    let echo = system.add("echo", Echo);
    system.add("sender", Sender(echo.address()));
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Must, Engine::Dpor] {
        let violation = violation(&system, engine);
        assert_eq!(violation.property, Requirement::ApiContract, "{engine}");
        assert_eq!(violation.message, "echo sent 1 of type `u32` to sender, which handles messages of type `()`");
        assert!(violation.location.is_some_and(|place| place.file.contains("actors.rs")), "{engine}");
    }
}

#[test]
fn an_answer_has_a_name_and_displays_itself() {
    let (system, counter) = system(|_| None);
    let verified = check(&system).name("counting").assert_verified();
    assert_eq!(verified.name, "counting");
    assert!(verified.to_string().starts_with("✓ counting verified: "), "{verified}");
    assert_eq!(check(&system).run().expect("it applies").name, "system");

    let wrong =
        check(system.always_of(counter, "none", |total| *total == 0)).name("counting").run().expect("it applies");
    let shown = wrong.to_string();
    assert!(shown.contains("✗ counting violated: always none") && shown.contains("counter  sender"), "{shown}");
    let panic = std::panic::catch_unwind(|| wrong.assert_verified().stats).expect_err("it is not verified");
    let message = panic.downcast_ref::<String>().expect("a text");
    assert_eq!(*message, format!("`counting` is not verified\n{wrong}"));
}

#[test]
fn a_property_over_one_of_identical_actors_is_not_checked_with_symmetry() {
    let mut system = System::new();
    let all = [0, 1].map(|n| system.add(format!("a{n}"), Misnamed("")));
    let system = system.identical(all).always_of(all[1], "small", |n| *n < 2);
    assert!(check(&system).run().expect("without symmetry").is_verified());
    let refused = check(&system).symmetry(true).run().expect_err("a0 and a1 are told apart");
    assert!(
        refused.to_string().starts_with("`always small` is about `a1`, which is one of several identical"),
        "{refused}"
    );
}
