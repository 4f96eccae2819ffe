//! Named random streams: one per component, derived from the run's seed and the component's name.
//!
//! Adding a flow therefore moves no other flow's draws, and paired comparisons stay paired. ChaCha with
//! eight rounds, because its output is fixed by its specification, unlike that of `StdRng`.

use sawtooth_cc::{Random, RandomKey};
use sha2::{Digest, Sha256};

/// What the stream of this name begins with under this seed. The name is hashed with its length, so no two pairs collide.
pub fn key(seed: &str, name: &str) -> RandomKey {
    let mut hash = Sha256::new();
    for part in ["sawtooth stream 1", seed, name] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

/// One component's random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    random: Random,
}

impl Stream {
    /// The stream of this name under this seed.
    pub fn new(seed: &str, name: &str) -> Self {
        Stream::from_key(key(seed, name))
    }

    /// The stream of this key.
    pub fn from_key(key: RandomKey) -> Self {
        Stream { random: Random::from_key(key) }
    }

    /// Uniform in \[0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        self.random.uniform()
    }

    /// Uniform in 0..=limit nanoseconds.
    #[inline]
    pub fn nanos_up_to(&mut self, limit: u64) -> u64 {
        self.random.up_to(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_and_name_only() {
        let first = |seed, name| Stream::new(seed, name).uniform();
        assert_eq!(first("1", "flow/0"), first("1", "flow/0"));
        assert_ne!(first("1", "flow/0"), first("2", "flow/0"));
        assert_ne!(first("1", "flow/0"), first("1", "flow/1"));
        assert_ne!(first("12", "3"), first("1", "23"));
    }
}
