//! Delta debugging: minimization of a set with respect to a predicate.

/// Removes items from a bad set as long as the rest is bad: first in chunks of half the set, then of a quarter, at last one by one. The result is
/// bad, and no single item can be removed from it. Earlier items are removed first.
///
/// `items` must be bad. An error ends the search: then the result is bad, but may not be minimal.
pub fn minimize<E>(items: &[usize], bad: &mut dyn FnMut(&[usize]) -> Result<bool, E>) -> (Vec<usize>, Result<(), E>) {
    let mut kept = items.to_vec();
    let mut chunk = kept.len().div_ceil(2).max(1);
    loop {
        let before = kept.len();
        let mut at = 0;
        while at < kept.len() {
            let mut fewer = kept[..at].to_vec();
            fewer.extend_from_slice(&kept[(at + chunk).min(kept.len())..]);
            // The empty set is never bad.
            let superfluous = if fewer.is_empty() { Ok(false) } else { bad(&fewer) };
            match superfluous {
                Ok(true) => kept = fewer,
                Ok(false) => at += chunk,
                Err(why) => return (kept, Err(why)),
            }
        }
        match chunk {
            // Removing an item may have made an item superfluous that was tried before.
            1 if kept.len() == before => return (kept, Ok(())),
            1 => {}
            _ => chunk = chunk.div_ceil(2).min(kept.len().div_ceil(2)).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_needed_items() {
        let items: Vec<usize> = (0..1000).collect();
        let mut calls = 0;
        let needed = minimize::<()>(&items, &mut |kept| {
            calls += 1;
            Ok([17, 400, 999].iter().all(|needed| kept.contains(needed)))
        });
        assert_eq!(needed, (vec![17, 400, 999], Ok(())));
        assert!(calls < 100, "{calls}");
    }

    #[test]
    fn no_single_item_can_be_removed() {
        // Bad: an odd number of items, or more than five.
        let bad = |kept: &[usize]| kept.len() % 2 == 1 || kept.len() > 5;
        let (kept, _) = minimize::<()>(&[1, 2, 3, 4, 5, 6, 7, 8], &mut |kept| Ok(bad(kept)));
        assert!(bad(&kept));
        for at in 0..kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            assert!(!bad(&fewer));
        }
    }

    #[test]
    fn after_an_error_the_result_is_bad() {
        let mut calls = 0;
        let left = minimize(&[1, 2, 3, 4], &mut |kept| {
            calls += 1;
            if calls > 1 { Err("stopped") } else { Ok(kept.contains(&4)) }
        });
        assert_eq!(left, (vec![3, 4], Err("stopped")));
    }
}
