//! Paths as traces.

use crate::worlds::Worlds;
use manyworlds_explore::{Narration, Path};

/// A path for people.
pub fn narrate(worlds: &Worlds, path: &Path<Worlds>) -> Narration {
    let _ = worlds;
    Narration::plain(path)
}
