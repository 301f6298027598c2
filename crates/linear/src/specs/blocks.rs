//! The order of writes to one object whose reads determine which write came last, and which writes followed each other immediately.
//!
//! A *block* is a sequence of writes that are known to follow each other immediately, together with the reads that are known to come between
//! them or immediately after the last one. No other write takes effect inside a block, so in every linearization one of two blocks precedes the other as a
//! whole: `B` precedes `C` if any operation of `B` returns before some operation of `C` is invoked, that is, if the first return in `B` is before the
//! last invocation in `C` (Gibbons and Korach, *Testing shared memories*, for registers). A write about which nothing is known is a block of its own.
//!
//! If two blocks would each have to precede the other, or the times of operations of one block contradict its order, there is no linearization. Otherwise
//! the blocks sorted by (first return + last invocation) respect real time: `first(B) < last(C)` and not `first(C) < last(B)` imply
//! `first(B) + last(B) < first(C) + last(C)`. If every read belongs to a block, that order is a linearization.

use super::parse::Id;

/// A point in time; −1 is before all events.
type Time = i128;

/// A time after all events.
const NEVER: Time = 1 << 100;

/// A write or a read. The first one given to [`Blocks::new`] is the initial value.
#[derive(Clone, Copy)]
pub struct Act {
    /// The index of the operation in the history; `None` for the initial value.
    pub place: Option<usize>,
    invoked: Time,
    returned: Time,
}

impl Act {
    /// The initial value: a write before all events.
    pub const INITIAL: Act = Act { place: None, invoked: -1, returned: -1 };

    /// Creates a write or read from an operation.
    pub fn new(place: usize, invoked: usize, returned: Option<usize>) -> Act {
        let returned = returned.map_or(NEVER, |returned| returned as Time);
        Act { place: Some(place), invoked: invoked as Time, returned }
    }

    fn is_pending(&self) -> bool {
        self.returned == NEVER
    }
}

/// There is no linearization. The operation at this index, which returned, is part of the contradiction; `None` if only pending writes are.
pub struct Contradiction(pub Option<usize>);

/// The known relations between writes and reads.
pub struct Blocks {
    writes: Vec<Act>,
    /// By write: the write that follows immediately.
    next: Vec<Option<Id>>,
    /// By write: the write immediately before.
    previous: Vec<Option<Id>>,
    /// By write: the reads after it and before any other write.
    reads: Vec<Vec<Act>>,
}

/// A complete block.
struct Block {
    writes: Vec<Id>,
    first_return: Time,
    last_invocation: Time,
    /// The index of the operation that returns first, if any returns.
    returns_first: Option<usize>,
}

impl Blocks {
    /// Creates blocks from writes about which nothing is known; the first one is the initial value.
    pub fn new(writes: Vec<Act>) -> Blocks {
        let len = writes.len();
        Blocks { writes, next: vec![None; len], previous: vec![None; len], reads: vec![Vec::new(); len] }
    }

    /// Records that `second` follows `first` immediately. Returns whether that is consistent with the relations so far.
    pub fn follow(&mut self, first: Id, second: Id) -> bool {
        let (next, previous) = (&mut self.next[first], &mut self.previous[second]);
        *next.get_or_insert(second) == second && *previous.get_or_insert(first) == first && first != second
    }

    /// Records that a read comes after this write and before any other write.
    pub fn read(&mut self, write: Id, read: Act) {
        self.reads[write].push(read);
    }

    /// The blocks, in an order that respects real time.
    fn in_order(&self) -> Result<Vec<Block>, Contradiction> {
        let heads = (0..self.writes.len()).filter(|&write| self.previous[write].is_none());
        let mut blocks = heads.map(|head| self.block(head)).collect::<Result<Vec<_>, _>>()?;
        let in_blocks: usize = blocks.iter().map(|block| block.writes.len()).sum();
        if in_blocks < self.writes.len() {
            return Err(self.cycle(&blocks));
        }
        blocks.sort_by_key(|block| block.first_return + block.last_invocation);
        match conflicting(&blocks) {
            Some(place) => Err(Contradiction(Some(place))),
            None => Ok(blocks),
        }
    }

    /// The contradiction if some writes follow each other in a cycle.
    fn cycle(&self, blocks: &[Block]) -> Contradiction {
        let mut outside = vec![true; self.writes.len()];
        blocks.iter().flat_map(|block| &block.writes).for_each(|&write| outside[write] = false);
        let reads = self.reads.iter().zip(&outside).filter(|(_, outside)| **outside).flat_map(|(reads, _)| reads);
        let writes = self.writes.iter().zip(&outside).filter(|(write, outside)| **outside && !write.is_pending());
        Contradiction(reads.chain(writes.map(|(write, _)| write)).find_map(|act| act.place))
    }

    /// The block that begins with a write.
    fn block(&self, head: Id) -> Result<Block, Contradiction> {
        let writes: Vec<Id> = std::iter::successors(Some(head), |&write| self.next[write]).collect();
        let mut block = Block { writes, first_return: NEVER, last_invocation: Time::MIN, returns_first: None };
        for &write in &block.writes {
            for acts in [std::slice::from_ref(&self.writes[write]), &self.reads[write]] {
                // An earlier operation of the block must not be invoked after this one has returned.
                if let Some(act) = acts.iter().find(|act| act.returned < block.last_invocation) {
                    return Err(Contradiction(act.place));
                }
                for act in acts {
                    block.last_invocation = block.last_invocation.max(act.invoked);
                    if act.returned < block.first_return {
                        (block.first_return, block.returns_first) = (act.returned, act.place);
                    }
                }
            }
        }
        Ok(block)
    }

    /// Pairs of writes that returned, by index: the first precedes the second in every linearization.
    pub fn pairs(&self) -> Result<Vec<(usize, usize)>, Contradiction> {
        let mut blocks = self.in_order()?;
        let returned = |&write: &Id| !self.writes[write].is_pending() && self.writes[write].place.is_some();
        blocks.iter_mut().for_each(|block| block.writes.retain(returned));
        blocks.retain(|block| !block.writes.is_empty());
        let place = |write: Id| self.writes[write].place.expect("only operations are left");
        let mut pairs = Vec::new();
        for block in &blocks {
            pairs.extend(block.writes.windows(2).map(|two| (place(two[0]), place(two[1]))));
        }
        // Only blocks whose writes overlap: the order of others follows from their times.
        let first = |block: &Block| block.writes[0];
        let last = |block: &Block| block.writes[block.writes.len() - 1];
        blocks.sort_by_key(|block| self.writes[first(block)].invoked);
        let mut open: Vec<&Block> = Vec::new();
        for block in &blocks {
            open.retain(|other| self.writes[last(other)].returned >= self.writes[first(block)].invoked);
            for other in &open {
                for (one, two) in [(*other, block), (block, *other)] {
                    if one.first_return < two.last_invocation {
                        pairs.push((place(last(one)), place(first(two))));
                    }
                }
            }
            open.push(block);
        }
        Ok(pairs)
    }

    /// All writes and reads by index, in an order that respects real time; without pending writes that no read needs.
    pub fn order(&self) -> Result<Vec<usize>, Contradiction> {
        let mut order = Vec::with_capacity(self.writes.len());
        for block in self.in_order()? {
            if let [write] = block.writes[..]
                && self.writes[write].is_pending()
                && self.reads[write].is_empty()
            {
                continue;
            }
            for write in block.writes {
                order.extend(self.writes[write].place);
                let mut reads: Vec<&Act> = self.reads[write].iter().collect();
                reads.sort_by_key(|read| read.invoked);
                order.extend(reads.iter().filter_map(|read| read.place));
            }
        }
        Ok(order)
    }
}

/// An operation of one of two blocks that would each have to precede the other, if there are such blocks.
fn conflicting(blocks: &[Block]) -> Option<usize> {
    // For each block, in the order of first returns: the two greatest last invocations among the blocks so far, with their blocks.
    let mut by_return: Vec<usize> = (0..blocks.len()).collect();
    by_return.sort_by_key(|&at| blocks[at].first_return);
    let mut latest: Vec<[(Time, usize); 2]> = Vec::with_capacity(blocks.len());
    let mut two = [(Time::MIN, usize::MAX); 2];
    for &at in &by_return {
        let this = (blocks[at].last_invocation, at);
        if this.0 > two[0].0 {
            two = [this, two[0]];
        } else if this.0 > two[1].0 {
            two[1] = this;
        }
        latest.push(two);
    }
    blocks.iter().enumerate().find_map(|(at, block)| {
        let before = by_return.partition_point(|&other| blocks[other].first_return < block.last_invocation);
        let [one, two] = latest[before.checked_sub(1)?];
        let (invoked, other) = if one.1 == at { two } else { one };
        let conflict = other != usize::MAX && block.first_return < invoked;
        conflict.then(|| block.returns_first.or(blocks[other].returns_first)).flatten()
    })
}
