//! A proportional-integral controller of delay, asked at regular times: what PIE and DualPI2 share.
//!
//! Source: RFC 8033 §4.2 and RFC 9332 appendix A: at each update the probability moves by α·(delay − target) + β·(delay − delay at the
//! last update). What becomes of that step, and what the delay is, is the discipline's own.
//!
//! Updates come at the multiples of the period. Nothing stands among the events for them: a discipline makes up for those that are
//! due before it does anything else.

use sawtooth_cc::units::{Span, Time};

/// Gains, target, and what evolves.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// Integral gain, 1/s.
    alpha: f64,
    /// Proportional gain, 1/s.
    beta: f64,
    /// Seconds.
    target: f64,
    /// The delay at the last update, seconds.
    before: f64,
    period: Span,
    next: Time,
}

impl Controller {
    /// A controller that has seen no delay, whose first update comes after a period.
    pub fn new(target: Span, period: Span, alpha: f64, beta: f64) -> Self {
        let target = target.nanos() as f64 / 1e9;
        Controller { alpha, beta, target, before: 0.0, period, next: Time::ZERO + period }
    }

    /// Is an update due?
    #[inline(always)]
    pub fn is_due(&self, now: Time) -> bool {
        self.next <= now
    }

    /// The first update that is due up to now, each once.
    #[inline]
    pub fn due(&mut self, now: Time) -> Option<Time> {
        if self.next > now {
            return None;
        }
        let due = self.next;
        self.next = due + self.period;
        Some(due)
    }

    /// No update up to now would change anything.
    pub fn skip_to(&mut self, now: Time) {
        if self.next <= now {
            let periods = (now - self.next).nanos() / self.period.nanos() + 1;
            self.next += Span::from_nanos(periods * self.period.nanos());
        }
    }

    /// By how much this delay, in seconds, moves the probability.
    pub fn step(&mut self, delay: f64) -> f64 {
        let step = self.alpha * (delay - self.target) + self.beta * (delay - self.before);
        self.before = delay;
        step
    }

    /// The delay at the last update, seconds.
    #[inline]
    pub fn before(&self) -> f64 {
        self.before
    }

    /// Seconds.
    #[inline]
    pub fn target(&self) -> f64 {
        self.target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_an_integral_and_a_proportional_part() {
        let mut controller = Controller::new(Span::from_millis(15), Span::from_millis(16), 0.16, 3.2);
        for (delay, before) in [(0.015, 0.0), (0.015, 0.015), (0.040, 0.015), (0.0, 0.040)] {
            let expected: f64 = 0.16 * (delay - 0.015) + 3.2 * (delay - before);
            assert!((controller.step(delay) - expected).abs() < 1e-15, "{delay} after {before}");
        }
    }

    #[test]
    fn updates_come_at_the_multiples_of_the_period() {
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        let mut controller = Controller::new(Span::from_millis(15), Span::from_millis(15), 0.1, 1.0);
        assert_eq!(controller.due(at(14)), None);
        assert_eq!([controller.due(at(31)), controller.due(at(31))], [Some(at(15)), Some(at(30))]);
        assert_eq!(controller.due(at(31)), None);
        controller.skip_to(at(60));
        assert_eq!([controller.due(at(74)), controller.due(at(75))], [None, Some(at(75))]);
        controller.skip_to(at(76));
        assert_eq!(controller.due(at(90)), Some(at(90)), "nothing was due");
    }
}
