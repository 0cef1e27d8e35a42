//! The fields of a sweep: those that are varied, and those that follow from them.

use super::expression::Expression;
use super::study::{Study, assignment};
use super::{SweepError, values};
use crate::config::{self, Field};
use crate::quote::excerpt;

/// Fields that are varied together.
pub(super) struct Axis(pub Vec<Varied>);

/// A field that is varied: its name, its path in each base, and its values as RON.
pub(super) struct Varied {
    pub name: String,
    pub paths: Vec<String>,
    pub values: Vec<String>,
}

/// A field that follows from others.
pub(super) struct Derived {
    pub name: String,
    pub paths: Vec<String>,
    expression: Expression,
    /// Of each base, what the names in the expression are.
    names: Vec<Vec<Named>>,
}

/// A field in an expression.
struct Named {
    /// As the expression has it.
    name: String,
    path: String,
    source: ValueSource,
}

/// Where the value of a field comes from.
enum ValueSource {
    /// A varied or derived field, by its place among all.
    Varied(usize),
    /// The base itself.
    Base(String),
}

impl Axis {
    /// Reads `FIELD=VALUES`, or several joined by ` with `, of bases that have these fields.
    pub fn new(text: &str, fields: &[Vec<Field>]) -> Result<Self, SweepError> {
        let mut together = Vec::new();
        for part in text.split(" with ") {
            let (name, list) = assignment("--vary", part)?;
            let paths = resolved("--vary", name, fields)?;
            let values = values::parse(list).map_err(|why| SweepError::Asked(format!("--vary {name}: {why}")))?;
            together.push(Varied { name: name.to_owned(), paths, values });
        }
        let lengths: Vec<usize> = together.iter().map(|field| field.values.len()).collect();
        if lengths.iter().any(|&length| length != lengths[0]) {
            let counts: Vec<String> =
                together.iter().map(|of| format!("{} has {}", of.name, of.values.len())).collect();
            let why = format!(
                "--vary {}: fields varied together need as many values each; {}",
                excerpt(text),
                counts.join(", ")
            );
            return Err(SweepError::Asked(why));
        }
        Ok(Self(together))
    }

    /// How many values.
    pub fn len(&self) -> u64 {
        self.0.first().map_or(1, |field| field.values.len() as u64)
    }
}

impl Derived {
    /// Its value in a base where the fields before it have these values; with `other` where the
    /// field of that path has that value instead. Why it has none otherwise.
    pub fn value(&self, base: usize, values: &[String], other: Option<(&str, &str)>) -> Result<String, String> {
        let value = self.expression.value(&|name| {
            self.names[base].iter().find(|of| of.name == name).map(|of| match (other, &of.source) {
                (Some((path, value)), _) if path == of.path => value,
                (_, ValueSource::Varied(at)) => values[*at].as_str(),
                (_, ValueSource::Base(text)) => text.as_str(),
            })
        });
        value.map(|value| value.to_string()).map_err(|why| format!("{}: {why}", self.name))
    }
}

/// The derived fields of a study beside those that are varied.
pub(super) fn derived(study: &Study, axes: &[Axis], fields: &[Vec<Field>]) -> Result<Vec<Derived>, SweepError> {
    let mut known: Vec<Vec<String>> = axes.iter().flat_map(|axis| &axis.0).map(|field| field.paths.clone()).collect();
    let mut all = Vec::new();
    for text in &study.derive {
        let (name, expression) = assignment("--derive", text)?;
        let paths = resolved("--derive", name, fields)?;
        let expression =
            Expression::parse(expression).map_err(|why| SweepError::Asked(format!("--derive {name}: {why}")))?;
        let mut names: Vec<Vec<Named>> = fields.iter().map(|_| Vec::new()).collect();
        for field in expression.fields() {
            for ((base, names), path) in names.iter_mut().enumerate().zip(resolved("--derive", field, fields)?) {
                let source = match known.iter().position(|paths| paths[base] == path) {
                    Some(at) => ValueSource::Varied(at),
                    None => ValueSource::Base(value_of(&fields[base], &path)),
                };
                names.push(Named { name: field.to_owned(), path, source });
            }
        }
        known.push(paths.clone());
        all.push(Derived { name: name.to_owned(), paths, expression, names });
    }
    Ok(all)
}

/// The path that a name means in each base.
fn resolved(option: &str, name: &str, fields: &[Vec<Field>]) -> Result<Vec<String>, SweepError> {
    let refuse = |why| SweepError::Asked(format!("{option}: {why}"));
    fields.iter().map(|fields| config::resolve(fields, name).map_err(refuse)).collect()
}

fn value_of(fields: &[Field], path: &str) -> String {
    fields.iter().find(|field| field.path == path).map_or_else(String::new, |field| field.value.clone())
}
