//! Exact numbers of executions, per network: the examples of the Must paper and what tells the networks apart.

use super::{counts, ignore, row};
use manyworlds::monitor::Subscription;
use manyworlds::prelude::*;
use manyworlds::{Ending, Monitor};

/// Threads numbered from 0, as in the paper from 1.
fn threads(bodies: &[fn()]) -> Check<Program> {
    check(processes(bodies))
}

fn processes(bodies: &[fn()]) -> Program {
    let named = bodies.iter().enumerate();
    let empty = Program::empty().deadlock(Deadlock::Allow);
    named.fold(empty, |program, (n, body)| program.process(format!("T{n}"), *body))
}

fn to(n: u16, value: u32) {
    send(Pid::root(n), value);
}

fn take() -> u32 {
    recv()
}

fn take_only(wanted: u32) -> u32 {
    recv_where(move |value| *value == wanted)
}

/// The same number of complete executions under every network.
fn each(n: u64) -> [(u64, u64); 4] {
    [(n, 0); 4]
}

#[test]
fn example_2_3_two_senders_one_receive() {
    let checker = threads(&[|| to(2, 1), || to(2, 2), || ignore(take())]);
    assert_eq!(row(&checker), each(2));
}

#[test]
fn example_2_4_a_process_may_fail() {
    let checker = threads(&[
        || {
            let fails: bool = flip();
            if !fails {
                to(1, 1);
            }
        },
        || ignore(take()),
    ]);
    assert_eq!(row(&checker), [(1, 1); 4]);
}

#[test]
fn example_2_5_time_outs_without_messages() {
    for n in [1, 4, 16] {
        let bodies = vec![(|| ignore(recv_timeout::<u32>())) as fn(); n];
        assert_eq!(row(&threads(&bodies)), each(1));
    }
}

#[test]
fn example_2_6_versions_by_assumption_and_by_selection() {
    let assumed = threads(&[|| to(2, 1), || to(2, 2), || assume(take() == 2)]);
    assert_eq!(row(&assumed), [(1, 1); 4]);
    let selected = threads(&[|| to(2, 1), || to(2, 2), || ignore(take_only(2))]);
    assert_eq!(row(&selected), each(1));
}

#[test]
fn example_2_7_selective_receives() {
    let checker =
        threads(&[|| to(4, 0), || to(4, 1), || to(4, 2), || to(4, 3), || (0..4).for_each(|i| ignore(take_only(i)))]);
    assert_eq!(row(&checker), each(1));
}

#[test]
fn example_2_8_out_of_order() {
    let checker = threads(&[
        || {
            to(1, 1);
            to(1, 2);
        },
        || {
            take_only(2);
            take_only(1);
        },
    ]);
    assert_eq!(row(&checker), each(1));
}

#[test]
fn example_2_9_lazy_order() {
    let checker = threads(&[|| to(5, 0), || to(5, 1), || to(5, 2), || to(5, 3), || to(5, 4), || ignore(take())]);
    assert_eq!(row(&checker), each(5));
    let first_of_two = threads(&[
        || {
            to(1, 1);
            to(1, 2);
        },
        || ignore(take()),
    ]);
    assert_eq!(row(&first_of_two), [(2, 0), (1, 0), (1, 0), (1, 0)]);
}

#[test]
fn example_2_10_several_networks_in_one_execution() {
    // Two tails write to storage, the second after it took over; only mbox and cd keep their order.
    let tails = |network: Network| {
        check(
            Program::empty()
                .process("tail", move || {
                    on(network).send(Pid::root(2), 1u32);
                    send(Pid::root(1), 0u32);
                })
                .process("successor", move || {
                    take();
                    on(network).send(Pid::root(2), 2u32);
                })
                .process("storage", move || {
                    on(network).recv::<u32>();
                    on(network).recv::<u32>();
                }),
        )
    };
    let by_network = Network::ALL.map(|network| counts(&tails(network)));
    assert_eq!(by_network, [(2, 0), (2, 0), (1, 0), (1, 0)]);
}

/// Counts messages and objects to a `2` before a `1`.
#[derive(Default)]
struct Order(Vec<u32>);

impl Monitor for Order {
    fn subscriptions() -> Vec<Subscription<Order>> {
        vec![Subscription::to::<u32>()]
    }
}

impl Observe<u32> for Order {
    fn filter(seen: &Observed<'_, u32>) -> bool {
        seen.to == Pid::root(2)
    }

    fn notify(&mut self, seen: &Observed<'_, u32>) {
        self.0.push(*seen.message);
        assert_ne!(self.0, [2, 1], "the second before the first");
    }
}

#[test]
fn example_2_11_a_monitor_sees_both_orders() {
    let program = processes(&[|| to(2, 1), || to(2, 2), || ignore(take())]);
    let checker = check(program.monitor(Order::default));
    let (worlds, duplicates) = checker.worlds();
    let violating = worlds.iter().filter(|world| world.ending == Ending::Violating).count();
    assert_eq!((worlds.len(), violating, duplicates), (4, 2, 0));
}

#[test]
fn example_2_12_a_monitor_sees_causal_order() {
    let program = processes(&[
        || {
            to(2, 1);
            to(1, 1);
        },
        || {
            take();
            to(2, 2);
        },
        || ignore(take()),
    ]);
    let checker = check(program.monitor(Order::default));
    // Under p2p and asyn the receiver may see the second first; the monitor never does.
    assert_eq!(row(&checker), [(2, 0), (2, 0), (1, 0), (1, 0)]);
}

#[test]
fn example_3_1_causal_delivery() {
    let checker = threads(&[
        || {
            to(2, 1);
            to(1, 0);
        },
        || {
            take();
            to(2, 2);
        },
        || {
            take();
            take();
        },
    ]);
    assert_eq!(row(&checker), [(2, 0), (2, 0), (1, 0), (1, 0)]);
}

#[test]
fn examples_4_1_and_4_2_under_every_policy() {
    let checker = threads(&[|| ignore(take()), || to(0, 1), || to(0, 2)]);
    for policy in super::POLICIES {
        assert_eq!(row(&checker.clone().policy(policy)), each(2));
    }
}

#[test]
fn example_4_3_the_revisit_condition() {
    let checker = threads(&[
        || {
            to(0, 0);
            take();
        },
        || to(3, 1),
        || to(3, 2),
        || ignore(take()),
        || to(0, 42),
    ]);
    for policy in super::POLICIES {
        assert_eq!(row(&checker.clone().policy(policy)), each(4));
    }
}

/// Two receivers, each of which takes a message of either sender; `second` sends to the later receiver first. Of the four combinations, the
/// one in which both see the message that was sent last is a cycle: no mailbox can do it.
fn crossed(second: fn()) -> Check<Program> {
    let two: fn() = || {
        take();
        take();
    };
    let first: fn() = || {
        to(2, 1);
        to(3, 1);
    };
    threads(&[first, second, two, two])
}

#[test]
fn mailboxes_agree_on_one_order() {
    let plain = crossed(|| {
        to(3, 2);
        to(2, 2);
    });
    let by_a_child = crossed(|| {
        to(3, 2);
        spawn(|| to(2, 2));
    });
    let after_a_child = crossed(|| {
        spawn(|| to(3, 2)).join();
        to(2, 2);
    });
    let by_a_grandchild = crossed(|| {
        spawn(|| {
            to(3, 2);
            spawn(|| spawn(|| ()).join()).join();
        })
        .join();
        spawn(|| ignore(spawn(|| to(2, 2)).pid().to_string()));
    });
    for checker in [plain, by_a_child, after_a_child, by_a_grandchild] {
        for policy in super::POLICIES {
            assert_eq!(row(&checker.clone().policy(policy)), [(4, 0), (4, 0), (4, 0), (3, 0)], "{policy:?}");
        }
    }
}

#[test]
fn unmatched_types_and_networks_stay_unread() {
    let checker = threads(&[
        || {
            send(Pid::root(1), 1u64);
            on(Network::Mbox).send(Pid::root(1), 2u32);
            to(1, 3);
        },
        || assert_ne!(take(), 1),
    ]);
    assert_eq!(row(&checker), [(1, 0), (1, 0), (1, 0), (1, 0)]);
}

#[test]
fn joins_wait_and_see() {
    let checker = check(|| {
        let racers: Vec<_> = (0..3u32).map(|i| spawn(move || i + u32::from(flip()))).collect();
        let sum: u32 = racers.into_iter().map(JoinHandle::join).sum();
        assert!((3..=6).contains(&sum));
    });
    assert_eq!(row(&checker), each(8));
}
