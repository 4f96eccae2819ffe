//! From links and routes to stages: what a packet meets, and where it has to wait for its turn.
//!
//! Packets are handled in the order of time only where it matters who comes first: at a port, at a sender, on a link
//! with several feeders. Before these they wait in a lane. Everything else is settled ahead of time, as
//! soon as a packet's way up to there is certain: a link that only one other link feeds gets its packets in the order
//! in which that one lets them go, and a receiver that answers at once is fed by the last link of one route
//! and feeds the first of another. So a data packet that leaves a bottleneck of a dumbbell is delivered, answered
//! and on its way back to the sender in one go: two events a packet instead of four, and a third less time.
//!
//! Routes with a common end share its stages, so that a packet in a lane need not say where it is.

use crate::ahead::{Ahead, Order};
use crate::scenario::{FlowSpec, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// A stage, by its place in the table.
pub type StageIndex = u32;

/// Instead of a lane: the packet goes on at once.
pub const NO_LANE: u32 = u32::MAX;

/// In place of a lane where nothing is done ahead: the passage of this link, number by number from here on.
pub const FIRST_PASSAGE: u32 = 1 << 30;

/// What a packet meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A link without a queue, by its number among those.
    Link(u32),
    /// A port, by its number among ports.
    Port(u32),
    /// The end of its route: receiver, sender or nobody.
    End,
}

/// One step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stage {
    /// What the packet meets.
    pub place: Place,
    /// Where it waits afterwards, if not [`NO_LANE`]: a lane, or from [`FIRST_PASSAGE`] on the passage of a link.
    pub lane: u32,
    /// Where it waits if it came out of its link later than the first of that lane could: [`NO_LANE`] if it cannot.
    pub spare: u32,
    /// What comes then.
    pub next: StageIndex,
}

/// Where the packets of a flow begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRoute {
    /// Data.
    pub data: StageIndex,
    /// Acknowledgements.
    pub answer: StageIndex,
}

/// The shape of a network, before it is filled with state.
#[derive(Debug, Default)]
pub struct Topology {
    /// Stages of all routes.
    pub stages: Vec<Stage>,
    /// By lane, the stage it leads to.
    pub lanes: Vec<StageIndex>,
    /// The same of the spare lanes, whose numbers follow.
    pub spare_lanes: Vec<StageIndex>,
    /// The link of each port.
    pub ports: Vec<u32>,
    /// The other links.
    pub links: Vec<u32>,
    /// By flow.
    pub flows: Vec<FlowRoute>,
    /// By process of short flows.
    pub arrivals: Vec<FlowRoute>,
    /// First stages of sources.
    pub sources: Vec<StageIndex>,
}

/// Who hands packets to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feeder {
    Endpoint,
    Link(u32),
}

/// What links have in common whose packets share a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Alone(u32),
    Alike { feeder: Feeder, rate_bps: Option<u64>, delay_ns: u64 },
}

/// A place on the way of a packet, and whether it waits there before it goes on.
struct Step {
    place: Place,
    link: u32,
    waits: Wait,
}

/// What a packet does behind a link or a port.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// It goes on at once.
    No,
    /// It waits for its turn among what comes from elsewhere.
    Turn,
    /// It waits for its time only: nothing is done ahead.
    Passing,
}

/// A way under construction. `live` says that packets get to its end in the order of time; else `before` is
/// the link that lets them go.
struct Way {
    steps: Vec<Step>,
    live: bool,
    before: Option<u32>,
}

struct Builder<'a> {
    scenario: &'a Scenario,
    ahead: Ahead<'a>,
    feeders: Vec<BTreeSet<Feeder>>,
    place_of: Vec<Place>,
    index_of: BTreeMap<Stage, StageIndex>,
    lane_of: BTreeMap<(Origin, StageIndex), u32>,
    /// How many links of the scenario are like this one.
    kin: BTreeMap<Origin, u32>,
    with_jitter: BTreeSet<u32>,
    topology: Topology,
}

impl Topology {
    /// The stages of a checked scenario.
    pub fn new(scenario: &Scenario, order: Order) -> Self {
        let mut builder = Builder {
            scenario,
            ahead: Ahead::new(scenario, order),
            feeders: vec![BTreeSet::new(); scenario.links.len()],
            place_of: Vec::new(),
            index_of: BTreeMap::new(),
            lane_of: BTreeMap::new(),
            kin: BTreeMap::new(),
            with_jitter: BTreeSet::new(),
            topology: Topology::default(),
        };
        for (link, spec) in (0u32..).zip(&scenario.links) {
            let Topology { ports, links, .. } = &mut builder.topology;
            let (list, place): (_, fn(u32) -> Place) = match spec.queue {
                Some(_) => (ports, Place::Port),
                None => (links, Place::Link),
            };
            builder.place_of.push(place(list.len() as u32));
            list.push(link);
        }
        builder.find_feeders();
        for link in 0..scenario.links.len() as u32 {
            let origin = builder.origin(link);
            *builder.kin.entry(origin).or_insert(0) += 1;
        }
        for flow in &scenario.flows {
            let route = builder.flow(flow);
            builder.topology.flows.push(route);
        }
        for arrivals in &scenario.arrivals {
            let route = builder.flow(&arrivals.flow());
            builder.topology.arrivals.push(route);
        }
        for source in &scenario.sources {
            let mut way = Way::from_endpoint();
            builder.extend(&mut way, &source.route);
            builder.pass(&mut way);
            let first = builder.settle(way);
            builder.topology.sources.push(first);
        }
        builder.number_spare_lanes();
        builder.topology
    }
}

impl Way {
    fn from_endpoint() -> Self {
        Way { steps: Vec::new(), live: true, before: None }
    }

    /// What comes next must happen in the order of time.
    fn wait(&mut self) {
        if !self.live {
            self.steps.last_mut().expect("a way that is not live has begun").waits = Wait::Turn;
            self.live = true;
        }
    }
}

impl Builder<'_> {
    fn find_feeders(&mut self) {
        let scenario = self.scenario;
        let short: Vec<FlowSpec> = scenario.arrivals.iter().map(|arrivals| arrivals.flow()).collect();
        for flow in scenario.flows.iter().chain(&short) {
            if scenario.profiles[flow.profile as usize].send_jitter_ns > 0 {
                self.with_jitter.insert(flow.forward[0]);
            }
            let last = self.feed(Feeder::Endpoint, &flow.forward);
            let receiver = if self.ahead.answers(flow) { last } else { Feeder::Endpoint };
            self.feed(receiver, &flow.reverse);
        }
        for source in &scenario.sources {
            self.feed(Feeder::Endpoint, &source.route);
        }
    }

    fn feed(&mut self, mut feeder: Feeder, route: &[u32]) -> Feeder {
        for &link in route {
            self.feeders[link as usize].insert(feeder);
            feeder = Feeder::Link(link);
        }
        feeder
    }

    /// Does this link get its packets from that one alone, so that it needs no event of its own?
    fn continues(&self, before: Option<u32>, link: u32) -> bool {
        let feeders = &self.feeders[link as usize];
        let only = before.is_some_and(|before| feeders.contains(&Feeder::Link(before))) && feeders.len() == 1;
        self.ahead.crosses(link) && only
    }

    /// What comes next could be done at once: it waits only where nothing is done ahead.
    fn pass(&self, way: &mut Way) {
        if self.ahead.waits_always()
            && let Some(step) = way.steps.last_mut()
        {
            step.waits = Wait::Passing;
        }
    }

    fn flow(&mut self, flow: &FlowSpec) -> FlowRoute {
        let mut data = Way::from_endpoint();
        self.extend(&mut data, &flow.forward);
        let mut answer = Way::from_endpoint();
        if self.ahead.answers(flow) && self.continues(data.before, flow.reverse[0]) {
            self.pass(&mut data);
            (answer.live, answer.before) = (false, data.before);
        } else {
            data.wait();
        }
        self.extend(&mut answer, &flow.reverse);
        answer.wait();
        FlowRoute { data: self.settle(data), answer: self.settle(answer) }
    }

    fn extend(&self, way: &mut Way, links: &[u32]) {
        for &link in links {
            if self.continues(way.before, link) {
                self.pass(way);
            } else {
                way.wait();
            }
            let place = self.place_of[link as usize];
            way.steps.push(Step { place, link, waits: Wait::No });
            (way.live, way.before) = (false, Some(link));
        }
    }

    /// Put the stages of a way into the table, from its end, and return the first.
    fn settle(&mut self, way: Way) -> StageIndex {
        let mut next = self.stage(Stage { place: Place::End, lane: NO_LANE, spare: NO_LANE, next: 0 });
        for step in way.steps.into_iter().rev() {
            let (lane, spare) = match step.waits {
                Wait::No => (NO_LANE, NO_LANE),
                Wait::Turn => self.lanes(step.link, next),
                Wait::Passing => (FIRST_PASSAGE + step.link, NO_LANE),
            };
            next = self.stage(Stage { place: step.place, lane, spare, next });
        }
        next
    }

    fn stage(&mut self, stage: Stage) -> StageIndex {
        let stages = &mut self.topology.stages;
        *self.index_of.entry(stage).or_insert_with(|| {
            stages.push(stage);
            stages.len() as u32 - 1
        })
    }

    fn origin(&self, link: u32) -> Origin {
        let spec = &self.scenario.links[link as usize];
        let feeders = &self.feeders[link as usize];
        match feeders.first() {
            Some(&feeder)
                if feeders.len() == 1 && spec.queue.is_none() && !self.with_jitter.contains(&link) =>
            {
                Origin::Alike { feeder, rate_bps: spec.rate_bps, delay_ns: spec.delay_ns }
            }
            _ => Origin::Alone(link),
        }
    }

    /// The lane of packets that leave this link for that stage, and the spare lane if other links share it.
    fn lanes(&mut self, link: u32, next: StageIndex) -> (u32, u32) {
        let origin = self.origin(link);
        let Topology { lanes, spare_lanes, .. } = &mut self.topology;
        let numbered = |list: &mut Vec<StageIndex>| {
            list.push(next);
            list.len() as u32 - 1
        };
        let lane = *self.lane_of.entry((origin, next)).or_insert_with(|| numbered(lanes));
        if self.kin[&origin] == 1 {
            return (lane, NO_LANE);
        }
        let alone = (Origin::Alone(link), next);
        (lane, *self.lane_of.entry(alone).or_insert_with(|| numbered(spare_lanes)))
    }

    /// Spare lanes are numbered behind the others, whose number is known now.
    fn number_spare_lanes(&mut self) {
        let Topology { stages, lanes, .. } = &mut self.topology;
        for stage in stages.iter_mut().filter(|stage| stage.spare != NO_LANE) {
            stage.spare += lanes.len() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::dumbbell;

    /// A route in words: links and ports by number, `|n` for a wait in lane n.
    fn words(topology: &Topology, mut index: StageIndex) -> String {
        let mut text = String::new();
        loop {
            let stage = topology.stages[index as usize];
            match stage.place {
                Place::Link(link) => text += &format!("link{} ", topology.links[link as usize]),
                Place::Port(port) => text += &format!("port{port} "),
                Place::End => return text + "end",
            }
            if stage.lane != NO_LANE {
                assert_eq!(topology.lanes[stage.lane as usize], stage.next, "a lane leads to one stage");
                text += &format!("|{} ", stage.lane);
            }
            index = stage.next;
        }
    }

    #[test]
    fn a_packet_of_a_dumbbell_waits_before_the_bottleneck_and_before_its_sender() {
        let mut scenario = dumbbell(3);
        scenario.links[6].delay_ns += 1; // the third flow's access link
        let topology = Topology::new(&scenario, Order::Ahead);
        assert_eq!(topology.ports, [0]);
        // Links: 0 bottleneck, 1 reverse, then access and access-reverse per flow. Links that are alike share lanes.
        let routes = |flow: usize| {
            let FlowRoute { data, answer } = topology.flows[flow];
            [words(&topology, data), words(&topology, answer)]
        };
        assert_eq!(routes(0), ["link2 |0 port0 end", "link1 link3 |1 end"]);
        assert_eq!(routes(1), ["link4 |0 port0 end", "link1 link5 |1 end"]);
        assert_eq!(routes(2), ["link6 |2 port0 end", "link1 link7 |1 end"]);
    }

    #[test]
    fn a_link_with_two_feeders_takes_packets_in_the_order_of_time() {
        let mut scenario = dumbbell(2);
        // Both flows' acknowledgements end on the same access link, fed by the reverse link and by the bottleneck.
        scenario.flows[0].reverse = vec![1, 3];
        scenario.flows[1].reverse = vec![3];
        let topology = Topology::new(&scenario, Order::Ahead);
        assert!(words(&topology, topology.flows[0].answer).starts_with("link1 |"));
        assert!(words(&topology, topology.flows[1].data).contains("port0 |"));
    }

    #[test]
    fn a_receiver_that_may_delay_its_answer_lives_in_the_order_of_time() {
        let mut scenario = dumbbell(1);
        scenario.profiles[0].tcp.delayed_ack = true;
        let topology = Topology::new(&scenario, Order::Ahead);
        let FlowRoute { data, answer } = topology.flows[0];
        assert_eq!(words(&topology, data), "link2 |1 port0 |0 end");
        assert_eq!(words(&topology, answer), "link1 link3 |2 end");
    }
}
