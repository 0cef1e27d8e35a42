use super::*;

fn name(text: &str) -> Expr {
    Expr::Name(Name { text: text.into(), span: 0..0, bits: None })
}

/// The expression without the places of names.
fn bare(expr: Expr) -> Expr {
    match expr {
        Expr::Name(name) => Expr::Name(Name { span: 0..0, ..name }),
        Expr::Unary(op, e) => Expr::Unary(op, Box::new(bare(*e))),
        Expr::Binary(op, a, b) => Expr::Binary(op, Box::new(bare(*a)), Box::new(bare(*b))),
        Expr::Number(_) => expr,
    }
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

fn parsed(text: &str) -> (Option<Expr>, (u64, Option<u64>), Expr) {
    let p = Property::parse(text).unwrap_or_else(|e| panic!("{}\n{}", e.message, e.caret(text)));
    let when = match p.when {
        When::If(e) => Some(bare(e)),
        _ => None,
    };
    (when, (p.window.soonest, p.window.latest), bare(p.then))
}

#[test]
fn every_form_of_a_property_is_read() {
    let (a, b) = (|| name("s.a"), || name("s.b"));
    assert_eq!(parsed("always s.a"), (None, (0, Some(0)), a()));
    assert_eq!(parsed("s.a"), (None, (0, Some(0)), a()));
    assert_eq!(parsed("never s.a"), (None, (0, Some(0)), Expr::Unary(Unary::Not, Box::new(a()))));
    assert_eq!(parsed("eventually s.a"), (None, (0, None), a()));
    assert_eq!(parsed("eventually within 9 s.a"), (None, (0, Some(9)), a()));
    assert_eq!(parsed("s.a |-> s.b"), (Some(a()), (0, Some(0)), b()));
    assert_eq!(parsed("always s.a|=>s.b"), (Some(a()), (1, Some(1)), b()));
    assert_eq!(parsed("s.a |-> ##3 s.b"), (Some(a()), (3, Some(3)), b()));
    assert_eq!(parsed("s.a |-> ## [ 1 : 4 ] s.b"), (Some(a()), (1, Some(4)), b()));
    assert_eq!(parsed("s.a |=> ##[0:$] s.b"), (Some(a()), (1, None), b()));
    assert_eq!(parsed("s.a |-> eventually within 4 s.b"), (Some(a()), (0, Some(4)), b()));
    assert_eq!(Property::parse("always s.a").unwrap().when, When::Always);
    assert_eq!(Property::parse("eventually s.a").unwrap().when, When::Once);
    let at = Property::at(12, "s.a == 3").unwrap();
    assert_eq!((at.when, at.window, at.text.as_str()), (When::Once, Later::after(12), "s.a == 3"));
}

#[test]
fn operators_bind_as_in_verilog() {
    use Binary::{Above, And, BitAnd, BitOr, Equal, Minus, Or, Plus};
    let n = Expr::Number;
    let expr = |text: &str| parsed(text).2;
    assert_eq!(expr("1 || 2 && 3"), binary(Or, n(1), binary(And, n(2), n(3))));
    assert_eq!(expr("1 & 2 == 3"), binary(BitAnd, n(1), binary(Equal, n(2), n(3))));
    assert_eq!(expr("(1 & 2) == 3"), binary(Equal, binary(BitAnd, n(1), n(2)), n(3)));
    assert_eq!(expr("1 - 2 - 3"), binary(Minus, binary(Minus, n(1), n(2)), n(3)));
    assert_eq!(expr("1 | 2 > 3 + 4"), binary(BitOr, n(1), binary(Above, n(2), binary(Plus, n(3), n(4)))));
    let not = |e| Expr::Unary(Unary::Not, Box::new(e));
    assert_eq!(expr("!~ 1 == 2"), binary(Equal, not(Expr::Unary(Unary::Invert, Box::new(n(1)))), n(2)));
    assert_eq!(
        expr("rose(past(s.a))"),
        Expr::Unary(Unary::Rose, Box::new(Expr::Unary(Unary::Past, Box::new(name("s.a")))))
    );
}

#[test]
fn numbers_and_ranges_of_bits_are_those_of_the_language() {
    for (text, value) in [("1_000", 1000), ("0x1F", 31), ("0b101", 5), ("18446744073709551615", u64::MAX)] {
        assert_eq!(parsed(text).2, Expr::Number(value));
    }
    let bits = |text: &str| match parsed(text).2 {
        Expr::Name(name) => name.bits,
        other => panic!("{other:?}"),
    };
    assert_eq!((bits("s.d[63:48]"), bits("s.d[7]"), bits("s.d")), (Some((63, 48)), Some((7, 7)), None));
}

#[test]
fn every_mistake_is_shown_with_a_caret() {
    let refused = |text: &str| {
        let e = Property::parse(text).expect_err(text);
        (e.message.clone(), e.caret(text).lines().last().map_or(0, str::len))
    };
    let cases = [
        ("", "expected an operand, found the end", 1),
        ("always", "expected an operand, found the end", 7),
        ("always )", "expected an operand, found `)`", 8),
        ("s.a &&", "expected an operand, found the end", 7),
        ("s.a s.b", "expected an operator, found `s.b`", 5),
        ("(s.a || s.b", "expected `)`, found the end", 12),
        ("s.a |-> ##[1:", "expected a number of cycles or $, found the end", 14),
        ("s.a |-> ##x s.b", "expected a number of cycles, or [N:N], found `x`", 11),
        ("s.a |-> ##[4:1] s.b", "##[4:1] ends before it begins", 9),
        ("eventually within s.a", "expected a number of cycles, found `s.a`", 19),
        ("s.a == 99999999999999999999", "99999999999999999999 is out of range; allowed: 0 to 18446744073709551615", 8),
        (
            "s.a |-> ##9999999999999999999 s.b",
            "9999999999999999999 is out of range; allowed: 0 to 1000000000000000000",
            11,
        ),
        ("s.a[", "expected a bit, or a range of bits as in [63:48], found the end", 5),
        ("s.a = 3", "expected an operator, found `=`; did you mean `==`?", 5),
        ("s.a === 3", "`===` is no operator of properties; did you mean `==`?", 5),
        ("s.a !== 3", "`!==` is no operator of properties; did you mean `!=`?", 5),
        ("s.a => s.b", "expected an operator, found `=>`; did you mean `|=>` or `>=`?", 5),
        ("s.a -> s.b", "`->` is no operator of properties; did you mean `|->`?", 5),
        ("s.a |> s.b", "`|>` is no operator of properties; did you mean `|->`?", 5),
        ("s.a |~> s.b", "`|~>` is no operator of properties; did you mean `|->`?", 5),
        ("s.a and s.b", "expected an operator, found `and`; did you mean `&&`?", 5),
        ("s.a || not s.b", "`not` is no word of properties; did you mean `!`?", 8),
        ("s.a <> 3", "`<>` is no operator of properties; did you mean `!=`?", 5),
        ("s.a ##1 s.b", "expected an operator, found `##1`; did you mean `|-> ##`?", 5),
        ("alwys s.a", "`alwys` is no word of properties; did you mean `always`?", 1),
        ("rise(s.a)", "`rise` is no word of properties; did you mean `rose`?", 1),
        ("$pst(s.a)", "expected an operand, found `$pst(s.a)`; did you mean `$past`?", 1),
        ("s.a |-> #1 s.b", "expected an operand, found `#1`; did you mean `##`?", 9),
        ("$past(s.a, 65)", "expected 1 to 64 cycles, found `65)`", 12),
        ("(s.a, x = s.b)", "expected |-> or |=>, found the end", 15),
        ("(s.a, 3 = s.b) |-> s.c", "expected a name and its value, as in x = a, found `3`", 7),
        ("é", "expected an operand, found `é`", 1),
    ];
    for (text, message, column) in cases {
        assert_eq!(refused(text), (message.to_owned(), column), "{text}");
    }
    let error = Property::parse(&format!("{}s.a s.b{}", "s.a || ".repeat(60), " || s.a".repeat(60))).expect_err("s.b");
    let shown = error.caret(&format!("{}s.a s.b{}", "s.a || ".repeat(60), " || s.a".repeat(60)));
    let (line, caret) = shown.split_once('\n').expect("two lines");
    assert!(line.len() == 206 && line.starts_with("...") && line.ends_with("..."), "{line}");
    assert!(line[caret.len() - 1..].starts_with("s.b || s.a"), "{shown}");
    assert_eq!(refused(&"(".repeat(999)).0, "nested deeper than 32 levels");
    assert_eq!(refused(&"!".repeat(1001)).0, "longer than 1000 characters");
}

#[test]
fn names_of_sva_and_sampled_values_are_read() {
    assert_eq!(parsed("$rose(s.a) |-> $past(s.b)").2, parsed("past(s.b)").2);
    assert_eq!(parsed("$past(s.a, 3)").2, parsed("past(past(past(s.a)))").2);
    let sampled = Property::parse("(rose(s.a), x = s.d, y = s.e + 1) |-> ##[1:4] s.d == x + y").expect("a property");
    assert_eq!(sampled.locals.iter().map(|(name, _)| name.text.as_str()).collect::<Vec<_>>(), ["x", "y"]);
    let names: Vec<&str> = sampled.names().iter().map(|name| name.text.as_str()).collect();
    assert_eq!(names, ["s.a", "s.d", "s.e", "s.d"]);
    assert_eq!((sampled.window.soonest, sampled.window.latest), (1, Some(4)));
    // Parentheses alone sample nothing.
    assert!(Property::parse("(s.a) && s.b |-> s.c").expect("a property").locals.is_empty());
}
