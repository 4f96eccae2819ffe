//! Impairments: packets lost or marked on a link, whatever its queue does.
//!
//! Source: the error models of ns-2 and ns-3; used here to put recovery and control laws before exactly
//! known losses.
//!
//! | kind      | parameter        | hits                                                        |
//! |-----------|------------------|-------------------------------------------------------------|
//! | bernoulli | p                | each packet independently with probability p                |
//! | periodic  | n                | packets n, 2n, 3n, …                                        |
//! | list      | packet numbers   | packets with these numbers, counted from 1 on this link     |
//! | gilbert-elliott | p, r, h, k | in a bad state each with probability 1 − h, in a good one with 1 − k |
//! | blackout  | from, for, every | whatever comes meanwhile                                    |
//!
//! [Hasslinger08] for Gilbert–Elliott: after each packet a good state turns bad with probability p, and a bad one good with r. The first
//! state is drawn as the chain is in the long run: bad with p/(p + r). So packets are hit with (1 − h)·p/(p + r) + (1 − k)·r/(p + r), and
//! with h = 0 and k = 1 in runs of 1/r on average.
//!
//! SYN packets are neither counted nor hit.

use crate::random::Stream;
use crate::scenario::ImpairmentSpec;
use sawtooth_cc::units::{Span, Time};

#[derive(Debug)]
enum Rule {
    Bernoulli { p: f64, random: Box<Stream> },
    Periodic { n: u64 },
    List { packets: Vec<u64>, next: usize },
    GilbertElliott { chain: Chain, bad: bool, random: Box<Stream> },
    Blackout { from: Time, length: Span, every: Option<Span> },
}

/// Probabilities of a chain of two states: of turning bad, of turning good, and of no hit in the bad and in the good state.
#[derive(Clone, Copy, Debug)]
struct Chain {
    p: f64,
    r: f64,
    h: f64,
    k: f64,
}

impl Chain {
    /// How often the state is bad in the long run; a chain that never moves stays good.
    fn bad_share(self) -> f64 {
        if self.p == 0.0 { 0.0 } else { self.p / (self.p + self.r) }
    }
}

/// One impairment of one link.
#[derive(Debug)]
pub struct Impairment {
    rule: Rule,
    seen: u64,
}

impl Impairment {
    /// An impairment with its own random stream.
    pub fn new(spec: &ImpairmentSpec, random: Stream) -> Self {
        let rule = match spec {
            ImpairmentSpec::Bernoulli { p } => Rule::Bernoulli { p: *p, random: Box::new(random) },
            ImpairmentSpec::Periodic { n } => Rule::Periodic { n: *n },
            ImpairmentSpec::List { packets } => Rule::List { packets: packets.clone(), next: 0 },
            &ImpairmentSpec::GilbertElliott { p, r, h, k } => {
                let (chain, mut random) = (Chain { p, r, h, k }, Box::new(random));
                let bad = random.uniform() < chain.bad_share();
                Rule::GilbertElliott { chain, bad, random }
            }
            &ImpairmentSpec::Blackout { from_ns, length_ns, every_ns } => Rule::Blackout {
                from: Time::from_nanos(from_ns),
                length: Span::from_nanos(length_ns),
                every: every_ns.map(Span::from_nanos),
            },
        };
        Impairment { rule, seen: 0 }
    }

    /// Count the next packet, which comes now; is it hit?
    pub fn hits_next(&mut self, now: Time) -> bool {
        self.seen += 1;
        match &mut self.rule {
            Rule::Bernoulli { p, random } => random.uniform() < *p,
            Rule::Periodic { n } => self.seen.is_multiple_of(*n),
            Rule::List { packets, next } => {
                let hit = packets.get(*next) == Some(&self.seen);
                *next += usize::from(hit);
                hit
            }
            Rule::GilbertElliott { chain, bad, random } => {
                let (spared, turns) = if *bad { (chain.h, chain.r) } else { (chain.k, chain.p) };
                let hit = random.uniform() >= spared;
                *bad ^= random.uniform() < turns;
                hit
            }
            Rule::Blackout { from, length, every } => {
                if now < *from {
                    return false;
                }
                let since = (now - *from).nanos();
                every.map_or(since, |every| since % every.nanos()) < length.nanos()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(spec: ImpairmentSpec, packets: u64) -> Vec<u64> {
        let mut impairment = Impairment::new(&spec, Stream::new("1", "test"));
        (1..=packets).filter(|&packet| impairment.hits_next(Time::from_nanos(packet))).collect()
    }

    #[test]
    fn each_rule_hits_what_it_says() {
        assert_eq!(hits(ImpairmentSpec::Periodic { n: 3 }, 10), [3, 6, 9]);
        assert_eq!(hits(ImpairmentSpec::List { packets: vec![1, 4, 5] }, 10), [1, 4, 5]);
        assert_eq!(hits(ImpairmentSpec::Bernoulli { p: 0.0 }, 1000).len(), 0);
        let n = 100_000;
        let expected = 0.1 * n as f64;
        let found = hits(ImpairmentSpec::Bernoulli { p: 0.1 }, n).len() as f64;
        assert!((found - expected).abs() < 5.0 * (expected * 0.9).sqrt(), "{found}");
    }

    #[test]
    fn a_blackout_hits_what_comes_while_it_lasts() {
        let blackout = |every_ns| ImpairmentSpec::Blackout { from_ns: 3, length_ns: 2, every_ns };
        assert_eq!(hits(blackout(None), 20), [3, 4]);
        assert_eq!(hits(blackout(Some(6)), 20), [3, 4, 9, 10, 15, 16]);
    }

    /// The share of packets that are hit, and the mean length of runs of hits.
    fn bursts(p: f64, r: f64, h: f64, k: f64) -> (f64, f64) {
        let n = 2_000_000;
        let found = hits(ImpairmentSpec::GilbertElliott { p, r, h, k }, n);
        let runs = 1 + found.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        (found.len() as f64 / n as f64, found.len() as f64 / runs as f64)
    }

    #[test]
    fn bursts_of_losses_have_the_share_and_the_length_of_the_chain() {
        // [Hasslinger08]: (1 − h)·p/(p + r) + (1 − k)·r/(p + r). Hits are correlated by the eigenvalue 1 − p − r of the chain, which
        // makes the standard error of a share sqrt((2 − p − r)/(p + r)) times that of independent ones.
        for (p, r, h, k) in [(0.01, 0.25, 0.0, 1.0), (0.002, 0.1, 0.5, 1.0), (0.05, 0.3, 0.2, 0.99)] {
            let (share, run) = bursts(p, r, h, k);
            let expected = ((1.0 - h) * p + (1.0 - k) * r) / (p + r);
            let error = (expected * (1.0 - expected) * (2.0 - p - r) / (p + r) / 2e6).sqrt();
            assert!((share - expected).abs() < 5.0 * error, "{share} beside {expected} ± {error}");
            if h == 0.0 && k == 1.0 {
                assert!((run * r - 1.0).abs() < 0.02, "runs of {run} beside {}", 1.0 / r);
            }
        }
    }

    #[test]
    fn a_chain_whose_states_are_alike_is_bernoulli() {
        // p = 1 − r: the next state does not depend on this one; runs are geometric with mean 1/(1 − loss).
        let (share, run) = bursts(0.1, 0.9, 0.0, 1.0);
        assert!((share - 0.1).abs() < 0.002 && (run - 1.0 / 0.9).abs() < 0.01, "{share} {run}");
    }
}
