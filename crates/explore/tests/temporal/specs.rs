//! Small specifications against TLC. `tla` holds them in TLA+, and `verdicts.tsv` what TLC says of each specification formula and property (TLC2 built from
//! `tlaplus/tlaplus` at cc6b616cf, without the deadlock check): the verdict, and whether the counterexample ends or goes round. Here they are in Rust.

use manyworlds_core::Replayed;
use manyworlds_explore::Strength::{Strong, Weak};
use manyworlds_explore::{
    Config, Engine, Fair, Fairness, Model, NoObserver, Property, Specification, Strength, explore, narrate, replay,
};
use std::collections::BTreeSet;

/// The variables of a module, in the order of their declaration; functions take a place for each argument.
type State = [u8; 3];

/// An action: its name, its parameter, and the state it leads to.
type Action = (&'static str, u8, State);

type Covers = fn(&State, &Action) -> bool;

/// An assumption: its strength and its steps.
type Assumption = (Strength, Covers);

#[derive(Clone, Copy)]
enum Formula {
    Eventually(fn(&State) -> bool),
    AlwaysEventually(fn(&State) -> bool),
    LeadsTo(fn(&State) -> bool, fn(&State) -> bool),
}

/// A module of TLA+.
struct Module {
    name: &'static str,
    /// The initial states of a specification formula.
    initial: fn(&str) -> Vec<State>,
    next: fn(State, &mut Vec<Action>),
    specifications: &'static [(&'static str, &'static [Assumption])],
    properties: &'static [(&'static str, Formula)],
}

/// A specification formula of a module, with one property.
#[derive(Clone, Copy)]
struct Checked {
    module: &'static Module,
    specification: &'static str,
    assumptions: &'static [Assumption],
    property: (&'static str, Formula),
}

impl Model for Checked {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        (self.module.initial)(self.specification)
    }

    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        (self.module.next)(*state, out);
    }

    fn next(&self, _: &State, action: &Action) -> Option<State> {
        Some(action.2)
    }

    fn properties(&self) -> Vec<Property<Checked>> {
        let (name, formula) = self.property;
        vec![match formula {
            Formula::Eventually(holds) => Property::eventually(name, move |_, state| holds(state)),
            Formula::AlwaysEventually(holds) => Property::always_eventually(name, move |_, state| holds(state)),
            Formula::LeadsTo(when, then) => {
                Property::leads_to(name, move |_, state| when(state), move |_, state| then(state))
            }
        }]
    }
}

impl Fair for Checked {
    fn fairness(&self) -> Vec<Fairness<Checked>> {
        let fairness = |&(strength, covers): &Assumption| match strength {
            Weak => Fairness::weak("weak", move |_: &Checked, state, action| covers(state, action)),
            Strong => Fairness::strong("strong", move |_: &Checked, state, action| covers(state, action)),
        };
        self.assumptions.iter().map(fairness).collect()
    }
}

/// The state with another value in one place.
fn with(mut state: State, place: usize, value: u8) -> State {
    state[place] = value;
    state
}

use Formula::{AlwaysEventually, Eventually, LeadsTo};

static MODULES: &[Module] = &[
    Module {
        name: "Idle",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| {
            out.extend((s[0] == 0).then_some(("Up", 0, [1, 0, 0])));
            out.push(("Idle", 0, s));
        },
        specifications: &[("Unfair", &[]), ("WeakIdle", &[(Weak, |_, a| a.0 == "Idle")])],
        properties: &[
            ("Reaches", Eventually(|s| s[0] == 1)),
            ("Stays", AlwaysEventually(|s| s[0] == 1)),
            ("Leaves", AlwaysEventually(|s| s[0] == 0)),
        ],
    },
    Module {
        name: "Clock",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| out.push(("Tick", 0, with(s, 0, (s[0] + 1) % 5))),
        specifications: &[("Unfair", &[])],
        properties: &[
            ("Midnight", AlwaysEventually(|s| s[0] == 0)),
            ("Later", LeadsTo(|s| s[0] == 3, |s| s[0] == 1)),
            ("Never", Eventually(|s| s[0] == 5)),
        ],
    },
    Module {
        name: "Lamps",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| {
            out.push(("TurnA", 0, with(s, 0, 1 - s[0])));
            out.push(("TurnB", 0, with(s, 1, 1 - s[1])));
        },
        specifications: &[
            ("Unfair", &[]),
            ("WeakA", &[(Weak, |_, a| a.0 == "TurnA")]),
            ("WeakBoth", &[(Weak, |_, a| a.0 == "TurnA"), (Weak, |_, a| a.0 == "TurnB")]),
        ],
        properties: &[
            ("OnA", AlwaysEventually(|s| s[0] == 1)),
            ("OnBoth", AlwaysEventually(|s| s[0] == 1 && s[1] == 1)),
            ("ThenB", LeadsTo(|s| s[0] == 1, |s| s[1] == 1)),
        ],
    },
    Module {
        name: "Countdown",
        initial: |_| vec![[3, 0, 0]],
        next: |s, out| {
            out.extend((s[0] > 0).then(|| ("Down", 0, with(s, 0, s[0] - 1))));
            out.extend((s[0] == 1).then(|| ("Again", 0, with(s, 0, 2))));
        },
        specifications: &[
            ("Unfair", &[]),
            ("WeakDown", &[(Weak, |_, a| a.0 == "Down")]),
            ("StrongDown", &[(Strong, |s, a| s[0] == 1 && a.0 == "Down")]),
        ],
        properties: &[
            ("Ends", Eventually(|s| s[0] == 0)),
            ("Stays", AlwaysEventually(|s| s[0] == 0)),
            ("Busy", AlwaysEventually(|s| s[0] > 0)),
        ],
    },
    Module {
        name: "Spinlock",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| {
            for p in 0..2 {
                let step = |name, pc, lock| (name, p as u8, with(with(s, p, pc), 2, lock));
                out.extend((s[p] == 0).then(|| step("Want", 1, s[2])));
                out.extend((s[p] == 1 && s[2] == 0).then(|| step("Enter", 2, 1)));
                out.extend((s[p] == 2).then(|| step("Leave", 0, 0)));
            }
        },
        specifications: &[
            ("Unfair", &[]),
            ("WeakProcess", &[(Weak, |_, a| a.1 == 0), (Weak, |_, a| a.1 == 1)]),
            (
                "StrongEnter",
                &[(Weak, |_, a| a.1 == 0), (Weak, |_, a| a.1 == 1), (Strong, |_, a| a.0 == "Enter" && a.1 == 0)],
            ),
            ("StrongProcess", &[(Strong, |_, a| a.1 == 0), (Strong, |_, a| a.1 == 1)]),
        ],
        properties: &[
            ("Enters", LeadsTo(|s| s[0] == 1, |s| s[0] == 2)),
            ("Someone", AlwaysEventually(|s| s[2] == 1)),
            ("Free", AlwaysEventually(|s| s[2] == 0)),
        ],
    },
    Module {
        name: "Peterson",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| {
            for p in 0..2 {
                let (number, other) = (p as u8, 1 - p);
                let step = |name, pc, turn| (name, number, with(with(s, p, pc), 2, turn));
                match s[p] {
                    0 => out.push(step("Raise", 1, s[2])),
                    1 => out.push(step("Yield", 2, 1 - number)),
                    2 if s[other] == 0 || s[2] == number => out.push(step("Enter", 3, s[2])),
                    3 => out.push(step("Leave", 0, s[2])),
                    _ => {}
                }
            }
        },
        specifications: &[
            ("Unfair", &[]),
            ("WeakOne", &[(Weak, |_, a| a.1 == 0)]),
            ("WeakProcess", &[(Weak, |_, a| a.1 == 0), (Weak, |_, a| a.1 == 1)]),
        ],
        properties: &[("Enters", LeadsTo(|s| s[0] == 1, |s| s[0] == 3)), ("Always", AlwaysEventually(|s| s[0] == 3))],
    },
    Module {
        name: "Channel",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| match s {
            [0, 0, _] => out.push(("Send", 0, [1, 0, 0])),
            [1, got, _] => out.extend([("Lose", 0, [0, got, 0]), ("Receive", 0, [0, 1, 0])]),
            _ => {}
        },
        specifications: &[
            ("Unfair", &[]),
            ("Weak", &[(Weak, |_, a| a.0 == "Send"), (Weak, |_, a| a.0 == "Receive")]),
            ("Strong", &[(Weak, |_, a| a.0 == "Send"), (Strong, |_, a| a.0 == "Receive")]),
        ],
        properties: &[("Arrives", Eventually(|s| s[1] == 1)), ("SentArrives", LeadsTo(|s| s[0] == 1, |s| s[1] == 1))],
    },
    Module {
        name: "Buffer",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| {
            out.extend((s[0] < 2).then(|| ("Produce", 0, with(s, 0, s[0] + 1))));
            out.extend((s[0] > 0).then(|| ("Consume", 0, with(s, 0, s[0] - 1))));
            out.push(("Think", 0, with(s, 1, 1 - s[1])));
        },
        specifications: &[
            ("Unfair", &[]),
            ("WeakConsume", &[(Weak, |_, a| a.0 == "Consume")]),
            ("Both", &[(Weak, |_, a| a.0 == "Consume"), (Weak, |_, a| a.0 == "Produce")]),
            ("StrongConsume", &[(Strong, |s, a| s[0] == 2 && a.0 == "Consume")]),
        ],
        properties: &[
            ("FullShrinks", LeadsTo(|s| s[0] == 2, |s| s[0] < 2)),
            ("Grows", AlwaysEventually(|s| s[0] > 0)),
            ("Shrinks", AlwaysEventually(|s| s[0] < 2)),
        ],
    },
    Module {
        name: "Server",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| {
            match s {
                [0, ..] => out.push(("Ask", 0, with(s, 0, 1))),
                [1, 0, _] => out.extend([("Grant", 0, with(s, 0, 2)), ("Deny", 0, with(s, 0, 0))]),
                _ => {}
            }
            out.push(("Work", 0, with(s, 1, 1 - s[1])));
        },
        specifications: &[
            ("Unfair", &[]),
            ("WeakAnswer", &[(Weak, |_, a| a.0 == "Ask"), (Weak, |_, a| a.0 == "Grant" || a.0 == "Deny")]),
            ("StrongAnswer", &[(Weak, |_, a| a.0 == "Ask"), (Strong, |_, a| a.0 == "Grant" || a.0 == "Deny")]),
            ("StrongGrant", &[(Weak, |_, a| a.0 == "Ask"), (Strong, |_, a| a.0 == "Grant")]),
            ("WeakGrant", &[(Weak, |_, a| a.0 == "Ask"), (Weak, |_, a| a.0 == "Grant")]),
        ],
        properties: &[
            ("Answered", LeadsTo(|s| s[0] == 1, |s| s[0] != 1)),
            ("Granted", LeadsTo(|s| s[0] == 1, |s| s[0] == 2)),
            ("Happens", Eventually(|s| s[0] == 2)),
        ],
    },
    Module {
        name: "Ring",
        initial: |_| vec![[0, 0, 0]],
        next: |s, out| {
            out.push(("Pass", s[0], [(s[0] + 1) % 3, 0, 0]));
            out.push(("Work", s[0], with(s, 1, 1 - s[1])));
        },
        specifications: &[
            ("Unfair", &[]),
            (
                "WeakPass",
                &[
                    (Weak, |_, a| a.0 == "Pass" && a.1 == 0),
                    (Weak, |_, a| a.0 == "Pass" && a.1 == 1),
                    (Weak, |_, a| a.0 == "Pass" && a.1 == 2),
                ],
            ),
            ("WeakTwo", &[(Weak, |_, a| a.0 == "Pass" && a.1 == 0), (Weak, |_, a| a.0 == "Pass" && a.1 == 1)]),
            ("WeakNode", &[(Weak, |_, a| a.1 == 0), (Weak, |_, a| a.1 == 1), (Weak, |_, a| a.1 == 2)]),
            ("StrongPass", &[(Strong, |s, a| s[1] == 1 && a.0 == "Pass")]),
        ],
        properties: &[("Everywhere", AlwaysEventually(|s| s[0] == 2)), ("Home", LeadsTo(|s| s[0] == 1, |s| s[0] == 0))],
    },
    Module {
        name: "Forks",
        initial: |specification| vec![[0, 0, u8::from(specification != "Stuck")]],
        next: |s, out| {
            for p in 0..2 {
                let (mine, other) = (s[p], s[1 - p]);
                let step = |name, pc| (name, p as u8, with(s, p, pc));
                out.extend((mine == 0 && other != 2).then(|| step("Left", 1)));
                out.extend((mine == 1 && other == 0).then(|| step("Right", 2)));
                out.extend((mine == 2).then(|| step("Done", 0)));
                // The third place says whether a fork may be put down again.
                out.extend((mine == 1 && other == 1 && s[2] == 1).then(|| step("Back", 0)));
            }
        },
        specifications: &[
            ("Stuck", &[(Weak, |_, a| a.1 == 0), (Weak, |_, a| a.1 == 1)]),
            ("WeakBack", &[(Weak, |_, a| a.1 == 0), (Weak, |_, a| a.1 == 1)]),
            (
                "StrongRight",
                &[
                    (Weak, |_, a| a.1 == 0),
                    (Weak, |_, a| a.1 == 1),
                    (Strong, |_, a| a.0 == "Right" && a.1 == 0),
                    (Strong, |_, a| a.0 == "Right" && a.1 == 1),
                ],
            ),
        ],
        properties: &[
            ("Eats", AlwaysEventually(|s| s[0] == 2)),
            ("SomeoneEats", AlwaysEventually(|s| s[0] == 2 || s[1] == 2)),
            ("Puts", LeadsTo(|s| s[0] == 1, |s| s[0] != 1)),
        ],
    },
    Module {
        name: "Same",
        initial: |_| vec![[0, 0, 0], [3, 0, 0]],
        next: |s, out| {
            if s[0] < 2 {
                out.extend(["A", "B"].map(|name| (name, 0, with(s, 0, 1 - s[0]))));
            }
            out.extend((0..3).filter(|_| s[0] == 1).map(|x| ("C", 0, with(s, 0, x))));
            out.extend([0, 3].into_iter().filter(|_| s[0] == 3).map(|x| ("D", 0, with(s, 0, x))));
        },
        specifications: &[
            ("Unfair", &[]),
            ("BothWeak", &[(Weak, |_, a| a.0 == "A"), (Weak, |_, a| a.0 == "B")]),
            ("StrongC", &[(Strong, |_, a| a.0 == "C")]),
            ("StrongOut", &[(Strong, |_, a| a.0 == "C" && a.2[0] == 2)]),
        ],
        properties: &[
            ("Out", Eventually(|s| s[0] == 2)),
            ("Off", AlwaysEventually(|s| s[0] != 1)),
            ("Zero", LeadsTo(|s| s[0] == 3, |s| s[0] == 0)),
        ],
    },
];

/// What TLC says: module, specification formula, property, verdict, and how its counterexample goes on.
fn verdicts() -> impl Iterator<Item = [&'static str; 5]> {
    include_str!("tla/verdicts.tsv").lines().map(|line| {
        let mut fields = line.split('\t');
        [(); 5].map(|()| fields.next().unwrap_or(""))
    })
}

#[test]
fn small_specifications_have_the_verdicts_of_tlc() {
    let mut compared = BTreeSet::new();
    for [module, specification, property, verdict, end] in verdicts() {
        let module = MODULES.iter().find(|known| known.name == module).expect("it is in Rust, too");
        let known = module.specifications.iter().find(|known| known.0 == specification);
        let &(specification, assumptions) = known.expect("it is in Rust, too");
        let &property = module.properties.iter().find(|known| known.0 == property).expect("it is in Rust, too");
        let checked = Specification::new(Checked { module, specification, assumptions, property }).fair();
        for engine in [Engine::Bfs, Engine::Dfs] {
            let what = format!("{}, {specification}, {}", module.name, property.0);
            let report = explore(&checked, engine, &Config::default(), &NoObserver).expect("it is decided");
            assert_eq!(report.stopped, None, "{what}");
            assert_eq!(report.found.is_some(), verdict == "violated", "{what}");
            if let Some(found) = report.found {
                assert_eq!(found.path.loop_from.is_some(), end == "lasso", "{what}");
                let trace = narrate(&checked, &found.path, found.violation);
                assert_eq!(replay(&checked, &trace, |_, _| {}), Ok(Replayed::Reproduced), "{what}");
            }
        }
        compared.insert((module.name, specification, property.0));
    }
    let modules: usize = MODULES.iter().map(|module| module.specifications.len() * module.properties.len()).sum();
    assert_eq!(compared.len(), modules, "every property of every specification");
    assert_eq!((MODULES.len(), modules), (12, 109));
}
