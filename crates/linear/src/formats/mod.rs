//! File formats of recorded histories: one module per format. Each format has its own rule for operations that failed.

pub mod debug;
pub mod edn;
pub mod etcd;
pub mod json;
pub mod knossos;
pub mod kv;
pub mod trace;
pub mod tuples;

use crate::recorded::{BadLine, Recorded};
use std::fmt;
use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Logs of Jepsen runs against etcd; see [`etcd`].
    Etcd,
    /// EDN maps with keys, usually one per line; see [`kv`].
    Kv,
    /// Histories of Jepsen and Knossos; see [`knossos`].
    Knossos,
    /// The JSON format of this project; see [`json`].
    Json,
    /// The history in a trace; see [`trace`].
    Trace,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [Format::Etcd, Format::Kv, Format::Knossos, Format::Json, Format::Trace];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Etcd => "etcd",
            Format::Kv => "kv",
            Format::Knossos => "knossos",
            Format::Json => "json",
            Format::Trace => "trace",
        }
    }

    /// Guesses the format of a file.
    pub fn recognize(text: &str) -> Option<Format> {
        if json::is_json(text) {
            return Some(if trace::is_trace(text) { Format::Trace } else { Format::Json });
        }
        if text.lines().any(|line| line.contains(etcd::MARK)) {
            return Some(Format::Etcd);
        }
        let mut lines = text.lines().map(str::trim_start);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(';'))?;
        match first.as_bytes() {
            [b'{' | b'[' | b'(' | b'#', ..] => {
                // Entries of the nemesis may precede those of clients.
                let client = edn::first(text, |entry| matches!(entry.get("process"), Some(edn::Edn::Int(_))));
                Some(if client.is_some_and(|entry| kv::is_entry(&entry)) { Format::Kv } else { Format::Knossos })
            }
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
            Format::Trace => trace::read(text),
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
            .ok_or_else(|| format!("unknown format `{name}`: expected etcd, kv, knossos, json or trace"))
    }
}
