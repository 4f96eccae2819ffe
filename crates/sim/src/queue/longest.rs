//! Which of many queues is the longest, without a search through them.
//!
//! A knock-out tournament with four queues to a match, as [`crate::tournament`] is for times. Of equally long queues the one whose turn
//! comes first wins. A change is played upwards only while it changes the winner of a match. Most queues are not the longest of their
//! four, so mostly one match is played; at most it is the logarithm to base 4 of their number.

use std::hint::select_unpredictable;

/// Bits of a key that say whose it is.
const QUEUE_BITS: u32 = 24;

/// The most turns that can be told apart: more than any run has packets.
const TURN_MAX: u64 = (1 << (64 - QUEUE_BITS)) - 1;

/// How long a queue is; then how soon its turn comes, the sooner the more; then which it is. One number, so that no branch is needed to
/// compare two: which one is longer cannot be foreseen.
type Key = u128;

fn key(bytes: u64, turn: u64, queue: u32) -> Key {
    u128::from(bytes) << 64 | u128::from((TURN_MAX - turn) << QUEUE_BITS | u64::from(queue))
}

/// Queues by length.
#[derive(Debug)]
pub struct Longest {
    /// Match 0 is the final; place s of match m has the winner of match 4 m + s + 1; the queues meet in the last ones.
    matches: Vec<[Key; 4]>,
    /// Where the matches of the first round begin.
    first_round: usize,
}

impl Default for Longest {
    fn default() -> Self {
        Longest { matches: vec![Default::default()], first_round: 0 }
    }
}

fn winner(players: &[Key; 4]) -> Key {
    let more = |one: Key, other: Key| select_unpredictable(one > other, one, other);
    more(more(players[0], players[1]), more(players[2], players[3]))
}

impl Longest {
    /// This queue is so long now, and its turn is this one; at length 0 it does not play.
    pub fn set(&mut self, queue: u32, bytes: u64, turn: u64) {
        while self.first_round + queue as usize / 4 >= self.matches.len() {
            self.grow();
        }
        self.play(queue as usize, if bytes == 0 { 0 } else { key(bytes, turn, queue) });
    }

    /// The longest queue, if any is not empty.
    pub fn first(&self) -> Option<u32> {
        let longest = winner(&self.matches[0]);
        (longest > 0).then_some(longest as u32 & ((1 << QUEUE_BITS) - 1))
    }

    fn play(&mut self, player: usize, mut key: Key) {
        let (mut index, mut place) = (self.first_round + player / 4, player % 4);
        loop {
            let players = &mut self.matches[index];
            let before = winner(players);
            players[place] = key;
            key = winner(players);
            if index == 0 || key == before {
                return;
            }
            (index, place) = ((index - 1) / 4, (index - 1) % 4);
        }
    }

    /// Room for four times as many.
    #[cold]
    fn grow(&mut self) {
        let old = self.matches.split_off(self.first_round);
        self.first_round = 4 * self.first_round + 1;
        self.matches = vec![Default::default(); self.first_round + 4 * old.len()];
        for (player, &key) in old.iter().flatten().enumerate() {
            self.play(player, key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However many there are, the longest is that of a search through all; among equals, the one whose turn comes first.
        #[test]
        fn the_first_is_the_longest(
            steps in proptest::collection::vec((0u32..90, prop_oneof![0u64..4, 1 << 40..(1u64 << 40) + 2]), 1..300)
        ) {
            let (mut longest, mut model) = (Longest::default(), [(0, 0); 90]);
            for (turn, (queue, bytes)) in (0u64..).zip(steps) {
                longest.set(queue, bytes, turn);
                model[queue as usize] = (bytes, u64::MAX - turn);
                let expected = (0..90).filter(|&queue| model[queue].0 > 0).max_by_key(|&queue| model[queue]);
                prop_assert_eq!(longest.first().map(|queue| queue as usize), expected);
            }
        }
    }
}
