//! Schedulers on actor systems: the receives and histories that they are given, and the effect of keys and exclusions.

use manyworlds_actor::{Actor, Address, Client, Context, Service, System};
use manyworlds_core::{Network, NoObserver, Pid, ScheduleStats};
use manyworlds_explore::{Config, Engine, Keys, Receives, TransitionSystem, explore};
use std::collections::BTreeMap;

/// The messages of a map that answers requests.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Put(usize, u8, u8),
    Get(usize, u8),
    Answer(usize, u8, u8),
    Ping,
}

struct Server;

impl Actor for Server {
    type State = BTreeMap<u8, u8>;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> BTreeMap<u8, u8> {
        BTreeMap::new()
    }

    fn message(&self, map: &mut BTreeMap<u8, u8>, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Put(number, key, value) => {
                map.insert(key, value);
                ctx.send(from, Message::Answer(number, key, value));
            }
            Message::Get(number, key) => {
                ctx.send(from, Message::Answer(number, key, map.get(&key).copied().unwrap_or(0)));
            }
            Message::Answer(..) | Message::Ping => {}
        }
    }
}

/// An operation on a key: `Some` writes.
type Operation = (u8, Option<u8>);

struct Map(Address<Message>);

impl Service for Map {
    type Operation = Operation;
    type Response = u8;
    type Message = Message;

    fn request(&self, number: usize, &(key, write): &Operation) -> Vec<(Address<Message>, Message)> {
        let message = match write {
            Some(value) => Message::Put(number, key, value),
            None => Message::Get(number, key),
        };
        vec![(self.0, message)]
    }

    fn response(&self, message: &Message) -> Option<(usize, u8)> {
        if let Message::Answer(number, _, value) = message { Some((*number, *value)) } else { None }
    }
}

/// An actor that pings the server.
struct Pinger(Address<Message>);

impl Actor for Pinger {
    type State = ();
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.0, Message::Ping);
    }

    fn message(&self, _: &mut (), _: Pid, _: &Message, _: &mut Context<'_>) {}
}

/// A server, and clients with one operation each.
fn store(operations: &[Operation], pings: usize) -> System {
    let mut system = System::new();
    let server = system.add("server", Server).address();
    for (n, &operation) in operations.iter().enumerate() {
        system.add(format!("client {n}"), Client::new(Map(server), [operation]));
    }
    (0..pings).for_each(|n| {
        system.add(format!("pinger {n}"), Pinger(server));
    });
    system
}

fn keyed(system: System) -> System {
    system.touches(|message: &Message| match message {
        Message::Put(_, key, _) | Message::Get(_, key) | Message::Answer(_, key, _) => Keys::only([key]),
        Message::Ping => Keys::Unknown,
    })
}

fn figures(system: &System, name: Engine) -> ScheduleStats {
    let report = explore(&system.worlds(), name, &Config::default(), &NoObserver);
    report.expect("nothing to refuse").stats.histories.expect("a scheduler has these figures")
}

#[test]
fn keys_that_do_not_meet_are_not_put_into_different_orders() {
    let same = keyed(store(&[(1, Some(5)), (1, None)], 0));
    let different = keyed(store(&[(1, Some(5)), (2, None)], 0));
    let count = |system: &System, name| figures(system, name).schedules;
    assert_eq!(count(&same, Engine::IRed), count(&same, Engine::LiViola), "one key");
    assert_eq!(count(&different, Engine::IRed), count(&same, Engine::IRed));
    assert_eq!(count(&different, Engine::LiViola), 1, "a key each");
    let unsaid = store(&[(1, Some(5)), (2, None)], 0);
    assert_eq!(count(&unsaid, Engine::LiViola), count(&unsaid, Engine::IRed), "no keys are declared");
    let panicking = unsaid.touches(|_: &Message| -> Keys { panic!("which key?") });
    assert_eq!(count(&panicking, Engine::LiViola), count(&panicking, Engine::IRed), "the key function panics");
}

#[test]
fn what_is_excluded_is_received_whenever_it_comes() {
    let system = keyed(store(&[(1, Some(5))], 2));
    let excluding = system.clone().excluded(|message: &Message| *message == Message::Ping);
    let other = system.clone().excluded(|_: &u64| true);
    let count = |system: &System, name| figures(system, name).schedules;
    assert_eq!(count(&excluding, Engine::LiViola), 1);
    assert_eq!(count(&other, Engine::LiViola), 6, "no message has that type");
    assert_eq!(count(&excluding, Engine::IRed), 6, "only LiViola uses exclusions");
}

/// A schedule records the invocations and the responses of clients. Starts come before everything else.
#[test]
fn histories_are_what_clients_record() {
    let system = store(&[(1, Some(5)), (1, None)], 0);
    let figures = figures(&system, Engine::Exhaustive);
    assert_eq!((figures.schedules, figures.complete, figures.incomplete), (6, 6, 0));
    // The read returns 0 or 5.
    assert_eq!((figures.unique, figures.non_linearizable), (2, None));
    let worlds = system.worlds();
    let (mut history, mut same) = (Vec::new(), Vec::new());
    let start = worlds.initial().swap_remove(0);
    worlds.recorded_at_start(&start, &mut history);
    worlds.recorded_at_start(&start, &mut same);
    assert_eq!(history.len(), 2);
    assert_eq!(history, same, "equal operations have equal labels");
    assert_ne!(history[0].label, history[1].label);
}

/// Two equal messages in flight are one lane; so are all messages to one actor under mbox.
#[test]
fn a_lane_holds_what_must_not_overtake() {
    let lanes = |network, pings| {
        let worlds = store(&[(1, None)], pings).network(network).worlds();
        let mut state = worlds.initial().swap_remove(0);
        if network == Network::Mbox {
            // All actors start, one after the other, the server last.
            for _ in 0..pings + 2 {
                let mut steps = Vec::new();
                worlds.actions(&state, &mut steps);
                state = worlds.next(&state, steps.last().expect("an actor can start")).expect("it can be done");
            }
        }
        let mut steps = Vec::new();
        worlds.actions(&state, &mut steps);
        let receives: Vec<_> = steps.iter().filter_map(|step| worlds.receive(&state, step)).collect();
        receives.iter().map(|receive| receive.waiting).collect::<Vec<_>>()
    };
    assert_eq!(lanes(Network::Asyn, 2), [1, 1, 1]);
    assert_eq!(lanes(Network::P2p, 1), [1, 1]);
    assert_eq!(lanes(Network::Mbox, 2), [3]);
}

/// A system has two of these actors. The first sends a request to itself and to the second one. Each replies to the first, but the second
/// one only after its timer expired. A reply is a message, or a note: the first one's operation returns, the second one invokes an
/// operation.
struct Sleeper {
    first: bool,
    notes: bool,
}

const REQUEST: bool = true;
const REPLY: bool = false;

impl Actor for Sleeper {
    /// Whether it is awake, and the senders of the replies that it received.
    type State = (bool, Vec<Pid>);
    type Message = bool;

    fn start(&self, ctx: &mut Context<'_>) -> (bool, Vec<Pid>) {
        if self.first {
            ctx.invoked("sleep?");
            ctx.send(Pid::root(0), REQUEST);
            ctx.send(Pid::root(1), REQUEST);
        } else {
            ctx.set_timer("wake up");
        }
        (self.first, Vec::new())
    }

    fn message(&self, (awake, replies): &mut (bool, Vec<Pid>), from: Pid, request: &bool, ctx: &mut Context<'_>) {
        match (*request, *awake) {
            (REPLY, _) => replies.push(from),
            (REQUEST, true) if !self.notes => ctx.send(Pid::root(0), REPLY),
            (REQUEST, true) if self.first => ctx.returned("no"),
            (REQUEST, true) => ctx.invoked("yes?"),
            (REQUEST, false) => {}
        }
    }

    fn timer(&self, (awake, _): &mut (bool, Vec<Pid>), _: &'static str, _: &mut Context<'_>) {
        *awake = true;
    }
}

/// Whether two steps depend on each other may depend on what their actor received before: DP must not consider only the last dependent
/// step.
#[test]
fn dpor_sees_both_orders_of_what_depends_on_each_other_only_after_something_else() {
    for notes in [false, true] {
        for network in Network::ALL {
            let mut system = System::new().network(network);
            for first in [true, false] {
                system.add(format!("sleeper {first}"), Sleeper { first, notes });
            }
            let seen = |name| {
                let config = Config { collect_final: true, ..Config::default() };
                let report = explore(&system.worlds(), name, &config, &NoObserver);
                let report = report.expect("nothing to refuse");
                assert_eq!(report.stopped, None);
                (report.final_states.len(), report.stats.histories.expect("a scheduler has these figures").unique)
            };
            let every = seen(Engine::Exhaustive);
            assert_eq!(seen(Engine::Dpor), every, "{network}, notes: {notes}");
            // Both orders, and the execution in which the second one does not reply.
            assert!(if notes { every.1 == 3 } else { every.0 == 3 }, "{network}, notes: {notes}: {every:?}");
        }
    }
}
