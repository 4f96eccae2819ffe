//! The network: owns every component and has the one `match` over events.

mod finish;
mod setup;

use crate::event::Event;
use crate::event_queue::EventQueue;
use crate::packet::{CE, ECE, Packet, PacketKind, SackPool, TEST};
use crate::pipe::{InTransit, Jitter, PipeLink, Transit};
use crate::port::{OPPORTUNITY_BYTES, Port, Transmitter};
use crate::queue::is_impairable;
use crate::records::Series;
use crate::source::Source;
use crate::tcp::receiver::{AckDecision, Receiver};
use crate::tcp::sender::{Sender, WindowCut};
use crate::topology::{Route, Stage};
use sawtooth_cc::units::{Span, Time};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a run shows to other threads: how far it is, and whether it should go on.
#[derive(Debug, Default)]
pub struct Progress {
    /// Simulated nanoseconds so far.
    pub now_ns: AtomicU64,
    /// Set this to end the run early; it then returns nothing.
    pub stop: AtomicBool,
}

/// A pipe under way: which links it crosses and what is inside.
#[derive(Debug)]
struct Pipe {
    links: Vec<u32>,
    transit: Transit,
}

/// A flow: its endpoints and what the network knows about it.
#[derive(Debug)]
struct Flow {
    sender: Sender,
    receiver: Receiver,
    jitter: Option<Jitter>,
    ack_bytes: u16,
    ack_flags: u8,
    /// The retransmission-timer event that counts; events at other times are stale.
    timer_event: Time,
    /// Likewise for the delayed acknowledgement.
    ack_event: Time,
    /// Data packets dropped or marked at the first queue since counting began.
    drops: u64,
    marks: u64,
}

/// Where packets have gone, from the start of the run.
#[derive(Clone, Copy, Debug, Default)]
struct Census {
    created: u64,
    delivered: u64,
    dropped: u64,
    /// Cross traffic that has left its last port but not reached the end of the wire.
    on_last_wire: u64,
    events: u64,
}

/// A network under way.
#[derive(Debug)]
pub struct Network {
    events: EventQueue,
    warmup: Time,
    end: Time,
    stages: Vec<Stage>,
    forward: Vec<Route>,
    reverse: Vec<Route>,
    source_routes: Vec<Route>,
    pipe_links: Vec<Option<PipeLink>>,
    pipes: Vec<Pipe>,
    ports: Vec<Port>,
    flows: Vec<Flow>,
    sources: Vec<Source>,
    sacks: SackPool,
    series: Series,
    /// Scratch for packets that a discipline has just dropped.
    dropped: Vec<Packet>,
    census: Census,
}

/// How many events pass between two looks at the stop flag.
const STOP_CHECK_EVENTS: u64 = 1 << 14;

impl Network {
    /// Run to the end. `None` if it was stopped.
    pub fn run(&mut self, progress: &Progress) -> Option<()> {
        while let Some((now, event)) = self.events.pop_before(self.end) {
            progress.now_ns.store(now.nanos(), Ordering::Relaxed);
            self.handle(event, now);
            self.census.events += 1;
            if self.census.events.is_multiple_of(STOP_CHECK_EVENTS) && progress.stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        Some(())
    }

    #[inline]
    fn handle(&mut self, event: Event, now: Time) {
        match event {
            Event::PipeExit(pipe) => {
                let (packet, next) = self.pipes[pipe as usize].transit.pop();
                if let Some((due, sequence)) = next {
                    self.events.push_reserved(due, sequence, event);
                }
                self.advance(packet, now);
            }
            Event::TransmitEnd(port) => self.transmit_end(port, now),
            Event::WireExit(port) => {
                let (packet, next) = self.ports[port as usize].wire.pop();
                if let Some((due, sequence)) = next {
                    self.events.push_reserved(due, sequence, event);
                }
                self.advance(packet, now);
            }
            Event::Opportunity(port) => self.opportunity(port, now),
            Event::RetransmitTimer(flow) => self.retransmit_timer(flow, now),
            Event::DelayedAck(flow) => self.delayed_ack(flow, now),
            Event::FlowStart(flow) => {
                let syn = self.flows[flow as usize].sender.syn(now);
                self.emit(syn, now);
                self.arm_timer(flow);
            }
            Event::FlowStop(flow) => self.flows[flow as usize].sender.stop(),
            Event::SourceTick(source) => self.source_tick(source, now),
            Event::SourceChange(source) => self.source_change(source, now),
            Event::WarmupEnd => self.restart_counters(now),
            Event::Sample => self.sample(now),
            Event::RateBin => self.rate_bin(now),
        }
    }

    /// A packet enters the network at its endpoint.
    #[inline]
    fn emit(&mut self, packet: Packet, now: Time) {
        self.census.created += 1;
        self.advance(packet, now);
    }

    /// A packet goes on to the next stage of its route, or has arrived.
    #[inline]
    fn advance(&mut self, mut packet: Packet, now: Time) {
        let route = match packet.kind {
            PacketKind::Data | PacketKind::Syn => self.forward[packet.flow as usize],
            PacketKind::Ack | PacketKind::SynAck => self.reverse[packet.flow as usize],
            PacketKind::Cbr => self.source_routes[packet.flow as usize],
        };
        if packet.hop == route.len {
            self.deliver(packet, now);
            return;
        }
        let stage = self.stages[route.start as usize + usize::from(packet.hop)];
        packet.hop += 1;
        match stage {
            Stage::Pipe(pipe) => self.enter_pipe(pipe, packet, now),
            Stage::Port(port) => self.enter_port(port, packet, now),
        }
    }

    #[inline]
    fn enter_pipe(&mut self, index: u32, mut packet: Packet, now: Time) {
        let mut time = now;
        if packet.hop == 1
            && packet.kind == PacketKind::Data
            && let Some(jitter) = &mut self.flows[packet.flow as usize].jitter
        {
            time = jitter.delay(now);
        }
        let pipe = &mut self.pipes[index as usize];
        for &link in &pipe.links {
            let link =
                self.pipe_links[link as usize].as_mut().expect("a pipe consists of links without queues");
            if link.is_impaired() && is_impairable(&packet) {
                if link.drop.as_mut().is_some_and(|impairment| impairment.hits_next()) {
                    self.dropped.push(packet);
                    self.bury_dropped(None);
                    return;
                }
                if link.mark.as_mut().is_some_and(|impairment| impairment.hits_next()) {
                    packet.flags |= if packet.has(crate::packet::ECT) { CE } else { 0 };
                }
            }
            time = link.pass(packet.bytes, time);
        }
        let sequence = self.events.reserve_sequence();
        if pipe.transit.push(InTransit { due: time, sequence, packet }) {
            self.events.push_reserved(time, sequence, Event::PipeExit(index));
        }
    }

    #[inline]
    fn enter_port(&mut self, index: u32, mut packet: Packet, now: Time) {
        let port = &mut self.ports[index as usize];
        port.queue.count_arrival(&packet);
        if (port.drop.is_some() || port.mark.is_some()) && is_impairable(&packet) {
            if port.drop.as_mut().is_some_and(|impairment| impairment.hits_next()) {
                port.queue.count_impaired(&packet);
                self.dropped.push(packet);
                self.bury_dropped(Some(index));
                return;
            }
            if port.mark.as_mut().is_some_and(|impairment| impairment.hits_next()) {
                port.queue.mark_impaired(&mut packet);
            }
        }
        let was_idle = port.sending.is_none() && port.queue.backlog().packets == 0;
        port.queue.enqueue(packet, now, port.in_transmission(), &mut self.dropped);
        if was_idle {
            port.becomes_busy(now);
            if matches!(port.transmitter, Transmitter::Rate(_)) {
                self.load_port(index, now);
            }
        }
        if !self.dropped.is_empty() {
            self.bury_dropped(Some(index));
        }
    }

    /// The transmitter takes its next packet, or falls idle.
    #[inline]
    fn load_port(&mut self, index: u32, now: Time) {
        let port = &mut self.ports[index as usize];
        match (port.load(now, &mut self.dropped), &mut port.transmitter) {
            (Some(packet), Transmitter::Rate(serialiser)) => {
                let span = serialiser.span(packet.bytes);
                self.events.push(now + span, Event::TransmitEnd(index));
            }
            (Some(packet), Transmitter::Trace(trace)) => trace.unsent = u64::from(packet.bytes),
            (None, _) => port.becomes_idle(now),
        }
        if !self.dropped.is_empty() {
            self.bury_dropped(Some(index));
        }
    }

    #[inline]
    fn transmit_end(&mut self, index: u32, now: Time) {
        let packet =
            self.ports[index as usize].sending.take().expect("a transmission that ends has a packet");
        self.load_port(index, now);
        self.enter_wire(index, packet, now);
    }

    #[inline]
    fn enter_wire(&mut self, index: u32, packet: Packet, now: Time) {
        let port = &mut self.ports[index as usize];
        let due = now + port.delay;
        if packet.kind == PacketKind::Cbr && packet.hop == self.source_routes[packet.flow as usize].len {
            // Nobody waits for cross traffic at the end of its route: it needs no event there.
            let arrives = u64::from(due < self.end);
            self.census.delivered += arrives;
            self.census.on_last_wire += 1 - arrives;
            return;
        }
        let sequence = self.events.reserve_sequence();
        if port.wire.push(InTransit { due, sequence, packet }) {
            self.events.push_reserved(due, sequence, Event::WireExit(index));
        }
    }

    /// A trace lets up to 1500 bytes go; what is not used is lost.
    fn opportunity(&mut self, index: u32, now: Time) {
        let port = &mut self.ports[index as usize];
        port.opportunities += 1;
        let Transmitter::Trace(trace) = &mut port.transmitter else {
            unreachable!("only a trace-driven port has opportunities");
        };
        if let Some(next) = trace.next_opportunity() {
            self.events.push(next, Event::Opportunity(index));
        }
        let mut budget = OPPORTUNITY_BYTES;
        while budget > 0 {
            let port = &mut self.ports[index as usize];
            if port.sending.is_none() {
                if port.queue.backlog().packets == 0 {
                    return;
                }
                self.load_port(index, now);
                continue;
            }
            let Transmitter::Trace(trace) = &mut port.transmitter else { return };
            let part = trace.unsent.min(budget);
            trace.unsent -= part;
            budget -= part;
            if trace.unsent == 0 {
                let packet = port.sending.take().expect("checked above");
                if port.queue.backlog().packets == 0 {
                    port.becomes_idle(now);
                }
                self.enter_wire(index, packet, now);
            }
        }
    }

    /// Packets that were just dropped leave the run; `port` is where, if at a queue.
    #[cold]
    fn bury_dropped(&mut self, port: Option<u32>) {
        while let Some(packet) = self.dropped.pop() {
            self.census.dropped += 1;
            self.sacks.take(packet.sack);
            if port == Some(0) && packet.kind == PacketKind::Data {
                self.flows[packet.flow as usize].drops += 1;
            }
        }
    }

    #[inline]
    fn deliver(&mut self, packet: Packet, now: Time) {
        self.census.delivered += 1;
        match packet.kind {
            PacketKind::Data => self.deliver_data(packet, now),
            PacketKind::Ack => {
                let blocks = self.sacks.take(packet.sack);
                let sender = &mut self.flows[packet.flow as usize].sender;
                let cut = sender.on_ack(packet.number, blocks.as_slice(), packet.has(ECE), now);
                if let Some(cut) = cut {
                    self.record_cut(packet.flow, cut, now);
                }
                self.send_allowed(packet.flow, now);
            }
            PacketKind::Syn => {
                let flow = &self.flows[packet.flow as usize];
                let answer = Packet { kind: PacketKind::SynAck, bytes: flow.ack_bytes, hop: 0, ..packet };
                self.emit(answer, now);
            }
            PacketKind::SynAck => {
                self.flows[packet.flow as usize].sender.on_syn_ack(now);
                self.send_allowed(packet.flow, now);
            }
            PacketKind::Cbr => {}
        }
    }

    #[inline]
    fn deliver_data(&mut self, packet: Packet, now: Time) {
        let flow = &mut self.flows[packet.flow as usize];
        flow.marks += u64::from(packet.has(CE));
        match flow.receiver.on_data(&packet, now) {
            AckDecision::Now => self.send_ack(packet.flow, now),
            AckDecision::At(due) => {
                flow.receiver.ack_due = flow.receiver.ack_due.min(due);
                if due < flow.ack_event {
                    flow.ack_event = due;
                    self.events.push(due, Event::DelayedAck(packet.flow));
                }
            }
        }
    }

    #[inline]
    fn send_ack(&mut self, index: u32, now: Time) {
        let flow = &mut self.flows[index as usize];
        let (number, blocks, echo) = flow.receiver.acknowledge();
        let sack = if blocks.as_slice().is_empty() {
            crate::packet::SackHandle::NONE
        } else {
            self.sacks.keep(blocks)
        };
        let flags = flow.ack_flags | if echo { ECE } else { 0 };
        let ack =
            Packet { flow: index, number, sack, bytes: flow.ack_bytes, kind: PacketKind::Ack, flags, hop: 0 };
        self.emit(ack, now);
    }

    fn delayed_ack(&mut self, index: u32, now: Time) {
        let flow = &mut self.flows[index as usize];
        if flow.ack_event != now {
            return; // stale
        }
        flow.ack_event = Time::NEVER;
        let due = flow.receiver.ack_due;
        if due <= now {
            self.send_ack(index, now);
        } else if due != Time::NEVER {
            flow.ack_event = due;
            self.events.push(due, Event::DelayedAck(index));
        }
    }

    /// Send whatever the flow may send now, and see to its timer.
    #[inline]
    fn send_allowed(&mut self, index: u32, now: Time) {
        while let Some(packet) = self.flows[index as usize].sender.next_packet(now) {
            self.emit(packet, now);
        }
        self.arm_timer(index);
    }

    #[inline]
    fn arm_timer(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        if flow.sender.deadline < flow.timer_event {
            flow.timer_event = flow.sender.deadline;
            self.events.push(flow.timer_event, Event::RetransmitTimer(index));
        }
    }

    fn retransmit_timer(&mut self, index: u32, now: Time) {
        let flow = &mut self.flows[index as usize];
        if flow.timer_event != now {
            return; // stale
        }
        flow.timer_event = Time::NEVER;
        if flow.sender.deadline > now {
            self.arm_timer(index); // acknowledgements have moved it
            return;
        }
        match flow.sender.on_timeout(now) {
            Err(syn) => {
                self.emit(syn, now);
                self.arm_timer(index);
            }
            Ok(cut) => {
                self.record_cut(index, cut, now);
                self.send_allowed(index, now);
            }
        }
    }

    fn source_change(&mut self, index: u32, now: Time) {
        let source = &mut self.sources[index as usize];
        source.change(now);
        if let Some(at) = source.change_at() {
            self.events.push(at, Event::SourceChange(index));
        }
        self.source_tick(index, now);
    }

    #[inline]
    fn source_tick(&mut self, index: u32, now: Time) {
        let source = &mut self.sources[index as usize];
        if source.next_tick != now {
            return; // stale, or silent
        }
        let packet = source.tick(now);
        self.events.push(source.next_tick, Event::SourceTick(index));
        self.emit(packet, now);
    }

    fn record_cut(&mut self, index: u32, cut: WindowCut, now: Time) {
        let sender = &self.flows[index as usize].sender;
        self.series.cut(now, index, cut, sender.window(), sender.slow_start_threshold());
    }

    fn restart_counters(&mut self, now: Time) {
        for port in &mut self.ports {
            port.restart_counters(now);
        }
        for flow in &mut self.flows {
            flow.sender.restart_counters(now);
            flow.receiver.delivered_unique = 0;
            flow.receiver.delivered_total = 0;
            flow.drops = 0;
            flow.marks = 0;
        }
    }

    fn sample(&mut self, now: Time) {
        for (index, flow) in self.flows.iter().enumerate() {
            self.series.window(now, index as u32, flow.sender.window(), flow.sender.slow_start_threshold());
        }
        for (index, port) in self.ports.iter().enumerate() {
            let (waiting, sending) = (port.queue.backlog(), port.in_transmission());
            self.series.queue(
                now,
                index as u32,
                waiting.packets + sending.packets,
                waiting.bytes + sending.bytes,
            );
        }
        let next = now + Span::from_nanos(self.series.sample_ns().expect("samples were asked for"));
        self.events.push(next, Event::Sample);
    }

    /// A bin ends now. The bin that ends with the run is recorded when the run is finished.
    fn record_rates(&mut self, now: Time) {
        for (index, flow) in self.flows.iter().enumerate() {
            self.series.delivered(now, index as u32, flow.receiver.delivered_unique);
        }
    }

    fn rate_bin(&mut self, now: Time) {
        self.record_rates(now);
        let next = now + Span::from_nanos(self.series.rates_ns().expect("rates were asked for"));
        self.events.push(next, Event::RateBin);
    }
}

/// The flags that acknowledgements of a flow carry.
fn ack_flags(test: bool) -> u8 {
    if test { TEST } else { 0 }
}
