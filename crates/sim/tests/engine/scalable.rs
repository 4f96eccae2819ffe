//! Controllers whose cuts follow the share of marked packets, in whole networks.

use sawtooth_networks::networks::{self, MEGABIT, MILLISECOND, SECOND, dumbbell, profile};
use sawtooth_sim::Records;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{ImpairmentSpec, LinkSpec, QueueSpec, RecordSpec, Scenario};
use sawtooth_sim::series::windows::WindowEvent;
use serde_json::{from_value, json};

/// Flows at a router that marks what finds so many packets waiting; round trips of 40, 42, … ms.
fn behind_a_step(controller: &str, flows: u32, megabits: u64, threshold: u64) -> Scenario {
    let mut scenario = dumbbell(flows, 0, profile(controller, "sack"), 120 * SECOND);
    let step = json!({ "kind": "step", "packets": 1_000, "threshold": { "packets": threshold } });
    scenario.links[0].queue = Some(from_value::<QueueSpec>(step).expect("a queue"));
    scenario.links[0].rate_bps = Some(megabits * MEGABIT);
    scenario.warmup_ns = 20 * SECOND;
    scenario.record = RecordSpec { windows: true, ..RecordSpec::default() };
    scenario
}

/// The mean of alpha at the marks that were answered after the warm-up: a mark leaves w(1 - alpha/2).
fn mean_alpha(records: &Records) -> f64 {
    let points = &records.series.windows.as_ref().expect("windows were recorded").points;
    let alphas: Vec<f64> = points
        .iter()
        .filter(|point| point.event == WindowEvent::Ecn && point.time.nanos() > 20 * SECOND)
        .map(|point| 2.0 * (1.0 - point.window / point.before))
        .collect();
    assert!(alphas.len() > 20, "{} marks", alphas.len());
    alphas.iter().sum::<f64>() / alphas.len() as f64
}

#[test]
fn a_lone_dctcp_flow_has_the_alpha_of_its_fluid_model() {
    for (megabits, threshold) in [(10, 10), (10, 60), (20, 20), (20, 100), (30, 40)] {
        let records = run(&behind_a_step("dctcp", 1, megabits, threshold)).expect("a scenario");
        // [Alizadeh10] §3.3: alpha²(1 - alpha/4) is about 2/W, W the window at which marking begins: what the link holds and K.
        let window = megabits as f64 * 1e6 * 0.040 / 8_000.0 + threshold as f64;
        let expected = (2.0 / window).sqrt();
        // Its condition for g: alpha falls by less than a half from one marking to the next.
        assert!(1.0 / 16.0 < 1.386 / (2.0 * window).sqrt(), "{window}");
        let flow = &records.flows[0];
        let marked = flow.marks as f64 / flow.delivered_total as f64;
        for (what, alpha) in [("at marks", mean_alpha(&records)), ("over all packets", marked)] {
            let ratio = alpha / expected;
            assert!(
                (0.8..=1.2).contains(&ratio),
                "{megabits} Mbit/s, K {threshold}, {what}: {alpha} for {expected}"
            );
        }
        assert_eq!((flow.drops, flow.timeouts, flow.loss_events), (0, 0, 0));
        // K is above a seventh of what the link holds, so it never runs dry ([Alizadeh10] §3.3).
        let carried = flow.delivered_unique as f64 * 8_000.0 / (100.0 * megabits as f64 * 1e6);
        assert!(carried > 0.999, "{carried}");
    }
}

/// One flow over a link that is never full and marks every packet with probability p.
fn marked_at_random(controller: &str, recovery: &str, p: f64, rtt_ms: u64) -> Scenario {
    let bottleneck = networks::port("bottleneck", 10_000 * MEGABIT, rtt_ms * MILLISECOND / 2, 100_000);
    let reverse = networks::pipe("reverse", 10_000 * MEGABIT, rtt_ms * MILLISECOND / 2);
    let links = vec![LinkSpec { mark: Some(ImpairmentSpec::Bernoulli { p }), ..bottleneck }, reverse];
    let mut endpoints = profile(controller, recovery);
    endpoints.tcp.delayed_ack = false; // over QUIC every second packet is the default
    Scenario {
        flows: vec![networks::flow(&[0], &[1])],
        warmup_ns: 20 * SECOND,
        ..networks::scenario(120 * SECOND, links, vec![endpoints])
    }
}

#[test]
fn prague_has_the_rate_of_its_virtual_round_trip_whatever_the_round_trip() {
    // alpha is p, and a mark is answered once in max(25 ms, RTT) = V, and then at the next one, 1/(p r) later at a rate r. So per second the
    // window, r RTT, loses r RTT p/2 · 1/(V + 1/(p r)); it gains (1 - p) r (RTT/V)² / (r RTT). With x = p r V, x² = 2 (1 - p)(x + 1).
    // Over QUIC as over TCP: a mark begins no recovery period, which had stopped growth for a round trip and halved the rate.
    let cases = [(0.01, 5), (0.01, 10), (0.01, 20), (0.01, 50), (0.05, 5), (0.05, 20)];
    for ((p, rtt_ms), recovery) in cases.into_iter().flat_map(|case| [(case, "sack"), (case, "quic")]) {
        let records = run(&marked_at_random("prague(rounds=0)", recovery, p, rtt_ms)).expect("a scenario");
        let unmarked = 1.0 - p;
        let x = unmarked + (unmarked * unmarked + 2.0 * unmarked).sqrt();
        let virtual_rtt = rtt_ms.max(25) as f64 / 1e3;
        let rate = records.flows[0].delivered_unique as f64 / 100.0;
        let ratio = rate * virtual_rtt * p / x;
        assert!(
            (0.9..=1.1).contains(&ratio),
            "{recovery}, p = {p}, {rtt_ms} ms: {rate} packets/s, {ratio} of the expected"
        );
    }
}
