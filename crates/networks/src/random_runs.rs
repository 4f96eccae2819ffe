//! What holds for runs of random networks whatever flows they have, and how a property is held for many of them.

use crate::random_networks::with_a_flow_after_the_end;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use sawtooth_sim::queue::DropReason;
use sawtooth_sim::records::QueueRecord;
use sawtooth_sim::scenario::{ImpairmentSpec, LinkSpec, QueueSpec, Scenario};
use sawtooth_sim::tcp::Ecn;
use sawtooth_sim::{Records, run};
use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

/// Without `SAWTOOTH_TEST_CASES=all`, a property is held for the first of its cases, one in so many.
const SHARE: u32 = 32;

/// Hold a property for what a strategy draws: the same cases each time, or `PROPTEST_CASES` fresh ones. Panics with `name`.
///
/// Of `cases`, one in 32 is drawn, the first ones; `SAWTOOTH_TEST_CASES=all` (`make test-long`) draws the rest after them.
pub fn hold<S: Strategy>(
    name: impl Display,
    cases: u32,
    drawn: S,
    holds: impl Fn(S::Value) -> TestCaseResult,
) {
    let asked: Option<u32> = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let share =
        if std::env::var("SAWTOOTH_TEST_CASES").is_ok_and(|cases| cases == "all") { 1 } else { SHARE };
    let cases = asked.unwrap_or(cases.div_ceil(share));
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut seed = [0; 32];
    name.to_string().bytes().zip(&mut seed).for_each(|(byte, place)| *place = byte);
    if asked.is_some() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970");
        seed[24..].copy_from_slice(&(now.as_nanos() as u64).to_le_bytes());
    }
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    if let Err(failure) = runner.run(&drawn, holds) {
        panic!("{name}: {failure}");
    }
}

/// What a run must satisfy whatever it simulates.
pub fn common_books_are_in_order(scenario: &Scenario, records: &Records) -> TestCaseResult {
    let account = &records.account;
    prop_assert_eq!(
        account.packets_sent,
        account.packets_delivered
            + account.packets_dropped
            + account.packets_queued
            + account.packets_in_flight
    );
    let from_the_start = scenario.warmup_ns == 0;
    for flow in &records.flows {
        prop_assert!(flow.window_mean.is_finite() && flow.window_mean >= 0.0, "{:?}", flow);
        prop_assert!(flow.delivered_unique <= flow.delivered_total && flow.retransmits <= flow.sent);
        if from_the_start {
            prop_assert!(flow.drops + flow.delivered_total <= flow.sent, "{:?}", flow);
        }
        if scenario.profiles[0].tcp.ecn == Ecn::Off {
            prop_assert!(flow.marks == 0 && flow.ecn_reductions == 0, "{:?}", flow);
        }
    }
    for point in records.series.windows.iter().flat_map(|windows| &windows.points) {
        prop_assert!(
            point.window.is_finite() && point.window >= 0.0 && !point.threshold.is_nan(),
            "{:?}",
            point
        );
    }
    let ports: Vec<_> = scenario.links.iter().filter(|link| link.queue.is_some()).collect();
    for (queue, link) in records.queues.iter().zip(&ports) {
        let QueueRecord { arrivals, departures, .. } = queue;
        let drops = arrivals.dropped();
        prop_assert_eq!(queue.busy.nanos() + queue.empty.nanos(), scenario.duration_ns - scenario.warmup_ns);
        prop_assert!(queue.delay_p50 <= queue.delay_p95 && queue.delay_p95 <= queue.delay_p99);
        prop_assert!(arrivals.test_arrivals <= arrivals.arrivals && arrivals.test_drops <= drops);
        prop_assert!(departures.test_forwarded <= departures.forwarded);
        prop_assert!(departures.test_delay <= departures.delay);
        prop_assert!(departures.in_profile_forwarded <= departures.forwarded);
        prop_assert!(departures.in_profile_forwarded_bytes <= departures.forwarded_bytes);
        // One packet may have been loaded before counting began, one may not have left completely.
        let packet = 2 * u64::from(u16::MAX);
        prop_assert!(departures.forwarded_bytes <= queue.capacity_bytes + packet);
        if from_the_start {
            prop_assert!(arrivals.arrivals >= drops + departures.forwarded);
            prop_assert!(link.drop.is_some() || arrivals.drops[DropReason::Impairment as usize] == 0);
        }
    }
    for point in records.series.queue_samples.iter().flat_map(|samples| &samples.points) {
        let spec = ports[point.queue as usize].queue.as_ref().expect("a port has a queue");
        let (packets, bytes) = spec.limit();
        if matches!(spec, QueueSpec::Rio(_)) && scenario.flows.iter().any(|flow| flow.in_profile) {
            continue; // it takes in-profile packets beyond its limit
        }
        let counted = spec.info().limit_counts_transmission;
        let sending = if counted { [0, 0] } else { [1, u64::from(u16::MAX)] };
        prop_assert!(packets.is_none_or(|limit| point.packets <= limit + sending[0]), "{:?}", point);
        prop_assert!(bytes.is_none_or(|limit| point.bytes <= limit + sending[1]), "{:?}", point);
    }
    Ok(())
}

fn draws_at_random(scenario: &Scenario) -> (bool, bool) {
    let bernoulli = |spec: &Option<ImpairmentSpec>| matches!(spec, Some(ImpairmentSpec::Bernoulli { .. }));
    let jitter = scenario.profiles.iter().any(|profile| profile.send_jitter_ns > 0);
    let early = |queue: &Option<QueueSpec>| queue.as_ref().is_some_and(|queue| queue.info().draws);
    let chance = |link: &LinkSpec| bernoulli(&link.drop) || bernoulli(&link.mark) || early(&link.queue);
    let drawing = scenario.profiles.iter().any(|profile| profile.controller.draws());
    (jitter, jitter || drawing || scenario.links.iter().any(chance))
}

/// The same again gives the same, another seed something else where there is chance, and a flow that never starts changes nothing.
pub fn repeats(scenario: &Scenario, records: &Records) -> TestCaseResult {
    prop_assert_eq!(run(scenario).unwrap().digest(), records.digest(), "the same scenario twice");

    let other = run(&Scenario { seed: "another".to_owned(), ..scenario.clone() }).unwrap();
    let (jitter, anything) = draws_at_random(scenario);
    let busy = records.queues[0].departures.test_forwarded >= 10;
    if jitter && busy {
        prop_assert_ne!(other.digest(), records.digest(), "another seed, with jitter");
    }
    if !anything {
        prop_assert_eq!(other.digest(), records.digest(), "another seed, and nothing random");
    }

    let more = run(&with_a_flow_after_the_end(scenario)).unwrap();
    for (index, (alone, beside)) in records.flows.iter().zip(&more.flows).enumerate() {
        prop_assert_eq!(alone, beside, "flow {} beside one that never starts", index);
    }
    for (alone, beside) in records.queues.iter().zip(&more.queues) {
        prop_assert_eq!(alone, beside, "a queue and a flow that never starts");
    }
    prop_assert_eq!(more.flows.last().map(|flow| flow.sent), Some(0));
    Ok(())
}
