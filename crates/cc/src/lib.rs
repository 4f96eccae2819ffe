//! Congestion controllers as pure state machines, for simulators and for real stacks.
//!
//! A controller hears of acknowledgements, of congestion and of whatever else it [wants](Controller::wants), and answers with a window
//! and perhaps a rate. It knows no sequence numbers, queues, clocks or files, so a QUIC or TCP stack can depend on this crate alone.
//! Start at [`Controller`]; find what exists in [`CONTROLLERS`].
//!
//! # In a stack
//!
//! A stack asks at the start what a controller answers with ([`ControllerSpec::properties`]) and what it wants to be told
//! ([`Controller::wants`]). One that keeps no records per packet tells it of acknowledgements outside recovery and of congestion:
//!
//! ```
//! use sawtooth_cc::units::{Span, Time, Window};
//! use sawtooth_cc::{AckSample, AnyController, Congestion, CongestionSignal, ControlSettings, Controller, WindowOfData};
//! use sawtooth_cc::parse_controller;
//!
//! let spec = parse_controller("aimd(1, 0.8)").unwrap();
//! let settings = ControlSettings { initial_window: Window::from_packets(4.0), ..ControlSettings::default() };
//! let mut control = AnyController::new(&spec, &settings);
//! assert!(spec.properties().window && control.pacing_rate().is_none());
//!
//! // Two packets acknowledged for the first time while the window was full: slow start adds two.
//! let at = |millis| Time::ZERO + Span::from_millis(millis);
//! control.on_ack(&AckSample::classic(at(20), 2, Some(Span::from_millis(20)), true));
//! assert_eq!(control.window().packets(), 6.0);
//!
//! // Recovery finds the first loss of a window of data, which ended when 17 packets had been sent.
//! let window_of_data = WindowOfData::numbered(17);
//! control.on_congestion(&CongestionSignal { now: at(40), kind: Congestion::Loss, window_of_data });
//! assert_eq!(control.window().packets(), 3.0);
//! ```
//!
//! One that keeps a [`SentPacket`] per packet tells of those as well, if they are wanted, and fills in the whole [`AckSample`]:
//!
//! ```
//! use sawtooth_cc::units::{Bytes, Span, Time};
//! use sawtooth_cc::{AckSample, Controller, DeliveryRate, LostPacket, Recovery, RecoverySignal, RoundTripTimes, SentPacket};
//!
//! /// An acknowledgement of one packet, `packet`, which was `lost_packet` sent after.
//! fn acknowledge(control: &mut impl Controller, now: Time, packet: &SentPacket, lost_packet: &SentPacket) {
//!     let wants = control.wants();
//!     let lost = packet.lost + lost_packet.size;
//!     let delivered = packet.delivered + packet.size;
//!     if wants.packets {
//!         control.on_lost(&LostPacket { now, sent: *lost_packet, lost, delivered, continues: false });
//!     }
//!     let sending = packet.sent_at - packet.first_sent_at;
//!     let acknowledging = now - packet.delivered_at;
//!     let rate = DeliveryRate {
//!         delivered: delivered - packet.delivered,
//!         interval: sending.max(acknowledging),
//!         prior_delivered: packet.delivered,
//!         in_flight_at_sending: packet.in_flight,
//!         lost: lost - packet.lost,
//!         app_limited: packet.app_limited,
//!         reliable: true,
//!     };
//!     let rtt = now - packet.sent_at;
//!     control.on_recovery(&RecoverySignal { now, change: Recovery::Entered, in_flight: Bytes::ZERO });
//!     control.on_ack(&AckSample {
//!         now,
//!         newly_acked: 1,
//!         delivered,
//!         newly_delivered: packet.size,
//!         newly_lost: lost_packet.size,
//!         in_flight_before: packet.size + lost_packet.size,
//!         rtt: RoundTripTimes { latest: Some(rtt), minimum: Some(rtt), smoothed: Some(rtt), newest: Some(rtt) },
//!         rate: wants.rates.then_some(rate),
//!         in_recovery: true,
//!         cwnd_limited: true,
//!         ..AckSample::default()
//!     });
//!     if let Some(rate) = control.pacing_rate() {
//!         // The next packet may leave after its size over the rate; so many bytes at once:
//!         let _ = (packet.size / rate, control.send_quantum().max(packet.size));
//!     }
//! }
//!
//! # use sawtooth_cc::{AnyController, ControlSettings, parse_controller};
//! # let mut control = AnyController::new(&parse_controller("tcp").unwrap(), &ControlSettings::default());
//! # let packet = SentPacket { size: Bytes::new(1000), times_sent: 1, ..SentPacket::default() };
//! # acknowledge(&mut control, Time::ZERO + Span::from_millis(20), &packet, &packet);
//! # assert_eq!(control.window().packets(), 10.0, "nothing grows during recovery");
//! ```

pub mod conduct;
pub mod conformance;
pub mod constructor;
pub mod controller;
mod cut;
pub mod idle;
#[macro_use]
mod parameters;
pub mod plugin;
pub mod random;
pub mod rounds;
pub mod sample;
pub mod settings;
pub mod signal;
pub mod slow_start;
pub mod state;
#[macro_use]
mod table;
pub mod undo;
pub mod units;
pub mod windowed;
pub mod written;

use crate::units::{Bytes, Rate, Span, Time, Window};
use serde::{Deserialize, Serialize};

pub use conduct::Conduct;
pub use constructor::{ConstructorError, ConstructorInfo, ParameterInfo};
pub use controller::{Controller, Heard, Pace, PacingNews, Properties, Wants};
pub use cut::{Answer, Cut};
pub use idle::IdleRule;
use plugin::Guest;
pub use plugin::{PluginFault, PluginSpec, Plugins};
pub use random::{Random, RandomKey};
pub use rounds::{Rounds, Stepping};
pub use sample::{AckSample, DeliveryRate, LostPacket, RoundTripTimes, SentPacket};
pub use settings::{ControlSettings, TimeoutThreshold, UndoRule, WindowArithmetic};
pub use signal::{
    Congestion, CongestionSignal, IdleSignal, Recovery, RecoverySignal, UndoSignal, WindowOfData,
};
pub use slow_start::{SlowStart, SlowStartExit, SlowStartKind};
pub use state::{ControlState, Estimates, STATES};
pub use undo::Restored;
pub use windowed::{Law, Windowed};
pub use written::{check_controller, named_controller, parse_controller};

// A controller is a file and its line here; see `table`.
controllers! {
    CONTROLLERS {
        linear: LinearParams { a_i, b_i, a_d, b_d } => "linear" 1 Linear;
        fast_convergence: FastConvergenceParams { a, b, f } => "aimd-fc+" 1 FastConvergence;
        binomial: BinomialParams { k, l, a, b } => "binomial" 1 Binomial;
        simd: SimdParams { b } => "simd" 1 Simd;
        aild: AildParams { a, beta } => "aild" 1 Aild;
        two_step: TwoStepParams { a } => "two-step" 1 TwoStep;
        cubic: CubicParams {
            c, beta, fast_convergence, friendly, alpha_late, min_rtt_ahead, integer, fast_first, target_max
        } => "cubic" 1 Cubic with { slow_start_exit = "law", timeout_threshold = "law" };
        prague: PragueParams { g, rtt_virt, rounds, cubic, classic_ecn_fallback } => "prague" 2 Prague
            with { ecn = "l4s", slow_start_exit = "law" };
        dctcp: DctcpParams { g } => "dctcp" 2 Dctcp with { ecn = "accurate", slow_start_exit = "law" };
        vegas: VegasParams { alpha, beta, gamma } => "vegas" 1 Vegas;
        ledbat: LedbatParams { target, gain, filter, history } => "ledbat" 1 Ledbat;
        copa: CopaParams { delta, competitive, empty, empty_rounds, standing, min_rtt_len, step_max, pacing_gain } => "copa" 1 Copa
            with { slow_start_exit = "law" };
        bbr: BbrParams {
            startup_pacing_gain, drain_pacing_gain, probe_down_pacing_gain, probe_cruise_pacing_gain,
            probe_refill_pacing_gain, probe_up_pacing_gain, probe_rtt_pacing_gain, pacing_margin_percent,
            default_cwnd_gain, probe_up_cwnd_gain, probe_rtt_cwnd_gain, min_pipe_cwnd, full_bw_growth,
            full_bw_rounds, startup_full_loss_count, drain_rounds, loss_thresh, beta, headroom,
            max_bw_filter_len, extra_acked_filter_len, min_rtt_filter_len, probe_rtt_interval,
            probe_rtt_duration, probe_wait_base, probe_wait_spread, probe_wait_rounds, send_quantum_time,
            send_quantum_max, send_quantum_min, offload_quanta
        } => "bbr" 2 Bbr with { prr = "off", ecn = "off", idle = "keep" };
        bbr_1: Bbr1Params {
            startup_gain, drain_gain, probe_up_gain, probe_down_gain, cruise_gain, cwnd_gain, first_phases,
            pacing_margin_percent, min_pipe_cwnd, full_bw_growth, full_bw_rounds, bw_filter_len,
            min_rtt_filter_len, probe_rtt_duration, lt_interval_rounds, lt_loss_thresh, lt_bw_ratio, lt_bw_diff,
            lt_bw_rounds, extra_acked_gain, extra_acked_filter_len, extra_acked_max, send_quantum_time,
            send_quantum_max, send_quantum_min, slow_rate, offload_quanta
        } => "bbr-1" 1 Bbr1 with { prr = "off", ecn = "off", idle = "keep" };
    }
    RATE_CONTROLLERS {
        tfrc: TfrcParams { intervals, discount, damping } => "tfrc" 1 Tfrc, "tfrc-5348" 1 Tfrc5348;
        rap: RapParams { a, b, fine_grain, gain } => "rap" 1 Rap;
        nada: NadaParams {
            prio, rmin, rmax, xref, kappa, eta, tau, delta, logwin, qeps, dfilt, gamma_max, qbound, multiloss, qth,
            lambda, plrref, pmrref, dloss, dmark, fps, beta_s, beta_v, alpha, tau_v,
            k_d, k_b, scale_t, scale_b, xmax
        } => "nada" 1 Nada;
    }
}
