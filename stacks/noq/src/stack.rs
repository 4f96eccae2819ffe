//! How noq-proto is called where its relatives differ.

use bytes::{Bytes, BytesMut};
pub use noq_proto as proto;
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use noq_proto::{
    Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple, PathId, SendStream,
    ServerConfig, Transmit, crypto,
};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a path says of itself.
pub struct Path {
    pub cwnd: u64,
    pub rtt: Duration,
    pub lost_packets: u64,
    pub congestion_events: u64,
}

const SUITE: &str = "TLS 1.3 with the suite of initial packets";

pub fn client_crypto(config: rustls::ClientConfig) -> Arc<dyn crypto::ClientConfig> {
    Arc::new(QuicClientConfig::try_from(config).expect(SUITE))
}

pub fn server_crypto(config: rustls::ServerConfig) -> Arc<dyn crypto::ServerConfig> {
    Arc::new(QuicServerConfig::try_from(config).expect(SUITE))
}

pub fn endpoint(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(config, server, false)
}

pub fn poll_transmit(connection: &mut Connection, now: Instant, datagram: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(now, NonZeroUsize::MIN, datagram)
}

pub fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    ecn: Option<EcnCodepoint>,
    datagram: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::new(from, None), ecn, datagram, answer)
}

/// Write a portion; so many bytes of it were taken.
pub fn write(stream: &mut SendStream<'_>, portion: Bytes) -> usize {
    stream.write_chunks(&mut &mut [portion][..]).unwrap_or(0)
}

pub fn path(connection: &mut Connection) -> Path {
    let path = connection.path_stats(PathId::ZERO).expect("a connection has its first path");
    Path {
        cwnd: path.cwnd,
        rtt: path.rtt,
        lost_packets: path.lost_packets,
        congestion_events: path.congestion_events,
    }
}
