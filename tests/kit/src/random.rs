//! A comparison on random cases, and how often it was really made.

use crate::tier::{cases, seed, seed_of};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestCaseError, TestRunner};
use std::cell::Cell;

/// A random test: how many cases it has, and how many of them must be compared.
///
/// ```
/// # use manyworlds_testkit::Random;
/// let compared = Random::new("an even number has an even square").cases(100).compared(30).run(&(0..1000u32), |n| {
///     if n % 2 == 1 {
///         return Ok(0); // Nothing to compare: this does not count.
///     }
///     assert_eq!(n * n % 2, 0);
///     Ok(1)
/// });
/// assert!(compared >= 30);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Random {
    name: &'static str,
    cases: u32,
    percent: u64,
    shrinks: u32,
    regressions: Option<&'static str>,
}

impl Random {
    /// A test with 250 cases in an ordinary run, all of which must be compared. Each name has its own sequence of cases.
    pub const fn new(name: &'static str) -> Random {
        Random { name, cases: 250, percent: 100, shrinks: 5_000, regressions: None }
    }

    /// So many cases in an ordinary run.
    pub const fn cases(self, cases: u32) -> Random {
        Random { cases, ..self }
    }

    /// Comparisons that must be made for every hundred cases: below 100 where some cases are too large to compare, above it where a case is
    /// compared in several ways.
    pub const fn compared(self, percent: u64) -> Random {
        Random { percent, ..self }
    }

    /// The file in which the seeds of cases that failed are kept. They run first.
    pub const fn regressions(self, file: &'static str) -> Random {
        Random { regressions: Some(file), ..self }
    }

    /// Draws cases, gives each to `compare`, which says how many comparisons it made, and returns the sum. A case that fails is made smaller
    /// before it is shown.
    ///
    /// # Panics
    /// If a case fails, or if too few comparisons were made.
    pub fn run<S: Strategy>(&self, cases_of: &S, compare: impl Fn(S::Value) -> Result<u64, TestCaseError>) -> u64 {
        let (drawn, empty, compared) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
        let config = Config {
            cases: cases(self.cases),
            max_shrink_iters: self.shrinks,
            rng_seed: RngSeed::Fixed(seed_of(self.name)),
            failure_persistence: self.regressions.map(|file| Box::new(FileFailurePersistence::Direct(file)) as _),
            ..Config::default()
        };
        let outcome = TestRunner::new(config).run(cases_of, |case| {
            let made = compare(case)?;
            drawn.set(drawn.get() + 1);
            empty.set(empty.get() + u64::from(made == 0));
            compared.set(compared.get() + made);
            Ok(())
        });
        let (drawn, empty, compared) = (drawn.get(), empty.get(), compared.get());
        let seed = format!("MANYWORLDS_TEST_SEED={}", seed());
        if let Err(failure) = outcome {
            panic!("{} ({seed}): {failure}", self.name);
        }
        println!("{}: {drawn} cases, {empty} of them not compared, {compared} comparisons, {seed}", self.name);
        let wanted = (drawn * self.percent).div_ceil(100);
        assert!(
            drawn > 0 && compared >= wanted,
            "{}: {compared} comparisons in {drawn} cases; at least {wanted} are expected ({seed})",
            self.name
        );
        compared
    }
}

/// Random tests, each a function of its cases:
///
/// ```
/// # use proptest::prelude::*;
/// manyworlds_testkit::random! {
///     #![cases = 100, compared = 30]
///
///     #[test]
///     fn an_even_number_has_an_even_square(n in 0..1000u32) {
///         if n % 2 == 1 {
///             return Ok(0); // Nothing to compare.
///         }
///         prop_assert_eq!(n * n % 2, 0);
///     }
/// }
/// ```
///
/// A body that comes to its end has made one comparison; one that returns says how many. The options are the methods of [`Random`].
#[macro_export]
macro_rules! random {
    (#![$($option:tt)*] $($tests:tt)*) => { $crate::random! { @tests ($($option)*) $($tests)* } };
    (@tests $options:tt) => {};
    (@tests $options:tt
        $(#[$meta:meta])* fn $name:ident($($case:pat in $cases:expr),+ $(,)?) $body:block
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[allow(unreachable_code, clippy::diverging_sub_expression)]
        fn $name() {
            $crate::random!(@configured $name $options).run(&($($cases,)+), |($($case,)+)| {
                let () = $body;
                Ok(1)
            });
        }
        $crate::random! { @tests $options $($rest)* }
    };
    (@configured $name:ident ($($option:ident = $value:expr),* $(,)?)) => {
        $crate::Random::new(concat!(module_path!(), "::", stringify!($name)))$(.$option($value))*
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    random! {
        #![cases = 20, compared = 150]

        /// A case may be compared more than once.
        #[test]
        fn two_sums_are_equal(a in 0..10u32, b in 0..10u32) {
            assert_eq!(a + b, b + a);
            return Ok(2);
        }

        #[test]
        #[should_panic(expected = "comparisons in 20 cases")]
        fn one_each_is_too_few(_ in 0..10u32) {}
    }

    #[test]
    fn a_name_has_its_own_cases_and_always_the_same() {
        let drawn = |name| {
            let sum = Cell::new(0u64);
            Random::new(name).cases(10).run(&(0..1_000_000u64), |n| {
                sum.set(sum.get() + n);
                Ok(1)
            });
            sum.get()
        };
        assert_eq!(drawn("one"), drawn("one"));
        assert_ne!(drawn("one"), drawn("another"));
    }

    #[test]
    #[should_panic(expected = "0 comparisons in")]
    fn a_test_that_compares_nothing_fails() {
        Random::new("nothing").cases(10).compared(1).run(&(0..10u8), |_| Ok(0));
    }

    #[test]
    #[should_panic(expected = "n is 7")]
    fn a_case_that_fails_is_made_smaller() {
        Random::new("small")
            .cases(100)
            .run(&(0..1000u32), |n| if n >= 7 { Err(TestCaseError::fail(format!("n is {n}"))) } else { Ok(1) });
    }
}
