//! Run a scenario from a file and print what became of flows and queues.
//!
//! `cargo run --release -p sawtooth-sim --example simulate -- crates/sim/examples/one_flow.json`

use sawtooth_sim::{Scenario, run};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: simulate SCENARIO.json")?;
    let scenario = Scenario::from_json(&std::fs::read_to_string(&path)?)?;
    let records = run(&scenario)?;
    let seconds = (scenario.duration_ns - scenario.warmup_ns) as f64 / 1e9;

    println!(
        "{:>5} {:>12} {:>9} {:>11} {:>9} {:>8}",
        "flow", "goodput", "sent", "retransmits", "timeouts", "srtt"
    );
    for (index, flow) in records.flows.iter().enumerate() {
        let megabits = (flow.delivered_unique * u64::from(flow.packet_bytes) * 8) as f64 / seconds / 1e6;
        println!(
            "{index:5} {megabits:5.2} Mbit/s {:9} {:11} {:9} {:5.0} ms",
            flow.sent,
            flow.retransmits,
            flow.timeouts,
            flow.srtt_ns as f64 / 1e6
        );
    }
    println!(
        "\n{:>12} {:>11} {:>9} {:>10} {:>11}",
        "queue", "utilisation", "drops", "mean delay", "p99 delay"
    );
    for queue in &records.queues {
        let counters = &queue.departures;
        let mean = counters.delay.nanos() as f64 / counters.forwarded.max(1) as f64 / 1e6;
        println!(
            "{:>12} {:9.1} % {:9} {mean:7.1} ms {:8.1} ms",
            queue.name,
            100.0 * counters.forwarded_bytes as f64 / queue.capacity_bytes.max(1) as f64,
            queue.arrivals.dropped(),
            queue.delay_p99.nanos() as f64 / 1e6
        );
    }
    println!("\n{} events, digest {}", records.account.events, records.digest());
    Ok(())
}
