//! Temporal properties over the signals of a waveform: the language and its parser.
//!
//! ```text
//! property   = "always" check | "never" expr | eventually | check          a check alone is meant always
//! check      = expr [ ("|->" | "|=>") then ]                               in every cycle in which expr holds, then
//!            | "(" expr { "," local "=" expr } ")" ("|->" | "|=>") then    the same; then may use the sampled values
//! then       = [delay] expr | eventually
//! eventually = "eventually" ["within" N] expr                              now or in one of the next N cycles
//! delay      = "##" N | "##[" N ":" (N | "$") "]"                          N cycles later, or in one of these cycles
//! expr       = operand { operator operand }                                binding as in Verilog, loosest first:
//!              || && | ^ & (== !=) (< <= > >=) (+ -)
//! operand    = ("!" | "~") operand | "(" expr ")" | function "(" expr ")" | number | signal | value | local
//! function   = ["$"] ("past" | "rose" | "fell" | "stable" | "changed" | "countones" | "onehot" | "onehot0") | "count"
//!              past may have a number of cycles, 1 to 64, as in $past(expr, 3)
//! number     = 12, 1_000, 0x1f, 0b101
//! signal     = a name of the waveform, as in rt_0_1.out2.owner or node3.ej.valid, "top." may be left out,
//!              with or without a range of bits, as in rt_0_0.out0.data[63:48]; or cycle
//! local      = a name without a point, for a value that is sampled in the cycle of the left side
//! value      = beside == or != the name a viewer shows for it: MOVE, bit_string, in4, none
//! ```
//!
//! `a |=> b` is `a |-> ##1 b`. `count(expr)` is the number of cycles up to now in which `expr` is
//! true. Numbers are unsigned, of 64 bits, and any value but 0 is true. The
//! functions compare with the cycle before. In cycle 0 they compare with cycle 0 itself, so nothing
//! rises there. `cycle` can be compared only with a number.

use std::ops::Range;

use winnow::LocatingSlice;
use winnow::combinator::Infix::{self, Left};
use winnow::combinator::{
    alt, cut_err, delimited, eof, expression, fail, not, opt, peek, preceded, repeat, terminated,
};
use winnow::error::{ContextError, ErrMode, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::token::{one_of, take_while};

use super::misspelt::{Misspelt, misspelt};
use crate::experiment::LARGEST_CYCLE;
use crate::input::bounds;
use crate::quote::excerpt;

/// Largest number of characters of a property that an error shows, around its place.
const SHOWN: usize = 200;

/// Largest number of cycles that `past` looks back.
const MOST_PAST: u64 = 64;

/// A condition, and the cycles in which it has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The text as written.
    pub text: String,
    /// Cycles that require an answer.
    pub when: When,
    /// Values that are sampled in these cycles, for the condition of the answer.
    pub locals: Vec<(Name, Expr)>,
    /// Number of cycles until the answer.
    pub window: Later,
    /// Condition of the answer.
    pub then: Expr,
}

/// Number of cycles until an answer. It may come in any of these, the last included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// The smallest number.
    pub soonest: u64,
    /// The largest number; `None` for any time later.
    pub latest: Option<u64>,
}

impl Later {
    /// In the same cycle.
    pub const AT_ONCE: Self = Self::after(0);

    /// A delay of this number of cycles.
    #[must_use]
    pub const fn after(cycles: u64) -> Self {
        Self { soonest: cycles, latest: Some(cycles) }
    }

    /// Whether the delay is exactly one cycle.
    #[must_use]
    pub fn is_one(self) -> bool {
        self.latest == Some(self.soonest)
    }
}

/// Cycles that require an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// In cycle 0.
    Once,
    /// In every cycle.
    Always,
    /// In every cycle in which this holds.
    If(Expr),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Number(u64),
    /// A signal, or the name of a value.
    Name(Name),
    /// The operand after an operator, or compared with the cycle before.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// A signal, or the name of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text as written, without the range of bits.
    pub text: String,
    /// Place in the property, in bytes.
    pub span: Range<usize>,
    /// Most and least significant bit, if some bits are chosen.
    pub bits: Option<(u64, u64)>,
}

/// Operators and functions of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `!`: 1 where the operand is 0, else 0.
    Not,
    /// `~`: inverts every bit.
    Invert,
    /// Value in the cycle before.
    Past,
    /// True now and false in the cycle before.
    Rose,
    /// False now and true in the cycle before.
    Fell,
    /// Equal to the value in the cycle before.
    Stable,
    /// Different from the value in the cycle before.
    Changed,
    /// Number of cycles up to now in which the operand is true.
    Count,
    /// Number of bits that are 1.
    CountOnes,
    /// Exactly one bit is 1.
    OneHot,
    /// At most one bit is 1.
    OneHot0,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// Reason why a text is no property, or none of this network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError {
    /// Place in bytes.
    pub offset: usize,
    /// Cause, and allowed texts.
    pub message: String,
}

impl PropertyError {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, message: message.into() }
    }

    /// The text on its own line, with a caret below the place.
    #[must_use]
    pub(crate) fn caret(&self, text: &str) -> String {
        let before = text.get(..self.offset).unwrap_or(text);
        // Line breaks and tabs of a long property take one column, like all other characters.
        let line: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let at = before.chars().count();
        let start = at.saturating_sub(SHOWN / 2).min(line.len().saturating_sub(SHOWN));
        let end = line.len().min(start + SHOWN);
        let (left, right) = (if start > 0 { "..." } else { "" }, if end < line.len() { "..." } else { "" });
        let shown: String = line[start..end].iter().collect();
        format!("{left}{shown}{right}\n{:>width$}", '^', width = left.len() + at - start + 1)
    }
}

impl Property {
    /// Reads a property.
    ///
    /// # Errors
    /// The text is no property.
    pub fn parse(text: &str) -> Result<Self, PropertyError> {
        parse(text, property).and_then(|property| {
            let Later { soonest, latest } = property.window;
            if let Some(latest) = latest.filter(|&latest| latest < soonest) {
                let at = text.find("##[").unwrap_or(0);
                return Err(PropertyError::new(at, format!("##[{soonest}:{latest}] ends before it begins")));
            }
            Ok(Self { text: text.to_owned(), ..property })
        })
    }

    /// A property for one cycle. `text` is an expression.
    ///
    /// # Errors
    /// The text is no expression.
    pub fn at(cycle: u64, text: &str) -> Result<Self, PropertyError> {
        let then = parse(text, expr)?;
        Ok(Self { text: text.to_owned(), when: When::Once, locals: Vec::new(), window: Later::after(cycle), then })
    }

    /// All its names but those of sampled values, in the order of the text.
    #[must_use]
    pub fn names(&self) -> Vec<&Name> {
        let mut names = Vec::new();
        if let When::If(expr) = &self.when {
            expr.names(&mut names);
        }
        self.locals.iter().for_each(|(_, value)| value.names(&mut names));
        let sampled = names.len();
        self.then.names(&mut names);
        let mut at = 0;
        names.retain(|name| {
            at += 1;
            at <= sampled || !self.is_local(name)
        });
        names
    }

    /// Whether it is the name of a sampled value.
    pub(super) fn is_local(&self, name: &Name) -> bool {
        self.locals.iter().any(|(local, _)| local.text == name.text)
    }
}

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// The text is no expression.
    pub(super) fn parse(text: &str) -> Result<Self, PropertyError> {
        parse(text, expr)
    }

    /// Adds all its names, in the order of the text.
    pub(super) fn names<'a>(&'a self, names: &mut Vec<&'a Name>) {
        match self {
            Self::Number(_) => {}
            Self::Name(name) => names.push(name),
            Self::Unary(_, operand) => operand.names(names),
            Self::Binary(_, left, right) => {
                left.names(names);
                right.names(names);
            }
        }
    }
}

type Text<'i> = LocatingSlice<&'i str>;
type Error = ErrMode<ContextError>;

/// Runs a parser over the whole text and puts its error into words.
fn parse<O>(text: &str, mut parser: impl FnMut(&mut Text<'_>) -> ModalResult<O>) -> Result<O, PropertyError> {
    bounds::check(text).map_err(|(at, why)| PropertyError::new(at, why))?;
    let end = preceded(blank, eof).context(expected("an operator"));
    let whole = terminated(|i: &mut Text<'_>| parser(i), cut_err(end)).parse(LocatingSlice::new(text));
    whole.map_err(|error| {
        let rest = &text[error.offset()..];
        let offset = text.len() - rest.trim_start().len();
        // The outermost context says most.
        let expected = error.inner().context().filter_map(|c| match c {
            StrContext::Expected(value) => Some(value.to_string()),
            _ => None,
        });
        let expected = expected.last().unwrap_or_else(|| "an operand".to_owned());
        let digits = text[offset..].split(|c: char| !is_word(c)).next().unwrap_or_default();
        let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '_');
        let most = if expected.starts_with("a number of cycles") { LARGEST_CYCLE } else { u64::MAX };
        if is_number && (expected == "an operand" || most < u64::MAX) {
            return PropertyError::new(offset, format!("{} is out of range; allowed: 0 to {most}", excerpt(digits)));
        }
        let found = match text[offset..].split_whitespace().next() {
            Some(found) => format!("`{}`", excerpt(found)),
            None => "the end".to_owned(),
        };
        if ["an operator", "`)`"].contains(&&*expected) && starts_with_arrow(&text[offset..]) {
            return PropertyError::new(offset, format!("found {found}, and {}", no_arrow(&text[..offset])));
        }
        match misspelt(text, offset) {
            Some(Misspelt { at, written, meant }) if at < offset => {
                let what = if written.ends_with(is_word) { "word" } else { "operator" };
                PropertyError::new(at, format!("`{written}` is no {what} of properties; did you mean `{meant}`?"))
            }
            Some(Misspelt { meant, .. }) => {
                PropertyError::new(offset, format!("expected {expected}, found {found}; did you mean `{meant}`?"))
            }
            None => PropertyError::new(offset, format!("expected {expected}, found {found}")),
        }
    })
}

/// Arrows of properties.
const ARROWS: [&str; 2] = ["|->", "|=>"];

fn starts_with_arrow(text: &str) -> bool {
    ARROWS.iter().any(|arrow| text.starts_with(arrow))
}

/// Why no arrow can follow this text.
fn no_arrow(before: &str) -> &'static str {
    let first = before.split(|c: char| !is_word(c)).find(|word| !word.is_empty());
    let open = before.matches('(').count() > before.matches(')').count();
    if ARROWS.iter().any(|arrow| before.contains(arrow)) {
        "a property has one arrow; join two left sides with &&"
    } else if first == Some("never") {
        "`never` has no arrow; write a |-> !(b) in place of never a |-> b"
    } else if open {
        "an arrow stands outside of parentheses"
    } else {
        "only an expression can stand here, without an arrow"
    }
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

fn blank(i: &mut Text<'_>) -> ModalResult<()> {
    take_while(0.., char::is_whitespace).void().parse_next(i)
}

/// A sign, with blanks before it.
fn sign<'i>(sign: &'static str) -> impl Parser<Text<'i>, (), Error> {
    preceded(blank, sign).void().context(StrContext::Expected(StrContextValue::StringLiteral(sign)))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A word, with blanks before it.
fn keyword<'i>(word: &'static str) -> impl Parser<Text<'i>, (), Error> {
    terminated(sign(word), peek(not(one_of(|c| is_word(c) || c == '.'))))
}

fn property(i: &mut Text<'_>) -> ModalResult<Property> {
    let of = |when, window, then| Property { text: String::new(), when, locals: Vec::new(), window, then };
    alt((
        preceded(keyword("always"), cut_err(check)),
        preceded(keyword("never"), cut_err(expr))
            .map(|e| of(When::Always, Later::AT_ONCE, Expr::Unary(Unary::Not, Box::new(e)))),
        eventually.map(|(window, then)| of(When::Once, window, then)),
        check,
    ))
    .parse_next(i)
}

fn check(i: &mut Text<'_>) -> ModalResult<Property> {
    if let Some((first, locals)) = opt(sampling).parse_next(i)? {
        let later = cut_err(arrow.context(expected("|-> or |=>"))).parse_next(i)?;
        let (window, then) = answer(later, i)?;
        return Ok(Property { text: String::new(), when: When::If(first), locals, window, then });
    }
    let first = expr.parse_next(i)?;
    let of = |when, window, then| Property { text: String::new(), when, locals: Vec::new(), window, then };
    let Some(later) = opt(arrow).parse_next(i)? else { return Ok(of(When::Always, Later::AT_ONCE, first)) };
    let (window, then) = answer(later, i)?;
    Ok(of(When::If(first), window, then))
}

/// A left side with values that are sampled when it holds: `(rose(a), x = b)`.
fn sampling(i: &mut Text<'_>) -> ModalResult<(Expr, Vec<(Name, Expr)>)> {
    let assign = preceded(blank, ("=", peek(not("="))));
    let local = (name.verify(|name: &Name| !name.text.contains('.')), preceded(assign, cut_err(expr)));
    let locals =
        repeat(1.., preceded(sign(","), cut_err(local.context(expected("a name and its value, as in x = a")))));
    delimited(sign("("), (expr, locals), cut_err(sign(")"))).parse_next(i)
}

/// `|->` or `|=>`, as the number of cycles that it adds.
fn arrow(i: &mut Text<'_>) -> ModalResult<u64> {
    alt((sign("|->").value(0), sign("|=>").value(1))).parse_next(i)
}

/// The right side, `later` cycles later.
fn answer(later: u64, i: &mut Text<'_>) -> ModalResult<Windowed> {
    let (Later { soonest, latest }, then) = cut_err(consequence).parse_next(i)?;
    Ok((Later { soonest: soonest + later, latest: latest.map(|latest| latest + later) }, then))
}

type Windowed = (Later, Expr);

fn consequence(i: &mut Text<'_>) -> ModalResult<Windowed> {
    alt((eventually, (opt(delay).map(|later| later.unwrap_or(Later::AT_ONCE)), expr))).parse_next(i)
}

fn eventually(i: &mut Text<'_>) -> ModalResult<Windowed> {
    let within = preceded(keyword("within"), cut_err(cycles));
    let window = opt(within).map(|latest| Later { soonest: 0, latest });
    preceded(keyword("eventually"), (window, cut_err(expr))).parse_next(i)
}

fn delay(i: &mut Text<'_>) -> ModalResult<Later> {
    let last = alt((sign("$").value(None), cycles.map(Some))).context(expected("a number of cycles or $"));
    let range = delimited(sign("["), cut_err((cycles, preceded(sign(":"), last))), cut_err(sign("]")));
    let range = range.map(|(soonest, latest)| Later { soonest, latest });
    let one = cycles.map(Later::after).context(expected("a number of cycles, or [N:N]"));
    preceded(sign("##"), cut_err(alt((range, one)))).parse_next(i)
}

/// A number of cycles, small enough that sums of them do not overflow.
fn cycles(i: &mut Text<'_>) -> ModalResult<u64> {
    number.verify(|n| *n <= LARGEST_CYCLE).context(expected("a number of cycles")).parse_next(i)
}

fn expr(i: &mut Text<'_>) -> ModalResult<Expr> {
    expression(operand).infix(operator).parse_next(i)
}

/// An operator, with the expression that it makes of its operands.
fn operator<'i>(i: &mut Text<'i>) -> ModalResult<Infix<Text<'i>, Expr, Error>> {
    macro_rules! left {
        ($sign:expr, $power:literal, $operator:ident) => {
            $sign.map(|_| -> Infix<Text<'i>, Expr, Error> {
                Left($power, |_, a, b| Ok(Expr::Binary(Binary::$operator, Box::new(a), Box::new(b))))
            })
        };
    }
    // `|->` and `|=>` are no operators.
    let bit_or = ("|", peek(not(one_of(['-', '=']))));
    let logic = alt((
        left!("||", 1, Or),
        left!("&&", 2, And),
        left!(bit_or, 3, BitOr),
        left!("^", 4, BitXor),
        left!("&", 5, BitAnd),
    ));
    let comparison = alt((
        left!("==", 6, Equal),
        left!("!=", 6, NotEqual),
        left!("<=", 7, AtMost),
        left!("<", 7, Below),
        left!(">=", 7, AtLeast),
        left!(">", 7, Above),
    ));
    preceded(blank, alt((logic, comparison, left!("+", 8, Plus), left!("-", 8, Minus)))).parse_next(i)
}

fn operand(i: &mut Text<'_>) -> ModalResult<Expr> {
    let prefixes: Vec<Unary> =
        repeat(0.., preceded(blank, alt(("!".value(Unary::Not), "~".value(Unary::Invert))))).parse_next(i)?;
    let nothing = fail.context(expected("an operand"));
    let bare = alt((parenthesis, function, name.map(Expr::Name), number.map(Expr::Number), nothing)).parse_next(i)?;
    Ok(prefixes.into_iter().rev().fold(bare, |e, prefix| Expr::Unary(prefix, Box::new(e))))
}

fn parenthesis(i: &mut Text<'_>) -> ModalResult<Expr> {
    delimited(sign("("), cut_err(expr), cut_err(sign(")"))).parse_next(i)
}

fn function(i: &mut Text<'_>) -> ModalResult<Expr> {
    let word = preceded(blank, (opt("$"), take_while(1.., is_word)).take()).verify_map(|word: &str| match word {
        "past" | "$past" => Some(Unary::Past),
        "rose" | "$rose" => Some(Unary::Rose),
        "fell" | "$fell" => Some(Unary::Fell),
        "stable" | "$stable" => Some(Unary::Stable),
        "changed" | "$changed" => Some(Unary::Changed),
        "countones" | "$countones" => Some(Unary::CountOnes),
        "onehot" | "$onehot" => Some(Unary::OneHot),
        "onehot0" | "$onehot0" => Some(Unary::OneHot0),
        "count" => Some(Unary::Count),
        _ => None,
    });
    let (function, ()) = (word, sign("(")).parse_next(i)?;
    let of = cut_err(expr).parse_next(i)?;
    let cycles = number.verify(|n| (1..=MOST_PAST).contains(n)).context(expected("1 to 64 cycles"));
    let cycles = if function == Unary::Past { opt(preceded(sign(","), cut_err(cycles))).parse_next(i)? } else { None };
    cut_err(sign(")")).parse_next(i)?;
    Ok((0..cycles.unwrap_or(1)).fold(of, |of, _| Expr::Unary(function, Box::new(of))))
}

fn name(i: &mut Text<'_>) -> ModalResult<Name> {
    blank.parse_next(i)?;
    let word = || take_while(1.., is_word);
    let first = peek(one_of(|c: char| c.is_ascii_alphabetic() || c == '_'));
    let (text, span) =
        (first, word(), repeat::<_, _, (), _, _>(0.., ('.', word()))).take().with_span().parse_next(i)?;
    let range = (number, opt(preceded(sign(":"), cut_err(number))))
        .context(expected("a bit, or a range of bits as in [63:48]"));
    let bits = opt(delimited("[", cut_err(range), cut_err(sign("]")))).parse_next(i)?;
    let bits = bits.map(|(high, low)| (high, low.unwrap_or(high)));
    Ok(Name { text: text.to_owned(), span, bits })
}

fn number(i: &mut Text<'_>) -> ModalResult<u64> {
    let digits = preceded(peek(one_of('0'..='9')), take_while(1.., is_word)).verify_map(|digits: &str| {
        let digits = digits.replace('_', "");
        match digits.split_at_checked(2) {
            Some(("0x", hex)) => u64::from_str_radix(hex, 16).ok(),
            Some(("0b", binary)) => u64::from_str_radix(binary, 2).ok(),
            _ => digits.parse().ok(),
        }
    });
    preceded(blank, digits).context(expected("a number below 2^64")).parse_next(i)
}

#[cfg(test)]
#[path = "property_tests.rs"]
mod tests;
