//! The path of one packet through the network: links, ports, and waiting for its turn in between.
//!
//! In one event a packet goes on as far as its way is certain. `ahead` explains what that means and why it changes no result.

use super::{LinkImpairments, Network};
use crate::event::Moment;
use crate::impairment::Impairment;
use crate::lane::Placed;
use crate::observation::{Kinds, Occurrence, Site};
use crate::packet::{CE, ECT, Packet, PacketKind};
use crate::port::Transmitter;
use crate::queue::{Admission, DropReason, QueueState, Queued, is_impairable};
use crate::topology::{BOTTLENECK, FIRST_PASSAGE, FIRST_WIRE, NO_LANE, Place, Stage, StageIndex};
use sawtooth_cc::units::{Span, Time};

impl Network {
    /// A packet goes on from this stage as far as its way is certain; `at` is the moment of its arrival there.
    pub(super) fn travel(&mut self, mut packet: Packet, mut index: StageIndex, mut at: Moment) {
        loop {
            let stage = self.stages[index as usize];
            let mut late = false;
            if let Some(link) = stage.link() {
                let crossed = self.cross_link(stage, link, packet, at.time);
                let Some((survivor, exit, had_to_queue)) = crossed else { return };
                (packet, at.time, late) = (survivor, exit, had_to_queue);
            } else if let Place::Port(port) = stage.place() {
                let Some((admitted, departure, delay)) = self.enter_port(port, packet, index, at.time) else {
                    return;
                };
                packet = admitted;
                let Some(arrival) = self.leave_port(delay, stage, departure) else { return };
                at = arrival;
            } else {
                let Some((answer, route)) = self.arrive(packet, at) else { return };
                (packet, index) = (answer, route);
                at.cause = at.time;
                continue;
            }
            if stage.lane() != NO_LANE {
                self.wait(stage, late, packet, at);
                return;
            }
            index = stage.next();
        }
    }

    /// A packet crosses one link and waits behind it.
    #[inline(always)]
    pub(super) fn pass_one_link(&mut self, stage: Stage, link: u32, packet: Packet, at: Moment) {
        if let Some((survivor, time, late)) = self.cross_link(stage, link, packet, at.time) {
            self.wait(stage, late, survivor, Moment { time, ..at });
        }
    }

    /// A packet crosses the link of a stage. Returns the packet, perhaps marked, when it comes out, and whether it had to queue, where that
    /// matters; `None` if it is dropped or the run ends before it enters.
    #[inline(always)]
    fn cross_link(
        &mut self,
        stage: Stage,
        link: u32,
        packet: Packet,
        now: Time,
    ) -> Option<(Packet, Time, bool)> {
        let pipe = &mut self.links[link as usize];
        let late = stage.spare() != NO_LANE && pipe.is_busy_at(now);
        if pipe.is_impaired {
            let (survivor, exit) = self.cross_impaired(link, packet, now)?;
            return Some((survivor, exit, late));
        }
        Some((packet, pipe.pass(packet.bytes(), now), late))
    }

    /// A packet waits for its turn at the next place; `late`: it had to queue for its link.
    #[inline(always)]
    pub(super) fn wait(&mut self, stage: Stage, late: bool, packet: Packet, at: Moment) {
        let mut index = if late { stage.spare() } else { stage.lane() };
        let Some(mut placed) = self.lanes.push(index, packet, at) else {
            return self.wait_in_passing(stage, packet, at);
        };
        if placed == Placed::Nowhere {
            index = stage.spare();
            placed = self.lanes.push(index, packet, at).expect("a lane that is shared has spare ones");
        }
        match placed {
            Placed::Behind => {}
            Placed::First => self.events.set_lane(index, Some(at)),
            Placed::Nowhere => {
                unreachable!("packets leave a link in the order in which they entered it")
            }
        }
    }

    /// A packet waits for its time and for nothing else; then it goes on as it would have done at once.
    #[cold]
    fn wait_in_passing(&mut self, stage: Stage, packet: Packet, mut at: Moment) {
        if stage.lane() >= FIRST_WIRE {
            return self.enter_wire(stage, packet, at);
        }
        if matches!(stage.place(), Place::Port(_)) {
            at.cause = at.time; // as `leave_port` has it where the packet goes on at once
        }
        let link = stage.lane() - FIRST_PASSAGE;
        let passage = &mut self.passages[link as usize];
        passage.push_back((at, packet, stage.next()));
        if passage.len() == 1 {
            self.events.set_passage(link, Some(at));
        }
    }

    /// The time of the first packet behind this link has come.
    #[cold]
    pub(super) fn pass_on(&mut self, link: u32) {
        let passage = &mut self.passages[link as usize];
        let (at, packet, stage) = passage.pop_front().expect("an event stands for a packet");
        let next = passage.front().map(|&(at, ..)| at);
        self.events.set_passage(link, next);
        self.travel(packet, stage, at);
    }

    /// A packet crosses a link with impairments. Returns the packet, perhaps marked, and when it leaves; `None` if it is dropped or the
    /// run ends before it enters.
    #[cold]
    fn cross_impaired(&mut self, index: u32, mut packet: Packet, now: Time) -> Option<(Packet, Time)> {
        if now >= self.measured.to {
            self.census.beyond_end += 1;
            return None;
        }
        let is_impairable = is_impairable(packet);
        let impairments = self.impairments.get_mut(&index).expect("an impaired link has impairments");
        let LinkImpairments { link, drop, loss, mark, policer } = impairments;
        let site = Site::Link(*link);
        let hit = |impairment: &mut Option<Impairment>| {
            is_impairable && impairment.as_mut().is_some_and(|impairment| impairment.hits_next(now))
        };
        if hit(drop) || hit(loss) {
            self.discard(packet, site, DropReason::Impairment, now);
            return None;
        }
        if policer.as_mut().is_some_and(|policer| !policer.admits(packet.bytes(), now)) {
            self.discard(packet, site, DropReason::Policed, now);
            return None;
        }
        if is_impairable && mark.as_mut().is_some_and(|mark| mark.hits_next(now)) && packet.has(ECT) {
            packet = packet.marked();
            self.note_mark(packet, site, now);
        }
        Some((packet, self.links[index as usize].pass(packet.bytes(), now)))
    }

    /// A packet meets the impairments of a port's link: the packet, perhaps marked; `None` if it is dropped.
    #[cold]
    fn impair_at_port(&mut self, index: u32, packet: Packet, now: Time) -> Option<Packet> {
        if self.ports[index as usize].departs_late {
            self.catch_up_port(index, self.events.now());
        }
        let is_impairable = is_impairable(packet);
        let port = &mut self.ports[index as usize];
        let hit = |impairment: &mut Option<Impairment>| {
            is_impairable && impairment.as_mut().is_some_and(|impairment| impairment.hits_next(now))
        };
        let mut refusal = None;
        if hit(&mut port.drop) || hit(&mut port.loss) {
            refusal = Some(DropReason::Impairment);
        } else if port.policer.as_mut().is_some_and(|policer| !policer.admits(packet.bytes(), now)) {
            refusal = Some(DropReason::Policed);
        }
        if let Some(reason) = refusal {
            port.queue.count_refused(packet, reason);
            self.discard(packet, Site::Queue(index), reason, now);
            return None;
        }
        let marks = hit(&mut port.mark);
        let packet = if marks { port.queue.mark_impaired(packet) } else { packet };
        if marks && packet.has(CE) {
            self.note_mark(packet, Site::Queue(index), now);
        }
        Some(packet)
    }

    /// A packet arrives at a port. Returns the packet, perhaps marked, when its last bit leaves, and the delay of the wire; `None` if
    /// it is dropped or its departure is not yet known.
    #[inline(always)]
    pub(super) fn enter_port(
        &mut self,
        index: u32,
        mut packet: Packet,
        stage: StageIndex,
        now: Time,
    ) -> Option<(Packet, Time, Span)> {
        self.let_in_sources(index);
        let mut port = &mut self.ports[index as usize];
        if port.is_impaired {
            packet = self.impair_at_port(index, packet, now)?;
            port = &mut self.ports[index as usize];
        }
        let Transmitter::Rate(transmitter) = &mut port.transmitter else {
            self.enter_asking_port(index, Queued { packet, arrived: now, stage, subqueue: 0 });
            return None;
        };
        transmitter.remove_departed(self.events.now());
        let (waiting, in_transmission) = transmitter.backlogs();
        let found = QueueState { now, waiting, in_transmission, idle_since: transmitter.idle_since() };
        let admission = port.queue.admit(packet, &found);
        if let Admission::Drop(reason) = admission {
            self.discard(packet, Site::Queue(index), reason, now);
            return None;
        }
        let was_marked = packet.has(CE);
        if admission == Admission::Mark {
            packet = packet.marked();
        }
        let (begin, end) = transmitter.accept(packet.bytes(), now);
        if begin < self.measured.to {
            port.busy += self.measured.overlap(begin, end);
            port.count_departure(packet, now, begin, self.measured);
        }
        let delay = port.delay;
        if admission == Admission::Mark && !was_marked {
            self.note_mark(packet, Site::Queue(index), now);
        }
        Some((packet, end, delay))
    }

    /// The last bit of a packet leaves a port: the moment of its arrival behind the wire; `None` if the run ends before that.
    #[inline(always)]
    pub(super) fn leave_port(&mut self, delay: Span, stage: Stage, departure: Time) -> Option<Moment> {
        let time = departure + delay;
        if stage.lane() != NO_LANE {
            return Some(Moment { time, cause: departure });
        }
        if time >= self.measured.to {
            self.census.beyond_end += 1;
            return None;
        }
        Some(Moment { time, cause: time })
    }

    /// A packet was marked.
    #[cold]
    pub(super) fn note_mark(&mut self, packet: Packet, site: Site, now: Time) {
        self.observer.note(Kinds::MARKED, now, || Occurrence::PacketMarked { packet, site });
    }

    /// A packet was dropped and leaves the run.
    #[cold]
    pub(super) fn discard(&mut self, packet: Packet, site: Site, reason: DropReason, now: Time) {
        self.observer.note(Kinds::DROPPED, now, || Occurrence::PacketDropped { packet, site, reason });
        self.census.dropped += 1;
        if packet.kind() == PacketKind::Ack {
            self.details.release(packet.details());
        }
        self.forget_bytes(packet);
        if packet.kind() == PacketKind::Data
            && let Site::Queue(queue) = site
        {
            if queue == BOTTLENECK {
                self.receivers[packet.flow() as usize].drops += 1;
            } else {
                self.senders[packet.flow() as usize].drops_elsewhere += 1;
            }
        }
        if packet.kind() != PacketKind::Cbr {
            self.note_end(packet.flow(), now);
        }
    }
}
