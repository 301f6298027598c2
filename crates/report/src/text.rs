//! The width of text on a terminal, and truncation to a width.

use crate::style::Style;
use unicode_width::UnicodeWidthChar;

/// Code points that change the direction of the text after them. They are escaped, so that a message cannot rearrange the chart.
const BIDI: &[(u32, u32)] = &[(0x061c, 0x061c), (0x200e, 0x200f), (0x2028, 0x202e), (0x2066, 0x2069)];

fn within(c: char, ranges: &[(u32, u32)]) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&u32::from(c)))
}

/// The number of columns of a character. A control character has no width; [`clean`] escapes it.
pub fn char_width(c: char) -> usize {
    c.width().unwrap_or(1)
}

/// The number of columns of a text.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The text as one line that is safe to print: runs of white space become one space, and characters that move the cursor are escaped.
pub fn clean(text: &str, style: &Style) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if c.is_control() || within(c, BIDI) || !(style.unicode || c.is_ascii()) {
                line.extend(c.escape_unicode());
            } else {
                line.push(c);
            }
        }
    }
    line
}

/// The longest prefix of `text` within `available` columns.
fn head(text: &str, available: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|&(_, c)| {
        used += char_width(c);
        used > available
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The longest suffix of `text` within `available` columns.
fn tail(text: &str, available: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|&(_, c)| {
        used += char_width(c);
        used > available
    });
    &text[start.map_or(0, |(at, c)| at + c.len_utf8())..]
}

/// `text`, truncated at its end to `available` columns.
pub fn fit(text: &str, available: usize, style: &Style) -> String {
    let mark = style.glyphs().ellipsis;
    match width(text) <= available {
        true => text.to_string(),
        false if available < width(mark) => head(text, available).to_string(),
        false => format!("{}{mark}", head(text, available - width(mark)).trim_end()),
    }
}

/// `text`, truncated in its middle to `available` columns, because names often differ only in their last letters.
pub fn fit_name(text: &str, available: usize, style: &Style) -> String {
    let mark = style.glyphs().ellipsis;
    if width(text) <= available || available < width(mark) + 2 {
        return fit(text, available, style);
    }
    let rest = available - width(mark);
    format!("{}{mark}{}", head(text, rest - rest / 2), tail(text, rest / 2))
}

/// `text`, truncated at its start to `available` columns, because the end of a path is the relevant part.
pub fn fit_path(text: &str, available: usize, style: &Style) -> String {
    let mark = style.glyphs().ellipsis;
    match width(text) <= available {
        true => text.to_string(),
        false => format!("{mark}{}", tail(text, available.saturating_sub(width(mark)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_combining_characters_are_counted_as_terminals_draw_them() {
        assert_eq!([width("abc"), width("日本"), width("e\u{301}"), width("✗│▶"), width("🚀")], [3, 4, 1, 3, 2]);
    }

    #[test]
    fn cuts_respect_columns_not_characters() {
        let style = Style::default();
        assert_eq!(fit("abcdef", 4, &style), "abc…");
        assert_eq!(fit("日本語", 4, &style), "日…");
        assert_eq!(fit("abc", 0, &style), "");
        assert_eq!(fit_name("participant12", 7, &style), "par…t12");
        assert_eq!(fit_path("crates/x/src/lib.rs:1", 9, &style), "…lib.rs:1");
        assert_eq!(fit("abcdef", 4, &Style { unicode: false, ..style }), "a...");
    }

    #[test]
    fn nothing_in_a_message_moves_the_cursor() {
        let style = Style::default();
        assert_eq!(clean("a\n\t b\u{1b}[2J\u{202e}c", &style), "a b\\u{1b}[2J\\u{202e}c");
        assert_eq!(clean("é", &Style { unicode: false, ..style }), "\\u{e9}");
    }
}
