//! A list of words that is read at random: it begins at a cache line, and if it is large, at a large page. There are fewer of those to look up, and
//! fewer faults when they are first written.
//!
//! A large list grows without being copied: the system puts the same pages somewhere else, where there is room behind them.

use crate::pages;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The size of a large page.
pub const LARGE_PAGE: usize = 2 << 20;
/// The size of a cache line.
const LINE: usize = 64;

/// A list of words, as long as it was grown.
pub struct Words {
    start: NonNull<u128>,
    len: usize,
}

impl Words {
    /// Makes the list this long; what is new is zero.
    ///
    /// # Panics
    /// If it is shorter than before, or longer than can be addressed. Without memory the program ends, as it does for every collection.
    pub fn grow(&mut self, len: usize) {
        assert!(len >= self.len, "a list of words never shrinks");
        if len == self.len {
            return;
        }
        let (old, new) = (layout(self.len), layout(len));
        let start: *mut u8 = self.start.as_ptr().cast();
        let grown = if is_large(old) {
            // SAFETY: this is what was taken with the old layout; from now on there is only what it became.
            unsafe { pages::grow(start, old, new) }
        } else {
            let grown = take(new);
            if !grown.is_null() {
                // SAFETY: the old list is as long as its layout says, the new one is longer, and nobody else has it; the old one is given back once,
                // and forgotten below. An empty one has no bytes and was never taken.
                unsafe {
                    grown.copy_from_nonoverlapping(start, old.size());
                    give_back(start, old);
                }
            }
            grown
        };
        let Some(start) = NonNull::new(grown.cast::<u128>()) else { handle_alloc_error(new) };
        (self.start, self.len) = (start, len);
    }
}

fn layout(len: usize) -> Layout {
    let words = Layout::array::<u128>(len).expect("more words than can be addressed");
    let align = if words.size() < LARGE_PAGE { LINE } else { LARGE_PAGE };
    words.align_to(align).expect("more words than can be addressed")
}

fn is_large(layout: Layout) -> bool {
    layout.align() == LARGE_PAGE
}

/// Zeros, some of them; null if there is no memory.
fn take(layout: Layout) -> *mut u8 {
    match is_large(layout) {
        true => pages::take(layout),
        // SAFETY: whoever takes memory takes some.
        false => unsafe { alloc_zeroed(layout) },
    }
}

/// Gives back what [`take`] took.
///
/// # Safety
/// It took `start` with this layout, or there was nothing to be taken; nobody uses it any more.
unsafe fn give_back(start: *mut u8, layout: Layout) {
    match (is_large(layout), layout.size()) {
        (_, 0) => {}
        // SAFETY: that is how it was taken.
        (true, _) => unsafe { pages::give_back(start, layout) },
        // SAFETY: that is how it was taken.
        (false, _) => unsafe { dealloc(start, layout) },
    }
}

impl Default for Words {
    fn default() -> Words {
        Words { start: NonNull::dangling(), len: 0 }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: it was taken with this layout, if there are any words, and is given back once.
        unsafe { give_back(self.start.as_ptr().cast(), layout(self.len)) };
    }
}

impl Deref for Words {
    type Target = [u128];

    #[inline(always)]
    fn deref(&self) -> &[u128] {
        // SAFETY: `len` words are at `start`, cleared before anybody else saw them, or there are none and `start` is aligned; they live as long as `self` and are borrowed with it.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Words {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u128] {
        // SAFETY: as above, and the borrow is the only one.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

// SAFETY: it owns its words, which are plain numbers, and hands them out by the rules of borrowing only.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_zero_and_keep_what_is_written() {
        for lens in [&[0, 1, 3, 1000, 131_072, 300_000, 300_001, 310_000, 1_000_000][..], &[200_000, 400_000], &[5, 5]]
        {
            let (mut words, mut before) = (Words::default(), 0);
            assert!(words.is_empty());
            for &len in lens {
                words.grow(len);
                assert!(words.len() == len && words[before..].iter().all(|&word| word == 0));
                (before..len).for_each(|n| words[n] = (n as u128) << 70);
                assert!(words.iter().zip(0u128..).all(|(&word, n)| word == n << 70));
                let align = if len < 131_072 { LINE } else { LARGE_PAGE };
                assert!(len == 0 || (words.as_ptr() as usize).is_multiple_of(align));
                before = len;
            }
        }
    }

    #[test]
    #[should_panic(expected = "never shrinks")]
    fn words_do_not_get_lost() {
        let mut words = Words::default();
        words.grow(10);
        words.grow(9);
    }
}
