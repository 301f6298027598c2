//! Delta debugging: what of this is needed?

/// Leaves out what it can, half of it at a time, then a quarter, at last one by one, as long as the rest is still bad. What is left is bad, and
/// no single item can be left out of it. What comes early is left out first.
///
/// `items` must be bad. An error ends the search: then more than needed may be left, but it is bad all the same.
pub fn minimize<E>(items: &[usize], bad: &mut dyn FnMut(&[usize]) -> Result<bool, E>) -> (Vec<usize>, Result<(), E>) {
    let mut kept = items.to_vec();
    let mut chunk = kept.len().div_ceil(2).max(1);
    loop {
        let before = kept.len();
        let mut at = 0;
        while at < kept.len() {
            let mut fewer = kept[..at].to_vec();
            fewer.extend_from_slice(&kept[(at + chunk).min(kept.len())..]);
            // Nothing at all is never bad.
            let superfluous = if fewer.is_empty() { Ok(false) } else { bad(&fewer) };
            match superfluous {
                Ok(true) => kept = fewer,
                Ok(false) => at += chunk,
                Err(why) => return (kept, Err(why)),
            }
        }
        match chunk {
            // Leaving something out may have made something else superfluous that was looked at before.
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
    fn finds_what_is_needed() {
        let items: Vec<usize> = (0..1000).collect();
        let mut asked = 0;
        let needed = minimize::<()>(&items, &mut |kept| {
            asked += 1;
            Ok([17, 400, 999].iter().all(|needed| kept.contains(needed)))
        });
        assert_eq!(needed, (vec![17, 400, 999], Ok(())));
        assert!(asked < 100, "{asked}");
    }

    #[test]
    fn no_single_item_can_be_left_out() {
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
    fn an_error_ends_it_with_something_bad() {
        let mut asked = 0;
        let left = minimize(&[1, 2, 3, 4], &mut |kept| {
            asked += 1;
            if asked > 1 { Err("stopped") } else { Ok(kept.contains(&4)) }
        });
        assert_eq!(left, (vec![3, 4], Err("stopped")));
    }
}
