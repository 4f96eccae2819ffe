//! Packets on wires on which they may be late, and links that change.

use super::{LinkImpairments, Network};
use crate::bucket::Bucket;
use crate::event::{Event, Moment};
use crate::impairment::Impairment;
use crate::packet::Packet;
use crate::random::Stream;
use crate::scenario::{ImpairmentSpec, LinkSpec, Scenario};
use crate::topology::{FIRST_WIRE, Place, Stage};
use crate::wire::{Late, Wire, WireJitter};
use sawtooth_cc::units::Time;

/// The wire behind a link.
pub(super) fn wire(scenario: &Scenario, link: u32) -> Wire {
    let spec = &scenario.links[link as usize];
    let stream = |what| Stream::new(&scenario.seed, &format!("link/{}/{what}", spec.name));
    Wire::new(
        spec.late.as_ref().map(|late| Late::new(late, stream("late"))),
        spec.jitter.as_ref().map(|jitter| WireJitter::new(jitter, stream("jitter"))),
    )
}

/// An impairment of a link.
pub(super) fn impairment(
    seed: &str,
    link: &LinkSpec,
    what: &str,
    spec: Option<&ImpairmentSpec>,
) -> Option<Impairment> {
    spec.map(|spec| Impairment::new(spec, Stream::new(seed, &format!("link/{}/{what}", link.name))))
}

/// Those of a link without a queue.
pub(super) fn impairments(scenario: &Scenario, link: u32) -> LinkImpairments {
    let spec = &scenario.links[link as usize];
    let of = |what, given: &Option<ImpairmentSpec>| impairment(&scenario.seed, spec, what, given.as_ref());
    LinkImpairments {
        link,
        drop: of("drop", &spec.drop),
        loss: of("loss", &spec.loss),
        mark: of("mark", &spec.mark),
        policer: spec.policer.map(Bucket::new),
    }
}

impl Network {
    /// A packet is put on the wire of a link, from which it would come at this moment.
    #[cold]
    pub(super) fn enter_wire(&mut self, stage: Stage, packet: Packet, at: Moment) {
        let link = stage.lane() - FIRST_WIRE;
        let wire = self.wires.get_mut(&link).expect("a stage leads to a wire that there is");
        let at = wire.enter(packet, stage.next(), at);
        self.events.schedule_at(at, Event::Wire(link));
    }

    /// The first packet on a wire arrives.
    #[cold]
    pub(super) fn leave_wire(&mut self, link: u32, now: Time) {
        let wire = self.wires.get_mut(&link).expect("an event stands for a packet");
        let (packet, stage) = wire.leave();
        let ends = self.stages[stage as usize].place() == Place::End;
        self.resume(packet, stage, ends, now);
    }
}
