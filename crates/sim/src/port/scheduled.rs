//! A transmitter of constant rate behind a queue that schedules.
//!
//! Which packet comes next is open until the transmitter is free, so the end of every transmission is an event. The packet
//! under way goes on ahead of time even so: when it has left is known at its begin.

use crate::pipe::Serialiser;
use crate::queue::Backlog;
use sawtooth_cc::units::{Rate, Span};

/// A transmitter of constant rate that asks for each packet.
#[derive(Debug)]
pub struct ScheduledTransmitter {
    serialiser: Serialiser,
    /// What is in transmission.
    pub sending: Backlog,
}

impl ScheduledTransmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate) -> Self {
        ScheduledTransmitter { serialiser: Serialiser::new(rate), sending: Backlog::default() }
    }

    /// Is nothing in transmission?
    pub fn is_idle(&self) -> bool {
        self.sending.packets == 0
    }

    /// A packet is sent from now on: for how long.
    pub fn begin(&mut self, bytes: u16) -> Span {
        self.sending = Backlog { packets: 1, bytes: u64::from(bytes) };
        self.serialiser.span(bytes)
    }

    /// Nothing is sent from now on.
    pub fn rest(&mut self) {
        self.sending = Backlog::default();
    }
}
