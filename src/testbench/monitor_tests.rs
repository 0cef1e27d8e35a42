use proptest::prelude::*;

use super::*;
use crate::testbench::property::Expr;
use crate::testbench::{Bench, from_text};

/// A line of three with a unicast of 4 flits. It crosses the routers in 2..=5, 4..=7 and 6..=9, and
/// is at node 2 in 7..=10.
fn line(expect: &str) -> Bench {
    let text = format!(
        "(purpose: \"a line\", network: (topology: linear(nodes: 3)), \
         workload: [messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 3)])], expect: ({expect}))"
    );
    from_text("line.ron", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// Verdict on a property; empty when it holds.
fn verdict(property: &str) -> String {
    let verdict = line(&format!("properties: [\"{property}\"]")).run(None).expect("a run");
    let failures: Vec<_> = verdict.failures.iter().map(|failure| failure.message.clone()).collect();
    failures.join("; ")
}

fn refusal(property: &str) -> String {
    let text = format!(
        "(purpose: \"a line\", network: (topology: linear(nodes: 3), switch: (flit_bits: 128)),\nexpect: (properties: [\"{property}\"]))"
    );
    from_text("line.ron", &text).expect_err(property).to_string()
}

#[test]
fn properties_that_hold_hold() {
    let cases = [
        "always rt_0.out0.valid == (cycle >= 2 && 5 >= cycle)",
        "always top.rt_2.out2.valid == (cycle > 5 && cycle < 10)",
        "always node2.ej.valid == (cycle >= 7 && cycle <= 10)",
        "rt_0.out0.valid |-> ##2 rt_1.out0.valid",
        "rt_0.out0.valid |=> ##[0:1] rt_1.out0.valid",
        "rt_0.out0.valid |-> eventually within 2 rt_1.out0.valid",
        "rose(rt_0.out0.valid) |-> cycle == 2 && rt_0.out0.flit == 0",
        "fell(rt_0.out0.valid) |-> cycle == 6",
        "past(rt_0.out0.valid) |-> cycle >= 3 && cycle <= 6",
        "past(past(rt_0.out0.valid)) |-> cycle >= 4 && cycle <= 7",
        "changed(rt_0.out0.valid) |-> cycle == 2 || cycle == 6",
        "stable(rt_0.out0.valid) || cycle == 2 || cycle == 6",
        "eventually within 7 node2.ej.valid",
        "eventually node2.ej.flit == 3",
        "never rt_1.out1.valid",
        "rt_0.out0.valid |-> rt_0.out0.owner == in2 && rt_0.in2.enc == unicast",
        "cycle == 1 |-> rt_0.in2.state == ROUTE",
        "rt_0.in2.state != IDLE |-> cycle >= 1 && cycle <= 5",
        "rt_0.out0.owner == none |-> !rt_0.out0.valid",
        "rt_0.out0.valid && rt_0.out0.flit > 0 |-> rt_0.out0.data[63:48] == 0 && rt_0.out0.data[47:16] == rt_0.out0.flit",
        "rt_0.in2.branches == out0 |-> (rt_0.in2.branches & 0b001) == 1 && (~rt_0.in2.branches & 0b010) != 0",
        "rt_0.out0.credits + rt_0.out0.valid - rt_0.out0.valid ^ 5 <= rt_0.out0.credits | 0",
        "!rt_0.out0.valid |=> eventually !rt_0.out0.valid",
        "!rt_0.out0.valid |-> ##[3:$] !rt_0.out0.valid",
        "cycle > 5 |=> ##[0:3] !rt_0.out0.valid",
        "$past(rt_0.out0.valid, 3) |-> cycle >= 5 && cycle <= 8",
        "cycle >= 5 && cycle <= 8 |-> $past(rt_0.out0.valid, 3)",
        "count(rt_0.out0.valid) - count(rt_1.out0.valid) <= 2",
        "eventually count(node2.ej.valid) == 4",
        "cycle < 90 |-> count(rt_0.out0.owner == none) <= 90",
        "eventually count(rt_0.out0.credits == 4) >= 100",
        "rose(count(rt_0.out0.credits == 4) > 50) |-> cycle == 55",
        "cycle == 1000000000 |-> count(rt_0.out0.credits == 4) == 999999996",
        "$countones(rt_0.in2.branches) <= 1",
        "rt_0.in2.branches != none |-> $onehot(rt_0.in2.branches) && $onehot0(rt_0.in2.branches)",
        "(rt_0.out0.valid, f = rt_0.out0.flit) |-> ##2 rt_1.out0.flit == f",
        "(rt_0.out0.valid, f = rt_0.out0.flit, c = rt_0.out0.valid) |-> ##[1:4] rt_2.out2.flit + c == f + 1",
        "(rose(node0.inj.valid), f = node0.inj.flit) |-> eventually node2.ej.flit == f",
    ];
    for property in cases {
        assert_eq!(verdict(property), "", "{property}");
    }
}

#[test]
fn a_count_that_grows_at_rest_changes_no_other_verdict() {
    let late = "properties: [\"rt_0.out0.valid |-> ##20 rt_1.out0.valid\"";
    let failed = |more: &str, own: &str| {
        let text = format!(
            "(purpose: \"a line\", network: (topology: linear(nodes: 3)), \
             workload: [messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 3)])], {more} expect: ({own}))"
        );
        let verdict = from_text("line.ron", &text).expect(own).run(None).expect("a run");
        (verdict.failures.iter().map(|failure| failure.cycle.expect("a cycle")).collect::<Vec<_>>(), verdict.notes)
    };
    let cover = "cover: [\"count(rt_0.out0.credits == 4) > 1000000\"],";
    assert_eq!(failed("", &format!("{late}]")), (vec![22], Vec::new()));
    assert_eq!(failed(cover, &format!("{late}]")), (vec![22], Vec::new()));
    let grows = format!("{late}, \"never count(rt_0.out0.owner == none) > 1000\"]");
    assert_eq!(failed("", &grows), (vec![22, 1004], Vec::new()));
    assert_eq!(failed(cover, "signals: [(at: 1000, that: \"rt_0.out0.credits == 4\")]").0, Vec::<u64>::new());
    // Only a property that needs each value of such a count is left, with a note.
    let value = format!("{late}, \"always count(rt_0.out0.credits == 4) + 4 - count(rt_0.out0.valid) <= 20\"]");
    let (cycles, notes) = failed("", &value);
    assert_eq!(cycles, [22]);
    assert!(notes[0].contains("properties[1]: not judged: the run ended in cycle 12"), "{notes:?}");
}

#[test]
fn properties_that_do_not_hold_are_told_with_cycle_and_values() {
    let cases = [
        ("never rt_0.out0.valid", "does not hold in cycle 2: rt_0.out0.valid = 1"),
        (
            "rt_0.out0.valid |-> rt_0.in2.state == ROUTE",
            "does not hold in cycle 2: rt_0.out0.valid = 1, rt_0.in2.state = MOVE",
        ),
        (
            "rt_0.out0.valid |-> ##1 rt_1.out0.valid",
            "triggered in cycle 2, it does not hold in cycle 3: rt_0.out0.valid = 1, rt_1.out0.valid = 0",
        ),
        (
            "rt_1.out0.valid |-> ##[3:9] rt_0.out0.valid",
            "triggered in cycle 4, it did not hold in cycles 7 to 13; then rt_1.out0.valid = 0, rt_0.out0.valid = 0",
        ),
        ("eventually within 6 node2.ej.valid", "did not hold up to cycle 6; then node2.ej.valid = 0"),
        ("eventually rt_1.out1.valid", "did not hold in any of the"),
        ("rt_0.out0.valid |-> ##[1:$] rt_1.out1.valid", "triggered in cycle 2, it did not hold until the end"),
        ("always cycle != 1000000 || rt_0.out0.valid", "does not hold in cycle 1000000: rt_0.out0.valid = 0"),
    ];
    for (property, expected) in cases {
        let seen = verdict(property);
        assert!(seen.starts_with(expected), "{property}\nexpected {expected}\n   found {seen}");
    }
}

#[test]
fn signals_are_looked_at_in_their_cycle_and_hold_behind_the_end() {
    let signals = "signals: [(at: 2, that: \"rt_0.out0.valid\"), (at: 6, that: \"!rt_0.out0.valid\"), \
                   (at: 999999999, that: \"rt_0.out0.credits == 4\")]";
    line(signals).check().unwrap_or_else(|error| panic!("{error}"));
    let failed = line("signals: [(at: 3, that: \"rt_0.out0.flit == 0\")]").run(None).expect("a run");
    assert_eq!(failed.failures[0].message, "does not hold in cycle 3: rt_0.out0.flit = 1");
}

#[test]
fn a_left_side_that_never_holds_is_noted() {
    let verdict = line("properties: [\"rt_1.out1.valid |-> rt_0.out0.valid\"]").run(None).expect("a run");
    assert!(verdict.passed());
    assert!(verdict.notes[0].ends_with("properties[0]: its left side never holds"), "{:?}", verdict.notes);
}

#[test]
fn names_that_are_not_there_are_refused_with_the_nearest() {
    let cases = [
        ("always rt_0.out0.vald", "no signal \"rt_0.out0.vald\"; nearest names: rt_0.out0.valid,"),
        ("always rt_7.out0.valid", "no signal \"rt_7.out0.valid\"; nearest names: rt_0.out0.valid, rt_1.out0.valid,"),
        ("always rt_0.in2.state == MOV", "\"MOV\" names no value of rt_0.in2.state; nearest names: MOVE,"),
        ("always rt_0.out0.valid == yes", "\"yes\" names no value of rt_0.out0.valid; its values are numbers"),
        ("always past(rt_0.in2.state, 2) != MOV", "\"MOV\" names no value of rt_0.in2.state; nearest names: MOVE,"),
        ("always MOVE", "\"MOVE\" is no signal, and names a value only beside == or !="),
        ("always cycle + 1 == 3", "cycle is compared with a number"),
        ("always cycle == 3", "names no signal"),
        (
            "always rt_0.out0.data == 0",
            "128 bits are too many for an expression; choose up to 64: rt_0.out0.data[63:0]",
        ),
        ("always rt_0.out0.valid[1]", "rt_0.out0.valid has bits 0 to 0"),
        ("always rt_0.out0.data[3:4]", "the higher bit comes first: rt_0.out0.data[4:3]"),
        ("always rt_0.out0.data[128:127]", "rt_0.out0.data has bits 127 to 0"),
        (
            "rt_0.out0.valid |-> rt_0.out0.valid |-> rt_0.out0.valid",
            "found `|->`, and a property has one arrow; join two left sides with &&",
        ),
        (
            "never rt_0.out0.valid |-> rt_0.out0.valid",
            "found `|->`, and `never` has no arrow; write a |-> !(b) in place of never a |-> b",
        ),
        ("(rt_0.out0.valid |=> rt_0.out0.valid)", "found `|=>`, and an arrow stands outside of parentheses"),
        ("rt_0.out0.valid && |-> rt_0.out0.valid", "expected an operand, found `|->`"),
        (
            "always cycle > 1000000000000000001 || rt_0.out0.valid",
            "cycle 1000000000000000001 is too late; allowed: 0 to 1000000000000000000",
        ),
    ];
    for (property, expected) in cases {
        let seen = refusal(property);
        assert!(seen.starts_with(&format!("line.ron:2:23: properties[0]: {expected}")), "{property}: {seen}");
        assert!(seen.ends_with('^'), "{seen}");
    }
    let text = "(purpose: \"a line\", network: (topology: linear(nodes: 3)),\nexpect: (signals: [(at: 2, that: \"a |-> b\")]))";
    let seen = from_text("line.ron", text).expect_err("an arrow").to_string();
    assert!(
        seen.contains("signals[0]: found `|->`, and only an expression can stand here, without an arrow"),
        "{seen}"
    );
}

#[test]
fn questions_that_no_signal_decides_are_refused() {
    let cases = [
        ("always rt_0.out0.valid == 2", "never true: its left side is 0 to 1, its right side 2"),
        ("always $countones(rt_0.out0.valid) <= 1", "always true: its left side is 0 to 1, its right side 1"),
        ("always $onehot0(rt_0.out0.valid)", "always true: it is 1 for all values of the signals"),
        ("always (rt_0.out0.valid & 2) == 0", "always true: its left side is 0, its right side 0"),
        ("always rt_0.out0.credits <= 7", "always true: its left side is 0 to 7, its right side 7"),
        ("always 8 > rt_0.out0.credits", "always true: its left side is 8, its right side 0 to 7"),
        ("never rt_0.out0.credits < 0", "never true: its left side is 0 to 7, its right side 0"),
        ("always rt_0.out0.flit != 0x1_0000_0000", "always true: its left side is 0 to 4294967295, its right side"),
        ("always rt_0.out0.data[63:48] < 65536", "always true: its left side is 0 to 65535, its right side 65536"),
        ("always past(rt_0.out0.credits) + 1 <= 8", "always true: its left side is 1 to 8, its right side 8"),
        // Numbers are unsigned.
        (
            "always rt_0.out0.credits - 1 >= 0",
            "always true: its left side is 0 to 18446744073709551615, its right side 0",
        ),
        ("always rt_0.out0.credits | 1", "always true: it is 1 to 7 for all values of the signals"),
        ("always rt_0.out0.credits | 8 > 7", "always true: its left side is 8, its right side 7"),
        ("always (rt_0.out0.credits | 8) > 7", "always true: its left side is 8 to 15, its right side 7"),
        ("always ((rt_0.out0.flit & 6) ^ 1) > 7", "never true: its left side is 0 to 7"),
        (
            "always ~rt_0.out0.valid",
            "always true: it is 18446744073709551614 to 18446744073709551615 for all values of the signals; did you \
             mean ! in place of ~?",
        ),
        ("rt_0.out0.valid |-> rt_0.out0.valid || 1", "always true: it is 1 for all values of the signals"),
        ("rt_0.out0.valid && 0 |-> rt_0.out0.valid", "never true: it is 0 for all values of the signals"),
        ("eventually rose(rt_0.out0.valid + 1)", "always true: it is 1 to 2 for all values of the signals"),
        ("cycle >= 0 |-> rt_0.out0.valid", "always true: cycles are counted from 0"),
        ("rt_0.out0.valid |-> 0 <= cycle", "always true: cycles are counted from 0"),
    ];
    for (property, expected) in cases {
        let seen = refusal(property);
        assert!(seen.starts_with(&format!("line.ron:2:23: properties[0]: {expected}")), "{property}: {seen}");
    }
    // Questions with two possible answers are accepted.
    for property in [
        "rt_0.out0.credits <= 6",
        "rt_0.out0.credits - 1 <= 6",
        "rt_0.out0.valid + 1 > 1",
        "cycle > 0 || rt_0.out0.valid",
    ] {
        line(&format!("properties: [\"{property}\"]"));
    }
}

#[test]
fn idle_time_of_any_length_is_judged_exactly_and_at_once() {
    let text = "(purpose: \"idle\", network: (topology: linear(nodes: 2)), workload: [messages([\
                (cycle: 0, source: 0, destinations: [1], payload_flits: 1), \
                (cycle: 900000000000, source: 0, destinations: [1], payload_flits: 1)])], expect: (properties: [\
                \"rose(rt_0.out0.valid) |-> cycle == 2 || cycle == 900000000002\", \
                \"fell(rt_0.out0.valid) |-> ##899999999998 rt_0.out0.valid\", \
                \"fell(rt_0.out0.valid) && cycle < 100 |-> ##[1:899999999998] rose(rt_0.out0.valid)\", \
                \"rt_0.out0.valid |-> cycle < 4 || cycle > 900000000001\"]))";
    let verdict = from_text("idle.ron", text).expect("a bench").run(None).expect("a run");
    let failed: Vec<_> = verdict.failures.iter().map(|f| (f.what.as_str(), f.cycle)).collect();
    // After the second worm nothing rises any more.
    assert_eq!(failed, [("properties[1]", Some(900_000_000_004 + 899_999_999_998))]);
}

#[test]
fn wide_signals_are_read_across_their_words() {
    let text = "(purpose: \"wide\", network: (topology: linear(nodes: 2), switch: (flit_bits: 200)), \
                workload: [messages([(cycle: 0, source: 0, destinations: [1], payload_flits: 2)])], expect: (signals: [\
                (at: 4, that: \"rt_0.out0.data[63:0] == 0x20000\"), \
                (at: 4, that: \"rt_0.out0.data[127:64] == 0x20001\"), \
                (at: 4, that: \"rt_0.out0.data[143:80] == 0x2000000000002\"), \
                (at: 4, that: \"rt_0.out0.data[199:192] == 0x02\")]))";
    from_text("wide.ron", text).expect("a bench").check().unwrap_or_else(|error| panic!("{error}"));
}

proptest! {
    #![proptest_config(crate::properties::cases(2000))]

    #[test]
    fn ranges_of_cycles_are_judged_as_their_cycles_one_by_one(
        runs in prop::collection::vec((1u64..5, any::<bool>(), any::<bool>()), 1..20), from in 0u64..6, more in 0u64..6
    ) {
        let mut cycles = Vec::new();
        for &(length, asked, holds) in &runs {
            cycles.extend((0..length).map(|_| (asked, holds)));
        }
        let total = cycles.len() as u64;
        let until = from + more;
        let late = |t: &u64| cycles[*t as usize].0 && *t + until < total
            && !(t + from..=t + until).any(|at| cycles[at as usize].1);
        let expected = (0..total).find(late).map(|t| (t, t + until));

        let window = Later { soonest: from, latest: Some(until) };
        let property = Property {
            text: String::new(),
            when: When::Always,
            locals: Vec::new(),
            window,
            then: Expr::Number(1),
        };
        let mut duty = Duty::new(property, None, 0, Vec::new());
        let (mut at, mut seen) = (0, None);
        for &(length, asked, holds) in &runs {
            if asked {
                duty.ask(at, at + length, length, Vec::new());
            }
            seen = seen.or_else(|| duty.judge(at + length, |_| holds));
            at += length;
        }
        prop_assert_eq!(seen, expected);
    }
}

#[test]
fn every_question_keeps_its_own_sampled_values() {
    // Each flit takes 2 cycles from router to router, so the first one has no answer after 1.
    let told = verdict("(rt_0.out0.valid, f = rt_0.out0.flit) |-> ##[0:1] rt_1.out0.flit == f");
    assert!(told.starts_with("triggered in cycle 2, it did not hold in cycles 2 to 3; then "), "{told}");
    // The answer to flit 0 is not one to flit 1.
    let told = verdict("(rt_0.out0.valid, f = rt_0.out0.flit) |-> ##[1:9] rt_1.out0.flit == f && cycle < 5");
    assert!(told.starts_with("triggered in cycle 3, "), "{told}");
    let told = verdict("(node0.inj.valid, f = node0.inj.flit) |-> eventually rt_2.out2.flit == f + 1");
    assert!(told.contains("it did not hold until the end") || told.contains("did not hold"), "{told}");
    let told = verdict("count(rt_0.out0.valid) - count(rt_1.out0.valid) <= 1");
    assert!(told.starts_with("does not hold in cycle 3: "), "{told}");
    for (property, why) in [
        (
            "(rt_0.out0.valid, f = rt_0.out0.flit) |-> past(f) == rt_1.out0.flit",
            "a sampled value has no value in the cycle before",
        ),
        (
            "(rt_0.out0.valid, f = rt_0.out0.flit, f = rt_0.out0.valid) |-> rt_1.out0.flit == f",
            "is the name of another value",
        ),
        ("(rt_0.out0.valid, f = rt_0.out0.valid) |-> f == 2", "never true"),
        ("rt_0.out0.valid |-> f == 2", "\"f\" is no signal"),
    ] {
        let told = refusal(property);
        assert!(told.contains(why), "{property}: {told}");
    }
}
