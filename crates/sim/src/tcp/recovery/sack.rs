//! SACK recovery: scoreboard and pipe.
//!
//! Source: RFC 6675 §5 over RFC 2018. Recovery begins with the third duplicate acknowledgement, or when the scoreboard says that the
//! first outstanding packet is lost. The first hole is retransmitted at once, then lost packets and new data as `pipe` allows. Recovery
//! ends when everything sent before it is acknowledged.
//!
//! | parameter        | unit   | default      | why                                                     |
//! |------------------|--------|--------------|---------------------------------------------------------|
//! | limited_transmit | flag   | true         | RFC 6675 §5 step 3.3, RFC 3042                          |
//! | sack_pipe        | choice | conservative | [FallFloyd96] with a scoreboard; RFC 6675 §5 allows less than its `pipe` does |
//! | sack_timeout     | choice | resend       | ns-2's `Sack1`; `skip` is RFC 6675 §5.1                 |
//! | prr              | choice | off          | [`crate::tcp::prr`]; with it `pipe` is that of RFC 6675  |
//!
//! `sack_pipe = "rfc6675"` takes lost packets out of `pipe` as soon as they are known to be lost. After a drop-tail queue has
//! overflowed, that sends two packets for each that arrives: the queue overflows again, retransmissions are lost and the timer must
//! expire. `"conservative"` keeps a lost packet in `pipe` until its retransmission is acknowledged (all but the first, which fast
//! retransmit replaces at once), so no acknowledgement of an arrived packet sends more than one. This is packet conservation, the bound
//! that RFC 6937 later added to RFC 6675. `"counted"` is the estimate of [FallFloyd96] itself: it starts at the packets sent less
//! three, falls by one for every acknowledgement and by another for one that advances, and rises by one for every packet sent. It
//! ignores what was SACKed before the third duplicate, so a recovery that closely follows another sends less, as with ns-2's `Sack1`.
//!
//! A timeout forgets the blocks (RFC 2018 §8), counts everything outstanding as lost and fills the holes in order while slow start
//! runs. No new recovery starts before everything sent before the timeout is acknowledged. `sack_timeout = "resend"` ignores blocks
//! until then, so everything is sent again, packets that have arrived included. What these uncover is acknowledged at once and releases
//! a window in one burst. It is the default because ns-2 does so; the difference decides results behind DRR, where most of a window is
//! dropped at once. `"skip"` passes over packets SACKed since the timeout (RFC 6675 §5.1).
//!
//! Differs from ns-2's `Sack1`: that counts acknowledgements instead of deriving `pipe` from the
//! scoreboard (`"counted"` does as well), and retransmits holes with fewer than three SACKed packets above.

use super::{
    About, Acknowledgement, Connection, DUPLICATE_ACKS, LossEvent, LossRecovery, RecoveryUpdate, SendState,
    Transmission, acknowledge,
};
use crate::ack_details::SackBlock;
use crate::scenario::TcpSpec;
use crate::tcp::flight::Sending;
use crate::tcp::prr::{Delivery, FlightAtEntry, Prr};
use crate::tcp::scoreboard::{Finding, Scoreboard};
use prefetch_index::prefetch_index;
use serde::{Deserialize, Serialize};
use std::slice::from_ref;

/// What it says about itself.
pub const ABOUT: About = About {
    aliases: &[],
    title: "SACK",
    summary: "selective acknowledgements, scoreboard and pipe; it repairs many holes per round trip",
    source: "RFC 2018; RFC 6675",
    behaviour: 1,
    own_settings: &["sack_pipe", "sack_timeout", "prr"],
    ignores: &[],
    defaults: &[],
};

/// What `pipe` makes of lost packets during fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SackPipe {
    /// They stay in it until their retransmission is acknowledged.
    #[default]
    Conservative,
    /// They leave it when they are known to be lost.
    Rfc6675,
    /// Acknowledgements and transmissions are counted, without regard to which packets they are of.
    Counted,
}

/// What goes again after a timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SackTimeout {
    /// What has not been SACKed since.
    Skip,
    /// Everything.
    #[default]
    Resend,
}

/// SACK recovery.
#[derive(Clone, Debug)]
pub struct Sack {
    limited_transmit: bool,
    pipe: SackPipe,
    after_timeout: SackTimeout,
    /// Blocks do not count until the recovery point is acknowledged.
    resending: bool,
    board: Scoreboard,
    duplicates: u32,
    recovering: bool,
    /// `RecoveryPoint`: no new recovery begins below.
    recovery_point: u32,
    /// The first hole must go, whatever `pipe` says.
    retransmit: bool,
    rescued: bool,
    /// `pipe` where it is counted.
    counted: u32,
    prr: Prr,
    /// What the last acknowledgement delivered, until the reduction has heard of it.
    delivery: Option<Delivery>,
}

impl Sack {
    /// No loss seen yet.
    pub fn new(tcp: &TcpSpec) -> Self {
        Sack {
            limited_transmit: tcp.limited_transmit,
            pipe: tcp.sack_pipe,
            after_timeout: tcp.sack_timeout,
            resending: false,
            board: Scoreboard::default(),
            duplicates: 0,
            recovering: false,
            recovery_point: 0,
            retransmit: false,
            rescued: false,
            counted: 0,
            prr: Prr::new(tcp.prr),
            delivery: None,
        }
    }

    fn should_begin(&self, sent: &SendState) -> bool {
        let evidence = self.duplicates >= DUPLICATE_ACKS || self.board.first_is_lost();
        !self.recovering && sent.una >= self.recovery_point && evidence
    }

    /// What a cumulative acknowledgement delivers that no block had.
    fn delivered_by(&self, cumulative: u32, una: u32) -> Delivery {
        let known = (una..cumulative).filter(|&number| self.board.is_sacked(number)).count() as u32;
        Delivery { packets: cumulative - una - known, advances: cumulative > una, tells_of_loss: false }
    }

    fn again(&mut self, number: u32) -> Option<Transmission> {
        self.counted += 1;
        self.board.note_retransmission(number);
        Some(Transmission { number, again: true })
    }

    /// Blocks arrived: update the scoreboard, count duplicates, begin a recovery if there is evidence.
    fn on_blocks(
        &mut self,
        blocks: &[SackBlock],
        connection: &mut Connection<'_>,
        update: &mut RecoveryUpdate,
    ) {
        // RFC 6675 §2: a duplicate is an acknowledgement that SACKs something new and moves nothing else.
        let mut losses = 0;
        let news = self.board.sack(blocks, connection.sent.high, |number, finding| match finding {
            Finding::Arrived => connection.deliver(number),
            Finding::Lost => {
                losses += 1;
                connection.lose(number);
            }
        });
        if let Some(delivery) = &mut self.delivery {
            delivery.packets += news;
            delivery.tells_of_loss = losses > 0;
        }
        if update.newly_acked == 0 && news > 0 {
            self.duplicates += 1;
        }
        if self.should_begin(connection.sent) {
            connection.lose(connection.sent.una);
            let sent = &*connection.sent;
            self.recovering = true;
            self.recovery_point = sent.high;
            self.retransmit = !self.prr.is_on();
            self.prr.begin(FlightAtEntry {
                outstanding: sent.high - sent.una,
                sacked: self.board.sacked(),
                delivered: self.delivery.map_or(0, |delivery| delivery.packets),
            });
            self.rescued = false;
            self.board.begin_recovery();
            self.counted = (sent.high - sent.una).saturating_sub(self.duplicates.max(DUPLICATE_ACKS));
            update.loss_event = Some(LossEvent::Repair);
            update.restart_timer = true;
        }
    }
}

impl LossRecovery for Sack {
    #[inline]
    fn on_ack(&mut self, ack: &Acknowledgement<'_>, connection: &mut Connection<'_>) -> RecoveryUpdate {
        let (cumulative, sent) = (ack.cumulative, &mut *connection.sent);
        self.board.acknowledge(sent.una); // a lean sender does not tell
        let mut update = RecoveryUpdate::default();
        if self.prr.is_on() {
            self.delivery = Some(self.delivered_by(cumulative, sent.una));
        }
        self.counted = self.counted.saturating_sub(1 + u32::from(cumulative > sent.una));
        if cumulative > sent.una {
            update.newly_acked = acknowledge(cumulative, sent);
            update.restart_timer = true;
            self.board.acknowledge(cumulative);
            self.duplicates = 0;
            if cumulative >= self.recovery_point {
                update.recovered = self.recovering;
                self.recovering = false;
                self.prr.end();
                self.resending = false;
            }
        }
        if !ack.blocks.is_empty() && !self.resending {
            self.on_blocks(ack.blocks, connection, &mut update);
        }
        update
    }

    fn on_timeout(&mut self, connection: &mut Connection<'_>) {
        let sent = &*connection.sent;
        self.recovering = false;
        self.prr.end();
        self.resending = self.after_timeout == SackTimeout::Resend;
        self.retransmit = false;
        self.duplicates = 0;
        self.recovery_point = sent.high;
        self.board.acknowledge(sent.una);
        self.board.all_lost(sent.high);
        connection.lose_all();
    }

    fn on_sent(&mut self, _sending: Sending, _connection: &mut Connection<'_>) {
        self.prr.on_sent();
    }

    fn on_window(&mut self, connection: &mut Connection<'_>, window: u32) {
        if let Some(delivery) = self.delivery.take() {
            let in_flight = self.flight(connection.sent);
            self.prr.on_delivery(delivery, in_flight, window);
        }
    }

    fn keeps_records(&self) -> bool {
        self.prr.is_on()
    }

    #[inline]
    fn in_recovery(&self) -> bool {
        self.recovering
    }

    fn is_open(&self) -> bool {
        self.board.is_quiet() && !self.recovering && !self.retransmit && self.duplicates == 0
    }

    #[inline]
    fn flight(&self, sent: &SendState) -> u32 {
        if self.recovering && self.pipe == SackPipe::Counted && !self.prr.is_on() {
            return self.counted;
        }
        let pipe = self.board.pipe(sent.una, sent.high);
        if self.recovering && self.pipe == SackPipe::Conservative && !self.prr.is_on() {
            pipe + self.board.lost().saturating_sub(1)
        } else {
            pipe
        }
    }

    #[inline]
    fn next(&mut self, connection: &mut Connection<'_>, window: u32) -> Option<Transmission> {
        let sent = &mut *connection.sent;
        if self.retransmit {
            self.retransmit = false;
            let first = self.board.next_lost().and_then(|number| self.again(number));
            self.counted -= u32::from(first.is_some()); // it takes the place of the one that was lost
            return first;
        }
        let waits_for_third = self.duplicates > 0 && !self.recovering && !self.limited_transmit;
        let flight = if waits_for_third { sent.next - sent.una } else { self.flight(sent) };
        if flight >= self.prr.window().unwrap_or(window) {
            return None;
        }
        if let Some(number) = self.board.next_lost() {
            return self.again(number);
        }
        if sent.may_send_next() {
            self.counted += 1;
            return Some(sent.advance());
        }
        if !self.recovering {
            return None;
        }
        if let Some(number) = self.board.next_hole() {
            return self.again(number);
        }
        // Rule 4 of NextSeg: once per recovery the last packet, so that its acknowledgement reveals the rest.
        if !self.rescued && sent.high > sent.una && !self.board.is_sacked(sent.high - 1) {
            self.rescued = true;
            return Some(Transmission { number: sent.high - 1, again: true });
        }
        None
    }

    #[inline(always)]
    fn prefetch(&self) {
        prefetch_index(from_ref(&self.duplicates), 0);
        self.board.prefetch();
    }
}
