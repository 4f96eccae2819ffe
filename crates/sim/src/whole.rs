//! Flows whose ends are protocol stacks from outside: each end is told the time and what arrives, and its datagrams are packets of ours.
//!
//! What the sending end lets go is data and what the other lets go are acknowledgements, from the first datagram of the handshake on, so
//! queues, impairments and counters treat them like those of TCP. A packet is two words; its bytes wait at the end that sent it ([`flight`])
//! until it arrives or is dropped. Its size is that of the datagram and the headers of UDP and IP.
//!
//! | what is counted        | as                                                                                           |
//! |------------------------|----------------------------------------------------------------------------------------------|
//! | packets delivered      | data that the receiving application has read in order, in packets of the flow's size          |
//! | packets retransmitted  | packets that the stack declared lost: what they carried goes again in others                 |
//! | loss events            | times at which the stack answered losses or marks                                            |
//! | round trips            | the stack's smoothed round trip, at each datagram that comes back                            |
//!
//! Its application offers everything at the start, a number of packets or data without end, or what a schedule says. A flow is finished
//! when its stack says that all of it has been acknowledged; its time counts from the first datagram of the handshake.
//!
//! What a stack does not tell is 0 here, and the flow's record says so ([`sender::Untold`]). Timeouts, tail probes and undone cuts are told
//! by none.

pub mod flight;
pub mod receiver;
pub mod sender;

use crate::packet::{CE, ECT, Packet};
use crate::scenario::Profile;
use sawtooth_cc::RandomKey;
use sawtooth_cc::plugin::endpoint::{Codepoint, EndSettings};
use sawtooth_cc::units::Bytes;

/// The headers of UDP (RFC 768) and IPv4 (RFC 791) without options, in bytes.
pub const HEADERS: u16 = 8 + 20;

/// The TCP settings that mean something to such a flow.
pub const SETTINGS: &[&str] = &["initial_window", "ecn"];

/// What one end is made with.
fn settings(flow: u32, sends: bool, profile: &Profile, random: RandomKey) -> EndSettings {
    let datagram = datagram(profile);
    let initial_window = profile.tcp.initial_window * datagram as f64;
    EndSettings {
        flow,
        sends,
        ecn: profile.tcp.ecn.echoes(),
        datagram: Bytes::new(datagram),
        initial_window: Bytes::new(initial_window as u64),
        random,
    }
}

/// The largest datagram in packets of this size.
pub fn datagram(profile: &Profile) -> u64 {
    u64::from(profile.packet_bytes.saturating_sub(HEADERS))
}

/// The size of a packet with a datagram of so many bytes.
fn packet_bytes(length: usize) -> u16 {
    length as u16 + HEADERS
}

/// The flags that stand for a codepoint, where packets may be ECN-capable.
fn flags(codepoint: Codepoint, capable: bool) -> u16 {
    if capable && codepoint == Codepoint::Ect0 { ECT } else { 0 }
}

/// The codepoint with which a packet arrives.
pub fn codepoint(packet: Packet) -> Codepoint {
    if packet.has(CE) {
        Codepoint::Ce
    } else if packet.has(ECT) {
        Codepoint::Ect0
    } else {
        Codepoint::NotEct
    }
}
