//! A guess whether marks come of a queue with classic ECN, which is long and swings.
//!
//! Source: [BriscoeAhmed20], as Linux has it (L4STeam, `tcp_prague.c`). Once per average of marks a score moves by
//! `lg(m/V0)/2 + max(lg(d/D0), 0)/2`, with m the mean deviation of round trips and d how far their mean is above the least. A score of 8 or
//! less is a queue for L4S; from there to 9 alpha becomes at least a share of 5/8, with which a cut is about Reno's.
//!
//! | parameter       | unit | default            | why                                                                 |
//! |-----------------|------|--------------------|---------------------------------------------------------------------|
//! | V0, D0          | µs   | 750, 2000          | Linux: deviation and depth of a queue in between                    |
//! | weights         | 1    | 1/2                | Linux                                                               |
//! | score           | 1    | 0 to 17, from 0    | Linux: 8 on either side of the transition                           |
//! | gain of mean    | 1    | 1/(2 w√w)          | Linux: w the window after the last cut, so slower than it swings; half of it for the deviation |
//!
//! Differs from Linux: gains and logarithms are real numbers, where it has powers of two.

use crate::sample::RoundTripTimes;
use crate::units::{Span, logarithm};

const DEVIATION: f64 = 750.0;
const DEPTH: f64 = 2_000.0;
const WEIGHT: f64 = 0.5;
const STICKY: f64 = 8.0;
const SCORE_MAX: f64 = 2.0 * STICKY + 1.0;
/// What alpha is at least where the queue is certainly one with classic ECN.
const CLASSIC: f64 = 0.625;

/// What is known of the queue; times in µs.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassicEcn {
    mean: Option<f64>,
    deviation: f64,
    least: f64,
    /// Of the mean; none before the first cut.
    gain: f64,
    score: f64,
}

fn micros(span: Span) -> f64 {
    span.nanos() as f64 / 1e3
}

/// The binary logarithm of a time over another, the time being a microsecond at least.
fn doublings(time: f64, of: f64) -> f64 {
    logarithm(time.max(1.0) / of) / std::f64::consts::LN_2
}

impl ClassicEcn {
    /// An acknowledgement measured round trips.
    pub fn note(&mut self, rtt: &RoundTripTimes) {
        let (Some(newest), Some(least)) = (rtt.newest, rtt.minimum) else { return };
        let (newest, mean) = (micros(newest), self.mean.unwrap_or(micros(newest)));
        let error = newest - mean;
        self.mean = Some(mean + self.gain * error);
        self.deviation += self.gain / 2.0 * (error.abs() - self.deviation);
        self.least = micros(least);
    }

    /// The window was cut to this.
    pub fn note_cut(&mut self, window: f64) {
        self.gain = 1.0 / (2.0 * window * window.sqrt());
    }

    /// An average of marks has ended: the score moves.
    pub fn judge(&mut self) {
        let Some(mean) = self.mean else { return };
        let depth = doublings(mean - self.least, DEPTH).max(0.0);
        let moved = self.score + WEIGHT * (doublings(self.deviation, DEVIATION) + depth);
        self.score = moved.clamp(0.0, SCORE_MAX);
    }

    /// What alpha must be at least.
    pub fn least_alpha(&self) -> f64 {
        CLASSIC * (self.score - STICKY).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A detector that has seen round trips of these µs, over and over, with the gains of a window of four packets.
    fn after(rtts: &[u64]) -> ClassicEcn {
        let mut found = ClassicEcn::default();
        found.note_cut(4.0);
        for &rtt in rtts.iter().cycle().take(2_000) {
            let newest = Some(Span::from_micros(rtt));
            let minimum = Some(Span::from_micros(10_000));
            found.note(&RoundTripTimes { newest, minimum, ..RoundTripTimes::default() });
        }
        found
    }

    #[test]
    fn the_score_moves_by_the_logarithms_of_deviation_and_depth() {
        // Mean 14 ms, so 4 ms deep, twice D0; deviation 3 ms, four times V0.
        let mut deep = after(&[11_000, 17_000]);
        assert!((deep.mean.unwrap() - 14_000.0).abs() < 200.0 && (deep.deviation - 3_000.0).abs() < 200.0);
        (deep.mean, deep.deviation) = (Some(14_000.0), 3_000.0);
        deep.judge();
        assert!((deep.score - 1.5).abs() < 1e-12, "{}", deep.score); // (2 + 1)/2
        assert_eq!(deep.least_alpha(), 0.0);
        for (judgements, expected) in [(4, 0.0), (1, 0.625), (100, 0.625)] {
            (0..judgements).for_each(|_| deep.judge());
            assert_eq!(deep.least_alpha(), expected, "score {}", deep.score);
        }
        assert_eq!(deep.score, 17.0);
    }

    #[test]
    fn a_short_and_steady_queue_scores_nothing() {
        let mut steady = after(&[10_400, 10_600]);
        (0..10).for_each(|_| steady.judge());
        assert_eq!(steady.score, 0.0);
    }

    #[test]
    fn without_a_cut_the_averages_stand_still() {
        let mut found = ClassicEcn::default();
        for rtt in [10_000, 50_000] {
            let newest = Some(Span::from_micros(rtt));
            found.note(&RoundTripTimes { newest, minimum: newest, ..RoundTripTimes::default() });
        }
        assert_eq!((found.mean, found.deviation), (Some(10_000.0), 0.0));
    }
}
