//! Compression of long page data (LZ77).
//!
//! A trace contains many repetitions: a state is mostly equal to the previous one, and a receive contains the message of its send. A long text becomes a
//! list of pieces, which are texts and pairs *(start, length)* that refer to text that was unpacked before. The compression is lossless. Starts and lengths
//! are in UTF-16 code units, as in JavaScript.

use serde_json::{Value, json};
use std::collections::HashMap;

/// Shorter data are not packed, so that they remain readable.
const LONG: usize = 1 << 19;
/// The least length of a repetition; for a shorter one the pair would not be worthwhile.
const LEAST: usize = 24;
/// The distance between the indexed positions of earlier text; a repetition that is found is extended in both directions.
const STRIDE: usize = 8;

/// The data as they are stored in the page: unchanged, or as `{"units": …, "packed": […]}`.
pub fn packed(text: String) -> String {
    match text.len() > LONG {
        true => json!({ "units": text.encode_utf16().count(), "packed": pieces(&text) }).to_string(),
        false => text,
    }
}

fn pieces(text: &str) -> Vec<Value> {
    let chars: Vec<char> = text.chars().collect();
    let units: Vec<usize> = std::iter::once(0)
        .chain(chars.iter().scan(0, |sum, c| {
            *sum += c.len_utf16();
            Some(*sum)
        }))
        .collect();
    let mut known: HashMap<&[char], usize> = HashMap::new();
    let (mut pieces, mut written, mut at, mut indexed) = (Vec::new(), 0, 0, 0);
    while at + LEAST <= chars.len() {
        while indexed + LEAST <= at {
            known.insert(&chars[indexed..indexed + LEAST], indexed);
            indexed += STRIDE;
        }
        let Some(&found) = known.get(&chars[at..at + LEAST]) else {
            at += 1;
            continue;
        };
        let back = (0..(at - written).min(found)).take_while(|n| chars[at - 1 - n] == chars[found - 1 - n]).count();
        let ahead = (at..chars.len()).zip(found..).take_while(|&(here, there)| chars[here] == chars[there]).count();
        let (start, end) = (at - back, at + ahead);
        if written < start {
            pieces.push(Value::from(String::from_iter(&chars[written..start])));
        }
        pieces.push(json!([units[found - back], units[end] - units[start]]));
        (written, at) = (end, end);
    }
    pieces.push(Value::from(String::from_iter(&chars[written..])));
    pieces
}

/// Unpacks data in the same way as the script of the page.
#[cfg(test)]
pub fn unpacked(data: &Value) -> Option<String> {
    let mut units: Vec<u16> = Vec::new();
    for piece in data["packed"].as_array()? {
        match piece.as_str() {
            Some(text) => units.extend(text.encode_utf16()),
            None => {
                let [from, count] = [0, 1].map(|i| piece[i].as_u64().expect("a pair of numbers") as usize);
                (from..from + count).for_each(|place| units.push(units[place]));
            }
        }
    }
    assert_eq!(data["units"].as_u64(), Some(units.len() as u64));
    Some(String::from_utf16(&units).expect("no character is cut"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds_testkit::random;
    use proptest::prelude::*;

    fn round(text: &str) -> (String, usize) {
        let pieces = pieces(text);
        let data = json!({ "units": text.encode_utf16().count(), "packed": pieces });
        (unpacked(&data).unwrap(), data.to_string().len())
    }

    #[test]
    fn repetitions_are_packed() {
        let text = "State { log: [1, 2, 3], leader: 🦀, peers: {p1, p2} } ".repeat(1000);
        let (again, size) = round(&text);
        assert_eq!(again, text);
        assert!(size < 300, "{size} bytes");
        assert_eq!(packed("{}".to_string()), "{}");
    }

    random! {
        #![cases = 250]

        #[test]
        fn unpacking_restores_the_text(words in proptest::collection::vec(0..6usize, 0..200)) {
            let parts = ["é", "🦀🦀", "Entry { term: 1, value: \"a\" }, ", "log: [Entry { term: 2 }], ", "\u{2028}", "x"];
            let text: String = words.iter().map(|&word| parts[word]).collect();
            prop_assert_eq!(round(&text).0, text);
        }
    }
}
