//! From a checked scenario to a network at time zero.

use super::apps::Apps;
use super::changes::Changes;
use super::cross_traffic;
use super::endpoints::{ReceiverSide, SenderSide};
use super::finish::Facts;
use super::prefetch;
use super::settle;
use super::short_flows::ShortFlows;
use super::streams::Streams;
use super::wires::{impairment, impairments, wire};
use super::{Census, Network};
use crate::ack_details::DetailsPool;
use crate::ack_filter::AckFilter;
use crate::ahead::{Ahead, Measured, Order};
use crate::bucket::Bucket;
use crate::event::Event;
use crate::event_queue::{EventQueue, Population};
use crate::frames::FrameWatch;
use crate::lane::Lanes;
use crate::observation::{Kinds, Phase};
use crate::observer::Observer;
use crate::pipe::{Jitter, PipeLink};
use crate::port::aggregate::AggregateTransmitter;
use crate::port::asking::AskingTransmitter;
use crate::port::rate::RateTransmitter;
use crate::port::trace::TraceTransmitter;
use crate::port::{Port, Transmitter};
use crate::queue::Queue;
use crate::random::Stream;
use crate::scenario::{ArrivalSpec, FlowSpec, LinkSpec, Scenario, SourceSpec};
use crate::series::Extent;
use crate::source::Source;
use crate::topology::{FlowRoute, Place, StageIndex, Topology};
use crate::transport::Transport;
use sawtooth_cc::units::{Rate, Span, Time};
use std::collections::VecDeque;

/// Packets of a flow that lanes have room for before anything moves. What nobody uses of it is no resident memory.
const PACKETS_OF_A_FLOW: usize = 32;

impl Network {
    /// A network at time zero. The scenario must have passed its check.
    pub fn new(scenario: &Scenario, order: Order) -> Self {
        let ahead = Ahead::new(scenario, order);
        let measured = Measured {
            from: Time::from_nanos(scenario.warmup_ns),
            to: Time::from_nanos(scenario.duration_ns),
        };
        let extent = Extent { flows: scenario.flows.len() as u32, measured };
        let observer = Observer::new(&scenario.record, &extent);
        let mut topology = Topology::new(scenario, order);
        if settle::is_wanted(scenario, &observer) {
            let short: Vec<FlowSpec> = scenario.arrivals.iter().map(ArrivalSpec::flow).collect();
            topology.settle(scenario.flows.iter().chain(&short).map(|flow| ahead.settles(flow)));
        }
        let late = cross_traffic::late_ports(&topology, |source| ahead.ticks_late(&scenario.sources[source]));
        let population = population(scenario, &topology, ahead, order);
        let flows = || (0u32..).zip(&topology.flows);
        let links = || topology.links.iter().map(|&link| &scenario.links[link as usize]);
        let network = Network {
            events: EventQueue::new(population),
            measured,
            senders: flows().map(|(flow, route)| sender_side(flow, route, scenario)).collect(),
            short: ShortFlows::new(scenario, &topology.arrivals),
            ack_events: vec![Time::NEVER; scenario.flows.len()],
            receivers: flows().map(|(flow, route)| receiver_side(flow, route, scenario)).collect(),
            lanes: lanes(&topology),
            settled: topology.settled,
            sole: topology
                .sole
                .iter()
                .map(|sole| sole.filter(|&flow| settle::is_left_alone(scenario, flow)))
                .collect(),
            step: prefetch::step(population.lanes),
            links: links().map(pipe_link).collect(),
            impairments: (0u32..)
                .zip(topology.links.iter().map(|&link| impairments(scenario, link)))
                .filter(|(_, impairments)| impairments.are_some())
                .collect(),
            ports: topology.ports.iter().map(|&link| placed_port(scenario, link, ahead)).collect(),
            sources: sources(scenario),
            details: DetailsPool::default(),
            observer,
            census: Census::default(),
            passages: (0..population.passages).map(|_| VecDeque::new()).collect(),
            changes: Changes::new(scenario, &topology.ports, &topology.links),
            apps: Apps::new(scenario),
            streams: Streams::new(scenario, measured),
            wires: (0..scenario.links.len() as u32)
                .filter(|&link| ahead.has_wire(link))
                .map(|link| (link, wire(scenario, link)))
                .collect(),
            facts: Facts::new(scenario),
            heeds_states: false,
            last_seen: Vec::new(),
            stages: topology.stages,
            source_stages: topology.sources,
        };
        network.begun(scenario, order, &late)
    }

    /// With what it is to be asked for, and its first events.
    fn begun(mut self, scenario: &Scenario, order: Order, late: &[Option<u32>]) -> Self {
        if self.observer.hears(Kinds::SENDER_SEEN) {
            self.last_seen = vec![(Phase::Steady, 0); scenario.flows.len()];
        }
        self.heeds_states =
            self.observer.hears(Kinds::STATE_ENTERED.and(Kinds::SENDER_SEEN)) || self.changes.heed_states();
        if self.apps.any() {
            self.observer.hear(Kinds::ARRIVED);
            self.begin_apps();
        }
        if !self.observer.hears(Kinds::SENT) && !self.heeds_states {
            self.let_send_late(scenario, order);
        }
        if self.may_tick_late() {
            for (source, &port) in self.sources.iter_mut().zip(late) {
                source.late_at = port;
                source.is_alone = late.iter().filter(|&&other| other == port).count() == 1;
            }
        }
        self.schedule_changes();
        self.schedule_start(scenario);
        self
    }

    fn schedule_start(&mut self, scenario: &Scenario) {
        self.events.schedule(self.measured.from, Event::WarmupEnd);
        for (index, port) in (0u32..).zip(&mut self.ports) {
            if let Transmitter::Trace(trace) = &mut port.transmitter
                && let Some(first) = trace.next_opportunity()
            {
                self.events.schedule(first, Event::Opportunity(index));
            }
        }
        for (index, source) in (0u32..).zip(&self.sources) {
            if let Some(at) = source.change_at() {
                self.events.schedule(at, Event::SourceChange(index));
            }
        }
        for (index, flow) in (0u32..).zip(&scenario.flows) {
            self.events.schedule(Time::from_nanos(flow.start_ns), Event::FlowStart(index));
            if let Some(stop) = flow.stop_ns {
                self.events.schedule(Time::from_nanos(stop), Event::FlowStop(index));
            }
        }
        for index in 0..scenario.arrivals.len() as u32 {
            self.expect_arrival(index);
        }
        if scenario.record.sample_ns.is_some() {
            self.events.schedule(Time::ZERO, Event::Sample);
        }
    }
}

/// How many of everything stand among the events.
fn population(scenario: &Scenario, topology: &Topology, ahead: Ahead<'_>, order: Order) -> Population {
    let asks = |link: &LinkSpec| link.queue.is_some() && link.rate_bps.is_some() && !ahead.departs(link);
    let any_asks = scenario.links.iter().any(asks);
    Population {
        sources: scenario.sources.len() as u32,
        lanes: topology.lanes.len() as u32,
        spare_lanes: topology.spare_lanes.len() as u32,
        passages: if order == Order::InTurn { scenario.links.len() as u32 } else { 0 },
        ports: if any_asks { topology.ports.len() as u32 } else { 0 },
    }
}

/// Lanes, those behind the others last.
fn lanes(topology: &Topology) -> Lanes {
    let ends = |next: StageIndex| topology.stages[next as usize].place() == Place::End;
    let stages = topology.lanes.iter().chain(&topology.spare_lanes);
    let room = PACKETS_OF_A_FLOW * topology.flows.len();
    let in_use = topology.lanes.len() + topology.settled as usize;
    Lanes::new(stages.map(|&next| (next, ends(next))), in_use, room)
}

fn pipe_link(link: &LinkSpec) -> PipeLink {
    let rate = Rate::from_bits_per_second(link.rate_bps.expect("a checked link without queue has a rate"));
    let is_impaired = link.loses() || link.mark.is_some();
    PipeLink::new(rate, Span::from_nanos(link.delay_ns), is_impaired)
}

fn port(seed: &str, link: &LinkSpec, ahead: Ahead<'_>) -> Port {
    let spec = link.queue.as_ref().expect("a port has a queue");
    let (transmitter, rate) = match (link.rate_bps.map(Rate::from_bits_per_second), &link.trace_ms) {
        (Some(rate), _) if ahead.departs(link) => (Transmitter::Rate(RateTransmitter::new(rate)), rate),
        (Some(rate), _) => {
            let drain = Rate::from_bits_per_second(link.drain_bps().expect("it has a rate"));
            let transmitter = match &link.aggregate {
                Some(spec) => Transmitter::Aggregate(AggregateTransmitter::new(rate, spec.clone())),
                None => Transmitter::Asking(AskingTransmitter::new(rate, link.shaper.map(Bucket::new))),
            };
            (transmitter, drain)
        }
        (None, Some(times)) => {
            let trace = TraceTransmitter::new(times.clone(), link.trace_once);
            let rate = trace.mean_rate();
            (Transmitter::Trace(trace), rate)
        }
        (None, None) => panic!("a checked link has a rate or a trace"),
    };
    let queue = Queue::new(spec, rate, Stream::new(seed, &format!("link/{}/queue", link.name)))
        .before_device(link.device_queue.unwrap_or(0));
    let mut port = Port::new(link.name.clone(), queue, transmitter, Span::from_nanos(link.delay_ns));
    port.drop = impairment(seed, link, "drop", link.drop.as_ref());
    port.mark = impairment(seed, link, "mark", link.mark.as_ref());
    port.loss = impairment(seed, link, "loss", link.loss.as_ref());
    port.policer = link.policer.map(Bucket::new);
    port.ack_filter = link.ack_filter.as_ref().map(AckFilter::new);
    port.note_impairments();
    port
}

/// The port before a link, with what may be done ahead of time there.
fn placed_port(scenario: &Scenario, link: u32, ahead: Ahead<'_>) -> Port {
    Port {
        leaves_ahead: ahead.leaves(link),
        departs_late: ahead.departs_late(link),
        ..port(&scenario.seed, &scenario.links[link as usize], ahead)
    }
}

/// Sources, those of a group with numbers one after another.
fn sources(scenario: &Scenario) -> Vec<Source> {
    let mut first = 0;
    let numbered = |spec: &SourceSpec| {
        let random = || Stream::new(&scenario.seed, &format!("{}/frames", spec.name));
        let source = Source::new(first, spec, random);
        first += spec.count();
        source
    };
    scenario.sources.iter().map(numbered).collect()
}

fn sender_side(index: u32, route: &FlowRoute, scenario: &Scenario) -> SenderSide {
    let flow = &scenario.flows[index as usize];
    let profile = &scenario.profiles[flow.profile as usize];
    let limit = Span::from_nanos(profile.send_jitter_ns);
    let stream = || Stream::new(&scenario.seed, &format!("flow/{index}/jitter"));
    let jitter = (limit > Span::ZERO).then(|| Box::new(Jitter::new(limit, stream())));
    let side = SenderSide::new(index, route, flow, profile, &scenario.seed, || format!("flow/{index}"));
    let mut side = SenderSide { jitter, ..side };
    side.sender.attach_meter();
    if let Transport::Whole(sender) = &mut side.sender
        && scenario.is_paced_from_its_start(index)
    {
        sender.hold_supply(); // before its connection opens, which offers what there is
    }
    if let Some(deadline_ns) = flow.frame_deadline_ns {
        let measured = Measured {
            from: Time::from_nanos(scenario.warmup_ns),
            to: Time::from_nanos(scenario.duration_ns),
        };
        let name = format!("flow/{index}");
        let watch = FrameWatch::new(name, profile.packet_bytes, deadline_ns, measured);
        side.sender.watch(watch.keeping(scenario.record.frames));
    }
    side
}

fn receiver_side(index: u32, route: &FlowRoute, scenario: &Scenario) -> ReceiverSide {
    let flow = &scenario.flows[index as usize];
    let profile = &scenario.profiles[flow.profile as usize];
    ReceiverSide::new(index, route, flow, profile, &scenario.seed, || format!("flow/{index}"))
}
