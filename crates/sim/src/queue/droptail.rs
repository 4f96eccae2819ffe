//! Drop-tail: first in, first out; an arriving packet that does not fit is dropped.
//!
//! Source: the FIFO queue of [Akella02] §4.1; ns-2's and Linux's default for decades.
//!
//! | parameter | unit    | default | why                                                              |
//! |-----------|---------|---------|------------------------------------------------------------------|
//! | packets   | packets | given   | a limit in packets, or                                           |
//! | bytes     | bytes   | given   | a limit in bytes; both count the packet in transmission, as a router's buffer does |

use super::{Backlog, DropReason, QueueContext, QueueDiscipline, Queued};
use std::collections::VecDeque;

/// How much fits.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Packets(u64),
    Bytes(u64),
}

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail {
    limit: Limit,
    waiting: VecDeque<Queued>,
    bytes: u64,
}

impl DropTail {
    /// An empty queue. Exactly one limit is given; the scenario's check has seen to that.
    pub fn new(packets: Option<u64>, bytes: Option<u64>) -> Self {
        let limit = match (packets, bytes) {
            (Some(packets), None) => Limit::Packets(packets),
            (None, Some(bytes)) => Limit::Bytes(bytes),
            _ => panic!("a checked scenario gives drop-tail exactly one limit"),
        };
        DropTail { limit, waiting: VecDeque::new(), bytes: 0 }
    }
}

impl QueueDiscipline for DropTail {
    #[inline]
    fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>) {
        let size = u64::from(arrival.packet.bytes);
        let held = context.in_transmission;
        let fits = match self.limit {
            Limit::Packets(limit) => self.waiting.len() as u64 + held.packets < limit,
            Limit::Bytes(limit) => self.bytes + held.bytes + size <= limit,
        };
        if fits {
            self.bytes += size;
            self.waiting.push_back(arrival);
        } else {
            context.drop(arrival.packet, DropReason::Full);
        }
    }

    #[inline]
    fn dequeue(&mut self, _context: &mut QueueContext<'_>) -> Option<Queued> {
        let first = self.waiting.pop_front()?;
        self.bytes -= u64::from(first.packet.bytes);
        Some(first)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use crate::packet::{Packet, PacketKind, SackHandle, TEST};
    use crate::queue::{Backlog, Queue};
    use crate::random::Stream;
    use crate::scenario::QueueSpec;
    use sawtooth_cc::units::Time;

    fn packet(number: u32, bytes: u16) -> Packet {
        Packet { flow: 0, number, sack: SackHandle::NONE, bytes, kind: PacketKind::Data, flags: TEST, hop: 0 }
    }

    /// Offer packets of these sizes to a queue and say which numbers come out.
    fn survivors(spec: QueueSpec, held: Backlog, sizes: &[u16]) -> Vec<u32> {
        let mut queue = Queue::new(&spec, Stream::new("1", "test"));
        let mut dropped = Vec::new();
        for (number, &bytes) in sizes.iter().enumerate() {
            let packet = packet(number as u32, bytes);
            queue.count_arrival(&packet);
            queue.enqueue(packet, Time::ZERO, held, &mut dropped);
        }
        let mut out = Vec::new();
        while let Some(packet) = queue.dequeue(Time::ZERO, &mut dropped) {
            out.push(packet.number);
        }
        queue.assert_conservation("test");
        assert_eq!(out.len() + dropped.len(), sizes.len());
        out
    }

    #[test]
    fn a_packet_limit_counts_the_packet_in_transmission() {
        let three = QueueSpec::DropTail { packets: Some(3), bytes: None };
        assert_eq!(survivors(three.clone(), Backlog::default(), &[1000; 5]), [0, 1, 2]);
        assert_eq!(survivors(three, Backlog { packets: 1, bytes: 1000 }, &[1000; 5]), [0, 1]);
    }

    #[test]
    fn a_byte_limit_lets_a_small_packet_in_where_a_large_one_does_not_fit() {
        let spec = QueueSpec::DropTail { packets: None, bytes: Some(2500) };
        assert_eq!(survivors(spec, Backlog::default(), &[1000, 1000, 1000, 500, 1]), [0, 1, 3]);
    }
}
