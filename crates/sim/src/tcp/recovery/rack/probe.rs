//! The tail loss probe: when nothing has been heard for two round trips, one packet more, so that something is.
//!
//! Source: RFC 8985 §7.
//!
//! | parameter       | unit | default | why                                                                                      |
//! |-----------------|------|---------|------------------------------------------------------------------------------------------|
//! | probe timeout   | ns   | 2 SRTT  | §7.2; 1 s without a sample, and never later than the retransmission timeout              |
//! | max_ack_delay   | ns   | delayed_ack_timeout | §7.2, where one packet is outstanding; 0 where the receiver delays nothing   |

use super::super::{Acknowledgement, SendState};
use sawtooth_cc::units::{Span, Time};

/// What a probe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// New data.
    New,
    /// The last packet again.
    Again,
}

/// What an acknowledgement says about a probe that was a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeOutcome {
    /// Nothing, or that nothing was lost.
    Fine,
    /// It has repaired a loss.
    Repaired,
}

/// The probes of one sender.
#[derive(Clone, Debug)]
pub struct TailLoss {
    enabled: bool,
    max_ack_delay: Span,
    /// A probe leaves with the next packet.
    pub due: Option<Probe>,
    /// `TLP.end_seq`
    end: Option<u32>,
    /// `TLP.is_retrans`
    again: bool,
    /// There has been a round-trip sample since the last probe.
    sampled: bool,
    /// Probes sent so far.
    pub count: u64,
}

impl TailLoss {
    /// No probe yet, or never one. The receiver is thought to delay acknowledgements by at most so much.
    pub fn new(enabled: bool, max_ack_delay: Span) -> Self {
        TailLoss { enabled, max_ack_delay, due: None, end: None, again: false, sampled: true, count: 0 }
    }

    /// Is no probe under way or due?
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.end.is_none() && self.due.is_none()
    }

    /// Recovery begins (§7.1).
    pub fn reset(&mut self) {
        (self.due, self.end, self.again) = (None, None, false);
    }

    /// A packet that was sent once has given a round trip.
    pub fn note_sample(&mut self) {
        self.sampled = true;
    }

    /// When the probe is due, set now (§7.2); if the retransmission timer does not expire before.
    pub fn time(&self, sent: &SendState, srtt: Option<Span>, now: Time) -> Time {
        if !self.enabled {
            return Time::NEVER;
        }
        let single = sent.high - sent.una == 1;
        let wait = match srtt {
            Some(srtt) => srtt.doubled() + if single { self.max_ack_delay } else { Span::ZERO },
            None => Span::from_seconds(1),
        };
        now + wait
    }

    /// The timer has expired (§7.3).
    pub fn on_timer(&mut self, sent: &SendState) {
        if self.end.is_none() && self.sampled && sent.una < sent.high {
            self.due = Some(if sent.may_send_next() { Probe::New } else { Probe::Again });
        }
    }

    /// The probe leaves.
    pub fn on_sent(&mut self, probe: Probe, sent: &SendState) {
        (self.end, self.again, self.sampled) = (Some(sent.high), probe == Probe::Again, false);
        self.count += 1;
    }

    /// `TLP_process_ack` of §7.4.2.
    pub fn on_ack(&mut self, ack: &Acknowledgement<'_>, una_before: u32) -> ProbeOutcome {
        self.due = None;
        let Some(end) = self.end.filter(|&end| ack.cumulative >= end) else { return ProbeOutcome::Fine };
        let arrived_twice = ack.duplicate().is_some_and(|number| number + 1 == end);
        let duplicate = ack.cumulative == una_before && ack.blocks.is_empty();
        if !self.again || arrived_twice {
            self.end = None;
        } else if ack.cumulative > end {
            self.end = None;
            return ProbeOutcome::Repaired;
        } else if duplicate {
            self.end = None;
        }
        ProbeOutcome::Fine
    }
}
