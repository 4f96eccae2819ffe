//! What a sender keeps beyond a classic one, because its settings, its recovery or its controller ask for it.

use crate::scenario::TcpSpec;
use crate::tcp::RttSamples;
use crate::tcp::flight::FlightRecords;
use crate::tcp::timers::Timers;
use sawtooth_cc::units::Bytes;
use sawtooth_cc::{Congestion, Wants, WindowOfData};

/// Records, timers, and what is to be made of them.
#[derive(Debug)]
pub(super) struct Extras {
    pub records: Option<FlightRecords>,
    pub timers: Timers,
    /// What the controller wants to hear.
    pub wants: Wants,
    /// Every packet gives a round-trip sample, not one per round trip.
    pub samples_every_packet: bool,
    /// What the controller was told last about congestion, until that is withdrawn.
    pub last_signal: Option<(Congestion, WindowOfData)>,
}

impl Extras {
    /// What is needed, if anything is.
    pub fn new(
        tcp: &TcpSpec,
        wants: Wants,
        recovery_keeps_records: bool,
        packet: Bytes,
    ) -> Option<Box<Self>> {
        let samples_every_packet = tcp.rtt_samples == RttSamples::Every;
        let by_controller = wants.packets || wants.rates || wants.rounds;
        let records = (by_controller || samples_every_packet || recovery_keeps_records)
            .then(|| FlightRecords::new(packet));
        let needed = records.is_some() || wants.recovery;
        needed.then(|| {
            let timers = Timers::default();
            Box::new(Extras { records, timers, wants, samples_every_packet, last_signal: None })
        })
    }
}
