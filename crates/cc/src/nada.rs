//! NADA: the rate of a call from one signal, the queueing delay with penalties for losses and marks in it.
//!
//! Source: RFC 8698 §4.2 (what the receiver makes a signal of), §4.3 (what the sender makes of the signal), §5.2 (the rate shaping buffer).
//! The receiver, in the simulator, measures delays, losses and marks (§5.1); the formulas are here, rates in bit/s and times in ms.
//!
//! ```text
//! d_tilde = d_queue                                          below QTH, else         (1)
//!           QTH exp(-LAMBDA (d_queue - QTH)/QTH)
//! x_curr  = d_tilde + DMARK (p_mark/PMRREF)² + DLOSS (p_loss/PLRREF)²                (2)
//! gamma   = min(GAMMA_MAX, QBOUND/(rtt + DELTA + DFILT))                             (3)
//! ramp-up:  r_ref <- max(r_ref, (1 + gamma) r_recv)                                  (4)
//! gradual:  x_offset = x_curr - PRIO XREF RMAX/r_ref, x_diff = x_curr - x_prev       (5, 6)
//!           r_ref <- r_ref - KAPPA delta/TAU x_offset/TAU r_ref - KAPPA ETA x_diff/TAU r_ref   (7)
//! r_vin   = max(RMIN, r_ref - min(0.05 r_ref, BETA_V 8 buffer_len FPS))              (11, 13)
//! r_send  = min(RMAX, r_ref + min(0.05 r_ref, BETA_S 8 buffer_len FPS))              (12, 14)
//! ```
//!
//! At rest x_curr = PRIO XREF RMAX/r_ref. So calls that see one signal have rates in proportion to PRIO RMAX.
//!
//! `nada/params.rs` lists the parameters with unit, default and reason.
//!
//! Without a bound a burst of losses makes x_curr a second or more; while it falls again, x_diff raises the rate in (7) by more than the
//! burst could lower it, since RMIN ends that. `xmax = 500` is what the authors' module does about it.
//!
//! Deviations: a rate counts whole packets on the wire. A SYN exchange opens the flow, as everywhere in this laboratory, and gives the
//! first round trip. The RFC says nothing of reports that do not come, so the rate stays.

mod params;

use crate::constructor::{ConstructorError, ConstructorInfo};
use crate::units::{Span, Time, power};
use crate::{ControllerSpec, Properties};
pub use params::{NadaParams, PARAMETERS};

/// What it is listed with.
pub const FAMILY: &str = "rate laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties::OWN_TRANSPORT;

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "nada",
    aliases: &[],
    summary: "NADA: the rate of a call from queueing delay, losses and marks in one signal",
    source: "RFC 8698",
    parameters: PARAMETERS,
    build: |v| ControllerSpec::Nada(NadaParams::from_values(v)),
}];

/// Most of the reference rate by which the shaping buffer moves a rate (§5.2.2).
const SHAPED_MAX: f64 = 0.05;
const MILLION: f64 = 1e6;
const THOUSAND: f64 = 1e3;

fn span(ms: f64) -> Span {
    Span::from_nanos((ms * MILLION) as u64)
}

fn millis(span: Span) -> f64 {
    span.nanos() as f64 / MILLION
}

/// Which rule the sender is to follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateMode {
    /// Accelerated ramp-up: the path is underused.
    #[default]
    RampUp,
    /// Gradual update.
    Gradual,
}

impl NadaParams {
    /// Is there a rate between the least and the greatest?
    pub(crate) fn check(&self) -> Result<(), ConstructorError> {
        if self.rmin <= self.rmax {
            return Ok(());
        }
        let (parameter, other) = ("rmin", "rmax");
        Err(ConstructorError::BeyondOther { parameter, value: self.rmin, other, most: self.rmax })
    }

    /// DELTA.
    pub fn report_interval(&self) -> Span {
        span(self.delta)
    }

    /// LOGWIN.
    pub fn window(&self) -> Span {
        span(self.logwin)
    }

    /// The time between two frames.
    pub fn frame_interval(&self) -> Span {
        span(THOUSAND / self.fps)
    }

    /// TAU_V.
    pub fn reaction(&self) -> Span {
        span(self.tau_v)
    }

    /// Do frames of its encoder deviate at random?
    pub fn deviates(&self) -> bool {
        self.scale_t > 0.0 || self.scale_b > 0.0
    }

    /// Does this delay, ms, say that a queue builds up?
    pub fn builds_up(&self, d_queue: f64) -> bool {
        d_queue >= self.qeps
    }

    /// d_tilde in ms: a queueing delay above QTH counts for less (1), since who competes with loss-based flows cannot keep it low.
    pub fn warped(&self, d_queue: f64) -> f64 {
        if d_queue < self.qth {
            return d_queue;
        }
        let exponent = -self.lambda * (d_queue - self.qth) / self.qth;
        self.qth * power(std::f64::consts::E, exponent)
    }

    /// What counts of a queueing delay, ms: its warped value while a loss is remembered, for MULTILOSS average loss intervals, and in the
    /// interval after that something between the two. `losses` has the packets since the last loss event began, and the average.
    pub fn counted(&self, d_queue: f64, losses: Option<(f64, f64)>) -> f64 {
        let Some((since, interval)) = losses else { return d_queue };
        let late = ((since - self.multiloss * interval) / interval).clamp(0.0, 1.0);
        late * d_queue + (1.0 - late) * self.warped(d_queue)
    }

    /// x_curr in ms from what counts of the queueing delay and the ratios of packets marked and lost (2).
    pub fn signal(&self, counted: f64, p_mark: f64, p_loss: f64) -> f64 {
        let (marks, losses) = (p_mark / self.pmrref, p_loss / self.plrref);
        let signal = counted + self.dmark * marks * marks + self.dloss * losses * losses;
        if self.xmax > 0.0 { signal.min(self.xmax) } else { signal }
    }

    /// The average of a ratio with a newer one (§5.1.2).
    pub fn smoothed(&self, average: f64, newest: f64) -> f64 {
        self.alpha * newest + (1.0 - self.alpha) * average
    }

    /// gamma (3).
    pub fn gamma(&self, rtt: Span) -> f64 {
        (self.qbound / (millis(rtt) + self.delta + self.dfilt)).min(self.gamma_max)
    }

    fn clipped(&self, bps: f64) -> f64 {
        bps.max(THOUSAND * self.rmin).min(THOUSAND * self.rmax)
    }
}

/// What a report tells the sender.
#[derive(Clone, Copy, Debug)]
pub struct NadaReport {
    /// When it arrived.
    pub now: Time,
    /// The round trip of the newest packet that it answers, without the time that packet waited at the receiver.
    pub rtt: Span,
    /// rmode.
    pub mode: RateMode,
    /// x_curr, ms.
    pub signal: f64,
    /// r_recv, bit/s.
    pub receive_bps: f64,
}

/// The rate of one sender (§4.3).
#[derive(Clone, Debug)]
pub struct NadaRate {
    params: NadaParams,
    /// r_ref, bit/s.
    reference: f64,
    rtt: Span,
    /// x_prev, ms.
    before: f64,
    reported_at: Time,
    mode: RateMode,
}

impl NadaRate {
    /// A sender before its first round trip.
    pub fn new(params: NadaParams) -> Self {
        NadaRate {
            reference: params.clipped(0.0),
            params,
            rtt: Span::ZERO,
            before: 0.0,
            reported_at: Time::ZERO,
            mode: RateMode::RampUp,
        }
    }

    /// The handshake measured a round trip.
    pub fn begin(&mut self, now: Time, rtt: Span) {
        (self.rtt, self.reported_at) = (rtt, now);
    }

    /// A report arrived.
    pub fn on_report(&mut self, report: &NadaReport) {
        let delta = millis(report.now - self.reported_at);
        self.rtt = report.rtt;
        let rate = match report.mode {
            RateMode::RampUp => self.reference.max((1.0 + self.params.gamma(self.rtt)) * report.receive_bps),
            RateMode::Gradual => self.gradual(report.signal, delta),
        };
        self.reference = self.params.clipped(rate);
        (self.before, self.reported_at, self.mode) = (report.signal, report.now, report.mode);
    }

    /// (5) to (7).
    fn gradual(&self, signal: f64, delta: f64) -> f64 {
        let NadaParams { prio, xref, rmax, kappa, eta, tau, .. } = self.params;
        let rate = self.reference;
        let offset = signal - prio * xref * THOUSAND * rmax / rate;
        let change = signal - self.before;
        rate - kappa * (delta / tau) * (offset / tau) * rate - kappa * eta * (change / tau) * rate
    }

    /// r_ref, bit/s.
    pub fn reference_bps(&self) -> f64 {
        self.reference
    }

    /// The last round trip; zero before the first.
    pub fn rtt(&self) -> Span {
        self.rtt
    }

    /// What the last report asked for.
    pub fn mode(&self) -> RateMode {
        self.mode
    }

    /// What a shaping buffer of so many bytes adds to or takes from the reference rate, bit/s (11, 12).
    fn shaped(&self, beta: f64, buffer_bytes: f64) -> f64 {
        (beta * 8.0 * buffer_bytes * self.params.fps).min(SHAPED_MAX * self.reference)
    }

    /// r_vin, the target rate of the encoder, bit/s (13).
    pub fn encoder_bps(&self, buffer_bytes: f64) -> f64 {
        let least = THOUSAND * self.params.rmin;
        (self.reference - self.shaped(self.params.beta_v, buffer_bytes)).max(least)
    }

    /// r_send, bit/s (14).
    pub fn sending_bps(&self, buffer_bytes: f64) -> f64 {
        (self.reference + self.shaped(self.params.beta_s, buffer_bytes)).min(THOUSAND * self.params.rmax)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_controller;

    fn params(text: &str) -> NadaParams {
        match parse_controller(text).unwrap() {
            ControllerSpec::Nada(params) => params,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_least_rate_above_the_greatest_is_refused_by_its_name() {
        for (text, value, most) in [("nada(rmin = 2000)", 2000, 1500), ("nada(rmax = 100)", 150, 100)] {
            let error = parse_controller(text).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("controller.rmin = {value}: expected rmin ≤ rmax, which are {value} and {most}")
            );
        }
        assert_eq!(params("nada(rmin = 1500)").rmin, 1500.0);
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    fn report(now: Time, mode: RateMode, signal: f64, receive_bps: f64) -> NadaReport {
        NadaReport { now, rtt: Span::from_millis(100), mode, signal, receive_bps }
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} instead of {expected}");
    }

    #[test]
    fn a_delay_counts_whole_below_the_threshold_and_less_and_less_above_it() {
        let nada = params("nada");
        for d_queue in [0.0, 10.0, 49.9] {
            assert_eq!(nada.warped(d_queue), d_queue);
        }
        assert_eq!(nada.warped(50.0), 50.0);
        // e to the power of -1/2, -1 and -3.
        for (d_queue, power) in
            [(100.0, 0.606_530_659_712_633), (150.0, 0.367_879_441_171_442), (350.0, 0.049_787_068_367_864)]
        {
            close(nada.warped(d_queue), 50.0 * power);
        }
        assert_eq!(params("nada(lambda = 0)").warped(300.0), 50.0);
    }

    #[test]
    fn a_loss_is_remembered_for_seven_average_intervals_and_forgotten_over_one_more() {
        let nada = params("nada");
        let (d_queue, warped) = (150.0, nada.warped(150.0));
        assert_eq!(nada.counted(d_queue, None), d_queue);
        for since in [0.0, 350.0, 700.0] {
            close(nada.counted(d_queue, Some((since, 100.0))), warped);
        }
        close(nada.counted(d_queue, Some((725.0, 100.0))), 0.25 * d_queue + 0.75 * warped);
        for since in [800.0, 5000.0] {
            close(nada.counted(d_queue, Some((since, 100.0))), d_queue);
        }
    }

    #[test]
    fn losses_and_marks_count_by_the_square_of_their_ratios() {
        let nada = params("nada");
        close(nada.signal(20.0, 0.0, 0.0), 20.0);
        close(nada.signal(20.0, 0.01, 0.0), 22.0);
        close(nada.signal(20.0, 0.0, 0.01), 30.0);
        close(nada.signal(0.0, 0.03, 0.02), 2.0 * 9.0 + 10.0 * 4.0);
        close(nada.signal(0.0, 0.0, 0.1), 1000.0);
        close(params("nada(xmax = 500)").signal(0.0, 0.0, 0.1), 500.0);
        close(nada.smoothed(0.02, 0.12), 0.1 * 0.12 + 0.9 * 0.02);
    }

    #[test]
    fn the_ramp_up_adds_at_most_what_queues_for_qbound_in_a_control_loop() {
        let nada = params("nada");
        close(nada.gamma(Span::from_millis(30)), 50.0 / (30.0 + 100.0 + 120.0));
        close(nada.gamma(Span::from_millis(280)), 0.1);
        close(params("nada(gamma_max = 0.05)").gamma(Span::from_millis(30)), 0.05);
        // What is sent above the capacity for a loop of rtt + DELTA + DFILT queues for gamma of that: for QBOUND.
        let rtt = Span::from_millis(80);
        close(nada.gamma(rtt) * (80.0 + 100.0 + 120.0), 50.0);
    }

    #[test]
    fn the_ramp_up_follows_what_arrives_and_never_lowers_the_rate() {
        let mut rate = NadaRate::new(params("nada"));
        assert_eq!(rate.reference_bps(), 150_000.0);
        rate.begin(at(100), Span::from_millis(100));
        rate.on_report(&report(at(200), RateMode::RampUp, 0.0, 400_000.0));
        let gamma = 50.0 / 320.0;
        close(rate.reference_bps(), (1.0 + gamma) * 400_000.0);
        rate.on_report(&report(at(300), RateMode::RampUp, 0.0, 100_000.0));
        close(rate.reference_bps(), (1.0 + gamma) * 400_000.0);
        rate.on_report(&report(at(400), RateMode::RampUp, 0.0, 5e6));
        assert_eq!(rate.reference_bps(), 1_500_000.0);
    }

    #[test]
    fn a_gradual_update_is_the_formula() {
        let mut rate = NadaRate::new(params("nada"));
        rate.begin(at(0), Span::from_millis(100));
        rate.on_report(&report(at(100), RateMode::RampUp, 0.0, 800_000.0));
        let before = rate.reference_bps();
        rate.on_report(&report(at(220), RateMode::Gradual, 30.0, 800_000.0));
        let offset = 30.0 - 10.0 * 1_500_000.0 / before;
        let expected =
            before - 0.5 * (120.0 / 500.0) * (offset / 500.0) * before - 0.5 * 2.0 * (30.0 / 500.0) * before;
        close(rate.reference_bps(), expected);
        rate.on_report(&report(at(320), RateMode::Gradual, 10_000.0, 0.0));
        assert_eq!(rate.reference_bps(), 150_000.0, "no rate is below RMIN");
    }

    /// Where the rate comes to rest while the signal stays.
    fn rest(text: &str, signal: f64) -> f64 {
        let mut rate = NadaRate::new(params(text));
        rate.begin(at(0), Span::from_millis(100));
        for step in 1..20_000 {
            rate.on_report(&report(at(100 * step), RateMode::Gradual, signal, 0.0));
        }
        rate.reference_bps()
    }

    #[test]
    fn at_rest_the_signal_is_prio_xref_rmax_over_the_rate() {
        for (text, prio, xref, rmax) in [
            ("nada", 1.0, 10.0, 1500.0),
            ("nada(prio = 2)", 2.0, 10.0, 1500.0),
            ("nada(rmax = 3000, xref = 20)", 1.0, 20.0, 3000.0),
        ] {
            for signal in [25.0, 60.0] {
                let expected = prio * xref * 1e3 * rmax / signal;
                let found = rest(text, signal);
                assert!((found / expected - 1.0).abs() < 1e-6, "{text}: {found} instead of {expected}");
            }
        }
    }

    #[test]
    fn calls_with_one_signal_share_in_proportion_to_prio_times_rmax() {
        // Two calls at a link of C bit/s whose queue integrates what they send above C, without any other delay.
        let share = |one: &str, other: &str| {
            let capacity = 2e6;
            let mut rates = [one, other].map(|text| NadaRate::new(params(text)));
            let mut queue_ms = 0.0_f64;
            for step in 1..60_000 {
                let sum: f64 = rates.iter().map(NadaRate::reference_bps).sum();
                queue_ms = (queue_ms + 10.0 * (sum / capacity - 1.0)).max(0.0);
                for rate in &mut rates {
                    rate.on_report(&report(at(10 * step), RateMode::Gradual, queue_ms, 0.0));
                }
            }
            rates[0].reference_bps() / rates[1].reference_bps()
        };
        for (one, other, ratio) in [
            ("nada(prio = 2)", "nada", 2.0),
            ("nada(rmax = 3000)", "nada", 2.0),
            ("nada(prio = 0.5, rmax = 3000)", "nada", 1.0),
            ("nada(prio = 3)", "nada(rmax = 2000)", 3.0 * 1500.0 / 2000.0),
        ] {
            let found = share(one, other);
            assert!((found / ratio - 1.0).abs() < 0.01, "{one} beside {other}: {found} instead of {ratio}");
        }
    }

    #[test]
    fn a_full_shaping_buffer_slows_the_encoder_and_hastens_the_sender() {
        let mut rate = NadaRate::new(params("nada"));
        rate.begin(at(0), Span::from_millis(100));
        rate.on_report(&report(at(100), RateMode::RampUp, 0.0, 800_000.0));
        let reference = rate.reference_bps();
        close(rate.encoder_bps(0.0), reference);
        close(rate.sending_bps(0.0), reference);
        // 1200 bytes: a tenth of what would empty the buffer within a frame.
        let offset = 0.1 * 8.0 * 1200.0 * 30.0;
        close(rate.encoder_bps(1200.0), reference - offset);
        close(rate.sending_bps(1200.0), reference + offset);
        // At most a twentieth of the rate, and not beyond the bounds.
        close(rate.encoder_bps(1e6), 0.95 * reference);
        close(rate.sending_bps(1e6), 1.05 * reference);
        assert_eq!(NadaRate::new(params("nada")).encoder_bps(1e6), 150_000.0);
        assert_eq!(NadaRate::new(params("nada(rmin = 1500)")).sending_bps(1e6), 1_500_000.0);
    }
}
