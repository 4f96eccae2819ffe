//! Late packets, jitter, transmit opportunities and delays that change: each packet where the numbers say.

use sawtooth_networks::networks::{
    self, MEGABIT, MILLISECOND, SECOND, flow, pipe, port, profile, scenario, source,
};
use sawtooth_sim::scenario::{
    AggregateSpec, ChangeSpec, DelaySpec, FlowSpec, ImpairmentSpec, JitterSpec, LateSpec, LinkSpec, Scenario,
    SetSpec, WhenSpec,
};
use sawtooth_sim::series::packets::PacketEvent;
use sawtooth_sim::{Records, run};

/// A flow of 20 packets, all sent at once, over 8 Mbit/s (a packet per ms), 10 ms each way.
fn twenty(link: impl FnOnce(LinkSpec) -> LinkSpec) -> Scenario {
    let links = vec![
        link(port("bottleneck", 8 * MEGABIT, 10 * MILLISECOND, 100)),
        pipe("back", 1_000 * MEGABIT, 10 * MILLISECOND),
    ];
    let mut endpoints = profile("aimd(1, 0.5)", "sack");
    endpoints.tcp.initial_window = 20.0;
    let mut scenario = scenario(SECOND, links, vec![endpoints]);
    scenario.flows.push(FlowSpec { packets: Some(20), ..flow(&[0], &[1]) });
    scenario.record.packets = true;
    scenario
}

fn arrivals(records: &Records) -> Vec<(u64, u32)> {
    let points = &records.series.packets.as_ref().expect("packets are recorded").points;
    let arrived = points.iter().filter(|point| point.event == PacketEvent::Arrived);
    arrived.map(|point| (point.time.nanos(), point.number)).collect()
}

/// When the handshake is over: 40 B at 8 Mbit/s, 40 B at 1 Gbit/s, 20 ms.
const OPEN: u64 = 40_000 + 320 + 20 * MILLISECOND;

/// When packet n arrives on the plain path.
fn plain(number: u64) -> u64 {
    OPEN + (number + 1) * MILLISECOND + 10 * MILLISECOND
}

#[test]
fn a_late_packet_is_overtaken_and_others_are_where_they_were() {
    let late = LateSpec::List { packets: vec![[3, 5 * MILLISECOND], [6, 40 * MILLISECOND]] };
    let records = run(&twenty(|link| LinkSpec { late: Some(late), ..link })).unwrap();
    let found = arrivals(&records);
    let first = |number: u32| found.iter().find(|row| row.1 == number).expect("it arrives").0;
    for number in 0..20 {
        let more = [(2, 5), (5, 40)].into_iter().find(|&(late, _)| late == number).map_or(0, |(_, ms)| ms);
        let expected = plain(u64::from(number)) + more * MILLISECOND;
        if number == 5 {
            assert!(first(number) <= expected, "it is sent again meanwhile");
        } else {
            assert_eq!(first(number), expected, "packet {number}");
        }
    }
}

#[test]
fn jitter_keeps_the_order_and_is_never_early() {
    let jitter = JitterSpec::Drawn { delay: DelaySpec::Exponential { mean_ns: 3 * MILLISECOND } };
    let found = arrivals(&run(&twenty(|link| LinkSpec { jitter: Some(jitter), ..link })).unwrap());
    let numbers: Vec<u32> = found.iter().map(|row| row.1).collect();
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
    assert!(found.iter().all(|&(at, number)| at >= plain(u64::from(number))));
    assert!(found.iter().any(|&(at, number)| at > plain(u64::from(number))));
}

#[test]
fn held_packets_arrive_at_the_ticks() {
    let jitter = JitterSpec::Hold { every_ns: 4 * MILLISECOND };
    let found = arrivals(&run(&twenty(|link| LinkSpec { jitter: Some(jitter), ..link })).unwrap());
    let syn = (10 * MILLISECOND + 40_000).next_multiple_of(4 * MILLISECOND);
    let open = syn + 320 + 10 * MILLISECOND;
    for (at, number) in found {
        let expected = open + (u64::from(number) + 1) * MILLISECOND + 10 * MILLISECOND;
        assert_eq!(at, expected.next_multiple_of(4 * MILLISECOND), "packet {number}");
    }
}

/// Cross traffic beyond the link's capacity for two seconds, and what came through in the second of them.
fn forwarded(link: LinkSpec, sources: u32) -> u64 {
    let mut network = scenario(2 * SECOND, vec![link], Vec::new());
    network.warmup_ns = SECOND;
    let spec = source(&[0], &[[0, 200 * MEGABIT / u64::from(sources)]]);
    network.sources = vec![sawtooth_sim::scenario::SourceSpec { counts: vec![sources], ..spec }];
    run(&network).unwrap().queues[0].departures.forwarded_bytes
}

#[test]
fn a_busy_link_of_transmit_opportunities_carries_what_the_formula_says() {
    // n·b / (overhead + n·b/rate), b = 1000 B: at 80 Mbit/s a packet takes 0.1 ms.
    for (packets, time_ms, overhead_us, expected_n) in
        [(10, 100, 500, 10), (64, 2, 1_000, 20), (1, 0, 300, 1), (7, 100, 0, 7)]
    {
        let aggregate = AggregateSpec {
            packets,
            time_ns: time_ms * MILLISECOND,
            overhead_ns: overhead_us * 1_000,
            per_flow: false,
        };
        let link = LinkSpec { aggregate: Some(aggregate), ..port("wifi", 80 * MEGABIT, MILLISECOND, 1_000) };
        let cycle_us = overhead_us + 100 * expected_n;
        let expected = 1_000 * expected_n * 1_000_000 / cycle_us;
        let found = forwarded(link, 1);
        let one_burst = 1_000 * expected_n;
        assert!(found.abs_diff(expected) <= one_burst, "{packets}: {found} beside {expected}");
    }
}

#[test]
fn an_opportunity_of_one_flow_ends_before_the_packet_of_another() {
    // Two sources take turns in one FIFO, so that each opportunity carries one packet: as with packets = 1.
    let with = |packets, per_flow| {
        let aggregate = AggregateSpec { packets, time_ns: SECOND, overhead_ns: 400_000, per_flow };
        let link = LinkSpec { aggregate: Some(aggregate), ..port("wifi", 80 * MEGABIT, 0, 100_000) };
        forwarded(link, 2)
    };
    let alone = with(1, false);
    assert!(with(20, true).abs_diff(alone) <= alone / 4, "{} beside {alone}", with(20, true));
    assert!(with(20, false) > 3 * alone);
}

#[test]
fn a_shorter_path_lets_packets_overtake_and_a_longer_one_does_not() {
    let at = plain(4) - 10 * MILLISECOND; // packet 4 has just left
    let with = |ns| {
        let mut network = twenty(|link| link);
        let when = WhenSpec::Time { ns: at + 1 };
        network.changes = vec![ChangeSpec { when, set: vec![SetSpec::Delay { link: 0, ns }] }];
        arrivals(&run(&network).unwrap())
    };
    let shorter = with(2 * MILLISECOND);
    let first = shorter.iter().map(|row| row.1).collect::<Vec<_>>();
    // Packets from 5 on arrive 8 ms earlier than they would: 5 to 7 before packet 0.
    for &(at, number) in &shorter {
        let less = if number > 4 { 8 * MILLISECOND } else { 0 };
        assert_eq!(at, plain(u64::from(number)) - less, "packet {number}");
    }
    assert_eq!(first[..3], [5, 6, 7]);
    let longer = with(30 * MILLISECOND);
    let numbers: Vec<u32> = longer.iter().map(|row| row.1).collect();
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
    assert_eq!(longer[5].0, plain(5) + 20 * MILLISECOND);
}

#[test]
fn a_blackout_of_the_way_back_loses_acknowledgements_alone() {
    let mut network = twenty(|link| link);
    network.links[1].loss =
        Some(ImpairmentSpec::Blackout { from_ns: plain(0), length_ns: 100 * MILLISECOND, every_ns: None });
    let records = run(&network).unwrap();
    assert!(records.flows[0].timeouts >= 1, "nobody tells the sender");
    assert_eq!(records.flows[0].delivered_unique, 20);
    assert_eq!(records.flows[0].drops, 0);
}

#[test]
fn bursts_of_losses_hit_a_flow_as_often_as_the_chain_says() {
    let (p, r) = (0.002, 0.2);
    let chain = ImpairmentSpec::GilbertElliott { p, r, h: 0.0, k: 1.0 };
    let link = LinkSpec { loss: Some(chain), ..port("bottleneck", 80 * MEGABIT, MILLISECOND, 1_000) };
    let mut network = scenario(60 * SECOND, vec![link], Vec::new());
    network.sources = vec![source(&[0], &[[0, 40 * MEGABIT]])];
    let queue = &run(&network).unwrap().queues[0];
    let arrived = queue.arrivals.arrivals as f64;
    let lost = queue.arrivals.drops.iter().sum::<u64>() as f64;
    let (expected, correlated) = (p / (p + r), (2.0 - p - r) / (p + r));
    let error = (expected * (1.0 - expected) * correlated / arrived).sqrt();
    assert!((lost / arrived - expected).abs() < 5.0 * error, "{} beside {expected}", lost / arrived);
}

#[test]
fn rate_based_flows_take_packets_in_order() {
    let check = |change: fn(&mut Scenario), wanted: [&str; 2]| {
        let mut network = networks::dumbbell(1, 20, profile("tfrc", "none"), SECOND);
        change(&mut network);
        let message = run(&network).expect_err("a bad scenario").to_string();
        assert!(wanted.iter().all(|words| message.contains(words)), "{message}");
    };
    let late = |network: &mut Scenario| {
        network.links[1].late = Some(LateSpec::List { packets: vec![[3, MILLISECOND]] });
    };
    check(late, ["links[1].late", "rate-based"]);
    let shorter = |network: &mut Scenario| {
        let when = WhenSpec::Time { ns: 0 };
        network.changes = vec![ChangeSpec { when, set: vec![SetSpec::Delay { link: 0, ns: 0 }] }];
    };
    check(shorter, ["changes[0].set[0].link = 0", "rate-based"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let check = |change: &dyn Fn(&mut LinkSpec), wanted: [&str; 2]| {
        let message = run(&twenty(|mut link| {
            change(&mut link);
            link
        }))
        .expect_err("a bad scenario")
        .to_string();
        assert!(wanted.iter().all(|words| message.contains(words)), "{message}");
    };
    let burst = |r| ImpairmentSpec::GilbertElliott { p: 0.1, r, h: 0.0, k: 1.0 };
    check(&|link| link.loss = Some(burst(1.5)), ["links[0].loss.r = 1.5", "0 to 1"]);
    let dark = ImpairmentSpec::Blackout { from_ns: 0, length_ns: 9, every_ns: Some(9) };
    check(&|link| link.loss = Some(dark.clone()), ["loss.every_ns = 9", "longer than length_ns"]);
    check(&|link| link.jitter = Some(JitterSpec::Hold { every_ns: 0 }), ["jitter.every_ns = 0", "1 ns"]);
    let shape = DelaySpec::Pareto { least_ns: 1, shape: 0.0 };
    let late = LateSpec::Periodic { n: 2, delay: shape };
    check(&|link| link.late = Some(late.clone()), ["late.delay.shape = 0", "above 0"]);
    let none = AggregateSpec { packets: 0, time_ns: 0, overhead_ns: 0, per_flow: false };
    check(&|link| link.aggregate = Some(none.clone()), ["aggregate.packets = 0", "at least 1"]);
    let pipe_with = |link: &mut LinkSpec| {
        link.queue = None;
        link.aggregate = Some(AggregateSpec { packets: 1, ..none.clone() });
    };
    check(&pipe_with, ["links[0].aggregate", "a queue and a rate"]);
}
