//! One FIFO for each distinct round-trip time, and a knock-out tournament between their heads.

use crate::ring::Ring;
use crate::transit::Transit;

/// FIFO lines of constant delay. A node of the tournament holds the smaller of its two children, a leaf the time of its line's head
/// with the line's number below it: the root says what comes next and whence.
pub struct Lines {
    rings: Vec<Ring<(u64, u64)>>,
    nodes: Vec<u64>,
    leaves: usize,
    line_bits: u32,
    length: usize,
}

impl Lines {
    const ROOM: usize = 16;

    /// So many lines, all empty.
    pub fn new(lines: u32) -> Self {
        let leaves = (lines as usize).next_power_of_two().max(2);
        Lines {
            rings: (0..lines).map(|_| Ring::with_room(Self::ROOM)).collect(),
            nodes: vec![u64::MAX; 2 * leaves],
            leaves,
            line_bits: leaves.ilog2(),
            length: 0,
        }
    }

    /// The head of a line has changed: replay its matches up to the root.
    #[inline]
    fn replay(&mut self, line: usize, at: u64) {
        let mut least = if at == u64::MAX { at } else { at << self.line_bits | line as u64 };
        let mut node = self.leaves + line;
        self.nodes[node] = least;
        while node > 1 {
            least = least.min(self.nodes[node ^ 1]);
            node /= 2;
            self.nodes[node] = least;
        }
    }
}

impl Transit for Lines {
    #[inline]
    fn put(&mut self, line: u32, at: u64, name: u64) {
        self.length += 1;
        let ring = &mut self.rings[line as usize];
        ring.put((at, name));
        if ring.len() == 1 {
            self.replay(line as usize, at);
        }
    }

    #[inline]
    fn earliest(&mut self) -> u64 {
        if self.length == 0 { u64::MAX } else { self.nodes[1] >> self.line_bits }
    }

    #[inline]
    fn take(&mut self) -> u64 {
        self.length -= 1;
        let line = self.nodes[1] as usize & (self.leaves - 1);
        let ring = &mut self.rings[line];
        let (_, name) = ring.take();
        let head = ring.first().map_or(u64::MAX, |&(at, _)| at);
        self.replay(line, head);
        name
    }

    fn len(&self) -> usize {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use crate::{Buckets, Delays, Transit};

    /// Put what leaves the bottleneck every `step` ns into `returns` by lines in no regular order, and take it out as its time comes.
    fn order_out(mut returns: impl Transit, lines: u32, step: u64) -> Vec<(u64, u64)> {
        let delays = Delays::new(lines, false);
        let mut out = Vec::new();
        for index in 0..20_000u64 {
            // A pause after half of it, so that everything runs empty once.
            let now = index * step + if index < 10_000 { 0 } else { 300_000_000 };
            while returns.earliest() <= now {
                let at = returns.earliest();
                out.push((at, returns.take()));
            }
            let line = (index * index % 10_007 % u64::from(lines)) as u32;
            returns.put(line, now + delays.back(line), index % (1 << 30));
        }
        while !returns.is_empty() {
            let at = returns.earliest();
            out.push((at, returns.take()));
        }
        assert_eq!(returns.earliest(), u64::MAX);
        out
    }

    #[test]
    fn lines_and_buckets_give_out_the_same_in_the_order_of_time() {
        for (lines, step) in [(1, 80_000), (10, 80_000), (64, 800), (1_000, 800), (20_000, 80)] {
            let from_lines = order_out(Lines::new(lines), lines, step);
            assert!(from_lines.is_sorted_by_key(|&(at, _)| at), "{lines} lines");
            let mut from_buckets = order_out(Buckets::new(step), lines, step);
            assert!(from_buckets.is_sorted_by_key(|&(at, _)| at), "{lines} lines");
            // Equal times may come in either order.
            let mut by_time = from_lines;
            by_time.sort_unstable();
            from_buckets.sort_unstable();
            assert!(by_time == from_buckets, "{lines} lines");
        }
    }
}
