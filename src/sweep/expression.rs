//! Expressions of derived fields: `512/flit_bits`, `(depth + 1) * 2`. Arithmetic is decimal, so a
//! whole number stays whole.

use rust_decimal::Decimal;
use winnow::ascii::space0;
use winnow::combinator::{alt, delimited, preceded, repeat};
use winnow::error::ContextError;
use winnow::prelude::*;
use winnow::token::{one_of, take_while};

use super::values::decimal;
use crate::input::bounds;
use crate::quote::{around, excerpt};

/// An expression of the values of other fields.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// A number.
    Number(Decimal),
    /// A field by its name.
    Field(String),
    /// A first term, and further terms that `+`, `-`, `*` or `/` apply to it from left to right.
    Chain(Box<Expression>, Vec<(char, Expression)>),
}

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let place = |at: usize| (around(text, at), text[..at].chars().count() + 1);
        bounds::check(text).map_err(|(at, why)| {
            let (shown, character) = place(at);
            format!("\"{shown}\" is {why}, from character {character} on")
        })?;
        sum.parse(text).map_err(|error| {
            let rest = text[error.offset()..].trim_start();
            let found = if rest.is_empty() { "its end".to_owned() } else { format!("`{}`", excerpt(rest)) };
            let (shown, character) = place(text.len() - rest.len());
            let allowed = "allowed: numbers, fields, + - * / and parentheses";
            format!("\"{shown}\" is no expression from {found} on, character {character}; {allowed}")
        })
    }

    /// The text of an expression without blanks, and with other names for its fields.
    pub fn with_names<E>(text: &str, mut other: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
        let mut told = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end.max(c.len_utf8()));
            match c {
                c if c.is_whitespace() => {}
                c if c.is_ascii_digit() || c == '.' || end == 0 => told += word,
                _ => told += &other(word)?,
            }
            rest = after;
        }
        Ok(told)
    }

    /// Names of its fields.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Field(name) => vec![name],
            Self::Chain(first, rest) => {
                let rest = rest.iter().flat_map(|(_, of)| of.fields());
                first.fields().into_iter().chain(rest).collect()
            }
        }
    }

    /// Value of the expression. `value` gives the text of a field's value. The error is the reason
    /// why the expression has no value.
    pub fn value<'a>(&self, value: &dyn Fn(&str) -> Option<&'a str>) -> Result<Decimal, String> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Field(name) => {
                let text = value(name).unwrap_or_default();
                decimal(text).ok_or_else(|| format!("{} is {}, which is not a number", excerpt(name), excerpt(text)))
            }
            Self::Chain(first, rest) => {
                rest.iter().try_fold(first.value(value)?, |a, (operator, b)| applied(a, *operator, b.value(value)?))
            }
        }
    }
}

fn applied(a: Decimal, operator: char, b: Decimal) -> Result<Decimal, String> {
    let result = match operator {
        '+' => a.checked_add(b),
        '-' => a.checked_sub(b),
        '*' => a.checked_mul(b),
        _ => a.checked_div(b),
    };
    result.map(|value| value.normalize()).ok_or_else(|| format!("{a} {operator} {b} has no value"))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.[]".contains(c)
}

fn sum(input: &mut &str) -> Result<Expression, ContextError> {
    chain(product, ['+', '-'], input)
}

fn product(input: &mut &str) -> Result<Expression, ContextError> {
    chain(atom, ['*', '/'], input)
}

/// `a op b op c`, from left to right.
fn chain(
    mut of: impl FnMut(&mut &str) -> Result<Expression, ContextError> + Copy,
    operators: [char; 2],
    input: &mut &str,
) -> Result<Expression, ContextError> {
    let first = of.parse_next(input)?;
    let rest: Vec<(char, Expression)> =
        repeat(0.., (delimited(space0, one_of(operators), space0), of)).parse_next(input)?;
    Ok(if rest.is_empty() { first } else { Expression::Chain(Box::new(first), rest) })
}

fn atom(input: &mut &str) -> Result<Expression, ContextError> {
    let number = take_while(1.., |c: char| c.is_ascii_digit() || c == '.').verify_map(decimal).map(Expression::Number);
    let name = take_while(1.., is_of_name).map(|name: &str| Expression::Field(name.to_owned()));
    let nested = delimited('(', preceded(space0, sum), (space0, ')'));
    preceded(space0, alt((number, nested, name))).parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<String, String> {
        let fields = |name: &str| match name {
            "flit_bits" => Some("32"),
            "workload[0].traffic.load" => Some("0.1"),
            _ => Some("round_robin"),
        };
        Expression::parse(text)?.value(&fields).map(|value| value.to_string())
    }

    #[test]
    fn products_bind_closer_than_sums_and_whole_numbers_stay_whole() {
        assert_eq!(value("512/flit_bits").unwrap(), "16");
        assert_eq!(value("1 + 2 * (flit_bits - 30) / 4").unwrap(), "2");
        assert_eq!(value("8 - 4 - 2").unwrap(), "2");
        assert_eq!(value("workload[0].traffic.load * 3").unwrap(), "0.3");
        assert_eq!(value("100/flit_bits").unwrap(), "3.125");
    }

    #[test]
    fn names_are_replaced_and_nothing_else() {
        let other = |name: &str| Ok::<_, ()>(format!("<{name}>"));
        let text = "(512 - a.b[0].c)*.5 /d + 2";
        assert_eq!(Expression::with_names(text, other).unwrap(), "(512-<a.b[0].c>)*.5/<d>+2");
    }

    #[test]
    fn an_expression_as_long_or_as_deep_as_a_text_may_be_is_read_and_no_other() {
        assert_eq!(value(&format!("4{}", "+0".repeat(499))).unwrap(), "4");
        assert_eq!(value(&format!("{}4{}", "(".repeat(32), ")".repeat(32))).unwrap(), "4");
        let refused = |text: String| value(&text).unwrap_err();
        let long = refused(format!("4{}", "+0".repeat(8000)));
        assert!(long.ends_with("\" is longer than 1000 characters, from character 1001 on"), "{long}");
        let deep = refused(format!("{}4{}", "(".repeat(400), ")".repeat(400)));
        assert!(deep.ends_with("\" is nested deeper than 32 levels, from character 33 on"), "{deep}");
        assert!(long.len() < 120 && deep.len() < 120, "{long} {deep}");
    }

    #[test]
    fn what_has_no_value_says_why() {
        assert_eq!(value("1/(flit_bits - 32)").unwrap_err(), "1 / 0 has no value");
        assert_eq!(value("2*arbiter").unwrap_err(), "arbiter is round_robin, which is not a number");
        assert!(value("512/").unwrap_err().contains("no expression"));
        assert!(value("(1").unwrap_err().contains("no expression"));
        assert_eq!(
            value("1 $ 2").unwrap_err(),
            "\"1 $ 2\" is no expression from `$ 2` on, character 3; allowed: numbers, fields, + - * / and parentheses"
        );
        // A long expression is shown around its place.
        let long = value(&format!("4{}$2{}", "+0".repeat(200), "+0".repeat(200))).unwrap_err();
        assert!(long.starts_with("\"...") && long.contains("+0+0$2+0+0") && long.len() < 200, "{long}");
    }
}
