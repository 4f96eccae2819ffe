//! A slow way back: how fast acknowledgements come, what that leaves of the way there (RFC 3449 §2.1), and what ACK filters do about it.

use sawtooth_cc::units::{Rate, Span, Time};
use sawtooth_networks::networks::{
    MEGABIT, MILLISECOND, SECOND, dumbbell, flow, pipe, port, profile, scenario,
};
use sawtooth_sim::ack_details::DetailsPool;
use sawtooth_sim::ack_filter::supersedes;
use sawtooth_sim::packet::{CE, ECE, ECT, Packet, PacketKind};
use sawtooth_sim::queue::{Backlog, DISCIPLINES, DropReason, Queue, Queued, TransmitterState};
use sawtooth_sim::random::Stream;
use sawtooth_sim::scenario::{
    AckFilterSpec, BucketSpec, FlowSpec, ImpairmentSpec, LinkSpec, Profile, QueueSpec, Scenario, TcpSpec,
};
use sawtooth_sim::series::packets::PacketEvent;
use sawtooth_sim::tcp::receiver::Receiver;
use sawtooth_sim::tcp::{Ecn, RECOVERIES};
use sawtooth_sim::{Order, Progress, Records, Simulation, run};
use std::collections::{BTreeMap, BTreeSet};

/// 10 Mbit/s there and 100 kbit/s back, with packets of 1000 B and acknowledgements of 40 B: of 1250 packets in a second 312.5 can be
/// acknowledged. The normalised bandwidth ratio of RFC 3449 §2.1.
const K: f64 = 1250.0 / 312.5;
/// An acknowledgement on the way back.
const ACK: u64 = 40 * 8 * SECOND / 100_000;

const FILTERS: [AckFilterSpec; 3] =
    [AckFilterSpec::Conservative {}, AckFilterSpec::Aggressive {}, AckFilterSpec::Thin { n: 8 }];

/// A flow of at most 200 packets in flight over these links, with a buffer of so many packets back.
fn asymmetric(endpoints: Profile, buffer: u64, filter: Option<AckFilterSpec>) -> Scenario {
    let links = vec![
        port("bottleneck", 10 * MEGABIT, 20 * MILLISECOND, 300),
        LinkSpec { ack_filter: filter, ..port("reverse", MEGABIT / 10, 20 * MILLISECOND, buffer) },
    ];
    let tcp = TcpSpec { receive_window: Some(200), ..endpoints.tcp.clone() };
    let mut network = scenario(20 * SECOND, links, vec![Profile { tcp, ..endpoints }]);
    network.warmup_ns = 10 * SECOND;
    network.flows = vec![flow(&[0], &[1])];
    network
}

fn utilisation(records: &Records) -> f64 {
    let queue = &records.queues[0];
    queue.departures.forwarded_bytes as f64 / queue.capacity_bytes as f64
}

#[test]
fn acknowledgements_come_as_far_apart_as_the_slow_link_sends_them() {
    let mut network = asymmetric(profile("aimd(1, 0.5)", "sack"), 300, None);
    network.record.packets = true;
    let records = run(&network).unwrap();
    let points = &records.series.packets.as_ref().expect("packets are recorded").points;
    let times: Vec<u64> = points
        .iter()
        .filter(|point| point.event == PacketEvent::Acknowledged && point.time.nanos() > 10 * SECOND)
        .map(|point| point.time.nanos())
        .collect();
    assert!(times.len() > 3_000, "{}", times.len());
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == ACK), "each {ACK} ns after the one before");
}

#[test]
fn without_a_filter_the_way_there_is_used_to_one_part_in_k() {
    // Nothing is lost, each acknowledgement is for one packet, and the queue back never runs empty.
    for recovery in ["reno", "sack", "rack", "quic"] {
        let mut endpoints = profile("aimd(1, 0.5)", recovery);
        (endpoints.tcp.delayed_ack, endpoints.tcp.ack_every) = (false, None);
        let records = run(&asymmetric(endpoints, 300, None)).unwrap();
        let found = utilisation(&records);
        assert!((found * K - 1.0).abs() < 0.005, "{recovery}: {found} beside {}", 1.0 / K);
        assert_eq!(records.queues[1].arrivals.dropped(), 0);
    }
}

#[test]
fn with_a_filter_the_way_there_is_full() {
    for recovery in ["newreno", "sack", "rack", "quic"] {
        for filter in FILTERS {
            let mut endpoints = profile("aimd(1, 0.5)", recovery);
            (endpoints.tcp.delayed_ack, endpoints.tcp.ack_every) = (false, None);
            let records = run(&asymmetric(endpoints, 300, Some(filter.clone()))).unwrap();
            let found = utilisation(&records);
            assert!(found > 0.98, "{recovery}, {filter:?}: {found}");
            let back = &records.queues[1].arrivals;
            let filtered = back.drops[DropReason::Filtered as usize];
            assert_eq!(filtered, back.dropped(), "nothing else is lost there");
            // Of those that arrive, at most as many leave as the link can send.
            let least = back.arrivals as f64 * (1.0 - 1.01 / K);
            assert!(filtered as f64 > least, "{recovery}, {filter:?}: {filtered} of {}", back.arrivals);
            assert_eq!(records.flows[0].retransmits, 0, "{recovery}, {filter:?}");
        }
    }
}

#[test]
fn a_small_buffer_loses_acknowledgements_and_a_filter_keeps_their_wait_short() {
    let wait = |filter| {
        let records = run(&asymmetric(profile("aimd(1, 0.5)", "rack"), 20, filter)).unwrap();
        let queue = &records.queues[1];
        let mean = queue.departures.delay.nanos() / queue.departures.forwarded;
        (mean, queue.arrivals.drops[DropReason::Full as usize])
    };
    let (plain, full) = wait(None);
    assert!(full > 500, "congested by acknowledgements alone: {full}");
    assert!(plain > 15 * ACK && plain <= 19 * ACK, "nearly a full queue: {plain}");
    let (filtered, full) = wait(Some(AckFilterSpec::Conservative {}));
    assert_eq!(full, 0);
    // Three may wait: two that are superseded, of which the older one goes, and the newest; and one is being sent.
    assert!(filtered <= 3 * ACK, "{filtered}");
    let (filtered, _) = wait(Some(AckFilterSpec::Aggressive {}));
    assert!(filtered <= 2 * ACK, "{filtered}");
}

#[test]
fn filters_do_the_same_in_both_orders_behind_every_discipline() {
    for row in DISCIPLINES {
        for (index, filter) in FILTERS.into_iter().enumerate() {
            let recovery = ["sack", "rack", "quic"][index];
            let mut network = dumbbell(3, 40, profile("aimd(1, 0.5)", recovery), 3 * SECOND);
            network.links[0].drop = Some(ImpairmentSpec::Periodic { n: 60 });
            network.links[1].rate_bps = Some(MEGABIT / 10);
            let queue = serde_json::json!({ "kind": row.name, "packets": 30 });
            network.links[1].queue = Some(serde_json::from_value(queue).unwrap());
            // Data and acknowledgements share the way back.
            let last = FlowSpec { forward: vec![6, 1], reverse: vec![0, 7], ..network.flows[2].clone() };
            network.flows[2] = last;
            let digest = |network: &Scenario, order| {
                let simulation = Simulation::new(network, order).expect("a scenario");
                simulation.finish(&Progress::default()).expect("nobody stops this run").digest()
            };
            let plain = digest(&network, Order::Ahead);
            network.links[1].ack_filter = Some(filter);
            let (ahead, in_turn) = (digest(&network, Order::Ahead), digest(&network, Order::InTurn));
            assert_eq!(ahead, in_turn, "{} {recovery}", row.name);
            assert_ne!(ahead, plain, "{} {recovery}: it filters something", row.name);
        }
    }
}

#[test]
fn reports_of_rate_based_flows_are_left_alone() {
    for law in ["tfrc", "rap"] {
        let digest = |filter| {
            let mut network = dumbbell(2, 20, profile(law, "none"), 4 * SECOND);
            network.links[1] =
                LinkSpec { ack_filter: filter, ..port("reverse", MEGABIT / 10, 10 * MILLISECOND, 30) };
            run(&network).unwrap().digest()
        };
        let plain = digest(None);
        FILTERS.into_iter().for_each(|filter| assert_eq!(digest(Some(filter)), plain, "{law}"));
    }
}

/// What a sender knows of what its receiver has: the packets, those that came twice, echoes of marks, and marks counted.
#[derive(Debug, Default, PartialEq)]
struct Known {
    cumulative: u32,
    packets: BTreeSet<u32>,
    twice: BTreeSet<u32>,
    echoes: BTreeSet<u32>,
    marks: u32,
}

impl Known {
    fn learn(&mut self, ack: Packet, numbered: bool, details: &DetailsPool) {
        if !numbered {
            self.packets.extend(self.cumulative..ack.number());
        }
        self.cumulative = self.cumulative.max(ack.number());
        if let Some(details) = details.get(ack.details()) {
            details.blocks().iter().for_each(|block| self.packets.extend(block.start..block.end));
            self.twice.extend(details.duplicate());
            self.marks = self.marks.max(details.ce_packets);
        }
    }
}

/// Packets that are lost, late, marked and doubled go to a receiver; its acknowledgements wait behind each discipline under each filter.
/// Whenever the queue has run empty, who reads what passed knows what every acknowledgement together told.
#[test]
fn no_acknowledgement_with_news_is_lost_by_a_filter() {
    let mut filtered = BTreeMap::new();
    for row in RECOVERIES {
        for ecn in [Ecn::Classic, Ecn::Accurate] {
            for discipline in DISCIPLINES {
                for spared in [0, 1] {
                    let dropped = news(row.name, ecn, discipline.name, spared);
                    *filtered.entry((row.name, spared)).or_insert(0) += dropped;
                }
            }
        }
    }
    assert!(filtered.values().all(|&dropped| dropped > 500), "{filtered:?}");
}

/// A queue of this discipline that has room for whatever `news` puts into it.
fn roomy(discipline: &str) -> QueueSpec {
    let spec = serde_json::json!({ "kind": discipline, "packets": 1_000 });
    let averaging = serde_json::json!({ "kind": discipline, "packets": 1_000, "min": 900, "max": 1_000 });
    serde_json::from_value(averaging).or_else(|_| serde_json::from_value(spec)).expect("a discipline")
}

/// The number of the next packet to arrive: a new one, one that was late or lost, or one that has come already.
fn arriving(random: &mut Stream, pending: &mut Vec<(u32, u32)>, next: &mut u32) -> u32 {
    match (random.uniform(), pending.is_empty()) {
        (chance, false) if chance < 0.15 => {
            pending.swap_remove(random.nanos_up_to(pending.len() as u64 - 1) as usize).0
        }
        (chance, _) if chance > 0.97 && *next > 5 => *next - 1 - random.nanos_up_to(4) as u32,
        _ => {
            *next += 1;
            *next - 1
        }
    }
}

/// How many were filtered; it panics where one of them told something that was not told again.
fn news(recovery: &str, ecn: Ecn, discipline: &str, spared: u32) -> u64 {
    let info = RECOVERIES.iter().find(|row| row.name == recovery).expect("a recovery");
    let tcp = TcpSpec { ecn, ..profile("aimd(1, 0.5)", recovery).tcp };
    let mut receiver = Receiver::new(info.feedback, &tcp);
    let numbered = receiver.is_numbered();
    let spec = roomy(discipline);
    let mut queue = Queue::new(&spec, Rate::from_bits_per_second(MEGABIT), Stream::new("1", "queue"));
    let mut details = DetailsPool::default();
    let mut random = Stream::new("1", &format!("{recovery} {discipline} {spared}"));
    let state = TransmitterState {
        now: Time::ZERO + Span::from_millis(1),
        in_transmission: Backlog { packets: 1, bytes: 40 },
        idle_since: Time::NEVER,
    };
    let (mut all, mut read) = (Known::default(), Known::default());
    let mut pending: Vec<(u32, u32)> = Vec::new();
    let (mut next, mut transmission, mut passed) = (0, 0, 0u64);
    for step in 0..800 {
        let number = arriving(&mut random, &mut pending, &mut next);
        transmission += 1;
        if random.uniform() < 0.1 {
            pending.push((number, transmission));
            continue;
        }
        let marked = if random.uniform() < 0.05 { ECT | CE } else { ECT };
        let data = Packet::new(PacketKind::Data, 0, number, 1000, marked).with_packet_number(transmission);
        receiver.on_data(data, state.now);
        let (cumulative, echo) = receiver.acknowledge();
        let mut ack = Packet::new(PacketKind::Ack, 0, cumulative, 40, if echo { ECE } else { 0 });
        if receiver.has_details() {
            ack = ack.with_details(receiver.keep_details(&mut details, state.now));
        }
        all.learn(ack, numbered, &details);
        queue.drop_superseded(ack, spared, state, |older| supersedes(ack, older, numbered, &details));
        queue.enqueue(Queued { packet: ack, arrived: state.now, ..Queued::default() }, state);
        while queue.next_signal().is_some() {}
        let serves = if step % 100 == 99 { 1_000 } else { u32::from(random.uniform() < 0.2) };
        for _ in 0..serves {
            let Some(sent) = queue.dequeue(state) else { break };
            passed += 1;
            read.learn(sent.packet, numbered, &details);
            queue.count_departure(sent.packet, Span::ZERO, true);
            queue.count_subqueue(&sent, state.now, true);
        }
        if queue.held().packets == 0 {
            assert_eq!(read, all, "{recovery} {discipline} {spared}, step {step}");
        }
    }
    queue.assert_conservation(discipline, queue.held().packets);
    let dropped = &queue.tally().arrivals.drops;
    let filtered = dropped[DropReason::Filtered as usize];
    assert_eq!(filtered, queue.tally().arrivals.dropped(), "{discipline} drops nothing by itself");
    assert!(passed > 0);
    filtered
}

#[test]
fn what_a_filter_cannot_be_is_refused() {
    let refused = |link: LinkSpec| {
        let mut network = scenario(SECOND, vec![link], vec![profile("aimd(1, 0.5)", "sack")]);
        network.flows = vec![flow(&[0], &[0])];
        network.check().expect_err("refused").to_string()
    };
    let bare = LinkSpec { ack_filter: Some(AckFilterSpec::Aggressive {}), ..pipe("back", MEGABIT, 0) };
    assert_eq!(refused(bare), "links[0].ack_filter = given: expected none on a link without a queue");
    let all = LinkSpec { ack_filter: Some(AckFilterSpec::Thin { n: 1 }), ..port("back", MEGABIT, 0, 9) };
    assert_eq!(refused(all), "links[0].ack_filter.n = 1: expected 2 to 1000 acknowledgements");
}

#[test]
fn a_trace_a_policer_and_a_filter_stand_on_the_way_back() {
    // One opportunity of 1500 B in 20 ms carries 37 acknowledgements of 40 B, those that wait: with the filter one or two.
    let mut network = dumbbell(1, 200, profile("aimd(1, 0.5)", "rack"), 6 * SECOND);
    network.links[1] = LinkSpec {
        rate_bps: None,
        trace_ms: Some(vec![20]),
        policer: Some(BucketSpec { rate_bps: MEGABIT, burst_bytes: 10_000 }),
        ..port("reverse", MEGABIT, 10 * MILLISECOND, 100)
    };
    network.record.packets = true;
    let groups = |network: &Scenario| {
        let records = run(network).unwrap();
        let points = &records.series.packets.as_ref().expect("packets are recorded").points;
        let mut groups = BTreeMap::new();
        for point in points.iter().filter(|point| point.event == PacketEvent::Acknowledged) {
            // Behind the trace the access link takes 320 ns for each.
            *groups.entry(point.time.nanos() / MILLISECOND).or_insert(0u64) += 1;
        }
        groups
    };
    let plain = groups(&network);
    let times: Vec<u64> = plain.keys().copied().collect();
    assert!(times.windows(2).all(|pair| (pair[1] - pair[0]) % 20 == 0), "by opportunity");
    assert!(plain.values().any(|&count| count > 20));
    network.links[1].ack_filter = Some(AckFilterSpec::Aggressive {});
    assert!(groups(&network).values().all(|&count| count <= 2));
}
