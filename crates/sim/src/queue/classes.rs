//! Which of so many queues a packet belongs to.
//!
//! Source: RFC 8290 §4.1 (a salted hash, modulo the number of queues).
//!
//! With [`Hash::Flow`] whoever sends gets the next queue when it appears for the first time, so that as many senders as there are queues have
//! one each; those that come later share, evenly. With [`Hash::Random`] the queue is a hash of who sends, salted by a random number of
//! the run, so that senders meet in a queue as by chance; another sender moves nobody to another queue. Differs from the RFC: its hash
//! is Jenkins's, of addresses and ports; ours is the finaliser of splitmix64, of the number of the flow.

use super::owner::{OWNER_KINDS, Owner};
use crate::random::Stream;
use serde::{Deserialize, Serialize};

/// How a sender gets its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hash {
    /// A queue each, while there are enough.
    #[default]
    Flow,
    /// As by chance.
    Random,
}

/// Who belongs where.
#[derive(Debug)]
pub struct Classes {
    queues: u32,
    hash: Hash,
    /// By kind and number of an owner, one more than its turn of appearance; 0 before that.
    turn_of: [Vec<u32>; OWNER_KINDS],
    /// Owners that have appeared.
    known: u32,
    salt: Option<u64>,
}

/// The finaliser of splitmix64: every bit of the number moves every bit of the result.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Classes {
    /// So many queues, into which nobody belongs yet.
    pub fn new(queues: u32, hash: Hash) -> Self {
        Classes { queues, hash, turn_of: Default::default(), known: 0, salt: None }
    }

    /// The number of the queue of this owner, always the same.
    #[inline]
    pub fn queue_of(&mut self, owner: Owner, random: &mut Stream) -> u32 {
        match self.hash {
            Hash::Flow => self.by_turn(owner),
            Hash::Random => {
                let salt = *self.salt.get_or_insert_with(|| random.nanos_up_to(u64::MAX));
                let number = u64::from(owner.number) << 8 | u64::from(owner.kind);
                // The multiply-shift in place of a division: its bias is below queues / 2⁶⁴.
                ((u128::from(mixed(mixed(number) ^ salt)) * u128::from(self.queues)) >> 64) as u32
            }
        }
    }

    #[inline]
    fn by_turn(&mut self, owner: Owner) -> u32 {
        let turns = &mut self.turn_of[usize::from(owner.kind)];
        let number = owner.number as usize;
        if number >= turns.len() {
            turns.resize((number + 1).next_power_of_two(), 0);
        }
        if turns[number] == 0 {
            self.known += 1;
            turns[number] = self.known;
        }
        match turns[number] - 1 {
            turn if turn < self.queues => turn,
            late => late % self.queues,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queues(queues: u32, hash: Hash, owners: u32, seed: u64) -> Vec<u32> {
        let mut classes = Classes::new(queues, hash);
        let mut random = Stream::new(&seed.to_string(), "test");
        let queue = |number| classes.queue_of(Owner { kind: (number % 3) as u8, number }, &mut random);
        let found: Vec<u32> = (0..owners).map(queue).collect();
        assert!(found.iter().all(|&queue| queue < queues));
        found
    }

    #[test]
    fn each_has_a_queue_while_there_are_enough_and_then_they_share_evenly() {
        assert_eq!(queues(1024, Hash::Flow, 1024, 1), (0..1024).collect::<Vec<_>>());
        assert_eq!(queues(4, Hash::Flow, 10, 1), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
    }

    /// RFC 8290 §5.3: of 100 flows in 1024 queues, one is alone with probability (1 - 1/1024)⁹⁹ = 0.9078.
    #[test]
    fn of_a_hundred_flows_by_chance_one_is_alone_with_0_9078() {
        const RUNS: u64 = 2_000;
        let alone = |found: &[u32]| {
            let mut load = vec![0; 1024];
            found.iter().for_each(|&queue| load[queue as usize] += 1);
            found.iter().filter(|&&queue| load[queue as usize] == 1).count() as f64
        };
        let shares: Vec<f64> =
            (0..RUNS).map(|seed| alone(&queues(1024, Hash::Random, 100, seed)) / 100.0).collect();
        let mean = shares.iter().sum::<f64>() / RUNS as f64;
        let variance = shares.iter().map(|share| (share - mean) * (share - mean)).sum::<f64>() / RUNS as f64;
        let expected: f64 = (1.0 - 1.0 / 1024.0f64).powi(99);
        assert!((expected - 0.9078).abs() < 5e-5);
        assert!((mean - expected).abs() < 4.0 * (variance / RUNS as f64).sqrt(), "{mean}, not {expected}");
    }

    #[test]
    fn a_sender_more_moves_nobody_else() {
        let few = queues(64, Hash::Random, 50, 1);
        assert_eq!(queues(64, Hash::Random, 80, 1)[..50], few);
        assert_ne!(queues(64, Hash::Random, 50, 2), few);
    }
}
