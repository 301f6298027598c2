//! How time is taken: the CPU time of the whole process, the sides in turn, the best of several turns.

use manyworlds::{Network, Stats};
use rustix::time::{ClockId, clock_gettime};

/// A turn repeats a run until it has used this much CPU time: a short run alone would mostly show how cold the caches are.
const TURN_SECONDS: f64 = 0.05;

/// How often each side has its turn.
#[derive(Clone, Copy)]
pub struct Effort {
    /// At most so many turns.
    pub turns: usize,
    /// No further turn once a side has used so many CPU seconds.
    pub seconds: f64,
    /// Sides that need very long get no turn at all.
    pub skip_slow: bool,
}

/// What one run of a side says.
#[derive(Clone, Copy)]
pub struct Answer {
    /// Complete executions.
    pub executions: u64,
    /// Blocked and erroneous executions. None of the programs has any.
    pub others: u64,
    /// What else Manyworlds says.
    pub stats: Option<Stats>,
}

/// Who is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// This repository.
    Manyworlds,
    /// The crate `must-mc`.
    MustMc,
    /// The crate `traceforge`.
    TraceForge,
}

impl Who {
    /// As shown in the table.
    pub fn name(self) -> &'static str {
        match self {
            Who::Manyworlds => "Manyworlds",
            Who::MustMc => "must-mc",
            Who::TraceForge => "TraceForge",
        }
    }
}

/// One program written against one API, under one network.
pub struct Side {
    /// Whose API.
    pub who: Who,
    /// How messages travel.
    pub network: Network,
    /// It takes so long that a quick run does without it.
    pub slow: bool,
    run: Box<dyn Fn() -> Answer>,
}

impl Side {
    /// A side that runs like this.
    pub fn new(who: Who, network: Network, run: impl Fn() -> Answer + 'static) -> Side {
        Side { who, network, slow: false, run: Box::new(run) }
    }
}

/// A program and everyone who runs it.
pub struct Program {
    /// With its parameters.
    pub name: String,
    /// How many executions there are. Everyone must find so many.
    pub executions: u64,
    /// In the order in which they take turns.
    pub sides: Vec<Side>,
}

/// What was measured of one side.
pub struct Figure {
    /// Whose it is.
    pub who: Who,
    /// How messages travelled.
    pub network: Network,
    /// What the side said.
    pub answer: Answer,
    /// CPU seconds of the best run.
    pub seconds: f64,
}

/// All figures of one program.
pub struct Measured {
    /// With its parameters.
    pub program: String,
    /// In the order of the sides.
    pub figures: Vec<Figure>,
}

impl Measured {
    /// The figure of this side, unless it was skipped.
    pub fn figure(&self, who: Who, network: Network) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.who == who && figure.network == network)
    }

    /// How many times longer `slower` takes than `faster`, if both were measured.
    pub fn ratio(&self, slower: (Who, Network), faster: (Who, Network)) -> Option<f64> {
        Some(self.figure(slower.0, slower.1)?.seconds / self.figure(faster.0, faster.1)?.seconds)
    }
}

/// Measures everyone on this program. Turns alternate between the sides, so that a disturbance hits all alike.
pub fn measure(program: &Program, effort: Effort) -> Measured {
    let sides = program.sides.iter().filter(|side| !(effort.skip_slow && side.slow));
    let mut standings: Vec<Standing> = sides.map(|side| Standing { side, used: 0.0, best: None }).collect();
    for _ in 0..effort.turns {
        for standing in standings.iter_mut().filter(|standing| standing.used < effort.seconds) {
            standing.take_turn(program);
        }
    }
    let figures = standings.into_iter().filter_map(|standing| standing.best).collect();
    Measured { program: program.name.clone(), figures }
}

/// A side between its turns.
struct Standing<'a> {
    side: &'a Side,
    /// CPU seconds used so far.
    used: f64,
    best: Option<Figure>,
}

impl Standing<'_> {
    fn take_turn(&mut self, program: &Program) {
        let start = cpu_seconds();
        let figure = best_run(program, self.side);
        self.used += cpu_seconds() - start;
        if self.best.as_ref().is_none_or(|best| figure.seconds < best.seconds) {
            self.best = Some(figure);
        }
    }
}

/// The best run of one turn.
fn best_run(program: &Program, side: &Side) -> Figure {
    let Side { who, network, .. } = *side;
    let start = cpu_seconds();
    let mut seconds = f64::INFINITY;
    loop {
        let before = cpu_seconds();
        let answer = (side.run)();
        let after = cpu_seconds();
        seconds = seconds.min(after - before);
        assert_eq!(
            answer.executions,
            program.executions,
            "executions of {} by {} under {network}",
            program.name,
            who.name()
        );
        if after - start >= TURN_SECONDS {
            return Figure { who, network, answer, seconds };
        }
    }
}

/// CPU time used by all threads of this process so far.
pub fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// How many processes of the whole machine wanted to run during the last minute, where the system says so.
pub fn load_average() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next().map(str::to_string)
}
