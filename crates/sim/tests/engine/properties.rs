//! What holds for every recovery × every controller × every discipline of the tables, on random small networks.
//!
//! A new row of a table is tested here without a line of code, except that a new discipline says in
//! `random_networks` how to build it. Cases are the same in each run; `PROPTEST_CASES=500 cargo test --release
//! -p sawtooth-sim --test engine -- properties:: --skip rate_` draws so many fresh ones per combination instead.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use sawtooth_cc::CONTROLLERS;
use sawtooth_networks::random_networks::{
    Entries, Network, any_filter, any_network, finite_network, superseding_filter, with_ack_filters,
    with_later_settings,
};
use sawtooth_networks::random_runs::{common_books_are_in_order, hold, repeats};
use sawtooth_sim::queue::DISCIPLINES;
use sawtooth_sim::scenario::Scenario;
use sawtooth_sim::tcp::{Pacing, RECOVERIES, RecoveryInfo};
use sawtooth_sim::{Records, run};

/// Cases per combination of entries; there are dozens of combinations.
const CASES: u32 = 48;
/// The same for networks with settings that are younger.
const LATER_CASES: u32 = 12;
/// The same for networks with ACK filters as well.
const FILTERED_CASES: u32 = 6;

/// Hold a property for every combination of entries; each recovery has a thread of its own.
fn for_all<S: Strategy<Value = Network>>(
    cases: u32,
    networks: impl Fn(Entries) -> S + Sync,
    holds: impl Fn(&Scenario) -> TestCaseResult + Sync,
) {
    let with = |recovery: &'static RecoveryInfo| {
        for discipline in DISCIPLINES {
            for controller in CONTROLLERS.iter().filter(|row| recovery.serves(row.properties())) {
                let entries = Entries { recovery: Some(recovery), controller, discipline };
                hold(entries, cases, networks(entries), |network| holds(&network.0));
            }
        }
    };
    std::thread::scope(|scope| RECOVERIES.iter().for_each(|recovery| _ = scope.spawn(|| with(recovery))));
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
    for (flow, spec) in records.flows.iter().zip(&scenario.flows) {
        if scenario.warmup_ns == 0 {
            let profile = &scenario.profiles[spec.profile as usize];
            let paced = profile.tcp.pacing == Pacing::On || profile.controller.properties().pacing_rate;
            let held = u64::from(paced); // a retransmission that the pacer still holds at the end
            prop_assert!(flow.loss_events <= flow.retransmits + held, "{:?}", flow);
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
    prop_assert_eq!(records.account.packets_queued + records.account.packets_in_flight, 0);
    Ok(())
}

#[test]
fn books_repetition_seeds_and_strangers() {
    for_all(CASES, any_network, holds_for_any_network);
}

#[test]
fn finite_flows_finish() {
    for_all(CASES, finite_network, finishes);
}

#[test]
fn paced_and_recorded_senders_keep_the_same_books() {
    for_all(LATER_CASES, |entries| with_later_settings(any_network(entries)), holds_for_any_network);
}

#[test]
fn the_books_are_kept_where_acknowledgements_are_filtered() {
    let networks = |entries| with_ack_filters(with_later_settings(any_network(entries)), any_filter());
    for_all(FILTERED_CASES, networks, holds_for_any_network);
}

#[test]
fn flows_finish_where_acknowledgements_are_filtered() {
    let networks =
        |entries| with_ack_filters(with_later_settings(finite_network(entries)), superseding_filter());
    for_all(FILTERED_CASES, networks, finishes);
}

#[test]
fn paced_and_recorded_flows_finish() {
    for_all(LATER_CASES, |entries| with_later_settings(finite_network(entries)), finishes);
}
