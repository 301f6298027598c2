//! A [`Timeline`] in the terminal: processes as rows, time to the right, an operation as a bar from its invocation to its response.

use crate::canvas::Line;
use crate::history::{Operation, Timeline};
use crate::style::{Paint, Style};
use crate::text::{clean, fit, fit_name, width};

/// The greatest lengths of names and labels.
const MOST_NAME: usize = 16;
const MOST_LABEL: usize = 40;
/// The least length of a label; if labels would be shorter, the operations are listed instead.
const LEAST_LABEL: usize = 6;
/// The width that a bar needs in addition to its label: two ends and spaces.
const ENDS: usize = 4;

/// Draws a timeline. Only the order of events matters, so the distances between them are the smallest that the labels allow.
pub fn timeline(timeline: &Timeline, style: &Style) -> String {
    let names = timeline.lanes.iter().map(|name| fit_name(&clean(name, style), MOST_NAME, style)).collect::<Vec<_>>();
    let margin = names.iter().map(|name| width(name)).max().unwrap_or(0) + 2;
    let drawn = (LEAST_LABEL..=MOST_LABEL).rev().find_map(|cap| {
        let plan = Plan::new(timeline, cap, style);
        (margin + plan.end <= style.width).then_some(plan)
    });
    let lines = match drawn {
        Some(plan) => plan.lines(timeline, &names, margin, style),
        None => list(timeline, &names, margin, style),
    };
    lines.into_iter().map(|line| line.render(style) + "\n").collect()
}

/// The layout of the bars and their labels.
struct Plan {
    labels: Vec<String>,
    from: Vec<usize>,
    to: Vec<Option<usize>>,
    /// The column after the last one that is used.
    end: usize,
    /// The line of each bar within its lane: operations of one process that overlap are on different lines.
    row: Vec<usize>,
}

impl Plan {
    fn new(timeline: &Timeline, cap: usize, style: &Style) -> Plan {
        let bars = &timeline.operations;
        let labels: Vec<String> = (0..bars.len()).map(|at| fit(&label(timeline, at, style), cap, style)).collect();
        let mut events: Vec<(usize, bool, usize)> =
            bars.iter().enumerate().map(|(at, bar)| (bar.start, false, at)).collect();
        events.extend(bars.iter().enumerate().filter_map(|(at, bar)| Some((bar.end?, true, at))));
        events.sort_unstable();
        let (mut from, mut to) = (vec![0; bars.len()], vec![None; bars.len()]);
        let mut next = 0;
        for (_, ends, at) in events {
            if ends {
                let column = next.max(from[at] + width(&labels[at]) + ENDS - 1);
                to[at] = Some(column);
                next = column + 1;
            } else {
                from[at] = next;
                next += 2;
            }
        }
        let ends = (0..bars.len()).map(|at| to[at].unwrap_or(from[at] + width(&labels[at]) + ENDS - 1) + 1);
        let end = ends.max().unwrap_or(0);
        let mut plan = Plan { labels, from, to, end, row: vec![0; bars.len()] };
        plan.assign_rows(timeline);
        plan
    }

    fn assign_rows(&mut self, timeline: &Timeline) {
        let mut order: Vec<usize> = (0..self.from.len()).collect();
        order.sort_by_key(|&at| self.from[at]);
        for lane in 0..timeline.lanes.len() {
            // The column from which each line of the lane is free.
            let mut free: Vec<usize> = Vec::new();
            for &at in order.iter().filter(|&&at| timeline.operations[at].process == lane) {
                let until = self.to[at].map_or(self.end, |to| to + 1);
                match free.iter().position(|&free| free <= self.from[at]) {
                    Some(row) => (self.row[at], free[row]) = (row, until),
                    None => {
                        self.row[at] = free.len();
                        free.push(until);
                    }
                }
            }
        }
    }

    fn lines(&self, timeline: &Timeline, names: &[String], margin: usize, style: &Style) -> Vec<Line> {
        let mut lines = Vec::new();
        for (lane, name) in names.iter().enumerate() {
            let mine = || (0..self.from.len()).filter(|&at| timeline.operations[at].process == lane);
            for row in 0..=mine().map(|at| self.row[at]).max().unwrap_or(0) {
                let mut line = Line::default();
                if row == 0 {
                    line.put(0, name, Paint::Strong);
                }
                mine()
                    .filter(|&at| self.row[at] == row)
                    .for_each(|at| self.bar(timeline, at, margin, &mut line, style));
                lines.push(line);
            }
        }
        lines
    }

    fn bar(&self, timeline: &Timeline, at: usize, margin: usize, line: &mut Line, style: &Style) {
        let glyphs = style.glyphs();
        let paint = paint(timeline, at);
        let (from, to) = (margin + self.from[at], margin + self.to[at].unwrap_or(self.end - 1));
        line.fill(from + 1..to, if self.to[at].is_some() { glyphs.line } else { glyphs.dashes }, paint);
        line.put(from, glyphs.leave_right, paint);
        line.put(to, if self.to[at].is_some() { glyphs.leave_left } else { glyphs.leaves[0] }, paint);
        line.put(from + 1, &format!(" {} ", self.labels[at]), paint);
    }
}

/// The label of a bar.
fn label(timeline: &Timeline, at: usize, style: &Style) -> String {
    let mark = if timeline.stuck.contains(&at) { format!("{} ", style.glyphs().bad) } else { String::new() };
    format!("{mark}{}", clean(&timeline.operations[at].words(), style))
}

fn paint(timeline: &Timeline, at: usize) -> Paint {
    if timeline.stuck.contains(&at) { Paint::Bad } else { Paint::Plain }
}

/// The operations as a list, if the drawing does not fit.
fn list(timeline: &Timeline, names: &[String], margin: usize, style: &Style) -> Vec<Line> {
    let mut order: Vec<(usize, &Operation)> = timeline.operations.iter().enumerate().collect();
    order.sort_by_key(|(_, operation)| operation.start);
    let line = |(at, operation): (usize, &Operation)| {
        let mut line = Line::default();
        line.put(0, names.get(operation.process).map_or("", String::as_str), Paint::Strong);
        let times = match operation.end {
            Some(end) => format!("{} to {end}", operation.start),
            None => format!("{} on", operation.start),
        };
        let text = format!("{} (from {times})", label(timeline, at, style));
        let available = style.width.saturating_sub(margin).max(LEAST_LABEL);
        line.put(margin, &fit(&text, available, style), paint(timeline, at));
        line
    };
    order.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(process: usize, call: &str, response: &str, start: usize, end: Option<usize>) -> Operation {
        Operation { process, call: call.to_string(), response: Some(response.to_string()), start, end }
    }

    fn stale_read() -> Timeline {
        Timeline {
            lanes: vec!["p0".to_string(), "p1".to_string()],
            operations: vec![
                bar(0, "write 1", "", 0, Some(3)),
                bar(0, "write 2", "", 6, None),
                bar(1, "read", "1", 1, Some(2)),
                bar(1, "read", "0", 5, Some(7)),
            ],
            stuck: vec![3],
            ..Timeline::default()
        }
    }

    #[test]
    fn bars_begin_and_end_in_order() {
        let text = timeline(&stale_read(), &Style::default());
        assert_eq!(text, "p0  ├ write 1 ────┤  ├ write 2 ╌▷\np1    ├ read → 1 ┤ ├ ✗ read → 0 ┤\n", "\n{text}");
    }

    #[test]
    fn overlapping_operations_of_one_process_are_on_two_lines() {
        let operations = vec![bar(0, "a", "", 0, None), bar(0, "b", "", 1, Some(2))];
        let one = Timeline { lanes: vec!["p".to_string()], operations, ..Timeline::default() };
        let text = timeline(&one, &Style { unicode: false, ..Style::default() });
        assert_eq!(text, "p  | a --)\n     | b |\n", "\n{text}");
    }

    #[test]
    fn a_narrow_terminal_gets_a_list() {
        let text = timeline(&stale_read(), &Style { width: 26, ..Style::default() });
        assert_eq!(text.lines().next(), Some("p0  write 1 (from 0 to 3)"), "\n{text}");
        assert!(text.lines().all(|line| width(line) <= 26), "\n{text}");
    }
}
