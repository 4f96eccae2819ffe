//! The smallest stack there is: a window that never changes, cumulative acknowledgements, and everything again after a timeout
//! (Go-Back-N). Every call goes through the interface in C.

use sawtooth_cc::Plugins;
use sawtooth_host::endpoints;
use sawtooth_plugin::{
    Codepoint, Endpoint, EndpointDescription, EndpointSettings, EndpointState, Parameter, endpoint,
};

/// Without progress for so long, everything is sent again.
pub const TIMEOUT_NS: u64 = 1_000_000_000;
/// An acknowledgement: what comes next, and how many marked datagrams came.
pub const ACK_BYTES: usize = 16;

/// One end.
pub struct FixedWindow {
    window: u64,
    datagram: usize,
    settings: EndpointSettings,
    /// The next datagram to send, and the first that has not been acknowledged; of a receiver, the first that it misses.
    next: u64,
    first: u64,
    limit: u64,
    offered: u64,
    more: bool,
    marked: u64,
    lost: u64,
    acks_due: u64,
    retry_at: Option<u64>,
    /// When the datagram was sent whose round trip is measured.
    timed: Option<(u64, u64)>,
    rtt_ns: u64,
}

impl Endpoint for FixedWindow {
    const DESCRIPTION: EndpointDescription = EndpointDescription {
        name: "toy-window",
        summary: "a window of w datagrams, whatever happens",
        source: "none",
        parameters: &[Parameter::new("w", "datagrams", Some(20.0), (1.0, 1e6), "the window").whole()],
        datagram_min: 100,
    };

    fn new(numbers: &[f64], settings: &EndpointSettings) -> Self {
        assert_ne!(settings.random, [0; 4], "each end has a number of its own");
        FixedWindow {
            window: numbers[0] as u64,
            datagram: settings.datagram as usize,
            settings: *settings,
            next: 0,
            first: 0,
            limit: 0,
            offered: 0,
            more: true,
            marked: 0,
            lost: 0,
            acks_due: 0,
            retry_at: None,
            timed: None,
            rtt_ns: sawtooth_plugin::NONE,
        }
    }

    fn begin(&mut self, now_ns: u64) {
        self.retry_at = Some(now_ns + TIMEOUT_NS);
    }

    /// Datagrams are full: what is left over of an offer goes with the next, or in one that is padded.
    fn offer(&mut self, _now_ns: u64, bytes: Option<u64>, more: bool) {
        self.offered = bytes.map_or(u64::MAX, |bytes| self.offered.saturating_add(bytes));
        self.limit = self.offered.div_ceil(self.datagram as u64);
        self.more = more;
    }

    fn stop(&mut self, _now_ns: u64) {
        (self.limit, self.more) = (self.next, false);
    }

    fn transmit(&mut self, now_ns: u64, datagram: &mut Vec<u8>) -> Option<Codepoint> {
        let capable = if self.settings.ecn { Codepoint::Ect0 } else { Codepoint::NotEct };
        if !self.settings.sends {
            self.acks_due = self.acks_due.checked_sub(1)?;
            datagram.extend(self.first.to_le_bytes());
            datagram.extend(self.marked.to_le_bytes());
            return Some(Codepoint::NotEct);
        }
        if self.next >= self.limit || self.next - self.first >= self.window {
            return None;
        }
        datagram.extend(self.next.to_le_bytes());
        datagram.resize(self.datagram, 0);
        self.timed = self.timed.or(Some((self.next, now_ns)));
        self.next += 1;
        Some(capable)
    }

    fn receive(&mut self, now_ns: u64, codepoint: Codepoint, datagram: &[u8]) {
        let number = u64::from_le_bytes(datagram[..8].try_into().expect("eight bytes"));
        if !self.settings.sends {
            assert_eq!(datagram.len(), self.datagram);
            self.marked += u64::from(codepoint == Codepoint::Ce);
            self.first += u64::from(number == self.first);
            self.acks_due += 1;
            return;
        }
        assert_eq!(datagram.len(), ACK_BYTES);
        self.marked = u64::from_le_bytes(datagram[8..].try_into().expect("eight bytes"));
        if number > self.first {
            self.first = number;
            self.next = self.next.max(number);
            self.retry_at = Some(now_ns + TIMEOUT_NS);
        }
        if let Some((timed, sent)) = self.timed.filter(|(timed, _)| *timed < number) {
            self.rtt_ns = now_ns - sent;
            self.timed = self.timed.filter(|(other, _)| *other != timed);
        }
    }

    fn deadline(&mut self) -> Option<u64> {
        self.retry_at
    }

    fn on_deadline(&mut self, now_ns: u64) {
        self.lost += u64::from(self.next > self.first);
        (self.next, self.timed) = (self.first, None);
        self.retry_at = Some(now_ns + TIMEOUT_NS);
    }

    fn state(&mut self) -> EndpointState {
        EndpointState {
            window: self.window * self.datagram as u64,
            rtt_ns: self.rtt_ns,
            lost_packets: self.lost,
            congestion_events: self.marked,
            delivered: self.first * self.datagram as u64,
            finished: self.settings.sends && !self.more && self.first >= self.limit,
        }
    }
}

/// These endpoints, as if they came from a file.
pub fn from(described: &[fn() -> sawtooth_plugin::endpoint_abi::Endpoint]) -> Plugins {
    let mut found = Plugins::default();
    for plugin in unsafe { endpoints(endpoint::offered(described), "00ff") }.expect("a complete description")
    {
        found.add(plugin).expect("a name of its own");
    }
    found
}

/// `toy(window)`, of 20 datagrams, and `toy-window(w)`.
pub fn toy() -> Plugins {
    from(&[endpoint::exported::<FixedWindow>])
}
