//! What the endpoints of every QUIC stack here need beside the stack: an identity for TLS, and random numbers of a seed.

pub mod entropy;
pub mod identity;
