//! Flows whose ends are stacks from outside: what means something to them, and what they cannot tell.

use super::{Profile, Scenario, ScenarioError, TcpSpec, require};
use crate::whole;

impl Profile {
    /// A stack has settings of its own; of ours it takes the initial window and whether its packets are ECN-capable.
    pub(super) fn check_beside_a_stack(&self, path: &str) -> Result<(), ScenarioError> {
        let counts = self.tcp.ecn.counts();
        let expected = "off or classic for an endpoint of a plug-in, which counts marks in its own way";
        require(!counts, format!("{path}.tcp.ecn"), self.tcp.ecn.word(), expected)?;
        let plain = |tcp: &TcpSpec| serde_json::to_value(tcp).expect("plain data");
        let (given, defaults) = (plain(&self.tcp), plain(&TcpSpec::default()));
        let settings = given.as_object().into_iter().flatten();
        for (name, value) in settings.filter(|(name, _)| !whole::SETTINGS.contains(&name.as_str())) {
            let expected = "its default beside an endpoint of a plug-in, which has settings of its own";
            require(defaults[name] == *value, format!("{path}.tcp.{name}"), value, expected)?;
        }
        let least = self.controller.endpoint().and_then(|spec| spec.datagram_min());
        let least = u64::from(whole::HEADERS) + least.map_or(1, |bytes| bytes.count());
        let expected = format!(
            "at least {least} beside this endpoint, whose smallest datagrams hold that but the headers of UDP and IP, {} bytes",
            whole::HEADERS
        );
        let fits = u64::from(self.packet_bytes) >= least;
        require(fits, format!("{path}.packet_bytes"), self.packet_bytes, &expected)
    }
}

impl Scenario {
    /// Cuts of a stack's window are its own affair.
    pub(super) fn check_told(&self) -> Result<(), ScenarioError> {
        let of_a_stack = |profile: u32| self.profiles[profile as usize].controller.endpoint().is_some();
        let nobody_tells = !self.flows.is_empty() && self.flows.iter().all(|flow| of_a_stack(flow.profile));
        let expected = "false where every flow is an endpoint of a plug-in: none tells what cuts its window";
        require(!(nobody_tells && self.record.congestion), "record.congestion", true, expected)
    }
}
