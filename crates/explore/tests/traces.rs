//! Replay of traces. Fingerprints distinguish states, actions and messages with the same `Debug` form.

use manyworlds_core::{Delivery, StepKind, TraceMessage, TraceProcess, TraceStep, Violation};
use manyworlds_core::{NarratedMessage, NarratedStep, Replayed, Requirement as Violated, Trace, ValueTree};
use manyworlds_explore::{
    Config, Engine, Model, Narrated, NoObserver, Path, Property, Specification, TransitionSystem, explore, narrate,
    replay,
};
use std::fmt;
use std::hash::Hash;

/// A number whose `Debug` form does not contain it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Opaque(u8);

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opaque")
    }
}

/// Two initial states and two actions with the same `Debug` form. Only the second initial state, and from there only the second action, leads to the
/// violation.
#[derive(Clone)]
struct Alike {
    /// The names of the two properties; the second one is violated.
    names: [&'static str; 2],
}

impl Model for Alike {
    type State = (Opaque, Opaque);
    type Action = Opaque;

    fn initial(&self) -> Vec<Self::State> {
        vec![(Opaque(0), Opaque(0)), (Opaque(1), Opaque(0))]
    }

    fn actions(&self, &(_, Opaque(steps)): &Self::State, out: &mut Vec<Opaque>) {
        if steps < 3 {
            out.extend([Opaque(0), Opaque(1)]);
        }
    }

    fn next(&self, &(Opaque(sum), Opaque(steps)): &Self::State, &Opaque(action): &Opaque) -> Option<Self::State> {
        Some((Opaque(2 * sum + action), Opaque(steps + 1)))
    }

    fn properties(&self) -> Vec<Property<Alike>> {
        let [first, second] = self.names;
        vec![Property::always(first, |_, _| true), Property::never(second, |_, &(Opaque(sum), _)| sum == 15)]
    }
}

fn counterexample<M: TransitionSystem>(model: &M, engine: Engine) -> Trace {
    let report = explore(model, engine, &Config::default(), &NoObserver).expect("nothing is refused");
    let found = report.found.expect("the property is violated");
    narrate(model, &found.path, found.violation)
}

fn replayed<M: TransitionSystem>(model: &M, trace: &Trace) -> Replayed {
    let mut shown = Vec::new();
    let replayed = replay(model, trace, |i, _| shown.push(i)).expect("the model can take the steps");
    assert_eq!(shown, (0..trace.steps.len()).collect::<Vec<_>>(), "every step is shown once");
    replayed
}

/// The trace without the fingerprints that distinguish equal texts, as in files of version 1.
fn without_fingerprints(trace: &Trace) -> Trace {
    let mut plain = Trace { start: None, ..trace.clone() };
    plain.steps.iter_mut().for_each(|step| step.fingerprint = None);
    plain
}

#[test]
fn initial_states_and_actions_with_equal_texts_are_distinguished() {
    let model = Specification::new(Alike { names: ["small", "fifteen"] });
    for engine in [Engine::Bfs, Engine::Dfs] {
        let trace = counterexample(&model, engine);
        assert!(trace.steps.iter().skip(1).all(|step| step.kind == StepKind::Action(ValueTree::parse("Opaque"))));
        let trace = Trace::from_json(&trace.to_json()).expect("the text is a trace");
        assert_eq!(replayed(&model, &trace), Replayed::Reproduced);
        assert_eq!(
            replayed(&model, &without_fingerprints(&trace)),
            Replayed::Reproduced,
            "all paths with these texts are tried"
        );
        // Fingerprints of a model that was changed since do not match; the texts are used instead.
        let mut moved = trace.clone();
        moved.steps.iter_mut().flat_map(|step| &mut step.fingerprint).for_each(|print| print.0 ^= 1);
        assert_eq!(replayed(&model, &moved), Replayed::Reproduced);
    }
}

#[test]
fn a_fingerprint_decides_which_of_two_paths_is_replayed() {
    // Another path with the same texts leads to the violation; this one does not.
    let model = Specification::new(Alike { names: ["small", "fifteen"] });
    let harmless = Path::<Specification<Alike>> {
        start: (Opaque(0), Opaque(0)),
        steps: (1..=3).map(|n| (Opaque(0), (Opaque(0), Opaque(n)))).collect(),
        loop_from: None,
        asks: None,
        attempted: None,
    };
    let trace = narrate(&model, &harmless, counterexample(&model, Engine::Bfs).violation);
    assert_eq!(replayed(&model, &trace), Replayed::Gone);
    assert_eq!(replayed(&model, &without_fingerprints(&trace)), Replayed::Reproduced);
}

#[test]
fn two_properties_may_have_the_same_name() {
    /// Two `always` properties, of which the second is violated.
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
fn a_step_that_the_model_cannot_take_is_an_error_at_that_step() {
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
        assert!(error.contains("`system: action Opaque`"), "{error}");
        assert_eq!(shown, 2, "the steps before it are shown");
    }
}

/// Sends two different messages with the same `Debug` form, then receives the second one, then the first.
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
        let sent = Opaque(action % 2);
        let message = TraceMessage::Value(ValueTree::of(&sent));
        let message = NarratedMessage { id: u128::from(sent.0), message };
        vec![match action {
            0 | 1 => TraceStep::new(0, StepKind::Send { message, to: Some(1), network: None }),
            _ => TraceStep::new(1, StepKind::Receive(Delivery { message, from: Some(0), send: None, network: None })),
        }]
    }
}

#[test]
fn messages_with_equal_texts_are_distinguished() {
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
