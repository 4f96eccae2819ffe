//! Small scenarios that several tests share.

use crate::scenario::{DropTailSpec, FlowSpec, LinkSpec, Profile, QueueSpec, RecordSpec, Scenario, TcpSpec};
use crate::tcp::RecoveryKind;
use sawtooth_cc::parse_controller;

fn link(name: &str, rate_bps: u64, delay_ns: u64, queue: Option<QueueSpec>) -> LinkSpec {
    LinkSpec {
        name: name.to_owned(),
        rate_bps: Some(rate_bps),
        trace_ms: None,
        trace_once: false,
        delay_ns,
        queue,
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

/// SACK AIMD(1, 0.5) flows over 10 Mbit/s and 40 ms; link 0 is the bottleneck, link 1 its reverse.
pub fn dumbbell(flows: u32) -> Scenario {
    let queue = QueueSpec::DropTail(DropTailSpec { packets: Some(50), bytes: None });
    let mut links = vec![
        link("bottleneck", 10_000_000, 10_000_000, Some(queue)),
        link("reverse", 10_000_000, 10_000_000, None),
    ];
    for flow in 0..flows {
        links.push(link(&format!("access/{flow}"), 1_000_000_000, 10_000_000, None));
        links.push(link(&format!("access-reverse/{flow}"), 1_000_000_000, 10_000_000, None));
    }
    Scenario {
        seed: "1".to_owned(),
        duration_ns: 10_000_000_000,
        warmup_ns: 1_000_000_000,
        links,
        profiles: vec![Profile {
            controller: parse_controller("aimd(1, 0.5)").expect("a known controller"),
            recovery: Some(RecoveryKind::Sack),
            packet_bytes: 1000,
            ack_bytes: 40,
            send_jitter_ns: 0,
            tcp: TcpSpec::default(),
        }],
        flows: (0..flows)
            .map(|flow| FlowSpec {
                profile: 0,
                test: true,
                in_profile: false,
                forward: vec![2 + 2 * flow, 0],
                reverse: vec![1, 3 + 2 * flow],
                start_ns: 0,
                stop_ns: None,
                packets: None,
                supply: Vec::new(),
                frame_deadline_ns: None,
            })
            .collect(),
        arrivals: Vec::new(),
        sources: Vec::new(),
        apps: Vec::new(),
        changes: Vec::new(),
        record: RecordSpec::default(),
    }
}
