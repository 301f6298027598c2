//! The rows of a chart: the figure of each step, its columns and its labels.

use crate::order::{Item, arrange};
use crate::place;
use crate::style::{Glyphs, Style};
use crate::text::clean;
use crate::words::{event, name, sentence, waits};
use manyworlds_core::{ProcessStatus, StepKind, Trace, TraceMessage, TraceStep};

/// The columns and rows of a chart, without their layout.
pub struct Contents {
    /// The processes that take steps, from left to right.
    pub columns: Vec<Column>,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
}

/// The column of a process.
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its id as it appears in messages; `None` if no message contains it.
    pub pid: Option<String>,
    /// The row in which the process is spawned; `None` if it exists from the start.
    pub spawned: Option<usize>,
    /// The last row with a step of the process or its join, if the process has ended.
    pub ended: Option<usize>,
}

/// A row of a chart.
pub struct Row {
    /// The figure that is drawn.
    pub figure: Figure,
    /// The label in the chart.
    pub label: String,
    /// A complete sentence, for the text beside the chart.
    pub sentence: String,
    /// The source location.
    pub place: String,
    /// Whether the row is a failure, or a process that waits forever.
    pub bad: bool,
}

/// The figure of a row. Numbers are indices of columns.
pub enum Figure {
    /// An arrow from one process to another.
    Arrow {
        /// Where it starts.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The character of its shaft.
        shaft: &'static str,
        /// Its head, to the right and to the left.
        heads: [&'static str; 2],
    },
    /// A mark on one process.
    Mark {
        /// The process.
        at: usize,
        /// Its character.
        glyph: &'static str,
    },
}

/// The columns and rows of the chart of a trace.
pub fn contents(trace: &Trace, style: &Style) -> Contents {
    let columns = visible(trace);
    let items = arrange(trace);
    let references = references(trace, &items);
    let builder = RowBuilder { trace, style, glyphs: style.glyphs(), columns: &columns, references: &references };
    let mut rows: Vec<Row> = Vec::with_capacity(items.len());
    let mut spawned = vec![None; trace.processes.len()];
    let mut last = vec![None; trace.processes.len()];
    for item in items {
        let Some(row) = builder.row(item) else { continue };
        let at = rows.len();
        for step in steps(trace, item) {
            last[step.process] = Some(at);
            match step.kind {
                StepKind::Spawn { child: Some(child) } => spawned[child] = Some(at),
                StepKind::Join { child: Some(child) } => last[child] = Some(at),
                _ => {}
            }
        }
        rows.push(row);
    }
    let column = |(process, _): (usize, &usize)| Column {
        name: name(trace, process, style),
        pid: mentioned(trace, process),
        spawned: spawned[process],
        ended: last[process].filter(|_| trace.processes[process].status == ProcessStatus::Ended),
    };
    let shown = columns.iter().enumerate().filter_map(|(process, column)| Some((process, column.as_ref()?)));
    Contents { columns: shown.map(column).collect(), rows }
}

/// The column of each process that takes a step. Other processes have no column, which would only make the chart wider.
fn visible(trace: &Trace) -> Vec<Option<usize>> {
    let mut columns = vec![None; trace.processes.len()];
    for step in trace.steps.iter().filter(|step| !idle(trace, step)) {
        columns[step.process] = Some(0);
    }
    for (at, column) in columns.iter_mut().flatten().enumerate() {
        *column = at;
    }
    columns
}

/// Whether the step is a start that has no row. With several processes, starts are not shown.
fn idle(trace: &Trace, step: &TraceStep) -> bool {
    step.kind == StepKind::Start && trace.processes.len() > 1
}

/// A number for each message that arrives in another row than the one in which it is sent.
fn references(trace: &Trace, items: &[Item]) -> Vec<Option<usize>> {
    let mut references = vec![None; trace.steps.len()];
    let late = |item: &Item| match *item {
        Item::Step(i) if trace.steps[i].kind.arrives() => trace.steps[i].kind.send(),
        _ => None,
    };
    for send in items.iter().filter_map(late) {
        references[send] = Some(0);
    }
    let firsts = items.iter().map(|item| match *item {
        Item::Step(i) => i,
        Item::Delivery { send, .. } => send,
    });
    for (number, send) in firsts.filter(|&i| references[i].is_some()).collect::<Vec<_>>().into_iter().enumerate() {
        references[send] = Some(number + 1);
    }
    references
}

fn steps(trace: &Trace, item: Item) -> impl Iterator<Item = &TraceStep> {
    let (first, second) = match item {
        Item::Delivery { send, recv } => (send, Some(recv)),
        Item::Step(i) => (i, None),
    };
    std::iter::once(first).chain(second).map(|i| &trace.steps[i])
}

/// The id of a process in its `Debug` form, if it differs from the name and some sent message contains it.
fn mentioned(trace: &Trace, process: usize) -> Option<String> {
    let pid = &trace.processes[process].pid;
    let shown = format!("p{pid}");
    let mentions = |message: &TraceMessage| {
        let routed = matches!(message, TraceMessage::Observed { from, to, .. } if from == pid || to == pid);
        routed || message.value().is_some_and(|value| value.any_atom(&mut |atom| atom == shown))
    };
    let sent = trace.steps.iter().filter(|step| step.kind.is_send()).filter_map(|step| trace.message(step));
    (sent.into_iter().any(mentions) && trace.processes[process].name != shown).then_some(shown)
}

/// Builds the rows of a chart.
struct RowBuilder<'t> {
    trace: &'t Trace,
    style: &'t Style,
    glyphs: &'static Glyphs,
    columns: &'t [Option<usize>],
    references: &'t [Option<usize>],
}

impl RowBuilder<'_> {
    /// The row of an item; `None` if the item has no row.
    fn row(&self, item: Item) -> Option<Row> {
        let (send, recv) = match item {
            Item::Delivery { send, recv } => (send, recv),
            Item::Step(i) => return self.step(i),
        };
        let [from, to] = [&self.trace.steps[send], &self.trace.steps[recv]];
        let mut row = self.message(send, to.process, self.glyphs.line, self.glyphs.arrives);
        row.place = place::both(from.at.as_ref(), to.at.as_ref(), self.style);
        Some(row)
    }

    fn step(&self, i: usize) -> Option<Row> {
        let step = &self.trace.steps[i];
        let g = self.glyphs;
        let shown = |process: usize| self.columns[process].is_some();
        let mut row = match step.kind {
            StepKind::Send { to: Some(to), .. } if shown(to) => self.message(i, to, g.line, g.leaves),
            StepKind::Start if idle(self.trace, step) => return None,
            StepKind::Receive(_) | StepKind::Duplicate(_) if step.kind.send().is_some() => {
                self.message(step.kind.send()?, step.process, g.dashes, g.arrives)
            }
            StepKind::Spawn { child: Some(child) } if shown(child) => self.arrow(step, step.process, child, "spawn"),
            StepKind::Join { child: Some(child) } if shown(child) => self.arrow(step, child, step.process, "join"),
            StepKind::Lose { lost: false, .. } => return None,
            StepKind::Lose { to: Some(to), .. } if shown(to) && self.columns[to] != self.columns[step.process] => {
                self.loss(step, to)
            }
            StepKind::Lose { .. } | StepKind::Drop(_) | StepKind::Crash => self.mark(step, g.lost),
            StepKind::Choose { .. } => self.mark(step, g.choice),
            StepKind::Timeout | StepKind::Timer(_) => self.mark(step, g.timeout),
            StepKind::Fail(_) | StepKind::Wait(_) => self.bad(step),
            _ => self.mark(step, g.point),
        };
        row.place = place::short(step.at.as_ref());
        Some(row)
    }

    /// A message that is sent to `to`, or received there.
    fn message(&self, send: usize, to: usize, shaft: &'static str, heads: [&'static str; 2]) -> Row {
        let step = &self.trace.steps[send];
        let text = self.text(step).unwrap_or_default();
        let number = self.references[send].map_or_else(String::new, |n| format!("({n}) "));
        let [sender, receiver] = [step.process, to].map(|process| name(self.trace, process, self.style));
        let sentence = format!("{sender} {} {receiver}: {number}{text}", self.glyphs.arrow);
        let [from, to] = [step.process, to].map(|process| self.columns[process].unwrap_or_default());
        let (figure, label) = match from == to {
            true => (Figure::Mark { at: from, glyph: self.glyphs.point }, format!("to itself: {number}{text}")),
            false => (Figure::Arrow { from, to, shaft, heads }, format!("{number}{text}")),
        };
        Row { figure, label, sentence, place: String::new(), bad: false }
    }

    /// The message of a step.
    fn text(&self, step: &TraceStep) -> Option<String> {
        self.trace.message(step).map(|message| clean(&message.to_string(), self.style))
    }

    /// A message to `to` that is lost when it is sent.
    fn loss(&self, step: &TraceStep, to: usize) -> Row {
        let heads = [self.glyphs.lost; 2];
        let [from, to] = [step.process, to].map(|process| self.columns[process].unwrap_or_default());
        let figure = Figure::Arrow { from, to, shaft: self.glyphs.dashes, heads };
        let label = self.text(step).unwrap_or_else(|| "a message".to_string());
        Row { figure, label, ..self.mark(step, self.glyphs.lost) }
    }

    fn arrow(&self, step: &TraceStep, from: usize, to: usize, label: &str) -> Row {
        let [from, to] = [from, to].map(|process| self.columns[process].unwrap_or_default());
        let figure = Figure::Arrow { from, to, shaft: self.glyphs.dashes, heads: self.glyphs.leaves };
        Row { figure, label: label.to_string(), ..self.mark(step, self.glyphs.point) }
    }

    fn mark(&self, step: &TraceStep, glyph: &'static str) -> Row {
        Row {
            figure: Figure::Mark { at: self.columns[step.process].unwrap_or_default(), glyph },
            label: event(self.trace, step, self.style),
            sentence: sentence(self.trace, step, self.style),
            place: String::new(),
            bad: false,
        }
    }

    /// A failing step. The label omits the message of the failure, or that the process waits forever: both are above the chart.
    fn bad(&self, step: &TraceStep) -> Row {
        let label = match step.kind {
            StepKind::Fail(_) => "fails here".to_string(),
            _ => waits(self.trace, step, self.style),
        };
        let sentence = format!("{} {} {label}", self.glyphs.bad, name(self.trace, step.process, self.style));
        Row { label, sentence, bad: true, ..self.mark(step, self.glyphs.bad) }
    }
}
