//! Dimensions that several groups share.

use super::group::Dimension;

/// Names of words of the hardware.
macro_rules! names {
    ($words:ty) => {{
        const NAMES: [&str; <$words>::ALL.len()] = {
            let mut names = [""; <$words>::ALL.len()];
            let mut at = 0;
            while at < names.len() {
                names[at] = <$words>::ALL[at].name();
                at += 1;
            }
            names
        };
        &NAMES
    }};
}
pub(super) use names;

/// Header encoding of the worm.
pub(super) const ENCODING: Dimension =
    Dimension { name: "encoding", meaning: "Header encoding of the worm.", values: names!(wormscope_hw::Encoding) };

/// Replication mode of the switch.
pub(super) const REPLICATION: Dimension = Dimension {
    name: "replication",
    meaning: "Replication mode of the switch.",
    values: names!(wormscope_hw::Replication),
};

/// Acquisition of lanes.
pub(super) const ACQUISITION: Dimension = Dimension {
    name: "acquisition",
    meaning: "How the switch acquires lanes.",
    values: names!(wormscope_hw::Acquisition),
};

/// Kind of arbiter.
pub(super) const ARBITER: Dimension =
    Dimension { name: "arbiter", meaning: "Kind of arbiter.", values: names!(wormscope_hw::Arbiter) };

/// Number of branches of the worm at the switch.
pub(super) const FAN_OUT: Dimension = Dimension {
    name: "fan_out",
    meaning: "Number of branches of the worm at the switch.",
    values: &["1", "2", "3", "4_or_more"],
};

/// The value of [`FAN_OUT`] for a number of branches.
pub(super) const fn fan_out(branches: u8) -> usize {
    (branches as usize).saturating_sub(1)
}
