//! How quinn-proto is called where its relatives differ.

use bytes::{Bytes, BytesMut};
pub use quinn_proto as proto;
use quinn_proto::{
    Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, PathStats, SendStream, ServerConfig,
    Transmit,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

pub fn endpoint(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(config, server, false, None)
}

pub fn poll_transmit(connection: &mut Connection, now: Instant, datagram: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(now, 1, datagram)
}

pub fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    ecn: Option<EcnCodepoint>,
    datagram: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, from, None, ecn, datagram, answer)
}

/// Write a portion; so many bytes of it were taken.
pub fn write(stream: &mut SendStream<'_>, portion: Bytes) -> usize {
    stream.write_chunks(&mut [portion]).map_or(0, |written| written.bytes)
}

pub fn path(connection: &mut Connection) -> PathStats {
    connection.stats().path
}
