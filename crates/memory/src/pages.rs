//! Allocation of zeroed memory on large pages. The operating system provides the pages zeroed, so they are not cleared again.

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{allocate, deallocate, grow};
#[cfg(target_os = "linux")]
pub use linux::{allocate, deallocate, grow};

#[cfg(target_os = "linux")]
mod linux {
    use crate::words::LARGE_PAGE;
    use libc::{MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE};
    use std::alloc::Layout;
    use std::ptr::null_mut;

    /// The page size of most systems; on the others, the page size is a multiple of it.
    const PAGE: usize = 4096;
    /// The size of a mapping is a multiple of this, which is itself a multiple of the page size of every system.
    const GRANULE: usize = 64 << 10;

    /// The size of the mapping for a layout.
    fn mapped(layout: Layout) -> usize {
        layout.size().next_multiple_of(GRANULE)
    }

    /// Maps `size` bytes with this protection, aligned to a large page. Returns null on failure.
    fn map(size: usize, protection: i32) -> *mut u8 {
        let spare = LARGE_PAGE;
        // SAFETY: a new anonymous mapping at an address that the system chooses; existing mappings are not changed.
        let map = unsafe { libc::mmap(null_mut(), size + spare, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
        if map == MAP_FAILED {
            return null_mut();
        }
        let before = map.align_offset(LARGE_PAGE);
        // SAFETY: `before` is less than `spare`, so the mapping contains `size` bytes from there on, aligned to a large page. The parts before and
        // after these bytes are unmapped; both consist of whole pages.
        unsafe {
            let start = map.byte_add(before);
            if before > 0 {
                libc::munmap(map, before);
            }
            libc::munmap(start.byte_add(size), spare - before);
            start.cast()
        }
    }

    /// Allocates zeroed memory aligned to a large page. Returns null on failure.
    pub fn allocate(layout: Layout) -> *mut u8 {
        let size = mapped(layout);
        let start = map(size, PROT_READ | PROT_WRITE);
        if !start.is_null() {
            // SAFETY: the mapping was just created, readable and writable. If the system refuses the advice, the mapping is unchanged.
            unsafe {
                libc::madvise(start.cast(), size, MADV_HUGEPAGE);
                touch(start, size);
            }
        }
        start
    }

    /// Moves the pages to new addresses, where zeroed pages follow them. Returns null if there is no memory.
    ///
    /// # Safety
    /// `start` was allocated by this module with the layout `old`, and `new` is longer. The old addresses must not be used afterwards, unless the result is
    /// null.
    pub unsafe fn grow(start: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        let (before, size) = (mapped(old), mapped(new));
        if before == size {
            return start;
        }
        let target = map(size, PROT_NONE);
        if target.is_null() {
            return target;
        }
        // SAFETY: the whole old mapping is moved to addresses that were reserved for it above, and its old addresses are unmapped. The zeroed pages after
        // it are part of the new mapping. If the move fails, both mappings are unchanged.
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

    /// Returns the pages to the system.
    ///
    /// # Safety
    /// `start` was allocated by this module with this layout and is not used afterwards.
    pub unsafe fn deallocate(start: *mut u8, layout: Layout) {
        // SAFETY: this range is the whole mapping; the parts around it were unmapped when it was created.
        unsafe { libc::munmap(start.cast(), mapped(layout)) };
    }

    /// Writes to every page. A page that is read before its first write costs a second page fault and, with several workers, an interrupt of the other
    /// cores.
    ///
    /// # Safety
    /// `size` bytes at `start` may be written; they are zero.
    unsafe fn touch(start: *mut u8, size: usize) {
        for at in (0..size).step_by(PAGE) {
            // SAFETY: within the range that the caller allows to be written. Volatile, because the compiler could remove a write of zero over zero.
            unsafe { start.add(at).write_volatile(0) };
        }
    }
}

/// The implementation without `mremap`: growing copies the memory.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    /// Allocates zeroed memory. Returns null on failure.
    pub fn allocate(layout: Layout) -> *mut u8 {
        // SAFETY: the layouts of large arrays are not empty.
        unsafe { alloc_zeroed(layout) }
    }

    /// Copies the memory to a larger allocation, whose remainder is zeroed. Returns null if there is no memory.
    ///
    /// # Safety
    /// `start` was allocated by this module with the layout `old`, and `new` is longer. The old addresses must not be used afterwards, unless the result is
    /// null.
    pub unsafe fn grow(start: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        let grown = allocate(new);
        if !grown.is_null() {
            // SAFETY: the new allocation is longer than the old one and does not overlap with it.
            unsafe {
                grown.copy_from_nonoverlapping(start, old.size());
                deallocate(start, old);
            }
        }
        grown
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// `start` was allocated by this module with this layout and is not used afterwards.
    pub unsafe fn deallocate(start: *mut u8, layout: Layout) {
        // SAFETY: the memory was allocated with this layout.
        unsafe { dealloc(start, layout) };
    }
}
