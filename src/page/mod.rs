//! A sweep as one page of HTML that needs nothing but a browser.
//!
//! All texts from files travel as JSON without any `<`. The script of the page writes them as text,
//! never as HTML.

pub(crate) mod marks;
pub mod plot;
mod sides;
pub mod view;

use quick_xml::escape::escape;
use serde::Serialize;

use self::marks::mark;
use self::sides::Sides;
use crate::config;
use crate::experiment::Experiment;
use crate::explore::{Better, Flaw, Point, Sweep, direction};
use crate::quote;
use crate::report::mark::Stroke;
use crate::sweep::Column;
use crate::sweep::metrics::short_names;

const HTML: &str = include_str!("page.html");
const CSS: &str = include_str!("page.css");
const JS: &str = concat!(
    include_str!("js/values.js"),
    include_str!("js/noise.js"),
    include_str!("js/filter.js"),
    include_str!("js/draw.js"),
    include_str!("js/curves.js"),
    include_str!("js/front.js"),
    include_str!("js/table.js"),
    include_str!("js/parallel.js"),
    include_str!("js/changes.js"),
    include_str!("js/state.js"),
    include_str!("js/start.js"),
);
/// Largest number of points whose configurations are on the page.
const MOST_CONFIGS: usize = 2000;
/// Seconds after which a live page loads itself again.
const RELOAD: u32 = 3;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    origin: String,
    /// Directory of the sweep as a shell takes it, for commands.
    directory: String,
    /// Directories, if there are two sweeps.
    sweeps: Vec<String>,
    /// Seconds after which a page of a sweep that runs loads itself again.
    reload: Option<u32>,
    outcomes: String,
    /// Number of the axis that is the load.
    load: Option<usize>,
    /// Numbers of the axes that describe the hardware and not the load.
    hardware: Vec<usize>,
    axes: Vec<ShownColumn<'a>>,
    metrics: Vec<ShownColumn<'a>>,
    /// Short names of metrics and their meanings.
    short: &'static [(&'static str, &'static str)],
    /// Fields that are not varied, and their values.
    fixed: Vec<(String, String)>,
    /// Fields that two sweeps keep at different values.
    different: Vec<(String, String, String)>,
    /// All flaws, the gravest first.
    flaws: [ShownFlaw; 3],
    points: Vec<ShownPoint<'a>>,
    /// Pairs of points with the same settings in two sweeps.
    changes: Vec<ShownPair<'a>>,
}

/// Places of two points, and for each metric the change in per cent and half the width of its
/// interval.
#[derive(Serialize)]
struct ShownPair<'a> {
    points: [usize; 2],
    changes: &'a [Option<(f64, Option<f64>)>],
}

#[derive(Serialize)]
struct ShownColumn<'a> {
    name: &'a str,
    path: Option<&'a str>,
    unit: Option<&'a str>,
    doc: &'a str,
    estimate: bool,
    numeric: bool,
    /// `less` or `more`, if one direction is always better.
    better: Option<&'static str>,
}

/// Words and the mark of a flaw, as pictures have them.
#[derive(Serialize)]
struct ShownFlaw {
    name: &'static str,
    one: String,
    many: String,
    /// Lines of the mark from its foot: both ends and the width.
    strokes: Vec<(i32, i32, i32, i32, u32)>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownPoint<'a> {
    number: String,
    axes: Vec<&'a str>,
    ended: String,
    can_deadlock: bool,
    command: String,
    config: Option<String>,
    values: Vec<Option<ShownValue>>,
}

/// Mean, half the width of the interval, runs, squared standard error; then the reason if the value
/// is not sound.
#[derive(Serialize)]
#[serde(untagged)]
enum ShownValue {
    Sound(f64, f64, usize, f64),
    Unsound(f64, f64, usize, f64, &'static str),
}

/// The page of a sweep, or of two sweeps side by side. A live page follows a sweep that runs: it
/// loads itself again from time to time.
///
/// # Errors
/// None that a text in memory has; crate `serde_json` asks.
pub fn page(sweeps: &[&Sweep], is_live: bool) -> Result<String, serde_json::Error> {
    let sides = Sides::of(sweeps);
    let configs = sides.all().count() <= MOST_CONFIGS;
    let place = |wanted: Option<usize>, side: usize| {
        sides.axes.iter().position(|axis| wanted.is_some() && axis.varied[side] == wanted)
    };
    let loads: Vec<Option<usize>> = sweeps.iter().enumerate().map(|(side, sweep)| place(sweep.load(), side)).collect();
    let hardware = |axis: usize| {
        let of = |(side, sweep): (usize, &&Sweep)| {
            sides.axes[axis].varied[side].is_some_and(|column| sweep.hardware_axes().contains(&column))
        };
        sides.are_two() && axis == 0 || sweeps.iter().enumerate().any(of)
    };
    let joined = |texts: Vec<String>| texts.join("\n");
    let each = |text: &dyn Fn(&Sweep) -> String| -> String {
        let named = |(side, sweep): (usize, &&Sweep)| {
            let name = if sides.are_two() { format!("{}: ", ["A", "B"][side.min(1)]) } else { String::new() };
            name + &text(sweep)
        };
        joined(sweeps.iter().enumerate().map(named).collect())
    };
    let pairs = sides.pairs();
    let data = Data {
        origin: each(&origin),
        directory: sweeps.first().map(|sweep| quote::shell(&sweep.directory)).unwrap_or_default(),
        sweeps: if sides.are_two() {
            sweeps.iter().map(|sweep| sweep.directory.display().to_string()).collect()
        } else {
            Vec::new()
        },
        reload: is_live.then_some(RELOAD),
        outcomes: each(&Sweep::told),
        load: loads.first().copied().flatten().filter(|load| loads.iter().all(|other| *other == Some(*load))),
        hardware: (0..sides.axes.len()).filter(|axis| hardware(*axis)).collect(),
        axes: sides.axes.iter().map(|axis| shown(&axis.column)).collect(),
        metrics: sides.metrics.iter().map(|metric| shown(&metric.column)).collect(),
        short: short_names(),
        fixed: sides.fixed.iter().map(|(path, values)| (path.clone(), values.join(" and "))).collect(),
        different: sides.different(),
        flaws: Flaw::ALL.map(shown_flaw),
        points: sides
            .all()
            .map(|(side, point)| {
                let sweep = sweeps[side];
                ShownPoint {
                    number: sides.number(side, point),
                    axes: sides.values(side, point),
                    ended: point.ended(),
                    can_deadlock: point.can_deadlock,
                    command: point.command(sweep),
                    config: if configs { config_of(sweep, point) } else { None },
                    values: sides.metrics.iter().map(|metric| value(sweep, point, metric.places[side]?)).collect(),
                }
            })
            .collect(),
        changes: pairs.iter().map(|pair| ShownPair { points: pair.places, changes: &pair.changes }).collect(),
    };
    let json = serde_json::to_string(&data)?.replace('<', "\\u003c");
    let names: Vec<String> = sweeps.iter().map(|sweep| sweep.directory.display().to_string()).collect();
    let title = escape(format!("wormscope: {}", names.join(" and "))).into_owned();
    Ok(filled(HTML, &[("title", &title), ("css", CSS), ("js", JS), ("data", &json)]))
}

/// A page with a text for each `{name}`. One pass replaces all, so that a `{name}` inside a text
/// stays.
pub(crate) fn filled(html: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = html;
    while let Some((before, behind)) = rest.split_once('{') {
        page += before;
        let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
        page += parts.iter().find(|(part, _)| *part == name).map_or("", |(_, text)| text);
        rest = after;
    }
    page + rest
}

fn shown(column: &Column) -> ShownColumn<'_> {
    let better = direction(&column.name).map(|better| if better == Better::Less { "less" } else { "more" });
    ShownColumn {
        name: &column.name,
        path: column.path.as_deref(),
        unit: column.unit.as_deref(),
        doc: &column.doc,
        estimate: column.estimate,
        numeric: column.is_numeric(),
        better,
    }
}

fn shown_flaw(flaw: Flaw) -> ShownFlaw {
    let stroke = |&Stroke { from, to, width }: &Stroke| (from.0, from.1, to.0, to.1, width);
    let strokes = mark(flaw, 0).strokes().iter().map(stroke).collect();
    ShownFlaw { name: flaw.name(), one: flaw.text(1), many: flaw.text(2), strokes }
}

fn value(sweep: &Sweep, point: &Point, column: usize) -> Option<ShownValue> {
    let of = point.estimate(sweep, column)?;
    let (half, error) = (of.half_width.unwrap_or(0.0), of.squared_error());
    Some(match point.flaw(sweep, column) {
        None => ShownValue::Sound(of.mean, half, of.runs, error),
        Some(flaw) => ShownValue::Unsound(of.mean, half, of.runs, error, flaw.name()),
    })
}

/// Origin of the page.
fn origin(sweep: &Sweep) -> String {
    let bases = sweep.schema.bases.iter().map(|base| format!("{} (sha256 {})", base.name, base.sha256));
    let bases = bases.collect::<Vec<_>>().join(", ");
    let unfinished = sweep.unfinished().map(|what| format!("; {what}")).unwrap_or_default();
    let schema = &sweep.schema;
    format!(
        "{}; {bases}; rows sha256 {}; {} a point; wormscope {}{unfinished}",
        schema.command,
        sweep.rows_sha256,
        sweep.seeds(),
        schema.version
    )
}

/// A point's configuration with every field written out; `None` if its base is no configuration of
/// this version.
fn config_of(sweep: &Sweep, point: &Point) -> Option<String> {
    let row = *point.rows.first()?;
    let base = sweep.schema.bases.iter().find(|base| base.name == sweep.base(row))?;
    let sets: Vec<String> = sweep.sets(row).collect();
    config::from_text(&base.name, &base.text, &sets).ok().map(|loaded| Experiment::text(&loaded.experiment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::tests::directory;

    fn data_of(page: &str) -> serde_json::Value {
        let (_, json) = page.split_once("id=\"data\">").unwrap();
        serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap()
    }

    #[test]
    fn the_page_has_every_point_and_asks_for_nothing_else() {
        let directory = directory();
        let page = page(&[&Sweep::open(directory.path()).unwrap()], false).unwrap();
        let data = data_of(&page);
        let points = data["points"].as_array().unwrap();
        assert_eq!((points.len(), &data["load"]), (16, &serde_json::json!(1)));
        assert_eq!(data["outcomes"], "16 points, 48 runs: deadlock 1, done 27, saturated 20");
        // Load 0.2 is too much for a depth of 2, and a run of depth 16 deadlocks. The page names
        // the values that are not sound there.
        let metrics = data["metrics"].as_array().unwrap();
        let flaws = |point: usize| {
            let values = points[point]["values"].as_array().unwrap().iter().zip(metrics);
            let told = values.filter_map(|(value, metric)| Some((metric["name"].as_str()?, value.get(4)?.as_str()?)));
            told.collect::<Vec<_>>()
        };
        let of = |names: &[&'static str], why| names.iter().map(|name| (*name, why)).collect::<Vec<_>>();
        let times = ["latency_first_mean", "latency_last_mean", "latency_last_p99", "latency_last_mean.unicast"];
        assert_eq!((flaws(0), flaws(1)), (Vec::new(), of(&times, "saturated")));
        assert_eq!(flaws(15), of(&[&times[..], &["accepted", "offered"]].concat(), "a run deadlocks"));
        // Words and marks are those of pictures.
        let flaws = data["flaws"].as_array().unwrap();
        let told: Vec<&str> = flaws.iter().filter_map(|flaw| flaw["name"].as_str()).collect();
        assert_eq!(told, ["a run deadlocks", "saturated", "stopped by max_cycles"]);
        assert_eq!((&flaws[1]["one"], &flaws[1]["many"]), (&"was saturated".into(), &"were saturated".into()));
        assert_eq!(flaws[1]["strokes"], serde_json::json!([[0, 0, 0, -14, 3]]));
        // The filter resolves names with these fields.
        assert_eq!(data["axes"][0]["path"], "network.switch.fifo_depth");
        assert!(data["short"].as_array().unwrap().contains(&serde_json::json!(["p99", "latency_last_p99"])));
        let fixed = data["fixed"].as_array().unwrap();
        assert!(fixed.contains(&serde_json::json!(["network.switch.flit_bits", "64"])));
        assert!(!fixed.iter().any(|of| of[0] == "network.switch.fifo_depth" || of[0] == "run.seed"), "{fixed:?}");
        let config = points[4]["config"].as_str().unwrap();
        assert!(config.contains("fifo_depth: 4,") && config.contains("load: 0.1,"), "{config}");
        config::from_text("x.ron", config, &[]).unwrap();
        let outside = ["src=", "href=", "url(", "@import", "http://", "https://", "fetch(", "innerHTML", "{title}"];
        let own = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.iter().any(|word| own.contains(word)), "{:?}", outside.iter().find(|w| own.contains(**w)));
    }

    #[test]
    fn two_sweeps_have_common_axes_and_a_change_for_each_pair() {
        let (one, other) = (directory(), directory());
        // Latencies of the second are 10 % shorter, less by a cycle with one seed. It lacks the
        // last point.
        let rows = other.path().join("rows.csv");
        let text = std::fs::read_to_string(&rows).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (at, line) in lines.iter_mut().enumerate().skip(1) {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            let latency: f64 = cells[10].parse().unwrap();
            cells[10] = (0.9 * latency + if at % 3 == 1 { 1.0 } else { 0.0 }).to_string();
            *line = cells.join(",");
        }
        lines.truncate(lines.len() - 3);
        std::fs::write(&rows, lines.join("\n") + "\n").unwrap();
        let sweeps = [one.path(), other.path()].map(|path| Sweep::open(path).unwrap());
        let page = page(&[&sweeps[0], &sweeps[1]], false).unwrap();
        let data = data_of(&page);
        let names: Vec<&str> =
            data["axes"].as_array().unwrap().iter().filter_map(|axis| axis["name"].as_str()).collect();
        assert_eq!(names, ["sweep", "fifo_depth", "load"]);
        assert_eq!((&data["load"], &data["hardware"]), (&2.into(), &serde_json::json!([0, 1])));
        let points = data["points"].as_array().unwrap();
        assert_eq!((points.len(), &points[3]["number"], &points[16]["number"]), (31, &"A3".into(), &"B0".into()));
        let pairs = data["changes"].as_array().unwrap();
        assert_eq!(pairs.len(), 15);
        let metric =
            data["metrics"].as_array().unwrap().iter().position(|of| of["name"] == "latency_last_mean").unwrap();
        for (at, pair) in pairs.iter().enumerate() {
            assert_eq!(pair["points"], serde_json::json!([at, 16 + at]));
            // Seed by seed: -10 % twice, and a little less once.
            let (first, change) = (&points[at]["values"][metric], &pair["changes"][metric]);
            let shortest = first[0].as_f64().unwrap() - 0.5;
            let percents = [-10.0 + 100.0 / shortest, -10.0, -10.0];
            let expected = crate::statistics::Estimate::of(&percents).unwrap();
            assert!((change[0].as_f64().unwrap() - expected.mean).abs() < 1e-9, "{change}");
            assert!((change[1].as_f64().unwrap() - expected.half_width.unwrap()).abs() < 1e-9, "{change}");
        }
        assert_eq!(data["different"], serde_json::json!([]));
    }

    #[test]
    fn a_field_that_one_sweep_varies_has_the_value_of_the_other() {
        let (one, other) = (directory(), directory());
        // The second sweep keeps the depth, at the default.
        let schema = other.path().join("schema.json");
        let text = std::fs::read_to_string(&schema).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value["columns"].as_array_mut().unwrap().remove(3);
        std::fs::write(
            &schema,
            value.to_string().replace("radices: [4, 4])", "radices: [4, 4]), switch: (flit_bits: 32)"),
        )
        .unwrap();
        let rows = other.path().join("rows.csv");
        let text = std::fs::read_to_string(&rows).unwrap();
        let lines = text.lines().filter(|line| line.starts_with("run,") || line.split(',').nth(3) == Some("4"));
        let lines: Vec<String> = lines
            .map(|line| {
                line.split(',').enumerate().filter(|(at, _)| *at != 3).map(|of| of.1).collect::<Vec<_>>().join(",")
            })
            .collect();
        std::fs::write(&rows, lines.join("\n") + "\n").unwrap();
        let sweeps = [one.path(), other.path()].map(|path| Sweep::open(path).unwrap());
        let data = data_of(&page(&[&sweeps[0], &sweeps[1]], false).unwrap());
        let points = data["points"].as_array().unwrap();
        assert_eq!(points[16]["axes"][1], "4");
        let pairs = data["changes"].as_array().unwrap();
        assert_eq!(
            pairs.iter().map(|pair| pair["points"].clone()).collect::<Vec<_>>(),
            [4, 5, 6, 7].map(|at| serde_json::json!([at, at + 12]))
        );
        assert_eq!(data["different"], serde_json::json!([["network.switch.flit_bits", "64", "32"]]));
    }

    #[test]
    fn what_files_say_is_never_taken_for_html() {
        let directory = directory();
        let schema = directory.path().join("schema.json");
        let text = std::fs::read_to_string(&schema).unwrap();
        std::fs::write(&schema, text.replace("wormscope sweep", "</script><img src=x onerror=alert(1)>{css}")).unwrap();
        let page = page(&[&Sweep::open(directory.path()).unwrap()], false).unwrap();
        assert!(!page.contains("</script><img") && page.matches("</script>").count() == 2);
        assert!(data_of(&page)["origin"].as_str().unwrap().contains("</script><img src=x onerror=alert(1)>{css}"));
    }
}
