//! Which of many queues is the longest, without a search through them.
//!
//! A knock-out tournament with four queues to a match, as [`crate::tournament`] is for times. Of equally long queues the one whose turn
//! comes first wins. It is asked only when a buffer is full, so it hears of changes only then, and only of the queues that have grown. The
//! others are at most as long as it remembers: a winner that is shorter by now is told so and plays again. A change is played upwards
//! only while it changes the winner of a match, at most the logarithm to base 4 of the number of queues.

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

/// A key of this length and turn; at length 0 a queue does not play.
fn player(queue: u32, (bytes, turn): (u64, u64)) -> Key {
    if bytes == 0 { 0 } else { key(bytes, turn, queue) }
}

/// Queues by length.
#[derive(Debug)]
pub struct Longest {
    /// Match 0 is the final; place s of match m has the winner of match 4 m + s + 1; the queues meet in the last ones.
    matches: Vec<[Key; 4]>,
    /// Where the matches of the first round begin.
    first_round: usize,
    /// The queues that have grown since it was last asked, each once.
    grown: Vec<u32>,
    /// By queue, is it among these?
    has_grown: Vec<bool>,
}

impl Default for Longest {
    fn default() -> Self {
        Longest {
            matches: vec![Default::default()],
            first_round: 0,
            grown: Vec::new(),
            has_grown: vec![false; 4],
        }
    }
}

fn winner(players: &[Key; 4]) -> Key {
    let more = |one: Key, other: Key| select_unpredictable(one > other, one, other);
    more(more(players[0], players[1]), more(players[2], players[3]))
}

impl Longest {
    /// This queue is longer now, or its turn comes sooner. Nothing need be said of the opposite.
    #[inline]
    pub fn note_growth(&mut self, queue: u32) {
        while queue as usize >= self.has_grown.len() {
            self.grow();
        }
        let noted = &mut self.has_grown[queue as usize];
        if !*noted {
            *noted = true;
            self.grown.push(queue);
        }
    }

    /// The longest queue, if any is not empty. `length` says how many bytes a queue holds and when its turn comes.
    pub fn first(&mut self, length: impl Fn(u32) -> (u64, u64)) -> Option<u32> {
        while let Some(queue) = self.grown.pop() {
            self.has_grown[queue as usize] = false;
            let key = player(queue, length(queue));
            let place = queue as usize;
            if key > self.matches[self.first_round + place / 4][place % 4] {
                self.play(place, key);
            }
        }
        loop {
            let longest = winner(&self.matches[0]);
            if longest == 0 {
                return None;
            }
            let queue = longest as u32 & ((1 << QUEUE_BITS) - 1);
            let key = player(queue, length(queue));
            if key == longest {
                return Some(queue);
            }
            self.play(queue as usize, key); // it has become shorter
        }
    }

    fn play(&mut self, player: usize, mut key: Key) {
        let (mut index, mut place) = (self.first_round + player / 4, player % 4);
        loop {
            let last = std::mem::replace(&mut self.matches[index][place], key);
            if index == 0 {
                return;
            }
            let (next, next_place) = ((index - 1) / 4, (index - 1) % 4);
            let before = self.matches[next][next_place];
            if last == before {
                key = winner(&self.matches[index]);
            } else if key < before {
                return; // it neither was the winner nor is
            }
            (index, place) = (next, next_place);
        }
    }

    /// Room for four times as many.
    #[cold]
    fn grow(&mut self) {
        let old = self.matches.split_off(self.first_round);
        self.first_round = 4 * self.first_round + 1;
        self.matches = vec![Default::default(); self.first_round + 4 * old.len()];
        self.has_grown.resize(16 * old.len(), false);
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
            steps in proptest::collection::vec(
                (0u32..90, prop_oneof![0u64..4, 1 << 40..(1u64 << 40) + 2], proptest::bool::ANY),
                1..300,
            )
        ) {
            let (mut longest, mut model) = (Longest::default(), [(0, 0); 90]);
            for (turn, (queue, bytes, is_asked)) in (0u64..).zip(steps) {
                let is_longer = (bytes, u64::MAX - turn) > model[queue as usize];
                model[queue as usize] = (bytes, u64::MAX - turn);
                if is_longer {
                    longest.note_growth(queue);
                }
                if is_asked {
                    let expected = (0..90).filter(|&queue| model[queue].0 > 0).max_by_key(|&queue| model[queue]);
                    let length = |queue: u32| (model[queue as usize].0, u64::MAX - model[queue as usize].1);
                    prop_assert_eq!(longest.first(length).map(|queue| queue as usize), expected);
                }
            }
        }
    }
}
