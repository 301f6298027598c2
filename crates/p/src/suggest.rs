//! Did you mean …?

use strsim::levenshtein;

/// What to add to a complaint about `word`: the closest of the names, if it is close, or nothing.
pub fn did_you_mean<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    // The distance takes quadratic time, and nobody means a name of that length.
    if word.len() > 64 {
        return String::new();
    }
    let lower = word.to_lowercase();
    let near = names
        .filter(|name| name.len() <= 64)
        .map(|name| (levenshtein(&lower, &name.to_lowercase()), name))
        .filter(|&(distance, name)| distance <= limit(&lower) && name != word);
    near.min().map_or(String::new(), |(_, name)| format!("did you mean `{name}`?"))
}

/// How many letters may differ.
fn limit(word: &str) -> usize {
    match word.len() {
        0..=1 => 0,
        2..=3 => 1,
        n => (n / 3).max(2),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn suggests_what_is_close() {
        let names = ["eRequest", "eResponse", "Server"];
        assert_eq!(did_you_mean("eRequst", names.into_iter()), "did you mean `eRequest`?");
        assert_eq!(did_you_mean("server", names.into_iter()), "did you mean `Server`?");
        assert_eq!(did_you_mean("Timer", names.into_iter()), "");
    }
}
