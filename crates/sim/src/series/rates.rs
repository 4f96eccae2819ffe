//! New packets that reached each listed flow's receiver, in bins of equal length that begin with the measured time.

use super::{ColumnInfo, Extent, RecordSpec, Series};
use crate::ahead::Measured;
use crate::observation::{Kinds, Observation, Occurrence};
use crate::table::Column;
use sawtooth_cc::units::{Span, Time};

/// New packets delivered to one flow's receiver in the bin that ends at `time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RatePoint {
    pub time: Time,
    pub flow: u32,
    pub delivered: u64,
}

/// A bin, with its first cell among those of all flows and bins.
#[derive(Clone, Copy, Debug)]
struct Bin {
    begins: Time,
    ends: Time,
    first_cell: usize,
}

/// Rates, bin by bin.
#[derive(Debug)]
pub struct Rates {
    interval: Span,
    flows: u32,
    measured: Measured,
    /// That of the last packet: the next packet is mostly of the same, and a division takes long.
    last: Bin,
    /// Bin by bin, the packets of each flow; the last bin may be a part of one.
    delivered: Vec<u64>,
}

impl Rates {
    /// The rows: every flow in every whole bin.
    pub fn points(&self) -> impl Iterator<Item = RatePoint> {
        let cells = self.delivered.iter().zip(0u64..).take(self.whole_bins() * self.flows as usize);
        cells.map(|(&delivered, cell)| {
            let (bin, flow) = (cell / u64::from(self.flows), cell % u64::from(self.flows));
            RatePoint { time: self.end_of(bin), flow: flow as u32, delivered }
        })
    }

    /// A new packet of a flow arrives. Where nobody else hears of arrivals, each comes here without an observation being made.
    #[inline(always)]
    pub fn count(&mut self, flow: u32, time: Time) {
        if flow >= self.flows || time < self.measured.from {
            return;
        }
        if time < self.last.begins || time >= self.last.ends {
            self.turn_to(time);
        }
        self.delivered[self.last.first_cell + flow as usize] += 1;
    }

    #[cold]
    fn turn_to(&mut self, time: Time) {
        let bin = (time - self.measured.from).nanos() / self.interval.nanos();
        let begins = self.measured.from + Span::from_nanos(bin * self.interval.nanos());
        let first_cell = bin as usize * self.flows as usize;
        self.last = Bin { begins, ends: begins + self.interval, first_cell };
    }

    /// What the measured time holds of them, which the check of the scenario limits.
    fn whole_bins(&self) -> usize {
        ((self.measured.to - self.measured.from).nanos() / self.interval.nanos()) as usize
    }

    fn end_of(&self, bin: u64) -> Time {
        self.measured.from + Span::from_nanos((bin + 1) * self.interval.nanos())
    }
}

impl Series for Rates {
    const SUMMARY: &'static str = "new packets that each flow delivers per interval";
    const COLUMNS: &'static [ColumnInfo] = &[
        ColumnInfo::new("time_ns", "end of the interval, in time since the start of the run", "ns"),
        ColumnInfo::FLOW,
        ColumnInfo::new(
            "delivered_packets",
            "packets that the receiver got for the first time in the interval",
            "packets",
        ),
    ];
    const HEARS: Kinds = Kinds::ARRIVED;

    fn new(spec: &RecordSpec, extent: &Extent) -> Self {
        let interval = Span::from_nanos(spec.rates_ns.expect("who asks for rates gives an interval"));
        let &Extent { flows, measured } = extent;
        let last = Bin { begins: measured.from, ends: measured.from + interval, first_cell: 0 };
        let mut rates = Rates { interval, flows, measured, last, delivered: Vec::new() };
        rates.delivered = vec![0; (rates.whole_bins() + 1) * flows as usize];
        rates
    }

    fn observe(&mut self, observation: &Observation) {
        if let Occurrence::PacketArrived { packet, is_new: true } = observation.occurrence {
            self.count(packet.flow(), observation.time);
        }
    }

    fn columns(&self) -> Vec<Column> {
        let (bins, flows) = (self.whole_bins(), self.flows as usize);
        let times = (0..bins as u64).flat_map(|bin| std::iter::repeat_n(self.end_of(bin), flows));
        vec![
            Column::times(times),
            Column::indices((0..bins).flat_map(|_| 0..self.flows)),
            Column::Count(self.delivered[..bins * flows].to_vec()),
        ]
    }
}
