//! What holds for every recovery × every controller × every discipline of the tables, on random small networks.
//!
//! A new row of a table is tested here without a line of code, except that a new discipline says in
//! `random_networks` how to build it. Cases are the same in each run; `PROPTEST_CASES=500 cargo test --release
//! -p sawtooth-sim --test properties` draws so many fresh ones per combination instead.

#[allow(dead_code, reason = "each test file uses a part of the networks")]
mod networks;
#[allow(dead_code, reason = "each test file uses a part of the networks")]
mod random_networks;
mod random_runs;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use random_networks::{Entries, Network, any_network, finite_network};
use random_runs::{common_books_are_in_order, hold, repeats};
use sawtooth_cc::CONTROLLERS;
use sawtooth_sim::queue::DISCIPLINES;
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::tcp::RECOVERIES;
use sawtooth_sim::{Records, run};

/// Cases per combination of entries; there are dozens of combinations.
const CASES: u32 = 48;

/// Hold a property for every combination with this recovery.
fn for_all<S: Strategy<Value = Network>>(
    recovery: &str,
    networks: impl Fn(Entries) -> S,
    holds: impl Fn(&Scenario) -> TestCaseResult,
) {
    let recovery = Some(RECOVERIES.iter().find(|row| row.name == recovery).expect("a row of the table"));
    for discipline in DISCIPLINES {
        for controller in CONTROLLERS {
            let entries = Entries { recovery, controller, discipline };
            hold(entries, CASES, networks(entries), |network| holds(&network.0));
        }
    }
}

/// Books, repetition, seeds and strangers.
fn holds_for_any_network(scenario: &Scenario) -> TestCaseResult {
    let records = run(scenario).expect("random networks pass the check");
    books_are_in_order(scenario, &records)?;
    repeats(scenario, &records)
}

/// What a run of TCP flows must satisfy whatever it simulates.
fn books_are_in_order(scenario: &Scenario, records: &Records) -> TestCaseResult {
    common_books_are_in_order(scenario, records)?;
    for flow in &records.flows {
        if scenario.warmup_ns == 0 {
            prop_assert!(flow.loss_events <= flow.retransmits, "{:?}", flow);
        }
    }
    for point in records.series.windows.iter().flat_map(|windows| &windows.points) {
        prop_assert!(point.window >= 1.0 && point.threshold >= 1.0, "{:?}", point);
    }
    Ok(())
}

/// Everything arrives, and everybody knows.
fn finishes(scenario: &Scenario) -> TestCaseResult {
    let records = run(scenario).expect("random networks pass the check");
    books_are_in_order(scenario, &records)?;
    for (flow, spec) in records.flows.iter().zip(&scenario.flows) {
        prop_assert!(flow.finished_ns.is_some(), "not finished: {:?}", flow);
        prop_assert_eq!(Some(flow.delivered_unique), spec.packets.map(u64::from));
    }
    prop_assert_eq!(records.summary.packets_queued + records.summary.packets_in_flight, 0);
    Ok(())
}

#[test]
fn any_network_reno() {
    for_all("reno", any_network, holds_for_any_network);
}

#[test]
fn any_network_newreno() {
    for_all("newreno", any_network, holds_for_any_network);
}

#[test]
fn any_network_sack() {
    for_all("sack", any_network, holds_for_any_network);
}

#[test]
fn any_network_tahoe() {
    for_all("tahoe", any_network, holds_for_any_network);
}

#[test]
fn finite_flows_finish_reno() {
    for_all("reno", finite_network, finishes);
}

#[test]
fn finite_flows_finish_newreno() {
    for_all("newreno", finite_network, finishes);
}

#[test]
fn finite_flows_finish_sack() {
    for_all("sack", finite_network, finishes);
}

#[test]
fn finite_flows_finish_tahoe() {
    for_all("tahoe", finite_network, finishes);
}

#[test]
fn every_recovery_has_its_tests_here() {
    let names: Vec<&str> = RECOVERIES.iter().map(|row| row.name).collect();
    assert_eq!(names, ["reno", "newreno", "sack", "tahoe"], "give a new recovery its two lines above");
}
