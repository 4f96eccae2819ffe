//! From links and routes to stages: which links are pipes, which are ports, who joins whom.
//!
//! A link without a queue joins the pipe before it when that is its only feeder; then a packet crosses both
//! with one event. Routes become short lists of stages.

use crate::scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// What a packet crosses next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A pipe, by index.
    Pipe(u32),
    /// A port, by index.
    Port(u32),
}

/// A route as a slice of the stage table.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// First stage.
    pub start: u32,
    /// Number of stages.
    pub len: u8,
}

/// The shape of a network, before it is filled with state.
#[derive(Debug, Default)]
pub struct Topology {
    /// Stages of all routes.
    pub stages: Vec<Stage>,
    /// Links of each pipe, in order; several pipes may share their first links.
    pub pipes: Vec<Vec<u32>>,
    /// The link of each port.
    pub ports: Vec<u32>,
    /// Routes of data, by flow.
    pub forward: Vec<Route>,
    /// Routes of acknowledgements, by flow.
    pub reverse: Vec<Route>,
    /// Routes of sources.
    pub sources: Vec<Route>,
}

/// Who hands packets to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Feeder {
    Endpoint,
    Link(u32),
}

struct Builder<'a> {
    scenario: &'a Scenario,
    feeders: Vec<BTreeSet<Feeder>>,
    port_of: Vec<Option<u32>>,
    pipe_of: BTreeMap<Vec<u32>, u32>,
    topology: Topology,
}

impl Topology {
    /// The stages of a checked scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let mut builder = Builder {
            scenario,
            feeders: vec![BTreeSet::new(); scenario.links.len()],
            port_of: vec![None; scenario.links.len()],
            pipe_of: BTreeMap::new(),
            topology: Topology::default(),
        };
        builder.find_feeders();
        for (link, spec) in scenario.links.iter().enumerate() {
            if spec.queue.is_some() {
                builder.port_of[link] = Some(builder.topology.ports.len() as u32);
                builder.topology.ports.push(link as u32);
            }
        }
        for flow in &scenario.flows {
            let forward = builder.route(&flow.forward);
            let reverse = builder.route(&flow.reverse);
            builder.topology.forward.push(forward);
            builder.topology.reverse.push(reverse);
        }
        for source in &scenario.sources {
            let route = builder.route(&source.route);
            builder.topology.sources.push(route);
        }
        builder.topology
    }
}

impl Builder<'_> {
    fn find_feeders(&mut self) {
        let flows = self.scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.reverse]);
        let sources = self.scenario.sources.iter().map(|source| &source.route);
        for route in flows.chain(sources) {
            let mut feeder = Feeder::Endpoint;
            for &link in route {
                self.feeders[link as usize].insert(feeder);
                feeder = Feeder::Link(link);
            }
        }
    }

    /// Does this link continue the pipe that ends with `before`?
    fn continues(&self, before: u32, link: u32) -> bool {
        let feeders = &self.feeders[link as usize];
        self.port_of[link as usize].is_none() && feeders.len() == 1 && feeders.contains(&Feeder::Link(before))
    }

    fn route(&mut self, links: &[u32]) -> Route {
        let start = self.topology.stages.len() as u32;
        let mut rest = links;
        while let Some((&first, mut after)) = rest.split_first() {
            if let Some(port) = self.port_of[first as usize] {
                self.topology.stages.push(Stage::Port(port));
            } else {
                let mut path = vec![first];
                while let Some((&next, further)) = after.split_first() {
                    if !self.continues(path[path.len() - 1], next) {
                        break;
                    }
                    path.push(next);
                    after = further;
                }
                let pipe = self.pipe(path);
                self.topology.stages.push(Stage::Pipe(pipe));
            }
            rest = after;
        }
        Route { start, len: (self.topology.stages.len() as u32 - start) as u8 }
    }

    fn pipe(&mut self, path: Vec<u32>) -> u32 {
        if let Some(&pipe) = self.pipe_of.get(&path) {
            return pipe;
        }
        let pipe = self.topology.pipes.len() as u32;
        self.pipe_of.insert(path.clone(), pipe);
        self.topology.pipes.push(path);
        pipe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::dumbbell;

    #[test]
    fn a_dumbbell_needs_two_pipes_and_one_port_per_flow() {
        let topology = Topology::new(&dumbbell(2));
        assert_eq!(topology.ports, [0]);
        // Links: 0 bottleneck, 1 reverse, then access and access-reverse per flow.
        assert_eq!(topology.pipes, [vec![2], vec![1, 3], vec![4], vec![1, 5]]);
        let stages =
            |route: &Route| topology.stages[route.start as usize..][..usize::from(route.len)].to_vec();
        assert_eq!(stages(&topology.forward[0]), [Stage::Pipe(0), Stage::Port(0)]);
        assert_eq!(stages(&topology.reverse[1]), [Stage::Pipe(3)]);
    }

    #[test]
    fn a_link_with_two_feeders_is_a_pipe_of_its_own() {
        let mut scenario = dumbbell(2);
        // Both flows' acknowledgements end on the same access link, fed by the reverse link and by an endpoint.
        scenario.flows[0].reverse = vec![1, 3];
        scenario.flows[1].reverse = vec![3];
        let topology = Topology::new(&scenario);
        assert!(topology.pipes.contains(&vec![1]) && topology.pipes.contains(&vec![3]));
    }
}
