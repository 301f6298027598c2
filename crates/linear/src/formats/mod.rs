//! Recorded histories as files: one file a format. Each format has its own rule for operations that failed.

pub mod edn;
pub mod etcd;
pub mod json;
pub mod knossos;
pub mod kv;

use crate::recorded::{BadLine, Recorded};
use std::fmt;
use std::str::FromStr;

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Logs of Jepsen runs against etcd; see [`etcd`].
    Etcd,
    /// A map a line, with keys; see [`kv`].
    Kv,
    /// Histories of Jepsen and Knossos; see [`knossos`].
    Knossos,
    /// Ours; see [`json`].
    Json,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 4] = [Format::Etcd, Format::Kv, Format::Knossos, Format::Json];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Etcd => "etcd",
            Format::Kv => "kv",
            Format::Knossos => "knossos",
            Format::Json => "json",
        }
    }

    /// The format that a file seems to have, by its first line that says anything.
    pub fn recognize(text: &str) -> Option<Format> {
        if text.lines().any(|line| line.contains(etcd::MARK)) {
            return Some(Format::Etcd);
        }
        let mut lines = text.lines().map(str::trim_start);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(';'))?;
        match first.as_bytes() {
            [b'{', ..] if first[1..].trim_start().starts_with('"') => Some(Format::Json),
            [b'{', ..] if edn::parse_line(first, 1).is_ok_and(|entry| entry.get("key").is_some()) => Some(Format::Kv),
            [b'{' | b'[' | b'(' | b'#', ..] => Some(Format::Knossos),
            [b'I', b'N', b'F', b'O', ..] => Some(Format::Etcd),
            _ => None,
        }
    }

    /// Reads a file of this format.
    pub fn read(self, text: &str) -> Result<Recorded, BadLine> {
        match self {
            Format::Etcd => etcd::read(text),
            Format::Kv => kv::read(text),
            Format::Knossos => knossos::read(text),
            Format::Json => json::read(text),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| format!("unknown format `{name}`: expected etcd, kv, knossos or json"))
    }
}
