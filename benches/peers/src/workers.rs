//! What a second worker is worth: wall time, since CPU time cannot show it.

use crate::sides::zoo;
use manyworlds::{Check, Program};
use std::time::Instant;

/// How many times faster two workers are than one on `ns+nr(n)`: best of `turns` each, taken alternately.
pub fn speedup(n: usize, turns: usize) -> f64 {
    let [one, two] = [1, 2].map(|threads| zoo("ns+nr", &[("n", n)]).threads(threads));
    let (mut best_one, mut best_two) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..turns {
        best_one = best_one.min(wall_seconds(&one));
        best_two = best_two.min(wall_seconds(&two));
    }
    best_one / best_two
}

fn wall_seconds(checker: &Check<Program>) -> f64 {
    let start = Instant::now();
    assert!(checker.run().unwrap().is_verified());
    start.elapsed().as_secs_f64()
}
