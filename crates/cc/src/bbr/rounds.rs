//! Packet-timed round trips: a round begins with a packet, and ends when one is delivered that was sent after it.
//!
//! Source: draft-ietf-ccwg-bbr §5.5.1.

/// `BBR.round_count`, `BBR.round_start` and `BBR.next_round_delivered`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundCount {
    /// Round trips so far.
    pub count: u64,
    /// Did this acknowledgement end one?
    pub start: bool,
    next_delivered: u64,
}

impl RoundCount {
    /// A packet was delivered that had been sent when `prior_delivered` bytes had been: `UpdateRound`.
    pub fn update(&mut self, prior_delivered: u64, delivered: u64) {
        self.start = prior_delivered >= self.next_delivered;
        if self.start {
            self.begin(delivered);
            self.count += 1;
        }
    }

    /// A round begins now, with so many bytes delivered: `StartRound`.
    pub fn begin(&mut self, delivered: u64) {
        self.next_delivered = delivered;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_a_packet_sent_after_its_beginning() {
        let mut rounds = RoundCount::default();
        let mut update = |prior, delivered| {
            rounds.update(prior, delivered);
            (rounds.start, rounds.count)
        };
        assert_eq!(update(0, 1_000), (true, 1));
        assert_eq!(update(0, 2_000), (false, 1));
        assert_eq!(update(1_000, 3_000), (true, 2));
        rounds.begin(5_000);
        rounds.update(4_000, 6_000);
        assert!(!rounds.start);
        rounds.update(5_000, 7_000);
        assert!(rounds.start);
    }
}
