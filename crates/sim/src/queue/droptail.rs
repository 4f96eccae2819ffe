//! Drop-tail: first in, first out; an arriving packet that does not fit is dropped.
//!
//! Source: the FIFO queue of [Akella02] §4.1; ns-2's and Linux's default for decades.
//!
//! | parameter | unit    | default | why                                                              |
//! |-----------|---------|---------|------------------------------------------------------------------|
//! | packets   | packets | given   | a limit in packets, or                                           |
//! | bytes     | bytes   | given   | a limit in bytes; both count the packet in transmission, as a router's buffer does |

use super::limit::Limit;
use super::{Admission, Backlog, DropReason, QueueContext, QueueDiscipline};
use crate::packet::Packet;
use crate::random::Stream;

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail {
    limit: Limit,
}

impl DropTail {
    /// An empty queue.
    pub fn new(limit: Limit) -> Self {
        DropTail { limit }
    }
}

impl QueueDiscipline for DropTail {
    #[inline(always)]
    fn admit(&mut self, arrival: Packet, context: &QueueContext, _: &mut Stream) -> Admission {
        let (waiting, held) = (context.waiting, context.in_transmission);
        let backlog = Backlog { packets: waiting.packets + held.packets, bytes: waiting.bytes + held.bytes };
        if self.limit.has_room(backlog, arrival) {
            Admission::Wait
        } else {
            Admission::Drop(DropReason::Full)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::packet::{Packet, PacketKind, TEST};
    use crate::queue::{Admission, Backlog, Queue, QueueContext};
    use crate::random::Stream;
    use crate::scenario::QueueSpec;
    use sawtooth_cc::units::{Rate, Time};

    /// Offer packets of these sizes to a queue and say which stay.
    fn survivors(spec: QueueSpec, held: Backlog, sizes: &[u16]) -> Vec<usize> {
        offered(&spec, held, &sizes.iter().map(|&bytes| (bytes, TEST)).collect::<Vec<_>>()).1
    }

    /// Offer packets of these sizes and flags to a queue that nothing leaves; the queue, and which stay.
    fn offered(spec: &QueueSpec, held: Backlog, packets: &[(u16, u8)]) -> (Queue, Vec<usize>) {
        let mut queue = Queue::new(spec, Rate::from_bits_per_second(1), Stream::new("1", "test"));
        let mut waiting = Backlog::default();
        let mut kept = Vec::new();
        for (index, &(bytes, flags)) in packets.iter().enumerate() {
            let packet = Packet::new(PacketKind::Data, 0, 0, bytes, flags);
            let context =
                QueueContext { now: Time::ZERO, waiting, in_transmission: held, idle_since: Time::NEVER };
            if queue.offer(packet, &context) == Admission::Wait {
                waiting = Backlog { packets: waiting.packets + 1, bytes: waiting.bytes + u64::from(bytes) };
                kept.push(index);
            }
        }
        queue.assert_conservation("test", waiting.packets);
        (queue, kept)
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

    #[test]
    fn drops_in_a_row_are_one_run_whatever_other_traffic_does_between() {
        let spec = QueueSpec::DropTail { packets: None, bytes: Some(2500) };
        let check = |packets: &[(u16, u8)], drops: u64, runs: u64| {
            let (queue, _) = offered(&spec, Backlog::default(), packets);
            let counters = &queue.tally().measured;
            assert_eq!((counters.test_drops, counters.test_drop_runs), (drops, runs), "{packets:?}");
        };
        check(&[(2000, TEST), (400, TEST)], 0, 0);
        check(&[(3000, TEST), (3000, TEST), (3000, TEST)], 3, 1);
        check(&[(2000, TEST), (3000, TEST), (100, TEST), (3000, TEST)], 2, 2);
        check(&[(2000, TEST), (3000, TEST), (100, 0), (3000, TEST)], 2, 1);
        check(&[(2000, TEST), (3000, 0), (3000, 0)], 0, 0);
    }
}
