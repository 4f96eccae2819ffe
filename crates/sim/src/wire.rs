//! A wire on which packets do not simply follow each other: late packets, jitter, a delay that changes.
//!
//! What is late may be overtaken, so a packet on such a wire has a place in a tree and an event of its own; other links put packets into
//! lanes and do without both. Draws are made in the order in which packets leave the link.

use crate::event::Moment;
use crate::packet::Packet;
use crate::queue::is_impairable;
use crate::random::Stream;
use crate::scenario::{DelaySpec, JitterSpec, LateSpec};
use crate::topology::StageIndex;
use sawtooth_cc::units::{Span, Time, logarithm, power};
use std::collections::BTreeMap;

/// The longest delay that is drawn: a day.
const LONGEST_NS: f64 = 86_400e9;

/// Delays with a random stream of their own.
#[derive(Debug)]
struct Delays {
    spec: DelaySpec,
    random: Box<Stream>,
}

impl Delays {
    fn draw(&mut self) -> Span {
        let random = &mut self.random;
        let nanos = match self.spec {
            DelaySpec::Constant { ns } => return Span::from_nanos(ns),
            DelaySpec::Uniform { from_ns, to_ns } => {
                return Span::from_nanos(from_ns + random.nanos_up_to(to_ns - from_ns));
            }
            DelaySpec::Exponential { mean_ns } => -(mean_ns as f64) * logarithm(1.0 - random.uniform()),
            DelaySpec::Normal { mean_ns, deviation_ns } => {
                mean_ns as f64 + deviation_ns as f64 * normal(random)
            }
            DelaySpec::Pareto { least_ns, shape } => {
                least_ns as f64 * power(1.0 - random.uniform(), -1.0 / shape)
            }
        };
        Span::from_nanos(nanos.clamp(0.0, LONGEST_NS) as u64)
    }
}

/// A standard normal number, by the polar method; the second one that it gives is left.
fn normal(random: &mut Stream) -> f64 {
    loop {
        let (x, y) = (2.0 * random.uniform() - 1.0, 2.0 * random.uniform() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * logarithm(square) / square).sqrt();
        }
    }
}

#[derive(Debug)]
enum Which {
    List { packets: Vec<[u64; 2]>, next: usize },
    Bernoulli { p: f64, delays: Delays },
    Periodic { n: u64, delays: Delays },
}

/// Which packets are late.
#[derive(Debug)]
pub struct Late {
    which: Which,
    seen: u64,
}

impl Late {
    /// A rule with its own random stream.
    pub fn new(spec: &LateSpec, random: Stream) -> Self {
        let delays = |delay: &DelaySpec| Delays { spec: delay.clone(), random: Box::new(random) };
        let which = match spec {
            LateSpec::List { packets } => Which::List { packets: packets.clone(), next: 0 },
            LateSpec::Bernoulli { p, delay } => Which::Bernoulli { p: *p, delays: delays(delay) },
            LateSpec::Periodic { n, delay } => Which::Periodic { n: *n, delays: delays(delay) },
        };
        Late { which, seen: 0 }
    }

    /// Count the next packet: by how much is it late?
    fn of_next(&mut self) -> Span {
        self.seen += 1;
        match &mut self.which {
            Which::List { packets, next } => match packets.get(*next) {
                Some(&[number, ns]) if number == self.seen => {
                    *next += 1;
                    Span::from_nanos(ns)
                }
                _ => Span::ZERO,
            },
            Which::Bernoulli { p, delays } => {
                if delays.random.uniform() < *p {
                    delays.draw()
                } else {
                    Span::ZERO
                }
            }
            Which::Periodic { n, delays } => {
                if self.seen.is_multiple_of(*n) {
                    delays.draw()
                } else {
                    Span::ZERO
                }
            }
        }
    }
}

#[derive(Debug)]
enum Rule {
    Drawn(Delays),
    Hold(Span),
}

/// By how much each packet is delayed, order kept.
#[derive(Debug)]
pub struct WireJitter {
    rule: Rule,
    last: Time,
}

impl WireJitter {
    /// A rule with its own random stream.
    pub fn new(spec: &JitterSpec, random: Stream) -> Self {
        let rule = match spec {
            JitterSpec::Drawn { delay } => {
                Rule::Drawn(Delays { spec: delay.clone(), random: Box::new(random) })
            }
            JitterSpec::Hold { every_ns } => Rule::Hold(Span::from_nanos(*every_ns)),
        };
        WireJitter { rule, last: Time::ZERO }
    }

    /// When a packet arrives that would arrive then.
    fn delay(&mut self, at: Time) -> Time {
        let late = match &mut self.rule {
            Rule::Drawn(delays) => at + delays.draw(),
            Rule::Hold(every) => Time::from_nanos(at.nanos().next_multiple_of(every.nanos())),
        };
        self.last = self.last.max(late);
        self.last
    }
}

/// The wire behind one link.
#[derive(Debug)]
pub struct Wire {
    /// Which packets are late.
    pub late: Option<Late>,
    /// By how much each is delayed.
    pub jitter: Option<WireJitter>,
    /// By the moment of arrival, and among equal moments in the order in which they left the link: packets, and what comes next.
    packets: BTreeMap<(Moment, u64), (Packet, StageIndex)>,
    count: u64,
}

impl Wire {
    /// An empty wire.
    pub fn new(late: Option<Late>, jitter: Option<WireJitter>) -> Self {
        Wire { late, jitter, packets: BTreeMap::new(), count: 0 }
    }

    /// A packet that would arrive at this moment enters: the moment at which it does.
    pub fn enter(&mut self, packet: Packet, stage: StageIndex, mut at: Moment) -> Moment {
        if let Some(jitter) = &mut self.jitter {
            at.time = jitter.delay(at.time);
        }
        if let Some(late) = &mut self.late
            && is_impairable(packet)
        {
            at.time += late.of_next();
        }
        self.count += 1;
        self.packets.insert((at, self.count), (packet, stage));
        at
    }

    /// The packet that arrives first, and what comes next.
    pub fn leave(&mut self) -> (Packet, StageIndex) {
        let (_, first) = self.packets.pop_first().expect("an event stands for a packet");
        first
    }

    /// How many packets are on it.
    pub fn len(&self) -> usize {
        self.packets.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(spec: DelaySpec) -> Vec<f64> {
        let mut delays = Delays { spec, random: Box::new(Stream::new("1", "test")) };
        (0..100_000).map(|_| delays.draw().nanos() as f64).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// Mean and variance within five standard errors of what the distribution has.
    fn has(spec: DelaySpec, expected: f64, variance: f64) {
        let found = draws(spec.clone());
        let error = (variance / found.len() as f64).sqrt();
        assert!((mean(&found) - expected).abs() <= 5.0 * error + 1.0, "{spec:?}: {}", mean(&found));
        let squares: Vec<f64> = found.iter().map(|value| (value - expected).powi(2)).collect();
        assert!((mean(&squares) - variance).abs() <= 0.05 * variance, "{spec:?}: {}", mean(&squares));
    }

    #[test]
    fn delays_have_the_moments_of_their_distributions() {
        has(DelaySpec::Constant { ns: 700 }, 700.0, 0.0);
        let width = 4e6;
        has(DelaySpec::Uniform { from_ns: 1_000_000, to_ns: 5_000_000 }, 3e6, width * width / 12.0);
        has(DelaySpec::Exponential { mean_ns: 2_000_000 }, 2e6, 4e12);
        has(DelaySpec::Normal { mean_ns: 9_000_000, deviation_ns: 1_000_000 }, 9e6, 1e12);
        let (least, a) = (1e6, 6.0);
        let variance = least * least * a / ((a - 1.0) * (a - 1.0) * (a - 2.0));
        has(DelaySpec::Pareto { least_ns: 1_000_000, shape: a }, least * a / (a - 1.0), variance);
    }

    #[test]
    fn a_normal_delay_is_never_negative() {
        let found = draws(DelaySpec::Normal { mean_ns: 0, deviation_ns: 1_000 });
        let zeros = found.iter().filter(|&&delay| delay == 0.0).count() as f64;
        assert!((zeros / found.len() as f64 - 0.5).abs() < 0.01, "half of them would be below 0");
    }

    #[test]
    fn held_packets_come_out_together_at_the_ticks() {
        let mut jitter = WireJitter::new(&JitterSpec::Hold { every_ns: 1_000 }, Stream::new("1", "test"));
        let out: Vec<u64> = [1, 400, 1_000, 1_001, 3_999]
            .into_iter()
            .map(|at| jitter.delay(Time::from_nanos(at)).nanos())
            .collect();
        assert_eq!(out, [1_000, 1_000, 1_000, 2_000, 4_000]);
    }

    #[test]
    fn a_list_delays_what_it_names() {
        let spec = LateSpec::List { packets: vec![[2, 50], [3, 70]] };
        let mut late = Late::new(&spec, Stream::new("1", "test"));
        let found: Vec<u64> = (0..4).map(|_| late.of_next().nanos()).collect();
        assert_eq!(found, [0, 50, 70, 0]);
    }
}
