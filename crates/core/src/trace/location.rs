//! Places in source code.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A place in source code. In files it is written `file:line:column`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Location {
    /// The path of the file, as the compiler knows it.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

impl Location {
    /// Reads `file:line:column`, `file:line` or the name of a file.
    pub fn parse(text: &str) -> Location {
        let number = |text: &str| text.parse::<u32>().ok().filter(|&n| n > 0);
        let split = |text: &str| text.rsplit_once(':').and_then(|(rest, n)| Some((rest.to_string(), number(n)?)));
        match split(text) {
            Some((rest, last)) => match split(&rest) {
                Some((file, line)) => Location { file, line, column: last },
                None => Location { file: rest, line: last, column: 0 },
            },
            None => Location { file: text.to_string(), line: 0, column: 0 },
        }
    }
}

impl FromStr for Location {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Location, Self::Err> {
        Ok(Location::parse(text))
    }
}

impl From<&std::panic::Location<'_>> for Location {
    fn from(place: &std::panic::Location<'_>) -> Location {
        Location { file: place.file().to_string(), line: place.line(), column: place.column() }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match (self.line, self.column) {
            (0, _) => Ok(()),
            (line, 0) => write!(f, ":{line}"),
            (line, column) => write!(f, ":{line}:{column}"),
        }
    }
}

impl Serialize for Location {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Location {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Location, D::Error> {
        String::deserialize(deserializer).map(|text| Location::parse(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_line_and_column_are_told_apart() {
        let place = |file: &str, line, column| Location { file: file.to_string(), line, column };
        for (text, read) in [
            ("a/n.rs:4:9", place("a/n.rs", 4, 9)),
            ("a/n.rs:4", place("a/n.rs", 4, 0)),
            ("C:\\n.rs:4:9", place("C:\\n.rs", 4, 9)),
            ("somewhere", place("somewhere", 0, 0)),
            ("n.rs:x", place("n.rs:x", 0, 0)),
            ("n.rs:0:7", place("n.rs:0", 7, 0)),
        ] {
            assert_eq!((Location::parse(text), read.to_string()), (read, text.to_string()));
        }
    }
}
