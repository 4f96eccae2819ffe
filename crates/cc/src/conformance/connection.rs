//! A connection that does what a script says: it measures what a transport measures, and tells its controller.
//!
//! Source: RFC 5681 and RFC 6675 §5 (one signal per window of data, recovery until what was in flight is delivered), RFC 6298 §2 (smoothed
//! round trip), draft-ietf-ccwg-bbr §4.1 (delivery rate). It sends nothing twice: what was lost is gone.

use super::script::{Action, Script};
use crate::controller::{Controller, Wants};
use crate::sample::{AckSample, DeliveryRate, LostPacket, RoundTripTimes, SentPacket};
use crate::settings::ControlSettings;
use crate::signal::{
    Congestion, CongestionSignal, IdleSignal, Recovery, RecoverySignal, UndoSignal, WindowOfData,
};
use crate::units::{Bytes, Span, Time, Window};
use crate::{AnyController, ControllerSpec};
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;

/// Most packets in flight, as a receiver's window bounds them.
pub const IN_FLIGHT_MAX: usize = 512;
const PACKET: Bytes = Bytes::new(1000);

/// What a controller answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Answered {
    /// Packets that may be in flight.
    pub window: f64,
    /// The slow-start threshold, in packets.
    pub threshold: f64,
    /// The pacing rate, in bit/s.
    pub rate: Option<u64>,
    /// What may leave back to back, in bytes.
    pub quantum: u64,
    /// Rate samples count as limited by the application.
    pub holds_back: bool,
}

impl fmt::Display for Answered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answered { window, threshold, rate, quantum, holds_back } = *self;
        write!(formatter, "window {window}, threshold {threshold}")?;
        if let Some(rate) = rate {
            write!(formatter, ", rate {rate} bit/s")?;
        }
        if quantum > 0 {
            write!(formatter, ", quantum {quantum} B")?;
        }
        if holds_back {
            write!(formatter, ", samples limited by the application")?;
        }
        Ok(())
    }
}

/// A connection, its controller included.
#[derive(Clone, Debug)]
pub struct Connection {
    control: AnyController,
    wants: Wants,
    now: Time,
    /// What is in flight, oldest first, each with its number.
    flight: VecDeque<(u64, SentPacket)>,
    sent: u64,
    delivered: Bytes,
    delivered_at: Time,
    first_sent_at: Time,
    lost: Bytes,
    newly_lost: Bytes,
    marked: u32,
    rtt: RoundTripTimes,
    round_end: Bytes,
    idle_since: Time,
    /// The window was what limited the sender when it last sent.
    limited: bool,
    /// Everything below this number belongs to the window of data of the last signal, by kind.
    last_signal: Option<(Congestion, u64)>,
    marks_until: u64,
    /// What is repaired, until a packet of this number is delivered; after a timeout it is no recovery to the controller.
    repair: Option<Repair>,
    timeouts: u32,
    losses_signalled: u64,
}

#[derive(Clone, Copy, Debug)]
struct Repair {
    until: u64,
    recovery: bool,
}

impl Connection {
    /// At its start: ten packets may be sent, the exchange that opened it took 50 ms.
    pub fn open(spec: &ControllerSpec, script: &Script) -> Self {
        let settings = ControlSettings {
            initial_threshold: script.threshold.map(|packets| Window::from_packets(f64::from(packets))),
            packet: PACKET,
            random: spec.properties().random.then_some([7; 32]),
            ..ControlSettings::default()
        };
        let mut control = AnyController::new(spec, &settings);
        let now = Time::from_nanos(100_000_000);
        control.on_established(now, Some(Span::from_millis(50)));
        Connection {
            wants: control.wants(),
            control,
            now,
            flight: VecDeque::new(),
            sent: 0,
            delivered: Bytes::ZERO,
            delivered_at: now,
            first_sent_at: now,
            lost: Bytes::ZERO,
            newly_lost: Bytes::ZERO,
            marked: 0,
            rtt: RoundTripTimes::default(),
            round_end: Bytes::ZERO,
            idle_since: now,
            limited: false,
            last_signal: None,
            marks_until: 0,
            repair: None,
            timeouts: 0,
            losses_signalled: 0,
        }
    }

    /// What its controller answers now.
    pub fn answers(&self) -> Answered {
        Answered {
            window: self.control.window().packets(),
            threshold: self.control.slow_start_threshold().packets(),
            rate: self.control.pacing_rate().map(|rate| rate.bits_per_second()),
            quantum: self.control.send_quantum().count(),
            holds_back: self.control.mark_application_limited(),
        }
    }

    /// Packets that may leave in a round trip: the window's or, if there is a rate and it is less, the rate's.
    pub fn allowed(&self) -> f64 {
        let answered = self.answers();
        let spans = answered.rate.zip(self.rtt.smoothed);
        let paced =
            spans.map(|(rate, rtt)| rate as f64 * (rtt.nanos() as f64 / 1e9) / 8.0 / PACKET.count() as f64);
        paced.map_or(answered.window, |paced| paced.min(answered.window))
    }

    /// Is anything in flight?
    pub fn waits(&self) -> bool {
        !self.flight.is_empty()
    }

    /// Is loss recovery under way?
    pub fn recovers(&self) -> bool {
        self.repair.is_some_and(|repair| repair.recovery)
    }

    /// How many losses have been signalled.
    pub const fn losses_signalled(&self) -> u64 {
        self.losses_signalled
    }

    /// Was the window what limited the sender?
    pub const fn limited(&self) -> bool {
        self.limited
    }

    /// How many packets have been sent.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// The number of the oldest packet in flight, or that of the next to be sent.
    pub fn oldest(&self) -> u64 {
        self.flight.front().map_or(self.sent, |&(number, _)| number)
    }

    fn in_flight(&self) -> Bytes {
        Bytes::new(PACKET.count() * self.flight.len() as u64)
    }

    /// One line of the script happens.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Send(packets) => self.send(packets),
            Action::Ack(packets, after) => self.acknowledge(packets, Span::from_nanos(after)),
            Action::Lose(packets) => self.lose(packets),
            Action::Mark(packets) => self.mark(packets),
            Action::Timeout => self.time_out(),
            Action::PersistentCongestion => self.persist(),
            Action::Undo => self.undo(),
            Action::Idle(span) => self.idle(Span::from_nanos(span)),
        }
    }

    fn send(&mut self, packets: u32) {
        let allowed = (self.control.window().whole_packets() as usize).clamp(1, IN_FLIGHT_MAX);
        let room = allowed.saturating_sub(self.flight.len());
        self.limited = packets as usize >= room;
        for _ in 0..room.min(packets as usize) {
            if self.flight.is_empty() {
                (self.first_sent_at, self.delivered_at) = (self.now, self.now);
            }
            let packet = SentPacket {
                sent_at: self.now,
                size: PACKET,
                delivered: self.delivered,
                delivered_at: self.delivered_at,
                first_sent_at: self.first_sent_at,
                in_flight: self.in_flight() + PACKET,
                lost: self.lost,
                app_limited: !self.limited || self.control.mark_application_limited(),
                times_sent: 1,
            };
            self.flight.push_back((self.sent, packet));
            self.sent += 1;
            if self.wants.packets {
                self.control.on_sent(&packet);
            }
        }
    }

    fn acknowledge(&mut self, packets: u32, after: Span) {
        let newly = self.flight.len().min(packets as usize);
        if newly == 0 {
            return;
        }
        self.now += after;
        let before = self.in_flight();
        let (number, packet) = self.flight.drain(..newly).next_back().expect("at least one is acknowledged");
        let newly_delivered = Bytes::new(PACKET.count() * newly as u64);
        let round_ended = packet.delivered >= self.round_end;
        let rate = self.rate_sample(&packet, newly_delivered);
        self.delivered += newly_delivered;
        (self.delivered_at, self.first_sent_at, self.timeouts) = (self.now, packet.sent_at, 0);
        if round_ended {
            self.round_end = self.delivered;
        }
        self.measure(self.now - packet.sent_at);
        let sample = AckSample {
            now: self.now,
            newly_acked: newly as u32,
            ce_marked: self.marked,
            newly_marked: Bytes::new(PACKET.count() * u64::from(self.marked)),
            delivered: self.delivered,
            newly_delivered,
            newly_lost: std::mem::replace(&mut self.newly_lost, Bytes::ZERO),
            in_flight_before: before,
            in_flight_after: self.in_flight(),
            rtt: self.rtt,
            rate: Some(rate),
            round_ended,
            in_recovery: self.recovers(),
            cwnd_limited: self.limited,
        };
        self.marked = 0;
        if !self.recovers() || self.wants.recovery {
            self.control.on_ack(&sample);
        }
        if self.flight.is_empty() {
            self.idle_since = self.now;
        }
        if self.repair.take_if(|repair| number >= repair.until).is_some() {
            self.tell_recovery(Recovery::Left);
        }
    }

    fn rate_sample(&self, packet: &SentPacket, newly_delivered: Bytes) -> DeliveryRate {
        let interval = (packet.sent_at - packet.first_sent_at).max(self.now - packet.delivered_at);
        DeliveryRate {
            delivered: self.delivered + newly_delivered - packet.delivered,
            interval,
            prior_delivered: packet.delivered,
            in_flight_at_sending: packet.in_flight,
            lost: self.lost - packet.lost,
            app_limited: packet.app_limited,
            reliable: self.rtt.minimum.is_none_or(|least| interval >= least),
        }
    }

    fn measure(&mut self, rtt: Span) {
        let smoothed =
            self.rtt.smoothed.map_or(rtt.nanos(), |before| before.nanos() / 8 * 7 + rtt.nanos() / 8);
        self.rtt = RoundTripTimes {
            latest: Some(rtt),
            minimum: Some(self.rtt.minimum.map_or(rtt, |least| least.min(rtt))),
            smoothed: Some(Span::from_nanos(smoothed)),
            newest: Some(rtt),
        };
    }

    fn tell_recovery(&mut self, change: Recovery) {
        let in_flight = self.in_flight();
        self.control.on_recovery(&RecoverySignal { now: self.now, change, in_flight });
    }

    fn signal(&mut self, kind: Congestion) {
        self.last_signal = Some((kind, self.sent));
        let window_of_data = WindowOfData::numbered(self.sent);
        self.control.on_congestion(&CongestionSignal { now: self.now, kind, window_of_data });
    }

    /// So many of the oldest packets are lost; says whether there were any.
    fn declare_lost(&mut self, packets: usize) -> bool {
        let count = self.flight.len().min(packets);
        for index in 0..count {
            let (_, sent) = self.flight.pop_front().expect("so many are in flight");
            self.lost += PACKET;
            self.newly_lost += PACKET;
            if self.wants.packets {
                let (now, lost, delivered) = (self.now, self.lost, self.delivered);
                self.control.on_lost(&LostPacket { now, sent, lost, delivered, continues: index > 0 });
            }
        }
        if self.flight.is_empty() {
            self.idle_since = self.now;
        }
        count > 0
    }

    fn lose(&mut self, packets: u32) {
        let first = self.oldest();
        if !self.declare_lost(packets as usize) || self.repair.is_some() {
            return;
        }
        // A window of data that was marked has been answered for (RFC 3168 §6.1.2).
        if first >= self.marks_until {
            self.signal(Congestion::Loss);
            self.losses_signalled += 1;
        }
        self.repair = Some(Repair { until: self.sent, recovery: true });
        self.tell_recovery(Recovery::Entered);
    }

    fn mark(&mut self, packets: u32) {
        if !self.waits() {
            return;
        }
        self.marked = packets;
        if packets > 0 && self.repair.is_none() && self.oldest() >= self.marks_until {
            self.marks_until = self.sent;
            self.signal(Congestion::EcnMark);
        }
    }

    fn time_out(&mut self) {
        if !self.waits() {
            return;
        }
        self.now += self.timeout();
        self.declare_lost(usize::MAX);
        self.signal(Congestion::Timeout { repeated: self.timeouts > 0 });
        self.timeouts += 1;
        self.repair = Some(Repair { until: self.sent, recovery: false });
    }

    fn persist(&mut self) {
        if self.timeouts > 0 {
            self.signal(Congestion::PersistentCongestion);
        }
    }

    fn undo(&mut self) {
        if let Some((kind, number)) = self.last_signal.take() {
            let (in_flight, newly_delivered) = (self.in_flight(), Bytes::ZERO);
            let window_of_data = WindowOfData::numbered(number);
            let now = self.now;
            self.control.on_undo(&UndoSignal { now, kind, window_of_data, in_flight, newly_delivered });
            if self.repair.take().is_some() {
                self.tell_recovery(Recovery::Left);
            }
        }
    }

    /// A second, doubled with every timeout in a row (RFC 6298 §2.4, §5.5).
    fn timeout(&self) -> Span {
        Span::from_seconds(1 << self.timeouts.min(6))
    }

    fn idle(&mut self, span: Span) {
        if !self.waits() && self.sent > 0 {
            self.now += span;
            let (now, since, timeout) = (self.now, self.idle_since, self.timeout());
            self.control.on_idle(&IdleSignal { now, since, timeout });
        }
    }
}
