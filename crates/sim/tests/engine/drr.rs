//! Deficit round robin: against one that searches through all queues, against its theorem, and in networks.

use proptest::prelude::*;
use sawtooth_cc::units::{Rate, Time};
use sawtooth_networks::networks::{self, MEGABIT, MILLISECOND, SECOND, dumbbell, pipe, profile};
use sawtooth_sim::packet::{Packet, PacketKind};
use sawtooth_sim::queue::{Backlog, DROP_REASONS, Queue, Queued, Signal, TransmitterState};
use sawtooth_sim::random::Stream;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{DrrSpec, FlowSpec, LinkSpec, QueueSpec, Scenario};
use std::collections::VecDeque;

/// Queues in these tests: two flows, their acknowledgements, and two sources with the same numbers.
const OWNERS: usize = 6;

fn packet(owner: usize, number: u32, bytes: u16) -> Packet {
    let kind = [PacketKind::Data, PacketKind::Ack, PacketKind::Cbr][owner % 3];
    Packet::new(kind, owner as u32 / 3, number, bytes, 0)
}

fn owner_of(packet: Packet) -> usize {
    let kind = match packet.kind() {
        PacketKind::Data => 0,
        PacketKind::Ack => 1,
        _ => 2,
    };
    3 * packet.flow() as usize + kind
}

/// What happens to a queue: a packet of this owner and size arrives, or the transmitter is free.
type Step = Option<(usize, u16)>;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![2 => 40u16..1_501, 1 => Just(1_000)];
    let step = prop_oneof![3 => (0..OWNERS, size).prop_map(Some), 2 => Just(None)];
    proptest::collection::vec(step, 1..400)
}

fn limits() -> impl Strategy<Value = (Option<u64>, Option<u64>)> {
    prop_oneof![
        (1u64..40).prop_map(|packets| (Some(packets), None)),
        (40u64..40_000).prop_map(|bytes| (None, Some(bytes))),
    ]
}

const IDLE: TransmitterState = TransmitterState {
    now: Time::ZERO,
    in_transmission: Backlog { packets: 0, bytes: 0 },
    idle_since: Time::ZERO,
};

/// A queue under test, which hands out and drops packets.
struct Subject(Queue);

impl Subject {
    fn new(packets: Option<u64>, bytes: Option<u64>, quantum: u32) -> Self {
        let spec = QueueSpec::Drr(DrrSpec { packets, bytes, quantum });
        Subject(Queue::new(&spec, Rate::from_bits_per_second(MEGABIT), Stream::new("1", "test")))
    }

    fn arrive(&mut self, packet: Packet) -> Vec<Packet> {
        self.0.enqueue(Queued { packet, ..Queued::default() }, IDLE);
        let packet = |signal| match signal {
            Signal::Dropped(packet, _) => packet,
            Signal::Marked(packet) => panic!("{packet:?} was marked"),
        };
        let mut dropped: Vec<Packet> = std::iter::from_fn(|| self.0.next_signal()).map(packet).collect();
        dropped.reverse();
        dropped
    }

    fn serve(&mut self) -> Option<Packet> {
        self.0.dequeue(IDLE).map(|queued| queued.packet)
    }
}

/// Deficit round robin by its description: a list of queues in the order of the round, the one whose turn it is first.
#[derive(Default)]
struct Plain {
    round: VecDeque<PlainQueue>,
}

struct PlainQueue {
    packets: VecDeque<Packet>,
    deficit: u64,
    has_turn: bool,
}

impl PlainQueue {
    fn bytes(&self) -> u64 {
        self.packets.iter().map(|packet| u64::from(packet.bytes())).sum()
    }
}

impl Plain {
    fn is_over(&self, packets: Option<u64>, bytes: Option<u64>) -> bool {
        let waiting: u64 = self.round.iter().map(|queue| queue.packets.len() as u64).sum();
        let total: u64 = self.round.iter().map(PlainQueue::bytes).sum();
        packets.is_some_and(|limit| waiting > limit) || bytes.is_some_and(|limit| total > limit)
    }

    fn take(&mut self, index: usize) -> Packet {
        let queue = &mut self.round[index];
        let packet = queue.packets.pop_front().expect("no queue of the round is empty");
        if queue.packets.is_empty() {
            self.round.remove(index);
        }
        packet
    }

    fn arrive(&mut self, packet: Packet, packets: Option<u64>, bytes: Option<u64>) -> Vec<Packet> {
        let same = |queue: &PlainQueue| owner_of(queue.packets[0]) == owner_of(packet);
        let index = self.round.iter().position(same).unwrap_or_else(|| {
            self.round.push_back(PlainQueue { packets: VecDeque::new(), deficit: 0, has_turn: false });
            self.round.len() - 1
        });
        self.round[index].packets.push_back(packet);
        let mut dropped = Vec::new();
        while self.is_over(packets, bytes) {
            // Of equals the first in the round: `max_by_key` would return the last.
            let bytes = |index: &usize| self.round[*index].bytes();
            let longest = (0..self.round.len()).rev().max_by_key(bytes).expect("something is too much");
            dropped.push(self.take(longest));
        }
        dropped
    }

    fn serve(&mut self, quantum: u32) -> Option<Packet> {
        loop {
            let queue = self.round.front_mut()?;
            if !queue.has_turn {
                queue.has_turn = true;
                queue.deficit += u64::from(quantum);
            }
            let head = u64::from(queue.packets[0].bytes());
            if head <= queue.deficit {
                queue.deficit -= head;
                return Some(self.take(0));
            }
            queue.has_turn = false;
            self.round.rotate_left(1);
        }
    }
}

proptest! {
    /// What goes, what is dropped and in which order, for any arrivals; and nothing waits while the transmitter is free.
    #[test]
    fn it_does_what_its_description_says(
        steps in steps(), (packets, bytes) in limits(), quantum in prop_oneof![40u32..4_000, Just(1_000)]
    ) {
        let (mut subject, mut plain) = (Subject::new(packets, bytes, quantum), Plain::default());
        for (number, step) in (0u32..).zip(steps) {
            match step {
                Some((owner, size)) => {
                    let packet = packet(owner, number, size);
                    prop_assert_eq!(subject.arrive(packet), plain.arrive(packet, packets, bytes));
                }
                None => {
                    let holds_any = subject.0.held().packets > 0;
                    let served = subject.serve();
                    prop_assert_eq!(served, plain.serve(quantum));
                    prop_assert_eq!(served.is_some(), holds_any, "work conserving");
                }
            }
        }
    }

    /// While two queues hold packets all the time, what they have sent differs by at most the quantum and twice the largest
    /// packet, over any interval [ShreedharVarghese96]; and packets of one owner keep their order.
    #[test]
    fn queues_that_are_not_empty_get_the_same(
        steps in steps(), (packets, bytes) in limits(), quantum in 40u32..4_000
    ) {
        let bound = i64::from(quantum) + 2 * 1_500;
        let mut subject = Subject::new(packets, bytes, quantum);
        let (mut waiting, mut sent, mut last) = ([0u32; OWNERS], [0i64; OWNERS], [0u32; OWNERS]);
        // By pair, the least and the most by which the first was ahead since both began to hold packets.
        let mut lead: [[Option<(i64, i64)>; OWNERS]; OWNERS] = Default::default();
        for (number, step) in (1u32..).zip(steps) {
            match step {
                Some((owner, size)) => {
                    waiting[owner] += 1;
                    for dropped in subject.arrive(packet(owner, number, size)) {
                        waiting[owner_of(dropped)] -= 1;
                    }
                }
                None => if let Some(served) = subject.serve() {
                    let owner = owner_of(served);
                    waiting[owner] -= 1;
                    sent[owner] += i64::from(served.bytes());
                    prop_assert!(served.number() > last[owner], "packets of one owner keep their order");
                    last[owner] = served.number();
                }
            }
            for (i, row) in lead.iter_mut().enumerate() {
                for (j, extremes) in row.iter_mut().enumerate() {
                    let now = sent[i] - sent[j];
                    let (least, most) = extremes.unwrap_or((now, now));
                    let (least, most) = (least.min(now), most.max(now));
                    if waiting[i] == 0 || waiting[j] == 0 {
                        *extremes = None;
                        continue;
                    }
                    prop_assert!(most - least <= bound, "{} bytes apart: {} and {}", most - least, i, j);
                    *extremes = Some((least, most));
                }
            }
        }
    }
}

/// The same network with this queue at its bottleneck.
fn with_queue(scenario: &Scenario, queue: QueueSpec) -> Scenario {
    let mut other = scenario.clone();
    other.links[0].queue = Some(queue);
    other
}

#[test]
fn a_lone_flow_sees_a_first_in_first_out_queue() {
    let by_rate = dumbbell(1, 100_000, profile("aimd(1, 0.5)", "sack"), 10 * SECOND);
    let mut by_trace = by_rate.clone();
    (by_trace.links[0].rate_bps, by_trace.links[0].trace_ms) = (None, Some(vec![1, 1, 2, 5]));
    for scenario in [by_rate, by_trace] {
        let records = run(&scenario).unwrap();
        assert!(
            records.queues[0].departures.forwarded > 7_000
                && records.queues[0].arrivals.drops == [0; DROP_REASONS]
        );
        for quantum in [300, 1_000, 10_000] {
            let drr = QueueSpec::Drr(DrrSpec { packets: Some(100_000), bytes: None, quantum });
            let other = run(&with_queue(&scenario, drr)).unwrap();
            assert_eq!(other.digest(), records.digest(), "quantum {quantum}");
        }
    }
}

/// A flow beside sources that would fill the link twice each; what the flow sent, as a part of the link.
fn share_beside(sources: u64, quantum: u32, bottleneck: LinkSpec) -> f64 {
    let mut scenario = dumbbell(1, 400, profile("aimd(1, 0.5)", "sack"), 30 * SECOND);
    scenario.warmup_ns = 5 * SECOND;
    scenario.links[0] = LinkSpec {
        queue: Some(QueueSpec::Drr(DrrSpec { packets: Some(400), bytes: None, quantum })),
        delay_ns: 10 * MILLISECOND,
        ..bottleneck
    };
    scenario.sources =
        (0..sources).map(|index| networks::source(&[0], &[[index * 97, 20 * MEGABIT]])).collect();
    let queue = &run(&scenario).unwrap().queues[0];
    assert_eq!(queue.empty.nanos(), 0, "the link is never idle");
    queue.departures.test_forwarded as f64 * 1_000.0 / queue.capacity_bytes as f64
}

#[test]
fn sources_that_send_too_much_leave_a_flow_its_share() {
    for sources in [1, 3, 9] {
        let fair = 1.0 / (sources + 1) as f64;
        for quantum in [500, 1_000, 3_000] {
            let share = share_beside(sources, quantum, pipe("bottleneck", 10 * MEGABIT, 0));
            assert!((share - fair).abs() < 0.02 * fair, "{sources} sources, quantum {quantum}: {share}");
        }
    }
}

#[test]
fn a_trace_with_drr_shares_as_well() {
    let trace =
        LinkSpec { rate_bps: None, trace_ms: Some(vec![1, 2, 3, 4, 5, 9]), ..pipe("bottleneck", 0, 0) };
    let share = share_beside(3, 1_000, trace);
    assert!((share - 0.25).abs() < 0.005, "{share}");
}

#[test]
fn flows_that_come_and_go_by_the_hundred_are_all_delivered() {
    let mut scenario = dumbbell(1, 100, profile("aimd(1, 0.5)", "sack"), 60 * SECOND);
    scenario.links[0].queue =
        Some(QueueSpec::Drr(DrrSpec { packets: None, bytes: Some(100_000), quantum: 1_000 }));
    let long = scenario.flows[0].clone();
    scenario.flows = (0..500)
        .map(|index| FlowSpec { start_ns: index * 20 * MILLISECOND, packets: Some(10), ..long.clone() })
        .collect();
    let records = run(&scenario).unwrap();
    assert!(records.flows.iter().all(|flow| flow.delivered_unique == 10 && flow.finished_ns.is_some()));
}
