//! What is worked out ahead of time gives the digest that each event in its turn gives.
//!
//! Every example and every network of the ledger is run in both orders, and random networks of other shapes: several bottlenecks, shared
//! links, impairments on any of them, links with several feeders, short flows that come and go. The cases are the same in each run;
//! `PROPTEST_CASES=5000 cargo test --release -p sawtooth-sim --test engine order::` draws as many fresh ones per entry instead.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use sawtooth_cc::Plugins;
use sawtooth_cc::units::Time;
use sawtooth_networks::networks::examples;
use sawtooth_networks::random_networks;
use sawtooth_networks::random_networks::winding::winding_network;
use sawtooth_networks::random_networks::wires::with_wires;
use sawtooth_networks::random_networks::{
    Entries, any_filter, any_network, calm, combinations, with_ack_filters, with_later_settings,
};
use sawtooth_networks::random_runs::hold;
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::table::{Table, digest};
use sawtooth_sim::{Order, Progress, Simulation};
use std::sync::atomic::Ordering;

fn tables(scenario: &Scenario, order: Order) -> Vec<Table> {
    let simulation = Simulation::new(scenario, order).expect("networks pass the check");
    simulation.finish(&Progress::default()).expect("nobody stops this run").tables()
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
    for (name, scenario) in examples() {
        same_in_both_orders(&scenario).unwrap_or_else(|difference| panic!("{name}: {difference}"));
    }
}

/// Random networks in which the orders once differed, or a run broke off.
#[test]
fn networks_that_once_failed_are_the_same_in_both_orders() {
    const KEPT: [(&str, &str); 3] = [
        // A pacer lets a packet go at the very time of an acknowledgement, and was waited for before another timer.
        ("pacer", include_str!("order/pacer-opens-with-an-acknowledgement.json")),
        // A short flow ends by a drop that is known before its time, and another begins in between.
        ("drop", include_str!("order/flow-ends-by-a-drop-known-ahead.json")),
        // A report of a rate-based receiver is overtaken by later ones.
        ("report", include_str!("order/report-that-others-overtake.json")),
    ];
    for (name, text) in KEPT {
        let mut scenario = Scenario::from_json(text).expect("it was written by a run");
        scenario.bind(&Plugins::default()).and_then(|()| scenario.check()).expect("it passed the check");
        same_in_both_orders(&scenario).unwrap_or_else(|difference| panic!("{name}: {difference}"));
    }
}

#[test]
fn a_run_in_steps_is_the_run() {
    let scenario = &examples()["cross_traffic"];
    for order in [Order::Ahead, Order::InTurn] {
        let watched = Progress::default();
        let mut simulation = Simulation::new(scenario, order).unwrap();
        for step in [1, 7, 7, 500, 20_000_000, 1_000_000_000] {
            simulation.run_until(Time::from_nanos(step), &watched);
        }
        assert!(watched.now_ns.load(Ordering::Relaxed) < 1_000_000_000);
        let records = simulation.finish(&watched).expect("nobody stops this run");
        assert_eq!(records.tables(), tables(scenario, Order::Ahead));
    }
}

#[test]
fn a_run_that_was_stopped_has_no_records() {
    let scenario = &examples()["cross_traffic"];
    let watched = Progress::default();
    let mut simulation = Simulation::new(scenario, Order::Ahead).unwrap();
    watched.stop.store(true, Ordering::Relaxed);
    simulation.run_until(Time::NEVER, &watched);
    watched.stop.store(false, Ordering::Relaxed);
    assert!(simulation.finish(&watched).is_none());
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
fn paced_and_recorded_senders_are_the_same_in_both_orders() {
    for_all(4, |entries| with_later_settings(winding_network(entries)));
}

#[test]
fn winding_networks_are_the_same_in_both_orders() {
    for_all(8, winding_network);
}

#[test]
fn networks_in_which_most_is_done_ahead_are_the_same_in_both_orders() {
    for_all(4, |entries| calm(any_network(entries)));
    for_all(6, |entries| calm(winding_network(entries)));
    for_all(3, |entries| with_later_settings(calm(winding_network(entries))));
}

#[test]
fn wires_and_links_that_change_are_the_same_in_both_orders() {
    for_all(3, |entries| with_ack_filters(with_wires(any_network(entries)), any_filter()));
    for_all(3, |entries| with_wires(winding_network(entries)));
}
