//! The metrics that are compared, and their places in rows.

use crate::explore::{Better, ExploreError, Flaw, direction};
use crate::quote;
use crate::sweep::{Schema, SweepError};

/// The question to an experiment.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Number of seeds.
    pub seeds: u32,
    /// Metric at the load of the experiment. `None` takes the mean latency, or its time if there
    /// are coefficients.
    pub metric: Option<String>,
    /// The load whose saturation is searched as well.
    pub saturation: Option<String>,
}

/// Places of the cells that are compared, in a row of the experiment itself.
pub(super) struct Columns {
    /// Metric at the load.
    pub load: Metric,
    /// Metric beyond saturation, if the user named none.
    pub beyond: Option<Metric>,
    pub saturation: Option<usize>,
    pub saturation_metric: String,
    pub area: usize,
    pub area_error: usize,
    pub levels: usize,
    pub levels_error: usize,
    pub outcome: usize,
    /// Shares of worm-cycles: name and place.
    pub cycles: Vec<(String, usize)>,
}

impl Columns {
    /// The metric that is sound in runs of the experiment.
    pub(super) fn metric(&self, flaw: Option<Flaw>) -> &Metric {
        let beyond = self.beyond.as_ref().filter(|_| flaw == Some(Flaw::Saturated));
        beyond.unwrap_or(&self.load)
    }

    pub(super) fn new(schema: &Schema, question: &Comparison, has_times: bool) -> Result<Self, SweepError> {
        let refuse = |error: ExploreError| SweepError::Asked(error.to_string());
        let of = |name: &str| schema.metric(name).map_err(refuse);
        let default = if has_times { "latency_ns" } else { "latency" };
        let metric = |name: &str| Metric::new(schema, of(name)?);
        let load = metric(question.metric.as_deref().unwrap_or(default))?;
        let accepted = if has_times { "accepted_gbps" } else { "accepted" };
        let beyond = if question.metric.is_none() { Some(metric(accepted)?) } else { None };
        let saturation = if has_times { "saturation_gbps" } else { "saturation" };
        let saturation = if question.saturation.is_some() { Some(of(saturation)?) } else { None };
        let shares = schema.columns.iter().enumerate();
        let shares = shares.filter(|(_, column)| column.unit.as_deref() == Some("share of worm-cycles"));
        let outcome = schema.columns.iter().position(|column| column.name == "outcome").unwrap_or_default();
        Ok(Self {
            load,
            beyond,
            saturation_metric: saturation.map(|at| schema.columns[at].label()).unwrap_or_default(),
            saturation,
            area: of("area_ge")?,
            area_error: of("area_error_percent")?,
            levels: of("logic_depth")?,
            levels_error: of("depth_error_percent")?,
            outcome,
            cycles: shares.map(|(at, column)| (column.name.replace("stall_", "").replace('_', " "), at)).collect(),
        })
    }
}

/// A metric that is compared.
pub(super) struct Metric {
    /// Name and unit.
    pub label: String,
    pub place: usize,
    pub less_is_better: bool,
    /// Whether it is a time, which tells nothing in a saturated run.
    pub is_time: bool,
}

impl Metric {
    pub(super) fn new(schema: &Schema, place: usize) -> Result<Self, SweepError> {
        let column = &schema.columns[place];
        let Some(better) = direction(&column.name) else {
            let name = quote::excerpt(&column.name);
            let why = format!("{name} is neither better when it is large nor when it is small");
            return Err(SweepError::Asked(why));
        };
        let is_time = Flaw::Saturated.touches(column);
        Ok(Self { label: column.label(), place, less_is_better: better == Better::Less, is_time })
    }

    /// Whether the metric of a run with this flaw is not sound.
    pub(super) fn is_touched(&self, flaw: Flaw) -> bool {
        self.is_time || flaw == Flaw::Deadlocked
    }
}
