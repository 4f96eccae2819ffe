//! What holds for every law with a rate × every discipline, on the random networks of `properties.rs`: impairments, marks, cross traffic,
//! reverse flows, jitter, links that follow a trace.
//!
//! `PROPTEST_CASES=500 cargo test --release -p sawtooth-sim --test engine rate_properties::` draws so many fresh cases per combination.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use sawtooth_cc::{ControllerSpec, RATE_CONTROLLERS};
use sawtooth_networks::random_networks::{Entries, any_network};
use sawtooth_networks::random_runs::{common_books_are_in_order, hold, repeats};
use sawtooth_sim::queue::DISCIPLINES;
use sawtooth_sim::scenario::{Profile, Scenario};
use sawtooth_sim::{Records, run};

/// Cases per combination of law and discipline.
const CASES: u32 = 48;

fn for_all(holds: impl Fn(&Scenario) -> TestCaseResult) {
    for discipline in DISCIPLINES {
        for controller in RATE_CONTROLLERS {
            let entries = Entries { recovery: None, controller, discipline };
            hold(entries, CASES, any_network(entries), |network| holds(&network.0));
        }
    }
}

/// Nothing is lost from the books, nothing sent twice, nothing out of order.
fn books_are_in_order(scenario: &Scenario, records: &Records) -> TestCaseResult {
    common_books_are_in_order(scenario, records)?;
    for flow in &records.flows {
        prop_assert_eq!(flow.retransmits, 0);
        // A packet that came after one with a higher number would count in total and not as new.
        prop_assert_eq!(flow.delivered_unique, flow.delivered_total, "{:?}", flow);
        prop_assert_eq!(flow.finished_ns, None);
        if scenario.warmup_ns == 0 && !times_out_by_packet(&scenario.profiles[0]) {
            prop_assert!(flow.loss_events <= flow.sent - flow.delivered_total, "{:?}", flow);
            prop_assert!(flow.ecn_reductions <= flow.marks, "{:?}", flow);
        }
    }
    Ok(())
}

/// RAP takes a packet for lost that comes later than a timeout.
fn times_out_by_packet(profile: &Profile) -> bool {
    matches!(profile.controller, ControllerSpec::Rap(_))
}

#[test]
fn books_repetition_seeds_and_strangers() {
    for_all(|scenario| {
        let records = run(scenario).expect("random networks pass the check");
        books_are_in_order(scenario, &records)?;
        repeats(scenario, &records)
    });
}
