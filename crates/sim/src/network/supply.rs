//! Data that an application makes available over time, entry by entry of a flow's schedule.
//!
//! | parameter | unit           | default | why                                                        |
//! |-----------|----------------|---------|------------------------------------------------------------|
//! | supply    | (ns, packets)… | none    | the studies' applications have everything from the start   |
//!
//! A change of the network may have an application make one packet available at a time, a gap apart.
//!
//! Times count from the start of the flow. A sender that has sent all there is waits for more; what its controller is told is the
//! sender's business.

use super::Network;
use crate::event::Event;
use crate::scenario::FlowSpec;
use sawtooth_cc::units::{Span, Time};

/// What an application still has to offer.
#[derive(Debug)]
pub(super) struct Supply {
    /// Span after the start of the flow, and packets.
    schedule: Vec<[u64; 2]>,
    next: usize,
    start: Time,
    /// From one packet to the next where a change has said so, and when the next is due; then there is no schedule.
    gap: Option<Span>,
    due: Time,
}

impl Supply {
    /// Before the flow starts; `None` if it has everything then.
    pub fn new(flow: &FlowSpec) -> Option<Box<Self>> {
        let schedule = flow.supply.clone();
        (!schedule.is_empty()).then(|| Box::new(Supply { schedule, ..Supply::by_changes() }))
    }

    /// Of a flow that has everything, until a change says otherwise.
    fn by_changes() -> Self {
        Supply { schedule: Vec::new(), next: 0, start: Time::ZERO, gap: None, due: Time::NEVER }
    }

    fn next_at(&self) -> Option<Time> {
        self.schedule.get(self.next).map(|&[after, _]| self.start + Span::from_nanos(after))
    }

    /// Packets of the next entry, and whether there are more behind it.
    fn take(&mut self) -> (u32, bool) {
        let [_, packets] = self.schedule[self.next];
        self.next += 1;
        (packets as u32, self.next < self.schedule.len())
    }
}

impl Network {
    /// The application of a flow that starts now begins its schedule, if it has one.
    pub(super) fn begin_supply(&mut self, flow: u32, now: Time) {
        if let Some(supply) = &mut self.senders[flow as usize].supply {
            supply.start = now;
        }
        self.expect_supply(flow);
    }

    fn expect_supply(&mut self, flow: u32) {
        let supply = self.senders[flow as usize].supply.as_ref();
        if let Some(at) = supply.and_then(|supply| supply.next_at()) {
            self.events.schedule(at, Event::Supply(flow));
        }
    }

    /// An application makes data available.
    pub(super) fn supply(&mut self, flow: u32, now: Time) {
        if self.is_paced_supply(flow) {
            return self.supply_one(flow, now);
        }
        let side = &mut self.senders[flow as usize];
        let (packets, more) = side.supply.as_mut().expect("a schedule asked for this").take();
        side.sender.supply(packets, more, now);
        self.expect_supply(flow);
        self.send_allowed(flow, now);
    }

    /// From now on the application of a flow makes a packet available every so often, the first after that time; none: it has
    /// everything again.
    pub(super) fn pace_supply(&mut self, flow: u32, gap: Option<Span>, now: Time) {
        let side = &mut self.senders[flow as usize];
        let supply = side.supply.get_or_insert_with(|| Box::new(Supply::by_changes()));
        (supply.gap, supply.due) = (gap, gap.map_or(Time::NEVER, |gap| now + gap));
        let due = supply.due;
        if gap.is_none() {
            side.sender.supply_all(now);
        } else {
            side.sender.hold_supply(now);
            self.events.schedule(due, Event::Supply(flow));
        }
    }

    fn is_paced_supply(&self, flow: u32) -> bool {
        self.senders[flow as usize].supply.as_ref().is_some_and(|supply| supply.schedule.is_empty())
    }

    fn supply_one(&mut self, flow: u32, now: Time) {
        let side = &mut self.senders[flow as usize];
        let supply = side.supply.as_mut().expect("a change asked for this");
        let Some(gap) = supply.gap.filter(|_| supply.due == now) else { return }; // stale
        supply.due = now + gap;
        side.sender.supply(1, true, now);
        self.events.schedule(now + gap, Event::Supply(flow));
        self.send_allowed(flow, now);
    }
}
