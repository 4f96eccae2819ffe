//! A live video encoder: when the next frame comes and how large it is.
//!
//! Source: RFC 8593 §5, its statistical model; its numbers are those of the law (`cc`, `nada/params.rs`), by the RFC's names.
//!
//! - **Lag** (§5.1): after it has reacted to a request for another rate, the encoder ignores all others for TAU_V.
//! - **Transient** (§5.2): where the rate changes by more than a tenth (§7), the next K_D frames are one of K_B bytes and K_D − 1 smaller
//!   ones, which together have what the new rate gives K_D frames.
//! - **Steady state** (§5.3): sizes and intervals deviate from those of the rate by shares that are Laplacian, with SCALE_B and SCALE_T.
//!
//! With all of these at 0, which is the default, frames are even. Rates between R_MIN and R_MAX (§5.4) are the law's.
//!
//! Where the RFC is silent: the first rate is no change. A burst is at most what K_D frames have, as more would miss the rate, and the
//! frames behind it would be less than nothing. A change within a transient that is smaller than a tenth leaves the transient as it is.
//! A deviation is at most [`DEVIATION_MAX`] either way, so that no frame has less than nothing and none comes before the last, and the
//! mean stays: with the RFC's scale of 0.15 it would be more in two frames of a thousand.

use crate::random::Stream;
use sawtooth_cc::RandomKey;
use sawtooth_cc::nada::NadaParams;
use sawtooth_cc::units::{Span, Time, logarithm};

/// A change by more than this share of the rate begins a transient.
const ABRUPT: f64 = 0.1;
/// Greatest deviation of a size or an interval from its mean, as a share.
const DEVIATION_MAX: f64 = 0.95;

/// A frame as it comes out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coded {
    /// Its size.
    pub bits: f64,
    /// The time to the next one.
    pub interval: Span,
}

/// The encoder of one call.
#[derive(Debug)]
pub struct Encoder {
    params: NadaParams,
    even: Span,
    random: Option<Stream>,
    /// The rate that it works at, bit/s; zero before the first frame.
    rate: f64,
    reacted_at: Time,
    /// Frames of the transient that are still to come, and the size of all but its first, bits.
    transient: (u32, f64),
}

impl Encoder {
    /// An encoder that has seen no request; one that deviates at random is given a key.
    pub fn new(params: NadaParams, random: Option<RandomKey>) -> Self {
        let even = params.frame_interval();
        let random = random.map(Stream::from_key);
        Encoder { params, even, random, rate: 0.0, reacted_at: Time::ZERO, transient: (0, 0.0) }
    }

    /// The frame that is due now, while this rate is asked for, bit/s.
    pub fn code(&mut self, now: Time, wanted_bps: f64) -> Coded {
        let burst = self.react(now, wanted_bps);
        let bits = match burst {
            Some(bits) => bits,
            None if self.transient.0 > 0 => {
                self.transient.0 -= 1;
                self.transient.1
            }
            None => self.even_bits() * (1.0 + self.deviation(self.params.scale_b)),
        };
        let factor = 1.0 + self.deviation(self.params.scale_t);
        Coded { bits, interval: Span::from_nanos((self.even.nanos() as f64 * factor) as u64) }
    }

    /// What the rate gives a frame.
    fn even_bits(&self) -> f64 {
        self.rate * (self.even.nanos() as f64 / 1e9)
    }

    /// Look at the rate that is asked for. The size of this frame, bits, if it is a burst.
    fn react(&mut self, now: Time, wanted_bps: f64) -> Option<f64> {
        let before = self.rate;
        let lag = self.params.reaction();
        if wanted_bps == before || before > 0.0 && now < self.reacted_at + lag {
            return None;
        }
        (self.rate, self.reacted_at) = (wanted_bps, now);
        if before == 0.0 || self.params.k_b == 0.0 || (wanted_bps - before).abs() <= ABRUPT * before {
            return None;
        }
        let sum = self.params.k_d * self.even_bits();
        let burst = (8.0 * self.params.k_b).min(sum);
        let others = self.params.k_d - 1.0;
        self.transient = (others as u32, (sum - burst) / others);
        Some(burst)
    }

    /// A share, Laplacian around zero.
    fn deviation(&mut self, scale: f64) -> f64 {
        if scale == 0.0 {
            return 0.0;
        }
        deviation(scale, self.random.as_mut().expect("an encoder that deviates is given a key"))
    }
}

/// By which share a size or an interval deviates from its mean: Laplacian around zero (RFC 8593 §5.3).
pub fn deviation(scale: f64, random: &mut Stream) -> f64 {
    let side = random.uniform() - 0.5;
    let share = -scale * side.signum() * logarithm(1.0 - 2.0 * side.abs());
    share.clamp(-DEVIATION_MAX, DEVIATION_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::key;
    use sawtooth_cc::{ControllerSpec, parse_controller};

    const FRAMES: usize = 50_000;

    fn encoder(text: &str) -> Encoder {
        let ControllerSpec::Nada(params) = parse_controller(text).unwrap() else { panic!("{text}") };
        Encoder::new(params, params.deviates().then(|| key("1", "test")))
    }

    /// Frames at a rate that stays, from now on.
    fn steady(encoder: &mut Encoder, now: &mut Time, bps: f64, frames: usize) -> Vec<Coded> {
        let mut next = || {
            let coded = encoder.code(*now, bps);
            *now += coded.interval;
            coded
        };
        (0..frames).map(|_| next()).collect()
    }

    #[test]
    fn without_its_numbers_frames_are_even_and_follow_at_once() {
        let (mut encoder, mut now) = (encoder("nada"), Time::ZERO);
        let even = Span::from_nanos(33_333_333);
        for bps in [1e6, 3e6, 2e5] {
            let bits = bps * (even.nanos() as f64 / 1e9);
            assert_eq!(steady(&mut encoder, &mut now, bps, 3), [Coded { bits, interval: even }; 3]);
        }
    }

    /// A Laplacian of scale s that ends at b either way: its mean deviation is s(1 − exp(−b/s)), which RFC 8593's example is close to.
    #[test]
    fn sizes_and_intervals_deviate_as_a_laplacian_and_keep_the_rate() {
        for (text, scale_b, scale_t) in [
            ("nada(scale_b = 0.15)", 0.15, 0.0),
            ("nada(scale_t = 0.15)", 0.0, 0.15),
            ("nada(scale_b = 0.3, scale_t = 0.1)", 0.3, 0.1),
        ] {
            let (mut encoder, mut now) = (encoder(text), Time::ZERO);
            let frames = steady(&mut encoder, &mut now, 1e6, FRAMES);
            let shares = |of: &dyn Fn(&Coded) -> f64, even: f64| -> Vec<f64> {
                frames.iter().map(|frame| of(frame) / even - 1.0).collect()
            };
            let sizes = shares(&|frame| frame.bits, 1e6 / 30.0);
            let intervals = shares(&|frame| frame.interval.nanos() as f64, 1e9 / 30.0);
            for (found, scale) in [(sizes, scale_b), (intervals, scale_t)] {
                let mean =
                    |of: &dyn Fn(f64) -> f64| found.iter().map(|&x| of(x)).sum::<f64>() / FRAMES as f64;
                let expected: f64 =
                    if scale == 0.0 { 0.0 } else { scale * (1.0 - (-DEVIATION_MAX / scale).exp()) };
                assert!((mean(&f64::abs) - expected).abs() < 0.02 * expected + 1e-6, "{text}");
                // The deviation is √2 times the scale, so the standard error of the mean is less than a hundredth of it.
                assert!(mean(&|x| x).abs() <= 0.03 * scale + 1e-6, "{text}: {}", mean(&|x| x));
                // Beyond x there is exp(−x/s) of them.
                let beyond = found.iter().filter(|x| x.abs() > 2.0 * scale && scale > 0.0).count() as f64;
                let share: f64 = if scale == 0.0 { 0.0 } else { (-2.0f64).exp() };
                assert!((beyond / FRAMES as f64 - share).abs() < 0.01, "{text}: {beyond}");
            }
            let bits: f64 = frames.iter().map(|frame| frame.bits).sum();
            let rate = bits / ((now - Time::ZERO).nanos() as f64 / 1e9);
            assert!((rate / 1e6 - 1.0).abs() < 0.01, "{text}: {rate}");
        }
    }

    #[test]
    fn requests_within_the_lag_are_ignored() {
        let mut encoder = encoder("nada(tau_v = 200)");
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        let mut rate = |millis, bps| encoder.code(at(millis), bps).bits * 30.0;
        let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-6, "{found}");
        close(rate(0, 1e6), 1e6);
        close(rate(199, 5e5), 1e6);
        close(rate(200, 5e5), 5e5);
        close(rate(399, 2e6), 5e5);
        close(rate(400, 2e6), 2e6);
        close(rate(5_000, 3e6), 3e6);
    }

    #[test]
    fn an_abrupt_change_begins_with_a_burst_and_keeps_the_new_rate() {
        // RFC 8593 Figure 2: 8 frames, 13.5 kB; 1 Mbit/s give 4.17 kB a frame.
        let (mut encoder, mut now) = (encoder("nada(k_b = 13500)"), Time::ZERO);
        let sizes =
            |frames: Vec<Coded>| -> Vec<f64> { frames.iter().map(|frame| frame.bits / 8e3).collect() };
        let first = sizes(steady(&mut encoder, &mut now, 2e6, 20));
        assert!(first.iter().all(|&size| (size - 25.0 / 3.0).abs() < 1e-6), "the first rate is no change");
        let after = sizes(steady(&mut encoder, &mut now, 1e6, 20));
        let (even, rest) = (25.0 / 6.0, (8.0 * 25.0 / 6.0 - 13.5) / 7.0);
        for (place, &size) in after.iter().enumerate() {
            let expected = if place == 0 {
                13.5
            } else if place < 8 {
                rest
            } else {
                even
            };
            assert!((size - expected).abs() < 1e-6, "{place}: {size}");
        }
        let small = sizes(steady(&mut encoder, &mut now, 1.09e6, 20));
        assert!(small.iter().all(|&size| (size - 1.09 * even).abs() < 1e-6), "a small change has none");
        // 150 kbit/s give 5 kB to eight frames: all of it is in the first.
        let slow = sizes(steady(&mut encoder, &mut now, 150e3, 9));
        assert!((slow[0] - 5.0).abs() < 1e-6 && slow[1..8].iter().all(|&size| size.abs() < 1e-6), "{slow:?}");
        assert!((slow[8] - 0.625).abs() < 1e-6);
    }
}
