//! Processes of short flows: what they are worth beside flows listed one by one, and that no flow meets the packets of another.

use proptest::prelude::*;
use sawtooth_networks::networks::{
    MEGABIT, MILLISECOND, SECOND, dumbbell, flow, pipe, port, profile, scenario,
};
use sawtooth_sim::scenario::{
    ArrivalSchedule, ArrivalSpec, FlowSpec, ImpairmentSpec, LinkSpec, Profile, Scenario,
};
use sawtooth_sim::series::completions::Completion;
use sawtooth_sim::{Records, run};

/// Short flows with the last profile over these links.
fn arrivals(scenario: &Scenario, route: [&[u32]; 2], schedule: ArrivalSchedule) -> ArrivalSpec {
    ArrivalSpec {
        name: "web".to_owned(),
        profile: scenario.profiles.len() as u32 - 1,
        in_profile: false,
        forward: route[0].to_vec(),
        reverse: route[1].to_vec(),
        schedule,
    }
}

fn listed(flows: &[(u64, u32)]) -> ArrivalSchedule {
    ArrivalSchedule::List {
        starts_ns: flows.iter().map(|&(start, _)| start).collect(),
        packets: flows.iter().map(|&(_, packets)| packets).collect(),
    }
}

/// One access link that all share, a bottleneck of 10 Mbit/s with a queue, and a way back.
fn shared_path(duration_ns: u64, buffer: u64, profile: Profile) -> Scenario {
    let links = vec![
        pipe("access", 1000 * MEGABIT, 5 * MILLISECOND),
        port("bottleneck", 10 * MEGABIT, 10 * MILLISECOND, buffer),
        pipe("back", 100 * MEGABIT, 15 * MILLISECOND),
    ];
    scenario(duration_ns, links, vec![profile])
}

const PATH: [&[u32]; 2] = [&[0, 1], &[2]];

fn completed(records: &Records) -> &[Completion] {
    &records.series.completions.as_ref().expect("completions are recorded").points
}

/// What `flows` do as short flows, in the order in which they started.
fn completions(network: &Scenario, flows: &[(u64, u32)]) -> Vec<Completion> {
    let mut network = network.clone();
    network.arrivals.push(arrivals(&network, PATH, listed(flows)));
    network.record.completions = true;
    let mut done = completed(&run(&network).unwrap()).to_vec();
    done.sort_by_key(|done| done.start);
    done
}

#[test]
fn a_flow_alone_takes_a_handshake_and_its_rounds() {
    let mut profile = profile("aimd(1, 0.5)", "sack");
    profile.tcp.initial_window = 2.0;
    let network = shared_path(5 * SECOND, 100, profile);
    // In ns, at 1 Gbit/s and then 10 Mbit/s, and at 100 Mbit/s.
    let (there, back) = (|bytes: u64| bytes * 8 + bytes * 800, |bytes: u64| bytes * 80);
    let handshake = 30 * MILLISECOND + there(40) + back(40);
    let round = 30 * MILLISECOND + there(1000) + back(40);
    for (packets, rounds, behind) in [(1, 1, 0), (2, 1, 1), (6, 2, 2), (14, 3, 2), (30, 4, 2)] {
        // From the second round on, each acknowledgement lets two packets go, which leave a serialisation apart.
        let expected = handshake + rounds * round;
        let found = completions(&network, &[(7, packets)])[0].span.nanos();
        let bunching = if rounds == 1 { behind } else { u64::from(packets).div_ceil(2) };
        assert!(
            (expected..=expected + bunching * 800_000).contains(&found),
            "{packets} packets took {found} ns, not {expected}"
        );
    }
    assert_eq!(completions(&network, &[(7, 1)])[0].span.nanos(), handshake + round);
    assert_eq!(completions(&network, &[(7, 2)])[0].span.nanos(), handshake + round + 800_000);
}

#[test]
fn short_flows_do_what_listed_flows_do() {
    for recovery in ["reno", "newreno", "sack"] {
        // 300 flows of up to 60 packets, 10 ms apart on average, at a load above the capacity for a while: many losses.
        let flows: Vec<(u64, u32)> =
            (0..300u64).map(|i| (i * 13_000_017 + (i * i) % 7_001, 1 + (i * 37 % 60) as u32)).collect();
        for delayed_ack in [false, true] {
            let mut profile = profile("aimd(1, 0.5)", recovery);
            profile.tcp.delayed_ack = delayed_ack;
            let network = shared_path(40 * SECOND, 15, profile);
            let mut one_by_one = network.clone();
            one_by_one.flows = flows
                .iter()
                .map(|&(start_ns, packets)| FlowSpec {
                    start_ns,
                    packets: Some(packets),
                    test: false,
                    ..flow(PATH[0], PATH[1])
                })
                .collect();
            let expected = run(&one_by_one).unwrap();
            let ends: Vec<_> =
                expected.flows.iter().map(|flow| flow.finished_ns.expect("time enough")).collect();
            let found = completions(&network, &flows);
            let short: Vec<_> = found.iter().map(|done| (done.start + done.span).nanos()).collect();
            assert_eq!(short, ends, "{recovery}, delayed_ack {delayed_ack}");
            let drops = expected.queues[0].arrivals.drops[0];
            assert!(drops > 100, "only {drops} drops: the test has no teeth");
        }
    }
}

#[test]
fn counters_leave_the_warm_up_out() {
    let mut network = shared_path(20 * SECOND, 50, profile("aimd(1, 0.5)", "sack"));
    network.warmup_ns = 10 * SECOND;
    // Two before, one across the border, three after; the last is never completed.
    let flows = [(SECOND, 3), (2 * SECOND, 4), (10 * SECOND - 1, 10), (11 * SECOND, 20), (12 * SECOND, 30)];
    let flows = [&flows[..], &[(20 * SECOND - 40 * MILLISECOND, 1000)]].concat();
    network.arrivals.push(arrivals(&network, PATH, listed(&flows)));
    let records = run(&network).unwrap();
    let record = &records.arrivals[0];
    assert_eq!((record.started, record.finished, record.completed), (3, 3, 2));
    assert_eq!(record.offered, 20 + 30 + 1000);
    assert_eq!(record.sent, 10 + 20 + 30 + 10, "the last has sent its initial window");
    assert_eq!(record.concurrent_max, 1);
    assert!(records.series.completions.is_none(), "nobody asked");
    assert!(record.delivered_unique >= 60 && record.delivered_unique <= record.sent);
}

#[test]
fn twenty_thousand_flows_need_few_places() {
    let mut network = shared_path(220 * SECOND, 200, profile("aimd(1, 0.5)", "sack"));
    let (intervals, packets_mean, packets_shape) = (vec![[0, 10 * MILLISECOND]], 5.0, 1.5);
    let poisson = ArrivalSchedule::Poisson { intervals, packets_mean, packets_shape };
    network.arrivals.push(arrivals(&network, PATH, poisson));
    network.record.completions = true;
    let records = run(&network).unwrap();
    let record = &records.arrivals[0];
    // A Poisson count of mean 22,000; a load of a half keeps about 100 flows/s for about 0.1 s each in the network.
    assert!((record.started as f64 - 22_000.0).abs() < 5.0 * 22_000f64.sqrt(), "{}", record.started);
    assert!(record.concurrent_max < 400, "{}", record.concurrent_max);
    assert!(record.finished <= record.started && record.finished + 400 > record.started);
    assert_eq!(record.completed, completed(&records).len() as u64);
    let spans: Vec<f64> = completed(&records).iter().map(|done| done.span.nanos() as f64).collect();
    let mean = record.completion_sum.nanos() as f64 / record.completed as f64;
    assert!((mean / (spans.iter().sum::<f64>() / spans.len() as f64) - 1.0).abs() < 1e-9);
    let below = spans.iter().filter(|&&span| span <= record.completion_p95.nanos() as f64 * 1.005).count();
    assert!(below as f64 >= 0.95 * spans.len() as f64, "{below}");
}

#[test]
fn another_flow_moves_no_draw_of_a_process() {
    let mut network = dumbbell(2, 100, profile("aimd(1, 0.5)", "sack"), 20 * SECOND);
    network.record.completions = true;
    let (intervals, packets_mean, packets_shape) = (vec![[0, 50 * MILLISECOND]], 5.0, 1.5);
    let poisson = ArrivalSchedule::Poisson { intervals, packets_mean, packets_shape };
    network.arrivals.push(arrivals(&network, [&[2, 0], &[1, 3]], poisson));
    let drawn = |network: &Scenario| {
        let mut drawn: Vec<_> =
            completed(&run(network).unwrap()).iter().map(|done| (done.start, done.packets)).collect();
        drawn.sort_unstable();
        drawn.retain(|(start, _)| start.nanos() < 15 * SECOND);
        drawn
    };
    let alone = drawn(&network);
    assert!(alone.len() > 200);
    network.flows.pop();
    assert_eq!(drawn(&network), alone);
    network.seed = "2".to_owned();
    assert_ne!(drawn(&network), alone);
}

#[test]
fn bad_processes_are_refused_by_name() {
    let network = shared_path(SECOND, 10, profile("aimd(1, 0.5)", "sack"));
    let complaint = |change: &dyn Fn(&mut Scenario)| {
        let mut network = network.clone();
        network.arrivals.push(arrivals(&network, PATH, listed(&[(1, 1), (2, 2)])));
        change(&mut network);
        network.check().expect_err("something is wrong").to_string()
    };
    let schedule = |schedule: ArrivalSchedule| {
        complaint(&|network: &mut Scenario| network.arrivals[0].schedule = schedule.clone())
    };
    let poisson = |intervals: &[[u64; 2]], packets_mean, packets_shape| {
        schedule(ArrivalSchedule::Poisson { intervals: intervals.to_vec(), packets_mean, packets_shape })
    };
    let starts_with = |text: String, expected: &str| assert!(text.starts_with(expected), "{text}");
    starts_with(
        complaint(&|n| n.arrivals[0].profile = 9),
        "arrivals[0].profile = 9: expected an index below",
    );
    starts_with(
        complaint(&|n| n.arrivals[0].reverse = vec![7]),
        "arrivals[0].reverse = 7: expected an index",
    );
    starts_with(
        complaint(&|n| n.profiles[0].send_jitter_ns = 1),
        "arrivals[0].profile = 0: expected a profile without send_jitter_ns",
    );
    starts_with(schedule(listed(&[(2, 1), (1, 1)])), "arrivals[0].schedule.starts_ns = unsorted times");
    starts_with(schedule(listed(&[(1, 0)])), "arrivals[0].schedule.packets = 0");
    let uneven = ArrivalSchedule::List { starts_ns: vec![1], packets: vec![] };
    starts_with(schedule(uneven), "arrivals[0].schedule.packets = 0: expected one for each start, 1");
    starts_with(poisson(&[], 50.0, 1.5), "arrivals[0].schedule.intervals = []");
    starts_with(
        poisson(&[[0, 10]], 50.0, 1.5),
        "arrivals[0].schedule.intervals[0] = 10: expected 0, or 1 µs",
    );
    starts_with(poisson(&[[5, 1000], [5, 0]], 50.0, 1.5), "arrivals[0].schedule.intervals[1] = 5");
    starts_with(poisson(&[[0, 1000]], 0.5, 1.5), "arrivals[0].schedule.packets_mean = 0.5");
    starts_with(
        poisson(&[[0, 1000]], 50.0, 1.0),
        "arrivals[0].schedule.packets_shape = 1: expected more than 1",
    );
}

fn lossy(name: &str, p: f64) -> LinkSpec {
    LinkSpec { drop: Some(ImpairmentSpec::Bernoulli { p }), ..pipe(name, 100 * MEGABIT, 15 * MILLISECOND) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost on either way, each flow gets all its packets and no other's, and a run repeats.
    #[test]
    fn every_flow_gets_exactly_its_packets(
        seed in 0u32..1000,
        recovery in prop_oneof![Just("reno"), Just("newreno"), Just("sack")],
        (loss, loss_back) in (0.0f64..0.1, 0.0f64..0.1),
        buffer in 3u64..40,
        delayed_ack in any::<bool>(),
        flows in proptest::collection::btree_map(0u64..30_000, 1u32..80, 1..250),
    ) {
        let mut profile = profile("aimd(1, 0.5)", recovery);
        profile.tcp.delayed_ack = delayed_ack;
        let mut network = shared_path(3_000 * SECOND, buffer, profile);
        network.seed = seed.to_string();
        network.links[0] = lossy("access", loss);
        network.links[2] = lossy("back", loss_back);
        let flows: Vec<(u64, u32)> = flows.into_iter().map(|(ms, packets)| (ms * MILLISECOND, packets)).collect();
        network.arrivals.push(arrivals(&network, PATH, listed(&flows)));
        network.record.completions = true;
        let records = run(&network).unwrap();
        let record = &records.arrivals[0];
        prop_assert_eq!((record.started, record.finished), (flows.len() as u64, flows.len() as u64));
        prop_assert_eq!(record.delivered_unique, flows.iter().map(|&(_, packets)| u64::from(packets)).sum::<u64>());
        let mut done: Vec<_> = completed(&records).iter().map(|done| (done.start.nanos(), done.packets)).collect();
        done.sort_unstable();
        prop_assert_eq!(done, flows);
        prop_assert_eq!(run(&network).unwrap().digest(), records.digest());
    }
}
