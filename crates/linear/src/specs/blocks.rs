//! The order of writes to one object whose reads show which write came last, and which writes followed each other.
//!
//! A *block* is a sequence of writes that are known to follow each other immediately, together with the reads that are known to come between them or right
//! after the last one. No other write takes effect inside a block, so in every order that explains the history one of two blocks comes before the other as
//! a whole: `B` before `C` if any operation of `B` returns before some operation of `C` is invoked, which is if the first return in `B` is before the last
//! invocation in `C` (Gibbons and Korach, *Testing shared memories*, for registers). A write of which nothing is known is a block of its own.
//!
//! If two blocks would each have to come before the other, or operations of one block contradict its order, there is no order. Otherwise blocks
//! in the order of (first return + last invocation) respect real time: from `first(B) < last(C)` and not `first(C) < last(B)` it follows that
//! `first(B) + last(B) < first(C) + last(C)`. If every read belongs to a block, that order explains the history.

use super::parse::Id;

/// A point in time; −1 is before everything.
type Time = i128;

/// After everything.
const NEVER: Time = 1 << 100;

/// A write or a read. The first one given to [`Blocks::new`] is the initial value.
#[derive(Clone, Copy)]
pub struct Act {
    /// Its place in the history; `None` for the initial value.
    pub place: Option<usize>,
    invoked: Time,
    returned: Time,
}

impl Act {
    /// The initial value: a write before everything.
    pub const INITIAL: Act = Act { place: None, invoked: -1, returned: -1 };

    /// An operation.
    pub fn new(place: usize, invoked: usize, returned: Option<usize>) -> Act {
        let returned = returned.map_or(NEVER, |returned| returned as Time);
        Act { place: Some(place), invoked: invoked as Time, returned }
    }

    fn is_pending(&self) -> bool {
        self.returned == NEVER
    }
}

/// There is no order. The operation at this place, which returned, is part of the reason; `None` if only pending writes are.
pub struct Contradiction(pub Option<usize>);

/// What is known about writes and reads.
pub struct Blocks {
    writes: Vec<Act>,
    /// By write: the one that follows immediately.
    next: Vec<Option<Id>>,
    /// By write: the one immediately before.
    previous: Vec<Option<Id>>,
    /// By write: the reads after it and before any other.
    reads: Vec<Vec<Act>>,
}

/// A block that is complete.
struct Block {
    writes: Vec<Id>,
    first_return: Time,
    last_invocation: Time,
    /// The place of the operation that returns first, if any returns.
    returns_first: Option<usize>,
}

impl Blocks {
    /// Writes of which nothing is known; the first one is the initial value.
    pub fn new(writes: Vec<Act>) -> Blocks {
        let len = writes.len();
        Blocks { writes, next: vec![None; len], previous: vec![None; len], reads: vec![Vec::new(); len] }
    }

    /// No write comes between these two. Whether that is possible.
    pub fn follow(&mut self, first: Id, second: Id) -> bool {
        let (next, previous) = (&mut self.next[first], &mut self.previous[second]);
        *next.get_or_insert(second) == second && *previous.get_or_insert(first) == first && first != second
    }

    /// A read comes after this write and before any other.
    pub fn read(&mut self, write: Id, read: Act) {
        self.reads[write].push(read);
    }

    /// The blocks, in an order that respects real time.
    fn in_order(&self) -> Result<Vec<Block>, Contradiction> {
        let heads = (0..self.writes.len()).filter(|&write| self.previous[write].is_none());
        let mut blocks = heads.map(|head| self.block(head)).collect::<Result<Vec<_>, _>>()?;
        let in_blocks: usize = blocks.iter().map(|block| block.writes.len()).sum();
        if in_blocks < self.writes.len() {
            return Err(self.in_a_circle(&blocks));
        }
        blocks.sort_by_key(|block| block.first_return + block.last_invocation);
        match conflicting(&blocks) {
            Some(place) => Err(Contradiction(Some(place))),
            None => Ok(blocks),
        }
    }

    /// Some writes follow each other in a circle, which reads showed.
    fn in_a_circle(&self, blocks: &[Block]) -> Contradiction {
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
                // What comes earlier in the block must not be invoked after this has returned.
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

    /// Pairs of places of writes that returned: the first comes before the second in every order.
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
        // Only blocks whose writes overlap: the order of others is that of their times.
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

    /// All writes and reads by place, in an order that respects real time; without pending writes that no read needs.
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

/// An operation of one of two blocks each of which has to come before the other.
fn conflicting(blocks: &[Block]) -> Option<usize> {
    // By first return: the two last invocations that are latest among the blocks so far, with their blocks.
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
