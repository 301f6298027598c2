//! Source files, spans of bytes in them, and the translation of a byte into a line and a column.

use std::sync::Arc;

/// A range of bytes in one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The index of the file in [`Sources`].
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The smallest span that contains both spans. They must be in the same file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.file, other.file);
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the end of this span.
    #[must_use]
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// A position as people count: lines and columns begin at 1, a column is a character.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as it is shown.
    pub path: Arc<str>,
    /// The text, without a byte-order mark.
    pub text: Arc<str>,
    /// Where lines begin.
    lines: Vec<u32>,
}

impl Source {
    /// A file with a text.
    pub fn new(path: &str, text: &str) -> Source {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1));
        Source { path: path.into(), text: text.into(), lines }
    }

    /// The line and the column of a byte. A byte beyond the end counts as the end.
    pub fn position(&self, byte: u32) -> Position {
        let byte = (byte as usize).min(self.text.len());
        let line = self.lines.partition_point(|&start| start as usize <= byte) - 1;
        let column =
            self.text.as_bytes()[self.lines[line] as usize..byte].iter().filter(|&&b| b & 0xC0 != 0x80).count();
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The byte at which a line begins; lines count from 1.
    pub fn line_start(&self, line: u32) -> usize {
        self.lines[line as usize - 1] as usize
    }

    /// The text of a line without its end.
    pub fn line(&self, line: u32) -> &str {
        let end = self.lines.get(line as usize).map_or(self.text.len(), |&next| next as usize - 1);
        self.text[self.line_start(line)..end].trim_end_matches('\r')
    }
}

/// All files of a program. They form one program, whatever their order.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file and returns its index.
    pub fn add(&mut self, source: Source) -> u32 {
        self.files.push(source);
        self.files.len() as u32 - 1
    }

    /// The file with an index.
    pub fn get(&self, file: u32) -> &Source {
        &self.files[file as usize]
    }

    /// The files in order.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.files.iter()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.file).text[span.start as usize..span.end as usize]
    }

    /// Where a span begins.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.file).position(span.start)
    }

    /// `path:line:column` of the beginning of a span.
    pub fn place(&self, span: Span) -> String {
        let Position { line, column } = self.position(span);
        format!("{}:{line}:{column}", self.get(span.file).path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let source = Source::new("a.p", "\u{feff}ab\né x\r\n");
        let at = |byte| (source.position(byte).line, source.position(byte).column);
        assert_eq!((at(0), at(2), at(3), at(5), at(6)), ((1, 1), (1, 3), (2, 1), (2, 2), (2, 3)));
        assert_eq!(at(1000), (3, 1));
        assert_eq!((source.line(1), source.line(2), source.line(3)), ("ab", "é x", ""));
    }
}
