//! Strongly connected components, after Tarjan, without recursion.

const UNSEEN: u32 = u32::MAX;

/// For each node the number of its component. `edge(node, i)` is the target of the node's edge number `i`, if it has so many.
pub fn components(nodes: usize, edge: impl Fn(u32, usize) -> Option<u32>) -> Vec<u32> {
    let mut component = vec![UNSEEN; nodes];
    let (mut index, mut low) = (vec![UNSEEN; nodes], vec![0; nodes]);
    // Nodes whose component is not yet known, and the path with the next edge of each node.
    let (mut open, mut path) = (Vec::new(), Vec::new());
    let (mut seen, mut found) = (0, 0);
    for root in 0..nodes as u32 {
        if index[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some((node, next)) = path.last_mut() {
            let at = *node as usize;
            if *next == 0 {
                (index[at], low[at]) = (seen, seen);
                seen += 1;
                open.push(*node);
            }
            if let Some(to) = edge(*node, *next) {
                *next += 1;
                let target = to as usize;
                if index[target] == UNSEEN {
                    path.push((to, 0));
                } else if component[target] == UNSEEN {
                    low[at] = low[at].min(index[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == index[at] {
                let first = open.iter().rposition(|&node| node as usize == at).expect("an open node");
                open.drain(first..).for_each(|node| component[node as usize] = found);
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cycles_and_what_lies_between() {
        let edges: [&[u32]; 6] = [&[1], &[0, 2], &[3], &[4], &[3, 5], &[]];
        let components = components(6, |node, i| edges[node as usize].get(i).copied());
        assert_eq!(components[0], components[1]);
        assert_eq!(components[3], components[4]);
        let distinct: std::collections::HashSet<u32> = [0, 2, 3, 5].map(|i| components[i]).into();
        assert_eq!(distinct.len(), 4);
    }
}
