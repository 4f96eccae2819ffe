//! One observer: what happens in a run, as timed events. Every recorded series is made of them.
//!
//! The network tells the observer what happens. A series says which [`Kinds`] of events it hears. An event of a kind that no series
//! hears is never made; it costs a test of one word. So a run without records pays three such tests for a packet. Where rates alone hear
//! of arrivals, an arrival is counted at once, and no event is made of it.
//!
//! The engine works out parts of a packet's way ahead of time ([`Order::Ahead`](crate::ahead::Order)). So an event may be observed
//! before its time, and events of different senders, queues and receivers are not observed in the order of time. The times that they
//! carry are right. A series that needs the order of time sorts when the run is over
//! ([`Series::finish`](crate::series::Series::finish)), by its own columns only, so that either order of events gives the same rows.

use crate::observation::{Kinds, Observation, Occurrence};
use crate::scenario::RecordSpec;
use crate::series::rates::Rates;
use crate::series::{AllSeries, Extent};
use sawtooth_cc::units::{Span, Time};

/// What a run tells of itself goes through here to the series that hear it.
#[derive(Debug)]
pub struct Observer {
    heard: Kinds,
    /// No series but that of rates hears of arrivals.
    arrivals_for_rates: bool,
    sample_interval: Option<Span>,
    series: AllSeries,
}

impl Observer {
    /// The observer of a run that has not begun.
    pub fn new(spec: &RecordSpec, extent: &Extent) -> Self {
        let mut series = AllSeries::new(spec, extent);
        let heard = series.hears();
        let rates = series.rates.take();
        let arrivals_for_rates = !series.hears().has_any(Kinds::ARRIVED);
        series.rates = rates;
        Observer { heard, arrivals_for_rates, sample_interval: spec.sample_ns.map(Span::from_nanos), series }
    }

    /// How long it is from one sample of senders and queues to the next, if there are samples.
    pub fn sample_interval(&self) -> Option<Span> {
        self.sample_interval
    }

    /// Something of this kind happens at this time: what it is, is asked if anybody hears it.
    #[inline(always)]
    pub fn note(&mut self, kind: Kinds, time: Time, occurrence: impl FnOnce() -> Occurrence) {
        if self.heard.has_any(kind) {
            self.tell(time, occurrence);
        }
    }

    /// Out of line, so that the path of a packet stays short where nobody hears, and made anew for each place that calls, where
    /// it is known which occurrence it is and who hears it.
    #[cold]
    #[inline(never)]
    fn tell(&mut self, time: Time, occurrence: impl FnOnce() -> Occurrence) {
        self.series.observe(&Observation { time, occurrence: occurrence() });
    }

    /// Rates, if they alone hear of arrivals.
    #[inline(always)]
    pub fn rates_alone(&mut self) -> Option<&mut Rates> {
        self.series.rates.as_mut().filter(|_| self.arrivals_for_rates)
    }

    /// Somebody beside the series hears of such events.
    pub fn hear(&mut self, kinds: Kinds) {
        self.heard = self.heard.and(kinds);
        self.arrivals_for_rates &= !kinds.has_any(Kinds::ARRIVED);
    }

    /// Does anybody hear of such events?
    pub fn hears(&self, kinds: Kinds) -> bool {
        self.heard.has_any(kinds)
    }

    /// The series so far, each in the order in which it was observed.
    pub fn series(&self) -> &AllSeries {
        &self.series
    }

    /// The run is over: its series, complete.
    pub fn finish(mut self) -> AllSeries {
        self.series.finish();
        self.series
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ahead::Measured;
    use crate::run;
    use crate::scenario::Scenario;
    use crate::testing::dumbbell;

    fn recorded(packets: bool) -> Scenario {
        let mut scenario = dumbbell(2);
        scenario.duration_ns = 3_000_000_000;
        scenario.record = RecordSpec { rates_ns: Some(100_000_000), packets, ..RecordSpec::default() };
        scenario
    }

    #[test]
    fn rates_are_the_same_whoever_else_hears_of_arrivals() {
        let rates = |packets| {
            let tables = run(&recorded(packets)).expect("a checked scenario").tables();
            tables.into_iter().find(|table| table.name == "rates").expect("they are recorded")
        };
        assert_eq!(rates(false), rates(true));
    }

    #[test]
    fn rates_are_alone_unless_somebody_else_hears_of_arrivals() {
        let measured = Measured { from: Time::ZERO, to: Time::from_nanos(3_000_000_000) };
        let observer = |packets| Observer::new(&recorded(packets).record, &Extent { flows: 2, measured });
        assert!(observer(false).rates_alone().is_some());
        assert!(observer(true).rates_alone().is_none());
        let mut heeded = observer(false);
        heeded.hear(Kinds::ARRIVED);
        assert!(heeded.rates_alone().is_none());
    }
}
