//! What changes in a network during a run: when a controller enters a state, or at a time.
//!
//! | what       | unit              | where                                                                                     |
//! |------------|-------------------|-------------------------------------------------------------------------------------------|
//! | rate       | bit/s             | a link with a queue; the packet in transmission keeps its time, and so does the discipline |
//! | delay      | ns                | any link; packets that are under way keep theirs, so others may overtake them             |
//! | drop, loss | impairment        | any link; it counts packets and draws from then on                                        |
//! | late       | late packets      | any link; the same                                                                        |
//! | jitter     | jitter            | any link                                                                                  |
//! | supply     | bit/s, or no bound | a flow without end: how fast its application makes data available; 0: not at all          |
//!
//! Each holds until the next change of the same. A change upon a state happens at every entry of that state, or so long after each.

use super::{
    DURATION_MAX_NS, FlowSpec, ImpairmentSpec, JitterSpec, LateSpec, RATE_MAX_BPS, Scenario, ScenarioError,
    WAIT_MAX_NS, require,
};
use sawtooth_cc::ControlState;
use serde::{Deserialize, Serialize};

/// A change of the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeSpec {
    /// When it happens.
    pub when: WhenSpec,
    /// What has which value from then on.
    pub set: Vec<SetSpec>,
}

/// When something changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum WhenSpec {
    /// The controller of a flow enters a state.
    State {
        /// Which flow.
        flow: u32,
        /// Which state.
        state: ControlState,
        /// How long after that.
        #[serde(default, skip_serializing_if = "is_zero")]
        after_ns: u64,
    },
    /// At a time.
    Time {
        /// Since the start of the run.
        ns: u64,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(ns: &u64) -> bool {
    *ns == 0
}

/// What changes, and to what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum SetSpec {
    /// The rate of a link.
    Rate {
        /// Which.
        link: u32,
        /// Bits per second.
        bps: u64,
    },
    /// The propagation delay of a link.
    Delay {
        /// Which.
        link: u32,
        /// How long.
        ns: u64,
    },
    /// The losses of a link.
    Drop {
        /// Which.
        link: u32,
        /// Absent: none.
        #[serde(default)]
        drop: Option<ImpairmentSpec>,
    },
    /// The further losses of a link.
    Loss {
        /// Which.
        link: u32,
        /// Absent: none.
        #[serde(default)]
        loss: Option<ImpairmentSpec>,
    },
    /// The late packets of a link.
    Late {
        /// Which.
        link: u32,
        /// Absent: none.
        #[serde(default)]
        late: Option<LateSpec>,
    },
    /// The jitter of a link.
    Jitter {
        /// Which.
        link: u32,
        /// Absent: none.
        #[serde(default)]
        jitter: Option<JitterSpec>,
    },
    /// How fast the application of a flow makes data available.
    Supply {
        /// Which.
        flow: u32,
        /// Bits per second of packets on the wire; absent: without bound.
        #[serde(default)]
        bps: Option<u64>,
    },
}

impl SetSpec {
    /// The link of which something changes.
    fn link(&self) -> Option<u32> {
        match *self {
            SetSpec::Rate { link, .. }
            | SetSpec::Delay { link, .. }
            | SetSpec::Drop { link, .. }
            | SetSpec::Loss { link, .. }
            | SetSpec::Late { link, .. }
            | SetSpec::Jitter { link, .. } => Some(link),
            SetSpec::Supply { .. } => None,
        }
    }

    /// Does it change what happens behind the transmitter?
    fn is_of_the_wire(&self) -> bool {
        matches!(self, SetSpec::Delay { .. } | SetSpec::Late { .. } | SetSpec::Jitter { .. })
    }
}

impl Scenario {
    fn sets_of(&self, link: u32) -> impl Iterator<Item = &SetSpec> {
        let sets = self.changes.iter().flat_map(|change| &change.set);
        sets.filter(move |set| set.link() == Some(link))
    }

    /// Does anything of this link change during the run?
    pub fn changes_link(&self, link: u32) -> bool {
        self.sets_of(link).next().is_some()
    }

    /// Does what happens behind the transmitter of this link change during the run?
    pub fn changes_wire(&self, link: u32) -> bool {
        self.sets_of(link).any(SetSpec::is_of_the_wire)
    }

    /// Do the losses of this link change during the run?
    pub fn changes_losses(&self, link: u32) -> bool {
        self.sets_of(link).any(|set| matches!(set, SetSpec::Drop { .. } | SetSpec::Loss { .. }))
    }

    /// Does the application of a flow offer more or less during the run?
    pub fn changes_supply(&self) -> bool {
        self.changes.iter().flat_map(|change| &change.set).any(|set| matches!(set, SetSpec::Supply { .. }))
    }

    /// Does the rate of this link change during the run?
    pub fn changes_rate(&self, link: u32) -> bool {
        self.sets_of(link).any(|set| matches!(set, SetSpec::Rate { .. }))
    }

    /// Does the rate of this link change during the run, or what happens to a packet when it leaves?
    pub fn changes_departures(&self, link: u32) -> bool {
        self.changes_wire(link) || self.changes_rate(link)
    }

    pub(super) fn check_change(&self, change: &ChangeSpec, path: &str) -> Result<(), ScenarioError> {
        match &change.when {
            WhenSpec::Time { ns } => {
                let expected = "at most ten years";
                require(*ns <= DURATION_MAX_NS, format!("{path}.when.ns"), ns, expected)?;
            }
            WhenSpec::State { flow, state, after_ns } => {
                let path = format!("{path}.when");
                let expected = "at most ten years";
                require(*after_ns <= DURATION_MAX_NS, format!("{path}.after_ns"), after_ns, expected)?;
                self.check_listed(*flow, &format!("{path}.flow"))?;
                let profile = &self.profiles[self.flows[*flow as usize].profile as usize];
                let states = profile.controller.properties().states;
                let expected = if states.is_empty() {
                    "a flow whose controller has states, as that of `bbr`".to_owned()
                } else {
                    let names: Vec<_> = states.iter().map(|state| state.name()).collect();
                    format!("one of {}", names.join(", "))
                };
                require(states.contains(state), format!("{path}.state"), state.name(), &expected)?;
            }
        }
        require(!change.set.is_empty(), format!("{path}.set"), "[]", "at least one value")?;
        (0..)
            .zip(&change.set)
            .try_for_each(|(i, set): (u32, _)| self.check_set(set, &format!("{path}.set[{i}]")))
    }

    fn check_listed(&self, flow: u32, path: &str) -> Result<(), ScenarioError> {
        let known = (flow as usize) < self.flows.len();
        require(known, path, flow, format_args!("an index below {}", self.flows.len()))
    }

    fn check_set(&self, set: &SetSpec, path: &str) -> Result<(), ScenarioError> {
        match set {
            SetSpec::Rate { link, bps } => {
                self.check_link(*link, path, true)?;
                let known = (1..=RATE_MAX_BPS).contains(bps);
                require(known, format!("{path}.bps"), bps, "1 bit/s to 100 Tbit/s")
            }
            SetSpec::Delay { link, ns } => {
                self.check_link(*link, path, false)?;
                require(*ns <= WAIT_MAX_NS, format!("{path}.ns"), ns, "at most one day")
            }
            SetSpec::Drop { link, drop: spec } | SetSpec::Loss { link, loss: spec } => {
                self.check_link(*link, path, false)?;
                spec.as_ref().map_or(Ok(()), |spec| spec.check(path))
            }
            SetSpec::Late { link, late } => {
                self.check_link(*link, path, false)?;
                late.as_ref().map_or(Ok(()), |late| late.check(path))
            }
            SetSpec::Jitter { link, jitter } => {
                self.check_link(*link, path, false)?;
                jitter.as_ref().map_or(Ok(()), |jitter| jitter.check(path))
            }
            SetSpec::Supply { flow, bps } => {
                self.check_listed(*flow, &format!("{path}.flow"))?;
                let spec = &self.flows[*flow as usize];
                let controller = &self.profiles[spec.profile as usize].controller;
                let is_stack = controller.endpoint().is_some();
                let carries = controller.properties().takes_recovery() || is_stack;
                let endless = spec.packets.is_none() && spec.supply.is_empty() && carries;
                let expected = "a flow with a window and without packets or supply of its own";
                require(endless, format!("{path}.flow"), flow, expected)?;
                let kept = !is_stack || bps.is_some() && self.is_paced_from_its_start(*flow);
                let expected = "a controller: an endpoint of a plug-in takes back no data, so its supply is a rate from its start on";
                require(kept, format!("{path}.flow"), flow, expected)?;
                let known = bps.is_none_or(|bps| bps <= RATE_MAX_BPS);
                require(known, format!("{path}.bps"), bps.unwrap_or(0), "at most 100 Tbit/s")
            }
        }
    }

    /// Does a change say what a flow is supplied with, when it starts or before?
    pub fn is_paced_from_its_start(&self, flow: u32) -> bool {
        let start = self.flows[flow as usize].start_ns;
        let by_then = |change: &&ChangeSpec| matches!(change.when, WhenSpec::Time { ns } if ns <= start);
        let sets = self.changes.iter().filter(by_then).flat_map(|change| &change.set);
        sets.into_iter().any(|set| matches!(set, SetSpec::Supply { flow: of, .. } if *of == flow))
    }

    /// Rate-based protocols here take packets and reports in the order in which they were sent.
    pub(super) fn check_order(&self) -> Result<(), ScenarioError> {
        let paced = |flow: &&FlowSpec| {
            let controller = &self.profiles[flow.profile as usize].controller;
            !controller.properties().takes_recovery() && controller.endpoint().is_none()
        };
        let expected = "none where a rate-based flow crosses the link, which must keep the order";
        for link in self.flows.iter().filter(paced).flat_map(|flow| flow.forward.iter().chain(&flow.reverse))
        {
            let late = self.links[*link as usize].late.is_some();
            require(!late, format!("links[{link}].late"), "given", expected)?;
            for (i, change) in self.changes.iter().enumerate() {
                for (j, set) in change.set.iter().enumerate() {
                    let keeps = match set {
                        SetSpec::Delay { link: of, .. } | SetSpec::Late { link: of, .. } => of != link,
                        _ => true,
                    };
                    require(keeps, format!("changes[{i}].set[{j}].link"), link, expected)?;
                }
            }
        }
        Ok(())
    }

    /// There is such a link, and it has a rate that can change where that is asked.
    fn check_link(&self, link: u32, path: &str, with_rate: bool) -> Result<(), ScenarioError> {
        let path = format!("{path}.link");
        let spec = self.links.get(link as usize);
        require(spec.is_some(), &path, link, format_args!("an index below {}", self.links.len()))?;
        let fits = spec.is_some_and(|spec| spec.queue.is_some() && spec.rate_bps.is_some());
        require(fits || !with_rate, &path, link, "a link with a queue and a rate")?;
        let alone = spec.is_none_or(|spec| spec.aggregate.is_none());
        require(alone || !with_rate, path, link, "a link without transmit opportunities")
    }
}
