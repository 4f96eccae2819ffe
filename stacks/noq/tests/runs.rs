//! Whole endpoints of noq-proto over our network.

#[path = "../../common/runs.rs"]
mod runs;

use noq::sawtooth_endpoints;

#[test]
fn ten_repetitions_have_the_same_digest() {
    runs::the_same_ten_times(sawtooth_endpoints(), &["noq(newreno)", "noq(cubic)", "noq(bbr3)"]);
}

#[test]
fn its_newreno_and_its_cubic_do_what_ours_do() {
    runs::held_against_ours(
        sawtooth_endpoints(),
        &[("noq(newreno)", "aimd(1, 0.5)"), ("noq(cubic)", "cubic")],
    );
}

#[test]
fn marks_are_heeded() {
    runs::heeds_marks(sawtooth_endpoints(), &["noq(newreno)", "noq(cubic)"]);
}

#[test]
fn what_is_read_was_carried() {
    runs::what_is_read_was_carried(sawtooth_endpoints(), &["noq(newreno)", "noq(cubic)"]);
}
