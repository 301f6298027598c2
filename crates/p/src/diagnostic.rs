//! What is wrong with a program, and how it is shown: `file.p:line:column: error: …`, the line of the source with the span marked, other places that
//! explain the error, and what to do about it.

use crate::source::{Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt::Write;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program runs, but it may not mean what its author thinks.
    Warning,
}

/// An error or a warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong and what was expected.
    pub message: String,
    /// Other places and what they have to do with it.
    pub related: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, span, message: message.into(), related: Vec::new(), help: None }
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Adds what to do about it; an empty text adds nothing.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        let help = help.into();
        self.help = if help.is_empty() { None } else { Some(help) };
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, why: impl Into<String>) -> Diagnostic {
        self.related.push((span, why.into()));
        self
    }
}

/// Errors and warnings in the order of files, lines and columns, each once.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.all.push(diagnostic);
    }

    /// Sorts them by place, and leaves out those that say the same about the same place.
    pub fn sort(&mut self) {
        self.all.sort_by(|a, b| (a.span, a.severity, &a.message).cmp(&(b.span, b.severity, &b.message)));
        self.all.dedup_by(|a, b| (a.span, a.severity, &a.message) == (b.span, b.severity, &b.message));
        self.errors = self.all.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    }

    /// Whether the program is refused.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter()
    }

    /// All as text, a blank line between two.
    pub fn render(&self, sources: &Sources, styled: bool) -> String {
        let mut text = String::new();
        for diagnostic in &self.all {
            text.push_str(&render(diagnostic, sources, styled));
        }
        text
    }
}

/// How many characters of a line are shown.
const WIDTH: usize = 160;

/// One diagnostic as text.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, styled: bool) -> String {
    let (what, level) = match diagnostic.severity {
        Severity::Error => ("error", Level::ERROR),
        Severity::Warning => ("warning", Level::WARNING),
    };
    let mut text = format!("{}: {what}: {}\n", sources.place(diagnostic.span), diagnostic.message);
    text.push_str(&snippet(diagnostic.span, None, level.clone(), sources, styled));
    for (span, why) in &diagnostic.related {
        let elsewhere = (span.file != diagnostic.span.file).then(|| format!(" ({})", sources.place(*span)));
        let label = format!("{why}{}", elsewhere.unwrap_or_default());
        text.push_str(&snippet(*span, Some(&label), level.clone(), sources, styled));
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(text, "  = help: {help}");
    }
    text.push('\n');
    text
}

/// The first line of a span, with the span marked. Long lines are cut around it.
fn snippet(span: Span, label: Option<&str>, level: Level<'_>, sources: &Sources, styled: bool) -> String {
    let source = sources.get(span.file);
    let position = source.position(span.start);
    let line = source.line(position.line);
    let start = span.start as usize - source.line_start(position.line);
    let end = (span.end as usize - source.line_start(position.line)).clamp(start, line.len().max(start));
    let (cut, shift) = cut(line, start.min(line.len()));
    let range = start.min(line.len()).saturating_sub(shift)..end.min(line.len()).saturating_sub(shift).min(cut.len());
    let marked = AnnotationKind::Primary.span(range.start..range.end.max(range.start));
    let marked = match label {
        Some(label) => marked.label(label),
        None => marked,
    };
    let snippet = Snippet::source(cut).line_start(position.line as usize).annotation(marked);
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.render(&[Group::with_level(level).element(snippet)]);
    text.push('\n');
    text
}

/// The part of a line around a byte, and where it begins.
fn cut(line: &str, at: usize) -> (&str, usize) {
    if line.len() <= 2 * WIDTH {
        return (line, 0);
    }
    let boundary = |mut byte: usize| {
        while !line.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    };
    let from = boundary(at.saturating_sub(WIDTH));
    (&line[from..boundary((at + WIDTH).min(line.len()))], from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn shows_the_line_and_marks_the_span() {
        let mut sources = Sources::default();
        let file = sources.add(Source::new("dir/a.p", "event e;\nevent e: int;\n"));
        let span = |start, end| Span { file, start, end };
        let diagnostic = Diagnostic::error(span(15, 16), "the event `e` is declared twice")
            .related(span(6, 7), "first declared here")
            .help("rename one of them");
        let text = render(&diagnostic, &sources, false);
        assert!(text.starts_with("dir/a.p:2:7: error: the event `e` is declared twice\n"), "{text}");
        assert!(text.contains("2 | event e: int;") && text.contains("first declared here"), "{text}");
        assert!(text.ends_with("  = help: rename one of them\n\n"), "{text}");
    }

    #[test]
    fn long_lines_are_cut() {
        let mut sources = Sources::default();
        let file = sources.add(Source::new("a.p", &"é".repeat(100_000)));
        let text = render(&Diagnostic::error(Span { file, start: 100_000, end: 200_000 }, "bad"), &sources, false);
        assert!(text.len() < 4_000 && text.starts_with("a.p:1:50001: error: bad"), "{}", text.len());
    }

    #[test]
    fn the_end_of_a_file_has_a_place() {
        let mut sources = Sources::default();
        for source in ["", "x", "x\n", "\r\n\r\n"] {
            let file = sources.add(Source::new("a.p", source));
            let end = source.len() as u32;
            assert!(
                render(&Diagnostic::error(Span { file, start: end, end }, "bad"), &sources, false)
                    .contains("error: bad")
            );
        }
    }
}
