//! A first-in first-out ring of small values: a power of two of cells, so that a place is a mask away.
//!
//! What waits or flies in a network does so in rings. Nothing is allocated before the first use, and a ring
//! grows by doubling, so an entry costs no allocation of its own.

/// A FIFO of small values.
#[derive(Clone, Debug, Default)]
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

    #[inline(always)]
    fn place(&self, index: usize) -> usize {
        (self.head + index) & (self.cells.len() - 1)
    }

    /// The oldest entry.
    #[inline(always)]
    pub fn front(&self) -> Option<T> {
        (self.len > 0).then(|| self.cells[self.head])
    }

    /// The oldest entry, where it stands.
    #[inline(always)]
    pub fn front_ref(&self) -> Option<&T> {
        if self.len > 0 { self.cells.get(self.head) } else { None }
    }

    /// The entry this many places behind the oldest, if there is one.
    #[inline(always)]
    pub fn ahead(&self, distance: usize) -> Option<T> {
        (self.len > distance).then(|| self.cells[self.place(distance)])
    }

    /// The entry this many places behind the oldest, to be changed, if there is one.
    #[inline(always)]
    pub fn ahead_mut(&mut self, distance: usize) -> Option<&mut T> {
        if distance >= self.len {
            return None;
        }
        let place = self.place(distance);
        Some(&mut self.cells[place])
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
        fn a_ring_is_a_queue(operations in proptest::collection::vec(proptest::option::of((0u32.., 0usize..9)), 1..300)) {
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for operation in operations {
                match operation {
                    None => prop_assert_eq!(ring.pop_front(), model.pop_front()),
                    Some((entry, distance)) => {
                        ring.push_back(entry);
                        model.push_back(entry);
                        prop_assert_eq!(ring.ahead(distance), model.get(distance).copied());
                    }
                }
                prop_assert_eq!((ring.front(), ring.len()), (model.front().copied(), model.len()));
            }
            while let Some(entry) = model.pop_front() {
                prop_assert_eq!(ring.pop_front(), Some(entry));
            }
            prop_assert_eq!(ring.len(), 0);
        }
    }
}
