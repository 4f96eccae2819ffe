//! How long a sender's controller has been in each of its states, and which it has entered.
//!
//! A state that is left at the acknowledgement at which it was entered has taken no time and is not seen.

use sawtooth_cc::units::{Span, Time};
use sawtooth_cc::{ControlState, STATES};

/// Time by state, in the order of [`STATES`].
pub type StateTimes = [Span; STATES.len()];

/// The clock of a controller with states.
#[derive(Clone, Debug)]
pub struct StateClock {
    state: ControlState,
    since: Time,
    spent: StateTimes,
    /// Nobody has asked since it entered this state.
    entered: bool,
}

impl StateClock {
    /// It is in this state when the connection opens.
    pub fn new(state: ControlState, now: Time) -> Self {
        StateClock { state, since: now, spent: StateTimes::default(), entered: true }
    }

    /// It is in this state now.
    #[inline]
    pub fn note(&mut self, state: ControlState, now: Time) {
        if state != self.state {
            self.accrue(now);
            (self.state, self.entered) = (state, true);
        }
    }

    fn accrue(&mut self, now: Time) {
        self.spent[self.state as usize] += now - self.since;
        self.since = now;
    }

    /// Start counting now.
    pub fn restart(&mut self, now: Time) {
        self.spent = StateTimes::default();
        self.since = now;
    }

    /// The time in each state since counting began.
    pub fn spent(&mut self, now: Time) -> StateTimes {
        self.accrue(now);
        self.spent
    }

    /// The state that it has entered since this was last asked, if it has entered one.
    pub fn take_entered(&mut self) -> Option<ControlState> {
        std::mem::take(&mut self.entered).then_some(self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_that_of_the_state_before() {
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        let mut clock = StateClock::new(ControlState::Startup, at(10));
        assert_eq!(clock.take_entered(), Some(ControlState::Startup));
        clock.note(ControlState::Startup, at(20));
        assert_eq!(clock.take_entered(), None);
        clock.note(ControlState::Drain, at(50));
        clock.restart(at(60));
        clock.note(ControlState::Startup, at(75));
        assert_eq!(clock.take_entered(), Some(ControlState::Startup));
        let spent = clock.spent(at(100));
        assert_eq!(spent[ControlState::Startup as usize], Span::from_millis(25));
        assert_eq!(spent[ControlState::Drain as usize], Span::from_millis(15));
        assert_eq!(spent.iter().map(|span| span.nanos()).sum::<u64>(), 40_000_000);
    }
}
