//! How a connection begins, gets data and ends.
//!
//! Source: RFC 6298 §2, §5.7 (the SYN exchange gives the first round trip, unless the SYN was lost), RFC 5681 §3.1 (one packet after a lost SYN).

use super::Sender;
use crate::packet::{ECT, Packet, PacketKind};
use crate::tcp::recovery::LossRecovery;
use sawtooth_cc::units::Time;
use sawtooth_cc::{Controller, IdleSignal};

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    /// Send the SYN, for the first time or again.
    pub fn syn(&mut self, now: Time) -> Packet {
        (self.timed, self.timed_at) = ((!self.syn_lost).then_some(0), now);
        self.retransmit_at = now + self.rto;
        self.window_since = now;
        self.packet(PacketKind::Syn, 0, self.syn_bytes, self.flags & !ECT)
    }

    /// The SYN was answered: data may go.
    pub fn on_syn_ack(&mut self, now: Time) {
        if self.established {
            return;
        }
        self.established = true;
        self.retransmit_at = Time::NEVER;
        if self.timed.take().is_some() {
            self.rtt.sample(now - self.timed_at);
        }
        let after_lost_syn = self.control_after_lost_syn.take();
        if self.syn_lost {
            self.rtt.handshake_was_lost();
            self.control = *after_lost_syn.expect("a connection is established once");
            self.follow_control();
        }
        self.rto = self.rtt.rto();
        self.window_since = now;
    }

    /// Offer no data beyond what has been sent.
    pub fn stop(&mut self) {
        self.sent.limit = self.sent.limit.min(self.sent.high);
        self.more_to_come = false;
        if self.idle_since != Time::NEVER {
            self.finished = Some(self.idle_since);
        }
    }

    /// The application makes so many more packets available, and will make more if it says so.
    pub fn supply(&mut self, packets: u32, more: bool, now: Time) {
        if !self.more_to_come {
            return; // it was stopped
        }
        self.sent.limit += packets;
        self.more_to_come = more;
        if self.idle_since != Time::NEVER {
            self.control.on_idle(&IdleSignal { now, since: self.idle_since });
            self.follow_change(now);
            self.idle_since = Time::NEVER;
        }
    }

    /// Everything that there is to send has been acknowledged, for good or for now.
    pub(super) fn note_end_of_data(&mut self, now: Time) {
        if self.more_to_come {
            self.idle_since = now;
        } else if self.finished.is_none() {
            self.finished = Some(now);
        }
    }
}
