//! A trace is replayed by what it says and by the states it names: texts that are equal do no harm.

use manyworlds_core::{Delivery, StepKind, TraceMessage, TraceProcess, TraceStep, Violation};
use manyworlds_core::{NarratedMessage, NarratedStep, Property as Violated, Replayed, Trace, ValueTree};
use manyworlds_explore::{
    Config, Engine, Model, Narrated, NoObserver, Path, Property, Specification, TransitionSystem, explore, narrate,
    replay,
};
use std::fmt;
use std::hash::Hash;

/// What is shown without saying which.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Veiled(u8);

impl fmt::Debug for Veiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Veiled")
    }
}

/// Two starts and two actions that look the same; only the second start, and from there only the second action, leads to where it goes wrong.
#[derive(Clone)]
struct Alike {
    /// Two properties with one name; the violated one comes last.
    names: [&'static str; 2],
}

impl Model for Alike {
    type State = (Veiled, Veiled);
    type Action = Veiled;

    fn initial(&self) -> Vec<Self::State> {
        vec![(Veiled(0), Veiled(0)), (Veiled(1), Veiled(0))]
    }

    fn actions(&self, &(_, Veiled(steps)): &Self::State, out: &mut Vec<Veiled>) {
        if steps < 3 {
            out.extend([Veiled(0), Veiled(1)]);
        }
    }

    fn next(&self, &(Veiled(sum), Veiled(steps)): &Self::State, &Veiled(action): &Veiled) -> Option<Self::State> {
        Some((Veiled(2 * sum + action), Veiled(steps + 1)))
    }

    fn properties(&self) -> Vec<Property<Alike>> {
        let [first, second] = self.names;
        vec![Property::always(first, |_, _| true), Property::never(second, |_, &(Veiled(sum), _)| sum == 15)]
    }
}

fn counterexample<M: TransitionSystem>(model: &M, engine: Engine) -> Trace {
    let report = explore(model, engine, &Config::default(), &NoObserver).expect("nothing is refused");
    let found = report.found.expect("it goes wrong");
    narrate(model, &found.path, found.violation)
}

fn replayed<M: TransitionSystem>(model: &M, trace: &Trace) -> Replayed {
    let mut shown = Vec::new();
    let replayed = replay(model, trace, |i, _| shown.push(i)).expect("it can be performed");
    assert_eq!(shown, (0..trace.steps.len()).collect::<Vec<_>>(), "every step is shown once");
    replayed
}

/// The trace without anything that tells equal texts apart, as files of version 1 were.
fn without_fingerprints(trace: &Trace) -> Trace {
    let mut plain = Trace { start: None, ..trace.clone() };
    plain.steps.iter_mut().for_each(|step| step.fingerprint = None);
    plain
}

#[test]
fn starts_and_actions_that_look_the_same_are_told_apart() {
    let model = Specification::new(Alike { names: ["small", "fifteen"] });
    for engine in [Engine::Bfs, Engine::Dfs] {
        let trace = counterexample(&model, engine);
        assert!(trace.steps.iter().skip(1).all(|step| step.kind == StepKind::Action(ValueTree::parse("Veiled"))));
        let trace = Trace::from_json(&trace.to_json()).expect("it was written");
        assert_eq!(replayed(&model, &trace), Replayed::Reproduced);
        assert_eq!(replayed(&model, &without_fingerprints(&trace)), Replayed::Reproduced, "every path is followed");
        // Fingerprints of a model that was changed are of no use; what it shows still is.
        let mut moved = trace.clone();
        moved.steps.iter_mut().flat_map(|step| &mut step.fingerprint).for_each(|print| print.0 ^= 1);
        assert_eq!(replayed(&model, &moved), Replayed::Reproduced);
    }
}

#[test]
fn a_fingerprint_decides_which_of_two_paths_is_replayed() {
    // The same texts lead to where it goes wrong, but not along this path.
    let model = Specification::new(Alike { names: ["small", "fifteen"] });
    let harmless = Path::<Specification<Alike>> {
        start: (Veiled(0), Veiled(0)),
        steps: (1..=3).map(|n| (Veiled(0), (Veiled(0), Veiled(n)))).collect(),
        loop_from: None,
        attempted: None,
    };
    let trace = narrate(&model, &harmless, counterexample(&model, Engine::Bfs).violation);
    assert_eq!(replayed(&model, &trace), Replayed::Gone);
    assert_eq!(replayed(&model, &without_fingerprints(&trace)), Replayed::Reproduced);
}

#[test]
fn two_properties_may_have_one_name() {
    /// Both are `always`, and the second is violated.
    #[derive(Clone)]
    struct Twice;
    impl Model for Twice {
        type State = u8;
        type Action = u8;
        fn initial(&self) -> Vec<u8> {
            vec![0]
        }
        fn actions(&self, _: &u8, out: &mut Vec<u8>) {
            out.push(1);
        }
        fn next(&self, state: &u8, action: &u8) -> Option<u8> {
            (*state < 3).then(|| state + action)
        }
        fn properties(&self) -> Vec<Property<Twice>> {
            vec![Property::always("small", |_, state| *state < 9), Property::always("small", |_, state| *state < 2)]
        }
    }
    let twice = Specification::new(Twice);
    let trace = counterexample(&twice, Engine::Bfs);
    assert_eq!(trace.violation.property, Violated::Always { name: "small".to_string() });
    assert_eq!(replayed(&twice, &trace), Replayed::Reproduced);
    assert_eq!(replayed(&twice, &without_fingerprints(&trace)), Replayed::Reproduced);
}

#[test]
fn what_the_model_does_not_do_is_told_where_it_happens() {
    let model = Specification::new(Alike { names: ["small", "fifteen"] });
    let mut trace = counterexample(&model, Engine::Bfs);
    trace.steps[2].kind = StepKind::Action(ValueTree::parse("Jump"));
    for trace in [without_fingerprints(&trace), trace] {
        let mut shown = 0;
        let error = replay(&model, &trace, |_, _| shown += 1).unwrap_err().to_string();
        assert!(
            error.starts_with("step 2 (system): the trace says `system: action Jump`, the program does"),
            "{error}"
        );
        assert!(error.contains("`system: action Veiled`"), "{error}");
        assert_eq!(shown, 2, "the steps before it are shown");
    }
}

/// Sends two messages that look the same and are not, then receives the second one, then the first.
#[derive(Clone)]
struct Mail;

impl Model for Mail {
    type State = Vec<u8>;
    type Action = u8;

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![Vec::new()]
    }

    fn actions(&self, done: &Vec<u8>, out: &mut Vec<u8>) {
        out.extend((done.len() < 4).then_some([0, 1, 3, 2][done.len().min(3)]));
    }

    fn next(&self, done: &Vec<u8>, action: &u8) -> Option<Vec<u8>> {
        Some([&done[..], &[*action]].concat())
    }
}

impl Narrated for Mail {
    fn trace_processes(&self) -> Vec<TraceProcess> {
        let process = |n: usize| TraceProcess {
            pid: n.to_string(),
            id: n as u64,
            name: ["sender", "history"][n].to_string(),
            role: manyworlds_core::ProcessRole::Process,
            daemon: true,
            status: manyworlds_core::ProcessStatus::Waiting,
        };
        vec![process(0), process(1)]
    }

    fn trace_start(&self, _: &Vec<u8>) -> Vec<NarratedStep> {
        Vec::new()
    }

    fn trace_step(&self, _: &Vec<u8>, action: &u8, _: Option<&Vec<u8>>) -> Vec<NarratedStep> {
        let sent = Veiled(action % 2);
        let message = TraceMessage::Value(ValueTree::of(&sent));
        let message = NarratedMessage { id: u128::from(sent.0), message };
        vec![match action {
            0 | 1 => TraceStep::new(0, StepKind::Send { message, to: Some(1), network: None }),
            _ => TraceStep::new(1, StepKind::Receive(Delivery { message, from: Some(0), send: None, network: None })),
        }]
    }
}

#[test]
fn messages_that_look_the_same_are_not_taken_for_each_other() {
    let mut path = Path::<Specification<Mail>>::new(Vec::new());
    for action in [0, 1, 3, 2] {
        let next = Mail.next(path.last(), &action).expect("it is enabled");
        path.steps.push((action, next));
    }
    let message = "it never holds".to_string();
    let property = Violated::AtRest { name: "fine".to_string() };
    let trace = narrate(
        &Specification::new(Mail).narrated(),
        &path,
        Violation { property, message, location: None, process: None },
    );
    assert_eq!(trace.messages.len(), 2, "equal texts are two messages");
    assert_eq!(trace.messages[0], trace.messages[1]);
    let sends: Vec<Option<usize>> = trace.steps.iter().map(|step| step.kind.send()).collect();
    assert_eq!(sends, [None, None, Some(1), Some(0)], "the second one is received first");
    assert_eq!(Trace::from_json(&trace.to_json()), Ok(trace));
}
