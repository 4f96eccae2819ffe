//! The windows of s2n-quic-core's CUBIC on given acknowledgements, which the core's tests hold ours to: `make stacks-windows`.
//!
//! One packet of 1,000 bytes is acknowledged every 0.5 ms, with a round trip of 100 ms; whatever the window allows is sent at once. Packets
//! are lost at the first acknowledgement, so that slow start plays no part, and at two later times: above the window of the first loss,
//! and soon after that, below it (fast convergence).

use s2n::Cubic;
use sawtooth_plugin::{Ack, Controller, Packet, Settings};

const MILLISECOND: u64 = 1_000_000;
const EVERY: u64 = MILLISECOND / 2;
const RTT: u64 = 100 * MILLISECOND;
const PACKET: u64 = 1_000;
const LOSSES_MS: [u64; 3] = [100, 9_000, 10_000];
const END_MS: u64 = 18_000;

fn sent(at: u64) -> Packet {
    Packet { sent_at_ns: at, size: PACKET, times_sent: 1, ..Packet::default() }
}

fn main() {
    let settings = Settings { initial_window: 300.0, packet: PACKET, ..Settings::DEFAULT };
    let mut control = Cubic::new(&[], &settings);
    let mut in_flight = 0;
    let stack = Cubic::DESCRIPTION.source;
    println!(
        "# Windows of the CUBIC of crate {stack} on given acknowledgements, every 100 ms; made by `make stacks-windows`"
    );
    println!("# (stacks/s2n/examples/windows.rs, where the inputs are explained).");
    println!("time_ms,window_packets");
    for step in 0..=END_MS * MILLISECOND / EVERY {
        let now = step * EVERY;
        let fill = |control: &mut Cubic, in_flight: &mut u64| {
            while *in_flight < control.window() as u64 {
                control.on_sent(&sent(now));
                *in_flight += 1;
            }
        };
        if now >= RTT {
            if LOSSES_MS.contains(&(now / MILLISECOND)) && now % MILLISECOND == 0 {
                control.on_lost(now, &sent(now - RTT), PACKET);
                in_flight -= 1;
            }
            let ack = Ack {
                newly_delivered: PACKET,
                in_flight_after: in_flight * PACKET,
                rtt_newest_ns: RTT,
                ..Ack::classic(now, 1, Some(RTT), true)
            };
            control.on_ack(&ack);
            in_flight = in_flight.saturating_sub(1);
        }
        fill(&mut control, &mut in_flight);
        if now % (100 * MILLISECOND) == 0 {
            println!("{},{:.4}", now / MILLISECOND, control.window());
        }
    }
}
