//! How wide text is on a terminal, and how to make it fit.

use crate::style::Style;
use unicode_width::UnicodeWidthChar;

/// Code points that change the direction of what follows: a message must not be able to rearrange the chart.
const BIDI: &[(u32, u32)] = &[(0x061c, 0x061c), (0x200e, 0x200f), (0x2028, 0x202e), (0x2066, 0x2069)];

fn within(c: char, ranges: &[(u32, u32)]) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&u32::from(c)))
}

/// The columns a character takes. A control character has no width of its own; [`clean`] escapes it.
pub fn char_width(c: char) -> usize {
    c.width().unwrap_or(1)
}

/// The columns a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// One line that is safe to print: runs of white space become a space, everything that would move the cursor is escaped.
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

/// The longest beginning of `text` within `room` columns.
fn head(text: &str, room: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|&(_, c)| {
        used += char_width(c);
        used > room
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The longest end of `text` within `room` columns.
fn tail(text: &str, room: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|&(_, c)| {
        used += char_width(c);
        used > room
    });
    &text[start.map_or(0, |(at, c)| at + c.len_utf8())..]
}

/// `text`, cut at its end to `room` columns.
pub fn fit(text: &str, room: usize, style: &Style) -> String {
    let mark = style.glyphs().ellipsis;
    match width(text) <= room {
        true => text.to_string(),
        false if room < width(mark) => head(text, room).to_string(),
        false => format!("{}{mark}", head(text, room - width(mark)).trim_end()),
    }
}

/// `text`, cut in its middle to `room` columns: names often differ in their last letters only.
pub fn fit_name(text: &str, room: usize, style: &Style) -> String {
    let mark = style.glyphs().ellipsis;
    if width(text) <= room || room < width(mark) + 2 {
        return fit(text, room, style);
    }
    let rest = room - width(mark);
    format!("{}{mark}{}", head(text, rest - rest / 2), tail(text, rest / 2))
}

/// `text`, cut at its start to `room` columns: of a path the end matters.
pub fn fit_path(text: &str, room: usize, style: &Style) -> String {
    let mark = style.glyphs().ellipsis;
    match width(text) <= room {
        true => text.to_string(),
        false => format!("{mark}{}", tail(text, room.saturating_sub(width(mark)))),
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
