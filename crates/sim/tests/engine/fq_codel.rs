//! FQ-CoDel: against one that keeps plain lists, the drop times of each queue, what a sparse flow waits for, and in networks.

use proptest::prelude::*;
use sawtooth_cc::units::{Rate, Time};
use sawtooth_networks::networks::{self, MEGABIT, MILLISECOND, SECOND, dumbbell, profile};
use sawtooth_sim::packet::{CE, ECT, ECT_1, Packet, PacketKind};
use sawtooth_sim::queue::classes::Hash;
use sawtooth_sim::queue::fq_codel::Counted;
use sawtooth_sim::queue::{Backlog, Queue, Queued, Signal, TransmitterState};
use sawtooth_sim::random::Stream;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{CodelSpec, FqCodelSpec, QueueSpec};
use sawtooth_sim::tcp::Ecn;
use std::collections::VecDeque;

const DAY: u64 = 86_400 * SECOND;
const QUANTUM: u32 = 1514;

fn data(flow: u32, number: u32, bytes: u16, flags: u16) -> Packet {
    Packet::new(PacketKind::Data, flow, number, bytes, flags)
}

/// A queue under test, at a time.
struct Subject {
    queue: Queue,
    now: u64,
}

impl Subject {
    fn new(spec: FqCodelSpec) -> Self {
        let (spec, rate) = (QueueSpec::FqCodel(spec), Rate::from_bits_per_second(10 * MEGABIT));
        Subject { queue: Queue::new(&spec, rate, Stream::new("1", "test")), now: 0 }
    }

    fn state(&self) -> TransmitterState {
        let now = Time::from_nanos(self.now);
        TransmitterState { now, in_transmission: Backlog::default(), idle_since: Time::NEVER }
    }

    fn signals(&mut self) -> Vec<Packet> {
        let packet = |signal| match signal {
            Signal::Dropped(packet, _) | Signal::Marked(packet) => packet,
        };
        let mut found: Vec<Packet> = std::iter::from_fn(|| self.queue.next_signal()).map(packet).collect();
        found.reverse();
        found
    }

    /// A packet arrives: what is dropped.
    fn arrive(&mut self, packet: Packet) -> Vec<Packet> {
        let arrived = Time::from_nanos(self.now);
        self.queue.enqueue(Queued { packet, arrived, ..Queued::default() }, self.state());
        self.signals()
    }

    /// The transmitter is free: what is sent, and what is dropped or marked.
    fn serve(&mut self) -> (Option<Packet>, Vec<Packet>) {
        let sent = self.queue.dequeue(self.state()).map(|queued| queued.packet);
        (sent, self.signals())
    }
}

/// RFC 8290 §4 by its words, for a law that never acts: two lists of queues, by number.
#[derive(Default)]
struct Plain {
    queues: Vec<VecDeque<Packet>>,
    credits: Vec<i64>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl Plain {
    fn bytes(&self, queue: usize) -> u64 {
        self.queues[queue].iter().map(|packet| u64::from(packet.bytes())).sum()
    }

    fn arrive(&mut self, packet: Packet, limit: usize, quantum: u32) -> Vec<Packet> {
        let queue = packet.flow() as usize;
        self.queues[queue].push_back(packet);
        if !self.new.contains(&queue) && !self.old.contains(&queue) {
            self.credits[queue] = i64::from(quantum);
            self.new.push_back(queue);
        }
        let mut dropped = Vec::new();
        if self.queues.iter().map(VecDeque::len).sum::<usize>() > limit {
            let fattest = (0..self.queues.len()).rev().max_by_key(|&queue| self.bytes(queue)).expect("some");
            let half = self.queues[fattest].len().div_ceil(2).min(64);
            dropped.extend(self.queues[fattest].drain(..half));
        }
        dropped
    }

    fn serve(&mut self, quantum: u32) -> Option<Packet> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let queue = *list.front()?;
            if self.credits[queue] > 0 {
                if let Some(packet) = self.queues[queue].pop_front() {
                    self.credits[queue] -= i64::from(packet.bytes());
                    return Some(packet);
                }
                list.pop_front();
                if is_new {
                    self.old.push_back(queue);
                }
                continue;
            }
            list.pop_front();
            self.credits[queue] += i64::from(quantum);
            self.old.push_back(queue);
        }
    }
}

const FLOWS: usize = 5;

/// What happens: a packet of a flow arrives, or the transmitter is free, and then so much time passes.
fn steps() -> impl Strategy<Value = Vec<(Option<(u32, u16)>, u64)>> {
    let arrival = (0..FLOWS as u32, prop_oneof![40u16..1_501, Just(1_000)]);
    let what = prop_oneof![3 => arrival.prop_map(Some), 2 => Just(None)];
    proptest::collection::vec((what, 0..2 * MILLISECOND), 1..400)
}

proptest! {
    /// What goes, what is dropped and in which order, for any arrivals.
    #[test]
    fn it_does_what_its_description_says(
        steps in steps(), limit in 1u64..200, quantum in prop_oneof![40u32..4_000, Just(QUANTUM)]
    ) {
        let spec = FqCodelSpec { packets: Some(limit), quantum, target_ns: DAY, ..FqCodelSpec::default() };
        let mut subject = Subject::new(spec);
        // Flows have queues in the order of their appearance; so that these are their numbers, each appears once before.
        for flow in 0..FLOWS as u32 {
            subject.arrive(data(flow, 0, 40, 0));
            subject.serve();
        }
        while subject.serve().0.is_some() {}
        let mut plain = Plain { queues: vec![VecDeque::new(); FLOWS], credits: vec![0; FLOWS], ..Plain::default() };
        for (number, (step, _)) in (1u32..).zip(steps) {
            match step {
                Some((flow, bytes)) => {
                    let packet = data(flow, number, bytes, 0);
                    prop_assert_eq!(subject.arrive(packet), plain.arrive(packet, limit as usize, quantum));
                }
                None => prop_assert_eq!(subject.serve(), (plain.serve(quantum), Vec::new())),
            }
        }
    }

    /// Under the law, too: something is sent while anything waits, packets of a flow keep their order, and each is sent or dropped once.
    #[test]
    fn it_is_work_conserving_and_keeps_the_order_of_a_flow(
        steps in steps(), random in any::<bool>(), all in any::<bool>(), flows in 1u32..8, target_us in 1u64..3_000
    ) {
        let hash = if random { Hash::Random } else { Hash::Flow };
        let backlog = if all { Counted::All } else { Counted::Own };
        let spec = FqCodelSpec {
            bytes: Some(60_000), flows, hash, backlog, target_ns: 1_000 * target_us, interval_ns: 5 * MILLISECOND, ecn: false, ..FqCodelSpec::default()
        };
        let mut subject = Subject::new(spec);
        let (mut last, mut waiting) = ([0; FLOWS], 0u64);
        for (number, (step, time)) in (1u32..).zip(steps) {
            subject.now += time;
            if let Some((flow, bytes)) = step {
                waiting += 1;
                waiting -= subject.arrive(data(flow, number, bytes, 0)).len() as u64;
            } else {
                let holds = waiting > 0;
                let (sent, dropped) = subject.serve();
                waiting -= dropped.len() as u64 + u64::from(sent.is_some());
                prop_assert_eq!(sent.is_some(), holds, "work conserving");
                if let Some(packet) = sent {
                    let flow = packet.flow() as usize;
                    prop_assert!(packet.number() > last[flow], "packets of one flow keep their order");
                    last[flow] = packet.number();
                }
            }
            prop_assert_eq!(subject.queue.held().packets, waiting);
        }
    }
}

#[test]
fn a_sparse_flow_waits_for_no_more_than_a_quantum_of_each_bulk_flow() {
    for bulk in [1u32, 3, 20] {
        // Two packets of a bulk flow are one quantum.
        let packet = (QUANTUM / 2) as u16;
        let spec = FqCodelSpec { packets: Some(10_000), target_ns: DAY, ..FqCodelSpec::default() };
        let mut subject = Subject::new(spec);
        let mut random = Stream::new("1", "gaps");
        let (mut since, mut at_once) = (None, 0);
        let mut sent = vec![0u32; bulk as usize];
        let mut gap = 1;
        for number in 0..20_000 {
            for flow in 0..bulk {
                while subject.queue.held().packets < u64::from(50 * (flow + 1)) {
                    subject.arrive(data(flow, number, packet, 0));
                }
            }
            if since.is_none() && gap == 0 {
                subject.arrive(data(bulk, number, 100, 0));
                (since, sent) = (Some(number), vec![0; bulk as usize]);
            }
            let served = subject.serve().0.expect("bulk flows always have something");
            if served.flow() == bulk {
                at_once += u32::from(since == Some(number));
                (since, gap) = (None, 1 + random.nanos_up_to(4 * u64::from(bulk)));
            } else {
                sent[served.flow() as usize] += u32::from(packet);
                assert!(since.is_none() || sent.iter().all(|&bytes| bytes <= QUANTUM), "{bulk}: {sent:?}");
            }
            gap = gap.saturating_sub(1);
        }
        assert!(at_once > 100, "a flow that has been away for a round is served at once");
    }
}

/// Bytes of a sparse flow between two packets of a bulk one: a turn among the new queues and one among the old, each of a quantum, which
/// its last packet may exceed.
fn most_of(bytes: u16) -> u32 {
    2 * (QUANTUM + u32::from(bytes))
}

/// RFC 8290 §4.2: a queue that runs empty waits behind the old ones before it may be new again. Otherwise flows that always have one
/// packet, the next when it has been sent, would be new for ever, and the old queues would never be served.
#[test]
fn no_stream_of_new_queues_starves_an_old_one() {
    for sparse in [2u32, 5, 20] {
        for bytes in [40u16, 100, 1500] {
            let spec = FqCodelSpec { packets: Some(10_000), target_ns: DAY, ..FqCodelSpec::default() };
            let mut subject = Subject::new(spec);
            (1..=sparse).for_each(|flow| drop(subject.arrive(data(flow, 0, bytes, 0))));
            let (mut since, mut turns) = (vec![0u32; sparse as usize], 0);
            for number in 0..20_000 {
                while subject.queue.held().packets < u64::from(sparse) + 10 {
                    subject.arrive(data(0, number, 1000, 0));
                }
                let served = subject.serve().0.expect("a bulk flow always has something").flow();
                if served == 0 {
                    turns += 1;
                    since.fill(0);
                    continue;
                }
                since[served as usize - 1] += u32::from(bytes);
                subject.arrive(data(served, number, bytes, 0));
                let most = most_of(bytes);
                assert!(since.iter().all(|&sent| sent <= most), "{sparse} of {bytes} B: {since:?}");
            }
            let least = 20_000 / (sparse * most_of(bytes) / u32::from(bytes) + 2);
            assert!(turns >= least, "{sparse} of {bytes} B: {turns}");
        }
    }
}

#[test]
fn each_queue_has_drop_times_of_its_own() {
    // Two flows, each of which brings twice what half of the link carries; the second begins later. The times between the drops of each
    // are those of RFC 8289, as if it were alone.
    const PACKET: u64 = 1_200_000;
    for ecn in [false, true] {
        let mut subject = Subject::new(FqCodelSpec { packets: Some(100_000), ecn, ..FqCodelSpec::default() });
        let mut hits: [Vec<u64>; 2] = Default::default();
        let begins = [0, 330 * MILLISECOND];
        while subject.now < 3 * SECOND {
            for flow in [0, 1] {
                if subject.now >= begins[flow as usize] {
                    subject.arrive(data(flow, 0, 1500, ECT));
                }
            }
            let (_, hit) = subject.serve();
            hit.iter().for_each(|packet| hits[packet.flow() as usize].push(subject.now));
            subject.now += PACKET;
        }
        let bound = |hits: &[u64]| -> Vec<u64> { hits.iter().map(|hit| hit - hits[0]).take(6).collect() };
        let due = [0.0, 100.0, 170.71, 228.45, 278.45, 323.17];
        // A flow beside another departs every second time.
        for (found, due) in bound(&hits[1]).iter().zip(due) {
            let late = *found as f64 / 1e6 - due;
            assert!((-0.01..2.5).contains(&late), "{late} ms late: {:?}", hits[1]);
        }
        assert!(hits[0].len() > 6 && hits[1].len() > 6);
    }
}

/// RFC 8289 §4.4: whether more than one packet is left is asked of all queues on a link. The only packet of a queue was never dropped.
#[test]
fn the_only_packet_of_a_queue_is_dropped_if_the_bytes_of_all_queues_count() {
    const TURN: u64 = 6 * MILLISECOND;
    // Each flow has one packet waiting, and brings the next when that is sent. The first drop: when, and of which flow.
    let first_drop = |flows: u32, backlog| {
        let quantum = 1500;
        let mut subject =
            Subject::new(FqCodelSpec { packets: Some(100), backlog, quantum, ..FqCodelSpec::default() });
        (0..flows).for_each(|flow| drop(subject.arrive(data(flow, 0, 1500, 0))));
        while subject.now < SECOND {
            let (sent, dropped) = subject.serve();
            if let Some(packet) = dropped.first() {
                return Some((subject.now, packet.flow()));
            }
            subject.arrive(data(sent.expect("others wait").flow(), 0, 1500, 0));
            subject.now += TURN;
        }
        None
    };
    for flows in [1, 2, 3, 10] {
        assert_eq!(first_drop(flows, Counted::Own), None, "{flows} flows");
    }
    // Behind the packet of one of two flows that of the other is left, which is one packet and no more.
    assert_eq!(first_drop(2, Counted::All), None);
    // Of three flows the second is the first to have waited for the target, at its first turn; it is dropped from at its first turn that
    // comes an interval later.
    let turns = (100 * MILLISECOND).div_ceil(3 * TURN);
    assert_eq!(first_drop(3, Counted::All), Some((TURN + turns * 3 * TURN, 1)));
    // The default stands in no identity of a run that was stored before there was a choice.
    let text = |backlog| serde_json::to_string(&FqCodelSpec { backlog, ..FqCodelSpec::default() });
    let says = |backlog| text(backlog).expect("plain data").contains("backlog");
    assert_eq!((says(Counted::Own), says(Counted::All)), (false, true));
}

#[test]
fn an_overflow_takes_half_of_the_fattest_queue_and_at_most_64_packets() {
    for (fat, lost) in [(1, 1), (2, 1), (3, 2), (10, 5), (127, 64), (128, 64), (300, 64)] {
        let limit = fat + 1;
        let mut subject = Subject::new(FqCodelSpec { packets: Some(limit), ..FqCodelSpec::default() });
        for number in 0..fat as u32 {
            assert!(subject.arrive(data(0, number, 1500, ECT)).is_empty());
        }
        assert!(subject.arrive(data(1, 0, 100, 0)).is_empty());
        let dropped: Vec<u32> =
            subject.arrive(data(2, 0, 100, 0)).iter().map(|packet| packet.number()).collect();
        assert_eq!(dropped, (0..lost).collect::<Vec<u32>>(), "{fat} packets in the fattest queue");
    }
}

#[test]
fn ect_1_has_a_threshold_of_its_own() {
    for (flags, marked) in [(0, false), (ECT, false), (ECT | ECT_1, true)] {
        let spec = FqCodelSpec { ce_threshold_ect1_ns: Some(MILLISECOND), ..FqCodelSpec::default() };
        let mut subject = Subject::new(FqCodelSpec { packets: Some(10), ..spec });
        (0..2).for_each(|number| drop(subject.arrive(data(0, number, 1500, flags))));
        assert!(!subject.serve().0.expect("two wait").has(CE), "it waited for no time");
        subject.now += 2 * MILLISECOND;
        assert_eq!(subject.serve().0.expect("one waits").has(CE), marked);
    }
}

#[test]
fn a_lone_flow_sees_codel() {
    let mut endpoints = profile("cubic", "rack");
    endpoints.tcp.ecn = Ecn::Classic;
    let mut scenario = dumbbell(1, 1, endpoints, 20 * SECOND);
    scenario.links[0].queue =
        Some(QueueSpec::Codel(CodelSpec { packets: Some(1_000), ecn: true, ..CodelSpec::default() }));
    let alone = run(&scenario).expect("a scenario");
    assert!(alone.queues[0].arrivals.marks > 5);
    for (quantum, hash) in [(300, Hash::Flow), (QUANTUM, Hash::Random), (20_000, Hash::Flow)] {
        let spec = FqCodelSpec { packets: Some(1_000), quantum, hash, ..FqCodelSpec::default() };
        scenario.links[0].queue = Some(QueueSpec::FqCodel(spec));
        assert_eq!(run(&scenario).expect("a scenario").digest(), alone.digest(), "quantum {quantum}");
    }
}

/// RFC 8290 §4.1: flows share a queue by chance. Eight flows are alone in eight queues by chance with 8!/8⁸, 0.24 %; by `flow` always.
#[test]
fn flows_that_the_hash_puts_into_one_queue_share_its_part() {
    let spread = |hash| {
        let mut scenario = dumbbell(8, 1, profile("cubic", "rack"), 20 * SECOND);
        scenario.warmup_ns = 5 * SECOND;
        let spec = FqCodelSpec { packets: Some(1_000), flows: 8, hash, ..FqCodelSpec::default() };
        scenario.links[0].queue = Some(QueueSpec::FqCodel(spec));
        let records = run(&scenario).expect("a scenario");
        let delivered = || records.flows.iter().map(|flow| flow.delivered_unique as f64);
        delivered().fold(0.0, f64::max) / delivered().fold(f64::INFINITY, f64::min)
    };
    let (apart, by_chance) = (spread(Hash::Flow), spread(Hash::Random));
    assert!(apart < 1.1, "each has a queue, and yet one has {apart} times the share of another");
    assert!(by_chance > 1.5, "of those in one queue each has half, and yet the shares differ by {by_chance}");
}

#[test]
fn flows_of_unequal_round_trips_share_and_an_overload_leaves_them_their_part() {
    let mut scenario = dumbbell(4, 1, profile("cubic", "rack"), 30 * SECOND);
    scenario.warmup_ns = 5 * SECOND;
    scenario.links[6].delay_ns = 60 * MILLISECOND;
    scenario.sources = vec![networks::source(&[0], &[[0, 30 * MEGABIT]])];
    scenario.links[0].queue =
        Some(QueueSpec::FqCodel(FqCodelSpec { packets: Some(10_240), ..FqCodelSpec::default() }));
    let records = run(&scenario).expect("a scenario");
    let fair = 25.0 * 10e6 / 8_000.0 / 5.0;
    for flow in &records.flows {
        let share = flow.delivered_unique as f64 / fair;
        assert!((0.8..=1.02).contains(&share), "{share} of the fair share");
    }
    assert!(records.queues[0].delay_p99.nanos() < 60 * MILLISECOND, "{:?}", records.queues[0].delay_p99);
}
