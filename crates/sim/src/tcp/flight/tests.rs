//! Records of packets in flight: what they say when packets leave, arrive, are lost and sent again.

use super::*;

const PACKET: u64 = 1_000;

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn packets(count: u64) -> Bytes {
    Bytes::new(count * PACKET)
}

/// A packet leaves: its record.
fn sent(records: &mut FlightRecords, number: u32, now: Time) -> SentPacket {
    records.on_sent(number, now);
    records.packet(number).expect("it has just been sent")
}

fn records() -> FlightRecords {
    FlightRecords::new(packets(1))
}

/// An acknowledgement up to here with nothing beside.
fn acknowledged(records: &mut FlightRecords, cumulative: u32, now: Time) -> Outcome {
    records.begin(cumulative, now);
    let outcome = records.conclude(None);
    records.forget_below(cumulative);
    outcome
}

#[test]
fn the_oldest_packet_alone_is_delivered_as_one_of_several() {
    let (mut alone, mut among) = (records(), records());
    let minimum = Some(Span::from_millis(15));
    for step in 0..200_u32 {
        let now = at(u64::from(step) * 10);
        for records in [&mut alone, &mut among] {
            records.on_sent(step, now);
            if step % 7 == 0 {
                records.mark_app_limited();
            }
        }
        let Some(oldest) = step.checked_sub(step % 5).filter(|_| step % 5 != 4) else { continue };
        for number in alone.first..oldest {
            let (sent, cumulative) = (alone.oldest_in_flight().expect("it flies"), number + 1);
            let found = alone.deliver_oldest(minimum, now);
            among.begin(cumulative, now);
            let expected = among.conclude(minimum);
            among.forget_below(cumulative);
            assert_eq!(Some(now - sent.at), expected.rtt);
            assert_eq!(Some(found.rate), expected.rate);
            assert_eq!(found.in_flight_before, expected.in_flight_before);
            assert_eq!(found.in_flight_after, expected.in_flight_after);
            assert_eq!(found.round_ended, expected.round_ended);
        }
        assert_eq!(alone.packet(step), among.packet(step));
    }
    assert!(alone.first > 150, "most were delivered");
}

#[test]
fn a_record_says_what_was_known_when_the_packet_left() {
    let mut records = records();
    let first = sent(&mut records, 0, at(0));
    assert_eq!((first.in_flight, first.delivered, first.times_sent), (packets(1), packets(0), 1));
    assert_eq!((first.first_sent_at, first.delivered_at), (at(0), at(0)));
    records.on_sent(1, at(1));
    acknowledged(&mut records, 1, at(40));
    // Delivery was last heard of at 40 ms; what was delivered then had been sent at 0 ms.
    let third = sent(&mut records, 2, at(41));
    let expected = SentPacket {
        sent_at: at(41),
        size: packets(1),
        delivered: packets(1),
        delivered_at: at(40),
        first_sent_at: at(0),
        in_flight: packets(2),
        lost: packets(0),
        app_limited: false,
        times_sent: 1,
    };
    assert_eq!(third, expected);
    assert_eq!(records.packet(2), Some(expected));
    assert_eq!(records.packet(0), None);
}

#[test]
fn the_rate_is_the_lower_of_those_of_sending_and_of_delivering() {
    // Ten packets at once; they are delivered one every 10 ms from 100 ms on, each answered by a new one.
    let mut records = records();
    (0..10).for_each(|number| _ = records.on_sent(number, at(0)));
    for number in 0..10 {
        let now = at(100 + 10 * u64::from(number));
        let rate = acknowledged(&mut records, number + 1, now).rate.expect("it delivers something");
        // Counted from the moment at which the flight began: number + 1 packets in `now`.
        assert_eq!(rate.delivered, packets(u64::from(number) + 1));
        assert_eq!(rate.interval, now - at(0));
        records.on_sent(number + 10, now);
    }
    for number in 10..30 {
        let now = at(100 + 10 * u64::from(number));
        let rate = acknowledged(&mut records, number + 1, now).rate.expect("it delivers something");
        // Sent at the delivery of its tenth predecessor: ten packets have been delivered in 100 ms, 1000 bytes each. Of
        // the first twenty ten had left at once, which gives a longer interval of sending and a lower rate.
        let sending = if number < 20 { Span::from_millis(10 * u64::from(number)) } else { Span::ZERO };
        let interval = sending.max(Span::from_millis(100));
        assert_eq!((rate.delivered, rate.interval), (packets(10), interval));
        let expected = 80_000_000 * 1_000_000 / interval.nanos();
        assert!(rate.rate().is_some_and(|rate| rate.bits_per_second().abs_diff(expected) <= 1));
        assert_eq!((rate.in_flight_at_sending, rate.lost), (packets(10), packets(0)));
        records.on_sent(number + 10, now);
    }
    // Acknowledgements that come together do not raise the rate above that of sending: five packets sent over 40 ms.
    let mut records = self::records();
    (0..5).for_each(|number| _ = records.on_sent(number, at(10 * u64::from(number))));
    acknowledged(&mut records, 1, at(100));
    let rate = acknowledged(&mut records, 5, at(100)).rate.expect("it delivers something");
    assert_eq!((rate.delivered, rate.interval), (packets(5), Span::from_millis(100)));
}

#[test]
fn a_sample_over_less_than_the_least_round_trip_gives_no_rate() {
    let mut records = records();
    records.on_sent(0, at(0));
    records.lose_all();
    records.on_sent(0, at(200));
    records.begin(1, at(201)); // of the first copy
    let outcome = records.conclude(Some(Span::from_millis(40)));
    let rate = outcome.rate.expect("it delivers something");
    assert!(!rate.reliable && rate.rate().is_none() && outcome.rtt.is_none());
    assert_eq!(rate.prior_delivered, packets(0));
}

#[test]
fn samples_are_limited_by_the_application_until_the_gap_has_left_the_path() {
    let mut records = records();
    let limited = |outcome: Outcome| outcome.rate.expect("it delivers something").app_limited;
    records.on_sent(0, at(0));
    records.on_sent(1, at(0));
    records.mark_app_limited(); // two in flight, and no more to send
    records.on_sent(2, at(10));
    assert!(!limited(acknowledged(&mut records, 1, at(40))), "it was sent before the gap");
    records.on_sent(3, at(40));
    assert!(!limited(acknowledged(&mut records, 2, at(40))));
    assert!(limited(acknowledged(&mut records, 3, at(50))), "it was sent after the gap");
    // Three have been delivered, more than were delivered or in flight when data ran out.
    records.on_sent(4, at(50));
    assert!(limited(acknowledged(&mut records, 4, at(80))), "it was sent before the gap had left");
    assert!(!limited(acknowledged(&mut records, 5, at(90))));
}

#[test]
fn only_packets_that_were_sent_once_give_round_trips() {
    let mut records = records();
    (0..4).for_each(|number| _ = records.on_sent(number, at(u64::from(number))));
    records.begin(0, at(40));
    records.deliver(1, at(40));
    assert_eq!(records.conclude(None).rtt, Some(Span::from_millis(39)));
    records.begin(0, at(41));
    records.lose(0);
    assert_eq!(records.conclude(None).rtt, None);
    records.on_sent(0, at(41));
    // 2 has waited for 0 at the receiver, perhaps long: no sample from it, nor from 0.
    assert_eq!(acknowledged(&mut records, 3, at(81)).rtt, None);
    assert_eq!(acknowledged(&mut records, 4, at(82)).rtt, Some(Span::from_millis(79)));
}

#[test]
fn a_packet_is_in_flight_delivered_or_lost() {
    let mut records = records();
    (0..5).for_each(|number| _ = records.on_sent(number, at(0)));
    records.begin(0, at(40));
    (2..5).for_each(|number| records.deliver(number, at(40)));
    records.deliver(4, at(40));
    (0..2).for_each(|number| records.lose(number));
    records.lose(4);
    let outcome = records.conclude(None);
    assert_eq!((outcome.newly_delivered, outcome.newly_lost), (packets(3), packets(2)));
    assert_eq!((outcome.in_flight_before, outcome.in_flight_after), (packets(5), packets(0)));
    let lost: Vec<_> = records.newly_lost(at(40)).map(|lost| (lost.lost, lost.continues)).collect();
    assert_eq!(lost, [(packets(1), false), (packets(2), true)]);
    assert!(records.newly_lost(at(40)).all(|lost| (lost.now, lost.delivered) == (at(40), packets(3))));
    let again = sent(&mut records, 0, at(50));
    assert_eq!((again.times_sent, again.lost, again.in_flight), (2, packets(2), packets(1)));
    // 1 arrives late, and 0 again: lost packets may turn up.
    let outcome = acknowledged(&mut records, 5, at(90));
    assert_eq!((outcome.newly_delivered, outcome.in_flight_after), (packets(2), packets(0)));
    assert_eq!(records.delivered(), packets(5));
    assert_eq!(outcome.rate.map(|rate| rate.lost), Some(packets(0)), "none since 0 was sent again");
}

#[test]
fn a_round_ends_with_a_packet_that_was_sent_after_the_last_had_ended() {
    let mut records = records();
    (0..3).for_each(|number| _ = records.on_sent(number, at(0)));
    let ended = |records: &mut FlightRecords, cumulative, now| {
        let ended = acknowledged(records, cumulative, at(now)).round_ended;
        records.on_sent(cumulative + 2, at(now));
        ended
    };
    assert!(ended(&mut records, 1, 40)); // 3 leaves
    assert!(!ended(&mut records, 2, 41));
    assert!(!ended(&mut records, 3, 42));
    assert!(ended(&mut records, 4, 80));
    assert!(!ended(&mut records, 5, 81));
}
