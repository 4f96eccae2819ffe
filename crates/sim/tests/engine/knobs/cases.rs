//! Scenarios in which knobs act: small networks that lose packets, run out of timers, mark, idle and fill.
//!
//! Together the [`cases`] use every field of a scenario. What is made of the tables (TCP settings, controllers, disciplines) is put into
//! [`lossy`], [`distant`] and [`crowded`] instead.

use sawtooth_cc::ControlState;
use sawtooth_networks::networks::{MEGABIT, MILLISECOND, SECOND, dumbbell, flow, pipe, profile, source};
use sawtooth_sim::scenario::{
    AckFilterSpec, AggregateSpec, AppSpec, ArrivalSchedule, ArrivalSpec, BucketSpec, ChangeSpec, DelaySpec,
    FlowSpec, FramesSpec, ImpairmentSpec, JitterSpec, LateSpec, LinkSpec, Profile, QueueSpec, RecordSpec,
    Scenario, SetSpec, SourceSpec, TaskSpec, TcpSpec, WhenSpec,
};
use sawtooth_sim::tcp::Ecn;
use serde_json::{Value, from_value, json, to_value};

fn plain(scenario: Scenario) -> Value {
    to_value(scenario).expect("plain data")
}

fn queue(plain: Value) -> Option<QueueSpec> {
    Some(from_value(plain).expect("a queue"))
}

fn every(n: u64) -> Option<ImpairmentSpec> {
    Some(ImpairmentSpec::Periodic { n })
}

fn list(packets: impl IntoIterator<Item = u64>) -> Option<ImpairmentSpec> {
    Some(ImpairmentSpec::List { packets: packets.into_iter().collect() })
}

fn at_random(p: f64) -> Option<ImpairmentSpec> {
    Some(ImpairmentSpec::Bernoulli { p })
}

/// Scenarios by name.
pub fn cases() -> Vec<(&'static str, Value)> {
    vec![
        ("two ways", plain(two_ways())),
        ("trace", plain(trace())),
        ("shares", plain(shares())),
        ("model", plain(model())),
        ("applications", plain(applications())),
        ("wires", plain(wires())),
        ("acknowledgements", plain(acknowledgements())),
        ("calls", plain(calls())),
    ]
}

/// Flows against each other through RIO and a queue in bytes, with impairments everywhere, sources and short flows.
fn two_ways() -> Scenario {
    let ecn = TcpSpec { ecn: Ecn::Classic, ..TcpSpec::default() };
    let first = Profile { send_jitter_ns: 300_000, tcp: ecn.clone(), ..profile("aimd(1, 0.7)", "sack") };
    let second = Profile { packet_bytes: 700, ack_bytes: 50, tcp: ecn, ..profile("aiad(1, 2)", "reno") };
    let short = profile("aimd(1, 0.5)", "sack");
    let mut network = dumbbell(4, 20, first, 3 * SECOND);
    network.profiles.extend([second, short]);
    network.warmup_ns = 200 * MILLISECOND;
    network.links[0] = LinkSpec {
        queue: queue(json!({ "kind": "rio", "packets": 40, "min": 8, "max": 25, "weight": 0.05 })),
        drop: at_random(0.01),
        mark: every(70),
        ..network.links[0].clone()
    };
    network.links[1] = LinkSpec {
        queue: queue(json!({ "kind": "droptail", "bytes": 4_000 })),
        drop: list([40, 41, 300]),
        mark: at_random(0.02),
        rate_bps: Some(2 * MEGABIT),
        ..network.links[1].clone()
    };
    network.links[2].mark = list([30, 31, 35]);
    network.links[4].drop = every(60);
    network.flows[1] = FlowSpec { profile: 1, in_profile: true, ..network.flows[1].clone() };
    network.flows[2] = FlowSpec { packets: Some(20), ..network.flows[2].clone() };
    network.flows[0].stop_ns = Some(2 * SECOND);
    network.flows[3] = FlowSpec { test: false, forward: vec![8, 1], reverse: vec![0, 9], ..flow(&[], &[]) };
    let cross = source(&[0], &[[100 * MILLISECOND, MEGABIT], [SECOND, MEGABIT], [2 * SECOND, MEGABIT / 2]]);
    let spared = SourceSpec { name: "spared".to_owned(), in_profile: true, ..cross.clone() };
    network.sources = vec![SourceSpec { counts: vec![2, 1, 3], ..cross }, spared];
    add_short_flows(&mut network);
    network.record = RecordSpec {
        windows: true,
        sample_ns: Some(50 * MILLISECOND),
        rates_ns: Some(100 * MILLISECOND),
        congestion: true,
        completions: true,
        packets: true,
        ..RecordSpec::default()
    };
    network
}

/// Short flows through a dumbbell with links of their own, of the third profile: some by chance, some from a list.
fn add_short_flows(network: &mut Scenario) {
    network.links.extend([
        pipe("web", 100 * MEGABIT, 5 * MILLISECOND),
        pipe("web-reverse", 100 * MEGABIT, 5 * MILLISECOND),
    ]);
    let drawn = ArrivalSchedule::Poisson {
        intervals: vec![[0, 100 * MILLISECOND], [SECOND, 50 * MILLISECOND]],
        packets_mean: 8.0,
        packets_shape: 1.5,
    };
    let web = ArrivalSpec {
        name: "web".to_owned(),
        profile: 2,
        in_profile: true,
        forward: vec![10, 0],
        reverse: vec![1, 11],
        schedule: drawn,
    };
    let listed =
        ArrivalSchedule::List { starts_ns: vec![300 * MILLISECOND, 700 * MILLISECOND], packets: vec![5, 40] };
    network.arrivals = vec![web.clone(), ArrivalSpec { name: "listed".to_owned(), schedule: listed, ..web }];
}

/// A link that ends with its trace and always has something to send.
fn trace() -> Scenario {
    let ecn = TcpSpec { ecn: Ecn::Classic, ..TcpSpec::default() };
    let mut network = dumbbell(2, 30, Profile { tcp: ecn, ..profile("aimd(1, 0.7)", "newreno") }, SECOND);
    network.links[0] = LinkSpec {
        rate_bps: None,
        trace_ms: Some((1..150).map(|index| 5 * index + index % 3).collect()),
        trace_once: true,
        queue: queue(json!({ "kind": "red", "packets": 9, "min": 2, "max": 5, "weight": 0.1, "ecn": true })),
        ..network.links[0].clone()
    };
    network.links[2].drop = list([5, 8, 9]);
    network.sources = vec![source(&[0], &[[0, 2 * MEGABIT], [200 * MILLISECOND, 7 * MEGABIT / 4]])];
    network
}

/// Unequal packets in queues of their own before a shaper, the buffer in bytes, a policer; nothing is drawn.
fn shares() -> Scenario {
    let mut network = dumbbell(3, 30, profile("aimd(1, 0.7)", "tahoe"), SECOND);
    network.profiles.push(Profile { packet_bytes: 300, ..profile("rap", "none") });
    network.flows[1].profile = 1;
    network.flows[2].supply = vec![[60 * MILLISECOND, 20], [300 * MILLISECOND, 12]];
    network.links[0].rate_bps = Some(2 * MEGABIT);
    network.links[0].queue = queue(json!({ "kind": "drr", "bytes": 12_000, "quantum": 500 }));
    network.links[1].queue = queue(json!({ "kind": "codel", "packets": 30 }));
    network.record =
        RecordSpec { disciplines: true, sample_ns: Some(20 * MILLISECOND), ..RecordSpec::default() };
    network.links[0].shaper = Some(BucketSpec { rate_bps: MEGABIT, burst_bytes: 6_000 });
    network.links[0].device_queue = Some(2);
    network.links[2].policer = Some(BucketSpec { rate_bps: 3 * MEGABIT / 4, burst_bytes: 5_000 });
    network
}

/// Controllers with a model of their path, recorded, in a network that changes.
fn model() -> Scenario {
    let mut network = dumbbell(2, 40, profile("bbr", "rack"), 4 * SECOND);
    network.links[1].queue = queue(json!({ "kind": "droptail", "packets": 40 }));
    network.record =
        RecordSpec { model: true, senders: true, sample_ns: Some(50 * MILLISECOND), ..RecordSpec::default() };
    let upon = |state, set| ChangeSpec { when: WhenSpec::State { flow: 0, state, after_ns: 0 }, set };
    let at = |ns, set| ChangeSpec { when: WhenSpec::Time { ns }, set };
    network.changes = vec![
        upon(ControlState::Drain, vec![SetSpec::Rate { link: 0, bps: 8 * MEGABIT }]),
        at(SECOND, vec![SetSpec::Drop { link: 0, drop: every(30) }]),
        at(3 * SECOND / 2, vec![SetSpec::Drop { link: 0, drop: list([5, 10, 11]) }]),
        at(2 * SECOND, vec![SetSpec::Drop { link: 0, drop: at_random(0.02) }]),
        at(3 * SECOND, vec![SetSpec::Supply { flow: 0, bps: Some(2 * MEGABIT) }]),
    ];
    network
}

/// Pages over two connections, a film, and frames that are watched, beside a flow of data.
fn applications() -> Scenario {
    let mut network = dumbbell(7, 12, profile("aimd(1, 0.7)", "sack"), 6 * SECOND);
    for flow in &mut network.flows[1..] {
        flow.test = false;
    }
    for flow in [1, 3, 5] {
        let FlowSpec { forward, reverse, .. } = &mut network.flows[flow];
        // A request takes the way of acknowledgements, from the far end's access link to its own.
        let (there, back) = (reverse[1], forward[0]);
        (*forward, *reverse) = (vec![there, 1], vec![0, back]);
    }
    network.warmup_ns = 500 * MILLISECOND;
    let pages = TaskSpec::Pages {
        objects: 5,
        packets_mean: 6.0,
        packets_shape: Some(1.5),
        think_ns: 100 * MILLISECOND,
    };
    let film = TaskSpec::Video {
        rates_bps: vec![200_000, 400_000, 800_000, 1_600_000],
        chunk_ns: 400 * MILLISECOND,
        buffer_ns: 2 * SECOND,
        reservoir_ns: 600 * MILLISECOND,
    };
    let app = |name: &str, connections: &[[u32; 2]], task| AppSpec {
        name: name.to_owned(),
        start_ns: 300 * MILLISECOND,
        stop_ns: Some(5 * SECOND),
        connections: connections.to_vec(),
        request_packets: 2,
        task,
    };
    network.apps = vec![app("web", &[[1, 2], [3, 4]], pages), app("film", &[[5, 6]], film)];
    let call = source(&[0], &[[100 * MILLISECOND, MEGABIT], [4 * SECOND, MEGABIT / 2]]);
    let frames = Some(FramesSpec { packets: 3, deadline_ns: 30 * MILLISECOND, scale_b: 0.15, scale_t: 0.15 });
    network.sources = vec![SourceSpec { name: "call".to_owned(), frames, ..call }];
    network
}

/// Links that lose in bursts and go dark, on which packets are late, wait for ticks and are sent together, and which change.
fn wires() -> Scenario {
    let mut network = dumbbell(2, 40, profile("bbr", "rack"), 4 * SECOND);
    let micros = |us: u64| us * MILLISECOND / 1_000;
    let exponential = DelaySpec::Exponential { mean_ns: micros(900) };
    let bursts = ImpairmentSpec::GilbertElliott { p: 0.01, r: 0.3, h: 0.2, k: 0.995 };
    let normal = DelaySpec::Normal { mean_ns: 6 * MILLISECOND, deviation_ns: 2 * MILLISECOND };
    network.links[0].aggregate = Some(AggregateSpec {
        packets: 8,
        time_ns: 6 * MILLISECOND,
        overhead_ns: micros(300),
        per_flow: false,
    });
    network.links[0].late = Some(LateSpec::Bernoulli { p: 0.02, delay: normal });
    network.links[0].loss = Some(bursts);
    network.links[1].jitter = Some(JitterSpec::Hold { every_ns: 3 * MILLISECOND });
    network.links[1].loss = Some(ImpairmentSpec::Blackout {
        from_ns: SECOND,
        length_ns: 40 * MILLISECOND,
        every_ns: Some(700 * MILLISECOND),
    });
    network.links[2].jitter = Some(JitterSpec::Drawn { delay: exponential });
    network.links[2].late = Some(LateSpec::List { packets: vec![[40, 30 * MILLISECOND], [90, micros(800)]] });
    let pareto = DelaySpec::Pareto { least_ns: 2 * MILLISECOND, shape: 1.5 };
    network.links[4].late = Some(LateSpec::Periodic { n: 50, delay: pareto });
    let uniform = DelaySpec::Uniform { from_ns: micros(100), to_ns: micros(700) };
    let constant = LateSpec::Periodic { n: 30, delay: DelaySpec::Constant { ns: 4 * MILLISECOND } };
    let upon = WhenSpec::State { flow: 0, state: ControlState::Drain, after_ns: 20 * MILLISECOND };
    let at = |ns, set| ChangeSpec { when: WhenSpec::Time { ns }, set };
    network.changes = vec![
        ChangeSpec { when: upon, set: vec![SetSpec::Delay { link: 0, ns: 14 * MILLISECOND }] },
        at(SECOND, vec![SetSpec::Jitter { link: 4, jitter: Some(JitterSpec::Drawn { delay: uniform }) }]),
        at(2 * SECOND, vec![SetSpec::Loss { link: 2, loss: every(40) }]),
        at(3 * SECOND, vec![SetSpec::Late { link: 3, late: Some(constant) }]),
    ];
    network
}

/// Ways back on which acknowledgements queue, each behind another filter.
fn acknowledgements() -> Scenario {
    let mut network = dumbbell(3, 30, profile("aimd(1, 0.7)", "rack"), 3 * SECOND);
    network.profiles.push(profile("cubic", "quic"));
    network.flows[1].profile = 1;
    let mut back = |link: usize, rate_bps, filter| {
        let slow = &mut network.links[link];
        (slow.rate_bps, slow.ack_filter) = (Some(rate_bps), Some(filter));
        slow.queue = queue(json!({ "kind": "droptail", "packets": 12 }));
    };
    back(1, MEGABIT / 5, AckFilterSpec::Conservative {});
    back(3, MEGABIT / 30, AckFilterSpec::Aggressive {});
    back(5, MEGABIT / 30, AckFilterSpec::Thin { n: 3 });
    network
}

/// A call whose frames are watched, one that nobody watches, and a flow of data that fills their queue.
fn calls() -> Scenario {
    let ecn = TcpSpec { ecn: Ecn::Classic, ..TcpSpec::default() };
    let call = Profile { packet_bytes: 900, ack_bytes: 60, tcp: ecn, ..profile("nada(rmax = 1200)", "none") };
    let mut network = dumbbell(3, 80, profile("aimd(1, 0.7)", "sack"), 6 * SECOND);
    network.profiles.push(call);
    for flow in &mut network.flows[1..] {
        (flow.profile, flow.test) = (1, false);
    }
    network.flows[1].frame_deadline_ns = Some(120 * MILLISECOND);
    network.flows[1].stop_ns = Some(5 * SECOND);
    network.warmup_ns = 500 * MILLISECOND;
    network.links[0] = LinkSpec { rate_bps: Some(3 * MEGABIT), mark: every(70), ..network.links[0].clone() };
    network.record.frames = true;
    network
}

/// A flow that loses and is marked, beside one whose window keeps a queue of more than 50 ms and loses nothing.
fn competing(controller: &str, recovery: &str) -> Value {
    let mut call = profile(controller, recovery);
    call.tcp.ecn = Ecn::Classic;
    let mut network = dumbbell(2, 200, call, 8 * SECOND);
    let mut steady = profile("aimd(1, 0.7)", "sack");
    steady.tcp.receive_window = Some(50);
    network.profiles.push(steady);
    network.flows[1].profile = 1;
    network.flows[1].start_ns = SECOND;
    network.flows[1].stop_ns = Some(5 * SECOND);
    network.links[0].rate_bps = Some(3 * MEGABIT);
    network.links[2].drop = list([20, 50, 80, 110]);
    network.links[2].mark = every(90);
    plain(network)
}

/// What happens to connections: losses, timeouts, a long way and competition, a link that stands still, one that is gone for a while, pauses of the application, packets that travel alone; and to those of a controller that
/// counts marks, many marks over a short way; to those that look for policers, one; to window laws with a rate, another flow; to laws with a transport of their own, one that fills their queue.
pub fn connections(controller: &str, recovery: &str) -> Vec<Value> {
    let mut found: Vec<_> =
        [lossy, silenced, distant, stalled, gone].map(|network| network(controller, recovery)).into();
    let properties = profile(controller, recovery).controller.properties();
    if properties.takes_recovery() {
        found.push(pausing(controller, recovery));
        found.push(lone(controller, recovery));
        found.push(coarse(controller, recovery));
    }
    if properties.conduct && properties.pacing_rate {
        found.push(beside(controller, recovery));
    }
    if properties.counts_marks {
        found.push(marked(controller, recovery));
    }
    if properties.own_transport {
        found.push(competing(controller, recovery));
    }
    if properties.states.contains(&ControlState::ProbeBw) {
        found.push(policed(controller, recovery));
    }
    found
}

/// Two flows: one loses single packets, one several of a window; both lose all for a while, and acknowledgements too.
fn lossy(controller: &str, recovery: &str) -> Value {
    let mut network = dumbbell(2, 40, profile(controller, recovery), 5 * SECOND);
    network.links[0] = LinkSpec {
        rate_bps: Some(6 * MEGABIT),
        drop: list((1_200..1_240).chain(2_300..2_330)),
        mark: every(60),
        ..network.links[0].clone()
    };
    network.links[1].drop = every(45);
    network.links[2].drop = list((60..5_000).step_by(140));
    network.links[4].drop =
        list((50..5_000).step_by(190).flat_map(|number| [number, number + 2, number + 5]));
    plain(network)
}

/// The same with senders whose clocks are coarse.
fn coarse(controller: &str, recovery: &str) -> Value {
    let mut network = lossy(controller, recovery);
    network["profiles"][0]["tcp"]["timer_tick_ns"] = json!(10 * MILLISECOND);
    network
}

/// Two flows near a router that marks by a step, for a thousand round trips.
fn marked(controller: &str, recovery: &str) -> Value {
    let mut network = dumbbell(2, 0, profile(controller, recovery), 5 * SECOND);
    network.links[0].queue = queue(json!({ "kind": "step", "packets": 60, "threshold": { "packets": 3 } }));
    network.links.iter_mut().for_each(|link| link.delay_ns /= 20);
    plain(network)
}

/// One flow with a packet every 20 ms, after what it could send for a second; then a pause, and a loss in what comes next.
fn pausing(controller: &str, recovery: &str) -> Value {
    let mut network = dumbbell(1, 60, profile(controller, recovery), 6 * SECOND);
    let few = (50..125).map(|number| [number * 20 * MILLISECOND, 1]);
    network.flows[0].supply =
        [[0, 500]].into_iter().chain(few).chain([[3 * SECOND, 300], [5 * SECOND, 400]]).collect();
    network.links[0].drop = list([750, 752]);
    plain(network)
}

/// One flow of which a packet at a time is under way, and the second is lost.
fn lone(controller: &str, recovery: &str) -> Value {
    let mut network = dumbbell(1, 60, profile(controller, recovery), 6 * SECOND);
    network.flows[0].supply = (0..5).map(|second| [second * SECOND, 1]).collect();
    network.links[0].drop = list([2]);
    plain(network)
}

/// One flow beside one that keeps the queue full.
fn beside(controller: &str, recovery: &str) -> Value {
    let mut network = dumbbell(2, 40, profile(controller, recovery), 6 * SECOND);
    network.profiles.push(profile("aimd(1, 0.7)", "sack"));
    network.flows[1].profile = 1;
    plain(network)
}

/// One flow that loses every third packet for a while, then fewer and again more, over a short way.
fn policed(controller: &str, recovery: &str) -> Value {
    let mut network = dumbbell(1, 100, profile(controller, recovery), 8 * SECOND);
    network.links.iter_mut().for_each(|link| link.delay_ns /= 4);
    let at =
        |ns, drop| ChangeSpec { when: WhenSpec::Time { ns }, set: vec![SetSpec::Drop { link: 0, drop }] };
    network.changes = vec![
        at(SECOND, every(3)),
        at(3 * SECOND, every(10)),
        at(4 * SECOND, every(4)),
        at(6 * SECOND, every(5)),
    ];
    plain(network)
}

/// One flow whose window stands at about sixteen packets beyond slow start when all of it is lost, twice.
fn silenced(controller: &str, recovery: &str) -> Value {
    let endpoints = profile(controller, recovery);
    let threshold = endpoints.controller.properties().conduct.then_some(16.0);
    let tcp =
        TcpSpec { initial_ssthresh: threshold.or(endpoints.tcp.initial_ssthresh), ..endpoints.tcp.clone() };
    let mut network = dumbbell(1, 10, Profile { tcp, ..endpoints }, 3 * SECOND);
    let (burst, span) = (300 * MEGABIT, 70 * MILLISECOND);
    let at = [400 * MILLISECOND, 1_800 * MILLISECOND];
    network.sources =
        vec![source(&[0], &[[at[0], burst], [at[0] + span, 0], [at[1], burst], [at[1] + span, 0]])];
    plain(network)
}

/// One flow so far away that its first timeout comes before the answer, behind a link that others fill now and then.
fn distant(controller: &str, recovery: &str) -> Value {
    let endpoints = profile(controller, recovery);
    let tcp =
        TcpSpec { initial_rto_ns: 150 * MILLISECOND, min_rto_ns: 50 * MILLISECOND, ..endpoints.tcp.clone() };
    let mut network = dumbbell(1, 15, Profile { tcp, ..endpoints }, 4 * SECOND);
    network.links[0].rate_bps = Some(2 * MEGABIT);
    network.links[2].delay_ns = 120 * MILLISECOND;
    network.sources =
        vec![source(&[0], &[[SECOND, 4 * MEGABIT], [1_300 * MILLISECOND, 0], [3 * SECOND, 4 * MEGABIT]])];
    plain(network)
}

/// One flow with as much under way as its receiver takes, over a link that stands still for longer than any timeout and loses nothing.
fn stalled(controller: &str, recovery: &str) -> Value {
    let endpoints = profile(controller, recovery);
    let tcp = TcpSpec { receive_window: Some(10), ..endpoints.tcp.clone() };
    let mut network = dumbbell(1, 40, Profile { tcp, ..endpoints }, 3 * SECOND);
    network.links[0].rate_bps = None;
    network.links[0].trace_ms = Some((1..500).chain(1_400..2_000).collect());
    plain(network)
}

/// One flow that loses a window and then everything that it sends to find out, for many round trips.
fn gone(controller: &str, recovery: &str) -> Value {
    let endpoints = profile(controller, recovery);
    let tcp = TcpSpec { receive_window: Some(20), ..endpoints.tcp.clone() };
    let mut network = dumbbell(1, 40, Profile { tcp, ..endpoints }, 3 * SECOND);
    network.links[0].drop = list(400..426);
    plain(network)
}

/// A queue that fills, idles and fills again: flows that ECN reaches, one of them with ECT(1), and one that it does not, unequal packets, a
/// few in profile.
pub fn crowded(queue: &Value) -> Value {
    let capable = Profile {
        packet_bytes: 500,
        tcp: TcpSpec { ecn: Ecn::Classic, ..TcpSpec::default() },
        ..profile("aimd(1, 0.7)", "sack")
    };
    let few = Profile { tcp: TcpSpec { receive_window: Some(3), ..capable.tcp.clone() }, ..capable.clone() };
    let scalable = Profile { tcp: TcpSpec { ecn: Ecn::L4s, ..capable.tcp.clone() }, ..capable.clone() };
    let mut network = dumbbell(4, 1, profile("aimd(1, 0.7)", "sack"), 2 * SECOND);
    network.profiles.extend([capable, few, scalable]);
    for (flow, profile) in network.flows.iter_mut().zip([0, 1, 3, 2]) {
        flow.profile = profile;
        flow.in_profile = profile == 2;
        flow.stop_ns = Some(1_500 * MILLISECOND);
    }
    network.links[0].rate_bps = Some(4 * MEGABIT);
    network.links[0].queue = Some(from_value(queue.clone()).expect("a queue of the table"));
    let (burst, pause) = (200 * MILLISECOND, [400 * MILLISECOND, 0]);
    network.sources = vec![source(&[0], &[[burst, 3 * MEGABIT], pause, [1_700 * MILLISECOND, 6 * MEGABIT]])];
    plain(network)
}
