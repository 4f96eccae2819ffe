//! Runs of real stacks over our network: the same ten times over, and held against ours. This file is part of the tests of every plug-in
//! of a QUIC stack.

use sawtooth_cc::Plugins;
use sawtooth_cc::plugin::Plugin;
use sawtooth_host::LoadError;
use sawtooth_plugin::abi;
use sawtooth_plugin::endpoint_abi::Endpoints;
use sawtooth_sim::{Records, Scenario};
use serde_json::{Value, json};

/// One bandwidth-delay product of 20 Mbit/s and 50 ms, in packets of 1500 bytes.
const PRODUCT: u64 = 83;

/// What a library holds: whole endpoints, or controllers over our transport.
pub trait Offered {
    fn loaded(self) -> Result<Vec<&'static dyn Plugin>, LoadError>;
}

impl Offered for *const Endpoints {
    fn loaded(self) -> Result<Vec<&'static dyn Plugin>, LoadError> {
        unsafe { sawtooth_host::endpoints(self, "00ff") }
    }
}

impl Offered for *const abi::Plugin {
    fn loaded(self) -> Result<Vec<&'static dyn Plugin>, LoadError> {
        unsafe { sawtooth_host::plugins(self, "00ff") }
    }
}

fn plugins(offered: impl Offered) -> Plugins {
    let mut found = Plugins::default();
    for plugin in offered.loaded().expect("a complete description") {
        found.add(plugin).expect("a name of its own");
    }
    found
}

fn profile(plugins: &Plugins, control: &str) -> Value {
    let spec = plugins.parse(control).expect("a controller");
    let ours = spec.endpoint().is_none();
    let mut profile = json!({
        "controller": serde_json::to_value(spec).expect("plain data"),
        "recovery": if ours { json!("quic") } else { Value::Null },
        "packet_bytes": 1500,
        "ack_bytes": 40,
        "tcp": {
            "initial_window": 10, "initial_rto_ns": 1_000_000_000u64, "min_rto_ns": 200_000_000, "max_rto_ns": 60_000_000_000u64,
            "timer_tick_ns": 0, "limited_transmit": true, "delayed_ack": ours, "delayed_ack_timeout_ns": 200_000_000,
            "slow_start_exit": "half", "timeout_threshold": "half", "window_arithmetic": "real", "reno_recover_test": true,
            "sack_pipe": "conservative", "rto_cuts": true, "ecn": false, "receive_window": null, "initial_ssthresh": null
        }
    });
    if ours {
        // As quinn-proto: an acknowledgement for every second packet or after 25 ms, packets paced.
        profile["tcp"]["delayed_ack_timeout_ns"] = json!(25_000_000);
        profile["tcp"]["rtt_samples"] = json!("every");
        profile["tcp"]["pacing"] = json!("on");
    }
    profile
}

/// These controllers, a flow each, for so long; the first quarter is not counted.
fn run(plugins: &Plugins, controls: &[&str], packets: u64, seconds: u64) -> Records {
    let profiles = controls.iter().map(|control| profile(plugins, control)).collect();
    over(plugins, profiles, json!({ "kind": "droptail", "packets": packets }), seconds)
}

/// The same of these profiles over this queue.
fn over(plugins: &Plugins, profiles: Vec<Value>, queue: Value, seconds: u64) -> Records {
    let flow = |index: usize| {
        let start = 100_000_000 * index;
        json!({ "profile": index, "test": true, "forward": [0], "reverse": [1], "start_ns": start })
    };
    let mut scenario: Scenario = serde_json::from_value(json!({
        "seed": "1",
        "duration_ns": seconds * 1_000_000_000,
        "warmup_ns": seconds * 250_000_000,
        "links": [
            { "name": "bottleneck", "rate_bps": 20_000_000, "delay_ns": 25_000_000, "queue": queue },
            { "name": "reverse", "rate_bps": 20_000_000, "delay_ns": 25_000_000 }
        ],
        "flows": (0..profiles.len()).map(flow).collect::<Vec<_>>(),
        "profiles": profiles,
    }))
    .expect("a scenario");
    scenario.bind(plugins).expect("its plug-ins are at hand");
    sawtooth_sim::run(&scenario).expect("a run")
}

/// Throughput in bit/s, and the mean queueing delay in ms.
fn measured(records: &Records, seconds: u64) -> (f64, f64) {
    let departures = &records.queues[0].departures;
    let throughput = 8.0 * departures.forwarded_bytes as f64 / (0.75 * seconds as f64);
    (throughput, departures.delay.nanos() as f64 / 1e6 / departures.forwarded as f64)
}

/// Ten times the same digest: with losses, and beside a flow of ours.
pub fn the_same_ten_times(offered: impl Offered, controls: &[&str]) {
    let plugins = plugins(offered);
    for &control in controls {
        let digest = || run(&plugins, &[control, control, "cubic"], PRODUCT / 2, 6).digest();
        let first = digest();
        for repetition in 2..=10 {
            assert_eq!(digest(), first, "{control}, repetition {repetition}");
        }
    }
}

/// Throughput within 5 % of ours and the mean queue within 20 %, over a buffer of one bandwidth-delay product.
pub fn held_against_ours(offered: impl Offered, pairs: &[(&str, &str)]) {
    let plugins = plugins(offered);
    for &(control, ours) in pairs {
        let alone = |control| measured(&run(&plugins, &[control], PRODUCT, 40), 40);
        let (found, expected) = (alone(control), alone(ours));
        assert!((found.0 / expected.0 - 1.0).abs() < 0.05, "{control} {found:?}, {ours} {expected:?}");
        assert!((found.1 / expected.1 - 1.0).abs() < 0.2, "{control} {found:?}, {ours} {expected:?}");
    }
}

/// Where every packet is marked that finds more than ten in the queue, a flow alone fills the link and waits for ten packets at most.
pub fn heeds_marks(offered: impl Offered, controls: &[&str]) {
    let plugins = plugins(offered);
    for &control in controls {
        let mut capable = profile(&plugins, control);
        capable["tcp"]["ecn"] = json!(true);
        let step = json!({ "kind": "step", "packets": 3 * PRODUCT, "threshold": { "packets": 10 } });
        let records = over(&plugins, vec![capable], step, 20);
        let (throughput, delay_ms) = measured(&records, 20);
        let flow = &records.flows[0];
        assert!(flow.marks > 0 && flow.drops == 0, "{control}: {flow:?}");
        assert!(throughput > 0.8 * 20e6 && delay_ms < 6.0, "{control}: {throughput} bit/s, {delay_ms} ms");
    }
}

/// Everything that an application reads was sent, and headers and encryption take less than 5 %.
pub fn what_is_read_was_carried(offered: impl Offered, controls: &[&str]) {
    let plugins = plugins(offered);
    for &control in controls {
        let records = run(&plugins, &[control], PRODUCT, 10);
        let flow = &records.flows[0];
        let share = flow.delivered_unique as f64 / flow.delivered_total as f64;
        assert!(share > 0.95 && share < 0.97, "{control}: {share} of {flow:?}");
        assert!(flow.srtt_ns > 50_000_000 && flow.round_trips.samples > 1000, "{control}: {flow:?}");
    }
}
