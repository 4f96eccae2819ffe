//! DualPI2 in networks: what L4S flows wait and lose beside classic ones, and whom an overload takes it from.

use sawtooth_networks::networks::{MEGABIT, MILLISECOND, SECOND, dumbbell, profile, source};
use sawtooth_sim::records::SubqueueRecord;
use sawtooth_sim::scenario::{DualPi2Spec, FlowSpec, Profile, QueueSpec, Scenario};
use sawtooth_sim::tcp::Ecn;
use sawtooth_sim::{Records, run};

/// Flows with round trips of `rtt_ms` of propagation over a link with 250 ms of buffer: so many Prague flows, so many CUBIC flows.
fn beside(prague: u32, cubic: u32, megabits: u64, rtt_ms: u64) -> Scenario {
    let scalable = profile("prague", "rack");
    let mut classic = profile("cubic", "rack");
    classic.tcp.ecn = Ecn::Classic;
    let mut scenario = dumbbell(prague + cubic, 1, scalable, 40 * SECOND);
    scenario.warmup_ns = 10 * SECOND;
    scenario.profiles.push(classic);
    scenario.profiles.iter_mut().for_each(|profile: &mut Profile| profile.packet_bytes = 1500);
    scenario.links.iter_mut().for_each(|link| link.delay_ns = 0);
    for link in [0, 1] {
        scenario.links[link].rate_bps = Some(megabits * MEGABIT);
        scenario.links[link].delay_ns = rtt_ms * MILLISECOND / 2;
    }
    for flow in &mut scenario.flows[prague as usize..] {
        *flow = FlowSpec { profile: 1, ..flow.clone() };
    }
    scenario.links[0].queue = Some(QueueSpec::DualPi2(DualPi2Spec {
        bytes: Some(megabits * MEGABIT / 8 / 4),
        ..DualPi2Spec::default()
    }));
    scenario
}

fn subqueues(records: &Records) -> (&SubqueueRecord, &SubqueueRecord) {
    let [low, classic] = records.queues[0].subqueues.as_slice() else { panic!("it has two subqueues") };
    assert_eq!((low.name, classic.name), ("L", "C"));
    (low, classic)
}

fn goodput(records: &Records, flows: std::ops::Range<u32>) -> f64 {
    flows.map(|flow| records.flows[flow as usize].delivered_unique as f64).sum()
}

#[test]
fn l4s_flows_wait_two_milliseconds_at_most_and_lose_nothing() {
    for (prague, cubic) in [(1, 1), (2, 2), (1, 0), (3, 1), (1, 4)] {
        for megabits in [40, 120] {
            for rtt_ms in [10, 40] {
                let records = run(&beside(prague, cubic, megabits, rtt_ms)).expect("a scenario");
                let (low, classic) = subqueues(&records);
                let what = format!("{prague} + {cubic} at {megabits} Mbit/s, {rtt_ms} ms");
                let p99 = low.delay_p99.nanos() as f64 / 1e6;
                assert!(p99 <= 2.0, "{what}: {p99} ms");
                assert_eq!((low.arrivals.dropped(), classic.arrivals.drops[0]), (0, 0), "{what}");
                assert!(low.arrivals.marks > 100, "{what}: {:?}", low.arrivals);
                let carried = records.queues[0].departures.forwarded_bytes as f64;
                let used = carried / records.queues[0].capacity_bytes as f64;
                assert!(used > 0.95, "{what}: {used} of the link");
                if cubic > 0 {
                    let mean = |subqueue: &SubqueueRecord| {
                        subqueue.departures.test_delay.nanos() as f64
                            / 1e6
                            / subqueue.departures.test_forwarded as f64
                    };
                    assert!(
                        mean(classic) < 30.0 && mean(low) < 1.5,
                        "{what}: {} {}",
                        mean(low),
                        mean(classic)
                    );
                    let each = |flows: std::ops::Range<u32>| {
                        goodput(&records, flows.clone()) / f64::from(flows.end - flows.start)
                    };
                    let ratio = each(0..prague) / each(prague..prague + cubic);
                    assert!(
                        (0.3..=3.0).contains(&ratio),
                        "{what}: a Prague flow has {ratio} of a CUBIC flow"
                    );
                }
            }
        }
    }
}

#[test]
fn marks_follow_the_coupling() {
    // Packets are hit as often as the probabilities of both queues say on average; the ramp, which would add marks to L, is out of reach.
    let mut scenario = beside(2, 2, 40, 20);
    let Some(QueueSpec::DualPi2(spec)) = &mut scenario.links[0].queue else { unreachable!("it is DualPI2") };
    spec.min_threshold_ns = SECOND;
    scenario.record.disciplines = true;
    scenario.record.sample_ns = Some(16 * MILLISECOND);
    let records = run(&scenario).expect("a scenario");
    let points = &records.series.disciplines.as_ref().expect("they were recorded").points;
    let (low, classic) = subqueues(&records);
    for (number, subqueue) in (0u32..).zip([low, classic]) {
        let hits = (subqueue.arrivals.marks + subqueue.arrivals.dropped()) as f64;
        let share = hits / subqueue.arrivals.arrivals as f64;
        let stated: Vec<f64> = points
            .iter()
            .filter(|point| point.subqueue == number && point.time.nanos() >= scenario.warmup_ns)
            .map(|point| point.state.probability)
            .collect();
        let mean = stated.iter().sum::<f64>() / stated.len() as f64;
        assert!((share / mean - 1.0).abs() < 0.05, "{}: {share} hit, {mean} by its state", subqueue.name);
    }
}

#[test]
fn an_overload_that_answers_to_nothing_is_held_to_the_target_and_leaves_others_their_part() {
    // Without ECN it fills C; p' goes beyond 1/2, and L is dropped from as well.
    let mut scenario = beside(1, 0, 40, 20);
    scenario.sources = vec![source(&[0], &[[0, 60 * MEGABIT]])];
    let records = run(&scenario).expect("a scenario");
    let (low, classic) = subqueues(&records);
    assert!(classic.arrivals.drops[2] > 0 && low.departures.forwarded > 0);
    let delay = classic.departures.delay.nanos() as f64 / 1e6 / classic.departures.forwarded as f64;
    assert!((5.0..=25.0).contains(&delay), "{delay} ms in C");
}

#[test]
fn its_recorded_state_keeps_to_the_coupling_and_to_what_waits() {
    let mut scenario = beside(1, 1, 40, 20);
    scenario.record.disciplines = true;
    scenario.record.sample_ns = Some(10 * MILLISECOND);
    let records = run(&scenario).expect("a scenario");
    let points = &records.series.disciplines.as_ref().expect("they were recorded").points;
    assert_eq!(points.len(), 2 * 4_000);
    let mut highest = 0.0f64;
    for pair in points.chunks(2) {
        let [low, classic] = pair else { unreachable!("two subqueues at each sample") };
        assert_eq!((low.subqueue, classic.subqueue, low.time), (0, 1, classic.time));
        let base = low.state.probability / 2.0;
        assert!((classic.state.probability - base * base).abs() < 1e-12 || low.state.probability == 1.0);
        assert!(classic.state.backlog.packets > 0 || classic.state.waited.nanos() == 0);
        highest = highest.max(classic.state.probability);
    }
    assert!(highest > 0.0);
}
