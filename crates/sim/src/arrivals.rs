//! When short flows start, and how long they are.
//!
//! Source: the web-like cross traffic of [Akella02] §3.3: Poisson arrivals, lengths from a Pareto distribution.
//!
//! | parameter     | unit      | default | why                                                                  |
//! |---------------|-----------|---------|----------------------------------------------------------------------|
//! | intervals     | ns, ns    | given   | mean time between two starts, from a time on                         |
//! | packets_mean  | packets   | given   | mean of the distribution before lengths are rounded up               |
//! | packets_shape | 1         | given   | between 1 and 2 the variance is infinite: few flows carry most packets |
//!
//! The time to the next start uses up a unit exponential at the current intensity. So a change of the interval takes effect at once,
//! and the starts are an exact Poisson process. A length is `x_m / u^(1/shape)`, `x_m = mean · (shape − 1)/shape`, rounded up to whole
//! packets. Each flow takes two numbers from the process's own stream: its gap, then its length. Rounding raises the mean by about half a
//! packet, and more where most flows have one packet: [`mean_packets`] is the mean of what is drawn.

use crate::random::Stream;
use crate::scenario::ArrivalSchedule;
use sawtooth_cc::units::{Span, Time, logarithm, power};

/// The most packets a drawn flow carries: at 100 Gbit/s and 1000 B more than 20 minutes.
const PACKETS_MAX: f64 = 2_147_483_648.0;

/// The mean of the lengths that are drawn, whole packets, of a Pareto distribution with this mean and shape.
///
/// It is the sum over n = 0, 1, … of the chance that a length exceeds n packets: 1 below the least length x_m, (x_m/n)^shape from there
/// on. The sum ends at the most packets that a flow carries. Its first terms are added; the others are an integral with the corrections
/// of Euler and Maclaurin up to the fifth derivative.
pub fn mean_packets(packets_mean: f64, packets_shape: f64) -> f64 {
    let shape = packets_shape;
    let least = packets_mean * (shape - 1.0) / shape;
    let exceeds = |n: f64| power(least / n, shape);
    let whole = least.ceil().max(1.0);
    let from = (whole + 4.0 * shape.ceil() + 20.0).min(PACKETS_MAX); // far enough for the corrections to fall fast
    let mut mean = whole;
    let mut n = whole;
    while n < from {
        mean += exceeds(n);
        n += 1.0;
    }
    let antiderivative = |n: f64| -n * exceeds(n) / (shape - 1.0);
    let corrections = |n: f64| {
        let first = shape / n;
        let third = first * (shape + 1.0) * (shape + 2.0) / (n * n);
        let fifth = third * (shape + 3.0) * (shape + 4.0) / (n * n);
        exceeds(n) * (0.5 + first / 12.0 - third / 720.0 + fifth / 30_240.0)
    };
    let beyond = |n: f64| corrections(n) - antiderivative(n);
    mean + beyond(from) - beyond(PACKETS_MAX)
}

/// A short flow to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When its SYN leaves.
    pub start: Time,
    /// How many packets it carries.
    pub packets: u32,
}

/// The flows of one process, one after the other.
#[derive(Debug)]
pub struct Arrivals {
    rule: Rule,
}

#[derive(Debug)]
enum Rule {
    List { starts_ns: Vec<u64>, packets: Vec<u32>, next: usize },
    Poisson { random: Box<Stream>, clock: Clock, packets_least: f64, exponent: f64 },
}

/// Where a Poisson process stands in its schedule.
#[derive(Debug)]
struct Clock {
    now: Time,
    intervals: Vec<[u64; 2]>,
    /// The entry that holds now; none before the first.
    entry: Option<usize>,
}

impl Clock {
    /// Go on until so much of a unit exponential is used up; `None` if that never happens.
    fn advance(&mut self, mut share: f64) -> Option<Time> {
        loop {
            let interval = self.entry.map_or(0, |entry| self.intervals[entry][1]);
            let following = self.entry.map_or(0, |entry| entry + 1);
            let change = self.intervals.get(following).map(|&[at, _]| Time::from_nanos(at));
            let needed = if interval > 0 { share * interval as f64 } else { f64::INFINITY };
            let available = change.map_or(f64::INFINITY, |change| (change - self.now).nanos() as f64);
            if needed < available {
                // Beyond the longest run it does not matter when; this keeps the sum in its type.
                self.now += Span::from_nanos(needed.min((1u64 << 60) as f64) as u64);
                return Some(self.now);
            }
            self.now = change?;
            self.entry = Some(following);
            if interval > 0 {
                share -= available / interval as f64;
            }
        }
    }
}

impl Arrivals {
    /// The flows of a checked schedule; the stream is used only if they are drawn.
    pub fn new(seed: &str, name: &str, schedule: &ArrivalSchedule) -> Self {
        let rule = match schedule {
            ArrivalSchedule::List { starts_ns, packets } => {
                Rule::List { starts_ns: starts_ns.clone(), packets: packets.clone(), next: 0 }
            }
            ArrivalSchedule::Poisson { intervals, packets_mean, packets_shape } => Rule::Poisson {
                random: Box::new(Stream::new(seed, &format!("arrivals/{name}"))),
                clock: Clock { now: Time::ZERO, intervals: intervals.clone(), entry: None },
                packets_least: packets_mean * (packets_shape - 1.0) / packets_shape,
                exponent: -1.0 / packets_shape,
            },
        };
        Arrivals { rule }
    }
}

impl Iterator for Arrivals {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        match &mut self.rule {
            Rule::List { starts_ns, packets, next } => {
                let index = *next;
                *next += 1;
                let start = Time::from_nanos(*starts_ns.get(index)?);
                Some(Arrival { start, packets: packets[index] })
            }
            Rule::Poisson { random, clock, packets_least, exponent } => {
                // Uniform in (0, 1]: the logarithm and the power of zero are infinite.
                let start = clock.advance(-logarithm(1.0 - random.uniform()))?;
                let length = *packets_least * power(1.0 - random.uniform(), *exponent);
                Some(Arrival { start, packets: length.ceil().clamp(1.0, PACKETS_MAX) as u32 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poisson(intervals: &[[u64; 2]], packets_mean: f64, packets_shape: f64) -> Arrivals {
        let intervals = intervals.to_vec();
        Arrivals::new("1", "test", &ArrivalSchedule::Poisson { intervals, packets_mean, packets_shape })
    }

    /// Flows that start in [from, to), in seconds.
    fn between(arrivals: Arrivals, from: u64, to: u64) -> usize {
        let second = 1_000_000_000;
        arrivals
            .take_while(|arrival| arrival.start.nanos() < to * second)
            .filter(|arrival| arrival.start.nanos() >= from * second)
            .count()
    }

    #[test]
    fn starts_follow_the_schedule_of_intervals() {
        let schedule = [[10_000_000_000, 10_000_000], [500_000_000_000, 0], [600_000_000_000, 1_000_000]];
        let count = |from, to| between(poisson(&schedule, 50.0, 1.5), from, to) as f64;
        assert_eq!(count(0, 10), 0.0);
        assert_eq!(count(500, 600), 0.0);
        // A Poisson count of mean m has the standard deviation √m; allow five of them.
        for (from, to, mean) in [(10, 500, 49_000.0f64), (600, 700, 100_000.0)] {
            let found = count(from, to);
            assert!((found - mean).abs() < 5.0 * mean.sqrt(), "{found} starts between {from} s and {to} s");
        }
    }

    #[test]
    fn gaps_are_exponential() {
        let starts: Vec<u64> = poisson(&[[0, 1_000_000]], 50.0, 1.5)
            .take(200_000)
            .map(|arrival| arrival.start.nanos())
            .collect();
        let n = (starts.len() - 1) as f64;
        for multiple in [0.1, 0.5, 1.0, 2.0, 4.0] {
            let longer = starts.windows(2).filter(|pair| (pair[1] - pair[0]) as f64 > multiple * 1e6).count();
            let p = (-multiple).exp();
            let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
            assert!((longer as f64 - n * p).abs() < bound, "{longer} of {n} gaps beyond {multiple} means");
        }
    }

    #[test]
    fn lengths_have_a_pareto_tail_and_are_whole_packets() {
        for (mean, shape) in [(50.0, 1.5), (10.0, 2.5), (1.0, 1.2)] {
            let least = mean * (shape - 1.0) / shape;
            let lengths: Vec<u32> = poisson(&[[0, 1_000_000]], mean, shape)
                .take(200_000)
                .map(|arrival| arrival.packets)
                .collect();
            let n = lengths.len() as f64;
            assert!(lengths.iter().all(|&packets| packets >= 1 && f64::from(packets) >= least));
            // Rounded up, a length exceeds a whole number exactly if it did before.
            for beyond in [20u32, 50, 200, 1000] {
                let p = power(f64::from(beyond) / least, -shape).min(1.0);
                let found = lengths.iter().filter(|&&packets| packets > beyond).count() as f64;
                let bound = 5.0 * (n * p * (1.0 - p)).sqrt() + 1.0;
                assert!(
                    (found - n * p).abs() <= bound,
                    "{found} of {n} beyond {beyond} (mean {mean}, shape {shape})"
                );
            }
        }
    }

    #[test]
    fn the_mean_of_whole_packets_is_the_sum_of_the_chances_to_exceed_each_number() {
        for (mean, shape) in
            [(1.5, 2.5), (5.0, 2.5), (2.0, 2.5), (1.0, 1.2), (100.0, 1.3), (7.0, 40.0), (9.5, 1000.0)]
        {
            let least = mean * (shape - 1.0) / shape;
            let exceeds = |n: f64| if n < least { 1.0 } else { power(least / n, shape) };
            // Between n and n + 1 the chance falls: the integral from n − 1/2 on is above the rest of a convex sum, that from n on with
            // half of its first term below it.
            let (n, most) = (1_000_000.0, PACKETS_MAX);
            let rest = |from: f64, to: f64| (from * exceeds(from) - to * exceeds(to)) / (shape - 1.0);
            let first: f64 = (0..1_000_000).map(|n| exceeds(f64::from(n))).sum();
            let above = first + rest(n - 0.5, most - 0.5);
            let below = first + rest(n, most) + 0.5 * (exceeds(n) - exceeds(most));
            let found = mean_packets(mean, shape);
            let bounds = below * (1.0 - 1e-9)..=above * (1.0 + 1e-9);
            assert!(bounds.contains(&found), "{found} of {mean} and {shape}: not in {bounds:?}");
        }
        // The law of large numbers, with a finite variance.
        let drawn: f64 = poisson(&[[0, 1_000_000]], 1.5, 3.5)
            .take(200_000)
            .map(|arrival| f64::from(arrival.packets))
            .sum();
        assert!((drawn / 200_000.0 - mean_packets(1.5, 3.5)).abs() < 0.01, "{drawn}");
    }

    #[test]
    fn a_list_is_followed_to_its_end() {
        let schedule = ArrivalSchedule::List { starts_ns: vec![5, 5, 9], packets: vec![1, 2, 3] };
        let found: Vec<_> = Arrivals::new("1", "test", &schedule)
            .map(|arrival| (arrival.start.nanos(), arrival.packets))
            .collect();
        assert_eq!(found, [(5, 1), (5, 2), (9, 3)]);
    }
}
