//! Packets that a pacer lets go and that leave when somebody looks (`ahead`): sent late, with the time at which they should have left.
//!
//! With an event of its own, such a packet costs two changes among the events more than one that an acknowledgement lets go. But most
//! acknowledgements come soon enough after the pacer has opened. So whatever happens to a sender first sends what is overdue, each
//! packet with its own time. One event, put off like that of the retransmission timer, sees to it that none reaches the end of its
//! first link before it was sent.

use super::Network;
use crate::ahead::{Ahead, Order};
use crate::event::Moment;
use crate::scenario::Scenario;
use crate::topology::{FIRST_PASSAGE, NO_LANE, Place, Topology};
use crate::transport::Transport;
use sawtooth_cc::units::Time;

/// By link, how often it stands on a route.
fn users(scenario: &Scenario) -> Vec<u32> {
    let mut users = vec![0; scenario.links.len()];
    let of_flows = scenario.flows.iter().flat_map(|flow| flow.forward.iter().chain(&flow.reverse));
    let of_sources = scenario.sources.iter().flat_map(|source| &source.route);
    of_flows.chain(of_sources).for_each(|&link| users[link as usize] += 1);
    users
}

impl Network {
    /// Have those senders send late that may, and whose packets wait behind their first link in a lane of their own.
    pub(super) fn let_send_late(&mut self, scenario: &Scenario, order: Order) {
        let ahead = Ahead::new(scenario, order);
        let users = users(scenario);
        // Where nothing is done ahead there are passages instead of lanes. The same senders are asked first, so the lanes decide here too.
        let in_turn = (order == Order::InTurn).then(|| Topology::new(scenario, Order::Ahead));
        for (side, flow) in self.senders.iter_mut().zip(&scenario.flows) {
            let alone = users[flow.forward[0] as usize] == 1;
            let stages = in_turn.as_ref().map_or(&self.stages, |topology| &topology.stages);
            let stage = stages[side.route as usize];
            let own_lane = alone && stage.lane() < FIRST_PASSAGE && stage.spare() == NO_LANE;
            if let (Place::Link(link), Transport::Tcp(sender), true) =
                (stage.place(), &mut side.sender, own_lane)
                && sender.is_paced()
                && !self.links[link as usize].is_impaired
                && let Some(lateness) = ahead.sends_late(flow)
            {
                sender.pace_late(lateness);
            }
        }
    }

    /// Something happens to a sender now: what its pacer has let go before leaves first.
    pub(super) fn send_overdue(&mut self, flow: u32, now: Moment) {
        if let Transport::Tcp(sender) = &mut self.senders[flow as usize].sender
            && let Some(opened) = sender.take_pacing(now)
        {
            self.send_late(flow, opened, now);
            self.arm_timer(flow);
        }
    }

    /// The same for all senders.
    pub(super) fn send_all_overdue(&mut self, now: Moment) {
        (0..self.senders.len() as u32).for_each(|flow| self.send_overdue(flow, now));
    }

    /// The first packet that is overdue leaves as at the time when the pacer let it go, and so do those that follow. Whoever called sees to
    /// the timer.
    #[inline(never)]
    pub(super) fn send_late(&mut self, flow: u32, mut opened: Time, now: Moment) {
        loop {
            self.send_in_full(flow, opened);
            let Some(next) = self.tcp(flow).take_pacing(now) else { return };
            opened = next;
        }
    }
}
