//! Decides what is computed ahead of its time. No other file does.
//!
//! An event costs more than its effect, so an effect is computed as soon as it is certain, or, where a queue chooses at the last moment,
//! as late as somebody may see it. Three declarations say what is certain: a
//! link *keeps order* (a packet that enters comes out behind the one before it, at a moment known on entry), a receiver *answers at
//! once*, a discipline *knows departures ahead*. Everything that is done ahead carries its own [`Moment`](crate::event::Moment). It
//! keeps its place in the order of events, and it is counted by its own time ([`Measured`]).
//!
//! [`Order::InTurn`] does none of it: each event happens when its time comes. Both orders give the same digests (`tests/order.rs`). A
//! packet tap, which wants packets in the order of time, uses this one. Prefetching memory into the cache (`network/prefetch.rs`) is
//! independent of the order and changes no result.
//!
//! | done ahead                           | where                          | if                                                       |
//! |--------------------------------------|--------------------------------|----------------------------------------------------------|
//! | crossing a link                      | [`Ahead::crosses`]             | it keeps order, never changes, and one other link alone feeds it |
//! | delivery, and the answer to it       | [`Ahead::answers`]             | the receiver answers at once, and no application waits for it |
//! | departure from a port                | [`Ahead::departs`]             | nothing of the link changes, no shaper, device queue or ACK filter, the discipline knows departures ahead |
//! | leaving a port at the end of a transmission | [`Ahead::leaves`]       | its wire never changes                                   |
//! | departure from a port, afterwards    | [`Ahead::departs_late`]        | nothing of the link changes, its wire has a delay, no short flow loses a packet by it |
//! | packets of a source at its port, afterwards | [`Ahead::ticks_late`]    | the port is all of their way, nothing changes, no frames, nobody records what ports drop or mark |
//! | sending when a pacer opens, afterwards | [`Ahead::sends_late`]     | nothing changes, no applications or short flows, the first link has a delay and is the flow's own |
//! | acknowledgements at a sender         | [`Ahead::settles`]             | the sender is TCP's, nothing changes, no applications, nobody else on its way to the next lane |
//! | entering the first link with jitter  | always, as part of the sending | the sender keeps the order of what it lets go            |

use crate::scenario::{FlowSpec, LinkSpec, Scenario, SourceSpec};
use sawtooth_cc::units::{Span, Time};

/// In which order a run does what happens in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// What is certain is done when it becomes certain.
    #[default]
    Ahead,
    /// Each event is done when its time comes: slower, for tests of the other order and for whoever looks on.
    InTurn,
}

/// What of a scenario may be done ahead of its time.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'a> {
    scenario: &'a Scenario,
    order: Order,
}

impl<'a> Ahead<'a> {
    /// The rules for this scenario.
    pub fn new(scenario: &'a Scenario, order: Order) -> Self {
        Ahead { scenario, order }
    }

    /// May what leaves this link cross the next one at once, if nobody else feeds that one?
    pub fn crosses(&self, next: u32) -> bool {
        self.scenario.links[next as usize].keeps_order() && !self.scenario.changes_link(next)
    }

    /// Is there more behind this link than a constant delay?
    pub fn has_wire(&self, link: u32) -> bool {
        let spec = &self.scenario.links[link as usize];
        spec.late.is_some() || spec.jitter.is_some() || self.scenario.changes_wire(link)
    }

    /// May a packet be put on the wire when its transmission begins?
    pub fn leaves(&self, link: u32) -> bool {
        self.order == Order::Ahead && !self.scenario.changes_wire(link)
    }

    /// May the receiver of this flow take a packet and answer it when the packet's arrival is certain?
    pub fn answers(&self, flow: &FlowSpec) -> bool {
        self.scenario.profiles[flow.profile as usize].answers_at_once() && !self.scenario.feeds(flow)
    }

    /// May a packet leave this port when it is let in?
    pub fn departs(&self, link: &LinkSpec) -> bool {
        let known = link.queue.as_ref().is_some_and(|queue| queue.knows_departures_ahead());
        let number = self.scenario.links.iter().position(|other| std::ptr::eq(other, link));
        let keeps = !number.is_some_and(|number| self.scenario.changes_departures(number as u32));
        let constant = link.rate_bps.is_some() && link.shaper.is_none() && link.aggregate.is_none();
        let constant = constant && link.device_queue.is_none() && link.ack_filter.is_none();
        self.order == Order::Ahead && constant && known && keeps
    }

    /// May the end of a transmission at this port be dealt with when somebody looks at the port, instead of when it comes? Nobody behind
    /// the wire hears of a packet before its delay has passed, and nobody before the port ever does. A packet of a short flow that is
    /// dropped is an exception: that may free the number of its flow, which the next one takes.
    pub fn departs_late(&self, number: u32) -> bool {
        let link = &self.scenario.links[number as usize];
        let constant = link.rate_bps.is_some() && link.aggregate.is_none() && link.delay_ns > 0;
        let keeps = !self.scenario.changes_departures(number) && !self.has_wire(number);
        let frees = !self.scenario.arrivals.is_empty() && self.may_drop_after(link);
        self.order == Order::Ahead && constant && keeps && !frees
    }

    /// May a packet that this link has let in be dropped there when it is about to leave, or on a link behind?
    fn may_drop_after(&self, link: &LinkSpec) -> bool {
        let at_departure = link.queue.as_ref().is_some_and(|queue| queue.info().drops_at_departure);
        at_departure || self.scenario.links.iter().any(LinkSpec::loses) || !self.scenario.changes.is_empty()
    }

    /// May packets of this source be let into their port when somebody comes there, if they go nowhere else? A port that holds them knows
    /// departures ahead, or deals with them when somebody looks.
    pub fn ticks_late(&self, source: &SourceSpec) -> bool {
        let link = source.route[0];
        let looked_at = self.departs(&self.scenario.links[link as usize]) || self.departs_late(link);
        self.order == Order::Ahead && looked_at && self.scenario.changes.is_empty() && source.frames.is_none()
    }

    /// By how much may a sender let a packet go after its pacer has opened, as if it had gone in time? Nobody behind the first link hears of
    /// the packet before its delay has passed, so what happens to the sender in between sends it first. The link must be the
    /// flow's own: what others send into it would meet the packet.
    /// In the other order it leaves in time, and also before whatever happens to the sender then.
    pub fn sends_late(&self, flow: &FlowSpec) -> Option<Span> {
        let (first, scenario) = (flow.forward[0], self.scenario);
        let spec = &scenario.links[first as usize];
        let plain = spec.keeps_order() && !self.has_wire(first);
        let nothing_comes = scenario.changes.is_empty() && scenario.apps.is_empty() && flow.supply.is_empty();
        let listed = scenario.arrivals.is_empty();
        let jitter = scenario.profiles[flow.profile as usize].send_jitter_ns > 0;
        let may = plain && nothing_comes && listed && !jitter && spec.delay_ns > 1;
        let lateness = if self.order == Order::Ahead { spec.delay_ns.saturating_sub(1) } else { 0 };
        may.then(|| Span::from_nanos(lateness))
    }

    /// May acknowledgements reach the sender of this flow ahead of their time, up to the next event of the agenda? Whatever else it hears
    /// of must be such an event, and none that anybody adds at short notice. `topology/settled.rs` sees to it that nobody else hears of
    /// what the sender does.
    pub fn settles(&self, flow: &FlowSpec) -> bool {
        let controller = &self.scenario.profiles[flow.profile as usize].controller;
        let windowed = !controller.properties().own_transport && controller.endpoint().is_none();
        let nothing_comes = self.scenario.changes.is_empty() && self.scenario.apps.is_empty();
        let plain = !self.scenario.links.iter().any(|link| link.loses() || link.mark.is_some());
        self.order == Order::Ahead && windowed && nothing_comes && plain
    }

    /// Must even what is certain wait for its time?
    pub fn waits_always(&self) -> bool {
        self.order == Order::InTurn
    }
}

/// The measured part of a run: after the warm-up, before the end.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Where it begins.
    pub from: Time,
    /// Where it ends; this moment is not part of it.
    pub to: Time,
}

impl Measured {
    /// How much of this span is measured.
    #[inline]
    pub fn overlap(&self, begin: Time, end: Time) -> Span {
        let (begin, end) = (begin.max(self.from), end.min(self.to));
        if begin < end { end - begin } else { Span::ZERO }
    }
}
