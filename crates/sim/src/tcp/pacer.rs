//! Pacing: when the next packet may leave.
//!
//! Source: Linux, `tcp_update_pacing_rate` (net/ipv4/tcp_input.c), for laws with a window; RFC 9002 §7.7 has the same with one gain. A
//! controller that answers with a rate is paced by that, whatever the setting.
//!
//! | parameter | unit    | default | why                                                                                         |
//! |-----------|---------|---------|---------------------------------------------------------------------------------------------|
//! | pacing    | choice  | off     | the four studies are unpaced                                                                |
//! | gain      | 1       | 2 or 1.2 | Linux: `tcp_pacing_ss_ratio` below half of the slow-start threshold, so that doubling is not held up; `tcp_pacing_ca_ratio` beyond |
//! | gain beside `quic` | 1 | 1.25 | RFC 9002 §7.7 |
//! | quantum   | packets | 1       | what a controller says beyond it may leave back to back                                     |
//!
//! A window and a smoothed round trip give the rate gain · window / SRTT; before the first round trip is known nothing is held.
//! After a packet has left, the next one may a gap later, packet / rate. A quantum of several packets leaves at once, and the gap after
//! it is as many times as long. Retransmissions are paced too, as in Linux.
//!
//! Differs from Linux: the initial window is paced like everything else, where Linux sends the first ten packets at once. The rate
//! follows the window, where Linux takes the packets in flight if these are more.

use sawtooth_cc::units::{Bytes, Rate, Span, Time, Window};
use serde::{Deserialize, Serialize};

/// Are packets spread over the round trip?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pacing {
    /// They leave as soon as the window lets them.
    #[default]
    Off,
    /// They leave one by one.
    On,
}

/// Linux's gains: below half of the slow-start threshold, and beyond.
pub const GAINS: [f64; 2] = [2.0, 1.2];
/// QUIC's, the same throughout.
pub const GAINS_QUIC: [f64; 2] = [1.25, 1.25];

/// From one packet to the next at gain · window / SRTT.
pub fn gap_by_window(window: Window, threshold: Window, srtt: Option<Span>, gains: [f64; 2]) -> Span {
    let Some(srtt) = srtt else { return Span::ZERO };
    let gain = if window.packets() < threshold.packets() / 2.0 { gains[0] } else { gains[1] };
    let gap = srtt.real() / (gain * window.packets());
    Span::from_nanos((gap as i64).cast_unsigned()) // through a signed number, which is half the work
}

/// From one packet to the next at a controller's own rate.
pub fn gap_by_rate(rate: Rate, packet: Bytes) -> Span {
    packet / rate.max(Rate::from_bits_per_second(1))
}

/// The gate of one sender.
#[derive(Debug, Default)]
pub struct Pacer {
    /// When the next quantum may begin.
    opens_at: Time,
    /// What is left of the one that has begun, in packets.
    left: u32,
}

impl Pacer {
    /// Must the next packet wait? Until when?
    pub fn holds(&self, now: Time) -> Option<Time> {
        (self.left == 0 && now < self.opens_at).then_some(self.opens_at)
    }

    /// A packet leaves now, and the next one a gap later, or with it if they share a quantum of so many packets.
    pub fn on_sent(&mut self, now: Time, gap: Span, quantum: u32) {
        if now >= self.opens_at {
            self.left = quantum;
        }
        self.left = self.left.saturating_sub(1);
        self.opens_at = self.opens_at.max(now) + gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: Bytes = Bytes::new(1_000);

    fn packets(count: f64) -> Window {
        Window::from_packets(count)
    }

    #[test]
    fn a_window_gives_two_windows_a_round_trip_below_half_of_the_threshold_and_six_fifths_beyond() {
        let srtt = Some(Span::from_millis(120));
        for (window, threshold, micros) in [
            (10.0, f64::INFINITY, 6_000), // 120 ms / (2 · 10)
            (49.0, 100.0, 1_224),         // 120 ms / (2 · 49), rounded down
            (50.0, 100.0, 2_000),         // 120 ms / (1.2 · 50)
            (100.0, 2.0, 1_000),
        ] {
            let gap = gap_by_window(packets(window), packets(threshold), srtt, GAINS);
            assert_eq!(gap.nanos() / 1_000, micros, "{window} of {threshold}");
        }
        assert_eq!(gap_by_window(packets(10.0), packets(2.0), None, GAINS), Span::ZERO);
        // 120 ms / (1.25 · 96) in slow start and beyond.
        for threshold in [f64::INFINITY, 2.0] {
            let gap = gap_by_window(packets(96.0), packets(threshold), srtt, GAINS_QUIC);
            assert_eq!(gap, Span::from_millis(1));
        }
    }

    #[test]
    fn a_rate_gives_the_time_that_a_packet_takes_at_it() {
        assert_eq!(gap_by_rate(Rate::from_bits_per_second(8_000_000), PACKET), Span::from_millis(1));
        assert_eq!(gap_by_rate(Rate::from_bits_per_second(0), PACKET), Span::from_seconds(8_000));
    }

    #[test]
    fn packets_leave_a_gap_apart_however_late_they_come() {
        let (gap, at) = (Span::from_millis(10), |millis| Time::ZERO + Span::from_millis(millis));
        let mut pacer = Pacer::default();
        assert_eq!(pacer.holds(at(0)), None);
        pacer.on_sent(at(0), gap, 1);
        assert_eq!((pacer.holds(at(0)), pacer.holds(at(9))), (Some(at(10)), Some(at(10))));
        assert_eq!(pacer.holds(at(10)), None);
        // Idle for a while: that earns no burst.
        pacer.on_sent(at(35), gap, 1);
        assert_eq!(pacer.holds(at(35)), Some(at(45)));
    }

    #[test]
    fn a_quantum_leaves_at_once_and_is_paid_for() {
        let (gap, at) = (Span::from_millis(10), |millis| Time::ZERO + Span::from_millis(millis));
        let mut pacer = Pacer::default();
        for _ in 0..3 {
            assert_eq!(pacer.holds(at(5)), None);
            pacer.on_sent(at(5), gap, 3);
        }
        assert_eq!(pacer.holds(at(5)), Some(at(35)));
        // A quantum that could not be used up at once goes on; the next begins when the whole of it has been paid for.
        pacer.on_sent(at(35), gap, 3);
        assert_eq!(pacer.holds(at(40)), None);
        pacer.on_sent(at(40), gap, 3);
        pacer.on_sent(at(40), gap, 3);
        assert_eq!(pacer.holds(at(40)), Some(at(65)));
    }
}
