//! Why packets are dropped.

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum DropReason {
    /// The buffer was full.
    Full,
    /// The link's impairment hit it.
    Impairment,
    /// By the rule of the discipline, although there was room.
    Early,
    /// The average was beyond what the discipline stands.
    Forced,
    /// The policer of the link had no tokens for it.
    Policed,
    /// The ACK filter found it superfluous.
    Filtered,
}

/// How many reasons there are.
pub const DROP_REASONS: usize = 6;
