//! What stands at the ends of a flow: TCP, a rate-based protocol or a stack from outside. Closed enums, so that no packet costs a virtual call.

use crate::frames::FrameWatch;
use crate::meter::Meter;
use crate::observation::{ModelState, Phase, SenderState, SenderView};
use crate::packet::Packet;
use crate::rate::receiver::PacedReceiver;
use crate::rate::sender::PacedSender;
use crate::scenario::{FlowSpec, Profile};
use crate::tcp::receiver::Receiver;
use crate::tcp::recovery::Feedback;
use crate::tcp::sender::{Sender, SenderStats, StateTimes, WindowCut};
use crate::whole::receiver::WholeReceiver;
use crate::whole::sender::{Untold, WholeSender};
use sawtooth_cc::RandomKey;
use sawtooth_cc::units::{Time, Window};

const OWN_HANDSHAKE: &str = "a stack has a handshake of its own";

/// The sender of a flow. The tag comes first: it shares a cache line with what each packet needs.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most flows are TCP's, and what a packet needs of them stays in line"
)]
#[repr(C, u8)]
pub enum Transport {
    /// A window and a recovery.
    Tcp(Sender),
    /// A rate.
    Paced(Box<PacedSender>),
    /// A stack from outside.
    Whole(Box<WholeSender>),
}

macro_rules! all {
    ($self:expr, $sender:ident => $what:expr) => {
        match $self {
            Transport::Tcp($sender) => $what,
            Transport::Paced($sender) => $what,
            Transport::Whole($sender) => $what,
        }
    };
}

impl Transport {
    /// A sender before its SYN, with a key where its controller draws random numbers.
    pub fn new(index: u32, flow: &FlowSpec, profile: &Profile, random: Option<RandomKey>) -> Self {
        if let Some(sender) = WholeSender::new(index, flow, profile, random) {
            Transport::Whole(Box::new(sender))
        } else if profile.controller.properties().own_transport {
            Transport::Paced(Box::new(PacedSender::new(index, flow, profile, random)))
        } else {
            Transport::Tcp(Sender::new(index, flow, profile, random))
        }
    }

    /// Round trips are counted in ticks of a clock that ticked last so many 2⁻¹⁶ of a tick before the start of the run.
    pub fn count_ticks(&mut self, phase: u16) {
        if let Transport::Tcp(sender) = self {
            sender.count_ticks(phase);
        }
    }

    /// Send the SYN for the first time.
    pub fn syn(&mut self, now: Time) -> Packet {
        match self {
            Transport::Tcp(sender) => sender.syn(now),
            Transport::Paced(sender) => sender.syn(now),
            Transport::Whole(_) => unreachable!("{OWN_HANDSHAKE}"),
        }
    }

    /// The SYN was answered.
    pub fn on_syn_ack(&mut self, now: Time) {
        match self {
            Transport::Tcp(sender) => sender.on_syn_ack(now),
            Transport::Paced(sender) => sender.on_syn_ack(now),
            Transport::Whole(_) => unreachable!("{OWN_HANDSHAKE}"),
        }
    }

    /// Offer no more data.
    pub fn stop(&mut self) {
        match self {
            Transport::Tcp(sender) => sender.stop(),
            Transport::Paced(sender) => sender.stop(),
            Transport::Whole(_) => unreachable!("a stack is told when it stops"),
        }
    }

    /// The application makes this many more packets available, and announces whether more will follow.
    pub fn supply(&mut self, packets: u32, more: bool, now: Time) {
        match self {
            Transport::Tcp(sender) => sender.supply(packets, more, now),
            Transport::Whole(sender) => sender.supply(packets, more, now),
            Transport::Paced(_) => unreachable!("a checked flow with a rate has no supply"),
        }
    }

    /// The application offers nothing more, for now.
    pub fn hold_supply(&mut self, now: Time) {
        match self {
            Transport::Tcp(sender) => sender.hold_supply(now),
            Transport::Whole(sender) => sender.hold_supply(),
            Transport::Paced(_) => unreachable!("a checked flow with a rate has no supply"),
        }
    }

    /// The application offers everything again.
    pub fn supply_all(&mut self, now: Time) {
        if let Transport::Tcp(sender) = self {
            sender.supply_all(now);
        }
    }

    /// When something is to be done without having been told.
    #[inline(always)]
    pub fn deadline(&self) -> Time {
        match self {
            Transport::Tcp(sender) => sender.deadline(),
            _ => self.other_deadline(),
        }
    }

    /// Out of line: with a third case in line a packet of TCP costs half a percent more instructions.
    #[cold]
    #[inline(never)]
    fn other_deadline(&self) -> Time {
        match self {
            Transport::Tcp(_) => unreachable!("TCP's has been told"),
            Transport::Paced(sender) => sender.deadline(),
            Transport::Whole(sender) => sender.deadline(),
        }
    }

    /// The deadline has come. Returns the SYN to send again, or the cut it brought, if any.
    pub fn on_deadline(&mut self, now: Time) -> Result<Option<WindowCut>, Packet> {
        match self {
            Transport::Tcp(sender) => sender.on_deadline(now),
            Transport::Paced(sender) => sender.on_deadline(now),
            Transport::Whole(sender) => {
                sender.on_deadline(now);
                Ok(None)
            }
        }
    }

    /// What it and its controller show of themselves.
    pub fn state(&self) -> SenderState {
        let window = if self.untold().window { Window::from_packets(f64::NAN) } else { self.window() };
        SenderState { window, threshold: self.slow_start_threshold(), model: self.model() }
    }

    /// What its controller believes and does, if that has states.
    pub fn model(&self) -> Option<ModelState> {
        match self {
            Transport::Tcp(sender) => sender.model(),
            Transport::Paced(_) | Transport::Whole(_) => None,
        }
    }

    /// What its controller believes and does, if that has entered a state since this was last asked.
    pub fn take_entered(&mut self) -> Option<ModelState> {
        match self {
            Transport::Tcp(sender) => sender.take_entered(),
            Transport::Paced(_) | Transport::Whole(_) => None,
        }
    }

    /// The time that its controller has been in each of its states since counting began, if it has states.
    pub fn state_times(&mut self, now: Time) -> Option<StateTimes> {
        match self {
            Transport::Tcp(sender) => sender.state_times(now),
            Transport::Paced(_) | Transport::Whole(_) => None,
        }
    }

    /// What it does, for people to see.
    pub fn view(&self) -> SenderView {
        match self {
            Transport::Tcp(sender) => sender.view(),
            Transport::Paced(sender) => SenderView {
                phase: Phase::Steady,
                in_flight: None,
                pacing_bps: sender.meter.as_ref().and_then(|meter| meter.pacing.latest()),
                delivery_bps: None,
                marked_share: None,
                undos: 0,
            },
            // It tells none of this.
            Transport::Whole(_) => SenderView {
                phase: Phase::Steady,
                in_flight: None,
                pacing_bps: None,
                delivery_bps: None,
                marked_share: None,
                undos: 0,
            },
        }
    }

    /// Does a pacer hold the packets of a window?
    pub fn is_paced(&self) -> bool {
        match self {
            Transport::Tcp(sender) => sender.is_paced(),
            Transport::Paced(_) => false,
            Transport::Whole(_) => true,
        }
    }

    /// The next packet to send now, if one may go.
    #[inline(always)]
    pub fn next_packet(&mut self, now: Time) -> Option<Packet> {
        match self {
            Transport::Tcp(sender) => sender.next_packet(now),
            _ => self.other_packet(now),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_packet(&mut self, now: Time) -> Option<Packet> {
        match self {
            Transport::Tcp(_) => unreachable!("TCP has been asked"),
            Transport::Paced(sender) => sender.next_packet(now),
            Transport::Whole(sender) => sender.next_packet(now),
        }
    }

    /// The window, or the packets that a rate sends in a round trip.
    pub fn window(&self) -> Window {
        all!(self, sender => sender.window())
    }

    /// The window below which slow start runs.
    pub fn slow_start_threshold(&self) -> Window {
        match self {
            Transport::Tcp(sender) => sender.slow_start_threshold(),
            Transport::Paced(sender) => sender.slow_start_threshold(),
            Transport::Whole(_) => Window::from_packets(0.0), // it does not tell
        }
    }

    /// Counters.
    pub fn stats(&self) -> &SenderStats {
        all!(self, sender => &sender.stats)
    }

    /// Smoothed round-trip time in nanoseconds; 0 before the first sample.
    pub fn srtt_nanos(&self) -> u64 {
        all!(self, sender => sender.srtt_nanos())
    }

    /// Start counting now.
    pub fn restart_counters(&mut self, now: Time) {
        all!(self, sender => sender.restart_counters(now));
    }

    /// Time mean of the window since counting began at `since`.
    pub fn window_mean(&mut self, since: Time, now: Time) -> f64 {
        all!(self, sender => sender.window_mean(since, now))
    }

    /// Have its round trips and rates measured.
    pub fn attach_meter(&mut self) {
        match self {
            Transport::Tcp(sender) => sender.attach_meter(),
            Transport::Paced(sender) => sender.meter = Some(Box::default()),
            Transport::Whole(sender) => sender.meter = Some(Box::default()),
        }
    }

    /// What has been measured of it.
    pub fn meter(&mut self) -> Option<&mut Meter> {
        match self {
            Transport::Tcp(sender) => sender.meter(),
            Transport::Paced(sender) => sender.meter.as_deref_mut(),
            Transport::Whole(sender) => sender.meter.as_deref_mut(),
        }
    }

    /// Have its frames watched.
    pub fn watch(&mut self, watch: FrameWatch) {
        if let Transport::Paced(sender) = self {
            sender.watch(watch);
        }
    }

    /// What has been seen of its frames, if they were watched.
    pub fn take_watch(&mut self) -> Option<FrameWatch> {
        match self {
            Transport::Paced(sender) => sender.take_watch(),
            Transport::Tcp(_) | Transport::Whole(_) => None,
        }
    }

    /// Cuts withdrawn and tail probes sent since counting began.
    pub fn undos_and_probes(&self) -> (u64, u64) {
        match self {
            Transport::Tcp(sender) => (sender.undos(), sender.tail_probes()),
            Transport::Paced(_) | Transport::Whole(_) => (0, 0),
        }
    }

    /// When everything there was to send had been acknowledged, if it was.
    pub fn finished(&self) -> Option<Time> {
        match self {
            Transport::Tcp(sender) => sender.finished,
            Transport::Whole(sender) => sender.finished,
            Transport::Paced(_) => None,
        }
    }

    /// What it does not tell of itself.
    pub fn untold(&self) -> Untold {
        match self {
            Transport::Whole(sender) => sender.untold,
            Transport::Tcp(_) | Transport::Paced(_) => Untold::default(),
        }
    }

    /// Prefetch what the next packet of this flow needs.
    #[inline(always)]
    pub fn prefetch(&self) {
        if let Transport::Tcp(sender) = self {
            sender.prefetch();
        }
    }
}

/// The receiver of a flow.
#[derive(Debug)]
pub enum AnyReceiver {
    /// Acknowledges what came.
    Tcp(Receiver),
    /// Reports on what came.
    Paced(Box<PacedReceiver>),
    /// A stack from outside.
    Whole(Box<WholeReceiver>),
}

impl AnyReceiver {
    /// A receiver of TCP's or of a rate's that has seen nothing.
    pub fn new(profile: &Profile) -> Self {
        if let Some(receiver) = PacedReceiver::new(&profile.controller) {
            return AnyReceiver::Paced(Box::new(receiver));
        }
        let feedback = profile.recovery.map_or(Feedback::Cumulative, |kind| kind.info().feedback);
        AnyReceiver::Tcp(Receiver::new(feedback, &profile.tcp))
    }

    /// When a delayed answer is due; `NEVER` if none waits.
    pub fn answer_due(&self) -> Time {
        match self {
            AnyReceiver::Tcp(receiver) => receiver.ack_due(),
            AnyReceiver::Paced(receiver) => receiver.due(),
            AnyReceiver::Whole(receiver) => receiver.deadline(),
        }
    }

    /// When the acknowledgements that are held leave; `NEVER` if none is.
    pub fn held_until(&self) -> Time {
        match self {
            AnyReceiver::Tcp(receiver) => receiver.held_until(),
            AnyReceiver::Paced(_) | AnyReceiver::Whole(_) => Time::NEVER,
        }
    }

    /// Acknowledgements that wait for each other.
    pub fn held(&self) -> usize {
        match self {
            AnyReceiver::Tcp(receiver) => receiver.held(),
            AnyReceiver::Paced(_) | AnyReceiver::Whole(_) => 0,
        }
    }
}
