//! What stands at the ends of a flow: TCP or a rate-based protocol. Closed enums, so that no virtual call stands on the path of a packet.

use crate::packet::Packet;
use crate::rate::receiver::PacedReceiver;
use crate::rate::sender::PacedSender;
use crate::scenario::{FlowSpec, Profile};
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::{Sender, SenderStats, WindowCut};
use sawtooth_cc::RandomKey;
use sawtooth_cc::units::{Time, Window};

/// The sender of a flow. The tag comes first: it shares a cache line with what each packet needs.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most flows are TCP's, and what a packet needs of them stays in line"
)]
#[repr(C, u8)]
pub enum Transport {
    /// A window and a recovery.
    Tcp(Sender),
    /// A rate.
    Paced(Box<PacedSender>),
}

macro_rules! both {
    ($self:expr, $sender:ident => $what:expr) => {
        match $self {
            Transport::Tcp($sender) => $what,
            Transport::Paced($sender) => $what,
        }
    };
}

impl Transport {
    /// A sender before its SYN, with a key where its controller draws random numbers.
    pub fn new(index: u32, flow: &FlowSpec, profile: &Profile, random: Option<RandomKey>) -> Self {
        if profile.controller.properties().own_transport {
            Transport::Paced(Box::new(PacedSender::new(index, flow, profile)))
        } else {
            Transport::Tcp(Sender::new(index, flow, profile, random))
        }
    }

    /// Send the SYN for the first time.
    pub fn syn(&mut self, now: Time) -> Packet {
        both!(self, sender => sender.syn(now))
    }

    /// The SYN was answered.
    pub fn on_syn_ack(&mut self, now: Time) {
        both!(self, sender => sender.on_syn_ack(now));
    }

    /// Offer no more data.
    pub fn stop(&mut self) {
        both!(self, sender => sender.stop());
    }

    /// The application makes so many more packets available, and will make more if it says so.
    pub fn supply(&mut self, packets: u32, more: bool, now: Time) {
        match self {
            Transport::Tcp(sender) => sender.supply(packets, more, now),
            Transport::Paced(_) => unreachable!("a checked flow with a rate of its own has no supply"),
        }
    }

    /// When something is to be done without having been told.
    #[inline(always)]
    pub fn deadline(&self) -> Time {
        both!(self, sender => sender.deadline())
    }

    /// The deadline has come. Returns the SYN to send again, or the cut it brought, if any.
    pub fn on_deadline(&mut self, now: Time) -> Result<Option<WindowCut>, Packet> {
        both!(self, sender => sender.on_deadline(now))
    }

    /// Does a pacer hold the packets of a window?
    pub fn is_paced(&self) -> bool {
        matches!(self, Transport::Tcp(sender) if sender.is_paced())
    }

    /// The next packet to send now, if one may go.
    #[inline(always)]
    pub fn next_packet(&mut self, now: Time) -> Option<Packet> {
        both!(self, sender => sender.next_packet(now))
    }

    /// The window, or the packets that a rate sends in a round trip.
    pub fn window(&self) -> Window {
        both!(self, sender => sender.window())
    }

    /// The window below which slow start runs.
    pub fn slow_start_threshold(&self) -> Window {
        both!(self, sender => sender.slow_start_threshold())
    }

    /// Counters.
    pub fn stats(&self) -> &SenderStats {
        both!(self, sender => &sender.stats)
    }

    /// Smoothed round-trip time in nanoseconds; 0 before the first sample.
    pub fn srtt_nanos(&self) -> u64 {
        both!(self, sender => sender.srtt_nanos())
    }

    /// Start counting now.
    pub fn restart_counters(&mut self, now: Time) {
        both!(self, sender => sender.restart_counters(now));
    }

    /// Time mean of the window since counting began at `since`.
    pub fn window_mean(&mut self, since: Time, now: Time) -> f64 {
        both!(self, sender => sender.window_mean(since, now))
    }

    /// When everything there was to send had been acknowledged, if it was.
    pub fn finished(&self) -> Option<Time> {
        match self {
            Transport::Tcp(sender) => sender.finished,
            Transport::Paced(_) => None,
        }
    }

    /// Have what the next packet of this flow needs brought into the cache.
    #[inline(always)]
    pub fn prefetch(&self) {
        if let Transport::Tcp(sender) = self {
            sender.prefetch();
        }
    }
}

/// The receiver of a flow.
#[derive(Debug)]
pub enum AnyReceiver {
    /// Acknowledges what came.
    Tcp(Receiver),
    /// Reports on what came.
    Paced(Box<PacedReceiver>),
}

impl AnyReceiver {
    /// A receiver that has seen nothing.
    pub fn new(profile: &Profile) -> Self {
        if let Some(receiver) = PacedReceiver::new(&profile.controller) {
            return AnyReceiver::Paced(Box::new(receiver));
        }
        let sends_sack = profile.recovery.is_some_and(|kind| kind.info().selective);
        AnyReceiver::Tcp(Receiver::new(sends_sack, &profile.tcp))
    }

    /// When a delayed answer is due; `NEVER` if none waits.
    pub fn answer_due(&self) -> Time {
        match self {
            AnyReceiver::Tcp(receiver) => receiver.ack_due(),
            AnyReceiver::Paced(receiver) => receiver.due(),
        }
    }
}
