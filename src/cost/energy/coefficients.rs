//! Coefficients of energy, read from a RON file that names their source.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::input::position::Text;
use crate::input::{ConfigError, TextKind, ron, title};

/// Energy of each event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficients {
    /// Source of the coefficients: table, tool and version, technology, voltage, reference
    /// configuration.
    pub source: String,
    /// Write of a flit into a FIFO, in fJ for each of its bits.
    pub buffer_write_fj_per_bit: f64,
    /// Read of a flit from a FIFO, in fJ for each of its bits.
    pub buffer_read_fj_per_bit: f64,
    /// Crossing to one output, in fJ for each bit of the flit.
    pub crossbar_fj_per_bit: f64,
    /// A grant of a lane, or a turn of a virtual channel, in fJ.
    pub arbitration_fj: f64,
    /// Change of a data wire of a link, in fJ for each mm.
    pub link_fj_per_toggle_mm: f64,
    /// Length of a link between switches, in mm.
    pub link_mm: f64,
    /// The clock of a flip-flop, in fJ a cycle.
    pub clock_fj_per_flip_flop: f64,
    /// Leakage, in nW for each gate equivalent.
    pub leakage_nw_per_ge: f64,
}

impl Coefficients {
    /// Reads a file of coefficients.
    ///
    /// # Errors
    /// The file cannot be read, a field is unknown or missing, or a coefficient is negative or no
    /// number.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::from_text(&title(path), &TextKind::ENERGY.read(path)?)
    }

    /// Reads coefficients from `text`. `name` is the name of the file in errors.
    ///
    /// # Errors
    /// The same as for [`Coefficients::load`].
    pub fn from_text(name: &str, text: &str) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let coefficients: Self = ron::typed(name, text)?;
        let at = |field: &str, why: String| Text { file: name, text }.error(&[field], why);
        if coefficients.source.trim().is_empty() {
            return Err(at("source", "source is empty; it names where the coefficients are from".to_owned()));
        }
        for (field, value) in coefficients.numbers() {
            if !(value.is_finite() && value >= 0.0) {
                return Err(at(field, format!("{field} is {value}; allowed: 0 and more, finite")));
            }
        }
        Ok(coefficients)
    }

    fn numbers(&self) -> [(&'static str, f64); 8] {
        [
            ("buffer_write_fj_per_bit", self.buffer_write_fj_per_bit),
            ("buffer_read_fj_per_bit", self.buffer_read_fj_per_bit),
            ("crossbar_fj_per_bit", self.crossbar_fj_per_bit),
            ("arbitration_fj", self.arbitration_fj),
            ("link_fj_per_toggle_mm", self.link_fj_per_toggle_mm),
            ("link_mm", self.link_mm),
            ("clock_fj_per_flip_flop", self.clock_fj_per_flip_flop),
            ("leakage_nw_per_ge", self.leakage_nw_per_ge),
        ]
    }
}
