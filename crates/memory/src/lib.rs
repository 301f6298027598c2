//! Hints about memory: what will be read soon, and what is better kept in large pages. They change nothing but time. The lines that need `unsafe` live
//! here, so that the engines need none.

/// Starts to fetch `slice[index]`, and does not wait for it. Does nothing where the processor cannot be asked, or the index is out of bounds.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    let _ = (slice, index);
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = slice.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint. It reads nothing that the program could see, writes nothing and cannot fault, whatever the address; this
        // one is that of a live reference. The instruction belongs to SSE, which every x86-64 processor has.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
}

/// The size of a large page.
#[cfg(target_os = "linux")]
const LARGE: usize = 2 << 20;

/// Asks for large pages for memory that will be used at random: there are fewer of them to look up, and fewer faults when they are first written. Does
/// nothing where the system cannot be asked, and for whatever is not a whole large page.
pub fn in_large_pages<T>(region: &mut [T]) {
    let _ = &region;
    #[cfg(target_os = "linux")]
    {
        let std::ops::Range { start, end } = region.as_mut_ptr_range();
        let first = (start as usize).next_multiple_of(LARGE);
        let last = end as usize / LARGE * LARGE;
        if first < last {
            // SAFETY: the advice concerns whole pages inside of a region that is borrowed mutably, and leaves their contents as they are. Should the
            // system refuse it, nothing has happened.
            unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_change_nothing() {
        let mut list = [1, 2, 3];
        (0..5).for_each(|index| prefetch(&list, index));
        prefetch::<u64>(&[], 0);
        in_large_pages(&mut list);
        in_large_pages::<u64>(&mut []);
        assert_eq!(list, [1, 2, 3]);
        let mut large: Vec<u64> = (0..2_000_000).collect();
        in_large_pages(&mut large);
        assert!(large.iter().copied().eq(0..2_000_000));
    }
}
