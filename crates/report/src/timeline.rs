//! A timeline of operations: processes as lines, time to the right, an operation as a bar from its invocation to its response.

use crate::canvas::Line;
use crate::style::{Paint, Style};
use crate::text::{clean, fit, fit_name, width};

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bar {
    /// Who asked: an index into the lanes.
    pub lane: usize,
    /// What was asked and answered.
    pub label: String,
    /// When it was asked.
    pub from: usize,
    /// When it was answered, if it was.
    pub to: Option<usize>,
    /// Whether it is the one that cannot be.
    pub bad: bool,
}

/// Operations of some processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timeline {
    /// The processes.
    pub lanes: Vec<String>,
    /// Their operations. Those of one process do not overlap, unless they are pending.
    pub bars: Vec<Bar>,
}

/// Names and labels are never longer than this.
const MOST_NAME: usize = 16;
const MOST_LABEL: usize = 40;
/// Below this a label says nothing: the operations are listed instead.
const LEAST_LABEL: usize = 6;
/// What a bar needs besides its label: two ends and air.
const ENDS: usize = 4;

/// Draws a timeline. Only the order of events matters, so they are as near to each other as the labels allow.
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

/// Where bars start and end, and what stands on them.
struct Plan {
    labels: Vec<String>,
    from: Vec<usize>,
    to: Vec<Option<usize>>,
    /// The column after the last.
    end: usize,
    /// Which line of its lane each bar is in: an operation that overlaps one of its own process needs a second line.
    row: Vec<usize>,
}

impl Plan {
    fn new(timeline: &Timeline, cap: usize, style: &Style) -> Plan {
        let bars = &timeline.bars;
        let mark = |bar: &Bar| if bar.bad { format!("{} ", style.glyphs().bad) } else { String::new() };
        let label = |bar: &Bar| fit(&format!("{}{}", mark(bar), clean(&bar.label, style)), cap, style);
        let labels: Vec<String> = bars.iter().map(label).collect();
        let mut events: Vec<(usize, bool, usize)> =
            bars.iter().enumerate().map(|(at, bar)| (bar.from, false, at)).collect();
        events.extend(bars.iter().enumerate().filter_map(|(at, bar)| Some((bar.to?, true, at))));
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
            for &at in order.iter().filter(|&&at| timeline.bars[at].lane == lane) {
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
            let mine = || (0..self.from.len()).filter(|&at| timeline.bars[at].lane == lane);
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
        let paint = if timeline.bars[at].bad { Paint::Bad } else { Paint::Plain };
        let (from, to) = (margin + self.from[at], margin + self.to[at].unwrap_or(self.end - 1));
        line.fill(from + 1..to, if self.to[at].is_some() { glyphs.line } else { glyphs.dashes }, paint);
        line.put(from, glyphs.leave_right, paint);
        line.put(to, if self.to[at].is_some() { glyphs.leave_left } else { glyphs.leaves[0] }, paint);
        line.put(from + 1, &format!(" {} ", self.labels[at]), paint);
    }
}

/// The operations as a list, where there is no room for a drawing.
fn list(timeline: &Timeline, names: &[String], margin: usize, style: &Style) -> Vec<Line> {
    let mut order: Vec<&Bar> = timeline.bars.iter().collect();
    order.sort_by_key(|bar| bar.from);
    let line = |bar: &Bar| {
        let mut line = Line::default();
        line.put(0, names.get(bar.lane).map_or("", String::as_str), Paint::Strong);
        let times = match bar.to {
            Some(to) => format!("{} to {to}", bar.from),
            None => format!("{} on", bar.from),
        };
        let mark = if bar.bad { format!("{} ", style.glyphs().bad) } else { String::new() };
        let text = format!("{mark}{} (from {times})", clean(&bar.label, style));
        let paint = if bar.bad { Paint::Bad } else { Paint::Plain };
        line.put(margin, &fit(&text, style.width.saturating_sub(margin).max(LEAST_LABEL), style), paint);
        line
    };
    order.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(lane: usize, label: &str, from: usize, to: Option<usize>) -> Bar {
        Bar { lane, label: label.to_string(), from, to, bad: false }
    }

    fn stale_read() -> Timeline {
        let bad = Bar { bad: true, ..bar(1, "read → 0", 5, Some(7)) };
        let bars = vec![bar(0, "write 1", 0, Some(3)), bar(0, "write 2", 6, None), bar(1, "read → 1", 1, Some(2)), bad];
        Timeline { lanes: vec!["p0".to_string(), "p1".to_string()], bars }
    }

    #[test]
    fn bars_begin_and_end_in_order() {
        let text = timeline(&stale_read(), &Style::default());
        assert_eq!(text, "p0  ├ write 1 ────┤  ├ write 2 ╌▷\np1    ├ read → 1 ┤ ├ ✗ read → 0 ┤\n", "\n{text}");
    }

    #[test]
    fn what_overlaps_in_one_process_gets_a_second_line() {
        let bars = vec![bar(0, "a", 0, None), bar(0, "b", 1, Some(2))];
        let text =
            timeline(&Timeline { lanes: vec!["p".to_string()], bars }, &Style { unicode: false, ..Style::default() });
        assert_eq!(text, "p  | a --)\n     | b |\n", "\n{text}");
    }

    #[test]
    fn a_narrow_terminal_gets_a_list() {
        let text = timeline(&stale_read(), &Style { width: 26, ..Style::default() });
        assert_eq!(text.lines().next(), Some("p0  write 1 (from 0 to 3)"), "\n{text}");
        assert!(text.lines().all(|line| width(line) <= 26), "\n{text}");
    }
}
