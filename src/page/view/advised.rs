//! Advice about a run, as the page shows it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;

use crate::report::chart;
use crate::sweep::advise::Advice;

/// Gains and costs of the changes of the experiment by one step.
#[derive(Serialize)]
pub struct Advised {
    /// Lines about the experiment.
    about: String,
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// For each row, the options that make the change.
    options: Vec<String>,
    /// Options of the change with the largest gain for each GE.
    next: Option<String>,
    /// The gains against the added area, as an address of an SVG.
    picture: String,
}

impl Advised {
    /// The advice for a page.
    ///
    /// # Errors
    /// The picture cannot be drawn.
    pub fn new(advice: &Advice) -> Result<Self, String> {
        let (header, rows) = advice.table();
        let drawn = chart::draw(&[advice.chart()])?;
        let of = |sets: &[String]| sets.iter().map(|set| [" --set ", &crate::quote::shell(set)].concat()).collect();
        Ok(Self {
            about: advice.about(),
            header,
            rows,
            options: advice.tried.iter().map(|tried| of(&tried.sets)).collect(),
            next: advice.next(),
            picture: format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(drawn)),
        })
    }
}
