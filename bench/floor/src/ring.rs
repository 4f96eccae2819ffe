//! A FIFO in a ring that doubles when it is full.

/// First in, first out; the number of slots is a power of two.
pub struct Ring<T> {
    slots: Box<[T]>,
    first: usize,
    end: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// A ring in which at least so many fit before it grows.
    pub fn with_room(room: usize) -> Self {
        Ring { slots: vec![T::default(); room.next_power_of_two()].into(), first: 0, end: 0 }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// The oldest.
    #[inline]
    pub fn first(&self) -> Option<&T> {
        (self.first != self.end).then(|| &self.slots[self.first & (self.slots.len() - 1)])
    }

    /// One more at the end.
    #[inline]
    pub fn put(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        self.slots[self.end & mask] = value;
        self.end += 1;
    }

    /// The oldest, taken out.
    #[inline]
    pub fn take(&mut self) -> T {
        assert!(self.first != self.end, "something to take is in the ring");
        let value = self.slots[self.first & (self.slots.len() - 1)];
        self.first += 1;
        value
    }

    #[cold]
    fn grow(&mut self) {
        let old = &self.slots;
        let mut slots = vec![T::default(); 2 * old.len()].into_boxed_slice();
        for index in self.first..self.end {
            slots[index & (2 * old.len() - 1)] = old[index & (old.len() - 1)];
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    #[test]
    fn what_goes_in_comes_out_in_order_across_growth_and_wrapping() {
        let mut ring = Ring::with_room(3);
        let (mut given, mut taken) = (0u64, 0u64);
        for turn in 0..50 {
            for _ in 0..turn % 7 {
                ring.put(given);
                given += 1;
            }
            for _ in 0..(turn % 5).min(ring.len()) {
                assert_eq!(ring.first(), Some(&taken));
                assert_eq!(ring.take(), taken);
                taken += 1;
            }
            assert_eq!(ring.len() as u64, given - taken);
        }
        assert!(ring.slots.len() > 4, "it has grown");
    }
}
