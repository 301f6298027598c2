//! The layout of a chart: the positions of its columns.
//!
//! Labels are on the arrows if they are readable there. The distances between columns are the smallest for all labels and names, truncated to some
//! length; the length is the greatest for which the chart fits. If the length would be less than [`LEAST_LABEL`], the labels are beside the chart, and
//! the columns have the smallest distance. If even then the columns do not fit, only the text is shown.

use crate::rows::{Column, Contents, Figure, Row};
use crate::style::Style;
use crate::text::{fit_name, width};

/// Labels are never cut below this length on an arrow.
const LEAST_LABEL: usize = 12;
const MOST_LABEL: usize = 48;
/// Names are never cut below this length above a column.
const LEAST_NAME: usize = 8;
/// Between the parts of a row.
pub const GAP: usize = 2;
/// The width that an arrow needs in addition to its label: two lifelines, the head and spaces.
const ARROW: usize = 6;
/// The width that a mark needs in addition to its label: the mark and spaces.
const MARK: usize = 4;
/// Between columns without labels: space for an arrow head and a dash.
const NARROW: usize = 3;
const LEAST_WIDTH: usize = 40;

/// The columns of a chart, and the widths of the text to their right.
pub struct Layout {
    /// The position of each lifeline.
    pub columns: Vec<usize>,
    /// The names above the columns, cut to fit.
    pub names: Vec<String>,
    /// The width of the chart itself.
    pub chart: usize,
    /// The width of the text beside the chart; 0 if the labels are on the arrows.
    pub beside: usize,
    /// The width of the source locations.
    pub margin: usize,
}

/// The layout of a chart.
pub fn layout(contents: &Contents, style: &Style) -> Layout {
    let available = style.width.max(LEAST_WIDTH);
    let margin = contents.rows.iter().map(|row| width(&row.place)).max().unwrap_or(0).min(available / 3);
    let available = available - if margin == 0 { 0 } else { margin + GAP };
    let on_arrows =
        (LEAST_LABEL..=MOST_LABEL).rev().map(|cap| on_arrows(contents, cap, style)).find(|l| l.chart <= available);
    let mut layout = on_arrows.unwrap_or_else(|| beside(contents, available));
    layout.margin = margin;
    layout
}

fn on_arrows(contents: &Contents, cap: usize, style: &Style) -> Layout {
    let most = (cap / 2).max(LEAST_NAME);
    let names: Vec<String> = contents.columns.iter().map(|column| fit_name(&column.name, most, style)).collect();
    let heads: Vec<usize> = names.iter().zip(&contents.columns).map(|(name, column)| head(name, column)).collect();
    let mut gaps = vec![0; names.len().saturating_sub(1)];
    for (from, to, need) in needs(contents, &heads, cap) {
        widen(&mut gaps[from..to], need);
    }
    let mut columns = vec![heads.first().map_or(0, |&head| half(head).0)];
    for gap in gaps {
        columns.push(columns[columns.len() - 1] + gap);
    }
    columns.truncate(names.len());
    let last = columns.last().copied().unwrap_or(0);
    let tail = contents
        .rows
        .iter()
        .filter_map(|row| mark_on(row, names.len().wrapping_sub(1)))
        .map(|label| 2 + label.min(cap));
    let tail = tail.chain(heads.last().map(|&head| half(head).1 + 1)).max().unwrap_or(0);
    Layout { columns, names, chart: last + tail, beside: 0, margin: 0 }
}

/// The least distances between columns, as (left, right, distance); neighbouring columns first.
fn needs(contents: &Contents, heads: &[usize], cap: usize) -> Vec<(usize, usize, usize)> {
    let pairs = heads.windows(2).enumerate();
    let mut needs: Vec<_> = pairs.map(|(i, pair)| (i, i + 1, half(pair[0]).1 + half(pair[1]).0 + 1 + GAP)).collect();
    for row in &contents.rows {
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

/// Distributes the missing width among the gaps.
fn widen(gaps: &mut [usize], need: usize) {
    let missing = need.saturating_sub(gaps.iter().sum());
    let count = gaps.len().max(1);
    for (i, gap) in gaps.iter_mut().enumerate() {
        *gap += missing / count + usize::from(i < missing % count);
    }
}

/// The width of the header of a column: a name, and an id below it.
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

fn beside(contents: &Contents, available: usize) -> Layout {
    let count = contents.columns.len();
    let gap = [NARROW, NARROW - 1].into_iter().find(|gap| gap * count <= available / 2);
    let columns: Vec<usize> = (0..count).map_while(|i| Some(i * gap?)).collect();
    let chart = columns.last().map_or(0, |last| last + 1);
    let free = if chart == 0 { available } else { available - chart - GAP };
    let longest = contents.rows.iter().map(|row| width(&row.sentence)).max().unwrap_or(0);
    let names = contents.columns.iter().map(|column| column.name.clone()).collect();
    Layout { columns, names, chart, beside: longest.min(free), margin: 0 }
}
