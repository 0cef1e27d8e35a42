//! Pictures of the small sweep that the tests of `explore` write.

use super::*;
use crate::explore::tests::directory;
use crate::explore::{Better, Bound, Objective, Question};

fn texts(svg: &str) -> Vec<&str> {
    svg.split("<text").skip(1).filter_map(|rest| rest.split(">\n").nth(1)?.split("\n<").next()).collect()
}

#[test]
fn latency_against_load_has_units_ticks_crosses_and_its_origin() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let svg = latency(&sweep, &[], "wormscope plot out --svg latency.svg").unwrap().draw().unwrap();
    let texts = texts(&svg);
    for text in [
        "Latency to the last destination",
        "Throughput",
        "load (flits a node and cycle)",
        "latency (cycles)",
        "fifo_depth 2",
        "fifo_depth 16",
        "99th percentile",
        "saturated from here",
        "a run deadlocks",
        "wormscope plot out --svg latency.svg",
        "wormscope sweep mesh.ron --vary load=0.1..0.4/0.1 -o out",
    ] {
        assert!(texts.contains(&text), "{text} in {texts:?}");
    }
    let origin =
        format!("3 seeds a point; rows sha256 {}; mesh.ron 0123456789ab; wormscope 0.1.0", &sweep.rows_sha256[..12]);
    assert!(texts.contains(&origin.as_str()), "{texts:?}");
}

#[test]
fn what_is_accepted_stands_beside_what_is_offered() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let sheet = latency(&sweep, &[], "").unwrap();
    let offered = sheet.charts[1].series.iter().find(|series| series.name == "as much as is offered").unwrap();
    assert_eq!(offered.points.len(), 4);
    assert!(offered.points.iter().all(|(x, y)| (x - y).abs() < 1e-9), "{:?}", offered.points);
    let deepest = sheet.charts[1].series.iter().find(|series| series.name == "fifo_depth 8").unwrap();
    assert_eq!(deepest.points, [(0.1, 0.1), (0.2, 0.2), (0.3, 0.3), (0.4, 0.35)]);
}

#[test]
fn curves_end_where_every_run_is_saturated() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let sheet = latency(&sweep, &[Filter::parse(&sweep, "fifo_depth=4").unwrap()], "").unwrap();
    let marks = sheet.charts[0].series.iter().find(|series| matches!(series.look, Look::Marked(_))).unwrap();
    assert_eq!(marks.points.iter().map(|point| point.0).collect::<Vec<_>>(), [0.1, 0.2]);
    let latency = 20.0 + 100.0 * 0.2 / (0.25 + 0.2) + 0.5;
    assert!((marks.points[1].1 - latency).abs() < 1e-9, "{:?}", marks.points);
}

#[test]
fn what_is_of_the_hardware_is_drawn_once_whatever_its_loads() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let depth = sweep.schema.axis("fifo_depth").unwrap();
    for (name, is_one) in [("area", true), ("accepted", false)] {
        let sheet = metric(&sweep, depth, sweep.schema.metric(name).unwrap(), &[], "").unwrap();
        let names = sheet.charts[0].series.iter().filter(|series| matches!(series.look, Look::Marked(_)));
        assert_eq!(names.count(), if is_one { 1 } else { 4 }, "{name}");
    }
}

#[test]
fn a_metric_is_drawn_against_any_field() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let (x, y) = (sweep.schema.axis("fifo_depth").unwrap(), sweep.schema.metric("accepted").unwrap());
    let sheet = metric(&sweep, x, y, &[Filter::parse(&sweep, "load=0.1,0.4").unwrap()], "").unwrap();
    assert_eq!((sheet.charts[0].x.log, sheet.charts[0].title.as_str()), (Some(2.0), "accepted against fifo_depth"));
    let names: Vec<&str> =
        sheet.charts[0].series.iter().map(|series| series.name.as_str()).filter(|n| !n.is_empty()).collect();
    assert_eq!(names, ["load 0.1", "load 0.4"]);
    sheet.draw().unwrap();
}

#[test]
fn the_front_marks_what_dominates_ties_and_deadlocks() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let objectives = ["area", "saturation"].map(|name| Objective::named(&sweep, name, Better::Less).unwrap()).to_vec();
    let answer = Question { objectives: objectives.clone(), ..Question::default() }.ask(&sweep).unwrap();
    let sheet = front(&sweep, &answer, "").unwrap();
    let series = &sheet.charts[0].series;
    let of = |name: &str| series.iter().find(|series| series.name == name).map(|series| series.points.clone());
    assert_eq!(of("on the front"), Some(vec![(5000.0, 0.1), (7000.0, 0.2), (11000.0, 0.3)]));
    assert_eq!(of("can deadlock"), Some(vec![(19000.0, 0.3)]));
    assert_eq!(of("dominated"), of("can deadlock"));
    assert_eq!(series[0].points, [(5000.0, 0.1), (7000.0, 0.1), (7000.0, 0.2), (11000.0, 0.2), (11000.0, 0.3)]);
    let bounds = vec![Bound::parse(&sweep, "area=7000", Better::Less).unwrap()];
    let one = Question { objectives: objectives[..1].to_vec(), bounds, ..Question::default() }.ask(&sweep).unwrap();
    assert!(front(&sweep, &one, "").unwrap_err().starts_with("a front has two or three metrics"));
}

#[test]
fn a_histogram_counts_every_run_once() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let latency = sweep.schema.metric("latency").unwrap();
    let by = sweep.schema.axis("load").unwrap();
    let sheet = histogram(&sweep, latency, Some(by), &[], "").unwrap();
    let runs: f64 =
        sheet.charts[0].series.iter().flat_map(|series| series.points.iter().skip(1).step_by(2)).map(|p| p.1).sum();
    assert_eq!((runs, sheet.charts[0].series.len()), (48.0, 4));
    assert!(stalls(&sweep, &[], "").unwrap_err().contains("no account of stalls"));
}
