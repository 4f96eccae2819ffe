//! A token bucket: what a policer lets pass, and when a shaper lets a packet go.
//!
//! Source: RFC 2697 §3 for the terms: tokens come at the committed rate up to the burst size, with which the bucket begins; a packet takes as
//! many as it has bytes.
//!
//! | parameter | unit  | default | why                                                                        |
//! |-----------|-------|---------|----------------------------------------------------------------------------|
//! | rate      | bit/s | given   | the committed information rate                                             |
//! | burst     | bytes | given   | the committed burst size; at least the largest packet, which else never passes |
//!
//! A policer drops the packet for which there are too few tokens (RFC 2697 would colour it yellow or red by a second bucket, and leave to
//! others what becomes of it). A shaper lets it wait, behind its discipline, which does not see
//! that wait (`port/asking.rs`). Differs from the RFC: tokens come at every moment, in exact integers, and not byte by byte.

use crate::scenario::{RATE_MAX_BPS, ScenarioError, require};
use sawtooth_cc::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// Rate and depth of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketSpec {
    /// At which tokens come, bit/s.
    pub rate_bps: u64,
    /// How many bytes it holds.
    pub burst_bytes: u64,
}

/// The deepest bucket.
const BURST_MAX: u64 = 1_000_000_000;

impl BucketSpec {
    /// Check both numbers; no packet may be larger than the burst.
    pub(crate) fn check(&self, path: &str, largest_packet: u64) -> Result<(), ScenarioError> {
        let known = (1..=RATE_MAX_BPS).contains(&self.rate_bps);
        require(known, format!("{path}.rate_bps"), self.rate_bps, "1 bit/s to 100 Tbit/s")?;
        let known = (largest_packet..=BURST_MAX).contains(&self.burst_bytes);
        let expected = format!("at least the largest packet, {largest_packet} B, up to 1 GB");
        require(known, format!("{path}.burst_bytes"), self.burst_bytes, &expected)
    }
}

/// So many tokens let a byte through: at r bit/s, r tokens come in a nanosecond.
const TOKENS_PER_BYTE: u64 = 8_000_000_000;

/// A bucket.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate_bps: u64,
    depth: u64,
    tokens: u64,
    /// When the tokens were last counted; perhaps ahead of time.
    counted: Time,
}

impl Bucket {
    /// A full bucket.
    pub fn new(spec: BucketSpec) -> Self {
        let depth = spec.burst_bytes * TOKENS_PER_BYTE;
        Bucket { rate_bps: spec.rate_bps, depth, tokens: depth, counted: Time::ZERO }
    }

    /// At which tokens come, bit/s.
    pub fn rate_bps(&self) -> u64 {
        self.rate_bps
    }

    fn fill(&mut self, now: Time) {
        if now > self.counted {
            let came = u128::from(self.rate_bps) * u128::from((now - self.counted).nanos());
            self.tokens = (u128::from(self.tokens) + came).min(u128::from(self.depth)) as u64;
            self.counted = now;
        }
    }

    /// Does a packet of so many bytes find its tokens now? It takes them if so.
    pub fn admits(&mut self, bytes: u16, now: Time) -> bool {
        self.fill(now);
        let wanted = u64::from(bytes) * TOKENS_PER_BYTE;
        let found = wanted <= self.tokens;
        self.tokens -= if found { wanted } else { 0 };
        found
    }

    /// How long a packet of so many bytes must wait from now on for its tokens, which it takes then.
    pub fn hold(&mut self, bytes: u16, now: Time) -> Span {
        let begin = now.max(self.counted);
        self.fill(begin);
        let wanted = u64::from(bytes) * TOKENS_PER_BYTE;
        let lacking = wanted.saturating_sub(self.tokens);
        let at = begin + Span::from_nanos(lacking.div_ceil(self.rate_bps));
        self.fill(at);
        self.tokens -= wanted;
        at - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 Mbit/s: a byte in a microsecond.
    const SPEC: BucketSpec = BucketSpec { rate_bps: 8_000_000, burst_bytes: 3_000 };

    fn at(micros: u64) -> Time {
        Time::from_nanos(1_000 * micros)
    }

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let mut bucket = Bucket::new(SPEC);
        let admitted = |bucket: &mut Bucket, micros| bucket.admits(1_000, at(micros));
        assert_eq!([0, 0, 0, 0].map(|now| admitted(&mut bucket, now)), [true, true, true, false]);
        assert_eq!(
            [999, 1_000, 1_999, 2_000].map(|now| admitted(&mut bucket, now)),
            [false, true, false, true]
        );
        // However long the pause, it brings no more than the burst.
        assert_eq!([900_000; 4].map(|now| admitted(&mut bucket, now)), [true, true, true, false]);
    }

    #[test]
    fn a_policer_never_lets_pass_more_than_burst_and_rate_over_any_time() {
        let mut bucket = Bucket::new(SPEC);
        let passed: Vec<u64> =
            (0..20_000).filter(|&step| bucket.admits(700, at(137 * step))).map(|step| 137 * step).collect();
        for (first, begin) in passed.iter().enumerate().step_by(97) {
            for (last, end) in passed.iter().enumerate().skip(first) {
                let bytes = 700 * (last - first + 1) as u64;
                assert!(bytes <= SPEC.burst_bytes + (end - begin), "{begin} to {end} us: {bytes}");
            }
        }
        let rate = 700.0 * passed.len() as f64 / (137.0 * 20_000.0);
        assert!((rate - 1.0).abs() < 0.01, "{rate} bytes a microsecond");
    }

    #[test]
    fn a_shaper_holds_each_packet_until_its_tokens_are_there() {
        let mut bucket = Bucket::new(SPEC);
        let held: Vec<u64> = (0..5).map(|_| bucket.hold(1_000, at(0)).nanos() / 1_000).collect();
        assert_eq!(held, [0, 0, 0, 1_000, 2_000], "the burst at once, then one in a millisecond");
        assert_eq!(bucket.hold(1_000, at(2_500)).nanos(), 500_000);
        assert_eq!(bucket.hold(1_000, at(60_000)).nanos(), 0);
    }
}
