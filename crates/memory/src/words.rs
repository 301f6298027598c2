//! A list of words that is read at random: it begins at a cache line, and if it is large, at a large page. There are fewer of those to look up, and
//! fewer faults when they are first written.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The size of a large page.
pub const LARGE_PAGE: usize = 2 << 20;
/// The size of a cache line.
const LINE: usize = 64;

/// A list of words whose length never changes.
pub struct Words {
    start: NonNull<u128>,
    len: usize,
}

impl Words {
    /// So many words, all zero.
    ///
    /// # Panics
    /// If they cannot be addressed. Without memory the program ends, as it does for every collection.
    pub fn zeroed(len: usize) -> Words {
        if len == 0 {
            return Words::default();
        }
        let layout = layout(len);
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc(layout) }.cast::<u128>();
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        // Before they are written for the first time: that is when pages are given.
        ask_for_large_pages(start, layout.size());
        // Written, not just promised to be zero: a page that is read before it is written costs a second fault, and with several workers an
        // interrupt of the other cores.
        // SAFETY: the allocation has room for `len` words and belongs to nobody else yet.
        unsafe { start.as_ptr().write_bytes(0, len) };
        Words { start, len }
    }
}

fn layout(len: usize) -> Layout {
    let words = Layout::array::<u128>(len).expect("more words than can be addressed");
    let align = if words.size() < LARGE_PAGE { LINE } else { LARGE_PAGE };
    words.align_to(align).expect("more words than can be addressed")
}

/// Does nothing where the system cannot be asked, and for whatever is not a whole large page.
fn ask_for_large_pages(start: NonNull<u128>, bytes: usize) {
    let _ = (start, bytes);
    #[cfg(target_os = "linux")]
    if bytes >= LARGE_PAGE {
        // SAFETY: the advice concerns whole pages inside of an allocation that begins at a large page and that nobody else knows of. Should the
        // system refuse it, nothing has happened.
        unsafe { libc::madvise(start.as_ptr().cast(), bytes / LARGE_PAGE * LARGE_PAGE, libc::MADV_HUGEPAGE) };
    }
}

impl Default for Words {
    fn default() -> Words {
        Words { start: NonNull::dangling(), len: 0 }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: it was allocated by `zeroed` with this layout, and is given back once.
            unsafe { dealloc(self.start.as_ptr().cast(), layout(self.len)) };
        }
    }
}

impl Deref for Words {
    type Target = [u128];

    #[inline(always)]
    fn deref(&self) -> &[u128] {
        // SAFETY: `len` words were written at `start`, or there are none and `start` is aligned; they live as long as `self` and are borrowed with it.
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
        for len in [0, 1, 3, 1000, 131_072, 300_000] {
            let mut words = Words::zeroed(len);
            assert!(words.len() == len && words.iter().all(|&word| word == 0));
            (0..).zip(words.iter_mut()).for_each(|(n, word)| *word = n << 70);
            assert!((0..).zip(words.iter()).all(|(n, &word)| word == n << 70));
            let align = if len < 131_072 { LINE } else { LARGE_PAGE };
            assert!(len == 0 || (words.as_ptr() as usize).is_multiple_of(align));
        }
        assert!(Words::default().is_empty());
    }
}
