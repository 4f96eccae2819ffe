//! Round-trip time and retransmission timeout.
//!
//! Source: RFC 6298 §2–5. One sample per round trip at most, never from a retransmitted segment (Karn's
//! rule, §3); back-off doubles the timeout until the next valid sample (§5.5, §5.7).
//!
//! | parameter   | unit | default | why                                                          |
//! |-------------|------|---------|--------------------------------------------------------------|
//! | initial_rto | ns   | 1 s     | RFC 6298 §2.1                                                |
//! | min_rto     | ns   | 200 ms  | Linux; RFC 6298 §2.4 says 1 s, which studies of 2002 also used |
//! | max_rto     | ns   | 60 s    | RFC 6298 §2.5                                                |
//! | timer_tick  | ns   | 0       | exact clock; BSD used 500 ms, ns-2 10 or 100 ms              |
//! | rto         | choice | rfc6298 | SRTT + max(G, 4·RTTVAR), at least min_rto (§2.3, §2.4); `linux`: SRTT + max(min_rto, 4·RTTVAR) |
//! | rtt_samples | choice | round | one per round trip (§3); `every`: one from each acknowledgement of packets sent once, which needs a record per packet |
//! | rtt_ticks   | choice | up    | rounded up to whole ticks; `counted`: the ticks that a clock of the sender's own makes meanwhile, as BSD and ns-2 |
//! | G           | ns   | 1 ms    | ns-3 and QUIC; clock granularity of RFC 6298 §2.3            |
//!
//! An exact clock has no granularity of its own, and on a path whose round trips are all alike RTTVAR
//! decays to nothing: without G the timer would run out together with the arrival of the acknowledgement
//! that stops it, after every loss on a path longer than `min_rto`.
//!
//! `rto = "linux"` (`__tcp_set_rto`, include/net/tcp.h) puts the lower bound under the term of the variance. On a path with a steady round
//! trip near `min_rto`, RFC 6298's timeout is hardly longer than the round trip, and any delay of one acknowledgement expires the timer.
//! Linux's leaves `min_rto` above the smoothed round trip.
//!
//! With a tick, a sample is rounded up to whole ticks (a coarse clock must not make the timeout shorter
//! than an exact one would), and the averages are scaled integers as in [Jacobson88] appendix A, BSD and
//! ns-2. Truncation then keeps the mean deviation from falling below three quarters of a tick, which holds
//! the timeout three ticks above the round trip: near a full buffer this decides between a timeout and none.
//!
//! `rtt_ticks = "counted"` measures as such a clock does: a sample is the number of its ticks between sending and acknowledgement, at least
//! one. The clock is the sender's own and its phase is drawn, so a round trip of 114 ms is 11 ticks of 10 ms as well as 12, and on average
//! 11.4. All samples of ns-2 2.35 before the first loss are of this kind (`validation/ns2_ticks.py`).
//!
//! `rtt_samples = "every"` takes the same weights for samples that come many times a round trip (RFC 6298 §4 has nothing against it; RFC 7323
//! app. G would have smaller ones), so the averages forget within a few packets, as Linux's smoothed time does.
//! Of several packets that one acknowledgement is for, the first sent gives the sample (RFC 7323 §4.3, Linux): it has waited with the
//! acknowledgement, and so must the timer. Controllers are told that of the last sent as well, which has not.

use crate::scenario::TcpSpec;
use sawtooth_cc::units::{Span, Time, larger};
use serde::{Deserialize, Serialize};

/// Which packets give round-trip samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RttSamples {
    /// One per round trip.
    #[default]
    Round,
    /// Every packet, by its record.
    Every,
}

/// How a round trip becomes ticks of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RttTicks {
    /// Its length, rounded up.
    #[default]
    Up,
    /// The ticks that the sender's clock makes meanwhile.
    Counted,
}

/// What the retransmission timeout is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RtoRule {
    /// RFC 6298 §2: the lower bound is under the whole.
    #[default]
    Rfc6298,
    /// Linux: the lower bound is under the term of the variance.
    Linux,
}

/// The averages.
#[derive(Clone, Copy, Debug)]
enum Averages {
    /// No sample yet.
    None,
    /// RFC 6298 §2 in real numbers of nanoseconds.
    Exact { srtt: f64, rttvar: f64 },
    /// In ticks: eight times the smoothed time, four times the mean deviation.
    Scaled { srtt8: i64, rttvar4: i64 },
}

/// The estimator of one connection.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct RttEstimator {
    /// What follows from the rest; asked for at every acknowledgement, changed once a round trip.
    rto: Span,
    /// So does this, the smoothed round trip in whole ns; `MAX` before the first sample.
    smoothed: u64,
    averages: Averages,
    backoff: u32,
    /// The lower bound is under the term of the variance.
    linux: bool,
    /// How long before the start of the run the clock ticked last, in 2⁻¹⁶ of a tick; `MAX` where ticks are not counted but rounded up.
    phase: u16,
    initial_rto: u64,
    min_rto: u64,
    max_rto: u64,
    tick: u64,
    /// The least round trip of the connection in ns, exact whatever the tick; `MAX` before the first.
    minimum: u64,
}

impl RttEstimator {
    /// Least term of the variance with an exact clock (G of RFC 6298 §2.3), in ns.
    const GRANULARITY_NS: f64 = 1e6;

    /// No samples yet. Where packets are `numbered`, the timeout is that of the handshake alone and has no lower bound.
    pub fn new(tcp: &TcpSpec, numbered: bool) -> Self {
        let mut estimator = RttEstimator {
            initial_rto: tcp.initial_rto_ns,
            min_rto: if numbered { 0 } else { tcp.min_rto_ns },
            linux: tcp.rto == RtoRule::Linux && !numbered,
            max_rto: tcp.max_rto_ns,
            tick: tcp.timer_tick_ns,
            averages: Averages::None,
            backoff: 0,
            rto: Span::ZERO,
            smoothed: u64::MAX,
            minimum: u64::MAX,
            phase: u16::MAX,
        };
        estimator.rto = estimator.timeout();
        estimator
    }

    /// Ticks are counted from now on; the clock ticked last so many 2⁻¹⁶ of a tick before the start of the run.
    pub fn count_ticks(&mut self, phase: u16) {
        self.phase = phase;
    }

    /// A valid sample, of an acknowledgement at this time: update the averages, forget the back-off.
    #[inline(never)]
    pub fn sample(&mut self, rtt: Span, now: Time) {
        if self.sample_exactly(rtt) {
            return;
        }
        self.note(rtt);
        self.backoff = 0;
        self.averages = match self.tick {
            0 => Averages::Exact { srtt: rtt.real(), rttvar: rtt.real() / 2.0 },
            tick => self.scaled(self.ticks(rtt, now, tick).max(1) as i64),
        };
        self.smoothed = match self.averages {
            Averages::None => u64::MAX,
            Averages::Exact { .. } => rtt.nanos(),
            Averages::Scaled { srtt8, .. } => (srtt8 as u64 * self.tick) >> 3,
        };
        self.rto = self.timeout();
    }

    /// The same with an exact clock after the first sample. Otherwise nothing has been done, and false.
    #[inline(always)]
    pub fn sample_exactly(&mut self, rtt: Span) -> bool {
        let Averages::Exact { srtt, rttvar } = &mut self.averages else { return false };
        let r = rtt.real();
        *rttvar += ((*srtt - r).abs() - *rttvar) / 4.0;
        *srtt += (r - *srtt) / 8.0;
        self.smoothed = (*srtt as i64).cast_unsigned(); // through a signed number, which is half the work
        self.backoff = 0;
        let mut variance = larger(4.0 * *rttvar, Self::GRANULARITY_NS);
        if self.linux {
            variance = larger(variance, Span::from_nanos(self.min_rto).real());
        }
        let timeout = ((*srtt + variance) as i64).cast_unsigned();
        self.rto = Span::from_nanos(timeout.max(self.min_rto).min(self.max_rto));
        self.note(rtt);
        true
    }

    /// A round trip that is no sample for the averages: perhaps the least one.
    #[inline(always)]
    pub fn note(&mut self, rtt: Span) {
        self.minimum = self.minimum.min(rtt.nanos());
    }

    /// The least round trip of the connection, if there was one.
    pub fn minimum(&self) -> Option<Span> {
        (self.minimum != u64::MAX).then(|| Span::from_nanos(self.minimum))
    }

    /// A round trip that ends now, in ticks.
    fn ticks(&self, rtt: Span, now: Time, tick: u64) -> u64 {
        if self.phase == u16::MAX {
            return rtt.nanos().div_ceil(tick);
        }
        let end = now.nanos() + ((tick * u64::from(self.phase)) >> 16); // a tick is a day at most
        end / tick - (end - rtt.nanos()) / tick
    }

    fn scaled(&self, ticks: i64) -> Averages {
        match self.averages {
            Averages::Scaled { srtt8, rttvar4 } => {
                let delta = ticks - (srtt8 >> 3);
                let deviation = delta.abs() - (rttvar4 >> 2);
                Averages::Scaled { srtt8: (srtt8 + delta).max(1), rttvar4: (rttvar4 + deviation).max(1) }
            }
            _ => Averages::Scaled { srtt8: ticks << 3, rttvar4: ticks << 1 },
        }
    }

    /// The timer expired: wait twice as long next time.
    pub fn back_off(&mut self) {
        self.backoff += 1;
        self.rto = self.timeout();
    }

    /// The handshake was retransmitted: RFC 6298 §5.7 starts data with 3 s until a sample comes.
    pub fn handshake_was_lost(&mut self) {
        self.initial_rto = self.initial_rto.max(3_000_000_000);
        self.backoff = 0;
        self.rto = self.timeout();
    }

    /// The timeout now.
    #[inline(always)]
    pub fn rto(&self) -> Span {
        self.rto
    }

    /// `SRTT + max(G, 4 · RTTVAR)`, or Linux's, bounded, backed off.
    #[inline(always)]
    fn timeout(&self) -> Span {
        let bounded = self.base(if self.linux { self.min_rto } else { 0 }).clamp(self.min_rto, self.max_rto);
        if self.backoff == 0 {
            return Span::from_nanos(bounded);
        }
        let doubled =
            if self.backoff < bounded.leading_zeros() { bounded << self.backoff } else { self.max_rto };
        Span::from_nanos(doubled.min(self.max_rto))
    }

    /// `SRTT + max(G, 4 · RTTVAR)`, the term of the variance at least this; the initial timeout before the first sample.
    fn base(&self, min_variance: u64) -> u64 {
        match self.averages {
            Averages::None => self.initial_rto,
            Averages::Exact { srtt, rttvar } => {
                let variance = larger(4.0 * rttvar, Self::GRANULARITY_NS);
                ((srtt + larger(variance, Span::from_nanos(min_variance).real())) as i64).cast_unsigned()
            }
            Averages::Scaled { srtt8, rttvar4 } => {
                let variance = (rttvar4 << 3).max((8 * min_variance.div_ceil(self.tick)) as i64);
                ((variance + srtt8) >> 3) as u64 * self.tick
            }
        }
    }

    /// The probe timeout of RFC 9002 §6.2.1, without what the receiver may delay.
    pub fn probe_timeout(&self) -> Span {
        Span::from_nanos(self.base(0))
    }

    /// Smoothed round-trip time, if there was a sample.
    #[inline]
    pub fn srtt(&self) -> Option<Span> {
        (self.smoothed != u64::MAX).then(|| Span::from_nanos(self.smoothed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When acknowledgements arrive, where that does not matter.
    const LATER: Time = Time::from_nanos(10_000_000_000);

    fn estimator(min_rto_ns: u64, timer_tick_ns: u64) -> RttEstimator {
        RttEstimator::new(&TcpSpec { min_rto_ns, timer_tick_ns, ..TcpSpec::default() }, false)
    }

    #[test]
    fn the_first_sample_gives_three_round_trips() {
        let mut rtt = estimator(1, 0);
        assert_eq!(rtt.rto(), Span::from_seconds(1));
        rtt.sample(Span::from_millis(100), LATER);
        assert_eq!(rtt.rto(), Span::from_millis(300)); // SRTT + 4 · R/2
        rtt.sample(Span::from_millis(180), LATER);
        // SRTT = 100 + 80/8 = 110 ms, RTTVAR = 50 + (80 − 50)/4 = 57.5 ms
        assert_eq!(rtt.rto(), Span::from_millis(340));
    }

    #[test]
    fn round_trips_all_alike_leave_the_granularity_above_them() {
        let mut rtt = estimator(200_000_000, 0);
        for _ in 0..200 {
            rtt.sample(Span::from_millis(300), LATER);
        }
        assert_eq!(rtt.rto(), Span::from_millis(301));
    }

    #[test]
    fn linux_keeps_the_lower_bound_above_the_smoothed_round_trip() {
        let linux = |timer_tick_ns| {
            let tcp =
                TcpSpec { timer_tick_ns, min_rto_ns: 200_000_000, rto: RtoRule::Linux, ..TcpSpec::default() };
            let mut rtt = RttEstimator::new(&tcp, false);
            for _ in 0..200 {
                rtt.sample(Span::from_millis(150), LATER);
            }
            rtt
        };
        // SRTT 150 ms, RTTVAR has decayed: 150 + 200 ms, where RFC 6298 has max(151, 200) ms.
        assert_eq!(linux(0).rto(), Span::from_millis(350));
        assert_eq!(linux(10_000_000).rto(), Span::from_millis(350));
        let mut wide = linux(0);
        wide.sample(Span::from_millis(950), LATER);
        // SRTT = 150 + 800/8 = 250 ms, 4 · RTTVAR = 800 ms: the bound is no longer felt.
        assert_eq!(wide.rto().nanos().div_ceil(1_000), 1_050_000);
    }

    #[test]
    fn back_off_doubles_up_to_the_maximum_and_a_sample_ends_it() {
        let mut rtt = estimator(200_000_000, 0);
        rtt.sample(Span::from_millis(10), LATER);
        let spans: Vec<u64> = (0..80)
            .map(|_| {
                let rto = rtt.rto().nanos();
                rtt.back_off();
                rto
            })
            .collect();
        assert_eq!(spans[..4], [200_000_000, 400_000_000, 800_000_000, 1_600_000_000]);
        assert!(spans[9..].iter().all(|&span| span == 60_000_000_000));
        rtt.sample(Span::from_millis(10), LATER);
        assert_eq!(rtt.rto(), Span::from_millis(200));
    }

    #[test]
    fn the_least_round_trip_is_kept_whatever_else_was_noted() {
        let mut rtt = estimator(1, 10_000_000);
        assert_eq!(rtt.minimum(), None);
        rtt.sample(Span::from_millis(121), LATER);
        rtt.note(Span::from_millis(103));
        rtt.sample(Span::from_millis(130), LATER);
        assert_eq!(rtt.minimum(), Some(Span::from_millis(103)));
    }

    #[test]
    fn a_coarse_clock_counts_ticks_and_keeps_three_of_them_in_reserve() {
        let mut rtt = estimator(1, 10_000_000);
        rtt.sample(Span::from_millis(121), LATER);
        assert_eq!(rtt.srtt(), Some(Span::from_millis(130)));
        assert_eq!(rtt.rto(), Span::from_millis(390));
        for _ in 0..100 {
            rtt.sample(Span::from_millis(130), LATER);
        }
        assert_eq!(rtt.rto(), Span::from_millis(160));
    }

    #[test]
    fn a_counting_clock_sees_the_ticks_between_sending_and_acknowledgement() {
        let ticks = |phase: u16, end_ms: u64, rtt_ms: u64| {
            let mut rtt = estimator(1, 10_000_000);
            rtt.count_ticks(phase);
            rtt.sample(Span::from_millis(rtt_ms), Time::from_nanos(end_ms * 1_000_000));
            rtt.srtt().expect("a first sample").nanos() / 10_000_000
        };
        const QUARTER: u16 = 1 << 14;
        // The clock ticks at 0, 10, 20 ms and so on, or 2.5 ms earlier.
        assert_eq!(ticks(0, 114, 114), 11);
        assert_eq!(ticks(0, 121, 114), 12);
        assert_eq!(ticks(QUARTER, 122, 114), 11);
        assert_eq!(ticks(QUARTER, 128, 114), 12);
        assert_eq!(ticks(0, 9, 5), 1); // no tick is one
        let sum = (114..124).map(|end| ticks(QUARTER, end, 114)).sum::<u64>();
        assert_eq!(sum, 114); // 11.4 on average, where rounding up gives 12
    }
}
