//! What a call through the interface in C costs beside the built-in law: `cargo bench -p sawtooth-micro --bench calls`.
//!
//! The same AIMD, once of the table and once as a plug-in: `on_ack` and the window asked for after it, as a sender does for a packet.

#[path = "../../crates/host/tests/aimd/mod.rs"]
mod aimd;

use criterion::{BenchmarkId, Criterion, Throughput};
use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{AckSample, AnyController, ControlSettings, Controller, SentPacket};
use std::hint::black_box;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("calls");
    group.throughput(Throughput::Elements(1));
    let settings = ControlSettings {
        initial_window: Window::from_packets(1_000.0),
        initial_threshold: Some(Window::from_packets(2.0)),
        ..ControlSettings::default()
    };
    let plugins = aimd::mine();
    let ack = AckSample::classic(Time::ZERO, 1, Some(Span::from_millis(20)), true);
    let packet = SentPacket { size: Bytes::new(1_000), times_sent: 1, ..SentPacket::default() };
    for text in ["aimd(1, 0.5)", "mine(1, 0.5)"] {
        let fresh = AnyController::new(&plugins.parse(text).expect("a controller"), &settings);
        let mut control = fresh.clone();
        group.bench_function(BenchmarkId::new("on_ack", text), |bench| {
            bench.iter(|| {
                control.on_ack(black_box(&ack));
                if control.window().packets() > 1e6 {
                    control = fresh.clone();
                }
            });
        });
        group.bench_function(BenchmarkId::new("on_sent", text), |bench| {
            bench.iter(|| {
                control.on_sent(black_box(&packet));
                control.window()
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
