//! Named groups of nodes, which entries of the workload keep to (\[NUPAIROJ\] section 6.1.1).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// A group of nodes. Groups with listed nodes may have nodes in common.
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
    /// This number of nodes, drawn from the seed among the nodes of no other group.
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
        let drawn = |group: &Self| if let GroupNodes::Random(count) = group.nodes { u64::from(count) } else { 0 };
        let own = drawn(self) + self.nodes.named().len() as u64;
        let rest = if self.nodes.takes_rest() {
            let listed: HashSet<u32> = groups.iter().flat_map(|group| group.nodes.named()).copied().collect();
            let taken = groups.iter().map(drawn).sum::<u64>() + listed.len() as u64;
            u64::from(nodes).saturating_sub(taken)
        } else {
            0
        };
        (own + rest).try_into().unwrap_or(u32::MAX)
    }
}
