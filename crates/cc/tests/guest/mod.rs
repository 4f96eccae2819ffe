//! A plug-in for tests: a controller of the table behind the interface of plug-ins, which misbehaves when it is told to.

use sawtooth_cc::plugin::{Answers, Call, Outcome, Plugin, PluginController, unnamed};
use sawtooth_cc::{
    AnyController, ConstructorInfo, ControlSettings, Controller, ParameterInfo, Properties, Wants,
    parse_controller,
};

/// A law of the table under another name.
#[derive(Debug)]
pub struct Foreign {
    info: ConstructorInfo,
    file: &'static str,
    /// What to do wrong, at which call counted from 0: 0 is the creation.
    wrong: Option<(u32, Wrong)>,
}

/// What a plug-in can do wrong.
#[derive(Clone, Copy, Debug)]
pub enum Wrong {
    /// Return an error.
    Refuse(&'static str),
    /// Answer this.
    Answer(Answers),
}

pub const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo::new("a", "packets/round", Some(1.0), (0.0, 1e6), "packets added per round"),
    ParameterInfo::new("b", "1", Some(0.5), (0.0, 1.0), "fraction kept"),
];

impl Foreign {
    /// `mine(a, b)`, which is `aimd(a, b)`; it lives as long as the process.
    pub fn aimd(name: &'static str, file: &'static str, wrong: Option<(u32, Wrong)>) -> &'static Foreign {
        Foreign::of(name, PARAMETERS, file, wrong)
    }

    /// The same with other parameters.
    pub fn of(
        name: &'static str,
        parameters: &'static [ParameterInfo],
        file: &'static str,
        wrong: Option<(u32, Wrong)>,
    ) -> &'static Foreign {
        let info = ConstructorInfo {
            name,
            aliases: &[],
            summary: "a law of the table",
            source: "ChiuJain89",
            parameters,
            build: unnamed,
        };
        Box::leak(Box::new(Foreign { info, file, wrong }))
    }
}

impl Plugin for Foreign {
    fn info(&self) -> &ConstructorInfo {
        &self.info
    }

    fn file(&self) -> &str {
        self.file
    }

    fn properties(&self) -> Properties {
        Properties::WINDOW
    }

    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    fn create(
        &self,
        numbers: &[f64],
        settings: &ControlSettings,
    ) -> Result<Box<dyn PluginController>, Box<str>> {
        let spec = parse_controller(&format!("aimd({}, {})", numbers[0], numbers[1])).unwrap();
        let controller =
            ForeignController { inner: AnyController::new(&spec, settings), calls: 0, wrong: self.wrong };
        match self.wrong {
            Some((0, Wrong::Refuse(what))) => Err(what.into()),
            _ => Ok(Box::new(controller)),
        }
    }
}

#[derive(Clone, Debug)]
struct ForeignController {
    inner: AnyController,
    calls: u32,
    wrong: Option<(u32, Wrong)>,
}

impl PluginController for ForeignController {
    fn call(&mut self, call: Call<'_>, answers: &mut Answers) -> Outcome {
        self.calls += 1;
        match call {
            Call::Sent(packet) => self.inner.on_sent(packet),
            Call::Ack(ack) => self.inner.on_ack(ack),
            Call::Lost(packet) => self.inner.on_lost(packet),
            Call::Congestion(signal) => self.inner.on_congestion(signal),
            Call::Undo(signal) => self.inner.on_undo(signal),
            Call::Idle(signal) => self.inner.on_idle(signal),
            Call::Recovery(signal) => self.inner.on_recovery(signal),
            Call::Round(now) => self.inner.on_round(now),
        }
        self.answers(answers)
    }

    fn answers(&self, answers: &mut Answers) -> Outcome {
        match self.wrong {
            Some((at, Wrong::Refuse(what))) if at == self.calls => return Err(what.into()),
            Some((at, Wrong::Answer(wrong))) if at == self.calls => *answers = wrong,
            _ => {
                answers.window = self.inner.window().packets();
                answers.slow_start_threshold = self.inner.slow_start_threshold().packets();
            }
        }
        Ok(())
    }

    fn copy(&self) -> Result<Box<dyn PluginController>, Box<str>> {
        Ok(Box::new(self.clone()))
    }

    fn takes_rounds(&self) -> bool {
        true
    }
}
