//! The sender of a rate-based flow: a handshake, then a packet whenever the law's interval has passed.
//!
//! Source: RFC 5348 §4 for what TFRC's sender does when, [Rejaie99] §2 for RAP's; the laws themselves are in `cc`. Nothing is sent
//! twice. As with TCP the SYN exchange gives the first round trip, unless it had to be repeated.
//!
//! After a change of TFRC's rate the next packet goes one new interval after the last one, or at once if that is over. RAP's gap is a
//! timer: once begun, it ends as it was set. If a timeout is found at its end, a new gap begins and no packet is sent.

use super::nada_sender::NadaSender;
use super::rap_sender::RapSender;
use super::{Arrived, Feedback, NadaFeedback, Report, Stamp};
use crate::frames::FrameWatch;
use crate::meter::Meter;
use crate::packet::{BOOKKEEPING, IN_PROFILE, Packet, PacketKind, TEST};
use crate::ring::Ring;
use crate::scenario::{FlowSpec, Profile};
use crate::tcp::rtt::RttEstimator;
use crate::tcp::sender::{SenderStats, WindowCut};
use sawtooth_cc::nada::{NadaReport, RateMode};
use sawtooth_cc::tfrc::{Edition, RateReport, TfrcRate};
use sawtooth_cc::units::{Span, Time, Window};
use sawtooth_cc::{Congestion, ControllerSpec, RandomKey};

/// What decides when the next packet goes.
#[derive(Debug)]
enum Law {
    Tfrc { rate: TfrcRate, last: Feedback },
    Rap(Box<RapSender>),
    Nada(Box<NadaSender>),
}

impl Law {
    fn new(profile: &Profile, random: Option<RandomKey>) -> Self {
        let tfrc = |params, edition| Law::Tfrc {
            rate: TfrcRate::new(params, edition, profile.packet_bytes),
            last: Feedback::default(),
        };
        match profile.controller {
            ControllerSpec::Tfrc(params) => tfrc(params, Edition::Paper),
            ControllerSpec::Tfrc5348(params) => tfrc(params, Edition::Rfc5348),
            ControllerSpec::Rap(params) => Law::Rap(Box::new(RapSender::new(params))),
            ControllerSpec::Nada(params) => {
                Law::Nada(Box::new(NadaSender::new(params, profile.packet_bytes, random)))
            }
            _ => unreachable!("a law with a window has a TCP sender"),
        }
    }

    fn begin(&mut self, now: Time, rtt: Span) {
        match self {
            Law::Tfrc { rate, .. } => rate.begin(now, rtt),
            Law::Rap(rap) => rap.begin(now, rtt),
            Law::Nada(nada) => nada.begin(now, rtt),
        }
    }

    fn interval(&self) -> Span {
        match self {
            Law::Tfrc { rate, .. } => rate.interval(),
            Law::Rap(rap) => rap.rate.interval(),
            Law::Nada(nada) => nada.interval(),
        }
    }

    /// The earliest moment from `at` on at which there may be something to send: a call waits for its next frame.
    fn ready(&self, at: Time) -> Time {
        match self {
            Law::Tfrc { .. } | Law::Rap(_) => at,
            Law::Nada(nada) => nada.ready(at),
        }
    }

    /// When to do something about silence that begins now; RAP checks every packet itself, and NADA has no rule for it.
    fn silence_ends(&self, now: Time) -> Time {
        match self {
            Law::Tfrc { rate, .. } => now + rate.silence_allowed(),
            Law::Rap(_) | Law::Nada(_) => Time::NEVER,
        }
    }

    /// When the rate is to be raised without having been told.
    fn step_ends(&self) -> Time {
        match self {
            Law::Tfrc { .. } | Law::Nada(_) => Time::NEVER,
            Law::Rap(rap) => rap.step_ends(),
        }
    }

    fn rtt(&self) -> Span {
        match self {
            Law::Tfrc { rate, .. } => rate.rtt(),
            Law::Rap(rap) => rap.srtt(),
            Law::Nada(nada) => nada.rate.rtt(),
        }
    }

    fn packets_per_round_trip(&self) -> f64 {
        match self {
            Law::Tfrc { rate, .. } => rate.packets_per_round_trip(),
            Law::Rap(rap) => rap.rate.packets_per_round_trip(),
            Law::Nada(nada) => nada.packets_per_round_trip(),
        }
    }
}

/// The sender of one rate-based flow.
#[derive(Debug)]
pub struct PacedSender {
    flow: u32,
    packet_bytes: u16,
    syn_bytes: u16,
    flags: u16,
    law: Law,
    handshake: RttEstimator,
    /// When the SYN left, if it was the first.
    syn_at: Option<Time>,
    established: bool,
    stopped: bool,
    /// What was sent and has not been reported on, from number `first` on.
    stamps: Ring<Stamp>,
    first: u32,
    last_sent: Time,
    next_send: Time,
    /// Without a report until then the rate is cut; before the handshake is answered, the SYN is sent again.
    silence_ends: Time,
    window_since: Time,
    /// Counters.
    pub stats: SenderStats,
    /// What is measured of it, where somebody will read it.
    pub meter: Option<Box<Meter>>,
}

impl PacedSender {
    /// A sender before its SYN, with a key if its encoder draws random numbers.
    pub fn new(index: u32, flow: &FlowSpec, profile: &Profile, random: Option<RandomKey>) -> Self {
        let test = if flow.test { TEST } else { 0 };
        let in_profile = if flow.in_profile { IN_PROFILE } else { 0 };
        PacedSender {
            flow: index,
            packet_bytes: profile.packet_bytes,
            syn_bytes: profile.ack_bytes,
            flags: profile.tcp.ecn.flags() | test | in_profile,
            law: Law::new(profile, random),
            handshake: RttEstimator::new(&profile.tcp, false),
            syn_at: None,
            established: false,
            stopped: false,
            stamps: Ring::default(),
            first: 0,
            last_sent: Time::ZERO,
            next_send: Time::NEVER,
            silence_ends: Time::NEVER,
            window_since: Time::ZERO,
            stats: SenderStats::default(),
            meter: None,
        }
    }

    /// Send the SYN for the first time.
    pub fn syn(&mut self, now: Time) -> Packet {
        self.syn_at = Some(now);
        self.window_since = now;
        self.silence_ends = now + self.handshake.rto();
        self.opening()
    }

    fn opening(&self) -> Packet {
        Packet::new(PacketKind::Syn, self.flow, 0, self.syn_bytes, self.flags & BOOKKEEPING)
    }

    /// The SYN was answered: data may go.
    pub fn on_syn_ack(&mut self, now: Time) {
        if self.established {
            return;
        }
        self.accrue_window(now);
        self.established = true;
        if let Some(sent) = self.syn_at {
            self.law.begin(now, now - sent);
        } else if let Law::Nada(nada) = &mut self.law {
            nada.begin(now, Span::ZERO); // the camera is on, whatever is known of the path
        }
        self.next_send = now;
        self.silence_ends = self.law.silence_ends(now);
    }

    /// Send no more.
    pub fn stop(&mut self) {
        self.stopped = true;
        (self.next_send, self.silence_ends) = (Time::NEVER, Time::NEVER);
    }

    /// When something is to be done without having been told.
    pub fn deadline(&self) -> Time {
        if self.stopped {
            return Time::NEVER;
        }
        self.next_send.min(self.silence_ends).min(self.law.step_ends())
    }

    /// The stamp of a packet that has just arrived.
    pub fn stamp(&self, number: u32) -> Stamp {
        let place = number.checked_sub(self.first).and_then(|place| self.stamps.ahead(place as usize));
        place.expect("a stamp is kept until its packet is reported on")
    }

    /// A report arrived. Returns the cut it caused: why, and how many packets a round trip had before.
    pub fn on_report(&mut self, report: Report, now: Time) -> Option<WindowCut> {
        self.accrue_window(now);
        let before = self.window();
        let first_round_trip = self.law.rtt() == Span::ZERO;
        let cause = match report {
            Report::Tfrc(feedback) => self.on_feedback(feedback, now),
            Report::Rap(ack) => self.on_ack(ack, now),
            Report::Nada(feedback) => self.on_signal(feedback, now),
        };
        if !self.stopped {
            self.silence_ends = self.law.silence_ends(now);
            if matches!(self.law, Law::Tfrc { .. } | Law::Nada(_)) || first_round_trip {
                self.pace(now);
            }
        }
        match cause? {
            Congestion::EcnMark => self.stats.ecn_reductions += 1,
            _ => self.stats.loss_events += 1,
        }
        Some(WindowCut { kind: cause?, before })
    }

    /// The stamp of the newest packet that is reported on; stamps up to it are needed no longer.
    fn take_stamp(&mut self, newest: u32) -> Stamp {
        let stamp = self.stamp(newest);
        while self.first <= newest {
            self.stamps.pop_front();
            self.first += 1;
        }
        stamp
    }

    fn on_feedback(&mut self, feedback: Feedback, now: Time) -> Option<Congestion> {
        let sent = self.take_stamp(feedback.newest).sent;
        self.count_round_trip(now - (sent + feedback.waited));
        let Law::Tfrc { rate, last } = &mut self.law else { unreachable!("feedback is TFRC's") };
        rate.on_report(&RateReport {
            now,
            rtt: now - (sent + feedback.waited),
            loss_event_rate: feedback.loss_event_rate,
            receive_rate: feedback.receive_rate,
        });
        let marks = feedback.mark_events - last.mark_events;
        let losses = feedback.loss_events - last.loss_events - marks;
        *last = feedback;
        self.count_events(losses, marks)
    }

    fn on_signal(&mut self, feedback: NadaFeedback, now: Time) -> Option<Congestion> {
        let sent = self.take_stamp(feedback.newest).sent;
        let rtt = now - (sent + feedback.waited);
        self.count_round_trip(rtt);
        let Law::Nada(nada) = &mut self.law else { unreachable!("a signal is NADA's") };
        nada.rate.on_report(&NadaReport {
            now,
            rtt,
            mode: feedback.mode,
            signal: feedback.signal,
            receive_bps: feedback.receive_rate * 8.0 * f64::from(self.packet_bytes),
        });
        let (losses, marks) = nada.events;
        nada.events = (feedback.loss_events, feedback.marks);
        self.count_events(feedback.loss_events - losses, feedback.marks - marks)
    }

    /// Count loss events and those that began with a mark. Gives the cut that the report of them brings.
    fn count_events(&mut self, losses: u64, marks: u64) -> Option<Congestion> {
        // One of them is counted as the cut that this report brings; the others came with it.
        match (losses, marks) {
            (0, 0) => None,
            (0, _) => {
                self.stats.ecn_reductions += marks - 1;
                Some(Congestion::EcnMark)
            }
            _ => {
                self.stats.ecn_reductions += marks;
                self.stats.loss_events += losses - 1;
                Some(Congestion::Loss)
            }
        }
    }

    fn on_ack(&mut self, ack: Arrived, now: Time) -> Option<Congestion> {
        const RAPS: &str = "an acknowledgement of every packet is RAP's";
        let Law::Rap(rap) = &self.law else { unreachable!("{RAPS}") };
        for number in rap.newly_missing(ack) {
            let sent = self.stamp(number).sent;
            let Law::Rap(rap) = &mut self.law else { unreachable!("{RAPS}") };
            rap.note_missing(number, sent);
        }
        let rtt = now - self.take_stamp(ack.number).sent;
        self.count_round_trip(rtt);
        let next = self.next_number();
        let Law::Rap(rap) = &mut self.law else { unreachable!("{RAPS}") };
        rap.on_ack(ack, rtt, next, now)
    }

    fn count_round_trip(&mut self, rtt: Span) {
        if let Some(meter) = &mut self.meter {
            meter.round_trips.add(rtt);
        }
    }

    fn next_number(&self) -> u32 {
        self.first + self.stamps.len() as u32
    }

    fn pace(&mut self, now: Time) {
        self.next_send = self.law.ready((self.last_sent + self.law.interval()).max(now));
    }

    /// The deadline has come. Returns the SYN to send again, or the cut of a rate that nobody reports on.
    pub fn on_deadline(&mut self, now: Time) -> Result<Option<WindowCut>, Packet> {
        let by_packet = self.established && matches!(self.law, Law::Rap(_));
        if !by_packet && self.silence_ends > now {
            return Ok(None); // a packet is due
        }
        if !self.established {
            self.stats.timeouts += 1;
            self.syn_at = None;
            self.handshake.back_off();
            self.silence_ends = now + self.handshake.rto();
            return Err(self.opening());
        }
        self.accrue_window(now);
        let next = self.next_number();
        let (first, stamps, due) = (self.first, &self.stamps, self.next_send <= now);
        let before = match &mut self.law {
            Law::Tfrc { rate, .. } => {
                let before = rate.packets_per_round_trip();
                rate.on_silence(now);
                before
            }
            Law::Nada(_) => return Ok(None),
            Law::Rap(rap) => {
                if rap.step_ends() <= now {
                    rap.on_step(now);
                }
                let before = rap.rate.packets_per_round_trip();
                let sent = |number: u32| stamps.ahead((number - first) as usize).expect("it is out").sent;
                if !due || !rap.times_out(first, next, now, sent) {
                    return Ok(None);
                }
                before
            }
        };
        self.stats.timeouts += 1;
        self.silence_ends = self.law.silence_ends(now);
        if by_packet {
            self.next_send = now + self.law.interval();
        } else {
            self.pace(now);
        }
        let before = Window::from_packets(before);
        Ok(Some(WindowCut { kind: Congestion::Timeout { repeated: false }, before }))
    }

    /// The packet that goes now, if one is due.
    #[inline(never)]
    pub fn next_packet(&mut self, now: Time) -> Option<Packet> {
        if self.next_send > now {
            return None;
        }
        let number = self.next_number();
        if let Law::Nada(nada) = &mut self.law
            && !nada.take(number, now)
        {
            self.next_send = nada.ready(now);
            return None;
        }
        self.stamps.push_back(Stamp { sent: now, rtt: self.law.rtt() });
        self.last_sent = now;
        let interval = self.law.interval().max(Span::from_nanos(1));
        self.next_send = self.law.ready(now + interval);
        self.stats.sent += 1;
        if let Some(meter) = &mut self.meter {
            let bits = 8e9 * f64::from(self.packet_bytes);
            meter.pacing.note(bits / interval.nanos() as f64, now);
        }
        Some(Packet::new(PacketKind::Data, self.flow, number, self.packet_bytes, self.flags))
    }

    /// Packets per round trip.
    pub fn window(&self) -> Window {
        Window::from_packets(self.law.packets_per_round_trip())
    }

    /// Infinite in slow start, then zero.
    pub fn slow_start_threshold(&self) -> Window {
        let climbs = match &self.law {
            Law::Tfrc { last, .. } => last.loss_event_rate == 0.0,
            Law::Rap(_) => false,
            Law::Nada(nada) => nada.rate.mode() == RateMode::RampUp,
        };
        Window::from_packets(if climbs { f64::INFINITY } else { 0.0 })
    }

    /// Smoothed round-trip time in nanoseconds; 0 before the first sample.
    pub fn srtt_nanos(&self) -> u64 {
        self.law.rtt().nanos()
    }

    /// Have its frames watched; of a law with an encoder.
    pub fn watch(&mut self, watch: FrameWatch) {
        if let Law::Nada(nada) = &mut self.law {
            nada.watch = Some(Box::new(watch));
        }
    }

    /// What has been seen of its frames.
    pub fn take_watch(&mut self) -> Option<FrameWatch> {
        let Law::Nada(nada) = &mut self.law else { return None };
        nada.watch.take().map(|watch| *watch)
    }

    /// A packet of it has arrived.
    pub fn note_arrival(&mut self, number: u32, at: Time) {
        if let Law::Nada(nada) = &mut self.law
            && let Some(watch) = &mut nada.watch
        {
            watch.arrived(number, at);
        }
    }

    fn accrue_window(&mut self, now: Time) {
        self.stats.accrue(self.window(), now - self.window_since);
        self.window_since = now;
    }

    /// Start counting now.
    pub fn restart_counters(&mut self, now: Time) {
        self.stats = SenderStats::default();
        self.window_since = now;
        if let Some(meter) = &mut self.meter {
            meter.restart(now, 0);
        }
    }

    /// Time mean of packets per round trip since counting began (or the SYN left) at `since`.
    pub fn window_mean(&mut self, since: Time, now: Time) -> f64 {
        self.accrue_window(now);
        self.stats.window_mean(now - since)
    }
}
