//! Links whose packets lie in buckets of time that are sorted when their turn comes.

use crate::Packet;
use crate::transit::Transit;

/// Transmissions that a bucket spans, at most: few enough that a bucket is sorted within the first-level cache.
const BUCKET_TRANSMISSIONS: u64 = 256;
/// No bucket may span more than the shortest way back, or something could come into the bucket that is open.
const WIDTH_MAX_NS: u64 = 1 << 24;
/// Longer than the longest way back and a bucket.
const SPAN_NS: u64 = 1 << 27;

/// Buckets of time in a ring; a packet is appended to its bucket, and a bucket is sorted when it becomes the earliest.
///
/// Appending touches one of the few hundred ends of buckets that lie within the spread of round-trip times, and everything else is
/// read and written in sequence, so its cost grows neither with flows nor with distinct round-trip times. Entries are 64 bits: time
/// within the bucket above the packet's name.
pub struct Buckets {
    ring: Vec<Vec<u64>>,
    shift: u32,
    /// Index, not reduced to the ring, of the open bucket.
    open: u64,
    /// What is left of the open bucket, the latest first.
    sorted: Vec<u64>,
    length: usize,
}

impl Buckets {
    /// Buckets for a bottleneck that sends one packet in so many ns.
    pub fn new(transmission_ns: u64) -> Self {
        let width = (transmission_ns * BUCKET_TRANSMISSIONS).next_power_of_two().min(WIDTH_MAX_NS);
        Buckets {
            ring: vec![Vec::new(); (SPAN_NS / width) as usize],
            shift: width.ilog2(),
            open: 0,
            sorted: Vec::new(),
            length: 0,
        }
    }

    #[inline]
    fn bucket(&mut self, index: u64) -> &mut Vec<u64> {
        let mask = self.ring.len() - 1;
        &mut self.ring[index as usize & mask]
    }

    /// Open the next bucket that holds something.
    fn advance(&mut self) {
        loop {
            self.open += 1;
            let (open, mask) = (self.open, self.ring.len() - 1);
            let bucket = &mut self.ring[open as usize & mask];
            if !bucket.is_empty() {
                std::mem::swap(&mut self.sorted, bucket);
                self.sorted.sort_unstable_by(|a, b| b.cmp(a));
                return;
            }
        }
    }

    /// The open bucket was opened ahead of time and something comes before its end: close it and open that one.
    #[cold]
    fn reopen(&mut self, index: u64, entry: u64) {
        let (open, mut held) = (self.open, std::mem::take(&mut self.sorted));
        self.bucket(open).append(&mut held);
        self.bucket(index).push(entry);
        self.open = index - 1;
        self.advance();
    }
}

impl Transit for Buckets {
    #[inline]
    fn put(&mut self, _line: u32, at: u64, name: u64) {
        let index = at >> self.shift;
        if self.length == 0 {
            self.open = index - 1; // the ring is empty, and may have gone round since
        }
        self.length += 1;
        let entry = (at & ((1 << self.shift) - 1)) << Packet::NAME_BITS | name;
        if index > self.open {
            self.bucket(index).push(entry);
        } else {
            self.reopen(index, entry);
        }
    }

    #[inline]
    fn earliest(&mut self) -> u64 {
        if self.sorted.is_empty() {
            if self.length == 0 {
                return u64::MAX;
            }
            self.advance();
        }
        let next = self.sorted[self.sorted.len() - 1];
        (self.open << self.shift) + (next >> Packet::NAME_BITS)
    }

    #[inline]
    fn take(&mut self) -> u64 {
        self.length -= 1;
        let next = self.sorted.pop().expect("the earliest has been asked for");
        next & ((1 << Packet::NAME_BITS) - 1)
    }

    fn len(&self) -> usize {
        self.length
    }
}
