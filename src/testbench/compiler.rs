//! Compiler of properties for a network. Names become places in its dump, and expressions become
//! programs.

use std::collections::HashMap;

use super::duty::{Duty, NamedSignal};
use super::program::{Op, Range, looks_back};
use super::property::{Binary, Expr, Name, Property, PropertyError, Unary, When};
use super::range;
use crate::network::{Network, Wiring, channel};
use crate::trace::labels::{self, Label, Named};
use crate::trace::scope::Selection;
use crate::trace::signal::{Signal, Type};
use crate::trace::{Layout, TraceError};

/// Largest number of signals of which all names are searched for the nearest.
const MOST_COMPARED: u32 = 1 << 20;

/// Properties of a network, ready to be watched.
pub(super) struct Compiled {
    pub duties: Vec<Duty>,
    /// Operations of the conditions of each bin.
    pub bins: Vec<Vec<usize>>,
    /// Program. Every operation comes after its operands.
    pub program: Vec<Op>,
    /// First place of the values of the declared signals, and number of their words.
    pub places: Vec<usize>,
    pub words: usize,
    pub scopes: Vec<String>,
    /// Cycles in which a comparison with `cycle` may change, ascending.
    pub turns: Vec<u64>,
    pub names: ValueNames,
}

/// Compiles properties, and the conditions of bins.
///
/// # Errors
/// The index of the first property or condition with an unknown name, and its fault. Conditions are
/// counted after the properties.
pub(super) fn compile(
    properties: Vec<Property>,
    bins: &[Vec<&Expr>],
    network: &Network,
    wiring: &Wiring,
) -> Result<Compiled, (usize, PropertyError)> {
    let mut signals = Signals { network, wiring, names: ValueNames::new(network, wiring), scopes: Vec::new() };
    for (index, property) in properties.iter().enumerate() {
        for name in property.names() {
            signals.find_scope(name).map_err(|error| (index, error))?;
        }
    }
    let conditions = || (properties.len()..).zip(bins.iter().flatten());
    for (index, condition) in conditions() {
        let mut names = Vec::new();
        condition.names(&mut names);
        for name in names {
            signals.find_scope(name).map_err(|error| (index, error))?;
        }
    }
    // Without a scope all would be selected.
    let scopes = Some(&signals.scopes).filter(|scopes| !scopes.is_empty());
    let layout = scopes.and_then(|scopes| signals.layout(scopes));
    let (mut places, mut words, mut known) = (Vec::new(), 0, HashMap::new());
    if let Some(layout) = layout {
        for (signal, values) in layout.signals() {
            places.push(words);
            known.insert(layout.path(signal), Known { signal, values, at: words });
            words += values.bits().div_ceil(u64::BITS) as usize;
        }
    }
    let mut compiler = Compiler {
        signals: &signals,
        known,
        program: Vec::new(),
        ranges: Vec::new(),
        turns: vec![1],
        locals: Vec::new(),
    };
    let mut conditions_at = Vec::new();
    for (index, condition) in conditions() {
        conditions_at.push(compiler.question(condition).map_err(|error| (index, error))?);
    }
    let mut conditions_at = conditions_at.into_iter();
    let bins = bins.iter().map(|bin| conditions_at.by_ref().take(bin.len()).collect()).collect();
    let mut duties = Vec::new();
    for (index, property) in properties.into_iter().enumerate() {
        let duty = compiler.duty(property).map_err(|error| (index, error))?;
        duties.push(duty);
    }
    let Compiler { program, mut turns, .. } = compiler;
    turns.sort_unstable();
    turns.dedup();
    Ok(Compiled { duties, bins, program, places, words, turns, names: signals.names, scopes: signals.scopes })
}

/// A signal of the dump.
#[derive(Clone, Copy)]
struct Known {
    signal: Signal,
    values: Type,
    /// Index of the first word of its value.
    at: usize,
}

fn is_cycle(name: &Name) -> bool {
    matches!(name.text.as_str(), "cycle" | "top.cycle")
}

/// Whether the name is the whole signal `cycle`, not some bits of it.
fn is_whole_cycle(name: &Name) -> bool {
    is_cycle(name) && name.bits.is_none()
}

fn full(name: &str) -> String {
    if name.starts_with("top.") { name.to_owned() } else { format!("top.{name}") }
}

/// The names of values that a viewer shows.
#[derive(Clone, Debug)]
pub(super) struct ValueNames(Vec<(Label, Vec<(u64, String)>)>);

impl ValueNames {
    fn new(network: &Network, wiring: &Wiring) -> Self {
        let labels = [
            (Label::State, labels::states()),
            (Label::Encoding, labels::encodings()),
            (Label::Owner, labels::owners(network.lanes(wiring))),
            // Worms and flits have a name only for the value that is none.
            (Label::Worm, labels::flits()),
            (Label::Flit, labels::flits()),
            (Label::Ports, labels::ports(wiring).unwrap_or_default()),
        ];
        let word = |named: Named| (named.value, named.name.unwrap_or_else(|| "none".to_owned()));
        Self(labels.into_iter().map(|(label, names)| (label, names.into_iter().map(word).collect())).collect())
    }

    /// Names of the values of a type.
    pub fn of(&self, values: Type) -> &[(u64, String)] {
        self.0.iter().find(|(label, _)| Label::of(values) == Some(*label)).map_or(&[], |(_, names)| names)
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
    /// All signals in `scopes`; without scopes, all signals.
    fn layout(&self, scopes: &[String]) -> Option<Layout<'_>> {
        Layout::new(self.network, self.wiring, Selection::new(scopes).ok()?, &[]).ok()
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
        // The name of an input lane, in4.v1, may be the value of an owner.
        let is_value = self.names.of(Type::Owner).iter().any(|(_, value)| *value == name.text);
        match self.layout(std::slice::from_ref(&scope)) {
            Some(_) if scope != "top" => self.scopes.push(scope),
            _ if is_value => {}
            _ => return Err(self.unknown(name)),
        }
        Ok(())
    }

    fn unknown(&self, name: &Name) -> PropertyError {
        let full = full(&name.text);
        let all = self.layout(&[]).filter(|all| all.count() <= MOST_COMPARED);
        let nearest = if let Some(all) = all {
            crate::spelling::most_like(&full, all.signals().map(|(signal, _)| all.path(signal)))
        } else {
            // The network has too many signals to compare. So the search is in the instance, if it
            // is known.
            let scope = full.rsplit_once('.').map_or("", |(scope, _)| scope).to_owned();
            match Selection::new(&[scope]).map(|s| Layout::new(self.network, self.wiring, s, &[])) {
                Ok(Err(TraceError::NoMatch { nearest, .. })) => nearest,
                _ => Vec::new(),
            }
        };
        let nearest: Vec<_> = nearest.iter().map(|name| name.strip_prefix("top.").unwrap_or(name)).collect();
        PropertyError::new(
            name.span.start,
            format!("no signal \"{}\"; nearest names: {}", crate::quote::excerpt(&name.text), nearest.join(", ")),
        )
    }
}

struct Compiler<'a> {
    signals: &'a Signals<'a>,
    /// Signals by their paths.
    known: HashMap<String, Known>,
    program: Vec<Op>,
    /// Range of the values of each operation.
    ranges: Vec<Range>,
    turns: Vec<u64>,
    /// Names of the values that the left side samples, with their ranges, for the right side.
    locals: Vec<(String, Range)>,
}

impl Compiler<'_> {
    fn duty(&mut self, property: Property) -> Result<Duty, PropertyError> {
        let when = match &property.when {
            When::If(expr) => Some(self.question(expr)?),
            _ => None,
        };
        let mut samples = Vec::new();
        let mut locals: Vec<(String, Range)> = Vec::new();
        for (name, value) in &property.locals {
            if locals.iter().any(|(other, _)| *other == name.text) || is_cycle(name) {
                let message = format!("\"{}\" is the name of another value; choose another name", name.text);
                return Err(PropertyError::new(name.span.start, message));
            }
            let at = self.compile(value)?;
            samples.push(at);
            locals.push((name.text.clone(), self.ranges[at]));
        }
        let first = self.program.len();
        self.locals = locals;
        let then = self.question(&property.then);
        self.locals.clear();
        let then = then?;
        let own = self.own(first).map_err(|()| {
            let message = "a sampled value has no value in the cycle before; sample past(...) in place of it";
            PropertyError::new(property.locals.first().map_or(0, |(name, _)| name.span.start), message)
        })?;
        let mut shown: Vec<NamedSignal> = Vec::new();
        for name in property.names() {
            let is_new = !shown.iter().any(|of| (&of.name.text, of.name.bits) == (&name.text, name.bits));
            if let Some(&Known { signal, values, .. }) = self.known(name).filter(|_| is_new && !is_cycle(name)) {
                shown.push(NamedSignal { name: name.clone(), signal, values, read: self.signal(name)? });
            }
        }
        if shown.is_empty() {
            let Signals { network, wiring, .. } = self.signals;
            let mut first =
                channel::outputs(wiring, network.lanes(wiring)).map(|(_, name)| format!(", such as {name}.valid"));
            let first = first.next().unwrap_or_default();
            return Err(PropertyError::new(0, format!("names no signal{first}")));
        }
        Ok(Duty { samples, own, ..Duty::new(property, when, then, shown) })
    }

    /// Operations from `first` on whose results depend on sampled values.
    ///
    /// # Errors
    /// One of them looks back.
    fn own(&self, first: usize) -> Result<Vec<usize>, ()> {
        let mut own = Vec::new();
        for (at, op) in self.program.iter().enumerate().skip(first) {
            let depends = match op {
                Op::Local(..) => true,
                Op::Unary(_, of) => own.contains(of),
                Op::Binary(_, a, b) => own.contains(a) || own.contains(b),
                Op::Number(_) | Op::Read(..) | Op::Cycle(..) => false,
            };
            if depends {
                own.push(at);
                if matches!(op, Op::Unary(unary, _) if looks_back(*unary)) {
                    return Err(());
                }
            }
        }
        Ok(own)
    }

    /// The value with this name that the left side samples.
    fn local(&self, name: &Name) -> Option<Op> {
        let at = self.locals.iter().position(|(local, _)| *local == name.text && name.bits.is_none())?;
        Some(Op::Local(at, self.locals[at].1))
    }

    /// The signal with this name.
    fn known(&self, name: &Name) -> Option<&Known> {
        self.known.get(&full(&name.text))
    }

    fn push(&mut self, op: Op) -> usize {
        self.ranges.push(range::range(op, |of| self.ranges[of]));
        self.program.push(op);
        self.program.len() - 1
    }

    /// An expression of which only the truth counts. A signal must decide it.
    fn question(&mut self, expr: &Expr) -> Result<usize, PropertyError> {
        let at = self.compile(expr)?;
        let of = self.ranges[at];
        match range::truth(of) {
            Some(truth) => {
                let hint =
                    if matches!(expr, Expr::Unary(Unary::Invert, _)) { "; did you mean ! in place of ~?" } else { "" };
                Err(only_answer(
                    expr,
                    truth,
                    &format!("it is {} for all values of the signals{hint}", range::words(of)),
                ))
            }
            None => Ok(at),
        }
    }

    /// Refuses a comparison whose result no signal decides.
    fn check_comparison(&self, expr: &Expr, op: Binary, a: usize, b: usize) -> Result<(), PropertyError> {
        let of = [a, b].map(|at| self.ranges[at]);
        match range::answer(op, of[0], of[1]) {
            Some(truth) => {
                let [a, b] = of.map(range::words);
                Err(only_answer(expr, truth, &format!("its left side is {a}, its right side {b}")))
            }
            None => Ok(()),
        }
    }

    fn compile(&mut self, expr: &Expr) -> Result<usize, PropertyError> {
        let op = match expr {
            Expr::Number(n) => Op::Number(*n),
            Expr::Name(name) if self.local(name).is_some() => self.local(name).unwrap_or(Op::Number(0)),
            Expr::Name(name) if is_cycle(name) => {
                return Err(PropertyError::new(name.span.start, "cycle is compared with a number, as in cycle >= 100"));
            }
            Expr::Name(name) => self.signal(name)?,
            Expr::Unary(op @ (Unary::Not | Unary::Rose | Unary::Fell | Unary::Count), of) => {
                Op::Unary(*op, self.question(of)?)
            }
            Expr::Unary(op, of) => Op::Unary(*op, self.compile(of)?),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                Op::Binary(*op, self.question(a)?, self.question(b)?)
            }
            Expr::Binary(op, a, b) => match (&**a, &**b) {
                (Expr::Name(name), Expr::Number(n)) if is_whole_cycle(name) && is_comparison(*op) => {
                    self.cycle(expr, name, *op, *n)?
                }
                (Expr::Number(n), Expr::Name(name)) if is_whole_cycle(name) && is_comparison(*op) => {
                    self.cycle(expr, name, mirrored(*op), *n)?
                }
                (Expr::Name(a), Expr::Name(b))
                    if matches!(op, Binary::Equal | Binary::NotEqual)
                        && ![a, b].into_iter().any(|name| is_cycle(name) || self.local(name).is_some()) =>
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
                // `past(state) != MOVE` compares as `state != MOVE` does.
                (a, Expr::Name(b)) | (Expr::Name(b), a)
                    if matches!(op, Binary::Equal | Binary::NotEqual) && signal_before(a).is_some() =>
                {
                    let signal = signal_before(a).filter(|_| !is_cycle(b) && self.local(b).is_none());
                    let value = signal.map(|signal| self.value(signal, b)).transpose()?.flatten();
                    let a = self.compile(a)?;
                    let b = match value {
                        Some(value) => self.push(Op::Number(value)),
                        None => self.compile(&Expr::Name(b.clone()))?,
                    };
                    Op::Binary(*op, a, b)
                }
                (a, b) => Op::Binary(*op, self.compile(a)?, self.compile(b)?),
            },
        };
        if let Op::Binary(op, a, b) = op {
            self.check_comparison(expr, op, a, b)?;
        }
        Ok(self.push(op))
    }

    /// Comparison of `cycle` with a number.
    fn cycle(&mut self, expr: &Expr, name: &Name, op: Binary, n: u64) -> Result<Op, PropertyError> {
        crate::experiment::check_cycle(n).map_err(|why| PropertyError::new(name.span.start, why))?;
        if let Some(truth) = range::answer(op, (0, u64::MAX), (n, n)) {
            return Err(only_answer(expr, truth, "cycles are counted from 0"));
        }
        self.turns.extend([n, n + 1]);
        Ok(Op::Cycle(op, n))
    }

    /// The value of `signal` that `name` names.
    fn value(&self, signal: &Name, name: &Name) -> Result<Option<u64>, PropertyError> {
        let (Some(of), None) = (self.known(signal), self.known(name)) else { return Ok(None) };
        let known = self.signals.names.of(of.values);
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
            let nearest = crate::spelling::most_like(&name.text, known.iter().map(|(_, name)| name.clone()));
            format!("{message}; nearest names: {}", nearest.join(", "))
        };
        Err(PropertyError::new(name.span.start, message))
    }

    fn signal(&self, name: &Name) -> Result<Op, PropertyError> {
        let refuse = |message: String| Err(PropertyError::new(name.span.start, message));
        let Some(Known { at, values, .. }) = self.known(name) else {
            if name.text.contains('.') {
                return Err(self.signals.unknown(name));
            }
            let message = "is no signal, and names a value only beside == or !=, as in rt_0_0.in4.state == MOVE";
            return refuse(format!("\"{}\" {message}", name.text));
        };
        let width = u64::from(values.bits());
        let (high, low) = name.bits.unwrap_or((width - 1, 0));
        if low > high {
            return refuse(format!("the higher bit comes first: {}[{low}:{high}]", name.text));
        }
        if high >= width {
            return refuse(format!("{} has bits {} to 0", name.text, width - 1));
        }
        if high - low >= 64 {
            return refuse(format!(
                "{width} bits are too many for an expression; choose up to 64: {}[63:0]",
                name.text
            ));
        }
        Ok(Op::Read(*at, low as u32, (high - low + 1) as u32))
    }
}

/// The signal whose value in an earlier cycle an expression is.
fn signal_before(expr: &Expr) -> Option<&Name> {
    match expr {
        Expr::Unary(Unary::Past, of) => match &**of {
            Expr::Name(name) => Some(name),
            of => signal_before(of),
        },
        _ => None,
    }
}

/// The refusal of a question that has only one answer.
fn only_answer(expr: &Expr, truth: bool, why: &str) -> PropertyError {
    let (mut names, answer) = (Vec::new(), if truth { "always" } else { "never" });
    expr.names(&mut names);
    PropertyError::new(names.first().map_or(0, |name| name.span.start), format!("{answer} true: {why}"))
}

fn is_comparison(op: Binary) -> bool {
    use Binary::{Above, AtLeast, AtMost, Below, Equal, NotEqual};
    matches!(op, Equal | NotEqual | Below | AtMost | Above | AtLeast)
}

/// The operator for exchanged operands.
fn mirrored(op: Binary) -> Binary {
    match op {
        Binary::Below => Binary::Above,
        Binary::AtMost => Binary::AtLeast,
        Binary::Above => Binary::Below,
        Binary::AtLeast => Binary::AtMost,
        op => op,
    }
}
