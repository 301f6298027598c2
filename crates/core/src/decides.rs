//! The table of questions that each engine decides. The facade refuses questions by it, `--decidable` leaves questions out by it, and `help engines`,
//! the README and the book show it.

use crate::Engine;
use std::fmt;

/// When a property of states must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// In every reachable state.
    Always,
    /// In no reachable state.
    Never,
    /// In some reachable state: guards against models that satisfy the other properties vacuously.
    Sometimes,
    /// Somewhere on every maximal path: a path that ends, or repeats a cycle for ever, without it is a counterexample.
    Eventually,
    /// Again and again on every maximal path, and at its end if it has one.
    AlwaysEventually,
    /// After every state of a path in which a condition holds, or in that state, if the path is maximal.
    LeadsTo,
    /// In every terminal state: one without enabled actions.
    AtRest,
}

impl Kind {
    /// Whether it is about maximal paths and not about single states.
    pub fn is_temporal(self) -> bool {
        matches!(self, Kind::Eventually | Kind::AlwaysEventually | Kind::LeadsTo)
    }
}

/// The kinds of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubjectKind {
    /// Processes of blocking Rust code.
    Program,
    /// Actors with message handlers.
    Actors,
    /// Initial states and actions.
    Specification,
}

impl SubjectKind {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            SubjectKind::Program => "program",
            SubjectKind::Actors => "actors",
            SubjectKind::Specification => "specification",
        }
    }
}

/// A question about a subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Nothing panics; of programs also: no monitor fails, no process waits for ever.
    Failure,
    /// Recorded operations are linearizable.
    Linearizable,
    /// A property of states. One that is `stable` stays violated on every path once it is violated.
    States {
        /// When it must hold.
        kind: Kind,
        /// Once violated it stays violated on every path.
        stable: bool,
    },
}

/// The features of a run that determine which questions an engine decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The subject.
    pub subject: SubjectKind,
    /// Whether persistent sets are used.
    pub reduced: bool,
    /// Whether symmetry is used.
    pub symmetric: bool,
    /// Whether some fairness is assumed.
    pub fair: bool,
    /// Whether some fault may happen.
    pub faults: bool,
    /// Whether channels have networks of their own.
    pub mixed_channels: bool,
    /// Whether the network is mbox.
    pub mbox: bool,
    /// Whether actors can be created.
    pub creates: bool,
    /// Whether messages to actors that have halted are failures.
    pub forbids_halted: bool,
    /// Whether there are monitors.
    pub monitored: bool,
}

impl Setup {
    /// A run of this subject without reductions, fairness or faults.
    pub fn plain(subject: SubjectKind) -> Setup {
        let off = false;
        Setup {
            subject,
            reduced: off,
            symmetric: off,
            fair: off,
            faults: off,
            mixed_channels: off,
            mbox: off,
            creates: off,
            forbids_halted: off,
            monitored: off,
        }
    }
}

/// Why an engine does not decide a question, and the alternative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undecided {
    /// Why.
    pub why: &'static str,
    /// The alternative.
    pub instead: &'static str,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.why, self.instead)
    }
}

fn undecided(why: &'static str, instead: &'static str) -> Result<(), Undecided> {
    Err(Undecided { why, instead })
}

/// Whether an engine runs subjects of a kind.
pub fn runs(engine: Engine, subject: SubjectKind) -> Result<(), Undecided> {
    use SubjectKind::{Actors, Program, Specification};
    match (engine, subject) {
        (Engine::Auto, _) | (Engine::Must, Program | Actors) | (Engine::Brute, Program) => Ok(()),
        (Engine::Bfs | Engine::Dfs | Engine::Random, Actors | Specification) => Ok(()),
        (engine, Actors) if engine.is_scheduler() => Ok(()),
        (Engine::Must, Specification) => {
            undecided("it follows messages, and a specification has none", "use bfs, dfs or random")
        }
        (Engine::Brute, Actors) => undecided("it runs programs only", "use must, bfs, dfs, random or a scheduler"),
        (Engine::Brute, Specification) => undecided("it runs programs only", "use bfs, dfs or random"),
        (Engine::Bfs | Engine::Dfs | Engine::Random, Program) => {
            undecided("it visits global states, and the stack of running code cannot be stored", "use must or brute")
        }
        (_, Program) => undecided("it orders the receives of actors, and a program has none", "use must or brute"),
        (_, _) => undecided("it orders the receives of actors, and a specification has none", "use bfs, dfs or random"),
    }
}

/// Whether an engine can answer a question.
pub fn decides(engine: Engine, question: Question, setup: &Setup) -> Result<(), Undecided> {
    runs(engine, setup.subject)?;
    match engine {
        Engine::Must if setup.subject == SubjectKind::Actors => must_on_actors(question, setup),
        Engine::Bfs | Engine::Dfs => on_states(question, setup),
        Engine::Random => match question {
            Question::States { kind, .. } if kind.is_temporal() => {
                undecided("a random walk ends somewhere, and says nothing about paths that never end", "use bfs or dfs")
            }
            _ => Ok(()),
        },
        engine if engine.is_scheduler() => match question {
            Question::States { kind, .. } if kind.is_temporal() => {
                undecided("a schedule that never ends is cut off", "use bfs or dfs")
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn must_on_actors(question: Question, setup: &Setup) -> Result<(), Undecided> {
    if setup.faults {
        return undecided("it does not inject faults", "use bfs or dfs, or set all fault budgets to 0");
    }
    if setup.mixed_channels {
        return undecided(
            "its receives take messages of one network",
            "use bfs or dfs for channels with networks of their own",
        );
    }
    if setup.creates {
        return undecided(
            "it follows actors that exist from the start",
            "use bfs or dfs for systems that create actors",
        );
    }
    if setup.forbids_halted {
        return undecided(
            "it does not observe whether a message is sent before or after its receiver halts",
            "use bfs or dfs, or let such messages vanish",
        );
    }
    if setup.monitored {
        return undecided("it does not order the steps that a monitor observes", "use bfs or dfs");
    }
    match question {
        Question::Linearizable if setup.mbox => {
            undecided("under mbox arrivals order operations in ways that it does not observe", "use bfs or dfs")
        }
        Question::States { kind: Kind::Always | Kind::Never, stable: true } => Ok(()),
        Question::States { kind: Kind::AtRest, .. } | Question::Failure | Question::Linearizable => Ok(()),
        Question::States { .. } => undecided(
            "it visits executions, not global states",
            "use bfs or dfs, or state the property as `at_rest`, as `always_stable` or as an assertion in a handler",
        ),
    }
}

fn on_states(question: Question, setup: &Setup) -> Result<(), Undecided> {
    if setup.symmetric && setup.creates {
        return undecided("the ids of created actors are not renamed", "check without symmetry reduction");
    }
    if setup.symmetric && setup.monitored {
        return undecided("the states of monitors are not renamed", "check without symmetry reduction");
    }
    let temporal = matches!(question, Question::States { kind, .. } if kind.is_temporal());
    if setup.symmetric && setup.fair && temporal {
        return undecided(
            "renaming processes along a path changes which of them are treated fairly",
            "check without symmetry reduction",
        );
    }
    if !setup.reduced {
        return Ok(());
    }
    match question {
        Question::Failure | Question::States { kind: Kind::AtRest, .. } => Ok(()),
        Question::States { kind: Kind::Always | Kind::Never, stable: true } => Ok(()),
        Question::States { kind: Kind::Always | Kind::Never, .. } => undecided(
            "persistent sets do not visit every state",
            "check without reduction, or declare the property stable if it stays violated once it is violated",
        ),
        Question::States { kind: Kind::Sometimes, .. } => {
            undecided("persistent sets do not visit every state", "check without reduction")
        }
        Question::States { kind: Kind::Eventually | Kind::AlwaysEventually | Kind::LeadsTo, .. } => {
            undecided("persistent sets do not keep every path", "check without reduction")
        }
        Question::Linearizable => undecided(
            "persistent sets do not keep the order between steps of different actors",
            "check without reduction, or use must",
        ),
    }
}

/// Whether a run of the engine that is not stopped answers the question, or only finds violations.
pub fn verifies(engine: Engine, question: Question) -> bool {
    use Engine::*;
    match engine {
        Auto | Must | Brute | Bfs | Dfs | Exhaustive => true,
        // A state in the middle of a schedule may occur in none of the explored schedules.
        Dpor => !matches!(question, Question::States { kind: Kind::Always | Kind::Never | Kind::Sometimes, .. }),
        _ => false,
    }
}

/// The columns of [`table`] after the engine and its subjects.
pub const COLUMNS: [&str; 6] = [
    "assertions",
    "`at_rest`",
    "stable invariants",
    "`always`, `never`, `sometimes`",
    "temporal properties",
    "linearizability",
];

/// One row for each engine: its name, the kinds of subjects that it runs, and for each of [`COLUMNS`] the answer for plain setups.
pub fn table() -> Vec<(Engine, Vec<SubjectKind>, [&'static str; 6])> {
    let states = |kind, stable| Question::States { kind, stable };
    let questions = [
        Question::Failure,
        states(Kind::AtRest, false),
        states(Kind::Always, true),
        states(Kind::Always, false),
        states(Kind::Eventually, false),
        Question::Linearizable,
    ];
    let kinds = [SubjectKind::Program, SubjectKind::Actors, SubjectKind::Specification];
    let engines = Engine::ALL.into_iter().filter(|&engine| engine != Engine::Auto);
    let row = |engine: Engine| {
        let subjects: Vec<SubjectKind> = kinds.into_iter().filter(|&kind| runs(engine, kind).is_ok()).collect();
        let answer = |question: Question| {
            let applies = |subject: &&SubjectKind| is_meaningful(question, **subject);
            let decided = |subject: &SubjectKind| decides(engine, question, &Setup::plain(*subject)).is_ok();
            let mut applicable = subjects.iter().filter(applies).peekable();
            match (applicable.peek().is_some(), applicable.all(decided), verifies(engine, question)) {
                (false, ..) => "–",
                (_, false, _) => "no",
                (_, true, true) => "yes",
                (_, true, false) => "violations only",
            }
        };
        (engine, subjects.clone(), questions.map(answer))
    };
    engines.map(row).collect()
}

/// Whether a question can be put to a subject at all.
fn is_meaningful(question: Question, subject: SubjectKind) -> bool {
    match question {
        Question::Failure => true,
        Question::Linearizable => subject != SubjectKind::Specification,
        Question::States { .. } => subject != SubjectKind::Program,
    }
}

/// [`table`] as Markdown, for the README and the book.
pub fn markdown() -> String {
    let header =
        format!("| `--engine` | subjects | {} |\n|---|---|{}\n", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    let rows = table().into_iter().map(|(engine, subjects, answers)| {
        let subjects: Vec<&str> = subjects.into_iter().map(plural).collect();
        format!("| `{engine}` | {} | {} |\n", subjects.join(", "), answers.join(" | "))
    });
    header + &rows.collect::<String>()
}

fn plural(subject: SubjectKind) -> &'static str {
    match subject {
        SubjectKind::Program => "programs",
        SubjectKind::Actors => "actors",
        SubjectKind::Specification => "specifications",
    }
}

/// [`table`] as aligned text, for `help engines`.
pub fn text() -> String {
    let columns = COLUMNS.map(|column| column.replace('`', ""));
    let mut lines =
        vec![["engine".to_string(), "subjects".to_string()].into_iter().chain(columns).collect::<Vec<String>>()];
    for (engine, subjects, answers) in table() {
        let subjects: Vec<&str> = subjects.into_iter().map(plural).collect();
        lines.push([engine.to_string(), subjects.join(", ")].into_iter().chain(answers.map(str::to_string)).collect());
    }
    let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let pad = |(cell, width): (&String, &usize)| format!("{cell:width$}");
    let rows = lines
        .iter()
        .map(|line| line.iter().zip(&widths).map(pad).collect::<Vec<_>>().join("  ").trim_end().to_string());
    rows.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_about_actors_is_decided_by_some_engine_that_verifies() {
        let setup = Setup { faults: true, fair: true, mixed_channels: true, ..Setup::plain(SubjectKind::Actors) };
        let temporal = [Kind::Eventually, Kind::AlwaysEventually, Kind::LeadsTo];
        for kind in [Kind::Always, Kind::Never, Kind::Sometimes, Kind::AtRest].into_iter().chain(temporal) {
            assert_eq!(decides(Engine::Bfs, Question::States { kind, stable: false }, &setup), Ok(()));
        }
        assert_eq!(decides(Engine::Bfs, Question::Linearizable, &setup), Ok(()));
    }

    #[test]
    fn what_actors_and_monitors_can_do_is_refused_where_an_engine_cannot_follow_it() {
        let plain = Setup::plain(SubjectKind::Actors);
        let abilities = [
            Setup { creates: true, ..plain },
            Setup { forbids_halted: true, ..plain },
            Setup { monitored: true, ..plain },
        ];
        for setup in abilities {
            assert!(decides(Engine::Must, Question::Failure, &setup).is_err());
            for engine in Engine::ALL.into_iter().filter(|&engine| engine != Engine::Must && engine != Engine::Brute) {
                assert_eq!(decides(engine, Question::Failure, &setup), Ok(()), "{engine}");
            }
            let refused = decides(Engine::Bfs, Question::Failure, &Setup { symmetric: true, ..setup }).is_err();
            assert_eq!(refused, setup.creates || setup.monitored);
        }
    }

    #[test]
    fn temporal_properties_are_decided_alike_by_every_engine_in_every_setup() {
        let on_off = [false, true];
        for engine in Engine::ALL {
            for (reduced, symmetric, fair) in on_off.into_iter().flat_map(|reduced| {
                on_off.into_iter().flat_map(move |symmetric| on_off.map(|fair| (reduced, symmetric, fair)))
            }) {
                let setup = Setup { reduced, symmetric, fair, ..Setup::plain(SubjectKind::Actors) };
                let decided = |kind| decides(engine, Question::States { kind, stable: false }, &setup);
                assert_eq!(decided(Kind::AlwaysEventually), decided(Kind::Eventually));
                assert_eq!(decided(Kind::LeadsTo), decided(Kind::Eventually));
                let is_decided =
                    matches!(engine, Engine::Auto) || engine.keeps_states() && !reduced && !(symmetric && fair);
                assert_eq!(decided(Kind::LeadsTo).is_ok(), is_decided, "{engine} {setup:?}");
            }
        }
    }

    #[test]
    fn the_table_has_a_row_for_each_engine_and_no_row_without_subjects() {
        let rows = table();
        assert_eq!(rows.len(), Engine::ALL.len() - 1);
        assert!(rows.iter().all(|(_, subjects, _)| !subjects.is_empty()));
        let answers = |engine| rows.iter().find(|row| row.0 == engine).expect("each has a row").2;
        assert_eq!(answers(Engine::Bfs), ["yes"; 6]);
        assert_eq!(answers(Engine::Must), ["yes", "yes", "yes", "no", "no", "yes"]);
        assert_eq!(answers(Engine::Random)[4], "no");
        assert_eq!(answers(Engine::Dpor), ["yes", "yes", "violations only", "violations only", "no", "yes"]);
        assert_eq!(answers(Engine::LiViola)[0], "violations only");
    }
}
