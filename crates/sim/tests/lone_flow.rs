//! A flow alone finds its link: today's laws over links from 1 to 1,000 Mbit/s and round trips from 1 to 300 ms.
//!
//! Time in PROBE_RTT is taken off: by 300 ms BBR is there for half a second every ten, with next to nothing in flight.

#[allow(dead_code, reason = "each test file uses a part of the networks")]
mod networks;

use networks::{MEGABIT, MILLISECOND, SECOND, flow, pipe, port, profile, scenario};
use sawtooth_cc::ControlState;
use sawtooth_sim::run;
use sawtooth_sim::scenario::Scenario;

/// One flow over a link of so many Mbit/s, with a queue of a bandwidth-delay product and twenty packets; the latter half of so many
/// seconds counts.
fn alone(controller: &str, megabits: u64, rtt_ms: u64, seconds: u64) -> Scenario {
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

#[test]
fn a_lone_flow_finds_its_link_within_five_percent() {
    let paths = [
        (1, 1, 60),
        (1, 300, 120),
        (5, 20, 40),
        (20, 150, 40),
        (100, 1, 12),
        (100, 60, 16),
        (1_000, 1, 2),
        (1_000, 20, 6),
    ];
    let mut short = Vec::new();
    for controller in ["bbr", "bbr-1", "copa", "cubic"] {
        for (megabits, rtt_ms, seconds) in paths {
            let records = run(&alone(controller, megabits, rtt_ms, seconds)).expect("a scenario");
            let measured = seconds as f64 / 2.0;
            let carried = records.flows[0].delivered_unique as f64 * 8_000.0 / measured;
            let share = carried / (megabits * MEGABIT) as f64;
            let probing = records.states.iter().filter(|row| row.state == ControlState::ProbeRtt as u32);
            let probing: f64 = probing.map(|row| row.time.nanos() as f64 / 1e9 / measured).sum();
            if !(0.95 * (1.0 - probing)..=1.001).contains(&share) {
                short.push(format!("{controller}, {megabits} Mbit/s, {rtt_ms} ms: {share:.3}"));
            }
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}
