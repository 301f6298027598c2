//! Prefetching, and large arrays on huge pages, for memory that is accessed at random. The `unsafe` code for both is in this crate, so that the engines
//! need none.
#![warn(missing_docs)]

/// Prefetches `slice[index]` into the cache without waiting for it. Has no effect on processors other than x86-64, or if the index is out of bounds.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    let _ = (slice, index);
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = slice.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint. It has no effect that the program can observe and cannot fault, whatever the address; this address is
        // that of a live reference. The instruction belongs to SSE, which every x86-64 processor has.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
}

mod pages;
mod words;

pub use words::{LARGE_PAGE, Words};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefetch_changes_no_value() {
        let list = [1, 2, 3];
        (0..5).for_each(|index| prefetch(&list, index));
        prefetch::<u64>(&[], 0);
        assert_eq!(list, [1, 2, 3]);
    }
}
