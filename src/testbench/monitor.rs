//! Watches properties in every cycle of a run, through the names and values of its waveform.
//!
//! A [`Tracer`] writes into a [`Monitor`] instead of a file, so that a property sees exactly what a
//! viewer shows. Between two changes all values hold: such cycles are judged together, however many
//! they are.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use super::compiler::{Compiled, Op, ValueNames, compile};
use super::property::{Binary, Name, Property, PropertyError, Unary, When};
use crate::network::{Network, Wiring};
use crate::trace::{Header, Options, Sink, TraceError, Tracer};

/// The cycle behind the last one of a silence that never ends.
const FOREVER: u64 = u64::MAX;

/// A property that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Cycle in which that was certain.
    pub cycle: u64,
    /// What was seen.
    pub message: String,
}

/// How a property fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its first violation.
    pub violation: Option<Violation>,
    /// Whether it was ever asked for: the left side of `|->` held in some cycle.
    pub asked: bool,
    /// Where the run was cut off before an answer was due: the first cycle in which that was asked
    /// for.
    pub open: Option<u64>,
}

/// Properties made ready for a network: names are signals, expressions are programs.
#[derive(Clone, Debug)]
pub struct Monitor {
    duties: Vec<Duty>,
    /// Every operation stands behind its operands.
    program: Vec<Op>,
    /// Results of this cycle and of the one before.
    now: Vec<u64>,
    before: Vec<u64>,
    /// Values of the declared signals, and where each begins.
    values: Vec<u64>,
    places: Vec<usize>,
    scopes: Vec<String>,
    /// Cycles in which a comparison with `cycle` may turn, ascending.
    turns: Vec<u64>,
    /// Operations that look back.
    looking_back: u64,
    /// Cycles below this are judged.
    judged: u64,
    /// Values below are those of this cycle.
    since: Option<u64>,
    names: ValueNames,
}

/// A property under way.
#[derive(Clone, Debug)]
pub(super) struct Duty {
    property: Property,
    when: Option<usize>,
    then: usize,
    /// Signals it names, as written, with where they stand.
    shown: Vec<(Name, Op)>,
    /// The same as the dump has them, with their ranges of bits.
    dumped: Vec<String>,
    /// Cycles in which it was asked for and that are not answered, as ranges.
    pending: VecDeque<(u64, u64)>,
    outcome: Outcome,
}

/// The monitor as a tracer's declarations: they are known.
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
    /// Makes properties ready.
    ///
    /// # Errors
    /// The first property that names what is not there, by its index, and why.
    pub fn new(properties: Vec<Property>, network: &Network, wiring: &Wiring) -> Result<Self, (usize, PropertyError)> {
        let Compiled { duties, program, places, words, scopes, turns, names } = compile(properties, network, wiring)?;
        let looks_back = |op: &&Op| matches!(op, Op::Unary(unary, _) if !matches!(unary, Unary::Not | Unary::Invert));
        Ok(Self {
            duties,
            now: vec![0; program.len()],
            before: vec![0; program.len()],
            values: vec![0; words],
            places,
            looking_back: program.iter().filter(looks_back).count() as u64,
            program,
            turns,
            judged: 0,
            since: None,
            names,
            scopes,
        })
    }

    /// The signals that a property names, as the dump has them.
    #[must_use]
    pub(crate) fn dumped(&self, property: usize) -> &[String] {
        &self.duties[property].dumped
    }

    /// Whether there is nothing to watch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.duties.is_empty()
    }

    /// The observer of one run.
    ///
    /// # Errors
    /// When the signals are too many.
    pub fn observe<'a>(&self, network: &Network, wiring: &'a Wiring) -> Result<Tracer<'a, Self>, TraceError> {
        let options = Options { scopes: self.scopes.clone(), ..Options::default() };
        Tracer::new(Ready(self.clone()), Path::new("properties"), network, wiring, options)
    }

    /// What became of each property. `silent`: nothing happens behind the end, all values hold for
    /// ever.
    #[must_use]
    pub fn outcomes(mut self, silent: bool) -> Vec<Outcome> {
        let end = self.judged.max(self.since.unwrap_or(0));
        if silent {
            self.advance(FOREVER);
        }
        let ended = |duty: Duty| {
            let Duty { property, pending, mut outcome, .. } = duty;
            if outcome.violation.is_none()
                && let Some(&(start, _)) = pending.front()
            {
                let (from, until) = property.window;
                let message = match property.when {
                    _ if until == u64::MAX && property.when == When::Once => {
                        Some(format!("did not hold in any of the {end} cycles of the run"))
                    }
                    _ if until == u64::MAX => {
                        Some(format!("asked for in cycle {start}, it did not hold until the end, cycle {end}"))
                    }
                    // Behind a run that was cut off nobody knows.
                    When::Once if from >= end => Some(format!("the run ended before, in cycle {end}")),
                    _ => None,
                };
                outcome.open = Some(start).filter(|_| message.is_none());
                outcome.violation = message.map(|message| Violation { cycle: end.saturating_sub(1), message });
            }
            outcome
        };
        self.duties.into_iter().map(ended).collect()
    }

    /// Judges the cycles up to and without `to`, in which the values are as they are.
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
            // What looks back is settled when the values have been the same for as many cycles.
            if fresh > 0 {
                fresh -= 1;
                same = at + 1;
            }
            self.judge(at, same);
            std::mem::swap(&mut self.now, &mut self.before);
            self.judged = same;
        }
    }

    fn evaluate(&mut self, cycle: u64) {
        for (at, op) in self.program.iter().enumerate() {
            let now = |of: usize| self.now[of];
            let before = |of: usize| if cycle == 0 { self.now[of] } else { self.before[of] };
            let value = match *op {
                Op::Number(n) => n,
                Op::Read(..) => read(&self.values, *op),
                Op::Cycle(op, n) => binary(op, cycle, n),
                Op::Unary(unary, of) => match unary {
                    Unary::Not => u64::from(now(of) == 0),
                    Unary::Invert => !now(of),
                    Unary::Past => before(of),
                    Unary::Rose => u64::from(now(of) != 0 && before(of) == 0),
                    Unary::Fell => u64::from(now(of) == 0 && before(of) != 0),
                    Unary::Stable => u64::from(now(of) == before(of)),
                    Unary::Changed => u64::from(now(of) != before(of)),
                },
                Op::Binary(op, a, b) => binary(op, now(a), now(b)),
            };
            self.now[at] = value;
        }
    }

    /// Takes the results for the cycles `from..to`.
    fn judge(&mut self, from: u64, to: u64) {
        for duty in self.duties.iter_mut().filter(|duty| duty.outcome.violation.is_none()) {
            let asked = match duty.property.when {
                When::Once => from == 0,
                When::Always => true,
                When::If(_) => duty.when.is_some_and(|when| self.now[when] != 0),
            };
            if let Some((start, end)) = duty.judge(from, to, asked, self.now[duty.then] != 0) {
                let values = duty.shown.iter().map(|(name, op)| show(name, read(&self.values, *op), &self.names));
                let values: Vec<_> = values.collect();
                duty.outcome.violation =
                    Some(Violation { cycle: end, message: duty.describe(start, end, &values.join(", ")) });
            }
        }
    }
}

impl Duty {
    /// Not asked for yet.
    pub fn new(
        property: Property,
        when: Option<usize>,
        then: usize,
        shown: Vec<(Name, Op)>,
        dumped: Vec<String>,
    ) -> Self {
        let outcome = Outcome { violation: None, asked: false, open: None };
        Self { property, when, then, shown, dumped, pending: VecDeque::new(), outcome }
    }

    /// Takes the results for the cycles `from..to`, up to [`FOREVER`]; the cycle in which an answer
    /// was asked for and the last in which it could have come, when it did not.
    fn judge(&mut self, from: u64, to: u64, asked: bool, holds: bool) -> Option<(u64, u64)> {
        let (soonest, latest) = self.property.window;
        if asked {
            self.outcome.asked = true;
            match self.pending.back_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => self.pending.push_back((from, to)),
            }
        }
        // Whoever could have been answered before this range is gone already. In a silence without
        // an end no answer comes too late.
        let answered = if to == FOREVER { Some(FOREVER) } else { to.checked_sub(soonest) };
        if holds && let Some(answered) = answered {
            while let Some(first) = self.pending.front_mut() {
                first.0 = first.0.max(answered);
                if first.0 < first.1 {
                    break;
                }
                self.pending.pop_front();
            }
        }
        let &(start, _) = self.pending.front()?;
        let end = start.saturating_add(latest);
        (end < to).then_some((start, end))
    }

    fn describe(&self, start: u64, end: u64, values: &str) -> String {
        let (soonest, latest) = self.property.window;
        match self.property.when {
            When::Once if soonest != latest => format!("did not hold up to cycle {end}; then {values}"),
            _ if soonest == latest && latest == 0 || self.property.when == When::Once => {
                format!("does not hold in cycle {end}: {values}")
            }
            _ if soonest == latest => format!("asked for in cycle {start}, it does not hold in cycle {end}: {values}"),
            _ => {
                format!(
                    "asked for in cycle {start}, it did not hold in cycles {} to {end}; then {values}",
                    start + soonest
                )
            }
        }
    }
}

fn binary(op: Binary, a: u64, b: u64) -> u64 {
    match op {
        Binary::Or => u64::from(a != 0 || b != 0),
        Binary::And => u64::from(a != 0 && b != 0),
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::BitAnd => a & b,
        Binary::Equal => u64::from(a == b),
        Binary::NotEqual => u64::from(a != b),
        Binary::Below => u64::from(a < b),
        Binary::AtMost => u64::from(a <= b),
        Binary::Above => u64::from(a > b),
        Binary::AtLeast => u64::from(a >= b),
        Binary::Plus => a.wrapping_add(b),
        Binary::Minus => a.wrapping_sub(b),
    }
}

/// The value that [`Op::Read`] names.
fn read(values: &[u64], op: Op) -> u64 {
    let Op::Read(at, low, bits) = op else { return 0 };
    let (word, shift) = (at + low as usize / 64, low % 64);
    let mut value = values[word] >> shift;
    if shift > 0 && shift + bits > 64 {
        value |= values[word + 1] << (64 - shift);
    }
    value & (u64::MAX >> (64 - bits))
}

/// `rt_0_0.in4.state = MOVE`.
fn show(name: &Name, value: u64, names: &ValueNames) -> String {
    let known = names.of(&name.text).iter().find(|(v, _)| *v == value && name.bits.is_none());
    let value = match known {
        Some((_, known)) => known.clone(),
        None if name.text.rsplit('.').next() == Some("data") => format!("{value:#x}"),
        None => value.to_string(),
    };
    match name.bits {
        Some((high, low)) if high == low => format!("{}[{high}] = {value}", name.text),
        Some((high, low)) => format!("{}[{high}:{low}] = {value}", name.text),
        None => format!("{} = {value}", name.text),
    }
}

#[cfg(test)]
#[path = "monitor_tests.rs"]
mod tests;
