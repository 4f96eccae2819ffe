//! Prague on its own: when its average moves, what it adds, what marks and losses cost.

use super::*;
use crate::controller::Controller;
use crate::sample::RoundTripTimes;
use crate::settings::ControlSettings;
use crate::slow_start::SlowStartExit;
use crate::units::Window;

const PACKET: u64 = 1_000;
const PRAGUE: PragueParams =
    PragueParams { g: 1.0 / 16.0, rtt_virt: 25.0, rounds: 0.0, cubic: 1.0, classic_ecn_fallback: 0.0 };

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

/// At this time so many packets are acknowledged, of which so many were marked, over round trips of this length.
fn ack(millis: u64, packets: u32, marked: u32, rtt_ms: u64) -> AckSample {
    let rtt = Some(Span::from_millis(rtt_ms));
    AckSample {
        newly_delivered: Bytes::new(u64::from(packets) * PACKET),
        ce_marked: marked,
        newly_marked: Bytes::new(u64::from(marked) * PACKET),
        rtt: RoundTripTimes { latest: rtt, minimum: rtt, smoothed: rtt, newest: rtt },
        ..AckSample::classic(at(millis), if marked > 0 { 0 } else { packets }, rtt, true)
    }
}

fn round(millis: u64, packets: u32, marked: u32, rtt_ms: u64) -> AckSample {
    AckSample { round_ended: true, ..ack(millis, packets, marked, rtt_ms) }
}

/// A controller past slow start at the given window.
fn control(params: PragueParams, window: f64) -> Prague {
    let settings = ControlSettings {
        initial_window: Window::from_packets(window),
        initial_threshold: Some(Window::from_packets(2.0)),
        slow_start_exit: SlowStartExit::Law,
        packet: Bytes::new(PACKET),
        ..ControlSettings::default()
    };
    Prague::new(params, &settings)
}

fn signal(control: &mut Prague, millis: u64, kind: Congestion) {
    control.on_congestion(&CongestionSignal::new(at(millis), kind));
}

#[test]
fn the_average_is_one_until_the_first_mark_and_then_moves_once_per_virtual_round_trip() {
    let mut control = control(PRAGUE, 100.0);
    let mut alpha = |sample: AckSample| {
        control.on_ack(&sample);
        control.law.0.alpha()
    };
    for millis in (100..1_000).step_by(100) {
        assert_eq!(alpha(round(millis, 10, 0, 5)), 1.0, "no mark yet");
    }
    let first = 15.0 / 16.0 + 1.0 / 160.0; // one of ten
    assert_eq!(alpha(round(1_000, 10, 1, 5)), first);
    assert_eq!(alpha(round(1_005, 10, 10, 5)), first, "five of 25 ms");
    assert_eq!(alpha(ack(1_024, 10, 0, 5)), first);
    let second = first + (10.0 / 30.0 - first) / 16.0; // ten of thirty, since the last move
    assert_eq!(alpha(ack(1_025, 10, 0, 5)), second, "a round trip had passed before");
    assert_eq!(alpha(ack(1_060, 10, 0, 5)), second, "none since");
    let third = second + (0.0 - second) / 16.0;
    assert_eq!(alpha(round(1_061, 10, 0, 5)), third);
    assert_eq!(alpha(round(1_095, 10, 0, 40)), third, "a longer round trip counts itself");
    assert_eq!(alpha(round(1_101, 10, 0, 40)), third + (0.0 - third) / 16.0);
}

#[test]
fn a_round_trip_without_marks_adds_a_packet_of_the_rate_per_virtual_round_trip() {
    for (rounds, rtt_ms, per_round) in [(0.0, 5, 0.04), (0.0, 20, 0.64), (0.0, 50, 1.0), (1e6, 5, 1.0)] {
        let mut control = control(PragueParams { rounds, ..PRAGUE }, 100.0);
        signal(&mut control, 0, Congestion::EcnMark); // 50 packets
        control.on_ack(&ack(0, 10, 0, rtt_ms));
        let grown = control.window().packets();
        assert!((grown - (50.0 + 10.0 * per_round / 50.0)).abs() < 1e-12, "{rtt_ms} ms: {grown}");
        // What was marked adds nothing, the rest does.
        control.on_ack(&ack(1, 10, 4, rtt_ms));
        let expected = grown + 6.0 * per_round / grown;
        assert!((control.window().packets() - expected).abs() < 1e-12, "{rtt_ms} ms");
        control.on_ack(&AckSample { in_recovery: true, ..ack(2, 10, 0, rtt_ms) });
        assert!((control.window().packets() - expected).abs() < 1e-12, "in recovery");
    }
}

#[test]
fn marks_cut_once_per_virtual_round_trip() {
    let mut control = control(PRAGUE, 100.0);
    control.on_ack(&AckSample { cwnd_limited: false, ..ack(1_000, 1, 1, 5) });
    let window = |control: &Prague| control.window().packets();
    signal(&mut control, 1_000, Congestion::EcnMark);
    assert_eq!(window(&control), 50.0);
    signal(&mut control, 1_024, Congestion::EcnMark);
    assert_eq!(window(&control), 50.0);
    signal(&mut control, 1_025, Congestion::EcnMark);
    assert_eq!(window(&control), 25.0);
    assert_eq!(control.slow_start_threshold().packets(), 25.0);
    // Before it has gone on for so many rounds, as by DCTCP: whatever the transport signals.
    let mut young = super::tests::control(PragueParams { rounds: 10.0, ..PRAGUE }, 100.0);
    signal(&mut young, 1_000, Congestion::EcnMark);
    signal(&mut young, 1_001, Congestion::EcnMark);
    assert_eq!(window(&young), 25.0);
}

#[test]
fn a_loss_is_answered_as_by_cubic_until_the_next_mark_or_as_by_reno() {
    let mut reno = control(PragueParams { cubic: 0.0, ..PRAGUE }, 100.0);
    signal(&mut reno, 0, Congestion::Loss);
    assert_eq!(reno.window().packets(), 50.0);
    let settings = ControlSettings {
        initial_window: Window::from_packets(100.0),
        initial_threshold: Some(Window::from_packets(2.0)),
        slow_start_exit: SlowStartExit::Law,
        ..ControlSettings::default()
    };
    let mut cubic = crate::Cubic::new(rfc9438(), &settings);
    let mut prague = control(PRAGUE, 100.0);
    let loss = CongestionSignal::new(at(0), Congestion::Loss);
    cubic.on_congestion(&loss);
    prague.on_congestion(&loss);
    for millis in (10..2_000).step_by(10) {
        cubic.on_ack(&ack(millis, 10, 0, 100));
        prague.on_ack(&ack(millis, 10, 0, 100));
        assert_eq!(prague.window(), cubic.window(), "{millis} ms");
    }
    assert!(prague.window().packets() > 71.0);
    signal(&mut prague, 2_000, Congestion::EcnMark);
    let before = prague.window().packets();
    prague.on_ack(&ack(2_001, 10, 0, 100));
    assert_eq!(prague.window().packets(), before + 10.0 / before, "additive from a mark on");
}

#[test]
fn packets_are_paced_at_the_window_per_round_trip_or_twice_that_in_slow_start() {
    let mut control = Prague::new(PRAGUE, &ControlSettings::default());
    assert_eq!(control.pacing_rate(), None, "no round trip is known");
    control.on_ack(&AckSample { cwnd_limited: false, ..ack(10, 1, 0, 10) });
    // 10 packets of 8,000 bits in 10 ms are 8 Mbit/s; in 250 µs that is 250 B at twice the rate 500 B.
    let rate = |control: &Prague| control.pacing_rate().map(Rate::bits_per_second);
    assert_eq!((rate(&control), control.send_quantum()), (Some(16_000_000), Bytes::new(500)));
    signal(&mut control, 20, Congestion::EcnMark);
    assert_eq!((rate(&control), control.send_quantum()), (Some(4_000_000), Bytes::new(125)));
}

#[test]
fn a_spurious_loss_is_forgotten_and_with_it_the_growth_after_it() {
    let mut control = control(PRAGUE, 100.0);
    let (kind, window_of_data) = (Congestion::Loss, crate::WindowOfData::numbered(7));
    control.on_congestion(&CongestionSignal { now: at(0), kind, window_of_data });
    assert_eq!(control.window().packets(), 70.0);
    let (in_flight, newly_delivered) = (Bytes::new(70 * PACKET), Bytes::new(PACKET));
    control.on_undo(&UndoSignal { now: at(10), kind, window_of_data, in_flight, newly_delivered });
    assert_eq!(control.window().packets(), 100.0);
    control.on_ack(&ack(11, 10, 0, 50));
    assert_eq!(control.window().packets(), 100.1);
}
