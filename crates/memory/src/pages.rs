//! Large pages from the system, which clears them; nobody has to do so again.

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{give_back, grow, take};
#[cfg(target_os = "linux")]
pub use linux::{give_back, grow, take};

#[cfg(target_os = "linux")]
mod linux {
    use crate::words::LARGE_PAGE;
    use libc::{MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE};
    use std::alloc::Layout;
    use std::ptr::null_mut;

    /// The size of a page on most systems, and a part of one on the others.
    const PAGE: usize = 4096;
    /// What is mapped is a multiple of this: of the size of a page on every system.
    const PIECE: usize = 64 << 10;

    fn mapped(layout: Layout) -> usize {
        layout.size().next_multiple_of(PIECE)
    }

    /// Addresses that begin at a large page, or null. What lies there may be used as `protection` says.
    fn map(size: usize, protection: i32) -> *mut u8 {
        let spare = LARGE_PAGE;
        // SAFETY: a new mapping, wherever the system likes; it changes none that exists.
        let map = unsafe { libc::mmap(null_mut(), size + spare, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
        if map == MAP_FAILED {
            return null_mut();
        }
        let before = map.align_offset(LARGE_PAGE);
        // SAFETY: `before` is less than `spare`, so `size` bytes of the mapping begin there, at a large page. What lies before and behind them is given
        // back; both ends are whole pages.
        unsafe {
            let start = map.byte_add(before);
            if before > 0 {
                libc::munmap(map, before);
            }
            libc::munmap(start.byte_add(size), spare - before);
            start.cast()
        }
    }

    /// Zeros that begin at a large page, or null.
    pub fn take(layout: Layout) -> *mut u8 {
        let size = mapped(layout);
        let start = map(size, PROT_READ | PROT_WRITE);
        if !start.is_null() {
            // SAFETY: the mapping was just made. Should the system refuse the advice, nothing has happened.
            unsafe {
                libc::madvise(start.cast(), size, MADV_HUGEPAGE);
                touch(start, size);
            }
        }
        start
    }

    /// The same pages at new addresses, and zeros behind them; null if there is no memory.
    ///
    /// # Safety
    /// `start` came from this module with the layout `old`, and `new` is longer. The old addresses must not be used again, unless this is null.
    pub unsafe fn grow(start: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        let (before, size) = (mapped(old), mapped(new));
        if before == size {
            return start;
        }
        let target = map(size, PROT_NONE);
        if target.is_null() {
            return target;
        }
        // SAFETY: the old mapping is whole, and goes to addresses that were reserved for it above; where it was is nothing afterwards. The zeros behind it
        // are part of the new mapping. If it cannot be moved, both are as they were.
        unsafe {
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            if libc::mremap(start.cast(), before, size, flags, target) == MAP_FAILED {
                libc::munmap(target.cast(), size);
                return null_mut();
            }
            touch(target.add(before), size - before);
        }
        target
    }

    /// Gives pages back to the system.
    ///
    /// # Safety
    /// `start` came from this module with this layout; nobody uses it any more.
    pub unsafe fn give_back(start: *mut u8, layout: Layout) {
        // SAFETY: this is all that was kept of the mapping.
        unsafe { libc::munmap(start.cast(), mapped(layout)) };
    }

    /// Writes to every page: one that is read before it is written costs a second fault, and with several workers an interrupt of the other cores.
    ///
    /// # Safety
    /// `size` bytes at `start` may be written; they are zero.
    unsafe fn touch(start: *mut u8, size: usize) {
        for at in (0..size).step_by(PAGE) {
            // SAFETY: inside of what the caller may write. Volatile, because writing a zero over a zero looks useless.
            unsafe { start.add(at).write_volatile(0) };
        }
    }
}

/// Where pages cannot be moved, they are copied.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    /// Zeros, or null.
    pub fn take(layout: Layout) -> *mut u8 {
        // SAFETY: whoever asks for pages asks for some.
        unsafe { alloc_zeroed(layout) }
    }

    /// The same words and zeros behind them; null if there is no memory.
    ///
    /// # Safety
    /// `start` came from this module with the layout `old`, and `new` is longer. The old addresses must not be used again, unless this is null.
    pub unsafe fn grow(start: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        let grown = take(new);
        if !grown.is_null() {
            // SAFETY: the new one is longer than the old one and was just allocated.
            unsafe {
                grown.copy_from_nonoverlapping(start, old.size());
                give_back(start, old);
            }
        }
        grown
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// `start` came from this module with this layout; nobody uses it any more.
    pub unsafe fn give_back(start: *mut u8, layout: Layout) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(start, layout) };
    }
}
