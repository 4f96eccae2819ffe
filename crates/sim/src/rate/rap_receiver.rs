//! The receiver of a RAP flow: every packet is acknowledged, with enough of what came before to make up for lost acknowledgements.
//!
//! Source: [Rejaie99] §2.2: an acknowledgement names the packet that came, the first of the run of packets that it ends, and the last
//! one before the hole in front of that run. A mark is echoed with the packet that carried it.

use super::{Arrived, Reports};
use crate::tcp::receiver::{AckDecision, Received};

/// The receiver of one RAP flow.
#[derive(Debug, Default)]
pub struct RapReceiver {
    /// One past the highest number that came.
    next: u32,
    newest: Arrived,
    /// Acknowledgements in flight.
    pub reports: Reports<Arrived>,
}

impl RapReceiver {
    /// One more than the highest number that came.
    pub fn next_expected(&self) -> u32 {
        self.next
    }

    /// Take a data packet.
    pub fn on_data(&mut self, number: u32, marked: bool) -> Received {
        let is_new = number >= self.next;
        if is_new {
            if number > self.next {
                (self.newest.hole, self.newest.run) = (self.next, number);
            }
            (self.newest.number, self.newest.marked) = (number, marked);
            self.next = number + 1;
        }
        Received { is_new, answer: AckDecision::Now }
    }

    /// An acknowledgement leaves: its number.
    pub fn report(&mut self) -> u32 {
        self.reports.send(self.newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_names_the_hole_before_the_run() {
        let mut receiver = RapReceiver::default();
        for number in [0, 1, 2, 5, 6] {
            receiver.on_data(number, false);
            receiver.report();
        }
        let seen = receiver.reports.take(4).expect("it is the first to arrive");
        assert_eq!((seen.number, seen.run, seen.hole), (6, 5, 3));
    }
}
