//! Runs of a figure's studies, each in a sweep's directory, and the resulting points.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::data::{CurveData, Data, Extent, Point, Series};
use super::figure::{Chart, Curve, Runs, Shelf, Shelved, Source};
use super::measure::{IntervalEnd, at};
use super::models;
use super::{DATA, ReproduceError};
use crate::explore::{self, ExploreError, Filter, points};
use crate::input::{beside, ron, title};
use crate::output::Output;
use crate::spelling::suggestion;
use crate::statistics::Estimate;
use crate::sweep::{self, Base, Counts, Directory, Expression, Schema, Sweep, SweepError};

/// Hears of the runs of a study as they end.
pub type Told<'a> = &'a (dyn Fn(&Counts) + Sync);

/// Does the runs of a figure that are missing in a folder of results, `jobs` at a time. Yields its
/// points and writes them beside the runs.
///
/// # Errors
/// When a study is refused, or a run of it, or a file cannot be written. Finished runs are kept.
pub fn perform(
    shelf: &Shelf,
    of: &Shelved,
    results: &Path,
    extent: Extent,
    jobs: usize,
    told: Told,
) -> Result<Data, ReproduceError> {
    let mut found = BTreeMap::new();
    for (name, source) in &of.figure.studies {
        let asked = |why: String| asked(of, &why);
        let rows = match source {
            Source::Runs(runs) => Rows::Runs(run(of, name, runs, results, extent, jobs, told)?),
            Source::Of(other) => {
                let (owner, study, runs) = shelf.study(of, other).map_err(asked)?;
                Rows::Runs(run(owner, study, runs, results, extent, jobs, told)?)
            }
            Source::Model(model) => {
                let series = models::model(model).and_then(|model| model(extent == Extent::Quick));
                Rows::Model(series.map_err(asked)?)
            }
        };
        found.insert(name.as_str(), rows);
    }
    let mut curves = Vec::new();
    for chart in &of.figure.charts {
        for curve in &chart.curves {
            let points = of.source(curve).and_then(|source| found[source].points(chart, curve));
            let points = points.map_err(|why| asked(of, &format!("curve \"{}\": {why}", curve.name)))?;
            curves.push(CurveData { chart: chart.key.clone(), curve: curve.name.clone(), points });
        }
    }
    let mut data = Data { extent, curves };
    data.curves = relative(of, &data);
    let folder = results.join(extent.word()).join(&of.id);
    fs::create_dir_all(&folder).map_err(ReproduceError::file(&folder, "cannot create the folder"))?;
    Output::of(&folder.join(DATA), &data.csv())?.place()?;
    Ok(data)
}

/// Refuses faults of a figure that are known before the runs: faults of its studies, and of the
/// columns and values of its curves.
///
/// # Errors
/// When there is such a fault.
pub fn ready(shelf: &Shelf, of: &Shelved, extent: Extent) -> Result<(), ReproduceError> {
    let mut sweeps = BTreeMap::new();
    for (name, source) in &of.figure.studies {
        let (owner, runs) = match source {
            Source::Runs(runs) => (of, runs),
            Source::Of(other) => {
                shelf.study(of, other).map(|(owner, _, runs)| (owner, runs)).map_err(|why| asked(of, &why))?
            }
            Source::Model(model) => {
                models::model(model).map_err(|why| asked(of, &why))?;
                continue;
            }
        };
        sweeps.insert(name.as_str(), sweep_of(owner, runs, extent)?);
    }
    for chart in &of.figure.charts {
        for curve in &chart.curves {
            let sweep = of.source(curve).map(|source| sweeps.get(source));
            let asks = sweep.and_then(|sweep| sweep.map_or(Ok(()), |sweep| asks(sweep, chart, curve)));
            asks.map_err(|why| asked(of, &format!("curve \"{}\": {why}", curve.name)))?;
        }
    }
    Ok(())
}

/// Refuses a curve of columns or values that a sweep will not have.
fn asks(sweep: &Sweep, chart: &Chart, curve: &Curve) -> Result<(), String> {
    let mut schema = sweep.schema();
    schema.columns.extend(schema.coarse_saturation().into_iter().flatten());
    Column::new(&schema, &chart.x.of)?;
    Column::new(&schema, curve.y.as_ref().unwrap_or(&chart.y.of))?;
    let stems: Vec<String> = sweep.bases.iter().map(|base| stem(&base.name)).collect();
    for only in &curve.only {
        if let Some(base) = only.strip_prefix("base=") {
            if !stems.iter().any(|stem| stem == base.trim()) {
                let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
                return Err(format!("there is no base \"{}\"{}", base.trim(), suggestion(base.trim(), &stems)));
            }
            continue;
        }
        let known = |column: usize| {
            let axes = sweep.axes();
            let varied = axes.iter().flatten().find(|(name, _)| *name == schema.columns[column].name);
            // A derived value is known only after the run.
            let derived = || only.split_once('=').map(|(_, value)| value.trim().to_owned()).into_iter().collect();
            Ok(varied.map_or_else(derived, |(_, values)| values.to_vec()))
        };
        Filter::among(&schema, only, known).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Name of a base in curves.
fn stem(base: &str) -> String {
    Path::new(base).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The curves. A curve that is drawn beyond another one becomes the difference from it.
fn relative(of: &Shelved, data: &Data) -> Vec<CurveData> {
    let beyond = |(mut own, (_, curve)): (CurveData, (&str, &Curve))| {
        let other = curve.beyond.as_ref().and_then(|name| data.curve(name));
        if let Some(other) = other {
            let share = |point: &Point| {
                let without = at(other, point.x, IntervalEnd::Mean)?;
                let half_width = point.half_width.map(|half| half * without / (point.y * point.y));
                Some(Point { y: (point.y - without) / point.y, half_width, ..*point })
            };
            own.points = own.points.iter().filter_map(share).collect();
        }
        own
    };
    data.curves.iter().cloned().zip(of.curves()).map(beyond).collect()
}

fn asked(of: &Shelved, why: &str) -> ReproduceError {
    ReproduceError::Asked(format!("{}: {why}", of.id))
}

impl Shelf {
    /// The runs of another figure of the paper: `fig_15 uni`.
    fn study<'a>(&'a self, of: &Shelved, other: &'a str) -> Result<(&'a Shelved, &'a str, &'a Runs), String> {
        let (figure, study) = other.split_once(' ').unwrap_or((other, ""));
        let id = format!("{}/{figure}", of.paper());
        let owner = self.find(&id).ok_or_else(|| format!("there is no figure {id}"))?;
        let runs = owner.figure.studies.get(study);
        match runs {
            Some(Source::Runs(runs)) => Ok((owner, study, runs)),
            _ => Err(format!("{id} has no runs \"{study}\"")),
        }
    }
}

/// Does the missing runs of a study, and reads its rows.
fn run(
    of: &Shelved,
    name: &str,
    runs: &Runs,
    results: &Path,
    extent: Extent,
    jobs: usize,
    told: Told,
) -> Result<Box<explore::Sweep>, ReproduceError> {
    let failed = |source: SweepError| ReproduceError::Sweep { figure: of.id.clone(), source };
    let sweep = sweep_of(of, runs, extent)?;
    let folder = results.join(extent.word()).join(&of.id).join(name);
    fs::create_dir_all(&folder).map_err(ReproduceError::file(&folder, "cannot create the folder"))?;
    let mut directory = Directory::open(&folder, &sweep, None).map_err(failed)?;
    sweep::execute(&sweep, &mut directory, None, jobs, told).map_err(failed)?;
    let unread = |source: ExploreError| ReproduceError::Rows { figure: of.id.clone(), source };
    let rows = explore::Sweep::open(&folder).map_err(unread)?;
    let reason = rows.schema.columns.iter().position(|column| column.name == "reason");
    match (0..rows.len()).find(|&row| rows.outcome(row) == "refused") {
        Some(row) => {
            let reason = reason.map_or("", |column| rows.text(row, column));
            Err(asked(of, &format!("a run of {name} is refused: {reason}")))
        }
        None => Ok(Box::new(rows)),
    }
}

/// The runs of a study.
pub(super) fn sweep_of(of: &Shelved, runs: &Runs, extent: Extent) -> Result<Sweep, ReproduceError> {
    let read = |base: &String| {
        let path = beside(&of.folder, base);
        Ok::<_, ReproduceError>(Base::new(title(&path), ron::read(&path)?))
    };
    let bases: Vec<Base> = runs.bases.iter().map(read).collect::<Result<_, _>>()?;
    let study = runs.study(bases.iter().map(|base| base.name.clone()).collect(), extent == Extent::Quick);
    let figure = || of.id.clone();
    Sweep::new(study, bases, None, false).map_err(|source| ReproduceError::Sweep { figure: figure(), source })
}

/// Source of the points of curves.
enum Rows {
    Runs(Box<explore::Sweep>),
    Model(Vec<Series>),
}

impl Rows {
    /// The points of a curve, ascending in x.
    fn points(&self, chart: &Chart, curve: &Curve) -> Result<Vec<Point>, String> {
        match self {
            Self::Runs(sweep) => simulated(sweep, chart, curve),
            Self::Model(series) => {
                let name = curve.model.as_ref().unwrap_or(&curve.name);
                let names: Vec<&str> = series.iter().map(|(name, _)| name.as_str()).collect();
                let found = series.iter().find(|(known, _)| known == name);
                let (_, points) =
                    found.ok_or_else(|| format!("the model has no curve \"{name}\"{}", suggestion(name, &names)))?;
                Ok(points.iter().map(|&(x, y)| Point { x, y, half_width: None, is_done: true }).collect())
            }
        }
    }
}

/// The points of a curve of runs: means over their seeds.
fn simulated(sweep: &explore::Sweep, chart: &Chart, curve: &Curve) -> Result<Vec<Point>, String> {
    let (base, others): (Vec<&String>, Vec<&String>) = curve.only.iter().partition(|only| only.starts_with("base="));
    let filters = others.into_iter().map(|only| Filter::parse(sweep, only));
    let filters: Vec<Filter> = filters.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let is_base = |row: usize| base.iter().all(|only| only["base=".len()..].trim() == stem(sweep.base(row)));
    let (x, y) = (
        Column::new(&sweep.schema, &chart.x.of)?,
        Column::new(&sweep.schema, curve.y.as_ref().unwrap_or(&chart.y.of))?,
    );
    // The mean is over seeds, and over varied fields that are not on the x axis and not selected.
    let mut alike: Vec<(f64, Vec<usize>)> = Vec::new();
    for point in points(sweep) {
        let is_own = point.rows.first().is_some_and(|&row| is_base(row));
        if !is_own || !filters.iter().all(|filter| filter.holds(sweep, &point)) {
            continue;
        }
        if let Some(Estimate { mean, .. }) = x.estimate(sweep, &point.rows) {
            match alike.iter_mut().find(|(x, _)| x.total_cmp(&mean).is_eq()) {
                Some((_, rows)) => rows.extend(&point.rows),
                None => alike.push((mean, point.rows)),
            }
        }
    }
    let mut found = Vec::new();
    for (x, rows) in alike {
        if let Some(y) = y.estimate(sweep, &rows) {
            let is_done = rows.iter().all(|&row| sweep.outcome(row) == "done");
            found.push(Point { x, y: y.mean, half_width: y.half_width, is_done });
        }
    }
    if found.is_empty() {
        return Err(format!("no run of its has {} and {}", chart.x.of, chart.y.of));
    }
    found.sort_by(|a, b| a.x.total_cmp(&b.x));
    Ok(found)
}

/// An expression of the columns of a sweep.
struct Column {
    expression: Expression,
    columns: BTreeMap<String, usize>,
}

impl Column {
    fn new(schema: &Schema, text: &str) -> Result<Self, String> {
        let expression = Expression::parse(text)?;
        let names: Vec<&str> = schema.columns.iter().map(|column| column.name.as_str()).collect();
        let place = |name: &str| {
            let found = names.iter().position(|known| *known == name);
            let found = found.or_else(|| schema.axis(name).ok());
            found
                .map(|at| (name.to_owned(), at))
                .ok_or_else(|| format!("there is no column \"{name}\"{}", suggestion(name, &names)))
        };
        let columns = expression.fields().into_iter().map(place).collect::<Result<_, _>>()?;
        Ok(Self { expression, columns })
    }

    /// Mean over the runs that have a value.
    fn estimate(&self, sweep: &explore::Sweep, rows: &[usize]) -> Option<Estimate> {
        let value = |&row: &usize| {
            let text = |name: &str| self.columns.get(name).map(|&column| sweep.text(row, column));
            self.expression.value(&text).ok()?.to_string().parse().ok()
        };
        Estimate::of(&rows.iter().filter_map(value).collect::<Vec<f64>>())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_curve_beyond_another_is_the_share_by_which_it_is() {
        let text = r#"(
            name: "Fig. 1", place: "here", caption: "c", kind: plan, studies: {"m": model("none")},
            charts: [(title: "t", x: (label: "x"), y: (label: "y"), curves: [(name: "a"), (name: "b", beyond: "a")])],
        )"#;
        let of = Shelved::new("kp/fig_1".to_owned(), PathBuf::new(), "fig_1.ron", text).unwrap();
        let curve = |name: &str, points: &[(f64, f64)]| CurveData {
            chart: String::new(),
            curve: name.to_owned(),
            points: points.iter().map(|&(x, y)| Point { x, y, half_width: Some(2.0), is_done: true }).collect(),
        };
        let curves = vec![curve("a", &[(1.0, 3.0), (2.0, 6.0)]), curve("b", &[(1.0, 4.0), (2.0, 6.0), (9.0, 1.0)])];
        let found = relative(&of, &Data { extent: Extent::Full, curves: curves.clone() });
        assert_eq!(found[0], curves[0]);
        let points: Vec<_> = found[1].points.iter().map(|p| (p.x, p.y, p.half_width)).collect();
        // The last point is missing, because the other curve has no value there.
        assert_eq!(points, [(1.0, 0.25, Some(0.375)), (2.0, 0.0, Some(1.0 / 3.0))]);
    }
}
