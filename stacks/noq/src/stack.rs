//! How noq-proto is called where its relatives differ.

use bytes::{Bytes, BytesMut};
pub use noq_proto as proto;
use noq_proto::{
    Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple, PathId, PathStats,
    SendStream, ServerConfig, Transmit,
};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

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

pub fn path(connection: &mut Connection) -> PathStats {
    connection.path_stats(PathId::ZERO).expect("a connection has its first path")
}
