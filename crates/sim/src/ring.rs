//! A first-in first-out ring of small values: a power of two of cells, so that a place is a mask away.
//!
//! What waits or flies in a network does so in rings. Nothing is allocated before the first use, and a ring
//! grows by doubling, so an entry costs no allocation of its own.

/// A FIFO of small values.
#[derive(Debug, Default)]
pub struct Ring<T> {
    cells: Vec<T>,
    head: usize,
    len: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// Cells of a ring at its first use.
    const CELLS_MIN: usize = 4;

    /// How many entries there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Are there none?
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn place(&self, index: usize) -> usize {
        (self.head + index) & (self.cells.len() - 1)
    }

    /// The entry this many places behind the oldest; there must be one.
    #[inline(always)]
    pub fn at(&self, index: usize) -> T {
        self.cells[self.place(index)]
    }

    /// The oldest entry.
    #[inline(always)]
    pub fn front(&self) -> Option<T> {
        (self.len > 0).then(|| self.cells[self.head])
    }

    /// Add an entry behind all others.
    #[inline(always)]
    pub fn push_back(&mut self, entry: T) {
        if self.len == self.cells.len() {
            self.grow();
        }
        let place = self.place(self.len);
        self.cells[place] = entry;
        self.len += 1;
    }

    /// Take the oldest entry out.
    #[inline(always)]
    pub fn pop_front(&mut self) -> Option<T> {
        let entry = self.front()?;
        self.head = self.place(1);
        self.len -= 1;
        Some(entry)
    }

    /// Add an entry so that this many are before it.
    pub fn insert(&mut self, index: usize, entry: T) {
        self.push_back(entry);
        for later in (index + 1..self.len).rev() {
            let (from, to) = (self.place(later - 1), self.place(later));
            self.cells[to] = self.cells[from];
        }
        let place = self.place(index);
        self.cells[place] = entry;
    }

    #[cold]
    fn grow(&mut self) {
        self.cells.rotate_left(self.head);
        self.head = 0;
        self.cells.resize((2 * self.len).max(Self::CELLS_MIN), T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// Whatever is done to it, a ring holds what a `VecDeque` holds.
        #[test]
        fn a_ring_is_a_queue(operations in proptest::collection::vec((0u8..4, 0usize..8), 1..300)) {
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for (step, (operation, back)) in operations.into_iter().enumerate() {
                match operation {
                    0 => prop_assert_eq!(ring.pop_front(), model.pop_front()),
                    1 => {
                        let index = model.len().saturating_sub(back);
                        ring.insert(index, step);
                        model.insert(index, step);
                    }
                    _ => {
                        ring.push_back(step);
                        model.push_back(step);
                    }
                }
                prop_assert_eq!(ring.front(), model.front().copied());
                prop_assert_eq!((0..ring.len()).map(|i| ring.at(i)).collect::<Vec<_>>(), Vec::from(model.clone()));
            }
        }
    }
}
