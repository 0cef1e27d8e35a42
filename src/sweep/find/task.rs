//! The task as a file.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::input::position::Text;
use crate::input::{ConfigError, ron};
use crate::sweep::{Study, SweepError};

/// A space of networks, bounds, and the metric that is to be small or large. The fields that
/// [`Study`] also has mean the same here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Task")]
pub struct DesignTask {
    /// Files of experiments, relative to the file of the task.
    pub bases: Vec<String>,
    /// `FIELD=VALUES`, or several joined by ` with `.
    #[serde(default)]
    pub vary: Vec<String>,
    /// `FIELD=EXPRESSION` of other fields.
    #[serde(default)]
    pub derive: Vec<String>,
    /// `METRIC=NUMBER`: bounds from above.
    #[serde(default)]
    pub at_most: Vec<String>,
    /// `METRIC=NUMBER`: bounds from below.
    #[serde(default)]
    pub at_least: Vec<String>,
    /// Metric that is to be small.
    #[serde(default)]
    pub least: Option<String>,
    /// Metric that is to be large.
    #[serde(default)]
    pub most: Option<String>,
    /// Number of seeds with which a network must hold the bounds.
    #[serde(default = "three")]
    pub seeds: u32,
    /// Number of seeds while an interval reaches across a bound. `None` is four times `seeds`.
    #[serde(default)]
    pub most_seeds: Option<u32>,
    /// Load whose saturation is searched.
    #[serde(default)]
    pub saturation: Option<String>,
    /// File of the coefficients of energy and time, relative to the file of the task.
    #[serde(default)]
    pub energy: Option<String>,
    /// Whether links and FIFOs are watched, and hops counted.
    #[serde(default)]
    pub links: bool,
    /// Name and text of the file, for the place of an error.
    #[serde(skip)]
    source: (String, String),
}

fn three() -> u32 {
    3
}

impl DesignTask {
    /// Whether a RON text is a task: it has bases, and a metric or bounds.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        let fields = ron::fields(text);
        let has = |name: &str| fields.iter().any(|field| field == name);
        has("bases") && ["least", "most", "at_least", "at_most"].into_iter().any(has)
    }

    /// Reads a task from the text of a file.
    ///
    /// # Errors
    /// The text is no task.
    pub fn from_text(file: &str, text: &str) -> Result<Self, ConfigError> {
        let task: Self = ron::typed(file, text)?;
        Ok(Self { source: (file.to_owned(), text.to_owned()), ..task })
    }

    /// The fault of a field, with its place in the file.
    pub(super) fn fault(&self, field: &str, why: &dyn Display) -> SweepError {
        let (file, text) = &self.source;
        SweepError::Config(Text { file, text }.error(&[field], why.to_string()))
    }

    /// Texts that name a metric.
    fn names(&self) -> impl Iterator<Item = &String> {
        self.least.iter().chain(&self.most).chain(&self.at_most).chain(&self.at_least)
    }

    /// Largest number of seeds of a network.
    #[must_use]
    pub fn most_seeds(&self) -> u32 {
        self.most_seeds.unwrap_or(self.seeds.saturating_mul(4)).max(self.seeds)
    }

    /// The sweep of the whole space. `bases` and `energy` are the files by name from the working
    /// directory.
    #[must_use]
    pub fn study(&self, bases: Vec<String>, energy: Option<String>) -> Study {
        Study {
            bases,
            vary: self.vary.clone(),
            derive: self.derive.clone(),
            seeds: self.most_seeds(),
            seeds_until: None,
            until: None,
            saturation: self.saturation.clone(),
            energy,
            links: self.links,
            coverage: false,
            // Verdicts take time, so they are there only for a question about them.
            deadlock: self.names().any(|name| name.contains("deadlock")),
        }
    }
}
