//! How much fits into a buffer.

use super::Backlog;
use crate::packet::Packet;

/// A limit in packets or in bytes.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
}

impl Limit {
    /// The one that is given; the scenario's check has seen to that.
    pub fn new(packets: Option<u64>, bytes: Option<u64>) -> Self {
        match (packets, bytes) {
            (Some(packets), None) => Limit::Packets(packets),
            (None, Some(bytes)) => Limit::Bytes(bytes),
            _ => panic!("a checked scenario gives a queue exactly one limit"),
        }
    }

    /// Does this packet fit beside that?
    #[inline(always)]
    pub fn has_room(self, backlog: Backlog, arrival: Packet) -> bool {
        !self.is_exceeded_by(Backlog {
            packets: backlog.packets + 1,
            bytes: backlog.bytes + u64::from(arrival.bytes()),
        })
    }

    /// Does this exceed the limit?
    #[inline(always)]
    pub fn is_exceeded_by(self, backlog: Backlog) -> bool {
        match self {
            Limit::Packets(limit) => backlog.packets > limit,
            Limit::Bytes(limit) => backlog.bytes > limit,
        }
    }
}
