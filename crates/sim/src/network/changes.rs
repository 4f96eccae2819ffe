//! Changes of the network during a run: upon the states of controllers, or at times.
//!
//! A link that may change asks its queue for each packet, or crosses none before its time (see `ahead`), so nothing of what is to come
//! has been worked out.

use super::{LinkImpairments, Network};
use crate::event::Event;
use crate::impairment::Impairment;
use crate::port::Transmitter;
use crate::random::Stream;
use crate::scenario::{ChangeSpec, FlowSpec, Scenario, SetSpec, WhenSpec};
use crate::wire::{Late, Wire, WireJitter};
use sawtooth_cc::ControlState;
use sawtooth_cc::units::{Bytes, Rate, Span, Time};

/// Longer than any run: the gap of an application that offers nothing.
const NEVER: Span = Span::from_nanos(u64::MAX / 4);

/// The changes of a run.
#[derive(Debug, Default)]
pub(super) struct Changes {
    list: Vec<ChangeSpec>,
    /// Seed of the run.
    seed: String,
    /// By link, its port; `u32::MAX` where it has none.
    port_of: Vec<u32>,
    /// By link without a queue, its number among these; `u32::MAX` where it has one.
    pipe_of: Vec<u32>,
    /// By link, its name.
    names: Vec<String>,
    /// By flow, its packets on the wire.
    packet_bytes: Vec<u16>,
    /// How many impairments have been set or taken away, for the names of their streams.
    impairments: u32,
}

impl Changes {
    /// The changes of a checked scenario.
    pub fn new(scenario: &Scenario, ports: &[u32], pipes: &[u32]) -> Self {
        if scenario.changes.is_empty() {
            return Changes::default();
        }
        let numbered = |places: &[u32]| {
            let mut number_of = vec![u32::MAX; scenario.links.len()];
            for (number, &link) in (0u32..).zip(places) {
                number_of[link as usize] = number;
            }
            number_of
        };
        let bytes = |flow: &FlowSpec| scenario.profiles[flow.profile as usize].packet_bytes;
        Changes {
            list: scenario.changes.clone(),
            seed: scenario.seed.clone(),
            port_of: numbered(ports),
            pipe_of: numbered(pipes),
            names: scenario.links.iter().map(|link| link.name.clone()).collect(),
            packet_bytes: scenario.flows.iter().map(bytes).collect(),
            impairments: 0,
        }
    }

    /// A stream for what is set next.
    fn stream(&mut self, link: u32, what: &str) -> Stream {
        self.impairments += 1;
        let name = format!("link/{}/{what}/{}", self.names[link as usize], self.impairments);
        Stream::new(&self.seed, &name)
    }

    /// Does any of them wait for a state?
    pub fn heed_states(&self) -> bool {
        self.list.iter().any(|change| matches!(change.when, WhenSpec::State { .. }))
    }
}

impl Network {
    /// The changes at times are events.
    pub(super) fn schedule_changes(&mut self) {
        let times = (0u32..).zip(&self.changes.list).filter_map(|(index, change)| match change.when {
            WhenSpec::Time { ns } => Some((index, Time::from_nanos(ns))),
            WhenSpec::State { .. } => None,
        });
        times.for_each(|(index, at)| self.events.schedule(at, Event::Change(index)));
    }

    /// The controller of a flow has entered a state.
    pub(super) fn change_upon(&mut self, flow: u32, state: ControlState, now: Time) {
        let after = |change: &ChangeSpec| match change.when {
            WhenSpec::State { flow: of, state: other, after_ns } if of == flow && other == state => {
                Some(Span::from_nanos(after_ns))
            }
            _ => None,
        };
        for index in 0..self.changes.list.len() as u32 {
            match after(&self.changes.list[index as usize]) {
                None => {}
                Some(Span::ZERO) => self.change(index, now),
                Some(span) => self.events.schedule(now + span, Event::Change(index)),
            }
        }
    }

    /// A change happens, and flows whose application offers more may send.
    pub(super) fn change(&mut self, index: u32, now: Time) {
        let sets = self.changes.list[index as usize].set.clone();
        for set in sets {
            match set {
                SetSpec::Rate { link, bps } => self.set_rate(self.changes.port_of[link as usize], bps, now),
                SetSpec::Delay { link, ns } => self.set_delay(link, Span::from_nanos(ns)),
                SetSpec::Drop { link, drop } => {
                    let random = self.changes.stream(link, "drop");
                    self.set_losses(link, drop.map(|spec| Impairment::new(&spec, random)), true);
                }
                SetSpec::Loss { link, loss } => {
                    let random = self.changes.stream(link, "loss");
                    self.set_losses(link, loss.map(|spec| Impairment::new(&spec, random)), false);
                }
                SetSpec::Late { link, late } => {
                    let random = self.changes.stream(link, "late");
                    self.wire(link).late = late.map(|spec| Late::new(&spec, random));
                }
                SetSpec::Jitter { link, jitter } => {
                    let random = self.changes.stream(link, "jitter");
                    self.wire(link).jitter = jitter.map(|spec| WireJitter::new(&spec, random));
                }
                SetSpec::Supply { flow, bps } => {
                    let packet = Bytes::new(u64::from(self.changes.packet_bytes[flow as usize]));
                    let gap = |bps| if bps > 0 { packet / Rate::from_bits_per_second(bps) } else { NEVER };
                    self.pace_supply(flow, bps.map(gap), now);
                    self.send_allowed(flow, now);
                }
            }
        }
    }

    fn set_rate(&mut self, port: u32, bps: u64, now: Time) {
        let port = &mut self.ports[port as usize];
        let Transmitter::Asking(transmitter) = &mut port.transmitter else {
            unreachable!("a port whose rate may change asks for each packet");
        };
        port.capacity_before += transmitter.capacity(self.measured, now);
        transmitter.set_rate(Rate::from_bits_per_second(bps), now);
        port.queue.set_rate(transmitter.drain(), &transmitter.state(now));
    }

    fn wire(&mut self, link: u32) -> &mut Wire {
        self.wires.get_mut(&link).expect("a link whose wire may change has one")
    }

    fn set_delay(&mut self, link: u32, delay: Span) {
        match self.changes.port_of[link as usize] {
            u32::MAX => self.links[self.changes.pipe_of[link as usize] as usize].set_delay(delay),
            port => self.ports[port as usize].delay = delay,
        }
    }

    /// The losses of a link, those of `drop` or those of `loss`, are these from now on.
    fn set_losses(&mut self, link: u32, losses: Option<Impairment>, of_drop: bool) {
        let port = self.changes.port_of[link as usize];
        if port != u32::MAX {
            let port = &mut self.ports[port as usize];
            *(if of_drop { &mut port.drop } else { &mut port.loss }) = losses;
            port.note_impairments();
            return;
        }
        let pipe = self.changes.pipe_of[link as usize];
        let here = self.impairments.entry(pipe).or_insert_with(|| LinkImpairments::none(link));
        *(if of_drop { &mut here.drop } else { &mut here.loss }) = losses;
        self.links[pipe as usize].is_impaired = here.are_some();
    }
}
