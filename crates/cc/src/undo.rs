//! The withdrawal of a cut as Linux has it: whatever the law, the window and the threshold are again what they were.
//!
//! Source: Linux, net/ipv4/tcp_input.c (`tcp_undo_cwnd_reduction`, `tcp_init_undo`), 2.6 to now. The first signal about a window of data
//! is the one that counts: a timer that expires again and again saves nothing more. What a law remembers stays as the cut has left it, so
//! that CUBIC begins a stage of congestion avoidance from the restored window (RFC 9438 §4.9.2 would go on with the one before).
//!
//! | parameter | unit    | default | why                                                                                    |
//! |-----------|---------|---------|----------------------------------------------------------------------------------------|
//! | threshold | windows | 3/4     | Linux, `tcp_current_ssthresh`: so much of the window at least is restored as threshold |

use crate::signal::{Congestion, CongestionSignal, UndoSignal, WindowOfData};

const THRESHOLD_SHARE: f64 = 0.75;

/// What a withdrawn cut leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restored {
    /// The window, in packets.
    pub window: f64,
    /// The slow-start threshold, in packets.
    pub threshold: f64,
}

/// What stood before the last cut.
#[derive(Clone, Copy, Debug, Default)]
pub struct Saved(Option<Before>);

#[derive(Clone, Copy, Debug)]
struct Before {
    timeout: bool,
    window_of_data: WindowOfData,
    restored: Restored,
}

fn is_timeout(kind: Congestion) -> bool {
    matches!(kind, Congestion::Timeout { .. })
}

impl Saved {
    /// A signal has come, with this window and this threshold in force.
    pub fn on_signal(&mut self, window: f64, threshold: f64, signal: &CongestionSignal) {
        let (timeout, window_of_data) = (is_timeout(signal.kind), signal.window_of_data);
        let known = |before: Before| (before.timeout, before.window_of_data) == (timeout, window_of_data);
        if signal.kind == Congestion::PersistentCongestion || self.0.is_some_and(known) {
            return; // about what has been answered before
        }
        let restored = Restored { window, threshold: threshold.max(THRESHOLD_SHARE * window) };
        self.0 = Some(Before { timeout, window_of_data, restored });
    }

    /// The last signal was spurious: what holds again, never less than what holds now.
    pub fn restore(&mut self, window: f64, threshold: f64, signal: &UndoSignal) -> Option<Restored> {
        let about = (is_timeout(signal.kind), signal.window_of_data);
        let before = self.0.take_if(|before| (before.timeout, before.window_of_data) == about)?;
        let Restored { window: old, threshold: old_threshold } = before.restored;
        Some(Restored { window: window.max(old), threshold: threshold.max(old_threshold) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Time};

    const LOSS: Congestion = Congestion::Loss;
    const TIMEOUT: Congestion = Congestion::Timeout { repeated: false };

    fn signal(kind: Congestion, number: u64) -> CongestionSignal {
        let window_of_data = WindowOfData::numbered(number);
        CongestionSignal { window_of_data, ..CongestionSignal::new(Time::ZERO, kind) }
    }

    fn withdrawn(kind: Congestion, number: u64) -> UndoSignal {
        let window_of_data = WindowOfData::numbered(number);
        let (in_flight, newly_delivered) = (Bytes::ZERO, Bytes::ZERO);
        UndoSignal { now: Time::ZERO, kind, window_of_data, in_flight, newly_delivered }
    }

    #[test]
    fn window_and_threshold_are_what_they_were() {
        let mut saved = Saved::default();
        saved.on_signal(50.0, 34.0, &signal(LOSS, 7));
        assert_eq!(saved.restore(25.0, 25.0, &withdrawn(LOSS, 6)), None, "another window of data");
        assert_eq!(saved.restore(25.0, 25.0, &withdrawn(TIMEOUT, 7)), None, "another kind");
        let restored = Restored { window: 50.0, threshold: 37.5 };
        assert_eq!(saved.restore(25.0, 25.0, &withdrawn(LOSS, 7)), Some(restored));
        assert_eq!(saved.restore(25.0, 25.0, &withdrawn(LOSS, 7)), None, "withdrawn once");
    }

    #[test]
    fn nothing_becomes_smaller() {
        let mut saved = Saved::default();
        saved.on_signal(50.0, f64::INFINITY, &signal(LOSS, 7));
        let restored = Restored { window: 60.0, threshold: f64::INFINITY };
        assert_eq!(saved.restore(60.0, 25.0, &withdrawn(LOSS, 7)), Some(restored));
    }

    #[test]
    fn the_first_of_several_timeouts_counts() {
        let mut saved = Saved::default();
        saved.on_signal(50.0, 34.0, &signal(TIMEOUT, 7));
        saved.on_signal(1.0, 25.0, &signal(Congestion::Timeout { repeated: true }, 7));
        saved.on_signal(1.0, 25.0, &signal(Congestion::PersistentCongestion, 8));
        let restored = Restored { window: 50.0, threshold: 37.5 };
        assert_eq!(saved.restore(1.0, 25.0, &withdrawn(TIMEOUT, 7)), Some(restored));
    }
}
