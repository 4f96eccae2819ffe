//! What is worked out ahead of time gives the digest that each event in its turn gives.
//!
//! Every example and every network of the ledger is run in both orders, and random networks of other shapes: several bottlenecks, shared
//! links, impairments on any of them, links with several feeders, short flows that come and go. The cases are the same in each run;
//! `PROPTEST_CASES=5000 cargo test --release -p sawtooth-sim --test order` draws as many fresh ones per entry instead.

#[allow(dead_code, reason = "each test file uses a part of the networks")]
mod networks;
#[allow(dead_code, reason = "each test file uses a part of the networks")]
mod random_networks;
#[allow(dead_code, reason = "each test file uses a part of the runs")]
mod random_runs;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use random_networks::{Entries, any_network, combinations, winding_network};
use random_runs::hold;
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::table::{Table, digest};
use sawtooth_sim::{Order, Progress, run_in_order};
use std::path::Path;

fn tables(scenario: &Scenario, order: Order) -> Vec<Table> {
    let records = run_in_order(scenario, order, &Progress::default()).expect("networks pass the check");
    records.expect("nobody stops this run").tables()
}

fn same_in_both_orders(scenario: &Scenario) -> TestCaseResult {
    let (ahead, in_turn) = (tables(scenario, Order::Ahead), tables(scenario, Order::InTurn));
    for (one, other) in ahead.iter().zip(&in_turn) {
        for ((name, found), (_, expected)) in one.columns().iter().zip(other.columns()) {
            prop_assert_eq!(found, expected, "{}.{}", one.name, name);
        }
    }
    prop_assert_eq!(digest(&ahead), digest(&in_turn));
    Ok(())
}

#[test]
fn examples_are_the_same_in_both_orders() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for path in std::fs::read_dir(folder).expect("the examples are readable").map(|at| at.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read_to_string(&path).expect("an example is readable");
            let scenario: Scenario = serde_json::from_str(&text).expect("an example is a scenario");
            same_in_both_orders(&scenario).unwrap_or_else(|difference| panic!("{path:?}: {difference}"));
        }
    }
}

fn for_all<S: Strategy<Value = random_networks::Network>>(cases: u32, networks: impl Fn(Entries) -> S) {
    for entries in combinations() {
        hold(entries, cases, networks(entries), |network| same_in_both_orders(&network.0));
    }
}

#[test]
fn dumbbells_are_the_same_in_both_orders() {
    for_all(4, any_network);
}

#[test]
fn winding_networks_are_the_same_in_both_orders() {
    for_all(8, winding_network);
}
