//! The combinations of values of test parameters: all of them, or enough that every `k` parameters have all their combined values.
//!
//! The reduced list is greedy: again and again the earliest combination that covers most of what is still uncovered. What no combination covers,
//! because of `assume`, is not asked for.

use crate::ast::ParamValue;
use std::collections::BTreeSet;

/// At most so many combinations are looked at.
pub(super) const MAX_COMBINATIONS: usize = 20_000;

/// All combinations; the first parameter varies fastest. Nothing if there are too many.
pub(super) fn all(lists: &[Vec<ParamValue>]) -> Option<Vec<Vec<ParamValue>>> {
    let total = lists.iter().try_fold(1usize, |total, list| total.checked_mul(list.len()));
    let total = total.filter(|&total| total <= MAX_COMBINATIONS)?;
    let combination = |mut number: usize| {
        let value = |list: &Vec<ParamValue>| {
            let value = list[number % list.len()];
            number /= list.len();
            value
        };
        lists.iter().map(value).collect()
    };
    Some((0..total).map(combination).collect())
}

/// At most so many groups of parameters in combinations are compared.
const MAX_WORK: usize = 1_000_000;

/// A group of parameters, by number, and their values.
type Tuple = (usize, Vec<ParamValue>);

/// Whether [`covering`] would take too long.
pub(super) fn is_too_much(combinations: usize, params: usize, k: usize) -> bool {
    let groups = (0..k).try_fold(1usize, |groups, taken| Some(groups.checked_mul(params - taken)? / (taken + 1)));
    groups.and_then(|groups| groups.checked_mul(combinations)).is_none_or(|work| work > MAX_WORK)
}

/// Enough of the combinations to cover what they cover of `k` parameters.
pub(super) fn covering(combinations: &[Vec<ParamValue>], k: usize) -> Vec<Vec<ParamValue>> {
    let params = combinations.first().map_or(0, Vec::len);
    let groups = groups(params, k);
    let tuples = |combination: &Vec<ParamValue>| -> BTreeSet<Tuple> {
        let of =
            |(number, group): (usize, &Vec<usize>)| (number, group.iter().map(|&param| combination[param]).collect());
        groups.iter().enumerate().map(of).collect()
    };
    let mut open: Vec<(usize, BTreeSet<Tuple>)> = combinations.iter().map(tuples).enumerate().collect();
    let mut chosen = Vec::new();
    loop {
        // The earliest of those that cover most.
        let best = open.iter().enumerate().rev().max_by_key(|(_, (_, tuples))| tuples.len());
        let Some((at, _)) = best.filter(|(_, (_, tuples))| !tuples.is_empty()) else { return chosen };
        let (number, covered) = open.remove(at);
        chosen.push(combinations[number].clone());
        for (_, tuples) in &mut open {
            tuples.retain(|tuple| !covered.contains(tuple));
        }
        open.retain(|(_, tuples)| !tuples.is_empty());
    }
}

/// All groups of `k` of `n` parameters.
fn groups(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..k {
        let longer = |group: &Vec<usize>| {
            let next = group.last().map_or(0, |last| last + 1);
            (next..n).map(|param| group.iter().copied().chain([param]).collect()).collect::<Vec<Vec<usize>>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ParamValue::{Bool, Int};

    #[test]
    fn the_first_parameter_varies_fastest() {
        let found = all(&[vec![Int(1), Int(2)], vec![Bool(true), Bool(false)]]).unwrap();
        assert_eq!(found[0], [Int(1), Bool(true)]);
        assert_eq!(found[1], [Int(2), Bool(true)]);
        assert_eq!((found.len(), &found[3]), (4, &vec![Int(2), Bool(false)]));
        assert!(all(&vec![vec![Int(1), Int(2)]; 40]).is_none());
    }

    #[test]
    fn coverings_cover_what_all_combinations_cover() {
        let lists: Vec<Vec<ParamValue>> = [2, 3, 2, 4].map(|n| (0..n).map(Int).collect()).to_vec();
        let mut combinations = all(&lists).unwrap();
        combinations.retain(|values| values[0] != Int(1) || values[3] != Int(2));
        for k in 1..=4 {
            let chosen = covering(&combinations, k);
            let tuples = |of: &[Vec<ParamValue>]| -> BTreeSet<(Vec<usize>, Vec<ParamValue>)> {
                let of = of.iter().flat_map(|values| {
                    groups(4, k).into_iter().map(|group| {
                        let values = group.iter().map(|&param| values[param]).collect();
                        (group, values)
                    })
                });
                of.collect()
            };
            assert_eq!(tuples(&chosen), tuples(&combinations), "{k}");
            assert!(chosen.len() < combinations.len() || k == 4, "{k}: {}", chosen.len());
        }
        assert_eq!(covering(&combinations, 1).len(), 4);
    }
}
