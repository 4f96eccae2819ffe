//! CUBIC by itself, acknowledgement by acknowledgement, against the formulas of RFC 9438 §4.

use super::*;
use crate::controller::Controller;
use crate::settings::ControlSettings;
use crate::units::Window;

const RFC: CubicParams = CubicParams {
    c: 0.4,
    beta: 0.7,
    fast_convergence: 1.0,
    friendly: 1.0,
    alpha_late: 1.0,
    min_rtt_ahead: 0.0,
    integer: 0.0,
    fast_first: 0.0,
    target_max: 1.5,
};
const ALONE: CubicParams = CubicParams { friendly: 0.0, ..RFC };
const RTT: Span = Span::from_millis(100);

fn at(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9).round() as u64)
}

fn ack(seconds: f64, packets: u32) -> AckSample {
    AckSample::classic(at(seconds), packets, Some(RTT), true)
}

fn signal(seconds: f64, kind: Congestion) -> CongestionSignal {
    CongestionSignal::new(at(seconds), kind)
}

/// A controller past slow start with this window.
fn with_window(params: CubicParams, window: f64) -> Cubic {
    let settings = ControlSettings {
        initial_window: Window::from_packets(window),
        initial_threshold: Some(Window::from_packets(2.0)),
        ..ControlSettings::default()
    };
    Cubic::new(params, &settings)
}

/// Acknowledgements of a packet each, as many in a round trip as the window has packets, until this time.
fn acknowledge(control: &mut Cubic, from: f64, to: f64) {
    let mut now = from;
    while now < to {
        control.on_ack(&ack(now, 1));
        now += 0.1 / control.window().packets();
    }
}

fn window(control: &Cubic) -> f64 {
    control.window().packets()
}

fn cube(number: f64) -> f64 {
    number * number * number
}

fn is_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} and not {expected} ± {within}");
}

#[test]
fn the_window_follows_the_cubic_function() {
    let mut control = with_window(ALONE, 1000.0);
    control.on_congestion(&signal(0.0, Congestion::Loss));
    assert_eq!(window(&control), 700.0);
    let k = cube_root(300.0 / 0.4);
    let mut before = 1.0;
    for time in [2.0, 4.0, 6.0, 8.0, k + 1.0, 12.0, 15.0] {
        acknowledge(&mut control, before, time);
        before = time;
        // The stage begins with the first acknowledgement, at 1 s; the target is a round trip ahead and reached within one.
        let t = time - 1.0 - k;
        let (least, most) = (0.4 * cube(t) + 1000.0, 0.4 * cube(t + 0.1) + 1000.0);
        assert!((least - 0.5..=most + 0.5).contains(&window(&control)), "{time}: {}", window(&control));
    }
}

#[test]
fn one_acknowledgement_adds_what_the_rfc_says() {
    let mut control = with_window(ALONE, 100.0);
    control.on_congestion(&signal(0.0, Congestion::Loss));
    control.on_ack(&ack(1.0, 1));
    let k = cube_root(30.0 / 0.4);
    let target = 0.4 * cube(0.1 - k) + 100.0;
    is_near(window(&control), 70.0 + (target - 70.0) / 70.0, 1e-9);
}

#[test]
fn the_target_is_at_most_one_and_a_half_windows() {
    let mut control = with_window(ALONE, 4.0);
    control.on_ack(&ack(0.0, 1));
    assert_eq!(window(&control), 4.0 + (0.4 * cube(0.1)) / 4.0);
    let before = window(&control);
    control.on_ack(&ack(100.0, 1));
    assert_eq!(window(&control), before + 0.5);
}

#[test]
fn another_bound_of_the_target_is_a_parameter() {
    for target_max in [1.125, 3.0] {
        let mut control = with_window(CubicParams { target_max, ..ALONE }, 8.0);
        control.on_ack(&ack(0.0, 1));
        let before = window(&control);
        control.on_ack(&ack(100.0, 1));
        assert_eq!(window(&control), before + (target_max * before - before) / before);
    }
    // Where windows are whole, a packet after 1/(target_max - 1) acknowledgements: 79 and one before.
    let mut control = with_window(CubicParams { target_max: 1.125, integer: 1.0, ..ALONE }, 8.0);
    control.on_ack(&ack(0.0, 1));
    control.on_ack(&ack(100.0, 79));
    assert_eq!(window(&control), 8.0 + 80.0 / 8.0);
}

/// 10 packets at 100 ms are far below the cubic region: AIMD that keeps 0.7, then one packet per round from 10 on.
#[test]
fn reno_is_followed_where_it_is_larger() {
    for (alpha_late, late) in [(1.0, 1.0), (0.0, 9.0 / 17.0)] {
        let mut control = with_window(CubicParams { c: 0.0001, alpha_late, ..RFC }, 10.0);
        control.on_congestion(&signal(0.0, Congestion::Loss));
        let (mut now, mut expected) = (0.1, 7.0);
        for _ in 0..200 {
            let alpha = if expected >= 10.0 { late } else { 9.0 / 17.0 };
            expected += alpha / expected;
            control.on_ack(&ack(now, 1));
            is_near(window(&control), expected, 1e-9);
            now += 0.001;
        }
        assert!(expected > 12.0);
    }
}

#[test]
fn a_window_that_has_not_come_back_gives_way() {
    let after = |params: CubicParams, windows: [f64; 2]| {
        let mut control = with_window(params, windows[0]);
        control.on_congestion(&signal(0.0, Congestion::Loss));
        control.window = windows[1];
        control.on_congestion(&signal(1.0, Congestion::Loss));
        (control.law.0.w_max.unwrap(), window(&control))
    };
    let is = |found: (f64, f64), expected: (f64, f64)| {
        is_near(found.0, expected.0, 1e-9);
        is_near(found.1, expected.1, 1e-9);
    };
    is(after(RFC, [100.0, 97.5]), (97.5 * 0.85, 97.5 * 0.7));
    is(after(RFC, [100.0, 100.0]), (100.0, 70.0));
    is(after(CubicParams { fast_convergence: 0.0, ..RFC }, [100.0, 97.5]), (97.5, 97.5 * 0.7));
    is(after(CubicParams { integer: 1.0, ..RFC }, [100.0, 97.5]), (82.0, 67.0));
    is(after(CubicParams { integer: 1.0, ..RFC }, [97.2, 97.0]), (97.0, 67.0));
}

#[test]
fn a_loss_leaves_two_packets_and_a_mark_one() {
    for (kind, least) in [(Congestion::Loss, 2.0), (Congestion::EcnMark, 1.0)] {
        let mut control = with_window(RFC, 2.0);
        (0..5).for_each(|_| control.on_congestion(&signal(0.0, kind)));
        assert_eq!(window(&control), least);
    }
}

/// §4.8: the threshold is beta windows; the first stage afterwards has K = 0.
#[test]
fn a_timeout_forgets_the_plateau() {
    let settings = ControlSettings {
        initial_window: Window::from_packets(100.0),
        initial_threshold: Some(Window::from_packets(2.0)),
        timeout_threshold: crate::TimeoutThreshold::Law,
        ..ControlSettings::default()
    };
    let mut control = Cubic::new(RFC, &settings);
    control.on_congestion(&signal(0.0, Congestion::Loss));
    control.on_congestion(&signal(1.0, Congestion::Timeout { repeated: false }));
    control.on_congestion(&signal(2.0, Congestion::Timeout { repeated: true }));
    assert_eq!((window(&control), control.slow_start_threshold().packets()), (1.0, 49.0));
    assert_eq!(control.law.0.prior, 70.0);
    (0..48).for_each(|_| control.on_ack(&ack(3.0, 1)));
    assert_eq!(window(&control), 49.0);
    control.on_ack(&ack(3.5, 1));
    let epoch = control.law.0.epoch.unwrap();
    assert_eq!((epoch.k, epoch.plateau, epoch.start), (0.0, 49.0, at(3.5)));
    assert_eq!(control.law.0.w_max, Some(49.0));
}

/// §4.10: slow start that ended without congestion.
#[test]
fn the_first_stage_begins_on_its_plateau() {
    let mut control = with_window(RFC, 60.0);
    control.on_ack(&ack(5.0, 1));
    let State { epoch, w_max, prior, .. } = *control.law.0;
    let epoch = epoch.unwrap();
    assert_eq!((epoch.k, epoch.plateau, w_max, prior), (0.0, 60.0, Some(60.0), 60.0));
}

#[test]
fn time_in_which_the_application_limits_does_not_count() {
    let run = |pause: f64, idle: bool| {
        let mut control = with_window(ALONE, 100.0);
        control.on_congestion(&signal(0.0, Congestion::Loss));
        acknowledge(&mut control, 1.0, 2.0);
        control.on_ack(&ack(2.0, 1));
        if idle {
            control.on_idle(&IdleSignal { now: at(2.0 + pause), since: at(2.0), timeout: Span::ZERO });
        } else {
            let limited = AckSample { cwnd_limited: false, ..ack(2.0 + pause, 1) };
            control.on_ack(&limited);
        }
        control.on_ack(&ack(2.0 + pause + 0.001, 1));
        window(&control)
    };
    for idle in [true, false] {
        is_near(run(60.0, idle), run(0.0, idle), 1e-6);
    }
}

#[test]
fn the_target_is_a_least_round_trip_ahead_where_linux_is_followed() {
    for (min_rtt_ahead, ahead) in [(0.0, 0.15 + 0.125 * 0.05), (1.0, 0.15)] {
        let mut control = with_window(CubicParams { min_rtt_ahead, ..ALONE }, 100.0);
        control.on_congestion(&signal(0.0, Congestion::Loss));
        for millis in [150, 200] {
            let rtt = Some(Span::from_millis(millis));
            control.on_ack(&AckSample { cwnd_limited: false, ..AckSample::classic(at(1.0), 1, rtt, false) });
        }
        control.on_ack(&AckSample::classic(at(1.0), 1, None, true));
        let target = 0.4 * cube(ahead - cube_root(30.0 / 0.4)) + 100.0;
        is_near(window(&control), 70.0 + (target - 70.0) / 70.0, 1e-9);
    }
}

fn withdrawn(kind: Congestion, window_of_data: u64) -> UndoSignal {
    UndoSignal {
        now: at(3.0),
        kind,
        window_of_data: WindowOfData::numbered(window_of_data),
        in_flight: Bytes::new(40_000),
        newly_delivered: Bytes::new(3_000),
    }
}

fn about(kind: Congestion, seconds: f64, window_of_data: u64) -> CongestionSignal {
    let window_of_data = WindowOfData::numbered(window_of_data);
    CongestionSignal { window_of_data, ..signal(seconds, kind) }
}

#[test]
fn a_spurious_loss_restores_everything() {
    let mut control = with_window(RFC, 100.0);
    control.on_congestion(&about(Congestion::Loss, 0.0, 7));
    acknowledge(&mut control, 1.0, 2.0);
    let before = format!("{:?}", (window(&control), control.slow_start_threshold(), control.law.0.epoch));
    let (w_max, prior) = (control.law.0.w_max, control.law.0.prior);
    control.on_congestion(&about(Congestion::Loss, 2.0, 8));
    control.on_undo(&withdrawn(Congestion::Loss, 7));
    assert!(window(&control) < 70.0, "another window of data");
    control.on_undo(&withdrawn(Congestion::Loss, 8));
    let after = format!("{:?}", (window(&control), control.slow_start_threshold(), control.law.0.epoch));
    assert_eq!((after, control.law.0.w_max, control.law.0.prior), (before, w_max, prior));
}

#[test]
fn a_window_that_has_grown_beyond_is_kept() {
    let mut control = with_window(RFC, 100.0);
    control.on_congestion(&about(Congestion::Loss, 0.0, 7));
    control.window = 101.0;
    control.on_undo(&withdrawn(Congestion::Loss, 7));
    assert_eq!((window(&control), control.slow_start_threshold().packets()), (101.0, 70.0));
}

/// RFC 4015 §3.1: in flight and at most an initial window of what was just acknowledged; the threshold is the old window.
#[test]
fn a_spurious_timeout_leads_back() {
    let mut control = with_window(RFC, 100.0);
    control.on_congestion(&about(Congestion::Timeout { repeated: false }, 0.0, 7));
    control.on_congestion(&about(Congestion::Timeout { repeated: true }, 1.0, 7));
    control.on_undo(&withdrawn(Congestion::Timeout { repeated: true }, 7));
    assert_eq!((window(&control), control.slow_start_threshold().packets()), (43.0, 100.0));
}

/// In the synchronous model a round lasts 100 ms and is one step of the function.
#[test]
fn whole_rounds_follow_the_function() {
    let mut control = with_window(ALONE, 1000.0);
    control.on_congestion(&signal(0.0, Congestion::Loss));
    let k = cube_root(300.0 / 0.4);
    for round in 1..=120 {
        let t = 0.1 * f64::from(round);
        control.on_round(at(t));
        is_near(window(&control), 0.4 * cube(t - k) + 1000.0, 1e-6);
    }
}

/// How many acknowledgements of a packet each it takes until the window is a packet larger, all at once.
fn acks_for_a_packet(control: &mut Cubic, seconds: f64) -> u32 {
    let before = window(control);
    let grown = (1..1000).find(|_| {
        control.on_ack(&ack(seconds, 1));
        window(control) > before
    });
    assert_eq!(window(control), before + 1.0, "a packet at a time");
    grown.expect("it grows")
}

/// Linux's beta is 717/1024: 90 packets are cut to 63, where 0.7 of them are a little less in floating point.
#[test]
fn whole_windows_are_cut_in_1024ths() {
    let whole = CubicParams { integer: 1.0, ..RFC };
    for (before, after, lowered) in [(90.0, 63.0, 76.0), (92.0, 64.0, 78.0), (75.9, 52.0, 63.0)] {
        let mut control = with_window(whole, before);
        control.on_congestion(&about(Congestion::Loss, 0.0, 1));
        assert_eq!(window(&control), after);
        control.law.0.w_max = Some(before + 1.0);
        control.window = before;
        control.on_congestion(&about(Congestion::Loss, 0.0, 2));
        assert_eq!(control.law.0.w_max, Some(lowered));
    }
}

/// After a cut from 100 to 70, K is 4.22 s. At 0.1 s ahead the function is 100 − 27.96, whole packets of which are taken off: 73, so
/// three are missing, and a packet comes after 70/3 acknowledgements without the remainder.
#[test]
fn whole_windows_grow_by_whole_packets() {
    let mut control = with_window(CubicParams { integer: 1.0, friendly: 0.0, ..RFC }, 100.0);
    control.on_congestion(&signal(0.0, Congestion::Loss));
    assert_eq!(acks_for_a_packet(&mut control, 1.0), 23);
    // The window has changed, so two are missing now.
    assert_eq!(acks_for_a_packet(&mut control, 1.0), 35);
    // It stands, and so does the number of acknowledgements, for a 32nd of a second.
    control.on_ack(&ack(1.0, 1));
    let pace = control.law.0.pace;
    control.on_ack(&ack(1.031, 1));
    assert_eq!(control.law.0.pace, pace);
    control.on_ack(&ack(1.032, 1));
    assert_ne!(control.law.0.pace, pace);
}

/// 8/15 of a packet per round trip are Reno's; where that is a packet ahead, one is added per window of acknowledgements.
#[test]
fn whole_windows_follow_those_of_reno() {
    let mut control = with_window(CubicParams { integer: 1.0, alpha_late: 0.0, c: 0.0001, ..RFC }, 20.0);
    control.on_congestion(&signal(0.0, Congestion::Loss));
    assert_eq!(window(&control), 14.0);
    for count in 0..140 {
        control.on_ack(&ack(1.0 + 0.007 * f64::from(count), 1));
    }
    assert_eq!(window(&control), 18.0);
}

#[test]
fn without_a_plateau_a_twentieth_comes_with_each_round() {
    let grown = |params: CubicParams| {
        let mut control = with_window(params, 40.0);
        (forty_acks(&mut control), control)
    };
    let (packets, mut control) = grown(CubicParams { integer: 1.0, fast_first: 1.0, ..RFC });
    assert_eq!(packets, 2.0, "a packet for twenty acknowledgements");
    control.on_congestion(&signal(1.0, Congestion::Loss));
    control.on_ack(&ack(1.1, 1));
    assert!(!control.law.0.epoch.unwrap().first, "there is a plateau now");
    is_near(grown(CubicParams { fast_first: 1.0, ..RFC }).0, 2.0, 1e-9);
    assert!(grown(RFC).0 < 1.1);
}

/// By how much forty acknowledgements within a hundredth of a second raise the window.
fn forty_acks(control: &mut Cubic) -> f64 {
    let before = window(control);
    (0..40).for_each(|count| control.on_ack(&ack(0.00025 * f64::from(count), 1)));
    window(control) - before
}
