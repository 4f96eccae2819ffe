//! Acknowledgements that wait for each other and leave together, as a radio link lets them out (`ack_aggregation`).
//!
//! Source: none; the shortest model of a link that sends when it has its turn. The first acknowledgement waits for the whole time, each
//! later one for what is left of it, and none is thinned out.

use crate::packet::Packet;
use sawtooth_cc::units::{Span, Time};
use std::collections::VecDeque;

/// What a receiver holds back.
#[derive(Clone, Debug)]
pub struct Hold {
    span: Span,
    until: Time,
    acks: VecDeque<Packet>,
}

impl Hold {
    /// Acknowledgements wait for up to so long; none at all if they do not.
    pub fn new(span: Span) -> Option<Self> {
        (span > Span::ZERO).then(|| Hold { span, until: Time::NEVER, acks: VecDeque::new() })
    }

    /// Keep one that is made now; when it leaves.
    pub fn keep(&mut self, ack: Packet, now: Time) -> Time {
        self.until = self.until.min(now + self.span);
        self.acks.push_back(ack);
        self.until
    }

    /// When they leave; `NEVER` if there are none.
    pub fn ends(&self) -> Time {
        self.until
    }

    /// The first of them, once they may leave.
    pub fn let_go(&mut self, now: Time) -> Option<Packet> {
        if self.until > now {
            return None;
        }
        let ack = self.acks.pop_front();
        if ack.is_none() {
            self.until = Time::NEVER;
        }
        ack
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.acks.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;

    #[test]
    fn the_first_waits_for_the_whole_time_and_all_leave_together() {
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        let ack = |number| Packet::new(PacketKind::Ack, 0, number, 40, 0);
        let mut hold = Hold::new(Span::from_millis(5)).expect("a positive time");
        assert_eq!((hold.keep(ack(1), at(10)), hold.keep(ack(2), at(14))), (at(15), at(15)));
        assert_eq!((hold.let_go(at(14)), hold.len()), (None, 2));
        assert_eq!(hold.let_go(at(15)), Some(ack(1)));
        assert_eq!(hold.let_go(at(15)), Some(ack(2)));
        assert_eq!((hold.let_go(at(15)), hold.ends()), (None, Time::NEVER));
        assert_eq!(hold.keep(ack(3), at(20)), at(25));
        assert!(Hold::new(Span::ZERO).is_none());
    }
}
