//! What is measured of a sender for people and for no digest: quantiles of its round trips, time means of its smoothed round trip and its rates.
//!
//! A round trip is counted when the sender takes a sample: one per round trip of a classic sender, one per acknowledgement where there are
//! records of packets. A rate holds from the moment at which it is noted to the next, so its mean is over time and not over packets.
//!
//! The histogram has the layout of [`Histogram`](crate::histogram::Histogram) in half its resolution, and begins near the cell that the
//! least value needs: a flow whose round trips lie within a factor of two takes a quarter of a kilobyte, so a hundred thousand flows may
//! have one each.

use sawtooth_cc::units::{Span, Time};

const CELL_BITS: u32 = 6;
/// So many cells are made at a time.
const ROOM: u32 = 16;

/// Counts of round trips by size, with their exact number, sum and minimum.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    /// The cell of the first count.
    base: u32,
    counts: Vec<u32>,
    total: u64,
    sum: u64,
    /// `MAX` before the first.
    minimum: u64,
}

impl Default for RoundTrips {
    fn default() -> Self {
        RoundTrips { base: 0, counts: Vec::new(), total: 0, sum: 0, minimum: u64::MAX }
    }
}

/// What a run says of the round trips of a flow; zeros when there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RoundTripRecord {
    pub samples: u64,
    pub sum: Span,
    pub minimum: Span,
    pub p50: Span,
    pub p95: Span,
    pub p99: Span,
    pub p999: Span,
}

fn cell_of(nanos: u64) -> u32 {
    let least = (2 << CELL_BITS) - 1; // without it a value of zero were a case of its own
    let magnitude = (u64::BITS - (nanos | least).leading_zeros()) - (CELL_BITS + 1);
    (magnitude << CELL_BITS) + (nanos >> magnitude) as u32
}

/// The middle of a cell.
fn middle_of(cell: u32) -> u64 {
    if cell < 2 << CELL_BITS {
        return u64::from(cell);
    }
    let magnitude = (cell >> CELL_BITS) - 1;
    (u64::from(cell - (magnitude << CELL_BITS)) << magnitude) + (1 << magnitude) / 2
}

impl RoundTrips {
    /// Count one.
    #[inline(always)]
    pub fn add(&mut self, span: Span) {
        let nanos = span.nanos();
        let cell = cell_of(nanos);
        self.minimum = self.minimum.min(nanos);
        self.total += 1;
        self.sum += nanos;
        match self.counts.get_mut(cell.wrapping_sub(self.base) as usize) {
            Some(count) => *count += 1,
            None => self.count_beyond(cell),
        }
    }

    /// Count one in a cell that is not there.
    #[cold]
    #[inline(never)]
    fn count_beyond(&mut self, cell: u32) {
        self.make_room(cell);
        self.counts[(cell - self.base) as usize] += 1;
    }

    /// A quarter of a power of two at a time: with as many flows as there may be, a cell that nobody counts in is a cell for each of them.
    fn make_room(&mut self, cell: u32) {
        let begin = cell & !(ROOM - 1);
        if self.counts.is_empty() {
            self.base = begin;
        }
        if begin < self.base {
            let missing = (self.base - begin) as usize;
            self.counts.reserve_exact(missing);
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.base = begin;
        }
        let end = (begin - self.base + ROOM) as usize;
        if end > self.counts.len() {
            self.counts.reserve_exact(end - self.counts.len());
            self.counts.resize(end, 0);
        }
    }

    fn quantile(&self, share: f64) -> Span {
        let wanted = (share * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (cell, &count) in (self.base..).zip(&self.counts) {
            seen += u64::from(count);
            if seen >= wanted {
                return Span::from_nanos(middle_of(cell).max(self.minimum));
            }
        }
        Span::ZERO
    }

    /// What there is to say.
    pub fn record(&self) -> RoundTripRecord {
        RoundTripRecord {
            samples: self.total,
            sum: Span::from_nanos(self.sum),
            minimum: Span::from_nanos(if self.total == 0 { 0 } else { self.minimum }),
            p50: self.quantile(0.50),
            p95: self.quantile(0.95),
            p99: self.quantile(0.99),
            p999: self.quantile(0.999),
        }
    }
}

/// The mean over time of a value that holds until the next one.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeMean {
    value: f64,
    since: Time,
    /// When the first value came; `None` before.
    from: Option<Time>,
    area: f64,
}

impl TimeMean {
    /// It is this from now on.
    #[inline]
    pub fn note(&mut self, value: f64, now: Time) {
        if self.from.is_none() {
            (self.from, self.since) = (Some(now), now);
        }
        self.accrue(now);
        self.value = value;
    }

    #[inline]
    fn accrue(&mut self, now: Time) {
        self.area += self.value * (now - self.since).nanos().cast_signed() as f64;
        self.since = now;
    }

    /// What was noted last.
    pub fn latest(&self) -> Option<f64> {
        self.from.map(|_| self.value)
    }

    /// Start counting now, with the value that it has.
    fn restart(&mut self, now: Time) {
        if self.from.is_some() {
            (self.area, self.from, self.since) = (0.0, Some(now), now);
        }
    }

    /// The mean from the first value, or from where counting began; `None` if there was no value, or no time.
    pub fn mean(&mut self, now: Time) -> Option<f64> {
        let span = now - self.from?;
        self.accrue(now);
        (span > Span::ZERO).then(|| self.area / span.nanos() as f64)
    }
}

/// All that is measured of one sender.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Its round trips.
    pub round_trips: RoundTrips,
    /// The smoothed round trip, ns.
    pub smoothed: TimeMean,
    /// The rate at which packets may leave, bit/s.
    pub pacing: TimeMean,
    /// The rate at which they arrive, bit/s, by its samples.
    pub delivery: TimeMean,
    /// Tail probes before counting began.
    pub probes_before: u64,
}

impl Meter {
    /// Start counting now.
    pub fn restart(&mut self, now: Time, probes: u64) {
        self.round_trips = RoundTrips::default();
        self.smoothed.restart(now);
        self.pacing.restart(now);
        self.delivery.restart(now);
        self.probes_before = probes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_values_within_a_128th(
            values in proptest::collection::vec(1u64..1 << 40, 1..200),
        ) {
            let mut counted = RoundTrips::default();
            values.iter().for_each(|&nanos| counted.add(Span::from_nanos(nanos)));
            let mut sorted = values;
            sorted.sort_unstable();
            let record = counted.record();
            prop_assert_eq!(record.samples, sorted.len() as u64);
            prop_assert_eq!(record.sum.nanos(), sorted.iter().sum::<u64>());
            prop_assert_eq!(record.minimum.nanos(), sorted[0]);
            for (share, found) in [(0.5, record.p50), (0.95, record.p95), (0.99, record.p99), (0.999, record.p999)] {
                let rank = ((share * sorted.len() as f64).ceil() as usize).max(1);
                let exact = sorted[rank - 1];
                prop_assert!(found.nanos().abs_diff(exact) as f64 <= exact as f64 / 128.0 + 1.0, "{} for {exact}", found.nanos());
            }
        }
    }

    #[test]
    fn a_mean_is_over_time_from_the_first_value_or_the_restart() {
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        let mut mean = TimeMean::default();
        mean.restart(at(5));
        assert_eq!(mean.mean(at(9)), None);
        mean.note(10.0, at(10));
        mean.note(40.0, at(20));
        assert_eq!(mean.mean(at(40)), Some((10.0 * 10.0 + 40.0 * 20.0) / 30.0));
        mean.restart(at(50));
        assert_eq!(mean.mean(at(50)), None);
        mean.note(0.0, at(60));
        assert_eq!(mean.mean(at(80)), Some(40.0 / 3.0));
    }
}
