//! Random networks of several links that flows, short flows and sources cross in any order.

use super::{Endpoint, Entries, Network, cross, endpoint, impairment, maybe, profile, queue, tcp};
use crate::networks::{self, MILLISECOND, SECOND};
use proptest::prelude::*;
use sawtooth_sim::scenario::{
    ArrivalSchedule, ArrivalSpec, DropTailSpec, FlowSpec, LinkSpec, Profile, QueueSpec, Scenario, SourceSpec,
};
use sawtooth_sim::tcp::RECOVERIES;

/// A link in the middle of a winding network: perhaps a port, perhaps impaired.
fn middle_link(entries: Entries, index: usize) -> impl Strategy<Value = LinkSpec> {
    let trace = proptest::collection::vec(1u64..60, 1..40).prop_map(|mut times| {
        times.sort_unstable();
        times
    });
    // Few rates and delays, so that many things happen at the same time.
    let rate = prop_oneof![Just(1_000u64), Just(2_000), Just(8_000), 500u64..8_000];
    let delay = prop_oneof![Just(0u64), Just(1_000), Just(5_000), 0u64..20_000];
    let queue = prop_oneof![1 => Just(None), 1 => queue(entries.discipline).prop_map(Some)];
    let impaired = (maybe(impairment(0.2)), maybe(impairment(0.2)));
    (rate, delay, queue, impaired, prop::option::weighted(0.15, trace)).prop_map(
        move |(kbps, delay_us, queue, (drop, mark), trace)| {
            let plain = networks::pipe(format!("middle/{index}"), kbps * 1_000, delay_us * 1_000);
            let (rate_bps, trace_ms) = match trace {
                Some(times) if queue.is_some() => (None, Some(times)),
                _ => (plain.rate_bps, None),
            };
            LinkSpec { rate_bps, trace_ms, queue, drop, mark, ..plain }
        },
    )
}

/// Which links of the middle a route crosses, in which order; each at most once.
fn winding_route(links: usize) -> impl Strategy<Value = Vec<u32>> {
    let all: Vec<u32> = (0..links as u32).collect();
    proptest::sample::subsequence(all, 1..=links).prop_shuffle()
}

/// A network of several links that flows, short flows and sources cross in any order, there and back, from hosts of their own or shared ones.
pub fn winding_network(entries: Entries) -> BoxedStrategy<Network> {
    let shape = (2usize..6).prop_flat_map(move |count| {
        let links: Vec<_> = (0..count).map(|index| middle_link(entries, index).boxed()).collect();
        let route = || (winding_route(count), winding_route(count));
        let host = prop_oneof![Just(Host::None), Just(Host::Own), Just(Host::Shared)];
        let flows = proptest::collection::vec((route(), endpoint(), host), 1..5);
        let short = prop::option::weighted(0.5, (route(), 5u64..200, 1.0f64..30.0));
        let cross = prop::option::weighted(0.5, (winding_route(count), cross(3_000)));
        (links, flows, short, cross)
    });
    let records = (any::<bool>(), maybe(5u64..200), maybe(1u64..1_000));
    ((0u32..1_000, profile(entries), profile_of_short_flows()), shape, records)
        .prop_map(move |((seed, endpoints, short_endpoints), (mut links, flows, short, cross), records)| {
            if links.iter().all(|link| link.queue.is_none()) {
                links[0].queue = Some(QueueSpec::DropTail(DropTailSpec { packets: Some(20), bytes: None }));
            }
            let mut scenario = networks::scenario(2 * SECOND, links, vec![endpoints]);
            scenario.seed = seed.to_string();
            for (route, endpoint, host) in flows {
                add_winding_flow(&mut scenario, route, &endpoint, host, entries);
            }
            if let Some(((forward, reverse), interval_ms, mean)) = short {
                scenario.profiles.push(short_endpoints);
                let schedule = ArrivalSchedule::Poisson {
                    intervals: vec![[0, interval_ms * MILLISECOND]],
                    packets_mean: mean,
                    packets_shape: 1.5,
                };
                let profile = scenario.profiles.len() as u32 - 1;
                let name = "web".to_owned();
                let [forward, reverse] = [forward, reverse].map(|route| behind_a_link(&mut scenario, route));
                let process = ArrivalSpec { name, profile, in_profile: false, forward, reverse, schedule };
                scenario.arrivals.push(process);
            }
            scenario.sources.extend(cross.map(|(route, source)| SourceSpec { route, ..source }));
            let (all, sample, warmup) = records;
            scenario.warmup_ns = warmup.unwrap_or(0) * MILLISECOND;
            let record = &mut scenario.record;
            (record.windows, record.congestion, record.completions) = (all, all, all);
            record.sample_ns = sample.map(|ms| ms * MILLISECOND);
            record.rates_ns = record.sample_ns;
            Network(scenario)
        })
        .boxed()
}

/// Short flows share their first link, so they have no jitter.
fn profile_of_short_flows() -> impl Strategy<Value = Profile> {
    (tcp(), proptest::sample::select(&RECOVERIES[..4])) // those that the ledger began with: its draws stay
        .prop_map(|(tcp, recovery)| Profile { tcp, ..networks::profile("aimd(1, 0.5)", recovery.name) })
}

/// The same way with a link of its own before it.
fn behind_a_link(scenario: &mut Scenario, route: Vec<u32>) -> Vec<u32> {
    let first = scenario.links.len() as u32;
    scenario.links.push(networks::pipe(format!("host/{first}"), 100_000_000, MILLISECOND));
    [vec![first], route].concat()
}

/// Where a flow begins.
#[derive(Clone, Copy, Debug)]
enum Host {
    /// At a link of the middle.
    None,
    /// At a link of its own.
    Own,
    /// At the link of the flow before, if that has one.
    Shared,
}

fn add_winding_flow(
    scenario: &mut Scenario,
    (forward, reverse): (Vec<u32>, Vec<u32>),
    endpoint: &Endpoint,
    host: Host,
    entries: Entries,
) {
    // With send jitter the first link must have no queue.
    let jitter = scenario.profiles[0].send_jitter_ns > 0;
    let before = scenario.flows.last().map(|flow| flow.forward[0]);
    let before = before.filter(|&first| scenario.links[first as usize].name.starts_with("host"));
    let forward = match (host, before) {
        (Host::Shared, Some(first)) => [vec![first], forward].concat(),
        (Host::None, _) if !jitter => forward,
        _ => behind_a_link(scenario, forward),
    };
    let start_ns = endpoint.start_ms * MILLISECOND;
    scenario.flows.push(FlowSpec {
        start_ns,
        stop_ns: endpoint.stop_after_ms.map(|after| start_ns + after * MILLISECOND),
        packets: endpoint.packets.filter(|_| entries.recovery.is_some()),
        in_profile: endpoint.in_profile,
        test: !endpoint.reversed,
        ..networks::flow(&forward, &reverse)
    });
}
