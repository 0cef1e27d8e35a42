//! Pictures of the small sweep that the tests of `explore` write.

use super::*;
use crate::explore::tests::{directory, rewritten, write};
use crate::explore::{Better, Bound, Flaw, Objective, Question};
use crate::page::marks::mark;
use crate::report::chart::measure::assert_readable;
use crate::report::mark::Mark;

fn texts(svg: &str) -> Vec<&str> {
    svg.split("<text").skip(1).filter_map(|rest| rest.split(">\n").nth(1)?.split("\n<").next()).collect()
}

#[test]
fn latency_against_load_has_units_ticks_crosses_and_its_origin() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let svg = latency(&sweep, &[], "wormscope plot out --svg latency.svg").unwrap().sheet.draw().unwrap();
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
    let sheet = latency(&sweep, &[], "").unwrap().sheet;
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
    let sheet = latency(&sweep, &[Filter::parse(&sweep, "fifo_depth=4").unwrap()], "").unwrap().sheet;
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
        let plot = metric(&sweep, depth, sweep.schema.metric(name).unwrap(), &[], "").unwrap();
        // Also, a run of one of the points deadlocks, which does not matter for the area.
        let marks = plot.sheet.charts[0].series.iter().filter(|series| matches!(series.look, Look::Marked(_)));
        assert_eq!(marks.count(), if is_one { 1 } else { 4 + 2 }, "{name}");
    }
}

#[test]
fn a_metric_is_drawn_against_any_field() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let (x, y) = (sweep.schema.axis("fifo_depth").unwrap(), sweep.schema.metric("accepted").unwrap());
    let plot = metric(&sweep, x, y, &[Filter::parse(&sweep, "load=0.1,0.4").unwrap()], "").unwrap();
    let sheet = &plot.sheet;
    assert_eq!((sheet.charts[0].x.log, sheet.charts[0].title.as_str()), (Some(2.0), "accepted against fifo_depth"));
    assert_eq!(legend(&plot), ["load 0.1", "load 0.4", "a run deadlocks"]);
    sheet.draw().unwrap();
}

/// Points of the first chart in a look, by x.
fn places(plot: &Plot, look: Look) -> Vec<f64> {
    let series = plot.sheet.charts[0].series.iter().filter(|series| series.look == look);
    series.flat_map(|series| &series.points).map(|point| point.0).collect()
}

/// The legend of the first chart.
fn legend(plot: &Plot) -> Vec<&str> {
    let names = plot.sheet.charts[0].series.iter().map(|series| series.name.as_str());
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn against_the_load_every_time_ends_where_it_is_not_sound_any_more() {
    // Depth 4 saturates at 0.3, and is done again at 0.4. Depth 8 is stopped at 0.3, and a run of
    // depth 16 deadlocks.
    let directory = rewritten(|cells| {
        match (cells[3].as_str(), cells[4].as_str()) {
            ("4", "0.4") => cells[7] = "done".to_owned(),
            ("8", "0.3") => cells[7] = "cycle_limit".to_owned(),
            _ => {}
        }
        true
    });
    let sweep = Sweep::open(directory.path()).unwrap();
    let load = sweep.schema.axis("load").unwrap();
    let only = |depth: &str| [Filter::parse(&sweep, &format!("fifo_depth={depth}")).unwrap()];
    let drawn = |name: &str, depth: &str| {
        let y = sweep.schema.metric(name).unwrap();
        metric(&sweep, load, y, &only(depth), "").unwrap()
    };
    for name in ["first", "latency_last_mean", "p99", "latency.unicast"] {
        assert_eq!(places(&drawn(name, "4"), Look::Line), [0.1, 0.2], "{name}");
        assert_eq!(places(&drawn(name, "4"), Look::Marked(Mark::Tick(0))), [0.3], "{name}");
        assert_eq!(places(&drawn(name, "8"), Look::Marked(Mark::BarredTick(0))), [0.3], "{name}");
    }
    assert_eq!(legend(&drawn("p99", "4")), ["saturated from here"]);
    assert_eq!(legend(&drawn("p99", "8")), ["stopped by max_cycles from here"]);
    // The accepted load is sound beyond saturation too, but not for a run that deadlocked.
    assert_eq!(places(&drawn("accepted", "4"), Look::Line), [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(places(&drawn("accepted", "16"), Look::Line), [0.1, 0.2, 0.3]);
    assert_eq!(places(&drawn("accepted", "16"), Look::Marked(Mark::CrossTick(0))), [0.4]);
    // The same rules hold for latency against load, and its legend says so.
    for (depth, look) in [("4", Mark::Tick(0)), ("8", Mark::BarredTick(0)), ("16", Mark::CrossTick(0))] {
        let plot = latency(&sweep, &only(depth), "").unwrap();
        let at = if depth == "16" { [0.4] } else { [0.3] };
        assert_eq!(places(&plot, Look::Marked(look)), at, "{depth}");
        let band: Vec<f64> = places(&plot, Look::Band);
        assert!(band.iter().all(|x| *x < at[0]) && !band.is_empty(), "{depth}: {band:?}");
        assert!(plot.notes.len() == 1 && plot.notes[0].contains(" of 4 points have no valid latency_last_mean: "));
    }
}

#[test]
fn points_that_are_not_sound_stand_at_the_foot_and_are_joined_to_nothing() {
    // At load 0.1, depth 4 saturates once. Its latency is then beyond all others.
    let directory = rewritten(|cells| {
        if (cells[3].as_str(), cells[4].as_str(), cells[5].as_str()) == ("4", "0.1", "1") {
            cells[7] = "saturated".to_owned();
            cells[10] = "99999".to_owned();
        }
        true
    });
    let sweep = Sweep::open(directory.path()).unwrap();
    let (depth, mean) = (sweep.schema.axis("fifo_depth").unwrap(), sweep.schema.metric("latency").unwrap());
    let drawn = |y: usize, loads: &str| metric(&sweep, depth, y, &[Filter::parse(&sweep, loads).unwrap()], "");
    let plot = drawn(mean, "load=0.1").unwrap();
    let lines = plot.sheet.charts[0].series.iter().filter(|series| series.look == Look::Line);
    let lines: Vec<Vec<f64>> = lines.map(|series| series.points.iter().map(|point| point.0).collect()).collect();
    assert_eq!(lines, [vec![2.0], vec![8.0, 16.0]]);
    assert_eq!(places(&plot, Look::Marked(Mark::Tick(0))), [4.0]);
    let points = plot.sheet.charts[0].series.iter().flat_map(|series| &series.points);
    assert!(points.clone().all(|point| point.1 < 100.0), "{:?}", points.collect::<Vec<_>>());
    let note = "1 of 4 points have no valid latency_last_mean: 1 was saturated";
    assert_eq!(plot.notes, [note]);
    // The picture has the note of the terminal.
    assert_eq!(plot.sheet.footer[0], note);
    // A metric without a sound point has no picture. A curve without sound points gives its name to
    // its marks.
    let refused = drawn(mean, "load=0.4").unwrap_err();
    assert_eq!(
        refused,
        "nothing to draw: 4 of 4 points have no valid latency_last_mean: 1 deadlocked, 3 were saturated"
    );
    let plot = drawn(mean, "load=0.1,0.4").unwrap();
    assert_eq!(legend(&plot), ["load 0.1", "load 0.4", "a run deadlocks", "saturated"]);
    // The cost of the network is sound for every end of the runs.
    for name in ["area", "saturation"] {
        let plot = drawn(sweep.schema.metric(name).unwrap(), "load=0.1,0.4").unwrap();
        assert_eq!((places(&plot, Look::Line).len(), plot.notes.len()), (4, 0), "{name}");
        assert!(plot.sheet.charts[0].series.iter().all(|series| !series.points.is_empty()), "{name}");
    }
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
    let bounds = vec![Bound::parse(&sweep.schema, "area=7000", Better::Less).unwrap()];
    let one = Question { objectives: objectives[..1].to_vec(), bounds, ..Question::default() }.ask(&sweep).unwrap();
    assert!(front(&sweep, &one, "").unwrap_err().starts_with("a front has two or three metrics"));
}

/// A sweep of `count` depths. Each depth is more expensive and faster than the previous one.
/// `noise` may hide the difference.
fn fronts(count: u32, noise: f64) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let row = |run: u32| {
        let (point, seed) = (run / 2, run % 2);
        let depth = f64::from(point + 1);
        let latency = 20.0 + 400.0 / depth + noise * f64::from(seed);
        let accepted = 0.1 + 0.02 * depth.sqrt() + 0.001 * noise * f64::from(seed);
        let (cells, p99) = (format!("{latency},{latency}"), latency.floor());
        let area = 3000.0 + 900.0 * depth.powf(1.6);
        format!("{run},{point},mesh.ron,{depth},0.1,{seed},{run},done,,{cells},{p99},{latency},{accepted},{area},0.1,x")
    };
    write(directory.path(), &(0..2 * count).map(row).collect::<Vec<_>>(), 2 * count as usize);
    directory
}

#[test]
fn fronts_of_two_and_three_metrics_can_be_read_however_many_points_they_have() {
    for (count, noise) in [(3, 0.0), (6, 3.0), (16, 0.0), (16, 8.0), (24, 1.0), (40, 0.0), (40, 8.0)] {
        let directory = fronts(count, noise);
        let sweep = Sweep::open(directory.path()).unwrap();
        let named = |name: &&str| Objective::named(&sweep, name, Better::Less).unwrap();
        for names in [&["area", "latency"][..], &["area", "latency", "accepted"], &["accepted", "p99", "area"]] {
            let objectives = names.iter().map(named).collect();
            let answer = Question { objectives, ..Question::default() }.ask(&sweep).unwrap();
            let sheet = front(&sweep, &answer, "wormscope explore out").unwrap();
            assert_readable(&sheet.draw().unwrap(), &format!("{count} points, {names:?}"));
            // Many points have numbers beside them, which a list explains. Too many points have
            // nothing beside them.
            let beside = sheet.charts[0].notes.len();
            let listed = sheet.listing.len();
            match answer.judged.len() {
                ..=6 => assert_eq!((beside > 0, listed), (true, 0)),
                _ if beside > 6 => assert_eq!(listed, 1 + beside),
                _ => assert_eq!(beside == 0, listed == 0),
            }
        }
    }
}

/// Names of the curves of a chart with their looks and colours, without the names of looks.
fn curves(chart: &Chart) -> Vec<(&str, Look, usize)> {
    let drawn = chart.series.iter().filter(|series| !series.name.is_empty() && !series.points.is_empty());
    drawn.map(|series| (series.name.as_str(), series.look, series.colour)).collect()
}

/// Panics if a panel has too many curves, or if two of its curves look the same.
fn assert_distinct(chart: &Chart) {
    let curves = curves(chart);
    assert!(!curves.is_empty() && curves.len() <= MOST_IN_PANEL, "{curves:?}");
    for (at, (name, _, colour)) in curves.iter().enumerate() {
        let same = curves[..at].iter().find(|(_, _, other)| other == colour);
        assert!(same.is_none() && *colour != GREY, "{name} looks like {same:?}");
    }
}

#[test]
fn more_than_eight_curves_are_in_several_panels() {
    let directory = fronts(20, 3.0);
    let sweep = Sweep::open(directory.path()).unwrap();
    let (load, depth) = (sweep.schema.axis("load").unwrap(), sweep.schema.axis("fifo_depth").unwrap());
    let latency_of = sweep.schema.metric("latency").unwrap();
    let against_load = metric(&sweep, load, latency_of, &[], "").unwrap().sheet;
    let bars = histogram(&sweep, latency_of, Some(depth), &[], "").unwrap().sheet;
    for (what, sheet, count) in [("curves", &against_load, 3), ("bars", &bars, 3)] {
        assert_eq!((sheet.charts.len(), sheet.row_legends), (count, true), "{what}");
        assert_readable(&sheet.draw().unwrap(), what);
        let all: Vec<&str> = sheet.charts.iter().flat_map(|chart| curves(chart)).map(|curve| curve.0).collect();
        let expected: Vec<String> = (1..=20).map(|depth| format!("fifo_depth {depth}")).collect();
        assert_eq!(all, expected, "{what}");
        assert!(sheet.charts.iter().all(|chart| chart.x.span == sheet.charts[0].x.span), "{what}");
        assert!(sheet.charts.iter().all(|chart| chart.y.span == sheet.charts[0].y.span), "{what}");
    }
    against_load.charts.iter().for_each(assert_distinct);
    // Latency and throughput of the same curves are beside each other.
    let sheet = latency(&sweep, &[], "").unwrap().sheet;
    let titles: Vec<&str> = sheet.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["Latency to the last destination", "Throughput"].repeat(3));
    assert_eq!(sheet.in_row, Some(2));
    // No two entries of a legend look the same, whether they are curves or explain a look.
    for row in sheet.charts.chunks(2) {
        let mut entries: Vec<(&str, Look, usize)> = Vec::new();
        for series in row.iter().flat_map(|chart| &chart.series).filter(|series| !series.name.is_empty()) {
            let same = entries.iter().find(|of| (of.1, of.2) == (series.look, series.colour));
            assert!(same.is_none_or(|of| of.0 == series.name), "{} looks like {same:?}", series.name);
            entries.push((&series.name, series.look, series.colour));
        }
        assert!(row.iter().all(|chart| curves(chart).len() <= MOST_IN_PANEL + 1));
    }
    assert_readable(&sheet.draw().unwrap(), "latency");
    let crowd = fronts(49, 0.0);
    let sweep = Sweep::open(crowd.path()).unwrap();
    let why = metric(&sweep, load, latency_of, &[], "").unwrap_err();
    assert!(why.starts_with("49 curves are too many for one picture; allowed: up to 48"), "{why}");
}

#[test]
fn a_field_divides_curves_into_panels_with_the_same_colours() {
    let directory = tempfile::tempdir().unwrap();
    let row = |run: u32| {
        let (base, depth, load) = (run / 18, run / 3 % 6 + 1, f64::from(run % 3 + 1) / 10.0);
        let latency = 20.0 + 10.0 * load / f64::from(depth) + f64::from(base);
        let name = ["mesh.ron", "b.ron"][base as usize];
        format!("{run},{run},{name},{depth},{load},0,{run},done,,{latency},{latency},30,{latency},{load},5000,{load},x")
    };
    write(directory.path(), &(0..36).map(row).collect::<Vec<_>>(), 36);
    let schema = directory.path().join("schema.json");
    let mut value: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&schema).unwrap()).unwrap();
    let mut other = value["bases"][0].clone();
    other["name"] = "b.ron".into();
    value["bases"].as_array_mut().unwrap().push(other);
    std::fs::write(&schema, value.to_string()).unwrap();
    let sweep = Sweep::open(directory.path()).unwrap();
    let sheet = latency(&sweep, &[], "").unwrap().sheet;
    let titles: Vec<&str> = sheet.charts.iter().map(|chart| chart.title.as_str()).collect();
    let [first, second] = ["mesh.ron", "b.ron"]
        .map(|base| [format!("Latency to the last destination: {base}"), format!("Throughput: {base}")]);
    assert_eq!(titles, [first, second].concat());
    assert!(!sheet.row_legends);
    assert_eq!(curves(&sheet.charts[0]).len(), 6);
    assert_eq!(curves(&sheet.charts[0]), curves(&sheet.charts[2]));
    assert_distinct(&sheet.charts[0]);
    assert_readable(&sheet.draw().unwrap(), "two bases");
}

#[test]
fn a_front_marks_the_points_that_explore_does_not_judge() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let objectives = ["area", "latency"].map(|name| Objective::named(&sweep, name, Better::Less).unwrap()).to_vec();
    let answer = Question { objectives, ..Question::default() }.ask(&sweep).unwrap();
    let sheet = front(&sweep, &answer, "").unwrap();
    let marked = |flaw: Flaw| {
        let look = Look::Marked(mark(flaw, 0));
        let series = sheet.charts[0].series.iter().filter(|series| series.look == look);
        series.flat_map(|series| &series.points).map(|point| point.0).collect::<Vec<_>>()
    };
    assert_eq!(marked(Flaw::Saturated), [5000.0, 7000.0, 11000.0]);
    assert_eq!((marked(Flaw::Deadlocked), marked(Flaw::Stopped)), (vec![19000.0], Vec::new()));
    let names: Vec<&str> = sheet.charts[0].series.iter().map(|series| series.name.as_str()).collect();
    assert!(names.contains(&"saturated") && names.contains(&"a run deadlocks"), "{names:?}");
    assert_readable(&sheet.draw().unwrap(), "not judged");
    // The marks are on the chart.
    let span = sheet.charts[0].x.span.unwrap();
    assert!(span.0 < 5000.0 && span.1 > 19000.0, "{span:?}");
}

#[test]
fn curves_bars_and_histograms_can_be_read() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let column = |name: &str| sweep.schema.metric(name).unwrap();
    let axis = |name: &str| sweep.schema.axis(name).unwrap();
    let only = |text: &str| vec![Filter::parse(&sweep, text).unwrap()];
    let (load, depth) = (axis("load"), axis("fifo_depth"));
    for (what, plot) in [
        ("latency", latency(&sweep, &[], "")),
        // All points saturate or deadlock, so only the throughput is left.
        ("no latency", latency(&sweep, &only("load=0.4"), "")),
        ("p99 against load", metric(&sweep, load, column("p99"), &[], "")),
        ("p99 against depth", metric(&sweep, depth, column("p99"), &[], "")),
        ("area against depth", metric(&sweep, depth, column("area"), &[], "")),
        ("accepted against load", metric(&sweep, load, column("accepted"), &[], "")),
        ("histogram", histogram(&sweep, column("area"), Some(load), &[], "")),
    ] {
        let sheet = plot.unwrap_or_else(|why| panic!("{what}: {why}")).sheet;
        assert_readable(&sheet.draw().unwrap(), what);
        // A legend names curves and looks that are drawn, but no curves without points.
        let all = || sheet.charts.iter().flat_map(|chart| &chart.series);
        for series in all().filter(|series| series.name.contains("fifo_depth") || series.name.contains("load ")) {
            assert!(!series.points.is_empty(), "{what}: {}", series.name);
        }
    }
}

#[test]
fn values_without_order_are_joined_by_no_line_and_stand_side_by_side() {
    let directory = directory();
    let schema = directory.path().join("schema.json");
    let text = std::fs::read_to_string(&schema).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["columns"][3]["type"] = "text".into();
    std::fs::write(&schema, value.to_string()).unwrap();
    let sweep = Sweep::open(directory.path()).unwrap();
    let (depth, mean) = (sweep.schema.axis("fifo_depth").unwrap(), sweep.schema.metric("latency").unwrap());
    let plot = metric(&sweep, depth, mean, &[Filter::parse(&sweep, "load=0.1,0.2").unwrap()], "").unwrap();
    assert!(places(&plot, Look::Line).is_empty());
    assert_eq!(plot.sheet.charts[0].x.names, ["2", "4", "8", "16"]);
    let [first, second] = [0, 1].map(|curve| places(&plot, Look::Marked(Mark::Shape(curve))));
    assert_eq!((first.len(), second.len()), (4, 3));
    assert!(first.iter().all(|x| !second.contains(x)), "{first:?} {second:?}");
    assert_readable(&plot.sheet.draw().unwrap(), "names");
}

#[test]
fn a_histogram_counts_every_run_once_that_is_sound() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let by = sweep.schema.axis("load").unwrap();
    let counted = |name: &str| {
        let plot = histogram(&sweep, sweep.schema.metric(name).unwrap(), Some(by), &[], "").unwrap();
        let series = &plot.sheet.charts[0].series;
        let tops = series.iter().flat_map(|series| series.points.iter().skip(1).step_by(2));
        (tops.map(|point| point.1).sum::<f64>(), series.len(), plot.notes)
    };
    assert_eq!(counted("area"), (48.0, 4, Vec::new()));
    let note = |what: &str| format!("{what} of 48 runs have no valid ");
    let (runs, groups, notes) = counted("accepted");
    assert_eq!((runs, groups), (47.0, 4));
    assert_eq!(notes, [note("1") + "accepted: 1 deadlocked"]);
    // At load 0.4 no run is sound, so no bar could count it.
    let (runs, groups, notes) = counted("latency");
    assert_eq!((runs, groups), (27.0, 3));
    assert_eq!(notes, [note("21") + "latency_last_mean: 1 deadlocked, 20 were saturated"]);
    assert!(stalls(&sweep, &[], "").unwrap_err().contains("no account of stalls"));
}

#[test]
fn an_account_of_stalls_has_a_cross_where_a_run_deadlocked() {
    let directory = directory();
    let [schema, rows] = ["schema.json", "rows.csv"].map(|name| directory.path().join(name));
    for file in [&schema, &rows] {
        let text = std::fs::read_to_string(file).unwrap();
        std::fs::write(file, text.replace("accepted", "stall_lane_wait")).unwrap();
    }
    let sweep = Sweep::open(directory.path()).unwrap();
    let plot = stalls(&sweep, &[Filter::parse(&sweep, "load=0.4").unwrap()], "").unwrap();
    assert_eq!(legend(&plot), ["lane wait", "a run deadlocks"]);
    assert_eq!(places(&plot, Look::Marked(Mark::CrossTick(0))), [3.0]);
    assert!(plot.notes[0].ends_with("1 deadlocked"), "{:?}", plot.notes);
}

#[test]
fn percentiles_have_a_chart_each_with_the_same_axes() {
    let directory = directory();
    let sweep = Sweep::open(directory.path()).unwrap();
    let sheet = percentiles(&sweep, &[99], &[], "").unwrap().sheet;
    let titles: Vec<&str> = sheet.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["Mean latency", "99th percentile"]);
    assert_eq!(sheet.charts[0].y.span, sheet.charts[1].y.span);
    // The 99th percentile is three times the mean, rounded down.
    let first = |chart: usize| {
        let lines = sheet.charts[chart].series.iter().find(|series| series.look == Look::Line);
        lines.unwrap().points[0]
    };
    let (mean, tail) = (first(0), first(1));
    assert!((mean.0 - tail.0).abs() < 1e-9 && (tail.1 - 3.0 * mean.1).abs() < 3.0, "{mean:?} {tail:?}");
    let missing = percentiles(&sweep, &[50], &[], "").unwrap_err();
    assert_eq!(missing, "this sweep has no latency_last_p50");
}
