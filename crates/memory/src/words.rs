//! A list of words that is read at random: it begins at a cache line, and if it is large, at a large page. There are fewer of those to look up, and
//! fewer faults when they are first written.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The size of a large page.
pub const LARGE_PAGE: usize = 2 << 20;
/// The size of a page on most systems, and a part of one on the others.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;
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
        let start = if layout.align() < LARGE_PAGE {
            // SAFETY: the layout is not empty.
            unsafe { alloc_zeroed(layout) }
        } else {
            pages(layout)
        };
        let Some(start) = NonNull::new(start.cast::<u128>()) else { handle_alloc_error(layout) };
        Words { start, len }
    }
}

/// Large pages from the system, which clears them; nobody has to do so again.
#[cfg(target_os = "linux")]
fn pages(layout: Layout) -> *mut u8 {
    use libc::{MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_READ, PROT_WRITE};
    let (size, spare) = (mapped(layout), LARGE_PAGE);
    // SAFETY: a new mapping, wherever the system likes; it changes none that exists.
    let map = unsafe {
        libc::mmap(std::ptr::null_mut(), size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    };
    if map == MAP_FAILED {
        return std::ptr::null_mut();
    }
    let before = map.align_offset(LARGE_PAGE);
    // SAFETY: `before` is at most `spare`, so `size` bytes of the mapping begin there, at a large page. What lies before and behind them is given
    // back; both ends are whole pages. The advice concerns the rest; should the system refuse it, nothing has happened.
    unsafe {
        let start = map.byte_add(before);
        if before > 0 {
            libc::munmap(map, before);
        }
        if before < spare {
            libc::munmap(start.byte_add(size), spare - before);
        }
        libc::madvise(start, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
        touch(start.cast(), size);
        start.cast()
    }
}

/// Writes to every page: one that is read before it is written costs a second fault, and with several workers an interrupt of the other cores.
///
/// # Safety
/// `size` bytes at `start` may be written.
#[cfg(target_os = "linux")]
unsafe fn touch(start: *mut u8, size: usize) {
    for at in (0..size).step_by(PAGE) {
        // SAFETY: inside of what the caller may write. Volatile, because writing a zero over a zero looks useless.
        unsafe { start.add(at).write_volatile(0) };
    }
}

/// Whole pages.
#[cfg(target_os = "linux")]
fn mapped(layout: Layout) -> usize {
    layout.size().next_multiple_of(PAGE)
}

#[cfg(not(target_os = "linux"))]
fn pages(layout: Layout) -> *mut u8 {
    // SAFETY: whoever asks for pages asks for some.
    unsafe { alloc_zeroed(layout) }
}

/// Gives back what [`Words::zeroed`] took.
///
/// # Safety
/// It took `start` with this layout, and nobody uses it any more.
unsafe fn give_back(start: *mut u8, layout: Layout) {
    #[cfg(target_os = "linux")]
    if layout.align() == LARGE_PAGE {
        // SAFETY: this is all that `pages` kept of its mapping.
        unsafe { libc::munmap(start.cast(), mapped(layout)) };
        return;
    }
    // SAFETY: it was allocated with this layout.
    unsafe { dealloc(start, layout) };
}

fn layout(len: usize) -> Layout {
    let words = Layout::array::<u128>(len).expect("more words than can be addressed");
    let align = if words.size() < LARGE_PAGE { LINE } else { LARGE_PAGE };
    words.align_to(align).expect("more words than can be addressed")
}

impl Default for Words {
    fn default() -> Words {
        Words { start: NonNull::dangling(), len: 0 }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: it was taken by `zeroed` with this layout, and is given back once.
            unsafe { give_back(self.start.as_ptr().cast(), layout(self.len)) };
        }
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
