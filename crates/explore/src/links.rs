//! Parent links: six bytes a state, in blocks, so that growing copies nothing and wastes little.

use rustc_hash::FxHashMap;

/// The parent of an initial state.
pub const NO_PARENT: u32 = u32::MAX;

const BLOCK: usize = 1 << 16;

/// For some states, one after the other, the parent of each and which action of the parent led to it.
#[derive(Default)]
pub struct Batch {
    parents: Vec<u32>,
    /// Numbers of actions, or the sign that they have more than 16 bits.
    nths: Vec<u16>,
    /// Those actions, with the places of the states.
    wide: Vec<(usize, u32)>,
}

impl Batch {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Reserves exactly the capacity for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.parents.reserve_exact(more);
        self.nths.reserve_exact(more);
    }

    /// Adds a state.
    #[inline]
    pub fn push(&mut self, parent: u32, nth: u32) {
        let narrow = u16::try_from(nth).unwrap_or(u16::MAX);
        if narrow == u16::MAX {
            self.wide.push((self.parents.len(), nth));
        }
        self.parents.push(parent);
        self.nths.push(narrow);
    }

    /// Whether a state is a parent, if parents are in order.
    pub fn has_parent(&self, parent: u32) -> bool {
        self.parents.binary_search(&parent).is_ok()
    }

    /// Keeps so many states.
    pub fn truncate(&mut self, len: usize) {
        self.parents.truncate(len);
        self.nths.truncate(len);
        self.wide.retain(|&(place, _)| place < len);
    }
}

/// For each state, by number, its parent and which action of the parent led to it.
#[derive(Default)]
pub struct Links {
    /// Each with the number of its first state.
    blocks: Vec<(usize, Vec<u32>, Vec<u16>)>,
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
        let narrow = u16::try_from(nth).unwrap_or(u16::MAX);
        if narrow == u16::MAX {
            self.wide.insert(self.len, nth);
        }
        let (_, parents, nths) = self.block(1);
        parents.push(parent);
        nths.push(narrow);
        self.len += 1;
    }

    /// The last block, with capacity for so many more.
    fn block(&mut self, more: usize) -> &mut (usize, Vec<u32>, Vec<u16>) {
        if self.blocks.last().is_none_or(|(_, parents, _)| parents.len() + more > BLOCK) {
            // The first block is small: most runs in tests are.
            let capacity = if self.len == 0 { 0 } else { BLOCK.max(more) };
            self.blocks.push((self.len, Vec::with_capacity(capacity), Vec::with_capacity(capacity)));
        }
        self.blocks.last_mut().expect("there is a block")
    }

    /// Adds the states with the next numbers, and leaves the batch empty: its memory can be used again.
    pub fn append(&mut self, batch: &mut Batch) {
        self.note_wide(batch);
        let (more, (_, parents, nths)) = (batch.len(), self.block(batch.len()));
        parents.append(&mut batch.parents);
        nths.append(&mut batch.nths);
        self.len += more;
    }

    /// Adds the states with the next numbers, without looking at them: another worker has put them where they are.
    pub fn adopt(&mut self, batch: &mut Batch) {
        self.note_wide(batch);
        let Batch { parents, nths, .. } = std::mem::take(batch);
        self.blocks.push((self.len, parents, nths));
        self.len += self.blocks.last().map_or(0, |(_, parents, _)| parents.len());
    }

    fn note_wide(&mut self, batch: &mut Batch) {
        let first = self.len;
        self.wide.extend(batch.wide.drain(..).map(|(place, nth)| (first + place, nth)));
    }

    fn link(&self, number: usize) -> (u32, u32) {
        let block = self.blocks.partition_point(|&(first, ..)| first <= number) - 1;
        let (first, parents, nths) = &self.blocks[block];
        let nth = match nths[number - first] {
            u16::MAX => self.wide[&number],
            narrow => u32::from(narrow),
        };
        (parents[number - first], nth)
    }

    /// The states on the way to a state, that one included, by number.
    pub fn numbers(&self, mut number: u32) -> Vec<u32> {
        let mut numbers = Vec::new();
        while number != NO_PARENT {
            numbers.push(number);
            number = self.link(number as usize).0;
        }
        numbers.reverse();
        numbers
    }

    /// The path to a state: the number of the initial state, then the number of each action.
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
        let nth = |i: u32| if i.is_multiple_of(1_000) { 65_535 + i } else { i % 65_535 };
        let (mut links, mut batch) = (Links::default(), Batch::default());
        batch.push(NO_PARENT, 3);
        links.append(&mut batch);
        links.push(0, nth(1));
        for start in (2..200_000).step_by(777) {
            (start..(start + 777).min(200_000)).for_each(|i| batch.push(i - 1, nth(i)));
            if start.is_multiple_of(3) {
                links.adopt(&mut batch)
            } else {
                links.append(&mut batch)
            }
            // A batch without states changes nothing.
            links.adopt(&mut batch);
        }
        assert_eq!(links.len(), 200_000);
        let expected: Vec<u32> = std::iter::once(3).chain((1..200_000).map(nth)).collect();
        assert_eq!(links.path(199_999), expected);
    }

    #[test]
    fn a_batch_that_is_cut_short_forgets_the_rest() {
        let mut batch = Batch::default();
        (0..10).for_each(|i| batch.push(i, 70_000 + i));
        assert!(batch.has_parent(7) && !batch.has_parent(10));
        batch.truncate(4);
        assert!(batch.len() == 4 && !batch.has_parent(7));
        let mut links = Links::default();
        links.append(&mut batch);
        batch.push(NO_PARENT, 1);
        links.append(&mut batch);
        assert_eq!((links.path(4), links.wide.len()), (vec![1], 4));
    }
}
