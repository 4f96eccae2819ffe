//! What BBRv1 remembers of bursts of acknowledgements and of policers: records that the model holds.
//!
//! Source: Linux `bbr_update_ack_aggregation` and `bbr_lt_bw_sampling`. The rules are in `aggregation` and `long_term`.

use crate::units::Time;

/// A count since it began, and the most of two slots.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bursts {
    pub(super) since: Time,
    pub(super) acked: f64,
    pub(super) slots: [f64; 2],
    pub(super) current: usize,
    pub(super) rounds: u32,
}

impl Bursts {
    /// A count begins.
    pub fn begin(&mut self, now: Time) {
        (self.since, self.acked) = (now, 0.0);
    }
}

/// The interval that is being looked at, and what the last one said.
#[derive(Clone, Copy, Debug, Default)]
pub struct LongTerm {
    pub(super) sampling: bool,
    /// The rate of the last interval, and whether it is that of a policer.
    pub(super) bw: f64,
    pub(super) used: bool,
    pub(super) rounds: u32,
    pub(super) since: Time,
    pub(super) delivered: u64,
    pub(super) lost: f64,
}

impl LongTerm {
    /// The rate of the policer that there seems to be.
    pub fn rate(&self) -> Option<f64> {
        self.used.then_some(self.bw)
    }
}
