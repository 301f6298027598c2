//! The style of text: width, characters and colours.

/// The capabilities of the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// The longest line, in columns of the terminal. A chart of many processes is never narrower than 40.
    pub width: usize,
    /// Whether to colour with ANSI escapes.
    pub color: bool,
    /// Whether characters beyond ASCII may be used; if not, those in messages are escaped.
    pub unicode: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { width: 100, color: false, unicode: true }
    }
}

impl Style {
    pub(crate) fn glyphs(&self) -> &'static Glyphs {
        if self.unicode { &UNICODE } else { &ASCII }
    }

    /// `text` in the colours of `paint`.
    pub(crate) fn paint(&self, text: &str, paint: Paint) -> String {
        match paint.code() {
            Some(code) if self.color => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_string(),
        }
    }
}

/// The role of a piece of text, which determines its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paint {
    /// Ordinary text.
    #[default]
    Plain,
    /// Lifelines and source locations, in the background.
    Faint,
    /// Names.
    Strong,
    /// Failures.
    Bad,
    /// Success.
    Good,
}

impl Paint {
    fn code(self) -> Option<&'static str> {
        match self {
            Paint::Plain => None,
            Paint::Faint => Some("2"),
            Paint::Strong => Some("1"),
            Paint::Bad => Some("1;31"),
            Paint::Good => Some("1;32"),
        }
    }
}

/// The characters of a chart, each one column wide unless it is text.
pub struct Glyphs {
    pub lifeline: &'static str,
    /// A column whose process does not exist yet.
    pub not_spawned: &'static str,
    pub spawned: &'static str,
    pub ended: &'static str,
    pub leave_right: &'static str,
    pub leave_left: &'static str,
    pub crossing: &'static str,
    pub line: &'static str,
    pub dashes: &'static str,
    /// Arrow heads, right and left: a message that arrives.
    pub arrives: [&'static str; 2],
    /// Arrow heads, right and left: a message on its way.
    pub leaves: [&'static str; 2],
    pub bad: &'static str,
    pub good: &'static str,
    pub choice: &'static str,
    pub timeout: &'static str,
    pub lost: &'static str,
    pub point: &'static str,
    pub ellipsis: &'static str,
    pub arrow: &'static str,
    pub then: &'static str,
}

const UNICODE: Glyphs = Glyphs {
    lifeline: "│",
    not_spawned: "·",
    spawned: "┬",
    ended: "┴",
    leave_right: "├",
    leave_left: "┤",
    crossing: "┼",
    line: "─",
    dashes: "╌",
    arrives: ["▶", "◀"],
    leaves: ["▷", "◁"],
    bad: "✗",
    good: "✓",
    choice: "◆",
    timeout: "◷",
    lost: "⊘",
    point: "●",
    ellipsis: "…",
    arrow: "→",
    then: "▸",
};

const ASCII: Glyphs = Glyphs {
    lifeline: "|",
    not_spawned: ".",
    spawned: "+",
    ended: "+",
    leave_right: "|",
    leave_left: "|",
    crossing: "+",
    line: "-",
    dashes: "-",
    arrives: [">", "<"],
    leaves: [")", "("],
    bad: "X",
    good: "ok",
    choice: "?",
    timeout: "T",
    lost: "~",
    point: "*",
    ellipsis: "...",
    arrow: "->",
    then: ">",
};
