//! From a [`Side`](crate::side::Side) with a controller to an endpoint of Sawtooth. This file is part of every plug-in of a QUIC stack.

/// Endpoints of a stack: a type, its name, its summary, and the configuration of its controllers.
macro_rules! endpoints {
    ($($type:ident = $name:literal, $summary:literal, $config:ty;)*) => {
        $(#[doc = $summary]
        pub struct $type($crate::side::Side);

        impl sawtooth_plugin::Endpoint for $type {
            const DESCRIPTION: sawtooth_plugin::EndpointDescription = sawtooth_plugin::EndpointDescription {
                name: concat!($name, env!("CHANGE")),
                summary: $summary,
                source: env!("STACK"),
                parameters: &[],
                datagram_min: 1200, // RFC 9000 §14
            };

            fn new(_numbers: &[f64], settings: &sawtooth_plugin::EndpointSettings) -> Self {
                let mut config = <$config>::default();
                config.initial_window(settings.initial_window);
                $type($crate::side::Side::new(std::sync::Arc::new(config), settings))
            }

            fn begin(&mut self, now_ns: u64) {
                self.0.begin(now_ns);
            }

            fn offer(&mut self, _now_ns: u64, bytes: Option<u64>, more: bool) {
                self.0.offer(bytes, more);
            }

            fn stop(&mut self, _now_ns: u64) {
                self.0.stop();
            }

            fn transmit(&mut self, now_ns: u64, datagram: &mut Vec<u8>) -> Option<sawtooth_plugin::Codepoint> {
                self.0.transmit(now_ns, datagram)
            }

            fn receive(&mut self, now_ns: u64, codepoint: sawtooth_plugin::Codepoint, datagram: &[u8]) {
                self.0.receive(now_ns, codepoint, datagram);
            }

            fn deadline(&mut self) -> Option<u64> {
                self.0.deadline()
            }

            fn on_deadline(&mut self, now_ns: u64) {
                self.0.on_deadline(now_ns);
            }

            fn state(&mut self) -> sawtooth_plugin::EndpointState {
                self.0.state()
            }
        })*

        sawtooth_plugin::export_endpoint!($($type),*);
    };
}

pub(crate) use endpoints;
