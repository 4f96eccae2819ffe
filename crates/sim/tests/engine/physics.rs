//! What a network must do by arithmetic alone: times, rates and counts that a pencil gives exactly.

use sawtooth_networks::networks::{
    MEGABIT, MILLISECOND, SECOND, dumbbell, flow, pipe, port, profile, scenario, source,
};
use sawtooth_sim::records::QueueRecord;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{
    DropTailSpec, FlowSpec, ImpairmentSpec, LinkSpec, QueueSpec, Scenario, SourceSpec,
};

const MICROSECOND: u64 = 1_000;

/// Time to put bytes on a wire, where it divides evenly.
fn serialisation(bytes: u64, rate_bps: u64) -> u64 {
    assert_eq!(bytes * 8 * SECOND % rate_bps, 0, "the pencil wants whole nanoseconds");
    bytes * 8 * SECOND / rate_bps
}

#[test]
fn a_packet_takes_propagation_plus_serialisation() {
    let (first, second, back) = (10 * MEGABIT, 4 * MEGABIT, MEGABIT);
    let one_way = |bytes| {
        serialisation(bytes, first) + 7 * MILLISECOND + serialisation(bytes, second) + 13 * MILLISECOND
    };
    let answer = serialisation(40, back) + 11 * MILLISECOND;
    // SYN and SYN-ACK, the packet, its acknowledgement.
    let expected = 5 * MILLISECOND + one_way(40) + answer + one_way(1000) + answer;
    // Whatever the links are made of: pipes are crossed with one event, ports with two.
    for (port_first, port_second) in [(false, false), (false, true), (true, false), (true, true)] {
        let link = |is_port, name, rate, delay| {
            if is_port { port(name, rate, delay, 10) } else { pipe(name, rate, delay) }
        };
        let links = vec![
            link(port_first, "first", first, 7 * MILLISECOND),
            link(port_second, "second", second, 13 * MILLISECOND),
            pipe("back", back, 11 * MILLISECOND),
        ];
        let mut scenario = scenario(SECOND, links, vec![profile("aimd(1, 0.5)", "sack")]);
        let single = FlowSpec { start_ns: 5 * MILLISECOND, packets: Some(1), ..flow(&[0, 1], &[2]) };
        scenario.flows.push(single);
        let records = run(&scenario).unwrap();
        assert_eq!(records.flows[0].finished_ns, Some(expected), "ports: {port_first}, {port_second}");
    }
}

#[test]
fn packets_of_a_burst_leave_the_slowest_link_one_serialisation_apart() {
    // Ten packets at once: the last is acknowledged nine serialisations after the first.
    let links = vec![
        pipe("access", 1000 * MEGABIT, MILLISECOND),
        port("bottleneck", 10 * MEGABIT, 10 * MILLISECOND, 100),
        pipe("back", 1000 * MEGABIT, 11 * MILLISECOND),
    ];
    let finished = |packets| {
        let mut scenario = scenario(SECOND, links.clone(), vec![profile("aimd(1, 0.5)", "sack")]);
        scenario.flows.push(FlowSpec { packets: Some(packets), ..flow(&[0, 1], &[2]) });
        run(&scenario).unwrap().flows[0].finished_ns.unwrap()
    };
    assert_eq!(finished(10) - finished(1), 9 * serialisation(1000, 10 * MEGABIT));
}

#[test]
fn acknowledgements_clock_a_constant_window_at_the_rate_of_the_bottleneck() {
    // 40 ms hold 50 packets of 10 Mbit/s; a constant window of 60 keeps the rest in the queue, which no longer moves.
    let mut constant = profile("linear(0, 1, 0, 0.5)", "sack");
    constant.tcp.initial_window = 60.0;
    constant.tcp.initial_ssthresh = Some(2.0);
    let mut scenario = dumbbell(1, 100, constant, 3 * SECOND);
    scenario.warmup_ns = SECOND;
    scenario.record.rates_ns = Some(100 * MILLISECOND);
    scenario.record.sample_ns = Some(MILLISECOND);
    let records = run(&scenario).unwrap();
    let rates = records.series.rates.expect("rates are recorded");
    assert_eq!(rates.points().count(), 20);
    for bin in rates.points() {
        assert_eq!(bin.delivered, 125, "100 ms of 10 Mbit/s hold 125 packets of 1000 bytes: {bin:?}");
    }
    let queue = &records.queues[0];
    assert_eq!(queue.busy.nanos(), 2 * SECOND);
    assert_eq!(queue.departures.forwarded_bytes, queue.capacity_bytes);
    // The path holds between 49 and 51 packets (serialisation on the access links adds to propagation).
    let settled: Vec<u64> = records
        .series
        .queue_samples
        .expect("queues are sampled")
        .points
        .iter()
        .filter(|point| point.time.nanos() >= SECOND)
        .map(|p| p.packets)
        .collect();
    assert!(settled.iter().all(|packets| (9..=11).contains(packets)), "{settled:?}");
}

/// Cross traffic alone, at `rate_bps` from the start, into one link.
fn flooded(link: LinkSpec, rate_bps: u64, packet_bytes: u16, duration_ns: u64) -> Scenario {
    let mut scenario = scenario(duration_ns, vec![link], Vec::new());
    scenario.sources.push(SourceSpec { packet_bytes, ..source(&[0], &[[0, rate_bps]]) });
    scenario
}

#[test]
fn a_full_drop_tail_queue_holds_its_limit_and_never_more() {
    for (packets, bytes, most) in
        [(Some(1), None, 1), (Some(7), None, 7), (None, Some(7_999), 7), (None, Some(8_000), 8)]
    {
        let link = LinkSpec {
            queue: Some(QueueSpec::DropTail(DropTailSpec { packets, bytes })),
            ..port("bottleneck", 10 * MEGABIT, MILLISECOND, 1)
        };
        let mut scenario = flooded(link, 20 * MEGABIT, 1000, SECOND);
        scenario.record.sample_ns = Some(100 * MICROSECOND);
        let records = run(&scenario).unwrap();
        let samples = records.series.queue_samples.expect("queues are sampled").points;
        let highest = samples.iter().map(|point| point.packets).max();
        assert_eq!(highest, Some(most), "{packets:?} packets, {bytes:?} bytes");
        let QueueRecord { arrivals, departures, .. } = &records.queues[0];
        // 2500 packets arrive in a second, 1250 go; what is left waits.
        assert_eq!(
            (arrivals.arrivals, departures.forwarded),
            (2500, 1250),
            "{packets:?} packets, {bytes:?} bytes"
        );
        let waiting = records.account.packets_queued - 1;
        assert_eq!(arrivals.dropped(), 2500 - 1250 - waiting);
    }
}

#[test]
fn a_trace_delivers_1500_bytes_an_opportunity_and_starts_again() {
    let check = |packet_bytes, once, forwarded, delivered| {
        let link = LinkSpec {
            rate_bps: None,
            trace_ms: Some(vec![2, 2, 5]),
            trace_once: once,
            ..port("cellular", MEGABIT, 0, 1000)
        };
        let records = run(&flooded(link, 48 * MEGABIT, packet_bytes, 10 * SECOND)).unwrap();
        assert_eq!(records.queues[0].departures.forwarded, forwarded, "{packet_bytes} bytes");
        assert_eq!(records.account.packets_delivered, delivered, "{packet_bytes} bytes");
        let opportunities = if once { 3 } else { 5_999 };
        assert_eq!(records.queues[0].capacity_bytes, 1_500 * opportunities);
    };
    // 2000 passes of three opportunities in ten seconds, the last of them at the very end, which is no more.
    check(1500, false, 5_999, 5_999);
    check(500, false, 3 * 5_999, 3 * 5_999);
    // Two opportunities for one packet: the last has begun.
    check(3000, false, 3_000, 2_999);
    // Three packets in two opportunities: 8998.5.
    check(1000, false, 8_999, 8_998);
    check(1500, true, 3, 3);
}

/// Which of a burst of 20 packets, counted from 1, arrive over a link with this impairment?
fn survivors(spec: &ImpairmentSpec, with_queue: bool) -> Vec<u64> {
    let spacing = serialisation(1000, MEGABIT);
    let second = if with_queue {
        port("second", 8 * MEGABIT, MILLISECOND, 100)
    } else {
        pipe("second", 8 * MEGABIT, MILLISECOND)
    };
    // The first link spaces the burst, so that a packet lost on the second leaves a hole in time. The way back is
    // long: no acknowledgement arrives before the burst is over.
    let links = vec![
        port("first", MEGABIT, MILLISECOND, 100),
        LinkSpec { drop: Some(spec.clone()), ..second },
        pipe("back", 8 * MEGABIT, SECOND),
    ];
    let mut burst = profile("aimd(1, 0.5)", "reno");
    burst.tcp.initial_window = 20.0;
    burst.tcp.initial_rto_ns = 3 * SECOND;
    let mut scenario = scenario(2 * SECOND, links, vec![burst]);
    scenario.record.rates_ns = Some(spacing);
    scenario.flows.push(FlowSpec { packets: Some(20), ..flow(&[0, 1], &[2]) });
    let there =
        |bytes| serialisation(bytes, MEGABIT) + MILLISECOND + serialisation(bytes, 8 * MEGABIT) + MILLISECOND;
    let burst_begins = there(40) + serialisation(40, 8 * MEGABIT) + SECOND;
    let arrival = |number: u64| burst_begins + (number - 1) * spacing + there(1000);
    let records = run(&scenario).unwrap();
    let bins: Vec<_> = records.series.rates.expect("rates are recorded").points().collect();
    (1..=20).filter(|&number| bins[(arrival(number) / spacing) as usize].delivered == 1).collect()
}

#[test]
fn impairments_hit_exactly_the_packets_they_name() {
    let check = |spec, lost: &[u64]| {
        let expected: Vec<u64> = (1..=20).filter(|number| !lost.contains(number)).collect();
        for with_queue in [false, true] {
            assert_eq!(survivors(&spec, with_queue), expected, "{spec:?}, with queue: {with_queue}");
        }
    };
    // The SYN is neither counted nor hit.
    check(ImpairmentSpec::List { packets: vec![1, 5, 6, 20, 40] }, &[1, 5, 6, 20]);
    check(ImpairmentSpec::List { packets: vec![] }, &[]);
    check(ImpairmentSpec::Periodic { n: 7 }, &[7, 14]);
    check(ImpairmentSpec::Periodic { n: 1 }, &(1..=20).collect::<Vec<_>>());
    check(ImpairmentSpec::Bernoulli { p: 0.0 }, &[]);
    check(ImpairmentSpec::Bernoulli { p: 1.0 }, &(1..=20).collect::<Vec<_>>());
}

#[test]
fn impairments_count_cross_traffic_too() {
    // 1000 packets in a second of 8 Mbit/s.
    let drop = Some(ImpairmentSpec::Periodic { n: 7 });
    let link = LinkSpec { drop, ..port("bottleneck", 10 * MEGABIT, 0, 10) };
    let records = run(&flooded(link, 8 * MEGABIT, 1000, SECOND)).unwrap();
    let arrivals = &records.queues[0].arrivals;
    assert_eq!((arrivals.arrivals, arrivals.dropped()), (1000, 142));
}

#[test]
fn delayed_acknowledgements_halve_their_number() {
    let acknowledgements = |delayed_ack, packets| {
        let mut endpoints = profile("aimd(1, 0.5)", "sack");
        endpoints.tcp.delayed_ack = delayed_ack;
        endpoints.tcp.min_rto_ns = SECOND; // beyond the wait for a second packet, which is 200 ms
        let mut scenario = dumbbell(1, 1000, endpoints, 10 * SECOND);
        // A queue on the way back counts what passes: the SYN-ACK, then acknowledgements.
        scenario.links[1] = port("reverse", 10 * MEGABIT, 10 * MILLISECOND, 1000);
        scenario.flows[0].packets = Some(packets);
        let records = run(&scenario).unwrap();
        assert!(records.flows[0].finished_ns.is_some());
        records.queues[1].arrivals.arrivals - 1
    };
    assert_eq!(acknowledgements(false, 500), 500);
    // RFC 5681 §4.2: at least every second packet; windows here are even, so only the last of 501 waits for the timer.
    assert_eq!(acknowledgements(true, 500), 250);
    assert_eq!(acknowledgements(true, 501), 251);
}

#[test]
fn a_lone_packet_is_acknowledged_when_its_delay_is_over() {
    let finished = |delayed_ack| {
        let mut endpoints = profile("aimd(1, 0.5)", "sack");
        endpoints.tcp.delayed_ack = delayed_ack;
        endpoints.tcp.min_rto_ns = SECOND;
        let mut scenario = dumbbell(1, 10, endpoints, SECOND);
        scenario.flows[0].packets = Some(1);
        let records = run(&scenario).unwrap();
        assert_eq!(records.flows[0].retransmits, 0);
        records.flows[0].finished_ns.unwrap()
    };
    assert_eq!(finished(true) - finished(false), 200 * MILLISECOND);
}

#[test]
fn acknowledgements_that_wait_for_each_other_leave_together() {
    let run_with = |aggregation_ns, packets| {
        let mut endpoints = profile("aimd(1, 0.5)", "sack");
        endpoints.tcp.ack_aggregation_ns = aggregation_ns;
        endpoints.tcp.min_rto_ns = SECOND;
        let mut scenario = dumbbell(1, 1000, endpoints, 10 * SECOND);
        scenario.links[1] = port("reverse", 10 * MEGABIT, 10 * MILLISECOND, 1000);
        scenario.flows[0].packets = Some(packets);
        let records = run(&scenario).unwrap();
        let reverse = &records.queues[1];
        (records.flows[0].finished_ns.unwrap(), reverse.arrivals.arrivals - 1, reverse.departures.delay)
    };
    // One packet: its acknowledgement waits for the whole time.
    assert_eq!(run_with(5 * MILLISECOND, 1).0 - run_with(0, 1).0, 5 * MILLISECOND);
    // Ten packets arrive 0.8 ms apart. None of their acknowledgements is left out, and each waits for those before it on the way back,
    // 32 us apiece: 7 leave together after 5 ms (the first and those of 0.8 to 4.8 ms), then 3 (of 5.6, 6.4 and 7.2 ms).
    let (_, count, delay) = run_with(5 * MILLISECOND, 10);
    let in_a_burst_of = |acks: u64| (0..acks).map(|place| place * 32_000).sum::<u64>();
    assert_eq!((count, delay.nanos()), (10, in_a_burst_of(7) + in_a_burst_of(3)));
    assert_eq!(run_with(0, 10).1, 10);
}

#[test]
fn every_nth_packet_is_acknowledged() {
    let acknowledgements = |ack_every| {
        let mut endpoints = profile("aimd(1, 0.5)", "sack");
        (endpoints.tcp.ack_every, endpoints.tcp.min_rto_ns) = (Some(ack_every), SECOND);
        (endpoints.tcp.initial_window, endpoints.tcp.receive_window) = (12.0, Some(12));
        let mut scenario = dumbbell(1, 1000, endpoints, 20 * SECOND);
        scenario.links[1] = port("reverse", 10 * MEGABIT, 10 * MILLISECOND, 1000);
        scenario.flows[0].packets = Some(600);
        let records = run(&scenario).unwrap();
        assert!(records.flows[0].finished_ns.is_some());
        records.queues[1].arrivals.arrivals - 1
    };
    assert_eq!([1, 2, 4, 6].map(acknowledgements), [600, 300, 150, 100]);
}

#[test]
fn a_source_sends_what_its_schedule_says() {
    let schedule =
        [[0, 3 * MEGABIT], [1_234_567_890, 7 * MEGABIT], [2 * SECOND, 0], [2_500_000_000, MEGABIT]];
    let end = 4 * SECOND;
    let mut scenario = flooded(port("link", 100 * MEGABIT, 0, 10), 1, 1000, end);
    scenario.sources[0].rates = schedule.to_vec();
    let mut fluid = 0.0;
    let mut exact = 0;
    for (index, &[from, rate]) in schedule.iter().enumerate().filter(|(_, [_, rate])| *rate > 0) {
        let span = schedule.get(index + 1).map_or(end, |&[next, _]| next) - from;
        let packets = u128::from(span) * u128::from(rate);
        fluid += span as f64 * rate as f64 / (8_000.0 * SECOND as f64);
        // A packet at the start of each stretch, then one every 8000 bits.
        exact += packets.div_ceil(8_000 * u128::from(SECOND)) as u64;
    }
    let records = run(&scenario).unwrap();
    assert_eq!(records.account.packets_sent, exact);
    assert!((exact as f64 - fluid).abs() <= 3.0, "at most one more per stretch: {exact}, {fluid}");
}

#[test]
fn acknowledgements_wait_behind_data_that_goes_their_way() {
    // Cross traffic keeps ten packets in the queue of the way back, 8 ms, and the small packets always fit.
    let srtt = |load| {
        let mut constant = profile("linear(0, 1, 0, 0.5)", "sack");
        constant.tcp.initial_window = 2.0;
        constant.tcp.initial_ssthresh = Some(2.0);
        let mut scenario = dumbbell(1, 10, constant, 20 * SECOND);
        let queue = Some(QueueSpec::DropTail(DropTailSpec { packets: None, bytes: Some(10_999) }));
        scenario.links[1] = LinkSpec { queue, ..port("reverse", 10 * MEGABIT, 10 * MILLISECOND, 1) };
        scenario.sources.push(source(&[1], &[[0, load]]));
        run(&scenario).unwrap().flows[0].srtt_ns
    };
    let waited = srtt(40 * MEGABIT) - srtt(0);
    // Ten packets of 0.8 ms, of which the first may be nearly gone.
    assert!((7 * MILLISECOND..=8_100 * MICROSECOND).contains(&waited), "{waited}");
}
