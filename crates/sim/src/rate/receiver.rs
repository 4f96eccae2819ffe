//! The receivers of rate-based flows: a closed enum.

use super::nada_receiver::NadaReceiver;
use super::rap_receiver::RapReceiver;
use super::tfrc_receiver::TfrcReceiver;
use super::{Report, Stamp};
use crate::tcp::receiver::Received;
use sawtooth_cc::ControllerSpec;
use sawtooth_cc::tfrc::Edition;
use sawtooth_cc::units::Time;

/// The receiver of one rate-based flow.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "whoever has one keeps it in a box")]
pub enum PacedReceiver {
    /// Reports what was lost and how much comes.
    Tfrc(TfrcReceiver),
    /// Acknowledges every packet.
    Rap(RapReceiver),
    /// Reports one signal of delays, losses and marks.
    Nada(NadaReceiver),
}

impl PacedReceiver {
    /// A receiver that has seen nothing; `None` for a controller with a window.
    pub fn new(controller: &ControllerSpec) -> Option<Self> {
        match *controller {
            ControllerSpec::Tfrc(params) => {
                Some(PacedReceiver::Tfrc(TfrcReceiver::new(params, Edition::Paper)))
            }
            ControllerSpec::Tfrc5348(params) => {
                Some(PacedReceiver::Tfrc(TfrcReceiver::new(params, Edition::Rfc5348)))
            }
            ControllerSpec::Nada(params) => Some(PacedReceiver::Nada(NadaReceiver::new(params))),
            ControllerSpec::Rap(_) => Some(PacedReceiver::Rap(RapReceiver::default())),
            _ => None,
        }
    }

    /// One more than the highest number that came.
    pub fn next_expected(&self) -> u32 {
        match self {
            PacedReceiver::Tfrc(receiver) => receiver.next_expected(),
            PacedReceiver::Rap(receiver) => receiver.next_expected(),
            PacedReceiver::Nada(receiver) => receiver.next_expected(),
        }
    }

    /// Take a data packet that no later one was before.
    pub fn on_data(&mut self, number: u32, marked: bool, stamp: Stamp, now: Time) -> Received {
        match self {
            PacedReceiver::Tfrc(receiver) => receiver.on_data(number, marked, stamp, now),
            PacedReceiver::Rap(receiver) => receiver.on_data(number, marked),
            PacedReceiver::Nada(receiver) => receiver.on_data(number, marked, stamp, now),
        }
    }

    /// A report leaves: its number.
    pub fn report(&mut self, now: Time) -> u32 {
        match self {
            PacedReceiver::Tfrc(receiver) => receiver.report(now),
            PacedReceiver::Rap(receiver) => receiver.report(),
            PacedReceiver::Nada(receiver) => receiver.report(now),
        }
    }

    /// A report arrives at the sender: what it says, if no later one has told more.
    pub fn arrived(&mut self, number: u32) -> Option<Report> {
        match self {
            PacedReceiver::Tfrc(receiver) => receiver.reports.take(number).map(Report::Tfrc),
            PacedReceiver::Rap(receiver) => receiver.reports.take(number).map(Report::Rap),
            PacedReceiver::Nada(receiver) => receiver.reports.take(number).map(Report::Nada),
        }
    }

    /// When a report is due; `NEVER` if none waits.
    pub fn due(&self) -> Time {
        match self {
            PacedReceiver::Tfrc(receiver) => receiver.due(),
            PacedReceiver::Rap(_) => Time::NEVER,
            PacedReceiver::Nada(receiver) => receiver.due(),
        }
    }
}
