//! A log-linear histogram of times: percentiles of delay in constant memory.
//!
//! Source: the layout of HdrHistogram. Each power of two has 128 equal cells, so a percentile is exact to 1/256 of its value. Below 128
//! ns cells are exact.

use sawtooth_cc::units::Span;

const CELL_BITS: u32 = 7;
const CELLS: u64 = 1 << CELL_BITS;

/// Counts of times by size.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

#[inline]
fn cell_of(nanos: u64) -> usize {
    let magnitude = (u64::BITS - nanos.leading_zeros()).saturating_sub(CELL_BITS + 1);
    ((u64::from(magnitude) << CELL_BITS) + (nanos >> magnitude)) as usize
}

/// The middle of a cell.
fn middle_of(cell: usize) -> u64 {
    let cell = cell as u64;
    if cell < 2 * CELLS {
        return cell;
    }
    let magnitude = (cell >> CELL_BITS) - 1;
    let low = (cell - (magnitude << CELL_BITS)) << magnitude;
    low + (1 << magnitude) / 2
}

impl Histogram {
    /// Count one time.
    #[inline]
    pub fn add(&mut self, span: Span) {
        let cell = cell_of(span.nanos());
        if cell >= self.counts.len() {
            self.counts.resize(cell + 1, 0);
        }
        self.counts[cell] += 1;
        self.total += 1;
    }

    /// How many times there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The smallest cell at or below which this share of the times lies; zero when there are none.
    pub fn quantile(&self, share: f64) -> Span {
        let [found] = self.quantiles([share]);
        found
    }

    /// The same for several shares, which rise.
    pub fn quantiles<const N: usize>(&self, shares: [f64; N]) -> [Span; N] {
        let mut cells = self.counts.iter().enumerate();
        let (mut seen, mut last) = (0, Span::ZERO);
        shares.map(|share| {
            let wanted = (share * self.total as f64).ceil().max(1.0) as u64;
            while seen < wanted
                && let Some((cell, &count)) = cells.next()
            {
                seen += count;
                last = Span::from_nanos(middle_of(cell));
            }
            if seen < wanted { Span::ZERO } else { last }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cell_holds_its_times_within_a_256th(nanos in 0u64..1 << 50) {
            let middle = middle_of(cell_of(nanos));
            prop_assert!(middle.abs_diff(nanos) as f64 <= nanos as f64 / 256.0, "{nanos} fell into the cell of {middle}");
        }
    }

    #[test]
    fn quantiles_of_a_ramp() {
        let mut histogram = Histogram::default();
        for micros in 1..=1000 {
            histogram.add(Span::from_micros(micros));
        }
        for (share, micros) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0)] {
            let found = histogram.quantile(share).nanos() as f64 / 1000.0;
            assert!((found - micros).abs() <= micros / 128.0, "{share}: {found}");
        }
        let shares = [0.001, 0.5, 0.95, 0.99, 1.0];
        assert_eq!(histogram.quantiles(shares), shares.map(|share| histogram.quantile(share)));
        assert_eq!((histogram.count(), Histogram::default().quantile(0.5)), (1000, Span::ZERO));
    }
}
