//! Which of many queues is the longest, at a cost that does not grow with their number.
//!
//! Lengths fall into classes: one for each length below 16 KiB, and 8,192 to each doubling above, as in
//! [`crate::histogram`]. The queues of a class are chained, the longest first and among equals the one that has been so long for the
//! longest time; a bit per class, in three levels of 64 each, says which classes have any. A queue that moves looks for
//! its place from the end of the chain, past those that are shorter than it within one part in 8,192.

/// Lengths below two to this have classes of their own.
const EXACT_BITS: u32 = 14;

/// Bits of a length above them that a class keeps.
const KEPT_BITS: u32 = EXACT_BITS - 1;

/// As many as three levels of 64 bits tell apart; lengths beyond 2^44 bytes share the last.
const CLASSES: usize = 64 * 64 * 64;

/// A queue in the chain of its class.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    bytes: u64,
    before: u32,
    after: u32,
}

/// Queues by length.
#[derive(Debug)]
pub struct Longest {
    /// By class, one more than its first queue; 0 if it has none. Untouched parts of this take no memory.
    first: Vec<u32>,
    /// The classes that have queues: a bit each, then a bit for each word of the level below.
    used: [Vec<u64>; 3],
    links: Vec<Link>,
}

impl Default for Longest {
    fn default() -> Self {
        Longest {
            first: vec![0; CLASSES],
            used: [vec![0; CLASSES / 64], vec![0; CLASSES / 64 / 64], vec![0; 1]],
            links: Vec::new(),
        }
    }
}

/// The class of a length; longer ones have no lower class.
fn class(bytes: u64) -> usize {
    let above = (64 - EXACT_BITS).saturating_sub(bytes.leading_zeros());
    let class = (u64::from(above) << KEPT_BITS) + (bytes >> above);
    (class as usize).min(CLASSES - 1)
}

impl Longest {
    /// This queue is so long now; at 0 it is forgotten.
    pub fn set(&mut self, queue: u32, bytes: u64) {
        if queue as usize >= self.links.len() {
            self.links.resize(queue as usize + 1, Link::default());
        }
        let before = self.links[queue as usize].bytes;
        if before > 0 {
            self.unchain(queue, class(before));
        }
        self.links[queue as usize].bytes = bytes;
        if bytes > 0 {
            self.chain(queue, bytes, class(bytes));
        }
    }

    /// The longest queue, if any is not empty.
    pub fn first(&self) -> Option<u32> {
        let top = self.used[2][0];
        if top == 0 {
            return None;
        }
        let highest = |level: &[u64], word: usize| 64 * word + level[word].ilog2() as usize;
        let word = highest(&self.used[1], highest(&self.used[2], 0));
        Some(self.first[highest(&self.used[0], word)] - 1)
    }

    fn chain(&mut self, queue: u32, bytes: u64, class: usize) {
        let first = match self.first[class] {
            0 => {
                self.first[class] = queue + 1;
                self.mark(class);
                let link = &mut self.links[queue as usize];
                (link.before, link.after) = (queue, queue);
                return;
            }
            first => first - 1,
        };
        let mut after = first; // the end of the chain
        loop {
            let before = self.links[after as usize].before;
            if self.links[before as usize].bytes >= bytes {
                break;
            }
            after = before;
            if after == first {
                self.first[class] = queue + 1;
                break;
            }
        }
        let before = self.links[after as usize].before;
        let link = &mut self.links[queue as usize];
        (link.before, link.after) = (before, after);
        self.links[before as usize].after = queue;
        self.links[after as usize].before = queue;
    }

    fn unchain(&mut self, queue: u32, class: usize) {
        let Link { before, after, .. } = self.links[queue as usize];
        if after == queue {
            self.first[class] = 0;
            self.unmark(class);
            return;
        }
        self.links[before as usize].after = after;
        self.links[after as usize].before = before;
        if self.first[class] == queue + 1 {
            self.first[class] = after + 1;
        }
    }

    fn mark(&mut self, mut index: usize) {
        for level in &mut self.used {
            level[index / 64] |= 1 << (index % 64);
            index /= 64;
        }
    }

    fn unmark(&mut self, mut index: usize) {
        for level in &mut self.used {
            level[index / 64] &= !(1 << (index % 64));
            if level[index / 64] != 0 {
                return;
            }
            index /= 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A length in the last class.
    const FAR: u64 = 1 << 45;

    proptest! {
        /// Whatever their lengths, and however close these are, the longest is that of a search through all; among equals,
        /// the one that has been so long for the longest time.
        #[test]
        fn the_first_is_the_longest(
            steps in proptest::collection::vec(
                (0u32..12, prop_oneof![0u64..4, 16_380u64..16_390, 1_000_000u64..1_000_300, FAR..FAR + 2]),
                1..300,
            )
        ) {
            let (mut longest, mut model) = (Longest::default(), [(0, 0); 12]);
            for (now, (queue, bytes)) in steps.into_iter().enumerate() {
                longest.set(queue, bytes);
                model[queue as usize] = (bytes, usize::MAX - now);
                let expected = (0..12).filter(|&queue| model[queue].0 > 0).max_by_key(|&queue| model[queue]);
                prop_assert_eq!(longest.first().map(|queue| queue as usize), expected);
            }
        }
    }

    #[test]
    fn classes_rise_with_length_and_are_exact_below_16_kib() {
        let exact = 1 << EXACT_BITS;
        assert!((0..exact).all(|bytes| class(bytes) as u64 == bytes));
        let steps = (exact..1 << 20).map(|bytes| class(bytes) - class(bytes - 1));
        assert_eq!(steps.max(), Some(1));
        assert_eq!(class(u64::MAX), CLASSES - 1);
    }
}
