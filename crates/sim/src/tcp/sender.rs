//! The sender: joins recovery, control, round-trip estimation and the retransmission timer.
//!
//! Source: RFC 5681 (congestion control), RFC 6298 §5 (timer), RFC 3168 §6.1.2 (ECN), RFC 3465 (how much an
//! acknowledgement counts). A SYN exchange opens the connection and gives the first round-trip sample.
//!
//! | parameter      | unit    | default | why                                                           |
//! |----------------|---------|---------|---------------------------------------------------------------|
//! | initial_window | packets | 10      | RFC 6928, of any size as in Linux; 1 after a lost SYN (RFC 5681 §3.1) |
//! | L              | packets | 2       | RFC 3465 §2.2, §2.3: in slow start an acknowledgement of many packets counts as two at most, and as one after a timeout until the hole is filled |
//!
//! Time comes from arguments only. `deadline` and `next_packet` tell what to do next.
//!
//! Almost every acknowledgement finds a *lean* sender: nothing lost, nothing repaired, no duplicate counted. All recoveries do the same
//! then, so they are not asked. That saves 10 ns per packet and keeps a lean flow's scoreboard out of the cache. All other
//! acknowledgements are handled in `eventful`. A sender whose settings, recovery or controller ask for more (`extras`) is never lean:
//! `full` handles its acknowledgements.

mod calm;
mod congestion;
mod eventful;
mod extras;
mod full;
mod lifetime;
mod states;
mod stats;

use super::recovery::{AnyRecovery, LossRecovery, SendState, Transmission, acknowledge};
use super::rtt::RttEstimator;
use super::timers::Due;
use crate::ack_details::Details;
use crate::event::Moment;
use crate::meter::Meter;
use crate::packet::{CWR, ECT, ECT_1, IN_PROFILE, Packet, PacketKind, RETRANSMISSION, TEST};
use crate::scenario::{FlowSpec, Profile, TcpSpec};
use extras::Extras;
use prefetch_index::prefetch_index;
use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, ControlSettings, Controller, PacingNews, RandomKey, SlowStartKind,
};
pub use states::StateTimes;
pub use stats::{SenderStats, WindowCut};
use std::slice::from_ref;

/// Marked packets that a lean sender hears of, and their bytes.
const NO_MARKS: (u32, Bytes) = (0, Bytes::ZERO);

/// The sender of one flow, with a controller and a recovery: those of the tables, except where a test supplies its own.
///
/// The order of the fields is that of their use: an acknowledgement to a lean sender touches nothing behind the first counters. With
/// what the network puts in front that is four cache lines, a fifth of them for counters, and
/// [`Sender::prefetch`] names one field in each.
#[derive(Debug)]
#[repr(C)]
pub struct Sender<C = AnyController, R = AnyRecovery> {
    sent: SendState,
    flow: u32,
    /// The packet whose round trip is being timed.
    timed: Option<u32>,
    timed_at: Time,
    /// When the retransmission timer expires; `NEVER` when it is off.
    retransmit_at: Time,
    /// Everything below was sent before the last timeout, or before recovery last began again from one packet.
    restart_point: u32,
    /// How many packets the controller allows in flight.
    allowed: u32,
    packet_bytes: u16,
    flags: u16,
    /// Recovery has nothing to repair and counts nothing, and there are no extras.
    lean: bool,
    established: bool,
    announce_reduction: bool,
    window_limited: bool,
    window_since: Time,
    /// The controller's window, as it has been since then.
    window: Window,
    /// The timeout, which changes once a round trip.
    rto: Span,
    recovery: R,
    /// How much may be in flight.
    control: C,
    /// Counters; the first two change often.
    pub stats: SenderStats,
    rtt: RttEstimator,
    /// The first hole when the timer last expired.
    timer_resent: Option<u32>,
    /// ECN: no further reduction before this packet is acknowledged; 0 before the first reduction.
    reduced_until: u32,
    /// Everything below was sent before the last reduction on an echo.
    echo_point: u32,
    syn_bytes: u16,
    syn_lost: bool,
    /// Reductions are announced, so that the receiver ends its echo.
    announces: bool,
    /// Marked packets that the receiver has counted, and how many of them the controller has heard of.
    ce_counted: u32,
    ce_told: u32,
    /// The application will make more data available.
    more_to_come: bool,
    /// The controller answers marks by their number: a mark says nothing about the losses of its window of data.
    counts_marks: bool,
    /// When recovery was last asked it had nothing to repair, there are extras, and packets have no numbers of their own.
    calm: bool,
    aside: Box<Aside<C>>,
    extras: Option<Box<Extras>>,
    /// Since when everything there is so far has been acknowledged, while more is to come; `NEVER` otherwise.
    idle_since: Time,
    /// Everything there was to send has been acknowledged, at this time.
    pub finished: Option<Time>,
}

/// What a sender needs once, or once a round trip.
#[derive(Debug)]
struct Aside<C> {
    /// Replaces `control` if the SYN is lost: it starts from one packet (RFC 5681 §3.1).
    control_after_lost_syn: Option<Box<C>>,
    /// What is measured of it, where somebody will read it.
    meter: Option<Box<Meter>>,
}

impl Sender {
    /// A sender before its SYN, with a key where its controller draws random numbers.
    pub fn new(index: u32, flow: &FlowSpec, profile: &Profile, random: Option<RandomKey>) -> Self {
        let kind = profile.recovery.expect("a checked profile without a transport of its own has a recovery");
        let control = |settings: &ControlSettings| AnyController::new(&profile.controller, settings);
        Sender::joined(index, flow, profile, random, control, AnyRecovery::new(kind, &profile.tcp))
    }
}

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    /// `L` of RFC 3465: most packets that one acknowledgement counts for in slow start. A sender in full may have another.
    const COUNTED_MAX: u32 = SlowStartKind::Standard.counted(false);

    /// A sender before its SYN, of such a controller and this recovery.
    pub fn joined(
        index: u32,
        flow: &FlowSpec,
        profile: &Profile,
        random: Option<RandomKey>,
        control: impl Fn(&ControlSettings) -> C,
        mut recovery: R,
    ) -> Self {
        let tcp = &profile.tcp;
        let counts_marks = profile.controller.properties().counts_marks;
        recovery.count_marks(counts_marks);
        let packet = Bytes::new(u64::from(profile.packet_bytes));
        let settings = ControlSettings { packet, flow: index, random, ..tcp.control_settings() };
        let one_packet = ControlSettings { initial_window: Window::from_packets(1.0), ..settings };
        let control_after_lost_syn = Some(Box::new(control(&one_packet)));
        let control = control(&settings);
        let window = control.window();
        let rtt = RttEstimator::new(tcp, recovery.numbers_packets());
        let has_rate = profile.controller.properties().pacing_rate || control.pacing_rate().is_some();
        let extras = Extras::new(tcp, &control, has_rate, &recovery, packet);
        let calm = extras.as_ref().is_some_and(|extras| extras.next_packet.is_none()) && recovery.is_open();
        Sender {
            flow: index,
            packet_bytes: profile.packet_bytes,
            syn_bytes: profile.ack_bytes,
            flags: data_flags(flow, tcp),
            recovery,
            lean: extras.is_none(),
            calm,
            extras,
            allowed: window.whole_packets(),
            window,
            control,
            aside: Box::new(Aside { control_after_lost_syn, meter: None }),
            rto: rtt.rto(),
            rtt,
            sent: nothing_sent(flow, tcp),
            established: false,
            syn_lost: false,
            announces: tcp.ecn.echoes(),
            ce_counted: 0,
            ce_told: 0,
            timed: None,
            timed_at: Time::ZERO,
            retransmit_at: Time::NEVER,
            timer_resent: None,
            restart_point: 0,
            reduced_until: 0,
            echo_point: 0,
            announce_reduction: false,
            window_limited: true,
            window_since: Time::ZERO,
            more_to_come: !flow.supply.is_empty(),
            counts_marks,
            idle_since: Time::NEVER,
            finished: None,
            stats: SenderStats::default(),
        }
    }

    fn packet(&self, kind: PacketKind, number: u32, bytes: u16, flags: u16) -> Packet {
        Packet::new(kind, self.flow, number, bytes, flags)
    }

    /// An acknowledgement arrived. Returns the cut it caused, if any.
    #[inline(always)]
    pub fn on_ack(
        &mut self,
        cumulative: u32,
        details: Option<Details<'_>>,
        echo: bool,
        now: Time,
    ) -> Option<WindowCut> {
        if self.lean && cumulative > self.sent.una && details.is_none() && !echo {
            let newly_acked = acknowledge(cumulative, &mut self.sent);
            let rtt = self.time_round_trip(cumulative, now);
            if cumulative < self.sent.high {
                self.retransmit_at = now + self.rto; // a lean sender's timers are exact
            } else {
                self.restart_timer(now);
            }
            self.grow(newly_acked, cumulative, rtt, NO_MARKS, now);
            return None;
        }
        self.on_eventful_ack(cumulative, details, echo, now)
    }

    /// Something was acknowledged for the first time: perhaps the packet whose round trip is being timed.
    #[inline(always)]
    fn time_round_trip(&mut self, cumulative: u32, now: Time) -> Option<Span> {
        if cumulative <= self.timed? {
            return None;
        }
        self.timed = None;
        let rtt = now - self.timed_at;
        self.rtt.sample(rtt, now);
        if self.extras.is_none() {
            self.count_round_trip(rtt, now);
        }
        self.rto = self.rtt.rto();
        Some(rtt)
    }

    /// Once a round trip, or where more is kept anyway.
    #[inline(never)]
    fn count_round_trip(&mut self, rtt: Span, now: Time) {
        if let Some(meter) = &mut self.aside.meter {
            meter.round_trips.add(rtt);
            meter.smoothed.note(self.rtt.srtt().unwrap_or(rtt).nanos() as f64, now);
        }
    }

    /// The controller hears of an acknowledgement outside recovery.
    #[inline(always)]
    fn grow(&mut self, newly_acked: u32, cumulative: u32, rtt: Option<Span>, marks: (u32, Bytes), now: Time) {
        self.accrue_window(now);
        let threshold = self.control.slow_start_threshold();
        let newly_acked = self.counted(newly_acked, cumulative, threshold, Self::COUNTED_MAX);
        let sample = AckSample::classic(now, newly_acked, rtt, self.window_limited);
        let (ce_marked, newly_marked) = marks;
        self.control.on_ack(&AckSample { ce_marked, newly_marked, ..sample });
        self.follow_control();
    }

    /// How many of these packets count for growth, of so many at most in slow start.
    #[inline(always)]
    fn counted(&self, newly_acked: u32, cumulative: u32, threshold: Window, slow_start_max: u32) -> u32 {
        let most = if cumulative <= self.restart_point {
            1 // RFC 3465 §2.3: what a retransmission uncovers must not come back as a burst
        } else if self.window < threshold {
            slow_start_max
        } else {
            u32::MAX // RFC 3465 §2.1: in congestion avoidance everything counts
        };
        newly_acked.min(most)
    }

    /// When something is to be done without having been told.
    #[inline(always)]
    pub fn deadline(&self) -> Time {
        if self.lean { self.retransmit_at } else { self.earliest_deadline() }
    }

    /// The deadline has come: one timer is dealt with, and if another is due as well, the deadline says so. Returns the SYN to send again,
    /// or the cut it brought, if any.
    pub fn on_deadline(&mut self, now: Time) -> Result<Option<WindowCut>, Packet> {
        match self.take_due(now) {
            Some(Due::Pacing) => Ok(None),
            Some(Due::Recovery(timer)) => Ok(self.on_recovery_timer(timer, now)),
            None if self.retransmit_at <= now => self.on_timeout(now).map(Some),
            None => Ok(None),
        }
    }

    /// What its pacer lets go may leave so much later, as if it had left in time ([`Sender::take_pacing`]).
    pub fn pace_late(&mut self, lateness: Span) {
        if let Some(extras) = self.extras.as_mut().filter(|extras| extras.pacer.is_some()) {
            extras.timers.pace_late(lateness);
        }
    }

    /// When the pacer has let a packet go that has not left, if that was before this moment.
    #[inline(always)]
    pub fn take_pacing(&mut self, before: Moment) -> Option<Time> {
        self.extras.as_mut()?.timers.take_pacing(before)
    }

    /// The next packet to send now, if one may go.
    #[inline(always)]
    pub fn next_packet(&mut self, now: Time) -> Option<Packet> {
        if !self.established {
            return None;
        }
        if !self.lean {
            return self.next_packet_in_full(now);
        }
        self.next_plain_packet(now)
    }

    /// Does it keep more than a classic sender?
    #[inline(always)]
    pub fn keeps_more(&self) -> bool {
        !self.lean && self.extras.is_some()
    }

    /// Does it send by its window alone? Then [`Sender::next_plain_packet`] is its next one.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.lean && self.established
    }

    /// The next packet to send now, of a sender that repairs nothing and has no extras.
    #[inline(always)]
    pub fn next_plain_packet(&mut self, now: Time) -> Option<Packet> {
        let limited = self.sent.next - self.sent.una >= self.allowed;
        if limited || !self.sent.may_send_next() {
            self.window_limited = limited;
            return None;
        }
        let transmission = self.sent.advance();
        Some(self.packet_of(transmission, now))
    }

    #[inline(always)]
    fn packet_of(&mut self, transmission: Transmission, now: Time) -> Packet {
        let Transmission { number, again } = transmission;
        self.stats.sent += 1;
        let mut flags = self.flags;
        if again {
            self.stats.retransmits += 1;
            if self.timed.is_some_and(|timed| number <= timed) {
                self.timed = None; // Karn's rule
            }
            flags = self.flags_beside_data() | RETRANSMISSION;
        } else {
            if self.timed.is_none() {
                (self.timed, self.timed_at) = (Some(number), now);
            }
            if self.announce_reduction {
                self.announce_reduction = false;
                flags |= CWR;
            }
        }
        if self.retransmit_at == Time::NEVER {
            self.retransmit_at = self.timeout_at(now);
        }
        self.packet(PacketKind::Data, number, self.packet_bytes, flags)
    }

    /// Flags of retransmissions and of the SYN: not ECN-capable (RFC 3168 §6.1.1, §6.1.5), except where everything is ECT(1).
    fn flags_beside_data(&self) -> u16 {
        if self.flags & ECT_1 != 0 { self.flags } else { self.flags & !ECT }
    }

    /// When the retransmission timer that starts now expires.
    #[inline(always)]
    fn timeout_at(&self, now: Time) -> Time {
        match &self.extras {
            None => now + self.rto,
            Some(extras) => extras.timers.clock.expiry(now, now + self.rto),
        }
    }

    #[inline]
    fn restart_timer(&mut self, now: Time) {
        if self.sent.una < self.sent.high {
            self.retransmit_at = self.timeout_at(now);
        } else {
            self.retransmit_at = Time::NEVER;
            if self.sent.una == self.sent.limit {
                self.note_end_of_data(now);
            }
        }
    }

    /// The controller's window may have changed; it is asked once, however often it is needed.
    #[inline(always)]
    fn follow_control(&mut self) {
        self.window = self.control.window();
        self.allowed = self.window.whole_packets();
        if self.extras.is_some() {
            self.follow_pace();
        }
    }

    /// The controller may have changed its window at a call after which it rarely does.
    fn follow_change(&mut self, now: Time) {
        self.follow_window(self.control.window(), now);
        self.follow_pace();
    }

    /// So may what its packets are paced by.
    #[inline(never)]
    fn follow_pace(&mut self) {
        if let Some(extras) = &mut self.extras {
            (extras.pacing, extras.threshold) = (PacingNews::Ask, self.control.slow_start_threshold());
        }
    }

    /// This is the controller's window now.
    #[inline(always)]
    fn follow_window(&mut self, window: Window, now: Time) {
        if window != self.window {
            self.accrue_window(now);
            self.window = window;
            self.allowed = window.whole_packets();
        }
    }

    #[inline]
    fn accrue_window(&mut self, now: Time) {
        self.stats.accrue(self.window, now - self.window_since);
        self.window_since = now;
    }

    /// Start counting now.
    pub fn restart_counters(&mut self, now: Time) {
        self.stats = SenderStats::default();
        self.window_since = now;
        if let Some(extras) = &mut self.extras {
            extras.undos = 0;
            extras.states.iter_mut().for_each(|states| states.restart(now));
        }
        if let Some(meter) = &mut self.aside.meter {
            meter.restart(now, self.recovery.probes());
        }
    }

    /// Time mean of the window since counting began (or the connection opened) at `since`.
    pub fn window_mean(&mut self, since: Time, now: Time) -> f64 {
        self.accrue_window(now);
        self.stats.window_mean(now - since)
    }

    /// The window now.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The slow-start threshold now.
    pub fn slow_start_threshold(&self) -> Window {
        self.control.slow_start_threshold()
    }

    /// Smoothed round-trip time in nanoseconds; 0 before the first sample.
    pub fn srtt_nanos(&self) -> u64 {
        self.rtt.srtt().map_or(0, |srtt| srtt.nanos())
    }

    /// Does a pacer hold its packets?
    pub fn is_paced(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.pacer.is_some())
    }

    /// What has been sent.
    pub fn sent(&self) -> &SendState {
        &self.sent
    }

    /// Have what an acknowledgement needs brought into the cache, but for the line in which the sender begins.
    #[inline(always)]
    pub fn prefetch(&self) {
        prefetch_index(from_ref(&self.retransmit_at), 0);
        prefetch_index(from_ref(&self.control), 0);
        prefetch_index(from_ref(&self.stats), 0);
    }

    /// Prefetch the scoreboard if it is needed.
    #[inline(always)]
    pub fn prefetch_repair(&self) {
        if !self.lean {
            self.recovery.prefetch();
        }
    }

    /// How often a cut was withdrawn since counting began.
    pub fn undos(&self) -> u64 {
        self.extras.as_ref().map_or(0, |extras| extras.undos)
    }

    /// Have its round trips and rates measured.
    pub fn attach_meter(&mut self) {
        self.aside.meter = Some(Box::default());
    }

    /// What has been measured of it.
    pub fn meter(&mut self) -> Option<&mut Meter> {
        self.aside.meter.as_deref_mut()
    }

    /// Probes of the tail since counting began.
    pub fn tail_probes(&self) -> u64 {
        self.recovery.probes() - self.aside.meter.as_ref().map_or(0, |meter| meter.probes_before)
    }

    /// Is fast recovery in progress?
    pub fn in_recovery(&self) -> bool {
        self.recovery.in_recovery()
    }
}

/// The flags of every data packet of a flow.
fn data_flags(flow: &FlowSpec, tcp: &TcpSpec) -> u16 {
    let test = if flow.test { TEST } else { 0 };
    let in_profile = if flow.in_profile { IN_PROFILE } else { 0 };
    tcp.ecn.flags() | test | in_profile
}

/// What a flow has sent before its SYN. The supply of a supplied flow begins empty.
fn nothing_sent(flow: &FlowSpec, tcp: &TcpSpec) -> SendState {
    SendState {
        una: 0,
        next: 0,
        high: 0,
        limit: if flow.supply.is_empty() { flow.packets.unwrap_or(u32::MAX) } else { 0 },
        receive_window: tcp.receive_window.unwrap_or(u32::MAX),
    }
}
