//! Changes of the network during a run: upon the states of controllers, or at times.
//!
//! A link whose rate may change asks its queue for each packet (see `ahead`), so nothing of what is to come has been worked out.

use super::Network;
use crate::event::Event;
use crate::impairment::Impairment;
use crate::port::Transmitter;
use crate::random::Stream;
use crate::scenario::{ChangeSpec, FlowSpec, ImpairmentSpec, Scenario, SetSpec, WhenSpec};
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
    /// By flow, its packets on the wire.
    packet_bytes: Vec<u16>,
    /// How many impairments have been set, for the names of their streams.
    impairments: u32,
}

impl Changes {
    /// The changes of a checked scenario.
    pub fn new(scenario: &Scenario, ports: &[u32]) -> Self {
        let mut port_of = vec![u32::MAX; scenario.links.len()];
        for (port, &link) in (0u32..).zip(ports) {
            port_of[link as usize] = port;
        }
        let bytes = |flow: &FlowSpec| scenario.profiles[flow.profile as usize].packet_bytes;
        Changes {
            list: scenario.changes.clone(),
            seed: scenario.seed.clone(),
            port_of,
            packet_bytes: scenario.flows.iter().map(bytes).collect(),
            impairments: 0,
        }
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
        let waits = |change: &ChangeSpec| matches!(&change.when, WhenSpec::State { flow: of, state: other } if *of == flow && *other == state);
        for index in 0..self.changes.list.len() as u32 {
            if waits(&self.changes.list[index as usize]) {
                self.change(index, now);
            }
        }
    }

    /// A change happens, and flows whose application offers more may send.
    pub(super) fn change(&mut self, index: u32, now: Time) {
        let sets = self.changes.list[index as usize].set.clone();
        for set in sets {
            match set {
                SetSpec::Rate { link, bps } => self.set_rate(self.changes.port_of[link as usize], bps, now),
                SetSpec::Drop { link, drop } => self.set_drop(self.changes.port_of[link as usize], drop),
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
    }

    fn set_drop(&mut self, port: u32, drop: Option<ImpairmentSpec>) {
        let Changes { seed, impairments, .. } = &mut self.changes;
        *impairments += 1;
        let port = &mut self.ports[port as usize];
        let name = format!("link/{}/drop/{impairments}", port.name);
        port.drop = drop.map(|spec| Impairment::new(&spec, Stream::new(seed, &name)));
        port.note_impairments();
    }
}
