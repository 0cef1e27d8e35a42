//! A sweep as one page of HTML that needs nothing but a browser.
//!
//! All texts from files travel as JSON without any `<`. The script of the page writes them as text,
//! never as HTML.

pub(crate) mod marks;
pub mod plot;
pub mod view;

use quick_xml::escape::escape;
use serde::Serialize;

use self::marks::mark;
use crate::config;
use crate::experiment::Experiment;
use crate::explore::{Better, Flaw, Point, Sweep, direction, points};
use crate::quote;
use crate::report::mark::Stroke;
use crate::sweep::metrics::short_names;
use crate::sweep::{Column, Role};

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
    include_str!("js/start.js"),
);
/// Largest number of points whose configurations are on the page.
const MOST_CONFIGS: usize = 2000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    origin: String,
    /// Directory of the sweep as a shell takes it, for commands.
    directory: String,
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
    /// All flaws, the gravest first.
    flaws: [ShownFlaw; 3],
    points: Vec<ShownPoint<'a>>,
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
    number: &'a str,
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

/// The page of a sweep.
///
/// # Errors
/// None that a text in memory has; crate `serde_json` asks.
pub fn page(sweep: &Sweep) -> Result<String, serde_json::Error> {
    let found = points(sweep);
    let axes = sweep.axes();
    let is_metric = |column: &Column| column.role == Role::Metric && column.is_numeric();
    // Columns of traffic that the sweep does not have are empty.
    let has_values = |index: usize| (0..sweep.len()).any(|row| sweep.number(row, index).is_some());
    let columns = sweep.schema.columns.iter().enumerate();
    let columns = columns.filter(|(index, column)| is_metric(column) && has_values(*index));
    let metrics: Vec<usize> = columns.map(|(index, _)| index).collect();
    let shown = |&index: &usize| shown(&sweep.schema.columns[index]);
    let configs = found.len() <= MOST_CONFIGS;
    let data = Data {
        origin: origin(sweep),
        directory: quote::shell(&sweep.directory),
        outcomes: sweep.told(),
        load: sweep.load().and_then(|load| axes.iter().position(|&axis| axis == load)),
        hardware: sweep.hardware_axes().iter().filter_map(|of| axes.iter().position(|axis| axis == of)).collect(),
        axes: axes.iter().map(shown).collect(),
        metrics: metrics.iter().map(shown).collect(),
        short: short_names(),
        fixed: sweep.schema.fixed_fields(),
        flaws: Flaw::ALL.map(shown_flaw),
        points: found
            .iter()
            .map(|point| ShownPoint {
                number: &point.number,
                axes: axes.iter().map(|&axis| point.axis(sweep, axis)).collect(),
                ended: point.outcomes.text(),
                can_deadlock: point.can_deadlock,
                command: point.command(sweep),
                config: if configs { config_of(sweep, point) } else { None },
                values: metrics.iter().map(|&column| value(sweep, point, column)).collect(),
            })
            .collect(),
    };
    let json = serde_json::to_string(&data)?.replace('<', "\\u003c");
    let title = escape(format!("wormscope: {}", sweep.directory.display()));
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
        let page = page(&Sweep::open(directory.path()).unwrap()).unwrap();
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
    fn what_files_say_is_never_taken_for_html() {
        let directory = directory();
        let schema = directory.path().join("schema.json");
        let text = std::fs::read_to_string(&schema).unwrap();
        std::fs::write(&schema, text.replace("wormscope sweep", "</script><img src=x onerror=alert(1)>{css}")).unwrap();
        let page = page(&Sweep::open(directory.path()).unwrap()).unwrap();
        assert!(!page.contains("</script><img") && page.matches("</script>").count() == 2);
        assert!(data_of(&page)["origin"].as_str().unwrap().contains("</script><img src=x onerror=alert(1)>{css}"));
    }
}
