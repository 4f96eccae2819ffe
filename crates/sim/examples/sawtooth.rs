//! Why AIMD is a sawtooth: the window of one flow alone on a bottleneck, as a picture in text.
//!
//! `cargo run --release -p sawtooth-sim --example sawtooth -- "aimd(1, 0.5)"`, or any other controller.

use sawtooth_cc::parse_controller;
use sawtooth_sim::run;
use sawtooth_sim::scenario::{
    DropTailSpec, FlowSpec, LinkSpec, Profile, QueueSpec, RecordSpec, Scenario, TcpSpec,
};
use sawtooth_sim::tcp::RecoveryKind;
use std::error::Error;

const MILLISECOND: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let controller = std::env::args().nth(1).unwrap_or("aimd(1, 0.5)".to_owned());
    // 10 Mbit/s and 40 ms hold 50 packets of 1000 bytes; the queue holds as many again.
    let bottleneck = LinkSpec {
        name: "bottleneck".to_owned(),
        rate_bps: Some(10_000_000),
        trace_ms: None,
        trace_once: false,
        delay_ns: 20 * MILLISECOND,
        queue: Some(QueueSpec::DropTail(DropTailSpec { packets: Some(50), bytes: None })),
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
    };
    let reverse = LinkSpec { name: "reverse".to_owned(), queue: None, ..bottleneck.clone() };
    let scenario = Scenario {
        seed: "1".to_owned(),
        duration_ns: 20_000 * MILLISECOND,
        warmup_ns: 0,
        links: vec![bottleneck, reverse],
        profiles: vec![Profile {
            controller: parse_controller(&controller)?,
            recovery: Some(RecoveryKind::Sack),
            packet_bytes: 1000,
            ack_bytes: 40,
            send_jitter_ns: 0,
            tcp: TcpSpec::default(),
        }],
        flows: vec![FlowSpec {
            profile: 0,
            test: true,
            in_profile: false,
            forward: vec![0],
            reverse: vec![1],
            start_ns: 0,
            stop_ns: None,
            packets: None,
            supply: Vec::new(),
            frame_deadline_ns: None,
        }],
        arrivals: Vec::new(),
        sources: Vec::new(),
        apps: Vec::new(),
        changes: Vec::new(),
        record: RecordSpec { sample_ns: Some(250 * MILLISECOND), ..RecordSpec::default() },
    };
    let records = run(&scenario)?;
    for point in &records.series.windows.expect("windows are sampled").points {
        let width = point.window.round() as usize;
        println!("{:6.2} s {width:4} {}", point.time.seconds(), "#".repeat(width / 2));
    }
    Ok(())
}
