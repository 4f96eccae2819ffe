//! What RACK does most of the time: there is nothing to repair or to wait for, and an acknowledgement tells of new data alone.
//!
//! It comes to the same as the way of all other acknowledgements in `rack`, which is spared. An acknowledgement of one packet has a way
//! of its own (`LossRecovery::take_alone`), and leaves the bases of the empty sets behind. They follow before anything is remembered.
//! Source: RFC 8985.

use super::Rack;
use super::detection::News;
use crate::tcp::prr::Delivery;
use crate::tcp::recovery::{
    Acknowledgement, Connection, LossRecovery, RecoveryUpdate, SendState, acknowledge,
};
use crate::tcp::timers::Timer;
use sawtooth_cc::units::Time;

impl Rack {
    /// There is nothing to repair or to wait for, and this acknowledgement tells of new data alone.
    #[inline]
    pub(super) fn is_calm(&self, ack: &Acknowledgement<'_>, sent: &SendState) -> bool {
        ack.details.is_none() && ack.cumulative > sent.una && self.is_calm_itself()
    }

    /// There is nothing to repair or to wait for.
    #[inline(always)]
    pub(super) fn is_calm_itself(&self) -> bool {
        self.is_open() && self.tail.is_idle() && self.reordering_at.is_none()
    }

    /// What all is delivered.
    fn take_in_calmly(&mut self, cumulative: u32, connection: &Connection<'_>) {
        let mut news = News::default();
        for number in connection.sent.una..cumulative {
            let earlier = self.timestamps && number + 1 == cumulative;
            self.detection.on_delivered(&mut news, connection.sending(number), earlier, connection.now);
        }
        if self.detection.conclude(&news, connection.now) {
            self.tail.note_sample();
        }
    }

    /// What [`Rack::on_ack`] comes to where all is calm.
    #[inline]
    pub(super) fn on_calm_ack(&mut self, cumulative: u32, connection: &mut Connection<'_>) -> RecoveryUpdate {
        self.take_in_calmly(cumulative, connection);
        self.forget_below(cumulative);
        let newly_acked = acknowledge(cumulative, connection.sent);
        let mut update = RecoveryUpdate { newly_acked, restart_timer: true, ..RecoveryUpdate::default() };
        self.detection.adapt(cumulative, connection.sent.next, false, false);
        self.delivery = Some(Delivery { packets: newly_acked, advances: true, tells_of_loss: false });
        if self.detection.overtakes(|sending| connection.flies(sending.number, sending.times)) {
            let lost_again = self.detect_overtaken(connection);
            self.begin_if_lost(lost_again, connection, &mut update);
            connection.set_timer(Timer::Reordering, self.reordering_at.unwrap_or(Time::NEVER));
        }
        update
    }

    /// What has been acknowledged alone is forgotten, before anything is remembered: nothing was kept of it.
    #[inline(always)]
    pub(super) fn catch_up(&mut self, una: u32) {
        if self.is_behind {
            self.forget_below(una);
        }
    }

    fn forget_below(&mut self, una: u32) {
        self.is_behind = false;
        self.sacked.advance(una);
        self.lost.advance(una);
        self.episode.forget_below(una);
    }
}
