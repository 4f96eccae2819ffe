//! Turns links and routes into stages: what a packet passes, and where it waits for its turn.
//!
//! Packets must be handled in the order of time only where packets of several origins meet: at a port, at a sender, on a link with
//! several feeders. In front of these they wait in a lane. The rest of a route is worked out ahead of time (see `ahead`): a link with a
//! single feeder gets its packets in the order in which that feeder sends them, and a receiver that answers at once joins the last link
//! of the data's route to the first link of the acknowledgements'. So a data packet that leaves the bottleneck of a dumbbell is
//! delivered and acknowledged, and its acknowledgement is on the route back, within one event. That is two events per packet instead of
//! four, and a third less time.
//!
//! Routes with a common end share the stages of that end, so a packet in a lane need not store where it is.

mod settled;

use crate::ahead::{Ahead, Order};
use crate::scenario::{FlowSpec, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// The index of a stage in the table.
pub type StageIndex = u32;

/// In place of a lane: the packet goes on at once.
pub const NO_LANE: u32 = u32::MAX;

/// In place of a lane where nothing is done ahead: `FIRST_PASSAGE + n` is the passage of link n.
pub const FIRST_PASSAGE: u32 = 1 << 30;

/// In place of a lane: `FIRST_WIRE + n` is the wire of link n, on which packets may be late.
pub const FIRST_WIRE: u32 = 1 << 31;

/// The bottleneck, by its number among ports: the port of the first link that has a queue. A flow's losses there are counted
/// separately, and the series `congestion` records its drops and marks.
pub const BOTTLENECK: u32 = 0;

/// What a packet passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A link without a queue, by its number among such links.
    Link(u32),
    /// A port, by its number among ports.
    Port(u32),
    /// The end of its route: a receiver, a sender, or the sink of cross traffic.
    End,
}

/// One step of a route, in two words that are read as such: copied field by field, it is written and read again before a packet can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(align(16))]
pub struct Stage {
    /// The place, as one number, and the lane.
    place_and_lane: u64,
    /// The spare lane and the next stage.
    spare_and_next: u64,
}

impl Stage {
    /// Ports as places begin with this number, below are links.
    const PORTS: u32 = 1 << 30;
    /// The end as a place.
    const END: u32 = 1 << 31;

    /// A packet passes this place, waits in this lane, or in the spare one, and goes on to that stage.
    fn new(place: Place, lane: u32, spare: u32, next: StageIndex) -> Self {
        let place = match place {
            Place::Link(link) => link,
            Place::Port(port) => Self::PORTS + port,
            Place::End => Self::END,
        };
        Stage {
            place_and_lane: u64::from(place) << 32 | u64::from(lane),
            spare_and_next: u64::from(spare) << 32 | u64::from(next),
        }
    }

    /// The link that the packet passes, if it passes one: asked first, since it mostly does.
    #[inline(always)]
    pub fn link(self) -> Option<u32> {
        let place = (self.place_and_lane >> 32) as u32;
        (place < Self::PORTS).then_some(place)
    }

    /// What the packet passes.
    #[inline(always)]
    pub fn place(self) -> Place {
        match (self.place_and_lane >> 32) as u32 {
            link if link < Self::PORTS => Place::Link(link),
            port if port < Self::END => Place::Port(port - Self::PORTS),
            _ => Place::End,
        }
    }

    /// Where it waits afterwards: a lane, the passage of a link ([`FIRST_PASSAGE`]), its wire ([`FIRST_WIRE`]), or nowhere ([`NO_LANE`]).
    #[inline(always)]
    pub fn lane(self) -> u32 {
        self.place_and_lane as u32
    }

    /// Where it waits if it had to queue for its link, so that it would be out of order in that lane; [`NO_LANE`] if that cannot be.
    #[inline(always)]
    pub fn spare(self) -> u32 {
        (self.spare_and_next >> 32) as u32
    }

    /// The next stage.
    #[inline(always)]
    pub fn next(self) -> StageIndex {
        self.spare_and_next as u32
    }
}

/// The first stages of a flow's packets.
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
    /// By lane, the stage at which its packets arrive.
    pub lanes: Vec<StageIndex>,
    /// The same for spare lanes, whose numbers follow.
    pub spare_lanes: Vec<StageIndex>,
    /// How many of those, the first ones, hold acknowledgements that may arrive ahead of their time ([`Topology::settle`]).
    pub settled: u32,
    /// By lane of those, the listed flow of which alone they are.
    pub sole: Vec<Option<u32>>,
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

/// Where the packets of a link come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feeder {
    Endpoint,
    Link(u32),
}

/// What links must have in common to share a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Alone(u32),
    Alike { feeder: Feeder, rate_bps: Option<u64>, delay_ns: u64 },
}

/// A place on a route, and whether packets wait behind it.
struct Step {
    place: Place,
    link: u32,
    waits: Wait,
}

/// What a packet does when it leaves a link or a port.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// It goes on at once.
    No,
    /// It waits for its turn among packets of other origins.
    Turn,
    /// It waits for its time, because nothing is done ahead.
    Passing,
}

/// A route under construction. `live`: packets reach its end in the order of time; otherwise `before` is the link from which they come.
struct Route {
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
    /// How many links have this origin.
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
            let mut route = Route::from_endpoint();
            builder.extend(&mut route, &source.route);
            if route.before.is_some_and(|last| builder.ahead.has_wire(last)) {
                route.wait(); // packets are counted there, wherever they go
            } else {
                builder.pass(&mut route);
            }
            let first = builder.add_stages(route);
            builder.topology.sources.push(first);
        }
        builder.number_spare_lanes();
        builder.topology
    }
}

impl Route {
    fn from_endpoint() -> Self {
        Route { steps: Vec::new(), live: true, before: None }
    }

    /// What comes next must be done in the order of time.
    fn wait(&mut self) {
        if !self.live {
            self.steps.last_mut().expect("a route that is not live has begun").waits = Wait::Turn;
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

    /// Is that link the only feeder of this one, so that this one needs no event of its own?
    fn continues(&self, before: Option<u32>, link: u32) -> bool {
        let feeders = &self.feeders[link as usize];
        let only = before
            .is_some_and(|before| feeders.contains(&Feeder::Link(before)) && !self.ahead.has_wire(before))
            && feeders.len() == 1;
        self.ahead.crosses(link) && only
    }

    /// What comes next could be done at once: it waits only where nothing is done ahead.
    fn pass(&self, route: &mut Route) {
        if self.ahead.waits_always()
            && let Some(step) = route.steps.last_mut()
        {
            step.waits = Wait::Passing;
        }
    }

    fn flow(&mut self, flow: &FlowSpec) -> FlowRoute {
        let mut data = Route::from_endpoint();
        self.extend(&mut data, &flow.forward);
        let mut answer = Route::from_endpoint();
        if self.ahead.answers(flow) && self.continues(data.before, flow.reverse[0]) {
            self.pass(&mut data);
            (answer.live, answer.before) = (false, data.before);
        } else {
            data.wait();
        }
        self.extend(&mut answer, &flow.reverse);
        answer.wait();
        FlowRoute { data: self.add_stages(data), answer: self.add_stages(answer) }
    }

    fn extend(&self, route: &mut Route, links: &[u32]) {
        for &link in links {
            if self.continues(route.before, link) {
                self.pass(route);
            } else {
                route.wait();
            }
            let place = self.place_of[link as usize];
            route.steps.push(Step { place, link, waits: Wait::No });
            (route.live, route.before) = (false, Some(link));
        }
    }

    /// Add the stages of a route to the table, last stage first, and return the first.
    fn add_stages(&mut self, route: Route) -> StageIndex {
        let mut next = self.stage(Stage::new(Place::End, NO_LANE, NO_LANE, 0));
        for step in route.steps.into_iter().rev() {
            let (lane, spare) = match step.waits {
                Wait::No => (NO_LANE, NO_LANE),
                Wait::Turn if self.ahead.has_wire(step.link) => (FIRST_WIRE + step.link, NO_LANE),
                Wait::Turn => self.lanes(step.link, next),
                Wait::Passing => (FIRST_PASSAGE + step.link, NO_LANE),
            };
            next = self.stage(Stage::new(step.place, lane, spare, next));
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

    /// The lane of packets from this link to that stage, and the link's spare lane if it shares the lane with others.
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

    /// Number the spare lanes behind the others, whose count is known now.
    fn number_spare_lanes(&mut self) {
        let Topology { stages, lanes, .. } = &mut self.topology;
        for stage in stages.iter_mut().filter(|stage| stage.spare() != NO_LANE) {
            let spare = stage.spare() + lanes.len() as u32;
            *stage = Stage::new(stage.place(), stage.lane(), spare, stage.next());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::dumbbell;

    /// A route as text: links and ports by number, `|n` for a wait in lane n.
    fn words(topology: &Topology, mut index: StageIndex) -> String {
        let mut text = String::new();
        loop {
            let stage = topology.stages[index as usize];
            match stage.place() {
                Place::Link(link) => text += &format!("link{} ", topology.links[link as usize]),
                Place::Port(port) => text += &format!("port{port} "),
                Place::End => return text + "end",
            }
            if stage.lane() != NO_LANE {
                assert_eq!(topology.lanes[stage.lane() as usize], stage.next(), "a lane leads to one stage");
                text += &format!("|{} ", stage.lane());
            }
            index = stage.next();
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
