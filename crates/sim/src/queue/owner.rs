//! Whose packet it is, for disciplines that tell flows apart.

use crate::packet::{Packet, PacketKind};

/// Kinds of packets whose flow numbers mean different things.
pub const OWNER_KINDS: usize = 3;

/// A flow's data, its acknowledgements, or a source of constant rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// What the number counts; below [`OWNER_KINDS`].
    pub kind: u8,
    /// Number of the flow or the source.
    pub number: u32,
}

impl Owner {
    /// Whose this packet is.
    #[inline]
    pub fn of(packet: Packet) -> Self {
        let kind = match packet.kind() {
            PacketKind::Data | PacketKind::Syn => 0,
            PacketKind::Ack | PacketKind::SynAck => 1,
            PacketKind::Cbr => 2,
        };
        Owner { kind, number: packet.flow() }
    }
}
