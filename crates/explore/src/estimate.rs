//! Estimates the progress of a breadth-first search.
//!
//! The levels of a finite state space grow by ever smaller factors and then shrink. On a logarithmic scale those factors fall about evenly, so the
//! line through the last of them predicts how the levels go on. Before they fall nothing can be predicted.

/// Levels whose factors the line goes through; fewer are not enough.
const RECENT: usize = 8;
/// The prediction has at most so many levels.
const FARTHEST: usize = 10_000;

/// The part of the work that is done, from 0 (also if that is not known) to 1: `levels` are the sizes of the levels found so far, of whose states
/// so many were `expanded`.
pub fn done(levels: &[u64], expanded: u64) -> f64 {
    let Some(more) = foreseen(levels) else { return 0.0 };
    let all = levels.iter().sum::<u64>() as f64 + more;
    (expanded as f64 / all).min(1.0)
}

/// How many states the levels after these will have.
fn foreseen(levels: &[u64]) -> Option<f64> {
    let recent = levels.len().checked_sub(RECENT + 1).map(|start| &levels[start..])?;
    let factors: Vec<f64> = recent.windows(2).map(|pair| (pair[1] as f64 / pair[0] as f64).ln()).collect();
    let (slope, mut factor) = line(&factors);
    if slope >= 0.0 {
        return None;
    }
    let (mut level, mut more) = (*levels.last()? as f64, 0.0);
    for _ in 0..FARTHEST {
        factor += slope;
        level *= factor.exp();
        if level < 1.0 {
            return Some(more);
        }
        more += level;
    }
    None
}

/// The line of least squares through these values at 0, 1, 2 and so on: its slope, and where it is at the last of them.
fn line(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let (mean_x, mean_y) = ((n - 1.0) / 2.0, values.iter().sum::<f64>() / n);
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in (0..).map(f64::from).zip(values) {
        above += (x - mean_x) * (y - mean_y);
        below += (x - mean_x) * (x - mean_x);
    }
    let slope = above / below;
    (slope, mean_y + slope * (n - 1.0 - mean_x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of a grid, from corner to corner: the sum of three independent numbers below `side`.
    fn grid(side: u64) -> Vec<u64> {
        let ways = |sum: u64| {
            (0..side.pow(2)).filter(move |i| (sum.saturating_sub(side - 1)..=sum).contains(&(i / side + i % side)))
        };
        (0..=3 * (side - 1)).map(|sum| ways(sum).count() as u64).collect()
    }

    #[test]
    fn it_is_about_right_once_growth_slows_down() {
        let levels = grid(30);
        assert_eq!(levels.iter().sum::<u64>(), 27_000);
        for known in levels.len() / 3..levels.len() {
            let expanded: u64 = levels[..known].iter().sum();
            let (estimated, real) = (done(&levels[..known], expanded), expanded as f64 / 27_000.0);
            let ratio = (estimated / real).max(real / estimated);
            assert!(ratio < 2.0, "after {known} levels {estimated:.2} instead of {real:.2}");
        }
    }

    #[test]
    fn nothing_is_told_before() {
        assert_eq!(done(&[], 0), 0.0);
        assert_eq!(done(&[1, 2, 4], 3), 0.0);
        let doubling: Vec<u64> = (0..20).map(|level| 1 << level).collect();
        assert_eq!(done(&doubling, 1_000), 0.0);
        assert_eq!(done(&[1; 30], 29), 0.0);
    }
}
