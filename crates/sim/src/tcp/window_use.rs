//! Whether the window is what limits a flow, which says whether it may grow.
//!
//! Source: RFC 9438 §5.8 and RFC 7661 §4.1; `linux`: `tcp_cwnd_validate` and `tcp_is_cwnd_limited` of Linux 6.18.
//!
//! | application_limit | the window grows                                                                       |
//! |-------------------|----------------------------------------------------------------------------------------|
//! | `rfc9438`         | while as much is in flight as it allows, or would be without a pacer: the default        |
//! | `linux`           | for the rest of a window of data in which it was full; in slow start, below twice what was in flight |
//!
//! Linux looks when it has sent something, or finds the window full. What it finds holds for a window of data, until what was sent by then
//! has been acknowledged; a full window counts at once. So a flow that sends its last data with a full window goes on growing.
//! A pacer that holds packets is no full window in Linux; in slow start twice what was in flight makes up for it.

use sawtooth_cc::units::Window;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// When a window counts as what limits its flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ApplicationLimit {
    /// While it is full.
    #[default]
    #[serde(rename = "rfc9438")]
    Rfc9438,
    /// As Linux has it.
    #[serde(rename = "linux")]
    Linux,
}

/// What Linux remembers of a window of data.
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowUse {
    /// The window was full (`is_cwnd_limited`).
    limited: bool,
    /// What was in flight then, or else the most that was (`max_packets_out`).
    most: u32,
    /// It holds until everything below is acknowledged (`cwnd_usage_seq`).
    until: u32,
    /// One past the highest number sent when it last looked.
    sent: u32,
}

impl WindowUse {
    /// Nothing more may go now; `full`: since as much is in flight as the window allows. Does the window limit the flow? `outstanding` are
    /// the numbers from the first that is not acknowledged to the last that was sent.
    pub fn look(&mut self, full: bool, outstanding: Range<u32>, window: Window, threshold: Window) -> bool {
        let Range { start: una, end: high } = outstanding;
        let has_sent = high != std::mem::replace(&mut self.sent, high);
        let out = high - una;
        if full || has_sent && (una >= self.until || !self.limited && out > self.most) {
            (self.limited, self.most, self.until) = (full, out, high);
        }
        let twice = 2 * u64::from(self.most);
        self.limited || window < threshold && u64::from(window.whole_packets()) < twice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW_START: f64 = 1e9;

    fn look(usage: &mut WindowUse, full: bool, una: u32, high: u32, window: f64, threshold: f64) -> bool {
        usage.look(full, una..high, Window::from_packets(window), Window::from_packets(threshold))
    }

    #[test]
    fn a_window_that_was_full_when_the_last_data_left_grows_until_all_is_acknowledged() {
        let mut usage = WindowUse::default();
        assert!(look(&mut usage, true, 10, 30, 20.0, SLOW_START));
        for una in 11..30 {
            assert!(look(&mut usage, false, una, 30, f64::from(una) + 10.0, SLOW_START), "{una}");
        }
        assert!(look(&mut usage, false, 30, 30, 40.0, 1.0), "nothing has been sent since: nobody has looked");
    }

    #[test]
    fn in_slow_start_half_a_window_is_enough_and_beyond_it_is_not() {
        // The example of tcp.h: ten packets are allowed and nine are sent, so the window grows to eighteen.
        let mut usage = WindowUse::default();
        for (window, grows) in [(10.0, true), (17.0, true), (18.0, false)] {
            assert_eq!(look(&mut usage, false, 0, 9, window, SLOW_START), grows, "{window}");
            assert!(!look(&mut usage, false, 0, 9, window, 5.0), "congestion avoidance");
        }
    }

    #[test]
    fn what_was_found_holds_for_a_window_of_data() {
        let mut usage = WindowUse::default();
        assert!(look(&mut usage, true, 0, 10, 10.0, 5.0));
        assert!(
            look(&mut usage, false, 5, 12, 10.0, 5.0),
            "less is in flight now, of the same window of data"
        );
        assert!(!look(&mut usage, false, 10, 16, 10.0, 5.0), "another one");
        assert!(look(&mut usage, true, 12, 22, 10.0, 5.0), "full: at once");
    }
}
