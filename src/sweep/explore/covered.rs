//! Coverage of the runs of a sweep.

use std::fmt::Write as _;

use super::sweep::Sweep;
use crate::coverage::{RunCoverage, Words};
use crate::quote;
use crate::sweep::metrics::COVERAGE;

impl Sweep {
    /// The coverage of each run, in the order of the rows. A run that was refused has none.
    ///
    /// # Errors
    /// The sweep counted no coverage, or counted other bins.
    pub fn coverage(&self) -> Result<Vec<RunCoverage>, String> {
        let column = |name: &str| self.schema.columns.iter().position(|column| column.name == name);
        let folder = quote::name(&self.directory);
        let Some(place) = column(COVERAGE) else {
            return Err(format!("{folder}: the sweep has no coverage; repeat it with wormscope sweep --coverage"));
        };
        let [cycles, hash] = ["cycles", "config_hash"].map(column);
        let text = |row, column: Option<usize>| column.map_or("", |column| self.text(row, column));
        let words = Words::default();
        let mut runs = Vec::new();
        for row in (0..self.len()).filter(|&row| !self.text(row, place).is_empty()) {
            let hardware = words.covered(self.text(row, place));
            let hardware = hardware.map_err(|why| format!("{folder}: run {}: {why}", self.run(row)))?;
            let mut name = self.base(row).to_owned();
            for axis in self.axes() {
                let _ = write!(name, " {}={}", self.schema.columns[axis].name, self.text(row, axis));
            }
            runs.push(RunCoverage {
                name,
                seed: self.seed(row).parse().unwrap_or_default(),
                hash: text(row, hash).to_owned(),
                cycles: text(row, cycles).parse().unwrap_or_default(),
                hardware,
                ..RunCoverage::default()
            });
        }
        Ok(runs)
    }
}
