//! Coefficients of energy and time, read from a RON file that names their source.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cost::HardwareCost;
use crate::input::position::Text;
use crate::input::{ConfigError, Place, TextKind, ron, title};
use crate::network::{Clock, Network};
use crate::quote::excerpt;

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
    /// Distance of neighbouring switches, in mm: the length of a link of one pitch.
    pub link_mm: f64,
    /// The clock of a flip-flop, in fJ a cycle.
    pub clock_fj_per_flip_flop: f64,
    /// Leakage, in nW for each gate equivalent.
    pub leakage_nw_per_ge: f64,
    /// Error of all energies, in per cent to either side.
    #[serde(default = "energy_error")]
    pub error_percent: f64,
    /// Delays. Without them a cycle takes `network.clock_ns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<Delays>,
}

/// Delays from which the time of a cycle follows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delays {
    /// A level of logic, in ps.
    pub level_ps: f64,
    /// A register: from the clock edge to its output, setup, and skew of the clock, in ps.
    pub register_ps: f64,
    /// A wire with repeaters, in ps for each mm.
    pub wire_ps_per_mm: f64,
    /// Error of all delays, in per cent to either side.
    #[serde(default = "delay_error")]
    pub error_percent: f64,
}

/// Error of energies whose file gives none, a guess.
fn energy_error() -> f64 {
    20.0
}

/// Error of delays whose file gives none, a guess.
fn delay_error() -> f64 {
    30.0
}

/// Time of a cycle, with its errors in per cent to either side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cycle {
    /// The time in ns.
    pub ns: f64,
    /// Error, by the formulas and by the delays.
    pub error_percent: f64,
    /// Error by the formulas alone. It is the error that is left if you compare two networks with
    /// the same delays.
    pub formula_percent: f64,
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

    /// Time of a cycle of a network of this cost.
    ///
    /// A number in `clock_ns` of the network is the time. Otherwise, with delays, it is the time
    /// of the longest path between two registers. This is the path through all levels of logic, and
    /// then along the longest link. A link of several cycles has a register after each equal part.
    /// With a register after the crossbar, the wire has a cycle of its own. Without delays and
    /// without `clock_ns` it is 1 ns.
    ///
    /// # Errors
    /// `clock_ns` is `from_depth`, and there are no delays.
    pub fn cycle(&self, network: &Network, cost: &HardwareCost) -> Result<Cycle, ConfigError> {
        let exactly = |ns| Ok(Cycle { ns, ..Cycle::default() });
        let delays = match (network.clock_ns, self.delays) {
            (Some(Clock::Ns(ns)), _) => return exactly(ns),
            (_, Some(delays)) => delays,
            (None, None) => return exactly(Clock::DEFAULT_NS),
            (Some(Clock::FromDepth), None) => {
                let why = "clock_ns is from_depth, and these coefficients have no delays; add delays, or give clock_ns \
                           a number";
                return Err(ConfigError::new(Place::File(format!("coefficients \"{}\"", excerpt(&self.source))), why));
            }
        };
        let logic = f64::from(cost.logic_depth) * delays.level_ps;
        let part = f64::from(cost.longest_link) * self.link_mm / f64::from(network.link.link_cycles);
        let wire = part * delays.wire_ps_per_mm;
        let path = if network.switch.crossbar_cycles == 0 { logic + wire } else { logic.max(wire) };
        let ps = path + delays.register_ps;
        let counts = network.switch.crossbar_cycles == 0 || logic >= wire;
        let formula_percent = if counts && ps > 0.0 { cost.depth_error_percent * logic / ps } else { 0.0 };
        // Waveforms have times in fs. So a cycle is a whole number of them.
        let ns = (1000.0 * ps).round() / 1e6;
        Ok(Cycle { ns, error_percent: delays.error_percent + formula_percent, formula_percent })
    }

    fn numbers(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let energies = [
            ("buffer_write_fj_per_bit", self.buffer_write_fj_per_bit),
            ("buffer_read_fj_per_bit", self.buffer_read_fj_per_bit),
            ("crossbar_fj_per_bit", self.crossbar_fj_per_bit),
            ("arbitration_fj", self.arbitration_fj),
            ("link_fj_per_toggle_mm", self.link_fj_per_toggle_mm),
            ("link_mm", self.link_mm),
            ("clock_fj_per_flip_flop", self.clock_fj_per_flip_flop),
            ("leakage_nw_per_ge", self.leakage_nw_per_ge),
            ("error_percent", self.error_percent),
        ];
        let delays = self.delays.map(|delays| {
            let Delays { level_ps, register_ps, wire_ps_per_mm, error_percent } = delays;
            [
                ("delays.level_ps", level_ps),
                ("delays.register_ps", register_ps),
                ("delays.wire_ps_per_mm", wire_ps_per_mm),
                ("delays.error_percent", error_percent),
            ]
        });
        energies.into_iter().chain(delays.into_iter().flatten())
    }
}
