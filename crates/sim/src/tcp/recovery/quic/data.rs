//! The data of a QUIC connection: what has been acknowledged, what must go again, and which packet carried it last.
//!
//! Source: RFC 9000 §13.3 (data of lost packets goes again in new ones, unless it is acknowledged before), RFC 9002 §6.2.4 (probes).

use crate::ring::Ring;
use crate::tcp::number_set::NumberSet;
use std::collections::VecDeque;

/// Data from the first that is not acknowledged on.
#[derive(Clone, Debug, Default)]
pub struct Data {
    una: u32,
    acknowledged: NumberSet,
    /// The packet that carried each last.
    carriers: Ring<u32>,
    /// Lost, and not sent again since.
    lost: NumberSet,
    /// What is lost, in the order of the losses; some of it may have arrived.
    queue: VecDeque<u32>,
    /// Probes have carried what lies below.
    probed: u32,
}

impl Data {
    /// The first that is not acknowledged.
    pub fn una(&self) -> u32 {
        self.una
    }

    /// How much must go again.
    pub fn lost(&self) -> u32 {
        self.lost.count()
    }

    /// This data leaves in this packet.
    pub fn on_sent(&mut self, number: u32, packet: u32) {
        self.lost.remove(number);
        let place = (number - self.una) as usize;
        match self.carriers.ahead_mut(place) {
            Some(carrier) => *carrier = packet,
            None => self.carriers.push_back(packet),
        }
    }

    /// A packet with this data has arrived.
    pub fn acknowledge(&mut self, number: u32) {
        if number < self.una || !self.acknowledged.add(number) {
            return;
        }
        self.lost.remove(number);
        if number == self.una {
            let (_, una) = self.acknowledged.run_of(number);
            (self.una..una).for_each(|_| _ = self.carriers.pop_front());
            self.una = una;
            self.acknowledged.advance(una);
            self.lost.advance(una);
        }
    }

    /// A packet with this data is lost: it must go again, if no later packet has carried it.
    pub fn lose(&mut self, number: u32, packet: u32) {
        let Some(place) = number.checked_sub(self.una) else { return };
        let last = self.carriers.ahead(place as usize) == Some(packet);
        if last && !self.acknowledged.contains(number) && self.lost.add(number) {
            self.queue.push_back(number);
        }
    }

    /// What goes again first.
    pub fn next_lost(&mut self) -> Option<u32> {
        while let Some(&number) = self.queue.front() {
            if self.lost.contains(number) {
                return Some(number);
            }
            self.queue.pop_front();
        }
        None
    }

    /// A probe timeout has expired.
    pub fn begin_probing(&mut self) {
        self.probed = self.una;
    }

    /// What a probe carries again, below `high`: the oldest that is not acknowledged and that no other probe of this timeout has carried.
    pub fn next_in_flight(&mut self, high: u32) -> Option<u32> {
        let mut number = self.probed.max(self.una);
        if self.acknowledged.contains(number) {
            number = self.acknowledged.run_of(number).1;
        }
        self.probed = number + 1;
        (number < high).then_some(number)
    }
}
