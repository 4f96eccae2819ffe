//! PIE: bursts, updates, hits and their distances.

use super::*;
use crate::packet::{Packet, PacketKind};
use crate::queue::{Queue, QueueSpec, TransmitterState};

const MILLISECOND: u64 = 1_000_000;
/// Time of a packet of 1250 B at 10 Mbit/s.
const PACKET: u64 = MILLISECOND;

fn idle(now: u64) -> TransmitterState {
    let now = Time::from_nanos(now);
    TransmitterState { now, in_transmission: Backlog::default(), idle_since: Time::NEVER }
}

fn queued(number: u32, flags: u16, now: u64) -> Queued {
    let packet = Packet::new(PacketKind::Data, 0, number, 1250, flags);
    Queued { packet, arrived: Time::from_nanos(now), ..Queued::default() }
}

fn queue(spec: PieSpec) -> Queue {
    let spec = QueueSpec::Pie(PieSpec { packets: Some(100_000), ..spec });
    Queue::new(&spec, Rate::from_bits_per_second(10_000_000), Stream::new("1", "test"))
}

/// From this time on, for so long, several packets arrive in the time of one; when one was dropped or marked first, if ever.
fn first_hit(queue: &mut Queue, from: u64, nanos: u64, overload: u64, flags: u16) -> Option<u64> {
    let mut first = None;
    for (number, now) in (0u32..).zip((from..from + nanos).step_by((PACKET / overload) as usize)) {
        queue.enqueue(queued(number, flags, now), idle(now));
        if u64::from(number) % overload == overload - 1 {
            queue.dequeue(idle(now));
        }
        if queue.next_signal().is_some() {
            first = first.or(Some(now - from));
        }
    }
    first
}

#[test]
fn a_burst_from_empty_loses_nothing_for_its_allowance_whenever_it_begins() {
    for overload in [2, 3, 10] {
        for from in (0..40).map(|step| 1_000 * MILLISECOND + step * 700_000) {
            let mut pie = queue(PieSpec::default());
            assert_eq!(first_hit(&mut pie, from, 150 * MILLISECOND, overload, 0), None, "{overload} {from}");
        }
    }
    let mut pie = queue(PieSpec::default());
    let first = first_hit(&mut pie, 0, 3_000 * MILLISECOND, 2, 0).expect("overload is dropped in the end");
    assert!(first >= 150 * MILLISECOND, "{first}");
    let mut without = queue(PieSpec { max_burst_ns: 0, ..PieSpec::default() });
    assert!(first_hit(&mut without, 0, 150 * MILLISECOND, 10, 0).is_some(), "where none is allowed");
}

/// A queue whose last packet waited for so long, at this probability.
fn set(spec: &PieSpec, probability: f64, delay_ms: f64) -> Pie {
    let spec = PieSpec { packets: Some(1_000), ..spec.clone() };
    let mut pie = spec.build(Rate::from_bits_per_second(1));
    pie.law.state.probability = probability;
    pie.law.state.delay = delay_ms / 1e3;
    pie.law.controller.step(delay_ms / 1e3);
    pie
}

#[test]
fn small_probabilities_move_in_small_steps() {
    for (probability, divisor) in [
        (0.0, 2048.0),
        (0.000_000_9, 2048.0),
        (0.000_001, 512.0),
        (0.000_009, 512.0),
        (0.000_01, 128.0),
        (0.000_09, 128.0),
        (0.000_1, 32.0),
        (0.000_9, 32.0),
        (0.001, 8.0),
        (0.009, 8.0),
        (0.01, 2.0),
        (0.09, 2.0),
        (0.1, 1.0),
        (0.5, 1.0),
    ] {
        let mut pie = set(&PieSpec::default(), probability, 20.0);
        pie.law.state.delay = 0.025; // 10 ms above the target, 5 ms more than before
        pie.law.update(Time::from_nanos(15 * MILLISECOND));
        let expected: f64 = probability + (0.125 * 0.010 + 1.25 * 0.005) / divisor;
        assert!(
            (pie.law.state.probability - expected).abs() < 1e-15,
            "{probability}: {}",
            pie.law.state.probability
        );
    }
}

#[test]
fn steps_are_capped_bounded_and_decay_when_nothing_waits() {
    let after = |spec: &PieSpec, probability, before_ms, delay_ms: f64| {
        let mut pie = set(spec, probability, before_ms);
        pie.law.state.delay = delay_ms / 1e3;
        pie.law.update(Time::from_nanos(15 * MILLISECOND));
        pie.law.state.probability
    };
    let (plain, capped) = (PieSpec::default(), PieSpec { cap_adjustment: true, ..PieSpec::default() });
    let step = 0.125 * 0.085 + 1.25 * 0.100;
    assert!((after(&plain, 0.1, 0.0, 100.0) - 0.1 - step).abs() < 1e-12);
    assert!((after(&capped, 0.1, 0.0, 100.0) - 0.12).abs() < 1e-12);
    assert!((after(&capped, 0.09, 0.0, 100.0) - 0.09 - step / 2.0).abs() < 1e-12, "below 0.1 it is not");
    assert_eq!((after(&plain, 0.99, 0.0, 100.0), after(&plain, 0.000_001, 100.0, 0.0)), (1.0, 0.0));
    let idle = 0.98 * (0.5 - 0.125 * 0.015);
    assert!((after(&plain, 0.5, 0.0, 0.0) - idle).abs() < 1e-12);
}

/// How many of many arrivals at a full queue are dropped and marked, at a probability that stays.
fn hit(spec: PieSpec, probability: f64, flags: u16, arrivals: u32) -> (u64, u64) {
    let spec = QueueSpec::Pie(PieSpec { packets: Some(1_000_000), t_update_ns: 1_000_000_000, ..spec });
    let mut queue = Queue::new(&spec, Rate::from_bits_per_second(1), Stream::new("1", "test"));
    let super::super::AnyDiscipline::Pie(pie) = &mut queue.discipline else { unreachable!("it is PIE") };
    pie.law.state.probability = probability;
    pie.law.state.allowance = Span::ZERO;
    pie.law.controller.step(0.015);
    for number in 0..arrivals {
        queue.enqueue(queued(number, flags, 0), idle(0));
    }
    let arrivals = &queue.tally().arrivals;
    (arrivals.dropped(), arrivals.marks)
}

#[test]
fn arrivals_are_hit_with_the_probability_and_marked_below_the_threshold() {
    const ARRIVALS: u32 = 100_000;
    let ecn = PieSpec { ecn: true, ..PieSpec::default() };
    for (probability, spec, flags, marks) in [
        (0.05, PieSpec::default(), ECT, false),
        (0.05, ecn.clone(), 0, false),
        (0.05, ecn.clone(), ECT, true),
        (0.099, ecn.clone(), ECT, true),
        (0.1, ecn.clone(), ECT, false),
        (0.15, PieSpec { mark_ecnth: 0.2, ..ecn.clone() }, ECT, true),
    ] {
        let (dropped, marked) = hit(spec, probability, flags, ARRIVALS);
        let (found, none) = if marks { (marked, dropped) } else { (dropped, marked) };
        let expected = f64::from(ARRIVALS) * probability;
        assert!((found as f64 - expected).abs() < 5.0 * expected.sqrt(), "{probability}: {found}");
        assert_eq!(none, 0);
    }
}

#[test]
fn hits_that_keep_their_distance_are_at_least_0_85_over_p_apart() {
    let spec = PieSpec { derandomization: true, ..PieSpec::default() };
    // The first packets, while at most two wait, do not count.
    for probability in [0.01, 0.05] {
        let least = (0.85f64 / probability).ceil() as u32;
        assert_eq!(hit(spec.clone(), probability, 0, 3 + least - 1).0, 0);
        let most = (8.5f64 / probability).ceil() as u32;
        assert!(hit(spec.clone(), probability, 0, 3 + most).0 >= 1);
        let (found, _) = hit(spec.clone(), probability, 0, 100_000);
        // After the least distance each arrival is hit with probability p, up to the certain one.
        let mean = f64::from(least) - 1.0 + 1.0 / probability;
        let expected = 100_000.0 / mean;
        assert!((found as f64 - expected).abs() < 0.1 * expected, "{probability}: {found}, {expected}");
    }
}

#[test]
fn those_who_look_on_see_the_updates_of_an_idle_queue_and_change_nothing() {
    let pie = set(&PieSpec::default(), 0.5, 0.0);
    let seen = |millis| pie.states(Time::from_nanos(millis * MILLISECOND))[0].expect("a state").probability;
    // An update of an idle queue: the step for a delay of 0, then 2 % less.
    let update = |probability: f64| 0.98 * (probability - 0.125 * 0.015);
    let expected = (0..4).scan(0.5, |next, _| Some(std::mem::replace(next, update(*next))));
    for (periods, expected) in expected.enumerate() {
        for millis in [15 * periods as u64, 15 * periods as u64 + 14] {
            assert!((seen(millis) - expected).abs() < 1e-12, "{millis} ms: {}, not {expected}", seen(millis));
        }
    }
    assert_eq!((seen(60_000), seen(0)), (0.0, 0.5));
}
