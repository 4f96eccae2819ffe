//! The series `packets`: rows at the times that follow from rates and delays, as many as the counters say, in either order of events.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use sawtooth_networks::networks::{MEGABIT, MILLISECOND, SECOND, flow, pipe, port, profile, scenario};
use sawtooth_networks::random_networks::winding::winding_network;
use sawtooth_networks::random_networks::{any_network, combinations};
use sawtooth_networks::random_runs::hold;
use sawtooth_sim::queue::DropReason;
use sawtooth_sim::scenario::{FlowSpec, ImpairmentSpec, Scenario};
use sawtooth_sim::series::packets::{PacketEvent, PacketPoint};
use sawtooth_sim::tcp::Ecn;
use sawtooth_sim::{Order, Progress, Records, Simulation, run};

const MICROSECOND: u64 = 1_000;

fn packets(records: &Records) -> &[PacketPoint] {
    &records.series.packets.as_ref().expect("packets are recorded").points
}

/// A flow of so many packets over 8 Mbit/s (a byte per µs), a queue before 4 Mbit/s, and 8 Mbit/s back, 10 ms each.
fn short_path(flow_packets: u32, buffer: u64) -> Scenario {
    let links = vec![
        pipe("access", 8 * MEGABIT, 10 * MILLISECOND),
        port("bottleneck", 4 * MEGABIT, 10 * MILLISECOND, buffer),
        pipe("back", 8 * MEGABIT, 10 * MILLISECOND),
    ];
    let mut scenario = scenario(3 * SECOND, links, vec![profile("aimd(1, 0.5)", "sack")]);
    scenario.flows.push(FlowSpec { packets: Some(flow_packets), ..flow(&[0, 1], &[2]) });
    scenario.record.packets = true;
    scenario
}

/// When the SYN of 40 bytes has been answered: 40, 80 and 40 µs of transmission.
const OPEN: u64 = 160 * MICROSECOND + 30 * MILLISECOND;

fn row(time: u64, event: PacketEvent, number: u32) -> (u64, PacketEvent, u32, u32, u32) {
    (time, event, number, 0, 0)
}

fn rows(records: &Records) -> Vec<(u64, PacketEvent, u32, u32, u32)> {
    let points = packets(records).iter();
    points.map(|row| (row.time.nanos(), row.event, row.number, row.place, row.reason)).collect()
}

#[test]
fn each_packet_has_its_rows_when_rates_and_delays_say() {
    use PacketEvent::{Acknowledged, Arrived, DroppedOnLink, Sent, SentAgain};
    let mut scenario = short_path(3, 100);
    scenario.links[0].drop = Some(ImpairmentSpec::List { packets: vec![2] });
    let found = rows(&run(&scenario).unwrap());
    let at = |milliseconds: u64| OPEN + milliseconds * MILLISECOND;
    let back = 40 * MICROSECOND + 10 * MILLISECOND;
    let impairment = DropReason::Impairment as u32 + 1;
    // 1 ms and 10 ms to the queue, 2 ms and 10 ms from there; the last one waits for a millisecond.
    let timer = found[8].0;
    let expected = [
        row(OPEN, Sent, 0),
        row(OPEN, Sent, 1),
        row(OPEN, Sent, 2),
        (OPEN, DroppedOnLink, 1, 0, impairment),
        row(at(23), Arrived, 0),
        row(at(25), Arrived, 2),
        row(at(23) + back, Acknowledged, 1),
        row(at(25) + back, Acknowledged, 1),
        row(timer, SentAgain, 1),
        row(timer + 23 * MILLISECOND, Arrived, 1),
        row(timer + 23 * MILLISECOND + back, Acknowledged, 3),
    ];
    assert_eq!(found, expected);
    assert!(timer >= at(25) + 200 * MILLISECOND, "the timer ran out at {timer}");
}

#[test]
fn a_queue_says_why_it_dropped_and_whom_it_marked() {
    // The buffer holds the packet in transmission and no other.
    let found = rows(&run(&short_path(2, 1)).unwrap());
    let full = (OPEN + 12 * MILLISECOND, PacketEvent::DroppedAtQueue, 1, 0, DropReason::Full as u32 + 1);
    assert_eq!(found.iter().filter(|row| row.1 == PacketEvent::DroppedAtQueue).collect::<Vec<_>>(), [&full]);

    let mut scenario = short_path(2, 100);
    scenario.profiles[0].tcp.ecn = Ecn::Classic;
    let second = Some(ImpairmentSpec::List { packets: vec![2] });
    scenario.links[1].mark = second.clone();
    let at_queue = rows(&run(&scenario).unwrap());
    assert!(at_queue.contains(&row(OPEN + 12 * MILLISECOND, PacketEvent::MarkedAtQueue, 1)), "{at_queue:?}");
    scenario.links[1].mark = None;
    scenario.links.insert(0, pipe("other", MEGABIT, 0)); // so that the link of the mark has a number
    scenario.flows[0] = FlowSpec { forward: vec![1, 2], reverse: vec![3], ..scenario.flows[0].clone() };
    scenario.links[1].mark = second;
    let on_link = rows(&run(&scenario).unwrap());
    assert!(on_link.contains(&(OPEN, PacketEvent::MarkedOnLink, 1, 1, 0)), "{on_link:?}");
}

/// Rows agree with the counters, in their order, and nobody is served before he came.
fn rows_agree_with_counters(scenario: &Scenario, records: &Records) -> TestCaseResult {
    let points = packets(records);
    prop_assert!(points.is_sorted());
    for (id, flow) in (0u32..).zip(&records.flows) {
        let of = |event| points.iter().filter(move |point| point.flow == id && point.event == event);
        let count = |event| of(event).count() as u64;
        prop_assert_eq!(count(PacketEvent::Sent) + count(PacketEvent::SentAgain), flow.sent);
        prop_assert_eq!(count(PacketEvent::SentAgain), flow.retransmits);
        prop_assert_eq!(count(PacketEvent::Arrived), flow.delivered_unique);
        prop_assert_eq!(count(PacketEvent::Arrived) + count(PacketEvent::ArrivedAgain), flow.delivered_total);
        let at_bottleneck = of(PacketEvent::DroppedAtQueue).filter(|point| point.place == 0).count() as u64;
        prop_assert_eq!(at_bottleneck, flow.drops);
        prop_assert_eq!(count(PacketEvent::DroppedAtQueue) - at_bottleneck, flow.drops_elsewhere);
        for point in of(PacketEvent::DroppedOnLink).chain(of(PacketEvent::MarkedOnLink)) {
            prop_assert!(scenario.links[point.place as usize].queue.is_none(), "{:?}", point);
        }
        let mut sent = std::collections::BTreeMap::new();
        for point in of(PacketEvent::Sent) {
            prop_assert_eq!(sent.insert(point.number, point.time), None, "sent for the first time twice");
        }
        for point in of(PacketEvent::Arrived) {
            prop_assert!(sent[&point.number] <= point.time, "{:?} arrived before it was sent", point);
        }
    }
    Ok(())
}

fn holds(scenario: &Scenario) -> TestCaseResult {
    let mut scenario = Scenario { warmup_ns: 0, ..scenario.clone() };
    let plain = run(&scenario).expect("random networks pass the check");
    scenario.record.packets = true;
    let records = run(&scenario).expect("random networks pass the check");
    rows_agree_with_counters(&scenario, &records)?;
    prop_assert_eq!(&records.flows, &plain.flows, "looking on changes nothing");
    let in_turn = Simulation::new(&scenario, Order::InTurn).unwrap().finish(&Progress::default());
    let in_turn = in_turn.expect("nobody stops this run");
    prop_assert_eq!(packets(&in_turn), packets(&records), "in either order of events");
    Ok(())
}

#[test]
fn rows_agree_with_counters_in_any_network_and_either_order() {
    for entries in combinations() {
        hold(entries, 2, any_network(entries), |network| holds(&network.0));
        hold(entries, 2, winding_network(entries), |network| holds(&network.0));
    }
}
