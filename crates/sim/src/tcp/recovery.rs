//! Loss recovery: decides *what* to send and reports loss events; the controller decides *how much*.
//!
//! A new recovery is a file in `recovery/` with what it says about itself (`ABOUT`) and its tests, and one line below.

pub mod duplicates;
pub mod table;

use super::flight::{FlightRecords, Sending};
use super::rtt::RttEstimator;
use super::timers::{Timer, Timers};
use crate::ack_details::{AckDetails, Echo, SackBlock};
use crate::scenario::TcpSpec;
pub use sack::{SackPipe, SackTimeout};
use sawtooth_cc::SentPacket;
use sawtooth_cc::units::{Span, Time};
use serde::{Deserialize, Serialize};
use table::recoveries;
pub use table::{About, Feedback, RecoveryInfo};

recoveries! {
    /// RFC 5681.
    cumulative "reno" reno::Reno(TcpSpec);
    /// RFC 6582.
    cumulative "newreno" newreno::NewReno(TcpSpec);
    /// RFC 2018 and RFC 6675.
    selective "sack" sack::Sack(TcpSpec);
    /// Fast retransmit without fast recovery.
    cumulative "tahoe" tahoe::Tahoe(TcpSpec);
    /// RFC 8985.
    reporting "rack" rack::Rack(TcpSpec);
    /// RFC 9002.
    numbered "quic" quic::Quic(TcpSpec);
}

/// Duplicate acknowledgements that trigger fast retransmit (RFC 5681 §3.2).
pub const DUPLICATE_ACKS: u32 = 3;

/// What the sender has sent, in packet numbers.
#[derive(Clone, Copy, Debug)]
pub struct SendState {
    /// First number not acknowledged.
    pub una: u32,
    /// Next number to send; behind `high` after a timeout without SACK.
    pub next: u32,
    /// One past the highest number ever sent.
    pub high: u32,
    /// One past the last number there is to send.
    pub limit: u32,
    /// Most packets the receiver takes beyond `una`.
    pub receive_window: u32,
}

impl SendState {
    /// May the packet `next` go as far as data and receiver are concerned?
    #[inline]
    pub fn may_send_next(&self) -> bool {
        self.next < self.limit && self.next - self.una < self.receive_window
    }

    /// Packets from `next` on that could go as far as data and receiver are concerned.
    #[inline]
    pub fn waiting(&self) -> u32 {
        let end = self.limit.min(self.una.saturating_add(self.receive_window));
        end.saturating_sub(self.next)
    }

    /// Send `next`; was it sent before?
    #[inline]
    pub fn advance(&mut self) -> Transmission {
        let number = self.next;
        self.next += 1;
        let again = number < self.high;
        self.high = self.high.max(self.next);
        Transmission { number, again }
    }
}

/// A packet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Its number.
    pub number: u32,
    /// Was it sent before?
    pub again: bool,
}

/// How a recovery repairs the loss that it has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossEvent {
    /// Packet by packet, with the window that the cut leaves.
    Repair,
    /// From the first hole on, in slow start from one packet.
    Restart,
    /// Not at all: a probe has repaired it (RFC 8985 §7.4.2).
    Repaired,
}

/// What an acknowledgement, or a timer of the recovery, changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecoveryUpdate {
    /// Packets acknowledged cumulatively for the first time; where packets are numbered, those that count for growth.
    pub newly_acked: u32,
    /// A loss event begins: the controller must cut.
    pub loss_event: Option<LossEvent>,
    /// Recovery ends with this acknowledgement.
    pub recovered: bool,
    /// So does what a timeout began, as far as the recovery tells the two apart.
    pub timeout_repaired: bool,
    /// The retransmission timer restarts.
    pub restart_timer: bool,
    /// The last congestion signal was spurious: nothing of that window of data had been lost.
    pub spurious: bool,
    /// Where packets are numbered, whose marks are the business of recovery: a mark asks for a reduction.
    pub marked: bool,
    /// Everything sent over a long time was lost (RFC 9002 §7.6).
    pub persistent: bool,
    /// The round-trip sample that recovery has taken; where packets are not numbered, the sender takes it.
    pub rtt: Option<Span>,
}

/// An acknowledgement as a recovery sees it.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement<'a> {
    /// The first packet that the receiver misses.
    pub cumulative: u32,
    /// What it holds beyond, newest first.
    pub blocks: &'a [SackBlock],
    /// All that it says besides its number, if anything.
    pub details: Option<&'a AckDetails>,
}

impl Acknowledgement<'_> {
    /// What has arrived once more (RFC 2883).
    pub fn duplicate(&self) -> Option<u32> {
        self.details.and_then(AckDetails::duplicate)
    }

    /// Which transmission has the timestamp that it echoes. Where it does not say, that is an original packet, the last that is acknowledged
    /// or one before it.
    pub fn echo(&self) -> Option<Echo> {
        let latest = || self.cumulative.checked_sub(1).map(|number| Echo { number, again: false });
        self.details.and_then(|details| details.echo(self.cumulative)).or_else(latest)
    }
}

/// A recovery's view of its connection, and what it reports. What it reports of single packets goes into their records, if there are
/// any; classic senders keep none, so these reports cost nothing. Timers are for a recovery that [keeps
/// records](LossRecovery::keeps_records).
#[derive(Debug)]
pub struct Connection<'a> {
    /// The present.
    pub now: Time,
    /// What has been sent; a recovery moves it on.
    pub sent: &'a mut SendState,
    /// Round-trip times.
    pub rtt: &'a mut RttEstimator,
    /// Records of the packets in flight.
    pub records: Option<&'a mut FlightRecords>,
    /// Timers that recovery may set.
    pub timers: Option<&'a mut Timers>,
    /// When the retransmission timer expires; `NEVER` when it is off.
    pub retransmit_at: Time,
}

impl Connection<'_> {
    /// The record of a packet that has been sent and was not acknowledged before.
    pub fn packet(&self, number: u32) -> Option<SentPacket> {
        self.records.as_ref()?.packet(number)
    }

    /// When this packet was last sent, and how often it has been.
    pub fn sending(&self, number: u32) -> Sending {
        let records = self.records.as_ref().expect("a recovery that goes by time keeps records");
        records.sending(number).expect("what has been sent and not been acknowledged has a record")
    }

    /// Is this transmission of a packet the last one, and in flight?
    #[inline]
    pub fn flies(&self, number: u32, times: u16) -> bool {
        self.records.as_ref().is_some_and(|records| records.flies(number, times))
    }

    /// This packet, declared lost, is in flight after all.
    pub fn regain(&mut self, number: u32) {
        if let Some(records) = &mut self.records {
            records.regain(number);
        }
    }

    /// This packet has arrived, as the receiver reports besides its cumulative acknowledgement. A repeated call has no effect.
    #[inline]
    pub fn deliver(&mut self, number: u32) {
        if let Some(records) = &mut self.records {
            records.deliver(number, self.now);
        }
    }

    /// This packet is declared lost.
    #[inline]
    pub fn lose(&mut self, number: u32) {
        if let Some(records) = &mut self.records {
            records.lose(number);
        }
    }

    /// Nobody asks for packets below this one again. Where packets are not numbered, the sender says so.
    pub fn forget_below(&mut self, number: u32) {
        if let Some(records) = &mut self.records {
            records.forget_below(number);
        }
    }

    /// Set a timer to expire at this time, or never; it replaces the earlier setting. See [`LossRecovery::on_timer`].
    pub fn set_timer(&mut self, timer: Timer, at: Time) {
        self.timers.as_mut().expect("a recovery that sets timers keeps records").set(timer, at);
    }

    /// When a timer of recovery that is set now and due then goes off.
    pub fn expiry(&self, due: Time) -> Time {
        let clock = self.timers.as_ref().map_or_else(Default::default, |timers| timers.clock);
        clock.short_expiry(self.now, due)
    }

    /// Everything in flight is declared lost.
    pub fn lose_all(&mut self) {
        if let Some(records) = &mut self.records {
            records.lose_all();
        }
    }
}

/// A loss recovery.
pub trait LossRecovery {
    /// An acknowledgement arrived.
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate;

    /// An acknowledgement of the oldest packet and nothing else, which was sent once and is in flight. If there is nothing to repair or to wait
    /// for, and nothing was overtaken: what [`LossRecovery::on_ack`] does then, and true. Otherwise nothing, and false.
    fn take_alone(&mut self, _oldest: Sending, _sent: &mut SendState, _now: Time) -> bool {
        false
    }

    /// [`LossRecovery::on_window`] after [`LossRecovery::take_alone`].
    fn on_window_alone(&mut self, _connection: &mut Connection<'_>) {}

    /// The retransmission timer expired.
    fn on_timeout(&mut self, connection: &mut Connection<'_>);

    /// A timer that it set has expired and is off now. The update acknowledges nothing.
    fn on_timer(&mut self, timer: Timer, _connection: &mut Connection<'_>) -> RecoveryUpdate {
        unreachable!("{timer:?} runs out, which this recovery never sets")
    }

    /// A packet was sent. Called where there are records only.
    fn on_sent(&mut self, _sending: Sending, _connection: &mut Connection<'_>) {}

    /// The same for new data of a recovery that [is open](LossRecovery::is_open), whose packets have no numbers of their own.
    fn on_sent_new(&mut self, sending: Sending, connection: &mut Connection<'_>) {
        self.on_sent(sending, connection);
    }

    /// What an acknowledgement or a timer brought about has been dealt with, and the controller allows this many packets in flight now.
    /// Called where [records are kept](LossRecovery::keeps_records) only.
    fn on_window(&mut self, _connection: &mut Connection<'_>, _window: u32) {}

    /// Does the controller answer marks by their number? Then they say nothing about losses, and the window goes on growing (RFC 8257 §3.5).
    fn count_marks(&mut self, _counts: bool) {}

    /// A mark has cut the window, outside of fast recovery. Called where there are records only.
    fn on_mark_cut(&mut self, _connection: &mut Connection<'_>) {}

    /// Is fast recovery in progress, or a cut that is spread like one, so that the window must not grow?
    fn in_recovery(&self) -> bool;

    /// Is there nothing to repair and nothing counted, as in the state that Linux calls Open? Then an acknowledgement of new data
    /// without blocks moves `una`, and the window alone decides what is sent next. The sender may do both without asking the recovery.
    fn is_open(&self) -> bool;

    /// Packets thought to be in flight.
    fn flight(&self, sent: &SendState) -> u32;

    /// The next packet to send with this many allowed in flight.
    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission>;

    /// Must there be a record of each packet in flight? Then it may set timers too.
    fn keeps_records(&self) -> bool {
        false
    }

    /// Has each transmission a number of its own, by which it is recorded and acknowledged? Then round trips, marks and the timer that
    /// takes the place of the retransmission timer are the business of recovery.
    fn numbers_packets(&self) -> bool {
        false
    }

    /// Packets sent to find out what became of others: tail loss probes (RFC 8985 §7.3), probes of a timeout (RFC 9002 §6.2.4).
    fn probes(&self) -> u64 {
        0
    }

    /// Prefetch what the next acknowledgement needs.
    #[inline(always)]
    fn prefetch(&self) {}
}

/// Move `una` up to `cumulative`; how many packets did it acknowledge?
#[inline(always)]
pub fn acknowledge(cumulative: u32, sent: &mut SendState) -> u32 {
    let newly_acked = cumulative - sent.una;
    sent.una = cumulative;
    sent.next = sent.next.max(cumulative);
    newly_acked
}
