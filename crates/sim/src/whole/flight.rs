//! The bytes of datagrams under way, by the number of their packet. Packets may arrive in any order, and dropped ones are told.

use std::collections::VecDeque;

/// One datagram under way; none once it has left the network.
type Place = Option<(Box<[u8]>, usize)>;

/// Datagrams that left one end and have not reached the other.
#[derive(Debug)]
pub struct Flight {
    /// The largest datagram.
    datagram: usize,
    under_way: VecDeque<Place>,
    /// The number of the first of them.
    first: u32,
    /// Places that nobody uses now.
    spare: Vec<Box<[u8]>>,
}

impl Flight {
    /// Nothing is under way; datagrams have so many bytes at most.
    pub fn new(datagram: usize) -> Self {
        Flight { datagram, under_way: VecDeque::new(), first: 0, spare: Vec::new() }
    }

    /// A place for a datagram.
    pub fn place(&mut self) -> Box<[u8]> {
        self.spare.pop().unwrap_or_else(|| vec![0; self.datagram].into_boxed_slice())
    }

    /// A place is used no longer.
    pub fn give_back(&mut self, place: Box<[u8]>) {
        self.spare.push(place);
    }

    /// A datagram of this length leaves: the number of its packet.
    pub fn send(&mut self, place: Box<[u8]>, length: usize) -> u32 {
        self.under_way.push_back(Some((place, length)));
        self.first + (self.under_way.len() - 1) as u32
    }

    /// A packet arrives: its datagram, whose place is to be given back.
    pub fn take(&mut self, number: u32) -> (Box<[u8]>, usize) {
        let index = number.checked_sub(self.first).expect("a packet arrives once");
        let found = self.under_way[index as usize].take().expect("a packet arrives once, or is dropped");
        while let Some(None) = self.under_way.front() {
            self.under_way.pop_front();
            self.first += 1;
        }
        found
    }

    /// A packet was dropped.
    pub fn drop_packet(&mut self, number: u32) {
        let (place, _) = self.take(number);
        self.give_back(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_are_found_in_any_order_and_their_places_used_again() {
        let mut flight = Flight::new(4);
        for value in 0..100u8 {
            let mut place = flight.place();
            place[0] = value;
            assert_eq!(flight.send(place, 1 + usize::from(value) % 4), u32::from(value));
        }
        for number in (0..100).step_by(7) {
            flight.drop_packet(number);
        }
        for number in (0..100u32).rev().filter(|number| number % 7 != 0) {
            let (place, length) = flight.take(number);
            assert_eq!((u32::from(place[0]), length), (number, 1 + number as usize % 4));
            flight.give_back(place);
        }
        assert_eq!((flight.under_way.len(), flight.first, flight.spare.len()), (0, 100, 100));
        let place = flight.place();
        assert_eq!((flight.send(place, 2), flight.spare.len()), (100, 99));
    }
}
