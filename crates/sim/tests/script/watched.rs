//! A controller that does what another does and remembers what it was told, so that a script can look at it.

use super::{Checked, number, same};
use sawtooth_cc::units::Window;
use sawtooth_cc::{AckSample, AnyController, CongestionSignal, Controller};
use std::cell::RefCell;
use std::rc::Rc;

/// What a controller was told.
#[derive(Debug, Default)]
pub struct Told {
    sample: Option<AckSample>,
}

/// The controller; copies share what they were told.
#[derive(Debug)]
pub struct Watched {
    inner: AnyController,
    told: Rc<RefCell<Told>>,
}

impl Watched {
    /// Watch this one, in the same notebook as others.
    pub fn new(inner: AnyController, told: &Rc<RefCell<Told>>) -> Self {
        Watched { inner, told: Rc::clone(told) }
    }
}

impl Controller for Watched {
    fn on_ack(&mut self, ack: &AckSample) {
        self.told.borrow_mut().sample = Some(*ack);
        self.inner.on_ack(ack);
    }

    fn on_congestion(&mut self, signal: &CongestionSignal) {
        self.inner.on_congestion(signal);
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn slow_start_threshold(&self) -> Window {
        self.inner.slow_start_threshold()
    }
}

impl Told {
    /// `expect told …`: the last sample, pair by pair.
    pub fn expect(&self, words: &[&str]) -> Checked {
        let sample = self.sample.ok_or("the controller has had no sample")?;
        for pair in words.chunks(2) {
            match *pair {
                ["marked", count] => same("marked packets", sample.ce_marked, number(count)?)?,
                _ => return Err(format!("`told {}`: no such expectation", pair.join(" "))),
            }
        }
        Ok(())
    }
}
