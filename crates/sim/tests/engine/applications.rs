//! Applications that wait for answers, and streams whose frames are watched: times by hand, accounts, either order of events.

use sawtooth_networks::networks::{
    MEGABIT, MILLISECOND, SECOND, flow, pipe, port, profile, scenario, source,
};
use sawtooth_sim::records::TransactionRecord;
use sawtooth_sim::scenario::{
    AppSpec, FlowSpec, FramesSpec, ImpairmentSpec, Profile, Scenario, SourceSpec, TaskSpec,
};
use sawtooth_sim::{Order, Progress, Simulation, run};

const MICROSECOND: u64 = 1_000;

/// Two-way 8 Mbit/s (a byte per µs) with 10 ms each way and a queue there: down is link 0, up is link 1.
fn two_ways(connections: u32, seconds: u64) -> Scenario {
    let links =
        vec![port("down", 8 * MEGABIT, 10 * MILLISECOND, 50), pipe("up", 8 * MEGABIT, 10 * MILLISECOND)];
    let endpoints = Profile { ack_bytes: 40, ..profile("aimd(1, 0.5)", "sack") };
    let mut found = scenario(seconds * SECOND, links, vec![endpoints]);
    for _ in 0..connections {
        let request = FlowSpec { test: false, ..flow(&[1], &[0]) };
        let response = FlowSpec { test: false, ..flow(&[0], &[1]) };
        found.flows.extend([request, response]);
    }
    found
}

fn app(connections: u32, task: TaskSpec) -> AppSpec {
    AppSpec {
        name: "app".to_owned(),
        start_ns: SECOND,
        stop_ns: None,
        connections: (0..connections).map(|pair| [2 * pair, 2 * pair + 1]).collect(),
        request_packets: 1,
        task,
    }
}

fn pages(objects: u32, packets_mean: f64, think_ns: u64) -> TaskSpec {
    TaskSpec::Pages { objects, packets_mean, packets_shape: None, think_ns }
}

fn loaded(scenario: &Scenario) -> Vec<TransactionRecord> {
    run(scenario).expect("it passes the check").transactions
}

#[test]
fn an_answer_takes_a_request_and_a_response() {
    let mut network = two_ways(1, 3);
    network.apps = vec![app(1, pages(1, 3.0, 0))];
    let found = loaded(&network);
    // A request of 1000 B takes 1 ms and 10 ms; three packets of the response the same and 2 ms more. The acknowledgement of the request
    // leaves before them.
    let expected = 11 * MILLISECOND + 13 * MILLISECOND + 40 * MICROSECOND;
    assert_eq!(found[0].start.nanos(), SECOND);
    assert_eq!(found[0].duration.map(|span| span.nanos()), Some(expected));
    assert_eq!(found[1].start.nanos(), SECOND + expected);
    // Acknowledgements of data are in the way of requests too, 40 µs each.
    let late = |row: &TransactionRecord| row.duration.map_or(0, |span| span.nanos()).abs_diff(expected);
    assert!(found.iter().all(|row| late(row) <= 200 * MICROSECOND || row.duration.is_none()));
    let whole = found.iter().filter(|row| row.duration.is_some()).count() as u64;
    assert!(whole.abs_diff(2 * SECOND / expected) <= 1, "{whole}");
    assert!(found.iter().all(|row| row.packets == 3 && row.rate_bps == 0));
}

#[test]
fn a_page_opens_with_its_first_object_and_then_uses_every_connection() {
    let mut network = two_ways(2, 2);
    network.apps = vec![app(2, pages(4, 1.0, SECOND))];
    let found = loaded(&network);
    let (request, response) = (11 * MILLISECOND, 11 * MILLISECOND);
    // The first object, then two side by side, of which the second request and response wait a packet each, then one more.
    let span = found[0].duration.expect("it was loaded").nanos();
    let least = 3 * (request + response);
    assert!(span >= least && span <= least + 3 * MILLISECOND, "{span}");
    assert_eq!(found[0].packets, 4);
}

#[test]
fn a_lost_request_is_repaired() {
    let mut network = two_ways(1, 4);
    network.apps = vec![app(1, pages(1, 3.0, 0))];
    let plain = loaded(&network);
    network.links[1].drop = Some(ImpairmentSpec::List { packets: vec![1] }); // SYNs do not count
    let lossy = loaded(&network);
    let first = |rows: &[TransactionRecord]| rows[0].duration.expect("it was loaded").nanos();
    assert!(first(&lossy) >= first(&plain) + 200 * MILLISECOND, "{} {}", first(&plain), first(&lossy));
    assert!(lossy.len() > 20, "it goes on");
}

#[test]
fn a_film_plays_at_the_rate_that_the_path_carries() {
    let film = |rates_bps: Vec<u64>| TaskSpec::Video {
        rates_bps,
        chunk_ns: SECOND,
        buffer_ns: 10 * SECOND,
        reservoir_ns: 2 * SECOND,
    };
    let mut network = two_ways(1, 60);
    network.apps = vec![app(1, film(vec![MEGABIT, 2 * MEGABIT, 4 * MEGABIT]))];
    let found = loaded(&network);
    assert!(found.iter().all(|row| row.stalled.nanos() == 0));
    assert_eq!(found[0].rate_bps, MEGABIT);
    assert!(found[20..].iter().all(|row| row.rate_bps == 4 * MEGABIT));
    assert!(found.iter().all(|row| row.packets == row.rate_bps / 8_000));
    // As much is loaded as is played, but for a full buffer.
    assert!((58..=70).contains(&found.len()), "{}", found.len());
    network.apps = vec![app(1, film(vec![16 * MEGABIT]))];
    let starved = loaded(&network);
    // 2 MB a chunk at a megabyte a second: each second of film is followed by more than a second without.
    let stalled: u64 = starved[2..starved.len() - 1].iter().map(|row| row.stalled.nanos()).sum();
    let mean = stalled / (starved.len() as u64 - 3);
    assert!((1_000..1_400).contains(&(mean / MILLISECOND)), "{mean}");
}

#[test]
fn stopped_applications_begin_nothing() {
    let mut network = two_ways(1, 4);
    network.apps = vec![AppSpec { stop_ns: Some(2 * SECOND), ..app(1, pages(1, 3.0, 0)) }];
    let found = loaded(&network);
    assert!(found.iter().all(|row| row.start.nanos() < 2 * SECOND && row.duration.is_some()));
}

#[test]
fn frames_on_an_empty_path_are_as_late_as_their_packets_take() {
    let mut network = two_ways(0, 3);
    let frames = |deadline_ns| Some(FramesSpec { packets: 5, deadline_ns, ..FramesSpec::default() });
    // 40 kB/s in frames of 5 packets of 1000 B: one every 125 ms.
    let call = source(&[0], &[[0, 320_000]]);
    for (deadline, late) in [(15, false), (14, true)] {
        network.sources =
            vec![SourceSpec { frames: frames(deadline * MILLISECOND), name: "call".into(), ..call.clone() }];
        let records = run(&network).expect("it passes the check");
        let stream = &records.streams[0];
        assert_eq!(stream.frames, 24);
        assert_eq!((stream.packets, stream.received, stream.incomplete), (120, 120, 0));
        // Five packets of 1 ms, and 10 ms.
        assert_eq!(stream.delay_sum.nanos(), 24 * 15 * MILLISECOND);
        assert_eq!(stream.late, if late { 24 } else { 0 });
    }
    network.links[0].drop = Some(ImpairmentSpec::List { packets: vec![3, 11, 12] });
    let stream = &run(&network).expect("it passes the check").streams[0];
    assert_eq!((stream.received, stream.incomplete), (117, 2));
    network.warmup_ns = SECOND;
    assert_eq!(run(&network).expect("it passes the check").streams[0].frames, 16);
}

#[test]
fn both_orders_of_events_give_the_same() {
    let mut network = two_ways(3, 8);
    network.links[1] = port("up", 8 * MEGABIT, 10 * MILLISECOND, 50);
    let film = TaskSpec::Video {
        rates_bps: vec![MEGABIT / 2, MEGABIT, 3 * MEGABIT],
        chunk_ns: SECOND / 2,
        buffer_ns: 4 * SECOND,
        reservoir_ns: SECOND,
    };
    let web =
        TaskSpec::Pages { objects: 7, packets_mean: 8.0, packets_shape: Some(1.4), think_ns: SECOND / 3 };
    network.apps =
        vec![app(2, web), AppSpec { name: "film".to_owned(), connections: vec![[4, 5]], ..app(1, film) }];
    network.flows.extend([flow(&[0], &[1]), flow(&[1], &[0])]);
    let frames = Some(FramesSpec { packets: 4, deadline_ns: 40 * MILLISECOND, ..FramesSpec::default() });
    network.sources = vec![SourceSpec { frames, ..source(&[0], &[[0, MEGABIT]]) }];
    let records = |order| {
        let simulation = Simulation::new(&network, order).expect("it passes the check");
        simulation.finish(&Progress::default()).expect("nobody stops it")
    };
    let (ahead, in_turn) = (records(Order::Ahead), records(Order::InTurn));
    assert_eq!(ahead.digest(), in_turn.digest());
    assert_eq!(ahead.tables(), in_turn.tables());
    assert!(ahead.transactions.len() > 10);
}

#[test]
fn what_no_application_can_have_is_refused() {
    let check = |change: &dyn Fn(&mut Scenario), path: &str| {
        let mut network = two_ways(2, 3);
        network.apps = vec![app(1, pages(1, 3.0, 0))];
        change(&mut network);
        let error = run(&network).expect_err("it is refused");
        assert!(error.path.starts_with(path), "{error}");
    };
    check(&|network| network.apps[0].connections = Vec::new(), "apps[0].connections");
    check(&|network| network.apps[0].connections[0] = [0, 9], "apps[0].connections[0][1]");
    check(&|network| network.apps[0].connections.push([2, 1]), "apps[0].connections[1][1]");
    check(&|network| network.flows[1].packets = Some(5), "apps[0].connections[0][1]");
    check(&|network| network.flows[0].start_ns = 2 * SECOND, "apps[0].connections[0][0]");
    check(&|network| network.apps[0].request_packets = 0, "apps[0].request_packets");
    check(&|network| network.apps[0].task = pages(0, 3.0, 0), "apps[0].task.objects");
    check(&|network| network.apps[0].task = pages(1, 0.5, 0), "apps[0].task.packets_mean");
    let film =
        |rates_bps, buffer_ns| TaskSpec::Video { rates_bps, chunk_ns: SECOND, buffer_ns, reservoir_ns: 0 };
    check(&|network| network.apps[0].task = film(vec![], SECOND), "apps[0].task.rates_bps");
    check(&|network| network.apps[0].task = film(vec![2, 1], SECOND), "apps[0].task.rates_bps");
    check(&|network| network.apps[0].task = film(vec![8], 1), "apps[0].task.buffer_ns");
    let frames = |packets, deadline_ns| Some(FramesSpec { packets, deadline_ns, ..FramesSpec::default() });
    let call = || source(&[0], &[[0, MEGABIT]]);
    check(
        &|network| network.sources = vec![SourceSpec { frames: frames(0, 1), ..call() }],
        "sources[0].frames",
    );
    check(
        &|network| network.sources = vec![SourceSpec { frames: frames(1, 0), ..call() }],
        "sources[0].frames",
    );
    let several = || SourceSpec { frames: frames(1, 1), counts: vec![2], ..call() };
    check(&|network| network.sources = vec![several()], "sources[0].counts");
}
