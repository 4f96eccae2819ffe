//! Lanes of acknowledgements whose senders share nothing with others on their way to the next lane.
//!
//! What such a sender does upon an acknowledgement is heard of by nobody before its packets are in that next lane, and the lane gets
//! them in order, since nobody else's are in it. So the acknowledgements may be handled ahead of their time (`ahead`).

use super::{FIRST_PASSAGE, NO_LANE, Place, Stage, StageIndex, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// Something that packets pass or wait in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    Link(u32),
    Lane(u32),
}

/// Who uses each: the senders that hear of the world through this lane, or somebody else (`None`).
type Users = BTreeMap<Shared, BTreeSet<Option<u32>>>;

impl Topology {
    /// Find those lanes and number them as the first spare ones: they have something to do once for many packets. `may` says of each flow,
    /// then of each process of short flows, whether its sender may be told ahead of time.
    pub fn settle(&mut self, may: impl Iterator<Item = bool>) {
        let settled = self.settled_lanes(may);
        let is_settled = |lane: &u32| settled.binary_search(lane).is_ok();
        let (moved, stay): (Vec<u32>, Vec<u32>) = (0..self.lanes.len() as u32).partition(is_settled);
        let order: Vec<u32> = stay.iter().chain(&moved).copied().collect();
        let mut number = vec![0; order.len()];
        (0u32..).zip(&order).for_each(|(new, &old)| number[old as usize] = new);
        for stage in &mut self.stages {
            let lane = number.get(stage.lane() as usize).copied().unwrap_or(stage.lane());
            *stage = Stage::new(stage.place(), lane, stage.spare(), stage.next());
        }
        let of = |lanes: &[u32]| lanes.iter().map(|&lane| self.lanes[lane as usize]).collect::<Vec<_>>();
        let (stay, moved) = (of(&stay), of(&moved));
        self.settled = moved.len() as u32;
        (self.lanes, self.spare_lanes) = (stay, [moved, std::mem::take(&mut self.spare_lanes)].concat());
        self.sole = self.sole_flows();
    }

    /// By such a lane, the listed flow of which alone it holds acknowledgements.
    fn sole_flows(&self) -> Vec<Option<u32>> {
        let first = self.lanes.len() as u32;
        let mut found = vec![Vec::new(); self.settled as usize];
        let listed = (0u32..).zip(&self.flows).map(|(flow, route)| (Some(flow), route));
        for (flow, route) in listed.chain(self.arrivals.iter().map(|route| (None, route))) {
            let lane = self.steps(route.answer).last().and_then(|last| last.lane().checked_sub(first));
            if let Some(flows) = lane.and_then(|lane| found.get_mut(lane as usize)) {
                flows.push(flow);
            }
        }
        found.into_iter().map(|flows| if let [flow] = flows[..] { flow } else { None }).collect()
    }

    /// Those lanes, in the order of their numbers. `may` says of each flow, then of each process of short flows, whether its sender may be told ahead of time.
    fn settled_lanes(&self, may: impl Iterator<Item = bool>) -> Vec<u32> {
        let mut users = Users::new();
        let mut told_by = BTreeSet::new();
        for (route, may) in self.flows.iter().chain(&self.arrivals).zip(may) {
            let (data, answer) = (self.steps(route.data), self.steps(route.answer));
            let lane = answer.last().filter(|&&last| may && is_plain(last)).map(|last| last.lane());
            let own = lane.and_then(|_| first_part(&data)).unwrap_or(0);
            let lane = lane.filter(|_| own > 0);
            told_by.extend(lane);
            note(&mut users, &data[..own], lane);
            note(&mut users, &data[own..], None);
            let ends = lane.map(Shared::Lane);
            for shared in answer.iter().flat_map(used) {
                users.entry(shared).or_default().insert(lane.filter(|_| Some(shared) == ends));
            }
        }
        for &source in &self.sources {
            note(&mut users, &self.steps(source), None);
        }
        let others = users.values().filter(|users| users.len() > 1).flatten().flatten();
        others.for_each(|lane| {
            told_by.remove(lane);
        });
        told_by.into_iter().collect()
    }

    /// The stages of a route, from this one to its end.
    fn steps(&self, first: StageIndex) -> Vec<Stage> {
        let next = |stage: &Stage| Some(self.stages[stage.next() as usize]);
        let all = std::iter::successors(Some(self.stages[first as usize]), next);
        all.take_while(|stage| stage.place() != Place::End).collect()
    }
}

/// How many stages packets pass up to their first lane; `None` if they pass a port before, or if the lane has spare ones.
fn first_part(steps: &[Stage]) -> Option<usize> {
    let waits = steps.iter().position(|stage| stage.lane() != NO_LANE)?;
    let passes = steps[..=waits].iter().all(|stage| matches!(stage.place(), Place::Link(_)));
    (passes && is_plain(steps[waits])).then_some(waits + 1)
}

/// Does a packet wait behind this stage in a lane into which it always goes?
fn is_plain(stage: Stage) -> bool {
    stage.lane() < FIRST_PASSAGE && stage.spare() == NO_LANE
}

/// What a packet uses of a stage.
fn used(stage: &Stage) -> impl Iterator<Item = Shared> + use<> {
    let link = if let Place::Link(link) = stage.place() { Some(Shared::Link(link)) } else { None };
    let lanes = [stage.lane(), stage.spare()].into_iter().filter(|&lane| lane != NO_LANE);
    link.into_iter().chain(lanes.map(Shared::Lane))
}

fn note(users: &mut Users, steps: &[Stage], user: Option<u32>) {
    for shared in steps.iter().flat_map(used) {
        users.entry(shared).or_default().insert(user);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ahead::Order;
    use crate::scenario::{Scenario, SourceSpec};
    use crate::testing::dumbbell;

    /// By lane of acknowledgements that arrive ahead of their time, the flow of which alone it is.
    fn sole(scenario: &Scenario, may: &[bool]) -> Vec<Option<u32>> {
        let mut topology = Topology::new(scenario, Order::Ahead);
        let lanes = topology.lanes.len() + topology.spare_lanes.len();
        topology.settle(may.iter().copied());
        assert_eq!(topology.lanes.len() + topology.spare_lanes.len(), lanes);
        for (number, &arrives_at) in (0u32..).zip(topology.lanes.iter().chain(&topology.spare_lanes)) {
            let behind =
                topology.stages.iter().filter(|stage| [stage.lane(), stage.spare()].contains(&number));
            assert!(
                behind.into_iter().all(|stage| stage.next() == arrives_at),
                "a lane leads where it led before"
            );
        }
        assert_eq!(topology.sole.len(), topology.settled as usize);
        topology.sole
    }

    /// Two flows whose links have delays of their own, so that they share no lane.
    fn two_flows() -> Scenario {
        let mut scenario = dumbbell(2);
        scenario.links[4].delay_ns += 1;
        scenario.links[5].delay_ns += 1;
        scenario
    }

    #[test]
    fn a_sender_with_a_link_and_a_lane_of_its_own_hears_ahead_of_time() {
        assert_eq!(sole(&dumbbell(1), &[true]), [Some(0)]);
        assert_eq!(sole(&dumbbell(1), &[false]), []);
        assert_eq!(sole(&two_flows(), &[true, true]), [Some(0), Some(1)]);
        assert_eq!(sole(&two_flows(), &[false, true]), [Some(1)]);
    }

    #[test]
    fn one_whose_first_link_or_lane_others_use_does_not() {
        let mut scenario = dumbbell(1);
        let (name, rates) = ("cbr".to_owned(), vec![[0, 8_000]]);
        let source = |route| SourceSpec {
            name: name.clone(),
            packet_bytes: 1000,
            route,
            in_profile: false,
            rates: rates.clone(),
            counts: vec![],
            frames: None,
        };
        scenario.sources = vec![source(vec![0])];
        assert_eq!(sole(&scenario, &[true]), [Some(0)]);
        scenario.sources = vec![source(vec![2, 0])];
        assert_eq!(sole(&scenario, &[true]), []);

        let mut scenario = two_flows();
        scenario.flows[1].forward = scenario.flows[0].forward.clone();
        assert_eq!(sole(&scenario, &[true, true]), []);
        assert_eq!(
            sole(&dumbbell(2), &[true, true]),
            [],
            "links that are alike share a lane, which has spare ones"
        );
    }
}
