//! A line of text that can be written at any column, with colours.

use crate::style::{Paint, Style};
use crate::text::char_width;

/// A line being drawn.
#[derive(Default)]
pub struct Line {
    /// One cell for each column; the second column of a wide character is empty.
    cells: Vec<(String, Paint)>,
}

impl Line {
    /// Writes `text` from column `x` on, replacing the characters there.
    pub fn put(&mut self, x: usize, text: &str, paint: Paint) {
        let mut at = x;
        for c in text.chars() {
            match char_width(c) {
                0 if at > x => self.before(at).push(c),
                0 => {}
                columns => {
                    self.set(at, c.to_string(), paint);
                    (1..columns).for_each(|i| self.set(at + i, String::new(), paint));
                    at += columns;
                }
            }
        }
    }

    /// Fills the columns of a range with a character.
    pub fn fill(&mut self, columns: std::ops::Range<usize>, glyph: &str, paint: Paint) {
        columns.for_each(|x| self.put(x, glyph, paint));
    }

    /// The character that ends before column `x`.
    fn before(&mut self, x: usize) -> &mut String {
        let at = self.cells[..x].iter().rposition(|(text, _)| !text.is_empty()).unwrap_or(0);
        &mut self.cells[at].0
    }

    fn set(&mut self, x: usize, text: String, paint: Paint) {
        while self.cells.len() <= x {
            self.cells.push((" ".to_string(), Paint::Plain));
        }
        self.cells[x] = (text, paint);
    }

    /// The line without spaces at its end.
    pub fn render(mut self, style: &Style) -> String {
        while self.cells.last().is_some_and(|(text, _)| text == " ") {
            self.cells.pop();
        }
        let runs = self.cells.chunk_by(|(_, a), (_, b)| a == b);
        runs.map(|run| {
            let text: String = run.iter().map(|(text, _)| text.as_str()).collect();
            style.paint(&text, run[0].1)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        let mut line = Line::default();
        line.put(1, "日e\u{301}", Paint::Plain);
        line.put(4, "|", Paint::Plain);
        line.put(8, " ", Paint::Plain);
        assert_eq!(line.render(&Style::default()), " 日e\u{301}|");
    }

    #[test]
    fn a_run_of_one_colour_has_one_escape() {
        let mut line = Line::default();
        line.put(0, "ab", Paint::Bad);
        line.put(2, "c", Paint::Plain);
        assert_eq!(line.render(&Style { color: true, ..Style::default() }), "\x1b[1;31mab\x1b[0mc");
    }
}
