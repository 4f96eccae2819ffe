//! Cells of lanes, in blocks that all lanes take from one pool.
//!
//! A lane is a chain of blocks, so it holds at most about a block more than its packets need. What one lane has emptied another fills next.
//! With a ring for each lane most cells were empty: a ring doubles when it is full, and keeps the cells of its fullest moment. Rings that
//! grow leave holes in the heap besides. The pool is one vector with room for all from the start, and what nobody has used of it is no
//! resident memory.

use crate::event::Moment;
use crate::packet::Packet;
use prefetch_index::prefetch_index;

/// A packet in flight. Aligned so that a cache line holds two and none is split between two lines.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct InTransit {
    /// When it arrives.
    pub at: Moment,
    /// The packet.
    pub packet: Packet,
}

/// Where a cell is.
pub type Place = u32;

/// The place of a lane that has no block.
pub const NOWHERE: Place = Place::MAX;

/// Cells of a block, as a power of two, where there may be as many lanes as flows, with few packets each: half a kilobyte.
const SMALL: u32 = 4;
/// The same of few lanes: a page of memory. Packets that follow each other are then near each other, as in a ring. With 20,000 flows and
/// small blocks a packet took a sixth longer.
const LARGE: u32 = 7;
/// With more lanes than this, blocks are small.
const LANES: usize = 256;

/// The blocks before and behind a block in its lane. Behind a free block is another free one.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    before: u32,
    behind: u32,
}

/// No block.
const NONE: u32 = u32::MAX;

/// The pool.
#[derive(Debug)]
pub struct Blocks {
    cells: Vec<InTransit>,
    /// By block.
    neighbours: Vec<Neighbours>,
    /// The first free block.
    free: u32,
    /// Cells of a block, as a power of two, and less one.
    bits: u32,
    mask: u32,
}

impl Blocks {
    /// No blocks, for so many lanes that are in use all the time, and room for so many cells before anything moves.
    pub fn new(lanes: usize, cells: usize) -> Self {
        let bits = if lanes <= LANES { LARGE } else { SMALL };
        let (cells, neighbours) = (Vec::with_capacity(cells), Vec::with_capacity(cells >> bits));
        Blocks { cells, neighbours, free: NONE, bits, mask: (1 << bits) - 1 }
    }

    /// How many cells there are, taken or free.
    #[cfg(test)]
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// What stands there; `None` if that is nowhere.
    #[inline(always)]
    pub fn get(&self, place: Place) -> Option<&InTransit> {
        self.cells.get(place as usize)
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn get_mut(&mut self, place: Place) -> Option<&mut InTransit> {
        self.cells.get_mut(place as usize)
    }

    /// Have it brought into the cache.
    #[inline(always)]
    pub fn prefetch(&self, place: Place) {
        prefetch_index(&self.cells, place as usize);
    }

    /// The first cell of a block that nobody has, behind this block of a lane; [`NOWHERE`] begins a lane.
    #[inline(never)]
    pub fn begin_block(&mut self, last: Place) -> Place {
        let (block, before) = (self.free, last >> self.bits);
        let taken = Neighbours { before, behind: NONE };
        let Some(found) = self.neighbours.get_mut(block as usize) else { return self.grow(last) };
        self.free = found.behind;
        *found = taken;
        if let Some(before) = self.neighbours.get_mut(before as usize) {
            before.behind = block;
        }
        block << self.bits
    }

    /// One free block more, and that one taken.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, last: Place) -> Place {
        let cells = self.cells.len() + self.mask as usize + 1;
        assert!(cells < NOWHERE as usize, "{cells} packets in flight have no place each");
        self.free = self.neighbours.len() as u32;
        self.neighbours.push(Neighbours { before: NONE, behind: NONE });
        self.cells.resize(cells, InTransit::default());
        self.begin_block(last)
    }

    /// Give back the block of this place, the first of its lane. Returns the first cell of the next one, or [`NOWHERE`].
    #[inline(never)]
    pub fn end_block(&mut self, place: Place) -> Place {
        let block = place >> self.bits;
        let behind = std::mem::replace(&mut self.neighbours[block as usize].behind, self.free);
        self.free = block;
        if behind == NONE { NOWHERE } else { behind << self.bits }
    }

    /// Is this place, one behind a cell, the end of that cell's block?
    #[inline(always)]
    pub fn ends_block(&self, place: Place) -> bool {
        place & self.mask == 0
    }

    /// The place before this one in its lane, where there is one.
    pub fn before(&self, place: Place) -> Place {
        if place & self.mask != 0 {
            return place - 1;
        }
        (self.neighbours[(place >> self.bits) as usize].before << self.bits) + self.mask
    }

    /// The place this many, at most a block, behind this one in its lane. [`NOWHERE`] if the lane has no such cell.
    #[inline(always)]
    pub fn ahead(&self, place: Place, distance: u32) -> Place {
        let offset = (place & self.mask) + distance;
        if offset <= self.mask {
            return place.saturating_add(distance);
        }
        match self.neighbours.get((place >> self.bits) as usize) {
            Some(Neighbours { behind, .. }) if *behind != NONE => {
                (behind << self.bits) + offset - self.mask - 1
            }
            _ => NOWHERE,
        }
    }
}
