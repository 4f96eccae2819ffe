//! What an acknowledgement says besides its number and its echo, and the pool in which that stands while it is under way.
//!
//! Source: RFC 2018 §3 (blocks), RFC 9768 §3.2 (counts of marked packets).
//!
//! A packet is two words and has room for a handle only. Most acknowledgements say nothing more and cost nothing here; one cache
//! line holds the details of two that do. Marked bytes are not counted beside marked packets: the packets of a flow are of one size, so
//! they are a product. What takes more room than a slot has (the ranges of QUIC, a timestamp that is echoed) goes into a list
//! beside the slots, under the same handle.

use prefetch_index::prefetch_index;

/// A half-open range of packet numbers that the receiver holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First number.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// Most blocks one acknowledgement carries: three fit beside a timestamp option (RFC 2018 §3).
pub const SACK_BLOCKS_MAX: usize = 3;

/// What one acknowledgement says: two to a cache line, and none astride of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(32))]
pub struct AckDetails {
    blocks: [SackBlock; SACK_BLOCKS_MAX],
    blocks_len: u8,
    /// Packets that arrived with *congestion experienced* since the connection began; zero where they are not counted.
    pub ce_packets: u32,
}

impl AckDetails {
    /// The first so many of these blocks, which are newest first, and this count of marked packets.
    #[inline(always)]
    pub fn new(blocks: [SackBlock; SACK_BLOCKS_MAX], blocks_len: usize, ce_packets: u32) -> Self {
        AckDetails { blocks, blocks_len: blocks_len as u8, ce_packets }
    }

    /// No blocks, and this count of marked packets.
    pub fn counting(ce_packets: u32) -> Self {
        AckDetails { ce_packets, ..AckDetails::default() }
    }

    /// Add a block, after newer ones, if there is room.
    pub fn push_block(&mut self, block: SackBlock) {
        if usize::from(self.blocks_len) < SACK_BLOCKS_MAX {
            self.blocks[usize::from(self.blocks_len)] = block;
            self.blocks_len += 1;
        }
    }

    /// The blocks, newest first.
    #[inline(always)]
    pub fn blocks(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.blocks_len)]
    }
}

/// Where an acknowledgement's details are: one more than their slot in the pool, or 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetailsHandle(u32);

impl DetailsHandle {
    /// As a packet holds it.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The inverse of [`DetailsHandle::bits`].
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> Self {
        DetailsHandle(bits)
    }
}

/// Details of acknowledgements under way.
#[derive(Debug, Default)]
pub struct DetailsPool {
    slots: Vec<AckDetails>,
    free: Vec<u32>,
}

impl DetailsPool {
    /// Keep details until their acknowledgement arrives or is lost.
    pub fn keep(&mut self, details: AckDetails) -> DetailsHandle {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = details;
                DetailsHandle(slot + 1)
            }
            None => {
                self.slots.push(details);
                DetailsHandle(self.slots.len() as u32)
            }
        }
    }

    /// The details of an acknowledgement.
    #[inline(always)]
    pub fn get(&self, handle: DetailsHandle) -> Option<&AckDetails> {
        (handle.0 != 0).then(|| &self.slots[handle.0 as usize - 1])
    }

    /// Have the details of an acknowledgement, if it has any, brought into the cache.
    #[inline(always)]
    pub fn prefetch(&self, handle: DetailsHandle) {
        prefetch_index(&self.slots, (handle.0 as usize).wrapping_sub(1));
    }

    /// The acknowledgement has arrived or is lost: its details make room.
    #[inline(always)]
    pub fn release(&mut self, handle: DetailsHandle) {
        if handle.0 != 0 {
            self.free.push(handle.0 - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{ECE, Packet, PacketKind};

    #[test]
    fn a_packet_carries_its_details_by_a_handle() {
        let mut pool = DetailsPool::default();
        let ack = Packet::new(PacketKind::Ack, 3, 9, 40, ECE);
        assert_eq!(pool.get(ack.details()), None);
        let (first, second) = (pool.keep(AckDetails::counting(1)), pool.keep(AckDetails::counting(2)));
        let (one, two) = (ack.with_details(first), ack.with_details(second));
        assert_eq!((one.number(), one.bytes(), one.flags()), (9, 40, ECE));
        assert_eq!(pool.get(one.details()), Some(&AckDetails::counting(1)));
        pool.release(one.details());
        assert_eq!(pool.keep(AckDetails::counting(3)), first, "a slot is used again");
        assert_eq!(pool.get(two.details()), Some(&AckDetails::counting(2)));
    }

    #[test]
    fn blocks_beyond_those_that_fit_are_left_out() {
        let mut details = AckDetails::default();
        let blocks = [4, 3, 2, 1].map(|start| SackBlock { start, end: start + 1 });
        blocks.into_iter().for_each(|block| details.push_block(block));
        assert_eq!(details.blocks(), &blocks[..3]);
        assert_eq!(size_of::<AckDetails>(), 32);
    }
}
