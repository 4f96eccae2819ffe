//! Deficit round robin: one queue per flow, served in turn for a quantum of bytes each.
//!
//! Source: [ShreedharVarghese96] §3; the order of operations where the paper leaves it open is that of ns-2.
//!
//! | parameter | unit    | default | why                                                                       |
//! |-----------|---------|---------|---------------------------------------------------------------------------|
//! | packets   | packets | given   | the buffer that all queues share, in packets, or                          |
//! | bytes     | bytes   | given   | in bytes; neither counts the packet in transmission, which is in no queue |
//! | quantum   | bytes   | 1000    | one packet of the usual size, as ns-2's users set it                      |
//!
//! Each flow has a queue, its acknowledgements another, each constant-rate source one too. Queues with packets stand in a round; a new
//! one joins at its end, with no deficit. At its turn, a queue adds the quantum to its deficit and sends while the packet at its head
//! fits into the deficit. A queue that becomes empty leaves the round and loses its deficit. Whether a turn is over is decided when the
//! transmitter is free again, not before. So the bytes sent by two queues that are not empty never differ by more than quantum + 2 ·
//! largest packet ([ShreedharVarghese96] §3.2).
//!
//! The buffer is shared: an arrival is always queued. If the buffer overflows, packets are dropped from the head of the longest queue,
//! in bytes, until it fits. Among queues of equal length, the one whose turn comes first loses packets; the one whose turn it is comes
//! before all. With a thousand short queues this decides what happens to a flow of two packets (docs/validation.md).
//!
//! No queue is searched for. The next queue is one step along the round. The longest queue comes from [`Longest`]. The cost of a packet
//! grows with packet size ÷ quantum where the quantum is smaller. An empty queue takes four bytes, by which its flow finds it.
//!
//! Differs from the paper: queues belong to flows instead of hash values, so there are no collisions. Differs from ns-2: a queue that
//! lost its last packet to another's arrival in its own turn gets its quantum when it comes back.

use super::chain::{Chain, Store};
use super::limit::Limit;
use super::longest::Longest;
use super::owner::{OWNER_KINDS, Owner};
use super::{
    Backlog, DisciplineInfo, DisciplineParameter, DisciplineSpec, DropReason, QueueContext, QueueDiscipline,
    Queued, Rate, ScenarioError, require,
};
use crate::packet::Packet;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "one queue per flow, served in turn; a full buffer drops from the head of the longest queue",
    source: "ShreedharVarghese96",
    schedules: true,
    keeps_flows_apart: true,
    parameters: &[DisciplineParameter::new(
        "quantum",
        "size",
        "bytes",
        "1 B to 1 MB",
        "Bytes that a turn adds to the deficit of a queue. Default: one packet of the usual size",
    )
    .of_sharing()],
    ..DisciplineInfo::BLANK
};

/// The largest quantum: many packets, and far from overflow.
const QUANTUM_MAX: u32 = 1_000_000;

/// The numbers of deficit round robin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrrSpec {
    /// Packets of all queues, the one in transmission not included.
    pub packets: Option<u64>,
    /// Bytes of all queues, the packet in transmission not included.
    pub bytes: Option<u64>,
    /// Bytes that a queue may send in its turn.
    pub quantum: u32,
}

impl Default for DrrSpec {
    fn default() -> Self {
        DrrSpec { packets: None, bytes: None, quantum: 1000 }
    }
}

impl DisciplineSpec for DrrSpec {
    type Discipline = Drr;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let known = (1..=QUANTUM_MAX).contains(&self.quantum);
        require(known, format!("{path}.quantum"), self.quantum, "1 to 1000000 bytes")
    }

    fn build(&self, _: Rate) -> Drr {
        Drr::new(self.buffer(), self.quantum)
    }
}

/// No place.
const NONE: u32 = u32::MAX;

/// A queue that is not empty, or the place of one, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Member {
    /// Whose packets these are.
    owner: Owner,
    packets: Chain,
    deficit: u64,
    has_turn: bool,
    /// The number of its next turn, or of this one: the round is in the order of these.
    turn: u64,
    /// Its neighbours in the round.
    before: u32,
    after: u32,
}

/// Deficit round robin.
#[derive(Debug)]
pub struct Drr {
    quantum: u64,
    limit: Limit,
    backlog: Backlog,
    /// By kind and number of an owner, one more than the place of its queue; 0 if it has none.
    place_of: [Vec<u32>; OWNER_KINDS],
    members: Vec<Member>,
    free_members: Vec<u32>,
    store: Store,
    /// Whose turn it is, if anything waits.
    current: u32,
    /// Turns given so far.
    turns: u64,
    longest: Longest,
}

impl Drr {
    /// An empty queue.
    pub fn new(limit: Limit, quantum: u32) -> Self {
        Drr {
            quantum: u64::from(quantum),
            limit,
            backlog: Backlog::default(),
            place_of: Default::default(),
            members: Vec::new(),
            free_members: Vec::new(),
            store: Store::default(),
            current: NONE,
            turns: 0,
            longest: Longest::default(),
        }
    }

    /// The queue of a packet; an empty one joins the round.
    fn queue_of(&mut self, packet: Packet) -> u32 {
        let owner = Owner::of(packet);
        let places = &mut self.place_of[usize::from(owner.kind)];
        let number = owner.number as usize;
        if number >= places.len() {
            places.resize((number + 1).next_power_of_two(), 0);
        }
        match places[number] {
            0 => {
                let place = self.join(owner);
                self.place_of[usize::from(owner.kind)][number] = place + 1;
                place
            }
            known => known - 1,
        }
    }

    /// A queue more, at the end of the round: the one whose turn it is has the others before it.
    fn join(&mut self, owner: Owner) -> u32 {
        let place = self.free_members.pop().unwrap_or(self.members.len() as u32);
        let (before, after) = match self.current {
            NONE => (place, place),
            current => (self.members[current as usize].before, current),
        };
        let turn = self.next_turn();
        let member =
            Member { owner, packets: Chain::default(), deficit: 0, has_turn: false, turn, before, after };
        if place as usize == self.members.len() {
            self.members.push(member);
        } else {
            self.members[place as usize] = member;
        }
        self.members[before as usize].after = place;
        self.members[after as usize].before = place;
        if self.current == NONE {
            self.current = place;
        }
        place
    }

    fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// The queue whose turn it was gets its next one after all others.
    fn end_turn(&mut self) {
        let (place, turn) = (self.current, self.next_turn());
        let member = &mut self.members[place as usize];
        member.has_turn = false;
        member.turn = turn;
        self.current = member.after;
    }

    /// The longest queue; of several the one whose turn comes first.
    fn longest(&mut self) -> Option<u32> {
        let members = &self.members;
        self.longest.first(|place| {
            let member = &members[place as usize];
            (member.packets.bytes(), member.turn)
        })
    }

    /// An empty queue leaves the round.
    fn leave(&mut self, place: u32) {
        let Member { owner, before, after, .. } = self.members[place as usize];
        self.members[before as usize].after = after;
        self.members[after as usize].before = before;
        if self.current == place {
            self.current = if after == place { NONE } else { after };
        }
        self.place_of[usize::from(owner.kind)][owner.number as usize] = 0;
        self.free_members.push(place);
    }

    #[inline(always)]
    fn append(&mut self, place: u32, queued: Queued) {
        self.store.append(&mut self.members[place as usize].packets, queued);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(queued.packet.bytes());
        self.longest.note_growth(place);
    }

    /// Take the head out of a queue.
    #[inline(always)]
    fn take(&mut self, place: u32) -> Queued {
        let packets = &mut self.members[place as usize].packets;
        let queued = self.store.take(packets);
        let is_empty = packets.is_empty();
        self.note_removal(place, queued, is_empty);
        queued
    }

    /// A queue has a packet less.
    #[inline(always)]
    fn note_removal(&mut self, place: u32, queued: Queued, is_empty: bool) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(queued.packet.bytes());
        if is_empty {
            self.leave(place);
        }
    }
}

impl QueueDiscipline for Drr {
    fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>) {
        let place = self.queue_of(arrival.packet);
        self.append(place, arrival);
        while self.limit.is_exceeded_by(self.backlog) {
            let longest = self.longest().expect("more waits than fits");
            let dropped = self.take(longest);
            context.drop(dropped, DropReason::Full);
        }
    }

    fn dequeue(&mut self, _: &mut QueueContext<'_>) -> Option<Queued> {
        if self.current == NONE {
            return None;
        }
        loop {
            let member = &mut self.members[self.current as usize];
            if !member.has_turn {
                member.has_turn = true;
                member.deficit += self.quantum;
            }
            let head = self.store.head_bytes(&member.packets);
            if head <= member.deficit {
                member.deficit -= head;
                let (place, after) = (self.current, member.after);
                let sent = self.take(place);
                self.store.prefetch_head(&self.members[after as usize].packets); // the next turn, mostly
                return Some(sent);
            }
            self.end_turn();
        }
    }

    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        _: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        let known = *self.place_of[usize::from(owner.kind)].get(owner.number as usize)?;
        let place = known.checked_sub(1)?;
        let packets = &mut self.members[place as usize].packets;
        let removed = self.store.remove(packets, owner, wanted)?;
        let is_empty = packets.is_empty();
        self.note_removal(place, removed, is_empty);
        Some(removed)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketKind;
    use crate::queue::TransmitterState;
    use crate::queue::counters::Tally;
    use crate::random::Stream;
    use sawtooth_cc::units::Time;

    #[test]
    fn flows_that_have_ended_leave_no_place_behind() {
        let mut drr = Drr::new(Limit::Packets(100), 1000);
        let transmitter = TransmitterState {
            now: Time::ZERO,
            in_transmission: Backlog::default(),
            idle_since: Time::NEVER,
        };
        let mut context = QueueContext {
            transmitter: &transmitter,
            random: &mut Stream::new("1", "test"),
            tally: &mut Tally::default(),
            signals: &mut Vec::new(),
        };
        for flow in 0..10_000 {
            for kind in [PacketKind::Data, PacketKind::Ack, PacketKind::Cbr] {
                let packet = Packet::new(kind, flow, 0, 1000, 0);
                drr.enqueue(Queued { packet, ..Queued::default() }, &mut context);
            }
            assert_eq!(drr.members.len(), 3, "the same number names three queues");
            (0..3).for_each(|_| assert!(drr.dequeue(&mut context).is_some()));
        }
        assert_eq!((drr.store.room(), drr.backlog, drr.current), (3, Backlog::default(), NONE));
    }
}
