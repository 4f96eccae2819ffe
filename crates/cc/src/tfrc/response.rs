//! The response function of TFRC: packets per second that a TCP would send at this loss event rate and round trip, and its inverse.
//!
//! Source: [Floyd00] equation 1, which is that of [Padhye98] without its min(1, ·), and RFC 5348 §3.1 with b = 1:
//!
//! ```text
//! X = 1 / (R sqrt(2p/3) + t_RTO 3 sqrt(3p/8) p (1 + 32p²)),    t_RTO = 4R
//! ```
//!
//! | parameter | unit | default | why                                                                   |
//! |-----------|------|---------|-----------------------------------------------------------------------|
//! | t_RTO     | s    | 4R      | [FloydHandley00] §3.1 and RFC 5348 §3.1: simple, and near what a TCP has |
//!
//! The inverse halves an interval a fixed number of times, so it is the same on every machine.

/// How often the interval that holds the inverse is halved: from 1 to below 2⁻⁵⁶.
const HALVINGS: u32 = 56;

/// Round trips in t_RTO.
pub const TIMEOUT_ROUND_TRIPS: f64 = 4.0;

/// Packets per second at the loss event rate `p` in (0, 1] and the round trip `rtt` in seconds.
pub fn rate(p: f64, rtt: f64) -> f64 {
    1.0 / (rtt * round_trips_per_packet(p))
}

/// The same in round trips: what a packet takes.
fn round_trips_per_packet(p: f64) -> f64 {
    (2.0 * p / 3.0).sqrt() + TIMEOUT_ROUND_TRIPS * 3.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p)
}

/// The loss event rate at which [`rate`] gives so many packets per second; 1 where even that gives more.
pub fn loss_event_rate(packets_per_second: f64, rtt: f64) -> f64 {
    let wanted = 1.0 / (packets_per_second * rtt);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if round_trips_per_packet(middle) < wanted { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_rate_of_losses_leaves_the_square_root_law() {
        let p: f64 = 1e-8;
        assert!((rate(p, 0.1) * 0.1 * p.sqrt() / 1.5f64.sqrt() - 1.0).abs() < 1e-3);
    }

    #[test]
    fn an_example_worked_by_hand() {
        // p = 6/100: sqrt(2p/3) = 1/5; sqrt(3p/8) = 3/20; 12 · 3/20 · 6/100 · (1 + 32 · 36/10000) = 0.12044...
        let packet = 0.2 + 0.108 * (1.0 + 0.1152);
        assert!((rate(0.06, 0.5) - 1.0 / (0.5 * packet)).abs() < 1e-12);
    }

    #[test]
    fn the_inverse_gives_back_the_loss_event_rate() {
        for p in [1e-6, 1e-3, 0.01, 0.1, 0.5] {
            let found = loss_event_rate(rate(p, 0.08), 0.08);
            assert!((found / p - 1.0).abs() < 1e-9, "{p}: {found}");
        }
        assert_eq!(loss_event_rate(1e-9, 0.08), 1.0);
    }
}
