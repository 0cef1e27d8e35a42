//! The coverage of one run, with the bins of its testbench.

use super::catalogue::Bin;
use super::facts::Facts;
use super::watch::Covered;

/// The coverage of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCoverage {
    /// Name of the testbench or experiment.
    pub name: String,
    /// Seed of the run.
    pub seed: u64,
    /// Hash of the experiment, and of how its random worms are drawn.
    pub hash: String,
    /// Cycles of the run.
    pub cycles: u64,
    /// Whether the testbench failed.
    pub failed: bool,
    /// Bins of the hardware.
    pub hardware: Covered,
    /// Bins of the testbench, in the order of its file.
    pub own: Vec<OwnBin>,
    /// Properties of the testbench.
    pub properties: Vec<PropertyCounts>,
}

/// A bin that a testbench defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnBin {
    /// The expression, or the name of a cross with its expressions.
    pub text: String,
    /// Number of its events.
    pub hits: u64,
    /// Reason why the bin cannot be reached, if the testbench excludes it.
    pub excluded: Option<String>,
}

/// Counts of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyCounts {
    /// The property.
    pub text: String,
    /// Cycles that required an answer.
    pub triggered: u64,
    /// Cycles whose answer came in time.
    pub passed: u64,
    /// Cycles in which the left side of `|->` did not hold, so that nothing was required.
    pub vacuous: u64,
}

impl RunCoverage {
    /// The excluded bins that the run has reached, each with the reason of the exclusion. Such a
    /// bin is a fault of the hardware, or of the reason.
    #[must_use]
    pub fn reached_in_spite(&self) -> Vec<(String, String)> {
        let hardware = self.hardware.hits.iter().filter_map(|&(place, _)| {
            let bin = Bin::at(place);
            Some((bin.to_string(), bin.excluded()?.to_owned()))
        });
        let own = self.own.iter().filter(|bin| bin.hits > 0 && bin.excluded.is_some());
        hardware.chain(own.filter_map(|bin| Some((bin.text.clone(), bin.excluded.clone()?)))).collect()
    }

    /// Facts about the run.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.hardware.facts
    }

    /// Whether the run may reach a bin of the hardware. Its testbench may exclude the bin.
    #[must_use]
    pub fn allows(&self, bin: &Bin) -> bool {
        self.facts().allow(bin) && self.excluded(bin).is_none()
    }

    /// The reason why its testbench excludes a bin of the hardware that its network could reach.
    #[must_use]
    pub fn exclusion(&self, bin: &Bin) -> Option<&str> {
        if self.facts().allow(bin) { self.excluded(bin) } else { None }
    }

    fn excluded(&self, bin: &Bin) -> Option<&str> {
        if self.own.is_empty() {
            return None;
        }
        let name = bin.to_string();
        self.own.iter().filter(|own| own.text == name).find_map(|own| own.excluded.as_deref())
    }
}
