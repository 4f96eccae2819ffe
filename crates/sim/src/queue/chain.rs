//! Packets in many queues that share one store: a queue that is empty takes no room, and none is moved when another grows.

use super::Queued;
use super::owner::Owner;
use crate::packet::Packet;
use prefetch_index::prefetch_index;

/// No cell.
const NONE: u32 = u32::MAX;

/// The packets of all queues.
#[derive(Debug)]
pub struct Store {
    cells: Vec<Queued>,
    /// By cell, the one behind it in its queue. Apart from the packets, so that linking one touches a few cache lines that stay near.
    next: Vec<u32>,
    /// First of the free cells, which are chained.
    free: u32,
}

impl Default for Store {
    fn default() -> Self {
        Store { cells: Vec::new(), next: Vec::new(), free: NONE }
    }
}

/// One queue: where its packets stand in the store.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    first: u32,
    last: u32,
    bytes: u64,
}

impl Default for Chain {
    fn default() -> Self {
        Chain { first: NONE, last: NONE, bytes: 0 }
    }
}

impl Chain {
    /// Does it hold nothing?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Bytes that it holds.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Store {
    /// A packet more at the end of a queue.
    #[inline(always)]
    pub fn append(&mut self, chain: &mut Chain, queued: Queued) {
        let index = self.free;
        let index = if index == NONE {
            self.cells.push(queued);
            self.next.push(NONE);
            self.cells.len() as u32 - 1
        } else {
            self.cells[index as usize] = queued;
            self.free = std::mem::replace(&mut self.next[index as usize], NONE);
            index
        };
        match chain.first {
            NONE => chain.first = index,
            _ => self.next[chain.last as usize] = index,
        }
        chain.last = index;
        chain.bytes += u64::from(queued.packet.bytes());
    }

    /// The packet at the head of a queue.
    pub fn head(&self, chain: &Chain) -> Option<Queued> {
        (!chain.is_empty()).then(|| self.cells[chain.first as usize])
    }

    /// Have the head of a queue brought into the cache.
    #[inline(always)]
    pub fn prefetch_head(&self, chain: &Chain) {
        prefetch_index(&self.cells, chain.first as usize);
    }

    /// Bytes of the packet at the head of a queue that is not empty.
    #[inline]
    pub fn head_bytes(&self, chain: &Chain) -> u64 {
        u64::from(self.cells[chain.first as usize].packet.bytes())
    }

    /// Take the head out of a queue that is not empty.
    #[inline(always)]
    pub fn take(&mut self, chain: &mut Chain) -> Queued {
        let index = chain.first;
        let queued = self.cells[index as usize];
        chain.first = std::mem::replace(&mut self.next[index as usize], self.free);
        self.free = index;
        chain.bytes -= u64::from(queued.packet.bytes());
        queued
    }

    /// Take out of a queue the first packet of this owner's that is wanted.
    pub fn remove(
        &mut self,
        chain: &mut Chain,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
    ) -> Option<Queued> {
        let (mut before, mut index) = (NONE, chain.first);
        while index != NONE {
            let (queued, next) = (self.cells[index as usize], self.next[index as usize]);
            if Owner::of(queued.packet) != owner || !wanted(queued.packet) {
                (before, index) = (index, next);
                continue;
            }
            match before {
                NONE => chain.first = next,
                _ => self.next[before as usize] = next,
            }
            if chain.last == index {
                chain.last = before;
            }
            self.next[index as usize] = self.free;
            self.free = index;
            chain.bytes -= u64::from(queued.packet.bytes());
            return Some(queued);
        }
        None
    }

    /// Packets that it has had room for at once.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.cells.len()
    }
}
