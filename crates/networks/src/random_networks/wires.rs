//! Links with late packets, jitter, bursts of losses and transmit opportunities, some of them changing, put into random networks.

use super::{Network, maybe};
use crate::networks::MILLISECOND;
use proptest::prelude::*;
use sawtooth_sim::scenario::{
    AggregateSpec, ChangeSpec, DelaySpec, ImpairmentSpec, JitterSpec, LateSpec, SetSpec, WhenSpec,
};

fn delay() -> impl Strategy<Value = DelaySpec> {
    let ns = 0u64..30_000_000;
    prop_oneof![
        ns.clone().prop_map(|ns| DelaySpec::Constant { ns }),
        (ns.clone(), ns.clone()).prop_map(|(a, b)| DelaySpec::Uniform { from_ns: a.min(b), to_ns: a.max(b) }),
        ns.clone().prop_map(|mean_ns| DelaySpec::Exponential { mean_ns }),
        (ns.clone(), ns.clone())
            .prop_map(|(mean_ns, deviation_ns)| DelaySpec::Normal { mean_ns, deviation_ns }),
        (ns, 1.1f64..4.0).prop_map(|(least_ns, shape)| DelaySpec::Pareto { least_ns, shape }),
    ]
}

fn late() -> impl Strategy<Value = LateSpec> {
    let listed = proptest::collection::btree_map(1u64..400, 0u64..50_000_000, 1..9);
    prop_oneof![
        listed.prop_map(|late| LateSpec::List { packets: late.into_iter().map(|(n, ns)| [n, ns]).collect() }),
        (0.0f64..0.4, delay()).prop_map(|(p, delay)| LateSpec::Bernoulli { p, delay }),
        (1u64..60, delay()).prop_map(|(n, delay)| LateSpec::Periodic { n, delay }),
    ]
}

fn jitter() -> impl Strategy<Value = JitterSpec> {
    prop_oneof![
        delay().prop_map(|delay| JitterSpec::Drawn { delay }),
        (1u64..20_000_000).prop_map(|every_ns| JitterSpec::Hold { every_ns }),
    ]
}

fn loss() -> impl Strategy<Value = ImpairmentSpec> {
    let chain = (0.0f64..0.05, 0.05f64..1.0, 0.0f64..0.6, 0.97f64..1.0);
    let span = (0u64..900, 1u64..300, maybe(1u64..500));
    prop_oneof![
        chain.prop_map(|(p, r, h, k)| ImpairmentSpec::GilbertElliott { p, r, h, k }),
        span.prop_map(|(from, length, pause)| ImpairmentSpec::Blackout {
            from_ns: from * MILLISECOND,
            length_ns: length * MILLISECOND,
            every_ns: pause.map(|pause| (length + pause) * MILLISECOND),
        }),
    ]
}

fn aggregate() -> impl Strategy<Value = AggregateSpec> {
    (1u32..40, 0u64..6_000_000, 0u64..3_000_000, any::<bool>()).prop_map(
        |(packets, time_ns, overhead_ns, per_flow)| AggregateSpec { packets, time_ns, overhead_ns, per_flow },
    )
}

fn set() -> impl Strategy<Value = fn(u32, u64) -> SetSpec> {
    let kinds: Vec<fn(u32, u64) -> SetSpec> = vec![
        |link, ms| SetSpec::Delay { link, ns: ms * MILLISECOND / 10 },
        |link, ms| SetSpec::Loss { link, loss: Some(ImpairmentSpec::Periodic { n: ms + 1 }) },
        |link, ms| SetSpec::Drop {
            link,
            drop: (ms % 2 == 0).then_some(ImpairmentSpec::Bernoulli { p: 0.1 }),
        },
        |link, ms| {
            let delay = DelaySpec::Exponential { mean_ns: ms * MILLISECOND / 20 };
            SetSpec::Late { link, late: (ms % 3 != 0).then_some(LateSpec::Bernoulli { p: 0.3, delay }) }
        },
        |link, ms| {
            let every_ns = (ms + 1) * MILLISECOND / 30;
            SetSpec::Jitter { link, jitter: (ms % 3 != 0).then_some(JitterSpec::Hold { every_ns }) }
        },
    ];
    proptest::sample::select(kinds)
}

/// What is put on one link.
type Put = (Option<LateSpec>, Option<JitterSpec>, Option<ImpairmentSpec>, Option<AggregateSpec>);

/// The same networks with such links.
pub fn with_wires(networks: BoxedStrategy<Network>) -> BoxedStrategy<Network> {
    let put = (maybe(late()), maybe(jitter()), maybe(loss()), maybe(aggregate()));
    let changes = proptest::collection::vec((0u64..900, 0usize..6, set()), 0..4);
    (networks, proptest::collection::vec(put, 6), changes)
        .prop_map(|(Network(mut scenario), puts, changes)| {
            let puts: Vec<Put> = puts;
            let paced = scenario.profiles.iter().any(|profile| profile.recovery.is_none());
            for (link, (late, jitter, loss, aggregate)) in scenario.links.iter_mut().zip(puts) {
                (link.late, link.jitter, link.loss) = (late.filter(|_| !paced), jitter, loss);
                link.aggregate = aggregate.filter(|_| link.queue.is_some() && link.rate_bps.is_some());
            }
            let links = scenario.links.len();
            scenario.changes = changes
                .into_iter()
                .map(|(ms, link, set)| (ms, set((link % links) as u32, ms)))
                .filter(|(_, set)| !paced || !matches!(set, SetSpec::Delay { .. } | SetSpec::Late { .. }))
                .map(|(ms, set)| ChangeSpec { when: WhenSpec::Time { ns: ms * MILLISECOND }, set: vec![set] })
                .collect();
            Network(scenario)
        })
        .boxed()
}
