//! The same scenario gives the same bytes, alone and beside another thread. That it gives them tomorrow as well is for `ledger.rs`.

use sawtooth_networks::networks::examples;
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::{Records, run};
use std::collections::BTreeMap;

fn digests(examples: &BTreeMap<String, Scenario>) -> BTreeMap<String, String> {
    examples.iter().map(|(name, scenario)| (name.clone(), digest(scenario))).collect()
}

fn digest(scenario: &Scenario) -> String {
    run(scenario).expect("an example passes the check").digest()
}

#[test]
fn threads_do_not_matter() {
    let examples = examples();
    let (one, two) = std::thread::scope(|scope| {
        let other = scope.spawn(|| digests(&examples));
        (digests(&examples), other.join().expect("the other thread runs the same"))
    });
    assert_eq!(one, two);
}

#[test]
fn another_seed_matters_where_something_is_random() {
    for (name, scenario) in examples() {
        let other = Scenario { seed: format!("{}, another", scenario.seed), ..scenario.clone() };
        let jitter = scenario.profiles.iter().any(|profile| profile.send_jitter_ns > 0);
        let drawn = !scenario.apps.is_empty(); // sizes of pages
        let random = jitter || drawn || name == "random_loss";
        assert_eq!(digest(&scenario) != digest(&other), random, "{name}");
    }
}

#[test]
fn the_order_of_equal_times_does_not_follow_the_address_of_anything() {
    // The same run among other allocations.
    let scenario = &examples()["cross_traffic"];
    let first = digest(scenario);
    let kept: Vec<Records> = (0..3).map(|_| run(scenario).unwrap()).collect();
    assert!(kept.iter().all(|records| records.digest() == first));
}
