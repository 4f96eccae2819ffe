//! TFRC in whole networks: what its descriptions promise, measured.

use sawtooth_cc::RATE_CONTROLLERS;
use sawtooth_networks::networks::{self, MILLISECOND, SECOND};
use sawtooth_sim::scenario::{ImpairmentSpec, LinkSpec, RecordSpec, Scenario};
use sawtooth_sim::series::congestion::PacketFate;
use sawtooth_sim::series::windows::{WindowEvent, WindowPoint};
use sawtooth_sim::tcp::Ecn;
use sawtooth_sim::{Records, run};

/// One flow of this controller over a link that is never full and loses what `drop` says; a round trip of 100 ms.
fn lossy(controller: &str, seconds: u64, drop: Option<ImpairmentSpec>) -> Scenario {
    let bottleneck = networks::port("bottleneck", 1_000_000_000, 50 * MILLISECOND, 100_000);
    let reverse = networks::pipe("reverse", 1_000_000_000, 50 * MILLISECOND);
    let links = vec![LinkSpec { drop, ..bottleneck }, reverse];
    Scenario {
        flows: vec![networks::flow(&[0], &[1])],
        record: RecordSpec {
            windows: true,
            congestion: true,
            sample_ns: Some(100 * MILLISECOND),
            ..RecordSpec::default()
        },
        ..networks::scenario(seconds * SECOND, links, vec![networks::profile(controller, "none")])
    }
}

fn windows(records: &Records) -> &[WindowPoint] {
    &records.series.windows.as_ref().expect("windows are recorded").points
}

/// How many packets met this fate at the bottleneck.
fn met(records: &Records, fate: PacketFate) -> u64 {
    let points = &records.series.congestion.as_ref().expect("congestion is recorded").points;
    points.iter().filter(|point| point.fate == fate).count() as u64
}

/// Packets per round trip at the samples.
fn samples(records: &Records) -> Vec<f64> {
    let points = windows(records).iter();
    points.filter(|point| point.event == WindowEvent::Sample).map(|point| point.window).collect()
}

fn cuts(records: &Records, kind: WindowEvent) -> Vec<&WindowPoint> {
    windows(records).iter().filter(|point| point.event == kind).collect()
}

/// Packets per round trip of the response function with t_RTO = 4R, from its formula.
fn equation(p: f64) -> f64 {
    1.0 / ((2.0 * p / 3.0).sqrt() + 12.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p))
}

fn periodic(n: u64) -> Option<ImpairmentSpec> {
    Some(ImpairmentSpec::Periodic { n })
}

#[test]
fn regular_losses_hold_the_rate_of_the_equation() {
    for n in [50, 100, 400, 2000] {
        let records = run(&lossy("tfrc", 400, periodic(n))).unwrap();
        let late = &samples(&records)[2000..];
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        let expected = equation(1.0 / n as f64);
        // Each loss closes an interval of exactly n packets, so there is no chance in it; the open interval lifts the average
        // a little before it closes.
        assert!((mean / expected - 1.0).abs() < 0.03, "n = {n}: {mean} instead of {expected}");
    }
}

#[test]
fn in_a_steady_state_the_rate_does_not_swing() {
    let records = run(&lossy("tfrc", 400, periodic(400))).unwrap();
    let late = &samples(&records)[2000..];
    let (lowest, highest) =
        late.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &rate| (low.min(rate), high.max(rate)));
    assert!(lowest / highest > 0.97, "{lowest} to {highest}");
}

#[test]
fn slow_start_doubles_every_other_round_trip_until_the_first_loss() {
    // A report of one round trip speaks of packets sent a round trip before, so twice the rate received is reached only after two
    // round trips; ns-2's TFRC takes as long.
    let list = Some(ImpairmentSpec::List { packets: vec![500] });
    for (controller, first) in [("tfrc", 1.0), ("tfrc-5348", 4.0)] {
        let records = run(&lossy(controller, 10, list.clone())).unwrap();
        let loss = cuts(&records, WindowEvent::Loss)[0];
        let points = windows(&records).iter();
        let begin: Vec<f64> = points
            .filter(|point| point.event == WindowEvent::Sample && point.time < loss.time)
            .map(|point| point.window)
            .skip_while(|&rate| rate < first)
            .collect();
        assert!(begin.windows(2).all(|pair| pair[1] / pair[0] < 2.01), "{controller}: {begin:?}");
        let doublings = (loss.before / first).log2();
        assert!((begin.len() as f64 - 2.0 * doublings).abs() <= 3.0, "{controller}: {begin:?}");
        // The equation then gives what was received, which is half of what was sent or, a round trip later, all of it.
        let kept = loss.window / loss.before;
        assert!((0.45..=1.0).contains(&kept), "{controller}: {kept} of {}", loss.before);
    }
}

/// Rises from one round trip to the next once losses every `n` packets have stopped.
fn rises(controller: &str, n: u64) -> Vec<f64> {
    let packets = (1..=40).map(|k| 2_000 + k * n).collect();
    let records = run(&lossy(controller, 200, Some(ImpairmentSpec::List { packets }))).unwrap();
    let last = cuts(&records, WindowEvent::Loss).last().expect("losses").time;
    let points = windows(&records).iter();
    let after: Vec<f64> = points
        .filter(|point| point.event == WindowEvent::Sample && point.time > last)
        .map(|point| point.window)
        .collect();
    after.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn the_rise_without_losses_emerges_from_the_average() {
    // 3/4 of the newest interval's weight: 0.125 for 1/6; 0.30 once the older seven count 0.3.
    let plain = rises("tfrc(8, 1, 0)", 400);
    let largest = plain.iter().copied().fold(0.0, f64::max);
    assert!((0.12..=0.14).contains(&largest), "{largest}");
    let discounted = rises("tfrc(8, 0.3, 0)", 400);
    let settled = discounted[discounted.len() - 50..].iter().sum::<f64>() / 50.0;
    assert!((0.28..=0.30).contains(&settled), "{settled}");
}

#[test]
fn about_five_round_trips_of_losses_halve_the_rate() {
    // 400 packets apart, then every tenth is lost, so that each round trip has a loss event.
    let mut packets: Vec<u64> = (1..=40).map(|k| 2_000 + k * 400).collect();
    let onset = *packets.last().unwrap() + 400;
    packets.extend((0..200).map(|k| onset + 10 * k));
    let records = run(&lossy("tfrc(8, 0.3, 0)", 200, Some(ImpairmentSpec::List { packets }))).unwrap();
    let losses = cuts(&records, WindowEvent::Loss);
    let (before, begin) = (losses[41].before, losses[41].time);
    let halved = losses.iter().find(|point| point.window <= before / 2.0).expect("it is halved");
    let rounds = (halved.time - begin).nanos() as f64 / (100 * MILLISECOND) as f64;
    assert!((3.5..=8.0).contains(&rounds), "{rounds}");
}

#[test]
fn without_reports_the_rate_is_halved_again_and_again() {
    for controller in ["tfrc", "tfrc-5348"] {
        let mut scenario = lossy(controller, 60, periodic(100));
        // From 20 s on every report is lost.
        let healthy = run(&scenario).unwrap();
        let reports = healthy.account.packets_delivered;
        assert!(cuts(&healthy, WindowEvent::Timeout).is_empty(), "{controller}");
        scenario.links[1].drop = Some(ImpairmentSpec::List { packets: (200..reports).collect() });
        let records = run(&scenario).unwrap();
        let cuts = cuts(&records, WindowEvent::Timeout);
        assert!(cuts.len() >= 5, "{controller}: {cuts:?}");
        for pair in cuts.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            assert!((second.window / first.window - 0.5).abs() < 0.01, "{controller}: {first:?} {second:?}");
            // max(4R, 2/X) with R = 100 ms
            let wait = (second.time - first.time).nanos() as f64 / SECOND as f64;
            let expected = f64::max(0.4, 2.0 * 0.1 / first.window);
            assert!((wait / expected - 1.0).abs() < 0.05, "{controller}: {wait} instead of {expected}");
        }
        assert_eq!(records.flows[0].timeouts, cuts.len() as u64);
    }
}

#[test]
fn a_mark_is_a_loss_event_without_a_loss() {
    let mut scenario = lossy("tfrc", 200, None);
    scenario.links[0].mark = periodic(100);
    scenario.profiles[0].tcp.ecn = Ecn::Classic;
    let records = run(&scenario).unwrap();
    let flow = &records.flows[0];
    assert!(flow.marks > 100 && flow.drops == 0 && flow.loss_events == 0, "{flow:?}");
    assert!(flow.ecn_reductions.abs_diff(flow.marks) <= 2, "{flow:?}");
    let noted = met(&records, PacketFate::Mark);
    assert!(noted - flow.marks <= 1 && met(&records, PacketFate::Drop) == 0, "{noted} of {flow:?}");
    let late = &samples(&records)[1000..];
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((mean / equation(0.01) - 1.0).abs() < 0.03, "{mean}");
}

#[test]
fn a_lost_handshake_is_repeated() {
    for row in RATE_CONTROLLERS {
        let mut scenario = lossy(row.name, 10, None);
        // A queue of one packet that a burst of cross traffic keeps full drops the SYN.
        scenario.links[0] = networks::port("bottleneck", 8_000_000, 50 * MILLISECOND, 1);
        scenario.sources = vec![networks::source(&[0], &[[0, 80_000_000], [500 * MILLISECOND, 0]])];
        scenario.flows[0].start_ns = 100 * MILLISECOND + 12_345;
        let records = run(&scenario).unwrap();
        assert!(records.flows[0].timeouts >= 1 && records.flows[0].delivered_unique > 20, "{}", row.name);
    }
}

#[test]
fn the_same_scenario_gives_the_same_numbers_and_the_books_are_in_order() {
    for row in RATE_CONTROLLERS {
        let scenario = |seed: &str| {
            let drop = Some(ImpairmentSpec::Bernoulli { p: 0.02 });
            Scenario { seed: seed.to_owned(), ..lossy(row.name, 60, drop) }
        };
        let records = run(&scenario("1")).unwrap();
        assert_eq!(records.digest(), run(&scenario("1")).unwrap().digest());
        assert_ne!(records.digest(), run(&scenario("2")).unwrap().digest());
        let flow = &records.flows[0];
        assert!(flow.retransmits == 0 && flow.delivered_unique == flow.delivered_total, "{flow:?}");
        assert_eq!(met(&records, PacketFate::Drop), flow.drops);
        assert!(flow.drops + flow.delivered_total <= flow.sent && flow.loss_events <= flow.drops, "{flow:?}");
        assert!(flow.window_mean.is_finite() && flow.window_mean > 1.0, "{flow:?}");
    }
}

#[test]
fn a_rate_based_flow_takes_no_recovery_and_carries_no_file() {
    let complaint = |scenario: &Scenario| scenario.check().expect_err("refused").to_string();
    let mut scenario = lossy("tfrc", 10, None);
    scenario.flows[0].packets = Some(10);
    assert_eq!(
        complaint(&scenario),
        "flows[0].packets = 10: expected none for a rate-based flow, which never makes up for what is lost"
    );
    let with = Scenario { profiles: vec![networks::profile("tfrc", "sack")], ..lossy("tfrc", 10, None) };
    assert!(complaint(&with).contains("profiles[0].recovery = given: expected none"), "{}", complaint(&with));
    let without = Scenario { profiles: vec![networks::profile("tcp", "none")], ..lossy("tfrc", 10, None) };
    assert!(complaint(&without).contains("recovery = none: expected a loss recovery"));
}
