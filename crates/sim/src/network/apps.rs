//! Applications that wait for answers: pages of objects over several connections, and films.
//!
//! A connection is two flows, both of the engine's own kind, with recovery and control, or both with whole endpoints of a plug-in. One
//! carries requests, the other responses. A request is a few packets of the first flow. When the far end has all of them it makes the
//! response available to the second, and when that is delivered the application goes on. So requests wait in queues, are lost and
//! repaired like anything else. Connections stay open, and what idleness does to their windows is the controllers' business. A page is many
//! objects over several connections at once, and the next page comes after it (RFC 7928 §7.2, and §2.1 on the time of a page). Its first
//! object, which names the others, comes alone, then each connection asks for one at a time.
//!
//! | parameter      | unit    | default | why                                                        |
//! |----------------|---------|---------|------------------------------------------------------------|
//! | objects        | 1       | given   | objects of a page                                          |
//! | packets        | packets | given   | Pareto or all alike                                        |
//! | think          | ns      | given   | exponential, from the end of a page to the next            |
//! | film           |         | given   | see `player.rs`                                            |
//!
//! The far end needs no time. Sizes and times to think are drawn from `apps/<name>`, in the order of pages, so that the n-th page is
//! the same page whoever else is there.

use super::Network;
use crate::event::Event;
use crate::event_queue::EventQueue;
use crate::player::{Film, Player};
use crate::random::Stream;
use crate::records::TransactionRecord;
use crate::scenario::{AppSpec, Scenario, TaskSpec};
use sawtooth_cc::units::{Span, Time, logarithm, power};
use std::collections::BTreeMap;

/// The most packets an object has.
const PACKETS_MAX: f64 = 1e6;

/// Nothing is expected of a flow.
const NOTHING: u32 = u32::MAX;

/// All applications of a run.
#[derive(Debug, Default)]
pub(super) struct Apps {
    apps: Vec<App>,
    /// Whose flow it is.
    owners: BTreeMap<u32, Owner>,
}

/// A flow of an application.
#[derive(Clone, Copy, Debug)]
struct Owner {
    app: u32,
    connection: u32,
    responds: bool,
    /// Fed so far.
    fed: u32,
    /// The receiver must have everything below this; [`NOTHING`] if nothing is expected.
    until: u32,
}

#[derive(Debug)]
struct App {
    spec: AppSpec,
    packet_bytes: u64,
    random: Stream,
    player: Option<Player>,
    /// Packets of the response that each connection waits for; 0: it is idle.
    waits_for: Vec<u32>,
    /// Objects of the page that have not been asked for, the next one last.
    to_come: Vec<u32>,
    /// What is being loaded.
    current: Option<TransactionRecord>,
    done: Vec<TransactionRecord>,
}

impl Apps {
    /// The applications of a checked scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let mut owners = BTreeMap::new();
        let numbered = (0u32..).zip(&scenario.apps);
        for (app, spec) in numbered.clone() {
            for (connection, pair) in (0u32..).zip(&spec.connections) {
                for (flow, responds) in [(pair[0], false), (pair[1], true)] {
                    owners.insert(flow, Owner { app, connection, responds, fed: 0, until: NOTHING });
                }
            }
        }
        let apps = numbered.map(|(_, spec)| {
            let flow = &scenario.flows[spec.connections[0][1] as usize];
            App {
                packet_bytes: u64::from(scenario.profiles[flow.profile as usize].packet_bytes),
                random: Stream::new(&scenario.seed, &format!("apps/{}", spec.name)),
                player: player(&spec.task),
                waits_for: vec![0; spec.connections.len()],
                to_come: Vec::new(),
                current: None,
                done: Vec::new(),
                spec: spec.clone(),
            }
        });
        Apps { apps: apps.collect(), owners }
    }

    /// Data has arrived: an application may have waited for it.
    #[cold]
    #[inline(never)]
    pub fn heed_arrival(&mut self, flow: u32, next_expected: u32, events: &mut EventQueue, now: Time) {
        let Some(owner) = self.owners.get_mut(&flow) else { return };
        if next_expected >= owner.until {
            owner.until = NOTHING;
            events.schedule(now, Event::Delivered(flow));
        }
    }

    /// Are there any?
    pub fn any(&self) -> bool {
        !self.apps.is_empty()
    }

    /// The flows that they feed.
    pub fn flows(&self) -> Vec<u32> {
        self.owners.keys().copied().collect()
    }

    /// When each of them begins.
    pub fn starts(&self) -> Vec<Time> {
        self.apps.iter().map(|app| Time::from_nanos(app.spec.start_ns)).collect()
    }

    /// What they have loaded, and what they were loading at the end.
    pub fn finish(self) -> Vec<TransactionRecord> {
        self.apps.into_iter().flat_map(|app| app.done.into_iter().chain(app.current)).collect()
    }
}

fn player(task: &TaskSpec) -> Option<Player> {
    let TaskSpec::Video { rates_bps, chunk_ns, buffer_ns, reservoir_ns } = task else { return None };
    Some(Player::new(Film {
        rates_bps: rates_bps.clone(),
        chunk: Span::from_nanos(*chunk_ns),
        buffer: Span::from_nanos(*buffer_ns),
        reservoir: Span::from_nanos(*reservoir_ns),
    }))
}

impl App {
    /// Draw the next page, or choose the next chunk: what is to be loaded, and at which rate it plays.
    fn draw(&mut self, now: Time) -> u64 {
        if let (Some(player), TaskSpec::Video { chunk_ns, .. }) = (&mut self.player, &self.spec.task) {
            let rate = player.choose(now);
            let bits = u128::from(rate) * u128::from(*chunk_ns) / 1_000_000_000;
            let packets = bits.div_ceil(8 * u128::from(self.packet_bytes)).max(1);
            self.to_come.push(packets as u32);
            return rate;
        }
        let TaskSpec::Pages { objects, packets_mean, packets_shape, .. } = self.spec.task else {
            unreachable!("what plays no film loads pages");
        };
        for _ in 0..objects {
            let packets = packets_shape.map_or(packets_mean, |shape| {
                packets_mean * (shape - 1.0) / shape * power(1.0 - self.random.uniform(), -1.0 / shape)
            });
            self.to_come.push(packets.ceil().clamp(1.0, PACKETS_MAX) as u32);
        }
        self.to_come.reverse();
        0
    }

    /// Everything is there: how long until the next.
    fn complete(&mut self, now: Time) -> Span {
        let mut done = self.current.take().expect("something was being loaded");
        done.duration = Some(now - done.start);
        let wait = match (&mut self.player, &self.spec.task) {
            (Some(player), _) => {
                done.stalled = player.loaded(now);
                player.wait(now)
            }
            (None, TaskSpec::Pages { think_ns, .. }) => {
                let unit = -logarithm(1.0 - self.random.uniform());
                Span::from_nanos((unit * *think_ns as f64) as u64)
            }
            (None, TaskSpec::Video { .. }) => unreachable!("a film has a player"),
        };
        self.done.push(done);
        wait
    }
}

impl Network {
    /// Applications begin; their flows have nothing until then.
    pub(super) fn begin_apps(&mut self) {
        for flow in self.apps.flows() {
            self.senders[flow as usize].sender.hold_supply(Time::ZERO);
        }
        for (app, start) in (0u32..).zip(self.apps.starts()) {
            self.events.schedule(start, Event::AppWakes(app));
        }
    }

    /// An application begins a page or a chunk.
    pub(super) fn app_wakes(&mut self, index: u32, now: Time) {
        let app = &mut self.apps.apps[index as usize];
        if app.spec.stop_ns.is_some_and(|stop| now.nanos() >= stop) {
            return;
        }
        let rate_bps = app.draw(now);
        let packets = app.to_come.iter().map(|&packets| u64::from(packets)).sum();
        let stalled = Span::ZERO;
        app.current =
            Some(TransactionRecord { app: index, start: now, packets, duration: None, rate_bps, stalled });
        self.request(index, 0, now);
    }

    /// A connection asks for the next object, if there is one.
    fn request(&mut self, index: u32, connection: u32, now: Time) {
        let app = &mut self.apps.apps[index as usize];
        let Some(packets) = app.to_come.pop() else { return };
        app.waits_for[connection as usize] = packets;
        let flow = app.spec.connections[connection as usize][0];
        let packets = app.spec.request_packets;
        self.feed(flow, packets, now);
    }

    /// An application makes packets available, and waits until they are delivered.
    fn feed(&mut self, flow: u32, packets: u32, now: Time) {
        let owner = self.apps.owners.get_mut(&flow).expect("it is fed by an application");
        owner.fed += packets;
        owner.until = owner.fed;
        self.senders[flow as usize].sender.supply(packets, true, now);
        self.send_allowed(flow, now);
    }

    /// All that an application waits for on this flow is there.
    pub(super) fn delivered(&mut self, flow: u32, now: Time) {
        let owner = self.apps.owners[&flow];
        let app = &mut self.apps.apps[owner.app as usize];
        let connection = owner.connection as usize;
        if !owner.responds {
            let (flow, packets) = (app.spec.connections[connection][1], app.waits_for[connection]);
            return self.feed(flow, packets, now);
        }
        app.waits_for[connection] = 0;
        let idle = (0u32..).zip(&app.waits_for).filter(|&(_, &packets)| packets == 0);
        let idle: Vec<u32> = idle.map(|(connection, _)| connection).collect();
        if app.to_come.is_empty() && idle.len() == app.waits_for.len() {
            let wait = app.complete(now);
            self.events.schedule(now + wait, Event::AppWakes(owner.app));
            return;
        }
        for connection in idle {
            self.request(owner.app, connection, now);
        }
    }
}
