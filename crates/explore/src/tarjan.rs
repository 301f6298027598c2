//! Strongly connected components, after Tarjan, without recursion. One [`Tarjan`] serves any number of parts of one graph: the work and the memory that
//! is touched for a part depend on the size of the part.

const UNSEEN: u32 = u32::MAX;

/// What is known of the nodes of a graph while components are searched.
pub struct Tarjan {
    index: Vec<u32>,
    low: Vec<u32>,
    /// Nodes that were seen and belong to no component yet.
    open: Vec<u32>,
    is_open: Vec<bool>,
    /// The path of the search, with the next edge of each node.
    path: Vec<(u32, usize)>,
}

/// An edge of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// It leads to this node.
    Inside(u32),
    /// It leaves the part of the graph.
    Outside,
}

impl Tarjan {
    /// For a graph with so many nodes.
    pub fn new(nodes: usize) -> Tarjan {
        Tarjan {
            index: vec![UNSEEN; nodes],
            low: vec![0; nodes],
            open: Vec::new(),
            is_open: vec![false; nodes],
            path: Vec::new(),
        }
    }

    /// The components of the part of the graph that consists of the nodes `part`; the nodes of each in ascending order. `edge(node, i)` is the edge number
    /// `i` of a node, if it has so many; all targets inside must be in the part.
    pub fn components(&mut self, part: &[u32], edge: impl Fn(u32, usize) -> Option<Target>) -> Vec<Vec<u32>> {
        part.iter().for_each(|&node| self.index[node as usize] = UNSEEN);
        let (mut seen, mut found) = (0, Vec::new());
        for &root in part {
            if self.index[root as usize] != UNSEEN {
                continue;
            }
            self.path.push((root, 0));
            while let Some(&(node, next)) = self.path.last() {
                if next == 0 {
                    self.enter(node, &mut seen);
                }
                match edge(node, next) {
                    Some(target) => self.advance(node, target),
                    None => found.extend(self.leave(node)),
                }
            }
        }
        found
    }

    fn enter(&mut self, node: u32, seen: &mut u32) {
        let at = node as usize;
        (self.index[at], self.low[at], self.is_open[at]) = (*seen, *seen, true);
        *seen += 1;
        self.open.push(node);
    }

    fn advance(&mut self, node: u32, target: Target) {
        self.path.last_mut().expect("the node is on the path").1 += 1;
        let Target::Inside(to) = target else { return };
        if self.index[to as usize] == UNSEEN {
            self.path.push((to, 0));
        } else if self.is_open[to as usize] {
            self.low[node as usize] = self.low[node as usize].min(self.index[to as usize]);
        }
    }

    /// All edges of the node were followed: its component, if the node is the first of it that was seen.
    fn leave(&mut self, node: u32) -> Option<Vec<u32>> {
        self.path.pop();
        let low = self.low[node as usize];
        if let Some(&(parent, _)) = self.path.last() {
            self.low[parent as usize] = self.low[parent as usize].min(low);
        }
        if low != self.index[node as usize] {
            return None;
        }
        let first = self.open.iter().rposition(|&open| open == node).expect("an open node");
        let mut component = self.open.split_off(first);
        component.iter().for_each(|&node| self.is_open[node as usize] = false);
        component.sort_unstable();
        Some(component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES: [&[u32]; 6] = [&[1], &[0, 2], &[3], &[4], &[3, 5], &[]];

    fn components(tarjan: &mut Tarjan, part: &[u32]) -> Vec<Vec<u32>> {
        let target = |&to: &u32| if part.contains(&to) { Target::Inside(to) } else { Target::Outside };
        let mut found = tarjan.components(part, |node, i| EDGES[node as usize].get(i).map(target));
        found.sort();
        found
    }

    #[test]
    fn two_cycles_and_what_lies_between() {
        let mut tarjan = Tarjan::new(6);
        let all = [vec![0, 1], vec![2], vec![3, 4], vec![5]];
        assert_eq!(components(&mut tarjan, &[0, 1, 2, 3, 4, 5]), all);
        assert_eq!(components(&mut tarjan, &[0, 2, 3, 4]), [vec![0], vec![2], vec![3, 4]]);
        assert_eq!(components(&mut tarjan, &[5, 4, 3, 2, 1, 0]), all, "a part leaves nothing behind");
    }
}
