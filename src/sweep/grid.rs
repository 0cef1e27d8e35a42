//! Grid of a sweep: every combination of its bases and of the values of its axes, as numbered
//! points with their runs.

use std::collections::HashMap;

use super::SweepError;
use super::fields::{Axis, Derived, FieldNames, Varied, check_apart, derived};
use super::length::Length;
use super::metrics::{self, Metric, Subject};
use super::runner::{More, Runner, Unrun};
use super::saturation::{Bracket, SaturationSearch};
use super::schema::{Column, Role, unit};
use super::stop::{FEWEST, Precision};
use super::study::{Base, Study};
use super::until::Until;
use crate::config::{self, Field, Template};
use crate::deadlock::Relation;
use crate::dependency::Verdicts;
use crate::energy::Coefficients;
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::output::ColumnKind;
use crate::quote::{self, excerpt};
use crate::report::{Report, RunEnd};

/// Largest number of runs of a sweep without your consent.
const MOST_RUNS: u64 = 10_000_000;
/// After this number of refused points, a value counts as wrong at all points.
const MOST_TRIED: u64 = 200;

/// A resolved and checked sweep.
pub struct Sweep {
    /// The study.
    pub study: Study,
    /// The experiments from which the sweep starts.
    pub bases: Vec<Base>,
    /// Coefficients of the energy estimate.
    pub energy: Option<Base>,
    templates: Vec<Template>,
    axes: Vec<Axis>,
    derived: Vec<Derived>,
    metrics: Vec<Metric>,
    precision: Option<Precision>,
    until: Option<Until>,
    saturation: Option<SaturationSearch>,
    coefficients: Option<Coefficients>,
    /// Whether the energy of each run is counted, or only the time of its cycle is known.
    counts_energy: bool,
    /// Verdicts on deadlocks. Rows of equal networks and worms share a verdict.
    verdicts: Verdicts,
    points: u64,
}

impl Sweep {
    /// Resolves a study with these bases and with the text of its coefficients, if the study names
    /// coefficients. More than ten million runs need consent.
    ///
    /// # Errors
    /// A base, a field or a value is wrong.
    pub fn new(mut study: Study, bases: Vec<Base>, energy: Option<Base>, agreed: bool) -> Result<Self, SweepError> {
        let asked = |why: String| SweepError::Asked(why);
        if bases.is_empty() {
            return Err(asked("no base; give at least one experiment".to_owned()).about("bases"));
        }
        if let Some(twice) = (1..bases.len()).find(|&n| bases[..n].iter().any(|other| other.name == bases[n].name)) {
            let why = format!("the base {} is given twice", bases[twice].name);
            return Err(asked(why).about(&format!("bases[{twice}]")));
        }
        let load = |base: &Base| {
            let mut loaded = config::from_text(&base.name, &base.text, &[])?;
            // Every run reads its traces again.
            loaded.hold_pipes()?;
            Ok::<_, ConfigError>(loaded)
        };
        let loaded: Vec<Loaded> = bases.iter().map(load).collect::<Result<_, _>>()?;
        let mut classes: Vec<String> = Vec::new();
        for class in loaded.iter().flat_map(|loaded| loaded.experiment.classes()) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        let fields: Vec<Vec<Field>> = loaded.iter().map(config::paths).collect();
        let has_study = loaded.iter().any(|loaded| metrics::has_study(&loaded.experiment));
        let mut metrics = metrics::of(&study, &classes);
        metrics.retain(|metric| has_study || !metrics::is_of_study(&metric.name));
        let (before, after) = around_fields(&metrics);
        let taken = before.into_iter().chain(after).map(|column| column.name).collect();
        let known = FieldNames { fields: &fields, taken };
        let read =
            |(n, text): (usize, &String)| Axis::new(text, &known).map_err(|error| error.about(&format!("vary[{n}]")));
        let axes: Vec<Axis> = study.vary.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        let derived = derived(&study, &axes, &known)?;
        check_apart(&axes, &derived)?;
        let sizes = axes.iter().map(Axis::len).chain([bases.len() as u64]);
        let points = sizes.fold(1_u128, |product, size| product.saturating_mul(size.into()));
        let runs = points.saturating_mul(study.seeds.into());
        if study.seeds == 0 {
            return Err(asked("seeds is 0; allowed: at least 1".to_owned()).about("seeds"));
        }
        // The points would share seeds, and look like different hardware.
        let is_seed = |field: &&Varied| field.paths.iter().any(|path| path == "run.seed");
        if let Some(field) = axes.iter().flat_map(|axis| &axis.0).find(is_seed).filter(|_| study.seeds > 1) {
            let why =
                format!("--vary {} and --seeds {} both vary the seed; allowed: one of them", field.name, study.seeds);
            return Err(asked(why).about("seeds"));
        }
        let counted = u64::try_from(runs).ok();
        if runs > MOST_RUNS.into() && !agreed || counted.is_none() {
            let hint = if counted.is_some() { "--yes allows them" } else { "give fewer values" };
            return Err(asked(format!("these are {} runs, more than {MOST_RUNS}; {hint}", quote::count(counted))));
        }
        let paths = |base: usize| {
            let varied = axes.iter().flat_map(|axis| &axis.0).map(|field| &field.paths);
            varied.chain(derived.iter().map(|field| &field.paths)).map(|paths| paths[base].clone()).collect()
        };
        let templates = loaded.into_iter().enumerate().map(|(base, loaded)| Template::new(loaded, paths(base)));
        let templates = templates.collect::<Result<Vec<_>, _>>()?;
        let precision = |text| Precision::parse("--seeds-until", text, &metrics);
        let precision = study.seeds_until.as_deref().map(precision).transpose();
        let precision = precision.map_err(|error: SweepError| error.about("seeds_until"))?;
        if let Some(until) = study.seeds_until.as_deref().filter(|_| (study.seeds as usize) < FEWEST) {
            let (until, seeds) = (excerpt(until), study.seeds);
            let why =
                format!("seeds is {seeds}; allowed: at least {FEWEST}, the fewest that an interval is drawn from");
            return Err(asked(format!("--seeds-until {until}: {why}")).about("seeds_until"));
        }
        let until = study.until.as_deref().map(|text| Until::parse(text, &metrics)).transpose();
        let until = until.map_err(|error| error.about("until"))?;
        let saturation = study.saturation.as_deref().map(|name| SaturationSearch::new(name, &known)).transpose();
        let saturation = saturation.map_err(|error| error.about("saturation"))?;
        if let Some(search) = &saturation {
            search.check(&derived).map_err(|error| error.about("saturation"))?;
        }
        let coefficients = energy.as_ref().map(|file| Coefficients::from_text(&file.name, &file.text)).transpose()?;
        let points = points as u64;
        // The settings have one form, for all spellings that a user can type.
        study.vary = axes.iter().map(Axis::text).collect();
        study.derive = derived.iter().map(Derived::text).collect();
        study.seeds_until = precision.as_ref().map(|of| of.text(&metrics));
        study.until = until.as_ref().map(|of| of.text(&metrics));
        study.saturation = saturation.as_ref().map(|search| search.name.clone());
        let sweep = Self {
            study,
            bases,
            energy,
            templates,
            axes,
            derived,
            metrics,
            precision,
            until,
            saturation,
            coefficients,
            counts_energy: true,
            verdicts: Verdicts::default(),
            points,
        };
        sweep.check_names()?;
        sweep.check_values()?;
        sweep.check_precision()?;
        Ok(sweep)
    }

    /// Axes, the slowest first, with the bases before all. Each axis has the fields that are varied
    /// together, with their values.
    #[must_use]
    pub(crate) fn axes(&self) -> Vec<Vec<(&str, &[String])>> {
        let mut axes = vec![vec![("base", &self.study.bases[..])]];
        axes.extend(self.axes.iter().map(|axis| axis.0.iter().map(|of| (of.name.as_str(), &of.values[..])).collect()));
        axes
    }

    /// Number of points.
    #[must_use]
    pub fn points(&self) -> u64 {
        self.points
    }

    /// Number of runs: each point with each seed. The seeds of a point are together.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.points * u64::from(self.study.seeds)
    }

    /// The point of a run.
    #[must_use]
    pub fn point(&self, run: u64) -> u64 {
        run / u64::from(self.study.seeds)
    }

    /// Coefficients of energy and time.
    pub(super) fn coefficients(&self) -> Option<&Coefficients> {
        self.coefficients.as_ref()
    }

    /// Counts no energy. Runs are then faster, and only times of the coefficients are valid.
    pub(super) fn without_energy(&mut self) {
        self.counts_energy = false;
    }

    /// Precision at which a point has enough seeds, if the study has one.
    pub(super) fn precision(&self) -> Option<&Precision> {
        self.precision.as_ref()
    }

    /// The value of the precision's metric in a row.
    pub(super) fn precise(&self, row: &[String]) -> Option<f64> {
        self.number(row, self.precision.as_ref()?.metric)
    }

    /// The interval of a row in per cent of the mean, if it is too wide. It is infinite if the run
    /// has too few observations for one.
    pub(super) fn missed(&self, row: &[String]) -> Option<f64> {
        let until = self.until.as_ref()?;
        let interval = self.metrics.iter().position(|metric| metric.name == metrics::INTERVAL)?;
        let percent = self.number(row, interval).unwrap_or(f64::INFINITY);
        until.is_missed_by(percent).then_some(percent)
    }

    /// The value of a metric in a row.
    fn number(&self, row: &[String], metric: usize) -> Option<f64> {
        // Hash and version come after the metrics.
        row.get(row.len().checked_sub(2 + self.metrics.len())? + metric)?.parse().ok()
    }

    /// The columns of its table.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        let (mut all, after) = around_fields(&self.metrics);
        for field in self.axes.iter().flat_map(|axis| &axis.0) {
            let kind = ColumnKind::of(&field.values);
            let axis = column(&field.name, kind, Role::Axis, "varied field");
            all.push(Column { unit: unit(&field.paths[0]), path: Some(field.paths[0].clone()), ..axis });
        }
        for field in &self.derived {
            let axis = column(&field.name, ColumnKind::Number, Role::Axis, "derived field");
            let (unit, path) = (unit(&field.paths[0]), Some(field.paths[0].clone()));
            all.push(Column { unit, path, derived: true, ..axis });
        }
        all.extend(after);
        all
    }

    /// Base and values of a point. The error says why a derived value is missing. The values after
    /// it are also missing. With `load`, derived values follow from it in place of the point's own
    /// load. This is for the search of saturation.
    fn values(&self, point: u64, load: Option<f64>) -> (usize, Vec<String>, Result<(), String>) {
        let mut rest = point;
        let mut chosen = vec![0; self.axes.len()];
        for (axis, chosen) in self.axes.iter().zip(&mut chosen).rev() {
            *chosen = (rest % axis.len()) as usize;
            rest /= axis.len();
        }
        let base = rest as usize;
        let fields =
            self.axes.iter().zip(&chosen).flat_map(|(axis, &n)| axis.0.iter().map(move |field| &field.values[n]));
        let mut values: Vec<String> = fields.cloned().collect();
        let load = load.map(|load| load.to_string());
        let searched = self.saturation.as_ref().zip(load.as_deref()).map(|(search, load)| (search.path(base), load));
        for field in &self.derived {
            match field.value(base, &values, searched) {
                Ok(value) => values.push(value),
                Err(why) => return (base, values, Err(why)),
            }
        }
        (base, values, Ok(()))
    }

    /// The experiment of a point, ready to run with one of its seeds.
    ///
    /// # Errors
    /// The reason of the refusal.
    pub fn experiment(&self, point: u64, seed_index: u32) -> Result<Loaded, String> {
        self.experiment_at(point, seed_index, None)
    }

    /// The same experiment, with derived fields for another load of a search.
    fn experiment_at(&self, point: u64, seed_index: u32, load: Option<f64>) -> Result<Loaded, String> {
        let (base, values, all) = self.values(point, load);
        all?;
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        self.templates[base].with(&texts, seed_index.into()).map_err(|error| error.to_string())
    }

    /// Experiments that together name every file that a run may read. For each base, one experiment
    /// has the first values of all axes. Other experiments have every further value that contains a
    /// text.
    pub(super) fn forms(&self) -> Result<Vec<Loaded>, ConfigError> {
        let first = std::iter::once((0, 0));
        let others = self.axes.iter().enumerate().flat_map(|(at, axis)| {
            let has_text = |n: &usize| axis.0.iter().any(|field| field.values[*n].contains('"'));
            (1..axis.len() as usize).filter(has_text).map(move |n| (at, n))
        });
        let mut forms = Vec::new();
        for (varied, value) in first.chain(others) {
            let chosen = |at: usize| if at == varied { value } else { 0 };
            let fields = self.axes.iter().enumerate().flat_map(|(at, axis)| axis.0.iter().map(move |of| (at, of)));
            let values: Vec<&str> = fields.map(|(at, field)| field.values[chosen(at)].as_str()).collect();
            for template in &self.templates {
                forms.push(template.unchecked(&values)?);
            }
        }
        Ok(forms)
    }

    /// Runs a run. Returns its row, with a text for each column.
    pub(super) fn row(&self, run: u64, runner: &mut Runner) -> Result<Vec<String>, SweepError> {
        let (point, seed_index) = (self.point(run), (run % u64::from(self.study.seeds)) as u32);
        let mut row = self.head(run);
        row.push(seed_index.to_string());
        match self.run(self.values(point, None).0, point, seed_index, runner) {
            Ok(ran) => row.extend(ran),
            Err(Unrun::Failed(error)) => return Err(error),
            Err(Unrun::Refused(why)) => {
                row.extend([String::new(), "refused".to_owned(), why]);
                row.resize(row.len() + self.metrics.len() + 1, String::new());
            }
        }
        row.push(env!("CARGO_PKG_VERSION").to_owned());
        Ok(row)
    }

    /// The cells of a row before its seed: run, point, base and fields.
    pub(super) fn head(&self, run: u64) -> Vec<String> {
        let point = self.point(run);
        let (base, values, _) = self.values(point, None);
        let mut row = vec![run.to_string(), point.to_string(), self.bases[base].name.clone()];
        let varied = self.axes.iter().map(|axis| axis.0.len()).sum::<usize>() + self.derived.len();
        row.extend(values);
        row.resize(3 + varied, String::new());
        row
    }

    /// Runs a changed experiment of a point, without a search for its length or its saturation.
    /// Returns the row that the first run of the point would have.
    pub(super) fn row_of(&self, point: u64, loaded: &Loaded, runner: &mut Runner) -> Result<Vec<String>, Unrun> {
        let mut row = self.head(point * u64::from(self.study.seeds));
        row.push("0".to_owned());
        let report = runner.run(loaded, self.more(), &mut None)?;
        row.extend(self.cells(loaded, &report, None, None, runner)?);
        Ok(row)
    }

    fn more(&self) -> More<'_> {
        More {
            coefficients: self.coefficients.as_ref(),
            counts_energy: self.counts_energy,
            links: self.study.links,
            coverage: self.study.coverage,
        }
    }

    /// Runs a point of a base with one of its seeds. Returns the cells from seed to hash.
    fn run(&self, base: usize, point: u64, seed_index: u32, runner: &mut Runner) -> Result<Vec<String>, Unrun> {
        let loaded = self.experiment(point, seed_index).map_err(Unrun::Refused)?;
        let more = self.more();
        let at = |load| self.experiment_at(point, seed_index, Some(load));
        let saturation = self.saturation.as_ref().map(|search| search.find(base, &loaded, &at, runner)).transpose()?;
        let mut run = |loaded: &Loaded, series: &mut _| runner.run(loaded, more, series);
        let (loaded, report, length) = if let Some(until) = &self.until {
            until.run(loaded, run).map(|(loaded, report, length)| (loaded, report, Some(length)))?
        } else {
            let report = run(&loaded, &mut None)?;
            (loaded, report, None)
        };
        self.cells(&loaded, &report, length, saturation, runner)
    }

    /// The cells from seed to hash.
    fn cells(
        &self,
        loaded: &Loaded,
        report: &Report,
        length: Option<Length>,
        saturation: Option<Bracket>,
        runner: &mut Runner,
    ) -> Result<Vec<String>, Unrun> {
        let cost = runner.cost(loaded)?;
        let experiment = &loaded.experiment;
        let judged = self.study.deadlock.then(|| Ok::<_, Unrun>(self.verdicts.answer(loaded, runner.site(loaded)?)?));
        let deadlock = judged.transpose()?;
        let subject = Subject { experiment, report, cost: &cost, length, saturation, deadlock };
        let mut cells = vec![experiment.run.seed.to_string(), report.compared_end().name().to_owned(), reason(report)];
        cells.extend(self.metrics.iter().map(|metric| metric.value(&subject).text()));
        cells.push(loaded.hash.clone());
        Ok(cells)
    }

    /// Refuses a precision of a metric that no run has.
    fn check_precision(&self) -> Result<(), SweepError> {
        let every = self.points.div_ceil(MOST_TRIED);
        let some = || (0..self.points).step_by(every as usize).filter_map(|point| self.experiment(point, 0).ok());
        let over_seeds = self.precision.as_ref().map(|of| ("--seeds-until", of.metric));
        let within = self.until.as_ref().map(|of| ("--until", of.metric()));
        for (option, metric) in over_seeds.into_iter().chain(within) {
            let name = &self.metrics[metric].name;
            if !some().any(|loaded| metrics::may_have(&loaded.experiment, name)) {
                return Err(SweepError::Asked(format!("{option} {name}: no run of this sweep can have this metric")));
            }
        }
        if self.until.is_some() {
            some().try_for_each(|loaded| Until::check(&loaded.experiment))?;
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), SweepError> {
        let columns = self.columns();
        let clash = columns.iter().enumerate().find(|(n, column)| {
            let others = columns.iter().enumerate().filter(|(other, _)| other != n);
            column.role == Role::Axis && others.into_iter().any(|(_, other)| other.name == column.name)
        });
        let Some((_, column)) = clash else { return Ok(()) };
        Err(SweepError::Asked(format!(
            "\"{}\" is the name of another column too; vary the fields within it, or one base alone",
            column.name
        )))
    }

    /// Reason why no point takes a value of an axis. It has the value, if it names a field of the
    /// base that does not fit the value.
    fn blamed(&self, at: usize, value: usize, why: String) -> SweepError {
        let axis = &self.axes[at].0;
        let is_of_base = self.bases.iter().any(|base| why.starts_with(&quote::name(&base.name)));
        let values: Vec<String> = axis.iter().map(|of| format!("{}={}", of.name, of.values[value])).collect();
        let blamed = format!("--vary {}: no point accepts it: {why}", excerpt(&values.join(" with ")));
        let word = match &axis[..] {
            [field] => field.values[value].clone(),
            _ => String::new(),
        };
        SweepError::Setting { field: format!("vary[{at}]"), word, why: if is_of_base { blamed } else { why } }
    }

    /// Refuses a value that no point takes.
    fn check_values(&self) -> Result<(), SweepError> {
        for (at, axis) in self.axes.iter().enumerate() {
            let inner: u64 = self.axes[at + 1..].iter().map(Axis::len).product();
            let outer = self.points / inner / axis.len();
            let others = inner * outer;
            // For each tried point and each hash, the value that gives the experiment with this
            // hash.
            let mut known: HashMap<(u64, String), u64> = HashMap::new();
            for value in 0..axis.len() {
                let mut first = None;
                let mut taken = false;
                for other in 0..others.min(MOST_TRIED) {
                    // All combinations if there are few, else a sample of all combinations.
                    let other = if others <= MOST_TRIED { other } else { other * (others / MOST_TRIED) };
                    let point = |value| (other / inner * axis.len() + value) * inner + other % inner;
                    match self.experiment(point(value), 0) {
                        Ok(loaded) => {
                            taken = true;
                            // `0x2` is 2, and `mesh(radices:[4])` is `mesh(radices: [4])`.
                            let before = known.insert((other, loaded.hash), value);
                            let is_same = |before: &u64| {
                                let earlier = self.experiment(point(*before), 0);
                                earlier.is_ok_and(|earlier| earlier.experiment == loaded.experiment)
                            };
                            if let Some(before) = before.filter(is_same) {
                                let twice = axis.given_twice(value as usize, before as usize);
                                return Err(twice.about(&format!("vary[{at}]")));
                            }
                            break;
                        }
                        Err(why) => first = first.or(Some(why)),
                    }
                }
                if let (Some(why), false) = (first, taken) {
                    return Err(self.blamed(at, value as usize, why));
                }
            }
        }
        if self.axes.is_empty() && self.points == 1 {
            self.experiment(0, 0).map_err(SweepError::Asked)?;
        }
        Ok(())
    }
}

fn column(name: &str, kind: ColumnKind, role: Role, doc: &str) -> Column {
    Column {
        name: name.to_owned(),
        kind,
        role,
        unit: None,
        path: None,
        estimate: false,
        derived: false,
        doc: doc.to_owned(),
    }
}

/// The columns before the columns of varied and derived fields, and the columns after them.
fn around_fields(metrics: &[Metric]) -> (Vec<Column>, Vec<Column>) {
    let before = vec![
        column("run", ColumnKind::Integer, Role::Id, "number of the run in the order of the grid"),
        column("point", ColumnKind::Integer, Role::Id, "number of the point, the same for all its seeds"),
        column("base", ColumnKind::Text, Role::Id, "file of the base experiment"),
    ];
    let mut after = vec![
        column("seed_index", ColumnKind::Integer, Role::Seed, "number of the seed among those of the point"),
        column("seed", ColumnKind::Integer, Role::Seed, "seed of the run"),
        column(
            "outcome",
            ColumnKind::Text,
            Role::Outcome,
            "how the run ended: done, saturated, cycle_limit, deadlock or refused",
        ),
        column("reason", ColumnKind::Text, Role::Outcome, "why the run ended so; empty when done"),
    ];
    after.extend(metrics.iter().map(Metric::column));
    after.push(column(
        "config_hash",
        ColumnKind::Text,
        Role::Provenance,
        "hash of the run's configuration, without the lines of traces",
    ));
    after.push(column("version", ColumnKind::Text, Role::Provenance, "version of wormscope"));
    (before, after)
}

/// Reason of the outcome of a run; empty when it is done.
fn reason(report: &Report) -> String {
    match report.compared_end() {
        RunEnd::Done => String::new(),
        RunEnd::Saturated => "source queues grow steadily".to_owned(),
        RunEnd::CycleLimit => format!("stopped after {} cycles (run.max_cycles)", report.totals.cycles),
        RunEnd::Interrupted => format!("interrupted after {} cycles", report.totals.cycles),
        RunEnd::Deadlock => {
            let told = |of: &Relation| format!("final at cycle {}, detected at {}", of.final_cycle, of.detected);
            report.deadlock.as_ref().map(told).unwrap_or_default()
        }
    }
}
