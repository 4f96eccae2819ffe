//! CUBIC and BBR of s2n-quic-core as controllers of Sawtooth: `s2n-cubic` and `s2n-bbr`.
//!
//! Source: crate `s2n-quic-core`, whose version stands in `stacks/Cargo.toml`; its controllers are used as they are, but in the builds of
//! `make stacks-causes`. What a stack tells them is made here of what Sawtooth tells.
//!
//! | s2n-quic hears               | made of                                                                          |
//! |------------------------------|----------------------------------------------------------------------------------|
//! | packet sent                  | `on_sent`, with the application's limit                                          |
//! | round trip, acknowledgement  | `on_ack`: the newest packet acknowledged was sent its round trip ago              |
//! | packet lost                  | `on_lost`; the signal of a loss says nothing more                                 |
//! | explicit congestion          | the marks that `on_ack` counts; where none are counted (RFC 3168), one a signal  |
//! | persistent congestion        | that signal, and a timeout, which QUIC has not                                    |
//!
//! Differs from the stack: losses are told before the acknowledgement that shows them, and not after it. Its pacer decides when packets
//! leave; here that is the transport's, at the rate that BBR says and at the transport's own for CUBIC. Times are cut to microseconds, as
//! the stack has them. Nothing is undone: the stack does not.

mod stack;

use s2n_quic_core::path::Config;
use s2n_quic_core::recovery::congestion_controller::{Endpoint, PathInfo};
use s2n_quic_core::recovery::{bbr, cubic};
use sawtooth_plugin::{Ack, Congestion, Controller, Description, Packet, Settings, Wants, export_controller};
use stack::Stack;

const WANTS: Wants = Wants { packets: true, rates: true, rounds: false, recovery: true };

/// A controller of an endpoint, for packets of the flow's size and its initial window.
fn controller<E: Endpoint>(mut endpoint: E, settings: &Settings) -> E::CongestionController {
    let address = s2n_quic_core::inet::SocketAddress::default();
    let config = Config::default();
    let mut path = PathInfo::new(&config, &address);
    path.max_datagram_size = u16::try_from(settings.packet).expect("a datagram of less than 64 kB");
    endpoint.new_congestion_controller(path)
}

fn initial_window(settings: &Settings) -> u32 {
    (settings.initial_window * settings.packet as f64) as u32
}

macro_rules! controllers {
    ($($name:ident($inner:ty) = $text:literal, $summary:literal, paces $paces:literal, $builder:expr;)*) => {
        $(#[doc = $summary]
        #[derive(Clone)]
        pub struct $name(Stack<$inner>);

        impl Controller for $name {
            const DESCRIPTION: Description = Description {
                name: concat!($text, env!("CHANGE")),
                summary: $summary,
                source: env!("STACK"),
                wants: WANTS,
                paces: $paces,
                draws: true,
                ..Description::NOTHING
            };

            fn new(_numbers: &[f64], settings: &Settings) -> Self {
                let endpoint = $builder.with_initial_congestion_window(initial_window(settings)).build();
                $name(Stack::new(controller(endpoint, settings), settings))
            }

            fn on_ack(&mut self, ack: &Ack) {
                self.0.on_ack(ack);
            }

            fn on_congestion(&mut self, signal: &Congestion) {
                self.0.on_congestion(signal);
            }

            fn on_sent(&mut self, packet: &Packet) {
                self.0.on_sent(packet);
            }

            fn on_lost(&mut self, now_ns: u64, packet: &Packet, _lost: u64) {
                self.0.on_lost(now_ns, packet);
            }

            fn window(&self) -> f64 {
                self.0.window()
            }

            fn pacing_rate(&self) -> Option<f64> {
                if $paces { self.0.pacing_rate() } else { None }
            }

            fn send_quantum(&self) -> u64 {
                self.0.send_quantum()
            }
        })*
    };
}

controllers! {
    Cubic(s2n_quic_core::recovery::CubicCongestionController) =
        "s2n-cubic", "CUBIC of s2n-quic-core, with its hybrid slow start", paces false, cubic::builder::Builder::default();
    Bbr(bbr::BbrCongestionController) =
        "s2n-bbr", "BBR of s2n-quic-core", paces true, bbr::builder::Builder::default();
}

export_controller!(Cubic, Bbr);
