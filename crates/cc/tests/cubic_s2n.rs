//! CUBIC beside the CUBIC of a QUIC stack, on the same acknowledgements: `data/s2n_cubic_windows.csv` says where its windows come from.
//!
//! One packet is acknowledged every 0.5 ms, the round trip is 100 ms. Losses are declared after 0.1 s, 9 s and 10 s: the first halts slow
//! start, the second comes above the window of the first, the third below that of the second (fast convergence).

use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, Congestion, CongestionSignal, ControlSettings, Controller, Recovery,
    RecoverySignal, RoundTripTimes, SlowStartExit, WindowOfData, parse_controller,
};

const RECORDED: &str = include_str!("data/s2n_cubic_windows.csv");
const RTT: Span = Span::from_millis(100);
const EVERY: u64 = 500_000;
const LOSSES_MS: [u64; 3] = [100, 9_000, 10_000];

/// Time in milliseconds and window in packets.
fn recorded() -> Vec<(u64, f64)> {
    let rows = RECORDED.lines().filter(|line| !line.starts_with(['#', 't']));
    let row = |line: &str| {
        let (time, window) = line.split_once(',').expect("two columns");
        (time.parse().expect("a time"), window.parse().expect("a window"))
    };
    rows.map(row).collect()
}

fn own() -> Vec<(u64, f64)> {
    let settings = ControlSettings {
        initial_window: Window::from_packets(300.0),
        slow_start_exit: SlowStartExit::Law,
        ..ControlSettings::default()
    };
    let mut control = AnyController::new(&parse_controller("cubic").expect("a controller"), &settings);
    let rtt =
        RoundTripTimes { latest: Some(RTT), minimum: Some(RTT), smoothed: Some(RTT), newest: Some(RTT) };
    let (mut recovery_until, mut windows) = (None, Vec::new());
    for step in 0..=18_000_000_000 / EVERY {
        let now = Time::ZERO + Span::from_nanos(step * EVERY);
        let millis = now.nanos() / 1_000_000;
        if now.nanos().is_multiple_of(1_000_000) && LOSSES_MS.contains(&millis) {
            let window_of_data = WindowOfData::numbered(step);
            control.on_congestion(&CongestionSignal { now, kind: Congestion::Loss, window_of_data });
            let in_flight = Bytes::new(1000 * u64::from(control.window().whole_packets()));
            control.on_recovery(&RecoverySignal { now, change: Recovery::Entered, in_flight });
            recovery_until = Some(now + RTT);
        }
        if recovery_until.take_if(|until| *until < now).is_some() {
            let in_flight = Bytes::new(1000 * u64::from(control.window().whole_packets()));
            control.on_recovery(&RecoverySignal { now, change: Recovery::Left, in_flight });
        }
        if now >= Time::ZERO + RTT && recovery_until.is_none() {
            control.on_ack(&AckSample { rtt, ..AckSample::classic(now, 1, Some(RTT), true) });
        }
        if now.nanos().is_multiple_of(100_000_000) {
            windows.push((millis, control.window().packets()));
        }
    }
    windows
}

#[test]
fn windows_are_those_of_the_stack_to_the_precision_of_its_numbers() {
    let (own, recorded) = (own(), recorded());
    assert_eq!(own.len(), recorded.len());
    for (&(time, window), &(stack_time, stack)) in own.iter().zip(&recorded) {
        assert_eq!(time, stack_time);
        // The stack has numbers of 32 bits and times in microseconds.
        assert!((window / stack - 1.0).abs() < 1e-4, "{time} ms: {window}, the stack {stack}");
    }
}
