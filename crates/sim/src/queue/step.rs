//! Step marking: an ECN-capable packet that finds the queue at or beyond a threshold is marked.
//!
//! Source: RFC 8257 §3.1 (DCTCP's marking at a threshold K of the instantaneous queue), which [Alizadeh10] §3.1 introduced.
//!
//! | parameter | unit            | default    | why                                                                          |
//! |-----------|-----------------|------------|------------------------------------------------------------------------------|
//! | packets   | packets         | given      | a limit in packets, or                                                       |
//! | bytes     | bytes           | given      | a limit in bytes; neither counts the packet in transmission, as with RED     |
//! | threshold | packets or time | 20 packets | K of [Alizadeh10] §3.4 at 1 Gbit/s; a time is what the link carries in it    |
//!
//! The threshold counts the packets that wait: a packet that finds K waiting is marked, as RED with both thresholds at K and a weight
//! of 1 does in ns-3. Where the RFC leaves it open: packets that are not ECN-capable are dropped by the limit alone, and a packet that
//! does not fit is dropped, not marked. A time is turned into bytes by the rate of the link, or the mean rate of a trace, and again when
//! that rate changes.

use super::depth::{Depth, Mark};
use super::limit::Limit;
use super::{
    Admission, ArrivalRule, DisciplineInfo, DisciplineParameter, DisciplineSpec, DropReason, Marking,
    QueueState, ScenarioError, TransmitterState,
};
use crate::packet::{ECT, Packet};
use crate::random::Stream;
use sawtooth_cc::units::Rate;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "marks every ECN-capable packet that finds the queue at or above a threshold; drops what does not fit",
    source: "RFC 8257 §3.1; Alizadeh10 §3.1",
    marking: Marking::Always,
    parameters: &[DisciplineParameter::new(
        "threshold",
        "depth",
        "packets or time",
        Depth::ACCEPTED,
        "Packets waiting, or the time that the link needs to send them, from which on an arrival is marked. Default: \
         Alizadeh10 §3.4, K = 20 packets at 1 Gbit/s",
    )
    .of_marks()],
    ..DisciplineInfo::BLANK
};

/// The numbers of step marking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StepSpec {
    /// Packets that may wait, without the one in transmission.
    pub packets: Option<u64>,
    /// Bytes that may wait, without those in transmission.
    pub bytes: Option<u64>,
    /// How much must wait for an arrival to be marked.
    pub threshold: Depth,
}

impl Default for StepSpec {
    fn default() -> Self {
        StepSpec { packets: None, bytes: None, threshold: Depth::Packets(20) }
    }
}

impl DisciplineSpec for StepSpec {
    type Discipline = Step;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        self.threshold.check(format!("{path}.threshold"))
    }

    fn build(&self, rate: Rate) -> Step {
        Step { limit: self.buffer(), given: self.threshold, threshold: self.threshold.before(rate) }
    }
}

/// A queue that marks by a step.
#[derive(Debug)]
pub struct Step {
    limit: Limit,
    given: Depth,
    threshold: Mark,
}

impl ArrivalRule for Step {
    #[inline]
    fn admit(&mut self, arrival: Packet, found: &QueueState, _: &mut Stream) -> Admission {
        if !self.limit.has_room(found.waiting, arrival) {
            Admission::Drop(DropReason::Full)
        } else if arrival.has(ECT) && self.threshold.is_reached_by(found.waiting) {
            Admission::Mark
        } else {
            Admission::Wait
        }
    }

    fn set_rate(&mut self, rate: Rate, _: &TransmitterState) {
        self.threshold = self.given.before(rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use crate::queue::Backlog;
    use sawtooth_cc::units::Time;

    /// What becomes of a packet of 1000 bytes that finds so many like it waiting.
    fn admitted(spec: &StepSpec, waiting: u64, flags: u16) -> Admission {
        let found = QueueState {
            now: Time::ZERO,
            waiting: Backlog { packets: waiting, bytes: 1000 * waiting },
            in_transmission: Backlog { packets: 1, bytes: 1000 },
            idle_since: Time::NEVER,
        };
        let mut step = spec.build(Rate::from_bits_per_second(8_000_000)); // a packet a millisecond
        step.admit(Packet::new(PacketKind::Data, 0, 0, 1000, flags), &found, &mut Stream::new("1", "test"))
    }

    #[test]
    fn from_the_threshold_on_every_capable_packet_is_marked() {
        for threshold in [Depth::Packets(5), Depth::Ns(5_000_000)] {
            let spec = StepSpec { packets: Some(10), threshold, ..StepSpec::default() };
            for waiting in 0..10 {
                let expected = if waiting >= 5 { Admission::Mark } else { Admission::Wait };
                assert_eq!(admitted(&spec, waiting, ECT), expected, "{threshold:?}, {waiting} waiting");
                assert_eq!(admitted(&spec, waiting, 0), Admission::Wait, "not capable");
            }
            for flags in [0, ECT] {
                assert_eq!(admitted(&spec, 10, flags), Admission::Drop(DropReason::Full));
            }
        }
    }

    #[test]
    fn a_threshold_in_time_follows_the_rate_of_the_link_and_one_in_packets_does_not() {
        let now = Time::ZERO;
        let transmitter = TransmitterState { now, in_transmission: Backlog::default(), idle_since: now };
        for (threshold, before, after) in
            [(Depth::Ns(5_000_000), 5_000, 1_250), (Depth::Packets(5), u64::MAX, u64::MAX)]
        {
            let spec = StepSpec { packets: Some(10), threshold, ..StepSpec::default() };
            let mut step = spec.build(Rate::from_bits_per_second(8_000_000));
            let bytes = |step: &Step| match step.threshold {
                Mark::Bytes(bytes) => bytes,
                Mark::Packets(_) => u64::MAX,
            };
            assert_eq!(bytes(&step), before);
            step.set_rate(Rate::from_bits_per_second(2_000_000), &transmitter);
            assert_eq!(bytes(&step), after, "what 2 Mbit/s carry in 5 ms");
        }
    }
}
