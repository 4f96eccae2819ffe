//! FQ-CoDel: a queue per flow, each under CoDel; queues that have just become active are served before the others.
//!
//! Source: RFC 8290; the control law is that of [`super::codel::law`], the classification [`super::classes`].
//!
//! | parameter         | unit    | default | why                                                                            |
//! |-------------------|---------|---------|--------------------------------------------------------------------------------|
//! | packets           | packets | given   | the buffer that all queues share, in packets, or                               |
//! | bytes             | bytes   | given   | in bytes; neither counts the packet in transmission, which is in no queue      |
//! | flows             | queues  | 1024    | RFC 8290 §5.2.5                                                                |
//! | quantum           | bytes   | 1514    | RFC 8290 §5.2.4: an Ethernet packet with its header                            |
//! | hash              | choice  | flow    | a queue for each flow; `random`, collisions as by chance, RFC 8290 §5.3        |
//! | target            | time    | 5 ms    | RFC 8290 §5.2.2                                                                |
//! | interval          | time    | 100 ms  | RFC 8290 §5.2.1                                                                |
//! | ecn               | flag    | true    | RFC 8290 §5.2.6                                                                |
//! | ce_threshold      | time    | none    | RFC 8290 §5.2.7                                                                |
//! | ce_threshold_ect1 | time    | none    | Linux, `ce_threshold_selector`: the same for ECT(1) alone                      |
//! | variant           | choice  | rfc8289 | `ns-3` for comparisons with that simulator, see [`super::codel::law`]          |
//! | root              | choice  | exact   | RFC 8289 §5; `newton`, Linux and ns-3: how 1/√n is found                       |
//! | backlog           | choice  | own     | ns-3; `all`, RFC 8289 §4.4 and Linux: which bytes must be left for a drop      |
//!
//! A queue that gets a packet while it is in no list joins the new queues, with a quantum of credits. The first new queue is served, or the
//! first old one if there is no new one; a queue without credits gets a quantum and goes to the end of the old ones. A queue found
//! empty goes there too, if it was new, or leaves the lists. So a flow that never has more than a quantum waiting passes all
//! that do, and no stream of new queues can starve the old ones.
//!
//! If the buffer overflows, half of the packets of the queue with the most bytes, at most 64, are dropped from its head (RFC 8290 §4.1);
//! among queues of equal length, of the one with the lowest number.
//!
//! Differs from the RFC: a queue whose credits are exactly used up is out of turn, as in Linux; the RFC's text says "negative", and means by
//! it one that has sent at least a quantum (§4.2). Half of an odd number of packets is rounded up. The hash is another ([`super::classes`]).
//!
//! The default departs from a SHOULD of RFC 8289 §4.4. The law asks whether more than one packet is left; the RFC wants the bytes of all
//! queues on the link to count for that, and by default (`backlog = "own"`) those of the flow's own queue do, as in ns-3. So a queue never
//! loses its only packet, however long that has waited. Where so many flows share a link that most have a packet or two there, the law
//! hardly acts, and the wait grows with their number. With `"all"`, as in Linux, the only packet of a queue is dropped, too, while other
//! queues hold more than a packet. The default is what was done before there was a choice.
//!
//! Differs from Linux: drops by overflow do not move the law's count. Data of a flow, its acknowledgements and each constant-rate source
//! are different owners.

use super::chain::{Chain, Store};
use super::classes::{Classes, Hash};
use super::codel::law::{Held, Params, Root, State, Variant};
use super::codel::{self, SPAN_ACCEPTED, check_span};
use super::limit::Limit;
use super::longest::Longest;
use super::owner::Owner;
use super::{
    Backlog, DisciplineInfo, DisciplineParameter, DisciplineSpec, DisciplineState, DropReason, Marking,
    QueueContext, QueueDiscipline, Queued, Rate, SUBQUEUES_MAX, ScenarioError, Span, require,
};
use crate::packet::Packet;
use sawtooth_cc::units::Time;
use serde::{Deserialize, Serialize};

/// Its row in the table.
pub const INFO: DisciplineInfo = DisciplineInfo {
    summary: "a queue per flow, each under CoDel, served in turn, and first where it has just become active",
    source: "RFC 8290",
    buffer: "10240 packets",
    schedules: true,
    keeps_flows_apart: true,
    drops_at_departure: true,
    draws: true,
    has_state: true,
    marking: Marking::WithEcnOrThreshold,
    parameters: PARAMETERS,
    ..DisciplineInfo::BLANK
};

/// The most queues, as in Linux.
const FLOWS_MAX: u32 = 65_536;
/// The largest quantum: many packets, and far from overflow.
const QUANTUM_MAX: u32 = 1_000_000;
/// The most packets that an overflow drops at once: RFC 8290 §4.1.
const BATCH: u32 = 64;

/// What can be set besides the buffer.
const PARAMETERS: &[DisciplineParameter] = &[
    DisciplineParameter::new(
        "flows",
        "count",
        "queues",
        "1 to 65536",
        "How many queues there are. With hash = \"flow\" those that come later than so many share. Default: RFC 8290 §5.2.5",
    )
    .of_sharing(),
    DisciplineParameter::new(
        "quantum",
        "size",
        "bytes",
        "1 B to 1 MB",
        "Bytes that a queue may send in its turn. Default: RFC 8290 §5.2.4, an Ethernet packet with its header",
    )
    .of_sharing(),
    DisciplineParameter::choice(
        "hash",
        &["flow", "random"],
        "How a flow gets its queue: one of its own (flow), or one by chance, so that some share (random, RFC 8290 §5.3). Default: \
         exact, so that a comparison of controllers has no collisions in it",
    )
    .of_sharing(),
    codel::TARGET,
    codel::INTERVAL,
    DisciplineParameter::new(
        "ecn",
        "flag",
        "",
        "true or false",
        "ECN-capable packets are marked instead of dropped. Default: RFC 8290 §5.2.6",
    )
    .of_marks(),
    codel::CE_THRESHOLD,
    DisciplineParameter::span(
        "ce_threshold_ect1",
        SPAN_ACCEPTED,
        "Waiting time beyond which every packet with ECT(1) is marked. Default: Linux (ce_threshold_selector), none",
    )
    .of_l4s()
    .optional(),
    codel::VARIANT,
    DisciplineParameter::choice(
        "backlog",
        &["own", "all"],
        "Which bytes must be left, more than those of one packet, for a drop: those of the flow's own queue (own, ns-3), or of all \
         queues (all, RFC 8289 §4.4, Linux). Default: as it was before there was a choice",
    )
    .of_sharing()
    .later(),
    codel::ROOT,
];

/// Where more than one packet must be left for the law to drop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// The queue of the packet.
    #[default]
    Own,
    /// All queues.
    All,
}

impl Counted {
    fn is_default(&self) -> bool {
        *self == Counted::default()
    }
}

/// The numbers of FQ-CoDel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FqCodelSpec {
    /// Packets of all queues, the one in transmission not included.
    pub packets: Option<u64>,
    /// Bytes of all queues, the packet in transmission not included.
    pub bytes: Option<u64>,
    /// How many queues there are.
    pub flows: u32,
    /// Bytes that a queue may send in its turn.
    pub quantum: u32,
    /// How a flow gets its queue.
    pub hash: Hash,
    /// Waiting time that a standing queue may have.
    pub target_ns: u64,
    /// How long it must stand for a drop.
    pub interval_ns: u64,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Waiting time beyond which ECN-capable packets are marked.
    pub ce_threshold_ns: Option<u64>,
    /// The same for packets with ECT(1) alone.
    pub ce_threshold_ect1_ns: Option<u64>,
    /// Whose details.
    pub variant: Variant,
    /// Where more than one packet must be left.
    #[serde(skip_serializing_if = "Counted::is_default")]
    pub backlog: Counted,
    /// How the times between drops fall.
    #[serde(skip_serializing_if = "Root::is_default")]
    pub root: Root,
}

impl Default for FqCodelSpec {
    fn default() -> Self {
        FqCodelSpec {
            packets: None,
            bytes: None,
            flows: 1024,
            quantum: 1514,
            hash: Hash::default(),
            target_ns: 5_000_000,
            interval_ns: 100_000_000,
            ecn: true,
            ce_threshold_ns: None,
            ce_threshold_ect1_ns: None,
            variant: Variant::default(),
            backlog: Counted::default(),
            root: Root::default(),
        }
    }
}

impl DisciplineSpec for FqCodelSpec {
    type Discipline = FqCodel;

    fn limit(&self) -> (Option<u64>, Option<u64>) {
        (self.packets, self.bytes)
    }

    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        let known = (1..=FLOWS_MAX).contains(&self.flows);
        require(known, format!("{path}.flows"), self.flows, "1 to 65536")?;
        let known = (1..=QUANTUM_MAX).contains(&self.quantum);
        require(known, format!("{path}.quantum"), self.quantum, "1 to 1000000 bytes")?;
        check_span(path, "target_ns", self.target_ns)?;
        check_span(path, "interval_ns", self.interval_ns)?;
        for (name, span) in
            [("ce_threshold_ns", self.ce_threshold_ns), ("ce_threshold_ect1_ns", self.ce_threshold_ect1_ns)]
        {
            span.map_or(Ok(()), |nanos| check_span(path, name, nanos))?;
        }
        Ok(())
    }

    fn build(&self, _: Rate) -> FqCodel {
        let params = Params {
            target: Span::from_nanos(self.target_ns),
            interval: Span::from_nanos(self.interval_ns),
            ecn: self.ecn,
            ce_threshold: self.ce_threshold_ns.map(Span::from_nanos),
            ce_threshold_ect1: self.ce_threshold_ect1_ns.map(Span::from_nanos),
            variant: self.variant,
            root: self.root,
        };
        FqCodel {
            limit: self.buffer(),
            quantum: i64::from(self.quantum),
            params,
            counted: self.backlog,
            classes: Classes::new(self.flows, self.hash),
            backlog: Backlog::default(),
            queues: Vec::new(),
            store: Store::default(),
            new: List::default(),
            old: List::default(),
            longest: Longest::default(),
        }
    }
}

/// No queue.
const NONE: u32 = u32::MAX;

/// One queue.
#[derive(Clone, Copy, Debug)]
struct Member {
    chain: Chain,
    packets: u32,
    /// Bytes that it may still send in its turn; negative where its last packet was larger.
    credits: i64,
    law: State,
    /// Is it in one of the lists?
    is_active: bool,
    /// The one behind it in its list.
    next: u32,
}

impl Default for Member {
    fn default() -> Self {
        Member {
            chain: Chain::default(),
            packets: 0,
            credits: 0,
            law: State::default(),
            is_active: false,
            next: NONE,
        }
    }
}

/// Active queues, in the order in which they are served.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

impl Default for List {
    fn default() -> Self {
        List { first: NONE, last: NONE }
    }
}

impl List {
    fn push(&mut self, number: u32, queues: &mut [Member]) {
        queues[number as usize].next = NONE;
        match self.first {
            NONE => self.first = number,
            _ => queues[self.last as usize].next = number,
        }
        self.last = number;
    }

    /// Take the first one out; there is one.
    fn pop(&mut self, queues: &[Member]) {
        self.first = queues[self.first as usize].next;
    }
}

/// The packets of one queue under the law.
struct Packets<'a> {
    store: &'a mut Store,
    chain: &'a mut Chain,
    packets: &'a mut u32,
    backlog: &'a mut Backlog,
    counted: Counted,
}

impl Held for Packets<'_> {
    #[inline]
    fn take(&mut self) -> Option<Queued> {
        if self.chain.is_empty() {
            return None;
        }
        let queued = self.store.take(self.chain);
        *self.packets -= 1;
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(queued.packet.bytes());
        Some(queued)
    }

    #[inline]
    fn left(&self) -> u64 {
        match self.counted {
            Counted::Own => self.chain.bytes(),
            Counted::All => self.backlog.bytes,
        }
    }
}

/// Queues under FQ-CoDel.
#[derive(Debug)]
pub struct FqCodel {
    limit: Limit,
    quantum: i64,
    params: Params,
    counted: Counted,
    classes: Classes,
    backlog: Backlog,
    queues: Vec<Member>,
    store: Store,
    new: List,
    old: List,
    longest: Longest,
}

impl FqCodel {
    /// A queue with its packets, for the law.
    #[inline]
    fn packets_of(&mut self, number: u32) -> (&mut State, Packets<'_>) {
        let Member { chain, packets, law, .. } = &mut self.queues[number as usize];
        let (store, backlog, counted) = (&mut self.store, &mut self.backlog, self.counted);
        (law, Packets { store, chain, packets, backlog, counted })
    }

    /// Too much waits: the fattest queue loses half of its packets.
    #[cold]
    fn shed(&mut self, context: &mut QueueContext<'_>) {
        let queues = &self.queues;
        let length = |number: u32| (queues[number as usize].chain.bytes(), u64::from(number));
        let fattest = self.longest.first(length).expect("more waits than fits");
        let lost = self.queues[fattest as usize].packets.div_ceil(2).min(BATCH);
        let (_, mut packets) = self.packets_of(fattest);
        for _ in 0..lost {
            let dropped = packets.take().expect("half of what it has");
            context.drop(dropped, DropReason::Full);
        }
    }

    /// The first queue in order is out of turn: it gets a quantum, or leaves if it is empty and old.
    fn put_back(&mut self, number: u32, is_new: bool) {
        let list = if is_new { &mut self.new } else { &mut self.old };
        list.pop(&self.queues);
        let member = &mut self.queues[number as usize];
        if member.credits <= 0 {
            member.credits += self.quantum;
        } else if !is_new {
            member.is_active = false;
            return;
        }
        self.old.push(number, &mut self.queues);
    }
}

impl QueueDiscipline for FqCodel {
    fn enqueue(&mut self, arrival: Queued, context: &mut QueueContext<'_>) {
        let number = self.classes.queue_of(Owner::of(arrival.packet), context.random);
        if number as usize >= self.queues.len() {
            self.queues.resize(number as usize + 1, Member::default());
        }
        let member = &mut self.queues[number as usize];
        self.store.append(&mut member.chain, arrival);
        member.packets += 1;
        if !member.is_active {
            member.is_active = true;
            member.credits = self.quantum;
            self.new.push(number, &mut self.queues);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(arrival.packet.bytes());
        self.longest.note_growth(number);
        while self.limit.is_exceeded_by(self.backlog) {
            self.shed(context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued> {
        loop {
            let is_new = self.new.first != NONE;
            let number = if is_new { self.new.first } else { self.old.first };
            if number == NONE {
                return None;
            }
            if self.queues[number as usize].credits > 0 {
                let params = self.params;
                let (law, mut packets) = self.packets_of(number);
                if let Some(sent) = law.send(&params, &mut packets, context) {
                    self.queues[number as usize].credits -= i64::from(sent.packet.bytes());
                    return Some(sent);
                }
            }
            self.put_back(number, is_new);
        }
    }

    fn remove(
        &mut self,
        owner: Owner,
        wanted: &mut dyn FnMut(Packet) -> bool,
        context: &mut QueueContext<'_>,
    ) -> Option<Queued> {
        let number = self.classes.queue_of(owner, context.random);
        let member = self.queues.get_mut(number as usize)?;
        let removed = self.store.remove(&mut member.chain, owner, wanted)?;
        member.packets -= 1;
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(removed.packet.bytes());
        Some(removed)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn states(&self, now: Time) -> [Option<DisciplineState>; SUBQUEUES_MAX] {
        let active = || self.queues.iter().filter(|member| member.is_active);
        let dropping = active().filter(|member| member.law.is_dropping()).count() as u32;
        let waits =
            active().filter_map(|member| self.store.head(&member.chain)).map(|head| now - head.arrived);
        let waited = waits.max().unwrap_or(Span::ZERO);
        [Some(DisciplineState { backlog: self.backlog, waited, probability: 0.0, dropping }), None]
    }
}
