//! The sender, one behaviour a script: `scripts/<scenario>.script` says what arrives and what must follow.
//!
//! The language is described in `script.rs`. What a script expects is reasoned from the RFC that it
//! cites, for recoveries, DCTCP and Prague, and for TFRC and RAP; a script that fails says file, line, what was expected and what came.
//! Controllers with a model of the path have scenarios instead: the cases of their draft, in `studies/bbr`.

use crate::script;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}

fn check(name: &str) {
    let path = folder().join(format!("{name}.script"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if let Err(mistake) = script::play(&format!("tests/scripts/{name}.script"), &text) {
        panic!("{mistake}");
    }
}

/// One test per script, and a test that no script is forgotten.
macro_rules! scripts {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_script_is_listed() {
            let listed: BTreeSet<String> = [$(stringify!($name)),*].map(str::to_owned).into();
            let files = std::fs::read_dir(folder()).expect("the folder of scripts is readable");
            let found: BTreeSet<String> = files
                .map(|entry| entry.expect("a directory entry is readable").path())
                .map(|path| path.file_stem().expect("a script has a name").to_string_lossy().into_owned())
                .collect();
            assert_eq!(listed, found);
        }
    };
}

scripts! {
    slow_start_adds_one_per_packet
    congestion_avoidance_adds_one_per_window
    stretch_acks_count_two_in_slow_start
    stretch_acks_count_whole_in_congestion_avoidance

    fast_retransmit_4pkt_reno
    fast_retransmit_4pkt_newreno
    fast_retransmit_4pkt_sack
    fast_retransmit_4pkt_tahoe
    limited_transmit_off_reno
    limited_transmit_off_sack
    hystart_plus_plus_slows_down
    hystart_train_ends_slow_start
    hystart_train_alone
    hystart_delay_alone
    slow_start_exit_half
    slow_start_exit_law
    dctcp_cuts_by_the_averaged_share
    prague_marks_and_losses_cut_differently
    loss_applies_the_law_once_per_window

    reno_leaves_on_the_first_new_ack
    reno_recover_test_blocks_a_second_fast_retransmit
    reno_without_recover_test_cuts_twice

    newreno_partial_ack_repairs_the_next_hole
    newreno_partial_ack_deflates_whole
    newreno_partial_acks_restart_the_timer_once
    newreno_each_recovery_restarts_the_timer_anew

    sack_three_holes_conservative
    sack_three_holes_rfc6675
    sack_timeout_resend
    sack_counted_pipe_knows_no_packets
    sack_one_ack_reveals_three_packets
    sack_ack_without_news_is_no_duplicate
    sack_holes_go_when_there_is_no_new_data
    sack_lost_retransmission_waits_for_the_timer
    sack_after_timeout_skips_what_arrives

    prr_one_loss_spreads_the_cut
    prr_fifteen_losses
    prr_rfc6937_slow_start_bound
    prr_rfc6937_conservative_bound

    rack_example_of_the_rfc
    rack_late_by_a_tenth
    rack_probe_of_new_data
    rack_probe_repairs_the_tail
    rack_probe_was_not_needed
    rack_lost_probe
    rack_probe_waits_for_a_delayed_acknowledgement
    rack_lost_retransmission
    rack_late_by_a_quarter
    rack_late_by_half
    rack_late_by_seven_tenths_without_timestamps
    rack_late_by_one_and_a_half
    rack_late_by_seven_tenths
    rack_undo_linux
    rack_undo_of_reno_keeps_the_cut
    rack_undo_linux_after_a_timeout
    rack_first_reordering_was_sent_again
    rack_first_reordering_widens_the_window_of_linux
    rack_tail_probe_off
    rack_probe_allows_for_an_unknown_receiver
    rack_timers_in_steps
    rack_window_that_is_not_full
    rack_window_twice_what_was_in_flight
    rack_window_of_an_application_stays
    ecn_reduction_is_spread_with_prr_marks
    frto_spurious_timeout
    frto_true_timeout
    frto_everything_acknowledged
    frto_without_new_data
    eifel_spurious_timeout
    eifel_needed_retransmission

    quic_packet_threshold
    quic_time_threshold
    quic_time_threshold_takes_the_longer_round_trip
    quic_late_by_a_tenth
    quic_probe_waits_for_a_delayed_acknowledgement
    quic_probe_where_nothing_is_delayed
    quic_probe_of_new_data
    quic_delay_of_an_acknowledgement
    quic_only_the_largest_gives_a_round_trip
    quic_persistent_congestion
    quic_no_persistent_congestion_around_an_arrival
    quic_loss_in_the_tail
    quic_lost_probe
    quic_lost_retransmission
    quic_reduces_once_per_round_trip
    quic_spurious_loss
    quic_one_of_two_losses_is_spurious
    quic_late_packet_is_not_sent_again
    quic_marks_reduce_once_per_round_trip
    quic_counted_marks_stop_no_growth_and_hide_no_loss
    quic_paced_at_five_quarters_of_a_window
    quic_least_window
    quic_lost_syn
    quic_copies_of_acknowledged_data

    tahoe_goes_back_to_the_first_hole
    tahoe_recover_test_blocks_a_second_fast_retransmit
    tahoe_law_gives_the_threshold
    tahoe_mark_cuts_without_slow_start
    tahoe_fast_convergence_returns_to_its_window

    timeout_backs_off_and_a_sample_ends_it
    timeout_never_waits_longer_than_the_maximum
    timeout_goes_back_to_the_first_hole
    timeout_threshold_half
    timeout_threshold_law
    timeout_twice_keeps_the_threshold
    timeout_without_cut
    timeout_point_blocks_fast_retransmit
    sack_no_recovery_below_the_timeout_point
    limited_transmit_resends_after_a_timeout
    timer_restarts_with_each_new_ack
    karns_rule
    karns_rule_spans_a_repair
    rtt_of_every_packet
    rtt_of_every_packet_by_karns_rule
    rto_linux_at_a_round_trip_of_min_rto

    syn_loss_starts_with_one_packet_and_three_seconds

    ecn_echo_in_recovery_is_ignored
    ecn_echo_in_slow_start_halves
    ecn_echo_after_a_timeout_cuts_nothing_more
    ecn_loss_of_the_same_window_is_repaired_without_a_cut
    ecn_reduces_once_per_window
    ecn_counts_reduce_once_per_window
    ecn_retransmissions_are_not_capable
    ecn_l4s_retransmissions_are_capable

    told_packets_lost_and_sent_again
    told_timeout_loses_everything
    pacing_in_slow_start
    pacing_in_congestion_avoidance
    pacing_and_too_little_data
    pacing_holds_retransmissions
    receive_window_limits
    finite_flow_finishes
    stop_ends_new_data_only
    supply_limits_and_idles
    supply_ends_with_stop

    tfrc_slow_start_doubles_up_to_twice_what_was_received
    tfrc_reports_within_a_round_trip_double_once
    tfrc_follows_the_equation_up_to_twice_what_was_received
    tfrc_silence_halves_the_rate
    tfrc_5348_begins_with_a_window_per_round_trip
    tfrc_5348_never_slower_than_its_first_rate_in_slow_start
    tfrc_mark_is_a_reduction
    tfrc_lost_syn_begins_blind
    paced_stop_ends_everything
    rap_step_adds_a_packet_per_round_trip
    rap_loss_halves_the_rate_once_per_flight
    rap_mark_halves_the_rate_once_per_flight
    rap_lost_acknowledgements_are_no_losses
    rap_packet_times_out_by_itself
    rap_silence_cuts_again_and_again
    rap_lost_syn_and_first_packets
}

#[test]
fn a_mistake_in_a_script_is_told_with_its_line() {
    let check = |text: &str, expected: &str| {
        let open = "0.000 syn\nexpect syn\n0.100 syn-ack\nexpect send 0-9\n";
        let mistake = script::play("a.script", &format!("{open}{text}\n")).expect_err(text);
        assert!(mistake.starts_with("a.script:") && mistake.contains(expected), "{text}: {mistake}");
    };
    check("0.200 ack 1", "5: the sender sends send 10, which no line expects");
    check("0.200 ack 1\nexpect send 11", "6: expected packet send 11, found send 10");
    check("expect send 10", "5: expected send 10, but the sender sends nothing");
    check("0.200 stop\nexpect window 9 + 1/2", "6: expected window 9.5, found 10");
    check("0.050 ack 1", "5: 0.050 lies before the line above");
    check("0.500 ack 1", "5: the timer ran out at 0.400: expected a line `0.400 expect timeout` before");
    check("0.300 expect timeout", "5: expected a timeout at 0.300, but the timer says 0.400");
    check("0.200 ack 11", "5: 0 is acknowledged and 10 not sent yet");
    check("0.200 sack 1 3-2", "`3-2`: a range goes upward");
    check("0.200 sack 1 9-9 7-7 5-5 3-3", "4 blocks");
    check("0.200 nack 1", "`nack 1`: no such input");
    check("expect miracles 3", "`expect miracles 3`: no such expectation");
    check("ack 1", "`ack 1`: expected `set");
    check("set min_rto 1", "`set` stands before `syn`");
    let before = |text: &str, expected: &str| {
        let mistake = script::play("a.script", text).expect_err(text);
        assert_eq!(mistake, format!("a.script:1: {expected}"));
    };
    before("set minimum 1", "`minimum` is no setting");
    before("set min_rto soon", "`soon`: expected seconds, with up to nine decimals");
    before("0.1 ack 0", "there is no sender before `syn`");
    let paced = |text: &str, expected: &str| {
        let open = "set controller rap\n0.000 syn\nexpect syn\n0.100 syn-ack\nexpect send 0\n";
        let mistake = script::play("a.script", &format!("{open}{text}\n")).expect_err(text);
        assert!(mistake.starts_with("a.script:6: ") && mistake.contains(expected), "{text}: {mistake}");
    };
    paced("0.300 arrived 0", "something is due at 0.200: expected a line before");
    paced("0.150 expect send 1", "expected something due at 0.150, but the clock says 0.200");
    paced("0.200 expect timeout", "nothing is overdue");
    paced("0.150 arrived 0 ran 3", "`ran 3`: expected run or hole");
    paced("0.150 ack 1", "`ack 1`: no such input");
    paced("set controller tfrc", "`set` stands before `syn`");
}
