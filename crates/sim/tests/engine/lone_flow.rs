//! A flow alone finds its link: today's laws over links from 1 to 1,000 Mbit/s and round trips from 1 to 300 ms.
//!
//! It carries at least 95 % of what its specification leaves it, and 98 % where that is BBR's:
//!
//! | law             | what is left                                                                                                |
//! |-----------------|-------------------------------------------------------------------------------------------------------------|
//! | `bbr`           | all but half of a round trip and half of max(200 ms, a round trip), once in 5 s: draft-ietf-ccwg-bbr §5.3.4.2, whose 2 % hold for round trips below 200 ms; some 5.5 % at 300 ms |
//! | `bbr-1`         | all but a round trip and max(200 ms, a round trip), once in 10 s: four packets are in flight in that time ([Cardwell16]); some 5.7 % at 300 ms |
//! | `dctcp`, `prague` | all, behind the router that they are made for, once a packet per round trip (RFC 8257 §3.3), or per virtual one (draft-briscoe-iccrg-prague §2.4.4), has had time to fill the path |
//! | others          | all                                                                                                         |
//!
//! `SAWTOOTH_TEST_CASES=all` adds 1,000 Mbit/s over 300 ms, where RFC 6817 §2.4.2 gives `ledbat` three hours to fill the path: without it.

use sawtooth_cc::ControlState;
use sawtooth_networks::networks::{MEGABIT, MILLISECOND, SECOND, flow, pipe, port, profile, scenario};
use sawtooth_sim::scenario::{QueueSpec, Scenario};
use sawtooth_sim::{Records, run};
use serde_json::{from_value, json};

/// Rate in Mbit/s, round trip in ms, and how many seconds; the latter half counts.
const PATHS: [(u64, u64, u64); 9] = [
    (1, 1, 60),
    (1, 300, 120),
    (5, 20, 40),
    (20, 150, 40),
    (100, 1, 12),
    (100, 60, 16),
    (100, 300, 40),
    (1_000, 1, 2),
    (1_000, 20, 12),
];
const CORNER: (u64, u64, u64) = (1_000, 300, 60);
/// The packets that these paths hold, per Mbit/s and ms.
const PACKETS: f64 = 1.0 / 8.0;

/// One flow over a link of so many Mbit/s, with a queue of a bandwidth-delay product and twenty packets; the latter half of so many
/// seconds counts.
fn alone(controller: &str, (megabits, rtt_ms, seconds): (u64, u64, u64)) -> Scenario {
    let bdp = megabits * MEGABIT * rtt_ms / 1_000 / 8_000;
    let half = rtt_ms * MILLISECOND / 2;
    let links = vec![
        port("bottleneck", megabits * MEGABIT, half, bdp + 20),
        pipe("reverse", megabits * MEGABIT, half),
    ];
    Scenario {
        flows: vec![flow(&[0], &[1])],
        warmup_ns: seconds * SECOND / 2,
        ..scenario(seconds * SECOND, links, vec![profile(controller, "rack")])
    }
}

fn measured_s(scenario: &Scenario) -> f64 {
    (scenario.duration_ns - scenario.warmup_ns) as f64 / 1e9
}

/// The part of the link that the flow used.
fn share(scenario: &Scenario, records: &Records) -> f64 {
    let rate = scenario.links[0].rate_bps.expect("a link with a rate") as f64;
    records.flows[0].delivered_unique as f64 * 8_000.0 / measured_s(scenario) / rate
}

/// What PROBE_RTT leaves of a link, and the largest part of the time that it takes, by the specifications.
///
/// A flow that holds a bandwidth-delay product sends nothing until as little is in flight as PROBE_RTT allows, then that much per round
/// trip for 200 ms and one round trip at least.
fn beside_probe_rtt(controller: &str, rtt_ms: u64) -> (f64, f64) {
    let (interval, allowed) = match controller {
        "bbr" => (5.0, 0.5),
        "bbr-1" => (10.0, 0.0), // four packets
        _ => return (1.0, 0.0),
    };
    let rtt = rtt_ms as f64 / 1e3;
    let (draining, stay) = ((1.0 - allowed) * rtt, rtt.max(0.2));
    let cycle = interval + draining + stay;
    // It lasts until an acknowledgement finds the time over, and the queue of a probe is to be drained as well.
    let longest = (1.25 * rtt + stay + rtt) / (interval + stay);
    (1.0 - (draining + (1.0 - allowed) * stay) / cycle, longest)
}

/// The path if the flow did not find it, with what it carried.
fn misses(controller: &str, path: (u64, u64, u64)) -> Option<String> {
    let scenario = alone(controller, path);
    let records = run(&scenario).expect("a scenario");
    let (left, longest) = beside_probe_rtt(controller, path.1);
    let share = share(&scenario, &records);
    let probing = records.states.iter().filter(|row| row.state == ControlState::ProbeRtt as u32);
    let probing: f64 = probing.map(|row| row.time.nanos() as f64 / 1e9 / measured_s(&scenario)).sum();
    // A run may hold the begin of an interval and not its end.
    let whole = longest * (1.0 + 10.0 / measured_s(&scenario));
    let least = if controller.starts_with("bbr") { 0.98 } else { 0.95 };
    let found = (least * left..=1.001).contains(&share) && probing <= whole;
    (!found).then(|| format!("{controller} over {path:?}: {share:.3} of {left:.3}, {probing:.3} probing"))
}

#[test]
fn a_lone_flow_finds_its_link_within_five_percent() {
    let all = std::env::var("SAWTOOTH_TEST_CASES").is_ok_and(|cases| cases == "all");
    let over = |controller: &'static str| {
        let corner = (all && controller != "ledbat").then_some(CORNER);
        PATHS.into_iter().chain(corner).filter_map(move |path| misses(controller, path)).collect::<Vec<_>>()
    };
    let short: Vec<String> = std::thread::scope(|scope| {
        let laws = ["bbr", "bbr-1", "copa", "cubic", "vegas", "ledbat"];
        let running: Vec<_> = laws.map(|law| scope.spawn(move || over(law))).into_iter().collect();
        running.into_iter().flat_map(|run| run.join().expect("no run panics")).collect()
    });
    assert!(short.is_empty(), "{short:#?}");
}

/// A scalable law behind a router that marks for it, from the moment on at which its increase has filled the path from nothing.
fn among_marks(controller: &str, megabits: u64, rtt_ms: u64) -> Scenario {
    let bdp = (megabits * rtt_ms) as f64 * PACKETS;
    let threshold = 5 + (bdp / 7.0) as u64; // [Alizadeh10] §3.3: above a seventh, the link never runs dry
    let queue = match controller {
        "dctcp" => json!({ "kind": "step", "packets": 100_000, "threshold": { "packets": threshold } }),
        _ => json!({ "kind": "dualpi2", "packets": 100_000 }),
    };
    let rounds = bdp + threshold as f64;
    let whole_rounds = if rounds > 500.0 { (25.0 / rtt_ms as f64).max(1.0).powi(2) } else { 1.0 };
    let filled = (rounds * rtt_ms as f64 * whole_rounds * 1e6) as u64 + 2 * SECOND;
    let mut scenario = alone(controller, (megabits, rtt_ms, 1));
    scenario.links[0].queue = Some(from_value::<QueueSpec>(queue).expect("a queue"));
    Scenario { warmup_ns: filled, duration_ns: filled + 5 * SECOND, ..scenario }
}

#[test]
fn a_lone_scalable_flow_finds_the_link_behind_the_router_that_it_is_made_for() {
    let paths = [(1, 1), (1, 300), (5, 20), (20, 150), (100, 1), (100, 20), (100, 60), (1_000, 2)];
    let mut short = Vec::new();
    for controller in ["dctcp", "prague"] {
        for (megabits, rtt_ms) in paths {
            let scenario = among_marks(controller, megabits, rtt_ms);
            let records = run(&scenario).expect("a scenario");
            let share = share(&scenario, &records);
            if !(0.95..=1.001).contains(&share) || records.flows[0].drops > 0 {
                short.push(format!("{controller}, {megabits} Mbit/s, {rtt_ms} ms: {share:.3}"));
            }
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}
