//! Applications that make data available over time: in a network whose numbers can be reckoned, and in random ones.
//!
//! `PROPTEST_CASES=200 cargo test --release -p sawtooth-sim --test engine supply::` draws so many fresh cases per combination of entries.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use sawtooth_networks::networks::{MILLISECOND, SECOND, dumbbell, profile};
use sawtooth_networks::random_networks::{
    Entries, Network, any_network, combinations, finite_network, with_later_settings, with_supplies,
};
use sawtooth_networks::random_runs::{common_books_are_in_order, hold, repeats};
use sawtooth_sim::scenario::{FlowSpec, Scenario};
use sawtooth_sim::{Order, Progress, Records, Simulation, run};

/// Cases per combination of entries; there are hundreds of combinations.
const CASES: u32 = 6;

/// One flow that starts at 1 s, over 10 Mbit/s and 40 ms, whose application offers this: ms after the start, packets.
fn supplied(supply: &[[u64; 2]]) -> Scenario {
    let mut scenario = dumbbell(1, 200, profile("aimd(1, 0.5)", "sack"), 10 * SECOND);
    scenario.flows[0].start_ns = SECOND;
    scenario.flows[0].supply = supply.iter().map(|&[at, packets]| [at * MILLISECOND, packets]).collect();
    scenario
}

#[test]
fn a_flow_sends_what_it_is_given_and_finishes_with_the_last_of_it() {
    let records = run(&supplied(&[[0, 3], [500, 20], [4_000, 2]])).expect("the scenario is valid");
    let flow = &records.flows[0];
    assert_eq!((flow.sent, flow.delivered_unique, flow.retransmits), (25, 25, 0));
    // The last two leave 4 s after the start. The second of them waits at the access link and at the bottleneck for the first, crosses both
    // and 20 ms of wires, and is acknowledged over as much: 40 bytes at 10 Mbit/s and at 1 Gbit/s.
    let micros = 5_000_000 + 2 * 800 + 8 + 40_000 + 32;
    let finished = flow.finished_ns.expect("everything is acknowledged");
    assert!(finished.abs_diff(micros * 1_000) < 1_000, "{finished}");
}

#[test]
fn all_of_it_at_the_start_is_a_flow_of_that_length() {
    let given = run(&supplied(&[[0, 700]])).expect("the scenario is valid");
    let mut finite = supplied(&[]);
    finite.flows[0].packets = Some(700);
    let finite = run(&finite).expect("the scenario is valid");
    assert!(finite.flows[0].finished_ns.is_some());
    assert_eq!(given.digest(), finite.digest());
}

#[test]
fn a_steady_application_gets_what_it_asks_for_and_its_window_stays_small() {
    // Ten packets every 100 ms are 800 kbit/s, a twelfth of the link: the first window takes them, and it never grows.
    let entries: Vec<[u64; 2]> = (0..80).map(|index| [index * 100, 10]).collect();
    let records = run(&supplied(&entries)).expect("the scenario is valid");
    let flow = &records.flows[0];
    assert_eq!((flow.delivered_unique, flow.loss_events), (800, 0));
    assert!(flow.window_mean <= 20.0, "{}", flow.window_mean);
    // Data without end, over the same time, fills the link: some 80 packets of it and the queue.
    let endless = run(&supplied(&[])).expect("the scenario is valid");
    assert!(endless.flows[0].window_mean > 80.0, "{}", endless.flows[0].window_mean);
}

#[test]
fn a_stop_ends_a_schedule() {
    let mut scenario = supplied(&[[0, 5], [1_000, 5], [3_000, 5]]);
    scenario.flows[0].stop_ns = Some(3 * SECOND);
    let records = run(&scenario).expect("the scenario is valid");
    assert_eq!(records.flows[0].sent, 10);
    assert!(records.flows[0].finished_ns.is_some_and(|finished| finished < 2_200 * MILLISECOND));
}

fn for_all(
    networks: impl Fn(Entries) -> BoxedStrategy<Network>,
    holds: impl Fn(&Scenario) -> TestCaseResult,
) {
    for entries in combinations().into_iter().filter(|entries| entries.recovery.is_some()) {
        let drawn = with_supplies(with_later_settings(networks(entries)));
        hold(format!("supply {entries}"), CASES, drawn, |network| holds(&network.0));
    }
}

/// How many packets a flow carries, if it ends.
fn length(flow: &FlowSpec) -> Option<u64> {
    let supplied = flow.supply.iter().map(|&[_, packets]| packets).sum();
    if flow.supply.is_empty() { flow.packets.map(u64::from) } else { Some(supplied) }
}

fn in_turn(scenario: &Scenario) -> Records {
    let simulation = Simulation::new(scenario, Order::InTurn).expect("random networks pass the check");
    simulation.finish(&Progress::default()).expect("nobody stops this run")
}

#[test]
fn no_more_is_sent_than_is_supplied_and_everything_repeats_in_both_orders() {
    for_all(any_network, |scenario| {
        let records = run(scenario).expect("random networks pass the check");
        common_books_are_in_order(scenario, &records)?;
        for (flow, spec) in records.flows.iter().zip(&scenario.flows) {
            prop_assert!(length(spec).is_none_or(|length| flow.delivered_unique <= length), "{:?}", flow);
        }
        repeats(scenario, &records)?;
        prop_assert_eq!(in_turn(scenario).digest(), records.digest(), "each event in its turn");
        Ok(())
    });
}

#[test]
fn what_is_supplied_arrives() {
    for_all(finite_network, |scenario| {
        let records = run(scenario).expect("random networks pass the check");
        common_books_are_in_order(scenario, &records)?;
        for (flow, spec) in records.flows.iter().zip(&scenario.flows) {
            prop_assert!(flow.finished_ns.is_some(), "not finished: {:?}", flow);
            prop_assert_eq!(Some(flow.delivered_unique), length(spec));
        }
        prop_assert_eq!(records.account.packets_queued + records.account.packets_in_flight, 0);
        Ok(())
    });
}
