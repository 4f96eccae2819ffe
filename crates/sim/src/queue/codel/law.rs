//! The control law of CoDel: when the packet at the head of a queue is dropped or marked, for one queue.
//!
//! Source: RFC 8289 §5 (pseudocode); for marks in place of drops and for the CE threshold, RFC 8290 §5.2 and Linux.
//!
//! A queue is *standing* when its packets have waited for at least `target` during a whole `interval`, and more than one packet of the
//! largest size is left. On the first packet sent from a standing queue the law enters the drop state and drops it. In the drop state,
//! the n-th drop comes `interval`/√n after the one before, until the queue stands no longer. Where the state is entered again within
//! sixteen intervals, n begins with the drops of the last time instead of 1.
//!
//! With `ecn` an ECN-capable packet is marked and sent in place of the drop. A packet that waited longer than the CE threshold is
//! marked, too, whatever the state. A packet is counted as marked once.
//!
//! Differs from the RFC: the largest packet is 1500 B, the RFC's "interface MTU", on any link. Times are in nanoseconds. A mark counts as a
//! drop does, as in Linux. The packet is sent then, so a departure has one mark at most, where it may have several drops.
//!
//! [`Variant::Ns3`] does what ns-3 does otherwise: the time from a mark to the next counts from the mark and not
//! from when it was due, and one packet of 1500 B that is left is enough for a standing queue.
//!
//! With [`Root::Newton`] 1/√n is approached as in Linux and ns-3: by one step of Newton's method for each drop, from 1. The first times
//! between drops are 1, 0.5, 0.56 and 0.49 intervals in place of 1, 0.71, 0.58 and 0.5. Differs from both: real numbers in place of 16 bits.

use crate::packet::{ECT, ECT_1};
use crate::queue::{DropReason, QueueContext, Queued};
use sawtooth_cc::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// The largest packet, bytes: below that, what waits is no standing queue.
pub const MTU: u64 = 1500;

/// Intervals after which the drops of the last time say nothing any more.
const MEMORY: u64 = 16;

/// Whose details the law has where these differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Variant {
    /// The RFC's.
    #[default]
    #[serde(rename = "rfc8289")]
    Rfc8289,
    /// Those of ns-3.
    #[serde(rename = "ns-3")]
    Ns3,
}

/// How 1/√n is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Root {
    /// Exactly.
    #[default]
    Exact,
    /// By a step of Newton's method for each drop.
    Newton,
}

impl Root {
    /// Whether it is what it was before there was a choice.
    pub fn is_default(&self) -> bool {
        *self == Root::default()
    }
}

/// What is given.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// The delay that a standing queue may have.
    pub target: Span,
    /// How long a queue must stand, and the time from the first drop to the second.
    pub interval: Span,
    /// Mark ECN-capable packets in place of drops.
    pub ecn: bool,
    /// Waiting time beyond which an ECN-capable packet is marked; `None`: none.
    pub ce_threshold: Option<Span>,
    /// The same for packets with ECT(1) alone.
    pub ce_threshold_ect1: Option<Span>,
    /// Whose details.
    pub variant: Variant,
    /// How the times between drops fall.
    pub root: Root,
}

/// What evolves, for each queue.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// From when on the queue is standing if no packet in between waited for less than the target; `NEVER` while one did.
    standing_from: Time,
    /// When the next drop is due.
    next: Time,
    /// Drops in the drop state, this time.
    count: u32,
    /// With which count the drop state was entered.
    entered_with: u32,
    /// What Newton's method has reached of one over the root of the count.
    reached: f32,
    dropping: bool,
}

impl Default for State {
    fn default() -> Self {
        let (standing_from, next) = (Time::NEVER, Time::ZERO);
        State { standing_from, next, count: 0, entered_with: 0, reached: 1.0, dropping: false }
    }
}

/// Packets under the law, first in first out.
pub trait Held {
    /// Take the first one out.
    fn take(&mut self) -> Option<Queued>;

    /// Bytes that are left, which a queue that stands must have: these packets, or those of all queues on the link.
    fn left(&self) -> u64;
}

impl Params {
    /// Bytes that are left and are no standing queue yet.
    fn is_little(&self, left: u64) -> bool {
        match self.variant {
            Variant::Rfc8289 => left <= MTU,
            Variant::Ns3 => left < MTU,
        }
    }

    /// Must a packet that waited so long be marked, whatever the state?
    #[inline]
    fn exceeds_threshold(&self, queued: &Queued, waited: Span) -> bool {
        let beyond = |threshold: Option<Span>| threshold.is_some_and(|threshold| waited > threshold);
        beyond(self.ce_threshold) || beyond(self.ce_threshold_ect1) && queued.packet.has(ECT_1)
    }
}

impl State {
    /// Is it in the drop state?
    pub fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// The packet that is sent now. Others may be dropped before it; where one packet or more is left, one is sent. Where `left` counts
    /// more than is held here, the last packet may be dropped, too, and none is sent.
    #[inline]
    pub fn send(
        &mut self,
        params: &Params,
        held: &mut impl Held,
        context: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        let now = context.now();
        let Some(first) = held.take() else {
            self.standing_from = Time::NEVER;
            self.dropping = false;
            return None;
        };
        let stands = self.is_standing(params, &first, held.left(), now);
        let mut sent = (Some(first), false);
        if self.dropping {
            self.dropping = stands;
            if stands && now >= self.next {
                sent = self.drop_on(params, first, held, context);
            }
        } else if stands {
            sent = self.enter(params, first, held, context);
        }
        let (Some(mut queued), by_law) = sent else { return None };
        if queued.packet.has(ECT) && (by_law || params.exceeds_threshold(&queued, now - queued.arrived)) {
            context.mark(&mut queued);
        }
        Some(queued)
    }

    /// Has the queue been standing up to this packet, behind which so much is left?
    #[inline]
    fn is_standing(&mut self, params: &Params, first: &Queued, left: u64, now: Time) -> bool {
        if now - first.arrived < params.target || params.is_little(left) {
            self.standing_from = Time::NEVER;
        } else if self.standing_from == Time::NEVER {
            self.standing_from = now + params.interval;
        } else {
            return now >= self.standing_from;
        }
        false
    }

    /// A drop: of this packet, so that the next one takes its place, or a mark of it. The packet that goes on, if there is one, whether
    /// it is to be marked, and whether the queue stands with it.
    fn hit(
        &mut self,
        params: &Params,
        queued: Queued,
        held: &mut impl Held,
        context: &mut QueueContext<'_>,
    ) -> (Option<Queued>, bool, bool) {
        if params.ecn && queued.packet.has(ECT) {
            return (Some(queued), true, true);
        }
        context.drop(queued, DropReason::Early);
        let Some(next) = held.take() else {
            self.standing_from = Time::NEVER;
            return (None, false, false);
        };
        let stands = self.is_standing(params, &next, held.left(), context.now());
        (Some(next), false, stands)
    }

    /// The next drop, if the last was due, or happened, at this time.
    fn after(&self, params: &Params, last: Time) -> Time {
        let interval = params.interval.nanos() as f64;
        let nanos = match params.root {
            Root::Exact => interval / f64::from(self.count).sqrt(),
            Root::Newton => interval * f64::from(self.reached),
        };
        last + Span::from_nanos(nanos as u64)
    }

    /// The drops are so many now.
    fn count_to(&mut self, count: u32) {
        self.count = count;
        self.reached *= 1.5 - 0.5 * count as f32 * self.reached * self.reached;
    }

    /// The drop state is entered.
    #[cold]
    fn enter(
        &mut self,
        params: &Params,
        first: Queued,
        held: &mut impl Held,
        context: &mut QueueContext<'_>,
    ) -> (Option<Queued>, bool) {
        let now = context.now();
        let (queued, marked, _) = self.hit(params, first, held, context);
        let last_time = self.count - self.entered_with;
        let recent = now < self.next + Span::from_nanos(MEMORY * params.interval.nanos());
        if last_time > 1 && recent {
            self.count_to(last_time);
        } else {
            (self.count, self.reached) = (1, 1.0);
        }
        self.entered_with = self.count;
        self.next = self.after(params, now);
        self.dropping = true;
        (queued, marked)
    }

    /// A drop is due in the drop state, perhaps several.
    #[cold]
    fn drop_on(
        &mut self,
        params: &Params,
        first: Queued,
        held: &mut impl Held,
        context: &mut QueueContext<'_>,
    ) -> (Option<Queued>, bool) {
        let now = context.now();
        let mut sent = Some(first);
        while let Some(queued) = sent.filter(|_| self.dropping && now >= self.next) {
            self.count_to(self.count + 1);
            let (next, marked, stands) = self.hit(params, queued, held, context);
            sent = next;
            if marked {
                let last = if params.variant == Variant::Ns3 { now } else { self.next };
                self.next = self.after(params, last);
                return (sent, true);
            }
            self.dropping = stands;
            if stands {
                self.next = self.after(params, self.next);
            }
        }
        (sent, false)
    }
}
