//! An ACK filter before a queue: acknowledgements that a newer one makes superfluous, or all but one of several, are not sent.
//!
//! Source: RFC 3449 §5.2.1 (ACK filtering); the two modes of the ACK filter of Linux's CAKE [Hoiland18]; thinning is what
//! middleboxes of satellite and cable networks do, without a standard.
//!
//! | kind           | what leaves the queue when an acknowledgement arrives                                           |
//! |----------------|-------------------------------------------------------------------------------------------------|
//! | `conservative` | the oldest one of its flow that it supersedes, if it supersedes another one that still waits     |
//! | `aggressive`   | the oldest one of its flow that it supersedes                                                   |
//! | `thin`         | nothing; of `n` plain acknowledgements of a flow the last alone is let in                       |
//!
//! An acknowledgement supersedes another if the sender learns from it whatever it would learn from the other, and more. Where packets have
//! no numbers of their own, it acknowledges as many packets, its blocks (RFC 2018) or what it acknowledges cover every block of the other,
//! and one of both is more. Where they have, its ranges (RFC 9000 §19.3) cover those of the other and are more. An echo of a mark
//! (RFC 3168), a packet that has arrived twice (RFC 2883) and a count of marks (RFC 9768) must be in the newer one as well. So a duplicate
//! acknowledgement supersedes nothing. What is being sent, or waits in the device, is beyond reach. Thinning takes an acknowledgement
//! for plain if it acknowledges more than the last one that arrived, has no blocks as that one had none (where packets are numbered: one
//! range, as that one), and echoes the same.
//!
//! Differs from CAKE: it drops an acknowledgement of which the newer one lacks the echo of a mark, unless it would be the last; ours never
//! does. CAKE compares timestamps too, which are always newer here; what they tell of a spurious timeout (RFC 4015) may be lost, as with
//! CAKE. Differs from any router: the acknowledgements of QUIC, which are encrypted, are read; a host could filter its own. Reports of
//! rate-based protocols and packets of whole endpoints are left alone.

use crate::ack_details::{Details, DetailsPool, SackBlock};
use crate::packet::{ECE, Packet};
use crate::scenario::{ScenarioError, require};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a filter does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum AckFilterSpec {
    /// Two that are superseded may wait.
    Conservative {},
    /// None that is superseded waits.
    Aggressive {},
    /// One of several passes.
    Thin {
        /// Of so many.
        n: u32,
    },
}

/// The most acknowledgements of which one passes.
const THIN_MAX: u32 = 1_000;

impl AckFilterSpec {
    pub(crate) fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let AckFilterSpec::Thin { n } = self else { return Ok(()) };
        require((2..=THIN_MAX).contains(n), format!("{path}.n"), n, "2 to 1000 acknowledgements")
    }
}

/// The last acknowledgement of a flow that arrived, and how many were kept out since one passed.
#[derive(Clone, Copy, Debug)]
struct Last {
    number: u32,
    echo: bool,
    plain: bool,
    kept_out: u32,
}

/// A filter at work.
#[derive(Debug)]
pub enum AckFilter {
    /// So many that are superseded may wait.
    Superseded(u32),
    /// One of so many passes.
    Thin(u32, Thinned),
}

/// The flows of a filter that thins.
#[derive(Debug, Default)]
pub struct Thinned(BTreeMap<u32, Last>);

impl AckFilter {
    /// A filter that has seen nothing.
    pub fn new(spec: &AckFilterSpec) -> Self {
        match *spec {
            AckFilterSpec::Conservative {} => AckFilter::Superseded(1),
            AckFilterSpec::Aggressive {} => AckFilter::Superseded(0),
            AckFilterSpec::Thin { n } => AckFilter::Thin(n, Thinned::default()),
        }
    }
}

impl Thinned {
    /// Is this acknowledgement let in, of `n` the last one, or because it tells more than how much has arrived?
    pub fn admits(&mut self, n: u32, ack: Packet, numbered: bool, details: &DetailsPool) -> bool {
        let given = details.get(ack.details());
        let (blocks, duplicate) = told(given.as_ref());
        let now = Last {
            number: ack.number(),
            echo: ack.has(ECE),
            plain: blocks.len() <= usize::from(numbered) && duplicate.is_none(),
            kept_out: 0,
        };
        let Some(last) = self.0.insert(ack.flow(), now) else { return true };
        let is_plain = now.plain && last.plain && now.echo == last.echo && now.number > last.number;
        if !is_plain || last.kept_out + 1 >= n {
            return true;
        }
        self.0.insert(ack.flow(), Last { kept_out: last.kept_out + 1, ..now });
        false
    }
}

/// What an acknowledgement tells besides its number: blocks or ranges, and a packet that has arrived twice.
fn told<'a>(details: Option<&'a Details<'_>>) -> (&'a [SackBlock], Option<u32>) {
    details.map_or((&[], None), |details| (details.blocks(), details.duplicate()))
}

/// Is every packet of a block below `below` or in one of the blocks?
fn covers(below: u32, blocks: &[SackBlock], block: SackBlock) -> bool {
    let mut from = block.start.max(below);
    while from < block.end {
        let Some(holder) = blocks.iter().find(|other| (other.start..other.end).contains(&from)) else {
            return false;
        };
        from = holder.end;
    }
    true
}

/// Does the newer acknowledgement of a flow say all that the older one says, and more? `numbered`: its blocks are ranges of packet numbers.
pub fn supersedes(newer: Packet, older: Packet, numbered: bool, details: &DetailsPool) -> bool {
    let (new, old) = (details.get(newer.details()), details.get(older.details()));
    let (new_blocks, _) = told(new.as_ref());
    let (old_blocks, old_duplicate) = told(old.as_ref());
    let marks = |details: &Option<Details<'_>>| details.as_ref().map_or(0, |details| details.ce_packets);
    let keeps_marks = (newer.has(ECE) || !older.has(ECE)) && marks(&new) >= marks(&old);
    if newer.number() < older.number() || !keeps_marks || old_duplicate.is_some() {
        return false;
    }
    let below = |ack: Packet| if numbered { 0 } else { ack.number() };
    let covered = old_blocks.iter().all(|&block| covers(below(newer), new_blocks, block));
    let is_more = newer.number() > older.number() && !numbered
        || new_blocks.iter().any(|&block| !covers(below(older), old_blocks, block));
    covered && is_more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack_details::{AckDetails, SACK_BLOCKS_MAX};
    use crate::packet::PacketKind;
    use sawtooth_cc::units::Span;

    /// An acknowledgement below `number`, with these blocks.
    fn ack(pool: &mut DetailsPool, number: u32, blocks: &[[u32; 2]], flags: u16) -> Packet {
        let packet = Packet::new(PacketKind::Ack, 0, number, 40, flags);
        if blocks.is_empty() {
            return packet;
        }
        let mut details = AckDetails::new([SackBlock::default(); SACK_BLOCKS_MAX], 0, 0);
        blocks.iter().for_each(|&[start, end]| details.push_block(SackBlock { start, end }));
        packet.with_details(pool.keep(details))
    }

    #[test]
    fn an_acknowledgement_is_superseded_by_one_that_says_all_of_it_and_more() {
        let mut pool = DetailsPool::default();
        let mut check = |newer: (u32, &[[u32; 2]], u16), older: (u32, &[[u32; 2]], u16), expected: bool| {
            let new = ack(&mut pool, newer.0, newer.1, newer.2);
            let old = ack(&mut pool, older.0, older.1, older.2);
            assert_eq!(supersedes(new, old, false, &pool), expected, "{newer:?} over {older:?}");
        };
        check((8, &[], 0), (7, &[], 0), true);
        check((7, &[], 0), (7, &[], 0), false); // a duplicate acknowledgement is news
        check((7, &[], 0), (8, &[], 0), false); // it was overtaken
        // Blocks: more of them, as many, fewer.
        check((7, &[[9, 12]], 0), (7, &[[9, 11]], 0), true);
        check((7, &[[9, 12]], 0), (7, &[[9, 12]], 0), false);
        check((7, &[[9, 11]], 0), (7, &[[9, 12]], 0), false);
        check((7, &[[20, 22], [9, 12]], 0), (7, &[[9, 12]], 0), true);
        check((8, &[[20, 22]], 0), (7, &[[9, 12]], 0), false); // the block is in the older one alone
        check((12, &[[20, 22]], 0), (7, &[[9, 12]], 0), true); // what it acknowledges covers the block
        check((10, &[[12, 14], [10, 12]], 0), (7, &[[9, 14]], 0), true); // and with two blocks together
        // The echo of a mark.
        check((8, &[], 0), (7, &[], ECE), false);
        check((8, &[], ECE), (7, &[], ECE), true);
        check((8, &[], ECE), (7, &[], 0), true);
    }

    #[test]
    fn a_packet_that_arrived_twice_is_told() {
        let mut pool = DetailsPool::default();
        let twice = pool.keep(AckDetails::default().with_duplicate(3));
        let old = Packet::new(PacketKind::Ack, 0, 7, 40, 0).with_details(twice);
        let new = ack(&mut pool, 9, &[], 0);
        assert!(!supersedes(new, old, false, &pool));
        assert!(supersedes(ack(&mut pool, 10, &[], 0), new, false, &pool));
    }

    #[test]
    fn ranges_supersede_ranges_that_they_cover() {
        let mut pool = DetailsPool::default();
        let mut of = |number: u32, ranges: &[[u32; 2]], marks| {
            let ranges: Vec<SackBlock> =
                ranges.iter().map(|&[start, end]| SackBlock { start, end }).collect();
            let details = AckDetails::of_numbers(&ranges, Span::ZERO, marks);
            Packet::new(PacketKind::Ack, 0, number, 40, 0).with_details(pool.keep_ranges(details, &ranges))
        };
        let first = of(5, &[[6, 9], [0, 5]], 0);
        let more = of(5, &[[6, 10], [0, 5]], 1);
        let elsewhere = of(9, &[[12, 14], [6, 10]], 1); // below 6 it says nothing, whatever its number
        let many: Vec<[u32; 2]> = (0..6).rev().map(|n| [2 * n, 2 * n + 1]).collect();
        let (few, all) = (of(5, &many[1..], 0), of(5, &many, 0));
        assert!(supersedes(more, first, true, &pool) && !supersedes(first, more, true, &pool));
        assert!(!supersedes(elsewhere, more, true, &pool));
        assert!(supersedes(all, few, true, &pool) && !supersedes(few, all, true, &pool));
        assert!(!supersedes(all, all, true, &pool));
    }

    #[test]
    fn of_n_plain_ones_the_last_passes_and_every_one_that_is_not_plain() {
        let mut pool = DetailsPool::default();
        let mut thinned = Thinned::default();
        let mut passes = |number: u32, blocks: &[[u32; 2]], flags: u16| {
            let ack = ack(&mut pool, number, blocks, flags);
            thinned.admits(3, ack, false, &pool)
        };
        let plain: Vec<bool> = (1..9).map(|number| passes(number, &[], 0)).collect();
        assert_eq!(plain, [true, false, false, true, false, false, true, false]);
        assert!(passes(8, &[], 0), "a duplicate");
        assert!(!passes(9, &[], 0));
        assert!(passes(10, &[], ECE), "an echo begins");
        assert!(!passes(11, &[], ECE));
        assert!(passes(12, &[], 0), "and ends");
        assert!(!passes(13, &[], 0));
        assert!(passes(13, &[[15, 16]], 0), "a block");
        assert!(passes(17, &[], 0), "and none");
    }
}
