//! DualPI2: coupling, ramp, overload, scheduler, update.

use super::*;
use crate::packet::{CE, ECT_1, Packet, PacketKind};
use crate::queue::{AnyDiscipline, Queue, QueueSpec, Signal, TransmitterState};
use crate::random::Stream;

const MILLISECOND: u64 = 1_000_000;
const DAY: u64 = 86_400_000 * MILLISECOND;
const L4S: u16 = ECT | ECT_1;

/// A queue at a time; its probability moves only if the test says so.
struct Bench {
    queue: Queue,
    now: u64,
}

impl Bench {
    fn new(spec: DualPi2Spec) -> Self {
        let spec = QueueSpec::DualPi2(DualPi2Spec { packets: Some(1_000_000), ..spec });
        Bench { queue: Queue::new(&spec, Rate::from_bits_per_second(1), Stream::new("1", "test")), now: 0 }
    }

    /// One whose p' is this and stays, since no update comes.
    fn at(base: f64, spec: DualPi2Spec) -> Self {
        let mut bench = Bench::new(DualPi2Spec { t_update_ns: DAY, ..spec });
        let coupling = bench.inside().params.coupling;
        bench.inside().state.set_base(base, coupling);
        bench
    }

    fn inside(&mut self) -> &mut DualPi2 {
        let AnyDiscipline::DualPi2(inside) = &mut self.queue.discipline else {
            unreachable!("it is DualPI2")
        };
        inside
    }

    fn state(&self) -> TransmitterState {
        let now = Time::from_nanos(self.now);
        TransmitterState { now, in_transmission: Backlog::default(), idle_since: Time::NEVER }
    }

    fn arrive(&mut self, number: u32, bytes: u16, flags: u16) {
        let packet = Packet::new(PacketKind::Data, 0, number, bytes, flags);
        let arrived = Time::from_nanos(self.now);
        self.queue.enqueue(Queued { packet, arrived, ..Queued::default() }, self.state());
    }

    fn send(&mut self) -> Option<Packet> {
        self.queue.dequeue(self.state()).map(|queued| queued.packet)
    }

    /// Shares of packets with these flags that are dropped, forced or not, and that are marked of the rest.
    fn shares(&mut self, flags: u16) -> (f64, f64, f64) {
        const PACKETS: u32 = 20_000;
        (0..PACKETS).for_each(|number| self.arrive(number, 1000, flags));
        let sent: Vec<Packet> = std::iter::from_fn(|| self.send()).collect();
        let counters = &self.queue.tally().arrivals;
        let share = |count: u64| count as f64 / f64::from(PACKETS);
        let marked = sent.iter().filter(|packet| packet.has(CE)).count() as f64 / sent.len() as f64;
        assert_eq!(counters.dropped() as usize + sent.len(), PACKETS as usize);
        let [early, forced] =
            [DropReason::Early, DropReason::Forced].map(|reason| counters.drops[reason as usize]);
        (share(early), share(forced), marked)
    }
}

#[test]
fn the_probabilities_are_coupled() {
    for coupling in [1.0, 2.0, 3.0] {
        for base in [0.0, 0.03, 0.1, 0.2, 0.3] {
            let spec = DualPi2Spec { coupling, ..DualPi2Spec::default() };
            let shares = |flags| Bench::at(base, spec.clone()).shares(flags);
            let close = |found: f64, expected: f64| (found - expected).abs() < 1e-3;
            let (early, forced, marked) = shares(0);
            assert!(close(early, base * base) && forced == 0.0 && marked == 0.0, "{base}: {early}");
            let (early, forced, marked) = shares(ECT);
            assert!(close(marked, base * base) && early + forced == 0.0, "{base}: {marked}");
            let (early, forced, marked) = shares(L4S);
            assert!(close(marked, coupling * base) && early + forced == 0.0, "{base}: {marked}");
        }
    }
}

#[test]
fn in_overload_drops_take_the_place_of_marks() {
    for (coupling, base) in [(2.0, 0.5), (2.0, 0.8), (4.0, 0.25), (1.0, 1.0)] {
        let spec = DualPi2Spec { coupling, ..DualPi2Spec::default() };
        let p = base * base;
        let (early, forced, marked) = Bench::at(base, spec.clone()).shares(0);
        assert!((early - p).abs() < 1e-3 && forced + marked == 0.0);
        let (early, forced, marked) = Bench::at(base, spec.clone()).shares(ECT);
        assert!((forced - p).abs() < 1e-3 && early + marked == 0.0, "{base}: {forced}");
        let (early, forced, marked) = Bench::at(base, spec).shares(L4S);
        assert!((forced - p).abs() < 1e-3 && early == 0.0, "{base}: {forced}");
        assert!(marked == 1.0 || forced == 1.0, "all that is left is marked: {marked}");
    }
}

#[test]
fn the_ramp_marks_by_the_wait_of_a_packet_and_never_the_last_one() {
    let spec = DualPi2Spec::default();
    for (wait_us, expected) in
        [(0, 0.0), (800, 0.0), (900, 0.25), (1_000, 0.5), (1_100, 0.75), (1_200, 1.0), (9_000, 1.0)]
    {
        let mut bench = Bench::at(0.0, spec.clone());
        let found = bench.inside().params.native(Span::from_nanos(1_000 * wait_us));
        assert_eq!(found, expected, "{wait_us} us");
        // A packet that another stands behind.
        let mut marked = 0;
        for number in 0..1_000 {
            bench.arrive(number, 100, L4S);
            bench.arrive(number, 100, L4S);
            bench.now += 1_000 * wait_us;
            marked += u32::from(bench.send().expect("two wait").has(CE));
            assert!(!bench.send().expect("one waits").has(CE), "nothing stands behind it");
        }
        assert!((f64::from(marked) / 1e3 - expected).abs() < 2e-3, "{wait_us} us: {marked}");
    }
    let step = DualPi2Spec { range_ns: 0, min_packets: 0, ..spec };
    let mut bench = Bench::at(0.0, step);
    let native = |bench: &mut Bench, nanos| bench.inside().params.native(Span::from_nanos(nanos));
    assert_eq!((native(&mut bench, 799_999), native(&mut bench, 800_000)), (0.0, 1.0), "a step");
    for number in 0..10 {
        bench.arrive(number, 100, L4S);
        bench.now += MILLISECOND;
        assert_eq!(
            bench.send().expect("one waits").has(CE),
            number > 0,
            "each but the first, by which the sum becomes 1"
        );
    }
}

#[test]
fn ect_1_and_marked_packets_go_before_others() {
    let mut bench = Bench::at(0.0, DualPi2Spec::default());
    for (number, flags) in [0, ECT, ECT | CE, L4S].into_iter().enumerate() {
        bench.arrive(number as u32, 100, flags);
    }
    let order: Vec<u32> = std::iter::from_fn(|| bench.send()).map(|packet| packet.number()).collect();
    // A packet of L lifts the credit above 0, so it is the turn of C, which pays for fifteen of L.
    assert_eq!(order, [2, 0, 3, 1]);
    let subqueues = &bench.queue.tally().subqueues;
    assert_eq!([subqueues[0].arrivals.arrivals, subqueues[1].arrivals.arrivals], [2, 2]);
}

#[test]
fn the_weight_is_the_part_of_the_bytes_that_c_gets_while_both_hold_packets() {
    for (weight, sizes) in
        [(0.0625, [1000, 1000]), (0.0625, [300, 1500]), (0.0625, [1500, 100]), (0.5, [1000, 700])]
    {
        let mut bench = Bench::at(0.0, DualPi2Spec { weight, ..DualPi2Spec::default() });
        let (mut bytes, mut longest) = ([0.0; 2], [0u64; 2]);
        let mut run = [0u64; 2];
        for number in 0..50_000 {
            while bench.inside().low.backlog().packets < 5 {
                bench.arrive(number, sizes[0], L4S);
            }
            while bench.inside().classic.backlog().packets < 5 {
                bench.arrive(number, sizes[1], 0);
            }
            let sent = bench.send().expect("both hold packets");
            let queue = usize::from(!sent.is_l4s());
            bytes[queue] += f64::from(sent.bytes());
            run[queue] += u64::from(sent.bytes());
            run[1 - queue] = 0;
            longest[queue] = longest[queue].max(run[queue]);
        }
        let share = bytes[1] / (bytes[0] + bytes[1]);
        assert!((share - weight).abs() < 1e-3, "{weight}, {sizes:?}: {share}");
        // C never waits longer than for what its own last packet has cost L, and a packet of L.
        let bound = (1.0 - weight) / weight * f64::from(sizes[1]) + f64::from(sizes[0]);
        assert!(longest[0] as f64 <= bound, "{weight}, {sizes:?}: {longest:?}");
    }
}

#[test]
fn alone_each_queue_is_served_whatever_the_credit_and_idleness_forgets_it() {
    let mut bench = Bench::at(0.0, DualPi2Spec::default());
    for number in 0..100 {
        bench.arrive(number, 1500, 0);
        assert!(bench.send().is_some());
    }
    assert_eq!(bench.inside().state.credit, 0.0, "nobody competed");
    bench.arrive(0, 1500, L4S);
    bench.arrive(1, 1500, 0);
    assert_eq!(bench.send().map(Packet::number), Some(0));
    assert!(bench.inside().state.credit > 0.0);
    assert_eq!((bench.send().map(Packet::number), bench.send()), (Some(1), None));
    assert_eq!(bench.inside().state.credit, 0.0);
}

#[test]
fn time_shifted_a_classic_packet_goes_first_once_it_has_waited_so_much_longer() {
    let scheduler = Scheduler::TimeShifted;
    for (head_start_ms, first) in [(0, 1), (49, 1), (50, 1), (51, 0)] {
        let mut bench = Bench::at(0.0, DualPi2Spec { scheduler, ..DualPi2Spec::default() });
        bench.arrive(0, 1000, 0);
        bench.now += head_start_ms * MILLISECOND;
        bench.arrive(1, 1000, L4S);
        assert_eq!(bench.send().map(Packet::number), Some(first), "{head_start_ms} ms");
    }
}

#[test]
fn an_update_takes_the_longer_wait_of_the_two_heads() {
    for (flags, other) in [(0, L4S), (L4S, 0)] {
        let mut bench = Bench::new(DualPi2Spec::default());
        bench.arrive(0, 1000, flags);
        bench.now += 6 * MILLISECOND;
        bench.arrive(1, 1000, other);
        bench.now = 48 * MILLISECOND;
        bench.arrive(2, 1000, other); // makes up for the updates at 16, 32 and 48 ms
        let steps = [(0.016, 0.0), (0.032, 0.016), (0.048, 0.032)];
        let expected: f64 =
            steps.iter().map(|(now, before)| 0.16 * (now - 0.015) + 3.2 * (now - before)).sum();
        let base = bench.inside().state.base;
        assert!((base - expected).abs() < 1e-12, "{base}, not {expected}");
    }
    let mut idle = Bench::new(DualPi2Spec::default());
    idle.now = 1_000 * MILLISECOND;
    idle.arrive(0, 1000, 0);
    assert_eq!(idle.inside().state.base, 0.0, "it is bounded");
}

#[test]
fn what_does_not_fit_is_dropped_whatever_its_queue() {
    let spec = QueueSpec::DualPi2(DualPi2Spec { bytes: Some(2_500), ..DualPi2Spec::default() });
    let mut queue = Queue::new(&spec, Rate::from_bits_per_second(1), Stream::new("1", "test"));
    let state =
        TransmitterState { now: Time::ZERO, in_transmission: Backlog::default(), idle_since: Time::NEVER };
    for (flags, fits) in [(0, true), (L4S, true), (L4S, false), (0, false)] {
        let packet = Packet::new(PacketKind::Data, 0, 0, 1000, flags);
        queue.enqueue(Queued { packet, ..Queued::default() }, state);
        assert_eq!(queue.next_signal(), (!fits).then_some(Signal::Dropped(packet, DropReason::Full)));
    }
    let drops: Vec<u64> =
        queue.tally().subqueues.iter().map(|subqueue| subqueue.arrivals.dropped()).collect();
    assert_eq!(drops, [1, 1]);
}

#[test]
fn those_who_look_on_see_the_updates_of_an_idle_queue_and_change_nothing() {
    let mut bench = Bench::new(DualPi2Spec::default());
    bench.inside().state.set_base(0.3, 2.0);
    let mut seen = |millis| {
        let states = bench.inside().states(Time::from_nanos(millis * MILLISECOND));
        states.map(|state| state.expect("a state of each queue").probability)
    };
    for (millis, updates) in [(0, 0), (15, 0), (16, 1), (40, 2), (48, 3), (160, 10)] {
        let base: f64 = 0.3 - f64::from(updates) * 0.16 * 0.015;
        let [low, classic] = seen(millis);
        assert!(
            (low - 2.0 * base).abs() < 1e-12 && (classic - base * base).abs() < 1e-12,
            "{millis} ms: {low}"
        );
    }
    assert_eq!((seen(60_000), seen(0)), ([0.0; 2], [0.6, 0.3 * 0.3]));
}
