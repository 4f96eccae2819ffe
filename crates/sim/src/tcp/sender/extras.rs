//! What a sender keeps beyond a classic one, because its settings, its recovery or its controller ask for it.

use super::states::StateClock;
use crate::scenario::TcpSpec;
use crate::tcp::flight::FlightRecords;
use crate::tcp::pacer::{self, Pacer};
use crate::tcp::recovery::LossRecovery;
use crate::tcp::timers::Timers;
use crate::tcp::window_use::WindowUse;
use crate::tcp::{ApplicationLimit, Pacing, RttSamples, TimerClock};
use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{Congestion, Controller, IdleRule, Pace, PacingNews, Wants, WindowOfData};

/// Records, timers, a pacer, and what is to be made of them.
#[derive(Debug)]
pub(super) struct Extras {
    pub records: Option<FlightRecords>,
    pub timers: Timers,
    pub pacer: Option<Pacer>,
    /// What paces while the controller answers with no rate: the window, or nothing.
    paced_by_window: bool,
    /// What has to be asked for the gap after the next packet.
    pub pacing: PacingNews,
    /// The gap and the quantum that the controller's rate gave last.
    by_rate: (Span, u32),
    /// The controller's slow-start threshold.
    pub threshold: Window,
    /// Below half of the slow-start threshold and beyond: how many windows a round trip the pacer lets go.
    gains: [f64; 2],
    /// The number of the next packet, where transmissions have numbers of their own.
    pub next_packet: Option<u32>,
    /// What the controller wants to hear.
    pub wants: Wants,
    /// Most packets that one acknowledgement counts for in slow start.
    pub slow_start_max: u32,
    /// Every packet gives a round-trip sample, not one per round trip.
    pub samples_every_packet: bool,
    /// What the controller was told last about congestion, until that is withdrawn.
    pub last_signal: Option<(Congestion, WindowOfData)>,
    /// How often something was withdrawn.
    pub undos: u64,
    /// An acknowledgement or a timer has been dealt with, so that the window is known that the opening of the connection left.
    pub has_concluded: bool,
    /// The states of a controller that has some, once the connection is open.
    pub states: Option<Box<StateClock>>,
    /// How the window was used, where that says more than whether it is full.
    pub window_use: Option<Box<WindowUse>>,
}

impl Extras {
    /// What is needed, if anything is.
    pub fn new(
        tcp: &TcpSpec,
        control: &impl Controller,
        has_rate: bool,
        recovery: &impl LossRecovery,
        packet: Bytes,
    ) -> Option<Box<Self>> {
        let (wants, numbered) = (control.wants(), recovery.numbers_packets());
        let samples_every_packet = numbered || tcp.rtt_samples == RttSamples::Every;
        let by_controller = wants.packets || wants.rates || wants.rounds;
        let records = (by_controller || samples_every_packet || recovery.keeps_records())
            .then(|| FlightRecords::new(packet));
        let paced_by_window = tcp.pacing == Pacing::On;
        let paced = paced_by_window || has_rate;
        let may_pace = paced || tcp.idle == IdleRule::Rfc7661;
        let by_time = recovery.keeps_records() && !numbered;
        let clock = if by_time { tcp.timers } else { TimerClock::Exact };
        let remembers = by_time && tcp.application_limit == ApplicationLimit::Linux;
        let needed = records.is_some() || may_pace || wants.recovery;
        needed.then(|| {
            Box::new(Extras {
                records,
                timers: Timers::by(clock),
                pacer: may_pace.then(Pacer::default),
                paced_by_window,
                pacing: PacingNews::Ask,
                by_rate: (Span::ZERO, 1),
                threshold: control.slow_start_threshold(),
                gains: if numbered { pacer::GAINS_QUIC } else { pacer::GAINS },
                next_packet: numbered.then_some(0),
                wants,
                slow_start_max: tcp.slow_start.counted(paced),
                samples_every_packet,
                last_signal: None,
                undos: 0,
                has_concluded: false,
                states: None,
                window_use: remembers.then(Box::default),
            })
        })
    }

    /// What names the record of a packet that leaves: its own number, where it has one.
    pub fn name(&mut self, number: u32) -> u32 {
        self.next_packet.as_mut().map_or(number, |next| {
            *next += 1;
            *next - 1
        })
    }

    /// A packet of this size leaves: how long after it the next one may, as the rate says, or else this window; zero where nothing paces.
    #[inline(always)]
    pub fn pace(
        &mut self,
        control: &impl Controller,
        window: Window,
        packet: Bytes,
        srtt: Option<Span>,
        now: Time,
    ) -> Span {
        let Some(pacer) = &mut self.pacer else { return Span::ZERO };
        if self.pacing == PacingNews::Ask {
            let Pace { rate, quantum } = control.pace();
            self.pacing = if rate.is_some() { PacingNews::Same } else { PacingNews::NoRate };
            let several = quantum >= packet + packet; // most laws have no quantum, so nothing is divided
            let quantum = if several { (quantum.count() / packet.count()) as u32 } else { 1 };
            self.by_rate = (rate.map_or(Span::ZERO, |rate| pacer::gap_by_rate(rate, packet)), quantum);
        }
        let (gap, quantum) = match self.pacing {
            PacingNews::NoRate if self.paced_by_window => {
                (pacer::gap_by_window(window, self.threshold, srtt, self.gains), 1)
            }
            PacingNews::NoRate => (Span::ZERO, 1),
            _ => self.by_rate,
        };
        pacer.on_sent(now, gap, quantum);
        gap
    }

    /// The controller has said what may have changed of its rate.
    #[inline(always)]
    pub fn note_pacing(&mut self, news: PacingNews) {
        if news != PacingNews::Same {
            self.pacing = news;
        }
    }
}
