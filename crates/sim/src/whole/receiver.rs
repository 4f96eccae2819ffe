//! The end of a stack that answers and reads.

use super::flight::Flight;
use super::{datagram, flags, packet_bytes, settings};
use crate::packet::{IN_PROFILE, Packet, PacketKind, TEST};
use crate::scenario::{FlowSpec, Profile};
use sawtooth_cc::plugin::endpoint::{Codepoint, End};
use sawtooth_cc::units::Time;
use sawtooth_cc::{ControllerSpec, RandomKey};

/// The receiver of one flow.
#[derive(Debug)]
pub struct WholeReceiver {
    flow: u32,
    end: End,
    /// What it let go.
    pub flight: Flight,
    packet_bytes: u64,
    ecn: bool,
    flags: u16,
    deadline: Time,
    /// Its connection has been forgotten.
    closed: bool,
    /// Bytes read in order so far, and before counting began.
    delivered: u64,
    delivered_before: u64,
}

impl WholeReceiver {
    /// A receiver that has seen nothing; `None` if the controller is no whole endpoint.
    pub fn new(index: u32, flow: &FlowSpec, profile: &Profile, random: RandomKey) -> Option<Self> {
        let ControllerSpec::Plugin(spec) = &profile.controller else { return None };
        let test = if flow.test { TEST } else { 0 };
        let in_profile = if flow.in_profile { IN_PROFILE } else { 0 };
        spec.is_endpoint().then(|| WholeReceiver {
            flow: index,
            end: spec.end(&settings(index, false, profile, random)),
            flight: Flight::new(datagram(profile) as usize),
            packet_bytes: u64::from(profile.packet_bytes),
            ecn: profile.tcp.ecn.echoes(),
            flags: test | in_profile,
            deadline: Time::NEVER,
            closed: false,
            delivered: 0,
            delivered_before: 0,
        })
    }

    /// A datagram arrived; `counts`: within the measured time.
    pub fn receive(&mut self, codepoint: Codepoint, datagram: &[u8], counts: bool, now: Time) {
        self.end.receive(now, codepoint, datagram);
        self.delivered = self.end.state().delivered.count();
        if !counts {
            self.delivered_before = self.delivered;
        }
    }

    /// Packets of the flow's size that hold what was read in the measured time.
    pub fn delivered_packets(&self) -> u64 {
        (self.delivered - self.delivered_before) / self.packet_bytes
    }

    /// Packets of the flow's size that hold what was read since the beginning.
    pub fn read_packets(&self) -> u32 {
        (self.delivered / self.packet_bytes) as u32
    }

    /// Nobody waits for its connection any more: it sends nothing.
    pub fn close(&mut self) {
        (self.closed, self.deadline) = (true, Time::NEVER);
    }

    /// When something is to be done without having been told.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The deadline has come.
    pub fn on_deadline(&mut self, now: Time) {
        self.end.on_deadline(now);
    }

    /// The next packet to send now, if there is one.
    pub fn next_packet(&mut self, now: Time) -> Option<Packet> {
        if self.closed {
            return None;
        }
        let mut place = self.flight.place();
        let Some((length, codepoint)) = self.end.transmit(now, &mut place) else {
            self.flight.give_back(place);
            self.deadline = self.end.deadline();
            return None;
        };
        let number = self.flight.send(place, length);
        let flags = self.flags | flags(codepoint, self.ecn);
        Some(Packet::new(PacketKind::Ack, self.flow, number, packet_bytes(length), flags))
    }
}
