//! EDN maps, usually one per line: `{:process 2, :type :invoke, :f :get, :key "0", :value nil}`, with `get`, `put`, `append` and `delete` on strings
//! that are initially empty. Otherwise as in [`knossos`](super::knossos), except that every operation has a key.

use super::edn::{Edn, items};
use super::knossos::{event, field, process};
use crate::recorded::{BadLine, Recorded};
use crate::value::Value;

const EXPECTED: &str = "expected a map as in {:process 2, :type :invoke, :f :get, :key \"0\", :value nil}";

/// The operations of this format.
const OPERATIONS: [&str; 4] = ["get", "put", "append", "delete"];

/// Whether an entry is an operation of this format.
pub fn is_entry(entry: &Edn) -> bool {
    let known = matches!(entry.get("f"), Some(Edn::Keyword(name)) if OPERATIONS.contains(&name.as_str()));
    known && entry.get("key").is_some()
}

/// Reads a file.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded { initial: Some(Value::Str(String::new())), ..Recorded::default() };
    let entries = items(text).map_err(|bad| BadLine::new(bad.line, format!("{}; {EXPECTED}", bad.problem)))?;
    for (line, entry) in entries {
        if !matches!(entry, Edn::Map(..)) {
            return Err(BadLine::new(line, EXPECTED));
        }
        if process(&entry, line)?.is_some() && entry.get("type") == Some(&Edn::Keyword("invoke".to_string())) {
            field(&entry, line, "key")?;
        }
        event(&mut recorded, line, &entry)?;
    }
    Ok(recorded.finished())
}
