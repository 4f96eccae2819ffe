//! The average loss interval: eight intervals, weighted, with the history discounted while nothing is lost.
//!
//! Source: [FloydHandley00] §3.3, RFC 5348 §5.4 (weights) and §5.5 (discounting). A loss interval is the packets from the first of one
//! loss event to the first of the next. The open one, since the last loss event, counts if that raises the average.
//!
//! | parameter | unit    | default                        | why                                                                |
//! |-----------|---------|--------------------------------|--------------------------------------------------------------------|
//! | intervals | 1       | 8                              | [FloydHandley00] §3.3; RFC 5348 §5.4                               |
//! | weights   | 1       | 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2 | the newer half counts whole, the older half less and less          |
//! | discount  | 1       | given                          | least factor on the weights of closed intervals; 1: no discounting |
//!
//! Discounting begins when the open interval is more than twice the average of the closed ones. The factor then reached stays with the
//! closed intervals when the open one closes.

/// One closed interval.
#[derive(Clone, Copy, Debug)]
struct Closed {
    packets: f64,
    /// The product of the factors that were in force when newer intervals closed.
    discount: f64,
}

/// The loss intervals of one flow.
#[derive(Clone, Debug)]
pub struct LossIntervals {
    /// Newest first.
    closed: Vec<Closed>,
    weights: Vec<f64>,
    least_discount: f64,
}

/// A weighted sum and the weight in it.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, packets: f64, weight: f64) {
        self.sum += packets * weight;
        self.weight += weight;
    }

    fn value(self) -> f64 {
        self.sum / self.weight
    }
}

/// The weight of each of `count` intervals, newest first (RFC 5348 §5.4).
fn weights(count: usize) -> Vec<f64> {
    let half = count / 2;
    let older = |place: usize| 1.0 - (place - half + 1) as f64 / (count - half + 1) as f64;
    (0..count).map(|place| if place < half { 1.0 } else { older(place) }).collect()
}

impl LossIntervals {
    /// No loss event yet. Averages over `count` intervals.
    pub fn new(count: usize, least_discount: f64) -> Self {
        LossIntervals { closed: Vec::with_capacity(count + 1), weights: weights(count), least_discount }
    }

    /// Has there been a loss event?
    pub fn has_any(&self) -> bool {
        !self.closed.is_empty()
    }

    /// An interval closes with so many packets.
    pub fn close(&mut self, packets: f64) {
        let discount = self.discount(packets);
        for older in &mut self.closed {
            older.discount *= discount;
        }
        self.closed.truncate(self.weights.len() - 1);
        self.closed.insert(0, Closed { packets, discount: 1.0 });
    }

    /// The average over the closed intervals, each with its discount.
    fn closed_mean(&self) -> f64 {
        let mut mean = Mean::default();
        for (interval, weight) in self.closed.iter().zip(&self.weights) {
            mean.add(interval.packets, weight * interval.discount);
        }
        mean.value()
    }

    /// The factor on the weights of the closed intervals while the open one has so many packets.
    fn discount(&self, open: f64) -> f64 {
        if self.closed.is_empty() {
            return 1.0;
        }
        let twice = 2.0 * self.closed_mean();
        if open > twice { (twice / open).max(self.least_discount) } else { 1.0 }
    }

    /// The average loss interval in packets while the open interval has so many; `None` before the first loss event.
    pub fn average(&self, open: f64) -> Option<f64> {
        if self.closed.is_empty() {
            return None;
        }
        let discount = self.discount(open);
        let mut with_open = Mean::default();
        with_open.add(open, self.weights[0]);
        for (interval, weight) in self.closed.iter().zip(&self.weights[1..]) {
            with_open.add(interval.packets, weight * interval.discount * discount);
        }
        Some(with_open.value().max(self.closed_mean()))
    }

    /// Loss events per packet; 0 before the first.
    pub fn loss_event_rate(&self, open: f64) -> f64 {
        self.average(open).map_or(0.0, |packets| (1.0 / packets).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(packets: &[f64], least_discount: f64) -> LossIntervals {
        let mut intervals = LossIntervals::new(8, least_discount);
        packets.iter().rev().for_each(|&packets| intervals.close(packets));
        intervals
    }

    fn close_to(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} instead of {expected}");
    }

    #[test]
    fn weights_are_those_of_the_paper() {
        let expected = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
        for (found, expected) in weights(8).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} instead of {expected}");
        }
    }

    #[test]
    fn the_newest_of_eight_has_a_sixth() {
        let intervals = closed(&[160.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0], 1.0);
        close_to(intervals.average(0.0).unwrap(), 100.0 + 60.0 / 6.0);
    }

    #[test]
    fn the_open_interval_counts_where_it_raises_the_average() {
        let intervals = closed(&[100.0; 8], 1.0);
        close_to(intervals.average(99.0).unwrap(), 100.0);
        close_to(intervals.average(160.0).unwrap(), 110.0);
        close_to(intervals.loss_event_rate(160.0), 1.0 / 110.0);
    }

    #[test]
    fn fewer_intervals_share_the_weights() {
        let intervals = closed(&[30.0, 60.0], 1.0);
        close_to(intervals.average(0.0).unwrap(), 45.0);
        close_to(intervals.average(90.0).unwrap(), 60.0);
        assert_eq!(closed(&[], 1.0).average(50.0), None);
        assert_eq!(closed(&[], 1.0).loss_event_rate(50.0), 0.0);
    }

    #[test]
    fn a_ninth_interval_pushes_out_the_oldest() {
        let intervals = closed(&[100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 1e6], 1.0);
        close_to(intervals.average(0.0).unwrap(), 100.0);
    }

    #[test]
    fn history_is_discounted_beyond_twice_the_average() {
        let intervals = closed(&[100.0; 8], 0.3);
        close_to(intervals.average(200.0).unwrap(), 100.0 + 100.0 / 6.0);
        // 400: a factor of 2 · 100/400 = 1/2 on weights that together are 5.
        close_to(intervals.average(400.0).unwrap(), (400.0 + 2.5 * 100.0) / 3.5);
        // 1000: 0.2 would be less than the least factor; the open interval has 0.4 of the weights.
        close_to(intervals.average(1000.0).unwrap(), 0.4 * 1000.0 + 0.6 * 100.0);
    }

    #[test]
    fn a_discount_stays_when_the_interval_closes() {
        let mut intervals = closed(&[100.0; 8], 0.3);
        intervals.close(1000.0);
        // Seven intervals of 100 with 0.3 of their weights, which together are 5.
        close_to(intervals.average(0.0).unwrap(), (1000.0 + 0.3 * 5.0 * 100.0) / 2.5);
    }
}
