//! How a connection begins, gets data and ends.
//!
//! Source: RFC 6298 §2, §5.7 (the SYN exchange gives the first round trip, unless the SYN was lost), RFC 5681 §3.1 (one packet after a
//! lost SYN).

use super::Sender;
use super::states::StateClock;
use crate::packet::{Packet, PacketKind};
use crate::tcp::recovery::LossRecovery;
use sawtooth_cc::units::Time;
use sawtooth_cc::{Controller, IdleSignal};

impl<C: Controller, R: LossRecovery> Sender<C, R> {
    /// Round trips are counted in ticks of a clock that ticked last so many 2⁻¹⁶ of a tick before the start of the run.
    pub fn count_ticks(&mut self, phase: u16) {
        self.rtt.count_ticks(phase);
    }

    /// Send the SYN, for the first time or again.
    pub fn syn(&mut self, now: Time) -> Packet {
        (self.timed, self.timed_at) = ((!self.syn_lost).then_some(0), now);
        self.retransmit_at = self.timeout_at(now);
        self.window_since = now;
        self.packet(PacketKind::Syn, 0, self.syn_bytes, self.flags_beside_data())
    }

    /// The SYN was answered: data may go.
    pub fn on_syn_ack(&mut self, now: Time) {
        if self.established {
            return;
        }
        self.established = true;
        self.retransmit_at = Time::NEVER;
        if self.timed.take().is_some() {
            self.rtt.sample(now - self.timed_at, now);
        }
        let handshake = self.rtt.srtt();
        let after_lost_syn = self.aside.control_after_lost_syn.take();
        if self.syn_lost && !self.is_numbered() {
            self.rtt.handshake_was_lost();
            self.control = *after_lost_syn.expect("a connection is established once");
            self.follow_control();
        }
        self.rto = self.rtt.rto();
        self.window_since = now;
        self.control.on_established(now, handshake);
        self.follow_pace();
        if let (Some(extras), Some(state)) = (&mut self.extras, self.control.state()) {
            extras.states = Some(Box::new(StateClock::new(state, now)));
        }
    }

    /// Offer no data beyond what has been sent.
    pub fn stop(&mut self) {
        self.sent.limit = self.sent.limit.min(self.sent.high);
        self.more_to_come = false;
        if self.idle_since != Time::NEVER {
            self.finished = Some(self.idle_since);
        }
    }

    /// The application makes this many more packets available, and announces whether more will follow.
    pub fn supply(&mut self, packets: u32, more: bool, now: Time) {
        if !self.more_to_come {
            return; // it was stopped
        }
        self.sent.limit += packets;
        self.more_to_come = more;
        if self.idle_since != Time::NEVER {
            self.control.on_idle(&IdleSignal { now, since: self.idle_since, timeout: self.rto });
            self.follow_change(now);
            self.note_state(now);
            self.idle_since = Time::NEVER;
        }
    }

    /// The application offers nothing beyond what has been sent, for now.
    pub fn hold_supply(&mut self, now: Time) {
        if !self.more_to_come && self.sent.limit != u32::MAX {
            return; // it was stopped
        }
        self.sent.limit = self.sent.high.max(self.sent.next);
        self.more_to_come = true;
        if self.sent.limit > 0 && self.sent.una == self.sent.limit && self.idle_since == Time::NEVER {
            self.idle_since = now;
        }
    }

    /// The application offers everything again.
    pub fn supply_all(&mut self, now: Time) {
        self.supply(u32::MAX - self.sent.limit, false, now);
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
