//! Windows that are not used, in whole networks: what comes when the application has more again.
//!
//! Source: RFC 7661 §4.4, RFC 5681 §4.1.

use sawtooth_cc::IdleRule;
use sawtooth_networks::networks::{MEGABIT, MILLISECOND, SECOND, dumbbell, profile};
use sawtooth_sim::run;
use sawtooth_sim::scenario::{ChangeSpec, RecordSpec, Scenario, SetSpec, WhenSpec};
use sawtooth_sim::series::packets::PacketEvent;

/// When the application of flow 0 is held back, and when it is let go.
const HELD: [u64; 2] = [5 * SECOND, 35 * SECOND];

/// Flows of CUBIC over 10 Mbit/s and 20 ms; the application of the first is limited to a quarter of its share for 30 s.
fn limited(flows: u32, recovery: &str, idle: IdleRule) -> Scenario {
    let mut endpoints = profile("cubic", recovery);
    endpoints.tcp.idle = idle;
    let mut scenario = dumbbell(flows, 25, endpoints, 45 * SECOND);
    scenario.links.iter_mut().for_each(|link| link.delay_ns /= 2);
    let supply =
        |ns, bps| ChangeSpec { when: WhenSpec::Time { ns }, set: vec![SetSpec::Supply { flow: 0, bps }] };
    let quarter = 10 * MEGABIT / u64::from(flows) / 4;
    scenario.changes = vec![supply(HELD[0], Some(quarter)), supply(HELD[1], None)];
    scenario.record = RecordSpec { packets: true, ..RecordSpec::default() };
    scenario
}

/// The most packets that flow 0 sends within a millisecond, in the second in which it is let go; and what it delivers in the fifth, over
/// its share.
fn burst_and_rate(scenario: &Scenario) -> (usize, f64) {
    let records = run(scenario).expect("a scenario");
    let packets = records.series.packets.as_ref().expect("packets were recorded");
    let of_flow = |event| {
        let chosen = packets.points.iter().filter(move |point| point.flow == 0 && point.event == event);
        chosen.map(|point| point.time.nanos()).collect::<Vec<_>>()
    };
    let sent = of_flow(PacketEvent::Sent);
    let after = sent.iter().filter(|&&time| (HELD[1]..HELD[1] + SECOND).contains(&time));
    let burst =
        after.map(|&begin| sent.iter().filter(|&&time| (begin..begin + MILLISECOND).contains(&time)).count());
    let fifth = HELD[1] + 4 * SECOND..HELD[1] + 5 * SECOND;
    let delivered = of_flow(PacketEvent::Arrived).iter().filter(|time| fifth.contains(time)).count();
    let share = 10e6 / scenario.flows.len() as f64 / 8_000.0;
    (burst.max().expect("it sends"), delivered as f64 / share)
}

#[test]
fn a_flow_that_was_limited_comes_back_without_a_burst() {
    for recovery in ["rack", "quic", "sack"] {
        let (burst, rate) = burst_and_rate(&limited(1, recovery, IdleRule::Rfc7661));
        assert!(burst <= 10, "{recovery}: {burst} packets at once");
        assert!(rate >= 0.9, "{recovery}: {rate} of the link after five seconds");
    }
    let (burst, rate) = burst_and_rate(&limited(3, "rack", IdleRule::Rfc7661));
    assert!(burst <= 10 && rate >= 0.9, "beside two others: {burst} packets at once, {rate} of its share");
    let (burst, _) = burst_and_rate(&limited(1, "rack", IdleRule::Keep));
    assert!(burst > 10, "{burst}: a window that is kept leaves at once");
}
