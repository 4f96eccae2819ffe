//! A transmitter of constant rate that asks its queue for each packet.
//!
//! Which packet comes next is open until the transmitter is free, so the end of every transmission is an event.

use crate::pipe::Serialiser;
use crate::queue::{Backlog, TransmitterState};
use sawtooth_cc::units::{Rate, Span, Time};

/// A transmitter of constant rate that asks for each packet.
#[derive(Debug)]
pub struct AskingTransmitter {
    serialiser: Serialiser,
    sending: Backlog,
    idle_since: Time,
}

impl AskingTransmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate) -> Self {
        let serialiser = Serialiser::new(rate);
        AskingTransmitter { serialiser, sending: Backlog::default(), idle_since: Time::ZERO }
    }

    /// What it is doing now.
    pub fn state(&self, now: Time) -> TransmitterState {
        TransmitterState { now, in_transmission: self.sending, idle_since: self.idle_since }
    }

    /// What is in transmission.
    pub fn sending(&self) -> Backlog {
        self.sending
    }

    /// Is nothing in transmission?
    pub fn is_idle(&self) -> bool {
        self.sending.packets == 0
    }

    /// A packet is sent from now on: for how long.
    pub fn begin(&mut self, bytes: u16) -> Span {
        self.sending = Backlog { packets: 1, bytes: u64::from(bytes) };
        self.idle_since = Time::NEVER;
        self.serialiser.span(bytes)
    }

    /// The transmission under way has ended; whether another begins is open.
    pub fn end(&mut self, now: Time) {
        self.sending = Backlog::default();
        self.idle_since = now;
    }
}
