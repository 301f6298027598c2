//! Did you mean …?

/// What to add to a complaint about `word`: the name that was meant, or nothing.
pub fn did_you_mean<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    closest(word, names).map(|near| format!(". Did you mean `{near}`?")).unwrap_or_default()
}

/// The name closest to `word`, if one is close. Of a short word enough must be left to recognise it.
fn closest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        0..=1 => 0,
        2..=3 => 1,
        n => (n / 3).max(2),
    };
    names.map(|name| (distance(word, name), name)).filter(|(d, _)| *d <= limit).min().map(|(_, name)| name)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["two-phase-commit", "ns+nr", "ns+r"];
        assert_eq!(closest("two-phase-comit", names.into_iter()), Some("two-phase-commit"));
        assert_eq!(closest("nsnr", names.into_iter()), Some("ns+nr"));
        assert_eq!(closest("raft", names.into_iter()), None);
        assert_eq!(closest("tcp", ["asyn", "p2p", "cd", "mbox"].into_iter()), None);
        assert_eq!(closest("p2", ["asyn", "p2p", "cd", "mbox"].into_iter()), Some("p2p"));
        assert_eq!(closest("m", ["n"].into_iter()), None);
        assert_eq!(did_you_mean("two-phase-comit", names.into_iter()), ". Did you mean `two-phase-commit`?");
    }
}
