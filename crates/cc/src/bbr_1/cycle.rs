//! PROBE_BW: eight phases of a round trip each, one that asks for more bandwidth, one that lets the queue go, six at the estimate.
//!
//! Source: [Cardwell16]; Linux `bbr_is_next_cycle_phase`, `bbr_reset_probe_bw_mode`.

use super::model::{Model, Sample};
use crate::bbr::model::seconds;
use crate::state::ControlState;
use crate::units::Span;

/// Phases of a cycle.
const PHASES: u64 = 8;
/// The phase that probes.
pub const UP: u64 = 0;
const DOWN: u64 = 1;

impl Model {
    /// PROBE_BW begins with a random phase, so that flows do not probe together, and never with the one that drains.
    pub fn enter_probe_bw(&mut self) {
        self.state = ControlState::ProbeBw;
        let drawn = self.random.up_to(self.params.first_phases as u64 - 1);
        self.phase = PHASES - 1 - drawn;
        self.next_phase();
    }

    fn next_phase(&mut self) {
        self.phase = (self.phase + 1) % PHASES;
        self.phase_began = self.now;
    }

    /// The gain of the phase; a policer is not asked for more.
    pub fn cycle_gain(&self) -> f64 {
        match self.phase {
            _ if self.long_term.rate().is_some() => 1.0,
            UP => self.params.probe_up_gain,
            DOWN => self.params.probe_down_gain,
            _ => self.params.cruise_gain,
        }
    }

    /// The phase ends, if it is time and its volume is in flight.
    pub fn update_phase(&mut self, sample: &Sample) {
        if self.state == ControlState::ProbeBw && self.phase_ends(sample) {
            self.next_phase();
        }
    }

    fn phase_ends(&self, sample: &Sample) -> bool {
        let full_length = self.min_rtt.is_none_or(|min_rtt| self.has_elapsed(self.phase_began, min_rtt));
        let gain = self.cycle_gain();
        if gain == 1.0 {
            return full_length;
        }
        let inflight = self.in_network_at_departure(sample.in_flight_before);
        if gain > 1.0 {
            // Losses: perhaps more does not fit.
            return full_length && (sample.lost > 0.0 || inflight >= self.inflight_by(self.max_bw(), gain));
        }
        full_length || inflight <= self.inflight_by(self.max_bw(), 1.0)
    }

    /// What will be in the network of so much in flight when the pacer lets the next packet go, with the quantum that leaves then if
    /// more than the estimate is sent.
    pub fn in_network_at_departure(&self, inflight: f64) -> f64 {
        let until = if self.next_departure > self.now { self.next_departure - self.now } else { Span::ZERO };
        let quantum = if self.pacing_gain() > 1.0 { self.send_quantum() } else { 0.0 };
        (inflight + quantum - (self.bw() * seconds(until)).floor()).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::bench::{cruising, round, rounds};
    use super::*;

    #[test]
    fn it_begins_with_any_phase_but_the_one_that_drains() {
        let mut model = cruising();
        let mut seen = [0; PHASES as usize];
        for _ in 0..700 {
            model.enter_probe_bw();
            seen[model.phase as usize] += 1;
        }
        assert_eq!(seen[DOWN as usize], 0);
        // 100 each; the standard deviation is 9.3.
        assert!(
            seen.iter().enumerate().all(|(phase, &count)| phase == 1 || (60..140).contains(&count)),
            "{seen:?}"
        );
    }

    #[test]
    fn eight_phases_of_more_than_a_round_trip_each() {
        let mut model = cruising();
        (model.phase, model.phase_began) = (7, model.now);
        // Rounds of 40 ms are no longer than the least round trip, so a phase takes two.
        rounds(&mut model, 2, 100);
        assert_eq!((model.phase, model.pacing_gain()), (UP, 1.25));
        rounds(&mut model, 4, 100);
        assert_eq!(model.phase, UP, "a quarter more is not in flight yet");
        let mut model = cruising();
        (model.phase, model.phase_began) = (UP, model.now);
        rounds(&mut model, 1, 100);
        round(&mut model, 100, 1, false);
        assert_eq!((model.phase, model.pacing_gain()), (DOWN, 0.75), "losses end it");
        rounds(&mut model, 1, 100);
        assert_eq!((model.phase, model.pacing_gain()), (2, 1.0), "no queue is left");
        for phase in 3..8 {
            rounds(&mut model, 2, 100);
            assert_eq!((model.phase, model.pacing_gain()), (phase, 1.0));
        }
    }

    #[test]
    fn what_leaves_until_the_next_departure_is_not_in_the_network() {
        let mut model = cruising(); // 2500 packets a second
        model.phase = 2;
        model.next_departure = model.now + Span::from_millis(2);
        assert_eq!(model.in_network_at_departure(100.0), 95.0);
        model.phase = UP;
        assert_eq!(model.in_network_at_departure(100.0), 95.0 + model.send_quantum());
    }
}
