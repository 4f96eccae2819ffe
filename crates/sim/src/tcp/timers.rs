//! The timers of a sender beside that of retransmission: a small value with one earliest deadline.
//!
//! | timer      | set by   | for                                                              |
//! |------------|----------|------------------------------------------------------------------|
//! | probe      | recovery | a tail-loss probe (RFC 8985 §7.2), a probe timeout (RFC 9002 §6.2) |
//! | reordering | recovery | packets that are lost if they have not arrived by then (RFC 8985 §6.2, RFC 9002 §6.1.2) |
//! | pacing     | pacer    | the next packet may leave                                        |
//!
//! Setting a timer is writing a time down: among the events of a run a sender has one for the earliest of them, which is put off
//! lazily, and the timer that has expired goes to the component that set it. Classic senders have none of these.

use super::clock::TimerClock;
use crate::event::Moment;
use sawtooth_cc::units::{Span, Time};

/// A timer of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// Nothing has been heard for a while: send something, so that something is.
    Probe,
    /// What was sent long enough before something that arrived is lost now.
    Reordering,
}

/// A timer that has expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// One that recovery set.
    Recovery(Timer),
    /// The pacer lets something go.
    Pacing,
}

/// When each timer expires; `NEVER` when it is off.
#[derive(Clone, Copy, Debug)]
pub struct Timers {
    /// What they run by.
    pub clock: TimerClock,
    probe: Time,
    reordering: Time,
    pacing: Time,
    /// When somebody must see to the pacer at the latest: as soon as it opens, unless packets may leave late.
    pacing_by: Time,
    /// By how much, if somebody asks before anything else happens to the sender.
    lateness: Option<Span>,
    /// Since when it has been waited for.
    pacing_since: Time,
}

impl Default for Timers {
    fn default() -> Self {
        Timers {
            clock: TimerClock::default(),
            probe: Time::NEVER,
            reordering: Time::NEVER,
            pacing: Time::NEVER,
            pacing_by: Time::NEVER,
            lateness: None,
            pacing_since: Time::ZERO,
        }
    }
}

impl Timers {
    /// None is set; they run by this clock.
    pub fn by(clock: TimerClock) -> Self {
        Timers { clock, ..Timers::default() }
    }

    /// Have a timer of recovery run out then, or never, whatever it said before.
    pub fn set(&mut self, timer: Timer, at: Time) {
        match timer {
            Timer::Probe => self.probe = at,
            Timer::Reordering => self.reordering = at,
        }
    }

    /// When a timer of recovery expires.
    pub fn at(&self, timer: Timer) -> Time {
        match timer {
            Timer::Probe => self.probe,
            Timer::Reordering => self.reordering,
        }
    }

    /// Wait for the pacer until then.
    pub fn pace(&mut self, at: Time, now: Time) {
        if self.pacing != at {
            self.pacing_since = now;
        }
        self.pacing = at;
        self.pacing_by = at + self.lateness.unwrap_or(Span::ZERO);
    }

    /// What the pacer lets go may leave up to so much later, as if it had left in time. Somebody asks for it before anything else happens
    /// to this sender ([`Timers::take_pacing`]).
    pub fn pace_late(&mut self, lateness: Span) {
        self.lateness = Some(lateness);
    }

    /// Where packets may leave late: has the pacer let one go, if an event of its own would have come before this moment?
    #[inline(always)]
    pub fn is_overdue(&self, now: Moment) -> bool {
        if self.pacing > now.time || self.lateness.is_none() {
            return false;
        }
        Moment { time: self.pacing, cause: self.pacing_since } <= now
    }

    /// When it has, if it has. It waits no longer then.
    #[inline(always)]
    pub fn take_pacing(&mut self, before: Moment) -> Option<Time> {
        if !self.is_overdue(before) {
            return None;
        }
        self.pacing_by = Time::NEVER;
        Some(std::mem::replace(&mut self.pacing, Time::NEVER))
    }

    /// When the first of them expires.
    pub fn earliest(&self) -> Time {
        self.probe.min(self.reordering).min(self.pacing_by)
    }

    /// One that has expired by now, if any has; it is off then. The pacer's comes last: what recovery finds decides what it lets go.
    pub fn take_due(&mut self, now: Time) -> Option<Due> {
        for (at, due) in [
            (&mut self.reordering, Due::Recovery(Timer::Reordering)),
            (&mut self.probe, Due::Recovery(Timer::Probe)),
            (&mut self.pacing, Due::Pacing),
        ] {
            if *at <= now {
                *at = Time::NEVER;
                if due == Due::Pacing {
                    self.pacing_by = Time::NEVER;
                }
                return Some(due);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_runs_out_first_and_each_once() {
        let at = Time::from_nanos;
        let mut timers = Timers::default();
        assert_eq!((timers.earliest(), timers.take_due(at(u64::MAX - 1))), (Time::NEVER, None));
        timers.set(Timer::Probe, at(30));
        timers.pace(at(10), at(0));
        timers.set(Timer::Reordering, at(20));
        assert_eq!((timers.earliest(), timers.take_due(at(9))), (at(10), None));
        assert_eq!(timers.take_due(at(10)), Some(Due::Pacing));
        timers.set(Timer::Probe, at(20)); // an earlier time, and then both are due
        assert_eq!((timers.earliest(), timers.at(Timer::Probe)), (at(20), at(20)));
        assert_eq!(timers.take_due(at(20)), Some(Due::Recovery(Timer::Reordering)));
        assert_eq!(timers.take_due(at(20)), Some(Due::Recovery(Timer::Probe)));
        assert_eq!((timers.take_due(at(20)), timers.earliest()), (None, Time::NEVER));
        timers.set(Timer::Reordering, at(40));
        timers.set(Timer::Reordering, Time::NEVER);
        assert_eq!(timers.earliest(), Time::NEVER);
    }

    #[test]
    fn what_may_leave_late_waits_for_whoever_asks_but_no_longer_than_that() {
        let at = Time::from_nanos;
        let moment = |time, cause| Moment { time: at(time), cause: at(cause) };
        let mut timers = Timers::default();
        timers.pace(at(100), at(60));
        assert_eq!((timers.earliest(), timers.take_pacing(moment(200, 0))), (at(100), None)); // nothing leaves late
        timers.pace_late(Span::from_nanos(30));
        timers.pace(at(100), at(80)); // asked once more: it has been waited for since 60
        assert_eq!(timers.earliest(), at(130));
        assert_eq!((timers.take_pacing(moment(99, 98)), timers.take_pacing(moment(100, 59))), (None, None));
        assert_eq!(timers.take_pacing(moment(100, 60)), Some(at(100)));
        assert_eq!((timers.take_pacing(moment(200, 0)), timers.earliest()), (None, Time::NEVER));
        timers.pace(at(150), at(140));
        assert_eq!((timers.take_due(at(150)), timers.earliest()), (Some(Due::Pacing), Time::NEVER));
    }
}
