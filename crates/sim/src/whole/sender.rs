//! The end of a stack that opens the connection and sends data.

use super::flight::Flight;
use super::{datagram, flags, packet_bytes, settings};
use crate::meter::Meter;
use crate::packet::{IN_PROFILE, Packet, PacketKind, TEST};
use crate::scenario::{FlowSpec, Profile};
use crate::tcp::sender::SenderStats;
use sawtooth_cc::plugin::endpoint::{Codepoint, End};
use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{ControllerSpec, RandomKey};

/// What a stack does not tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Untold {
    /// What may be in flight.
    pub window: bool,
    /// Round trips: none has been told.
    pub rtt: bool,
    /// Packets declared lost.
    pub lost_packets: bool,
    /// How often losses or marks were answered.
    pub congestion_events: bool,
}

/// The sender of one flow.
#[derive(Debug)]
pub struct WholeSender {
    flow: u32,
    end: End,
    /// What it let go.
    pub flight: Flight,
    datagram: u64,
    ecn: bool,
    flags: u16,
    deadline: Time,
    begun: bool,
    /// What its application offers at the start: packets, or data without end; none where it offers data over time.
    offered: Option<Option<u32>>,
    /// What it has offered over time before the connection was opened.
    early: u32,
    packet_bytes: u64,
    /// When everything that was offered had been acknowledged.
    pub finished: Option<Time>,
    /// What it did not tell when it was asked last.
    pub untold: Untold,
    stopped: bool,
    /// Its connection has been forgotten.
    closed: bool,
    window: Window,
    window_since: Time,
    srtt: Span,
    /// What the stack has told before counting began: packets lost, congestion events.
    told_before: (u64, u64),
    told: (u64, u64),
    /// Counters.
    pub stats: SenderStats,
    /// What is measured of it, where somebody will read it.
    pub meter: Option<Box<Meter>>,
}

impl WholeSender {
    /// A sender before its first datagram; `None` if the controller is no whole endpoint.
    pub fn new(index: u32, flow: &FlowSpec, profile: &Profile, random: Option<RandomKey>) -> Option<Self> {
        let ControllerSpec::Plugin(spec) = &profile.controller else { return None };
        let random = random.filter(|_| spec.is_endpoint())?;
        let test = if flow.test { TEST } else { 0 };
        let in_profile = if flow.in_profile { IN_PROFILE } else { 0 };
        Some(WholeSender {
            flow: index,
            end: spec.end(&settings(index, true, profile, random)),
            flight: Flight::new(datagram(profile) as usize),
            datagram: datagram(profile),
            ecn: profile.tcp.ecn.echoes(),
            flags: test | in_profile,
            deadline: Time::NEVER,
            begun: false,
            offered: flow.supply.is_empty().then_some(flow.packets),
            early: 0,
            packet_bytes: u64::from(profile.packet_bytes),
            finished: None,
            untold: Untold::default(),
            stopped: false,
            closed: false,
            window: Window::from_packets(profile.tcp.initial_window),
            window_since: Time::ZERO,
            srtt: Span::ZERO,
            told_before: (0, 0),
            told: (0, 0),
            stats: SenderStats::default(),
            meter: None,
        })
    }

    /// Open the connection.
    pub fn begin(&mut self, now: Time) {
        (self.begun, self.window_since) = (true, now);
        self.end.begin(now);
        if let Some(packets) = self.offered {
            let bytes = packets.map(|packets| self.bytes(packets));
            self.end.offer(now, bytes, false);
        } else if self.early > 0 {
            self.end.offer(now, Some(self.bytes(self.early)), true);
        }
    }

    /// Its application offers data over time, and has nothing before. What has been offered is not taken back.
    pub fn hold_supply(&mut self) {
        assert!(!self.begun || self.offered.is_none(), "data without end are not taken back");
        self.offered = None;
    }

    /// Nobody waits for its connection any more: it sends nothing.
    pub fn close(&mut self) {
        (self.closed, self.deadline) = (true, Time::NEVER);
    }

    fn bytes(&self, packets: u32) -> Bytes {
        Bytes::new(u64::from(packets) * self.packet_bytes)
    }

    /// The application makes this many more packets available, and announces whether more will follow.
    pub fn supply(&mut self, packets: u32, more: bool, now: Time) {
        if !self.begun {
            self.early += packets;
        } else if !self.stopped {
            self.end.offer(now, Some(self.bytes(packets)), more);
        }
    }

    /// Offer no more data.
    pub fn stop(&mut self, now: Time) {
        self.stopped = true;
        self.end.stop(now);
    }

    /// A datagram came back.
    pub fn receive(&mut self, codepoint: Codepoint, datagram: &[u8], now: Time) {
        self.end.receive(now, codepoint, datagram);
        self.follow(now);
        if let Some(meter) = self.meter.as_mut().filter(|_| self.srtt > Span::ZERO) {
            meter.round_trips.add(self.srtt);
        }
    }

    /// The deadline has come.
    pub fn on_deadline(&mut self, now: Time) {
        if self.closed {
            return;
        }
        self.end.on_deadline(now);
        self.follow(now);
    }

    /// What the stack says of itself may have changed.
    fn follow(&mut self, now: Time) {
        let state = self.end.state();
        self.accrue_window(now);
        let packets = |bytes: u64| bytes as f64 / self.datagram as f64;
        self.window = state.window.map_or(self.window, |bytes| Window::from_packets(packets(bytes.count())));
        self.srtt = state.rtt.unwrap_or(self.srtt);
        self.told = (state.lost_packets.unwrap_or(0), state.congestion_events.unwrap_or(0));
        self.untold = Untold {
            window: state.window.is_none(),
            rtt: self.srtt == Span::ZERO,
            lost_packets: state.lost_packets.is_none(),
            congestion_events: state.congestion_events.is_none(),
        };
        self.finished = self.finished.or(state.finished.then_some(now));
        self.stats.retransmits = self.told.0 - self.told_before.0;
        self.stats.loss_events = self.told.1 - self.told_before.1;
    }

    /// When something is to be done without having been told.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The next packet to send now, if one may go.
    #[inline(never)]
    pub fn next_packet(&mut self, now: Time) -> Option<Packet> {
        if !self.begun || self.closed {
            return None;
        }
        let mut place = self.flight.place();
        let Some((length, codepoint)) = self.end.transmit(now, &mut place) else {
            self.flight.give_back(place);
            self.deadline = self.end.deadline();
            return None;
        };
        let number = self.flight.send(place, length);
        self.stats.sent += 1;
        let flags = self.flags | flags(codepoint, self.ecn);
        Some(Packet::new(PacketKind::Data, self.flow, number, packet_bytes(length), flags))
    }

    /// What may be in flight, in datagrams of full size.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Smoothed round-trip time in nanoseconds; 0 before the first sample.
    pub fn srtt_nanos(&self) -> u64 {
        self.srtt.nanos()
    }

    fn accrue_window(&mut self, now: Time) {
        self.stats.accrue(self.window, now - self.window_since);
        self.window_since = now;
    }

    /// Start counting now.
    pub fn restart_counters(&mut self, now: Time) {
        self.stats = SenderStats::default();
        (self.window_since, self.told_before) = (now, self.told);
        if let Some(meter) = &mut self.meter {
            meter.restart(now, 0);
        }
    }

    /// Time mean of the window since counting began (or the connection was opened) at `since`.
    pub fn window_mean(&mut self, since: Time, now: Time) -> f64 {
        self.accrue_window(now);
        self.stats.window_mean(now - since)
    }
}
