//! Acknowledgements that reach their senders ahead of time (`ahead`).
//!
//! Between two events of the agenda a sender hears of nothing but its acknowledgements, and nobody hears of it before its packets are in a
//! lane. So when the first acknowledgement of a lane has come, those behind it follow at once, each at its own time, up to the next event
//! of the agenda. They are one event among the others instead of many, and one sender is asked many times in a row.

use super::Network;
use super::prefetch::FLOWS;
use crate::event::Moment;
use crate::lane::Left;
use crate::observation::Kinds;
use crate::observer::Observer;
use crate::scenario::Scenario;
use sawtooth_cc::units::Time;

/// What is recorded in the order in which senders do it.
const ORDERED: Kinds = Kinds::SENT
    .and(Kinds::ACKNOWLEDGED)
    .and(Kinds::CUT)
    .and(Kinds::STATE_ENTERED)
    .and(Kinds::SENDER_SEEN)
    .and(Kinds::COMPLETED);

/// Do acknowledgements of this scenario reach their senders ahead of time where they may? They do unless somebody hears of it. With more
/// flows, memory is prefetched for one acknowledgement after the other, and the agenda has an event between any two.
pub(super) fn is_wanted(scenario: &Scenario, observer: &Observer) -> bool {
    scenario.flows.len() <= FLOWS && !observer.hears(ORDERED)
}

/// Does the sender of a listed flow hear of nothing in its course but acknowledgements and its timers?
pub(super) fn is_left_alone(scenario: &Scenario, flow: u32) -> bool {
    let spec = &scenario.flows[flow as usize];
    scenario.record.sample_ns.is_none() && spec.stop_ns.is_none() && spec.supply.is_empty()
}

impl Network {
    /// The time of the first acknowledgement in such a lane has come. It reaches its sender, and so do others behind it.
    pub(super) fn settle(&mut self, lane: u32, mut now: Time) {
        let sole = self.sole[(lane - self.events.lanes()) as usize];
        loop {
            let Left { packet, stage, ends, head } = self.lanes.pop(lane);
            self.resume(packet, stage, ends, now);
            match head {
                Some(next) if self.may_settle(sole, next) => now = next.time,
                head => return self.events.set_lane(lane, head),
            }
            self.census.events += 1;
        }
    }

    /// Does the sender hear of nothing before this moment? Then it is the present.
    #[inline(always)]
    fn may_settle(&mut self, sole: Option<u32>, at: Moment) -> bool {
        let Some(flow) = sole else { return self.events.settle(at) };
        let counting =
            if self.events.now().time < self.measured.from { self.measured.from } else { Time::NEVER };
        self.events.settle_before(at, self.senders[flow as usize].timer_event.min(counting))
    }
}
