//! Random numbers of one component, from a key: ChaCha with eight rounds, because its output is fixed by its specification.
//!
//! Source: [Lemire19] for numbers below a limit. The simulator derives the key from the run's seed and the component's name, so that an
//! added component changes no other's random numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// What a stream of random numbers begins with.
pub type RandomKey = [u8; 32];

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    generator: ChaCha8Rng,
}

impl Random {
    /// The stream of this key.
    pub fn from_key(key: RandomKey) -> Self {
        Random { generator: ChaCha8Rng::from_seed(key) }
    }

    /// Uniform in \[0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in 0..=limit.
    #[inline]
    pub fn up_to(&mut self, limit: u64) -> u64 {
        // The multiply-shift of [Lemire19] without its rejection step: the bias is below limit / 2⁶⁴.
        ((u128::from(self.generator.next_u64()) * (u128::from(limit) + 1)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_its_key_only() {
        let first = |key| Random::from_key([key; 32]).up_to(u64::MAX - 1);
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }

    #[test]
    fn uniform_numbers_fill_the_interval_evenly() {
        let mut random = Random::from_key([1; 32]);
        let n = 100_000;
        let mean = (0..n).map(|_| random.uniform()).sum::<f64>() / f64::from(n);
        // The standard error of the mean is sqrt(1/12/n) = 0.0009; allow five of them.
        assert!((mean - 0.5).abs() < 0.0046, "{mean}");
        let mut seen = [0u32; 11];
        for _ in 0..n {
            seen[random.up_to(10) as usize] += 1;
        }
        let expected = f64::from(n) / 11.0;
        assert!(
            seen.iter().all(|&count| (f64::from(count) - expected).abs() < 5.0 * expected.sqrt()),
            "{seen:?}"
        );
    }
}
