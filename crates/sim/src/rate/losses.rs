//! What is lost, and which losses are one event: the receiver's side of TFRC.
//!
//! Source: RFC 5348 §5.1 (a packet is lost when three with higher numbers have arrived), §5.2 (interpolation gives its arrival time;
//! losses within a round trip of the beginning of a loss event belong to that event); [FloydHandley00] §3.3. A mark is a loss that
//! needs no further packets (RFC 5348 §5.1).
//!
//! | parameter | unit    | default | why              |
//! |-----------|---------|---------|------------------|
//! | NDUPACK   | packets | 3       | RFC 5348 §5.1    |

use sawtooth_cc::units::{Span, Time};
use std::collections::VecDeque;

/// Packets with higher numbers that make one lost.
const NDUPACK: u32 = 3;

/// Numbers missing in a row, between two packets that came.
#[derive(Clone, Copy, Debug)]
struct Hole {
    /// First number missing, and one past the last.
    first: u32,
    end: u32,
    /// When the packet before came, and the one after.
    before: Time,
    after: Time,
    /// Packets that have come since, the one after included.
    later: u32,
}

impl Hole {
    /// When a missing packet would have come, had the numbers come evenly.
    fn nominal(&self, number: u32) -> Time {
        let steps = u128::from(self.end - self.first) + 1;
        let step = u128::from(number - self.first) + 1;
        let gap = u128::from((self.after - self.before).nanos());
        self.before + Span::from_nanos((gap * step / steps) as u64)
    }
}

/// The beginning of a loss event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossEvent {
    /// The first packet of it that was lost or marked.
    pub number: u32,
    /// When that came, or would have.
    pub at: Time,
    /// It was marked.
    pub marked: bool,
}

/// What a receiver knows about losses.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// One past the highest number that came.
    next: u32,
    newest_at: Time,
    holes: VecDeque<Hole>,
    event: Option<LossEvent>,
}

impl Losses {
    /// A packet came, `marked` or not, while a round trip took `rtt`. Calls `begins` for each loss event that this reveals, with the
    /// event before it, in the order of the packets.
    pub fn on_packet(
        &mut self,
        number: u32,
        marked: bool,
        now: Time,
        rtt: Span,
        mut begins: impl FnMut(LossEvent, Option<LossEvent>),
    ) {
        if number < self.next {
            self.fill(number);
        } else {
            for hole in &mut self.holes {
                hole.later += 1;
            }
            if number > self.next {
                let before = if self.next == 0 { now } else { self.newest_at };
                self.holes.push_back(Hole { first: self.next, end: number, before, after: now, later: 1 });
            }
            (self.next, self.newest_at) = (number + 1, now);
        }
        while let Some(hole) = self.holes.front().copied().filter(|hole| hole.later >= NDUPACK) {
            self.holes.pop_front();
            for missing in hole.first..hole.end {
                let lost = LossEvent { number: missing, at: hole.nominal(missing), marked: false };
                self.note(lost, rtt, &mut begins);
            }
        }
        if marked {
            self.note(LossEvent { number, at: now, marked }, rtt, &mut begins);
        }
    }

    fn note(&mut self, lost: LossEvent, rtt: Span, begins: &mut impl FnMut(LossEvent, Option<LossEvent>)) {
        if self.event.is_none_or(|event| lost.at > event.at + rtt) {
            begins(lost, self.event);
            self.event = Some(lost);
        }
    }

    /// A packet came late, after one with a higher number: it is no longer missing.
    #[cold]
    fn fill(&mut self, number: u32) {
        let holds = |hole: &Hole| (hole.first..hole.end).contains(&number);
        let Some(place) = self.holes.iter().position(holds) else { return };
        let hole = self.holes[place];
        let sides = [Hole { end: number, ..hole }, Hole { first: number + 1, ..hole }];
        self.holes.remove(place);
        for side in sides.into_iter().rev().filter(|side| side.first < side.end) {
            self.holes.insert(place, side);
        }
    }

    /// One past the highest number that came.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Packets since the last loss event began, the lost one included; 0 before the first event.
    pub fn open_interval(&self) -> u32 {
        self.event.map_or(0, |event| self.next.saturating_sub(event.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers at which loss events begin when these packets come, one every 10 ms, with a round trip of 45 ms.
    fn events(numbers: &[u32], marked: &[u32]) -> Vec<u32> {
        let mut losses = Losses::default();
        let mut found = Vec::new();
        for (place, &number) in (0u64..).zip(numbers) {
            let now = Time::from_nanos(place * 10_000_000);
            losses.on_packet(number, marked.contains(&number), now, Span::from_millis(45), |event, _| {
                found.push(event.number);
            });
        }
        found
    }

    #[test]
    fn three_later_packets_make_a_loss() {
        assert_eq!(events(&[0, 1, 3, 4], &[]), [0u32; 0]);
        assert_eq!(events(&[0, 1, 3, 4, 5], &[]), [2]);
    }

    #[test]
    fn a_late_packet_is_not_lost() {
        assert_eq!(events(&[0, 1, 3, 4, 2, 5, 6, 7], &[]), [0u32; 0]);
        assert_eq!(events(&[0, 1, 5, 6, 3, 7, 8, 9], &[]), [2]);
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        // 2 is lost at 15 ms, 6 at 45 ms: 30 ms later; 9 at 65 ms: beyond 45 ms after the first.
        assert_eq!(events(&[0, 1, 3, 4, 5, 7, 8, 10, 11, 12], &[]), [2, 9]);
    }

    #[test]
    fn a_hole_of_many_packets_may_hold_two_events() {
        let mut losses = Losses::default();
        let mut found = Vec::new();
        let times = [(0, 0), (9, 100), (10, 110), (11, 120)];
        for (number, millis) in times {
            let now = Time::ZERO + Span::from_millis(millis);
            losses.on_packet(number, false, now, Span::from_millis(45), |event, before| {
                found.push((event.number, event.at, before.map(|before| before.number)));
            });
        }
        // 100 ms over nine steps: packet k would have come at 100 k / 9 ms.
        let at = |k: u64| Time::from_nanos(100_000_000 * k / 9);
        assert_eq!(found, [(1, at(1), None), (6, at(6), Some(1))]);
        assert_eq!(losses.open_interval(), 12 - 6);
    }

    #[test]
    fn a_mark_begins_an_event_at_once() {
        assert_eq!(events(&[0, 1, 2], &[2]), [2]);
        assert_eq!(events(&[0, 1, 2, 3, 4, 5, 6, 7], &[2, 4, 7]), [2, 7]);
    }
}
