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
//!
//! SYN packets are neither counted nor hit.

use crate::random::Stream;
use crate::scenario::ImpairmentSpec;

#[derive(Debug)]
enum Rule {
    Bernoulli { p: f64, random: Box<Stream> },
    Periodic { n: u64 },
    List { packets: Vec<u64>, next: usize },
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
        };
        Impairment { rule, seen: 0 }
    }

    /// Count the next packet; is it hit?
    pub fn hits_next(&mut self) -> bool {
        self.seen += 1;
        match &mut self.rule {
            Rule::Bernoulli { p, random } => random.uniform() < *p,
            Rule::Periodic { n } => self.seen.is_multiple_of(*n),
            Rule::List { packets, next } => {
                let hit = packets.get(*next) == Some(&self.seen);
                *next += usize::from(hit);
                hit
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(spec: ImpairmentSpec, packets: u64) -> Vec<u64> {
        let mut impairment = Impairment::new(&spec, Stream::new("1", "test"));
        (1..=packets).filter(|_| impairment.hits_next()).collect()
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
}
