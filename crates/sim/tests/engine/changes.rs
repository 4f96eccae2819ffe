//! Changes of the network during a run: each value that may change, and both kinds of moments.

use sawtooth_cc::ControlState;
use sawtooth_networks::networks::{
    self, MEGABIT, MILLISECOND, SECOND, dumbbell, pipe, port, profile, source,
};
use sawtooth_sim::queue::QueueSpec;
use sawtooth_sim::queue::depth::Depth;
use sawtooth_sim::queue::step::StepSpec;
use sawtooth_sim::scenario::{
    BucketSpec, ChangeSpec, ImpairmentSpec, LinkSpec, RecordSpec, Scenario, SetSpec, WhenSpec,
};
use sawtooth_sim::series::model::{ModelEvent, ModelPoint};
use sawtooth_sim::tcp::Ecn;
use sawtooth_sim::{Order, Progress, Records, Simulation, run};

fn at(ns: u64, set: Vec<SetSpec>) -> ChangeSpec {
    ChangeSpec { when: WhenSpec::Time { ns }, set }
}

fn upon(state: ControlState, set: Vec<SetSpec>) -> ChangeSpec {
    ChangeSpec { when: WhenSpec::State { flow: 0, state, after_ns: 0 }, set }
}

fn models(records: &Records) -> &[ModelPoint] {
    &records.series.model.as_ref().expect("models are recorded").points
}

/// When the controller of the first flow entered this state first, in ns.
fn entered(records: &Records, state: ControlState) -> u64 {
    let found =
        models(records).iter().find(|point| point.event == ModelEvent::Entered && point.model.state == state);
    found.expect("it enters this state").time.nanos()
}

/// A flow of BBR over 10 Mbit/s.
fn bbr(seconds: u64, changes: Vec<ChangeSpec>) -> Scenario {
    let mut scenario = dumbbell(1, 100, profile("bbr", "rack"), seconds * SECOND);
    scenario.record = RecordSpec { model: true, sample_ns: Some(MILLISECOND), ..RecordSpec::default() };
    scenario.changes = changes;
    scenario
}

/// A source that always has something to send, and a link whose rate changes twice: 8, 2 and 4 Mbit/s for a second each.
#[test]
fn a_link_carries_what_its_rates_allow() {
    let links = vec![port("bottleneck", 8 * MEGABIT, MILLISECOND, 50)];
    let mut scenario = networks::scenario(3 * SECOND, links, Vec::new());
    scenario.sources = vec![source(&[0], &[[0, 20 * MEGABIT]])];
    scenario.changes = vec![
        at(SECOND, vec![SetSpec::Rate { link: 0, bps: 2 * MEGABIT }]),
        at(2 * SECOND, vec![SetSpec::Rate { link: 0, bps: 4 * MEGABIT }]),
    ];
    let queue = |records: &Records| records.queues[0].clone();
    let whole = queue(&run(&scenario).expect("a good scenario"));
    assert_eq!(whole.capacity_bytes, 14_000_000 / 8);
    assert!(whole.departures.forwarded_bytes.abs_diff(14_000_000 / 8) <= 2_000);
    scenario.warmup_ns = SECOND / 2;
    let part = queue(&run(&scenario).expect("a good scenario"));
    assert_eq!(part.capacity_bytes, 10_000_000 / 8, "half a second less of 8 Mbit/s");
}

/// DCTCP before a link that marks from a millisecond of waiting on: the mean wait in seconds, from the tenth on.
fn wait_behind_a_step(mbit: u64, changes: Vec<ChangeSpec>) -> f64 {
    let mut dctcp = profile("dctcp", "rack");
    dctcp.tcp.ecn = Ecn::Accurate;
    let mut scenario = Scenario { warmup_ns: 10 * SECOND, ..dumbbell(1, 2000, dctcp, 20 * SECOND) };
    let threshold = Depth::Ns(MILLISECOND);
    let queue = StepSpec { packets: Some(2000), threshold, ..StepSpec::default() };
    (scenario.links[0].rate_bps, scenario.links[0].queue) =
        (Some(mbit * MEGABIT), Some(QueueSpec::Step(queue)));
    scenario.changes = changes;
    let records = run(&scenario).expect("a good scenario");
    let departures = &records.queues[0].departures;
    departures.delay.nanos() as f64 / 1e9 / departures.forwarded as f64
}

/// It was turned into bytes once, by the first rate: the wait after the change was twenty times as long.
#[test]
fn a_threshold_in_time_follows_the_rate() {
    let slower = at(5 * SECOND, vec![SetSpec::Rate { link: 0, bps: 5 * MEGABIT }]);
    let (changed, from_the_start) =
        (wait_behind_a_step(100, vec![slower]), wait_behind_a_step(5, Vec::new()));
    // The threshold is less than a packet of 1.6 ms, so an arrival that finds one is marked; one or two wait.
    assert!((changed / from_the_start - 1.0).abs() < 0.2, "{changed} s and {from_the_start} s");
    assert!(changed < 0.003, "{changed} s");
}

#[test]
fn a_rate_changes_when_a_state_is_entered() {
    let scenario = bbr(3, vec![upon(ControlState::Drain, vec![SetSpec::Rate { link: 0, bps: 5 * MEGABIT }])]);
    let records = run(&scenario).expect("a good scenario");
    let drain = entered(&records, ControlState::Drain);
    let carried = 10 * MEGABIT / 8 * drain / SECOND + 5 * MEGABIT / 8 * (3 * SECOND - drain) / SECOND;
    assert!(records.queues[0].capacity_bytes.abs_diff(carried) <= 2, "{records:?}");
}

#[test]
fn losses_begin_and_end_with_states() {
    let drop = Some(ImpairmentSpec::Periodic { n: 10 });
    let scenario = bbr(
        8,
        vec![
            upon(ControlState::ProbeBwUp, vec![SetSpec::Drop { link: 0, drop }]),
            upon(ControlState::ProbeBwDown, vec![SetSpec::Drop { link: 0, drop: None }]),
        ],
    );
    let records = run(&scenario).expect("a good scenario");
    let drops = records.queues[0].arrivals.drops[sawtooth_sim::queue::DropReason::Impairment as usize];
    assert!(drops > 0);
    let up = entered(&records, ControlState::ProbeBwUp);
    let bounded = |point: &&ModelPoint| point.model.estimates.inflight_longterm.is_some();
    let first = models(&records).iter().find(bounded).expect("losses bound it");
    assert!(first.time.nanos() > up, "none before the probe");
}

#[test]
fn an_application_offers_what_it_is_told_to() {
    let supply = |bps| vec![SetSpec::Supply { flow: 0, bps }];
    let delivered = |changes| {
        let scenario = Scenario { warmup_ns: 2 * SECOND, ..bbr(6, changes) };
        run(&scenario).expect("a good scenario").flows[0].delivered_unique
    };
    let all = delivered(Vec::new());
    assert!(all > 4_500, "{all} of 5000 packets in four seconds");
    let slow = delivered(vec![at(SECOND, supply(Some(MEGABIT)))]);
    assert!(slow.abs_diff(500) <= 2, "{slow} of 1 Mbit/s in four seconds");
    let paused = delivered(vec![at(SECOND, supply(Some(0)))]);
    assert_eq!(paused, 0);
    let again = delivered(vec![at(SECOND, supply(Some(0))), at(4 * SECOND, supply(None))]);
    assert!((2_000..2_501).contains(&again), "{again} in the last two seconds");
}

#[test]
fn either_order_of_events_gives_the_same() {
    let scenario = bbr(
        3,
        vec![
            upon(ControlState::Drain, vec![SetSpec::Rate { link: 0, bps: 7 * MEGABIT }]),
            at(SECOND, vec![SetSpec::Supply { flow: 0, bps: Some(3 * MEGABIT) }]),
            upon(
                ControlState::ProbeBwCruise,
                vec![SetSpec::Drop { link: 0, drop: Some(ImpairmentSpec::Bernoulli { p: 0.01 }) }],
            ),
        ],
    );
    let digest = |order| {
        let simulation = Simulation::new(&scenario, order).expect("a good scenario");
        simulation.finish(&Progress::default()).expect("nobody stops it").digest()
    };
    assert_eq!(digest(Order::Ahead), digest(Order::InTurn));
}

#[test]
fn what_cannot_change_is_refused() {
    let check = |changes: Vec<ChangeSpec>, wanted: [&str; 2]| {
        let message = run(&bbr(1, changes)).expect_err("a bad scenario").to_string();
        assert!(wanted.iter().all(|words| message.contains(words)), "{message}");
    };
    let rate = |link| vec![SetSpec::Rate { link, bps: MEGABIT }];
    check(vec![upon(ControlState::ProbeBw, rate(0))], ["changes[0].when.state = probe_bw", "startup, drain"]);
    check(vec![at(0, Vec::new())], ["changes[0].set", "at least one"]);
    check(vec![at(0, rate(9))], ["set[0].link = 9", "below 4"]);
    check(vec![at(0, rate(1))], ["set[0].link = 1", "a queue and a rate"]);
    check(vec![at(0, vec![SetSpec::Rate { link: 0, bps: 0 }])], ["bps = 0", "1 bit/s"]);
    check(vec![at(0, vec![SetSpec::Supply { flow: 3, bps: None }])], ["flow = 3", "below 1"]);
    let mut classic = dumbbell(1, 10, profile("aimd(1, 0.5)", "sack"), SECOND);
    classic.changes = vec![upon(ControlState::Drain, rate(0))];
    let message = run(&classic).expect_err("a bad scenario").to_string();
    assert!(message.contains("a flow whose controller has states"), "{message}");
}

/// A link without a queue lost its policer when its losses changed.
#[test]
fn a_policer_outlives_losses_on_a_link_without_a_queue() {
    let policer = BucketSpec { rate_bps: MEGABIT, burst_bytes: 3_000 };
    let links = vec![
        LinkSpec { policer: Some(policer), ..pipe("access", 100 * MEGABIT, MILLISECOND) },
        port("bottleneck", 100 * MEGABIT, MILLISECOND, 50),
    ];
    let carried = |changes: Vec<ChangeSpec>| {
        let mut scenario = networks::scenario(4 * SECOND, links.clone(), Vec::new());
        scenario.sources = vec![source(&[0, 1], &[[0, 10 * MEGABIT]])];
        scenario.changes = changes;
        run(&scenario).expect("a good scenario").queues[0].departures.forwarded_bytes
    };
    let due = policer.burst_bytes + 4 * policer.rate_bps / 8;
    let none = |of_drop| match of_drop {
        true => SetSpec::Drop { link: 0, drop: None },
        false => SetSpec::Loss { link: 0, loss: None },
    };
    for changes in [vec![], vec![at(SECOND, vec![none(true)])], vec![at(SECOND, vec![none(false)])]] {
        let found = carried(changes);
        assert!(found <= due && found + 2_000 > due, "{found} of {due}");
    }
}
