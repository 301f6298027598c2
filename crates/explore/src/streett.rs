//! Fair components: sets of states on which a path can go round for ever without breaking a fairness assumption.
//!
//! A path that goes round visits some states again and again, and takes some steps again and again. Those states are strongly connected by those steps. More
//! steps never break an assumption, so all steps between the states may be taken. An assumption of weak fairness is kept if it is disabled in one of the
//! states or covers one of the steps; one of strong fairness if it is enabled in none of the states or covers one of the steps. (Each assumption of strong
//! fairness is a pair of Streett's acceptance condition.)
//!
//! The search splits a part of the graph into strongly connected components. A component that breaks weak fairness contains no fair set: in a subset
//! the assumption is enabled everywhere, too, and covers no step. If a component breaks strong fairness, the states in which the assumption is enabled are
//! in no fair set, for the same reason: they are removed, and the rest is split again (Emerson and Lei). Each time a state is removed or a component is
//! settled, so the search ends. The components that are found are the maximal fair sets.

use crate::pending::{Edge, Graph};
use crate::tarjan::{Target, Tarjan};

/// Sets of assumptions, by number.
type Set = std::collections::BTreeSet<u32>;

/// What a component is worth.
enum Judgement {
    Fair,
    Unfair,
    /// These assumptions of strong fairness are broken while the states in which they are enabled are there.
    Without(Set),
}

/// The maximal fair sets of nodes in a part of a graph, whose nodes were expanded. The search ends early when `stops` returns true.
pub fn fair_components(graph: &Graph, part: Vec<u32>, mut stops: impl FnMut() -> bool) -> Vec<Vec<u32>> {
    let mut tarjan = Tarjan::new(graph.len());
    // The part or the component that a node is in. All have different numbers.
    let mut place = vec![0; graph.len()];
    let mut numbers = 0;
    let (mut open, mut fair) = (vec![part], Vec::new());
    while let Some(part) = open.pop() {
        if stops() {
            break;
        }
        let components = split(graph, &part, &mut tarjan, &mut place, &mut numbers);
        for component in components {
            let number = place[component[0] as usize];
            let inside = |edge: &&Edge| place[edge.to as usize] == number;
            match judge(graph, &component, inside) {
                Judgement::Fair => fair.push(component),
                Judgement::Unfair => {}
                Judgement::Without(broken) => {
                    let is_free = |node: &u32| !graph.sets.set(graph.enabled(*node)).iter().any(|a| broken.contains(a));
                    open.push(component.into_iter().filter(is_free).collect());
                }
            }
        }
    }
    fair
}

/// The strongly connected components of a part; each gets a number.
fn split(graph: &Graph, part: &[u32], tarjan: &mut Tarjan, place: &mut [u64], numbers: &mut u64) -> Vec<Vec<u32>> {
    *numbers += 1;
    let number = *numbers;
    part.iter().for_each(|&node| place[node as usize] = number);
    let target = |edge: &Edge| match place[edge.to as usize] == number {
        true => Target::Inside(edge.to),
        false => Target::Outside,
    };
    let components = tarjan.components(part, |node, i| graph.edges(node).get(i).map(target));
    for component in &components {
        *numbers += 1;
        component.iter().for_each(|&node| place[node as usize] = *numbers);
    }
    components
}

fn judge(graph: &Graph, component: &[u32], inside: impl Fn(&&Edge) -> bool) -> Judgement {
    let edges = component.iter().flat_map(|&node| graph.edges(node)).filter(&inside);
    let steps: Set = edges.map(|edge| edge.labels).collect();
    if steps.is_empty() {
        return Judgement::Unfair;
    }
    let states: Set = component.iter().map(|&node| graph.enabled(node)).collect();
    let members = |sets: &Set| -> Set { sets.iter().flat_map(|&set| graph.sets.set(set)).copied().collect() };
    let taken = members(&steps);
    let ignored = &members(&states) - &taken;
    let everywhere = |&assumption: &u32| states.iter().all(|&set| graph.sets.contains(set, assumption));
    if ignored.iter().any(|assumption| !graph.sets.is_strong(*assumption) && everywhere(assumption)) {
        return Judgement::Unfair;
    }
    let broken: Set = ignored.into_iter().filter(|&assumption| graph.sets.is_strong(assumption)).collect();
    if broken.is_empty() { Judgement::Fair } else { Judgement::Without(broken) }
}
