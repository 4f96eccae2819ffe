//! Fixed scenarios whose instructions valgrind counts: `sawtooth-instructions NAME` runs one, without a name it lists them.
//!
//! `python -m bench gate` runs this under callgrind, which counts while the function `counted_run` is on the stack and nowhere else: a
//! network is built, run and its records are made; reading arguments and printing stay outside. Nothing here depends on
//! time, place or environment, so the same binary gives the same count. Prints `forwarded N` for the bottleneck.
//!
//! | name      | what                                                                             | why                              |
//! |-----------|----------------------------------------------------------------------------------|----------------------------------|
//! | ten       | 10 SACK flows, 100 Mbit/s, 120 ms ± 5 %, drop-tail of 1500 packets               | the benchmark's own scenario     |
//! | cross     | 10 Reno flows beside as much CBR traffic                                         | packets that nobody acknowledges |
//! | lossy     | one SACK flow, 2,000 packets in flight whatever is lost, 1 % lost                | scoreboard and recovery          |
//! | many      | 200 SACK flows at 2 Mbit/s each                                                  | event queue and state of flows   |
//! | recorded  | `ten` with every series recorded                                                 | records                          |
//! | cubic     | `ten` with CUBIC on RACK, paced                                                  | at most twice `ten`              |
//! | bbr       | `ten` with BBR on RACK                                                           | at most two and a half times `ten` |
//!
//! `queue/NAME` is `ten` behind that discipline, with the defaults of its numbers and the same buffer. `--disciplines` lists all of these;
//! the gate has those that are held to RED or DRR. `window/RECOVERY/N` is one flow whose window stays at N packets, of which one in ten is
//! lost, so that N of every size is repaired in nearly every round trip: an acknowledgement must cost the same whatever the window.

use sawtooth_cc::{IdleRule, parse_controller};
use sawtooth_sim::queue::DISCIPLINES;
use sawtooth_sim::scenario::{
    DropTailSpec, FlowSpec, ImpairmentSpec, LinkSpec, Profile, QueueSpec, RecordSpec, Scenario, SourceSpec,
    TcpSpec,
};
use sawtooth_sim::tcp::{Pacing, RECOVERIES, SackPipe};
use sawtooth_sim::{Records, run};
use std::hint::black_box;
use std::process::ExitCode;

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLISECOND;
const MEGABIT: u64 = 1_000_000;

fn link(name: impl Into<String>, rate_bps: u64, delay_ns: u64) -> LinkSpec {
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
        loss: None,
        late: None,
        jitter: None,
        aggregate: None,
        shaper: None,
        device_queue: None,
        ack_filter: None,
    }
}

/// Greedy flows over one bottleneck with a drop-tail queue; round-trip times spread evenly over 114 to 126 ms.
fn dumbbell(flows: u32, mbit: u64, buffer: u64, control: &str, recovery: &str, seconds: u64) -> Scenario {
    let queue = Some(QueueSpec::DropTail(DropTailSpec { packets: Some(buffer), bytes: None }));
    let mut links = vec![
        LinkSpec { queue, ..link("bottleneck", mbit * MEGABIT, 40 * MILLISECOND) },
        link("reverse", mbit * MEGABIT, 40 * MILLISECOND),
    ];
    let mut specs = Vec::new();
    for flow in 0..flows {
        let place = u64::from(7 * flow % flows);
        let delay = 17 * MILLISECOND + 6 * MILLISECOND * place / u64::from(flows.max(2) - 1);
        let first = links.len() as u32;
        links.push(link(format!("access/{flow}"), 10 * mbit * MEGABIT, delay));
        links.push(link(format!("access-reverse/{flow}"), 10 * mbit * MEGABIT, delay));
        specs.push(FlowSpec {
            profile: 0,
            test: true,
            in_profile: false,
            forward: vec![first, 0],
            reverse: vec![1, first + 1],
            start_ns: u64::from(flow % 10) * 100 * MILLISECOND,
            stop_ns: None,
            packets: None,
            supply: Vec::new(),
            frame_deadline_ns: None,
        });
    }
    let known = RECOVERIES.iter().find(|row| row.name == recovery);
    let profile = Profile {
        controller: parse_controller(control).expect("a controller of the table"),
        recovery: Some(known.expect("a recovery of the table").kind),
        packet_bytes: 1_000,
        ack_bytes: 40,
        send_jitter_ns: 0,
        tcp: TcpSpec::default(),
    };
    Scenario {
        seed: "1".to_owned(),
        duration_ns: seconds * SECOND,
        warmup_ns: 0,
        links,
        profiles: vec![profile],
        flows: specs,
        arrivals: Vec::new(),
        sources: Vec::new(),
        apps: Vec::new(),
        changes: Vec::new(),
        record: RecordSpec::default(),
    }
}

fn ten() -> Scenario {
    dumbbell(10, 100, 1_500, "aimd(1, 0.5)", "sack", 10)
}

fn cross() -> Scenario {
    let rates = vec![[0, 50 * MEGABIT]];
    let source = SourceSpec {
        name: "cbr".to_owned(),
        packet_bytes: 1_000,
        route: vec![0],
        in_profile: false,
        rates,
        counts: Vec::new(),
        frames: None,
    };
    Scenario { sources: vec![source], ..dumbbell(10, 100, 1_500, "aimd(1, 0.5)", "reno", 10) }
}

fn lossy() -> Scenario {
    let mut scenario = dumbbell(1, 200, 4_000, "linear(0, 1, 0, 1)", "sack", 5);
    scenario.links[0].drop = Some(ImpairmentSpec::Bernoulli { p: 0.01 });
    scenario.profiles[0].tcp.initial_window = 2_000.0;
    scenario.profiles[0].tcp.initial_ssthresh = Some(2_000.0);
    scenario.profiles[0].tcp.sack_pipe = SackPipe::Rfc6675;
    scenario.profiles[0].tcp.rto_cuts = false;
    scenario
}

fn many() -> Scenario {
    dumbbell(200, 400, 6_000, "aimd(1, 0.5)", "sack", 3)
}

fn recorded() -> Scenario {
    let record = RecordSpec {
        windows: true,
        sample_ns: Some(10 * MILLISECOND),
        rates_ns: Some(10 * MILLISECOND),
        ..RecordSpec::default()
    };
    Scenario { record, ..ten() }
}

/// `ten` with today's recovery and this law; one with a rate of its own is paced anyway.
fn today(control: &str, pacing: Pacing) -> Scenario {
    let mut scenario = dumbbell(10, 100, 1_500, control, "rack", 10);
    let profile = &mut scenario.profiles[0];
    profile.tcp = TcpSpec { pacing, ..TcpSpec::of(&profile.controller, profile.recovery) };
    scenario
}

fn cubic() -> Scenario {
    today("cubic", Pacing::On)
}

fn bbr() -> Scenario {
    today("bbr", Pacing::Off)
}

/// `ten` behind another discipline; `None` if there is none of that name.
fn behind(name: &str) -> Option<Scenario> {
    DISCIPLINES.iter().find(|row| row.name == name)?;
    let numbers = serde_json::json!({ "kind": name, "packets": 1_500 });
    let mut scenario = ten();
    scenario.links[0].queue = Some(serde_json::from_value(numbers).expect("every number has a default"));
    Some(scenario)
}

/// The disciplines that the gate holds to RED or DRR, and these two.
const HELD: &[&str] = &["red", "drr", "codel", "pie", "fq-codel", "dualpi2"];

/// Windows that one flow keeps, and the recoveries that repair what it loses.
const WINDOWS: &[u64] = &[10, 100, 1_000, 10_000];
const REPAIRING: &[&str] = &["sack", "rack"];

/// One flow that keeps this window on a link that could carry twice as much, until some ten thousand packets or four windows have passed.
fn window(recovery: &str, packets: u64) -> Scenario {
    let mbit = (packets / 7).max(2);
    let mut scenario = dumbbell(1, mbit, 2 * packets, "linear(0, 1, 0, 1)", recovery, 1);
    scenario.duration_ns = (12_000 * 120 * MILLISECOND / packets).max(4 * 120 * MILLISECOND);
    scenario.links[0].drop = Some(ImpairmentSpec::Bernoulli { p: 0.1 });
    let profile = &mut scenario.profiles[0];
    profile.tcp = TcpSpec {
        initial_window: packets as f64,
        initial_ssthresh: Some(packets as f64),
        sack_pipe: SackPipe::Rfc6675,
        rto_cuts: false,
        idle: IdleRule::Keep,
        ..TcpSpec::of(&profile.controller, profile.recovery)
    };
    scenario
}

/// The scenario `window/RECOVERY/N`; `None` if that is none.
fn kept(name: &str) -> Option<Scenario> {
    let (recovery, packets) = name.split_once('/')?;
    let packets = packets.parse().ok().filter(|packets| WINDOWS.contains(packets))?;
    REPAIRING.contains(&recovery).then(|| window(recovery, packets))
}

type Make = fn() -> Scenario;
const SCENARIOS: &[(&str, Make)] = &[
    ("ten", ten),
    ("cross", cross),
    ("lossy", lossy),
    ("many", many),
    ("recorded", recorded),
    ("cubic", cubic),
    ("bbr", bbr),
];

/// What is counted. Never inlined, so that its name is there to be found.
#[inline(never)]
fn counted_run(scenario: &Scenario) -> Records {
    black_box(run(black_box(scenario)).expect("a scenario that passes the check"))
}

fn main() -> ExitCode {
    let of_windows = REPAIRING
        .iter()
        .flat_map(|recovery| WINDOWS.iter().map(move |packets| format!("window/{recovery}/{packets}")));
    let held = HELD.iter().map(|name| format!("queue/{name}"));
    let names: Vec<String> =
        SCENARIOS.iter().map(|row| row.0.to_owned()).chain(held).chain(of_windows).collect();
    let disciplines: Vec<String> = DISCIPLINES.iter().map(|row| format!("queue/{}", row.name)).collect();
    let name = match std::env::args().nth(1) {
        None => {
            println!("{}", names.join("\n"));
            return ExitCode::SUCCESS;
        }
        Some(word) if word == "--disciplines" => {
            println!("{}", disciplines.join("\n"));
            return ExitCode::SUCCESS;
        }
        Some(name) => name,
    };
    let made = match name.split_once('/') {
        Some(("queue", discipline)) => behind(discipline),
        Some(("window", of)) => kept(of),
        _ => SCENARIOS.iter().find(|row| row.0 == name).map(|row| (row.1)()),
    };
    let Some(scenario) = made else {
        eprintln!("{name}: expected one of {}, {}", names.join(", "), disciplines.join(", "));
        return ExitCode::from(2);
    };
    let records = counted_run(&scenario);
    println!("forwarded {}", records.bottleneck().expect("a dumbbell has a queue").departures.forwarded);
    ExitCode::SUCCESS
}
