//! The clock that runs a sender's timers: exact, or in the steps of a kernel.
//!
//! Source: Linux (`kernel/time/timer.c`, the wheel; `net/ipv4/tcp_output.c`, `tcp_recovery.c`), 4.8 to now. A time to wait is rounded up to
//! steps, and a timer goes off with the next step, never early. The longer it waits, the coarser its steps: eight times for each level.
//!
//! | parameter | unit  | default | why                                                                                    |
//! |-----------|-------|---------|----------------------------------------------------------------------------------------|
//! | timers    | choice | exact  | what the RFCs compute is what happens                                                  |
//! | step      | ms    | 4       | `linux`: CONFIG_HZ 250, as most distributions have it                                  |
//! | level     | steps | 63      | `linux`: LVL_START; so many steps or more are counted in eights, eight times as many in 64s |
//! | margin    | ms    | 2       | `linux`: TCP_TIMEOUT_MIN_US, on top of a probe's time and of the reordering window     |

use sawtooth_cc::units::{Span, Time};
use serde::{Deserialize, Serialize};

const STEP_NS: u64 = 4_000_000;
const LEVEL_STEPS: u64 = 63;
const LEVEL_SHIFT: u32 = 3;
const LEVELS: u32 = 8;
const MARGIN: Span = Span::from_millis(2);

/// How a sender's timers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimerClock {
    /// They go off when they are due.
    #[default]
    Exact,
    /// In steps of 4 ms, as Linux.
    Linux,
}

impl TimerClock {
    /// When a timer that is set now and due then goes off.
    #[inline]
    pub fn expiry(self, now: Time, due: Time) -> Time {
        if self == TimerClock::Exact || due == Time::NEVER { due } else { next_step(now, due) }
    }

    /// As [`TimerClock::expiry`], for waits that are not the retransmission timeout.
    pub fn short_expiry(self, now: Time, due: Time) -> Time {
        if self == TimerClock::Exact || due == Time::NEVER { due } else { next_step(now, due + MARGIN) }
    }
}

/// Out of line, or its divisions are made for every packet of a sender whose clock is exact.
#[cold]
#[inline(never)]
fn next_step(now: Time, due: Time) -> Time {
    let wait = due.nanos().saturating_sub(now.nanos()).div_ceil(STEP_NS);
    let level =
        (1..LEVELS).take_while(|level| wait >= LEVEL_STEPS << (LEVEL_SHIFT * (level - 1))).count() as u32;
    let shift = LEVEL_SHIFT * level;
    let steps = (((now.nanos() / STEP_NS + wait) >> shift) + 1) << shift;
    Time::from_nanos(steps * STEP_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::from_nanos(1_000 * micros)
    }

    #[test]
    fn an_exact_clock_changes_nothing() {
        assert_eq!(TimerClock::Exact.expiry(at(10), at(1_234)), at(1_234));
        assert_eq!(TimerClock::Exact.short_expiry(at(10), at(1_234)), at(1_234));
        assert_eq!(TimerClock::Linux.expiry(at(10), Time::NEVER), Time::NEVER);
        assert_eq!(TimerClock::Linux.short_expiry(at(10), Time::NEVER), Time::NEVER);
    }

    #[test]
    fn a_wait_is_rounded_up_and_ends_with_the_next_step() {
        for (now, wait, expected) in [
            (0, 0, 4),
            (0, 4_000, 8),
            (0, 4_001, 12),
            (3_999, 4_000, 8),
            (4_000, 4_000, 12),
            // 62 steps are single, 63 are counted in eights.
            (0, 248_000, 252),
            (0, 248_001, 256),
            (1_000, 264_000, 288),
            (24_000, 264_000, 320),
            (0, 2_012_000, 2_016),
            (0, 2_016_000, 2_048),
        ] {
            let found = TimerClock::Linux.expiry(at(now), at(now + wait));
            assert_eq!(found, at(1_000 * expected), "{now} + {wait}");
        }
        assert_eq!(TimerClock::Linux.short_expiry(at(0), at(6_000)), at(12_000));
    }
}
