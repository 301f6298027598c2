//! Where each state came from: six bytes a state, in blocks, so that growing copies nothing and wastes little.

use rustc_hash::FxHashMap;

/// The parent of an initial state.
pub const NO_PARENT: u32 = u32::MAX;

const BLOCK: usize = 1 << 16;

/// For each state, by number, its parent and which action of the parent led to it.
#[derive(Default)]
pub struct Links {
    blocks: Vec<(Vec<u32>, Vec<u16>)>,
    len: usize,
    /// Actions whose number has more than 16 bits.
    wide: FxHashMap<usize, u32>,
}

impl Links {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds the state with the next number.
    pub fn push(&mut self, parent: u32, nth: u32) {
        if self.len.is_multiple_of(BLOCK) {
            // The first blocks are small: most runs of a test are.
            let capacity = if self.len == 0 { 0 } else { BLOCK };
            self.blocks.push((Vec::with_capacity(capacity), Vec::with_capacity(capacity)));
        }
        let narrow = u16::try_from(nth).unwrap_or(u16::MAX);
        if narrow == u16::MAX {
            self.wide.insert(self.len, nth);
        }
        let (parents, nths) = &mut self.blocks[self.len / BLOCK];
        parents.push(parent);
        nths.push(narrow);
        self.len += 1;
    }

    fn link(&self, number: usize) -> (u32, u32) {
        let (parents, nths) = &self.blocks[number / BLOCK];
        let nth = match nths[number % BLOCK] {
            u16::MAX => self.wide[&number],
            narrow => u32::from(narrow),
        };
        (parents[number % BLOCK], nth)
    }

    /// How to get to a state: the number of the initial state, then the number of each action.
    pub fn path(&self, mut number: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while number != NO_PARENT {
            let (parent, nth) = self.link(number as usize);
            path.push(nth);
            number = parent;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_back_to_the_start_whatever_the_numbers_of_the_actions() {
        let mut links = Links::default();
        links.push(NO_PARENT, 3);
        let nth = |i: u32| if i.is_multiple_of(1_000) { 65_535 + i } else { i % 65_535 };
        (1..200_000).for_each(|i| links.push(i - 1, nth(i)));
        let expected: Vec<u32> = std::iter::once(3).chain((1..200_000).map(nth)).collect();
        assert_eq!(links.path(199_999), expected);
    }
}
