//! Named groups of nodes, which entries of the workload keep to (\[NUPAIROJ\] section 6.1.1).

use serde::{Deserialize, Serialize};

/// A group of nodes. Groups have no node in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Name of the group, by which entries of the workload refer to it.
    pub name: String,
    /// Which nodes are in the group.
    pub nodes: GroupNodes,
}

/// Which nodes a group has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum GroupNodes {
    /// This number of nodes, drawn from the seed. A node that another group lists or has drawn does
    /// not count.
    Random(u32),
    /// All nodes that are in no other group.
    Rest,
    /// The nodes of this list, and all nodes that are in no other group.
    RestWith(Vec<u32>),
    /// The nodes of this list.
    Listed(Vec<u32>),
}

impl GroupNodes {
    /// The nodes that the group lists.
    #[must_use]
    pub(crate) fn named(&self) -> &[u32] {
        match self {
            Self::Random(_) | Self::Rest => &[],
            Self::RestWith(nodes) | Self::Listed(nodes) => nodes,
        }
    }

    /// Whether the group takes all nodes that are in no other group.
    #[must_use]
    pub(crate) fn takes_rest(&self) -> bool {
        match self {
            Self::Rest | Self::RestWith(_) => true,
            Self::Random(_) | Self::Listed(_) => false,
        }
    }
}

impl Group {
    /// Number of its nodes as one of `groups`, in a network of `nodes` nodes.
    #[must_use]
    pub(crate) fn size(&self, groups: &[Self], nodes: u32) -> u32 {
        let given = |group: &Self| match &group.nodes {
            GroupNodes::Random(count) => u64::from(*count),
            GroupNodes::Rest | GroupNodes::RestWith(_) | GroupNodes::Listed(_) => group.nodes.named().len() as u64,
        };
        let others = |group: &&Self| group.name != self.name;
        let size = if self.nodes.takes_rest() {
            u64::from(nodes).saturating_sub(groups.iter().filter(others).map(given).sum())
        } else {
            given(self)
        };
        size.try_into().unwrap_or(u32::MAX)
    }
}
