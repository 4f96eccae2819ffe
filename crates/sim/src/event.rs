//! Everything that can happen: a closed enum of small values that hold indices.

/// An event. `Network` has the one `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The oldest packet of this pipe comes out at its far end.
    PipeExit(u32),
    /// The packet in transmission at this port has left completely.
    TransmitEnd(u32),
    /// The oldest packet on this port's wire reaches the far end.
    WireExit(u32),
    /// A trace-driven port may send 1500 bytes.
    Opportunity(u32),
    /// A retransmission timer may have run out.
    RetransmitTimer(u32),
    /// A delayed acknowledgement is due.
    DelayedAck(u32),
    /// A flow sends its SYN.
    FlowStart(u32),
    /// A flow offers no more new data.
    FlowStop(u32),
    /// A constant-rate source sends its next packet.
    SourceTick(u32),
    /// A constant-rate source changes its rate.
    SourceChange(u32),
    /// Counters start.
    WarmupEnd,
    /// Windows and queues are sampled.
    Sample,
    /// Packets delivered per flow are sampled.
    RateBin,
}
