//! What a call through the interface in C costs beside the built-in law: an acknowledgement, and the window asked for after it, as a sender
//! does for a packet.
//!
//! The same AIMD twice, once of the table and once as somebody outside writes it. `sawtooth-calls` prints the time of a call of each, ns:
//! that of the fastest of many short batches, which alternate, since what else the machine does can only add to it. `sawtooth-calls NAME`
//! makes 100,000 calls of one in the function `counted_run`, whose instructions valgrind counts, and prints `calls N`.
//! `python -m bench calls` runs both.

#[allow(unsafe_code)] // reads the description of a plug-in through its pointers
#[path = "../../../../crates/host/tests/aimd/mod.rs"]
mod aimd;

use sawtooth_cc::units::{Span, Time, Window};
use sawtooth_cc::{AckSample, AnyController, ControlSettings, Controller};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

const LAWS: [&str; 2] = ["aimd(1, 0.5)", "mine(1, 0.5)"];
/// Calls that are counted.
const COUNTED: u32 = 100_000;
/// Calls in a batch: some ten microseconds, so that most batches are not interrupted.
const BATCH: u32 = 1_000;
const BATCHES: u32 = 20_000;

/// A connection in congestion avoidance.
fn fresh(law: &str) -> Option<AnyController> {
    let settings = ControlSettings {
        initial_window: Window::from_packets(1_000.0),
        initial_threshold: Some(Window::from_packets(2.0)),
        ..ControlSettings::default()
    };
    Some(AnyController::new(&aimd::mine().parse(law).ok()?, &settings))
}

/// What is counted and timed. Never inlined, so that its name is there to be found. The sample is made where it is handed over, as in a
/// sender: then a law of the table has nothing written that it does not read.
#[inline(never)]
fn counted_run(control: &mut AnyController, rtt: Span, calls: u32) {
    for _ in 0..calls {
        control.on_ack(&AckSample::classic(Time::ZERO, black_box(1), Some(black_box(rtt)), black_box(true)));
        black_box(control.window());
    }
}

fn main() -> ExitCode {
    let rtt = Span::from_millis(20);
    if let Some(law) = std::env::args().nth(1) {
        let Some(mut control) = fresh(&law) else {
            eprintln!("{law}: expected one of {}", LAWS.join("; "));
            return ExitCode::from(2);
        };
        counted_run(&mut control, rtt, COUNTED);
        println!("calls {COUNTED}");
        return ExitCode::SUCCESS;
    }
    let mut controls = LAWS.map(|law| fresh(law).expect("a controller"));
    let mut fastest = LAWS.map(|_| f64::INFINITY);
    for _ in 0..BATCHES {
        for (control, fastest) in controls.iter_mut().zip(&mut fastest) {
            let begun = Instant::now();
            counted_run(control, rtt, BATCH);
            *fastest = fastest.min(begun.elapsed().as_secs_f64());
        }
    }
    for (law, fastest) in LAWS.iter().zip(fastest) {
        println!("{law}: {:.2}", fastest / f64::from(BATCH) * 1e9);
    }
    ExitCode::SUCCESS
}
