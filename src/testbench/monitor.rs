//! Watches properties in every cycle of a run, through the names and values of its waveform.
//!
//! A [`Tracer`] writes into a [`Monitor`] instead of a file, so that a property sees exactly what a viewer shows. Between two
//! changes all values hold: such cycles are judged together, however many they are.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;

use super::property::{Binary, Expr, Name, Property, PropertyError, Unary, When};
use crate::config::{self, Network};
use crate::topology::{Wiring, channel};
use crate::trace::layout::{Layout, ranged};
use crate::trace::scope::Selection;
use crate::trace::{Header, Options, Sink, TraceError, Tracer, labels};

/// Signals of which all names are looked through for the nearest.
const MOST_COMPARED: u32 = 1 << 20;

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
    /// Where the run was cut off before an answer was due: the first cycle in which that was asked for.
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

#[derive(Clone, Copy, Debug)]
enum Op {
    Number(u64),
    /// Word, lowest bit within the value that begins there, bits.
    Read(usize, u32, u32),
    Cycle(Binary, u64),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
}

/// A property under way.
#[derive(Clone, Debug)]
struct Duty {
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

/// Signals of a dump by name, in the order of their numbers.
#[derive(Default)]
struct Declared {
    open: Vec<String>,
    signals: Vec<(String, u32)>,
}

impl Header for Declared {
    type Sink = Never;

    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.open.push(scope.to_owned());
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.open.pop();
        Ok(())
    }

    fn signal(&mut self, name: &str, bits: u32) -> io::Result<()> {
        self.signals.push((format!("{}.{name}", self.open.join(".")), bits));
        Ok(())
    }

    fn begin(self) -> io::Result<Never> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Declarations alone take no values.
enum Never {}

impl Sink for Never {
    type Output = ();

    fn time(&mut self, _: u64) -> io::Result<()> {
        match *self {}
    }

    fn word(&mut self, _: u32, _: u64) {
        match *self {}
    }

    fn words(&mut self, _: u32, _: &[u64]) {
        match *self {}
    }

    fn finish(self) -> io::Result<()> {
        match self {}
    }
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

fn is_cycle(name: &Name) -> bool {
    matches!(name.text.as_str(), "cycle" | "top.cycle")
}

/// Not some bits of it.
fn is_whole_cycle(name: &Name) -> bool {
    is_cycle(name) && name.bits.is_none()
}

fn full(name: &str) -> String {
    if name.starts_with("top.") { name.to_owned() } else { format!("top.{name}") }
}

/// The names that a viewer shows for the values of fields, as [`labels`] writes them.
#[derive(Clone, Debug)]
struct ValueNames(Vec<(&'static str, Vec<(u64, String)>)>);

impl ValueNames {
    fn new(network: &Network, wiring: &Wiring) -> Self {
        let ports = labels::ports(wiring).unwrap_or_default();
        let fields = [
            ("state", labels::states()),
            ("enc", labels::encodings()),
            ("owner", labels::owners(network.lanes(wiring))),
            ("holder", labels::owners(network.lanes(wiring))),
            ("worm", labels::flits()),
            ("flit", labels::flits()),
            ("branches", ports.clone()),
            ("taken", ports),
        ];
        let named = |line: &str| {
            let (value, name) = line.split_once(' ')?;
            let name = name.rsplit('?').next().unwrap_or(name);
            Some((value.parse().ok()?, if name == "-" { "none" } else { name }.to_owned()))
        };
        Self(fields.into_iter().map(|(field, text)| (field, text.lines().filter_map(named).collect())).collect())
    }

    /// Values of the field of a signal.
    fn of(&self, signal: &str) -> &[(u64, String)] {
        let field = signal.rsplit('.').next().unwrap_or_default();
        self.0.iter().find(|(name, _)| *name == field).map_or(&[], |(_, values)| values)
    }
}

impl Monitor {
    /// Makes properties ready.
    ///
    /// # Errors
    /// The first property that names what is not there, by its index, and why.
    pub fn new(properties: Vec<Property>, network: &Network, wiring: &Wiring) -> Result<Self, (usize, PropertyError)> {
        let mut signals = Signals { network, wiring, names: ValueNames::new(network, wiring), scopes: Vec::new() };
        for (index, property) in properties.iter().enumerate() {
            for name in property.names() {
                signals.find_scope(name).map_err(|error| (index, error))?;
            }
        }
        // No scope would select all.
        let scopes = Some(&signals.scopes).filter(|scopes| !scopes.is_empty());
        let declared = scopes.and_then(|scopes| signals.declare(scopes)).unwrap_or_default();
        let mut places = Vec::new();
        let mut words = 0;
        for (_, bits) in &declared {
            places.push(words);
            words += bits.div_ceil(64) as usize;
        }
        let mut numbers = HashMap::new();
        for (number, (name, bits)) in declared.iter().enumerate() {
            numbers.insert(name.as_str(), (places[number], *bits));
        }
        let mut compiler = Compiler { signals: &signals, numbers, program: Vec::new(), turns: vec![1] };
        let mut duties = Vec::new();
        for (index, property) in properties.into_iter().enumerate() {
            let duty = compiler.duty(property).map_err(|error| (index, error))?;
            duties.push(duty);
        }
        let Compiler { program, mut turns, .. } = compiler;
        turns.sort_unstable();
        turns.dedup();
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
            names: signals.names,
            scopes: signals.scopes,
        })
    }

    /// The signals that a property names, as the dump has them.
    #[must_use]
    pub fn dumped(&self, property: usize) -> &[String] {
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

    /// What became of each property. `silent`: nothing happens behind the end, all values hold for ever.
    #[must_use]
    pub fn outcomes(mut self, silent: bool) -> Vec<Outcome> {
        let end = self.judged.max(self.since.unwrap_or(0));
        if silent {
            self.advance(u64::MAX);
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
    /// Takes the results for the cycles `from..to`; the cycle in which an answer was asked for and the last in which it could
    /// have come, when it did not.
    fn judge(&mut self, from: u64, to: u64, asked: bool, holds: bool) -> Option<(u64, u64)> {
        let (soonest, latest) = self.property.window;
        if asked {
            self.outcome.asked = true;
            match self.pending.back_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => self.pending.push_back((from, to)),
            }
        }
        // Whoever could have been answered before this range is gone already.
        if holds && let Some(answered) = to.checked_sub(soonest) {
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

/// The names of a network.
struct Signals<'a> {
    network: &'a Network,
    wiring: &'a Wiring,
    names: ValueNames,
    /// Scopes of the signals that are named.
    scopes: Vec<String>,
}

impl Signals<'_> {
    /// Names and widths of all signals in `scopes`; in all scopes when there are none.
    fn declare(&self, scopes: &[String]) -> Option<Vec<(String, u32)>> {
        let selection = Selection::new(scopes).ok()?;
        let layout = Layout::new(self.network, self.wiring, selection, &[]).ok()?;
        if scopes.is_empty() && layout.count() > MOST_COMPARED {
            return None;
        }
        let mut declared = Declared::default();
        layout.declare(self.wiring, &[], &mut declared).ok()?;
        Some(declared.signals)
    }

    /// Adds the scope of a signal, if there is one of this name.
    fn find_scope(&mut self, name: &Name) -> Result<(), PropertyError> {
        if is_cycle(name) || !name.text.contains('.') {
            return Ok(());
        }
        let full = full(&name.text);
        let scope = full.rsplit_once('.').map_or("", |(scope, _)| scope).to_owned();
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        // The name of an input lane, in4.v1, may stand for the value of an owner.
        let is_value = self.names.of("owner").iter().any(|(_, value)| *value == name.text);
        match self.declare(std::slice::from_ref(&scope)) {
            Some(_) if scope != "top" => self.scopes.push(scope),
            _ if is_value => {}
            _ => return Err(self.unknown(name)),
        }
        Ok(())
    }

    fn unknown(&self, name: &Name) -> PropertyError {
        let full = full(&name.text);
        let nearest = if let Some(all) = self.declare(&[]) {
            config::most_like(&full, all.into_iter().map(|(name, _)| name))
        } else {
            // Too many to compare: those of the instance, if that is known.
            let scope = full.rsplit_once('.').map_or("", |(scope, _)| scope).to_owned();
            match Selection::new(&[scope]).map(|s| Layout::new(self.network, self.wiring, s, &[])) {
                Ok(Err(TraceError::NoMatch { nearest, .. })) => nearest,
                _ => Vec::new(),
            }
        };
        let nearest: Vec<_> = nearest.iter().map(|name| name.strip_prefix("top.").unwrap_or(name)).collect();
        PropertyError::new(
            name.span.start,
            format!("no signal \"{}\"; nearest names: {}", config::excerpt(&name.text), nearest.join(", ")),
        )
    }
}

struct Compiler<'a> {
    signals: &'a Signals<'a>,
    /// Word at which each signal begins, and its bits.
    numbers: HashMap<&'a str, (usize, u32)>,
    program: Vec<Op>,
    turns: Vec<u64>,
}

impl Compiler<'_> {
    fn duty(&mut self, property: Property) -> Result<Duty, PropertyError> {
        let when = match &property.when {
            When::If(expr) => Some(self.compile(expr)?),
            _ => None,
        };
        let then = self.compile(&property.then)?;
        let mut shown: Vec<(Name, Op)> = Vec::new();
        for name in property.names() {
            let is_new = !shown.iter().any(|(other, _)| (&other.text, other.bits) == (&name.text, name.bits));
            if is_new && !is_cycle(name) && self.numbers.contains_key(full(&name.text).as_str()) {
                shown.push((name.clone(), self.signal(name)?));
            }
        }
        if shown.is_empty() {
            let Signals { network, wiring, .. } = self.signals;
            let mut first =
                channel::outputs(wiring, network.lanes(wiring)).map(|(_, name)| format!(", such as {name}.valid"));
            let first = first.next().unwrap_or_default();
            return Err(PropertyError::new(0, format!("names no signal{first}")));
        }
        let outcome = Outcome { violation: None, asked: false, open: None };
        let dumped = shown.iter().map(|(name, _)| {
            let full = full(&name.text);
            let (_, bits) = self.numbers[full.as_str()];
            ranged(&full, bits)
        });
        let dumped = dumped.collect();
        Ok(Duty { property, when, then, shown, dumped, pending: VecDeque::new(), outcome })
    }

    fn push(&mut self, op: Op) -> usize {
        self.program.push(op);
        self.program.len() - 1
    }

    fn compile(&mut self, expr: &Expr) -> Result<usize, PropertyError> {
        let op = match expr {
            Expr::Number(n) => Op::Number(*n),
            Expr::Name(name) if is_cycle(name) => {
                return Err(PropertyError::new(name.span.start, "cycle is compared with a number, as in cycle >= 100"));
            }
            Expr::Name(name) => self.signal(name)?,
            Expr::Unary(op, of) => Op::Unary(*op, self.compile(of)?),
            Expr::Binary(op, a, b) => match (&**a, &**b) {
                (Expr::Name(name), Expr::Number(n)) if is_whole_cycle(name) && is_comparison(*op) => {
                    self.cycle(*op, *n)
                }
                (Expr::Number(n), Expr::Name(name)) if is_whole_cycle(name) && is_comparison(*op) => {
                    self.cycle(mirrored(*op), *n)
                }
                (Expr::Name(a), Expr::Name(b))
                    if matches!(op, Binary::Equal | Binary::NotEqual) && !is_cycle(a) && !is_cycle(b) =>
                {
                    let value = self.value(a, b)?.map(|n| (a, n));
                    if let Some((signal, value)) = value.or(self.value(b, a)?.map(|n| (b, n))) {
                        let (signal, value) = (self.signal(signal)?, self.push(Op::Number(value)));
                        Op::Binary(*op, self.push(signal), value)
                    } else {
                        let (a, b) = (self.signal(a)?, self.signal(b)?);
                        Op::Binary(*op, self.push(a), self.push(b))
                    }
                }
                (a, b) => Op::Binary(*op, self.compile(a)?, self.compile(b)?),
            },
        };
        Ok(self.push(op))
    }

    fn cycle(&mut self, op: Binary, n: u64) -> Op {
        self.turns.extend([n, n.saturating_add(1)]);
        Op::Cycle(op, n)
    }

    /// The value that `name` names for `signal`.
    fn value(&self, signal: &Name, name: &Name) -> Result<Option<u64>, PropertyError> {
        if !self.numbers.contains_key(full(&signal.text).as_str())
            || self.numbers.contains_key(full(&name.text).as_str())
        {
            return Ok(None);
        }
        let known = self.signals.names.of(&signal.text);
        if let Some((value, _)) = known.iter().find(|(_, known)| *known == name.text) {
            return Ok(Some(*value));
        }
        if name.text.contains('.') {
            return Ok(None);
        }
        let message = format!("\"{}\" names no value of {}", name.text, signal.text);
        let message = if known.is_empty() {
            format!("{message}; its values are numbers")
        } else {
            let nearest = config::most_like(&name.text, known.iter().map(|(_, name)| name.clone()));
            format!("{message}; nearest names: {}", nearest.join(", "))
        };
        Err(PropertyError::new(name.span.start, message))
    }

    fn signal(&self, name: &Name) -> Result<Op, PropertyError> {
        let refuse = |message: String| Err(PropertyError::new(name.span.start, message));
        let Some(&(at, width)) = self.numbers.get(full(&name.text).as_str()) else {
            if name.text.contains('.') {
                return Err(self.signals.unknown(name));
            }
            let message = "is no signal, and names a value only beside == or !=, as in rt_0_0.in4.state == MOVE";
            return refuse(format!("\"{}\" {message}", name.text));
        };
        let width = u64::from(width);
        let (high, low) = name.bits.unwrap_or((width - 1, 0));
        if high >= width || low > high {
            return refuse(format!("{} has bits {} to 0", name.text, width - 1));
        }
        if high - low >= 64 {
            return refuse(format!(
                "{width} bits are too many for an expression; choose up to 64: {}[63:0]",
                name.text
            ));
        }
        Ok(Op::Read(at, low as u32, (high - low + 1) as u32))
    }
}

fn is_comparison(op: Binary) -> bool {
    use Binary::{Above, AtLeast, AtMost, Below, Equal, NotEqual};
    matches!(op, Equal | NotEqual | Below | AtMost | Above | AtLeast)
}

/// The operator with its operands exchanged.
fn mirrored(op: Binary) -> Binary {
    match op {
        Binary::Below => Binary::Above,
        Binary::AtMost => Binary::AtLeast,
        Binary::Above => Binary::Below,
        Binary::AtLeast => Binary::AtMost,
        op => op,
    }
}

#[cfg(test)]
#[path = "monitor_tests.rs"]
mod tests;
