//! Drop-tail: first in, first out; an arriving packet that does not fit is dropped.
//!
//! Source: the FIFO queue of [Akella02] §4.1; ns-2's and Linux's default for decades.
//!
//! | parameter | unit    | default | why                                                              |
//! |-----------|---------|---------|------------------------------------------------------------------|
//! | packets   | packets | given   | a limit in packets, or                                           |
//! | bytes     | bytes   | given   | a limit in bytes; both count the packet in transmission, as a router's buffer does |

use super::limit::Limit;
use super::{
    Admission, ArrivalRule, Backlog, DisciplineInfo, DisciplineSpec, DropReason, QueueState, Rate,
    ScenarioError,
};
use crate::packet::Packet;
use crate::random::Stream;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    aliases: &["drop-tail", "fifo"],
    summary: "first in, first out; an arriving packet that does not fit is dropped",
    source: "Akella02 §4.1",
    limit_counts_transmission: true,
    ..DisciplineInfo::BLANK
};

/// The limit of a drop-tail queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DropTailSpec {
    /// Packets, the one in transmission included.
    pub packets: Option<u64>,
    /// Bytes, the packet in transmission included.
    pub bytes: Option<u64>,
}

impl DisciplineSpec for DropTailSpec {
    type Discipline = DropTail;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, _: &str) -> Result<(), ScenarioError> {
        Ok(())
    }

    fn build(&self, _: Rate) -> DropTail {
        DropTail { limit: self.buffer() }
    }
}

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail {
    limit: Limit,
}

impl ArrivalRule for DropTail {
    #[inline(always)]
    fn admit(&mut self, arrival: Packet, found: &QueueState, _: &mut Stream) -> Admission {
        let (waiting, held) = (found.waiting, found.in_transmission);
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
    use super::DropTailSpec;
    use crate::packet::{Packet, PacketKind, TEST};
    use crate::queue::{Admission, Backlog, Queue, QueueState};
    use crate::random::Stream;
    use crate::scenario::QueueSpec;
    use sawtooth_cc::units::{Rate, Time};

    /// Offer packets of these sizes to a queue and say which stay.
    fn survivors(spec: QueueSpec, held: Backlog, sizes: &[u16]) -> Vec<usize> {
        offered(&spec, held, &sizes.iter().map(|&bytes| (bytes, TEST)).collect::<Vec<_>>()).1
    }

    /// Offer packets of these sizes and flags to a queue that nothing leaves; the queue, and which stay.
    fn offered(spec: &QueueSpec, held: Backlog, packets: &[(u16, u16)]) -> (Queue, Vec<usize>) {
        let mut queue = Queue::new(spec, Rate::from_bits_per_second(1), Stream::new("1", "test"));
        let mut waiting = Backlog::default();
        let mut kept = Vec::new();
        for (index, &(bytes, flags)) in packets.iter().enumerate() {
            let packet = Packet::new(PacketKind::Data, 0, 0, bytes, flags);
            let found =
                QueueState { now: Time::ZERO, waiting, in_transmission: held, idle_since: Time::NEVER };
            if queue.admit(packet, &found) == Admission::Wait {
                waiting = Backlog { packets: waiting.packets + 1, bytes: waiting.bytes + u64::from(bytes) };
                kept.push(index);
            }
        }
        queue.assert_conservation("test", waiting.packets);
        (queue, kept)
    }

    #[test]
    fn a_packet_limit_counts_the_packet_in_transmission() {
        let three = QueueSpec::DropTail(DropTailSpec { packets: Some(3), bytes: None });
        assert_eq!(survivors(three.clone(), Backlog::default(), &[1000; 5]), [0, 1, 2]);
        assert_eq!(survivors(three, Backlog { packets: 1, bytes: 1000 }, &[1000; 5]), [0, 1]);
    }

    #[test]
    fn a_byte_limit_lets_a_small_packet_in_where_a_large_one_does_not_fit() {
        let spec = QueueSpec::DropTail(DropTailSpec { packets: None, bytes: Some(2500) });
        assert_eq!(survivors(spec, Backlog::default(), &[1000, 1000, 1000, 500, 1]), [0, 1, 3]);
    }

    #[test]
    fn drops_in_a_row_are_one_run_whatever_other_traffic_does_between() {
        let spec = QueueSpec::DropTail(DropTailSpec { packets: None, bytes: Some(2500) });
        let check = |packets: &[(u16, u16)], drops: u64, runs: u64| {
            let (queue, _) = offered(&spec, Backlog::default(), packets);
            let counters = &queue.tally().arrivals;
            assert_eq!((counters.test_drops, counters.test_drop_runs), (drops, runs), "{packets:?}");
        };
        check(&[(2000, TEST), (400, TEST)], 0, 0);
        check(&[(3000, TEST), (3000, TEST), (3000, TEST)], 3, 1);
        check(&[(2000, TEST), (3000, TEST), (100, TEST), (3000, TEST)], 2, 2);
        check(&[(2000, TEST), (3000, TEST), (100, 0), (3000, TEST)], 2, 1);
        check(&[(2000, TEST), (3000, 0), (3000, 0)], 0, 0);
    }
}
