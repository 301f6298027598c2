//! Fairness of actors and of their queues, under each network.

use manyworlds_actor::{Actor, Context, System};
use manyworlds_core::{Network, Pid, Replayed};
use manyworlds_explore::{Config, Engine, NoObserver, Refusal, Unanswered, explore, narrate, replay};

/// Answers each "noise" with "noise", and keeps whether a "job" has arrived.
struct Player {
    other: Pid,
    serves: bool,
}

impl Actor for Player {
    type State = bool;
    type Message = &'static str;

    fn start(&self, ctx: &mut Context<'_>) -> bool {
        if self.serves {
            ctx.send(self.other, "noise");
        }
        false
    }

    fn message(&self, done: &mut bool, _: Pid, message: &&'static str, ctx: &mut Context<'_>) {
        match *message {
            "noise" => ctx.send(self.other, "noise"),
            _ => *done = true,
        }
    }
}

/// Sends a "job" when it starts.
struct Client(Pid);

impl Actor for Client {
    type State = ();
    type Message = ();

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, "job");
    }

    fn message(&self, (): &mut (), _: Pid, (): &(), _: &mut Context<'_>) {}
}

const WORKER: Pid = Pid::root(0);
const CLIENT: Pid = Pid::root(2);

/// Noise goes round between a worker and a chatterer while a job waits for the worker.
fn system(network: Network) -> System {
    let mut system = System::new().network(network);
    let worker: Pid = system.add("worker", Player { other: Pid::root(1), serves: false }).into();
    system.add("chatterer", Player { other: worker, serves: true });
    system.add("client", Client(worker));
    system
        .eventually("done", move |view| view.get::<bool>(worker) == Some(&true))
        .leads_to(
            "sent, done",
            |view| view.messages::<&'static str>().iter().any(|(_, _, message)| **message == "job"),
            move |view| view.get::<bool>(worker) == Some(&true),
        )
        .always_eventually("noisy", |view| view.messages::<&'static str>().iter().any(|m| *m.2 == "noise"))
}

/// The names of the properties that are violated, each checked by itself.
fn violated(system: &System) -> Vec<String> {
    let names = system.blueprint().questions.iter().map(|question| question.name.clone());
    let is_violated = |name: &String| {
        let worlds = system.clone().keep_questions(|question| question.name == *name).worlds();
        let report = explore(&worlds, Engine::Bfs, &Config::default(), &NoObserver).expect("it is decided");
        let Some(found) = report.found else { return false };
        let fresh = system.worlds();
        let trace = narrate(&worlds, &found.path, found.violation);
        assert_eq!(replay(&fresh, &trace, |_, _| {}), Ok(Replayed::Reproduced));
        true
    };
    names.filter(is_violated).collect()
}

const JOB: [&str; 2] = ["done", "sent, done"];

#[test]
fn a_queue_that_is_treated_fairly_is_not_passed_over_for_ever() {
    for network in [Network::Asyn, Network::P2p, Network::Cd] {
        let unfair = system(network);
        assert_eq!(violated(&unfair), JOB, "{network}: noise goes round for ever");
        assert_eq!(violated(&unfair.clone().fair(WORKER)), JOB, "{network}: the worker takes steps");
        assert_eq!(violated(&unfair.clone().strongly_fair(WORKER)), JOB, "{network}: the worker takes steps");
        assert_eq!(violated(&unfair.clone().fair_queues(CLIENT)), JOB, "{network}: of another actor");
        assert!(violated(&unfair.clone().fair_queues(WORKER)).is_empty(), "{network}");
        assert!(violated(&unfair.strongly_fair_queues(WORKER)).is_empty(), "{network}");
    }
}

/// Under mbox there is one queue, and the noise pushes the job to its head. A client need not start, though.
#[test]
fn under_mbox_only_the_start_of_the_client_can_be_put_off() {
    let unfair = system(Network::Mbox);
    assert_eq!(violated(&unfair), ["done"]);
    assert_eq!(violated(&unfair.clone().fair_queues(WORKER)), ["done"], "a start is no delivery");
    assert!(violated(&unfair.fair(CLIENT)).is_empty());
}

#[test]
fn fairness_is_named_and_the_stronger_assumption_counts() {
    let system = system(Network::P2p).strongly_fair(WORKER).fair(WORKER).fair_queues(WORKER).fair(CLIENT);
    let report = explore(&system.worlds(), Engine::Bfs, &Config::default(), &NoObserver).expect("it is decided");
    assert_eq!(report.assumed.weakly, ["the queues of worker", "client"]);
    assert_eq!(report.assumed.strongly, ["worker"]);
}

#[test]
fn symmetry_is_refused_under_fairness_of_any_kind() {
    let symmetric = Config { symmetry: true, ..Config::default() };
    let system = system(Network::P2p).identical([CLIENT]);
    let refused = |system: System| match explore(&system.worlds(), Engine::Bfs, &symmetric, &NoObserver) {
        Err(Unanswered::Refused(Refusal::Undecided { property, .. })) => Some(property),
        _ => None,
    };
    assert_eq!(refused(system.clone()), None);
    assert_eq!(refused(system.clone().fair(WORKER)), Some("eventually done".to_string()));
    assert_eq!(refused(system.strongly_fair_queues(CLIENT)), Some("eventually done".to_string()));
}
