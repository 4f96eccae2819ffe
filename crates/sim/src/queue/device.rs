//! The queue of a device behind a discipline: first in, first out, and short.
//!
//! A host or router hands packets to its network card before they can be sent, and none is dropped or marked from there on. Linux bounds
//! what it hands over (byte queue limits), ns-3's devices hold a number of packets and stop the discipline while they are full. So a
//! discipline that looks at waiting times sees each packet earlier than it is sent: by one transmission time for each packet that the
//! device holds, while the link is busy. Without a device (0 packets, the default) the discipline chooses when the transmitter is free.
//!
//! | parameter     | unit    | default | why                                                                                |
//! |---------------|---------|---------|------------------------------------------------------------------------------------|
//! | device_queue  | packets | 0       | the RFCs of CoDel and PIE know no such queue; ns-3 100, in comparisons with it 1   |
//!
//! What waits here is in no limit of the discipline.

use super::{Backlog, Queued};
use std::collections::VecDeque;

/// Packets that have left the discipline and wait for the transmitter.
#[derive(Debug, Default)]
pub struct Device {
    packets: Option<Box<Held>>,
}

#[derive(Debug)]
struct Held {
    line: VecDeque<Queued>,
    limit: usize,
    bytes: u64,
}

impl Device {
    /// A device that holds at most so many packets.
    pub fn new(packets: u32) -> Self {
        let limit = packets as usize;
        let held = || Box::new(Held { line: VecDeque::with_capacity(limit), limit, bytes: 0 });
        Device { packets: (packets > 0).then(held) }
    }

    /// The packet that came first.
    #[inline]
    pub fn take(&mut self) -> Option<Queued> {
        let held = self.packets.as_mut()?;
        let first = held.line.pop_front()?;
        held.bytes -= u64::from(first.packet.bytes());
        Some(first)
    }

    /// May another packet come?
    #[inline]
    pub fn has_room(&self) -> bool {
        self.packets.as_ref().is_some_and(|held| held.line.len() < held.limit)
    }

    /// A packet comes, for which there is room.
    pub fn put(&mut self, queued: Queued) {
        let held = self.packets.as_mut().expect("only a device takes packets");
        held.bytes += u64::from(queued.packet.bytes());
        held.line.push_back(queued);
    }

    /// What waits.
    pub fn backlog(&self) -> Backlog {
        self.packets
            .as_ref()
            .map_or(Backlog::default(), |held| Backlog { packets: held.line.len() as u64, bytes: held.bytes })
    }
}
