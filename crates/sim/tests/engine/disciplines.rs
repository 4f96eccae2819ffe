//! What holds for every discipline of the table, whatever arrives: no packet is forgotten, no time wasted, no flow put out of order.
//!
//! A new row is tested here without a line of code. Which packets a discipline drops, marks and prefers is tested beside it.

use proptest::prelude::*;
use sawtooth_cc::units::{Rate, Time};
use sawtooth_networks::networks::{MEGABIT, MILLISECOND};
use sawtooth_networks::random_networks::queue;
use sawtooth_networks::random_runs::hold;
use sawtooth_sim::packet::{CE, ECT, ECT_1, Packet, PacketKind};
use sawtooth_sim::queue::{Backlog, DISCIPLINES, Queue, QueueSpec, Queued, Signal, TransmitterState};
use sawtooth_sim::random::Stream;

/// Flows by their flags, which stay: DualPI2 has queues for flags, and any other order would be its own.
const FLAGS: [u16; 6] = [0, 0, ECT, ECT | ECT_1, ECT | ECT_1, ECT | CE];

/// A packet of a flow arrives, or the transmitter is free; and then so much time passes.
type Step = (Option<(usize, u16)>, u64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let arrival = (0..FLAGS.len(), prop_oneof![40u16..1_501, Just(1_500)]);
    let what = prop_oneof![3 => arrival.prop_map(Some), 2 => Just(None)];
    // Long pauses let laws of delay act.
    let time = prop_oneof![0..2 * MILLISECOND, 0..60 * MILLISECOND];
    proptest::collection::vec((what, time), 1..400)
}

fn keeps_its_books(spec: &QueueSpec, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut queue = Queue::new(spec, Rate::from_bits_per_second(10 * MEGABIT), Stream::new("1", "test"));
    let (mut now, mut waiting, mut next) = (0, Vec::<Packet>::new(), [0u32; FLAGS.len()]);
    for (number, &(step, time)) in (1u32..).zip(steps) {
        let at = Time::from_nanos(now);
        let state =
            TransmitterState { now: at, in_transmission: Backlog::default(), idle_since: Time::NEVER };
        let sent = match step {
            Some((flow, bytes)) => {
                let packet = Packet::new(PacketKind::Data, flow as u32, number, bytes, FLAGS[flow]);
                waiting.push(packet);
                queue.enqueue(Queued { packet, arrived: at, ..Queued::default() }, state);
                None
            }
            None => queue.dequeue(state).map(|queued| queued.packet),
        };
        let of = |packet: Packet| (packet.flow(), packet.number());
        while let Some(signal) = queue.next_signal() {
            if let Signal::Dropped(packet, _) = signal {
                let place = waiting.iter().position(|&other| of(other) == of(packet));
                prop_assert!(place.is_some(), "a packet is dropped once, and only if it waited");
                waiting.remove(place.expect("just seen"));
            }
        }
        if let Some(packet) = sent {
            let place = waiting.iter().position(|&other| of(other) == of(packet));
            prop_assert!(place.is_some(), "a packet is sent once, and only if it waited");
            waiting.remove(place.expect("just seen"));
            let before = &mut next[packet.flow() as usize];
            prop_assert!(packet.number() > *before, "packets of a flow keep their order");
            *before = packet.number();
        } else if step.is_none() {
            prop_assert!(
                waiting.is_empty(),
                "work conserving: {} packets wait, and none is sent",
                waiting.len()
            );
        }
        let bytes: u64 = waiting.iter().map(|packet| u64::from(packet.bytes())).sum();
        prop_assert_eq!((queue.held().packets, queue.held().bytes), (waiting.len() as u64, bytes));
        now += time;
    }
    Ok(())
}

#[test]
fn every_discipline_is_work_conserving_and_keeps_the_order_of_a_flow() {
    for row in DISCIPLINES {
        hold(row.name, 200, (queue(row), steps()), |(spec, steps)| keeps_its_books(&spec, &steps));
    }
}
