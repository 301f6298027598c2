//! Did you mean …?

use strsim::levenshtein;

/// At most so many names are suggested.
const MOST: usize = 3;

/// What to add to a complaint about `word`: the names that may have been meant, or nothing.
pub fn did_you_mean<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    match suggestions(word, names).as_slice() {
        [] => String::new(),
        [name] => format!(". Did you mean `{name}`?"),
        [names @ .., last] => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(". Did you mean {} or `{last}`?", names.join(", "))
        }
    }
}

/// The name closest to `word`, if one is close; otherwise names of which `word` is a part. Capital letters do not count.
fn suggestions<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (word, names) = (word.to_lowercase(), names.collect::<Vec<&str>>());
    let distance = |name: &str| levenshtein(&word, &name.to_lowercase());
    let close = names.iter().copied().filter(|name| distance(name) <= limit(&word));
    let closest = close.min_by_key(|name| (distance(name), *name));
    match closest {
        Some(name) => vec![name],
        None => names.into_iter().filter(|name| has_part(&name.to_lowercase(), &word)).take(MOST).collect(),
    }
}

/// Of a short word enough must be left to recognise it.
fn limit(word: &str) -> usize {
    match word.chars().count() {
        0..=1 => 0,
        2..=3 => 1,
        n => (n / 3).max(2),
    }
}

/// Whether one of the words that `name` is made of begins like `part`.
fn has_part(name: &str, part: &str) -> bool {
    let begins = |(at, _): (usize, &str)| at == 0 || !name[..at].ends_with(char::is_alphanumeric);
    part.chars().count() > 1 && name.match_indices(part).any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let models = |word| {
            suggestions(word, ["two-phase-commit", "ns+nr", "ns+r", "open-chord", "2pc-tla", "2pc-tla-bug"].into_iter())
        };
        assert_eq!(models("two-phase-comit"), ["two-phase-commit"]);
        assert_eq!(models("nsnr"), ["ns+nr"]);
        assert_eq!(models("NS+NR"), ["ns+nr"]);
        assert_eq!(models("chord"), ["open-chord"]);
        assert_eq!(models("two"), ["two-phase-commit"]);
        assert_eq!(models("2pc"), ["2pc-tla", "2pc-tla-bug"]);
        assert!(models("raft").is_empty() && models("hase").is_empty() && models("").is_empty());
        let networks = |word| suggestions(word, ["asyn", "p2p", "cd", "mbox"].into_iter());
        assert_eq!(networks("p2"), ["p2p"]);
        assert_eq!(networks("MBOX"), ["mbox"]);
        assert!(networks("tcp").is_empty());
        assert_eq!(suggestions("N", ["n"].into_iter()), ["n"]);
        assert!(suggestions("m", ["n"].into_iter()).is_empty());
    }

    #[test]
    fn says_what_was_meant() {
        let names = ["2pc-tla", "2pc-tla-bug"];
        assert_eq!(did_you_mean("2pc-tl", names.into_iter()), ". Did you mean `2pc-tla`?");
        assert_eq!(did_you_mean("2pc", names.into_iter()), ". Did you mean `2pc-tla` or `2pc-tla-bug`?");
        assert_eq!(did_you_mean("x", names.into_iter()), "");
    }
}
