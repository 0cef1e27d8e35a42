//! What no figure has, though its file can be read.

use super::data::named;
use super::figure::{Figure, Shelved};
use crate::spelling::suggestion;

/// The field of a figure's file that something is wrong with, and what.
pub(super) type Fault = (String, String);

impl Shelved {
    /// Refuses what no figure has.
    pub(super) fn check(&self) -> Result<(), Fault> {
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

    /// The names of its curves, as claims have them.
    fn check_curves(&self) -> Result<Vec<String>, Fault> {
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
