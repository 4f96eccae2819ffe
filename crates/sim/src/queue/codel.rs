//! CoDel: packets are dropped or marked at the head of the queue while it has been standing for longer than a round trip.
//!
//! Source: RFC 8289; the control law is in [`law`], which says what it does and where it differs.
//!
//! | parameter         | unit    | default | why                                                                            |
//! |-------------------|---------|---------|--------------------------------------------------------------------------------|
//! | packets           | packets | given   | a limit in packets, or                                                         |
//! | bytes             | bytes   | given   | a limit in bytes; neither counts the packet in transmission, which is no more held |
//! | target            | time    | 5 ms    | RFC 8289 §4.3: 5 % of the interval                                             |
//! | interval          | time    | 100 ms  | RFC 8289 §4.2: a round trip of most connections of the Internet                |
//! | ecn               | flag    | false   | RFC 8289 drops; marks as in RFC 8290 §5.2.6 and Linux                          |
//! | ce_threshold      | time    | none    | RFC 8290 §5.2.7                                                                |
//! | variant           | choice  | rfc8289 | `ns-3` for comparisons with that simulator, see [`law`]                        |
//! | root              | choice  | exact   | RFC 8289 §5; `newton`, Linux and ns-3: how 1/√n is found                       |
//!
//! An arrival that does not fit is dropped, which the law does not count. Linux's default buffer, 1,000 packets, is that of
//! scenarios that give none.

pub mod law;

use super::fifo::Line;
use super::limit::Limit;
use super::{
    Backlog, DisciplineInfo, DisciplineParameter, DisciplineSpec, DisciplineState, DropReason, Marking,
    Owner, QueueContext, QueueDiscipline, Queued, Rate, SUBQUEUES_MAX, ScenarioError, Span, require,
};
use crate::packet::Packet;
use law::{Held, Params, Root, State, Variant};
use sawtooth_cc::units::Time;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "drops or marks at the head while packets have waited longer than the target for an interval",
    source: "RFC 8289",
    buffer: "1000 packets",
    drops_at_departure: true,
    has_state: true,
    marking: Marking::WithEcnOrThreshold,
    parameters: PARAMETERS,
    ..DisciplineInfo::BLANK
};

/// Times that are accepted.
pub const SPAN_ACCEPTED: &str = "1 us to 1 day";
const SPAN_MIN: u64 = 1_000;
const SPAN_MAX: u64 = 86_400 * 1_000_000_000;

/// Check that a time of a discipline is in the range of [`SPAN_ACCEPTED`].
pub fn check_span(path: &str, name: &str, nanos: u64) -> Result<(), ScenarioError> {
    require((SPAN_MIN..=SPAN_MAX).contains(&nanos), format!("{path}.{name}"), nanos, SPAN_ACCEPTED)
}

/// The parameter `target`.
pub const TARGET: DisciplineParameter = DisciplineParameter::span(
    "target",
    SPAN_ACCEPTED,
    "Waiting time that a standing queue may have. Default: RFC 8289 §4.3",
);

/// The parameter `interval`.
pub const INTERVAL: DisciplineParameter = DisciplineParameter::span(
    "interval",
    SPAN_ACCEPTED,
    "Time for which packets must wait longer than the target before the first drop, and time from the first drop to the second. \
     Default: RFC 8289 §4.2",
);

const ECN: DisciplineParameter = DisciplineParameter::new(
    "ecn",
    "flag",
    "",
    "true or false",
    "ECN-capable packets are marked instead of dropped. Default: RFC 8289, which drops",
)
.of_marks();

/// The parameter `ce_threshold`.
pub const CE_THRESHOLD: DisciplineParameter = DisciplineParameter::span(
    "ce_threshold",
    SPAN_ACCEPTED,
    "Waiting time beyond which every ECN-capable packet is marked. Default: RFC 8290 §5.2.7, none",
)
.of_marks()
.optional();

/// The parameter `variant`.
pub const VARIANT: DisciplineParameter = DisciplineParameter::choice(
    "variant",
    &["rfc8289", "ns-3"],
    "Whose details: ns-3 counts from a mark and not from when it was due, and acts while one packet of 1500 B is left. \
     Default: RFC 8289",
);

/// The parameter `root`.
pub const ROOT: DisciplineParameter = DisciplineParameter::choice(
    "root",
    &["exact", "newton"],
    "How 1/√n of the n-th drop is found: exactly, or by one step of Newton's method for each drop, as in Linux and ns-3. \
     Default: RFC 8289 §5",
)
.later();

/// What can be set besides the buffer.
const PARAMETERS: &[DisciplineParameter] = &[TARGET, INTERVAL, ECN, CE_THRESHOLD, VARIANT, ROOT];

/// The numbers of CoDel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodelSpec {
    /// Packets that may wait, without the one in transmission.
    pub packets: Option<u64>,
    /// Bytes that may wait, without those in transmission.
    pub bytes: Option<u64>,
    /// Waiting time that a standing queue may have.
    pub target_ns: u64,
    /// How long it must stand for a drop.
    pub interval_ns: u64,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Waiting time beyond which ECN-capable packets are marked.
    pub ce_threshold_ns: Option<u64>,
    /// Whose details.
    pub variant: Variant,
    /// How the times between drops fall.
    #[serde(skip_serializing_if = "Root::is_default")]
    pub root: Root,
}

impl Default for CodelSpec {
    fn default() -> Self {
        CodelSpec {
            packets: None,
            bytes: None,
            target_ns: 5_000_000,
            interval_ns: 100_000_000,
            ecn: false,
            ce_threshold_ns: None,
            variant: Variant::default(),
            root: Root::default(),
        }
    }
}

impl DisciplineSpec for CodelSpec {
    type Discipline = Codel;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        check_span(path, "target_ns", self.target_ns)?;
        check_span(path, "interval_ns", self.interval_ns)?;
        self.ce_threshold_ns.map_or(Ok(()), |nanos| check_span(path, "ce_threshold_ns", nanos))
    }

    fn build(&self, _: Rate) -> Codel {
        let params = Params {
            target: Span::from_nanos(self.target_ns),
            interval: Span::from_nanos(self.interval_ns),
            ecn: self.ecn,
            ce_threshold: self.ce_threshold_ns.map(Span::from_nanos),
            ce_threshold_ect1: None,
            variant: self.variant,
            root: self.root,
        };
        Codel { limit: self.buffer(), params, state: State::default(), line: Line::default() }
    }
}

/// A queue under CoDel.
#[derive(Debug)]
pub struct Codel {
    limit: Limit,
    params: Params,
    state: State,
    line: Line,
}

impl Held for Line {
    #[inline]
    fn take(&mut self) -> Option<Queued> {
        self.pop()
    }

    #[inline]
    fn left(&self) -> u64 {
        self.backlog().bytes
    }
}

impl QueueDiscipline for Codel {
    fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>) {
        if self.limit.has_room(self.line.backlog(), arrival.packet) {
            self.line.push(arrival);
        } else {
            context.drop(arrival, DropReason::Full);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        self.state.send(&self.params, &mut self.line, context)
    }

    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        _: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        self.line.remove(owner, wanted)
    }

    fn backlog(&self) -> Backlog {
        self.line.backlog()
    }

    fn states(&self, now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
        let dropping = u32::from(self.state.is_dropping());
        let (backlog, waited) = (self.line.backlog(), self.line.waited(now));
        [Some(DisciplineState { backlog, waited, probability: 0.0, dropping }), None]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{CE, ECT, Packet, PacketKind};
    use crate::queue::{Queue, QueueSpec, Signal, TransmitterState};
    use crate::random::Stream;
    use sawtooth_cc::units::Time;

    const MILLISECOND: u64 = 1_000_000;
    /// Time of a packet of 1500 B at 10 Mbit/s.
    const PACKET: u64 = 1_200_000;

    fn idle(now: u64) -> TransmitterState {
        let now = Time::from_nanos(now);
        TransmitterState { now, in_transmission: Backlog::default(), idle_since: Time::NEVER }
    }

    /// A queue that a link of 10 Mbit/s serves, and what arrives while it is busy.
    struct Bench {
        queue: Queue,
        now: u64,
        /// Times at which packets were dropped or marked.
        hits: Vec<u64>,
        sent: Vec<Packet>,
    }

    impl Bench {
        fn new(spec: CodelSpec) -> Self {
            let spec = QueueSpec::Codel(CodelSpec { packets: Some(10_000), ..spec });
            let queue = Queue::new(&spec, Rate::from_bits_per_second(10_000_000), Stream::new("1", "test"));
            Bench { queue, now: 0, hits: Vec::new(), sent: Vec::new() }
        }

        /// So many packets arrive now.
        fn arrive(&mut self, packets: u32, flags: u16) {
            for number in 0..packets {
                let packet = Packet::new(PacketKind::Data, 0, number, 1500, flags);
                let arrived = Time::from_nanos(self.now);
                self.queue.enqueue(Queued { packet, arrived, ..Queued::default() }, idle(self.now));
            }
        }

        /// One packet is sent.
        fn send(&mut self) {
            let holds = self.queue.held().packets > 0;
            let sent = self.queue.dequeue(idle(self.now));
            assert_eq!(sent.is_some(), holds, "work conserving");
            self.sent.extend(sent.map(|queued| queued.packet));
            while self.queue.next_signal().is_some() {
                self.hits.push(self.now);
            }
            self.now += PACKET;
        }

        /// Twice as much as can be sent arrives, for so long.
        fn overload(&mut self, flags: u16, nanos: u64) {
            let end = self.now + nanos;
            while self.now < end {
                self.arrive(2, flags);
                self.send();
            }
        }
    }

    /// First departures at or after these times: departures come at multiples of the time of a packet.
    fn departure_from(due: f64) -> u64 {
        (due / PACKET as f64).ceil() as u64 * PACKET
    }

    /// When constant overload meets drops: from the first on, the n-th is due 100 ms/√n after the (n − 1)-th was due.
    fn expected_hits(first: u64, hits: usize) -> Vec<u64> {
        let mut due = first as f64;
        (1..=hits)
            .map(|n| {
                let hit = departure_from(due);
                due += 1e8 / (n as f64).sqrt();
                hit
            })
            .collect()
    }

    #[test]
    fn constant_overload_meets_the_drops_of_the_rfc() {
        for (ecn, flags) in [(false, 0), (false, ECT), (true, ECT), (true, 0)] {
            let mut bench = Bench::new(CodelSpec { ecn, ..CodelSpec::default() });
            bench.overload(flags, 2_000 * MILLISECOND);
            let first = bench.hits[0];
            // Two packets arrive in the time of one: the n-th waits n − 1 half packets. The first that waits 5 ms starts the interval.
            let above = (1..).find(|n| n * PACKET / 2 >= 5 * MILLISECOND).expect("it grows") * PACKET;
            assert!(first.abs_diff(departure_from((above + 100 * MILLISECOND) as f64)) <= PACKET, "{first}");
            let since: Vec<f64> = bench.hits.iter().map(|hit| (hit - first) as f64 / 1e6).take(6).collect();
            for (found, due) in since.iter().zip([0.0, 100.0, 170.71, 228.45, 278.45, 323.17]) {
                assert!((due..due + 1.2).contains(&(found + 0.005)), "{since:?}");
            }
            assert_eq!(bench.hits, expected_hits(first, bench.hits.len()));
            let marked = bench.sent.iter().filter(|packet| packet.has(CE)).count();
            assert_eq!(marked, if ecn && flags == ECT { bench.hits.len() } else { 0 });
        }
    }

    /// ns-3 3.44, which steps, had its drops 100.8, 49.2, 56.4 and 49.2 ms apart at this rate, where departures are 1.2 ms apart.
    #[test]
    fn drops_follow_one_step_of_newtons_method_each_where_asked() {
        let mut bench = Bench::new(CodelSpec { root: Root::Newton, ..CodelSpec::default() });
        bench.overload(0, 600 * MILLISECOND);
        let since: Vec<f64> =
            bench.hits.iter().map(|hit| (hit - bench.hits[0]) as f64 / 1e6).take(5).collect();
        for (found, due) in since.iter().zip([0.0, 100.0, 150.0, 206.25, 255.03]) {
            assert!((due..due + 1.2).contains(&(found + 0.005)), "{since:?}");
        }
        let apart: Vec<f64> = since.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(
            apart.iter().zip([100.8, 49.2, 56.4, 49.2]).all(|(ours, theirs)| (ours - theirs).abs() < 0.1),
            "{apart:?}"
        );
    }

    #[test]
    fn a_queue_that_stands_for_less_than_an_interval_loses_nothing() {
        let mut bench = Bench::new(CodelSpec::default());
        bench.overload(0, 50 * MILLISECOND); // and as long again until the queue is empty
        while bench.queue.held().packets > 0 {
            bench.send();
        }
        assert!(bench.hits.is_empty(), "{:?}", bench.hits);
        // Packets that wait for less than the target, for as long as one likes.
        let mut bench = Bench::new(CodelSpec::default());
        bench.arrive(4, 0);
        for _ in 0..1_000 {
            bench.arrive(1, 0);
            bench.send();
        }
        assert!(bench.hits.is_empty(), "{:?}", bench.hits);
    }

    #[test]
    fn the_last_packets_of_a_largest_size_are_never_dropped() {
        // A packet waits longer than the target whenever one is before it, but one packet is no standing queue.
        let spec = CodelSpec { target_ns: MILLISECOND, interval_ns: MILLISECOND, ..CodelSpec::default() };
        for (variant, expected) in [(Variant::Rfc8289, 0), (Variant::Ns3, 1)] {
            let mut bench = Bench::new(CodelSpec { variant, ..spec.clone() });
            bench.arrive(2, 0);
            for _ in 0..100 {
                bench.send();
                bench.arrive(1, 0);
            }
            assert_eq!(bench.hits.len().min(1), expected, "{variant:?}");
        }
    }

    #[test]
    fn what_waits_beyond_the_threshold_is_marked_once_if_it_can_be() {
        let threshold = 10 * MILLISECOND;
        let spec = CodelSpec { ce_threshold_ns: Some(threshold), ecn: true, ..CodelSpec::default() };
        for flags in [0, ECT] {
            let mut bench = Bench::new(spec.clone());
            bench.arrive(20, flags);
            (0..20).for_each(|_| bench.send());
            let marked: Vec<bool> = bench.sent.iter().map(|packet| packet.has(CE)).collect();
            let expected: Vec<bool> = (0..20).map(|n| flags == ECT && n * PACKET > threshold).collect();
            let count = expected.iter().filter(|&&marked| marked).count() as u64;
            assert_eq!(marked, expected);
            let marks = bench.queue.tally().arrivals.marks;
            assert_eq!(marks, count);
        }
    }

    /// Drops until the queue has shrunk, then overload again after this pause: how many drops come in the first interval then.
    fn second_time(variant: Variant, pause: u64) -> usize {
        let mut bench = Bench::new(CodelSpec { variant, ..CodelSpec::default() });
        bench.overload(0, 3_000 * MILLISECOND);
        while bench.queue.held().packets > 0 {
            bench.send();
        }
        bench.now += pause;
        let before = bench.hits.len();
        bench.overload(0, 400 * MILLISECOND);
        let first = bench.hits[before];
        bench.hits[before..].iter().filter(|&&hit| hit < first + 100 * MILLISECOND).count()
    }

    #[test]
    fn it_begins_with_the_drops_of_the_last_time_unless_that_was_long_ago() {
        let interval = 100 * MILLISECOND;
        for variant in [Variant::Rfc8289, Variant::Ns3] {
            assert!(second_time(variant, interval) > 2, "{variant:?}");
            assert_eq!(second_time(variant, 17 * interval), 1, "{variant:?}");
        }
    }

    #[test]
    fn a_full_buffer_drops_what_arrives() {
        let spec = QueueSpec::Codel(CodelSpec { packets: Some(3), ..CodelSpec::default() });
        let mut queue = Queue::new(&spec, Rate::from_bits_per_second(1), Stream::new("1", "test"));
        for number in 0..5 {
            let packet = Packet::new(PacketKind::Data, 0, number, 1500, ECT);
            queue.enqueue(Queued { packet, ..Queued::default() }, idle(0));
            let dropped = queue.next_signal();
            let expected = Signal::Dropped(packet, DropReason::Full);
            assert_eq!(dropped, (number >= 3).then_some(expected));
        }
    }
}
