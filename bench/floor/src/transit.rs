//! What is under way on links of constant delay.

use crate::ring::Ring;

/// Holds packets and gives them out in the order of time. [`Transit::earliest`] is asked before each `put` and `take`.
pub trait Transit {
    /// A packet, named by its bits, enters this line and leaves it at this time.
    fn put(&mut self, line: u32, at: u64, name: u64);
    /// When the next one leaves, `u64::MAX` if none is under way. Takes `&mut` since a bucket may have to be opened.
    fn earliest(&mut self) -> u64;
    /// The name of the next one; there must be one.
    fn take(&mut self) -> u64;
    /// How many are under way.
    fn len(&self) -> usize;
    /// Whether nothing is under way.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One FIFO for all lines, whose delay is the same.
pub struct Single(Ring<(u64, u64)>);

impl Default for Single {
    fn default() -> Self {
        Single(Ring::with_room(1024))
    }
}

impl Transit for Single {
    #[inline]
    fn put(&mut self, _line: u32, at: u64, name: u64) {
        self.0.put((at, name));
    }

    #[inline]
    fn earliest(&mut self) -> u64 {
        self.0.first().map_or(u64::MAX, |&(at, _)| at)
    }

    #[inline]
    fn take(&mut self) -> u64 {
        self.0.take().1
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
