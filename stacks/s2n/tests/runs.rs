//! Controllers of s2n-quic-core over our transport and network.

#[path = "../../common/runs.rs"]
#[expect(dead_code, reason = "what our transport carries has none of a stack's headers")]
mod runs;

use s2n::sawtooth_plugin;

#[test]
fn ten_repetitions_have_the_same_digest() {
    runs::the_same_ten_times(sawtooth_plugin(), &["s2n(cubic)", "s2n(bbr)"]);
}

/// Its BBR goes by the share of packets that are marked, and was told of one packet in each round trip.
#[test]
fn marks_are_counted() {
    runs::heeds_marks(sawtooth_plugin(), &["s2n(cubic)", "s2n(bbr)"]);
}

#[test]
fn its_cubic_does_what_ours_does() {
    runs::held_against_ours(sawtooth_plugin(), &[("s2n(cubic)", "cubic")]);
}
