//! What the interface of recoveries gives to one that goes by time: records, round trips, timers of its own, and a withdrawal.
//!
//! No recovery of the table uses all of it, so a small one stands here. It calls a packet lost when something sent later has been there
//! for a while, takes that back when the acknowledgement comes sooner than any round trip after the retransmission, and
//! probes when nothing is heard. It is no model of RACK (RFC 8985), which does all three with more care.

use sawtooth_cc::units::{Bytes, Span, Time, Window};
use sawtooth_cc::{
    AckSample, Congestion, CongestionSignal, Controller, LostPacket, Recovery, RecoverySignal, UndoSignal,
    Wants,
};
use sawtooth_sim::ack_details::{AckDetails, SackBlock};
use sawtooth_sim::packet::Packet;
use sawtooth_sim::scenario::{FlowSpec, Profile, TcpSpec};
use sawtooth_sim::tcp::flight::Sending;
use sawtooth_sim::tcp::recovery::{
    Acknowledgement, Connection, LossEvent, LossRecovery, RecoveryUpdate, SendState, Transmission,
    acknowledge,
};
use sawtooth_sim::tcp::sender::Sender;
use sawtooth_sim::tcp::timers::Timer;
use std::cell::RefCell;
use std::rc::Rc;

type Log = Rc<RefCell<Vec<String>>>;

/// How long something sent later may have been there before a packet is called lost.
const PATIENCE: Span = Span::from_millis(10);

struct ByTime {
    log: Log,
    recovering: bool,
    again: Option<u32>,
}

impl LossRecovery for ByTime {
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let now = connection.now;
        for block in ack.blocks {
            (block.start..block.end).for_each(|number| connection.deliver(number));
        }
        if !ack.blocks.is_empty() && !self.recovering {
            connection.set_timer(Timer::Reordering, now + PATIENCE);
        }
        connection.set_timer(Timer::Probe, Time::NEVER);
        if ack.cumulative <= connection.sent.una {
            return RecoveryUpdate::default();
        }
        let first = connection.packet(connection.sent.una).expect("it has been sent");
        let least = connection.rtt.minimum().expect("the handshake gave one");
        let spurious = first.times_sent > 1 && now - first.sent_at < least;
        let newly_acked = acknowledge(ack.cumulative, connection.sent);
        connection.set_timer(Timer::Reordering, Time::NEVER);
        let recovered = std::mem::take(&mut self.recovering);
        RecoveryUpdate { newly_acked, recovered, restart_timer: true, spurious, ..RecoveryUpdate::default() }
    }

    fn on_timeout(&mut self, connection: &mut Connection<'_>) {
        connection.lose_all();
        connection.sent.next = connection.sent.una;
    }

    fn on_timer(&mut self, timer: Timer, connection: &mut Connection<'_>) -> RecoveryUpdate {
        self.log.borrow_mut().push(format!("{timer:?}"));
        let una = connection.sent.una;
        match timer {
            Timer::Reordering => {
                connection.lose(una);
                (self.again, self.recovering) = (Some(una), true);
                RecoveryUpdate {
                    loss_event: Some(LossEvent::Repair),
                    restart_timer: true,
                    ..RecoveryUpdate::default()
                }
            }
            Timer::Probe => {
                self.again = Some(connection.sent.high - 1);
                RecoveryUpdate::default()
            }
        }
    }

    fn on_sent(&mut self, sending: Sending, connection: &mut Connection<'_>) {
        let srtt = connection.rtt.srtt().expect("the handshake gave one");
        connection.set_timer(Timer::Probe, sending.at + srtt + srtt);
    }

    fn in_recovery(&self) -> bool {
        self.recovering
    }

    fn is_open(&self) -> bool {
        false
    }

    fn flight(&self, sent: &SendState) -> u32 {
        sent.high - sent.una
    }

    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission> {
        if let Some(number) = self.again.take() {
            return Some(Transmission { number, again: true });
        }
        let sent = &mut *connection.sent;
        (sent.may_send_next() && sent.high - sent.una < window).then(|| sent.advance())
    }

    fn keeps_records(&self) -> bool {
        true
    }
}

/// Half of the window on congestion, all of it back when that is withdrawn.
struct Halved {
    log: Log,
    window: f64,
    before: f64,
}

impl Controller for Halved {
    fn wants(&self) -> Wants {
        Wants { packets: true, recovery: true, ..Wants::NOTHING }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.log.borrow_mut().push(format!("ack of {}", ack.newly_delivered.count()));
    }

    fn on_lost(&mut self, packet: &LostPacket) {
        let (lost, times) = (packet.lost.count(), packet.sent.times_sent);
        self.log.borrow_mut().push(format!("lost {lost}, sent {times} times"));
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        (self.before, self.window) = (self.window, self.window / 2.0);
        self.log.borrow_mut().push(format!("{:?}", signal.kind));
    }

    fn on_undo(&mut self, signal: &UndoSignal) {
        assert_eq!(signal.kind, Congestion::Loss);
        self.window = self.before;
        self.log.borrow_mut().push(format!("undo with {} in flight", signal.in_flight.count()));
    }

    fn on_recovery(&mut self, signal: &RecoverySignal) {
        self.log.borrow_mut().push(format!("{:?}", signal.change));
        assert!(signal.change == Recovery::Left || signal.in_flight < Bytes::new(4_000));
    }

    fn window(&self) -> Window {
        Window::from_packets(self.window)
    }

    fn slow_start_threshold(&self) -> Window {
        Window::from_packets(2.0)
    }
}

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

/// A sender with a window of four packets, established after 100 ms; its log.
fn sender() -> (Sender<Halved, ByTime>, Log) {
    let log = Log::default();
    let profile = Profile {
        controller: sawtooth_cc::parse_controller("aimd(1, 0.5)").expect("a controller of the table"),
        recovery: None,
        packet_bytes: 1_000,
        ack_bytes: 40,
        send_jitter_ns: 0,
        tcp: TcpSpec::default(),
    };
    let flow = FlowSpec {
        profile: 0,
        test: true,
        in_profile: false,
        forward: Vec::new(),
        reverse: Vec::new(),
        start_ns: 0,
        stop_ns: None,
        packets: None,
        supply: Vec::new(),
        frame_deadline_ns: None,
    };
    let control = |_: &_| Halved { log: Rc::clone(&log), window: 4.0, before: 0.0 };
    let recovery = ByTime { log: Rc::clone(&log), recovering: false, again: None };
    let mut sender = Sender::joined(0, &flow, &profile, None, control, recovery);
    sender.syn(at(0));
    sender.on_syn_ack(at(100));
    (sender, log)
}

fn sent(sender: &mut Sender<Halved, ByTime>, now: Time) -> Vec<u32> {
    std::iter::from_fn(|| sender.next_packet(now)).map(Packet::number).collect()
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.borrow_mut())
}

/// The receiver misses 0 and holds what comes behind it up to here.
fn holding(end: u32) -> AckDetails {
    AckDetails::new([SackBlock { start: 1, end }; 3], 1, 0)
}

#[test]
fn the_earliest_of_several_timers_runs_out_and_reaches_who_set_it() {
    let (mut sender, log) = sender();
    assert_eq!(sent(&mut sender, at(100)), [0, 1, 2, 3]);
    // The timer of retransmission says SRTT + 4 · SRTT/2 = 300 ms, the probe two round trips.
    assert_eq!(sender.deadline(), at(300));
    sender.on_ack(0, Some((&holding(2)).into()), false, at(210));
    assert_eq!(sender.deadline(), at(220), "reordering comes before retransmission");
    assert_eq!(taken(&log), ["ack of 1000"]);
    let cut = sender.on_deadline(at(220)).expect("the SYN has been answered").expect("a cut");
    assert_eq!((cut.kind, cut.before), (Congestion::Loss, Window::from_packets(4.0)));
    assert_eq!(taken(&log), ["Reordering", "lost 1000, sent 1 times", "Loss", "Entered"]);
    assert_eq!(sent(&mut sender, at(220)), [0]);
    // Sending set the probe again; the retransmission timer was restarted at 220 ms and says 520 ms.
    assert_eq!(sender.deadline(), at(420));
    assert_eq!(sender.on_deadline(at(420)), Ok(None));
    assert_eq!(taken(&log), ["Probe"]);
    assert_eq!(sent(&mut sender, at(420)), [3]);
    let timeout = sender.on_deadline(at(520)).expect("the SYN has been answered").expect("a cut");
    assert_eq!(timeout.kind, Congestion::Timeout { repeated: false });
    // 1 has arrived; 0, 2 and 3 are in flight and lost now: four losses with the first.
    let lost = ["lost 2000, sent 2 times", "lost 3000, sent 1 times", "lost 4000, sent 2 times"];
    assert_eq!(taken(&log), [&lost[..], &["Timeout { repeated: false }"]].concat());
}

#[test]
fn what_was_spurious_is_taken_back() {
    let (mut sender, log) = sender();
    sent(&mut sender, at(100));
    sender.on_ack(0, Some((&holding(4)).into()), false, at(210));
    sender.on_deadline(at(220)).expect("the SYN has been answered");
    assert_eq!(sent(&mut sender, at(220)), [0]);
    assert_eq!(sender.window(), Window::from_packets(2.0));
    taken(&log);
    // 0 was late, not lost: it is acknowledged 5 ms after it was sent again, and no round trip takes less than 100 ms.
    sender.on_ack(4, None, false, at(225));
    assert_eq!(taken(&log), ["undo with 0 in flight", "ack of 1000", "Left"]);
    assert_eq!(sender.window(), Window::from_packets(4.0));
    assert_eq!(sent(&mut sender, at(225)), [4, 5, 6, 7]);
    // Nothing is withdrawn twice.
    sender.on_ack(5, None, false, at(325));
    assert_eq!(taken(&log), ["ack of 1000"]);
}
