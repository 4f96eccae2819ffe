//! The network: owns every component and has the one `match` over events.

mod apps;
mod changes;
mod cross_traffic;
mod endpoints;
mod finish;
mod late;
mod paced;
mod ports;
mod prefetch;
mod settle;
mod setup;
mod short_flows;
mod streams;
mod supply;
mod travel;
mod whole;
mod wires;

use crate::ack_details::DetailsPool;
use crate::ahead::Measured;
use crate::bucket::Bucket;
use crate::event::{Event, Moment};
use crate::event_queue::EventQueue;
use crate::impairment::Impairment;
use crate::lane::{Lanes, Left};
use crate::observation::{Kinds, Occurrence, Phase, Seen};
use crate::observer::Observer;
use crate::packet::{Packet, PacketKind};
use crate::pipe::PipeLink;
use crate::port::{Port, Transmitter};
use crate::series::AllSeries;
use crate::source::Source;
use crate::topology::{Stage, StageIndex};
use crate::wire::Wire;
use apps::Apps;
use changes::Changes;
use endpoints::{ReceiverSide, SenderSide};
use finish::Facts;
use prefetch::Prefetching;
use sawtooth_cc::units::Time;
use short_flows::ShortFlows;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use streams::Streams;

/// Shared with another thread: how far the run is, and whether it must stop.
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
    loss: Option<Impairment>,
    mark: Option<Impairment>,
    policer: Option<Bucket>,
}

impl LinkImpairments {
    /// Of this link, none.
    fn none(link: u32) -> Self {
        LinkImpairments { link, drop: None, loss: None, mark: None, policer: None }
    }

    /// Is there any?
    fn are_some(&self) -> bool {
        let lost = self.drop.is_some() || self.loss.is_some() || self.policer.is_some();
        lost || self.mark.is_some()
    }
}

/// Where all packets went, from the start of the run.
#[derive(Clone, Copy, Debug, Default)]
struct Census {
    created: u64,
    delivered: u64,
    dropped: u64,
    /// Packets that will not reach their next place before the run ends.
    beyond_end: u64,
    events: u64,
}

/// A network during a run.
#[derive(Debug)]
pub struct Network {
    events: EventQueue,
    measured: Measured,
    stages: Vec<Stage>,
    lanes: Lanes,
    /// How many lanes, the first of the spare ones, hold acknowledgements that may arrive ahead of their time.
    settled: u32,
    /// By lane of those, the flow of which alone they are, if its sender hears of nothing but acknowledgements and its timers.
    sole: Vec<Option<u32>>,
    /// The distance in packets of a lane between two steps of prefetching.
    step: u32,
    links: Vec<PipeLink>,
    /// By number, those of the links without a queue that have any.
    impairments: BTreeMap<u32, LinkImpairments>,
    ports: Vec<Port>,
    senders: Vec<SenderSide>,
    receivers: Vec<ReceiverSide>,
    short: ShortFlows,
    /// By flow, the time of its pending delayed acknowledgement; events at other times are out of date.
    ack_events: Vec<Time>,
    sources: Vec<Source>,
    /// First stages of sources.
    source_stages: Vec<StageIndex>,
    details: DetailsPool,
    observer: Observer,
    census: Census,
    /// By link, packets that wait for their time behind it because nothing is done ahead.
    passages: Vec<Passage>,
    changes: Changes,
    apps: Apps,
    streams: Streams,
    /// By link, its wire if packets may be late on it.
    wires: BTreeMap<u32, Wire>,
    facts: Facts,
    /// Somebody heeds which states controllers enter, or which phases senders.
    heeds_states: bool,
    /// By listed flow, its phase and how many cuts it had withdrawn when it was last looked at; empty where nobody heeds that.
    last_seen: Vec<(Phase, u64)>,
}

/// Packets behind one link, in the order in which they left it, with the stage that comes next.
type Passage = VecDeque<(Moment, Packet, StageIndex)>;

/// How many events pass between two looks at the stop flag, a power of two.
const STOP_CHECK_EVENTS: u64 = 1 << 14;

impl Network {
    /// Run up to this moment, which is not included, or to the end if that comes first. `None` if it was stopped.
    pub fn run_until(&mut self, until: Time, progress: &Progress) -> Option<()> {
        if progress.stop.load(Ordering::Relaxed) {
            return None;
        }
        let until = until.min(self.measured.to);
        while let Some(event) = self.events.next_before(until) {
            let now = self.events.now().time;
            progress.now_ns.store(now.nanos(), Ordering::Relaxed);
            let before = self.census.events;
            self.handle(event, now);
            self.census.events += 1;
            let looks = (before ^ self.census.events) >= STOP_CHECK_EVENTS;
            if looks && progress.stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        self.send_all_overdue(Moment { time: until, cause: Time::ZERO });
        self.catch_up_ports(Moment { time: until, cause: Time::ZERO });
        Some(())
    }

    /// The series recorded so far.
    pub fn series(&self) -> &AllSeries {
        self.observer.series()
    }

    #[inline(always)]
    fn handle(&mut self, event: Event, now: Time) {
        match event {
            Event::LaneExit(index) if index >= self.events.lanes() => self.leave_rare_lane(index, now),
            Event::LaneExit(index) => {
                let Left { packet, stage, ends, head } = self.lanes.pop(index);
                match self.prefetching() {
                    Prefetching::None => self.events.follow_lane(index, head),
                    Prefetching::ByLane(step) => {
                        self.events.follow_lane(index, head);
                        self.prefetch(index, step);
                    }
                    Prefetching::ByTurn => {
                        let winners = self.events.follow_lane_watched(index, head);
                        self.prefetch_winners(winners);
                    }
                }
                self.resume(packet, stage, ends, now);
            }
            Event::TransmitEnd(port) => self.transmit_end(port, now),
            Event::SourceTick(source) => self.source_tick(source, now),
            Event::Passage(link) => self.pass_on(link),
            other => {
                self.handle_planned(other, now);
                self.events.leave_agenda();
            }
        }
    }

    /// An event of a component without a player.
    #[inline]
    fn handle_planned(&mut self, event: Event, now: Time) {
        match event {
            Event::Opportunity(port) => self.opportunity(port, now),
            Event::AppWakes(app) => self.app_wakes(app, now),
            Event::Delivered(flow) => self.delivered(flow, now),
            Event::SenderTimer(flow) => self.sender_timer(flow, now),
            Event::DelayedAck(flow) => self.delayed_ack(flow, now),
            Event::FlowStart(flow) => self.flow_start(flow, now),
            Event::Arrival(process) => self.arrival(process, now),
            Event::Supply(flow) => self.supply(flow, now),
            Event::FlowStop(flow) => self.flow_stop(flow, now),
            Event::SourceChange(source) => self.source_change(source, now),
            Event::WarmupEnd => self.restart_counters(now),
            Event::Sample => self.sample(now),
            Event::Change(index) => self.change(index, now),
            Event::Wire(link) => self.leave_wire(link, now),
            Event::LaneExit(_) | Event::TransmitEnd(_) | Event::SourceTick(_) | Event::Passage(_) => {
                unreachable!("{event:?} has a player")
            }
        }
    }

    /// The head of a lane comes out that is not in use all the time. Most spare lanes are empty most of the time, and there are two for
    /// each flow: an empty one gives its memory to others.
    #[inline(never)]
    fn leave_rare_lane(&mut self, index: u32, now: Time) {
        if index < self.events.lanes() + self.settled {
            return self.settle(index, now);
        }
        let Left { packet, stage, ends, head } = self.lanes.pop(index);
        if head.is_none() {
            self.lanes.release(index);
        }
        self.events.set_lane(index, head);
        self.resume(packet, stage, ends, now);
    }

    /// A packet's turn has come.
    #[inline(always)]
    fn resume(&mut self, packet: Packet, stage: StageIndex, ends: bool, now: Time) {
        // This is the only way to a sender, so acknowledgements arrive in the order of time.
        match packet.kind() {
            PacketKind::Ack if ends => self.on_ack(packet, now),
            _ => self.travel(packet, stage, Moment { time: now, cause: now }),
        }
    }

    fn restart_counters(&mut self, now: Time) {
        self.send_all_overdue(self.events.now());
        self.catch_up_ports(self.events.now());
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
        self.send_all_overdue(self.events.now());
        self.catch_up_ports(self.events.now());
        let listed = self.short.first as usize;
        for (flow, side) in (0u32..).zip(&self.senders[..listed]) {
            self.observer.note(Kinds::SENDER_SAMPLED, now, || Occurrence::SenderSampled {
                flow,
                state: side.sender.state(),
            });
        }
        if self.observer.hears(Kinds::SENDER_SEEN) {
            for (flow, side) in (0u32..).zip(&self.senders[..listed]) {
                let seen = || Occurrence::SenderSeen { flow, why: Seen::Sample, view: side.sender.view() };
                self.observer.note(Kinds::SENDER_SEEN, now, seen);
            }
        }
        for (queue, port) in (0u32..).zip(&mut self.ports) {
            let (waiting, sending) = port.backlogs(self.events.now());
            let backlog = waiting.and(sending);
            self.observer.note(Kinds::QUEUE_SAMPLED, now, || Occurrence::QueueSampled { queue, backlog });
            if self.observer.hears(Kinds::DISCIPLINE_SAMPLED) {
                for (subqueue, state) in (0u32..).zip(port.queue.states(now).into_iter().flatten()) {
                    let sampled = || Occurrence::DisciplineSampled { queue, subqueue, state };
                    self.observer.note(Kinds::DISCIPLINE_SAMPLED, now, sampled);
                }
            }
        }
        let interval = self.observer.sample_interval().expect("samples were asked for");
        self.events.schedule(now + interval, Event::Sample);
    }
}
