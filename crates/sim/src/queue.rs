//! Queue disciplines and the frame that counts for them.
//!
//! A discipline ([`QueueDiscipline`]) holds the waiting packets and chooses the one that is sent next. Most disciplines decide
//! everything on arrival: they are an [`ArrivalRule`] inside a [`fifo::Fifo`]. All counting is done here and in the context through
//! which a discipline acts, so that no discipline can forget it. A discipline knows no windows and no protocols, and of its link only
//! the rate.
//!
//! A new discipline is a file in `queue/` with its specification, its row (`INFO`) and its tests, and one line below.

pub mod chain;
pub mod classes;
pub mod counters;
pub mod depth;
pub mod device;
pub mod discipline;
pub mod drop_reason;
pub mod fifo;
pub mod limit;
pub mod longest;
pub mod owner;
pub mod pi;
pub mod table;

use crate::packet::{ECT, Packet, PacketKind};
use crate::random::Stream;
use crate::scenario::{ScenarioError, require};
use counters::Tally;
use device::Device;
pub use discipline::{
    Admission, ArrivalRule, Backlog, DisciplineState, QueueContext, QueueDiscipline, QueueState, Queued,
    SUBQUEUES_MAX, Signal, TransmitterState,
};
pub use drop_reason::{DROP_REASONS, DropReason};
use fifo::Fifo;
pub use owner::Owner;
use sawtooth_cc::units::{Rate, Span, Time};
use serde::{Deserialize, Serialize};
use table::disciplines;
pub use table::{DisciplineInfo, DisciplineParameter, DisciplineSpec, Marking};

disciplines! {
    /// First in, first out; what does not fit is dropped.
    arrival "droptail" droptail::DropTail(DropTailSpec);
    /// A queue per flow, served in turn.
    departure "drr" drr::Drr(DrrSpec);
    /// Random early detection.
    arrival "red" red::Red(RedSpec);
    /// In-profile packets are spared; the others see RED or drop-tail.
    arrival "rio" rio::Rio(RioSpec);
    /// Every ECN-capable packet is marked from a threshold on.
    arrival "step" step::Step(StepSpec);
    /// Drops at the head while the queue has been standing for too long.
    departure "codel" codel::Codel(CodelSpec);
    /// CoDel for each flow, new flows first.
    departure "fq-codel" fq_codel::FqCodel(FqCodelSpec);
    /// A queue for L4S beside a classic one, coupled.
    departure "dualpi2" dualpi2::DualPi2(DualPi2Spec);
    /// Drops arrivals at random so that the waiting time keeps to a target.
    departure "pie" pie::Pie(PieSpec);
}

impl QueueSpec {
    /// Does what becomes of packets follow from the rate of the link, besides from what waits and how long?
    pub fn heeds_rate(&self) -> bool {
        match self {
            QueueSpec::Red(_) => true,
            QueueSpec::Rio(spec) => spec.rule == rio::OutProfileRule::Red,
            QueueSpec::Pie(spec) => spec.variant == pie::Variant::Docsis,
            QueueSpec::Step(spec) => matches!(spec.threshold, depth::Depth::Ns(_)),
            _ => false,
        }
    }

    /// Does its probability move at regular times, whatever comes and goes?
    pub fn moves_at_times(&self) -> bool {
        matches!(self, QueueSpec::Pie(_) | QueueSpec::DualPi2(_))
    }

    pub(crate) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let (packets, bytes) = self.limit();
        let one = packets.is_some() != bytes.is_some();
        let info = self.info();
        let name = info.aliases.first().unwrap_or(&info.name);
        require(one, path, name, "either packets or bytes as its limit")?;
        require(packets.or(bytes).is_some_and(|limit| limit > 0), path, 0, "a limit of at least 1")?;
        self.check_numbers(path)
    }
}

impl AnyDiscipline {
    /// The decision of the arrival rule about an arriving packet.
    #[inline(always)]
    fn admit(&mut self, arrival: Packet, found: &QueueState, random: &mut Stream) -> Admission {
        match self {
            AnyDiscipline::DropTail(queue) => queue.rule.admit(arrival, found, random),
            other => other.admit_by_rule(arrival, *found, random),
        }
    }
}

/// A discipline inside its frame.
#[derive(Debug)]
pub struct Queue {
    discipline: AnyDiscipline,
    /// What has left the discipline and waits for the transmitter.
    device: Device,
    random: Stream,
    tally: Tally,
    /// What the discipline did and the network has not acted on yet.
    signals: Vec<Signal>,
}

impl Queue {
    /// A queue that has seen no packet, before a link of this (mean) rate, with its own random stream.
    pub fn new(spec: &QueueSpec, rate: Rate, random: Stream) -> Self {
        Queue {
            discipline: AnyDiscipline::new(spec, rate),
            device: Device::default(),
            random,
            tally: Tally::with_subqueues(spec.info().subqueues.len()),
            signals: Vec::new(),
        }
    }

    /// The same with a device that holds so many packets behind the discipline.
    #[must_use]
    pub fn before_device(mut self, packets: u32) -> Self {
        self.device = Device::new(packets);
        self
    }

    /// Count a packet that the link itself, by its impairment or its policer, discarded on arrival.
    pub fn count_refused(&mut self, packet: Packet, reason: DropReason) {
        self.tally.count_arrival(packet);
        self.tally.count_drop(packet, reason);
    }

    /// Mark a packet on behalf of the link's impairment, if it is ECN-capable.
    pub fn mark_impaired(&mut self, packet: Packet) -> Packet {
        if !packet.has(ECT) {
            return packet;
        }
        self.tally.count_mark(packet);
        packet.marked()
    }

    /// Ask the arrival rule only, where departures are known ahead and the transmitter holds the packets. The decision is counted here
    /// and carried out by the caller.
    #[inline(always)]
    pub fn admit(&mut self, packet: Packet, found: &QueueState) -> Admission {
        self.tally.count_arrival(packet);
        let admission = self.discipline.admit(packet, found, &mut self.random);
        if admission != Admission::Wait {
            self.count_signal(packet, admission);
        }
        admission
    }

    #[cold]
    fn count_signal(&mut self, packet: Packet, admission: Admission) {
        self.assert_not_spared(packet);
        match admission {
            Admission::Wait => {}
            Admission::Mark => self.tally.count_mark(packet),
            Admission::Drop(reason) => self.tally.count_drop(packet, reason),
        }
    }

    fn assert_not_spared(&self, packet: Packet) {
        assert!(
            !self.discipline.spares(packet),
            "packets that the discipline spares are neither dropped nor marked"
        );
    }

    /// A packet arrives. What the discipline does to it and to others is told by [`Queue::next_signal`].
    pub fn enqueue(&mut self, arrival: Queued, transmitter: TransmitterState) {
        self.tally.count_arrival(arrival.packet);
        self.act(&transmitter, |discipline, context| discipline.enqueue(arrival, context));
        if transmitter.in_transmission.packets > 0 {
            self.fill_device(&transmitter);
        }
    }

    /// An acknowledgement is about to arrive: the oldest of its flow that it supersedes is dropped, if there are more than `spared` of them.
    #[cold]
    pub fn drop_superseded(
        &mut self,
        arrival: Packet,
        spared: u32,
        transmitter: TransmitterState,
        supersedes: impl Fn(Packet) -> bool,
    ) {
        let owner = Owner::of(arrival);
        let (mut found, mut oldest) = (0, None);
        let mut look = |waiting: Packet| {
            if waiting.kind() == PacketKind::Ack && supersedes(waiting) {
                found += 1;
                oldest.get_or_insert(waiting);
            }
            false
        };
        self.act(&transmitter, |discipline, context| discipline.remove(owner, &mut look, context));
        let Some(oldest) = oldest.filter(|_| found > spared) else { return };
        self.act(&transmitter, |discipline, context| {
            let removed = discipline.remove(owner, &mut |waiting| waiting == oldest, context);
            context.drop(removed.expect("it has just been seen"), DropReason::Filtered);
        });
    }

    /// The packet that is sent now, if any is held.
    #[inline(always)]
    pub fn dequeue(&mut self, transmitter: TransmitterState) -> Option<Queued> {
        let waiting = self.device.take();
        let sent = waiting.or_else(|| self.choose(&transmitter));
        if sent.is_some() {
            self.fill_device(&transmitter);
        }
        sent
    }

    #[inline(always)]
    fn choose(&mut self, transmitter: &TransmitterState) -> Option<Queued> {
        self.act(transmitter, |discipline, context| discipline.dequeue(context))
    }

    /// The device takes from the discipline what it has room for. Most links have no device.
    #[inline(always)]
    fn fill_device(&mut self, transmitter: &TransmitterState) {
        if self.device.has_room() {
            self.fill_room(transmitter);
        }
    }

    #[cold]
    fn fill_room(&mut self, transmitter: &TransmitterState) {
        while self.device.has_room() {
            let Some(queued) = self.choose(transmitter) else { return };
            self.device.put(queued);
        }
    }

    #[inline(always)]
    fn act<T>(
        &mut self,
        transmitter: &TransmitterState,
        call: impl FnOnce(&mut AnyDiscipline, &mut QueueContext<'_>) -> T,
    ) -> T {
        let Queue { discipline, random, tally, signals, .. } = self;
        call(discipline, &mut QueueContext { transmitter, random, tally, signals })
    }

    /// What is held, in the discipline and in the device.
    pub fn held(&self) -> Backlog {
        let (held, device) = (self.discipline.backlog(), self.device.backlog());
        Backlog { packets: held.packets + device.packets, bytes: held.bytes + device.bytes }
    }

    /// From now on the link sends at this rate, or at this mean rate.
    pub fn set_rate(&mut self, rate: Rate, transmitter: &TransmitterState) {
        self.discipline.set_rate(rate, transmitter);
    }

    /// What the discipline is doing, subqueue by subqueue.
    pub fn states(&self, now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
        self.discipline.states(now)
    }

    /// Has the discipline done something that [`Queue::next_signal`] has not told?
    #[inline(always)]
    pub fn has_signals(&self) -> bool {
        !self.signals.is_empty()
    }

    /// Something that the discipline did, each once, the newest first.
    pub fn next_signal(&mut self) -> Option<Signal> {
        let signal = self.signals.pop()?;
        match signal {
            Signal::Dropped(_, DropReason::Filtered) => {} // by the filter of the link: a discipline spares packets from itself
            Signal::Dropped(packet, _) | Signal::Marked(packet) => self.assert_not_spared(packet),
        }
        Some(signal)
    }

    /// Count a packet whose transmission begins after this delay, within the measured time or before it.
    #[inline(always)]
    pub fn count_departure(&mut self, packet: Packet, delay: Span, measured: bool) {
        self.tally.count_departure(packet, delay, measured);
    }

    /// The same for the subqueue to which a packet was assigned, if the discipline has some.
    #[inline(always)]
    pub fn count_subqueue(&mut self, queued: &Queued, now: Time, measured: bool) {
        if !self.tally.subqueues.is_empty() {
            self.count_in_subqueue(queued, now, measured);
        }
    }

    #[inline(never)]
    fn count_in_subqueue(&mut self, queued: &Queued, now: Time, measured: bool) {
        if let Some(subqueue) = self.tally.subqueues.get_mut(usize::from(queued.subqueue)) {
            subqueue.count_departure(queued.packet, now - queued.arrived, measured);
        }
    }

    /// The warm-up is over: what happens from now on is measured.
    pub fn restart_counters(&mut self) {
        self.tally.restart();
    }

    /// The counters.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Arrivals must equal departures, drops and the packets still waiting.
    pub fn assert_conservation(&self, name: &str, waiting: u64) {
        self.tally.assert_conservation(name, waiting);
    }
}

/// SYN packets are spared by impairments: a scenario that drops "the third packet" means data.
pub fn is_impairable(packet: Packet) -> bool {
    !matches!(packet.kind(), PacketKind::Syn | PacketKind::SynAck)
}
