//! A packet: what the simulation needs of its header, and the pool of SACK blocks beside it.

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// A full-size TCP segment.
    #[default]
    Data,
    /// A pure acknowledgement.
    Ack,
    /// Opens a connection.
    Syn,
    /// Answers a SYN.
    SynAck,
    /// Constant-rate cross traffic.
    Cbr,
}

/// Retransmitted data.
pub const RETRANSMISSION: u8 = 1;
/// ECN-capable transport, RFC 3168 §5.
pub const ECT: u8 = 2;
/// Congestion experienced.
pub const CE: u8 = 4;
/// ECN echo, on acknowledgements.
pub const ECE: u8 = 8;
/// Congestion window reduced, on data.
pub const CWR: u8 = 16;
/// Belongs to a flow whose packets count in the metrics.
pub const TEST: u8 = 32;

/// A packet under way: 16 bytes, so that one in transit, with its place among the events, fills half a cache line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// Flow index, or source index for cross traffic.
    pub flow: u32,
    /// Packet number for data; for acknowledgements the first number not yet received.
    pub number: u32,
    /// SACK blocks in the pool, if any.
    pub sack: SackHandle,
    /// Size on the wire.
    pub bytes: u16,
    /// What it is.
    pub kind: PacketKind,
    /// Flag bits above.
    pub flags: u8,
}

impl Packet {
    /// Is this flag set?
    #[inline(always)]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Is it data of a test flow?
    #[inline(always)]
    pub fn is_test_data(&self) -> bool {
        self.kind == PacketKind::Data && self.has(TEST)
    }
}

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

/// The blocks of one acknowledgement, newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [SackBlock; SACK_BLOCKS_MAX],
    len: u8,
}

impl SackBlocks {
    /// Add a block if there is room.
    pub fn push(&mut self, block: SackBlock) {
        if usize::from(self.len) < SACK_BLOCKS_MAX {
            self.blocks[usize::from(self.len)] = block;
            self.len += 1;
        }
    }

    /// The blocks.
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.len)]
    }
}

/// Where an acknowledgement's blocks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackHandle(u32);

impl Default for SackHandle {
    fn default() -> Self {
        SackHandle::NONE
    }
}

impl SackHandle {
    /// No blocks.
    pub const NONE: SackHandle = SackHandle(u32::MAX);

    /// Are there blocks?
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.0 != u32::MAX
    }
}

/// SACK blocks of acknowledgements under way. Most packets carry none, so they live beside the packets.
#[derive(Debug, Default)]
pub struct SackPool {
    slots: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl SackPool {
    /// Keep blocks until their acknowledgement arrives or is lost.
    pub fn keep(&mut self, blocks: SackBlocks) -> SackHandle {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = blocks;
                SackHandle(slot)
            }
            None => {
                self.slots.push(blocks);
                SackHandle(self.slots.len() as u32 - 1)
            }
        }
    }

    /// Take the blocks back and free their place.
    pub fn take(&mut self, handle: SackHandle) -> SackBlocks {
        if !handle.is_some() {
            return SackBlocks::default();
        }
        self.free.push(handle.0);
        self.slots[handle.0 as usize]
    }
}
