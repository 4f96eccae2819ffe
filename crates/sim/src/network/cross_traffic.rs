//! Sources of constant rate, whose packets may reach their port when somebody looks at it (`ahead`).
//!
//! A packet of cross traffic that goes from its source into a port, and from there to its end, matters to those alone who meet it in that
//! port. So it need not be an event: whoever comes to the port next first lets in what has come before, each packet at its own time.

use super::Network;
use crate::event::{Event, Moment};
use crate::observation::Kinds;
use crate::topology::{NO_LANE, Place, Topology};
use sawtooth_cc::units::{Span, Time};

/// What is recorded in the order in which ports do it.
const ORDERED: Kinds = Kinds::DROPPED.and(Kinds::MARKED);

/// The port that is the whole way of packets from this stage on, if one is.
fn only_port(topology: &Topology, first: u32) -> Option<u32> {
    let stage = topology.stages[first as usize];
    let ends = topology.stages[stage.next() as usize].place() == Place::End;
    match stage.place() {
        Place::Port(port) if ends && stage.lane() == NO_LANE => Some(port),
        _ => None,
    }
}

/// By source, the port at which its packets wait to be noticed. `may` says of each source whether they could: they do if the port is all
/// of their way, and if the same is true of all sources that begin at that port. Packets in spare lanes come before those of sources that
/// reach the port at the same moment, those in other lanes after them. So where there are spare lanes each packet is an event.
pub(super) fn late_ports(topology: &Topology, may: impl Fn(usize) -> bool) -> Vec<Option<u32>> {
    let has_spare_lanes = topology.spare_lanes.len() > topology.settled as usize;
    let first = |index: usize| topology.stages[topology.sources[index] as usize].place();
    let port = |index: usize| only_port(topology, topology.sources[index]).filter(|_| may(index));
    let sources = 0..topology.sources.len();
    let all_late = |port_place: Place| {
        sources.clone().filter(|&other| first(other) == port_place).all(|other| port(other).is_some())
    };
    let late = |index: usize| port(index).filter(|_| !has_spare_lanes && all_late(first(index)));
    sources.clone().map(late).collect()
}

impl Network {
    /// Does nobody hear of what cross traffic does in a port?
    pub(super) fn may_tick_late(&self) -> bool {
        !self.observer.hears(ORDERED)
    }

    pub(super) fn source_change(&mut self, index: u32, now: Time) {
        if let Some(port) = self.sources[index as usize].late_at {
            self.let_in_before(port, self.events.now());
        }
        let source = &mut self.sources[index as usize];
        source.change(now);
        if let Some(at) = source.change_at() {
            self.events.schedule(at, Event::SourceChange(index));
        }
        if self.sources[index as usize].next_tick == now {
            self.source_tick(index, now);
        } else {
            self.expect_tick(index);
        }
    }

    #[inline]
    pub(super) fn source_tick(&mut self, index: u32, now: Time) {
        let source = &mut self.sources[index as usize];
        let frame = source.frame();
        let packet = source.tick(now);
        self.expect_tick(index);
        self.census.created += 1;
        self.note_stream_sent(packet, frame, now);
        self.travel(packet, self.source_stages[index as usize], Moment { time: now, cause: now });
    }

    /// The next packet of a source: an event, or something that its port notices.
    #[inline(always)]
    fn expect_tick(&mut self, index: u32) {
        let source = &self.sources[index as usize];
        let next = Some(source.next_tick).filter(|&at| at != Time::NEVER);
        match source.late_at {
            None => self.events.set_source(index, next),
            Some(port) => self.await_tick(port, index),
        }
    }

    #[cold]
    fn await_tick(&mut self, port: u32, index: u32) {
        let cause = self.events.now().time;
        self.sources[index as usize].expect(cause);
        self.await_sources(port);
    }

    /// Which of its sources sends the next packet into a port, and when.
    fn await_sources(&mut self, port: u32) {
        let sources = (0u32..).zip(&self.sources).filter(|(_, source)| source.late_at == Some(port));
        let next = sources.map(|(index, source)| (source.expected, index)).min();
        self.ports[port as usize].late = next.unwrap_or((Moment::NEVER, 0));
    }

    /// Somebody comes to a port now: packets of sources that came before are let in. Among equal moments sources stand before lanes and
    /// ports, and behind the agenda.
    #[inline(always)]
    pub(super) fn let_in_sources(&mut self, port: u32) {
        let now = self.events.now();
        if self.ports[port as usize].late.0 <= now {
            let behind = Span::from_nanos(u64::from(!self.events.is_in_agenda()));
            self.let_in(port, Moment { cause: now.cause + behind, ..now });
        }
    }

    /// Something of the agenda looks at a port: packets of sources that came before are let in.
    pub(super) fn let_in_before(&mut self, port: u32, now: Moment) {
        if self.ports[port as usize].late.0 < now {
            self.let_in(port, now);
        }
    }

    /// What the sources of a port have sent before this moment is let in, each packet as at its own.
    #[inline(never)]
    fn let_in(&mut self, port: u32, end: Moment) {
        let present = self.events.now();
        loop {
            let (at, index) = self.ports[port as usize].late;
            if at >= end {
                break;
            }
            self.events.look_back_to(at);
            self.census.events += 1;
            self.census.created += 1;
            let source = &mut self.sources[index as usize];
            let packet = source.tick(at.time);
            source.expect(at.time);
            if source.is_alone {
                self.ports[port as usize].late.0 = source.expected;
            } else {
                self.await_sources(port);
            }
            let stage = self.source_stages[index as usize];
            if let Some((_, departure, delay)) = self.enter_port(port, packet, stage, at.time) {
                let arrives = departure + delay < self.measured.to;
                self.census.delivered += u64::from(arrives);
                self.census.beyond_end += u64::from(!arrives);
            }
        }
        self.events.look_back_to(present);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ahead::Order;
    use crate::scenario::{Scenario, SourceSpec};
    use crate::testing::dumbbell;

    fn late(scenario: &Scenario, may: impl Fn(usize) -> bool) -> Vec<Option<u32>> {
        late_ports(&Topology::new(scenario, Order::Ahead), may)
    }

    fn source(route: Vec<u32>) -> SourceSpec {
        let (name, rates) = ("cbr".to_owned(), vec![[0, 8_000]]);
        SourceSpec { name, packet_bytes: 1000, route, in_profile: false, rates, counts: vec![], frames: None }
    }

    #[test]
    fn sources_whose_way_is_one_port_are_noticed_there_all_or_none() {
        let mut scenario = dumbbell(1);
        scenario.sources = vec![source(vec![0]), source(vec![0])];
        assert_eq!(late(&scenario, |_| true), [Some(0), Some(0)]);
        assert_eq!(late(&scenario, |source| source == 0), [None, None]);
        scenario.sources[1].route = vec![2, 0]; // over the flow's access link, so in a lane before the port
        assert_eq!(late(&scenario, |_| true), [Some(0), None]);
        assert_eq!(late(&dumbbell(1), |_| true), []);
    }

    #[test]
    fn where_links_share_a_lane_each_packet_is_an_event() {
        let mut scenario = dumbbell(2);
        scenario.sources = vec![source(vec![0])];
        assert_eq!(late(&scenario, |_| true), [None]);
        scenario.links[4].delay_ns += 1;
        scenario.links[5].delay_ns += 1;
        assert_eq!(late(&scenario, |_| true), [Some(0)]);
    }
}
