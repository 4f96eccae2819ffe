//! From a checked scenario to a network at time zero.

use super::{Census, Flow, Network, Pipe, ack_flags};
use crate::event::Event;
use crate::event_queue::{EventQueue, Population};
use crate::impairment::Impairment;
use crate::packet::SackPool;
use crate::pipe::{Jitter, PipeLink, Serialiser, Transit};
use crate::port::{Port, Trace, Transmitter};
use crate::queue::Queue;
use crate::random::Stream;
use crate::records::Series;
use crate::scenario::{FlowSpec, ImpairmentSpec, LinkSpec, Scenario};
use crate::source::Source;
use crate::tcp::RecoveryKind;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::Sender;
use crate::topology::Topology;
use sawtooth_cc::units::{Rate, Span, Time};

impl Network {
    /// A network at time zero. The scenario must have passed its check.
    pub fn new(scenario: &Scenario) -> Self {
        let topology = Topology::new(scenario);
        let population = Population {
            pipes: topology.pipes.len() as u32,
            ports: topology.ports.len() as u32,
            flows: scenario.flows.len() as u32,
            sources: scenario.sources.len() as u32,
        };
        let mut network = Network {
            events: EventQueue::new(population),
            warmup: Time::from_nanos(scenario.warmup_ns),
            end: Time::from_nanos(scenario.duration_ns),
            pipe_links: scenario.links.iter().map(|link| pipe_link(&scenario.seed, link)).collect(),
            pipes: topology
                .pipes
                .into_iter()
                .map(|links| Pipe { links, transit: Transit::default() })
                .collect(),
            ports: topology
                .ports
                .iter()
                .map(|&link| port(&scenario.seed, &scenario.links[link as usize]))
                .collect(),
            stages: topology.stages,
            forward: topology.forward,
            reverse: topology.reverse,
            source_routes: topology.sources,
            flows: scenario
                .flows
                .iter()
                .enumerate()
                .map(|(i, flow)| new_flow(i as u32, flow, scenario))
                .collect(),
            sources: scenario
                .sources
                .iter()
                .enumerate()
                .map(|(i, source)| Source::new(i as u32, source))
                .collect(),
            sacks: SackPool::default(),
            series: Series::new(&scenario.record, scenario.flows.len()),
            dropped: Vec::new(),
            census: Census::default(),
        };
        network.schedule_start(scenario);
        network
    }

    fn schedule_start(&mut self, scenario: &Scenario) {
        self.events.push(self.warmup, Event::WarmupEnd);
        for index in 0..self.ports.len() {
            if let Transmitter::Trace(trace) = &mut self.ports[index].transmitter
                && let Some(first) = trace.next_opportunity()
            {
                self.events.push(first, Event::Opportunity(index as u32));
            }
        }
        for (index, source) in self.sources.iter().enumerate() {
            if let Some(at) = source.change_at() {
                self.events.push(at, Event::SourceChange(index as u32));
            }
        }
        for (index, flow) in scenario.flows.iter().enumerate() {
            self.events.push(Time::from_nanos(flow.start_ns), Event::FlowStart(index as u32));
            if let Some(stop) = flow.stop_ns {
                self.events.push(Time::from_nanos(stop), Event::FlowStop(index as u32));
            }
        }
        if scenario.record.sample_ns.is_some() {
            self.events.push(Time::ZERO, Event::Sample);
        }
        if let Some(interval) = scenario.record.rates_ns {
            self.events.push(self.warmup + Span::from_nanos(interval), Event::RateBin);
        }
    }
}

fn impairment(seed: &str, link: &LinkSpec, what: &str, spec: Option<&ImpairmentSpec>) -> Option<Impairment> {
    spec.map(|spec| Impairment::new(spec, Stream::new(seed, &format!("link/{}/{what}", link.name))))
}

fn pipe_link(seed: &str, link: &LinkSpec) -> Option<PipeLink> {
    if link.queue.is_some() {
        return None;
    }
    let rate = Rate::from_bits_per_second(link.rate_bps.expect("a checked link without queue has a rate"));
    let drop = impairment(seed, link, "drop", link.drop.as_ref());
    let mark = impairment(seed, link, "mark", link.mark.as_ref());
    Some(PipeLink::new(rate, Span::from_nanos(link.delay_ns), drop, mark))
}

fn port(seed: &str, link: &LinkSpec) -> Port {
    let spec = link.queue.as_ref().expect("a port has a queue");
    let queue = Queue::new(spec, Stream::new(seed, &format!("link/{}/queue", link.name)));
    let transmitter = match (link.rate_bps, &link.trace_ms) {
        (Some(rate), _) => Transmitter::Rate(Serialiser::new(Rate::from_bits_per_second(rate))),
        (None, Some(times)) => Transmitter::Trace(Trace::new(times.clone(), link.trace_once)),
        (None, None) => panic!("a checked link has a rate or a trace"),
    };
    let mut port = Port::new(link.name.clone(), queue, transmitter, Span::from_nanos(link.delay_ns));
    port.drop = impairment(seed, link, "drop", link.drop.as_ref());
    port.mark = impairment(seed, link, "mark", link.mark.as_ref());
    port
}

fn new_flow(index: u32, flow: &FlowSpec, scenario: &Scenario) -> Flow {
    let profile = &scenario.profiles[flow.profile as usize];
    let limit = Span::from_nanos(profile.send_jitter_ns);
    let stream = || Stream::new(&scenario.seed, &format!("flow/{index}/jitter"));
    let delay = profile.tcp.delayed_ack.then_some(Span::from_nanos(profile.tcp.delayed_ack_timeout_ns));
    Flow {
        sender: Sender::new(index, flow, profile),
        receiver: Receiver::new(profile.recovery == RecoveryKind::Sack, delay),
        jitter: (limit > Span::ZERO).then(|| Jitter::new(limit, stream())),
        ack_bytes: profile.ack_bytes,
        ack_flags: ack_flags(flow.test),
        timer_event: Time::NEVER,
        ack_event: Time::NEVER,
        drops: 0,
        marks: 0,
    }
}
