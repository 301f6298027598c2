//! Maps of texts of many kinds: 20 to 200 clients, 1 to 20 keys, several mixes of gets, puts and appends; correct ones, and ones with one wrong read.

use super::cases::{Case, map};
use super::generate::{self, Dice, MapHistory, Mix, Shape};
use manyworlds::linear::History;
use manyworlds::linear::specs::map::{Operation, Response};

/// What is wrong with a read.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    /// It has a text that was never written.
    Foreign,
    /// It has the text of a much earlier read of the same key.
    Stale,
    /// Two appended texts are in the wrong order.
    Swapped,
}

/// Of a hundred operations, how many are gets and how many are puts; the others append.
const MIXES: [Mix; 5] = [
    Mix { gets: 40, puts: 20, keys: 0 },
    Mix { gets: 30, puts: 0, keys: 0 },
    Mix { gets: 50, puts: 50, keys: 0 },
    Mix { gets: 10, puts: 10, keys: 0 },
    Mix { gets: 80, puts: 10, keys: 0 },
];

/// Every number of clients with every number of keys and every mix, correct and wrong.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for clients in [20, 50, 100, 200] {
        for keys in [1, 5, 20] {
            for (number, mix) in MIXES.iter().enumerate() {
                let seed = (clients as u64) << 16 | keys << 8 | number as u64;
                let mix = Mix { keys, ..*mix };
                let shape =
                    Shape { clients, operations: 1_000, values: 0, writes: 0, cas: 0, lost: 0, wrong: false, seed };
                let history = generate::mixed_map(shape, mix);
                let wrong = [Wrong::Foreign, Wrong::Stale, Wrong::Swapped][(number + keys as usize + clients / 10) % 3];
                let name = format!(
                    "{clients} clients, keys: {keys}, get {} put {} append {}",
                    mix.gets,
                    mix.puts,
                    100 - mix.gets - mix.puts
                );
                cases.extend(corrupted(&history, wrong, seed).map(|bad| map(format!("{name}, {wrong:?}"), bad)));
                cases.push(map(name, history));
            }
        }
    }
    cases
}

/// The history with one wrong read in its second half, if some read can be made wrong like this.
fn corrupted(history: &MapHistory, wrong: Wrong, seed: u64) -> Option<MapHistory> {
    let mut operations = history.operations().to_vec();
    let half = operations.len() / 2;
    let start = half + Dice::new(seed).below(half as u64 / 2) as usize;
    for number in start..operations.len() {
        let (Operation::Get(key), Some(Response::Got(Some(text)))) =
            (&operations[number].operation, &operations[number].response)
        else {
            continue;
        };
        let changed = match wrong {
            Wrong::Foreign => Some(format!("{text}!")),
            Wrong::Stale => {
                operations[..number / 2].iter().find_map(|earlier| match (&earlier.operation, &earlier.response) {
                    (Operation::Get(other), Some(Response::Got(Some(stale)))) if other == key && stale != text => {
                        Some(stale.clone())
                    }
                    _ => None,
                })
            }
            Wrong::Swapped => swapped(text),
        };
        if let Some(changed) = changed {
            operations[number].response = Some(Response::Got(Some(changed)));
            return Some(History::from_operations(operations));
        }
    }
    None
}

/// The text with the last two appended texts swapped, if there are two.
fn swapped(text: &str) -> Option<String> {
    let mut starts = text.rmatch_indices('x').map(|(at, _)| at);
    let (last, before) = (starts.next()?, starts.next()?);
    // The first text may have been put.
    (before > 0).then(|| format!("{}{}{}", &text[..before], &text[last..], &text[before..last]))
}
