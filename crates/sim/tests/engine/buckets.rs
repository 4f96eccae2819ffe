//! Policers and shapers in networks: what passes, what is dropped, what waits.

use sawtooth_networks::networks::{
    MEGABIT, MILLISECOND, SECOND, dumbbell, pipe, port, profile, scenario, source,
};
use sawtooth_sim::queue::DropReason;
use sawtooth_sim::scenario::{BucketSpec, CodelSpec, DualPi2Spec, LinkSpec, QueueSpec, Scenario};
use sawtooth_sim::{Order, Progress, Records, Simulation, run};

const QUARTER: BucketSpec = BucketSpec { rate_bps: 5 * MEGABIT / 2, burst_bytes: 15_000 };

/// A source of 20 Mbit/s over a link of 10 Mbit/s.
fn flooded(link: LinkSpec, seconds: u64) -> Scenario {
    let mut scenario = scenario(seconds * SECOND, vec![link], Vec::new());
    scenario.sources = vec![source(&[0], &[[0, 20 * MEGABIT]])];
    scenario
}

fn bottleneck() -> LinkSpec {
    port("link", 10 * MEGABIT, MILLISECOND, 100)
}

#[test]
fn a_policer_lets_pass_its_rate_and_its_burst_and_drops_the_rest_at_once() {
    let link = LinkSpec { policer: Some(QUARTER), ..bottleneck() };
    let records = run(&flooded(link, 10)).expect("a scenario");
    let queue = &records.queues[0];
    let passed = queue.departures.forwarded_bytes;
    let due = QUARTER.burst_bytes + 10 * QUARTER.rate_bps / 8;
    assert!(passed <= due && passed + 2_000 > due, "{passed} of {due}");
    let policed = queue.arrivals.drops[DropReason::Policed as usize];
    assert_eq!(policed, queue.arrivals.dropped());
    // The burst waits for the link, which is faster than the policer: the other packets never wait.
    assert!(queue.departures.delay.nanos() <= 20 * 20 * MILLISECOND);
    let columns = records.tables();
    assert!(columns.iter().any(|table| table.columns().iter().any(|(name, _)| *name == "drops_policed")));
}

#[test]
fn a_shaper_sends_its_burst_at_the_rate_of_the_link_and_then_holds_to_its_own() {
    let link = LinkSpec { shaper: Some(QUARTER), ..bottleneck() };
    let records = run(&flooded(link, 10)).expect("a scenario");
    let queue = &records.queues[0];
    let due = QUARTER.burst_bytes + 10 * QUARTER.rate_bps / 8;
    let passed = queue.departures.forwarded_bytes;
    assert!(passed <= due + 1_000 && passed + 1_000 >= due, "{passed} of {due}");
    assert_eq!(queue.capacity_bytes, 10 * QUARTER.rate_bps / 8);
    assert_eq!(queue.arrivals.dropped(), queue.arrivals.drops[DropReason::Full as usize]);
    // A full buffer of 99 packets of 1000 bytes before 2.5 Mbit/s.
    let mean = queue.departures.delay.nanos() as f64 / queue.departures.forwarded as f64 / 1e6;
    assert!((mean - 99.0 * 3.2).abs() < 10.0, "{mean} ms");
}

/// The wait for tokens was left out of the delay. A shaper that holds one packet lets each go when a link of its rate would begin to send it.
#[test]
fn packets_wait_for_tokens_as_long_as_for_a_slower_link() {
    let slow = BucketSpec { burst_bytes: 1_000, ..QUARTER };
    for (warmup, end) in [(0, 500), (0, 50), (20, 90), (47, 53)] {
        let queue_of = |link: LinkSpec| {
            let mut scenario = flooded(link, 1);
            (scenario.warmup_ns, scenario.duration_ns) = (warmup * MILLISECOND, end * MILLISECOND);
            scenario.sources = vec![source(&[0], &[[0, 4 * MEGABIT], [100 * MILLISECOND, MEGABIT]])];
            run(&scenario).expect("a scenario").queues.remove(0)
        };
        let shaped = queue_of(LinkSpec { shaper: Some(slow), rate_bps: Some(100 * MEGABIT), ..bottleneck() });
        let plain = queue_of(LinkSpec { rate_bps: Some(slow.rate_bps), ..bottleneck() });
        assert_eq!(shaped.arrivals.dropped(), 0);
        assert!(plain.departures.delay.nanos() > 0);
        assert_eq!(shaped.departures, plain.departures, "{warmup} to {end} ms");
        assert_eq!(shaped.departures_hash, plain.departures_hash, "{warmup} to {end} ms");
        assert_eq!(shaped.delay_quantiles, plain.delay_quantiles, "{warmup} to {end} ms");
    }
}

#[test]
fn the_wait_for_tokens_is_in_the_delay_of_the_subqueue_that_had_the_packet() {
    for end in [50, 500] {
        let pi2 = DualPi2Spec { packets: Some(100), ..DualPi2Spec::default() };
        let link = LinkSpec { shaper: Some(QUARTER), queue: Some(QueueSpec::DualPi2(pi2)), ..bottleneck() };
        let mut scenario = flooded(link, 1);
        scenario.duration_ns = end * MILLISECOND;
        let queue = run(&scenario).expect("a scenario").queues.remove(0);
        let delays = queue.subqueues.iter().map(|subqueue| subqueue.departures.delay.nanos());
        assert_eq!(delays.sum::<u64>(), queue.departures.delay.nanos());
        assert!(queue.departures.forwarded > 10);
    }
}

#[test]
fn a_flow_behind_a_shaper_has_its_rate_and_behind_a_policer_somewhat_less() {
    let with = |change: fn(&mut LinkSpec)| {
        let mut scenario = dumbbell(1, 100, profile("cubic", "rack"), 60 * SECOND);
        scenario.warmup_ns = 10 * SECOND;
        change(&mut scenario.links[0]);
        let records: Records = run(&scenario).expect("a scenario");
        records.flows[0].delivered_unique as f64 * 8_000.0 / 50.0 / QUARTER.rate_bps as f64
    };
    let shaped = with(|link| {
        link.queue = Some(QueueSpec::Codel(CodelSpec { packets: Some(1_000), ..CodelSpec::default() }));
        link.shaper = Some(QUARTER);
    });
    let policed = with(|link| link.policer = Some(QUARTER));
    assert!((0.95..=1.001).contains(&shaped), "{shaped}");
    assert!((0.6..=1.001).contains(&policed), "{policed}");
}

#[test]
fn policers_and_shapers_do_the_same_in_both_orders() {
    for place in 0..4 {
        let mut scenario = dumbbell(3, 40, profile("aimd(1, 0.5)", "sack"), 5 * SECOND);
        match place {
            0 => scenario.links[0].policer = Some(QUARTER),
            1 => scenario.links[0].shaper = Some(QUARTER),
            2 => scenario.links[1].policer = Some(BucketSpec { rate_bps: MEGABIT / 5, burst_bytes: 1_500 }),
            _ => scenario.links[4].policer = Some(QUARTER),
        }
        let digest = |order| {
            let simulation = Simulation::new(&scenario, order).expect("a scenario");
            simulation.finish(&Progress::default()).expect("nobody stops this run").digest()
        };
        let (ahead, in_turn) = (digest(Order::Ahead), digest(Order::InTurn));
        assert_eq!(ahead, in_turn, "place {place}");
        assert_ne!(
            ahead,
            run(&dumbbell(3, 40, profile("aimd(1, 0.5)", "sack"), 5 * SECOND)).unwrap().digest()
        );
    }
}

#[test]
fn what_could_never_pass_is_refused() {
    let refused = |link: LinkSpec| flooded(link, 1).check().expect_err("refused").to_string();
    let small = BucketSpec { burst_bytes: 999, ..QUARTER };
    let expected =
        "links[0].policer.burst_bytes = 999: expected at least the largest packet, 1000 B, up to 1 GB";
    assert_eq!(refused(LinkSpec { policer: Some(small), ..bottleneck() }), expected);
    let bare = LinkSpec { shaper: Some(QUARTER), ..pipe("link", MEGABIT, 0) };
    assert!(refused(bare).starts_with("links[0].shaper"));
    let slow = BucketSpec { rate_bps: 0, ..QUARTER };
    assert!(
        refused(LinkSpec { policer: Some(slow), ..bottleneck() })
            .starts_with("links[0].policer.rate_bps = 0")
    );
}
