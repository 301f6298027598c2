//! The page about a recorded history. A history may have hundreds of thousands of operations; a page has room for some.

use manyworlds_report::history::{Fault, Operation, Timeline};
use manyworlds_report::html::{Headline, Page, html};

/// No page shows more operations.
const MOST_OPERATIONS: usize = 2_000;
/// Nor is it larger, in bytes.
const LARGEST: usize = 1_900_000;
/// What is said of one operation is cut here, in bytes.
const LONGEST: usize = 1_000;

/// The page: of all operations, or of as many as there is room for.
pub fn write(title: &str, headline: Headline<'_>, timeline: &Timeline) -> String {
    let mut most = MOST_OPERATIONS;
    loop {
        let numbers = window(timeline, most);
        let mut shown = shortened(timeline.only(&numbers));
        shown.faults = near(&shown, timeline.operations.len(), most);
        let left_out = notice(&shown, timeline);
        let sentence = format!("{}{left_out}", headline.sentence);
        let headline = Headline { sentence: &sentence, ..headline };
        let page = html(&Page { title, timeline: Some(&shown), headline: Some(headline), ..Page::default() });
        if page.len() <= LARGEST || most <= 1 {
            return page;
        }
        most /= 2;
    }
}

/// What is shown, if not all.
fn notice(shown: &Timeline, whole: &Timeline) -> String {
    let which = if whole.stuck.is_empty() { "the first ones" } else { "those around the one that cannot be placed" };
    let mut notice = String::new();
    let (some, all) = (shown.operations.len(), whole.operations.len());
    if some < all {
        notice.push_str(&format!(". Shown are {some} of {all}: {which}; the order is numbered among them"));
    }
    let (some, all) = (shown.faults.len(), whole.faults.len());
    if some < all {
        notice.push_str(&format!(". Shown are {some} of {all} faults: those beside them"));
    }
    notice
}

/// The faults beside the operations that are shown; of too many, those near the one that is stuck, or near the start.
fn near(shown: &Timeline, operations: usize, most: usize) -> Vec<Fault> {
    let ends = shown.operations.iter().map(|operation| operation.end.unwrap_or(operation.start));
    let (Some(first), Some(last)) = (shown.operations.iter().map(|operation| operation.start).min(), ends.max()) else {
        return Vec::new();
    };
    let whole = shown.operations.len() == operations;
    let beside = |fault: &&Fault| whole || (first..=last).contains(&fault.at);
    let mut faults: Vec<Fault> = shown.faults.iter().filter(beside).cloned().collect();
    let center = shown.stuck.first().map_or(first, |&stuck| shown.operations[stuck].start);
    faults.sort_by_key(|fault| fault.at.abs_diff(center));
    faults.truncate(most);
    faults.sort_by_key(|fault| fault.at);
    faults
}

/// The operations that are shown: all, or those around the one that is stuck and what explains it, or the first ones.
fn window(timeline: &Timeline, most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..timeline.operations.len()).collect();
    if order.len() <= most {
        return order;
    }
    order.sort_by_key(|&number| timeline.operations[number].start);
    let mut chosen: Vec<usize> =
        timeline.stuck.iter().chain(&timeline.core).chain(&timeline.minimal).copied().collect();
    chosen.truncate(most);
    let room = most - chosen.len();
    let first = match timeline.stuck.first() {
        // Most of what matters comes before it.
        Some(stuck) => order.iter().position(|number| number == stuck).unwrap_or(0).saturating_sub(room * 3 / 4),
        None => 0,
    };
    let first = first.min(order.len() - room);
    chosen.extend(&order[first..first + room]);
    chosen
}

/// The same with shorter words.
fn shortened(mut timeline: Timeline) -> Timeline {
    for Operation { call, response, .. } in &mut timeline.operations {
        shorten(call);
        response.iter_mut().for_each(shorten);
    }
    timeline.faults.iter_mut().for_each(|fault| shorten(&mut fault.label));
    timeline
}

fn shorten(words: &mut String) {
    if words.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&at| words.is_char_boundary(at)).unwrap_or(0);
        words.truncate(end);
        words.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADLINE: Headline<'static> = Headline { verdict: "linearizable", good: Some(true), sentence: "a history" };

    fn long(operations: usize, response: &str) -> Timeline {
        let operation = |n: usize| Operation {
            process: n % 3,
            call: format!("get k{n}"),
            response: Some(response.to_string()),
            start: 2 * n,
            end: Some(2 * n + 1),
        };
        Timeline {
            lanes: ["a", "b", "c"].map(str::to_string).to_vec(),
            operations: (0..operations).map(operation).collect(),
            linearization: (0..operations).collect(),
            ..Timeline::default()
        }
    }

    #[test]
    fn a_page_stays_small() {
        let page = write("long", HEADLINE, &long(100_000, "1"));
        assert!(page.len() < 2_000_000, "{}", page.len());
        assert!(page.contains("Shown are 2000 of 100000: the first ones"));
        // Every character of this takes six in the page.
        let page = write("hostile", HEADLINE, &long(100_000, &"<".repeat(5_000)));
        assert!(page.len() < 2_000_000, "{}", page.len());
        assert!(!write("short", HEADLINE, &long(10, "é")).contains("Shown are"));
    }

    #[test]
    fn what_is_stuck_is_in_the_window_with_what_explains_it() {
        let mut timeline = long(10_000, "1");
        timeline.stuck = vec![7_000];
        timeline.core = vec![3, 7_000];
        let numbers = window(&timeline, 100);
        let shown = timeline.only(&numbers);
        assert_eq!((shown.stuck.len(), shown.core.len()), (1, 2));
        assert!(numbers.contains(&6_950) && numbers.contains(&7_010) && !numbers.contains(&5_000));
        for stuck in [0, 9_999] {
            timeline.stuck = vec![stuck];
            let shown = timeline.only(&window(&timeline, 100));
            assert_eq!(shown.stuck.len(), 1);
            assert!(shown.operations.len() > 90, "{}", shown.operations.len());
        }
    }

    #[test]
    fn faults_stand_beside_the_operations_that_are_shown() {
        let mut timeline = long(10_000, "1");
        let fault = |at| Fault { process: None, at, label: "nemesis: start".to_string() };
        timeline.faults = (0..10_000).map(|n| fault(2 * n + 30_000)).collect();
        timeline.stuck = vec![100];
        let page = write("faults", HEADLINE, &timeline);
        assert!(page.contains("Shown are 0 of 10000 faults: those beside them"));
        timeline.faults = (0..20_000).map(fault).collect();
        assert!(write("faults", HEADLINE, &timeline).contains("Shown are 2000 of 20000 faults"));
        let mut few = long(3, "1");
        few.faults = vec![fault(100)];
        let page = write("few", HEADLINE, &few);
        assert!(page.contains("nemesis: start") && !page.contains("Shown are"));
    }

    #[test]
    fn words_are_cut_between_characters() {
        let mut words = "é".repeat(LONGEST);
        shorten(&mut words);
        assert_eq!(words, format!("{}…", "é".repeat(LONGEST / 2)));
    }
}
