//! What is printed, and when it has colours: on a terminal, unless `NO_COLOR` is set or the terminal cannot show them.

use manyworlds_report::Style;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// Why something could not be printed.
static UNPRINTED: OnceLock<String> = OnceLock::new();

/// How to draw on stdout.
pub fn style() -> Style {
    Style { color: shows_colors(std::io::stdout().is_terminal()), ..Style::default() }
}

/// Prints a line; a reader that went away is no reason to panic.
pub fn print_line(text: &str) {
    let mut out = std::io::stdout();
    let printed = writeln!(out, "{text}").and_then(|()| out.flush());
    if let Err(problem) = printed
        && problem.kind() != ErrorKind::BrokenPipe
    {
        let _ = UNPRINTED.set(format!("standard output cannot be written: {problem}"));
    }
}

/// Why something that was to be printed is lost, if it is; not because its reader went away.
pub(super) fn unprinted() -> Option<&'static str> {
    UNPRINTED.get().map(String::as_str)
}

/// Says what is wrong.
pub fn complain(complaint: &str) {
    let error = if shows_colors(std::io::stderr().is_terminal()) { "\x1b[1m\x1b[31merror:\x1b[0m" } else { "error:" };
    let _ = writeln!(std::io::stderr(), "{error} {complaint}");
}

/// Help, the version, or what is wrong with an argument: its own printer would also ask variables that nothing else here asks.
pub fn print_message(message: &clap::Error) {
    let text = message.render();
    let terminal = if message.use_stderr() { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() };
    let text = if shows_colors(terminal) { text.ansi().to_string() } else { text.to_string() };
    // A reader that went away is no reason to panic.
    let _ = match message.use_stderr() {
        true => write!(std::io::stderr(), "{text}"),
        false => write!(std::io::stdout(), "{text}"),
    };
}

/// Says something by the way.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "note: {text}");
}

fn shows_colors(terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}
