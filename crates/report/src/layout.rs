//! Where the columns of a chart stand.
//!
//! Words go on the arrows if they can be read there. The distances between columns are the smallest that hold every label and every name, each cut
//! to some length; the length is the greatest for which the chart fits. Below [`LEAST_LABEL`] the words move into a text beside the chart, whose
//! columns are then as narrow as can be; and if even those are too many, the text stands alone.

use crate::rows::{Column, Figure, Row, Score};
use crate::style::Style;
use crate::text::{fit_name, width};

/// Labels are never cut below this length on an arrow.
const LEAST_LABEL: usize = 12;
const MOST_LABEL: usize = 48;
/// Names are never cut below this length above a column.
const LEAST_NAME: usize = 8;
/// Between the parts of a row.
pub const GAP: usize = 2;
/// What an arrow needs besides its label: two lifelines, the head, and air.
const ARROW: usize = 6;
/// What a mark needs besides its label: itself and air.
const MARK: usize = 4;
/// Between columns without words: room for an arrow head and a dash.
const NARROW: usize = 3;
const LEAST_WIDTH: usize = 40;

/// The columns of a chart and what stands to their right.
pub struct Layout {
    /// Where each lifeline is.
    pub columns: Vec<usize>,
    /// The names above the columns, cut to fit.
    pub names: Vec<String>,
    /// The width of the chart itself.
    pub chart: usize,
    /// The width of the text beside it; 0 if the words are on the arrows.
    pub beside: usize,
    /// The width of the source locations.
    pub margin: usize,
}

/// The layout of a chart.
pub fn layout(score: &Score, style: &Style) -> Layout {
    let room = style.width.max(LEAST_WIDTH);
    let margin = score.rows.iter().map(|row| width(&row.place)).max().unwrap_or(0).min(room / 3);
    let room = room - if margin == 0 { 0 } else { margin + GAP };
    let on_arrows = (LEAST_LABEL..=MOST_LABEL).rev().map(|cap| on_arrows(score, cap, style)).find(|l| l.chart <= room);
    let mut layout = on_arrows.unwrap_or_else(|| beside(score, room));
    layout.margin = margin;
    layout
}

fn on_arrows(score: &Score, cap: usize, style: &Style) -> Layout {
    let most = (cap / 2).max(LEAST_NAME);
    let names: Vec<String> = score.columns.iter().map(|column| fit_name(&column.name, most, style)).collect();
    let heads: Vec<usize> = names.iter().zip(&score.columns).map(|(name, column)| head(name, column)).collect();
    let mut gaps = vec![0; names.len().saturating_sub(1)];
    for (from, to, need) in needs(score, &heads, cap) {
        widen(&mut gaps[from..to], need);
    }
    let mut columns = vec![heads.first().map_or(0, |&head| half(head).0)];
    for gap in gaps {
        columns.push(columns[columns.len() - 1] + gap);
    }
    columns.truncate(names.len());
    let last = columns.last().copied().unwrap_or(0);
    let tail =
        score.rows.iter().filter_map(|row| mark_on(row, names.len().wrapping_sub(1))).map(|label| 2 + label.min(cap));
    let tail = tail.chain(heads.last().map(|&head| half(head).1 + 1)).max().unwrap_or(0);
    Layout { columns, names, chart: last + tail, beside: 0, margin: 0 }
}

/// How far columns must be apart, at least; short distances first.
fn needs(score: &Score, heads: &[usize], cap: usize) -> Vec<(usize, usize, usize)> {
    let pairs = heads.windows(2).enumerate();
    let mut needs: Vec<_> = pairs.map(|(i, pair)| (i, i + 1, half(pair[0]).1 + half(pair[1]).0 + 1 + GAP)).collect();
    for row in &score.rows {
        let label = width(&row.label).min(cap);
        match row.figure {
            Figure::Arrow { from, to, .. } => needs.push((from.min(to), from.max(to), label + ARROW)),
            Figure::Mark { at, .. } if at + 1 < heads.len() => needs.push((at, at + 1, label + MARK)),
            Figure::Mark { .. } => {}
        }
    }
    needs.sort_by_key(|&(from, to, _)| to - from);
    needs
}

/// Shares what is missing among the gaps.
fn widen(gaps: &mut [usize], need: usize) {
    let missing = need.saturating_sub(gaps.iter().sum());
    let count = gaps.len().max(1);
    for (i, gap) in gaps.iter_mut().enumerate() {
        *gap += missing / count + usize::from(i < missing % count);
    }
}

/// The width of what stands above a column: a name, and an id below it.
fn head(name: &str, column: &Column) -> usize {
    width(name).max(column.pid.as_deref().map_or(0, width))
}

/// The columns a centred text takes to the left and to the right of its lifeline.
fn half(head: usize) -> (usize, usize) {
    let others = head.saturating_sub(1);
    (others / 2, others - others / 2)
}

/// The width of the label, if the row is a mark in this column.
fn mark_on(row: &Row, column: usize) -> Option<usize> {
    match row.figure {
        Figure::Mark { at, .. } if at == column => Some(width(&row.label)),
        _ => None,
    }
}

fn beside(score: &Score, room: usize) -> Layout {
    let count = score.columns.len();
    let gap = [NARROW, NARROW - 1].into_iter().find(|gap| gap * count <= room / 2);
    let columns: Vec<usize> = (0..count).map_while(|i| Some(i * gap?)).collect();
    let chart = columns.last().map_or(0, |last| last + 1);
    let free = if chart == 0 { room } else { room - chart - GAP };
    let longest = score.rows.iter().map(|row| width(&row.sentence)).max().unwrap_or(0);
    let names = score.columns.iter().map(|column| column.name.clone()).collect();
    Layout { columns, names, chart, beside: longest.min(free), margin: 0 }
}
