//! CUBIC against the average windows of RFC 9438 §5.1, Tables 1 and 2.
//!
//! The tables take 1/p packets between two losses and average over a cycle. That cycle is only marginally stable: a window that is off
//! stays off for long. So the law runs alone, without recovery, without fast convergence, and its first loss is at the plateau of the
//! tabulated average, which is (3 + beta)/4 = 0.925 of it (RFC 9438 appendix B). The average is taken over 20 cycles.

use sawtooth_cc::units::{Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, Congestion, CongestionSignal, ControlSettings, Controller, parse_controller,
};

const CYCLES: u32 = 20;

/// Mean window in packets where every 1/p-th packet is lost.
fn mean_window(controller: &str, p: f64, rtt: Span, expected: f64) -> f64 {
    let settings = ControlSettings {
        initial_window: Window::from_packets(expected / 0.925),
        initial_threshold: Some(Window::from_packets(2.0)),
        ..ControlSettings::default()
    };
    let mut control = AnyController::new(&parse_controller(controller).unwrap(), &settings);
    let packets = (1.0 / p).round() as u64;
    let mut nanos = 0.0;
    for _ in 0..CYCLES {
        let now = Time::from_nanos(nanos as u64);
        control.on_congestion(&CongestionSignal::new(now, Congestion::Loss));
        for _ in 0..packets {
            nanos += rtt.nanos() as f64 / control.window().packets();
            control.on_ack(&AckSample::classic(Time::from_nanos(nanos as u64), 1, Some(rtt), true));
        }
    }
    let rounds = nanos / rtt.nanos() as f64;
    (u64::from(CYCLES) * packets) as f64 / rounds
}

fn check(controller: &str, rtt_millis: u64, within: f64, rows: &[(f64, f64)]) {
    for &(p, expected) in rows {
        let found = mean_window(controller, p, Span::from_millis(rtt_millis), expected);
        let deviation = found / expected - 1.0;
        assert!(
            deviation.abs() <= within,
            "{controller} at {rtt_millis} ms, p = {p}: {found:.1} and not {expected} ({deviation:+.4})"
        );
    }
}

#[test]
fn table_1_at_100_ms() {
    check("cubic(fast_convergence=0)", 100, 0.01, &[(1e-4, 187.0), (1e-5, 1_054.0), (1e-6, 5_926.0)]);
}

#[test]
fn table_2_at_10_ms() {
    check("cubic(fast_convergence=0)", 10, 0.03, &[(1e-4, 120.0), (1e-5, 379.0)]);
}

/// The mean of the larger of the two windows of RFC 9438 §4.2 and §4.3 over a cycle of 1/p packets from the plateau W to W: c = 0.4,
/// beta = 0.7, both curves back at W in the end. Packets are summed over small steps, and W is sought.
fn exact_mean(p: f64, rtt: f64) -> f64 {
    let (c, beta) = (0.4, 0.7);
    let alpha = 3.0 * (1.0 - beta) / (1.0 + beta);
    let cycle = |plateau: f64| {
        let k = ((1.0 - beta) * plateau / c).cbrt();
        let (mut packets, mut seconds, step) = (0.0, 0.0, k / 20_000.0);
        loop {
            let cubic = c * (seconds - k).powi(3) + plateau;
            let larger = cubic.max(beta * plateau + alpha * seconds / rtt);
            if larger >= plateau {
                return (packets, seconds);
            }
            packets += larger * step / rtt;
            seconds += step;
        }
    };
    let (mut low, mut high) = (1.0, 1.0 / p);
    for _ in 0..50 {
        let middle = f64::sqrt(low * high);
        if cycle(middle).0 < 1.0 / p { low = middle } else { high = middle }
    }
    let (packets, seconds) = cycle(low);
    packets * rtt / seconds
}

/// Where the two regions have nearly the same average (1,054 and 1,225 packets), the table has the larger average. The law follows the
/// larger *window* at every moment, the cubic one early in a cycle and Reno's late, and the mean of these is 5 % more than the table.
/// docs/validation.md takes the difference apart.
#[test]
fn the_larger_of_two_windows_is_more_than_the_larger_of_two_averages() {
    let (p, rtt) = (1e-6, Span::from_millis(10));
    let (found, exact) = (mean_window("cubic(fast_convergence=0)", p, rtt, 1_200.0), exact_mean(p, 0.01));
    assert!((found / exact - 1.0).abs() < 0.01, "{found:.1}, and {exact:.1} by the two curves");
    assert!(exact > 1.05 * 1_200.0, "{exact:.1}");
    // Reno's region alone: sqrt(alpha (1 + beta) / (2 (1 - beta) p)) = sqrt(1.5 / p) by §4.3, where the table has 1.2 / sqrt(p).
    let rows = [(1e-4, 120.0), (1e-5, 379.0), (1e-6, 1_200.0)];
    check("cubic(0.0001, fast_convergence=0, alpha_late=0)", 10, 0.03, &rows);
}

/// C = 0.04 and C = 4 at 100 ms, where the cubic function decides.
#[test]
fn table_1_for_other_constants() {
    for (c, p, expected) in
        [(0.04, 1e-5, 593.0), (0.04, 1e-6, 3_332.0), (4.0, 1e-4, 333.0), (4.0, 1e-5, 1_874.0)]
    {
        let controller = format!("cubic({c}, fast_convergence=0)");
        let found = mean_window(&controller, p, Span::from_millis(100), expected);
        assert!((found / expected - 1.0).abs() <= 0.01, "C = {c}, p = {p}: {found:.1} and not {expected}");
    }
}
