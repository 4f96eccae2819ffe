//! DCTCP: a mark costs the window as much as the share of marked bytes says.
//!
//! Source: RFC 8257 §3.3–3.5; [Alizadeh10] §3. Once per observation window, which ends when everything that was in flight at its beginning
//! has been delivered, `alpha <- (1 - g)*alpha + g*M`, M the share of the delivered bytes that were marked. A mark leaves
//! `w*(1 - alpha/2)`, at most once per window of data. Growth is Reno's, and so is the answer to a loss: half of the window.
//!
//! | parameter | unit | default | why                                                                   |
//! |-----------|------|---------|-----------------------------------------------------------------------|
//! | g         | 1    | 1/16    | RFC 8257 §4.2                                                         |
//! | alpha     | 1    | from 1  | RFC 8257 §3.3: the first mark halves                                  |
//! | threshold |      |         | that of the router, RFC 8257 §3.1                                     |
//!
//! Beside it `tcp.ecn` is `accurate` and `tcp.slow_start_exit` is `law`: a mark in slow start is answered as any other.
//!
//! Differs from the RFC: marks are counted by the receiver (RFC 9768) and not told by one bit whose changes force acknowledgements
//! (§3.2), so a lost acknowledgement hides none. What was delivered selectively counts when it is, as its marks do. The window is cut at
//! the first mark of a window of data, as Linux does; the steps of §3.3 reach the cut where the observation window ends. An
//! acknowledgement of marked packets adds nothing (RFC 3168 §6.1.2).

use crate::constructor::{ConstructorInfo, ParameterInfo};
use crate::controller::Wants;
use crate::sample::AckSample;
use crate::signal::{Congestion, CongestionSignal};
use crate::units::{Bytes, Time};
use crate::windowed::{Law, Windowed, spread};
use crate::{ControllerSpec, Properties};
use serde::{Deserialize, Serialize};

/// The numbers of DCTCP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DctcpParams {
    /// Gain of the average of the share of marked bytes.
    pub g: f64,
}

/// What it is listed with.
pub const FAMILY: &str = "scalable laws";

/// What it answers with and what it needs.
pub const PROPERTIES: Properties = Properties { counts_marks: true, ..Properties::WINDOW };

/// The gain of the average, as DCTCP and Prague have it.
pub(crate) const GAIN: ParameterInfo = ParameterInfo::new(
    "g",
    "1",
    Some(1.0 / 16.0),
    (0.0, 1.0),
    "gain of the average of the share of marked bytes; default: RFC 8257 §4.2",
);

/// The names people write.
pub const CONSTRUCTORS: &[ConstructorInfo] = &[ConstructorInfo {
    name: "dctcp",
    aliases: &[],
    summary: "Reno, but a mark costs as much as the share of marked bytes, averaged, says",
    source: "RFC 8257; Alizadeh10 §3",
    parameters: &[GAIN],
    build: |v| ControllerSpec::Dctcp(DctcpParams { g: v[0] }),
}];

/// The share of marked bytes, averaged over observation windows.
#[derive(Clone, Debug)]
pub struct MarkShare {
    g: f64,
    alpha: f64,
    delivered: Bytes,
    marked: Bytes,
}

impl MarkShare {
    /// Every byte is taken to have been marked so far.
    pub fn new(g: f64) -> Self {
        MarkShare { g, alpha: 1.0, delivered: Bytes::ZERO, marked: Bytes::ZERO }
    }

    /// Delivered in this observation window, and marked.
    pub fn note(&mut self, delivered: Bytes, marked: Bytes) {
        self.delivered += delivered;
        self.marked += marked;
    }

    /// The observation window ends, if anything was delivered in it.
    pub fn end_window(&mut self) {
        if self.delivered == Bytes::ZERO {
            return;
        }
        let share = self.marked.count() as f64 / self.delivered.count() as f64;
        self.alpha += self.g * (share.min(1.0) - self.alpha); // a packet that arrives twice may be marked twice
        self.forget();
    }

    /// The observation window ends, and does not count.
    pub fn forget(&mut self) {
        (self.delivered, self.marked) = (Bytes::ZERO, Bytes::ZERO);
    }

    /// The average.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }
}

/// The law.
#[derive(Clone, Debug)]
pub struct DctcpLaw {
    marks: MarkShare,
}

/// A DCTCP controller.
pub type Dctcp = Windowed<DctcpLaw>;

impl Law for DctcpLaw {
    type Params = DctcpParams;

    fn new(params: DctcpParams, _window: f64) -> Self {
        DctcpLaw { marks: MarkShare::new(params.g) }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.marks.note(ack.newly_delivered, ack.newly_marked);
        if ack.round_ended {
            self.marks.end_window();
        }
    }

    fn increase(&mut self, window: f64, ack: &AckSample) -> f64 {
        spread(window, 1.0, ack)
    }

    fn whole_round(&mut self, window: f64, _: Time) -> f64 {
        window + 1.0
    }

    fn decrease(&mut self, window: f64, signal: &CongestionSignal) -> f64 {
        match signal.kind {
            Congestion::EcnMark => window * (1.0 - self.marks.alpha() / 2.0),
            _ => window / 2.0,
        }
    }

    fn marked_share(&self) -> Option<f64> {
        Some(self.marks.alpha())
    }

    fn wants(&self) -> Wants {
        Wants { rounds: true, recovery: true, ..Wants::NOTHING }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::settings::ControlSettings;
    use crate::slow_start::SlowStartExit;
    use crate::units::Window;

    const PACKET: u64 = 1_000;

    /// An acknowledgement of so many packets, of which so many were marked; it ends the observation window or not.
    fn ack(packets: u32, marked: u32, round_ended: bool) -> AckSample {
        let growth = if marked > 0 { 0 } else { packets };
        AckSample {
            newly_delivered: Bytes::new(u64::from(packets) * PACKET),
            ce_marked: marked,
            newly_marked: Bytes::new(u64::from(marked) * PACKET),
            round_ended,
            ..AckSample::classic(Time::ZERO, growth, None, true)
        }
    }

    /// A controller past slow start at the given window.
    fn at(window: f64) -> Dctcp {
        let settings = ControlSettings {
            initial_window: Window::from_packets(window),
            initial_threshold: Some(Window::from_packets(2.0)),
            slow_start_exit: SlowStartExit::Law,
            ..ControlSettings::default()
        };
        Dctcp::new(DctcpParams { g: 1.0 / 16.0 }, &settings)
    }

    /// RFC 8257 §3.3 by hand, in sixteenths: 1 -> 15/16 -> 15·15/16² + 1/16·1/2 -> 15/16 of that + 1/16·1.
    #[test]
    fn the_estimate_follows_the_share_of_each_observation_window() {
        let mut law = DctcpLaw::new(DctcpParams { g: 1.0 / 16.0 }, 10.0);
        let mut expect = |acks: &[(u32, u32, bool)], expected: f64| {
            acks.iter().for_each(|&(packets, marked, ended)| law.on_ack(&ack(packets, marked, ended)));
            assert!((law.marks.alpha() - expected).abs() < 1e-15, "{} for {expected}", law.marks.alpha());
        };
        expect(&[(1, 0, false), (3, 0, false)], 1.0);
        expect(&[(1, 0, true)], 15.0 / 16.0);
        expect(&[(2, 1, false), (1, 1, false), (1, 0, true)], 233.0 / 256.0); // (15·15 + 8)/256
        expect(&[(4, 4, true)], 3751.0 / 4096.0); // (233·15 + 256)/4096
        expect(&[(0, 0, true)], 3751.0 / 4096.0);
        expect(&[(2, 3, true)], (3751.0 * 15.0 + 4096.0) / 65536.0); // a duplicate was marked: all of it, and no more
    }

    #[test]
    fn a_mark_costs_half_of_the_share_and_a_loss_half_of_the_window() {
        for (windows, share) in [(0, 1.0), (1, 15.0 / 16.0), (2, 225.0 / 256.0)] {
            for (kind, kept) in [(Congestion::EcnMark, 1.0 - share / 2.0), (Congestion::Loss, 0.5)] {
                let mut control = at(100.0);
                for _ in 0..windows {
                    control.on_ack(&AckSample { cwnd_limited: false, ..ack(1, 0, true) });
                }
                control.on_congestion(&CongestionSignal::new(Time::ZERO, kind));
                assert_eq!(control.window().packets(), 100.0 * kept);
                assert_eq!(control.slow_start_threshold().packets(), 100.0 * kept);
            }
        }
    }

    #[test]
    fn it_grows_as_reno_except_on_marks() {
        let mut control = at(10.0);
        control.on_ack(&ack(1, 0, false));
        assert_eq!(control.window().packets(), 10.1);
        control.on_ack(&ack(1, 1, false));
        assert_eq!(control.window().packets(), 10.1);
        control.on_ack(&AckSample { in_recovery: true, ..ack(1, 0, false) });
        assert_eq!(control.window().packets(), 10.1);
    }
}
