//! Vector clocks in one flat table. The clock of a process changes in other components than its own only at its start, a read or a join, so
//! the events in between share one row. The own component of an event is its index and is not stored.

/// Rows of counters, one column per thread. Rows are added and removed at the end.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    data: Vec<u32>,
    stride: usize,
    rows: u32,
}

impl Clocks {
    /// Entry of `row` for `thread`: how many events of `thread` are in the causal past.
    #[inline]
    pub fn get(&self, row: u32, thread: u32) -> u32 {
        self.data[row as usize * self.stride + thread as usize]
    }

    /// Ensures that there are at least `threads` columns.
    pub fn widen(&mut self, threads: u32) {
        let threads = threads as usize;
        if threads <= self.stride {
            return;
        }
        // Reserves further columns, in multiples of the width of vector instructions.
        let stride = (threads + threads / 2).next_multiple_of(8);
        let rows = self.rows as usize;
        let mut data = vec![0; rows * stride];
        for row in 0..rows {
            data[row * stride..row * stride + self.stride]
                .copy_from_slice(&self.data[row * self.stride..(row + 1) * self.stride]);
        }
        (self.data, self.stride) = (data, stride);
    }

    /// Adds a row of zeros.
    pub fn push_zero(&mut self) -> u32 {
        if self.stride == 0 {
            self.stride = 8;
        }
        self.data.resize(self.data.len() + self.stride, 0);
        self.added()
    }

    /// Adds a copy of `row`.
    #[inline]
    pub fn push_copy(&mut self, row: u32) -> u32 {
        let start = row as usize * self.stride;
        self.data.extend_from_within(start..start + self.stride);
        self.added()
    }

    /// Adds the pointwise maximum of `a` and `b`.
    #[inline]
    pub fn push_join(&mut self, a: u32, b: u32) -> u32 {
        let row = self.push_copy(a);
        let (old, new) = self.data.split_at_mut(row as usize * self.stride);
        let other = &old[b as usize * self.stride..][..self.stride];
        for (mine, theirs) in new.iter_mut().zip(other) {
            *mine = (*mine).max(*theirs);
        }
        row
    }

    /// Adds a row of `from` with permuted columns: `columns[t]` is the new index of column `t`, or `u32::MAX` if it is dropped.
    pub fn push_from(&mut self, from: &Clocks, row: u32, columns: &[u32]) -> u32 {
        let new = self.push_zero();
        let start = new as usize * self.stride;
        let source = &from.data[row as usize * from.stride..][..columns.len()];
        for (&column, &count) in columns.iter().zip(source) {
            if column != u32::MAX {
                self.data[start + column as usize] = count;
            }
        }
        new
    }

    /// Adds a copy of the first `threads` columns of a row of `from`.
    #[inline]
    pub fn push_same(&mut self, from: &Clocks, row: u32, threads: usize) -> u32 {
        let source = &from.data[row as usize * from.stride..][..threads];
        self.data.extend_from_slice(source);
        self.data.resize(self.data.len() + self.stride - threads, 0);
        self.added()
    }

    /// Sets an entry to at least `count`.
    #[inline]
    pub fn raise(&mut self, row: u32, thread: u32, count: u32) {
        let entry = &mut self.data[row as usize * self.stride + thread as usize];
        *entry = (*entry).max(count);
    }

    /// Removes the last row.
    #[inline]
    pub fn pop(&mut self) {
        self.rows -= 1;
        self.data.truncate(self.rows as usize * self.stride);
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.data.clear();
        self.rows = 0;
    }

    /// Counts the row that was just written and returns its index.
    #[inline]
    fn added(&mut self) -> u32 {
        self.rows += 1;
        self.rows - 1
    }
}
