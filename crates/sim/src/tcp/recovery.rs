//! Loss recovery: decides *what* to send and reports loss events; the controller decides *how much*.
//!
//! A new recovery is a file in `recovery/` with what it says about itself (`ABOUT`) and its tests, and one line below.

pub mod duplicates;
pub mod table;

use super::flight::FlightRecords;
use super::rtt::RttEstimator;
use super::timers::{Timer, Timers};
use crate::ack_details::SackBlock;
use crate::scenario::TcpSpec;
pub use sack::{SackPipe, SackTimeout};
use sawtooth_cc::SentPacket;
use sawtooth_cc::units::Time;
use serde::{Deserialize, Serialize};
use table::recoveries;
pub use table::{About, RecoveryInfo};

recoveries! {
    /// RFC 5681.
    cumulative "reno" reno::Reno(TcpSpec);
    /// RFC 6582.
    cumulative "newreno" newreno::NewReno(TcpSpec);
    /// RFC 2018 and RFC 6675.
    selective "sack" sack::Sack(TcpSpec);
    /// Fast retransmit without fast recovery.
    cumulative "tahoe" tahoe::Tahoe(TcpSpec);
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
}

/// What an acknowledgement meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Packets acknowledged cumulatively for the first time.
    pub newly_acked: u32,
    /// A loss event begins: the controller must cut.
    pub loss_event: Option<LossEvent>,
    /// Recovery ends with this acknowledgement.
    pub recovered: bool,
    /// The retransmission timer starts afresh.
    pub restart_timer: bool,
    /// What the controller was last told about congestion was spurious: nothing of that window of data had been lost.
    pub spurious: bool,
}

/// An acknowledgement as a recovery sees it.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement<'a> {
    /// The first packet that the receiver misses.
    pub cumulative: u32,
    /// What it holds beyond, newest first.
    pub blocks: &'a [SackBlock],
}

/// What a recovery sees of its connection, and what it tells it. What it says of single packets goes into their records, if there are any;
/// classic senders keep none and pay nothing for being told. Timers are for a recovery that
/// [keeps records](LossRecovery::keeps_records).
#[derive(Debug)]
pub struct Connection<'a> {
    /// The present.
    pub now: Time,
    /// What has been sent; a recovery moves it on.
    pub sent: &'a mut SendState,
    /// Round-trip times.
    pub rtt: &'a RttEstimator,
    /// Records of the packets in flight.
    pub records: Option<&'a mut FlightRecords>,
    /// Timers that recovery may set.
    pub timers: Option<&'a mut Timers>,
}

impl Connection<'_> {
    /// The record of a packet that has been sent and was not acknowledged before.
    pub fn packet(&self, number: u32) -> Option<SentPacket> {
        self.records.as_ref()?.packet(number)
    }

    /// This packet has arrived, as the receiver says beside its cumulative acknowledgement. Once is enough, but twice does no harm.
    #[inline]
    pub fn deliver(&mut self, number: u32) {
        if let Some(records) = &mut self.records {
            records.deliver(number, self.now);
        }
    }

    /// This packet is called lost.
    #[inline]
    pub fn lose(&mut self, number: u32) {
        if let Some(records) = &mut self.records {
            records.lose(number);
        }
    }

    /// Have a timer run out then, or never, in place of what it said before: [`LossRecovery::on_timer`].
    pub fn set_timer(&mut self, timer: Timer, at: Time) {
        self.timers.as_mut().expect("a recovery that sets timers keeps records").set(timer, at);
    }

    /// Everything in flight is called lost.
    pub fn lose_all(&mut self) {
        if let Some(records) = &mut self.records {
            records.lose_all();
        }
    }
}

/// A loss recovery.
pub trait LossRecovery {
    /// An acknowledgement arrived.
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> Verdict;

    /// The retransmission timer ran out.
    fn on_timeout(&mut self, connection: &mut Connection<'_>);

    /// A timer that it set has run out, and is off now. The verdict acknowledges nothing.
    fn on_timer(&mut self, timer: Timer, _connection: &mut Connection<'_>) -> Verdict {
        unreachable!("{timer:?} runs out, which this recovery never sets")
    }

    /// A packet was sent. Called where there are records only.
    fn on_sent(&mut self, _number: u32, _connection: &mut Connection<'_>) {}

    /// Is fast recovery under way, so that the window must not grow?
    fn in_recovery(&self) -> bool;

    /// Is there nothing to repair and nothing counted, as in the state that Linux calls Open? Then an acknowledgement of new data without blocks moves
    /// `una` and the window alone decides what goes next; the sender may do both without asking.
    fn is_open(&self) -> bool;

    /// Packets thought to be in flight.
    fn flight(&self, sent: &SendState) -> u32;

    /// The next packet to send with this many allowed in flight.
    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission>;

    /// Must there be a record of each packet in flight? Then it may set timers too.
    fn keeps_records(&self) -> bool {
        false
    }

    /// Have what the next acknowledgement needs brought into the cache.
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
