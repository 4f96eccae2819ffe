//! What can be observed in a run: events with their times, the states of senders and queues that they carry, and sets of their kinds.

use crate::frames::FrameEnd;
use crate::packet::Packet;
use crate::queue::{Backlog, DisciplineState, DropReason};
use crate::tcp::sender::WindowCut;
use sawtooth_cc::units::{Bytes, Rate, Time, Window};
use sawtooth_cc::{ControlState, Estimates};

/// Something that happened, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// When it happens.
    pub time: Time,
    /// What happens.
    pub occurrence: Occurrence,
}

/// What happens in a network. Packets of short flows and of cross traffic are among them: `packet.flow()` and `packet.kind()` tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Occurrence {
    /// The sender of a flow lets a data packet or a SYN go. A data packet that was sent before has the flag `RETRANSMISSION`.
    PacketSent {
        /// The packet.
        packet: Packet,
    },
    /// A data packet reaches its receiver.
    PacketArrived {
        /// The packet.
        packet: Packet,
        /// Has the receiver not had it before?
        is_new: bool,
    },
    /// A packet of any kind is dropped.
    PacketDropped {
        /// The packet.
        packet: Packet,
        /// Where.
        site: Site,
        /// Why.
        reason: DropReason,
    },
    /// A packet of any kind is marked.
    PacketMarked {
        /// The packet, marked.
        packet: Packet,
        /// Where.
        site: Site,
    },
    /// An acknowledgement reaches its sender, which has not looked at it yet. Reports of rate-based flows are none.
    AckArrived {
        /// The acknowledgement; its number is the first packet that the receiver misses.
        packet: Packet,
        /// How many packets it is the first to acknowledge cumulatively.
        newly_acknowledged: u32,
    },
    /// A sender cuts its window.
    WindowCut {
        /// Which.
        flow: u32,
        /// The cause, and the window before.
        cut: WindowCut,
        /// The state after the cut.
        state: SenderState,
    },
    /// The state of a listed flow's sender at a sampling time.
    SenderSampled {
        /// Which.
        flow: u32,
        /// Its state.
        state: SenderState,
    },
    /// The controller of a flow enters a state.
    StateEntered {
        /// Which.
        flow: u32,
        /// The state, and what the controller believes then.
        model: ModelState,
    },
    /// What the sender of a listed flow does, at a sampling time or where that has changed.
    SenderSeen {
        /// Which.
        flow: u32,
        /// Why it is told.
        why: Seen,
        /// What it does.
        view: SenderView,
    },
    /// The depth of a queue at a sampling time.
    QueueSampled {
        /// Which, by its row in `queues`.
        queue: u32,
        /// What waits or is in transmission.
        backlog: Backlog,
    },
    /// The state of a discipline, or of a subqueue of it, at a sampling time.
    DisciplineSampled {
        /// Which, by its row in `queues`.
        queue: u32,
        /// Which subqueue, by its place in the table of the discipline.
        subqueue: u32,
        /// Its state.
        state: DisciplineState,
    },
    /// Everything that a short flow had to send has been acknowledged.
    FlowCompleted {
        /// Its process, by its row in `arrivals`.
        process: u32,
        /// When its first SYN left.
        start: Time,
        /// How many packets it carried.
        packets: u32,
    },
    /// Nothing more is expected of a frame of a stream; this is told at the end of the run, under the time at which it began.
    FrameEnded {
        /// Its stream, by its row in `streams`.
        stream: u32,
        /// What became of it.
        frame: FrameEnd,
    },
}

/// Where in the network something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// At a queue, by its row in `queues`.
    Queue(u32),
    /// On a link without a queue, by its number in the scenario.
    Link(u32),
}

/// What a sender and its controller show of themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    /// The window, or the packets that a rate sends in a round trip; NaN of a stack that does not tell.
    pub window: Window,
    /// The window below which slow start runs.
    pub threshold: Window,
    /// What a controller with states believes and does.
    pub model: Option<ModelState>,
}

/// What a sender is doing about its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Phase {
    /// Neither of the others.
    Steady,
    /// The window is below the slow-start threshold.
    SlowStart,
    /// The same, growing more slowly (RFC 9406).
    ConservativeSlowStart,
    /// Fast recovery is in progress.
    Recovery,
}

/// Why it is told what a sender does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Seen {
    /// It is time for a sample.
    Sample,
    /// It has entered another phase.
    Entered,
    /// A cut has been withdrawn.
    Undone,
}

/// What a sender does: its phase and its rates. `None`: it has no such thing, or not yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderView {
    /// Its phase.
    pub phase: Phase,
    /// In flight; a rate-based sender does not count it.
    pub in_flight: Option<Bytes>,
    /// The rate at which its last packet left, bit/s, where something paces.
    pub pacing_bps: Option<f64>,
    /// The last sample of its delivery rate, bit/s, where records of packets are kept.
    pub delivery_bps: Option<f64>,
    /// The average share of marked bytes that its controller goes by.
    pub marked_share: Option<f64>,
    /// Cuts withdrawn since counting began.
    pub undos: u64,
}

/// What a controller with states believes and does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelState {
    /// Its state.
    pub state: ControlState,
    /// Its window.
    pub window: Window,
    /// In flight.
    pub in_flight: Bytes,
    /// Its pacing rate.
    pub pacing: Option<Rate>,
    /// What it believes of its path.
    pub estimates: Estimates,
}

/// A set of kinds of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    /// None of them.
    pub const NONE: Kinds = Kinds(0);
    /// [`Occurrence::PacketSent`].
    pub const SENT: Kinds = Kinds(1);
    /// [`Occurrence::PacketArrived`].
    pub const ARRIVED: Kinds = Kinds(1 << 1);
    /// [`Occurrence::PacketDropped`].
    pub const DROPPED: Kinds = Kinds(1 << 2);
    /// [`Occurrence::PacketMarked`].
    pub const MARKED: Kinds = Kinds(1 << 3);
    /// [`Occurrence::AckArrived`].
    pub const ACKNOWLEDGED: Kinds = Kinds(1 << 4);
    /// [`Occurrence::WindowCut`].
    pub const CUT: Kinds = Kinds(1 << 5);
    /// [`Occurrence::SenderSampled`].
    pub const SENDER_SAMPLED: Kinds = Kinds(1 << 6);
    /// [`Occurrence::QueueSampled`].
    pub const QUEUE_SAMPLED: Kinds = Kinds(1 << 7);
    /// [`Occurrence::FlowCompleted`].
    pub const COMPLETED: Kinds = Kinds(1 << 8);
    /// [`Occurrence::StateEntered`].
    pub const STATE_ENTERED: Kinds = Kinds(1 << 9);
    /// [`Occurrence::DisciplineSampled`].
    pub const DISCIPLINE_SAMPLED: Kinds = Kinds(1 << 10);
    /// [`Occurrence::SenderSeen`].
    pub const SENDER_SEEN: Kinds = Kinds(1 << 11);
    /// [`Occurrence::FrameEnded`].
    pub const FRAME_ENDED: Kinds = Kinds(1 << 12);

    /// These and those.
    #[must_use]
    pub const fn and(self, others: Kinds) -> Kinds {
        Kinds(self.0 | others.0)
    }

    /// Is any of those among these?
    #[inline(always)]
    pub const fn has_any(self, others: Kinds) -> bool {
        self.0 & others.0 != 0
    }
}

impl Occurrence {
    /// Its kind, a set of one.
    pub const fn kind(&self) -> Kinds {
        match self {
            Occurrence::PacketSent { .. } => Kinds::SENT,
            Occurrence::PacketArrived { .. } => Kinds::ARRIVED,
            Occurrence::PacketDropped { .. } => Kinds::DROPPED,
            Occurrence::PacketMarked { .. } => Kinds::MARKED,
            Occurrence::AckArrived { .. } => Kinds::ACKNOWLEDGED,
            Occurrence::WindowCut { .. } => Kinds::CUT,
            Occurrence::SenderSampled { .. } => Kinds::SENDER_SAMPLED,
            Occurrence::QueueSampled { .. } => Kinds::QUEUE_SAMPLED,
            Occurrence::DisciplineSampled { .. } => Kinds::DISCIPLINE_SAMPLED,
            Occurrence::FlowCompleted { .. } => Kinds::COMPLETED,
            Occurrence::StateEntered { .. } => Kinds::STATE_ENTERED,
            Occurrence::SenderSeen { .. } => Kinds::SENDER_SEEN,
            Occurrence::FrameEnded { .. } => Kinds::FRAME_ENDED,
        }
    }
}
