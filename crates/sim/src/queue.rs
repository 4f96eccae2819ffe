//! Queue disciplines and the frame that counts for them.
//!
//! A discipline decides which packets wait and which go. Everything that is counted (arrivals, drops by
//! reason, marks, departures, delay) is counted here, so that no discipline can forget to. A discipline
//! knows no windows, rates or protocols.

pub mod droptail;

use crate::histogram::Histogram;
use crate::packet::{CE, ECT, Packet, PacketKind};
use crate::random::Stream;
use crate::scenario::QueueSpec;
use droptail::DropTail;
use sawtooth_cc::units::{Span, Time};
use serde::Serialize;

/// One parameter of a discipline, besides its buffer.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DisciplineParameter {
    /// Its key in a scenario.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What is accepted.
    pub accepted: &'static str,
    /// Where the default comes from.
    pub why: &'static str,
}

/// One row of the table of disciplines.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DisciplineInfo {
    /// Its name in data.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// What it does.
    pub summary: &'static str,
    /// The paper or RFC.
    pub source: &'static str,
    /// Its parameters besides the buffer, which every discipline has.
    pub parameters: &'static [DisciplineParameter],
}

/// Every discipline there is.
pub const DISCIPLINES: &[DisciplineInfo] = &[DisciplineInfo {
    name: "droptail",
    aliases: &["drop-tail", "fifo"],
    summary: "first in, first out; an arrival that does not fit is dropped",
    source: "Akella02 §4.1",
    parameters: &[],
}];

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum DropReason {
    /// The buffer was full.
    Full,
    /// The link's impairment hit it.
    Impairment,
}

/// How many reasons there are.
pub const DROP_REASONS: usize = 2;

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// The packet.
    pub packet: Packet,
    /// When it reached the queue.
    pub arrived: Time,
}

/// What is waiting or in transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What a discipline may see and do besides queueing.
pub struct QueueContext<'a> {
    /// The present.
    pub now: Time,
    /// What the transmitter holds; some buffer limits include it.
    pub in_transmission: Backlog,
    /// The queue's own random numbers.
    pub random: &'a mut Stream,
    tally: &'a mut Tally,
    dropped: &'a mut Vec<Packet>,
}

impl QueueContext<'_> {
    /// Discard a packet.
    pub fn drop(&mut self, packet: Packet, reason: DropReason) {
        self.tally.count_drop(&packet, reason);
        self.dropped.push(packet);
    }

    /// Set *congestion experienced* on an ECN-capable packet.
    pub fn mark(&mut self, packet: &mut Packet) {
        self.tally.count_mark(packet);
        packet.flags |= CE;
    }
}

/// A queue discipline.
pub trait QueueDiscipline {
    /// Take an arriving packet: keep it, or hand it (or another) to `context.drop`.
    fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>);

    /// The next packet to transmit.
    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued>;

    /// What is waiting.
    fn backlog(&self) -> Backlog;
}

/// Any discipline of the table; an enum, so that no virtual call stands on the path of a packet.
#[derive(Debug)]
pub enum AnyDiscipline {
    /// Drop-tail.
    DropTail(DropTail),
}

impl AnyDiscipline {
    /// An empty queue.
    pub fn new(spec: &QueueSpec) -> Self {
        match *spec {
            QueueSpec::DropTail { packets, bytes } => AnyDiscipline::DropTail(DropTail::new(packets, bytes)),
        }
    }
}

impl QueueDiscipline for AnyDiscipline {
    #[inline]
    fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>) {
        match self {
            AnyDiscipline::DropTail(queue) => queue.enqueue(arrival, context),
        }
    }

    #[inline]
    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        match self {
            AnyDiscipline::DropTail(queue) => queue.dequeue(context),
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        match self {
            AnyDiscipline::DropTail(queue) => queue.backlog(),
        }
    }
}

/// Counters of one queue over one stretch of time.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Packets offered.
    pub arrivals: u64,
    /// Packets dropped, by reason.
    pub drops: [u64; DROP_REASONS],
    /// Packets marked.
    pub marks: u64,
    /// Packets handed to the transmitter.
    pub forwarded: u64,
    /// Their bytes.
    pub forwarded_bytes: u64,
    /// Data packets of test flows offered, dropped, marked, forwarded.
    pub test_arrivals: u64,
    /// As above.
    pub test_drops: u64,
    /// As above.
    pub test_marks: u64,
    /// As above.
    pub test_forwarded: u64,
    /// Waiting time of all forwarded packets.
    pub delay: Span,
    /// Waiting time of forwarded test packets.
    pub test_delay: Span,
}

/// The frame's counters: what is measured, and what happened before measuring began.
#[derive(Debug, Default)]
pub struct Tally {
    /// Since the end of the warm-up.
    pub measured: Counters,
    /// Waiting times of test packets since the end of the warm-up.
    pub test_delays: Histogram,
    lifetime_arrivals: u64,
    lifetime_drops: u64,
    lifetime_forwarded: u64,
}

impl Tally {
    fn count_drop(&mut self, packet: &Packet, reason: DropReason) {
        self.measured.drops[reason as usize] += 1;
        self.measured.test_drops += u64::from(packet.is_test_data());
    }

    fn count_mark(&mut self, packet: &Packet) {
        assert!(packet.has(ECT), "only ECN-capable packets are marked");
        self.measured.marks += 1;
        self.measured.test_marks += u64::from(packet.is_test_data());
    }

    #[inline]
    fn count_departure(&mut self, departing: &Queued, now: Time) {
        let delay = now - departing.arrived;
        let measured = &mut self.measured;
        measured.forwarded += 1;
        measured.forwarded_bytes += u64::from(departing.packet.bytes);
        measured.delay += delay;
        if departing.packet.is_test_data() {
            measured.test_forwarded += 1;
            measured.test_delay += delay;
            self.test_delays.add(delay);
        }
    }

    /// Start measuring now.
    fn restart(&mut self) {
        self.lifetime_arrivals += self.measured.arrivals;
        self.lifetime_drops += self.measured.drops.iter().sum::<u64>();
        self.lifetime_forwarded += self.measured.forwarded;
        self.measured = Counters::default();
        self.test_delays = Histogram::default();
    }

    fn arrivals_ever(&self) -> u64 {
        self.lifetime_arrivals + self.measured.arrivals
    }

    fn drops_ever(&self) -> u64 {
        self.lifetime_drops + self.measured.drops.iter().sum::<u64>()
    }

    fn forwarded_ever(&self) -> u64 {
        self.lifetime_forwarded + self.measured.forwarded
    }
}

/// A discipline inside its frame.
#[derive(Debug)]
pub struct Queue {
    discipline: AnyDiscipline,
    random: Stream,
    tally: Tally,
}

impl Queue {
    /// An empty queue with its own random stream.
    pub fn new(spec: &QueueSpec, random: Stream) -> Self {
        Queue { discipline: AnyDiscipline::new(spec), random, tally: Tally::default() }
    }

    /// Count an arrival. Every packet that reaches the port passes here first.
    #[inline]
    pub fn count_arrival(&mut self, packet: &Packet) {
        self.tally.measured.arrivals += 1;
        self.tally.measured.test_arrivals += u64::from(packet.is_test_data());
    }

    /// Count a packet that the link's impairment discarded on arrival.
    pub fn count_impaired(&mut self, packet: &Packet) {
        self.tally.count_drop(packet, DropReason::Impairment);
    }

    /// Mark a packet on behalf of the link's impairment, if it is ECN-capable.
    pub fn mark_impaired(&mut self, packet: &mut Packet) {
        if packet.has(ECT) {
            self.tally.count_mark(packet);
            packet.flags |= CE;
        }
    }

    /// Offer a packet; what is discarded lands in `dropped`.
    #[inline]
    pub fn enqueue(
        &mut self,
        packet: Packet,
        now: Time,
        in_transmission: Backlog,
        dropped: &mut Vec<Packet>,
    ) {
        let mut context =
            QueueContext { now, in_transmission, random: &mut self.random, tally: &mut self.tally, dropped };
        self.discipline.enqueue(Queued { packet, arrived: now }, &mut context);
    }

    /// Take the next packet to transmit.
    #[inline]
    pub fn dequeue(&mut self, now: Time, dropped: &mut Vec<Packet>) -> Option<Packet> {
        let in_transmission = Backlog::default();
        let mut context =
            QueueContext { now, in_transmission, random: &mut self.random, tally: &mut self.tally, dropped };
        let departing = self.discipline.dequeue(&mut context)?;
        self.tally.count_departure(&departing, now);
        Some(departing.packet)
    }

    /// What is waiting.
    pub fn backlog(&self) -> Backlog {
        self.discipline.backlog()
    }

    /// Start measuring now.
    pub fn restart_counters(&mut self) {
        self.tally.restart();
    }

    /// The frame's counters.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Packets that came in, and what became of them, must agree.
    pub fn assert_conservation(&self, name: &str) {
        let accounted = self.tally.drops_ever() + self.tally.forwarded_ever() + self.backlog().packets;
        assert!(
            self.tally.arrivals_ever() == accounted,
            "queue {name}: {} packets arrived but {accounted} were dropped, forwarded or are waiting",
            self.tally.arrivals_ever(),
        );
    }

    /// Drops since the start of the run.
    pub fn drops_ever(&self) -> u64 {
        self.tally.drops_ever()
    }
}

/// SYN packets are spared by impairments: a scenario that drops "the third packet" means data.
pub fn is_impairable(packet: &Packet) -> bool {
    !matches!(packet.kind, PacketKind::Syn | PacketKind::SynAck)
}
