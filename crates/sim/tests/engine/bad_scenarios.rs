//! What a scenario may get wrong is refused at the door, with path, value and what is accepted; what passes, runs.

use proptest::prelude::*;
use sawtooth_cc::CONTROLLERS;
use sawtooth_networks::random_networks::{Entries, Network, any_network};
use sawtooth_sim::Scenario;
use sawtooth_sim::queue::DISCIPLINES;
use sawtooth_sim::run;
use sawtooth_sim::tcp::RECOVERIES;
use serde_json::{Value, json};

fn example() -> Value {
    serde_json::from_str(include_str!("../../examples/cross_traffic.json")).expect("an example is JSON")
}

/// The complaint about the example with one value replaced.
fn complaint(pointer: &str, value: Value) -> String {
    let mut text = example();
    let (table, key) = pointer.rsplit_once('/').expect("a pointer begins with a stroke");
    match text.pointer_mut(table).unwrap_or_else(|| panic!("{table} leads nowhere")) {
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        fields => fields[key] = value, // a field that is left out at its default may be new
    }
    match Scenario::from_value(text) {
        Err(error) => error.to_string(),
        Ok(scenario) => scenario.check().expect_err(pointer).to_string(),
    }
}

/// The complaint about a value that replaces one of the example's names it and says what is accepted.
fn check(pointer: &str, value: Value, expected: &str) {
    assert_eq!(complaint(pointer, value), expected, "{pointer}");
}

#[test]
fn a_wrong_time_or_link_is_named_with_what_is_accepted() {
    check("/duration_ns", json!(0), "duration_ns = 0: expected 1 ns to ten years");
    check("/warmup_ns", json!(20_000_000_000u64), "warmup_ns = 20000000000: expected less than duration_ns");
    check("/links", json!([]), "links = []: expected at least one link");
    check("/links/0/rate_bps", json!(0), "links[0].rate_bps = 0: expected 1 bit/s to 100 Tbit/s");
    check(
        "/links/0/rate_bps",
        json!(null),
        "links[0].rate_bps = neither: expected either rate_bps or trace_ms",
    );
    check(
        "/links/0",
        json!({"name": "x", "rate_bps": 1, "delay_ns": 0, "trace_once": true}),
        "links[0].trace_once = true: expected false where there is no trace",
    );
    check(
        "/links/0/delay_ns",
        json!(u64::MAX),
        "links[0].delay_ns = 18446744073709551615: expected at most one day",
    );
}

#[test]
fn a_wrong_queue_is_named_with_what_is_accepted() {
    check(
        "/links/0/queue",
        json!({"kind": "droptail"}),
        "links[0].queue = drop-tail: expected either packets or bytes as its limit",
    );
    check(
        "/links/0/queue",
        json!({"kind": "droptail", "packets": 0}),
        "links[0].queue = 0: expected a limit of at least 1",
    );
    check(
        "/links/0/queue",
        json!({"kind": "drr", "quantum": 500}),
        "links[0].queue = drr: expected either packets or bytes as its limit",
    );
    check(
        "/links/0/queue",
        json!({"kind": "drr", "packets": 10, "quantum": 0}),
        "links[0].queue.quantum = 0: expected 1 to 1000000 bytes",
    );
    for (key, value, expected) in [
        ("min", json!(0), "links[0].queue.min = 0: expected above 0, at most 1e9 packets"),
        ("max", json!(25), "links[0].queue.max = 25: expected above min, at most 1e9 packets"),
        ("max_p", json!(1.5), "links[0].queue.max_p = 1.5: expected 0 < max_p ≤ 1"),
        ("weight", json!(0), "links[0].queue.weight = 0: expected 0 < weight ≤ 1"),
        ("mean_packet", json!(0), "links[0].queue.mean_packet = 0: expected 1 B to 65535 B"),
        ("bytes", json!(1000), "links[0].queue = red: expected either packets or bytes as its limit"),
    ] {
        let queue = json!({"kind": "red", "packets": 9, key: value});
        check("/links/0/queue", queue.clone(), expected);
        let mut rio = queue;
        rio["kind"] = json!("rio");
        check("/links/0/queue", rio, &expected.replace("= red", "= rio"));
    }
}

#[test]
fn a_wrong_profile_is_named_with_what_is_accepted() {
    check("/profiles/1/packet_bytes", json!(0), "profiles[1].packet_bytes = 0: expected at least 1");
    check("/profiles/0/tcp/min_rto_ns", json!(0), "profiles[0].tcp.min_rto_ns = 0: expected a positive time");
    check(
        "/profiles/0/tcp/initial_window",
        json!(0.5),
        "profiles[0].tcp.initial_window = 0.5: expected 1 to 1e9 packets",
    );
    check("/profiles/0/controller/b_d", json!(1.5), "profiles[0].controller.b_d = 1.5: expected 0 ≤ b_d ≤ 1");
    let mut paced = example()["profiles"][0].clone();
    paced["recovery"] = json!(null);
    paced["controller"] = json!({"kind": "tfrc", "intervals": 8.5, "discount": 1.0, "damping": 1.0});
    check(
        "/profiles/0",
        paced,
        "profiles[0].controller.intervals = 8.5: expected a whole number, 2 ≤ intervals ≤ 64",
    );
    let mut exact = example()["profiles"][0].clone();
    (exact["tcp"]["rtt_ticks"], exact["tcp"]["timer_tick_ns"]) = (json!("counted"), json!(0));
    check(
        "/profiles/0",
        exact,
        "profiles[0].tcp.rtt_ticks = counted: expected up where tcp.timer_tick is 0: there is nothing to count",
    );
    // A run with 1 ns sent probes without end until all memory was gone.
    let mut probing = example()["profiles"][0].clone();
    (probing["recovery"], probing["tcp"]["max_rto_ns"]) = (json!("quic"), json!(999_999));
    check("/profiles/0", probing, "profiles[0].tcp.max_rto_ns = 999999: expected at least 1 ms beside quic");
}

#[test]
fn a_wrong_setting_beside_a_rate_is_named_with_what_is_accepted() {
    for (key, value, expected) in [
        ("ecn", "l4s", "off or classic for a rate-based controller, whose reports say what was marked"),
        (
            "rtt_samples",
            "every",
            "round for a rate-based controller, which has its own measure of round trips",
        ),
        ("pacing", "on", "off for a rate-based controller, whose packets leave one by one anyway"),
        ("prr", "rfc9937", "off for a rate-based controller, which has no fast recovery"),
        ("rto", "linux", "rfc6298 for a rate-based controller, which retransmits nothing"),
        ("slow_start", "hystart", "standard for a rate-based controller, which has a start of its own"),
        ("timers", "linux", "exact for a rate-based controller, which retransmits nothing"),
        ("rtt_ticks", "counted", "up for a rate-based controller, which has its own measure of round trips"),
    ] {
        let mut profile = example()["profiles"][0].clone();
        profile["controller"] = json!({"kind": "tfrc", "intervals": 8.0, "discount": 0.3, "damping": 1.0});
        profile["recovery"] = json!(null);
        profile["tcp"][key] = json!(value);
        check("/profiles/0", profile, &format!("profiles[0].tcp.{key} = {value}: expected {expected}"));
    }
    for (key, value, expected) in [
        ("ack_every", json!(3), "none for a rate-based controller, whose receiver reports"),
        ("ack_aggregation_ns", json!(5), "0 for a rate-based controller, whose receiver reports"),
        ("tail_probe", json!(false), "true for a rate-based controller, which retransmits nothing"),
        ("max_ack_delay_ns", json!(5), "0 for a rate-based controller, which retransmits nothing"),
    ] {
        let mut profile = example()["profiles"][0].clone();
        profile["controller"] = json!({"kind": "tfrc", "intervals": 8.0, "discount": 0.3, "damping": 1.0});
        profile["recovery"] = json!(null);
        profile["tcp"][key] = value.clone();
        check("/profiles/0", profile, &format!("profiles[0].tcp.{key} = {value}: expected {expected}"));
    }
}

#[test]
fn a_wrong_flow_is_named_with_what_is_accepted() {
    check("/flows/0/profile", json!(2), "flows[0].profile = 2: expected an index below 2");
    check("/flows/0/forward", json!([99]), "flows[0].forward = 99: expected an index below 10");
    check("/flows/0/reverse", json!([]), "flows[0].reverse = 0 links: expected 1 to 249 links");
    check(
        "/flows/0/forward",
        json!([0]),
        "flows[0].forward = [0, …]: expected a first link without queue where send_jitter_ns is set",
    );
    for (supply, expected) in [
        (json!([[5, 1], [5, 2]]), "flows[0].supply[1] = 5: expected a time later than the one before"),
        (json!([[0, 1], [1, 0]]), "flows[0].supply[1] = 0: expected at least 1 packet"),
        (
            json!([[0, 4_000_000_000u64], [1, 294_967_295]]),
            "flows[0].supply[1] = 294967295: expected fewer than 4294967295 packets together",
        ),
        (
            json!([[u64::MAX, 1]]),
            "flows[0].supply[0] = 18446744073709551615: expected at most ten years after the start",
        ),
    ] {
        check("/flows/0/supply", supply, expected);
    }
    let mut flow = example()["flows"][0].clone();
    (flow["supply"], flow["packets"]) = (json!([[0, 1]]), json!(1));
    check(
        "/flows/0",
        flow,
        "flows[0].supply = 1 entries: expected none beside packets, of which it is the sum",
    );
}

#[test]
fn a_wrong_source_or_record_is_named_with_what_is_accepted() {
    check(
        "/sources/0/rates/1",
        json!([0, 1]),
        "sources[0].rates[1] = 0: expected a time later than the one before",
    );
    check(
        "/sources/0",
        json!({"name": "x", "packet_bytes": 1000, "route": [0], "rates": [[0, 1]], "counts": [1, 2]}),
        "sources[0].counts = 2 numbers: expected none, or as many as rates: 1",
    );
    check(
        "/sources/0",
        json!({"name": "x", "packet_bytes": 1000, "route": [0], "rates": [[0, 1]], "counts": [1_000_001]}),
        "sources[0].counts[0] = 1000001: expected at most 1000000 sources, of 100 Tbit/s together",
    );
    check(
        "/sources/0/rates/1/1",
        json!(u64::MAX),
        "sources[0].rates[1] = 18446744073709551615: expected at most 100 Tbit/s",
    );
    check("/record/sample_ns", json!(0), "record.sample_ns = 0: expected a positive interval");
    // 20 s of four flows and a queue: a row each per µs are 100 million.
    let finest = "at least 1000 ns, so that 5 flows and queues have at most 100000000 rows";
    check("/record/sample_ns", json!(999), &format!("record.sample_ns = 999: expected {finest}"));
    check("/record/rates_ns", json!(1), &format!("record.rates_ns = 1: expected {finest}"));
}

#[test]
fn an_unknown_word_is_named() {
    let check = |pointer: &str, value: Value, wanted: [&str; 2]| {
        let found = complaint(pointer, value);
        assert!(wanted.iter().all(|words| found.contains(words)), "{pointer}: {found}");
    };
    check("/record", json!({"window": true}), ["window", "windows"]);
    check("/profiles/0/recovery", json!("vegas"), ["vegas", "newreno"]);
    check("/links/0/queue", json!({"kind": "blue", "packets": 3}), ["blue", "droptail"]);
    check("/links/0/queue", json!({"kind": "red", "packets": 3, "minimum": 3}), ["minimum", "max_p"]);
    check("/links/0/queue", json!({"kind": "rio", "packets": 3, "minimum": 3}), ["minimum", "unknown"]);
    check("/links/0/queue", json!({"kind": "red", "packets": 3, "spacing": "wide"}), ["wide", "uniform"]);
    check("/links/0/queue", json!({"kind": "rio", "packets": 3, "rule": "codel"}), ["codel", "drop-tail"]);
    check("/flows/0/start_ns", json!(-1), ["-1", "u64"]);
    check("/flows/0/start_ns", json!("1 s"), ["1 s", "u64"]);
}

/// Every number in a scenario, by pointer.
fn numbers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(pointer.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| numbers(item, &format!("{pointer}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| numbers(field, &format!("{pointer}/{name}"), found));
        }
        _ => {}
    }
}

fn small_network() -> impl Strategy<Value = Network> {
    let entries = (0..RECOVERIES.len(), 0..CONTROLLERS.len(), 0..DISCIPLINES.len());
    let served = |&(recovery, controller, _): &(usize, usize, usize)| {
        RECOVERIES[recovery].serves(CONTROLLERS[controller].properties())
    };
    entries.prop_filter("a recovery for the controller", served).prop_flat_map(
        |(recovery, controller, discipline)| {
            any_network(Entries {
                recovery: Some(&RECOVERIES[recovery]),
                controller: &CONTROLLERS[controller],
                discipline: &DISCIPLINES[discipline],
            })
        },
    )
}

/// Values that break arithmetic, if anything does.
fn extreme() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(-1)),
        Just(json!(0.5)),
        Just(json!(1e300)),
        Just(json!(-1e300)),
        Just(json!(u16::MAX)),
        Just(json!(u32::MAX)),
        Just(json!(u64::MAX)),
        Just(json!(i64::MAX)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// After the check nothing inside a run can fail: one number of a good scenario becomes an extreme one.
    #[test]
    fn what_passes_the_check_runs(network in small_network(), place in any::<prop::sample::Index>(), value in extreme()) {
        let mut text = serde_json::to_value(&network.0).unwrap();
        let mut places = Vec::new();
        numbers(&text, "", &mut places);
        // These ask for work without end, and get it: a billion packets at once, ten years, a sample every nanosecond.
        let endless = ["initial_window", "duration_ns", "sample_ns", "rates_ns"];
        places.retain(|place| endless.iter().all(|name| !place.ends_with(name)));
        let pointer = place.get(&places);
        *text.pointer_mut(pointer).unwrap() = value;
        if let Ok(scenario) = Scenario::from_value(text) {
            let outcome = std::panic::catch_unwind(|| run(&scenario).map(|_| ()));
            prop_assert!(outcome.is_ok(), "{pointer}: {:?}", Network(scenario));
        }
    }
}
