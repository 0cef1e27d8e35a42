//! A second evaluator of temporal properties, written from docs/reference/testbenches.md alone. A
//! run is a list of cycles. A property is asked for in each of them. The evaluator looks at every
//! cycle in which an answer may come. It is slow, and simple enough to be believed.

use proptest::prelude::*;
use proptest::sample::select;

/// A signal of the waveform, and names of its values.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its width.
    pub bits: u32,
    /// Values with the names that a viewer shows for them.
    pub names: Vec<(u64, &'static str)>,
}

impl Signal {
    /// A signal whose values have no names, or those of its kind.
    #[must_use]
    pub fn new(name: &str, bits: u32) -> Self {
        let names = match name.rsplit('.').next() {
            Some("state") => {
                (0..).zip(["IDLE", "HEADER", "ROUTE", "TOKEN", "LANES", "MOVE", "BLOCKED", "HEADS"]).collect()
            }
            Some("owner" | "holder") => vec![(255, "none")],
            _ => Vec::new(),
        };
        Self { name: name.to_owned(), bits, names }
    }

    /// The largest value of its lowest 64 bits.
    #[must_use]
    pub fn largest(&self) -> u64 {
        u64::MAX >> (64 - self.bits.min(64))
    }
}

/// Values of signals in the cycles of a run, a list of values for each cycle.
pub type Trace = Vec<Vec<u128>>;

/// Operators of two operands, and their precedence.
const OPERATORS: [(&str, u8); 13] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    ("<=", 7),
    (">", 7),
    (">=", 7),
    ("+", 8),
    ("-", 8),
];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
/// An operand that needs no parentheses.
const OPERAND: u8 = 9;

fn binding(operator: &str) -> u8 {
    OPERATORS.iter().find(|(known, _)| *known == operator).map_or(OPERAND, |(_, binding)| *binding)
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A number.
    Number(u64),
    /// Bits of a signal, most and least significant; all of them when none are chosen.
    Signal(usize, Option<(u32, u32)>),
    /// `cycle` compared with a number.
    Cycle(&'static str, u64),
    /// The same, written the other way round.
    Mirrored(u64, &'static str),
    /// A signal compared with the name of one of its values.
    Named(usize, &'static str, &'static str),
    /// An operator or a function with its operand.
    Unary(&'static str, Box<Expr>),
    /// An operator with its operands.
    Binary(Box<Expr>, &'static str, Box<Expr>),
}

impl Expr {
    /// The text, in parentheses where it binds less tightly than the text around it.
    fn text(&self, signals: &[Signal], around: u8) -> String {
        let (text, own) = match self {
            Self::Number(n) => (n.to_string(), OPERAND),
            Self::Signal(signal, None) => (signals[*signal].name.clone(), OPERAND),
            Self::Signal(signal, Some((high, low))) => (format!("{}[{high}:{low}]", signals[*signal].name), OPERAND),
            Self::Cycle(operator, n) => (format!("cycle {operator} {n}"), binding(operator)),
            Self::Mirrored(n, operator) => (format!("{n} {operator} cycle"), binding(operator)),
            Self::Named(signal, operator, name) => {
                (format!("{} {operator} {name}", signals[*signal].name), binding(operator))
            }
            Self::Unary(sign @ ("!" | "~"), of) => (format!("{sign}{}", of.text(signals, OPERAND)), OPERAND),
            Self::Unary(function, of) => (format!("{function}({})", of.text(signals, 0)), OPERAND),
            Self::Binary(a, operator, b) => {
                let own = binding(operator);
                // Of several operators of one precedence, the leftmost comes first.
                (format!("{} {operator} {}", a.text(signals, own), b.text(signals, own + 1)), own)
            }
        };
        if own < around { format!("({text})") } else { text }
    }

    /// Its value in a cycle. After the last cycle, all signals keep their values.
    fn value(&self, signals: &[Signal], trace: &Trace, cycle: u64) -> u64 {
        let read =
            |signal: usize| trace[usize::try_from(cycle).map_or(trace.len(), |at| at).min(trace.len() - 1)][signal];
        match self {
            Self::Number(n) => *n,
            Self::Signal(signal, None) => read(*signal) as u64,
            Self::Signal(signal, Some((high, low))) => (read(*signal) >> low) as u64 & u64::MAX >> (63 - (high - low)),
            Self::Cycle(operator, n) => apply(cycle, operator, *n),
            Self::Mirrored(n, operator) => apply(*n, operator, cycle),
            Self::Named(signal, operator, name) => {
                let (value, _) = signals[*signal].names.iter().find(|(_, known)| known == name).expect("a name");
                apply(read(*signal) as u64, operator, *value)
            }
            Self::Unary(operator, of) => {
                let now = of.value(signals, trace, cycle);
                let before = || of.value(signals, trace, cycle.saturating_sub(1));
                match *operator {
                    "!" => u64::from(now == 0),
                    "~" => !now,
                    "past" => before(),
                    "rose" => u64::from(now != 0 && before() == 0),
                    "fell" => u64::from(now == 0 && before() != 0),
                    "stable" => u64::from(now == before()),
                    "changed" => u64::from(now != before()),
                    other => panic!("{other} is no function"),
                }
            }
            Self::Binary(a, operator, b) => {
                apply(a.value(signals, trace, cycle), operator, b.value(signals, trace, cycle))
            }
        }
    }

    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Unary(_, of) => vec![of],
            Self::Binary(a, _, b) => vec![a, b],
            _ => Vec::new(),
        }
    }

    fn names_a_signal(&self) -> bool {
        matches!(self, Self::Signal(..) | Self::Named(..)) || self.parts().into_iter().any(Self::names_a_signal)
    }

    /// How far back it looks, in cycles.
    fn looks_back(&self) -> u64 {
        let own = u64::from(matches!(self, Self::Unary(function, _) if !matches!(*function, "!" | "~")));
        own + self.parts().into_iter().map(Self::looks_back).max().unwrap_or(0)
    }

    /// The latest cycle that it compares with.
    fn latest(&self) -> u64 {
        let own = if let Self::Cycle(_, n) | Self::Mirrored(n, _) = self { *n } else { 0 };
        self.parts().into_iter().map(Self::latest).fold(own, u64::max)
    }

    /// Expressions in it of which only the truth counts, and comparisons.
    fn questions(&self, is_truth: bool) -> Vec<&Self> {
        let (own, below) = match self {
            Self::Binary(_, operator, _) => (COMPARISONS.contains(operator), matches!(*operator, "&&" | "||")),
            Self::Unary(operator, _) => (false, matches!(*operator, "!" | "rose" | "fell")),
            Self::Cycle(..) | Self::Mirrored(..) | Self::Named(..) => (true, false),
            _ => (false, false),
        };
        let own = (own || is_truth).then_some(self);
        own.into_iter().chain(self.parts().into_iter().flat_map(|part| part.questions(below))).collect()
    }
}

fn apply(a: u64, operator: &str, b: u64) -> u64 {
    match operator {
        "||" => u64::from(a != 0 || b != 0),
        "&&" => u64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => u64::from(a == b),
        "!=" => u64::from(a != b),
        "<" => u64::from(a < b),
        "<=" => u64::from(a <= b),
        ">" => u64::from(a > b),
        ">=" => u64::from(a >= b),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        other => panic!("{other} is no operator"),
    }
}

/// Cycles in which an answer may come, counted from the one in which it is asked for; without an
/// end any later one.
type Window = (u64, Option<u64>);

/// The form of a property, which says when it is asked for.
#[derive(Clone, Debug)]
pub enum Form {
    /// `always`, written or meant.
    Always(bool),
    /// `never`.
    Never,
    /// `eventually`, within so many cycles.
    Eventually(Option<u64>),
    /// In this cycle, as an expectation of signals.
    At(u64),
    /// In every cycle in which the left side holds: `|=>` or `|->`, and what stands behind it.
    If(Expr, bool, Delay),
}

/// Delay that follows `|->`.
#[derive(Clone, Copy, Debug)]
pub enum Delay {
    /// Nothing.
    None,
    /// `##N`.
    Exactly(u64),
    /// `##[N:M]`, `##[N:$]`.
    Between(u64, Option<u64>),
    /// `eventually`, within so many cycles.
    Eventually(Option<u64>),
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// When it is asked for.
    pub form: Form,
    /// Condition that must hold then.
    pub then: Expr,
}

/// Verdict on a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it was asked for at all.
    pub asked: bool,
    /// The cycle in which it was asked for in vain, and the one in which that was certain.
    pub violation: Option<(u64, u64)>,
    /// The first cycle in which it was asked for and that a run which was cut off left unanswered.
    pub open: Option<u64>,
}

fn within(cycles: Option<u64>) -> String {
    cycles.map_or("eventually".to_owned(), |n| format!("eventually within {n}"))
}

impl Property {
    /// The field of a testbench's expectations that holds it.
    #[must_use]
    pub fn expectation(&self, signals: &[Signal]) -> String {
        let text = self.text(signals);
        match self.form {
            Form::At(cycle) => format!("signals: [(at: {cycle}, that: \"{text}\")]"),
            _ => format!("properties: [\"{text}\"]"),
        }
    }

    /// As it is written.
    #[must_use]
    pub fn text(&self, signals: &[Signal]) -> String {
        let then = self.then.text(signals, 0);
        match &self.form {
            Form::Always(true) => format!("always {then}"),
            Form::Always(false) | Form::At(_) => then,
            Form::Never => format!("never {then}"),
            Form::Eventually(cycles) => format!("{} {then}", within(*cycles)),
            Form::If(left, later, delay) => {
                let sign = if *later { "|=>" } else { "|->" };
                let delay = match delay {
                    Delay::None => String::new(),
                    Delay::Exactly(n) => format!("##{n} "),
                    Delay::Between(n, None) => format!("##[{n}:$] "),
                    Delay::Between(n, Some(m)) => format!("##[{n}:{m}] "),
                    Delay::Eventually(cycles) => within(*cycles) + " ",
                };
                format!("{} {sign} {delay}{then}", left.text(signals, 0))
            }
        }
    }

    fn window(&self) -> Window {
        let (from, until, later) = match &self.form {
            Form::Always(_) | Form::Never => (0, Some(0), 0),
            Form::Eventually(cycles) => (0, *cycles, 0),
            Form::At(cycle) => (*cycle, Some(*cycle), 0),
            Form::If(_, later, delay) => {
                let (from, until) = match *delay {
                    Delay::None => (0, Some(0)),
                    Delay::Exactly(n) => (n, Some(n)),
                    Delay::Between(n, until) => (n, until),
                    Delay::Eventually(cycles) => (0, cycles),
                };
                (from, until, u64::from(*later))
            }
        };
        (from + later, until.map(|until| until + later))
    }

    fn expressions(&self) -> Vec<&Expr> {
        let left = if let Form::If(left, ..) = &self.form { Some(left) } else { None };
        left.into_iter().chain([&self.then]).collect()
    }

    /// Judges a run: all that its signals showed, and whether it came to rest, so that its last
    /// values hold for ever.
    #[must_use]
    pub fn judge(&self, signals: &[Signal], trace: &Trace, at_rest: bool) -> Verdict {
        let (from, until) = self.window();
        let end = trace.len() as u64;
        // From this cycle on no expression changes any more.
        let of_cycle = self.expressions().into_iter().map(|expr| expr.latest() + expr.looks_back()).max().unwrap_or(0);
        let settled = end + of_cycle + 1;
        let is_asked = |cycle: u64| match &self.form {
            Form::Always(_) | Form::Never => true,
            Form::Eventually(_) | Form::At(_) => cycle == 0,
            Form::If(left, ..) => left.value(signals, trace, cycle) != 0,
        };
        let holds = |cycle: u64| (self.then.value(signals, trace, cycle) != 0) != matches!(self.form, Form::Never);
        let mut verdict = Verdict { asked: false, violation: None, open: None };
        for asked in (0..if at_rest { settled + 1 } else { end }).filter(|&cycle| is_asked(cycle)) {
            verdict.asked = true;
            let last = until.map(|until| asked + until);
            // Last cycle about which anything is known.
            let known =
                if at_rest { last.unwrap_or(settled.max(asked + from)) } else { last.unwrap_or(end).min(end - 1) };
            if (asked + from..=known).any(holds) {
                continue;
            }
            match last {
                Some(last) if at_rest || last < end => verdict.violation = Some((asked, last)),
                Some(_) if !matches!(self.form, Form::At(_)) => {
                    verdict.open.get_or_insert(asked);
                    continue;
                }
                _ => verdict.violation = Some((asked, end - 1)),
            }
            verdict.open = None;
            break;
        }
        verdict
    }

    /// Whether a question in it is answered alike in all of these cycles.
    #[must_use]
    pub fn has_only_one_answer(&self, signals: &[Signal], trace: &Trace) -> bool {
        let all = 0..trace.len() as u64;
        self.expressions().into_iter().flat_map(|expr| expr.questions(true)).any(|question| {
            let answers = all.clone().map(|cycle| question.value(signals, trace, cycle) != 0);
            answers.clone().all(|answer| answer) || answers.clone().all(|answer| !answer)
        })
    }
}

fn comparison() -> impl Strategy<Value = &'static str> {
    select(COMPARISONS.to_vec())
}

/// A signal, or some of its bits.
fn bits_of(signals: &[Signal]) -> impl Strategy<Value = Expr> + use<> {
    let widths: Vec<u32> = signals.iter().map(|signal| signal.bits).collect();
    let all = select((0..widths.len()).collect::<Vec<_>>());
    (all, any::<bool>(), any::<u32>(), any::<u32>()).prop_map(move |(signal, whole, low, more)| {
        let width = widths[signal];
        let low = low % width;
        let high = low + more % (width - low).min(64);
        Expr::Signal(signal, (!whole || width > 64).then_some((high, low)))
    })
}

/// A comparison of a whole signal with one of its values.
fn comparison_of(signals: &[Signal]) -> impl Strategy<Value = Expr> + use<> {
    let narrow: Vec<usize> = (0..signals.len()).filter(|&signal| signals[signal].bits <= 64).collect();
    let signals = signals.to_vec();
    (select(narrow), comparison(), any::<u64>(), 0..4u64).prop_map(move |(signal, operator, any, few)| {
        let names = &signals[signal].names;
        if few == 0 && !names.is_empty() {
            let (_, name) = names[any as usize % names.len()];
            return Expr::Named(signal, if operator == "==" { "==" } else { "!=" }, name);
        }
        let value = if few == 1 { signals[signal].largest() } else { (any % 8) & signals[signal].largest() };
        Expr::Binary(Box::new(Expr::Signal(signal, None)), operator, Box::new(Expr::Number(value)))
    })
}

/// An expression over some of the signals.
fn expressions(signals: &[Signal], cycles: u64) -> impl Strategy<Value = Expr> + use<> {
    let leaf = prop_oneof![
        4 => bits_of(signals),
        6 => comparison_of(signals),
        1 => (comparison(), 0..cycles).prop_map(|(operator, n)| Expr::Cycle(operator, n)),
        1 => (0..cycles, comparison()).prop_map(|(n, operator)| Expr::Mirrored(n, operator)),
        1 => (0..6u64).prop_map(Expr::Number),
    ];
    let unary = select(vec!["!", "!", "~", "past", "rose", "fell", "stable", "changed"]);
    let operators = select(OPERATORS.map(|(operator, _)| operator).to_vec());
    leaf.prop_recursive(4, 12, 2, move |inner| {
        prop_oneof![
            (unary.clone(), inner.clone()).prop_map(|(operator, of)| Expr::Unary(operator, Box::new(of))),
            (inner.clone(), operators.clone(), inner).prop_map(|(a, operator, b)| Expr::Binary(
                Box::new(a),
                operator,
                Box::new(b)
            )),
        ]
    })
}

/// Properties over these signals, with numbers that suit runs of so many cycles.
pub fn properties(signals: &[Signal], cycles: u64) -> impl Strategy<Value = Property> + use<> {
    let wait = move || prop_oneof![2 => 0..4u64, 1 => 0..cycles];
    let end = move || proptest::option::weighted(0.6, wait());
    let delay = prop_oneof![
        Just(Delay::None),
        wait().prop_map(Delay::Exactly),
        (wait(), end()).prop_map(|(from, more)| Delay::Between(from, more.map(|more| from + more))),
        end().prop_map(Delay::Eventually),
    ];
    let expressions = || expressions(signals, cycles);
    let form = prop_oneof![
        1 => any::<bool>().prop_map(Form::Always),
        1 => Just(Form::Never),
        1 => end().prop_map(Form::Eventually),
        1 => (0..cycles).prop_map(Form::At),
        5 => (expressions(), any::<bool>(), delay).prop_map(|(left, later, delay)| Form::If(left, later, delay)),
    ];
    let all = (form, expressions()).prop_map(|(form, then)| Property { form, then });
    all.prop_filter("a property names a signal", |all| all.expressions().into_iter().any(Expr::names_a_signal))
}
