//! Named groups of nodes, which entries of the workload keep to (\[NUPAIROJ\] section 6.1.1).

use serde::{Deserialize, Serialize};

/// A group of nodes. Groups have no node in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name, by which entries of the workload mean it.
    pub name: String,
    /// Which nodes it has.
    pub nodes: GroupNodes,
}

/// Which nodes a group has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum GroupNodes {
    /// So many, drawn from the seed among those that no group lists and none before has drawn.
    Random(u32),
    /// All that are in no other group.
    Rest,
    /// These.
    Listed(Vec<u32>),
}

impl Group {
    /// How many nodes it has as one of `groups`, in a network of so many.
    #[must_use]
    pub(crate) fn size(&self, groups: &[Self], nodes: u32) -> u32 {
        let given = |group: &Self| match &group.nodes {
            GroupNodes::Random(count) => u64::from(*count),
            GroupNodes::Rest => 0,
            GroupNodes::Listed(listed) => listed.len() as u64,
        };
        let size = match self.nodes {
            GroupNodes::Rest => u64::from(nodes).saturating_sub(groups.iter().map(given).sum()),
            GroupNodes::Random(_) | GroupNodes::Listed(_) => given(self),
        };
        size.try_into().unwrap_or(u32::MAX)
    }
}
