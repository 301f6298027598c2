//! Source locations short enough for a margin: `crates/x/src/node.rs:41:9` becomes `node.rs:41`.

use crate::style::Style;

/// File names that say nothing without their directory.
const PLAIN: [&str; 3] = ["mod.rs", "lib.rs", "main.rs"];

/// The file and the line of a location.
fn split(location: &str) -> (String, String) {
    let mut parts = location.rsplitn(3, ':');
    let (file, line) = match (parts.next(), parts.next(), parts.next()) {
        (Some(_column), Some(line), Some(file)) => (file, line),
        (Some(line), Some(file), None) => (file, line),
        _ => (location, ""),
    };
    let mut components = file.rsplit(['/', '\\']);
    let name = components.next().unwrap_or(file);
    match components.next() {
        Some(directory) if PLAIN.contains(&name) => (format!("{directory}/{name}"), line.to_string()),
        _ => (name.to_string(), line.to_string()),
    }
}

/// The path and the line of `file:line:column` or `file:line`, if it is one.
pub fn file_and_line(location: &str) -> Option<(&str, usize)> {
    let (rest, last) = location.rsplit_once(':')?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some(found) => Some(found),
        None => Some((rest, last.parse().ok()?)),
    }
}

fn join(file: &str, line: &str) -> String {
    if line.is_empty() { file.to_string() } else { format!("{file}:{line}") }
}

/// The margin's text for a step.
pub fn short(location: Option<&str>) -> String {
    location.map_or_else(String::new, |location| {
        let (file, line) = split(location);
        join(&file, &line)
    })
}

/// The margin's text for a send and its receive.
pub fn both(from: Option<&str>, to: Option<&str>, style: &Style) -> String {
    let (Some(from_place), Some(to_place)) = (from, to) else { return short(from.or(to)) };
    let ((file, line), (to_file, to_line)) = (split(from_place), split(to_place));
    let then = style.glyphs().then;
    match file == to_file && !to_line.is_empty() {
        true => format!("{} {then} {to_line}", join(&file, &line)),
        false => format!("{} {then} {}", join(&file, &line), join(&to_file, &to_line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_and_the_line_can_be_told_apart() {
        assert_eq!(file_and_line("a/n.rs:4:9"), Some(("a/n.rs", 4)));
        assert_eq!(file_and_line("a/n.rs:4"), Some(("a/n.rs", 4)));
        assert_eq!(file_and_line("C:\\n.rs:4:9"), Some(("C:\\n.rs", 4)));
        assert_eq!(file_and_line("somewhere"), None);
        assert_eq!(file_and_line("n.rs:x"), None);
    }

    #[test]
    fn directories_go_unless_they_say_something() {
        assert_eq!(short(Some("crates/x/src/node.rs:41:9")), "node.rs:41");
        assert_eq!(short(Some("crates/x/src/sync/mod.rs:7:1")), "sync/mod.rs:7");
        assert_eq!(short(Some("node.rs:41")), "node.rs:41");
        assert_eq!(short(Some("somewhere")), "somewhere");
        assert_eq!(short(None), "");
        assert_eq!(both(Some("a/n.rs:4:9"), Some("a/n.rs:8:1"), &Style::default()), "n.rs:4 ▸ 8");
        assert_eq!(both(Some("a/n.rs:4:9"), Some("a/m.rs:8:1"), &Style::default()), "n.rs:4 ▸ m.rs:8");
        assert_eq!(both(None, Some("a/m.rs:8:1"), &Style::default()), "m.rs:8");
    }
}
