//! Random small networks for property tests, built for any entry of the tables.
//!
//! A drawn network shrinks towards one flow, no cross traffic, no impairments and default settings. It shows
//! itself as the engine's JSON, so a failure can be kept as a file and run again.

pub mod winding;
pub mod wires;

use crate::networks::{self, MILLISECOND, SECOND};
use proptest::prelude::*;
use sawtooth_cc::{
    CONTROLLERS, ConstructorInfo, ControllerSpec, ParameterInfo, RATE_CONTROLLERS, SlowStartExit,
    SlowStartKind::*, TimeoutThreshold, WindowArithmetic,
};
use sawtooth_sim::identity;
use sawtooth_sim::queue::{DISCIPLINES, DisciplineInfo, DisciplineParameter};
use sawtooth_sim::scenario::{
    AckFilterSpec, AverageUpdates, DropTailSpec, DrrSpec, FlowSpec, ImpairmentSpec, LinkSpec, OutProfileRule,
    Profile, QueueSpec, RecordSpec, RedSpec, RioSpec, Scenario, SourceSpec, Spacing, TcpSpec,
};
use sawtooth_sim::tcp::{
    Ecn, Pacing, RECOVERIES, RecoveryInfo, Reduction, RtoRule, RttSamples, SackPipe, SackTimeout,
};
use serde_json::{Value, json};
use std::fmt;

/// A scenario that prints as JSON.
#[derive(Clone)]
pub struct Network(pub Scenario);

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&identity::canonical(&self.0))
    }
}

/// One entry of each table.
#[derive(Clone, Copy)]
pub struct Entries {
    /// `None`: a law with a rate.
    pub recovery: Option<&'static RecoveryInfo>,
    pub controller: &'static ConstructorInfo,
    pub discipline: &'static DisciplineInfo,
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recovery = self.recovery.map_or("none", |row| row.name);
        write!(f, "{recovery} × {} × {}", self.controller.name, self.discipline.name)
    }
}

/// Every entry of each table with every entry of the others.
pub fn combinations() -> Vec<Entries> {
    let mut all = Vec::new();
    for discipline in DISCIPLINES {
        for recovery in RECOVERIES {
            let served = CONTROLLERS.iter().filter(|row| recovery.serves(row.properties()));
            all.extend(served.map(|controller| Entries { recovery: Some(recovery), controller, discipline }));
        }
        all.extend(RATE_CONTROLLERS.iter().map(|controller| Entries {
            recovery: None,
            controller,
            discipline,
        }));
    }
    all
}

/// Parameters that are younger than the ledger keep their defaults: its draws stay as they are.
const LATER_PARAMETERS: &[&str] = &["target_max", "tau_v", "k_d", "k_b", "scale_t", "scale_b"];

/// Numbers of the table that stay moderate where it would allow millions.
fn controller(row: &'static ConstructorInfo) -> impl Strategy<Value = ControllerSpec> {
    let is_drawn = |parameter: &&ParameterInfo| !LATER_PARAMETERS.contains(&parameter.name);
    let drawn = row.parameters.iter().filter(is_drawn);
    let numbers: Vec<_> = drawn.map(|parameter| parameter.min.max(-4.0)..=parameter.max.min(8.0)).collect();
    numbers.prop_map(move |values| {
        let mut drawn = values.into_iter();
        let mut number = |parameter: &ParameterInfo| match parameter.default {
            Some(default) if !is_drawn(&parameter) => default,
            _ => accepted(parameter, drawn.next().expect("one each")),
        };
        let mut values: Vec<_> = row.parameters.iter().map(&mut number).collect();
        let place = |name| row.parameters.iter().position(|parameter| parameter.name == name);
        let pair = if row.name == "vegas" { ("alpha", "beta") } else { ("rmin", "rmax") };
        if let (Some(least), Some(most)) = (place(pair.0), place(pair.1)) {
            values[least] = values[least].min(values[most]); // Vegas looks at beta first, so it did the same with a larger alpha
        }
        row.with_values(&values).expect("the table accepts what lies in its intervals")
    })
}

/// Of a number that must be whole the whole part; of a flag 1, unless it is 0.
fn accepted(parameter: &ParameterInfo, value: f64) -> f64 {
    match parameter.unit {
        "flag" => value.ceil(),
        _ if parameter.whole => value.floor(),
        _ => value,
    }
}

/// A queue of this discipline with so much room.
pub fn queue(row: &'static DisciplineInfo) -> BoxedStrategy<QueueSpec> {
    match row.name {
        "droptail" => prop_oneof![
            (1u64..60).prop_map(|packets| QueueSpec::DropTail(DropTailSpec {
                packets: Some(packets),
                bytes: None
            })),
            (500u64..60_000)
                .prop_map(|bytes| QueueSpec::DropTail(DropTailSpec { packets: None, bytes: Some(bytes) })),
        ]
        .boxed(),
        "drr" => {
            let limits = prop_oneof![
                (1u64..60).prop_map(|packets| (Some(packets), None)),
                (40u64..60_000).prop_map(|bytes| (None, Some(bytes))),
            ];
            (limits, 40u32..3_000)
                .prop_map(|((packets, bytes), quantum)| QueueSpec::Drr(DrrSpec { packets, bytes, quantum }))
                .boxed()
        }
        "red" => red().prop_map(QueueSpec::Red).boxed(),
        "rio" => (red(), any::<[bool; 2]>())
            .prop_map(|(red, [by_tail, in_profile_moves])| {
                QueueSpec::Rio(RioSpec {
                    rule: if by_tail { OutProfileRule::DropTail } else { OutProfileRule::Red },
                    average_updates: match in_profile_moves {
                        true => AverageUpdates::InProfile,
                        false => AverageUpdates::All,
                    },
                    red,
                })
            })
            .boxed(),
        _ => by_parameters(row).boxed(),
    }
}

/// A queue of any discipline, with values of each parameter's kind; what its check refuses is not drawn. A parameter that is younger than
/// the ledger keeps its default.
fn by_parameters(row: &'static DisciplineInfo) -> impl Strategy<Value = QueueSpec> {
    let limit = prop_oneof![
        (1u64..60).prop_map(|packets| ("packets", packets)),
        (500u64..60_000).prop_map(|bytes| ("bytes", bytes)),
    ];
    let drawn = move || row.parameters.iter().filter(|parameter| !parameter.implicit);
    let values: Vec<BoxedStrategy<Value>> = drawn().map(parameter).collect();
    (limit, values)
        .prop_map(move |((limit, size), values)| {
            let mut table = json!({ "kind": row.name, limit: size });
            for (parameter, value) in drawn().zip(values) {
                table[parameter.key()] = value;
            }
            serde_json::from_value(table).expect("a discipline takes values of its parameters' kinds")
        })
        .prop_filter("numbers that the check accepts", |queue: &QueueSpec| {
            let link = LinkSpec { queue: Some(queue.clone()), ..networks::pipe("link", 1_000_000, 0) };
            let mut scenario = networks::scenario(SECOND, vec![link], Vec::new());
            scenario.sources.push(networks::source(&[0], &[[0, 1]]));
            scenario.check().is_ok()
        })
}

fn parameter(parameter: &DisciplineParameter) -> BoxedStrategy<Value> {
    match parameter.kind {
        "real" => prop_oneof![0.001f64..1.0, 1.0f64..60.0].prop_map(Value::from).boxed(),
        "size" | "count" => (1u64..3_000).prop_map(Value::from).boxed(),
        "span" => (1_000u64..50 * MILLISECOND).prop_map(Value::from).boxed(),
        "flag" => any::<bool>().prop_map(Value::from).boxed(),
        "choice" => proptest::sample::select(parameter.choices).prop_map(Value::from).boxed(),
        "depth" => prop_oneof![
            (1u64..40).prop_map(|packets| json!({ "packets": packets })),
            (100_000u64..50 * MILLISECOND).prop_map(|ns| json!({ "ns": ns })),
        ]
        .boxed(),
        kind => panic!("`{kind}` is a new kind of parameter: say here how random networks draw it"),
    }
}

fn red() -> impl Strategy<Value = RedSpec> {
    let limit = prop_oneof![
        (1u64..60).prop_map(|packets| (Some(packets), None)),
        (500u64..60_000).prop_map(|bytes| (None, Some(bytes))),
    ];
    let thresholds = (0.5f64..20.0, 0.5f64..40.0, 0.01f64..1.0);
    let spacing = prop_oneof![Just(Spacing::Wait), Just(Spacing::Uniform), Just(Spacing::None)];
    (limit, thresholds, 0.001f64..1.0, spacing, any::<[bool; 2]>(), 1u64..2_000).prop_map(
        |((packets, bytes), (min, above, max_p), weight, spacing, [gentle, ecn], mean_packet)| RedSpec {
            packets,
            bytes,
            min,
            max: min + above,
            max_p,
            weight,
            gentle,
            spacing,
            ecn,
            mean_packet,
        },
    )
}

fn impairment(p_max: f64) -> impl Strategy<Value = ImpairmentSpec> {
    prop_oneof![
        (0.0..p_max).prop_map(|p| ImpairmentSpec::Bernoulli { p }),
        ((1.0 / p_max) as u64..500).prop_map(|n| ImpairmentSpec::Periodic { n }),
        proptest::collection::btree_set(1u64..400, 0..20)
            .prop_map(|numbers| ImpairmentSpec::List { packets: numbers.into_iter().collect() }),
    ]
}

fn maybe<S: Strategy + 'static>(inner: S) -> impl Strategy<Value = Option<S::Value>>
where
    S::Value: Clone,
{
    prop_oneof![2 => Just(None), 1 => inner.prop_map(Some)]
}

fn tcp() -> impl Strategy<Value = TcpSpec> {
    let windows =
        (1.0f64..30.0, maybe(1.0f64..50.0), maybe(1u32..100), maybe(Just(WindowArithmetic::Integer)));
    let timers = (50u64..1_000, prop_oneof![2 => Just(0u64), 1 => Just(10), 1 => Just(100)], any::<bool>());
    let pipe = prop_oneof![Just(SackPipe::Rfc6675), Just(SackPipe::Counted)];
    let sack = (maybe(pipe), maybe(Just(SackTimeout::Skip)));
    let choices = (maybe(Just(SlowStartExit::Law)), maybe(Just(TimeoutThreshold::Law)), sack);
    (windows, timers, choices, any::<[bool; 4]>()).prop_map(|(windows, timers, choices, flags)| {
        let [limited_transmit, reno_recover_test, ecn, rto_cuts] = flags;
        TcpSpec {
            initial_window: windows.0,
            initial_ssthresh: windows.1,
            receive_window: windows.2,
            window_arithmetic: windows.3.unwrap_or_default(),
            min_rto_ns: timers.0 * MILLISECOND,
            timer_tick_ns: timers.1 * MILLISECOND,
            delayed_ack: timers.2,
            slow_start_exit: choices.0.unwrap_or_default(),
            timeout_threshold: choices.1.unwrap_or_default(),
            sack_pipe: choices.2.0.unwrap_or_default(),
            sack_timeout: choices.2.1.unwrap_or_default(),
            limited_transmit,
            reno_recover_test,
            ecn: if ecn { Ecn::Classic } else { Ecn::Off },
            rto_cuts,
            ..TcpSpec::default()
        }
    })
}

/// The same settings, those of window laws at their defaults where the controller reads none of them.
fn beside(controller: &ControllerSpec, tcp: TcpSpec) -> TcpSpec {
    if controller.properties().conduct || !controller.properties().takes_recovery() {
        return tcp;
    }
    let TcpSpec {
        slow_start,
        slow_start_exit,
        timeout_threshold,
        window_arithmetic,
        rto_cuts,
        initial_ssthresh,
        ..
    } = TcpSpec::default();
    TcpSpec {
        slow_start,
        slow_start_exit,
        timeout_threshold,
        window_arithmetic,
        rto_cuts,
        initial_ssthresh,
        ..tcp
    }
}

fn profile(entries: Entries) -> impl Strategy<Value = Profile> {
    let jitter = prop_oneof![1 => Just(0u64), 1 => 1u64..2_000];
    (controller(entries.controller), tcp(), 500u16..1_500, jitter).prop_map(
        move |(controller, tcp, packet_bytes, jitter_us)| {
            let mut tcp = beside(&controller, tcp);
            let recovery = entries.recovery.map(|row| row.kind);
            if controller.properties().counts_marks {
                tcp.ecn = TcpSpec::of(&controller, recovery).ecn;
            }
            Profile {
                controller,
                recovery,
                packet_bytes,
                ack_bytes: 40,
                send_jitter_ns: jitter_us * 1_000,
                tcp,
            }
        },
    )
}

/// A flow before it has links: which way, when, how much, and how far from the bottleneck.
#[derive(Clone, Debug)]
struct Endpoint {
    reversed: bool,
    in_profile: bool,
    start_ms: u64,
    stop_after_ms: Option<u64>,
    packets: Option<u32>,
    delay_us: u64,
}

fn endpoint() -> impl Strategy<Value = Endpoint> {
    let flags = (prop::bool::weighted(0.3), prop::bool::weighted(0.3));
    (flags, 0u64..1_000, maybe(1u64..1_500), maybe(1u32..300), 0u64..20_000).prop_map(
        |((reversed, in_profile), start_ms, stop_after_ms, packets, delay_us)| Endpoint {
            reversed,
            in_profile,
            start_ms,
            stop_after_ms,
            packets,
            delay_us,
        },
    )
}

/// The bottleneck and its reverse.
fn middle(entries: Entries) -> impl Strategy<Value = Vec<LinkSpec>> {
    let trace = proptest::collection::vec(1u64..100, 1..60).prop_map(|mut times| {
        times.sort_unstable();
        times
    });
    let forward = (500u64..8_000, maybe(trace), 0u64..30_000, queue(entries.discipline));
    let reverse = (500u64..8_000, maybe(queue(entries.discipline)));
    let impaired = (maybe(impairment(0.3)), maybe(impairment(0.3)), maybe(impairment(0.3)));
    (forward, reverse, impaired).prop_map(|(forward, reverse, (drop, mark, drop_back))| {
        let (rate_kbps, trace_ms, delay_us, queue) = forward;
        let bottleneck = networks::pipe("bottleneck", rate_kbps * 1_000, delay_us * 1_000);
        let rate_bps = if trace_ms.is_some() { None } else { bottleneck.rate_bps };
        let back = networks::pipe("reverse", reverse.0 * 1_000, delay_us * 1_000);
        vec![
            LinkSpec { rate_bps, trace_ms, queue: Some(queue), drop, mark, ..bottleneck },
            LinkSpec { queue: reverse.1, drop: drop_back, ..back },
        ]
    })
}

/// Cross traffic over the bottleneck: times in ms with rates in kbit/s.
fn cross(kbps_max: u64) -> impl Strategy<Value = SourceSpec> {
    let rate = prop_oneof![1 => Just(0u64), 3 => 1..kbps_max];
    let schedule = proptest::collection::btree_map(0u64..2_000, rate, 1..5);
    (schedule, maybe([0u32..5, 0..5, 0..5, 0..5])).prop_map(|(schedule, counts)| {
        let rates: Vec<[u64; 2]> =
            schedule.into_iter().map(|(ms, kbps)| [ms * MILLISECOND, kbps * 1_000]).collect();
        let counts = counts.map_or(Vec::new(), |counts| counts[..rates.len()].to_vec());
        SourceSpec { counts, ..networks::source(&[0], &rates) }
    })
}

fn assemble(
    seed: u32,
    links: Vec<LinkSpec>,
    profiles: Vec<Profile>,
    endpoints: Vec<Endpoint>,
    sources: Vec<SourceSpec>,
) -> Scenario {
    let mut scenario = networks::scenario(2 * SECOND, links, profiles);
    scenario.seed = seed.to_string();
    scenario.sources = sources;
    for endpoint in endpoints {
        add_flow(&mut scenario, endpoint.delay_us * 1_000, endpoint.reversed);
        let flow = scenario.flows.last_mut().expect("just added");
        flow.start_ns = endpoint.start_ms * MILLISECOND;
        flow.stop_ns = endpoint.stop_after_ms.map(|after| flow.start_ns + after * MILLISECOND);
        flow.packets = endpoint.packets;
        flow.in_profile = endpoint.in_profile;
    }
    scenario
}

/// A flow more, with access links of its own; link 0 is the bottleneck and link 1 its reverse.
pub fn add_flow(scenario: &mut Scenario, delay_ns: u64, reversed: bool) {
    let (index, first) = (scenario.flows.len(), scenario.links.len() as u32);
    scenario.links.push(networks::pipe(format!("access/{index}"), 100_000_000, delay_ns));
    scenario.links.push(networks::pipe(format!("access-reverse/{index}"), 100_000_000, delay_ns));
    let (there, back) = if reversed { (1, 0) } else { (0, 1) };
    scenario.flows.push(networks::flow(&[first, there], &[back, first + 1]));
}

/// Anything that the engine accepts, small.
pub fn any_network(entries: Entries) -> BoxedStrategy<Network> {
    let records = (any::<bool>(), maybe(5u64..200), maybe(5u64..200), maybe(1u64..1_000));
    (
        (0u32..1_000, middle(entries), profile(entries)),
        (proptest::collection::vec(endpoint(), 1..5), maybe(cross(8_000)), records),
    )
        .prop_map(move |((seed, links, profile), (mut endpoints, cross, records))| {
            if entries.recovery.is_none() {
                endpoints.iter_mut().for_each(|endpoint| endpoint.packets = None); // it carries no file
            }
            let mut scenario = assemble(seed, links, vec![profile], endpoints, cross.into_iter().collect());
            let (windows, sample, rates, warmup) = records;
            scenario.warmup_ns = warmup.unwrap_or(0) * MILLISECOND;
            scenario.record = RecordSpec {
                windows,
                sample_ns: sample.map(|ms| ms * MILLISECOND),
                rates_ns: rates.map(|ms| ms * MILLISECOND),
                congestion: windows,
                ..RecordSpec::default()
            };
            Network(scenario)
        })
        .boxed()
}

/// A queue of this discipline with room for several packets, however large.
fn roomy_queue(row: &'static DisciplineInfo) -> BoxedStrategy<QueueSpec> {
    let roomy = |spec: &QueueSpec| {
        let (packets, bytes) = spec.limit();
        packets.is_none_or(|packets| packets >= 5) && bytes.is_none_or(|bytes| bytes >= 7_500)
    };
    queue(row).prop_filter("room for several packets", roomy).boxed()
}

/// Flows of finite length, moderate loss, cross traffic that ends: everything must arrive in time.
pub fn finite_network(entries: Entries) -> BoxedStrategy<Network> {
    let losses = (maybe(impairment(0.05)), maybe(impairment(0.05)));
    let lengths = proptest::collection::vec((endpoint(), 1u32..120), 1..4);
    (
        0u32..1_000,
        (500u64..8_000, 0u64..30_000, roomy_queue(entries.discipline)),
        losses,
        profile(entries),
        lengths,
        maybe(cross(250)),
    )
        .prop_map(|(seed, (kbps, delay_us, queue), (drop, drop_back), profile, lengths, cross)| {
            let rate_bps = kbps * 1_000;
            let links = vec![
                LinkSpec {
                    drop,
                    queue: Some(queue),
                    ..networks::pipe("bottleneck", rate_bps, delay_us * 1_000)
                },
                LinkSpec { drop: drop_back, ..networks::pipe("reverse", rate_bps, delay_us * 1_000) },
            ];
            let endpoints = lengths
                .into_iter()
                .map(|(endpoint, packets)| Endpoint {
                    packets: Some(packets),
                    stop_after_ms: None,
                    ..endpoint
                })
                .collect();
            let mut scenario = assemble(seed, links, vec![profile], endpoints, cross.into_iter().collect());
            scenario.duration_ns = 3_600 * SECOND;
            // A window that no timeout cuts may be as long as the period: then the same packet is lost each time.
            let periodic = matches!(scenario.links[0].drop, Some(ImpairmentSpec::Periodic { .. }));
            scenario.profiles[0].tcp.rto_cuts |= periodic;
            for source in &mut scenario.sources {
                source.rates.push([10 * SECOND, 0]);
                source.counts.clear(); // one source leaves room for the flows
            }
            Network(scenario)
        })
        .boxed()
}

/// The same networks where no link loses or marks packets by itself and nobody records more than rates: most is done ahead there. A link
/// with a trace gets a rate.
pub fn calm(networks: BoxedStrategy<Network>) -> BoxedStrategy<Network> {
    let plain = |Network(mut scenario): Network| {
        for link in &mut scenario.links {
            (link.drop, link.loss, link.mark, link.policer) = (None, None, None, None);
            if link.trace_ms.take().is_some() {
                link.rate_bps = Some(2 * networks::MEGABIT);
            }
        }
        let rates_ns = scenario.record.rates_ns;
        scenario.record = RecordSpec { rates_ns, ..RecordSpec::default() };
        Network(scenario)
    };
    networks.prop_map(plain).boxed()
}

const REDUCTIONS: [Reduction; 4] =
    [Reduction::Off, Reduction::Rfc9937, Reduction::SlowStartBound, Reduction::ConservativeBound];

/// The same networks with settings of senders that are younger than the ledger, which draws none of them: its draws stay as they are.
pub fn with_later_settings(networks: BoxedStrategy<Network>) -> BoxedStrategy<Network> {
    let slow_start = proptest::sample::select(vec![Standard, HystartPlusPlus, Hystart]);
    (networks, any::<[bool; 5]>(), 0..4usize, slow_start)
        .prop_map(|(Network(mut scenario), [paced, every, counted, supplied, linux], prr, slow_start)| {
            for profile in &mut scenario.profiles {
                if profile.recovery.is_some() {
                    let conduct = profile.controller.properties().conduct;
                    let tcp = &mut profile.tcp;
                    tcp.pacing = if paced && conduct { Pacing::On } else { Pacing::Off };
                    tcp.rtt_samples = if every { RttSamples::Every } else { RttSamples::Round };
                    if conduct
                        && profile.recovery.is_some_and(|kind| kind.info().own_settings.contains(&"prr"))
                    {
                        tcp.prr = REDUCTIONS[prr];
                    }
                    if conduct {
                        tcp.slow_start = slow_start;
                    }
                    tcp.rto = if linux { RtoRule::Linux } else { RtoRule::Rfc6298 };
                    if counted && tcp.ecn == Ecn::Classic {
                        tcp.ecn = if supplied { Ecn::L4s } else { Ecn::Accurate };
                    }
                }
            }
            for flow in &mut scenario.flows {
                let has_window = scenario.profiles[flow.profile as usize].recovery.is_some();
                if supplied && has_window && flow.packets.is_none() {
                    flow.supply = vec![[0, 5], [200 * MILLISECOND, 40], [900 * MILLISECOND, 3]];
                }
            }
            Network(scenario)
        })
        .boxed()
}

/// An ACK filter that keeps what is new: acknowledgements that a newer one makes superfluous are all that it drops.
pub fn superseding_filter() -> BoxedStrategy<AckFilterSpec> {
    prop_oneof![Just(AckFilterSpec::Conservative {}), Just(AckFilterSpec::Aggressive {})].boxed()
}

/// Any ACK filter. Behind one that thins, a flow whose window is small waits for a timeout again and again, which may take hours.
pub fn any_filter() -> BoxedStrategy<AckFilterSpec> {
    let thin = prop_oneof![2u32..6, 2u32..1_000].prop_map(|n| AckFilterSpec::Thin { n });
    prop_oneof![2 => superseding_filter(), 1 => thin].boxed()
}

/// The same networks where some links with queues have such filters; the second link gets a queue if it has none. Networks of the ledger
/// have no filters: its draws stay as they are.
pub fn with_ack_filters(
    networks: BoxedStrategy<Network>,
    filter: BoxedStrategy<AckFilterSpec>,
) -> BoxedStrategy<Network> {
    (networks, proptest::collection::vec(maybe(filter), 1..6))
        .prop_map(|(Network(mut scenario), filters)| {
            let room = || QueueSpec::DropTail(DropTailSpec { packets: Some(60), bytes: None });
            scenario.links[1].queue.get_or_insert_with(room);
            let with_queues = scenario.links.iter_mut().filter(|link| link.queue.is_some());
            for (link, filter) in with_queues.zip(filters.into_iter().cycle()) {
                link.ack_filter = filter;
            }
            Network(scenario)
        })
        .boxed()
}

/// The same networks where some applications make their data available over time, in place of a length of their flows.
pub fn with_supplies(networks: BoxedStrategy<Network>) -> BoxedStrategy<Network> {
    let offers = proptest::collection::vec((1u64..600, 1u64..60), 1..5);
    (networks, proptest::collection::vec(maybe(offers), 4))
        .prop_map(|(Network(mut scenario), supplies)| {
            for (flow, offers) in scenario.flows.iter_mut().zip(supplies) {
                let Some(offers) = offers else { continue };
                let mut at = 0;
                flow.packets = None;
                flow.supply = offers
                    .iter()
                    .map(|&(after_ms, packets)| {
                        at += after_ms * MILLISECOND;
                        [at, packets]
                    })
                    .collect();
            }
            Network(scenario)
        })
        .boxed()
}

/// A copy with one flow more, which begins when the run is over.
pub fn with_a_flow_after_the_end(scenario: &Scenario) -> Scenario {
    let mut more = scenario.clone();
    add_flow(&mut more, MILLISECOND, false);
    let flow: &mut FlowSpec = more.flows.last_mut().expect("just added");
    flow.start_ns = scenario.duration_ns + 1;
    more
}
