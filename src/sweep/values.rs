//! Values of a field as a user writes them: `2,4,8`, `0.02..0.4/0.02`, `2..32*2`,
//! `mesh(radices: [4, 4]),torus(radices: [4, 4])`.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::quote::excerpt;

/// Largest number of values of one field.
const MOST: usize = 1_000_000;

/// The values in a text, each as RON. The error is the fault of the text.
pub fn parse(text: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    for part in parts(text, ',') {
        match part.split_once("..").filter(|_| !part.starts_with(['"', '(', '[']) && !part.contains('(')) {
            Some((from, rest)) => range(part, from, rest, &mut values)?,
            None if part.is_empty() => return Err("a value is missing before or after a comma".to_owned()),
            None => values.push(part.to_owned()),
        }
        if values.len() > MOST {
            return Err(format!("more than {MOST} values of one field"));
        }
    }
    Ok(values)
}

/// The places of two equal combinations of values, the later place first, if two are equal.
pub fn twice<'a>(combinations: impl Iterator<Item = Vec<&'a str>>) -> Option<(usize, usize)> {
    // 0.10 and 0.1 are the same value.
    let number = |value: &str| decimal(value).map_or_else(|| value.to_owned(), |number| number.to_string());
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    combinations.enumerate().find_map(|(at, values)| {
        let values = values.into_iter().map(number).collect();
        known.insert(values, at).map(|before| (at, before))
    })
}

/// Splits a text at a character outside of brackets and strings.
pub fn parts(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut depth, mut quoted, mut begin) = (Vec::new(), 0_i32, false, 0);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            c if c == at && depth == 0 && !quoted => {
                parts.push(text[begin..i].trim());
                begin = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts
}

/// A decimal number, with an exponent or without.
pub(crate) fn decimal(text: &str) -> Option<Decimal> {
    let text = text.trim();
    text.parse().or_else(|_| Decimal::from_scientific(text)).ok().map(|value: Decimal| value.normalize())
}

/// The values of `from..to`, `from..to/step` or `from..to*factor`. An end is included if a step
/// meets it.
fn range(text: &str, from: &str, rest: &str, values: &mut Vec<String>) -> Result<(), String> {
    let shown = excerpt(text);
    let number = |part: &str| {
        let part = part.trim();
        let why = "is not a number; a range is a..b, a..b/step or a..b*factor";
        decimal(part).ok_or_else(|| format!("\"{}\" in {shown} {why}", excerpt(part)))
    };
    let (to, step, factor) = match (rest.split_once('/'), rest.split_once('*')) {
        (Some((to, step)), _) => (to, number(step)?, None),
        (None, Some((to, factor))) => (to, Decimal::ONE, Some(number(factor)?)),
        (None, None) => (rest, Decimal::ONE, None),
    };
    let (from, to) = (number(from)?, number(to)?);
    if factor.is_none() && step <= Decimal::ZERO {
        return Err(format!("the step of {shown} is {step}; allowed: above 0"));
    }
    if factor.is_some_and(|factor| factor <= Decimal::ONE || from <= Decimal::ZERO) {
        return Err(format!("{shown} never reaches its end; allowed: a factor above 1 and a begin above 0"));
    }
    if from > to {
        return Err(format!("{shown} is empty: it begins above its end"));
    }
    if !rest.contains(['/', '*']) && from < to && to < from + Decimal::ONE {
        let step = ((to - from) / Decimal::from(4)).normalize();
        return Err(format!("{shown} ends before its step of 1; give another step, as in {shown}/{step}"));
    }
    let mut next = Some(from);
    while let Some(value) = next.filter(|value| *value <= to) {
        if values.len() > MOST {
            return Ok(());
        }
        values.push(value.normalize().to_string());
        next = match factor {
            Some(factor) => value.checked_mul(factor),
            None => value.checked_add(step),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_exact_decimals() {
        let of = |text: &str| parse(text).unwrap().join(" ");
        assert_eq!(of("2,4, 8"), "2 4 8");
        assert_eq!(of("0.02..0.1/0.02"), "0.02 0.04 0.06 0.08 0.1");
        assert_eq!(of("1..5"), "1 2 3 4 5");
        assert_eq!(of("1..6/2"), "1 3 5");
        assert_eq!(of("2..32*2"), "2 4 8 16 32");
        assert_eq!(of("1..4*1.5,9"), "1 1.5 2.25 3.375 9");
        assert_eq!(of("1e-3..2e-3/5e-4"), "0.001 0.0015 0.002");
        assert_eq!(of("mesh(radices: [4, 4]),linear(nodes: 3)"), "mesh(radices: [4, 4]) linear(nodes: 3)");
        assert_eq!(parse("0.02..0.4/0.02").unwrap().len(), 20);
    }

    #[test]
    fn what_is_no_list_of_values_is_refused() {
        let refused = |text: &str| parse(text).unwrap_err();
        assert_eq!(refused("4..2"), "4..2 is empty: it begins above its end");
        assert_eq!(refused("1..2/0"), "the step of 1..2/0 is 0; allowed: above 0");
        assert_eq!(refused("0.1..0.3"), "0.1..0.3 ends before its step of 1; give another step, as in 0.1..0.3/0.05");
        assert_eq!(refused("0..8*2"), "0..8*2 never reaches its end; allowed: a factor above 1 and a begin above 0");
        assert!(refused(&format!("1..{}", "a".repeat(5000))).len() < 200);
        assert_eq!(refused("1,,2"), "a value is missing before or after a comma");
        assert!(refused("a..b").starts_with("\"a\" in a..b is not a number"));
        assert!(refused("0..1e9").starts_with("more than 1000000 values"));
    }
}
