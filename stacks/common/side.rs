//! One end of a connection of a QUIC stack that does no input or output of its own: quinn-proto, or its relative noq-proto. This file is
//! part of both plug-ins; where the stacks differ stands in `stack` of each.
//!
//! | setting                 | value                       | why                                                                        |
//! |-------------------------|-----------------------------|----------------------------------------------------------------------------|
//! | datagram                | that of the flow, no search | its packets have one size                                                  |
//! | segmentation offload    | off, one datagram at a time | each datagram is a packet                                                  |
//! | receive windows         | 4 GiB                       | the path limits, not the receiver                                          |
//! | send window             | 16 MiB                      | finite, and more than any path here holds                                  |
//! | idle timeout            | none                        | a flow without acknowledgements is a flow                                  |
//! | tokens, session tickets | none                        | nobody comes back                                                          |
//!
//! All else is the stack's default: acknowledgements of every second packet or after 25 ms, its pacer, its loss recovery.

use crate::stack::{self, proto};
use bytes::{Bytes, BytesMut};
use proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, EndpointConfig,
    Event, ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt,
};
use quic::{entropy, identity};
use sawtooth_plugin::{Codepoint, EndpointSettings, EndpointState, NONE};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What may be sent and not yet acknowledged.
const SEND_WINDOW: u64 = 16 << 20;
/// What an application writes at once.
const PORTION: usize = 64 << 10;

static ZEROS: [u8; PORTION] = [0; PORTION];

/// Makes controllers.
pub type Factory = Arc<dyn proto::congestion::ControllerFactory + Send + Sync>;

/// Makes controllers whose random numbers begin with a seed.
struct Seeded {
    inner: Factory,
    seed: u64,
}

impl proto::congestion::ControllerFactory for Seeded {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn proto::congestion::Controller> {
        entropy::seeded(self.seed, || self.inner.clone().build(now, mtu))
    }
}

const SUITE: &str = "TLS 1.3 with the suite of initial packets";

/// One end.
pub struct Side {
    endpoint: Endpoint,
    /// Of the end that sends, how it opens its connection.
    client: Option<ClientConfig>,
    connection: Option<(ConnectionHandle, Connection)>,
    /// What the stack sends beside its connection.
    beside: VecDeque<Vec<u8>>,
    stream: Option<StreamId>,
    /// What its application has still to write; `None`: data without end.
    owed: Option<u64>,
    /// Its application will offer more.
    more: bool,
    /// The stream has its end.
    ended: bool,
    /// The other end has everything.
    finished: bool,
    connected: bool,
    delivered: u64,
    ecn: bool,
    /// The instant at which virtual time begins.
    epoch: Instant,
}

fn address(last: u8) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)), 4433)
}

fn transport(factory: Factory, settings: &EndpointSettings) -> Arc<TransportConfig> {
    let datagram = u16::try_from(settings.datagram).expect("a datagram of less than 64 kB");
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(Arc::new(Seeded { inner: factory, seed: settings.random[1] }))
        .mtu_discovery_config(None)
        .initial_mtu(datagram)
        .min_mtu(datagram)
        .enable_segmentation_offload(false)
        .receive_window(VarInt::from_u32(u32::MAX))
        .stream_receive_window(VarInt::from_u32(u32::MAX))
        .send_window(SEND_WINDOW)
        .max_idle_timeout(None);
    Arc::new(config)
}

impl Side {
    /// One end before anything is sent.
    pub fn new(factory: Factory, settings: &EndpointSettings) -> Self {
        entropy::seeded(settings.random[0], || {
            let mut config = EndpointConfig::default();
            config.rng_seed(Some(seed(settings)));
            let datagram = u16::try_from(settings.datagram).expect("a datagram of less than 64 kB");
            config.max_udp_payload_size(datagram).expect("at least 1200 bytes");
            let transport = transport(factory, settings);
            let (client, server) = if settings.sends {
                let crypto = QuicClientConfig::try_from(identity::client()).expect(SUITE);
                let mut client = ClientConfig::new(Arc::new(crypto));
                client.transport_config(transport);
                (Some(client), None)
            } else {
                let crypto = QuicServerConfig::try_from(identity::server()).expect(SUITE);
                let mut server = ServerConfig::with_crypto(Arc::new(crypto));
                server.transport_config(transport);
                let mut tokens = proto::ValidationTokenConfig::default();
                tokens.sent(0);
                server.validation_token_config(tokens);
                (None, Some(Arc::new(server)))
            };
            Side {
                endpoint: stack::endpoint(Arc::new(config), server),
                client,
                connection: None,
                beside: VecDeque::new(),
                stream: None,
                owed: Some(0),
                more: true,
                ended: false,
                finished: false,
                connected: false,
                delivered: 0,
                ecn: settings.ecn,
                epoch: Instant::now(),
            }
        })
    }

    fn instant(&self, now_ns: u64) -> Instant {
        self.epoch + Duration::from_nanos(now_ns)
    }

    /// Open the connection.
    pub fn begin(&mut self, now_ns: u64) {
        let (now, config) =
            (self.instant(now_ns), self.client.take().expect("the end that sends begins, once"));
        let opened = self.endpoint.connect(now, config, address(2), identity::NAME);
        self.connection = Some(opened.expect("an address and a name"));
    }

    /// Offer so many bytes more, or data without end.
    pub fn offer(&mut self, bytes: Option<u64>, more: bool) {
        self.owed = self.owed.and_then(|owed| bytes.map(|bytes| owed + bytes));
        self.more = more;
        self.write();
    }

    /// Offer no more data.
    pub fn stop(&mut self) {
        (self.owed, self.more) = (Some(0), false);
        self.write();
    }

    /// The next datagram to send.
    pub fn transmit(&mut self, now_ns: u64, datagram: &mut Vec<u8>) -> Option<Codepoint> {
        if let Some(beside) = self.beside.pop_front() {
            datagram.extend(beside);
            return Some(Codepoint::NotEct);
        }
        let now = self.instant(now_ns);
        let (_, connection) = self.connection.as_mut()?;
        let transmit = stack::poll_transmit(connection, now, datagram)?;
        let capable = self.ecn && transmit.ecn == Some(EcnCodepoint::Ect0);
        self.follow();
        Some(if capable { Codepoint::Ect0 } else { Codepoint::NotEct })
    }

    /// A datagram of the other end.
    pub fn receive(&mut self, now_ns: u64, codepoint: Codepoint, datagram: &[u8]) {
        let now = self.instant(now_ns);
        let from = address(if self.client.is_some() || self.delivers() { 1 } else { 2 });
        let ecn = EcnCodepoint::from_bits(codepoint.bits());
        let mut answer = Vec::new();
        match stack::handle(&mut self.endpoint, now, from, ecn, BytesMut::from(datagram), &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, now, &mut answer, None) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(error) => panic!("the connection was not accepted: {:?}", error.cause),
                }
            }
            Some(DatagramEvent::Response(transmit)) => {
                answer.truncate(transmit.size);
                self.beside.push_back(answer);
            }
            None => {}
        }
        self.follow();
    }

    /// Is it the end that answers?
    fn delivers(&self) -> bool {
        self.connection.as_ref().is_none_or(|(_, connection)| connection.side().is_server())
    }

    /// When to be called.
    pub fn deadline(&mut self) -> Option<u64> {
        let (_, connection) = self.connection.as_mut()?;
        let at = connection.poll_timeout()?;
        Some(at.saturating_duration_since(self.epoch).as_nanos() as u64)
    }

    /// A deadline has come.
    pub fn on_deadline(&mut self, now_ns: u64) {
        let now = self.instant(now_ns);
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(now);
        }
        self.follow();
    }

    /// What the connection has to tell its endpoint and its application.
    fn follow(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => self.connected = true,
                Event::ConnectionLost { reason } => panic!("the connection was lost: {reason}"),
                Event::Stream(StreamEvent::Finished { .. }) => self.finished = true,
                Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                    self.stream = connection.streams().accept(Dir::Uni);
                }
                _ => {}
            }
        }
        if connection.side().is_client() {
            self.write();
        } else {
            self.read();
        }
    }

    /// The application writes whatever it has and the connection takes.
    fn write(&mut self) {
        let Some((_, connection)) = self.connection.as_mut().filter(|_| self.connected && !self.ended) else {
            return;
        };
        if self.stream.is_none() {
            self.stream = connection.streams().open(Dir::Uni);
        }
        let Some(stream) = self.stream else { return };
        while self.owed != Some(0) {
            let portion = self.owed.map_or(PORTION, |owed| owed.min(PORTION as u64) as usize);
            let written =
                stack::write(&mut connection.send_stream(stream), Bytes::from_static(&ZEROS[..portion]));
            self.owed = self.owed.map(|owed| owed - written as u64);
            if written < portion {
                return;
            }
        }
        if !self.more {
            self.ended = true;
            let _ = connection.send_stream(stream).finish(); // it fails if the other end wants no more, which ends it as well
        }
    }

    /// The application reads whatever has come in order.
    fn read(&mut self) {
        let (Some(stream), Some((_, connection))) = (self.stream, &mut self.connection) else { return };
        let mut receiving = connection.recv_stream(stream);
        let Ok(mut chunks) = receiving.read(true) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.delivered += chunk.bytes.len() as u64;
        }
        let _ = chunks.finalize(); // what it wants to send is asked for anyway
    }

    /// What the stack says of itself.
    pub fn state(&mut self) -> EndpointState {
        let told =
            EndpointState { delivered: self.delivered, finished: self.finished, ..EndpointState::NOTHING };
        let Some((_, connection)) = &mut self.connection else { return told };
        let path = stack::path(connection);
        let rtt_ns = if self.connected { path.rtt.as_nanos() as u64 } else { NONE };
        EndpointState {
            window: path.cwnd,
            rtt_ns,
            lost_packets: path.lost_packets,
            congestion_events: path.congestion_events,
            ..told
        }
    }
}

fn seed(settings: &EndpointSettings) -> [u8; 32] {
    let mut seed = [0; 32];
    for (part, word) in seed.chunks_mut(8).zip(settings.random) {
        part.copy_from_slice(&word.to_le_bytes());
    }
    seed
}
