//! What a queue counts, whatever its discipline: arrivals, drops by reason, marks, departures, delay.
//!
//! What happens to packets on arrival, and in the queue, is counted when it happens, and counting begins anew when the warm-up ends.
//! Departures may be known ahead of time: they say for themselves whether they fall into the measured time. The two are
//! different types, so that the end of the warm-up forgets all of one and nothing of the other.

use super::drop_reason::{DROP_REASONS, DropReason};
use crate::histogram::Histogram;
use crate::packet::{ECT, IN_PROFILE, Packet};
use sawtooth_cc::units::Span;

/// What came in and what was done to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrivals {
    /// Packets offered.
    pub arrivals: u64,
    /// Packets dropped, by reason.
    pub drops: [u64; DROP_REASONS],
    /// Packets marked.
    pub marks: u64,
    /// Data packets of test flows offered.
    pub test_arrivals: u64,
    /// Those of them that were dropped.
    pub test_drops: u64,
    /// Those of them that were marked.
    pub test_marks: u64,
    /// Runs of drops of test data: a drop belongs to the same run as the last one if no packet of test data was accepted in between.
    pub test_drop_runs: u64,
    /// `test_arrivals` at the last drop of test data.
    test_last_drop: u64,
}

/// What went out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Departures {
    /// Packets whose transmission began.
    pub forwarded: u64,
    /// Their bytes.
    pub forwarded_bytes: u64,
    /// Data packets of test flows among them.
    pub test_forwarded: u64,
    /// Packets in profile that are no test packets.
    pub in_profile_forwarded: u64,
    /// Their bytes.
    pub in_profile_forwarded_bytes: u64,
    /// Waiting time of all forwarded packets.
    pub delay: Span,
    /// Waiting time of forwarded test packets.
    pub test_delay: Span,
}

impl Arrivals {
    /// Packets dropped, for whatever reason.
    pub fn dropped(&self) -> u64 {
        self.drops.iter().sum()
    }
}

/// The counters of one queue: of the measured time, and the totals before it, for the books.
#[derive(Debug, Default)]
pub struct Tally {
    /// Arrivals, drops and marks since counting began.
    pub arrivals: Arrivals,
    /// Departures within the measured time.
    pub departures: Departures,
    /// Waiting times of test packets that departed within the measured time.
    pub test_delays: Histogram,
    /// The same of each subqueue, where a discipline has some.
    pub subqueues: Vec<Tally>,
    earlier_arrivals: u64,
    earlier_drops: u64,
    earlier_departures: u64,
}

impl Tally {
    /// The counters of a queue of so many subqueues.
    pub(super) fn with_subqueues(subqueues: usize) -> Self {
        let subqueues = std::iter::repeat_with(Tally::default).take(subqueues).collect();
        Tally { subqueues, ..Tally::default() }
    }

    #[inline(always)]
    pub(super) fn count_arrival(&mut self, packet: Packet) {
        self.arrivals.arrivals += 1;
        self.arrivals.test_arrivals += u64::from(packet.is_test_data());
    }

    pub(super) fn count_drop(&mut self, packet: Packet, reason: DropReason) {
        let counters = &mut self.arrivals;
        counters.drops[reason as usize] += 1;
        if packet.is_test_data() {
            counters.test_drops += 1;
            let goes_on =
                counters.test_drop_runs > 0 && counters.test_arrivals <= counters.test_last_drop + 1;
            counters.test_drop_runs += u64::from(!goes_on);
            counters.test_last_drop = counters.test_arrivals;
        }
    }

    pub(super) fn count_mark(&mut self, packet: Packet) {
        assert!(packet.has(ECT), "only ECN-capable packets are marked");
        self.arrivals.marks += 1;
        self.arrivals.test_marks += u64::from(packet.is_test_data());
    }

    /// Count a packet whose transmission begins after this delay, within the measured time or before it.
    #[inline(always)]
    pub(super) fn count_departure(&mut self, packet: Packet, delay: Span, measured: bool) {
        if !measured {
            self.earlier_departures += 1;
            return;
        }
        let counters = &mut self.departures;
        counters.forwarded += 1;
        counters.forwarded_bytes += u64::from(packet.bytes());
        counters.delay += delay;
        if packet.is_test_data() {
            counters.test_forwarded += 1;
            counters.test_delay += delay;
            self.test_delays.add(delay);
        } else if packet.has(IN_PROFILE) {
            counters.in_profile_forwarded += 1;
            counters.in_profile_forwarded_bytes += u64::from(packet.bytes());
        }
    }

    /// The warm-up is over.
    pub(super) fn restart(&mut self) {
        let earlier = std::mem::take(&mut self.arrivals);
        self.earlier_arrivals += earlier.arrivals;
        self.earlier_drops += earlier.dropped();
        self.subqueues.iter_mut().for_each(Tally::restart);
    }

    /// Packets that reached no subqueue, since the link itself refused them.
    fn refused(&self) -> u64 {
        let drops = |tally: &Tally, reason| tally.arrivals.drops[reason as usize];
        let filtered = drops(self, DropReason::Filtered);
        // What an ACK filter drops has been in a subqueue, or was not let in.
        let held = self.subqueues.iter().map(|subqueue| drops(subqueue, DropReason::Filtered)).sum::<u64>();
        drops(self, DropReason::Impairment) + drops(self, DropReason::Policed) + filtered - held
    }

    /// Arrivals must equal departures, drops and the packets still waiting.
    pub(super) fn assert_conservation(&self, name: &str, waiting: u64) {
        let arrived = self.arrivals.arrivals + self.earlier_arrivals;
        let dropped = self.arrivals.dropped() + self.earlier_drops;
        let forwarded = self.departures.forwarded + self.earlier_departures;
        assert!(
            arrived == dropped + forwarded + waiting,
            "queue {name}: {arrived} packets arrived but {dropped} were dropped, {forwarded} forwarded and {waiting} are waiting",
        );
        let sum = |count: fn(&Tally) -> u64| self.subqueues.iter().map(count).sum::<u64>();
        assert!(
            self.subqueues.is_empty()
                || sum(|subqueue| subqueue.departures.forwarded) == self.departures.forwarded
                    && sum(|subqueue| subqueue.arrivals.marks) <= self.arrivals.marks
                    && sum(|subqueue| subqueue.arrivals.arrivals) + self.refused() == self.arrivals.arrivals,
            "queue {name}: its subqueues are not the whole",
        );
    }
}
