//! A sender: window-based AIMD(1, 1/2) in whole packets, clocked by acknowledgements.
//!
//! Packets of a flow overtake one another nowhere and no number is sent twice, so an acknowledgement tells at once what was lost: the
//! numbers that it skips. The window halves once per window of data; it grows by one per acknowledgement in slow start, by one per
//! window of them afterwards.

use crate::Packet;

/// 32 bytes, so that two of them fill a cache line and none straddles it.
#[repr(align(32))]
#[derive(Clone, Debug)]
pub struct Sender {
    next: u32,
    awaited: u32,
    window: u32,
    threshold: u32,
    grown: u32,
    recover: u32,
    seen: u32,
    line: u32,
}

impl Sender {
    const INITIAL_WINDOW: u32 = 2;

    /// A sender that has not started; its packets return by `line`.
    pub fn new(line: u32) -> Self {
        Sender {
            next: 0,
            awaited: 0,
            window: 0,
            threshold: u32::MAX,
            grown: 0,
            recover: 0,
            seen: u32::MAX,
            line,
        }
    }

    pub fn line(&self) -> u32 {
        self.line
    }

    pub fn start(&mut self) {
        self.window = Self::INITIAL_WINDOW;
    }

    /// The number of the next packet, if the window lets it go.
    #[inline]
    pub fn next_packet(&mut self) -> Option<u32> {
        if self.next.wrapping_sub(self.awaited) >= self.window {
            return None;
        }
        self.next = self.next.wrapping_add(1);
        Some(self.next.wrapping_sub(1))
    }

    /// The packet with this number, of which the lowest bits are given, has arrived. Whether the window was halved.
    #[inline]
    pub fn on_ack(&mut self, number: u32) -> bool {
        const MASK: u32 = (1 << Packet::NUMBER_BITS) - 1;
        let skipped = number.wrapping_sub(self.awaited) & MASK;
        if skipped > self.next.wrapping_sub(self.awaited) {
            return false; // from before this flow began anew
        }
        let first_lost = self.awaited;
        self.awaited = first_lost.wrapping_add(skipped + 1);
        if skipped > 0 && (first_lost.wrapping_sub(self.recover) as i32) >= 0 {
            self.halve();
            return true;
        }
        if self.window < self.threshold {
            self.window += 1;
        } else {
            self.grown += 1;
            if self.grown >= self.window {
                self.grown = 0;
                self.window += 1;
            }
        }
        false
    }

    fn halve(&mut self) {
        self.window = (self.window / 2).max(1);
        self.threshold = self.window;
        self.grown = 0;
        self.recover = self.next;
    }

    /// Asked once a second: has nothing returned since the last time although something was sent? Then everything counts as lost and
    /// the window is one packet.
    pub fn silent(&mut self) -> bool {
        let silent = self.seen == self.awaited && self.next != self.awaited;
        if silent {
            self.awaited = self.next;
            self.halve();
            self.window = 1;
        }
        self.seen = self.awaited;
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::Sender;

    /// A sender that has sent a whole window in congestion avoidance.
    fn sent(window: u32) -> Sender {
        let mut sender = Sender::new(0);
        sender.start();
        sender.window = window;
        sender.threshold = window;
        while sender.next_packet().is_some() {}
        sender
    }

    #[test]
    fn state_is_half_a_cache_line() {
        assert_eq!(size_of::<Sender>(), 32);
    }

    #[test]
    fn slow_start_adds_one_per_acknowledgement_and_avoidance_one_per_window() {
        let mut slow = Sender::new(0);
        slow.start();
        assert_eq!((slow.next_packet(), slow.next_packet(), slow.next_packet()), (Some(0), Some(1), None));
        assert!(!slow.on_ack(0));
        assert_eq!(slow.window, 3);
        let mut steady = sent(10);
        for number in 0..10 {
            assert_eq!(steady.window, 10);
            steady.on_ack(number);
        }
        assert_eq!(steady.window, 11);
    }

    #[test]
    fn a_window_halves_once_per_window_of_data() {
        let mut sender = sent(16);
        assert!(sender.on_ack(2), "packets 0 and 1 are lost");
        assert_eq!(sender.window, 8);
        assert!(!sender.on_ack(5), "3 and 4 are of the same window");
        assert_eq!(sender.window, 8);
        for number in 6..16 {
            sender.on_ack(number);
        }
        while sender.next_packet().is_some() {}
        assert!(sender.on_ack(17), "16 was sent after the halving");
        assert!(sender.window < 8);
    }

    #[test]
    fn numbers_go_round() {
        let mut sender = sent(4);
        (sender.next, sender.awaited, sender.recover) = ((1 << 24) + 2, (1 << 24) - 2, 0);
        assert!(!sender.on_ack((1 << 24) - 2));
        assert!(sender.on_ack(0), "the one before it is lost");
        assert_eq!(sender.awaited, (1 << 24) + 1);
    }

    #[test]
    fn a_silent_flow_begins_anew() {
        let mut sender = sent(8);
        assert!(!sender.silent(), "the first look only notes");
        assert!(sender.silent());
        assert_eq!((sender.window, sender.next_packet(), sender.next_packet()), (1, Some(8), None));
        assert!(!sender.on_ack(3), "a straggler says nothing");
        assert_eq!(sender.next_packet(), None);
    }
}
