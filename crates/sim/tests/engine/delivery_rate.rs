//! Delivery-rate samples of a sender over a path whose rate and round trip are known, against their formula.
//!
//! Source: draft-ietf-ccwg-bbr §4.1. A sender and a receiver of the engine, and between them a link of a few lines (`path`), so that
//! nothing but the records and the formula is compared.

use crate::path::{PACKET, Path, Shape};
use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{AckSample, CongestionSignal, Controller, Wants};
use sawtooth_sim::scenario::TcpSpec;
use sawtooth_sim::tcp::RecoveryKind;
use std::cell::RefCell;
use std::rc::Rc;

/// A window that never changes, and every sample that it was told.
struct Fixed {
    window: f64,
    samples: Rc<RefCell<Vec<AckSample>>>,
}

impl Controller for Fixed {
    fn wants(&self) -> Wants {
        Wants { rates: true, ..Wants::NOTHING }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.samples.borrow_mut().push(*ack);
    }

    fn on_congestion(&mut self, _: &CongestionSignal) {}

    fn window(&self) -> Window {
        Window::from_packets(self.window)
    }

    fn slow_start_threshold(&self) -> Window {
        Window::from_packets(2.0)
    }
}

/// What a window that never changes was told over this path, up to so many seconds.
fn samples(shape: Shape, window: f64, seconds: u64) -> Vec<AckSample> {
    let samples = Rc::new(RefCell::new(Vec::new()));
    let control = |_: &_| Fixed { window, samples: Rc::clone(&samples) };
    let mut path = Path::new(shape, RecoveryKind::Sack.info(), &TcpSpec::default(), control);
    path.run(Time::ZERO + Span::from_seconds(seconds));
    samples.take()
}

/// The rates that samples gave after the first two round trips, in bit/s.
fn rates(shape: Shape, window: f64) -> Vec<u64> {
    let samples = samples(shape, window, 5);
    let settled = samples.iter().filter(|sample| sample.delivered > Bytes::new(3 * window as u64 * PACKET));
    settled
        .map(|sample| sample.rate.and_then(|rate| rate.rate()).expect("a sample").bits_per_second())
        .collect()
}

#[test]
fn a_full_link_shows_its_own_rate() {
    for (bits, delay_ms, window) in [(8_000_000, 20, 100.0), (1_000_000, 5, 3.0), (100_000_000, 50, 2_000.0)]
    {
        let found = rates(Shape::new(bits, delay_ms), window);
        // The window is more than rate × round trip, so packets are delivered one behind the other.
        assert!(found.len() > 500, "{} samples", found.len());
        assert!(found.iter().all(|&found| found.abs_diff(bits) <= bits / 1_000_000 + 1), "{bits}: {found:?}");
    }
}

#[test]
fn a_window_below_the_path_shows_the_window_per_round_trip() {
    for (bits, delay_ms, window) in [(8_000_000u64, 20, 10.0), (100_000_000, 50, 7.0)] {
        let found = rates(Shape::new(bits, delay_ms), window);
        let round_trip = 2.0 * delay_ms as f64 / 1e3 + 8.0 * PACKET as f64 / bits as f64;
        let expected = window * 8.0 * PACKET as f64 / round_trip;
        assert!(found.len() > 100, "{} samples", found.len());
        assert!(
            found.iter().all(|&found| (found as f64 / expected - 1.0).abs() < 1e-6),
            "{expected}: {found:?}"
        );
    }
}

#[test]
fn samples_of_an_application_that_pauses_are_flagged_and_no_others() {
    // 8 Mbit/s, 41 ms: a full link, a pause, five packets, a pause, a full link again. Packets are told apart by when they were sent.
    let supply = vec![(100, 1_000), (3_000, 5), (4_000, 1_000)];
    let samples = samples(Shape { supply, ..Shape::new(8_000_000, 20) }, 100.0, 6);
    assert_eq!(samples.len(), 2_005);
    let of = |from: usize, to: usize| {
        samples[from..to].iter().map(|sample| {
            let rate = sample.rate.expect("it delivers something");
            (rate.app_limited, rate.rate().expect("over some time").bits_per_second())
        })
    };
    // Data came later than the connection: the first window was sent after a gap, and the draft counts one packet more as such.
    assert!(of(0, 101).all(|(flagged, _)| flagged));
    assert!(of(101, 1_000).all(|(flagged, _)| !flagged), "all of it was sent before data ran out");
    assert!(of(300, 1_000).all(|(_, found)| found.abs_diff(8_000_000) <= 10));
    // Five packets at once after a pause: the first has its own round trip, 41 ms, and the fifth 4 ms more for five packets.
    let expected = |packets: u64| packets * 8 * PACKET * 1_000 / (41 + packets - 1);
    let found: Vec<(bool, u64)> = of(1_000, 1_005).collect();
    assert!(
        found.iter().zip(1..).all(|(&(flagged, rate), count)| flagged && rate.abs_diff(expected(count)) <= 1),
        "{found:?}"
    );
    // A window of 100 leaves at once after the pause. With the delivery of its first packet the gap has left the path: what is sent then
    // is flagged no more, and from the third window on shows the link again.
    assert!(of(1_005, 1_105).all(|(flagged, _)| flagged));
    assert!(of(1_105, 2_005).all(|(flagged, _)| !flagged));
    assert!(of(1_205, 2_005).all(|(_, found)| found.abs_diff(8_000_000) <= 10));
}
