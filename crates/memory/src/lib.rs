//! Memory that is far away: what will be read soon is asked for early, and what is read at random lies in large pages. The lines that need `unsafe`
//! live here, so that the engines need none.
#![warn(missing_docs)]

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

mod pages;
mod words;

pub use words::{LARGE_PAGE, Words};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_changes_nothing() {
        let list = [1, 2, 3];
        (0..5).for_each(|index| prefetch(&list, index));
        prefetch::<u64>(&[], 0);
        assert_eq!(list, [1, 2, 3]);
    }
}
