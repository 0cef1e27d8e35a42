//! Monitor of properties in every cycle of a run, through the names and values of its waveform.
//!
//! A [`Tracer`] writes into a [`Monitor`] instead of a file. So a property sees exactly the values
//! that a viewer shows. Between two changes all values stay the same, so the monitor judges all
//! these cycles together.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::compiler::{Compiled, ValueNames, compile};
use super::duty::{Duty, FOREVER, NamedSignal, OpenQuestion};
pub use super::duty::{PropertyOutcome, Violation};
use super::growth::{Growth, deciding};
use super::program::{Op, binary, looks_back, read, unary};
use super::property::{Expr, Later, Name, Property, PropertyError, Unary, When};
use crate::network::{Clock, Network, Wiring};
use crate::trace::signal::{Signal, Type};
use crate::trace::{Header, Options, Sink, TraceError, Tracer};

/// Compiled properties of a network. Names are signals, and expressions are programs.
#[derive(Clone, Debug)]
pub struct Monitor {
    duties: Vec<Duty>,
    /// Bins of the testbench.
    bins: Vec<MonitorBin>,
    /// Program. Every operation comes after its operands.
    program: Vec<Op>,
    /// Results of this cycle, and of the cycle before.
    now: Vec<u64>,
    before: Vec<u64>,
    /// Values of the declared signals, and the place of each.
    values: Vec<u64>,
    places: Vec<usize>,
    scopes: Vec<String>,
    /// Cycles in which a comparison with `cycle` may change, ascending.
    turns: Vec<u64>,
    /// Counts of the program.
    growth: Growth,
    /// Number of operations that look back.
    looking_back: u64,
    /// First cycle that is not judged yet.
    judged: u64,
    /// Number of cycles of the run, once it is known. The run is at rest after them.
    end: u64,
    /// First cycle of the present values.
    since: Option<u64>,
    names: ValueNames,
}

/// A bin of the testbench.
#[derive(Clone, Debug)]
struct MonitorBin {
    /// Operations of its conditions.
    conditions: Vec<usize>,
    /// Whether all conditions hold.
    holds: bool,
    /// Number of times that they began to hold.
    hits: u64,
}

/// A monitor as the declarations of a tracer, whose signals it knows already.
struct Ready(Monitor);

impl Header for Ready {
    type Sink = Monitor;

    fn open(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn signal(&mut self, _: &str, _: u32) -> io::Result<()> {
        Ok(())
    }

    fn begin(self) -> io::Result<Monitor> {
        Ok(self.0)
    }
}

impl Sink for Monitor {
    type Output = Self;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        if self.since.is_some() {
            self.advance(cycle);
        }
        self.since = Some(cycle);
        Ok(())
    }

    fn word(&mut self, signal: u32, value: u64) {
        self.values[self.places[signal as usize]] = value;
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        self.values[self.places[signal as usize]..][..value.len()].copy_from_slice(value);
    }

    fn finish(self) -> io::Result<Self> {
        Ok(self)
    }
}

impl Monitor {
    /// Compiles properties and the conditions of bins.
    ///
    /// # Errors
    /// The index of the first property or condition with an unknown name, and its fault. Conditions
    /// are counted after the properties.
    pub fn new(
        properties: Vec<Property>,
        bins: &[Vec<&Expr>],
        network: &Network,
        wiring: &Wiring,
    ) -> Result<Self, (usize, PropertyError)> {
        let Compiled { mut duties, bins, program, places, words, scopes, turns, names } =
            compile(properties, bins, network, wiring)?;
        for duty in &mut duties {
            let roots = duty.when.into_iter().chain([duty.then]).collect();
            duty.counts = deciding(&program, roots, &duty.samples);
        }
        let bins = bins.into_iter().map(|conditions| MonitorBin { conditions, holds: false, hits: 0 }).collect();
        let looks_back = |op: &&Op| matches!(op, Op::Unary(unary, _) if looks_back(*unary));
        let growth = Growth::new(&program, duties.iter().flat_map(|duty| &duty.samples).copied());
        Ok(Self {
            duties,
            bins,
            now: vec![0; program.len()],
            before: vec![0; program.len()],
            values: vec![0; words],
            places,
            growth,
            looking_back: program.iter().filter(looks_back).count() as u64,
            program,
            turns,
            judged: 0,
            end: FOREVER,
            since: None,
            names,
            scopes,
        })
    }

    /// The properties.
    pub(super) fn duties(&self) -> &[Duty] {
        &self.duties
    }

    /// The program of all expressions.
    pub(super) fn program(&self) -> &[Op] {
        &self.program
    }

    /// The text of a property.
    pub(crate) fn text(&self, property: usize) -> &str {
        &self.duties[property].property.text
    }

    /// Names and present values of the signals that a property names.
    pub(super) fn present(&self, property: usize) -> Vec<(String, String)> {
        let shown = self.duties[property].shown.iter();
        shown.map(|of| named(of, read(&self.values, of.read), &self.names)).collect()
    }

    /// Takes the values of a signal, the lowest word first.
    pub(super) fn take(&mut self, signal: u32, value: &[u64]) {
        self.values[self.places[signal as usize]..][..value.len()].copy_from_slice(value);
    }

    /// The instances whose signals the properties name.
    pub(super) fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// The signals that a property names.
    pub(crate) fn signals(&self, property: usize) -> impl Iterator<Item = Signal> {
        self.duties[property].shown.iter().map(|shown| shown.signal)
    }

    /// Whether there is nothing to watch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.duties.is_empty() && self.bins.is_empty()
    }

    /// Number of times that each bin was reached.
    pub(super) fn hits(&self) -> impl Iterator<Item = u64> {
        self.bins.iter().map(|bin| bin.hits)
    }

    /// The observer of one run.
    ///
    /// # Errors
    /// There are too many signals.
    pub fn observe<'a>(&self, network: &Network, wiring: &'a Wiring) -> Result<Tracer<'a, Self>, TraceError> {
        let options = Options { scopes: self.scopes.clone(), clock_ns: Some(Clock::DEFAULT_NS), ..Options::default() };
        Tracer::new(Ready(self.clone()), Path::new("properties"), network, wiring, options)
    }

    /// Result of each property. `silent` says that nothing happens after the end, so that all
    /// values hold for ever.
    #[must_use]
    pub fn outcomes(mut self, silent: bool) -> Vec<PropertyOutcome> {
        let end = self.judged.max(self.since.unwrap_or(0));
        if silent {
            self.end = end;
            self.advance(FOREVER);
        }
        let ended = |duty: Duty| {
            let Duty { property, pending, is_left, mut outcome, .. } = duty;
            let open = pending.iter().map(|of| of.until.min(end).saturating_sub(of.from)).sum();
            outcome.passed = outcome.triggered.saturating_sub(open);
            if is_left {
                outcome.open = Some(pending.front().map_or(end, |of| of.from)).filter(|_| outcome.violation.is_none());
            } else if outcome.violation.is_none()
                && let Some(&OpenQuestion { from: start, .. }) = pending.front()
            {
                let Later { soonest, latest } = property.window;
                let message = match property.when {
                    _ if latest.is_none() && property.when == When::Once => {
                        Some(format!("did not hold in any of the {end} cycles of the run"))
                    }
                    _ if latest.is_none() => Some(format!(
                        "triggered in cycle {start}, it did not hold until the end, cycle {}",
                        end.saturating_sub(1)
                    )),
                    // A run that was cut off has no answer after its end.
                    When::Once if soonest >= end => Some(format!("the run ended before, in cycle {end}")),
                    _ => None,
                };
                outcome.open = Some(start).filter(|_| message.is_none());
                let cycle = end.saturating_sub(1);
                outcome.violation = message.map(|message| Violation { cycle, asked: start.min(cycle), message });
            }
            outcome
        };
        self.duties.into_iter().map(ended).collect()
    }

    /// Judges the cycles up to and without `to`, which have the present values.
    fn advance(&mut self, to: u64) {
        let mut fresh = self.looking_back;
        while self.judged < to {
            let at = self.judged;
            let turn = self.turns.partition_point(|&turn| turn <= at);
            if turn > 0 && self.turns[turn - 1] == at {
                fresh = self.looking_back;
            }
            self.evaluate(at);
            let mut same = self.turns.get(turn).map_or(to, |&turn| turn.min(to));
            if to == FOREVER {
                self.leave();
            }
            let steps = to != FOREVER && self.growth.values.iter().any(|&count| self.grows(count));
            // Operations that look back have their final results once the values have been the same
            // for as many cycles.
            if fresh > 0 || steps {
                fresh = fresh.saturating_sub(1);
                same = at + 1;
            }
            let next = self.growth.next(&self.now, |count| self.grows(count));
            if let Some(next) = next.map(|cycles| at.saturating_add(cycles)).filter(|&next| next <= same) {
                (fresh, same) = (self.looking_back, next);
            }
            self.judge(at, same);
            for count in 0..self.program.len() {
                if self.grows(count) {
                    self.now[count] = self.now[count].saturating_add(same - at - 1);
                }
            }
            std::mem::swap(&mut self.now, &mut self.before);
            self.judged = same;
        }
    }

    /// Whether an operation is a count that grows in the cycle that was evaluated last.
    fn grows(&self, at: usize) -> bool {
        matches!(self.program[at], Op::Unary(Unary::Count, of) if self.now[of] != 0)
    }

    /// Leaves the properties unjudged that need every value of a count that grows for ever.
    fn leave(&mut self) {
        for at in 0..self.duties.len() {
            if self.duties[at].counts.iter().any(|&count| self.grows(count)) {
                self.duties[at].is_left = true;
            }
        }
    }

    fn evaluate(&mut self, cycle: u64) {
        for (at, op) in self.program.iter().enumerate() {
            let now = |of: usize| self.now[of];
            let before = |of: usize| if cycle == 0 { self.now[of] } else { self.before[of] };
            let value = match *op {
                Op::Number(n) => n,
                Op::Local(..) => 0,
                Op::Read(..) => read(&self.values, *op),
                Op::Cycle(op, n) => binary(op, cycle, n),
                Op::Unary(unary_op, of) => match unary_op {
                    Unary::Past => before(of),
                    Unary::Rose => u64::from(now(of) != 0 && before(of) == 0),
                    Unary::Fell => u64::from(now(of) == 0 && before(of) != 0),
                    Unary::Stable => u64::from(now(of) == before(of)),
                    Unary::Changed => u64::from(now(of) != before(of)),
                    // Before cycle 0 all results are 0.
                    Unary::Count => self.before[at].saturating_add(u64::from(now(of) != 0)),
                    other => unary(other, now(of)),
                },
                Op::Binary(op, a, b) => binary(op, now(a), now(b)),
            };
            self.now[at] = value;
        }
    }

    /// Takes the results for the cycles `from..to`.
    fn judge(&mut self, from: u64, to: u64) {
        for bin in &mut self.bins {
            let held = std::mem::replace(&mut bin.holds, bin.conditions.iter().all(|&at| self.now[at] != 0));
            bin.hits += u64::from(bin.holds && !held);
        }
        let (program, now) = (&self.program, &mut self.now);
        let counted = to.min(self.end).saturating_sub(from);
        for duty in self.duties.iter_mut().filter(|duty| duty.outcome.violation.is_none() && !duty.is_left) {
            let asked = match duty.property.when {
                When::Once => from == 0,
                When::Always => true,
                When::If(_) => duty.when.is_some_and(|when| now[when] != 0),
            };
            if asked {
                duty.ask(from, to, counted, duty.samples.iter().map(|&of| now[of]).collect());
            } else {
                duty.pass(counted);
            }
            let (own, then) = (std::mem::take(&mut duty.own), duty.then);
            let late = duty.judge(to, |samples| {
                for &at in &own {
                    now[at] = match program[at] {
                        Op::Local(number, _) => samples[number],
                        Op::Unary(op, of) => unary(op, now[of]),
                        Op::Binary(op, a, b) => binary(op, now[a], now[b]),
                        Op::Number(_) | Op::Read(..) | Op::Cycle(..) => now[at],
                    };
                }
                now[then] != 0
            });
            duty.own = own;
            if let Some((start, end)) = late {
                let values = duty.shown.iter().map(|of| named(of, read(&self.values, of.read), &self.names));
                let values: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
                let mut message = duty.describe(start, end, &values.join(", "));
                if end >= self.end {
                    let _ = write!(message, "; the run is at rest from cycle {} on", self.end);
                }
                duty.outcome.violation = Some(Violation { cycle: end, asked: start, message });
            }
        }
    }
}

/// Name of a signal as written in the property, and a value as a viewer shows it.
fn named(shown: &NamedSignal, value: u64, names: &ValueNames) -> (String, String) {
    let Name { text, bits, .. } = &shown.name;
    let known = names.of(shown.values).iter().find(|(v, _)| *v == value && bits.is_none());
    let value = match known {
        Some((_, known)) => known.clone(),
        None if matches!(shown.values, Type::Data(_)) => format!("{value:#x}"),
        None => value.to_string(),
    };
    let name = match bits {
        Some((high, low)) if high == low => format!("{text}[{high}]"),
        Some((high, low)) => format!("{text}[{high}:{low}]"),
        None => text.clone(),
    };
    (name, value)
}

#[cfg(test)]
#[path = "monitor_tests.rs"]
mod tests;
