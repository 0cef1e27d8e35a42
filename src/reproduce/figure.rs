//! Figures in the form of their files, and the shelf of all figures.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ReproduceError;
use super::claim::Claim;
use super::measure::Measure;
use crate::input::position::Text;
use crate::input::{ConfigError, ron, title};
use crate::quote;
use crate::spelling::{nearest, suggestion};
use crate::sweep::Study;

/// A figure, a table or a worked example of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Name in the paper: `Fig. 6.6`.
    pub name: String,
    /// Place in the paper: `section 6.4.1`.
    pub place: String,
    /// Caption of the paper.
    pub caption: String,
    /// Kind of source that its curves have.
    pub kind: Kind,
    /// Parameters as printed.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// Parameters that the paper leaves open, and our choices.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Reconstructions: parts that the paper names, but our sources do not define.
    #[serde(default)]
    pub reconstructed: Vec<String>,
    /// Results of other plausible choices, if the choice matters.
    #[serde(default)]
    pub spans: Vec<ChoiceSpan>,
    /// Sources of its curves, by name.
    pub studies: BTreeMap<String, Source>,
    /// Panels that are drawn.
    pub charts: Vec<Chart>,
    /// Claims of the paper about the figure.
    #[serde(default)]
    pub claims: Vec<Claim>,
}

/// A number of a figure for each plausible choice of an open detail of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceSpan {
    /// The number, in words.
    pub of: String,
    /// The readings, ours first, and the number under each.
    pub over: Vec<(String, Measure)>,
}

/// Source of the curves of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Flits through the clocked hardware.
    Hardware,
    /// Formulas, as in the paper.
    ClosedForm,
    /// Plans without a clock: trees, schedules, steps.
    Plan,
    /// Hardware in place of the paper's measured machine.
    Machine,
}

impl Kind {
    /// The kind in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Hardware => "flit hardware",
            Self::ClosedForm => "closed form",
            Self::Plan => "plans, no clock",
            Self::Machine => "flit hardware in place of the paper's measured machine",
        }
    }
}

/// Source of curves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// Runs on the hardware.
    Runs(Runs),
    /// A study of another figure of the paper: `fig_15 uni`.
    Of(String),
    /// A closed form, or an evaluation of plans, by the name of its function.
    Model(String),
}

/// Runs on the hardware: a sweep, and less of it for `--quick`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// Experiments, as paths from the folder of the figure's file.
    pub bases: Vec<String>,
    /// Settings, as of a sweep.
    #[serde(default)]
    pub vary: Vec<String>,
    /// Fields that vary, as of a sweep.
    #[serde(default)]
    pub derive: Vec<String>,
    /// Repetitions: runs of each point.
    #[serde(default = "one")]
    pub seeds: u32,
    /// In place of `seeds` for `--quick`.
    #[serde(default)]
    pub quick_seeds: Option<u32>,
    /// In place of `vary` for `--quick`.
    #[serde(default)]
    pub quick_vary: Option<Vec<String>>,
}

fn one() -> u32 {
    1
}

impl Runs {
    /// The sweep of the study, in the full or the quick form.
    #[must_use]
    pub fn study(&self, bases: Vec<String>, is_quick: bool) -> Study {
        let quick = |all: &Vec<String>, few: &Option<Vec<String>>| match few {
            Some(few) if is_quick => few.clone(),
            _ => all.clone(),
        };
        Study {
            bases,
            vary: quick(&self.vary, &self.quick_vary),
            derive: self.derive.clone(),
            seeds: if is_quick { self.quick_seeds.unwrap_or(self.seeds) } else { self.seeds },
            ..Study::default()
        }
    }
}

/// A panel of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Letter of the chart, or another key by which claims name it: `a`.
    #[serde(default)]
    pub key: String,
    /// Title above the chart.
    pub title: String,
    /// Axis to the right.
    pub x: Scale,
    /// Axis upwards.
    pub y: Scale,
    /// Curves of the chart.
    pub curves: Vec<Curve>,
    /// Points that the text quotes.
    #[serde(default)]
    pub quoted: Vec<Quoted>,
}

/// An axis of a panel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Label with the unit.
    pub label: String,
    /// Column of the sweep, or an expression of columns: `latency_last_mean / 50`. Only curves of
    /// runs have it.
    #[serde(default)]
    pub of: String,
    /// Base of its logarithm.
    #[serde(default)]
    pub log: Option<f64>,
    /// First and last value.
    #[serde(default)]
    pub span: Option<(f64, f64)>,
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Name of the curve in the legend.
    pub name: String,
    /// The source of its points. A figure with one source need not name it.
    #[serde(default)]
    pub of: String,
    /// Selects points of runs: `FIELD=VALUE`, and `base=STEM`. Points at one x become their mean
    /// over all fields that vary.
    #[serde(default)]
    pub only: Vec<String>,
    /// Name of the model's curve; if absent, the name of this curve.
    #[serde(default)]
    pub model: Option<String>,
    /// Column, if it differs from the column of the panel.
    #[serde(default)]
    pub y: Option<String>,
    /// Another curve, by its name in claims, from which y is drawn as a difference: (y - its y) /
    /// y.
    #[serde(default)]
    pub beyond: Option<String>,
}

/// Points that the text quotes, or values of x at which an event happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quoted {
    /// Name in the legend.
    pub name: String,
    /// Points.
    #[serde(default)]
    pub points: Vec<(f64, f64)>,
    /// Values of x that the text quotes without a y.
    #[serde(default)]
    pub at: Vec<f64>,
}

/// Papers, in the order of the page: key, and authors with title.
pub const PAPERS: [(&str, &str); 5] = [
    (
        "kp",
        "R. Kesavan, D. K. Panda, *Multiple Multicast with Minimized Node Contention on Wormhole k-ary n-cube Networks*",
    ),
    ("nupairoj", "N. Nupairoj, *Multicast Communication*"),
    ("seidel", "S. R. Seidel, *Broadcasting on Linear Arrays and Meshes*"),
    ("atbm", "V. Varavithya, P. Mohapatra, *Asynchronous Tree-Based Multicasting in Wormhole-Switched MINs*"),
    ("tpp", "A. El-Obaid, W. Zuo, *An Efficient Path-Based Multicast Algorithm for Minimum Communication Steps*"),
];

/// A figure and the place of its file.
#[derive(Clone, Debug)]
pub struct Shelved {
    /// `atbm/fig_15`.
    pub id: String,
    /// The folder of its file.
    pub folder: PathBuf,
    /// Contents of the file.
    pub figure: Figure,
}

impl Shelved {
    /// Reads a figure from the text of its file.
    pub(super) fn new(id: String, folder: PathBuf, file: &str, text: &str) -> Result<Self, ConfigError> {
        let shelved = Self { id, folder, figure: ron::typed(file, text)? };
        shelved.check().map_err(|(field, why)| Text { file, text }.error(&[field], why))?;
        Ok(shelved)
    }

    /// The paper's name: `atbm`.
    #[must_use]
    pub fn paper(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }
}

/// All figures, in the order of the papers and of their numbers.
#[derive(Clone, Debug, Default)]
pub struct Shelf(pub Vec<Shelved>);

impl Shelf {
    /// Reads all figures below a folder with a folder for each paper.
    ///
    /// # Errors
    /// When the folder or a file cannot be read, or has a field that no figure has.
    pub fn read(folder: &Path) -> Result<Self, ReproduceError> {
        let mut shelf = Self::default();
        for (paper, _) in PAPERS {
            let folder = folder.join(paper);
            let failed = ReproduceError::file;
            let mut files = Vec::new();
            for entry in fs::read_dir(&folder).map_err(failed(&folder, "no folder of a paper's figures"))? {
                let path = entry.map_err(failed(&folder, "cannot be read"))?.path();
                if path.extension().is_some_and(|extension| extension == "ron") {
                    files.push(path);
                }
            }
            files.sort_by_cached_key(|path| number(path));
            for path in files {
                let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                let (id, folder) = (format!("{paper}/{stem}"), folder.clone());
                shelf.0.push(Shelved::new(id, folder, &title(&path), &ron::read(&path)?)?);
            }
        }
        Ok(shelf)
    }

    /// The figures with these names. A name is a paper or a figure. Without names, all figures.
    ///
    /// # Errors
    /// When there is no such figure. The error names the nearest.
    pub fn chosen(&self, asked: &[String]) -> Result<Vec<&Shelved>, ReproduceError> {
        let is = |shelved: &Shelved, name: &str| shelved.id == name || shelved.paper() == name;
        if let Some(name) = asked.iter().find(|name| !self.0.iter().any(|shelved| is(shelved, name))) {
            let near: Vec<String> = self.near(name).iter().map(|near| format!("\"{near}\"")).collect();
            let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) };
            return Err(ReproduceError::Asked(format!(
                "there is no figure \"{}\"; {near}allowed: {}, or a figure of theirs; --list has all",
                quote::excerpt(name),
                PAPERS.map(|(paper, _)| paper).join(", ")
            )));
        }
        let wanted = |shelved: &&Shelved| asked.is_empty() || asked.iter().any(|name| is(shelved, name));
        Ok(self.0.iter().filter(wanted).collect())
    }

    /// Likely meanings of a wrong name: a paper, a figure, or all figures with this number.
    fn near(&self, name: &str) -> Vec<&str> {
        let ids: Vec<&str> = self.0.iter().map(|shelved| shelved.id.as_str()).collect();
        let name = name.trim_end_matches('/');
        if name.contains('/') {
            return nearest(name, &ids).into_iter().collect();
        }
        let short: Vec<&str> = ids.iter().flat_map(|id| id.split('/')).collect();
        match nearest(name, &short) {
            Some(paper) if PAPERS.iter().any(|(known, _)| *known == paper) => vec![paper],
            Some(number) => ids.into_iter().filter(|id| id.split('/').nth(1) == Some(number)).collect(),
            None => Vec::new(),
        }
    }

    /// The figure of this name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Shelved> {
        self.0.iter().find(|shelved| shelved.id == id)
    }
}

/// Key that sorts figures as the paper numbers them: tables before figures, 6.9 before 6.10.
fn number(path: &Path) -> (Vec<u32>, String) {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let rank = match stem.split('_').next() {
        Some("section") => 0,
        Some("table") => 1,
        _ => 2,
    };
    let numbers = stem.split('_').filter_map(|part| part.parse().ok());
    (std::iter::once(rank).chain(numbers).collect(), stem)
}

impl Shelved {
    /// All curves, with the keys of their panels.
    pub(super) fn curves(&self) -> impl Iterator<Item = (&str, &Curve)> {
        self.figure.charts.iter().flat_map(|chart| chart.curves.iter().map(|curve| (chart.key.as_str(), curve)))
    }

    /// The name of the source of a curve.
    pub(super) fn source(&self, curve: &Curve) -> Result<&str, String> {
        let studies = &self.figure.studies;
        let found = match studies.len() {
            1 if curve.of.is_empty() => studies.keys().next(),
            _ => studies.keys().find(|name| **name == curve.of),
        };
        found.map(String::as_str).ok_or_else(|| {
            let names: Vec<&str> = studies.keys().map(String::as_str).collect();
            format!("the curve \"{}\" is of no study{}", curve.name, suggestion(&curve.of, &names))
        })
    }
}
