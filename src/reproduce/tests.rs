//! Tests of figures, claims and their data.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::claim::{Range, judge};
use super::data::{CurveData, Data, Extent, Point};
use super::figure::{Shelf, Shelved, Source};
use super::measure::Measure;
use super::perform::sweep_of;
use super::{Claim, Verdict, document, ready, told};
use crate::input::ron;

fn curve(chart: &str, name: &str, points: &[(f64, f64)]) -> CurveData {
    let point = |&(x, y): &(f64, f64)| Point { x, y, half_width: Some(y / 10.0), is_done: x < 4.0 };
    CurveData { chart: chart.to_owned(), curve: name.to_owned(), points: points.iter().map(point).collect() }
}

/// A straight line, one that crosses it between 2 and 3, and one that falls and rises.
fn data() -> Data {
    Data {
        extent: Extent::Quick,
        curves: vec![
            curve("a", "up", &[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0), (4.0, 40.0)]),
            curve("a", "down", &[(1.0, 40.0), (2.0, 30.0), (3.0, 20.0), (4.0, 10.0)]),
            curve("", "bowl", &[(1.0, 9.0), (2.0, 3.0), (3.0, 6.0)]),
        ],
    }
}

fn claim(measure: &str) -> Claim {
    let text = format!("(says: \"s\", measure: {measure}, published: \"p\", holds: at_least(1))");
    ron::typed("claim", &text).unwrap()
}

fn value(measure: &str) -> Option<f64> {
    judge(&claim(measure), &data()).value
}

#[test]
fn measures_are_read_off_the_curves() {
    for (measure, expected) in [
        (r#"at("a/up", 2)"#, Some(20.0)),
        (r#"at("a/up", 2.5)"#, Some(25.0)),
        (r#"at("a/up", 5)"#, None),
        (r#"at("up", 2)"#, None),
        (r#"ratio(at("a/up", 4), at("a/down", 4))"#, Some(4.0)),
        (r#"difference(at("a/up", 4), at("a/down", 4))"#, Some(30.0)),
        (r#"least_ratio("a/up", "a/down", (2, 4))"#, Some(2.0 / 3.0)),
        (r#"most_ratio("a/up", "a/down", (1, 3))"#, Some(1.5)),
        (r#"mean_ratio("a/up", "a/down", (4, 4))"#, Some(4.0)),
        (r#"least_step("a/down")"#, Some(-10.0)),
        (r#"linearity("a/down")"#, Some(1.0)),
        (r#"crossing("a/up", "a/down")"#, Some(2.5)),
        (r#"crossing("a/up", "bowl")"#, None),
        (r#"saturation("a/up")"#, Some(4.0)),
        (r#"saturation("bowl")"#, Some(3.0)),
        (r#"stuck("a/up")"#, Some(0.25)),
        (r#"first("bowl")"#, Some(9.0)),
        (r#"last("bowl")"#, Some(6.0)),
        (r#"furthest("bowl")"#, Some(3.0)),
        (r#"saturated_up_to("a/up")"#, Some(4.0)),
        (r#"saturated_up_to("bowl")"#, Some(1.0)),
        (r#"mean("bowl")"#, Some(6.0)),
        (r#"most("bowl")"#, Some(9.0)),
        (r#"lowest("bowl")"#, Some(2.0)),
        (r#"most_off("a/up", [(1, 8), (2, 20)])"#, Some(0.25)),
        (r#"most_off_rounded("a/up", [(2.04, 20), (2.08, 20)])"#, Some(0.05)),
        (r#"mean_off("a/up", [(1, 8), (2, 20)])"#, Some(0.125)),
        (r#"mean_off("a/up", [(1, 8), (9, 20)])"#, None),
        (r#"least_of("a/up", [(1, 8), (2, 25)])"#, Some(0.8)),
        (r#"most_of("a/up", [(1, 8), (2, 25)])"#, Some(1.25)),
        (r#"most_of("a/up", [(1, 8), (9, 25)])"#, None),
    ] {
        let found = value(measure);
        let is_near = match (found, expected) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-12,
            (a, b) => a == b,
        };
        assert!(is_near, "{measure}: {found:?}, not {expected:?}");
    }
    assert!((value(r#"spread("bowl", (1, 3))"#).unwrap() - 3.0).abs() < 1e-12);
    assert!((value(r#"linearity("bowl")"#).unwrap() - 0.25).abs() < 1e-12);
}

#[test]
fn what_lies_beyond_the_ends_of_a_curve_cannot_be_told() {
    for (measure, expected) in [
        (r#"spread("bowl", (1, 3))"#, Some(3.0)),
        (r#"spread("bowl", (0.5, 3))"#, None),
        (r#"spread("bowl", (1, 3.5))"#, None),
        (r#"spread("bowl", (1, 4))"#, None),
        // Between two points a curve is a straight line, up to its last point.
        (r#"spread("bowl", (1.5, 2.5))"#, Some(1.0)),
        (r#"spread("bowl", (1.2, 1.8))"#, None),
        (r#"spread("bowl", (2, inf))"#, Some(2.0)),
        (r#"spread("bowl", (-inf, inf))"#, Some(3.0)),
        (r#"spread("bowl", (4, inf))"#, None),
        (r#"least_ratio("a/up", "bowl", (1, 3))"#, Some(10.0 / 9.0)),
        // One curve reaches so far, and the other does not.
        (r#"least_ratio("a/up", "bowl", (1, 4))"#, None),
        (r#"most_ratio("bowl", "a/up", (1, 4))"#, None),
        (r#"mean_ratio("a/up", "bowl", (0, 3))"#, None),
        (r#"least_ratio("a/up", "bowl", (1, inf))"#, Some(10.0 / 9.0)),
        (r#"at("bowl", 1.5)"#, Some(6.0)),
        (r#"at("bowl", 3.5)"#, None),
    ] {
        let finding = judge(&claim(measure), &data());
        let is_near = match (finding.value, expected) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-12,
            (a, b) => a == b && finding.verdict == Verdict::Unknown,
        };
        assert!(is_near, "{measure}: {finding:?}, not {expected:?}");
    }
}

#[test]
fn the_page_says_that_a_curve_ends_before_what_is_claimed() {
    let text = FIGURE.replacen("least_step(\"a/up\")", "spread(\"a/up\", (1, 9))", 1);
    let page = document(&Shelf(vec![shelved(&text).unwrap()]), &|_| Some(data()));
    assert!(page.contains("| - | **cannot be told** |"), "{page}");
    assert!(page.contains("- 1: The curves end before the range of the claim."), "{page}");
}

#[test]
fn what_is_least_and_how_straight_are_as_uncertain_as_the_points() {
    let points = |half: f64| {
        let point = |(x, y)| Point { x, y, half_width: Some(half), is_done: true };
        let points = [(1.0, 10.0), (2.0, 8.0), (3.0, 9.0), (4.0, 20.0)].map(point).to_vec();
        let curve = CurveData { chart: String::new(), curve: "c".to_owned(), points };
        Data { extent: Extent::Full, curves: vec![curve] }
    };
    let read = |measure: &str, half: f64| claim(measure).measure.read(&points(half));
    assert_eq!(read(r#"lowest("c")"#, 0.4), (Some(2.0), None));
    // The point of 9 may be as low as 8.5, and the point of 8 as high. The point of 10 cannot be so
    // low.
    assert_eq!(read(r#"lowest("c")"#, 0.5), (Some(2.0), Some((2.0, 3.0))));
    assert_eq!(read(r#"lowest("c")"#, 1.0), (Some(2.0), Some((1.0, 3.0))));
    assert_eq!(read(r#"linearity("c")"#, 0.0).1, None);
    let (Some(value), Some((low, high))) = read(r#"linearity("c")"#, 1.0) else { panic!("no interval") };
    assert!(low < value && value < high && high < 1.0, "{low} {value} {high}");
    let wider = read(r#"linearity("c")"#, 2.0).1.unwrap();
    assert!(wider.0 < low && high < wider.1, "{wider:?}");
}

#[test]
fn a_ratio_is_as_uncertain_as_its_ends_together() {
    let finding = judge(&claim(r#"ratio(at("a/up", 4), at("a/down", 4))"#), &data());
    let (low, high) = finding.interval.unwrap();
    assert!((low - 36.0 / 11.0).abs() < 1e-12 && (high - 44.0 / 9.0).abs() < 1e-12);
}

#[test]
fn spread_and_least_step_are_as_uncertain_as_all_their_points_together() {
    let near = |measure: &str, expected: (f64, f64)| {
        let (low, high) = judge(&claim(measure), &data()).interval.unwrap();
        assert!((low - expected.0).abs() < 1e-12 && (high - expected.1).abs() < 1e-12, "{measure}: {low} to {high}");
    };
    // The points lie from 8.1 to 9.9, from 2.7 to 3.3 and from 5.4 to 6.6.
    near(r#"spread("bowl", (1, 3))"#, (8.1 / 3.3, 9.9 / 2.7));
    // 27 to 33 and 36 to 44 may be 33 and 36, and no spread is below 1.
    near(r#"spread("a/up", (3, 4))"#, (36.0 / 33.0, 44.0 / 27.0));
    assert_eq!(judge(&claim(r#"spread("a/up", (3, 3))"#), &data()).interval, None);
    // The least step can be as small as the step from 33 to 36. Its largest value is a third of the
    // way from 9 to 44.
    near(r#"least_step("a/up")"#, (3.0, 35.0 / 3.0));
    near(r#"least_step("bowl")"#, (2.7 - 9.9, 3.3 - 8.1));
    // A curve whose means rise may fall within its intervals.
    let steady = Data { extent: Extent::Full, curves: vec![curve("a", "up", &[(1.0, 10.0), (2.0, 10.5)])] };
    let rises = Claim { holds: Range::AtLeast(0.0), ..claim(r#"least_step("a/up")"#) };
    let finding = judge(&rises, &steady);
    assert!(finding.verdict == Verdict::Holds && finding.is_unsure, "{finding:?}");
    let near = Claim { holds: Range::AtMost(1.1), ..claim(r#"spread("a/up", (1, 2))"#) };
    let finding = judge(&near, &steady);
    assert!(finding.verdict == Verdict::Holds && finding.is_unsure, "{finding:?}");
    assert!(finding.interval.is_some_and(|(low, _)| (low - 1.0).abs() < 1e-12), "{finding:?}");
}

#[test]
fn saturation_begins_behind_the_last_run_that_ends() {
    let interval = |measure| judge(&claim(measure), &data()).interval;
    assert_eq!(interval(r#"saturation("a/up")"#), Some((3.0, 4.0)));
    assert_eq!(interval(r#"saturation("bowl")"#), None);
}

#[test]
fn curves_cross_between_where_one_low_and_one_high_do() {
    // At 2.75 the curves 9, 18, 27, 36 and 44, 33, 22, 11 cross. The curves 11, 22, 33, 44 and 36,
    // 27, 18, 9 cross at 2.25.
    let (low, high) = judge(&claim(r#"crossing("a/up", "a/down")"#), &data()).interval.unwrap();
    assert!((low - 2.25).abs() < 1e-12 && (high - 2.75).abs() < 1e-12, "{low} {high}");
}

#[test]
fn what_is_printed_may_lie_within_an_interval() {
    // 10 lies in 9 to 11, 20 in 18 to 22, and 25 in 22.5 to 27.5.
    let interval = |measure| judge(&claim(measure), &data()).interval.unwrap();
    let near = |(a, b): (f64, f64), (low, high): (f64, f64)| (a - low).abs() < 1e-12 && (b - high).abs() < 1e-12;
    assert!(near(interval(r#"most_off("a/up", [(1, 10), (2, 16)])"#), (0.125, 0.375)));
    assert!(near(interval(r#"mean_off("a/up", [(1, 10), (2, 25)])"#), (0.06, 0.19)));
    assert!(near(interval(r#"most_off_rounded("a/up", [(2.5, 20)])"#), (0.15, 0.4)));
}

#[test]
fn verdicts_go_by_the_ranges_and_by_what_is_missing() {
    let of = |value: f64, lacks: Option<&str>| {
        let claim = Claim {
            measure: Measure::At("a/up".to_owned(), value),
            holds: Range::AtLeast(30.0),
            in_part: Some(Range::Between(20.0, 30.0)),
            lacks: lacks.map(str::to_owned),
            ..claim(r#"mean("bowl")"#)
        };
        judge(&claim, &data()).verdict
    };
    assert_eq!(
        [of(3.0, None), of(2.0, None), of(1.0, None), of(9.0, None), of(3.0, Some("the load"))],
        [Verdict::Holds, Verdict::InPart, Verdict::DoesNot, Verdict::Unknown, Verdict::Unknown]
    );
}

#[test]
fn a_verdict_with_another_one_within_its_interval_is_not_sure() {
    // The means are 20 and 30, and the intervals 18 to 22 and 27 to 33.
    let unsure = |x: f64, holds: Range, in_part: Option<Range>| {
        let claim = Claim { measure: Measure::At("a/up".to_owned(), x), holds, in_part, ..claim(r#"mean("bowl")"#) };
        judge(&claim, &data()).is_unsure
    };
    assert!(!unsure(2.0, Range::AtLeast(17.0), None) && unsure(2.0, Range::AtLeast(19.0), None));
    assert!(!unsure(2.0, Range::AtLeast(23.0), None) && unsure(2.0, Range::AtLeast(21.0), None));
    // The interval lies wholly in `in_part`, then partly. The last range lies inside the interval
    // and has neither of its ends.
    assert!(!unsure(3.0, Range::AtMost(26.0), Some(Range::AtMost(40.0))));
    assert!(unsure(3.0, Range::AtMost(26.0), Some(Range::AtMost(32.0))));
    assert!(unsure(3.0, Range::Between(31.0, 32.0), None));
    let lacks = Claim { lacks: Some("the load".to_owned()), ..claim(r#"at("a/up", 2)"#) };
    assert!(!judge(&lacks, &data()).is_unsure);
}

#[test]
fn a_sample_contradicts_what_all_points_say_where_its_interval_has_no_room_for_it() {
    // The sample has 20, from 18 to 22.
    let contradiction = |least: f64, extent: Extent, kept: f64| {
        let measure = Measure::At("a/up".to_owned(), 2.0);
        let claim = Claim { measure, holds: Range::AtLeast(least), ..claim(r#"mean("bowl")"#) };
        claim.contradiction(&data(), &Data { extent, curves: vec![curve("a", "up", &[(2.0, kept)])] })
    };
    let differ = Some([Verdict::DoesNot, Verdict::Holds]);
    assert_eq!(contradiction(21.0, Extent::Full, 21.5), None);
    assert_eq!(contradiction(23.0, Extent::Full, 24.0), differ);
    // The curve of the sample ends at 4.
    let further = Claim { holds: Range::AtLeast(1.0), ..claim(r#"spread("a/up", (2, 5))"#) };
    let kept = |extent| Data { extent, curves: vec![curve("a", "up", &[(2.0, 20.0), (5.0, 50.0)])] };
    assert_eq!(further.contradiction(&data(), &kept(Extent::Full)), None);
    assert_eq!(further.contradiction(&data(), &kept(Extent::Quick)), Some([Verdict::Unknown, Verdict::Holds]));
    // Two samples have the same runs, so their verdicts must agree.
    assert_eq!(contradiction(21.0, Extent::Quick, 21.5), differ);
    assert_eq!(contradiction(21.0, Extent::Quick, 20.5), None);
}

#[test]
fn entries_of_tables_stand_on_the_page_with_how_far_they_are_off() {
    let figure = FIGURE.replace("least_step(\"a/up\")", "most_off(\"a/up\", [(1, 8), (2, 20)])");
    let page = document(&Shelf(vec![shelved(&figure).unwrap()]), &|_| Some(data()));
    assert!(
        page.contains("| 1. rises | up | at least 0 % | 10, 20: 25 % off at most (12.5 to 37.5) | **holds** |"),
        "{page}"
    );
}

proptest! {
    #[test]
    fn a_table_that_is_read_again_has_the_same_points(
        points in proptest::collection::vec((-1000..1000_i32, 0..100_000_u32, any::<bool>()), 1..20),
        name in "[a-zA-Z0-9 ,\"]{1,12}",
    ) {
        let point = |&(x, y, is_done): &(i32, u32, bool)| Point {
            x: f64::from(x), y: f64::from(y) / 8.0, half_width: is_done.then_some(0.5), is_done,
        };
        let points = points.iter().map(point).collect();
        let data = Data { extent: Extent::Full, curves: vec![CurveData { chart: "b".to_owned(), curve: name, points }] };
        prop_assert_eq!(Data::from_csv(Path::new("x.csv"), &data.csv()).unwrap(), data);
    }
}

#[test]
fn tables_of_another_version_or_none_are_refused_with_their_line() {
    let csv = data().csv();
    let refused = |text: &str| Data::from_csv(Path::new("x.csv"), text).unwrap_err().to_string();
    let other = csv.replacen(env!("CARGO_PKG_VERSION"), "9.9.9", 1);
    assert!(refused(&other).starts_with("x.csv:1: is of wormscope 9.9.9, this is "), "{}", refused(&other));
    assert!(refused(&other).ends_with("; publish the figure again, or remove this table"), "{}", refused(&other));
    assert!(refused("nothing").starts_with("x.csv:1: this is no table of a figure"));
    let broken = csv.replacen("a,up,2,20", "a,up,2,many", 1);
    assert_eq!(refused(&broken), "x.csv:4: y is \"many\"; allowed: a number");
    let cut = csv.replacen("a,up,2,20,2,done", "a,up,2", 1);
    assert!(refused(&cut).starts_with("x.csv:4: "), "{}", refused(&cut));
}

const FIGURE: &str = r#"(
    name: "Fig. 1", place: "section 1", caption: "what it shows", kind: hardware,
    choices: ["as we like it"],
    spans: [(of: "the end", over: [("what we like", last("a/up")), ("what they do", last("a/down"))])],
    studies: {"runs": model("none")},
    charts: [(key: "a", title: "t", x: (label: "x"), y: (label: "y"), curves: [(name: "up"), (name: "down")])],
    claims: [
        (says: "rises", measure: least_step("a/up"), published: "up", holds: at_least(0)),
        (says: "also", measure: least_step("a/down"), published: "up", holds: at_least(0), because: "it falls"),
    ],
)"#;

fn shelved(text: &str) -> Result<Shelved, String> {
    Shelved::new("kp/fig_1".to_owned(), PathBuf::new(), "fig_1.ron", text).map_err(|error| error.to_string())
}

#[test]
fn claims_of_curves_that_are_not_there_are_refused_with_the_nearest() {
    assert!(shelved(FIGURE).is_ok());
    let why = shelved(&FIGURE.replace("least_step(\"a/up\")", "least_step(\"a/upp\")")).unwrap_err();
    assert!(why.starts_with("fig_1.ron:8:25: ") && why.contains("\"a/upp\"; did you mean \"a/up\""), "{why}");
    let why = shelved(&FIGURE.replace("claims:", "claim:")).unwrap_err();
    assert!(why.contains("fig_1.ron:7:"), "{why}");
    let why = shelved(&FIGURE.replace("last(\"a/down\")", "last(\"a/dwn\")")).unwrap_err();
    assert!(why.starts_with("fig_1.ron:4:"), "{why}");
    assert!(why.contains("a span over choices is of the curve \"a/dwn\"; did you mean \"a/down\""), "{why}");
}

#[test]
fn what_is_wrong_in_a_claim_is_refused_where_it_stands() {
    let refused = |from: &str, to: &str| shelved(&FIGURE.replacen(from, to, 1)).unwrap_err();
    let why = refused("at_least(0)),", "at_least(\"0\")),");
    assert!(why.starts_with("fig_1.ron:8:") && why.contains("expected a number, found \"0\""), "{why}");
    let why = refused("at_least(0)),", "at_least(0),");
    assert!(why.starts_with("fig_1.ron:9:"), "{why}");
    let why = refused("published: \"up\"", "published: 1");
    assert!(why.starts_with("fig_1.ron:8:") && why.contains("expected a string in double quotes"), "{why}");
    let why = refused("model(\"none\")", "model(1)");
    assert!(why.starts_with("fig_1.ron:5:"), "{why}");
}

#[test]
fn two_curves_of_one_name_are_refused() {
    let why = shelved(&FIGURE.replace("(name: \"down\")", "(name: \"down\"), (name: \"up\")")).unwrap_err();
    assert!(why.starts_with("fig_1.ron:6:") && why.contains("there are two curves \"a/up\""), "{why}");
    // Two curves of one name are in two panels of one key, and then in two panels of two keys.
    let panel = |key: &str| {
        let other =
            format!("(key: \"{key}\", title: \"u\", x: (label: \"x\"), y: (label: \"y\"), curves: [(name: \"up\")])");
        shelved(&FIGURE.replace("    charts: [", &format!("    charts: [{other},\n")))
    };
    assert!(panel("a").unwrap_err().contains("there are two curves \"a/up\"") && panel("b").is_ok());
}

#[test]
fn what_no_claim_can_be_held_to_is_refused_where_it_stands() {
    let refused = |to: &str| shelved(&FIGURE.replacen("holds: at_least(0)", to, 1)).unwrap_err();
    let no_range = "is no range; allowed: finite numbers, the lesser first";
    for (holds, words) in [
        ("between(1.9, 1.4)", "1.9 to 1.4"),
        ("at_least(NaN)", "at least NaN"),
        ("at_most(inf)", "at most inf"),
        ("between(1, NaN)", "1 to NaN"),
    ] {
        let why = refused(&format!("\n holds: {holds}"));
        assert_eq!(why, format!("fig_1.ron:9:2: {words} {no_range}"));
        let why = refused(&format!("holds: at_least(0),\n in_part: {holds}"));
        assert_eq!(why, format!("fig_1.ron:9:2: {words} {no_range}"));
    }
    for in_part in ["at_least(0)", "at_least(1)", "between(2, 3)"] {
        let why = refused(&format!("holds: at_least(0),\n in_part: {in_part}"));
        assert!(why.starts_with("fig_1.ron:9:2: ") && why.contains("is within at least 0"), "{why}");
    }
    for in_part in ["at_least(-1)", "between(-1, 0)", "at_most(5)"] {
        let text = format!("holds: at_least(0), in_part: {in_part}");
        assert!(shelved(&FIGURE.replacen("holds: at_least(0)", &text, 1)).is_ok(), "{in_part}");
    }
}

#[test]
fn the_base_of_a_logarithm_is_above_one() {
    let scaled = |log: &str| shelved(&FIGURE.replace("y: (label: \"y\")", &format!("y: (label: \"y\", log: {log})")));
    for log in ["0", "1", "-2", "NaN", "inf"] {
        let why = scaled(log).unwrap_err();
        assert!(why.starts_with("fig_1.ron:6:") && why.contains("; allowed: a base above 1"), "{why}");
    }
    assert!(scaled("2").is_ok());
}

#[test]
fn all_studies_of_all_figures_can_be_run_in_full_and_quickly() {
    let shelf = Shelf::read(&Path::new(crate::ROOT).join("configs/papers")).unwrap();
    let mut count = 0;
    for of in &shelf.0 {
        for extent in [Extent::Full, Extent::Quick] {
            ready(&shelf, of, extent).unwrap_or_else(|why| panic!("{why}"));
        }
        for source in of.figure.studies.values() {
            let Source::Runs(runs) = source else { continue };
            for extent in [Extent::Full, Extent::Quick] {
                let sweep = sweep_of(of, runs, extent).unwrap_or_else(|why| panic!("{why}"));
                count += sweep.runs();
            }
        }
    }
    assert!(count > 10_000);
}

#[test]
fn figures_are_asked_for_by_paper_or_name() {
    let shelf = Shelf(vec![shelved(FIGURE).unwrap()]);
    let ids = |asked: &str| shelf.chosen(&[asked.to_owned()]).map(|found| found.len());
    assert_eq!((ids("kp").unwrap(), ids("kp/fig_1").unwrap(), shelf.chosen(&[]).unwrap().len()), (1, 1, 1));
    let why = ids("kp/fig_2").unwrap_err().to_string();
    assert!(why.contains("there is no figure \"kp/fig_2\"; did you mean \"kp/fig_1\""), "{why}");
}

#[test]
fn page_and_terminal_say_what_a_claim_is_held_to_in_full_and_in_part() {
    let off = r#"measure: most_off("a/up", [(1, 8)]), published: "8", holds: at_most(0.07), in_part: at_most(0.3)"#;
    let between = r#"measure: last("a/up"), published: "40", holds: between(30, 45.5), in_part: at_least(20)"#;
    for (claim, held_to) in [(off, "at most 7 %, in part at most 30 %"), (between, "30 to 45.5, in part at least 20")] {
        let text = FIGURE.replace(r#"measure: least_step("a/up"), published: "up", holds: at_least(0)"#, claim);
        let shelved = shelved(&text).unwrap();
        let said = told(&shelved, &data());
        assert!(said.contains(&format!(", holds where {held_to}\n")), "{said}");
        let page = document(&Shelf(vec![shelved]), &|_| Some(data()));
        assert!(page.contains("| claim | published | holds where | here | verdict |"), "{page}");
        assert!(page.contains(&format!(" | {held_to} | ")), "{page}");
    }
}

#[test]
fn the_page_says_claim_figure_and_verdict_with_the_reason() {
    let shelf = Shelf(vec![shelved(FIGURE).unwrap()]);
    let page = document(&shelf, &|_| Some(data()));
    assert!(page.contains("| 1. rises | up | at least 0 | 10 (3 to 11.67) | **holds** |"), "{page}");
    assert!(
        page.contains("| 2. also | up | at least 0 | -10 (-17 to -8.333) | **does not hold** |")
            && page.contains("- 2: it falls"),
        "{page}"
    );
    assert!(page.contains("| all | 1 | 2 | 1 | 0 | 1 | 0 |"), "{page}");
    let span = "Plausible choices give the end:\n\n- what we like: 40 (36 to 44)\n- what they do: 10 (9 to 11)\n";
    assert!(page.contains(span), "{page}");
    let page = document(&shelf, &|_| None);
    assert!(page.contains("not run") && page.contains("| all | 1 | 2 | 0 | 0 | 0 | 2 |"), "{page}");
}
