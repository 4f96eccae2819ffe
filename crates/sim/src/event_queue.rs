//! The event queue: a tournament between what happens often, with one player each for all the rest.
//!
//! Order is by [`Moment`], then by player. Everything that moves packets often has a player of its own: each lane
//! (only the head of a FIFO waits here), each constant-rate source and each port that schedules, at most one event at a time. Spare lanes, which
//! are as many as flows and mostly empty, play a tournament of their own for one place in the main one. What
//! is set rarely and in any number, such as timers, which senders re-arm lazily, stands in an [`Agenda`] whose
//! first event has another place.

use crate::agenda::Agenda;
use crate::event::{Event, Moment};
use crate::tournament::{RISEN, Risen, Tournament};
use sawtooth_cc::units::Time;

/// How many components of each kind play.
#[derive(Clone, Copy, Debug, Default)]
pub struct Population {
    /// Constant-rate sources.
    pub sources: u32,
    /// Lanes that are in use all the time; their numbers come first.
    pub lanes: u32,
    /// Lanes that are mostly empty.
    pub spare_lanes: u32,
    /// Ports, if any of them asks for each packet. They come after lanes: a packet that reached a port at the moment at which a
    /// transmission ends there, and was under way when it began, is in the queue when the next one is chosen.
    pub ports: u32,
    /// Links behind which packets wait for their time alone. Among equals their turn matters to nobody.
    pub passages: u32,
}

/// Player of everything in the agenda.
const AGENDA: u32 = 0;
/// Player of the first of the spare lanes.
const SPARE: u32 = 1;
/// First player of the sources.
const SOURCES: u32 = 2;

/// Events that are still to come.
#[derive(Debug)]
pub struct EventQueue {
    lanes: u32,
    ports: u32,
    first_lane: u32,
    main: Tournament,
    spare: Tournament,
    agenda: Agenda,
    now: Moment,
}

impl EventQueue {
    /// An empty queue for so many components, at time zero.
    pub fn new(population: Population) -> Self {
        let first_lane = SOURCES + population.sources;
        EventQueue {
            lanes: population.lanes,
            ports: population.ports,
            first_lane,
            main: Tournament::new(first_lane + population.lanes + population.ports + population.passages),
            spare: Tournament::new(population.spare_lanes),
            agenda: Agenda::default(),
            now: Moment::default(),
        }
    }

    /// The place of the event under way.
    #[inline(always)]
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Schedule an event of any kind but those that have players. It stays: what no longer counts must be
    /// recognised when it comes.
    pub fn schedule(&mut self, time: Time, event: Event) {
        self.agenda.add(Moment { time, cause: self.now.time }, event);
        self.play_agenda();
    }

    fn play_agenda(&mut self) {
        self.main.set(AGENDA, self.agenda.first());
    }

    /// The head of this lane, which has just come out of it, is followed by one that comes out then, if there is one.
    #[inline(always)]
    pub fn follow_lane(&mut self, lane: u32, next: Option<Moment>) {
        if lane < self.lanes {
            self.main.set_inline(self.first_lane + lane, next);
        } else {
            self.set_spare_lane(lane - self.lanes, next);
        }
    }

    /// The same, and which lanes have come nearer to their turn: that of the next event, one of the next four, sixteen and so on;
    /// numbers that are no lane's for what else waits.
    #[inline(always)]
    pub fn follow_lane_watched(&mut self, lane: u32, next: Option<Moment>) -> Risen {
        if lane < self.lanes {
            let risen = self.main.set_watched(self.first_lane + lane, next);
            risen.map(|player| player.wrapping_sub(self.first_lane))
        } else {
            self.set_spare_lane(lane - self.lanes, next);
            [u32::MAX; RISEN]
        }
    }

    /// Have what it takes to set this lane brought into the cache.
    #[inline(always)]
    pub fn foresee(&self, lane: u32) {
        if lane < self.lanes {
            self.main.foresee(self.first_lane + lane);
        }
    }

    /// How many lanes are in use all the time.
    #[inline(always)]
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The head of this lane comes out then, if there is one, instead of what stood here for the lane before.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: u32, head: Option<Moment>) {
        if lane < self.lanes {
            self.main.set(self.first_lane + lane, head);
        } else {
            self.set_spare_lane(lane - self.lanes, head);
        }
    }

    fn set_spare_lane(&mut self, lane: u32, head: Option<Moment>) {
        self.spare.set(lane, head);
        let first = self.spare.is_waiting().then(|| self.spare.first().0);
        self.main.set(SPARE, first);
    }

    /// The next tick of this source comes then, if there is one, instead of what stood here before.
    #[inline(always)]
    pub fn set_source(&mut self, source: u32, tick: Option<Time>) {
        let cause = self.now.time;
        self.main.set(SOURCES + source, tick.map(|time| Moment { time, cause }));
    }

    /// The transmission of this port ends then, if anything is sent, instead of what stood here before.
    pub fn set_port(&mut self, port: u32, end: Option<Time>) {
        let cause = self.now.time;
        self.main.set(self.first_port() + port, end.map(|time| Moment { time, cause }));
    }

    /// The first packet behind this link goes on then, if there is one.
    pub fn set_passage(&mut self, link: u32, first: Option<Moment>) {
        self.main.set(self.first_passage() + link, first);
    }

    fn first_port(&self) -> u32 {
        self.first_lane + self.lanes
    }

    fn first_passage(&self) -> u32 {
        self.first_port() + self.ports
    }

    /// The earliest event, if any comes before `end`. That of a lane, a source or a port stays until it is set again.
    #[inline(always)]
    pub fn next_before(&mut self, end: Time) -> Option<Event> {
        if !self.main.begins_before(end) {
            return None;
        }
        let (at, player) = self.main.first();
        self.now = at;
        let lane = player.wrapping_sub(self.first_lane);
        if lane < self.lanes {
            return Some(Event::LaneExit(lane));
        }
        Some(self.next_of_the_rest(player))
    }

    fn next_of_the_rest(&mut self, player: u32) -> Event {
        match player {
            AGENDA => {
                let event = self.agenda.pop().expect("the agenda plays with its first event");
                self.play_agenda();
                event
            }
            SPARE => Event::LaneExit(self.lanes + self.spare.first().1),
            link if link >= self.first_passage() => Event::Passage(link - self.first_passage()),
            port if port >= self.first_lane => Event::TransmitEnd(port - self.first_port()),
            source => Event::SourceTick(source - SOURCES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sawtooth_cc::units::Span;
    use std::collections::BTreeMap;

    const POPULATION: Population = Population { sources: 2, lanes: 9, spare_lanes: 5, ports: 2, passages: 0 };
    const LANES: u32 = 14;

    /// Take the next event out.
    fn pop(queue: &mut EventQueue) -> Option<(Moment, Event)> {
        let event = queue.next_before(Time::from_nanos(1_000))?;
        match event {
            Event::LaneExit(lane) => queue.set_lane(lane, None),
            Event::SourceTick(source) => queue.set_source(source, None),
            Event::TransmitEnd(port) => queue.set_port(port, None),
            _ => {}
        }
        Some((queue.now(), event))
    }

    /// What the queue should hold: by moment and player, in a sorted map.
    #[derive(Default)]
    struct Model {
        events: BTreeMap<(Moment, u32, Event), ()>,
    }

    impl Model {
        fn set(&mut self, at: Moment, player: u32, event: Event) {
            if player != AGENDA {
                self.events.retain(|&(_, _, other), ()| other != event);
            }
            self.events.insert((at, player, event), ());
        }
    }

    proptest! {
        /// Any mixture of settings, replacements and pops behaves like a sorted map.
        #[test]
        fn order_is_by_time_then_cause_then_player(
            operations in proptest::collection::vec(proptest::option::of((0u64..20, 0u64..3, 0..LANES + 3)), 1..400)
        ) {
            let (mut queue, mut model) = (EventQueue::new(POPULATION), Model::default());
            let nanos = Time::from_nanos;
            for (step, operation) in (0u32..).zip(operations) {
                let now = queue.now().time;
                match operation {
                    Some((time, cause, lane)) if lane < LANES => {
                        let at = Moment { time: nanos(time), cause: nanos(cause.min(time)) };
                        queue.set_lane(lane, Some(at));
                        let player = if lane < 9 { 4 + lane } else { SPARE };
                        model.set(at, player, Event::LaneExit(lane));
                    }
                    Some((time, _, who)) if who == LANES => {
                        let time = now + Span::from_nanos(time);
                        queue.set_source(1, Some(time));
                        model.set(Moment { time, cause: now }, SOURCES + 1, Event::SourceTick(1));
                    }
                    Some((time, _, who)) if who == LANES + 1 => {
                        let time = now + Span::from_nanos(time);
                        queue.set_port(1, Some(time));
                        model.set(Moment { time, cause: now }, 4 + 9 + 1, Event::TransmitEnd(1));
                    }
                    Some((time, _, _)) => {
                        let time = now + Span::from_nanos(time);
                        queue.schedule(time, Event::SenderTimer(step));
                        model.set(Moment { time, cause: now }, AGENDA, Event::SenderTimer(step));
                    }
                    None => {
                        let expected = model.events.pop_first().map(|((at, _, event), ())| (at, event));
                        prop_assert_eq!(pop(&mut queue), expected);
                    }
                }
            }
            while let Some(((at, _, event), ())) = model.events.pop_first() {
                prop_assert_eq!(pop(&mut queue), Some((at, event)));
            }
            prop_assert_eq!(pop(&mut queue), None);
        }
    }

    #[test]
    fn nothing_at_or_after_the_end_is_popped() {
        let mut queue = EventQueue::new(POPULATION);
        queue.schedule(Time::from_nanos(5), Event::WarmupEnd);
        assert_eq!(queue.next_before(Time::from_nanos(5)), None);
        assert_eq!(queue.next_before(Time::from_nanos(6)), Some(Event::WarmupEnd));
        assert_eq!(queue.now().time, Time::from_nanos(5));
    }
}
