//! The message-sequence chart: processes as columns, time downwards, messages as arrows.

use crate::canvas::Line;
use crate::layout::{GAP, Layout, layout};
use crate::rows::{Column, Contents, Figure, Row, contents};
use crate::style::{Glyphs, Paint, Style};
use crate::text::{fit, fit_path, width};
use manyworlds_core::Trace;

/// Draws an execution as a message-sequence chart.
///
/// A message that arrives in the row in which it is sent is one arrow with a full head. One that arrives later is sent with an open head and a
/// number, and arrives with a dashed arrow and the same number; an open head without a number was not received. Processes that do nothing have no column.
pub fn chart(trace: &Trace, style: &Style) -> String {
    let contents = contents(trace, style);
    if contents.rows.is_empty() {
        return "(nothing happens)\n".to_string();
    }
    let layout = layout(&contents, style);
    let renderer = Renderer { contents: &contents, layout: &layout, style, glyphs: style.glyphs() };
    let rows = (0..contents.rows.len()).map(|at| renderer.row(at));
    let mut text = String::new();
    for line in renderer.header().into_iter().chain(rows) {
        text.push_str(&line.render(style));
        text.push('\n');
    }
    text
}

/// Draws the lines of a chart.
struct Renderer<'s> {
    contents: &'s Contents,
    layout: &'s Layout,
    style: &'s Style,
    glyphs: &'static Glyphs,
}

impl Renderer<'_> {
    fn header(&self) -> Vec<Line> {
        match self.layout.beside {
            0 => self.centred_names(),
            _ => self.stepped_names(),
        }
    }

    /// The names above their columns, and the ids below them where messages mention some.
    fn centred_names(&self) -> Vec<Line> {
        let centred = |line: &mut Line, x: usize, text: &str, paint| {
            line.put(x.saturating_sub(width(text).saturating_sub(1) / 2), text, paint);
        };
        let mut lines = vec![Line::default()];
        for (&x, name) in self.layout.columns.iter().zip(&self.layout.names) {
            centred(&mut lines[0], x, name, Paint::Strong);
        }
        if self.contents.columns.iter().any(|column| column.pid.is_some()) {
            let mut ids = Line::default();
            for (&x, column) in self.layout.columns.iter().zip(&self.contents.columns) {
                centred(&mut ids, x, column.pid.as_deref().unwrap_or_default(), Paint::Faint);
            }
            lines.push(ids);
        }
        lines
    }

    /// A line for each name: narrow columns have no space for names side by side.
    fn stepped_names(&self) -> Vec<Line> {
        let available = self.layout.chart + GAP + self.layout.beside + self.layout.margin;
        let name_line = |(i, &x): (usize, &usize)| {
            let mut line = Line::default();
            for &before in &self.layout.columns[..i] {
                line.put(before, self.glyphs.lifeline, Paint::Faint);
            }
            let name = fit(&self.layout.names[i], available - x, self.style);
            line.put(x, &name, Paint::Strong);
            let after = x + width(&name) + 1;
            let pid = self.contents.columns[i].pid.as_deref().unwrap_or_default();
            if after + width(pid) <= available {
                line.put(after, pid, Paint::Faint);
            }
            line
        };
        self.layout.columns.iter().enumerate().map(name_line).collect()
    }

    fn row(&self, at: usize) -> Line {
        let row = &self.contents.rows[at];
        let mut line = Line::default();
        for (&x, column) in self.layout.columns.iter().zip(&self.contents.columns) {
            line.put(x, self.lifeline(column, at), Paint::Faint);
        }
        let paint = if row.bad { Paint::Bad } else { Paint::Plain };
        if !self.layout.columns.is_empty() {
            match row.figure {
                Figure::Arrow { .. } => self.arrow(&mut line, at),
                Figure::Mark { at: column, glyph } => self.mark(&mut line, row, column, glyph, paint),
            }
        }
        let mut x = self.layout.chart;
        if self.layout.beside > 0 {
            x += if x == 0 { 0 } else { GAP };
            line.put(x, &fit(self.side_text(row), self.layout.beside, self.style), paint);
            x += self.layout.beside;
        }
        line.put(x + GAP, &fit_path(&row.place, self.layout.margin, self.style), Paint::Faint);
        line
    }

    /// The text beside the chart. Where the whole sentence does not fit, the text omits the processes, which the columns show.
    fn side_text<'r>(&self, row: &'r Row) -> &'r str {
        let fits = width(&row.sentence) <= self.layout.beside || self.layout.columns.is_empty();
        if fits { &row.sentence } else { &row.label }
    }

    fn lifeline(&self, column: &Column, at: usize) -> &'static str {
        let g = self.glyphs;
        match (column.spawned, column.ended) {
            (Some(spawned), _) if at < spawned => g.not_spawned,
            (Some(spawned), _) if at == spawned => g.spawned,
            (_, Some(ended)) if at == ended + 1 => g.ended,
            (_, Some(ended)) if at > ended => " ",
            _ => g.lifeline,
        }
    }

    fn mark(&self, line: &mut Line, row: &Row, column: usize, glyph: &str, paint: Paint) {
        let x = self.layout.columns[column];
        line.put(x, glyph, paint);
        if self.layout.beside == 0 {
            let end = self.layout.columns.get(column + 1).map_or(self.layout.chart, |next| next - 1);
            line.put(x + 2, &fit(&row.label, end.saturating_sub(x + 2), self.style), paint);
        }
    }

    fn arrow(&self, line: &mut Line, at: usize) {
        let row = &self.contents.rows[at];
        let Figure::Arrow { from, to, shaft, heads } = row.figure else { unreachable!("the row is an arrow") };
        let columns = &self.layout.columns;
        let (start, end) = (columns[from], columns[to]);
        line.fill(start.min(end) + 1..start.max(end), shaft, Paint::Plain);
        let between = from.min(to) + 1..from.max(to);
        for (&x, column) in columns[between.clone()].iter().zip(&self.contents.columns[between]) {
            if self.lifeline(column, at) == self.glyphs.lifeline {
                line.put(x, self.glyphs.crossing, Paint::Plain);
            }
        }
        let rightwards = start < end;
        line.put(start, if rightwards { self.glyphs.leave_right } else { self.glyphs.leave_left }, Paint::Plain);
        line.put(if rightwards { end - 1 } else { end + 1 }, heads[usize::from(!rightwards)], Paint::Plain);
        if self.layout.beside == 0 {
            let label = format!(" {} ", fit(&row.label, start.abs_diff(end).saturating_sub(6), self.style));
            let x = if rightwards { start + 2 } else { start - 1 - width(&label) };
            line.put(x, &label, Paint::Plain);
        }
    }
}
