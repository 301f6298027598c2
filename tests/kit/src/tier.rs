//! How many cases run, and from which seed.

use std::io::Write;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// How many times as many cases a long run has.
const LONG: f64 = 20.0;

/// The seed of runs that are not long and were not given one.
const SEED: u64 = 20_260_101;

/// What the environment says.
struct Tier {
    factor: f64,
    seed: u64,
}

/// Reads the values of the two variables. A new seed is asked for only if a long run has none.
fn read(cases: Option<&str>, seed: Option<&str>, fresh: impl FnOnce() -> u64) -> Result<Tier, String> {
    let long = cases == Some("long");
    let factor = match cases {
        None => 1.0,
        Some("long") => LONG,
        Some(text) => text
            .parse()
            .ok()
            .filter(|factor: &f64| factor.is_finite() && *factor > 0.0)
            .ok_or_else(|| format!("MANYWORLDS_TEST_CASES is `{text}`; expected a factor above 0, or `long`"))?,
    };
    let seed = match seed {
        None if long => fresh(),
        None => SEED,
        Some(text) => text.parse().map_err(|_| format!("MANYWORLDS_TEST_SEED is `{text}`; expected a whole number"))?,
    };
    Ok(Tier { factor, seed })
}

fn tier() -> &'static Tier {
    static TIER: OnceLock<Tier> = OnceLock::new();
    TIER.get_or_init(|| {
        let variable = |name| std::env::var(name).ok();
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let given = (variable("MANYWORLDS_TEST_CASES"), variable("MANYWORLDS_TEST_SEED"));
        let tier = read(given.0.as_deref(), given.1.as_deref(), clock).unwrap_or_else(|wrong| panic!("{wrong}"));
        // Not by `eprintln`, which the test harness keeps back.
        let told =
            writeln!(std::io::stderr(), "random cases: {} times, MANYWORLDS_TEST_SEED={}", tier.factor, tier.seed);
        drop(told);
        tier
    })
}

/// How many cases run where `usual` of them do in an ordinary run; at least one.
pub fn cases(usual: u32) -> u32 {
    (f64::from(usual) * tier().factor).ceil() as u32
}

/// The seed of this run.
pub fn seed() -> u64 {
    tier().seed
}

/// The seed of one test: different tests draw different cases.
pub fn seed_of(test: &str) -> u64 {
    // FNV-1a: the same in every build, which the hashers of the standard library do not promise.
    test.bytes()
        .fold(seed() ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(cases: Option<&str>, seed: Option<&str>) -> Result<(f64, u64), String> {
        read(cases, seed, || 99).map(|tier| (tier.factor, tier.seed))
    }

    #[test]
    fn the_environment_decides() {
        assert_eq!(given(None, None), Ok((1.0, SEED)));
        assert_eq!(given(Some("0.1"), Some("7")), Ok((0.1, 7)));
        assert_eq!(given(Some("long"), None), Ok((LONG, 99)));
        assert_eq!(given(Some("long"), Some("7")), Ok((LONG, 7)));
        for wrong in ["", "many", "0", "-1", "inf", "NaN"] {
            assert!(given(Some(wrong), None).is_err(), "{wrong}");
        }
        assert!(given(None, Some("soon")).is_err());
    }
}
