//! The event queue: frequent events in a tournament tree, rare ones in a heap beside it.
//!
//! Events are ordered by [`Moment`], then by player, a leaf of the tree. A component that moves packets all the time has a player of
//! its own and at most one pending event: each lane (only the head of a FIFO is an event), each constant-rate source, each port that
//! asks its queue for packets. There are as many spare lanes as flows, and most are empty. They have a tree of their own, whose winner
//! is one player of the main tree. Events that are scheduled rarely and in any number are kept in an [`Agenda`], for instance timers,
//! which senders re-arm lazily. The earliest event of the agenda is another player.

use crate::agenda::Agenda;
use crate::event::{Event, Moment};
use crate::tournament::{Tournament, Winners};
use sawtooth_cc::units::Time;

/// How many players of each kind there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Population {
    /// Constant-rate sources.
    pub sources: u32,
    /// Lanes that are in use all the time. Their numbers come before those of spare lanes.
    pub lanes: u32,
    /// Spare lanes, which are mostly empty.
    pub spare_lanes: u32,
    /// Ports, if any of them asks its queue for each packet. Among equal moments they come after lanes: a packet that arrives at the
    /// moment at which a transmission ends, and left when that transmission began, is in the queue when the next packet is chosen.
    pub ports: u32,
    /// Links behind which packets wait only because nothing is done ahead (`Order::InTurn`). Among equal moments their order is
    /// irrelevant.
    pub passages: u32,
}

/// The player that stands for the agenda.
const AGENDA: u32 = 0;
/// The player that stands for the spare lanes.
const SPARE: u32 = 1;
/// The player of the first source.
const SOURCES: u32 = 2;

/// All pending events.
#[derive(Debug)]
pub struct EventQueue {
    lanes: u32,
    ports: u32,
    first_lane: u32,
    main: Tournament,
    spare: Tournament,
    agenda: Agenda,
    /// The agenda's event is being handled: its player gets the next one afterwards, once.
    in_agenda: bool,
    now: Moment,
    /// What comes at this time or later is not asked for yet.
    end: Time,
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
            in_agenda: false,
            now: Moment::default(),
            end: Time::ZERO,
        }
    }

    /// The moment of the event that is being handled.
    #[inline(always)]
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Is an event of a component without a player being handled?
    pub fn is_in_agenda(&self) -> bool {
        self.in_agenda
    }

    /// Schedule an event of a component that has no player. It cannot be cancelled: the handler must recognise an event that is
    /// out of date.
    pub fn schedule(&mut self, time: Time, event: Event) {
        self.schedule_at(Moment { time, cause: self.now.time }, event);
    }

    /// The same, with a cause of its own.
    pub fn schedule_at(&mut self, at: Moment, event: Event) {
        let is_first = self.agenda.first().is_none_or(|first| at < first);
        self.agenda.add(at, event);
        if is_first && !self.in_agenda {
            self.main.set(AGENDA, Some(at));
        }
    }

    /// An event of a component without a player has been handled.
    pub fn leave_agenda(&mut self) {
        self.in_agenda = false;
        self.main.set(AGENDA, self.agenda.first());
    }

    /// Does nothing of the agenda come before this moment, nor the end of what is asked for? Then it is the present from now on, although
    /// other events may come before.
    #[inline(always)]
    pub fn settle(&mut self, at: Moment) -> bool {
        let comes_first = at.time < self.end && self.agenda.first().is_none_or(|first| at < first);
        if comes_first {
            self.now = at;
        }
        comes_first
    }

    /// The same where of the agenda only what comes at this time or later matters.
    #[inline(always)]
    pub fn settle_before(&mut self, at: Moment, time: Time) -> bool {
        let comes_first = at.time < self.end && at.time < time;
        if comes_first {
            self.now = at;
        }
        comes_first
    }

    /// Something that happened at this moment is done only now; or it has been done, and this is the present again.
    pub fn look_back_to(&mut self, at: Moment) {
        self.now = at;
    }

    /// The head of this lane, which is no spare one, has just left it. The next packet leaves at the moment `next`, if there is one.
    #[inline(always)]
    pub fn follow_lane(&mut self, lane: u32, next: Option<Moment>) {
        self.main.set_inline(self.first_lane + lane, next);
    }

    /// The same. Also returns which lanes won the last rounds of the tree: the next event's, one of the next four, of the next
    /// sixteen and so on. A number that is no lane's stands for another player.
    #[inline(always)]
    pub fn follow_lane_watched(&mut self, lane: u32, next: Option<Moment>) -> Winners {
        let winners = self.main.set_watched(self.first_lane + lane, next);
        winners.map(|player| player.wrapping_sub(self.first_lane))
    }

    /// Prefetch the part of the tree that scheduling this lane will touch.
    #[inline(always)]
    pub fn prefetch(&self, lane: u32) {
        if lane < self.lanes {
            self.main.prefetch(self.first_lane + lane);
        }
    }

    /// How many lanes are in use all the time.
    #[inline(always)]
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// Set the moment at which the head of this lane leaves it, in place of the one set before; `None`: the lane is empty.
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

    /// Set the time of the next packet of this source, in place of the one set before; `None`: the source is silent.
    #[inline(always)]
    pub fn set_source(&mut self, source: u32, tick: Option<Time>) {
        let cause = self.now.time;
        self.main.set(SOURCES + source, tick.map(|time| Moment { time, cause }));
    }

    /// Set the time at which the transmission of this port ends, in place of the one set before; `None`: nothing is being sent.
    pub fn set_port(&mut self, port: u32, end: Option<Time>) {
        let cause = self.now.time;
        self.main.set(self.first_port() + port, end.map(|time| Moment { time, cause }));
    }

    /// Set the moment at which the first packet behind this link goes on; `None`: there is none.
    pub fn set_passage(&mut self, link: u32, first: Option<Moment>) {
        self.main.set(self.first_passage() + link, first);
    }

    fn first_port(&self) -> u32 {
        self.first_lane + self.lanes
    }

    fn first_passage(&self) -> u32 {
        self.first_port() + self.ports
    }

    /// The earliest event, if it comes before `end`. An event of a component with a player stays pending until it is set again; any other
    /// is followed by a call of [`EventQueue::leave_agenda`].
    #[inline(always)]
    pub fn next_before(&mut self, end: Time) -> Option<Event> {
        if !self.main.begins_before(end) {
            return None;
        }
        let (at, player) = self.main.first();
        (self.now, self.end) = (at, end);
        let lane = player.wrapping_sub(self.first_lane);
        if lane < self.lanes {
            return Some(Event::LaneExit(lane));
        }
        Some(self.next_of_the_rest(player))
    }

    fn next_of_the_rest(&mut self, player: u32) -> Event {
        match player {
            AGENDA => {
                self.in_agenda = true;
                self.agenda.pop().expect("the agenda's player has an event")
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

    /// Remove the next event.
    fn pop(queue: &mut EventQueue) -> Option<(Moment, Event)> {
        let event = queue.next_before(Time::from_nanos(1_000))?;
        match event {
            Event::LaneExit(lane) => queue.set_lane(lane, None),
            Event::SourceTick(source) => queue.set_source(source, None),
            Event::TransmitEnd(port) => queue.set_port(port, None),
            _ => queue.leave_agenda(),
        }
        Some((queue.now(), event))
    }

    /// A naive queue to compare with: a map sorted by moment and player.
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
        /// Any sequence of operations behaves like the sorted map.
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
