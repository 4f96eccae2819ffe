//! A run's identity: the hash of its canonical scenario (seed included) and of the behaviour numbers of what it uses.
//!
//! The core, some features of the engine, and every law, recovery and discipline has a behaviour number. A change that moves a result
//! raises the number of what it changed. The runs that use it then have other identities. Nothing else changes identities: no comment,
//! no faster way to the same bytes, no component that a run does not use. `tests/engine/ledger.rs` checks that no digest changes without a new
//! number.

use crate::queue::{DISCIPLINES, QueueSpec};
use crate::scenario::{LinkSpec, Profile, Scenario};
use crate::tcp::{Pacing, RECOVERIES, RecoveryKind, Reduction, RtoRule, RttSamples, RttTicks};
use sawtooth_cc::plugin::PLUGIN_BEHAVIOUR;
use sawtooth_cc::{ControllerSpec, LAWS, SlowStartKind, WindowArithmetic};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The behaviour number of everything that has none of its own: events, links, endpoints, records.
pub const CORE_BEHAVIOUR: u32 = 1;

/// A feature of the engine: its name, its behaviour number, and whether a scenario uses it.
type Feature = (&'static str, u32, fn(&Scenario) -> bool);

fn uses_slow_start(scenario: &Scenario, kind: SlowStartKind) -> bool {
    scenario.profiles.iter().any(|profile| profile.tcp.slow_start == kind)
}

/// Features that many scenarios do without, with behaviour numbers of their own.
pub const FEATURES: &[Feature] = &[
    ("ack-aggregation", 1, |scenario| {
        scenario.profiles.iter().any(|profile| profile.tcp.ack_aggregation_ns > 0)
    }),
    ("ack-filter", 1, |scenario| scenario.links.iter().any(|link| link.ack_filter.is_some())),
    ("ack-every", 1, |scenario| scenario.profiles.iter().any(|profile| profile.tcp.ack_every.is_some())),
    ("applications", 1, |scenario| !scenario.apps.is_empty()),
    // 1 told a controller that it had been idle before its first packet.
    ("changes", 2, |scenario| !scenario.changes.is_empty()),
    ("counted-ticks", 1, |scenario| {
        scenario.profiles.iter().any(|profile| profile.tcp.rtt_ticks == RttTicks::Counted)
    }),
    ("delays-on-wires", 1, |scenario| {
        let delays = |link: &LinkSpec| link.late.is_some() || link.jitter.is_some();
        let links = 0..scenario.links.len() as u32;
        scenario.links.iter().any(delays) || links.into_iter().any(|link| scenario.changes_wire(link))
    }),
    ("device-queue", 1, |scenario| scenario.links.iter().any(|link| link.device_queue.is_some())),
    ("ecn-counts", 1, |scenario| scenario.profiles.iter().any(|profile| profile.tcp.ecn.counts())),
    ("frames", 1, |scenario| {
        let of_sources = scenario.sources.iter().any(|source| source.frames.is_some());
        of_sources || scenario.flows.iter().any(|flow| flow.frame_deadline_ns.is_some())
    }),
    ("endpoints-of-plug-ins", 1, |scenario| {
        scenario.profiles.iter().any(|profile| profile.controller.endpoint().is_some())
    }),
    ("hystart", 1, |scenario| {
        let kinds = [SlowStartKind::Hystart, SlowStartKind::HystartTrain, SlowStartKind::HystartDelay];
        kinds.into_iter().any(|kind| uses_slow_start(scenario, kind))
    }),
    ("hystart++", 1, |scenario| uses_slow_start(scenario, SlowStartKind::HystartPlusPlus)),
    ("impairments", 2, |scenario| {
        scenario.links.iter().any(|link| link.drop.is_some() || link.mark.is_some() || link.loss.is_some())
    }),
    ("linux-rto", 1, |scenario| scenario.profiles.iter().any(|profile| profile.tcp.rto == RtoRule::Linux)),
    // Before it had a number, the first mark of a run alone was told at once.
    ("marks-told-in-twos", 1, |scenario| {
        let waits = |profile: &Profile| profile.tcp.ack_every.is_some_and(|every| every > 2);
        let counts =
            |profile: &Profile| profile.tcp.ecn.counts() && profile.recovery != Some(RecoveryKind::Quic);
        scenario.profiles.iter().any(|profile| waits(profile) && counts(profile))
    }),
    // Before it had a number, a mark began a recovery period also beside a controller that counts marks: it stopped growth and hid losses.
    ("marks-counted-on-quic", 1, |scenario| {
        let counts = |profile: &Profile| profile.controller.properties().counts_marks;
        let numbered = |profile: &Profile| profile.recovery == Some(RecoveryKind::Quic);
        scenario.profiles.iter().any(|profile| numbered(profile) && counts(profile))
    }),
    // Before it had a number, a pacer that held anything made a flow count as limited by its window.
    ("paced-applications", 1, |scenario| {
        let in_parts = !scenario.apps.is_empty()
            || scenario.changes_supply()
            || scenario.flows.iter().any(|flow| !flow.supply.is_empty());
        in_parts && scenario.profiles.iter().any(|profile| profile.tcp.pacing == Pacing::On)
    }),
    ("pacing", 1, |scenario| {
        let paced = |profile: &Profile| {
            profile.tcp.pacing == Pacing::On || profile.controller.properties().pacing_rate
        };
        scenario.profiles.iter().any(|profile| profile.recovery.is_some() && paced(profile))
    }),
    // Before it had a number, the policer of a link without a queue was forgotten when losses changed there.
    ("policers-beside-changes", 1, |scenario| {
        let changes = |link: u32| scenario.changes_losses(link);
        let policed = |link: &LinkSpec| link.queue.is_none() && link.policer.is_some();
        (0u32..).zip(&scenario.links).any(|(number, link)| policed(link) && changes(number))
    }),
    // Before it had a number, a recorded probability was that of the last packet that came or went.
    ("probabilities-at-samples", 1, |scenario| {
        let moves = |link: &LinkSpec| link.queue.as_ref().is_some_and(QueueSpec::moves_at_times);
        scenario.record.disciplines && scenario.links.iter().any(moves)
    }),
    ("prr", 1, |scenario| scenario.profiles.iter().any(|profile| profile.tcp.prr != Reduction::Off)),
    // Before it had a number, a threshold in time and RED's idle time kept the rate that the link had at first.
    ("queues-beside-rates", 1, |scenario| {
        let heeds = |link: &LinkSpec| link.queue.as_ref().is_some_and(QueueSpec::heeds_rate);
        (0u32..).zip(&scenario.links).any(|(number, link)| heeds(link) && scenario.changes_rate(number))
    }),
    // 1 averaged the round trip of the newest packet that an acknowledgement is for.
    ("rtt-of-every-packet", 2, |scenario| {
        scenario.profiles.iter().any(|profile| profile.tcp.rtt_samples == RttSamples::Every)
    }),
    ("send-jitter", 1, |scenario| scenario.profiles.iter().any(|profile| profile.send_jitter_ns > 0)),
    ("short-flows", 1, |scenario| !scenario.arrivals.is_empty()),
    ("sources", 1, |scenario| !scenario.sources.is_empty()),
    ("supply", 1, |scenario| scenario.flows.iter().any(|flow| !flow.supply.is_empty())),
    ("traces", 1, |scenario| scenario.links.iter().any(|link| link.trace_ms.is_some())),
    ("token-buckets", 1, |scenario| {
        scenario.links.iter().any(|link| link.policer.is_some() || link.shaper.is_some())
    }),
    // Before it had a number, the wait for tokens was no part of the queueing delay that records tell.
    ("token-waits", 1, |scenario| scenario.links.iter().any(|link| link.shaper.is_some())),
    ("transmit-opportunities", 1, |scenario| scenario.links.iter().any(|link| link.aggregate.is_some())),
    // Before it had a number, decreases alone were in whole packets.
    ("whole-cubic", 1, |scenario| {
        let whole = |profile: &Profile| matches!(&profile.controller, ControllerSpec::Cubic(cubic) if cubic.integer == 1.0);
        scenario.profiles.iter().any(whole)
    }),
    // 1 cut the fraction off the product alone.
    ("whole-windows", 2, |scenario| {
        let whole = |profile: &Profile| profile.tcp.window_arithmetic == WindowArithmetic::Integer;
        scenario.profiles.iter().any(|profile| profile.recovery.is_some() && whole(profile))
    }),
];

/// Hexadecimal digits of a run's identity.
pub const RUN_ID_DIGITS: usize = 24;

/// The canonical text of a scenario: every field, in a fixed order, no white space.
pub fn canonical(scenario: &Scenario) -> String {
    serde_json::to_string(scenario).expect("plain data always has a text")
}

/// What a scenario uses, with behaviour numbers: `core`, `law/linear`, `recovery/sack`, `queue/droptail`.
pub fn behaviour(scenario: &Scenario) -> BTreeMap<String, u32> {
    let mut used = BTreeMap::from([("core".to_owned(), CORE_BEHAVIOUR)]);
    let features = FEATURES.iter().filter(|(_, _, uses)| uses(scenario));
    used.extend(features.map(|&(name, number, _)| (name.to_owned(), number)));
    for profile in &scenario.profiles {
        let (law, number) = profile.controller.behaviour();
        used.insert(format!("law/{law}"), number);
        if let Some(recovery) = profile.recovery.map(|kind| kind.info()) {
            used.insert(format!("recovery/{}", recovery.name), recovery.behaviour);
        }
    }
    for queue in scenario.links.iter().filter_map(|link: &LinkSpec| link.queue.as_ref()) {
        let row = queue.info();
        used.insert(format!("queue/{}", row.name), row.behaviour);
    }
    used
}

/// Everything there is, with behaviour numbers.
pub fn all_behaviour() -> BTreeMap<String, u32> {
    let laws = LAWS.iter().chain([&PLUGIN_BEHAVIOUR]).map(|&(law, number)| (format!("law/{law}"), number));
    let recoveries = RECOVERIES.iter().map(|row| (format!("recovery/{}", row.name), row.behaviour));
    let queues = DISCIPLINES.iter().map(|row| (format!("queue/{}", row.name), row.behaviour));
    let features = FEATURES.iter().map(|&(name, number, _)| (name.to_owned(), number));
    [("core".to_owned(), CORE_BEHAVIOUR)]
        .into_iter()
        .chain(features)
        .chain(laws)
        .chain(recoveries)
        .chain(queues)
        .collect()
}

/// The identity of a run of this scenario.
pub fn run_id(scenario: &Scenario) -> String {
    identity_of(&behaviour(scenario), scenario)
}

/// The identity of a run of this scenario by an engine with these behaviour numbers.
pub fn identity_of(behaviour: &BTreeMap<String, u32>, scenario: &Scenario) -> String {
    let mut hash = Sha256::new();
    hash.update("sawtooth run 1\n");
    for (component, number) in behaviour {
        hash.update(format!("{component} {number}\n"));
    }
    hash.update(canonical(scenario));
    let mut digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(RUN_ID_DIGITS);
    digits
}
