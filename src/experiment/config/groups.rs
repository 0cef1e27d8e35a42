//! Groups of nodes, and entries that keep to one.

use std::collections::HashSet;

use super::fault::{Checked, Fault, fault, within};
use crate::experiment::{Experiment, GroupNodes, WormRules};
use crate::quote::{self, excerpt};
use crate::spelling::nearest;

/// Checks that the groups have nodes of the network.
pub(super) fn check(experiment: &Experiment, rules: &WormRules) -> Checked {
    let (groups, nodes) = (&experiment.groups, rules.nodes());
    let mut all_listed: HashSet<u32> = HashSet::new();
    for (index, group) in groups.iter().enumerate() {
        let at = |field: &str| format!("groups[{index}].{field}");
        let name = excerpt(&group.name);
        if group.name.is_empty() {
            return Err(fault(
                [at("name")],
                "name is empty; allowed: any other name, by which entries of the workload refer to the group",
            ));
        }
        if groups[..index].iter().any(|other| other.name == group.name) {
            return Err(fault([at("name")], format!("a second group \"{name}\"; allowed: each name once")));
        }
        let (listed, field) = match &group.nodes {
            GroupNodes::Random(_) | GroupNodes::Rest => continue,
            GroupNodes::RestWith(listed) => (listed, "rest_with"),
            GroupNodes::Listed(listed) => (listed, "listed"),
        };
        if listed.is_empty() {
            return Err(fault([at("nodes")], format!("no nodes in group \"{name}\"; at least one is needed")));
        }
        let nth = |n: usize| at(&format!("nodes.{field}[{n}]"));
        rules.check_nodes(listed).map_err(|(n, why)| fault([nth(n)], why))?;
        all_listed.extend(listed);
    }
    let mut free = nodes - all_listed.len() as u32;
    let mut rest = None;
    for (index, group) in groups.iter().enumerate() {
        if let GroupNodes::Random(count) = &group.nodes {
            let at = format!("groups[{index}].nodes.random");
            within(&at, *count, 1..=free, " (nodes that are in no other group)")?;
            free -= count;
        }
    }
    for (index, _) in groups.iter().enumerate().filter(|(_, group)| group.nodes.takes_rest()) {
        let at = format!("groups[{index}].nodes");
        if let Some(first) = rest.replace(index) {
            return Err(fault([at], format!("a second rest; the first is in groups[{first}]; allowed: one")));
        }
        if free == 0 && groups[index].nodes == GroupNodes::Rest {
            return Err(fault([at], format!("no nodes are left of {nodes}; allowed: smaller groups, or no rest")));
        }
    }
    Ok(())
}

/// Number of nodes from which an entry draws: the nodes of the group in its field `group`, at least
/// two.
pub(super) fn size(experiment: &Experiment, group: Option<&String>, path: &str) -> Result<u32, Fault> {
    let nodes = experiment.network.nodes();
    let Some(name) = group else { return Ok(nodes) };
    let at = [format!("{path}.group"), path.to_owned()];
    let groups = &experiment.groups;
    match groups.iter().find(|group| group.name == *name).map(|group| group.size(groups, nodes)) {
        Some(size @ 2..) => Ok(size),
        Some(_) => Err(fault(at, format!("group \"{}\" has 1 node; allowed: at least 2 nodes", excerpt(name)))),
        None => {
            let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
            let meant = nearest(name, &names).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            let all = quote::list(names.iter().map(|name| format!("\"{}\"", excerpt(name))));
            let allowed = match (names.is_empty(), meant.is_empty()) {
                (true, _) => "; groups is empty; allowed: None, or a name that you add to groups".to_owned(),
                (false, true) => format!("; allowed: a name in groups: {all}"),
                (false, false) => format!(" allowed: a name in groups: {all}"),
            };
            Err(fault(at, format!("no group \"{}\"{meant}{allowed}", excerpt(name))))
        }
    }
}

/// Whether two groups list a node in common.
pub(super) fn overlap(experiment: &Experiment, one: &str, other: &str) -> bool {
    let named = |name: &str| {
        let group = experiment.groups.iter().find(|group| group.name == name);
        group.map_or(&[][..], |group| group.nodes.named())
    };
    named(one).iter().any(|node| named(other).contains(node))
}

/// Whether a node is in a group. `None` if the nodes of the group depend on the seed.
pub(super) fn has(experiment: &Experiment, name: &str, node: u32) -> Option<bool> {
    let listed = |nodes: &GroupNodes| nodes.named().contains(&node);
    let groups = &experiment.groups;
    match &groups.iter().find(|group| group.name == name)?.nodes {
        GroupNodes::Random(_) => None,
        own if listed(own) => Some(true),
        own if own.takes_rest() && groups.iter().any(|group| matches!(group.nodes, GroupNodes::Random(_))) => None,
        own if own.takes_rest() => Some(!groups.iter().any(|group| listed(&group.nodes))),
        GroupNodes::Rest | GroupNodes::RestWith(_) | GroupNodes::Listed(_) => Some(false),
    }
}
