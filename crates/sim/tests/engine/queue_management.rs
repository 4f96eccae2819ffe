//! RED, marks and RIO from outside: drop rates against their closed forms, who is spared, what a threshold does.

use sawtooth_cc::units::{Rate, Time};
use sawtooth_networks::networks::{MEGABIT, MILLISECOND, SECOND, dumbbell, pipe, profile, scenario, source};
use sawtooth_sim::packet::{ECT, IN_PROFILE, Packet, PacketKind, TEST};
use sawtooth_sim::queue::depth::Depth;
use sawtooth_sim::queue::step::StepSpec;
use sawtooth_sim::queue::{Backlog, DROP_REASONS, DropReason, Queue, QueueState};
use sawtooth_sim::random::Stream;
use sawtooth_sim::records::QueueRecord;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{
    AverageUpdates, LinkSpec, OutProfileRule, QueueSpec, RedSpec, RioSpec, Scenario, Spacing,
};
use sawtooth_sim::tcp::Ecn;

/// Offer so many packets with these flags to a queue in which so many always wait: with a weight of 1 that is the average.
fn offered(spec: QueueSpec, waiting: u64, flags: u16, packets: u32) -> Queue {
    let mut queue = Queue::new(&spec, Rate::from_bits_per_second(MEGABIT), Stream::new("1", "test"));
    let waiting = Backlog { packets: waiting, bytes: 1000 * waiting };
    let found = QueueState {
        now: Time::ZERO,
        waiting,
        in_transmission: Backlog { packets: 1, bytes: 1000 },
        idle_since: Time::NEVER,
    };
    for number in 0..packets {
        queue.admit(Packet::new(PacketKind::Data, 0, number, 1000, flags), &found);
    }
    queue
}

/// Thresholds 8 and 72, probability 1/8 at 72, the average being what is found: 16 packets mean 1/64, exactly.
fn exact() -> RedSpec {
    RedSpec { packets: Some(1000), min: 8.0, max: 72.0, max_p: 0.125, weight: 1.0, ..RedSpec::default() }
}

fn drops(queue: &Queue, reason: DropReason) -> u64 {
    queue.tally().arrivals.drops[reason as usize]
}

#[test]
fn at_a_fixed_average_the_spacing_decides_how_many_are_dropped() {
    const PACKETS: u32 = 1_000_000;
    let n = 64.0; // p_b = 1/64
    // Mean and variance of the distance between drops: even over n … 2n − 1, even over 1 … n − 1, geometric.
    for (spacing, mean, variance, times_p) in [
        (Spacing::Wait, (3.0 * n - 1.0) / 2.0, (n * n - 1.0) / 12.0, 0.67),
        (Spacing::Uniform, n / 2.0, ((n - 1.0) * (n - 1.0) - 1.0) / 12.0, 2.0),
        (Spacing::None, n, n * (n - 1.0), 1.0),
    ] {
        let queue = offered(QueueSpec::Red(RedSpec { spacing, ..exact() }), 16, 0, PACKETS);
        let found = drops(&queue, DropReason::Early) as f64;
        let expected = f64::from(PACKETS) / mean;
        // The number of renewals in a long time has the variance t · variance / mean³.
        let deviation = (f64::from(PACKETS) * variance / mean.powi(3)).sqrt();
        assert!((found - expected).abs() < 5.0 * deviation, "{spacing:?}: {found}, expected {expected}");
        assert!((n / mean - times_p).abs() < 0.005, "{spacing:?} drops {times_p} times p_b");
    }
}

#[test]
fn from_the_maximum_on_drops_rise_gently_to_all_at_twice_of_it() {
    const PACKETS: u32 = 200_000;
    let spec = RedSpec { spacing: Spacing::None, ..exact() };
    for (average, expected) in [(72, 0.125), (90, 0.125 + 0.875 / 4.0), (108, 0.125 + 0.875 / 2.0)] {
        let queue = offered(QueueSpec::Red(spec.clone()), average, 0, PACKETS);
        let found = drops(&queue, DropReason::Early) as f64 / f64::from(PACKETS);
        let deviation = (expected * (1.0 - expected) / f64::from(PACKETS)).sqrt();
        assert!((found - expected).abs() < 5.0 * deviation, "{average}: {found}, expected {expected}");
        assert_eq!(drops(&queue, DropReason::Forced), 0);
    }
    for (average, gentle) in [(144, true), (72, false)] {
        let queue = offered(QueueSpec::Red(RedSpec { gentle, ..spec.clone() }), average, 0, 1000);
        assert_eq!(drops(&queue, DropReason::Forced), 999, "all but the one that starts the count");
    }
}

#[test]
fn capable_packets_are_marked_below_the_maximum_and_dropped_from_there_on() {
    const PACKETS: u32 = 100_000;
    let spec = QueueSpec::Red(RedSpec { ecn: true, ..exact() });
    for average in [9, 16, 40, 71] {
        let marking = offered(spec.clone(), average, ECT | TEST, PACKETS);
        let counters = &marking.tally().arrivals;
        assert_eq!(
            counters.drops, [0; DROP_REASONS],
            "no capable packet is dropped at an average of {average}"
        );
        assert!(counters.marks > 0 && counters.marks == counters.test_marks);
        // The same dice: what is marked here is what is dropped where nobody is capable or nobody marks.
        for (flags, ecn) in [(0, true), (ECT, false)] {
            let dropping = offered(QueueSpec::Red(RedSpec { ecn, ..exact() }), average, flags, PACKETS);
            assert_eq!(drops(&dropping, DropReason::Early), counters.marks);
            assert_eq!(dropping.tally().arrivals.marks, 0);
        }
    }
    for average in [72, 200] {
        let queue = offered(spec.clone(), average, ECT, PACKETS);
        assert_eq!(queue.tally().arrivals.marks, 0, "at an average of {average}");
        assert!(drops(&queue, DropReason::Early) + drops(&queue, DropReason::Forced) > 0);
    }
    let full = offered(QueueSpec::Red(RedSpec { packets: Some(16), ecn: true, ..exact() }), 16, ECT, 10);
    assert_eq!(full.tally().arrivals.drops, [10, 0, 0, 0, 0, 0], "a full buffer drops, and does not mark");
}

#[test]
fn the_limit_of_red_does_not_count_the_packet_in_transmission() {
    let with = |packets, bytes, waiting| {
        let spec = RedSpec { packets, bytes, min: 500.0, max: 600.0, ..exact() };
        offered(QueueSpec::Red(spec), waiting, 0, 1).tally().arrivals.drops
    };
    assert_eq!(with(Some(100), None, 99), [0; DROP_REASONS]);
    assert_eq!(with(Some(100), None, 100), [1, 0, 0, 0, 0, 0]);
    assert_eq!(with(None, Some(10_500), 9), [0; DROP_REASONS]);
    assert_eq!(with(None, Some(10_500), 10), [1, 0, 0, 0, 0, 0]);
}

fn rio(rule: OutProfileRule, average_updates: AverageUpdates) -> QueueSpec {
    let red = RedSpec { packets: Some(100), ecn: true, spacing: Spacing::None, ..exact() };
    QueueSpec::Rio(RioSpec { rule, average_updates, red })
}

#[test]
fn rio_spares_in_profile_packets_even_where_there_is_no_room() {
    for rule in [OutProfileRule::Red, OutProfileRule::DropTail] {
        for updates in [AverageUpdates::All, AverageUpdates::InProfile] {
            for waiting in [50, 100, 10_000] {
                let queue = offered(rio(rule, updates), waiting, IN_PROFILE | ECT, 1000);
                let counters = &queue.tally().arrivals;
                assert_eq!((counters.arrivals, counters.drops, counters.marks), (1000, [0; DROP_REASONS], 0));
            }
        }
    }
}

#[test]
fn rio_drops_out_profile_packets_by_its_rule() {
    let counters = |rule, updates, waiting| {
        let queue = offered(rio(rule, updates), waiting, 0, 10_000);
        queue.tally().arrivals.drops
    };
    let tail = |waiting| counters(OutProfileRule::DropTail, AverageUpdates::All, waiting);
    assert_eq!(
        (tail(99), tail(100)),
        ([0; DROP_REASONS], [10_000, 0, 0, 0, 0, 0]),
        "when `packets` wait, not before"
    );
    let red = |updates| counters(OutProfileRule::Red, updates, 40)[DropReason::Early as usize];
    // 1/16 of them; nobody in profile moves the average that only they move.
    let (expected, deviation) = (10_000.0 / 16.0, (10_000.0 * 15.0f64).sqrt() / 16.0);
    assert!((red(AverageUpdates::All) as f64 - expected).abs() < 5.0 * deviation);
    assert_eq!(red(AverageUpdates::InProfile), 0);
    let marking = offered(rio(OutProfileRule::Red, AverageUpdates::All), 40, ECT, 10_000);
    assert_eq!(marking.tally().arrivals.marks, red(AverageUpdates::All), "RIO marks what RED would");
}

/// Sources of these rates, out of profile except for the first, over a link of 10 Mbit/s.
fn open_loop(queue: QueueSpec, rates: &[&[[u64; 2]]], seconds: u64) -> Scenario {
    let link = LinkSpec { queue: Some(queue), ..pipe("link", 10 * MEGABIT, MILLISECOND) };
    let mut scenario = scenario(seconds * SECOND, vec![link], Vec::new());
    scenario.sources = rates.iter().map(|rates| source(&[0], rates)).collect();
    scenario
}

fn queue_of(scenario: &Scenario) -> QueueRecord {
    run(scenario).expect("a checked scenario").queues.swap_remove(0)
}

#[test]
fn a_tighter_threshold_never_drops_less() {
    let bursts: Vec<[u64; 2]> =
        (0..40).map(|n| [n * 500 * MILLISECOND, if n % 2 == 0 { 9 } else { 2 } * MEGABIT]).collect();
    let steady: &[&[[u64; 2]]] = &[&[[0, 7 * MEGABIT]], &[[0, 4 * MEGABIT]]];
    let sudden: &[&[[u64; 2]]] = &[&[[0, 3 * MEGABIT]], &bursts];
    for rates in [steady, sudden] {
        for spacing in [Spacing::Wait, Spacing::Uniform, Spacing::None] {
            let mut dropped = Vec::new();
            for factor in [1.0, 2.0, 4.0, 8.0] {
                let red = RedSpec {
                    packets: Some(100_000),
                    min: 5.0 * factor,
                    max: 15.0 * factor,
                    spacing,
                    ..RedSpec::default()
                };
                let queue = queue_of(&open_loop(QueueSpec::Red(red), rates, 20));
                assert!(queue.arrivals.drops[DropReason::Early as usize] > 0);
                dropped.push(queue.arrivals.drops.iter().sum::<u64>());
            }
            assert!(dropped.is_sorted_by(|tight, loose| tight >= loose), "{spacing:?}: {dropped:?}");
        }
    }
}

#[test]
fn a_pause_lets_the_average_forget_the_burst_before_it() {
    // 0.4 s at twice the rate of the link, a pause, and again. The queue drains in 0.3 s; the rest of the pause is idle.
    let second_burst = |pause_ms: u64| {
        let red = RedSpec { packets: Some(100_000), ..RedSpec::default() };
        let (burst, rate) = (400 * MILLISECOND, 20 * MEGABIT);
        let again = burst + pause_ms * MILLISECOND;
        let schedule = [[0, rate], [burst, 0], [again, rate], [again + burst, 0]];
        let drops = |rates: &[[u64; 2]]| {
            let queue = queue_of(&open_loop(QueueSpec::Red(red.clone()), &[rates], 20));
            queue.arrivals.drops.iter().sum::<u64>()
        };
        (drops(&schedule[..2]), drops(&schedule) - drops(&schedule[..2]))
    };
    let (first, after_long) = second_burst(10_000);
    let (_, after_short) = second_burst(300);
    assert!(after_long.abs_diff(first) < first / 4, "{first}, then {after_long}");
    assert!(after_short > first + first / 4, "{first}, then {after_short}");
}

#[test]
fn in_profile_traffic_passes_a_flooded_rio_untouched_and_is_counted() {
    for rule in [OutProfileRule::Red, OutProfileRule::DropTail] {
        let red = RedSpec { packets: Some(50), ..RedSpec::default() };
        let queue = QueueSpec::Rio(RioSpec { rule, average_updates: AverageUpdates::All, red });
        let mut scenario = open_loop(queue, &[&[[0, 4 * MEGABIT]], &[[0, 20 * MEGABIT]]], 10);
        scenario.sources[0].in_profile = true;
        let QueueRecord { arrivals, departures: counters, .. } = queue_of(&scenario);
        // 500 packets a second for 10 s, but for the queue that is left.
        assert!((4_850..=5_000).contains(&counters.in_profile_forwarded), "{counters:?}");
        assert_eq!(counters.in_profile_forwarded_bytes, 1000 * counters.in_profile_forwarded);
        // What is dropped is what the others bring beyond the 6 Mbit/s that are left to them.
        let dropped = arrivals.dropped();
        assert!((17_000..=17_500).contains(&dropped), "{dropped}");
    }
}

#[test]
fn a_queue_that_only_marks_loses_and_reorders_nothing() {
    let mut endpoints = profile("aimd(1, 0.5)", "sack");
    endpoints.tcp.ecn = Ecn::Classic;
    endpoints.tcp.initial_ssthresh = Some(20.0);
    let mut scenario = dumbbell(4, 1, endpoints, 30 * SECOND);
    let red = RedSpec { packets: Some(10_000), min: 5.0, max: 1_000.0, ecn: true, ..RedSpec::default() };
    scenario.links[0].queue = Some(QueueSpec::Red(red));
    let mut by_trace = scenario.clone();
    (by_trace.links[0].rate_bps, by_trace.links[0].trace_ms) = (None, Some(vec![1]));
    for scenario in [scenario, by_trace] {
        let records = run(&scenario).unwrap();
        let counters = &records.queues[0].arrivals;
        assert!(counters.marks > 50 && counters.drops == [0; DROP_REASONS], "{counters:?}");
        for flow in &records.flows {
            assert!(flow.ecn_reductions > 10, "{flow:?}");
            // A packet out of order would be a gap, and three packets behind it a retransmission.
            assert_eq!((flow.retransmits, flow.loss_events, flow.timeouts), (0, 0, 0), "{flow:?}");
            assert_eq!(flow.delivered_unique, flow.delivered_total);
        }
    }
}

/// One flow that grows by a packet a round trip: it hears of the mark a round trip later, so the queue goes one packet, and by the rounding of
/// the window another one, beyond the threshold, and comes back to it in each cycle.
#[test]
fn a_step_holds_the_queue_of_one_flow_at_its_threshold() {
    let mut endpoints = profile("aimd(1, 0.5)", "sack");
    endpoints.tcp.ecn = Ecn::Classic;
    endpoints.tcp.initial_ssthresh = Some(10.0);
    let mut scenario = dumbbell(1, 1, endpoints, 60 * SECOND);
    scenario.record.sample_ns = Some(MILLISECOND);
    let link = scenario.links[0].clone();
    // 800 us a packet of 1000 bytes at 10 Mbit/s.
    for (threshold, packets) in [(Depth::Packets(20), 20), (Depth::Ns(16 * MILLISECOND), 20)] {
        let queue = QueueSpec::Step(StepSpec { packets: Some(1_000), bytes: None, threshold });
        scenario.links[0] = LinkSpec { queue: Some(queue), ..link.clone() };
        let records = run(&scenario).unwrap();
        let samples = records.series.queue_samples.expect("queues are sampled").points;
        let deepest = samples.iter().filter(|point| point.queue == 0).map(|point| point.packets).max();
        let in_transmission = 1;
        let deepest = deepest.expect("samples were asked for") - in_transmission;
        assert!((packets..=packets + 2).contains(&deepest), "{threshold:?}: {deepest}");
        let QueueRecord { arrivals, .. } = &records.queues[0];
        assert!(arrivals.marks > 10 && arrivals.dropped() == 0, "{arrivals:?}");
        assert_eq!(records.flows[0].retransmits, 0);
    }
}
