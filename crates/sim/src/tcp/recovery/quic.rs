//! QUIC: each transmission has a number of its own, and acknowledgements speak of these.
//!
//! Source: RFC 9002 §6, §7.6, appendices A and B; RFC 9000 §13.2, §13.3. What is lost is found by numbers and by time
//! (`quic/packets.rs`), a probe timeout takes the place of the retransmission timer, and a recovery period reduces the window once
//! (`quic/period.rs`). Data of lost packets goes again in new packets (`quic/data.rs`).
//!
//! | parameter           | unit    | default | why                                                                       |
//! |---------------------|---------|---------|---------------------------------------------------------------------------|
//! | delayed_ack         | flag    | true    | RFC 9000 §13.2.2: an acknowledgement for at least every second packet     |
//! | delayed_ack_timeout | ns      | 25 ms   | RFC 9000 §18.2: `max_ack_delay`                                           |
//! | initial_rto         | ns      | 1 s     | §6.2.2: before a sample, three times the initial round trip of 333 ms     |
//! | max_rto             | ns      | 60 s    | the longest probe timeout; RFC 9002 has the idle timeout of the connection instead |
//! | probes              | packets | 2       | §6.2.4 allows one or two; the second may survive the first                |
//! | least window        | packets | 2       | §7.2: whatever the law leaves, two packets may be in flight               |
//! | G                   | ns      | 1 ms    | §6.1.2: kGranularity                                                      |
//!
//! A probe carries lost data, then new data, then what is in flight, oldest first. A recovery is spurious if each packet that was called
//! lost in it is acknowledged after all, and none of its acknowledgements has reported a mark: the reduction is withdrawn then. RFC 9002
//! leaves both to implementations.
//!
//! A controller that counts marks (DCTCP, Prague) cuts once in a window of data for them, as over TCP. Its marks begin no recovery period:
//! it goes on growing (draft-briscoe-iccrg-prague §2.4.3), and answers a loss also after a mark (RFC 8257 §3.5).
//!
//! Differs from RFC 9002: one number space and a SYN exchange instead of a handshake. The thresholds stay as they are, whatever turns out
//! to have been reordering. When all data has been acknowledged no probe goes after copies that have not been.

mod data;
mod packets;
mod period;

use super::{
    About, Acknowledgement, Connection, LossEvent, LossRecovery, RecoveryUpdate, SendState, Transmission,
};
use crate::ack_details::AckDetails;
use crate::scenario::TcpSpec;
use crate::tcp::flight::Sending;
use crate::tcp::timers::Timer;
use data::Data;
use packets::{Losses, Packets};
use period::Period;
use sawtooth_cc::units::{Span, Time};

/// What it says about itself.
pub const ABOUT: About = About {
    aliases: &["rfc9002"],
    title: "QUIC",
    summary: "packet numbers that are never reused, losses by number and by time, probes instead of timeouts",
    source: "RFC 9002; RFC 9000 §13",
    behaviour: 2, // 1 kept windows that were not used
    own_settings: &[],
    ignores: &["min_rto", "limited_transmit", "timeout_threshold", "rto", "rtt_samples"],
    defaults: &[("delayed_ack", "true"), ("delayed_ack_timeout", "25 ms"), ("idle", "rfc7661")],
};

/// Least time threshold (kGranularity, RFC 9002 §6.1.2).
const GRANULARITY: Span = Span::from_millis(1);
/// Packets sent when a probe timeout expires (RFC 9002 §6.2.4).
const PROBES: u32 = 2;
/// Packets that may be in flight at least (kMinimumWindow, RFC 9002 §7.2).
const WINDOW_MIN: u32 = 2;
/// kPersistentCongestionThreshold of RFC 9002 §7.6.1.
const PERSISTENT_CONGESTION: u64 = 3;
/// What is known of a lost packet is forgotten so many probe timeouts after it was sent; RFC 9000 §13.3 suggests one after the loss.
const REMEMBERED: u64 = 4;

/// QUIC's loss recovery.
#[derive(Clone, Debug)]
pub struct Quic {
    max_ack_delay: Span,
    /// Longest probe timeout.
    max_timeout: Span,
    packets: Packets,
    data: Data,
    period: Period,
    /// Marked packets that the receiver has counted.
    ce_counted: u32,
    /// The controller counts marks: they begin no recovery period, which would stop its growth and hide losses.
    counts_marks: bool,
    /// Packets from here on were sent after its last cut for marks.
    cut_for_marks: u32,
    latest_rtt: Span,
    /// `min_rtt`, which begins anew after persistent congestion.
    least_rtt: Option<Span>,
    last_sent: Time,
    /// When the next packet is lost unless it has been acknowledged by then (`loss_time`).
    lost_at: Option<Time>,
    /// `pto_count`
    expirations: u32,
    /// Probes that are still to be sent.
    probes: u32,
    /// Those sent so far.
    probed: u64,
    /// Packets are in flight and no timer runs, because all data has been acknowledged.
    unwatched: bool,
    /// The first lost packet goes, whatever is in flight.
    forced: bool,
}

/// What an acknowledgement says for the first time.
#[derive(Debug, Default)]
struct News {
    /// The highest packet number.
    largest: Option<u32>,
    /// Packets sent after the last reduction that were in flight.
    counted: u32,
    spurious: bool,
}

impl Quic {
    /// Nothing sent yet.
    pub fn new(tcp: &TcpSpec) -> Self {
        Quic {
            max_ack_delay: tcp.max_ack_delay(),
            max_timeout: Span::from_nanos(tcp.max_rto_ns),
            packets: Packets::default(),
            data: Data::default(),
            period: Period::default(),
            ce_counted: 0,
            counts_marks: false,
            cut_for_marks: 0,
            latest_rtt: Span::ZERO,
            least_rtt: None,
            last_sent: Time::ZERO,
            lost_at: None,
            expirations: 0,
            probes: 0,
            probed: 0,
            unwatched: false,
            forced: false,
        }
    }

    /// `DetectAndRemoveAckedPackets` (A.7).
    fn take_in(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> News {
        let Quic { packets, data, period, .. } = self;
        let mut news = News::default();
        packets.acknowledge(ack.blocks, connection, |packet| {
            news.largest = news.largest.max(Some(packet.number));
            data.acknowledge(packet.carries);
            if packet.was_lost {
                news.spurious |= period.on_late(packet.number);
            } else {
                news.counted += u32::from(period.is_after(packet.number));
            }
        });
        news
    }

    /// `UpdateRtt` (A.7): the largest packet acknowledged gives a sample, if it is acknowledged for the first time.
    fn measure(&mut self, number: u32, delay: Span, connection: &mut Connection<'_>) -> Span {
        let latest = connection.now - connection.sending(number).at;
        let least = self.least_rtt.or(connection.rtt.minimum()).map_or(latest, |least| least.min(latest));
        let delay = delay.min(self.max_ack_delay);
        let waited = if latest >= least + delay { delay.nanos() } else { 0 };
        let adjusted = Span::from_nanos(latest.nanos() - waited);
        connection.rtt.note(latest);
        connection.rtt.sample(adjusted, connection.now);
        (self.latest_rtt, self.least_rtt) = (latest, Some(least));
        adjusted
    }

    /// `ProcessECN` (B.7). Marks that are told for the first time begin a recovery period, if none is in progress, and ask for a reduction.
    /// Beside a controller that counts them they only take growth from their acknowledgement, and ask once in a window of data.
    fn heed_marks(&mut self, details: Option<&AckDetails>, newest: u32, update: &mut RecoveryUpdate) {
        let counted = details.map_or(0, |details| details.ce_packets);
        if counted <= self.ce_counted {
            return;
        }
        self.ce_counted = counted;
        self.period.on_mark();
        update.marked = self.period.is_after(newest);
        if self.counts_marks {
            update.marked &= newest >= self.cut_for_marks;
            update.newly_acked = 0;
        } else if update.marked {
            self.period.begin(self.packets.next_number());
            self.period.on_mark();
            update.newly_acked = 0;
        }
    }

    /// `DetectAndRemoveLostPackets` and `OnPacketsLost` (A.10, B.8).
    fn lose(&mut self, connection: &mut Connection<'_>, update: &mut RecoveryUpdate) {
        let smoothed = connection.rtt.srtt().unwrap_or(Span::ZERO);
        let round_trip = self.latest_rtt.max(smoothed).nanos();
        let threshold = Span::from_nanos(round_trip + round_trip / 8).max(GRANULARITY);
        let Quic { packets, data, .. } = self;
        let Losses { newest, until, span } =
            packets.detect(threshold, connection, |lost| data.lose(lost.carries, lost.number));
        self.lost_at = until;
        let Some((first, newest)) = newest else { return };
        if self.period.is_after(newest) {
            self.period.begin(packets.next_number());
            self.forced = true;
            update.loss_event = Some(LossEvent::Repair);
            update.newly_acked = 0;
        }
        self.period.on_lost(first..=newest, &self.packets);
        let duration = PERSISTENT_CONGESTION * self.timeout(connection).nanos();
        if span > Span::from_nanos(duration) {
            self.packets.end_run();
            self.period.forget_reduction();
            self.least_rtt = Some(self.latest_rtt);
            update.persistent = true;
        }
    }

    /// `PTO` of §6.2.1, without back-off.
    fn timeout(&self, connection: &Connection<'_>) -> Span {
        connection.rtt.probe_timeout() + self.max_ack_delay
    }

    /// `SetLossDetectionTimer` (A.8).
    fn arm(&mut self, connection: &mut Connection<'_>) {
        connection.set_timer(Timer::Reordering, self.lost_at.unwrap_or(Time::NEVER));
        let flies = self.packets.in_flight() > 0 && self.lost_at.is_none();
        self.unwatched = flies && connection.sent.una == connection.sent.limit;
        let at = if flies && !self.unwatched {
            let timeout = self.timeout(connection).nanos();
            let doubled = timeout.saturating_mul(1 << self.expirations.min(32));
            let bounded = Span::from_nanos(doubled).min(self.max_timeout);
            (self.last_sent + bounded).max(connection.now)
        } else {
            Time::NEVER
        };
        connection.set_timer(Timer::Probe, at);
    }

    /// What a probe carries (§6.2.4).
    fn next_probe(&mut self, sent: &mut SendState) -> Option<Transmission> {
        if let Some(number) = self.data.next_lost() {
            return Some(Transmission { number, again: true });
        }
        if sent.may_send_next() {
            return Some(sent.advance());
        }
        self.data.next_in_flight(sent.high).map(|number| Transmission { number, again: true })
    }
}

impl LossRecovery for Quic {
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let News { largest, counted, spurious } = self.take_in(ack, connection);
        let (Some(largest), Some(newest)) = (largest, ack.blocks.first()) else {
            return RecoveryUpdate::default();
        };
        let mut update = RecoveryUpdate { newly_acked: counted, spurious, ..RecoveryUpdate::default() };
        if largest + 1 == newest.end {
            let delay = ack.details.map_or(Span::ZERO, AckDetails::delay);
            update.rtt = Some(self.measure(largest, delay, connection));
        }
        let una = self.data.una();
        update.restart_timer = una > connection.sent.una;
        connection.sent.una = una;
        update.recovered = self.period.on_acknowledged(largest, spurious);
        self.heed_marks(ack.details, newest.end - 1, &mut update);
        self.lose(connection, &mut update);
        self.expirations = 0;
        self.arm(connection);
        update
    }

    fn on_timeout(&mut self, _connection: &mut Connection<'_>) {
        unreachable!("no retransmission timer runs where a probe timeout does");
    }

    fn on_timer(&mut self, timer: Timer, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let mut update = RecoveryUpdate::default();
        match timer {
            Timer::Reordering => self.lose(connection, &mut update),
            Timer::Probe => {
                self.expirations += 1;
                self.probes = PROBES;
                self.data.begin_probing();
            }
        }
        self.arm(connection);
        update
    }

    fn on_sent(&mut self, sending: Sending, connection: &mut Connection<'_>) {
        let number = sending.number;
        let packet = self.packets.on_sent(number, connection.rtt.srtt().is_some());
        self.data.on_sent(number, packet);
        self.last_sent = connection.now;
        self.arm(connection);
    }

    fn on_window(&mut self, connection: &mut Connection<'_>, _window: u32) {
        let remembered = Span::from_nanos(REMEMBERED * self.timeout(connection).nanos());
        let Quic { packets, period, .. } = self;
        packets.forget(remembered, connection, |lost| period.on_forgotten(lost));
    }

    fn count_marks(&mut self, counts: bool) {
        self.counts_marks = counts;
    }

    fn on_mark_cut(&mut self, _connection: &mut Connection<'_>) {
        self.cut_for_marks = self.packets.next_number();
    }

    fn in_recovery(&self) -> bool {
        self.period.in_progress()
    }

    fn is_open(&self) -> bool {
        !self.period.in_progress() && self.probes == 0 && self.data.lost() == 0
    }

    fn flight(&self, _sent: &SendState) -> u32 {
        self.packets.in_flight()
    }

    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission> {
        if self.probes > 0 {
            self.probes -= 1;
            if let Some(transmission) = self.next_probe(connection.sent) {
                self.probed += 1;
                return Some(transmission);
            }
            self.probes = 0;
        }
        let lost = self.data.next_lost();
        let forced = std::mem::take(&mut self.forced) && lost.is_some();
        if !forced && self.packets.in_flight() >= window.max(WINDOW_MIN) {
            if self.unwatched {
                self.arm(connection);
            }
            return None;
        }
        if let Some(number) = lost {
            return Some(Transmission { number, again: true });
        }
        let sent = &mut *connection.sent;
        sent.may_send_next().then(|| sent.advance())
    }

    fn keeps_records(&self) -> bool {
        true
    }

    fn numbers_packets(&self) -> bool {
        true
    }

    fn probes(&self) -> u64 {
        self.probed
    }
}
