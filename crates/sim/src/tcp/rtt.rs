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
//! | timer_tick  | ns   | 0       | exact clock; ns-2 used 10 or 100 ms                          |
//!
//! Differs: with a tick, samples are rounded to the nearest tick and timeouts up to a whole one.

use crate::scenario::TcpSpec;
use sawtooth_cc::units::Span;

/// What is given.
#[derive(Clone, Copy, Debug)]
struct Params {
    initial_rto: u64,
    min_rto: u64,
    max_rto: u64,
    tick: u64,
}

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    params: Params,
    smoothed: Option<(f64, f64)>,
    backoff: u32,
}

impl RttEstimator {
    /// No samples yet.
    pub fn new(tcp: &TcpSpec) -> Self {
        let params = Params {
            initial_rto: tcp.initial_rto_ns,
            min_rto: tcp.min_rto_ns,
            max_rto: tcp.max_rto_ns,
            tick: tcp.timer_tick_ns,
        };
        RttEstimator { params, smoothed: None, backoff: 0 }
    }

    /// A valid sample: update the averages and forget the back-off.
    pub fn sample(&mut self, rtt: Span) {
        let tick = self.params.tick;
        let nanos =
            (rtt.nanos() + tick / 2).checked_div(tick).map_or(rtt.nanos(), |ticks| ticks.max(1) * tick);
        let r = nanos as f64;
        self.smoothed = Some(match self.smoothed {
            None => (r, r / 2.0),
            Some((srtt, rttvar)) => (srtt + (r - srtt) / 8.0, rttvar + ((srtt - r).abs() - rttvar) / 4.0),
        });
        self.backoff = 0;
    }

    /// The timer ran out: wait twice as long next time.
    pub fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// The handshake was retransmitted: RFC 6298 §5.7 starts data with 3 s until a sample comes.
    pub fn handshake_was_lost(&mut self) {
        self.params.initial_rto = self.params.initial_rto.max(3_000_000_000);
        self.backoff = 0;
    }

    /// The timeout now.
    pub fn rto(&self) -> Span {
        let Params { initial_rto, min_rto, max_rto, tick } = self.params;
        let base = match self.smoothed {
            None => initial_rto,
            Some((srtt, rttvar)) => (srtt + (4.0 * rttvar).max(tick as f64)) as u64,
        };
        let base = if tick == 0 { base } else { base.div_ceil(tick) * tick };
        let bounded = base.clamp(min_rto, max_rto);
        Span::from_nanos(
            bounded
                .checked_shl(self.backoff)
                .filter(|rto| rto >> self.backoff == bounded)
                .unwrap_or(max_rto)
                .min(max_rto),
        )
    }

    /// Smoothed round-trip time, if there was a sample.
    pub fn srtt(&self) -> Option<Span> {
        self.smoothed.map(|(srtt, _)| Span::from_nanos(srtt as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator(min_rto_ns: u64, timer_tick_ns: u64) -> RttEstimator {
        RttEstimator::new(&TcpSpec { min_rto_ns, timer_tick_ns, ..TcpSpec::default() })
    }

    #[test]
    fn the_first_sample_gives_three_round_trips() {
        let mut rtt = estimator(1, 0);
        assert_eq!(rtt.rto(), Span::from_seconds(1));
        rtt.sample(Span::from_millis(100));
        assert_eq!(rtt.rto(), Span::from_millis(300)); // SRTT + 4 · R/2
        rtt.sample(Span::from_millis(180));
        // SRTT = 100 + 80/8 = 110 ms, RTTVAR = 50 + (80 − 50)/4 = 57.5 ms
        assert_eq!(rtt.rto(), Span::from_millis(340));
    }

    #[test]
    fn back_off_doubles_up_to_the_maximum_and_a_sample_ends_it() {
        let mut rtt = estimator(200_000_000, 0);
        rtt.sample(Span::from_millis(10));
        let spans: Vec<u64> = (0..40)
            .map(|_| {
                let rto = rtt.rto().nanos();
                rtt.back_off();
                rto
            })
            .collect();
        assert_eq!(spans[..4], [200_000_000, 400_000_000, 800_000_000, 1_600_000_000]);
        assert_eq!(spans[39], 60_000_000_000);
        rtt.sample(Span::from_millis(10));
        assert_eq!(rtt.rto(), Span::from_millis(200));
    }

    #[test]
    fn a_coarse_clock_rounds_samples_and_timeouts() {
        let mut rtt = estimator(1, 10_000_000);
        rtt.sample(Span::from_millis(123));
        assert_eq!(rtt.srtt(), Some(Span::from_millis(120)));
        rtt.sample(Span::from_millis(2));
        let rto = rtt.rto().nanos();
        assert_eq!(rto % 10_000_000, 0);
    }
}
