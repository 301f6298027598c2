//! The schedulers on a small model: actors that record the order in which they received their messages, and a multiset of messages in flight.

use manyworlds_core::Violation;
use manyworlds_explore::{
    Budget, Config, Declared, Engine, HistoryEvent, HistoryKind, Keys, Lane, Model, NoObserver, Observer, Progress,
    Property, Receive, Receives, Refusal, Report, Specification, StopReason, Unanswered, Undeclared, explore, narrate,
    replay,
};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// A message: its sender, its receiver and its kind.
type Message = (u8, u8, u8);
/// An actor and a kind of message, and the messages that the actor sends when it receives that kind, as (receiver, kind).
type Answer = ((u8, u8), Vec<(u8, u8)>);

const INVOKE: u8 = 1;
const RETURN: u8 = 2;

#[derive(Clone, Debug, Default)]
struct System {
    actors: u8,
    /// The messages in flight in the initial state.
    first: Vec<Message>,
    answers: Vec<Answer>,
    /// If not empty, an actor that has received an odd number of messages uses these answers instead, and a message of kind k counts as one of kind k + 1 in
    /// the history.
    odd_answers: Vec<Answer>,
    /// Whether each actor has one FIFO mailbox.
    mailboxes: bool,
    /// Whether receivers do not record their messages. Then executions can be infinite.
    records_nothing: bool,
    /// Whether a history in which a return is directly followed by an invocation counts as not linearizable. If not set, histories are not checked.
    strict: bool,
    /// The properties to check.
    properties: Vec<Property<System>>,
}

type State = (Vec<Vec<u8>>, Vec<Message>);

impl System {
    fn uses_odd_answers(&self, (received, _): &State, (_, to, _): Message) -> bool {
        !self.odd_answers.is_empty() && received[usize::from(to)].len() % 2 == 1
    }

    fn answer(&self, state: &State, message: Message) -> impl Iterator<Item = Message> {
        let (_, to, kind) = message;
        let answers = if self.uses_odd_answers(state, message) { &self.odd_answers } else { &self.answers };
        let sent = answers.iter().filter(move |(key, _)| *key == (to, kind)).flat_map(|(_, sent)| sent);
        sent.map(move |&(next, kind)| (to, next, kind))
    }

    /// The event of the history that the receipt of a message records.
    fn note(&self, state: &State, message: Message) -> Option<HistoryKind> {
        match message.2 + u8::from(self.uses_odd_answers(state, message)) {
            INVOKE => Some(HistoryKind::Invoked),
            RETURN => Some(HistoryKind::Returned),
            _ => None,
        }
    }

    fn sort(&self, in_flight: &mut [Message]) {
        match self.mailboxes {
            true => in_flight.sort_by_key(|&(_, to, _)| to),
            false => in_flight.sort_unstable(),
        }
    }

    fn lane(&self, (from, to, kind): Message) -> Lane {
        match self.mailboxes {
            true => Lane(u64::from(to), 0),
            false => Lane(u64::from(from) << 8 | u64::from(to), u64::from(kind)),
        }
    }
}

impl Model for System {
    type State = State;
    type Action = Message;

    fn initial(&self) -> Vec<State> {
        let mut in_flight = self.first.clone();
        self.sort(&mut in_flight);
        vec![(vec![Vec::new(); usize::from(self.actors)], in_flight)]
    }

    fn actions(&self, (_, in_flight): &State, out: &mut Vec<Message>) {
        out.extend(in_flight);
        match self.mailboxes {
            true => out.dedup_by_key(|&mut (_, to, _)| to),
            false => out.dedup(),
        }
    }

    fn next(&self, state: &State, message: &Message) -> Option<State> {
        let (mut received, mut in_flight) = state.clone();
        in_flight.remove(in_flight.iter().position(|other| other == message)?);
        in_flight.extend(self.answer(state, *message));
        self.sort(&mut in_flight);
        if !self.records_nothing {
            received[usize::from(message.1)].push(message.2);
        }
        Some((received, in_flight))
    }

    fn properties(&self) -> Vec<Property<System>> {
        self.properties.clone()
    }
}

impl Receives<State, Message> for System {
    fn receive(&self, state: &State, message: &Message) -> Option<Receive> {
        let note = self.note(state, *message);
        let waits = |other: &&Message| self.lane(**other) == self.lane(*message);
        let boxes = self.answer(state, *message).fold(0, |boxes, (_, to, _)| boxes | 1 << to);
        Some(Receive {
            sender: message.0.into(),
            receiver: message.1.into(),
            lane: self.lane(*message),
            waiting: state.1.iter().filter(waits).count() as u32,
            sends: self.answer(state, *message).map(|sent| self.lane(sent)).collect(),
            orders: if self.mailboxes { boxes } else { 0 },
            invokes: note == Some(HistoryKind::Invoked),
            returns: note == Some(HistoryKind::Returned),
            keys: Keys::only([message.2]),
            excluded: false,
        })
    }

    fn recorded(&self, state: &State, message: &Message, _: &State, out: &mut Vec<HistoryEvent>) {
        let event = |kind| HistoryEvent { process: message.1.into(), kind, label: 0 };
        out.extend(self.note(state, *message).map(event));
    }

    fn linearizable(&self, history: &[HistoryEvent]) -> Option<Result<(), Violation>> {
        let late =
            |pair: &[HistoryEvent]| pair[0].kind == HistoryKind::Returned && pair[1].kind == HistoryKind::Invoked;
        let why = Violation {
            property: manyworlds_core::Requirement::Linearizable,
            message: "an operation was invoked after another one had returned".to_string(),
            location: None,
            process: None,
        };
        self.strict.then(|| if history.windows(2).any(late) { Err(why) } else { Ok(()) })
    }
}

/// The number of maximal paths and their final states, by plain recursion. `None` if there are more than `most` paths.
fn naive(system: &System, most: u64) -> Option<(u64, BTreeSet<State>)> {
    fn follow(system: &System, state: &State, most: u64, paths: &mut u64, ends: &mut BTreeSet<State>) -> Option<()> {
        let mut actions = Vec::new();
        system.actions(state, &mut actions);
        if actions.is_empty() {
            ends.insert(state.clone());
            *paths += 1;
        }
        let mut next = actions.iter().filter_map(|message| system.next(state, message));
        next.try_for_each(|state| follow(system, &state, most, paths, ends))?;
        (*paths <= most).then_some(())
    }
    let (mut paths, mut ends) = (0, BTreeSet::new());
    follow(system, &system.initial()[0], most, &mut paths, &mut ends)?;
    Some((paths, ends))
}

type Spec = Specification<System, Undeclared, Undeclared, Declared>;

fn spec(system: &System) -> Spec {
    Specification::new(system.clone()).receiving()
}

fn run(system: &System, name: Engine, config: &Config) -> Report<Spec> {
    explore(&spec(system), name, config, &NoObserver).expect("nothing to refuse")
}

fn schedules(report: &Report<Spec>) -> u64 {
    report.stats.histories.expect("a scheduler has these figures").schedules
}

fn ends(report: &Report<Spec>) -> BTreeSet<State> {
    report.final_states.iter().cloned().collect()
}

fn collect() -> Config {
    Config { collect_final: true, ..Config::default() }
}

/// Systems in which messages are answered only by messages of greater kinds, so that every execution is finite.
fn random_systems() -> impl Strategy<Value = System> {
    let message = (0..3u8, 0..3u8, 0..2u8);
    let answer = (0..3u8, 0..3u8)
        .prop_flat_map(|(actor, kind)| (Just((actor, kind)), prop::collection::vec((0..3u8, kind + 1..=3u8), 0..=2)));
    let answers = || prop::collection::vec(answer.clone(), 0..=3);
    (prop::collection::vec(message, 0..=4), answers(), answers(), any::<bool>()).prop_map(
        |(first, answers, odd_answers, mailboxes)| System {
            actors: 3,
            first,
            answers,
            odd_answers,
            mailboxes,
            ..System::default()
        },
    )
}

random! {
    #![cases = 300, compared = 80]

    #[test]
    fn exhaustive_is_plain_recursion_and_dpor_reaches_the_same_final_states(system in random_systems()) {
        let Some((all, every)) = naive(&system, 20_000) else { return Ok(0) };
        let exhaustive = run(&system, Engine::Exhaustive, &collect());
        prop_assert_eq!(schedules(&exhaustive), all);
        prop_assert_eq!(&ends(&exhaustive), &every);
        prop_assert_eq!(exhaustive.stopped, None);
        let dpor = run(&system, Engine::Dpor, &collect());
        prop_assert!(schedules(&dpor) <= all);
        prop_assert_eq!(&ends(&dpor), &every);
        let unique = |report: &Report<Spec>| report.stats.histories.map(|figures| figures.unique);
        prop_assert_eq!(unique(&dpor), unique(&exhaustive));
        for &name in Engine::SCHEDULERS {
            prop_assert!(ends(&run(&system, name, &collect())).is_subset(&every), "{:?}", name);
        }
    }

    #[test]
    fn schedules_grow_with_the_delay_bound_and_a_large_bound_gives_all(system in random_systems()) {
        let Some((all, _)) = naive(&system, 5_000) else { return Ok(0) };
        let mut before = 0;
        for delays in [0, 1, 2, 100] {
            let delayed = run(&system, Engine::Delay, &Config { delays, ..Config::default() });
            prop_assert!(schedules(&delayed) >= before.max(1));
            before = schedules(&delayed);
        }
        prop_assert_eq!(before, all);
    }
}

/// One message for each actor: round robin without delays has one schedule.
#[test]
fn without_delays_actors_take_turns() {
    let system = System { actors: 4, first: (0..4).map(|to| (to, to, 0)).collect(), ..System::default() };
    let count = |delays| schedules(&run(&system, Engine::Delay, &Config { delays, ..Config::default() }));
    assert_eq!((count(0), count(1)), (1, 4));
    assert_eq!(schedules(&run(&system, Engine::Exhaustive, &Config::default())), 24);
    assert_eq!(schedules(&run(&system, Engine::Dpor, &Config::default())), 1);
}

/// Eight messages to one actor: only a few of many schedules are sampled.
#[test]
fn a_seed_determines_the_sampled_schedules() {
    let system = System { actors: 1, first: (0..8).map(|kind| (0, 0, kind)).collect(), ..System::default() };
    let drawn = |seed, executions| {
        let budget = Budget { executions: Some(executions), ..Budget::default() };
        run(&system, Engine::SystematicRandom, &Config { seed, budget, ..collect() })
    };
    assert_eq!(ends(&drawn(7, 50)), ends(&drawn(7, 50)));
    assert_ne!(ends(&drawn(7, 50)), ends(&drawn(8, 50)));
    assert!(ends(&drawn(7, 10)).is_subset(&ends(&drawn(7, 50))), "a longer run begins like a shorter one");
    assert_eq!(schedules(&drawn(7, 50)), 50);
    assert_eq!(drawn(7, 50).stopped, Some(StopReason::SchedulerIncomplete));
}

/// Two actors that each answer a message of the other one with a message, without end.
fn endless() -> System {
    let first = vec![(0, 1, 0), (1, 0, 0)];
    System {
        actors: 2,
        first,
        answers: vec![((0, 0), vec![(1, 0)]), ((1, 0), vec![(0, 0)])],
        records_nothing: true,
        ..System::default()
    }
}

#[test]
fn infinite_executions_are_cut_off() {
    for &name in Engine::SCHEDULERS {
        let budget = Budget { depth: Some(6), executions: Some(20), ..Budget::default() };
        let report = run(&endless(), name, &Config { budget, ..Config::default() });
        assert!(report.stats.truncated > Some(0), "{name:?}");
        assert!(matches!(report.stopped, Some(StopReason::MaxDepth | StopReason::MaxExecutions)), "{name:?}");
        assert_eq!(report.stats.depth, Some(6));
    }
    let budget = Budget { depth: Some(6), ..Budget::default() };
    let report = run(&endless(), Engine::Exhaustive, &Config { budget, ..Config::default() });
    // Every second step has a choice; in between, two equal messages are in flight.
    assert_eq!((schedules(&report), report.stopped), (8, Some(StopReason::MaxDepth)));
    let budget = Budget { executions: Some(1), ..Budget::default() };
    let report = run(&endless(), Engine::Exhaustive, &Config { budget, ..Config::default() });
    assert_eq!(report.stopped, Some(StopReason::MaxExecutions), "a schedule is finite even without a depth bound");
}

/// An observer that stops the run at its fourth tick, and records the number of the first schedule with a violation.
struct StopEarly(AtomicU64);

impl Observer for StopEarly {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        assert!((0.0..=1.0).contains(&progress.done));
        (self.0.fetch_add(1, Ordering::Relaxed) == 3).then_some(StopReason::Timeout)
    }

    fn first_bug(&self, schedule: u64) {
        self.0.fetch_add(1_000 * schedule, Ordering::Relaxed);
    }
}

#[test]
fn an_observer_can_stop_every_scheduler() {
    for &name in Engine::SCHEDULERS {
        let config = Config { budget: Budget { executions: Some(u64::MAX), ..Budget::default() }, ..Config::default() };
        let report = explore(&spec(&endless()), name, &config, &StopEarly(AtomicU64::new(0)));
        assert_eq!(report.expect("nothing to refuse").stopped, Some(StopReason::Timeout), "{name:?}");
    }
}

/// Two clients with one operation each. The third schedule of EX is the first in which one operation returns before the other is invoked.
fn clients() -> System {
    let first = vec![(0, 0, INVOKE), (1, 1, INVOKE)];
    let answers = vec![((0, INVOKE), vec![(0, RETURN)]), ((1, INVOKE), vec![(1, RETURN)])];
    System { actors: 2, first, answers, strict: true, ..System::default() }
}

#[test]
fn a_history_that_is_not_linearizable_is_a_violation() {
    let all = run(&clients(), Engine::Exhaustive, &Config { keep_going: true, ..Config::default() });
    let figures = all.stats.histories.expect("a scheduler has these figures");
    assert_eq!((figures.schedules, figures.complete, figures.unique), (6, 6, 3));
    assert_eq!((figures.non_linearizable, all.stats.violations), (Some(2), 2));
    assert_eq!((figures.quality(), figures.precision()), (Some(2.0 / 3.0), Some(1.0 / 3.0)));

    let watch = StopEarly(AtomicU64::new(10));
    let first = explore(&spec(&clients()), Engine::Exhaustive, &Config::default(), &watch);
    let first = first.expect("nothing to refuse");
    let number = first.stats.histories.and_then(|figures| figures.first_bug).expect("there is a violation");
    assert_eq!(watch.0.into_inner() / 1_000, number);
    assert_eq!(schedules(&first), number);
    let found = first.found.expect("there is a violation");
    assert_eq!(found.path.steps.len(), 3, "the violation is found as soon as the second operation is invoked");
    let trace = narrate(&spec(&clients()), &found.path, found.violation);
    assert_eq!(replay(&spec(&clients()), &trace, |_, _| {}), Ok(manyworlds_core::Replayed::Reproduced));
    let unchecked = System { strict: false, ..clients() };
    assert_eq!(replay(&spec(&unchecked), &trace, |_, _| {}), Ok(manyworlds_core::Replayed::Gone));

    let dpor = run(&clients(), Engine::Dpor, &Config { keep_going: true, ..Config::default() });
    assert_eq!(dpor.stats.histories.map(|figures| (figures.unique, figures.non_linearizable)), Some((3, Some(2))));
}

#[test]
fn properties_of_states_are_checked_on_the_way() {
    let both =
        Property::never("both", |_: &System, (received, _): &State| !received[0].is_empty() && !received[1].is_empty());
    let system = System { properties: vec![both], strict: false, ..clients() };
    let report = run(&system, Engine::Exhaustive, &Config::default());
    assert_eq!(
        report.found.expect("the property is violated").path.steps.len(),
        3,
        "one client finishes, then the other begins"
    );
    assert_eq!(report.stats.histories.and_then(|figures| figures.first_bug), Some(1));
    let all = run(&system, Engine::Exhaustive, &Config { keep_going: true, ..Config::default() });
    assert_eq!((schedules(&all), all.stats.violations), (6, 6));
    let rest = Property::at_rest("nothing", |_: &System, _: &State| false);
    let system = System { properties: vec![rest], strict: false, ..clients() };
    let report = run(&system, Engine::Dpor, &Config::default());
    assert_eq!(report.found.expect("the property is violated").path.steps.len(), 4);
}

/// Whether a run without a violation is complete depends on the properties: DP does not visit every state.
#[test]
fn a_run_is_complete_only_for_properties_that_the_scheduler_decides() {
    let stopped = |name, property: Property<System>| {
        let system = System { properties: vec![property], strict: false, ..clients() };
        run(&system, name, &Config::default()).stopped
    };
    let always = || Property::always("true", |_: &System, _: &State| true);
    let sometimes = || Property::sometimes("never", |_: &System, _: &State| false);
    assert_eq!(stopped(Engine::Exhaustive, always()), None);
    assert_eq!(stopped(Engine::Dpor, always()), Some(StopReason::SchedulerIncomplete));
    assert_eq!(stopped(Engine::Dpor, always().stable()), None);
    assert_eq!(stopped(Engine::Dpor, sometimes()), Some(StopReason::SchedulerIncomplete));
    assert_eq!(stopped(Engine::IRed, always().stable()), Some(StopReason::SchedulerIncomplete));
    let system = System { properties: vec![sometimes()], strict: false, ..clients() };
    assert!(run(&system, Engine::Exhaustive, &Config::default()).found.is_some());
}

/// The number of distinct final states that each of EX, DP, TD, IR and LV reaches.
fn seen(system: &System) -> [usize; 5] {
    use Engine::{Dpor, Exhaustive, IRed, LiViola, TransDpor};
    [Exhaustive, Dpor, TransDpor, IRed, LiViola].map(|name| ends(&run(system, name, &collect())).len())
}

/// Every system with this number of messages, up to the names of their receivers. A message is in flight initially, with any of the senders, or is sent by
/// the receiver of a message that precedes it in the list. The kind of a message follows from its position in the list.
fn all_systems(messages: u8, senders: u8) -> Vec<System> {
    let mut all = vec![System { actors: messages.max(senders), ..System::default() }];
    let mut receivers: Vec<Vec<u8>> = vec![Vec::new()];
    for nth in 0..messages {
        let (mut more, mut theirs) = (Vec::new(), Vec::new());
        for (system, received) in all.iter().zip(&receivers) {
            let known = received.iter().max().map_or(0, |most| most + 1);
            for to in 0..=known {
                let kind = FIRST_KIND + nth;
                let at_start = (0..senders).map(|from| {
                    let mut system = system.clone();
                    system.first.push((from, to, kind));
                    system
                });
                let sent = (0..nth).map(|cause| {
                    let mut system = system.clone();
                    system.answers.push(((received[usize::from(cause)], FIRST_KIND + cause), vec![(to, kind)]));
                    system
                });
                let before = more.len();
                more.extend(at_start.chain(sent));
                theirs.resize(theirs.len() + more.len() - before, [&received[..], &[to]].concat());
            }
        }
        (all, receivers) = (more, theirs);
    }
    all
}

/// Kinds that are neither invocations nor returns.
const FIRST_KIND: u8 = 3;

/// Whether the scheduler reaches the same final states as EX.
fn misses_nothing(system: &System, name: Engine) -> bool {
    ends(&run(system, name, &collect())) == ends(&run(system, Engine::Exhaustive, &collect()))
}

/// The systems of the tests below are the smallest in which TransDPOR and IRed miss a final state. TransDPOR does not use
/// senders.
#[test]
fn smaller_systems_do_not_show_what_the_schedulers_miss() {
    for messages in 1..=4 {
        assert!(all_systems(messages, 1).iter().all(|system| misses_nothing(system, Engine::TransDpor)), "{messages}");
    }
    assert!(all_systems(5, 1).iter().any(|system| !misses_nothing(system, Engine::TransDpor)));
    for messages in 1..=3 {
        let small = all_systems(messages, 4);
        assert!(small.iter().all(|system| misses_nothing(system, Engine::IRed)), "{messages}");
    }
    assert!(all_systems(4, 5).iter().any(|system| !misses_nothing(system, Engine::IRed)));
}

/// The system in the documentation of TransDPOR: x goes to d, y to b, z to c; on y, b sends q to d; on z, c sends p to b.
#[test]
fn trans_dpor_misses_two_reversals_at_once() {
    let (x, y, z) = ((0, 3, 3), (1, 1, 3), (1, 2, 4));
    let answers = vec![((1, 3), vec![(3, 6)]), ((2, 4), vec![(1, 5)])];
    let system = System { actors: 4, first: vec![x, y, z], answers, ..System::default() };
    assert_eq!(seen(&system)[..4], [4, 4, 3, 4]);
}

/// The system in the documentation of IRed: n goes to b, m to a; on n, b sends x to c; on m, a sends w to b.
#[test]
fn ired_misses_orders_that_its_causal_chain_does_not_show() {
    let (n, m) = ((0, 1, 3), (2, 0, 4));
    let answers = vec![((0, 4), vec![(1, 5)]), ((1, 3), vec![(2, 5)])];
    let system = System { actors: 3, first: vec![n, m], answers, ..System::default() };
    assert_eq!(seen(&system)[..4], [2, 2, 2, 1]);
}

/// Two messages with different keys to one actor. LiViola assumes that messages with different keys do not interfere.
#[test]
fn liviola_relies_on_the_declared_keys() {
    let system = System { actors: 1, first: vec![(0, 0, 0), (0, 0, 3)], ..System::default() };
    assert_eq!(seen(&system), [2, 2, 2, 2, 1]);
}

#[derive(Clone)]
struct Plain;

impl Model for Plain {
    type State = u8;
    type Action = u8;

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, _: &u8, _: &mut Vec<u8>) {}

    fn next(&self, _: &u8, _: &u8) -> Option<u8> {
        None
    }
}

#[test]
fn schedulers_refuse_what_they_cannot_decide() {
    let engine = Engine::Exhaustive;
    let refused = explore(&Specification::new(Plain), engine, &Config::default(), &NoObserver).err();
    assert!(matches!(refused, Some(Unanswered::Refused(Refusal::Unsuitable { .. }))), "{refused:?}");
    let eventually = Property::eventually("done", |_: &System, _: &State| true);
    let system = System { properties: vec![eventually], ..clients() };
    let refused = explore(&spec(&system), engine, &Config::default(), &NoObserver).err();
    assert!(matches!(refused, Some(Unanswered::Refused(Refusal::Undecided { .. }))), "{refused:?}");
}
