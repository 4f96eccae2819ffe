//! What changes in a network during a run: when a controller enters a state, or at a time.
//!
//! | what   | unit              | where                                                                                     |
//! |--------|-------------------|-------------------------------------------------------------------------------------------|
//! | rate   | bit/s             | a link with a queue; the packet in transmission keeps its time, and so does the discipline |
//! | drop   | impairment        | a link with a queue; it counts packets and draws from then on                             |
//! | supply | bit/s, or no bound | a flow without end: how fast its application makes data available; 0: not at all          |
//!
//! Each holds until the next change of the same. A change upon a state happens at every entry of that state.

use super::{DURATION_MAX_NS, ImpairmentSpec, RATE_MAX_BPS, Scenario, ScenarioError, require};
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
    },
    /// At a time.
    Time {
        /// Since the start of the run.
        ns: u64,
    },
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
    /// The losses of a link.
    Drop {
        /// Which.
        link: u32,
        /// Absent: none.
        #[serde(default)]
        drop: Option<ImpairmentSpec>,
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

impl Scenario {
    /// Does the rate of this link change during the run?
    pub fn changes_rate(&self, link: u32) -> bool {
        let of_link = |set: &SetSpec| matches!(set, SetSpec::Rate { link: other, .. } if *other == link);
        self.changes.iter().flat_map(|change| &change.set).any(of_link)
    }

    pub(super) fn check_change(&self, change: &ChangeSpec, path: &str) -> Result<(), ScenarioError> {
        match &change.when {
            WhenSpec::Time { ns } => {
                let expected = "at most ten years";
                require(*ns <= DURATION_MAX_NS, format!("{path}.when.ns"), ns, expected)?;
            }
            WhenSpec::State { flow, state } => {
                let path = format!("{path}.when");
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
        require(known, path, flow, &format!("an index below {}", self.flows.len()))
    }

    fn check_set(&self, set: &SetSpec, path: &str) -> Result<(), ScenarioError> {
        match set {
            SetSpec::Rate { link, bps } => {
                self.check_port(*link, path, true)?;
                let known = (1..=RATE_MAX_BPS).contains(bps);
                require(known, format!("{path}.bps"), bps, "1 bit/s to 100 Tbit/s")
            }
            SetSpec::Drop { link, drop } => {
                self.check_port(*link, path, false)?;
                drop.as_ref().map_or(Ok(()), |drop| drop.check(&format!("{path}.drop")))
            }
            SetSpec::Supply { flow, bps } => {
                self.check_listed(*flow, &format!("{path}.flow"))?;
                let spec = &self.flows[*flow as usize];
                let takes_recovery =
                    self.profiles[spec.profile as usize].controller.properties().takes_recovery();
                let endless = spec.packets.is_none() && spec.supply.is_empty() && takes_recovery;
                let expected = "a flow with a window and without packets or supply of its own";
                require(endless, format!("{path}.flow"), flow, expected)?;
                let known = bps.is_none_or(|bps| bps <= RATE_MAX_BPS);
                require(known, format!("{path}.bps"), bps.unwrap_or(0), "at most 100 Tbit/s")
            }
        }
    }

    /// This link has a queue, and a rate where one is to be changed.
    fn check_port(&self, link: u32, path: &str, with_rate: bool) -> Result<(), ScenarioError> {
        let path = format!("{path}.link");
        let spec = self.links.get(link as usize);
        require(spec.is_some(), &path, link, &format!("an index below {}", self.links.len()))?;
        let fits = spec.is_some_and(|spec| spec.queue.is_some() && (!with_rate || spec.rate_bps.is_some()));
        require(
            fits,
            path,
            link,
            if with_rate { "a link with a queue and a rate" } else { "a link with a queue" },
        )
    }
}
