//! Everything that can happen: a closed enum of small values that hold indices.

use sawtooth_cc::units::Time;

/// A place in the order of events: when, and among equal times when it was caused. Equal causes too leave
/// the order of the components, which is that of the scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// When it happens.
    pub time: Time,
    /// When it became certain: when a timer was set, a transmission began, or a packet last left an endpoint, a port or a lane.
    pub cause: Time,
}

impl Moment {
    /// A moment that never comes.
    pub const NEVER: Moment = Moment { time: Time::NEVER, cause: Time::NEVER };
}

/// An event. `Network` has the one `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// Counters start.
    WarmupEnd,
    /// A trace-driven port may send 1500 bytes.
    Opportunity(u32),
    /// A constant-rate source changes its rate.
    SourceChange(u32),
    /// A flow sends its SYN.
    FlowStart(u32),
    /// The next short flow of a process starts.
    Arrival(u32),
    /// A flow offers no more new data.
    FlowStop(u32),
    /// The application of a flow makes more data available.
    Supply(u32),
    /// An application begins something.
    AppWakes(u32),
    /// A flow has delivered all that an application waits for.
    Delivered(u32),
    /// A sender's timer may have run out, or its next paced packet may be due.
    SenderTimer(u32),
    /// A delayed acknowledgement is due.
    DelayedAck(u32),
    /// Windows and queues are sampled.
    Sample,
    /// A constant-rate source sends its next packet.
    SourceTick(u32),
    /// The first packet of this lane comes out of it.
    LaneExit(u32),
    /// A port that asks its queue for each packet has sent one.
    TransmitEnd(u32),
    /// The first packet behind this link goes on: only where nothing is done ahead.
    Passage(u32),
    /// Something of the network changes.
    Change(u32),
    /// A packet arrives at the end of the wire of this link, on which packets may be late.
    Wire(u32),
}
