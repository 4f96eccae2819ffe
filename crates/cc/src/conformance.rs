//! What every controller is held to, whatever its law: rules, scripts that try to break them, and the exemptions of built-in laws.
//!
//! Source: the rules name theirs. A rule looks at a few hundred scripts, the same for every controller; where it is broken, the answer
//! is the smallest script found in which it still is. So a pass is no proof, and a break is one.
//!
//! A law that a rule cannot be meant for stands under [`EXEMPTIONS`] with the section that says so. A law with a transport protocol of its
//! own is exempt from all rules: it hears of reports, not of acknowledgements.

mod connection;
mod rules;
pub mod script;
mod search;

use crate::ControllerSpec;
pub use connection::Answered;
use connection::Connection;
pub use rules::Fault;
pub use script::Script;
use serde::Serialize;

/// Something every controller is held to.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub id: &'static str,
    /// What it says.
    pub what: &'static str,
    /// Where that is said.
    pub source: &'static str,
    judge: fn(&ControllerSpec, &Script) -> Option<Fault>,
}

/// The rules, in the order in which they are judged.
pub const RULES: &[Rule] = &[
    Rule {
        id: "bounds",
        what: "whatever is measured, the window is finite and at least one packet, and a rate is above 0",
        source: "RFC 5681 §3.1: the least window, after a timeout, is one segment",
        judge: rules::bounds,
    },
    Rule {
        id: "loss-reaction",
        what: "within the round trip after a loss less may be in flight than before it",
        source: "RFC 5681 §3.2; RFC 9002 §7.3.2",
        judge: rules::loss_reaction,
    },
    Rule {
        id: "app-limited",
        what: "acknowledgements of what an application-limited sender sent do not raise the window",
        source: "RFC 7661 §4.3; RFC 9002 §7.8",
        judge: rules::app_limited,
    },
    Rule {
        id: "no-feedback",
        what: "after every timeout one packet may be sent, so that silence leads to one packet per back-off",
        source: "RFC 5681 §3.1; RFC 6298 §5.5",
        judge: rules::no_feedback,
    },
    Rule {
        id: "clone",
        what: "a copy answers as the original does, and neither hears what the other is told",
        source: "the interface of controllers: sawtooth.h, `clone`",
        judge: rules::clone,
    },
    Rule {
        id: "deterministic",
        what: "equal connections answer alike, whatever other connections there are",
        source: "the same scenario and seed give the same bytes: CONTRIBUTING.md",
        judge: rules::deterministic,
    },
];

/// A built-in law that a rule is not meant for.
#[derive(Debug)]
pub struct Exemption {
    /// The law, as its results name it.
    pub law: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// What the law does instead, and where that is said.
    pub source: &'static str,
}

/// All of them; a test shows that none could be left out.
pub const EXEMPTIONS: &[Exemption] = &[
    Exemption {
        law: "bbr",
        rule: "loss-reaction",
        source: "draft-ietf-ccwg-bbr §5.3.1.3, §5.5.10: losses lower the bounds of its model, while it probes above 2 % of a round trip; \
                 one alone does not",
    },
    Exemption {
        law: "bbr",
        rule: "app-limited",
        source: "draft-ietf-ccwg-bbr §5.6.4.6: up to the bound of its model the window grows by what is delivered; §4.1.2.4 marks the \
                 samples instead",
    },
    Exemption {
        law: "bbr-1",
        rule: "loss-reaction",
        source: "[Cardwell16], Linux tcp_bbr.c: the rate takes no notice of losses; a window less what was lost comes back after recovery",
    },
    Exemption {
        law: "bbr-1",
        rule: "app-limited",
        source: "[Cardwell16], Linux tcp_bbr.c: up to the bound of its model the window grows by what is delivered; samples are marked instead",
    },
    Exemption {
        law: "copa",
        rule: "loss-reaction",
        source: "[ArunBalakrishnan18] §2: it goes by the queueing delay; a loss leaves the window and lowers 1/delta in competitive mode alone",
    },
];

const OWN_TRANSPORT: &str = "it has a transport protocol of its own, whose receiver reports: RFC 5348 (TFRC), RFC 8698 (NADA), Rejaie99 (RAP)";

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// No script broke it.
    Passed,
    /// A script broke it.
    Broken,
    /// It is not meant for this law.
    Exempt,
}

/// What became of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleResult {
    /// The rule's name.
    pub id: &'static str,
    /// Whether it holds.
    pub result: Judged,
    /// What it says.
    pub what: &'static str,
    /// Where that is said; of an exemption, where that is.
    pub source: &'static str,
    /// What is wrong after the last line of the script.
    pub said: Option<String>,
    /// The smallest script found that breaks it.
    pub script: Option<String>,
}

impl Rule {
    fn exemption(&self, spec: &ControllerSpec) -> Option<&'static str> {
        if spec.properties().own_transport {
            return Some(OWN_TRANSPORT);
        }
        let law = spec.behaviour().0;
        let found = EXEMPTIONS.iter().find(|exemption| exemption.law == law && exemption.rule == self.id);
        found.map(|exemption| exemption.source)
    }

    /// The smallest script found that breaks it, with what is wrong, whether the law is exempt or not.
    pub fn broken(&self, spec: &ControllerSpec) -> Option<(Script, Fault)> {
        let judge = |script: &Script| (self.judge)(spec, script);
        let first = (0..search::SCRIPTS).find_map(|number| {
            let script = search::script(number);
            judge(&script).map(|fault| (script, fault))
        });
        first.map(|(script, fault)| search::smallest(script, fault, judge))
    }

    fn result(&self, spec: &ControllerSpec) -> RuleResult {
        let Rule { id, what, source, .. } = *self;
        let found = |result, source| RuleResult { id, result, what, source, said: None, script: None };
        if let Some(exempt) = self.exemption(spec) {
            return found(Judged::Exempt, exempt);
        }
        match self.broken(spec) {
            None => found(Judged::Passed, source),
            Some((script, fault)) => {
                let script = Some(script.to_string());
                RuleResult { said: Some(fault.said), script, ..found(Judged::Broken, source) }
            }
        }
    }
}

/// Hold a controller to every rule. It must be one that [`crate::check_controller`] accepts.
pub fn check(spec: &ControllerSpec) -> Vec<RuleResult> {
    RULES.iter().map(|rule| rule.result(spec)).collect()
}

/// What a controller answers after each line of a script; what goes wrong in it unwinds.
pub fn play(spec: &ControllerSpec, script: &Script) -> Vec<Answered> {
    let mut connection = Connection::open(spec, script);
    let each = script.actions.iter().map(|&action| {
        connection.act(action);
        connection.answers()
    });
    each.collect()
}
