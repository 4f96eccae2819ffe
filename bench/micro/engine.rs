//! Micro-benchmarks of the parts that a packet passes, and of the whole: `cargo bench -p sawtooth-micro --bench engine`.
//!
//! | group      | what is timed                                                                  | per            |
//! |------------|--------------------------------------------------------------------------------|----------------|
//! | events     | the earliest event out and its successor in, with so many pending               | event          |
//! | scoreboard | a window with 5 % holes: blocks in, holes repaired, everything acknowledged    | packet         |
//! | disciplines | a packet into a queue and what has left forgotten, with so many waiting        | packet         |
//! | asked_disciplines | a packet held and one given out, with so many queues; then five packets for four that go, so that every fifth drops another | packet in |
//! | control    | an acknowledgement in congestion avoidance                                     | acknowledgement |
//! | dumbbell   | ten SACK flows over 100 Mbit/s and 120 ms, everything included                 | packet forwarded |
//! | short_flows | flows that come and go over an idle path, each of so many packets               | flow           |
//!
//! Every controller of the table has its acknowledgement timed, and every recovery its dumbbell.
//! `make bench` times the whole engine in a process of its own, beside ns-2; this is for finding where the time goes.

use criterion::{BenchmarkId, Criterion, Throughput};
use sawtooth_cc::units::{Rate, Span, Time, Window};
use sawtooth_cc::{AckSample, AnyController, ControlSettings, Controller, parse_controller};
use sawtooth_networks::networks::{self, MEGABIT, MILLISECOND, SECOND};
use sawtooth_sim::Scenario;
use sawtooth_sim::ack_details::SackBlock;
use sawtooth_sim::event::{Event, Moment};
use sawtooth_sim::event_queue::{EventQueue, Population};
use sawtooth_sim::packet::{Packet, PacketKind, TEST};
use sawtooth_sim::port::rate::RateTransmitter;
use sawtooth_sim::queue::{Admission, Backlog, DISCIPLINES, Queue, QueueState, Queued, TransmitterState};
use sawtooth_sim::random::Stream;
use sawtooth_sim::scenario::{ArrivalSchedule, ArrivalSpec, QueueSpec};
use sawtooth_sim::tcp::scoreboard::Scoreboard;
use std::hint::black_box;

/// Later than anything in these benchmarks.
const END: Time = Time::from_nanos(1 << 60);

fn events(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("events");
    group.throughput(Throughput::Elements(1));
    for pending in [30u32, 3_000, 300_000] {
        let mut random = Stream::new("1", "bench");
        let ahead: Vec<Span> =
            (0..4096).map(|_| Span::from_nanos(random.nanos_up_to(100 * MILLISECOND))).collect();
        let mut queue = EventQueue::new(Population { lanes: pending, ..Population::default() });
        for index in 0..pending {
            let time = Time::ZERO + ahead[index as usize % ahead.len()];
            queue.set_lane(index, Some(Moment { time, cause: Time::ZERO }));
        }
        let mut turn = 0;
        group.bench_function(BenchmarkId::new("pop_and_push", pending), |bench| {
            bench.iter(|| {
                let event = queue.next_before(END);
                let Some(Event::LaneExit(lane)) = event else { unreachable!("only lanes have events") };
                let now = queue.now().time;
                turn = (turn + 1) % ahead.len();
                queue.set_lane(black_box(lane), Some(Moment { time: now + ahead[turn], cause: now }));
            });
        });
    }
    group.finish();
}

/// One packet in twenty is lost.
const HOLE_EVERY: u32 = 20;

/// The life of one window: SACKs of what arrives, repairs of what does not, cumulative acknowledgements.
fn lose_and_repair(board: &mut Scoreboard, una: u32, window: u32) {
    let high = una + window;
    board.acknowledge(una);
    let mut older = [SackBlock::default(); 2];
    for number in una..high {
        if (number - una).is_multiple_of(HOLE_EVERY) {
            continue;
        }
        let start = number - (number - una) % HOLE_EVERY + 1;
        board.sack(&[SackBlock { start, end: number + 1 }, older[0], older[1]], high, |_, _| ());
        if (number + 1 - una).is_multiple_of(HOLE_EVERY) {
            older = [SackBlock { start, end: number + 1 }, older[0]];
        }
        if number - una == 3 {
            board.begin_recovery();
        }
        if let Some(lost) = board.next_lost() {
            board.note_retransmission(lost);
        }
        black_box(board.pipe(una, high));
    }
    for hole in (una..high).step_by(HOLE_EVERY as usize) {
        board.acknowledge((hole + HOLE_EVERY).min(high));
    }
}

fn scoreboard(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scoreboard");
    for window in [100u32, 10_000, 100_000] {
        group.throughput(Throughput::Elements(u64::from(window)));
        let (mut board, mut una) = (Scoreboard::default(), 0);
        group.bench_function(BenchmarkId::new("lose_and_repair", window), |bench| {
            bench.iter(|| {
                if una > u32::MAX - 2 * window {
                    (board, una) = (Scoreboard::default(), 0);
                }
                lose_and_repair(&mut board, una, window);
                una += window;
            });
        });
    }
    group.finish();
}

const IDLE: TransmitterState = TransmitterState {
    now: Time::ZERO,
    in_transmission: Backlog { packets: 0, bytes: 0 },
    idle_since: Time::ZERO,
};

fn disciplines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("disciplines");
    group.throughput(Throughput::Elements(1));
    let packet = Packet::new(PacketKind::Data, 0, 0, 1000, TEST);
    for (row, waiting) in DISCIPLINES.iter().flat_map(|row| [(row, 10u64), (row, 1_500)]) {
        let spec = serde_json::json!({ "kind": row.name, "packets": 2 * waiting });
        let spec: QueueSpec = serde_json::from_value(spec).expect("a limit is enough");
        if !spec.knows_departures_ahead() {
            continue; // has a group of its own
        }
        let rate = Rate::from_bits_per_second(100 * MEGABIT);
        let mut queue = Queue::new(&spec, rate, Stream::new("1", "bench"));
        let mut transmitter = RateTransmitter::new(rate);
        let mut now = Time::ZERO;
        for _ in 0..waiting {
            transmitter.accept(packet.bytes(), now);
        }
        group.bench_function(BenchmarkId::new(row.name, waiting), |bench| {
            bench.iter(|| {
                now += Span::from_micros(80);
                transmitter.remove_departed(Moment { time: now, cause: now });
                let (waiting, in_transmission) = transmitter.backlogs();
                let idle_since = transmitter.idle_since();
                let found = QueueState { now, waiting, in_transmission, idle_since };
                let admitted = queue.admit(black_box(packet), &found);
                (admitted == Admission::Wait).then(|| transmitter.accept(packet.bytes(), now))
            });
        });
    }
    group.finish();
}

fn asked_disciplines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("asked_disciplines");
    group.throughput(Throughput::Elements(1));
    let spec = |name| serde_json::json!({ "kind": name, "packets": 1_500 });
    let specs =
        DISCIPLINES.iter().map(|row| serde_json::from_value(spec(row.name)).expect("a limit is enough"));
    let rate = Rate::from_bits_per_second(100 * MEGABIT);
    let queued = |owner, number| Queued {
        packet: Packet::new(PacketKind::Cbr, owner, number, 1000, 0),
        ..Queued::default()
    };
    let asked = specs.filter(|spec: &QueueSpec| !spec.knows_departures_ahead());
    for (spec, owners) in asked.flat_map(|spec| [1u32, 10, 100, 1_000].map(|n| (spec.clone(), n))) {
        // With five for four the buffer is full from the first moments on.
        for (name, idle_every) in [("one_for_one", u32::MAX), ("five_for_four", 5)] {
            let mut queue = Queue::new(&spec, rate, Stream::new("1", "bench"));
            (0..1_499).for_each(|number| queue.enqueue(queued(number % owners, number), IDLE));
            let mut number = 1_499u32;
            let title = format!("{}/{name}", spec.info().name);
            group.bench_function(BenchmarkId::new(title, owners), |bench| {
                bench.iter(|| {
                    number = number.wrapping_add(1);
                    queue.enqueue(queued(number % owners, number), IDLE);
                    while queue.next_signal().is_some() {}
                    if number.is_multiple_of(idle_every) { None } else { queue.dequeue(IDLE) }
                });
            });
        }
    }
    group.finish();
}

/// A parameter's default, else half of what a fraction may be, else a little above the least of a factor, else 1.
fn middling(parameter: &sawtooth_cc::ParameterInfo) -> String {
    let otherwise = match (parameter.min, parameter.max) {
        (least, most) if most <= 1.0 => (least + most) / 2.0,
        (least, _) if least >= 1.0 => 1.1,
        _ => 1.0,
    };
    parameter.default.unwrap_or(otherwise).to_string()
}

fn control(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("control");
    group.throughput(Throughput::Elements(1));
    for row in sawtooth_cc::CONTROLLERS.iter().filter(|row| row.properties().conduct) {
        let given: Vec<String> = row.parameters.iter().map(middling).collect();
        let text = format!("{}({})", row.name, given.join(", "));
        let spec = parse_controller(&text).expect("a controller of the table");
        let settings = ControlSettings {
            initial_window: Window::from_packets(1_000.0),
            initial_threshold: Some(Window::from_packets(2.0)),
            ..ControlSettings::default()
        };
        let fresh = AnyController::new(&spec, &settings);
        let ack = AckSample::classic(Time::ZERO, 1, None, true);
        let mut control = fresh.clone();
        group.bench_function(BenchmarkId::new("on_ack", &text), |bench| {
            bench.iter(|| {
                control.on_ack(black_box(&ack));
                if control.window().packets() > 1e6 {
                    control = fresh.clone();
                }
            });
        });
    }
    group.finish();
}

/// The scenario of `make bench`, for five seconds, after a start that leaves slow start behind.
fn ten_flows(recovery: &str) -> Scenario {
    let endpoints = networks::profile("aimd(1, 0.5)", recovery);
    let links = vec![
        networks::port("bottleneck", 100 * MEGABIT, 40 * MILLISECOND, 1_500),
        networks::pipe("reverse", 100 * MEGABIT, 40 * MILLISECOND),
    ];
    let mut scenario = networks::scenario(5 * SECOND, links, vec![endpoints]);
    for index in 0..10u64 {
        let delay = 17 * MILLISECOND + index * 667_000;
        let first = scenario.links.len() as u32;
        scenario.links.push(networks::pipe(format!("access/{index}"), 1_000 * MEGABIT, delay));
        scenario.links.push(networks::pipe(format!("access-reverse/{index}"), 1_000 * MEGABIT, delay));
        let mut flow = networks::flow(&[first, 0], &[1, first + 1]);
        flow.start_ns = index * 100 * MILLISECOND;
        scenario.flows.push(flow);
    }
    scenario
}

fn dumbbell(criterion: &mut Criterion) {
    let run = |scenario: &Scenario| sawtooth_sim::run(scenario).expect("a scenario that passes the check");
    let mut group = criterion.benchmark_group("dumbbell");
    group.sample_size(10);
    for row in sawtooth_sim::tcp::RECOVERIES {
        let scenario = ten_flows(row.name);
        group.throughput(Throughput::Elements(run(&scenario).queues[0].departures.forwarded));
        group.bench_function(BenchmarkId::new("10_flows", row.name), |bench| {
            bench.iter(|| run(black_box(&scenario)));
        });
    }
    group.finish();
}

/// Flows of one packet and of two: what a packet more costs, taken from the first, leaves what a flow costs.
fn short_flows(criterion: &mut Criterion) {
    let run = |scenario: &Scenario| sawtooth_sim::run(scenario).expect("a scenario that passes the check");
    let links = vec![
        networks::pipe("access", 1_000 * MEGABIT, 10 * MILLISECOND),
        networks::port("bottleneck", 1_000 * MEGABIT, 10 * MILLISECOND, 1_000),
        networks::pipe("back", 1_000 * MEGABIT, 20 * MILLISECOND),
    ];
    let mut group = criterion.benchmark_group("short_flows");
    group.sample_size(20);
    for packets in [1, 2] {
        let flows = 20_000u32;
        let mut scenario =
            networks::scenario(21 * SECOND, links.clone(), vec![networks::profile("aimd(1, 0.5)", "sack")]);
        scenario.arrivals.push(ArrivalSpec {
            name: "web".to_owned(),
            profile: 0,
            in_profile: false,
            forward: vec![0, 1],
            reverse: vec![2],
            schedule: ArrivalSchedule::List {
                starts_ns: (0..u64::from(flows)).map(|flow| flow * MILLISECOND).collect(),
                packets: vec![packets; flows as usize],
            },
        });
        assert_eq!(run(&scenario).arrivals[0].finished, u64::from(flows));
        group.throughput(Throughput::Elements(u64::from(flows)));
        group.bench_function(BenchmarkId::new("packets", packets), |bench| {
            bench.iter(|| run(black_box(&scenario)));
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for group in [events, scoreboard, disciplines, asked_disciplines, control, dumbbell, short_flows] {
        group(&mut criterion);
    }
    criterion.final_summary();
}
