//! Details of an acknowledgement besides its number and its echo, and the pool that holds them while it is in flight.
//!
//! Source: RFC 2018 §3 (blocks), RFC 2883 §4 (duplicates), RFC 7323 §4.3 (timestamps), RFC 9768 §3.2 (counts of marked packets).
//!
//! A packet is two words and has room for a handle only. Most acknowledgements say nothing more and cost nothing here; one cache line
//! holds the details of two that do. Marked bytes are not counted beside marked packets: the packets of a flow are of one size, so they
//! are a product. Ranges of packet numbers that do not fit into a slot (RFC 9000 §19.3.1) go into a list beside the slots, under the same
//! handle.

use prefetch_index::prefetch_index;
use sawtooth_cc::units::Span;
use std::ops::Deref;

/// A half-open range of packet numbers that the receiver holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First number.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// The transmission whose timestamp an acknowledgement echoes (RFC 7323 §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// The packet.
    pub number: u32,
    /// It was a retransmission.
    pub again: bool,
}

/// Most blocks one acknowledgement carries: three fit beside a timestamp option (RFC 2018 §3).
pub const SACK_BLOCKS_MAX: usize = 3;

/// The details of one acknowledgement: two fit into a cache line, and none crosses a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(32))]
pub struct AckDetails {
    blocks: [SackBlock; SACK_BLOCKS_MAX],
    blocks_len: u8,
    notes: u8,
    /// How far below the cumulative acknowledgement the packet is whose timestamp is echoed. Where packets are numbered, how long the
    /// acknowledgement has waited, in units of [`DELAY_UNIT`].
    echo_below: u16,
    /// Packets that arrived with *congestion experienced* since the connection began; zero where they are not counted.
    pub ce_packets: u32,
}

impl AckDetails {
    /// This many of the blocks, newest first, and this count of marked packets.
    #[inline(always)]
    pub fn new(blocks: [SackBlock; SACK_BLOCKS_MAX], blocks_len: usize, ce_packets: u32) -> Self {
        AckDetails { blocks, blocks_len: blocks_len as u8, notes: 0, echo_below: 0, ce_packets }
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

    /// This packet has arrived once more: a first block that says so (RFC 2883 §4), before those there are.
    pub fn with_duplicate(mut self, number: u32) -> Self {
        let len = usize::from(self.blocks_len).min(SACK_BLOCKS_MAX - 1);
        self.blocks.copy_within(..len, 1);
        self.blocks[0] = SackBlock { start: number, end: number + 1 };
        self.blocks_len = len as u8 + 1;
        self.notes |= DUPLICATE;
        self
    }

    /// The timestamp of this transmission is echoed, with this cumulative acknowledgement.
    pub fn with_echo(mut self, echo: Echo, cumulative: u32) -> Self {
        if let Ok(below) = u16::try_from(cumulative - echo.number) {
            self.echo_below = below;
            self.notes |= ECHO | if echo.again { ECHO_AGAIN } else { 0 };
        }
        self
    }

    /// The newest of these ranges of packet numbers, and how long the acknowledgement of the highest has waited. Half a second stands for
    /// longer: that happens behind links that reorder, and the sender believes no more than the delay that it knows (RFC 9002 §5.3).
    pub fn of_numbers(ranges: &[SackBlock], delay: Span, ce_packets: u32) -> Self {
        let mut details = AckDetails::counting(ce_packets);
        ranges.iter().take(SACK_BLOCKS_MAX).for_each(|&range| details.push_block(range));
        details.echo_below = u16::try_from(delay.nanos() / DELAY_UNIT.nanos()).unwrap_or(u16::MAX);
        details
    }

    /// How long the acknowledgement of the highest packet number has waited.
    pub fn delay(&self) -> Span {
        Span::from_nanos(u64::from(self.echo_below) * DELAY_UNIT.nanos())
    }

    /// The blocks of what the receiver holds, newest first.
    #[inline(always)]
    pub fn blocks(&self) -> &[SackBlock] {
        &self.blocks[usize::from(self.notes & DUPLICATE)..usize::from(self.blocks_len)]
    }

    /// What has arrived once more.
    pub fn duplicate(&self) -> Option<u32> {
        (self.notes & DUPLICATE != 0).then_some(self.blocks[0].start)
    }

    /// Whose timestamp is echoed, where it says so.
    pub fn echo(&self, cumulative: u32) -> Option<Echo> {
        let number = cumulative.checked_sub(self.echo_below.into())?;
        (self.notes & ECHO != 0).then_some(Echo { number, again: self.notes & ECHO_AGAIN != 0 })
    }
}

/// The first block is of a packet that has arrived once more.
const DUPLICATE: u8 = 1;
/// A timestamp is echoed.
const ECHO: u8 = 2;
/// It is that of a retransmission.
const ECHO_AGAIN: u8 = 4;
/// All ranges stand in the list beside the slots.
const LISTED: u8 = 8;

/// In which an acknowledgement tells its delay: 2³ µs (RFC 9000 §18.2, `ack_delay_exponent`).
pub const DELAY_UNIT: Span = Span::from_micros(8);
/// The longest delay that is told.
pub const ACK_DELAY_MAX: Span = Span::from_millis(500);

/// The details of an acknowledgement, as its sender reads them.
#[derive(Clone, Copy, Debug)]
pub struct Details<'a> {
    plain: &'a AckDetails,
    listed: &'a [SackBlock],
}

impl Details<'_> {
    /// Blocks, or ranges, newest first.
    #[inline(always)]
    pub fn blocks(&self) -> &[SackBlock] {
        if self.plain.notes & LISTED == 0 { self.plain.blocks() } else { self.listed }
    }
}

impl Deref for Details<'_> {
    type Target = AckDetails;

    #[inline(always)]
    fn deref(&self) -> &AckDetails {
        self.plain
    }
}

impl<'a> From<&'a AckDetails> for Details<'a> {
    fn from(plain: &'a AckDetails) -> Self {
        Details { plain, listed: &[] }
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

/// Details of acknowledgements in flight.
#[derive(Debug, Default)]
pub struct DetailsPool {
    slots: Vec<AckDetails>,
    free: Vec<u32>,
    /// Ranges that do not fit into the slot of the same place.
    listed: Vec<Vec<SackBlock>>,
}

impl DetailsPool {
    /// Keep details until their acknowledgement arrives or is lost.
    #[inline]
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

    /// Keep details with all these ranges.
    pub fn keep_ranges(&mut self, mut details: AckDetails, ranges: &[SackBlock]) -> DetailsHandle {
        if ranges.len() <= SACK_BLOCKS_MAX {
            return self.keep(details);
        }
        details.notes |= LISTED;
        let handle = self.keep(details);
        let place = handle.0 as usize - 1;
        if place >= self.listed.len() {
            self.listed.resize_with(place + 1, Vec::new);
        }
        self.listed[place].clear();
        self.listed[place].extend_from_slice(ranges);
        handle
    }

    /// The details of an acknowledgement.
    #[inline(always)]
    pub fn get(&self, handle: DetailsHandle) -> Option<Details<'_>> {
        let place = (handle.0 as usize).checked_sub(1)?;
        let plain = &self.slots[place];
        let listed = if plain.notes & LISTED == 0 { &[][..] } else { &self.listed[place] };
        Some(Details { plain, listed })
    }

    /// Prefetch the details of an acknowledgement, if it has any.
    #[inline(always)]
    pub fn prefetch(&self, handle: DetailsHandle) {
        prefetch_index(&self.slots, (handle.0 as usize).wrapping_sub(1));
    }

    /// The acknowledgement has arrived or is lost: its details are freed.
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
    fn a_delay_is_told_in_steps_of_8_us_up_to_half_a_second() {
        let told = |micros| AckDetails::of_numbers(&[], Span::from_micros(micros), 0).delay();
        assert_eq!(told(25_007), Span::from_micros(25_000));
        assert_eq!(told(2_000_000), Span::from_micros(8 * 65_535));
    }

    #[test]
    fn a_packet_carries_its_details_by_a_handle() {
        let mut pool = DetailsPool::default();
        let ack = Packet::new(PacketKind::Ack, 3, 9, 40, ECE);
        assert!(pool.get(ack.details()).is_none());
        let (first, second) = (pool.keep(AckDetails::counting(1)), pool.keep(AckDetails::counting(2)));
        let (one, two) = (ack.with_details(first), ack.with_details(second));
        assert_eq!((one.number(), one.bytes(), one.flags()), (9, 40, ECE));
        assert_eq!(pool.get(one.details()).as_deref(), Some(&AckDetails::counting(1)));
        pool.release(one.details());
        assert_eq!(pool.keep(AckDetails::counting(3)), first, "a slot is used again");
        assert_eq!(pool.get(two.details()).as_deref(), Some(&AckDetails::counting(2)));
    }

    #[test]
    fn ranges_beyond_those_that_fit_are_listed_under_the_same_handle() {
        let mut pool = DetailsPool::default();
        let ranges: Vec<SackBlock> =
            (0..9).rev().map(|n| SackBlock { start: 2 * n, end: 2 * n + 1 }).collect();
        let (delay, told) = (Span::from_nanos(25_005_000), Span::from_nanos(25_000_000));
        for count in [9, 3, 4, 0] {
            let ranges = &ranges[..count];
            let handle = pool.keep_ranges(AckDetails::of_numbers(ranges, delay, 7), ranges);
            let details = pool.get(handle).expect("it is kept");
            assert_eq!((details.blocks(), details.delay(), details.ce_packets), (ranges, told, 7));
            pool.release(handle); // and used again
        }
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
