//! A router port: a queue, a transmitter (a rate, or a trace of delivery opportunities) and a wire.

pub mod aggregate;
pub mod asking;
pub mod rate;
pub mod trace;

use crate::ack_filter::AckFilter;
use crate::ahead::Measured;
use crate::bucket::Bucket;
use crate::event::Moment;
use crate::impairment::Impairment;
use crate::packet::Packet;
use crate::queue::{Backlog, Queue, Queued, TransmitterState};
use aggregate::AggregateTransmitter;
use asking::AskingTransmitter;
use rate::RateTransmitter;
use sawtooth_cc::units::{Span, Time};
use trace::TraceTransmitter;

/// What puts packets on the wire.
#[derive(Debug)]
pub enum Transmitter {
    /// A constant rate behind a queue whose departures are known ahead: it holds the packets.
    Rate(RateTransmitter),
    /// A constant rate behind a queue that is asked for each packet.
    Asking(AskingTransmitter),
    /// Transmit opportunities in which several packets are sent.
    Aggregate(AggregateTransmitter),
    /// Opportunities from a file.
    Trace(TraceTransmitter),
}

/// A port of a router.
#[derive(Debug)]
pub struct Port {
    /// Its name in results.
    pub name: String,
    /// Who may wait, and what is counted.
    pub queue: Queue,
    /// What sends, and what waits for it.
    pub transmitter: Transmitter,
    /// Propagation delay of the wire.
    pub delay: Span,
    /// Does any impairment or policer sit on this link?
    pub is_impaired: bool,
    /// Losses of this link.
    pub drop: Option<Impairment>,
    /// Further losses of this link.
    pub loss: Option<Impairment>,
    /// Marks of this link.
    pub mark: Option<Impairment>,
    /// What it lets in at most.
    pub policer: Option<Bucket>,
    /// Which acknowledgements it does not send.
    pub ack_filter: Option<AckFilter>,
    /// Are packets put on the wire when their transmission begins?
    pub leaves_ahead: bool,
    /// May the end of a transmission be dealt with when somebody looks at this port?
    pub departs_late: bool,
    /// An event stands for the time by which somebody must have looked.
    pub is_expected: bool,
    /// The next packet of sources that is noticed when somebody comes here, and the source.
    pub late: (Moment, u32),
    /// Measured time with something to send.
    pub busy: Span,
    /// What the link could have carried in the measured time before its rate changed last, in bits times 10⁹.
    pub capacity_before: u128,
    /// A running hash of every departure: when, whose, which.
    pub departures_hash: u64,
}

impl Port {
    /// An idle port.
    pub fn new(name: String, queue: Queue, transmitter: Transmitter, delay: Span) -> Self {
        Port {
            name,
            queue,
            transmitter,
            delay,
            is_impaired: false,
            drop: None,
            loss: None,
            mark: None,
            policer: None,
            ack_filter: None,
            leaves_ahead: false,
            departs_late: false,
            is_expected: false,
            late: (Moment::NEVER, 0),
            busy: Span::ZERO,
            capacity_before: 0,
            departures_hash: 0xcbf2_9ce4_8422_2325,
        }
    }

    /// Its impairments are others now.
    pub fn note_impairments(&mut self) {
        let loses = self.drop.is_some() || self.loss.is_some() || self.policer.is_some();
        self.is_impaired = loses || self.mark.is_some();
    }

    /// What waits, and what is in transmission.
    pub fn backlogs(&mut self, now: Moment) -> (Backlog, Backlog) {
        match &mut self.transmitter {
            Transmitter::Rate(transmitter) => {
                transmitter.remove_departed(now);
                transmitter.backlogs()
            }
            Transmitter::Asking(transmitter) => {
                let (shaped, sending) = transmitter.backlogs(now.time);
                (self.queue.held().and(shaped), sending)
            }
            Transmitter::Aggregate(transmitter) => {
                (self.queue.held().and(transmitter.kept()), transmitter.sending())
            }
            Transmitter::Trace(transmitter) => (self.queue.held(), transmitter.sending()),
        }
    }

    /// What a transmitter that asks for each packet is doing now.
    #[inline(always)]
    pub fn transmitter_state(&self, now: Time) -> TransmitterState {
        match &self.transmitter {
            Transmitter::Asking(transmitter) => transmitter.state(now),
            Transmitter::Aggregate(transmitter) => transmitter.state(now),
            Transmitter::Trace(transmitter) => transmitter.state(now, &self.queue),
            Transmitter::Rate(_) => unreachable!("where departures are known ahead, no packet is asked for"),
        }
    }

    /// The transmission of a packet begins now, after this wait.
    #[inline(always)]
    pub fn count_departure(&mut self, packet: Packet, arrived: Time, now: Time, measured: Measured) {
        self.queue.count_departure(packet, now - arrived, now >= measured.from);
        let word = now.nanos()
            ^ (u64::from(packet.flow()) << 40)
            ^ (u64::from(packet.number()) << 8)
            ^ packet.flags_to_hash();
        self.departures_hash =
            (self.departures_hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// The same of a packet that the discipline has given out, and of the subqueue that had it.
    #[inline(always)]
    pub fn count_begin(&mut self, queued: &Queued, now: Time, measured: Measured) {
        self.count_departure(queued.packet, queued.arrived, now, measured);
        self.queue.count_subqueue(queued, now, now >= measured.from);
    }
}
