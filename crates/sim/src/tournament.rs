//! A tournament tree: finds the earliest of many players, each of which has at most one pending moment.
//!
//! Every node holds the keys of four children in one cache line; the winner of a node, the least key, stands in its parent. Setting a
//! player replays one node per level, log₄ n of them. The path is known beforehand, so the three unchanged children of a node are
//! compared before the changed one arrives. Selections compile to conditional moves. So there is little waiting for memory and no
//! misprediction. Removing the first player and setting it again takes 11 ns among 30 players and 17 ns among 3,000.

use crate::event::Moment;
use prefetch_index::prefetch_index;
use sawtooth_cc::units::Time;
use std::hint::select_unpredictable;

/// The key of a player: the time, and in one word the age of the cause (an older cause comes first; ages beyond 18 minutes are
/// equal) and the player's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: u64,
    rest: u64,
}

impl Key {
    const PLAYER_BITS: u32 = 24;
    const LEAD_MAX: u64 = (1 << (64 - Self::PLAYER_BITS)) - 1;

    #[inline(always)]
    fn new(at: Moment, player: u32) -> Self {
        let lead = (at.time.nanos() - at.cause.nanos()).min(Self::LEAD_MAX);
        let rest = (Self::LEAD_MAX - lead) << Self::PLAYER_BITS | u64::from(player);
        Key { time: at.time.nanos(), rest }
    }

    /// The key of a player without an event: later than everything, and different from all others.
    const fn idle(player: u32) -> Self {
        Key { time: Time::NEVER.nanos() - player as u64, rest: player as u64 }
    }

    #[inline(always)]
    fn player(self) -> u32 {
        self.rest as u32 & ((1 << Self::PLAYER_BITS) - 1)
    }

    #[inline(always)]
    fn moment(self) -> Moment {
        let lead = Self::LEAD_MAX - (self.rest >> Self::PLAYER_BITS);
        Moment { time: Time::from_nanos(self.time), cause: Time::from_nanos(self.time - lead) }
    }

    /// The lesser of two keys. The outcome is unpredictable, so it is a selection and no branch; equal times are rare.
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        if other.time == self.time {
            return lesser_cause(self, other);
        }
        let less = other.time < self.time;
        Key {
            time: select_unpredictable(less, other.time, self.time),
            rest: select_unpredictable(less, other.rest, self.rest),
        }
    }
}

#[cold]
#[inline(never)]
fn lesser_cause(one: Key, other: Key) -> Key {
    one.min(other)
}

/// A node: the keys of four children, two words each, so that the index of a sibling is one exclusive or away.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Match([u64; 8]);

impl Match {
    fn new(keys: [Key; 4]) -> Self {
        Match(std::array::from_fn(|word| {
            let Key { time, rest } = keys[word / 2];
            if word % 2 == 0 { time } else { rest }
        }))
    }

    #[inline(always)]
    fn key(&self, word: usize) -> Key {
        Key { time: self.0[word & 6], rest: self.0[word & 6 | 1] }
    }

    /// Replace the key of one child; returns the winner. The siblings are compared first, so that only one comparison waits for the
    /// new key.
    #[inline(always)]
    fn play(&mut self, place: usize, key: Key) -> Key {
        let word = 2 * (place % 4);
        let best = self.key(word ^ 2).lesser(self.key(word ^ 4)).lesser(self.key(word ^ 6));
        (self.0[word], self.0[word | 1]) = (key.time, key.rest);
        key.lesser(best)
    }
}

/// For how many levels from the root [`Tournament::set_watched`] returns the winner.
pub const WATCHED: usize = 6;
/// The winners of the last levels, the root's first.
pub type Winners = [u32; WATCHED];

/// The tree.
#[derive(Debug)]
pub struct Tournament {
    /// Node 0 is the root; child s of node m is the winner of node 4 m + s + 1; the players are the children of the last nodes.
    matches: Vec<Match>,
    /// The first node whose children are players.
    first_round: usize,
    rounds: usize,
    winner: Key,
}

impl Tournament {
    /// A tree with this many players, all without events.
    pub fn new(players: u32) -> Self {
        assert!(players < 1 << Key::PLAYER_BITS, "{players} players have no number each");
        let (mut first_round, mut size, mut rounds) = (0, 1, 1);
        while 4 * size < players as usize {
            first_round += size;
            size *= 4;
            rounds += 1;
        }
        let nobody = Match::new([0, 1, 2, 3].map(|place| Key::idle(u32::MAX - place)));
        let matches = vec![nobody; first_round + (players as usize).div_ceil(4).max(1)];
        let mut tournament = Tournament { matches, first_round, rounds, winner: Key::idle(u32::MAX) };
        (0..players).for_each(|player| tournament.set(player, None));
        tournament
    }

    /// Set the time that this player waits for; it replaces the earlier one.
    pub fn set(&mut self, player: u32, at: Option<Moment>) {
        self.set_inline(player, at);
    }

    /// The same, inlined, for the one place that every event passes.
    #[inline(always)]
    pub fn set_inline(&mut self, player: u32, at: Option<Moment>) {
        self.play(player, at.map_or(Key::idle(player), |at| Key::new(at, player)), |_| ());
    }

    /// The same, and returns the winners of the last matches that were played, the final first. The winner of the final comes next.
    /// Each of the four players in the final comes after about four events, each of the sixteen before them after about sixteen.
    #[inline(always)]
    pub fn set_watched(&mut self, player: u32, at: Option<Moment>) -> Winners {
        let (mut winners, mut round) = ([u32::MAX; WATCHED], self.rounds);
        self.play(player, at.map_or(Key::idle(player), |at| Key::new(at, player)), |winner| {
            round -= 1;
            if let Some(place) = winners.get_mut(round) {
                *place = winner.player();
            }
        });
        winners
    }

    /// Have the first matches of this player brought into the cache, up to those that others have just played.
    #[inline(always)]
    pub fn prefetch(&self, player: u32) {
        let mut index = self.first_round + player as usize / 4;
        for _ in WATCHED..self.rounds {
            prefetch_index(&self.matches, index);
            index = index.wrapping_sub(1) / 4;
        }
    }

    /// The first player and its time; a time that never comes if no player waits.
    #[inline(always)]
    pub fn first(&self) -> (Moment, u32) {
        (self.winner.moment(), self.winner.player())
    }

    /// Is any player waiting?
    #[inline(always)]
    pub fn is_waiting(&self) -> bool {
        self.winner.time < Key::idle(u32::MAX).time
    }

    /// Is any player waiting for a time before this one?
    #[inline(always)]
    pub fn begins_before(&self, time: Time) -> bool {
        self.winner.time < time.nanos()
    }

    #[inline(always)]
    fn play(&mut self, player: u32, mut key: Key, mut on_win: impl FnMut(Key)) {
        let mut index = self.first_round + player as usize / 4;
        let mut place = player as usize % 4;
        loop {
            key = self.matches[index].play(place, key);
            on_win(key);
            if index == 0 {
                break;
            }
            (index, place) = ((index - 1) / 4, (index - 1) % 4);
        }
        self.winner = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is set, the first is the least of a list, for any number of players.
        #[test]
        fn the_first_is_the_least(
            players in 1u32..90,
            settings in proptest::collection::vec((0u32..90, proptest::option::of((0u64..12, 0u64..12))), 1..200)
        ) {
            let mut tournament = Tournament::new(players);
            let mut list: Vec<Option<Moment>> = vec![None; players as usize];
            for (player, at) in settings {
                let player = player % players;
                let at = at.map(|(cause, lead)| Moment {
                    time: Time::from_nanos(cause + lead),
                    cause: Time::from_nanos(cause),
                });
                tournament.set(player, at);
                list[player as usize] = at;
                let least = (0..).zip(&list).filter_map(|(player, at)| at.map(|at| (at, player))).min();
                let found = tournament.begins_before(Time::from_nanos(1_000)).then(|| tournament.first());
                prop_assert_eq!(found, least);
            }
        }
    }

    #[test]
    fn causes_long_ago_are_all_the_same() {
        let mut tournament = Tournament::new(2);
        let at =
            |cause: u64| Some(Moment { time: Time::from_nanos(1 << 50), cause: Time::from_nanos(cause) });
        tournament.set(0, at(1));
        tournament.set(1, at(0));
        assert_eq!(tournament.first().1, 0);
    }
}
