//! A growable array of words for random access, aligned to a cache line or, if it is large, to a large page. Large pages cause fewer TLB misses, and
//! fewer page faults when they are first written.
//!
//! On Linux a large array grows without being copied: the system remaps its pages to addresses that have enough free space after them.

use crate::pages;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The size of a large page.
pub const LARGE_PAGE: usize = 2 << 20;
/// The size of a cache line.
const LINE: usize = 64;

/// A growable array of words. Its length is the length it was last grown to.
pub struct Words {
    start: NonNull<u128>,
    len: usize,
}

impl Words {
    /// Grows the array to this length; new words are zero.
    ///
    /// # Panics
    /// If `len` is less than the current length, or too large to be addressed. If there is no memory, the program ends, as with every collection.
    pub fn grow(&mut self, len: usize) {
        assert!(len >= self.len, "an array of words never shrinks");
        if len == self.len {
            return;
        }
        let (old, new) = (layout(self.len), layout(len));
        let start: *mut u8 = self.start.as_ptr().cast();
        let grown = if is_large(old) {
            // SAFETY: `start` was allocated with the old layout, and is replaced by the result below.
            unsafe { pages::grow(start, old, new) }
        } else {
            let grown = allocate(new);
            if !grown.is_null() {
                // SAFETY: the old array has the length of its layout; the new one is longer, and nothing else refers to it. The old one is freed once, and
                // its pointer is replaced below. An empty array has no bytes and was never allocated.
                unsafe {
                    grown.copy_from_nonoverlapping(start, old.size());
                    deallocate(start, old);
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

/// Allocates zeroed memory; the layout must not be empty. Returns null if there is no memory.
fn allocate(layout: Layout) -> *mut u8 {
    match is_large(layout) {
        true => pages::allocate(layout),
        // SAFETY: the callers allocate for at least one word.
        false => unsafe { alloc_zeroed(layout) },
    }
}

/// Frees what [`allocate`] returned.
///
/// # Safety
/// `start` was returned by `allocate` for this layout, or the layout is empty; it is not used afterwards.
unsafe fn deallocate(start: *mut u8, layout: Layout) {
    match (is_large(layout), layout.size()) {
        (_, 0) => {}
        // SAFETY: `allocate` used the same allocator for this layout.
        (true, _) => unsafe { pages::deallocate(start, layout) },
        // SAFETY: `allocate` used the same allocator for this layout.
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
        // SAFETY: unless the array is empty, it was allocated with this layout; it is freed once.
        unsafe { deallocate(self.start.as_ptr().cast(), layout(self.len)) };
    }
}

impl Deref for Words {
    type Target = [u128];

    #[inline(always)]
    fn deref(&self) -> &[u128] {
        // SAFETY: `start` points to `len` initialized words, or is aligned and `len` is 0. The words live as long as `self` and are borrowed with it.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Words {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u128] {
        // SAFETY: as in `deref`, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

// SAFETY: `Words` owns its words, which are integers, and gives access to them only through borrows of itself.
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
    fn shrinking_panics() {
        let mut words = Words::default();
        words.grow(10);
        words.grow(9);
    }
}
