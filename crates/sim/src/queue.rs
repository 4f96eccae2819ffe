//! Queue disciplines and the frame that counts for them.
//!
//! A discipline of a first-in first-out queue decides on arrival which packets may wait, from what waits and
//! what is in transmission; the port holds them. One that schedules lets all of them in, holds them itself and drops what is too
//! much ([`scheduler`]). Everything that is counted (arrivals, drops by reason, marks, departures, delay) is
//! counted here, so that no discipline can forget to. A discipline knows no windows, protocols, and of its link only
//! how fast it empties the queue.

pub mod droptail;
pub mod drr;
pub mod limit;
pub mod red;
pub mod rio;
pub mod scheduler;

use crate::histogram::Histogram;
use crate::packet::{ECT, IN_PROFILE, Packet, PacketKind};
use crate::random::Stream;
use crate::scenario::QueueSpec;
use droptail::DropTail;
use limit::Limit;
use red::Red;
use rio::Rio;
use sawtooth_cc::units::{Rate, Span, Time};
use scheduler::{AnyScheduler, Queued, Scheduler, SchedulerContext};
use serde::Serialize;

/// One parameter of a discipline, besides its buffer. Its default is that of the [`QueueSpec`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DisciplineParameter {
    /// Its key in a scenario.
    pub name: &'static str,
    /// `real`, `size` (in bytes), `flag` or `choice`.
    pub kind: &'static str,
    /// The words of a choice.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub choices: &'static [&'static str],
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
    /// Its behaviour number, which goes up with every change that moves a result (see `identity`).
    pub behaviour: u32,
    /// Its parameters besides the buffer, which every discipline has.
    pub parameters: &'static [DisciplineParameter],
}

/// Every discipline there is.
pub const DISCIPLINES: &[DisciplineInfo] = &[
    DisciplineInfo {
        name: "droptail",
        aliases: &["drop-tail", "fifo"],
        summary: "first in, first out; an arrival that does not fit is dropped",
        source: "Akella02 §4.1",
        behaviour: 1,
        parameters: &[],
    },
    DisciplineInfo {
        name: "drr",
        aliases: &[],
        summary: "a queue per flow, served in turn; a full buffer drops from the head of the longest",
        source: "ShreedharVarghese96",
        behaviour: 1,
        parameters: &[DisciplineParameter {
            name: "quantum",
            kind: "size",
            choices: &[],
            unit: "bytes",
            accepted: "1 B to 1 MB",
            why: "one packet of the usual size",
        }],
    },
    DisciplineInfo {
        name: "red",
        aliases: &[],
        summary: "random early detection on the average queue; with ecn it marks what is ECN-capable below max",
        source: "FloydJacobson93; RFC 3168",
        behaviour: 1,
        parameters: red::PARAMETERS,
    },
    DisciplineInfo {
        name: "rio",
        aliases: &[],
        summary: "in-profile packets are spared; the others see RED or drop-tail on the whole queue",
        source: "ClarkFang98",
        behaviour: 1,
        parameters: rio::PARAMETERS,
    },
];

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum DropReason {
    /// The buffer was full.
    Full,
    /// The link's impairment hit it.
    Impairment,
    /// At random, although there was room.
    Early,
    /// The average was beyond what the discipline stands.
    Forced,
}

/// How many reasons there are.
pub const DROP_REASONS: usize = 4;

/// What is waiting or in transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What a discipline may see besides the packet that arrives.
#[derive(Clone, Copy, Debug)]
pub struct QueueContext {
    /// The present.
    pub now: Time,
    /// What waits.
    pub waiting: Backlog,
    /// What the transmitter holds; some buffer limits include it.
    pub in_transmission: Backlog,
    /// Since when there has been nothing to send; `NEVER` if there is something.
    pub idle_since: Time,
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It waits its turn.
    Wait,
    /// It waits its turn and says that it has met congestion; only for ECN-capable packets.
    Mark,
    /// It is discarded.
    Drop(DropReason),
}

/// A queue discipline that is first in, first out.
pub trait QueueDiscipline {
    /// May this packet wait? `random` are the queue's own random numbers.
    fn admit(&mut self, arrival: Packet, context: &QueueContext, random: &mut Stream) -> Admission;
}

/// Any discipline of the table; an enum, so that no virtual call stands on the path of a packet.
#[derive(Debug)]
pub enum AnyDiscipline {
    /// Drop-tail.
    DropTail(DropTail),
    /// One that schedules: it holds what arrives, whatever it is.
    Scheduling,
    /// Random early detection.
    Red(Box<Red>),
    /// RIO.
    Rio(Box<Rio>),
}

impl AnyDiscipline {
    /// A discipline that has seen no packet, before a link that sends at this rate, or at this mean rate.
    pub fn new(spec: &QueueSpec, rate: Rate) -> Self {
        match spec {
            QueueSpec::DropTail { packets, bytes } => {
                AnyDiscipline::DropTail(DropTail::new(Limit::new(*packets, *bytes)))
            }
            QueueSpec::Drr { .. } => AnyDiscipline::Scheduling,
            QueueSpec::Red(spec) => AnyDiscipline::Red(Box::new(Red::new(spec, rate))),
            QueueSpec::Rio(spec) => AnyDiscipline::Rio(Box::new(Rio::new(spec, rate))),
        }
    }

    /// What is more than a comparison stays out of the way of drop-tail.
    #[inline(never)]
    fn admit_by_rule(&mut self, arrival: Packet, context: QueueContext, random: &mut Stream) -> Admission {
        let context = &context; // a copy: so the caller's need not be in memory
        match self {
            AnyDiscipline::DropTail(queue) => queue.admit(arrival, context, random),
            AnyDiscipline::Scheduling => Admission::Wait,
            AnyDiscipline::Red(queue) => queue.admit(arrival, context, random),
            AnyDiscipline::Rio(queue) => queue.admit(arrival, context, random),
        }
    }

    /// Must this packet neither be dropped nor marked here?
    fn spares(&self, packet: Packet) -> bool {
        matches!(self, AnyDiscipline::Rio(_)) && packet.has(IN_PROFILE)
    }
}

impl QueueDiscipline for AnyDiscipline {
    #[inline(always)]
    fn admit(&mut self, arrival: Packet, context: &QueueContext, random: &mut Stream) -> Admission {
        match self {
            AnyDiscipline::DropTail(queue) => queue.admit(arrival, context, random),
            other => other.admit_by_rule(arrival, *context, random),
        }
    }
}

/// Counters of one queue over the measured time.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// Runs of drops of test data: a drop goes on with the last one if no packet of test data came in between that was spared.
    pub test_drop_runs: u64,
    /// `test_arrivals` at the last drop of test data.
    test_last_drop: u64,
    /// Packets in profile forwarded that are no test packets.
    pub in_profile_forwarded: u64,
    /// Their bytes.
    pub in_profile_forwarded_bytes: u64,
    /// Waiting time of all forwarded packets.
    pub delay: Span,
    /// Waiting time of forwarded test packets.
    pub test_delay: Span,
}

impl Counters {
    fn count_drop(&mut self, packet: Packet, reason: DropReason) {
        self.drops[reason as usize] += 1;
        if packet.is_test_data() {
            self.test_drops += 1;
            let goes_on = self.test_drop_runs > 0 && self.test_arrivals <= self.test_last_drop + 1;
            self.test_drop_runs += u64::from(!goes_on);
            self.test_last_drop = self.test_arrivals;
        }
    }

    fn count_mark(&mut self, packet: Packet) {
        assert!(packet.has(ECT), "only ECN-capable packets are marked");
        self.marks += 1;
        self.test_marks += u64::from(packet.is_test_data());
    }

    fn dropped(&self) -> u64 {
        self.drops.iter().sum()
    }
}

/// The frame's counters.
#[derive(Debug, Default)]
pub struct Tally {
    /// Over the measured time.
    pub measured: Counters,
    /// Waiting times of test packets over the measured time.
    pub test_delays: Histogram,
    earlier_arrivals: u64,
    earlier_drops: u64,
    earlier_departures: u64,
}

/// A discipline inside its frame.
#[derive(Debug)]
pub struct Queue {
    discipline: AnyDiscipline,
    random: Stream,
    tally: Tally,
    /// Holds the packets where the transmitter does not.
    scheduler: AnyScheduler,
    /// What the scheduler dropped and the network has not let go of yet.
    dropped: Vec<Packet>,
}

impl Queue {
    /// A queue that has seen no packet, before a link of this (mean) rate, with its own random stream.
    pub fn new(spec: &QueueSpec, rate: Rate, random: Stream) -> Self {
        Queue {
            discipline: AnyDiscipline::new(spec, rate),
            random,
            tally: Tally::default(),
            scheduler: AnyScheduler::new(spec),
            dropped: Vec::new(),
        }
    }

    #[inline(always)]
    fn count_arrival(&mut self, packet: Packet) {
        self.tally.measured.arrivals += 1;
        self.tally.measured.test_arrivals += u64::from(packet.is_test_data());
    }

    /// Count a packet that the link's impairment discarded on arrival.
    pub fn count_impaired(&mut self, packet: Packet) {
        self.count_arrival(packet);
        self.tally.measured.count_drop(packet, DropReason::Impairment);
    }

    /// Mark a packet on behalf of the link's impairment, if it is ECN-capable.
    pub fn mark_impaired(&mut self, packet: Packet) -> Packet {
        if !packet.has(ECT) {
            return packet;
        }
        self.tally.measured.count_mark(packet);
        packet.marked()
    }

    /// Offer a packet that arrives: what becomes of it is counted here and done by the caller.
    #[inline(always)]
    pub fn offer(&mut self, packet: Packet, context: &QueueContext) -> Admission {
        self.count_arrival(packet);
        let admission = self.discipline.admit(packet, context, &mut self.random);
        if admission != Admission::Wait {
            self.count_signal(packet, admission);
        }
        admission
    }

    #[cold]
    fn count_signal(&mut self, packet: Packet, admission: Admission) {
        assert!(!self.discipline.spares(packet), "in-profile packets are neither dropped nor marked");
        match admission {
            Admission::Wait => {}
            Admission::Mark => self.tally.measured.count_mark(packet),
            Admission::Drop(reason) => self.tally.measured.count_drop(packet, reason),
        }
    }

    /// Hold a packet that was let in until [`Queue::dequeue`] gives it out.
    pub fn enqueue(&mut self, arrival: Queued) {
        let mut context = SchedulerContext { tally: &mut self.tally, dropped: &mut self.dropped };
        self.scheduler.enqueue(arrival, &mut context);
    }

    /// The packet that goes now, if any is held.
    pub fn dequeue(&mut self) -> Option<Queued> {
        let mut context = SchedulerContext { tally: &mut self.tally, dropped: &mut self.dropped };
        self.scheduler.dequeue(&mut context)
    }

    /// What is held.
    pub fn held(&self) -> Backlog {
        self.scheduler.backlog()
    }

    /// A packet that the scheduler dropped, each once.
    pub fn next_dropped(&mut self) -> Option<Packet> {
        self.dropped.pop()
    }

    /// Count a packet whose transmission begins after this delay, within the measured time or before it.
    #[inline(always)]
    pub fn count_departure(&mut self, packet: Packet, delay: Span, measured: bool) {
        if !measured {
            self.tally.earlier_departures += 1;
            return;
        }
        let counters = &mut self.tally.measured;
        counters.forwarded += 1;
        counters.forwarded_bytes += u64::from(packet.bytes());
        counters.delay += delay;
        if packet.is_test_data() {
            counters.test_forwarded += 1;
            counters.test_delay += delay;
            self.tally.test_delays.add(delay);
        } else if packet.has(IN_PROFILE) {
            counters.in_profile_forwarded += 1;
            counters.in_profile_forwarded_bytes += u64::from(packet.bytes());
        }
    }

    /// Arrivals are measured from now on. Departures are known ahead of time and say for themselves whether they are.
    pub fn measure_arrivals(&mut self) {
        let earlier = std::mem::take(&mut self.tally.measured);
        self.tally.measured = Counters {
            forwarded: earlier.forwarded,
            forwarded_bytes: earlier.forwarded_bytes,
            in_profile_forwarded: earlier.in_profile_forwarded,
            in_profile_forwarded_bytes: earlier.in_profile_forwarded_bytes,
            test_forwarded: earlier.test_forwarded,
            delay: earlier.delay,
            test_delay: earlier.test_delay,
            ..Counters::default()
        };
        self.tally.earlier_arrivals += earlier.arrivals;
        self.tally.earlier_drops += earlier.dropped();
    }

    /// The frame's counters.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Packets that came in, and what became of them, must agree, with so many still waiting.
    pub fn assert_conservation(&self, name: &str, waiting: u64) {
        let Tally { measured, earlier_arrivals, earlier_drops, earlier_departures, .. } = &self.tally;
        let arrived = measured.arrivals + earlier_arrivals;
        let dropped = measured.dropped() + earlier_drops;
        let forwarded = measured.forwarded + earlier_departures;
        assert!(
            arrived == dropped + forwarded + waiting,
            "queue {name}: {arrived} packets arrived but {dropped} were dropped, {forwarded} forwarded and {waiting} are waiting",
        );
    }
}

/// SYN packets are spared by impairments: a scenario that drops "the third packet" means data.
pub fn is_impairable(packet: Packet) -> bool {
    !matches!(packet.kind(), PacketKind::Syn | PacketKind::SynAck)
}
