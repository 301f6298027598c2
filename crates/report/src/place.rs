//! Source locations short enough for a margin: `crates/x/src/node.rs:41:9` becomes `node.rs:41`.

use crate::style::Style;
use manyworlds_core::Location;

/// File names that are ambiguous without their directory.
const PLAIN: [&str; 3] = ["mod.rs", "lib.rs", "main.rs"];

/// The name of the file, with its directory if the name is ambiguous.
fn file(location: &Location) -> String {
    let mut components = location.file.rsplit(['/', '\\']);
    let name = components.next().unwrap_or_default();
    match components.next() {
        Some(directory) if PLAIN.contains(&name) => format!("{directory}/{name}"),
        _ => name.to_string(),
    }
}

/// The text in the margin for a step.
pub fn short(location: Option<&Location>) -> String {
    location.map_or_else(String::new, |location| match location.line {
        0 => file(location),
        line => format!("{}:{line}", file(location)),
    })
}

/// The text in the margin for a send and its receive.
pub fn both(from: Option<&Location>, to: Option<&Location>, style: &Style) -> String {
    let (Some(sent), Some(received)) = (from, to) else { return short(from.or(to)) };
    let then = style.glyphs().then;
    match file(sent) == file(received) && received.line != 0 {
        true => format!("{} {then} {}", short(from), received.line),
        false => format!("{} {then} {}", short(from), short(to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_removed_unless_the_file_name_is_ambiguous() {
        let at = Location::parse;
        assert_eq!(short(Some(&at("crates/x/src/node.rs:41:9"))), "node.rs:41");
        assert_eq!(short(Some(&at("crates/x/src/sync/mod.rs:7:1"))), "sync/mod.rs:7");
        assert_eq!(short(Some(&at("node.rs:41"))), "node.rs:41");
        assert_eq!(short(Some(&at("somewhere"))), "somewhere");
        assert_eq!(short(None), "");
        let both = |from: Option<&str>, to: Option<&str>| {
            let [from, to] = [from, to].map(|text| text.map(at));
            super::both(from.as_ref(), to.as_ref(), &Style::default())
        };
        assert_eq!(both(Some("a/n.rs:4:9"), Some("a/n.rs:8:1")), "n.rs:4 ▸ 8");
        assert_eq!(both(Some("a/n.rs:4:9"), Some("a/m.rs:8:1")), "n.rs:4 ▸ m.rs:8");
        assert_eq!(both(None, Some("a/m.rs:8:1")), "m.rs:8");
    }
}
