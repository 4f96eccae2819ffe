//! The controller interface, for every controller of the table: what a law does not want costs it nothing and changes nothing.
//!
//! A transport spares itself the calls that a controller does not want. That is sound only if such a call would not have changed
//! anything, and if the samples of a transport that measures everything say the same to it as the lean ones.

use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{
    AckSample, AnyController, CONTROLLERS, Congestion, ControlSettings, Controller, DeliveryRate, IdleRule,
    IdleSignal, LostPacket, Pace, PacingNews, Recovery, RecoverySignal, RoundTripTimes, SentPacket,
    UndoSignal, Wants, WindowOfData,
};

const NOW: Time = Time::from_nanos(1_000_000);
const PACKET: SentPacket = SentPacket {
    sent_at: NOW,
    size: Bytes::new(1000),
    delivered: Bytes::new(5000),
    delivered_at: NOW,
    first_sent_at: Time::ZERO,
    in_flight: Bytes::new(9000),
    lost: Bytes::ZERO,
    app_limited: false,
    times_sent: 1,
};

/// A controller of each constructor, in slow start and past it.
fn controllers() -> Vec<(&'static str, AnyController)> {
    controllers_with(IdleRule::default())
}

fn controllers_with(idle: IdleRule) -> Vec<(&'static str, AnyController)> {
    let mut all = Vec::new();
    for row in CONTROLLERS {
        let values: Vec<f64> =
            row.parameters.iter().map(|p| p.default.unwrap_or(1.1).clamp(p.min, p.max)).collect();
        let spec = row.with_values(&values).expect("values inside their intervals");
        for threshold in [None, Some(Window::from_packets(2.0))] {
            let settings = ControlSettings {
                initial_window: Window::from_packets(12.0),
                initial_threshold: threshold,
                random: row.properties().random.then_some([7; 32]),
                idle,
                ..ControlSettings::default()
            };
            all.push((row.name, AnyController::new(&spec, &settings)));
        }
    }
    all
}

/// Everything that a controller knows.
fn state(control: &AnyController) -> String {
    format!("{control:?}")
}

/// What a transport with records gives where a lean one gives `classic`.
fn measured(classic: &AckSample) -> AckSample {
    AckSample {
        ce_marked: 1,
        delivered: Bytes::new(6000),
        newly_delivered: Bytes::new(1000),
        newly_lost: Bytes::new(1000),
        in_flight_before: Bytes::new(9000),
        in_flight_after: Bytes::new(7000),
        rtt: RoundTripTimes {
            minimum: Some(Span::from_millis(9)),
            smoothed: Some(Span::from_millis(11)),
            newest: Some(Span::from_millis(10)),
            ..classic.rtt
        },
        rate: Some(DeliveryRate {
            delivered: Bytes::new(5000),
            interval: Span::from_millis(10),
            prior_delivered: Bytes::new(1000),
            in_flight_at_sending: Bytes::new(9000),
            lost: Bytes::new(1000),
            app_limited: false,
            reliable: true,
        }),
        round_ended: true,
        ..*classic
    }
}

#[test]
fn a_call_that_is_not_wanted_changes_nothing() {
    for (name, mut control) in controllers() {
        let (before, wants) = (state(&control), control.wants());
        if !wants.packets {
            control.on_sent(&PACKET);
            control.on_lost(&LostPacket {
                now: NOW,
                sent: PACKET,
                lost: PACKET.size,
                ..LostPacket::default()
            });
            assert_eq!(state(&control), before, "{name}");
        }
        if !wants.recovery {
            for change in [Recovery::Entered, Recovery::Left] {
                control.on_recovery(&RecoverySignal { now: NOW, change, in_flight: Bytes::new(9000) });
                assert_eq!(state(&control), before, "{name}");
            }
            let classic = AckSample::classic(NOW, 1, None, true);
            control.on_ack(&AckSample { in_recovery: true, ..measured(&classic) });
            assert_eq!(state(&control), before, "{name}");
        }
    }
}

#[test]
fn a_sample_says_no_more_than_is_wanted() {
    for (name, lean) in controllers().into_iter().filter(|(_, control)| control.wants() == Wants::NOTHING) {
        let (mut lean, mut full) = (lean.clone(), lean);
        for cwnd_limited in [true, false, true] {
            let classic = AckSample::classic(NOW, 2, Some(Span::from_millis(10)), cwnd_limited);
            lean.on_ack(&classic);
            full.on_ack(&measured(&classic));
            assert_eq!(state(&lean), state(&full), "{name}");
        }
    }
}

/// Acknowledgements at a rate that grows and shrinks, every tenth of them the end of a round, some with losses.
fn acknowledgements() -> impl Iterator<Item = AckSample> {
    (1..300u64).map(|step| {
        let now = Time::from_nanos(1_000_000 * step);
        let classic = AckSample::classic(now, 1, Some(Span::from_millis(10)), step % 3 > 0);
        let full = measured(&classic);
        let delivered = Bytes::new(1000 * (1 + step % 37));
        let rate = full.rate.map(|rate| DeliveryRate {
            delivered,
            prior_delivered: Bytes::new(1000 * step.saturating_sub(10)),
            lost: Bytes::new(1000 * (step % 7 / 6)),
            ..rate
        });
        AckSample { rate, delivered: Bytes::new(1000 * step), round_ended: step % 10 == 0, ..full }
    })
}

#[test]
fn what_is_asked_in_one_call_is_what_is_asked_one_by_one() {
    let mut seen = Vec::new();
    for idle in [IdleRule::Keep, IdleRule::Rfc7661] {
        for (name, mut control) in controllers_with(idle) {
            control.on_established(NOW, Some(Span::from_millis(10)));
            let mut asked = control.pace();
            for ack in acknowledgements() {
                let mut other = control.clone();
                other.on_ack(&ack);
                let heard = control.take_ack(&ack);
                assert_eq!(state(&control), state(&other), "{name}");
                assert_eq!((heard.window, heard.threshold), (other.window(), other.slow_start_threshold()));
                assert_eq!(heard.application_limited, other.mark_application_limited(), "{name}");
                let mut check = |news: PacingNews, control: &AnyController| {
                    let Pace { rate, quantum } = control.pace();
                    match news {
                        PacingNews::Ask => {}
                        PacingNews::Same => {
                            assert_eq!((rate, quantum), (asked.rate, asked.quantum), "{name}")
                        }
                        PacingNews::NoRate => assert_eq!((rate, quantum), (None, Bytes::ZERO), "{name}"),
                    }
                    asked = Pace { rate, quantum };
                    seen.push(news);
                };
                check(heard.pacing, &control);
                if control.wants().packets {
                    other.on_sent(&PACKET);
                    let (window, news) = control.take_sent(&PACKET);
                    assert_eq!((state(&control), window), (state(&other), other.window()), "{name}");
                    check(news, &control);
                }
            }
        }
    }
    for news in [PacingNews::Ask, PacingNews::Same, PacingNews::NoRate] {
        assert!(seen.contains(&news), "{news:?}");
    }
}

#[test]
fn laws_from_before_2004_want_nothing_and_answer_with_a_window_alone() {
    const CLASSIC: [&str; 16] = [
        "aimd", "aiad", "mimd", "miad", "tcp", "linear", "aimad", "maimd", "aimd-fc", "aimd-fc+", "binomial",
        "iiad", "sqrt", "simd", "aild", "two-step",
    ];
    let classic: Vec<_> = controllers().into_iter().filter(|(name, _)| CLASSIC.contains(name)).collect();
    assert_eq!(classic.len(), 2 * CLASSIC.len());
    for (name, mut control) in classic {
        assert_eq!(control.wants(), Wants::NOTHING, "{name}");
        assert_eq!(control.pacing_rate(), None, "{name}");
        assert_eq!(control.send_quantum(), Bytes::ZERO, "{name}");
        assert!(!control.mark_application_limited(), "{name}");
        let before = state(&control);
        control.on_established(NOW, Some(Span::from_millis(10)));
        let (kind, window_of_data) = (Congestion::Loss, WindowOfData::numbered(3));
        let in_flight = Bytes::new(9000);
        control.on_undo(&UndoSignal {
            now: NOW,
            kind,
            window_of_data,
            in_flight,
            newly_delivered: Bytes::ZERO,
        });
        control.on_idle(&IdleSignal { now: NOW, since: Time::ZERO, timeout: Span::ZERO });
        assert_eq!(state(&control), before, "{name}");
    }
}

#[test]
fn a_window_that_is_not_what_limits_does_not_grow() {
    for (name, mut control) in controllers() {
        let before = control.window();
        control.on_established(Time::ZERO, None);
        control.on_ack(&AckSample::classic(NOW, 1, None, false));
        assert_eq!(control.window(), before, "{name}");
    }
}

#[test]
fn a_controller_is_small() {
    let bytes = size_of::<AnyController>();
    assert!(bytes <= 80, "{bytes} bytes: keep what a law remembers beside these elsewhere, in a box");
}
