//! States that wait to be expanded, in blocks: a block is given back as soon as it is expanded, while the next level grows.

use crate::round::CHUNKS;
use std::collections::VecDeque;

/// Blocks kept for later: those of two rounds. More would hold the memory of the widest level for ever; with fewer, memory would go back to the system
/// in every round, and would have to be cleared when it comes again.
const SPARE: usize = 2 * CHUNKS;

/// A queue of states.
pub struct Frontier<S> {
    /// All but the last are full.
    blocks: VecDeque<Vec<S>>,
    spare: Vec<Vec<S>>,
    block: usize,
    len: usize,
}

impl<S> Frontier<S> {
    /// An empty one, with so many states in a block.
    pub fn new(block: usize) -> Frontier<S> {
        Frontier { blocks: VecDeque::new(), spare: Vec::new(), block, len: 0 }
    }

    /// How many states wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds states at the end.
    pub fn append(&mut self, states: &mut Vec<S>) {
        self.len += states.len();
        let mut states = states.drain(..);
        while states.len() > 0 {
            if self.blocks.back().is_none_or(|last| last.len() == self.block) {
                self.blocks.push_back(self.spare.pop().unwrap_or_default());
            }
            let last = self.blocks.back_mut().expect("there is a block");
            last.extend(states.by_ref().take(self.block - last.len()));
        }
    }

    /// Takes the first block into `states`, which is empty.
    pub fn pop(&mut self, states: &mut Vec<S>) {
        if let Some(block) = self.blocks.pop_front() {
            self.len -= block.len();
            *states = block;
        }
    }

    /// Keeps the memory of a block for later.
    pub fn recycle(&mut self, mut block: Vec<S>) {
        block.clear();
        if self.spare.len() < SPARE {
            self.spare.push(block);
        }
    }

    /// Exchanges what waits; each keeps its spare blocks.
    pub fn swap(&mut self, other: &mut Frontier<S>) {
        std::mem::swap(&mut self.blocks, &mut other.blocks);
        std::mem::swap(&mut self.len, &mut other.len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_out_as_they_went_in() {
        let mut frontier = Frontier::new(4);
        frontier.append(&mut (0..6).collect());
        frontier.append(&mut (6..9).collect());
        let (mut all, mut block) = (Vec::new(), Vec::new());
        while frontier.len() > 0 {
            frontier.pop(&mut block);
            assert!(block.len() == 4 || frontier.len() == 0);
            all.append(&mut block);
            frontier.recycle(std::mem::take(&mut block));
        }
        assert_eq!(all, (0..9).collect::<Vec<i32>>());
    }
}
