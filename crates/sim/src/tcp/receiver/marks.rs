//! Marked packets: how many there were, and which are told at once.
//!
//! Source: RFC 9768 §3.2.2.5.1.

/// Marks since the last acknowledgement that call for the next one (RFC 9768 §3.2.2.5.1).
const UNTOLD: u32 = 2;

/// Marked packets, counted.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    counted: u32,
    /// Was the newest packet marked?
    marked: bool,
    /// Marks since the last acknowledgement.
    untold: u32,
}

impl Marks {
    /// Marked packets so far.
    pub fn counted(&self) -> u32 {
        self.counted
    }

    /// A packet arrived where each mark is told at once.
    pub fn count(&mut self, marked: bool) {
        self.counted += u32::from(marked);
    }

    /// A packet arrived; is it to be acknowledged at once for its mark? So is the first of a run of marked packets, and the second mark since
    /// the last acknowledgement.
    pub fn note(&mut self, marked: bool) -> bool {
        let begins = marked && !self.marked;
        self.count(marked);
        self.untold += u32::from(marked);
        self.marked = marked;
        begins || marked && self.untold >= UNTOLD
    }

    /// An acknowledgement leaves.
    pub fn note_answer(&mut self) {
        self.untold = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AckDecision, Receiver};
    use crate::packet::{CE, ECT, Packet, PacketKind};
    use crate::scenario::TcpSpec;
    use crate::tcp::Ecn;
    use crate::tcp::recovery::Feedback;
    use sawtooth_cc::units::Time;

    /// Which of these packets is acknowledged at once.
    fn told(tcp: TcpSpec, marked: &[bool]) -> Vec<bool> {
        let mut receiver = Receiver::new(Feedback::Selective, &TcpSpec { ecn: Ecn::Accurate, ..tcp });
        let mut told = |(number, &marked): (u32, &bool)| {
            let packet = Packet::new(PacketKind::Data, 0, number, 1000, if marked { ECT | CE } else { ECT });
            let at_once = receiver.on_data(packet, Time::ZERO).answer == AckDecision::Now;
            if at_once {
                receiver.acknowledge();
            }
            at_once
        };
        (0..).zip(marked).map(&mut told).collect()
    }

    #[test]
    fn the_first_mark_of_a_run_is_told_at_once() {
        // The third packet is the second that waits.
        let tcp = TcpSpec { delayed_ack: true, ..TcpSpec::default() };
        assert_eq!(told(tcp, &[true, true, true, false, true]), [true, false, true, false, true]);
    }

    #[test]
    fn in_a_run_every_second_mark_is_told_at_once_however_many_packets_may_wait() {
        // Feedback had waited for the sixteenth packet, or for the timer.
        let tcp = TcpSpec { ack_every: Some(16), ..TcpSpec::default() };
        let runs = [true, true, true, true, true, false, true, false, false, true];
        assert_eq!(told(tcp, &runs), [true, false, true, false, true, false, true, false, false, true]);
    }
}
