//! A sender, a link of known rate and delay, and a receiver: a network in a few lines, over any controller.

use sawtooth_cc::units::{Bytes, Rate, Span, Time};
use sawtooth_cc::{ControlSettings, Controller};
use sawtooth_sim::ack_details::{DetailsHandle, DetailsPool};
use sawtooth_sim::packet::{ECE, ECT, Packet};
use sawtooth_sim::scenario::{FlowSpec, Profile, TcpSpec};
use sawtooth_sim::tcp::RecoveryInfo;
use sawtooth_sim::tcp::receiver::{AckDecision, Receiver};
use sawtooth_sim::tcp::recovery::AnyRecovery;
use sawtooth_sim::tcp::sender::Sender;
use std::collections::{BTreeMap, BTreeSet};

/// Packets have this size.
pub const PACKET: u64 = 1_000;

/// What the path is like.
#[derive(Clone, Debug)]
pub struct Shape {
    pub rate: Rate,
    /// One way.
    pub delay: Span,
    /// Which packets are lost, counted as they reach the link.
    pub lost: BTreeSet<u64>,
    /// Which of the others are marked, if they are ECN-capable.
    pub marked: BTreeSet<u64>,
    /// What the application offers, at these times in ms; empty: data without end.
    pub supply: Vec<(u64, u32)>,
}

impl Shape {
    /// A link that loses nothing.
    pub fn new(bits_per_second: u64, delay_ms: u64) -> Self {
        Shape {
            rate: Rate::from_bits_per_second(bits_per_second),
            delay: Span::from_millis(delay_ms),
            lost: BTreeSet::new(),
            marked: BTreeSet::new(),
            supply: Vec::new(),
        }
    }
}

/// What happens when.
enum Event {
    Data(Packet),
    Ack {
        number: u32,
        details: DetailsHandle,
        echo: bool,
    },
    DelayedAck,
    /// So many packets from the application.
    Supply(u32),
}

/// A sender and its path.
pub struct Path<C> {
    shape: Shape,
    sender: Sender<C>,
    receiver: Receiver,
    details: DetailsPool,
    free_at: Time,
    events: BTreeMap<(Time, u64), Event>,
    scheduled: u64,
    /// Every packet, with the time at which it left.
    pub sent: Vec<(Time, Packet)>,
}

impl<C: Controller> Path<C> {
    pub fn new(
        shape: Shape,
        recovery: &RecoveryInfo,
        tcp: &TcpSpec,
        control: impl Fn(&ControlSettings) -> C,
    ) -> Self {
        let profile = Profile {
            controller: sawtooth_cc::parse_controller("aimd(1, 0.5)").expect("a controller of the table"),
            recovery: Some(recovery.kind),
            packet_bytes: PACKET as u16,
            ack_bytes: 40,
            send_jitter_ns: 0,
            tcp: tcp.clone(),
        };
        let flow = FlowSpec {
            profile: 0,
            test: true,
            in_profile: false,
            forward: Vec::new(),
            reverse: Vec::new(),
            start_ns: 0,
            stop_ns: None,
            packets: None,
            supply: shape.supply.iter().map(|&(at, packets)| [at, u64::from(packets)]).collect(),
            frame_deadline_ns: None,
        };
        let mut path = Path {
            sender: Sender::joined(0, &flow, &profile, None, control, AnyRecovery::new(recovery.kind, tcp)),
            receiver: Receiver::new(recovery.feedback, tcp),
            details: DetailsPool::default(),
            free_at: Time::ZERO,
            events: BTreeMap::new(),
            scheduled: 0,
            sent: Vec::new(),
            shape,
        };
        for (at, packets) in path.shape.supply.clone() {
            path.schedule(Time::ZERO + Span::from_millis(at), Event::Supply(packets));
        }
        path
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    /// The handshake takes the two delays; then everything up to the end.
    pub fn run(&mut self, end: Time) {
        self.sender.syn(Time::ZERO);
        let opened = Time::ZERO + self.shape.delay + self.shape.delay;
        self.sender.on_syn_ack(opened);
        self.send_allowed(opened);
        loop {
            let next = self.events.first_key_value().map_or(Time::NEVER, |(&(at, _), _)| at);
            let now = next.min(self.sender.deadline());
            if now >= end {
                return;
            }
            if next == now {
                let (_, event) = self.events.pop_first().expect("the first is there");
                self.handle(event, now);
            } else {
                self.sender.on_deadline(now).expect("the SYN has been answered");
            }
            self.send_allowed(now);
        }
    }

    fn handle(&mut self, event: Event, now: Time) {
        match event {
            Event::Data(packet) => match self.receiver.on_data(packet, now).answer {
                AckDecision::Now => self.acknowledge(now),
                AckDecision::At(due) => self.schedule(due, Event::DelayedAck),
                AckDecision::Held => unreachable!("no path here holds acknowledgements"),
            },
            Event::DelayedAck if self.receiver.ack_due() <= now => self.acknowledge(now),
            Event::DelayedAck => {}
            Event::Ack { number, details, echo } => {
                self.sender.on_ack(number, self.details.get(details), echo, now);
                self.details.release(details);
            }
            Event::Supply(packets) => self.sender.supply(packets, true, now),
        }
    }

    fn acknowledge(&mut self, now: Time) {
        let details = if self.receiver.has_details() {
            self.receiver.keep_details(&mut self.details, now)
        } else {
            DetailsHandle::default()
        };
        let (number, echo) = self.receiver.acknowledge();
        self.schedule(now + self.shape.delay, Event::Ack { number, details, echo });
    }

    fn send_allowed(&mut self, now: Time) {
        while let Some(packet) = self.sender.next_packet(now) {
            assert!(!packet.has(ECE), "data carries no echo");
            self.sent.push((now, packet));
            let count = self.sent.len() as u64;
            if self.shape.lost.contains(&count) {
                continue;
            }
            let marked = self.shape.marked.contains(&count) && packet.has(ECT);
            self.free_at = self.free_at.max(now) + Bytes::new(PACKET) / self.shape.rate;
            let packet = if marked { packet.marked() } else { packet };
            self.schedule(self.free_at + self.shape.delay, Event::Data(packet));
        }
    }
}
