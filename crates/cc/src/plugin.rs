//! Controllers from outside this crate: what one must do, which of them are at hand, and the guard that every call to one passes.
//!
//! Source: none. The controllers of the table are a closed enum and stay one; a plug-in is its last variant. Who loads plug-ins collects
//! them in [`Plugins`] and hands that to whoever reads names. A scenario holds a [`PluginSpec`]: the constructor, the file's hash and
//! the numbers. It can be run once [`Plugins::bind`] has found its code.
//!
//! A plug-in is a controller, or a whole [`endpoint`] with a transport of its own.
//!
//! | bound          | unit    | accepted                   | why                                                  |
//! |----------------|---------|----------------------------|------------------------------------------------------|
//! | window         | packets | 1 to 1e9                   | less than one could never send again; RFC 7323 allows 2³⁰ bytes |
//! | threshold      | packets | 0 or more, infinity as well | an infinite one is RFC 5681's "arbitrarily high"    |
//! | pacing rate    | bit/s   | none, or 1 to 1e15         | slower could never send again; of what does not say that it paces only from its start on |
//! | quantum        | bytes   | 0 to 1e9                   | what one burst may hold                              |
//!
//! An answer out of its bounds, an error that a call returns or a panic in it ends the run by a [`PluginFault`], which unwinds.

pub mod endpoint;

use crate::constructor::{ConstructorError, ConstructorInfo};
use crate::controller::{Controller, Properties, Wants};
use crate::sample::{AckSample, LostPacket, SentPacket};
use crate::settings::ControlSettings;
use crate::signal::{CongestionSignal, IdleSignal, RecoverySignal, UndoSignal};
use crate::units::{Bytes, Rate, Time, Window};
use crate::{CONTROLLERS, ControllerSpec, RATE_CONTROLLERS};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::panic::{RefUnwindSafe, resume_unwind};

/// What plug-ins are listed with.
pub const FAMILY: &str = "plug-ins";

/// The behaviour number of the guard and of what plug-ins are told; what a plug-in does is identified by its file.
pub const PLUGIN_BEHAVIOUR: (&str, u32) = ("plugin", 1);

/// Settings that have another default beside a plug-in: those that the laws of the table carry out themselves are left to it.
pub const DEFAULTS: &[(&str, &str)] = &[("idle", "keep")];

/// Something that happened to a connection, as a plug-in is told of it.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    /// [`Controller::on_sent`].
    Sent(&'a SentPacket),
    /// [`Controller::on_ack`].
    Ack(&'a AckSample),
    /// [`Controller::on_lost`].
    Lost(&'a LostPacket),
    /// [`Controller::on_congestion`].
    Congestion(&'a CongestionSignal),
    /// [`Controller::on_undo`].
    Undo(&'a UndoSignal),
    /// [`Controller::on_idle`].
    Idle(&'a IdleSignal),
    /// [`Controller::on_recovery`].
    Recovery(&'a RecoverySignal),
    /// [`Controller::on_round`]; only where [`PluginController::takes_rounds`].
    Round(Time),
}

impl Call<'_> {
    /// The name of the call.
    pub const fn name(&self) -> &'static str {
        match self {
            Call::Sent(_) => "on_sent",
            Call::Ack(_) => "on_ack",
            Call::Lost(_) => "on_lost",
            Call::Congestion(_) => "on_congestion",
            Call::Undo(_) => "on_undo",
            Call::Idle(_) => "on_idle",
            Call::Recovery(_) => "on_recovery",
            Call::Round(_) => "on_round",
        }
    }

    /// When it is made.
    #[inline]
    pub const fn now(&self) -> Time {
        match self {
            Call::Sent(packet) => packet.sent_at,
            Call::Ack(ack) => ack.now,
            Call::Congestion(signal) => signal.now,
            Call::Undo(signal) => signal.now,
            Call::Idle(signal) => signal.now,
            Call::Recovery(signal) => signal.now,
            Call::Lost(packet) => packet.now,
            Call::Round(now) => *now,
        }
    }
}

/// What a plug-in answers after a call: a struct as C has it, so that a library can write into it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Answers {
    /// How many packets may be in flight.
    pub window: f64,
    /// The window below which slow start runs, in packets.
    pub slow_start_threshold: f64,
    /// How fast packets may leave, in bit/s; 0: it does not say.
    pub pacing_rate: f64,
    /// What may leave back to back, in bytes.
    pub send_quantum: u64,
    /// See [`Controller::mark_application_limited`].
    pub mark_application_limited: bool,
}

impl Answers {
    /// The smallest and the largest window, in packets.
    pub const WINDOW: (f64, f64) = (1.0, 1e9);
    /// The slowest and the fastest rate, in bit/s.
    pub const RATE: (f64, f64) = (1.0, 1e15);
    /// The largest quantum, in bytes.
    pub const QUANTUM_MAX: u64 = 1_000_000_000;

    /// Before the first answer. The window is none that is accepted.
    pub const NONE: Answers = Answers {
        window: f64::NAN,
        slow_start_threshold: f64::INFINITY,
        pacing_rate: 0.0,
        send_quantum: 0,
        mark_application_limited: false,
    };

    /// What is out of its bounds, with what would be accepted.
    fn fault(&self) -> Option<String> {
        let Answers { window, slow_start_threshold: threshold, send_quantum: quantum, .. } = *self;
        let within = |(least, most): (f64, f64), value: f64| (least..=most).contains(&value);
        if !within(Self::WINDOW, window) {
            return Some(format!("window = {window}: expected 1 to 1e9 packets"));
        }
        // Written so that NaN is refused.
        if !within((0.0, f64::INFINITY), threshold) {
            return Some(format!("slow_start_threshold = {threshold}: expected 0 packets or more"));
        }
        let rate = self.pacing_rate;
        if rate != 0.0 && !within(Self::RATE, rate) {
            return Some(format!("pacing_rate = {rate}: expected 1 to 1e15 bit/s, or none"));
        }
        (quantum > Self::QUANTUM_MAX)
            .then(|| format!("send_quantum = {quantum}: expected at most {} bytes", Self::QUANTUM_MAX))
    }
}

/// Nothing, or why the run cannot go on.
pub type Outcome = Result<(), Box<str>>;

/// What a plug-in offers: one constructor, and the controllers that it makes.
pub trait Plugin: fmt::Debug + Send + Sync + RefUnwindSafe {
    /// Its constructor. [`ConstructorInfo::build`] is [`unnamed`].
    fn info(&self) -> &ConstructorInfo;

    /// The SHA-256 of the file that it came from, in hexadecimal digits.
    fn file(&self) -> &str;

    /// What its controllers answer with and need.
    fn properties(&self) -> Properties;

    /// What its controllers need to be told.
    fn wants(&self) -> Wants;

    /// A controller of these numbers, in the order of the constructor.
    ///
    /// # Errors
    /// Why there is none.
    fn create(
        &self,
        numbers: &[f64],
        settings: &ControlSettings,
    ) -> Result<Box<dyn PluginController>, Box<str>>;

    /// What makes the ends of its connections, if it is a whole endpoint: then its properties say so, and it makes no controllers.
    fn stack(&self) -> Option<&dyn endpoint::Stack> {
        None
    }
}

/// A controller of a plug-in.
pub trait PluginController: fmt::Debug {
    /// Something happened; `answers` held before, and are to be what holds afterwards.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn call(&mut self, call: Call<'_>, answers: &mut Answers) -> Outcome;

    /// [`Call::Ack`], which comes most often.
    ///
    /// # Errors
    /// As [`PluginController::call`].
    #[inline]
    fn on_ack(&mut self, ack: &AckSample, answers: &mut Answers) -> Outcome {
        self.call(Call::Ack(ack), answers)
    }

    /// What holds now, written over [`Answers::NONE`].
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn answers(&self, answers: &mut Answers) -> Outcome;

    /// A controller in the same state.
    ///
    /// # Errors
    /// Why there is none.
    fn copy(&self) -> Result<Box<dyn PluginController>, Box<str>>;

    /// Has it a [`Call::Round`] of its own?
    fn takes_rounds(&self) -> bool {
        false
    }
}

/// The [`ConstructorInfo::build`] of every plug-in: the numbers alone, which [`Plugins`] completes.
pub fn unnamed(numbers: &[f64]) -> ControllerSpec {
    ControllerSpec::Plugin(Box::new(PluginSpec {
        name: String::new(),
        file: String::new(),
        parameters: numbers.iter().map(|&number| (String::new(), number)).collect(),
        properties: Properties::WINDOW,
        code: None,
    }))
}

/// A controller of a plug-in in plain data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginSpec {
    /// Its constructor.
    pub name: String,
    /// The SHA-256 of the file that it comes from, in hexadecimal digits: another file makes other runs.
    pub file: String,
    /// Its numbers by name, in the order of the constructor.
    pub parameters: Vec<(String, f64)>,
    /// What it answers with and what it needs of a transport.
    pub properties: Properties,
    /// The code, once it has been found.
    #[serde(skip)]
    code: Option<&'static dyn Plugin>,
}

impl PartialEq for PluginSpec {
    fn eq(&self, other: &PluginSpec) -> bool {
        let PluginSpec { name, file, parameters, properties, code: _ } = self;
        (name, file, parameters, properties)
            == (&other.name, &other.file, &other.parameters, &other.properties)
    }
}

impl PluginSpec {
    /// Its numbers, in the order of the constructor.
    pub fn numbers(&self) -> Vec<f64> {
        self.parameters.iter().map(|&(_, number)| number).collect()
    }

    /// Are its numbers ones that its constructor accepts?
    pub(crate) fn check(&self) -> Result<(), ConstructorError> {
        let Some(code) = self.code else {
            return Err(ConstructorError::NotLoaded { name: self.name.clone(), file: self.file.clone() });
        };
        let names = code.info().parameters.iter().map(|parameter| parameter.name);
        if !names.eq(self.parameters.iter().map(|(name, _)| name.as_str())) {
            let (text, given) = (self.name.clone(), self.parameters.len());
            return Err(ConstructorError::ParameterCount { text, given, form: code.info().form() });
        }
        code.info().with_values(&self.numbers()).map(drop)
    }

    /// A controller at the start of its connection.
    pub(crate) fn start(&self, settings: &ControlSettings) -> Box<Guest> {
        let code = self.code.expect("a checked controller of a plug-in is bound to its code");
        let mut answers = Answers::NONE;
        let created = code.create(&self.numbers(), settings);
        let answered = created.and_then(|inner| inner.answers(&mut answers).map(|()| inner));
        let inner = answered.unwrap_or_else(|what| {
            raise(self.name.clone(), "create", settings.flow, Time::ZERO, what.into_string())
        });
        let paces = code.properties().pacing_rate;
        let mut guest = Guest { inner, code, answers, paces, flow: settings.flow, now: Time::ZERO };
        guest.paces |= guest.answers.pacing_rate != 0.0;
        guest.guard("create");
        Box::new(guest)
    }
}

/// Why a plug-in cannot join the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PluginRefused {
    /// The table has this name.
    #[error("{name}: expected a name that no built-in controller has")]
    Taken {
        /// The name.
        name: String,
    },
    /// Nobody could write this name.
    #[error("{name}: expected a name of small letters, digits, -, + and _ that begins with a letter")]
    Unwritable {
        /// The name.
        name: String,
    },
    /// Nobody could write the name of a parameter, or its interval holds no default.
    #[error("{name}.{parameter}: expected {expected}")]
    Parameter {
        /// The plug-in's name.
        name: String,
        /// The parameter's name.
        parameter: String,
        /// What would be accepted.
        expected: &'static str,
    },
}

/// The plug-ins that are at hand.
#[derive(Clone, Debug, Default)]
pub struct Plugins {
    loaded: Vec<&'static dyn Plugin>,
}

fn is_name(text: &str) -> bool {
    let rest = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-+_".contains(&byte);
    text.bytes().next().is_some_and(|first| first.is_ascii_lowercase()) && text.bytes().all(rest)
}

impl Plugins {
    /// None.
    pub const NONE: Plugins = Plugins { loaded: Vec::new() };

    /// One more, which replaces one of the same name.
    ///
    /// # Errors
    /// A name that the table has or that cannot be written, a parameter that cannot be given.
    pub fn add(&mut self, plugin: &'static dyn Plugin) -> Result<(), PluginRefused> {
        let info = plugin.info();
        let name = info.name.to_owned();
        if !is_name(&name) {
            return Err(PluginRefused::Unwritable { name });
        }
        if CONTROLLERS.iter().chain(RATE_CONTROLLERS).any(|row| row.answers_to(&name)) {
            return Err(PluginRefused::Taken { name });
        }
        for (index, parameter) in info.parameters.iter().enumerate() {
            let refused = |expected| {
                let parameter = parameter.name.to_owned();
                Err(PluginRefused::Parameter { name: name.clone(), parameter, expected })
            };
            let earlier = &info.parameters[..index];
            if !is_name(parameter.name) || earlier.iter().any(|other| other.name == parameter.name) {
                return refused("a name of small letters, digits, -, + and _ that no other parameter has");
            }
            let (min, max) = (parameter.min, parameter.max);
            if !(min.is_finite() && max.is_finite() && min <= max) {
                return refused("a finite interval");
            }
            if parameter.default.is_some_and(|default| !(min..=max).contains(&default)) {
                return refused("a default inside its interval");
            }
        }
        self.loaded.retain(|other| other.info().name != info.name);
        self.loaded.push(plugin);
        Ok(())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Plugin> + '_ {
        self.loaded.iter().copied()
    }

    /// Every constructor there is: the table's, then the plug-ins'.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &ConstructorInfo> {
        let loaded = self.loaded.iter().map(|plugin| plugin.info());
        CONTROLLERS.iter().chain(RATE_CONTROLLERS).chain(loaded)
    }

    /// The controller `name-word` of a stack that has several, which may be written `name(word)`.
    pub(crate) fn member(&self, name: &str, word: &str) -> Option<&ConstructorInfo> {
        let joined = is_name(word).then(|| format!("{name}-{word}"))?;
        self.loaded.iter().map(|plugin| plugin.info()).find(|info| info.name == joined)
    }

    /// What a constructor built, with the code behind it if that is a plug-in.
    pub(crate) fn complete(&self, row: &ConstructorInfo, built: ControllerSpec) -> ControllerSpec {
        let code = self.iter().find(|plugin| plugin.info().name == row.name);
        match (built, code) {
            (ControllerSpec::Plugin(numbers), Some(code)) => {
                let names = row.parameters.iter().map(|parameter| parameter.name.to_owned());
                ControllerSpec::Plugin(Box::new(PluginSpec {
                    name: row.name.to_owned(),
                    file: code.file().to_owned(),
                    parameters: names.zip(numbers.numbers()).collect(),
                    properties: code.properties(),
                    code: Some(code),
                }))
            }
            (built, _) => built,
        }
    }

    /// Find the code of a controller that was read as data. One of the table needs none.
    ///
    /// # Errors
    /// No plug-in has its name, or the one that has it comes from another file.
    pub fn bind(&self, spec: &mut ControllerSpec) -> Result<(), ConstructorError> {
        let ControllerSpec::Plugin(spec) = spec else { return Ok(()) };
        let (name, file) = (spec.name.clone(), spec.file.clone());
        let Some(code) = self.iter().find(|plugin| plugin.info().name == name) else {
            return Err(ConstructorError::NotLoaded { name, file });
        };
        if code.file() != file {
            let loaded = code.file().to_owned();
            return Err(ConstructorError::OtherFile { name, file, loaded });
        }
        spec.properties = code.properties();
        spec.code = Some(code);
        Ok(())
    }
}

/// What a plug-in did that no run can go on from. It unwinds, without a word on standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginFault {
    /// The constructor.
    pub name: String,
    /// Which call.
    pub call: &'static str,
    /// Of which flow.
    pub flow: u32,
    /// When.
    pub now: Time,
    /// What it did.
    pub what: String,
}

impl fmt::Display for PluginFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PluginFault { name, call, flow, now, what } = self;
        write!(formatter, "plug-in {name}: {call} of flow {flow} at {} s: {what}", now.seconds())
    }
}

#[cold]
#[inline(never)]
fn raise(name: String, call: &'static str, flow: u32, now: Time, what: String) -> ! {
    resume_unwind(Box::new(PluginFault { name, call, flow, now, what }))
}

/// A controller of a plug-in behind the guard: its answers are kept from one call to the next and are always within their bounds.
#[derive(Debug)]
pub struct Guest {
    inner: Box<dyn PluginController>,
    code: &'static dyn Plugin,
    answers: Answers,
    /// It may answer with a pacing rate: its description says so, or it has one from its start.
    paces: bool,
    flow: u32,
    /// Of the last call.
    now: Time,
}

impl Guest {
    #[inline(always)]
    fn guard(&self, call: &'static str) {
        // One comparison for the usual case: within its bounds, and nothing but a window.
        let Answers { window, slow_start_threshold, pacing_rate, send_quantum, .. } = self.answers;
        let (least, most) = Answers::WINDOW;
        let usual = window >= least && window <= most && slow_start_threshold >= 0.0;
        if usual && pacing_rate == 0.0 && send_quantum == 0 {
            return;
        }
        self.guard_in_full(call);
    }

    fn guard_in_full(&self, call: &'static str) {
        if let Some(what) = self.answers.fault() {
            self.raise(call, what.into_boxed_str());
        }
        let rate = self.answers.pacing_rate;
        if rate != 0.0 && !self.paces {
            // A sender decides at its start whether it paces, by what its controller says of itself and by its first answers.
            let expected = "expected none, since its description does not say that it paces";
            self.raise(call, format!("pacing_rate = {rate}: {expected}").into_boxed_str());
        }
    }

    #[cold]
    fn raise(&self, call: &'static str, what: Box<str>) -> ! {
        raise(self.code.info().name.to_owned(), call, self.flow, self.now, what.into_string())
    }

    fn call(&mut self, call: Call<'_>) {
        self.now = call.now();
        if let Err(what) = self.inner.call(call, &mut self.answers) {
            self.raise(call.name(), what);
        }
        self.guard(call.name());
    }
}

impl Clone for Guest {
    fn clone(&self) -> Self {
        // Asked at once: a copy in another state must not hide behind the answers of the original.
        let mut answers = self.answers;
        let copied = self.inner.copy().and_then(|inner| inner.answers(&mut answers).map(|()| inner));
        let inner = copied.unwrap_or_else(|what| self.raise("clone", what));
        let guest = Guest { inner, answers, ..*self };
        guest.guard("clone");
        guest
    }
}

impl Controller for Guest {
    fn wants(&self) -> Wants {
        self.code.wants()
    }

    #[inline(never)]
    fn on_sent(&mut self, packet: &SentPacket) {
        self.call(Call::Sent(packet));
    }

    #[inline(never)]
    fn on_ack(&mut self, ack: &AckSample) {
        self.now = ack.now;
        if let Err(what) = self.inner.on_ack(ack, &mut self.answers) {
            self.raise("on_ack", what);
        }
        self.guard("on_ack");
    }

    #[inline(never)]
    fn on_lost(&mut self, packet: &LostPacket) {
        self.call(Call::Lost(packet));
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        self.call(Call::Congestion(signal));
    }

    fn on_undo(&mut self, signal: &UndoSignal) {
        self.call(Call::Undo(signal));
    }

    fn on_idle(&mut self, signal: &IdleSignal) {
        self.call(Call::Idle(signal));
    }

    fn on_recovery(&mut self, signal: &RecoverySignal) {
        self.call(Call::Recovery(signal));
    }

    fn on_round(&mut self, now: Time) {
        if self.inner.takes_rounds() {
            self.call(Call::Round(now));
            return;
        }
        for _ in 0..self.window().whole_packets() {
            self.on_ack(&AckSample::classic(now, 1, None, true));
        }
    }

    #[inline]
    fn window(&self) -> Window {
        Window::from_packets(self.answers.window)
    }

    #[inline]
    fn slow_start_threshold(&self) -> Window {
        Window::from_packets(self.answers.slow_start_threshold)
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        let bits = self.answers.pacing_rate as u64;
        (bits > 0).then(|| Rate::from_bits_per_second(bits))
    }

    #[inline]
    fn send_quantum(&self) -> Bytes {
        Bytes::new(self.answers.send_quantum)
    }

    #[inline]
    fn mark_application_limited(&self) -> bool {
        self.answers.mark_application_limited
    }
}
