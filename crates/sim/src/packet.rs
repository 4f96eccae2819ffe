//! A packet: what the simulation needs of its header.

use crate::ack_details::DetailsHandle;

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
pub const RETRANSMISSION: u16 = 1;
/// ECN-capable transport, RFC 3168 §5: the codepoint ECT(0), or ECT(1) beside [`ECT_1`].
pub const ECT: u16 = 2;
/// Congestion experienced.
pub const CE: u16 = 4;
/// ECN echo, on acknowledgements.
pub const ECE: u16 = 8;
/// Congestion window reduced, on data.
pub const CWR: u16 = 16;
/// Belongs to a flow whose packets count in the metrics.
pub const TEST: u16 = 32;
/// Within the profile that its traffic keeps to: RIO spares it.
pub const IN_PROFILE: u16 = 64;
/// Beside [`ECT`], the codepoint ECT(1): the sender asks for L4S service, RFC 9331 §4.1.
pub const ECT_1: u16 = 128;
/// The flags of both codepoints. A packet without them is not ECN-capable.
pub const ECT_CODEPOINTS: u16 = ECT | ECT_1;

/// Flags of the simulation's own books, which no header carries. They stand between the flags of the header, of which bits 8 to 12
/// are free: elsewhere they would take a hash of departures, whose value must stay, nine instructions a packet.
pub const BOOKKEEPING: u16 = TEST | IN_PROFILE;
/// Where the kind stands, above the flags.
const KIND: u16 = 0xe000;
const KIND_SHIFT: u32 = KIND.trailing_zeros();

impl PacketKind {
    #[inline(always)]
    const fn of(number: u16) -> Self {
        match number {
            0 => PacketKind::Data,
            1 => PacketKind::Ack,
            2 => PacketKind::Syn,
            3 => PacketKind::SynAck,
            _ => PacketKind::Cbr,
        }
    }
}

/// A packet in flight: two machine words.
///
/// It is handed on by value, in registers. As a struct of small fields it lived in memory, written in parts and read
/// back as a whole, which the processor cannot forward from one to the other; that took 8 of 100 ns a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Flow · number.
    who: u64,
    /// Handle of details, or packet number · size · kind · flags.
    what: u64,
}

impl Packet {
    /// A packet of this kind and size; `flow` is a source's index for cross traffic.
    #[inline(always)]
    pub const fn new(kind: PacketKind, flow: u32, number: u32, bytes: u16, flags: u16) -> Self {
        Packet {
            who: (flow as u64) << 32 | number as u64,
            what: (bytes as u64) << 16 | (kind as u64) << KIND_SHIFT | flags as u64,
        }
    }

    /// Flow index, or source index for cross traffic.
    #[inline(always)]
    pub const fn flow(self) -> u32 {
        (self.who >> 32) as u32
    }

    /// Packet number for data; for acknowledgements the first number not yet received.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.who as u32
    }

    /// Size on the wire.
    #[inline(always)]
    pub const fn bytes(self) -> u16 {
        (self.what >> 16) as u16
    }

    /// What it is.
    #[inline(always)]
    pub const fn kind(self) -> PacketKind {
        PacketKind::of(self.what as u16 >> KIND_SHIFT)
    }

    /// Flag bits above.
    #[inline(always)]
    pub const fn flags(self) -> u16 {
        self.what as u16 & !KIND
    }

    /// Its flags for a hash: the lowest byte of them.
    #[inline(always)]
    pub const fn flags_to_hash(self) -> u64 {
        self.what & 0xff
    }

    /// Details in the pool of an acknowledgement, if it has any.
    #[inline(always)]
    pub const fn details(self) -> DetailsHandle {
        DetailsHandle::from_bits((self.what >> 32) as u32)
    }

    /// The number that this transmission of data has of its own, where packets are numbered. It stands where acknowledgements have
    /// their details.
    #[inline(always)]
    pub const fn packet_number(self) -> u32 {
        (self.what >> 32) as u32
    }

    /// The same data with a packet number.
    #[inline(always)]
    pub const fn with_packet_number(self, number: u32) -> Self {
        Packet { what: self.what & 0xffff_ffff | (number as u64) << 32, ..self }
    }

    /// The same packet with these details; it had none.
    #[inline(always)]
    pub const fn with_details(self, details: DetailsHandle) -> Self {
        Packet { what: self.what | (details.bits() as u64) << 32, ..self }
    }

    /// The same packet with *congestion experienced* set.
    #[inline(always)]
    pub const fn marked(self) -> Self {
        Packet { what: self.what | CE as u64, ..self }
    }

    /// Is this flag set?
    #[inline(always)]
    pub const fn has(self, flag: u16) -> bool {
        self.what & flag as u64 != 0
    }

    /// Does it belong to L4S service: ECT(1), or marked, when either codepoint may have been there? RFC 9331 §5.1.
    #[inline(always)]
    pub const fn is_l4s(self) -> bool {
        self.has(ECT_1 | CE)
    }

    /// Is it data of a test flow?
    #[inline(always)]
    pub const fn is_test_data(self) -> bool {
        const TEST_DATA: u16 = (PacketKind::Data as u16) << KIND_SHIFT | TEST;
        self.what as u16 & (KIND | TEST) == TEST_DATA
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_flags_and_numbers_keep_out_of_each_others_way() {
        let kinds = [PacketKind::Data, PacketKind::Ack, PacketKind::Syn, PacketKind::SynAck, PacketKind::Cbr];
        for kind in kinds {
            for flags in [
                0,
                ECT,
                ECT | CWR | TEST,
                ECT | ECT_1 | TEST,
                RETRANSMISSION | IN_PROFILE,
                CE | ECE | TEST | IN_PROFILE,
            ] {
                let packet = Packet::new(kind, u32::MAX, 7, u16::MAX, flags);
                assert_eq!((packet.kind(), packet.flags()), (kind, flags));
                assert_eq!((packet.flow(), packet.number(), packet.bytes()), (u32::MAX, 7, u16::MAX));
                assert_eq!(packet.is_test_data(), kind == PacketKind::Data && packet.has(TEST));
                assert_eq!(packet.marked().flags(), flags | CE);
                assert_eq!(packet.flags_to_hash(), u64::from(flags));
            }
        }
    }

    #[test]
    fn ect_1_and_marked_packets_are_of_l4s_service() {
        let of = |flags| Packet::new(PacketKind::Data, 0, 0, 1000, flags);
        assert_eq!([0, ECT, ECT | ECT_1].map(|flags| of(flags).is_l4s()), [false, false, true]);
        assert!(of(ECT).marked().is_l4s());
        assert!(of(ECT | ECT_1).marked().has(ECT), "a marked packet stays ECN-capable");
    }
}
