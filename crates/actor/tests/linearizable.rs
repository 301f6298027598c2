//! Monitored histories compared with the histories of whole paths, on weakly consistent replicated registers, some linearizable and some
//! not.

use manyworlds_actor::State;
use manyworlds_actor::Worlds;
use manyworlds_actor::client::{Client, Service};
use manyworlds_actor::locals::ActorLocals;
use manyworlds_actor::{Actor, Address, Context, Step, System};
use manyworlds_core::{Budget, Deadlock, NarratedStep, Network, Pid, Replayed, Requirement, StepKind};
use manyworlds_explore::{Config, Engine, NoObserver, Path, TransitionSystem, explore, narrate, replay};
use manyworlds_linear::specs::Register;
use manyworlds_linear::specs::register::{Operation, Response};
use manyworlds_linear::stage::{Relation, Stage};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Request(usize, Operation<u8>),
    Answer(usize, Response<u8>),
    Copy(u8),
}

/// Stores a value and copies it to other replicas; it acknowledges writes without waiting for them.
struct Replica {
    copies_to: Vec<Address<Message>>,
}

impl Actor for Replica {
    type State = u8;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> u8 {
        0
    }

    fn message(&self, held: &mut u8, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match message {
            Message::Request(number, Operation::Read) => {
                ctx.send(from, Message::Answer(*number, Response::Read(*held)))
            }
            Message::Request(number, Operation::Write(value)) => {
                *held = *value;
                ctx.broadcast(&self.copies_to, Message::Copy(*value));
                ctx.send(from, Message::Answer(*number, Response::Written));
            }
            Message::Copy(value) => *held = *value,
            Message::Answer(..) => {}
        }
    }
}

struct At(Address<Message>);

impl Service for At {
    type Operation = Operation<u8>;
    type Response = Response<u8>;
    type Message = Message;

    fn request(&self, number: usize, operation: &Operation<u8>) -> Vec<(Address<Message>, Message)> {
        vec![(self.0, Message::Request(number, *operation))]
    }

    fn response(&self, message: &Message) -> Option<(usize, Response<u8>)> {
        if let Message::Answer(number, response) = message { Some((*number, *response)) } else { None }
    }
}

#[derive(Clone, Debug)]
struct Shape {
    network: Network,
    /// Whether the first replica copies to the second, and the other way round.
    copies: [bool; 2],
    /// The replica and the operations of each client.
    clients: Vec<(u16, Vec<Operation<u8>>)>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let operation = prop_oneof![Just(Operation::Read), (1..3u8).prop_map(Operation::Write)];
    let client = (0..2u16, prop::collection::vec(operation, 1..=2));
    let network = prop_oneof![Just(Network::Asyn), Just(Network::P2p), Just(Network::Cd)];
    (network, any::<[bool; 2]>(), prop::collection::vec(client, 2..=3))
        .prop_filter("few enough operations for whole paths", |(.., clients)| {
            clients.iter().map(|(_, operations)| operations.len()).sum::<usize>() <= 4
        })
        .prop_map(|(network, copies, clients)| Shape { network, copies, clients })
}

fn system(shape: &Shape) -> System {
    let mut system = System::new().network(shape.network);
    let reserved = [0, 1].map(|nth| system.reserve(format!("replica{nth}")));
    let replicas = [0, 1].map(|nth: usize| reserved[nth].address());
    for (nth, replica) in reserved.into_iter().enumerate() {
        let copies_to = if shape.copies[nth] { vec![replicas[1 - nth]] } else { Vec::new() };
        system.define(replica, Replica { copies_to });
    }
    for (nth, (at, operations)) in shape.clients.iter().enumerate() {
        system.add(format!("client{nth}"), Client::new(At(replicas[usize::from(*at)]), operations.clone()));
    }
    system.linearizable(Register::new(0u8))
}

/// A register over numbers: operation 0 reads, others write; response 100 is that of a write.
struct Plain;

impl Relation for Plain {
    fn outcomes(&mut self, state: u32, operation: u32) -> Vec<(u32, u32)> {
        vec![if operation == 0 { (state, state) } else { (operation, 100) }]
    }

    fn key(&self, _: u32) -> Option<u64> {
        None
    }
}

fn inner(words: &str) -> u32 {
    words.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

/// Walks every path; returns whether some history is not linearizable.
fn some_path_is_bad(
    worlds: &Worlds,
    state: &State,
    events: &mut Vec<(u16, String)>,
    seen: &mut BTreeSet<String>,
) -> bool {
    // The same state after the same history has the same paths.
    if !seen.insert(format!("{} {events:?}", worlds.in_words(state))) {
        return false;
    }
    let mut steps = Vec::new();
    worlds.actions(state, &mut steps);
    if steps.is_empty() {
        return !is_linearizable(events);
    }
    steps.iter().any(|step| {
        let next = worlds.next(state, step).expect("enabled");
        let before = events.len();
        let narrated = worlds.trace_step(state, step, Some(&next));
        events.extend(notes(narrated));
        let bad = some_path_is_bad(worlds, &next, events, seen);
        events.truncate(before);
        bad
    })
}

/// The notes of these steps, each with the process that recorded it.
fn notes(steps: Vec<NarratedStep>) -> Vec<(u16, String)> {
    let note = |step: NarratedStep| match step.kind {
        StepKind::Note(note) => Some((step.process as u16, note.to_string())),
        _ => None,
    };
    steps.into_iter().filter_map(note).collect()
}

fn is_linearizable(events: &[(u16, String)]) -> bool {
    let mut stage = Stage::new(0);
    for (process, words) in events {
        let next = match words.strip_prefix("invoked ") {
            Some(operation) => Ok(stage.invoke(*process, inner(operation))),
            None if words.contains("Written") => stage.respond(*process, 100, &mut Plain),
            None => stage.respond(*process, inner(words), &mut Plain),
        };
        match next {
            Ok(next) => stage = next,
            Err(_) => return false,
        }
    }
    true
}

fn naive(shape: &Shape) -> bool {
    let worlds = system(shape).worlds().unmonitored();
    let start = worlds.initial().remove(0);
    let narrated = worlds.trace_start(&start);
    let mut events = notes(narrated);
    some_path_is_bad(&worlds, &start, &mut events, &mut BTreeSet::new())
}

fn on_states(shape: &Shape, engine: Engine) -> bool {
    let config = Config { threads: 2, ..Config::default() };
    let report = explore(&system(shape).worlds(), engine, &config, &NoObserver).expect("it can be decided");
    let violation = report.found.map(|found| found.violation.property);
    assert!(violation.is_none() || violation == Some(Requirement::Linearizable), "{violation:?}");
    violation.is_some()
}

fn by_must(shape: &Shape) -> bool {
    let config =
        manyworlds_graph::GraphConfig { deadlock: Deadlock::Allow, ..manyworlds_graph::GraphConfig::default() };
    let report = manyworlds_graph::explore(&ActorLocals::new(&system(shape)), &config, &NoObserver);
    let violation = report.counterexample.map(|trace| trace.violation.property);
    assert!(violation.is_none() || violation == Some(Requirement::Linearizable), "{violation:?}");
    violation.is_some()
}

/// The result of a scheduler that explores all behaviours; `None` if there are too many schedules.
fn on_schedules(shape: &Shape, name: Engine) -> Option<bool> {
    let budget = Budget { executions: Some(20_000), ..Budget::default() };
    let config = Config { budget, ..Config::default() };
    let worlds = system(shape).worlds().unmonitored();
    let report = explore(&worlds, name, &config, &NoObserver).expect("it can be decided");
    let figures = report.stats.histories.expect("a scheduler has these figures");
    let Some(found) = report.found else {
        assert_eq!(figures.non_linearizable, Some(0));
        return report.stopped.is_none().then_some(false);
    };
    assert_eq!((found.violation.property.clone(), figures.non_linearizable), (Requirement::Linearizable, Some(1)));
    // A monitored system fails after the same steps, and not a step earlier.
    let monitored = system(shape).worlds();
    let narrated = narrate(&worlds, &found.path, found.violation.clone());
    let replayed = replay(&system(shape).worlds().unmonitored(), &narrated, |_, _| {});
    assert_eq!(replayed, Ok(Replayed::Reproduced));
    let mut state = monitored.initial().remove(0);
    for (step, nth) in found.path.steps.iter().map(|(step, _)| step).zip(1..) {
        assert_eq!(monitored.failure(&state), None, "before step {nth}");
        let wanted = step_in_words(&worlds, &found.path, nth);
        let mut steps = Vec::new();
        monitored.actions(&state, &mut steps);
        let next = |step: &Step| monitored.next(&state, step).expect("enabled");
        let same = |step: &&Step| narrated_without_failure(&monitored, &state, step, &next(step)) == wanted;
        state = next(steps.iter().find(same).unwrap_or_else(|| panic!("{step:?} can be done here too")));
    }
    assert_eq!(monitored.failure(&state), Some(found.violation));
    Some(true)
}

/// The trace of the n-th step of a path, from 1.
fn step_in_words(worlds: &Worlds, path: &Path<Worlds>, nth: usize) -> String {
    let before = if nth == 1 { &path.start } else { &path.steps[nth - 2].1 };
    let (step, after) = &path.steps[nth - 1];
    narrated_without_failure(worlds, before, step, after)
}

fn narrated_without_failure(worlds: &Worlds, before: &State, step: &Step, after: &State) -> String {
    let narrated = worlds.trace_step(before, step, Some(after));
    narrated
        .iter()
        .filter(|step| !step.kind.is_bad())
        .map(|s| format!("{} {:?};", s.process, s.kind.clone().map(|sent| sent.message)))
        .collect()
}

random! {
    #![cases = 200, compared = 350]

    #[test]
    fn every_engine_sees_what_whole_paths_show(shape in shapes()) {
        let bad = naive(&shape);
        prop_assert_eq!(on_states(&shape, Engine::Bfs), bad, "bfs");
        prop_assert_eq!(on_states(&shape, Engine::Dfs), bad, "dfs");
        prop_assert_eq!(by_must(&shape), bad, "must");
        let dpor = on_schedules(&shape, Engine::Dpor);
        prop_assert_eq!(dpor.unwrap_or(bad), bad, "DP");
        // EX finds every violation, but may reach its execution limit first.
        prop_assert!(on_schedules(&shape, Engine::Exhaustive) != Some(!bad), "EX");
        return Ok(3 + u64::from(dpor.is_some()));
    }
}

#[test]
fn both_verdicts_occur() {
    let write_then_read = |at| {
        let clients = vec![(0, vec![Operation::Write(1)]), (at, vec![Operation::Read, Operation::Read])];
        Shape { network: Network::P2p, copies: [true, false], clients }
    };
    assert!(!naive(&write_then_read(0)));
    assert!(naive(&write_then_read(1)));
    assert_eq!(on_schedules(&write_then_read(0), Engine::Dpor), Some(false));
    assert_eq!(on_schedules(&write_then_read(1), Engine::Dpor), Some(true));
    assert_eq!(on_schedules(&write_then_read(1), Engine::Exhaustive), Some(true));
}
