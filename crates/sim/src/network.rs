//! The network: owns every component and has the one `match` over events.

mod endpoints;
mod finish;
mod foresee;
mod paced;
mod ports;
mod setup;
mod short_flows;

use crate::ack_details::DetailsPool;
use crate::ahead::{Measured, Order};
use crate::event::{Event, Moment};
use crate::event_queue::EventQueue;
use crate::impairment::Impairment;
use crate::lane::{Lane, Placed};
use crate::observer::{Kinds, Observer, Occurrence, SenderState, Site};
use crate::packet::{CE, ECT, Packet, PacketKind};
use crate::pipe::PipeLink;
use crate::port::{Port, Transmitter};
use crate::queue::{Admission, Backlog, DropReason, QueueState, Queued, is_impairable};
use crate::series::AllSeries;
use crate::source::Source;
use crate::topology::{BOTTLENECK, FIRST_PASSAGE, NO_LANE, Place, Stage, StageIndex};
use endpoints::{ReceiverSide, SenderSide};
use foresee::Foresight;
use sawtooth_cc::units::{Span, Time};
use short_flows::ShortFlows;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a run shows to other threads: how far it is, and whether it should go on.
#[derive(Debug, Default)]
pub struct Progress {
    /// Simulated nanoseconds so far.
    pub now_ns: AtomicU64,
    /// Set this to end the run early; it then returns nothing.
    pub stop: AtomicBool,
}

/// Losses and marks of a link without a queue.
#[derive(Debug)]
struct LinkImpairments {
    /// The link's number in the scenario.
    link: u32,
    drop: Option<Impairment>,
    mark: Option<Impairment>,
}

/// Where packets have gone, from the start of the run.
#[derive(Clone, Copy, Debug, Default)]
struct Census {
    created: u64,
    delivered: u64,
    dropped: u64,
    /// Known not to reach their next place before the run ends.
    beyond_end: u64,
    events: u64,
}

/// A network under way.
#[derive(Debug)]
pub struct Network {
    events: EventQueue,
    measured: Measured,
    stages: Vec<Stage>,
    lanes: Vec<Lane>,
    /// How many packets of a lane each stage of foresight goes ahead.
    step: usize,
    links: Vec<PipeLink>,
    impairments: Vec<LinkImpairments>,
    ports: Vec<Port>,
    senders: Vec<SenderSide>,
    receivers: Vec<ReceiverSide>,
    short: ShortFlows,
    /// By flow, the delayed-acknowledgement event that counts; events at other times are stale.
    ack_events: Vec<Time>,
    sources: Vec<Source>,
    /// First stages of sources.
    source_stages: Vec<StageIndex>,
    details: DetailsPool,
    observer: Observer,
    census: Census,
    order: Order,
    /// By link, packets that wait for their time behind it because nothing is done ahead.
    passages: Vec<Passage>,
}

/// Packets behind one link, in the order in which they left it, with the stage that comes next.
type Passage = VecDeque<(Moment, Packet, StageIndex)>;

/// How many events pass between two looks at the stop flag.
const STOP_CHECK_EVENTS: u64 = 1 << 14;

impl Network {
    /// Run to the end. `None` if it was stopped.
    pub fn run(&mut self, progress: &Progress) -> Option<()> {
        self.run_until(self.measured.to, progress)
    }

    /// Run up to this moment, which is not included, or to the end if that comes first. `None` if it was stopped.
    pub fn run_until(&mut self, until: Time, progress: &Progress) -> Option<()> {
        if progress.stop.load(Ordering::Relaxed) {
            return None;
        }
        let until = until.min(self.measured.to);
        while let Some(event) = self.events.next_before(until) {
            let now = self.events.now().time;
            progress.now_ns.store(now.nanos(), Ordering::Relaxed);
            self.handle(event, now);
            self.census.events += 1;
            if self.census.events.is_multiple_of(STOP_CHECK_EVENTS) && progress.stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        Some(())
    }

    /// The series recorded so far.
    pub fn series(&self) -> &AllSeries {
        self.observer.series()
    }

    #[inline(always)]
    fn handle(&mut self, event: Event, now: Time) {
        match event {
            Event::LaneExit(index) => {
                let lane = &mut self.lanes[index as usize];
                let (packet, head) = lane.pop();
                let (stage, ends) = (lane.next, lane.ends);
                match self.foresight() {
                    Foresight::None => self.events.follow_lane(index, head),
                    Foresight::ByLane(step) => {
                        self.events.follow_lane(index, head);
                        self.foresee(index, step);
                    }
                    Foresight::ByTurn => {
                        let risen = self.events.follow_lane_watched(index, head);
                        self.foresee_risen(risen);
                    }
                }
                self.resume(packet, stage, ends, now);
            }
            Event::TransmitEnd(port) => self.transmit_next(port, now),
            Event::SourceTick(source) => self.source_tick(source, now),
            Event::Opportunity(port) => self.opportunity(port, now),
            Event::SenderTimer(flow) => self.sender_timer(flow, now),
            Event::DelayedAck(flow) => self.delayed_ack(flow, now),
            Event::FlowStart(flow) => self.flow_start(flow, now),
            Event::Arrival(process) => self.arrival(process, now),
            Event::FlowStop(flow) => self.senders[flow as usize].sender.stop(),
            Event::SourceChange(source) => self.source_change(source, now),
            Event::Passage(link) => self.pass_on(link),
            Event::WarmupEnd => self.restart_counters(now),
            Event::Sample => self.sample(now),
        }
    }

    /// A packet has waited for its turn and goes on.
    #[inline]
    fn resume(&mut self, packet: Packet, stage: StageIndex, ends: bool, now: Time) {
        // Acknowledgements reach their sender in the order of time: this is the only way there.
        match packet.kind() {
            PacketKind::Ack if ends => self.on_ack(packet, now),
            _ => self.travel(packet, stage, Moment { time: now, cause: now }),
        }
    }

    /// A packet goes from this stage as far as its way is certain. `at` says when it gets there, and since when
    /// that is known.
    fn travel(&mut self, mut packet: Packet, mut index: StageIndex, mut at: Moment) {
        loop {
            let stage = self.stages[index as usize];
            let mut late = false;
            match stage.place {
                Place::Link(link) => {
                    let pipe = &mut self.links[link as usize];
                    late = pipe.is_busy_at(at.time);
                    at.time = if pipe.is_impaired {
                        match self.cross_impaired(link, packet, at.time) {
                            Some((survivor, exit)) => {
                                packet = survivor;
                                exit
                            }
                            None => return,
                        }
                    } else {
                        pipe.pass(packet.bytes(), at.time)
                    };
                }
                Place::Port(port) => {
                    let Some((admitted, departure, delay)) = self.enter_port(port, packet, index, at.time)
                    else {
                        return;
                    };
                    packet = admitted;
                    let Some(arrival) = self.leave_port(delay, stage, departure) else { return };
                    at = arrival;
                }
                Place::End => {
                    let Some((answer, route)) = self.arrive(packet, at) else { return };
                    (packet, index) = (answer, route);
                    at.cause = at.time;
                    continue;
                }
            }
            if stage.lane != NO_LANE {
                self.wait(stage, late, packet, at);
                return;
            }
            index = stage.next;
        }
    }

    /// A packet waits for its turn at what comes after this stage.
    #[inline(always)]
    fn wait(&mut self, stage: Stage, late: bool, packet: Packet, at: Moment) {
        let mut index = if late && stage.spare != NO_LANE { stage.spare } else { stage.lane };
        let Some(lane) = self.lanes.get_mut(index as usize) else {
            return self.wait_in_passing(stage, packet, at);
        };
        let mut placed = lane.push(packet, at);
        if placed == Placed::Nowhere {
            index = stage.spare;
            placed = self.lanes[index as usize].push(packet, at);
        }
        match placed {
            Placed::Behind => {}
            Placed::First => self.events.set_lane(index, Some(at)),
            Placed::Nowhere => {
                unreachable!("packets of one link come out in the order in which they went in")
            }
        }
    }

    /// A packet waits for its time alone; then it goes on as it would have done at once.
    #[cold]
    fn wait_in_passing(&mut self, stage: Stage, packet: Packet, mut at: Moment) {
        if matches!(stage.place, Place::Port(_)) {
            at.cause = at.time; // as `leave_port` has it where the packet goes on at once
        }
        let link = stage.lane - FIRST_PASSAGE;
        let passage = &mut self.passages[link as usize];
        passage.push_back((at, packet, stage.next));
        if passage.len() == 1 {
            self.events.set_passage(link, Some(at));
        }
    }

    /// The time of the first packet behind this link has come.
    #[cold]
    fn pass_on(&mut self, link: u32) {
        let passage = &mut self.passages[link as usize];
        let (at, packet, stage) = passage.pop_front().expect("an event stands for a packet");
        let next = passage.front().map(|&(at, ..)| at);
        self.events.set_passage(link, next);
        self.travel(packet, stage, at);
    }

    /// What a link with impairments makes of a packet that enters it, and when it comes out: `None` if it is lost.
    #[cold]
    fn cross_impaired(&mut self, index: u32, mut packet: Packet, now: Time) -> Option<(Packet, Time)> {
        if now >= self.measured.to {
            self.census.beyond_end += 1;
            return None;
        }
        if is_impairable(packet) {
            let LinkImpairments { link, drop, mark } = &mut self.impairments[index as usize];
            let site = Site::Link(*link);
            if drop.as_mut().is_some_and(Impairment::hits_next) {
                self.bury(packet, site, DropReason::Impairment, now);
                return None;
            }
            if mark.as_mut().is_some_and(Impairment::hits_next) && packet.has(ECT) {
                packet = packet.marked();
                self.note_mark(packet, site, now);
            }
        }
        Some((packet, self.links[index as usize].pass(packet.bytes(), now)))
    }

    /// What the impairments of a port's link make of a packet that arrives there: `None` if it is lost.
    #[cold]
    fn impair_at_port(&mut self, index: u32, packet: Packet, now: Time) -> Option<Packet> {
        if !is_impairable(packet) {
            return Some(packet);
        }
        let port = &mut self.ports[index as usize];
        if port.drop.as_mut().is_some_and(Impairment::hits_next) {
            port.queue.count_impaired(packet);
            self.bury(packet, Site::Queue(index), DropReason::Impairment, now);
            return None;
        }
        let marks = port.mark.as_mut().is_some_and(Impairment::hits_next);
        let packet = if marks { port.queue.mark_impaired(packet) } else { packet };
        if marks && packet.has(CE) {
            self.note_mark(packet, Site::Queue(index), now);
        }
        Some(packet)
    }

    /// A packet reaches a port, where it may be marked: the packet, when its last bit leaves and how long the wire is, if it may
    /// wait and if that is certain by now.
    #[inline(always)]
    fn enter_port(
        &mut self,
        index: u32,
        mut packet: Packet,
        stage: StageIndex,
        now: Time,
    ) -> Option<(Packet, Time, Span)> {
        let mut port = &mut self.ports[index as usize];
        if port.is_impaired {
            packet = self.impair_at_port(index, packet, now)?;
            port = &mut self.ports[index as usize];
        }
        let Transmitter::Rate(transmitter) = &mut port.transmitter else {
            self.enter_asking_port(index, Queued { packet, arrived: now, stage });
            return None;
        };
        transmitter.settle(self.events.now());
        let (waiting, in_transmission) = transmitter.backlogs();
        let found = QueueState { now, waiting, in_transmission, idle_since: transmitter.idle_since() };
        let admission = port.queue.admit(packet, &found);
        if let Admission::Drop(reason) = admission {
            self.bury(packet, Site::Queue(index), reason, now);
            return None;
        }
        let was_marked = packet.has(CE);
        if admission == Admission::Mark {
            packet = packet.marked();
        }
        let (begin, end) = transmitter.accept(packet.bytes(), now);
        if begin < self.measured.to {
            port.busy += self.measured.part_of(begin, end);
            port.count_departure(packet, now, begin, self.measured);
        }
        let delay = port.delay;
        if admission == Admission::Mark && !was_marked {
            self.note_mark(packet, Site::Queue(index), now);
        }
        Some((packet, end, delay))
    }

    /// The last bit of a packet leaves a port then, whose wire has this delay: when it reaches what comes after the wire, unless the run ends before.
    #[inline(always)]
    fn leave_port(&mut self, delay: Span, stage: Stage, departure: Time) -> Option<Moment> {
        let time = departure + delay;
        if stage.lane != NO_LANE {
            return Some(Moment { time, cause: departure });
        }
        if time >= self.measured.to {
            self.census.beyond_end += 1;
            return None;
        }
        Some(Moment { time, cause: time })
    }

    /// A packet was just marked.
    #[cold]
    fn note_mark(&mut self, packet: Packet, site: Site, now: Time) {
        self.observer.note(Kinds::MARKED, now, || Occurrence::PacketMarked { packet, site });
    }

    /// A packet was just dropped and leaves the run.
    #[cold]
    fn bury(&mut self, packet: Packet, site: Site, reason: DropReason, now: Time) {
        self.observer.note(Kinds::DROPPED, now, || Occurrence::PacketDropped { packet, site, reason });
        self.census.dropped += 1;
        self.details.release(packet.details());
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
            self.note_end(packet.flow());
        }
    }

    fn source_change(&mut self, index: u32, now: Time) {
        let source = &mut self.sources[index as usize];
        source.change(now);
        if let Some(at) = source.change_at() {
            self.events.schedule(at, Event::SourceChange(index));
        }
        if source.next_tick == now {
            self.source_tick(index, now);
        } else {
            self.events.set_source(index, None); // silent
        }
    }

    #[inline]
    fn source_tick(&mut self, index: u32, now: Time) {
        let source = &mut self.sources[index as usize];
        let packet = source.tick(now);
        self.events.set_source(index, Some(source.next_tick));
        self.census.created += 1;
        self.travel(packet, self.source_stages[index as usize], Moment { time: now, cause: now });
    }

    fn restart_counters(&mut self, now: Time) {
        for port in &mut self.ports {
            port.queue.restart_counters();
            if let Transmitter::Trace(transmitter) = &mut port.transmitter {
                transmitter.opportunities = 0;
            }
        }
        for side in &mut self.senders {
            side.sender.restart_counters(now);
            side.drops_elsewhere = 0;
        }
        for side in &mut self.receivers {
            side.drops = 0;
        }
        self.short.restart_counters();
    }

    fn sample(&mut self, now: Time) {
        let listed = self.short.first as usize;
        for (flow, side) in (0u32..).zip(&self.senders[..listed]) {
            self.observer.note(Kinds::SENDER_SAMPLED, now, || Occurrence::SenderSampled {
                flow,
                state: SenderState::of(&side.sender),
            });
        }
        for (queue, port) in (0u32..).zip(&mut self.ports) {
            let (waiting, sending) = port.backlogs(self.events.now());
            let backlog =
                Backlog { packets: waiting.packets + sending.packets, bytes: waiting.bytes + sending.bytes };
            self.observer.note(Kinds::QUEUE_SAMPLED, now, || Occurrence::QueueSampled { queue, backlog });
        }
        let interval = self.observer.sample_interval().expect("samples were asked for");
        self.events.schedule(now + interval, Event::Sample);
    }
}
