//! Proportional rate reduction: how much each acknowledgement lets go during fast recovery.
//!
//! Source: RFC 9937 §6, and RFC 6937 §3, which it replaces. A window law says at the beginning of recovery what window it leaves
//! (`ssthresh`). While more is in flight, what is sent is that share of what is delivered, so the cut is spread over the round trip. When
//! losses have taken the flight below, it grows back, bounded by what is delivered.
//!
//! | parameter | unit   | default | why                                                                                             |
//! |-----------|--------|---------|-------------------------------------------------------------------------------------------------|
//! | prr       | choice | off     | the four studies have none; `rack` takes `rfc9937`                                              |
//!
//! Below the threshold `"rfc6937-crb"` sends no more than has been delivered, and `"rfc6937-ssrb"` a packet more per acknowledgement.
//! `"rfc9937"` is the first of these, and the second where an acknowledgement moves the first hole on and tells of no further loss.
//!
//! Volumes are packets, as in Linux. The first retransmission always goes: RFC 9937 §6.2 says so here, RFC 6675 §5 step 4.3 for RFC 6937.

use serde::{Deserialize, Serialize};

/// Which rule bounds what is sent during fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reduction {
    /// The window alone.
    #[default]
    #[serde(rename = "off")]
    Off,
    /// RFC 9937.
    #[serde(rename = "rfc9937")]
    Rfc9937,
    /// RFC 6937 with the slow-start reduction bound.
    #[serde(rename = "rfc6937-ssrb")]
    SlowStartBound,
    /// RFC 6937 with the conservative reduction bound.
    #[serde(rename = "rfc6937-crb")]
    ConservativeBound,
}

impl Reduction {
    /// As scenarios spell it.
    pub const fn word(self) -> &'static str {
        match self {
            Reduction::Off => "off",
            Reduction::Rfc9937 => "rfc9937",
            Reduction::SlowStartBound => "rfc6937-ssrb",
            Reduction::ConservativeBound => "rfc6937-crb",
        }
    }
}

/// What is known of the flight when a recovery begins, in packets.
#[derive(Clone, Copy, Debug)]
pub struct FlightAtEntry {
    /// Sent and not acknowledged cumulatively.
    pub outstanding: u32,
    /// Of these, SACKed.
    pub sacked: u32,
    /// Delivered with the acknowledgement that begins the recovery.
    pub delivered: u32,
}

/// What an acknowledgement, or a timer, has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Packets delivered, selectively or not.
    pub packets: u32,
    /// The first hole has moved on.
    pub advances: bool,
    /// Packets have been called lost.
    pub tells_of_loss: bool,
}

/// The reduction of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    reduction: Reduction,
    /// An episode is in progress.
    active: bool,
    /// `RecoverFS`: what may be delivered over the episode.
    flight_at_entry: u32,
    /// `prr_delivered`
    delivered: u32,
    /// `prr_out`
    out: u32,
    /// `cwnd` of the episode.
    window: u32,
}

impl Prr {
    /// No recovery yet.
    pub const fn new(reduction: Reduction) -> Self {
        Prr { reduction, active: false, flight_at_entry: 0, delivered: 0, out: 0, window: 0 }
    }

    /// Does it bound anything at all?
    pub fn is_on(&self) -> bool {
        self.reduction != Reduction::Off
    }

    /// An episode begins (RFC 9937 §6.1; RFC 6937 §3 takes what is outstanding).
    pub fn begin(&mut self, flight: FlightAtEntry) {
        self.active = self.is_on();
        self.flight_at_entry = match self.reduction {
            Reduction::Rfc9937 => flight.outstanding - flight.sacked + flight.delivered,
            _ => flight.outstanding,
        }
        .max(1);
        (self.delivered, self.out, self.window) = (0, 0, 0);
    }

    /// The episode ends: the window alone counts.
    pub fn end(&mut self) {
        self.active = false;
    }

    /// Is an episode in progress?
    #[inline]
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// An acknowledgement has been taken in, or a timer has called packets lost (RFC 9937 §6.2). The law leaves `threshold`.
    pub fn on_delivery(&mut self, delivery: Delivery, in_flight: u32, threshold: u32) {
        if !self.active || delivery.packets == 0 && self.out > 0 {
            return;
        }
        self.delivered += delivery.packets;
        let banked = self.delivered.saturating_sub(self.out);
        let count = if in_flight > threshold {
            let due =
                (u64::from(self.delivered) * u64::from(threshold)).div_ceil(self.flight_at_entry.into());
            due.saturating_sub(self.out.into()) as u32
        } else {
            let safe = delivery.advances && !delivery.tells_of_loss;
            let bound = match self.reduction {
                Reduction::Rfc9937 => banked.max(delivery.packets) + u32::from(safe),
                Reduction::SlowStartBound => banked.max(delivery.packets) + 1,
                Reduction::ConservativeBound => banked,
                Reduction::Off => unreachable!("no episode begins"),
            };
            bound.min(threshold - in_flight)
        };
        let forced = u32::from(self.out == 0);
        self.window = in_flight + count.max(forced);
    }

    /// A packet leaves (RFC 9937 §6.3).
    pub fn on_sent(&mut self) {
        self.out += 1;
    }

    /// How much may be in flight during an episode.
    pub fn window(&self) -> Option<u32> {
        self.active.then_some(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Twenty in flight, two more by limited transmit; this many of the first are lost, and the third duplicate begins the episode.
    fn episode(reduction: Reduction) -> Prr {
        let mut prr = Prr::new(reduction);
        prr.begin(FlightAtEntry { outstanding: 22, sacked: 3, delivered: 1 });
        prr
    }

    /// What each of these acknowledgements lets go, with all that is let go sent.
    fn sends(prr: &mut Prr, mut in_flight: u32, threshold: u32, acks: &[Delivery]) -> Vec<u32> {
        let mut sent = Vec::new();
        for (index, &ack) in acks.iter().enumerate() {
            in_flight -= if index > 0 { ack.packets } else { 0 };
            prr.on_delivery(ack, in_flight, threshold);
            let count = prr.window().expect("an episode").saturating_sub(in_flight);
            (0..count).for_each(|_| prr.on_sent());
            in_flight += count;
            sent.push(count);
        }
        sent
    }

    const DUPLICATE: Delivery = Delivery { packets: 1, advances: false, tells_of_loss: false };

    #[test]
    fn a_single_loss_sends_every_other_time_until_half_is_left() {
        // RFC 9937 Figure 1, ACK #3 to #20: ceil(n · 10 / 20) have left after n deliveries while more than ten are in flight. At ACK #19
        // (n = 17) there are ten: the pseudo-code sends nothing, and one at #20, where the figure has it the other way round.
        let found = sends(&mut episode(Reduction::Rfc9937), 18, 10, &[DUPLICATE; 18]);
        let share = (1..=16).map(|n: u32| n.div_ceil(2) - (n - 1).div_ceil(2));
        let expected: Vec<u32> = share.chain([0, 1]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_burst_of_losses_is_repaired_as_fast_as_the_bound_allows() {
        // RFC 9937 Figure 2, RFC 6937 §3.1: fifteen lost, four in flight after the third duplicate.
        for (reduction, expected) in [
            (Reduction::Rfc9937, [1, 1, 1]),
            (Reduction::ConservativeBound, [1, 1, 1]),
            (Reduction::SlowStartBound, [2, 2, 2]),
        ] {
            assert_eq!(sends(&mut episode(reduction), 4, 10, &[DUPLICATE; 3]), expected, "{reduction:?}");
        }
        // RFC 9937: an acknowledgement that moves on without further loss lets a packet more go; one that tells of loss does not.
        let advances = Delivery { advances: true, ..DUPLICATE };
        let loses = Delivery { tells_of_loss: true, ..advances };
        assert_eq!(sends(&mut episode(Reduction::Rfc9937), 4, 10, &[DUPLICATE, advances, loses]), [1, 2, 1]);
    }

    #[test]
    fn the_first_retransmission_goes_whatever_is_in_flight() {
        let mut prr = Prr::new(Reduction::ConservativeBound);
        prr.begin(FlightAtEntry { outstanding: 12, sacked: 1, delivered: 0 });
        prr.on_delivery(Delivery { tells_of_loss: true, ..Delivery::default() }, 10, 10);
        assert_eq!(prr.window(), Some(11));
        assert_eq!(Prr::new(Reduction::Off).window(), None);
    }

    proptest! {
        /// The conservative bound never sends more than was delivered, but for the first packet; no bound lifts the flight above the
        /// threshold, and above it the share is never exceeded by more than the rounding.
        #[test]
        fn what_is_sent_is_bounded_by_what_is_delivered(
            flight in 1u32..200, lost in 0u32..150, threshold in 1u32..150, acks in proptest::collection::vec((1u32..4, any::<[bool; 2]>()), 1..60),
        ) {
            let lost = lost.min(flight - 1);
            for reduction in [Reduction::Rfc9937, Reduction::ConservativeBound, Reduction::SlowStartBound] {
                let mut prr = Prr::new(reduction);
                prr.begin(FlightAtEntry { outstanding: flight, sacked: 0, delivered: 0 });
                let (mut in_flight, mut delivered, mut out) = (flight - lost, 0, 0);
                for &(packets, [advances, tells_of_loss]) in &acks {
                    let packets = packets.min(in_flight);
                    in_flight -= packets;
                    delivered += packets;
                    prr.on_delivery(Delivery { packets, advances, tells_of_loss }, in_flight, threshold);
                    let count = prr.window().expect("an episode").saturating_sub(in_flight);
                    let first = u32::from(out == 0);
                    prop_assert!(in_flight + count <= threshold.max(in_flight + first) || in_flight > threshold);
                    (0..count).for_each(|_| prr.on_sent());
                    (in_flight, out) = (in_flight + count, out + count);
                    if reduction == Reduction::ConservativeBound && threshold <= flight {
                        prop_assert!(out <= delivered.max(1), "{out} of {delivered}");
                    }
                }
            }
        }
    }
}
