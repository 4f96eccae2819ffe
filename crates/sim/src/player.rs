//! A player of films: a buffer that plays, and the quality of the next chunk by how full it is.
//!
//! Source: [Huang14] §5, algorithm BBA-0: below a reservoir the lowest rate, in the last tenth of the buffer the highest, between them a
//! line f from the lowest to the highest rate; the rate goes up when f reaches the next higher rate, down when it falls to the next lower.
//!
//! | parameter | unit  | default | why                                                                               |
//! |-----------|-------|---------|-----------------------------------------------------------------------------------|
//! | rates     | bit/s | given   | what the film is there in                                                         |
//! | chunk     | ns    | given   | 4 s in [Huang14]                                                                  |
//! | buffer    | ns    | given   | 240 s in [Huang14]; live streams have less                                        |
//! | reservoir | ns    | given   | 90 s of 240 s in [Huang14]                                                        |
//!
//! It plays as soon as a chunk is there, at the start and after a stall, and asks for the next one when a chunk fits into the buffer.

use sawtooth_cc::units::{Span, Time};

/// The film.
#[derive(Clone, Debug)]
pub struct Film {
    /// Bit rates, ascending.
    pub rates_bps: Vec<u64>,
    /// Playing time of a chunk.
    pub chunk: Span,
    /// Largest playing time in the buffer.
    pub buffer: Span,
    /// Playing time in the buffer up to which the lowest rate is chosen.
    pub reservoir: Span,
}

/// The player.
#[derive(Clone, Debug)]
pub struct Player {
    film: Film,
    /// What was buffered then.
    buffered: Span,
    since: Time,
    playing: bool,
    rate: usize,
}

impl Player {
    /// Nothing has been loaded.
    pub fn new(film: Film) -> Self {
        Player { film, buffered: Span::ZERO, since: Time::ZERO, playing: false, rate: 0 }
    }

    /// Play until now; for how long it has stalled.
    fn play(&mut self, now: Time) -> Span {
        let elapsed = now - self.since;
        self.since = now;
        if !self.playing {
            return Span::ZERO;
        }
        let stalled = elapsed.nanos().saturating_sub(self.buffered.nanos());
        self.buffered = Span::from_nanos(self.buffered.nanos().saturating_sub(elapsed.nanos()));
        Span::from_nanos(stalled)
    }

    /// A chunk is there; for how long the picture has stood still before it.
    pub fn loaded(&mut self, now: Time) -> Span {
        let stalled = self.play(now);
        self.buffered += self.film.chunk;
        self.playing = true;
        stalled
    }

    /// How long until the next chunk fits.
    pub fn wait(&mut self, now: Time) -> Span {
        self.play(now);
        let full = self.buffered.nanos() + self.film.chunk.nanos();
        Span::from_nanos(full.saturating_sub(self.film.buffer.nanos()))
    }

    /// The rate of the next chunk, bit/s.
    pub fn choose(&mut self, now: Time) -> u64 {
        self.play(now);
        let rates = &self.film.rates_bps;
        let last = rates.len() - 1;
        let (buffered, reservoir) = (self.buffered.nanos() as f64, self.film.reservoir.nanos() as f64);
        let upper = (self.film.buffer.nanos() as f64 * 0.9).max(reservoir + 1.0);
        let (lowest, highest) = (rates[0] as f64, rates[last] as f64);
        self.rate = if buffered <= reservoir {
            0
        } else if buffered >= upper {
            last
        } else {
            let line = lowest + (highest - lowest) * (buffered - reservoir) / (upper - reservoir);
            let above = rates[(self.rate + 1).min(last)] as f64;
            let below = rates[self.rate.saturating_sub(1)] as f64;
            if line >= above {
                rates.iter().rposition(|&rate| rate as f64 <= line).unwrap_or(0)
            } else if line <= below {
                rates.iter().position(|&rate| rate as f64 >= line).unwrap_or(last)
            } else {
                self.rate
            }
        };
        rates[self.rate]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_seconds(seconds)
    }

    fn player() -> Player {
        Player::new(Film {
            rates_bps: vec![1_000, 2_000, 4_000],
            chunk: Span::from_seconds(4),
            buffer: Span::from_seconds(40),
            reservoir: Span::from_seconds(6),
        })
    }

    #[test]
    fn a_buffer_plays_and_stalls_when_it_is_empty() {
        let mut player = player();
        assert_eq!(player.loaded(at(10)), Span::ZERO, "before the first chunk nothing plays");
        assert_eq!(player.loaded(at(13)), Span::ZERO); // 1 s + 4 s
        assert_eq!(player.loaded(at(21)), Span::from_seconds(3)); // 5 s had been there
        assert_eq!(player.wait(at(21)), Span::ZERO);
        for _ in 0..9 {
            player.loaded(at(21));
        }
        assert_eq!(player.wait(at(22)), Span::from_seconds(3)); // 39 s, and 4 s more are 3 too many
    }

    #[test]
    fn the_rate_follows_the_line_with_hysteresis() {
        let mut player = player();
        let chosen = |player: &mut Player, seconds: u64| {
            player.buffered = Span::from_seconds(seconds);
            player.choose(player.since)
        };
        // From 1000 at 6 s to 4000 at 36 s, 100 for each second: 2000 at 16 s.
        assert_eq!(chosen(&mut player, 6), 1_000);
        assert_eq!(chosen(&mut player, 15), 1_000);
        assert_eq!(chosen(&mut player, 16), 2_000);
        assert_eq!(chosen(&mut player, 35), 2_000);
        assert_eq!(chosen(&mut player, 36), 4_000);
        assert_eq!(chosen(&mut player, 17), 4_000, "f is above the next lower rate");
        assert_eq!(chosen(&mut player, 16), 2_000);
        assert_eq!(chosen(&mut player, 7), 2_000);
        assert_eq!(chosen(&mut player, 5), 1_000);
    }
}
