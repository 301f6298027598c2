//! States that wait to be expanded, in blocks: a block is given back as soon as it is expanded, while the next level grows.

use std::collections::VecDeque;

/// At most so many states are in a block.
pub const BLOCK: usize = 512;

/// States that wait, one after the other.
pub struct Block<S> {
    /// The states.
    pub states: Vec<S>,
    /// Their sleep sets, for models that know them.
    pub asleep: Vec<u64>,
}

impl<S> Default for Block<S> {
    fn default() -> Block<S> {
        Block { states: Vec::new(), asleep: Vec::new() }
    }
}

impl<S> Block<S> {
    /// The sleep set of a state.
    #[inline]
    pub fn asleep(&self, index: usize) -> u64 {
        self.asleep.get(index).copied().unwrap_or(0)
    }

    /// Keeps so many states.
    pub fn truncate(&mut self, len: usize) {
        self.states.truncate(len);
        self.asleep.truncate(len);
    }
}

/// A queue of states.
pub struct Frontier<S> {
    blocks: VecDeque<Block<S>>,
    len: usize,
}

impl<S> Default for Frontier<S> {
    fn default() -> Frontier<S> {
        Frontier { blocks: VecDeque::new(), len: 0 }
    }
}

impl<S> Frontier<S> {
    /// How many states wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds a block at the end. Two neighbours that fit into one block are merged; the emptied second one is returned.
    pub fn push(&mut self, mut block: Block<S>) -> Option<Block<S>> {
        self.len += block.states.len();
        match self.blocks.back_mut() {
            Some(last) if last.states.len() + block.states.len() <= BLOCK => {
                last.states.append(&mut block.states);
                last.asleep.append(&mut block.asleep);
                Some(block)
            }
            _ => {
                self.blocks.push_back(block);
                None
            }
        }
    }

    /// Takes the first block.
    pub fn pop(&mut self) -> Option<Block<S>> {
        let block = self.blocks.pop_front()?;
        self.len -= block.states.len();
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_out_as_they_went_in_and_blocks_are_half_full_at_least() {
        let (mut frontier, mut next) = (Frontier::default(), 0u64);
        for size in (0..500).map(|i| i * 7_919 % BLOCK + 1) {
            let asleep: Vec<u64> = (next..next + size as u64).collect();
            let left = frontier.push(Block { states: asleep.clone(), asleep });
            assert!(left.is_none_or(|block| block.states.is_empty() && block.asleep.is_empty()));
            next += size as u64;
        }
        assert_eq!(frontier.len(), next as usize);
        let (mut all, mut before) = (Vec::new(), BLOCK);
        while let Some(mut block) = frontier.pop() {
            assert_eq!(block.states, block.asleep);
            assert!(before + block.states.len() > BLOCK && block.states.len() <= BLOCK);
            before = block.states.len();
            all.append(&mut block.states);
        }
        assert_eq!(all, (0..next).collect::<Vec<u64>>());
        assert_eq!(frontier.len(), 0);
    }
}
