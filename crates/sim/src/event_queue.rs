//! The event queue: a knock-out tournament between what happens often, with one player for all the rest.
//!
//! Order is by [`Moment`], then by player. Everything that moves packets has a player of its own: each lane
//! (only the head of a FIFO waits here) and each constant-rate source, at most one event at a time. What
//! is set rarely and in any number, such as timers, which senders re-arm lazily, stands in a heap whose
//! head is player 0. So the tournament has few players, and a change replays log₂ of their number matches.
//! Their opponents are known beforehand, a whole place in the order is one number, and the number of players is filled
//! up to a power of two, so that a replay has no branch that could be mispredicted: five matches take about 6 ns.

use crate::event::{Event, Moment};
use sawtooth_cc::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::select_unpredictable;

/// A place in the order of events, and whose it is: the time, and in one number how long the cause lies back (the
/// longer, the earlier; beyond 18 minutes all the same), then the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: u64,
    rest: u64,
}

impl Key {
    const PLAYER_BITS: u32 = 24;
    const LEAD_MAX: u64 = (1 << (64 - Self::PLAYER_BITS)) - 1;

    #[inline(always)]
    fn new(at: Moment, player: u32) -> Self {
        let lead = (at.time.nanos() - at.cause.nanos()).min(Self::LEAD_MAX);
        let rest = (Self::LEAD_MAX - lead) << Self::PLAYER_BITS | u64::from(player);
        Key { time: at.time.nanos(), rest }
    }

    /// Of a player with nothing to do: never, and never at the same time as another.
    const fn idle(player: u32) -> Self {
        Key { time: Time::NEVER.nanos() - player as u64, rest: player as u64 }
    }

    #[inline(always)]
    fn player(self) -> u32 {
        self.rest as u32 & ((1 << Self::PLAYER_BITS) - 1)
    }

    #[inline(always)]
    fn moment(self) -> Moment {
        let lead = Self::LEAD_MAX - (self.rest >> Self::PLAYER_BITS);
        Moment { time: Time::from_nanos(self.time), cause: Time::from_nanos(self.time - lead) }
    }

    /// The lesser of two keys. Which one it is cannot be foreseen, so the choice is no branch; equal times are rare.
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        if other.time == self.time {
            return lesser_cause(self, other);
        }
        let less = other.time < self.time;
        Key {
            time: select_unpredictable(less, other.time, self.time),
            rest: select_unpredictable(less, other.rest, self.rest),
        }
    }
}

#[cold]
#[inline(never)]
fn lesser_cause(one: Key, other: Key) -> Key {
    one.min(other)
}

/// How many components of each kind play.
#[derive(Clone, Copy, Debug, Default)]
pub struct Population {
    /// Constant-rate sources.
    pub sources: u32,
    /// Lanes.
    pub lanes: u32,
}

/// Player of everything in the heap.
const HEAP: u32 = 0;
/// Player of the packets that found no place in their lanes.
const STRAGGLERS: u32 = 1;
/// First player of the sources.
const SOURCES: u32 = 2;

/// Events that are still to come.
#[derive(Debug)]
pub struct EventQueue {
    first_lane: u32,
    /// Node 1 is the final, node n's players won nodes 2n and 2n + 1, the last half are the players.
    nodes: Vec<Key>,
    heap: BinaryHeap<Reverse<(Moment, Event)>>,
    now: Moment,
}

impl EventQueue {
    /// An empty queue for so many components, at time zero.
    pub fn new(population: Population) -> Self {
        let first_lane = SOURCES + population.sources;
        let players = (first_lane + population.lanes).next_power_of_two();
        assert!(players < 1 << Key::PLAYER_BITS, "{players} players have no number each");
        let mut nodes: Vec<Key> =
            (0..2 * players).map(|node| Key::idle(node.saturating_sub(players))).collect();
        for node in (1..players as usize).rev() {
            nodes[node] = nodes[2 * node].min(nodes[2 * node + 1]);
        }
        EventQueue { first_lane, nodes, heap: BinaryHeap::new(), now: Moment::default() }
    }

    /// The place of the event under way.
    #[inline(always)]
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Schedule an event of any kind but those that have players. It stays: what no longer counts must be
    /// recognised when it comes.
    pub fn schedule(&mut self, time: Time, event: Event) {
        self.heap.push(Reverse((Moment { time, cause: self.now.time }, event)));
        self.play_heap();
    }

    fn play_heap(&mut self) {
        let at = self.heap.peek().map(|&Reverse((at, _))| at);
        self.set(HEAP, at);
    }

    /// The head of this lane comes out then, if there is one, instead of what stood here for the lane before.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: u32, head: Option<Moment>) {
        self.set(self.first_lane + lane, head);
    }

    /// The next tick of this source comes then, if there is one, instead of what stood here before.
    #[inline(always)]
    pub fn set_source(&mut self, source: u32, tick: Option<Time>) {
        let cause = self.now.time;
        self.set(SOURCES + source, tick.map(|time| Moment { time, cause }));
    }

    /// The first straggler comes then, if there is one, instead of what stood here before.
    pub fn set_stragglers(&mut self, first: Option<Moment>) {
        self.set(STRAGGLERS, first);
    }

    #[inline(always)]
    fn set(&mut self, player: u32, at: Option<Moment>) {
        self.play(player, at.map_or(Key::idle(player), |at| Key::new(at, player)));
    }

    /// The earliest event, if any comes before `end`. For an event of a player that stays until the player is set again.
    #[inline(always)]
    pub fn next_before(&mut self, end: Time) -> Option<Event> {
        let first = self.nodes[1];
        if first.time >= end.nanos() {
            return None;
        }
        self.now = first.moment();
        let player = first.player();
        if player >= self.first_lane {
            return Some(Event::LaneExit(player - self.first_lane));
        }
        Some(self.next_rare(player))
    }

    fn next_rare(&mut self, player: u32) -> Event {
        match player {
            HEAP => {
                let Reverse((_, event)) = self.heap.pop().expect("the heap plays with its head");
                self.play_heap();
                event
            }
            STRAGGLERS => Event::StragglerExit,
            _ => Event::SourceTick(player - SOURCES),
        }
    }

    /// Give a player its place and replay its matches.
    #[inline]
    fn play(&mut self, player: u32, key: Key) {
        let nodes = self.nodes.as_mut_slice();
        let Some(last) = nodes.len().checked_sub(1) else { return };
        let mut winner = key;
        let mut node = (nodes.len() / 2 + player as usize) & last;
        nodes[node] = winner;
        while node > 1 {
            winner = winner.lesser(nodes[(node ^ 1) & last]);
            node /= 2;
            nodes[node & last] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sawtooth_cc::units::Span;
    use std::collections::BTreeMap;

    const LANES: u32 = 13;

    fn queue() -> EventQueue {
        EventQueue::new(Population { lanes: LANES, sources: 2 })
    }

    /// Take the next event out.
    fn pop(queue: &mut EventQueue) -> Option<(Moment, Event)> {
        let event = queue.next_before(Time::from_nanos(1_000))?;
        match event {
            Event::LaneExit(lane) => queue.set_lane(lane, None),
            Event::SourceTick(source) => queue.set_source(source, None),
            Event::StragglerExit => queue.set_stragglers(None),
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
            if player != HEAP {
                self.events.retain(|&(_, other, _), ()| other != player);
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
            let (mut queue, mut model) = (queue(), Model::default());
            let nanos = Time::from_nanos;
            for (step, operation) in (0u32..).zip(operations) {
                let popped_before = queue.now().time;
                match operation {
                    Some((time, cause, who)) if who < LANES => {
                        let at = Moment { time: nanos(time), cause: nanos(cause.min(time)) };
                        queue.set_lane(who, Some(at));
                        model.set(at, SOURCES + 2 + who, Event::LaneExit(who));
                    }
                    Some((time, _, who)) if who == LANES => {
                        let time = popped_before + Span::from_nanos(time);
                        let at = Moment { time, cause: popped_before };
                        queue.set_source(1, Some(time));
                        model.set(at, SOURCES + 1, Event::SourceTick(1));
                    }
                    Some((time, cause, who)) if who == LANES + 1 => {
                        let at = Moment { time: nanos(time), cause: nanos(cause.min(time)) };
                        queue.set_stragglers(Some(at));
                        model.set(at, STRAGGLERS, Event::StragglerExit);
                    }
                    Some((time, _, _)) => {
                        let time = popped_before + Span::from_nanos(time);
                        let at = Moment { time, cause: popped_before };
                        queue.schedule(time, Event::RetransmitTimer(step));
                        model.set(at, HEAP, Event::RetransmitTimer(step));
                    }
                    None => {
                        let expected = model.events.pop_first().map(|((at, _, event), ())| (at, event));
                        let found = pop(&mut queue);
                        prop_assert_eq!(found, expected);
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
        let mut queue = queue();
        queue.schedule(Time::from_nanos(5), Event::WarmupEnd);
        assert_eq!(queue.next_before(Time::from_nanos(5)), None);
        assert_eq!(queue.next_before(Time::from_nanos(6)), Some(Event::WarmupEnd));
        assert_eq!(queue.now().time, Time::from_nanos(5));
    }
}
