//! Small networks that tests and benchmarks share: links, profiles, flows and the dumbbell made of them.

use sawtooth_cc::parse_controller;
use sawtooth_sim::scenario::{
    DropTailSpec, FlowSpec, LinkSpec, Profile, QueueSpec, RecordSpec, Scenario, SourceSpec, TcpSpec,
};
use sawtooth_sim::tcp::RECOVERIES;
use std::collections::BTreeMap;
use std::path::Path;

pub const MILLISECOND: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;
pub const MEGABIT: u64 = 1_000_000;

/// A link without a queue of its own.
pub fn pipe(name: impl Into<String>, rate_bps: u64, delay_ns: u64) -> LinkSpec {
    LinkSpec {
        name: name.into(),
        rate_bps: Some(rate_bps),
        trace_ms: None,
        trace_once: false,
        delay_ns,
        queue: None,
        drop: None,
        mark: None,
        policer: None,
        shaper: None,
        device_queue: None,
        ack_filter: None,
        loss: None,
        late: None,
        jitter: None,
        aggregate: None,
    }
}

/// A link with a drop-tail queue of so many packets.
pub fn port(name: impl Into<String>, rate_bps: u64, delay_ns: u64, packets: u64) -> LinkSpec {
    let queue = Some(QueueSpec::DropTail(DropTailSpec { packets: Some(packets), bytes: None }));
    LinkSpec { queue, ..pipe(name, rate_bps, delay_ns) }
}

/// Endpoints with packets of 1000 bytes and acknowledgements of 40, and defaults otherwise; `"none"` is no recovery.
pub fn profile(controller: &str, recovery: &str) -> Profile {
    let recovery = RECOVERIES.iter().find(|row| row.name == recovery).map(|row| row.kind);
    let controller = parse_controller(controller).expect("a controller of the table");
    Profile {
        tcp: TcpSpec::of(&controller, recovery),
        controller,
        recovery,
        packet_bytes: 1000,
        ack_bytes: 40,
        send_jitter_ns: 0,
    }
}

/// A flow of test packets with the first profile that starts at once and never ends.
pub fn flow(forward: &[u32], reverse: &[u32]) -> FlowSpec {
    FlowSpec {
        profile: 0,
        test: true,
        in_profile: false,
        forward: forward.to_vec(),
        reverse: reverse.to_vec(),
        start_ns: 0,
        stop_ns: None,
        packets: None,
        supply: Vec::new(),
        frame_deadline_ns: None,
    }
}

/// Cross traffic in packets of 1000 bytes.
pub fn source(route: &[u32], rates: &[[u64; 2]]) -> SourceSpec {
    SourceSpec {
        name: "cross".to_owned(),
        packet_bytes: 1000,
        route: route.to_vec(),
        in_profile: false,
        rates: rates.to_vec(),
        counts: Vec::new(),
        frames: None,
    }
}

/// A run without warm-up and without flows yet.
pub fn scenario(duration_ns: u64, links: Vec<LinkSpec>, profiles: Vec<Profile>) -> Scenario {
    Scenario {
        seed: "1".to_owned(),
        duration_ns,
        warmup_ns: 0,
        links,
        profiles,
        flows: Vec::new(),
        arrivals: Vec::new(),
        sources: Vec::new(),
        apps: Vec::new(),
        changes: Vec::new(),
        record: RecordSpec::default(),
    }
}

/// Flows over one bottleneck of 10 Mbit/s, link 0, with a queue of so many packets; link 1 is its reverse. Access
/// links of 1 Gbit/s give flow i a round trip of 40 ms + i · 2 ms of propagation.
pub fn dumbbell(flows: u32, buffer: u64, profile: Profile, duration_ns: u64) -> Scenario {
    let links = vec![
        port("bottleneck", 10 * MEGABIT, 10 * MILLISECOND, buffer),
        pipe("reverse", 10 * MEGABIT, 10 * MILLISECOND),
    ];
    let mut scenario = scenario(duration_ns, links, vec![profile]);
    for index in 0..flows {
        let delay = (10 + u64::from(index)) * MILLISECOND;
        let first = scenario.links.len() as u32;
        scenario.links.push(pipe(format!("access/{index}"), 1000 * MEGABIT, delay));
        scenario.links.push(pipe(format!("access-reverse/{index}"), 1000 * MEGABIT, delay));
        let start_ns = u64::from(index) * 50 * MILLISECOND;
        scenario.flows.push(FlowSpec { start_ns, ..flow(&[first, 0], &[1, first + 1]) });
    }
    scenario
}

/// Every example, by name.
pub fn examples() -> BTreeMap<String, Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/examples");
    let paths =
        std::fs::read_dir(folder).expect("the examples are readable").map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("an example is readable");
            let scenario = Scenario::from_json(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            (path.file_stem().unwrap().to_string_lossy().into_owned(), scenario)
        })
        .collect()
}
