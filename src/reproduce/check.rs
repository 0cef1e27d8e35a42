//! Checks of figures and tables: faults that a file can have, although it can be read.

use std::path::Path;

use super::ReproduceError;
use super::claim::{Claim, Range};
use super::data::{Data, named};
use super::figure::{Chart, Figure, Shelved};
use crate::quote;
use crate::spelling::suggestion;

/// A fault of a figure's file: the field, and the reason.
pub(super) type Flaw = (String, String);

impl Shelved {
    /// Reads its table in a file.
    ///
    /// # Errors
    /// When it cannot be read, is of another version, or has other curves.
    pub fn table(&self, path: &Path) -> Result<Data, ReproduceError> {
        let data = Data::read(path)?;
        let known: Vec<String> = self.curves().map(|(key, curve)| named(key, &curve.name)).collect();
        let there: Vec<String> = data.curves.iter().map(|of| named(&of.chart, &of.curve)).collect();
        let refused = |why: String| Err(ReproduceError::Asked(format!("{}: {why}", quote::name(path))));
        if let Some(name) = there.iter().find(|name| !known.contains(name)) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let near = suggestion(name, &known);
            return refused(format!("{} has no curve \"{}\"{near}", self.id, quote::excerpt(name)));
        }
        match known.iter().find(|name| !there.contains(name)) {
            Some(name) => refused(format!(
                "lacks the curve \"{name}\"; publish the figure again, or remove this \
                table"
            )),
            None => Ok(data),
        }
    }

    /// Refuses faults that no figure may have.
    pub(super) fn check(&self) -> Result<(), Flaw> {
        let Figure { studies, charts, claims, spans, .. } = &self.figure;
        let known = self.check_curves()?;
        let is_known = |at: String, what: &str, name: &str| {
            if known.iter().any(|known| known == name) {
                return Ok(());
            }
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            Err((at, format!("{what} the curve \"{name}\"{}", suggestion(name, &known))))
        };
        for (at, chart) in charts.iter().enumerate() {
            check_axes(at, chart)?;
            for (curve, other) in chart.curves.iter().map(|curve| &curve.beyond).enumerate() {
                if let Some(other) = other {
                    is_known(format!("charts[{at}].curves[{curve}].beyond"), "a curve is beyond", other)?;
                }
            }
        }
        for (at, claim) in claims.iter().enumerate() {
            for name in claim.measure.curves() {
                is_known(format!("claims[{at}].measure"), "a claim is of", name)?;
            }
            check_ranges(claim).map_err(|(field, why)| (format!("claims[{at}].{field}"), why))?;
        }
        for (at, span) in spans.iter().enumerate() {
            for (reading, (_, measure)) in span.over.iter().enumerate() {
                for name in measure.curves() {
                    is_known(format!("spans[{at}].over[{reading}]"), "a span over choices is of", name)?;
                }
            }
        }
        let used: Vec<&str> = self.curves().map(|(_, curve)| curve.of.as_str()).collect();
        match studies.keys().find(|study| studies.len() > 1 && !used.contains(&study.as_str())) {
            Some(study) => Err((format!("studies.{study}"), format!("no curve is of the study \"{study}\""))),
            None => Ok(()),
        }
    }

    /// The names of the figure's curves, as claims write them.
    fn check_curves(&self) -> Result<Vec<String>, Flaw> {
        let mut known = Vec::new();
        for (at, chart) in self.figure.charts.iter().enumerate() {
            for (number, curve) in chart.curves.iter().enumerate() {
                let fault = |why: String| (format!("charts[{at}].curves[{number}]"), why);
                self.source(curve).map_err(fault)?;
                let name = named(&chart.key, &curve.name);
                if known.contains(&name) {
                    return Err(fault(format!("there are two curves \"{name}\"; claims tell curves by their names")));
                }
                known.push(name);
            }
        }
        Ok(known)
    }
}

fn check_axes(at: usize, chart: &Chart) -> Result<(), Flaw> {
    for (axis, scale) in [("x", &chart.x), ("y", &chart.y)] {
        if let Some(base) = scale.log.filter(|base| *base <= 1.0 || !base.is_finite()) {
            return Err((format!("charts[{at}].{axis}.log"), format!("log is {base}; allowed: a base above 1")));
        }
    }
    Ok(())
}

/// Refuses ranges that cannot judge a claim.
fn check_ranges(claim: &Claim) -> Result<(), (&'static str, String)> {
    let words = |range: Range| range.words(|end| end.to_string());
    for (field, range) in [("holds", Some(claim.holds)), ("in_part", claim.in_part)] {
        if let Some(range) = range.filter(|range| !range.is_one()) {
            return Err((field, format!("{} is no range; allowed: finite numbers, the lesser first", words(range))));
        }
    }
    match claim.in_part {
        Some(in_part) if claim.holds.covers(in_part) => {
            let (holds, in_part) = (words(claim.holds), words(in_part));
            let why = format!("{in_part} is within {holds}, where the claim holds in full; allowed: a wider range");
            Err(("in_part", why))
        }
        _ => Ok(()),
    }
}
