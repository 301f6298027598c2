//! Traces go by what things are, not by what they are called or how they are shown: names, notes and values that look like something else do no harm.

use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::linear::Sequential;
use manyworlds::prelude::*;
use manyworlds::{
    Engine, Network, ProcessRole, Replayed, Requirement, StepKind, Subject, Trace, TraceNote, invoked, returned,
};
use std::fmt;

/// What is shown without saying which.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Veiled(u8);

impl fmt::Debug for Veiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Veiled")
    }
}

/// Sends two messages that look the same.
struct Sender(Address<Veiled>);

impl Actor for Sender {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, Veiled(1));
        ctx.send(self.0, Veiled(2));
    }

    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

/// Remembers what it gets.
struct Receiver;

impl Actor for Receiver {
    type State = Vec<Veiled>;
    type Message = Veiled;

    fn start(&self, _: &mut Context<'_>) -> Vec<Veiled> {
        Vec::new()
    }

    fn message(&self, got: &mut Vec<Veiled>, _: Pid, message: &Veiled, _: &mut Context<'_>) {
        got.push(*message);
    }
}

/// Written, read, and replayed by a subject.
fn again(subject: &dyn Subject, trace: &Trace) -> Replayed {
    let trace = Trace::from_json(&trace.to_json()).expect("it was written");
    subject.replay(&trace, &mut |_, _| {}).expect("it can be performed")
}

/// Of each receive the send that it reads, both counted among their like.
fn reads(trace: &Trace) -> Vec<usize> {
    let sends: Vec<usize> = (0..trace.steps.len()).filter(|&i| trace.steps[i].kind.is_send()).collect();
    let read = trace.steps.iter().filter_map(|step| step.kind.send());
    read.map(|send| sends.iter().position(|&at| at == send).expect("it is a send")).collect()
}

#[test]
fn messages_of_actors_that_look_the_same_are_not_taken_for_each_other() {
    let mut system = System::new().network(Network::Asyn);
    let receiver = system.add("receiver", Receiver);
    system.add("sender", Sender(receiver.address()));
    let system = system.at_rest_of(receiver, "in order", |got| got[0] == Veiled(1));
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Must] {
        let answer = check(&system).engine(engine).run().expect("the engine can decide this");
        let trace = answer.outcome.trace().expect("one may overtake the other");
        assert_eq!(trace.violation.property, Requirement::AtRest { name: "in order".to_string() }, "{engine}");
        assert_eq!(reads(trace), [1, 0], "{engine}");
        assert_eq!(again(&system, trace), Replayed::Reproduced, "{engine}");
    }
}

#[test]
fn messages_of_programs_that_look_the_same_are_not_taken_for_each_other() {
    let program = Program::new(|| {
        let receiver = spawn(|| assert!(recv::<Veiled>() == Veiled(1)));
        send(receiver.pid(), Veiled(1));
        send(receiver.pid(), Veiled(2));
    })
    .network(Network::Asyn);
    let outcome = check(&program).run().unwrap();
    let trace = outcome.trace().expect("one may overtake the other");
    assert_eq!(reads(trace).len(), 1);
    let (send, other) = (trace.steps.iter().find_map(|step| step.kind.send()).unwrap(), reads(trace)[0]);
    assert_eq!(trace.messages[*trace.steps[send].kind.message().unwrap()].to_string(), "Veiled");
    assert_eq!(other, 1, "the second one is read");
    assert_eq!(again(&program, trace), Replayed::Reproduced);
}

/// Returns what it is asked for.
struct Echo;

impl Sequential for Echo {
    type State = ();
    type Operation = Veiled;
    type Response = Veiled;

    fn initial(&self) {}

    fn apply(&self, _: &mut (), operation: &Veiled) -> Veiled {
        *operation
    }
}

/// Invokes two operations that look the same; the second gets the wrong response. In between it notes what looks like a response.
struct Client;

impl Actor for Client {
    type State = u8;
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) -> u8 {
        ctx.set_timer("go on");
        ctx.invoked(Veiled(1));
        ctx.note("returned home");
        0
    }

    fn timer(&self, step: &mut u8, _: &'static str, ctx: &mut Context<'_>) {
        *step += 1;
        match step {
            1 => {
                ctx.returned(Veiled(1));
                ctx.note("invoked by mistake");
                ctx.set_timer("go on");
            }
            _ => {
                ctx.invoked(Veiled(2));
                ctx.returned(Veiled(1));
            }
        }
    }

    fn message(&self, _: &mut u8, _: Pid, _: &(), _: &mut Context<'_>) {}
}

/// The history has both operations of the process called `history`, and says which is wrong.
fn explained(trace: &Trace, what: &str) {
    let history = trace.history.as_ref().unwrap_or_else(|| panic!("{what}: no history"));
    let names: Vec<&str> = history.operations.iter().map(|o| trace.processes[o.process].name.as_str()).collect();
    assert_eq!(names, ["history", "history"], "{what}");
    assert!(history.operations.iter().all(|o| trace.processes[o.process].role == ProcessRole::Process), "{what}");
    let shown: Vec<String> =
        history.operations.iter().map(|o| format!("{} {:?}", o.call, o.response.is_some())).collect();
    assert_eq!(shown, ["Veiled true", "Veiled true"], "{what}");
    assert_eq!((&history.linearization[..], &history.stuck[..]), (&[0][..], &[1][..]), "{what}");
    assert_eq!((&history.minimal[..], &history.core[..]), (&[1][..], &[1][..]), "{what}");
}

#[test]
fn an_actor_called_history_and_notes_that_begin_like_operations_are_what_they_are() {
    let system = System::new().actor("history", Client).linearizable(Echo);
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Must, Engine::Exhaustive] {
        let answer = check(&system).engine(engine).run().expect("the engine can decide this");
        let trace = answer.outcome.trace().expect("the second response is wrong");
        assert_eq!(trace.violation.property, Requirement::Linearizable, "{engine}");
        explained(trace, engine.name());
        assert_eq!(again(&system, trace), Replayed::Reproduced, "{engine}");
        if engine != Engine::Must {
            let texts = |step: &&manyworlds::TraceStep| matches!(step.kind, StepKind::Note(TraceNote::Text(_)));
            assert_eq!(trace.steps.iter().filter(texts).count(), 2, "{engine}: notes are notes");
        }
    }
}

#[test]
fn a_process_called_history_is_what_it_is() {
    let program = Program::new(|| {
        process("history").spawn(|| {
            invoked(Veiled(1));
            returned(Veiled(1));
            invoked(Veiled(2));
            returned(Veiled(1));
        });
    })
    .linearizable(Echo);
    let outcome = check(&program).run().unwrap();
    let trace = outcome.trace().expect("the second response is wrong");
    explained(trace, "program");
    let watchers: Vec<usize> =
        (0..trace.processes.len()).filter(|&p| trace.processes[p].role == ProcessRole::History).collect();
    assert_eq!(watchers.len(), 1);
    assert_eq!(again(&program, trace), Replayed::Reproduced);
}
