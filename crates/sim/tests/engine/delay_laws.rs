//! Laws that go by the queueing delay, in whole networks: what they keep in the queue.

use sawtooth_networks::networks::{MEGABIT, SECOND, dumbbell, profile};
use sawtooth_sim::Records;
use sawtooth_sim::run;

/// One flow over 10 Mbit/s and 40 ms, with a queue of so many packets; from 20 to 60 s counts.
fn alone(controller: &str, recovery: &str, buffer: u64) -> Records {
    let mut scenario = dumbbell(1, buffer, profile(controller, recovery), 60 * SECOND);
    scenario.warmup_ns = 20 * SECOND;
    run(&scenario).expect("a scenario")
}

/// The median of the queueing delay, in packets of 0.8 ms, and the share of the link that was used.
fn queued_and_used(records: &Records) -> (f64, f64) {
    let used = records.flows[0].delivered_unique as f64 * 8_000.0 / (40.0 * 10.0 * MEGABIT as f64);
    (records.queues[0].delay_p50.nanos() as f64 / 800_000.0, used)
}

#[test]
fn each_keeps_in_the_queue_what_its_formula_says() {
    for recovery in ["sack", "rack", "quic"] {
        // Vegas: two to four packets wait, or are on the wire.
        let (queued, used) = queued_and_used(&alone("vegas", recovery, 200));
        assert!((1.0..=4.5).contains(&queued) && used > 0.99, "vegas, {recovery}: {queued}, {used}");
        // LEDBAT: the target, which is 25 packets of 0.8 ms.
        let (queued, used) = queued_and_used(&alone("ledbat(target=20)", recovery, 200));
        assert!((24.0..=27.0).contains(&queued) && used > 0.99, "ledbat, {recovery}: {queued}, {used}");
        // Copa: [ArunBalakrishnan18] §3 has its queue between 0 and 2.5/delta packets.
        let (queued, used) = queued_and_used(&alone("copa", recovery, 200));
        assert!(queued <= 6.0 && used > 0.95, "copa, {recovery}: {queued}, {used}");
    }
}

#[test]
fn copa_competes_with_a_flow_that_fills_the_queue_where_it_may() {
    let share = |controller: &str| {
        let mut scenario = dumbbell(2, 50, profile(controller, "rack"), 60 * SECOND);
        scenario.profiles.push(profile("aimd(1, 0.5)", "rack"));
        scenario.flows[1].profile = 1;
        scenario.warmup_ns = 10 * SECOND;
        let records = run(&scenario).expect("a scenario");
        let delivered = [0, 1].map(|flow| records.flows[flow].delivered_unique as f64);
        delivered[0] / (delivered[0] + delivered[1])
    };
    let (competing, yielding) = (share("copa"), share("copa(competitive=0)"));
    assert!(competing > 1.5 * yielding && competing > 0.25, "{competing}, and {yielding} in default mode");
}
