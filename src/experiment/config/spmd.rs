//! Programs that compute and send.

use wormscope_hw::Encoding;

use super::fault::{Checked, fault, within, worm_fault};
use super::groups;
use super::traffic::{check_pattern, check_pattern_in};
use crate::experiment::{Experiment, Length, MOST_COST, Pattern, Spmd, Workload, WormRules};

/// Largest message in bytes: the number of flits of the longest worm, at one byte a flit.
const MOST_BYTES: u32 = 1 << 24;

/// Checks the entry at `path`.
pub(super) fn check(experiment: &Experiment, rules: &WormRules, of: &Spmd, entry: &str) -> Checked {
    let path = format!("{entry}.spmd");
    let at = |field: &str| format!("{path}.{field}");
    let network = &experiment.network;
    if !network.node.has_software() {
        let why =
            "programs need processors, and the nodes have none; give network.node.costs, send_buffer or receive_buffer";
        return Err(fault([path], why));
    }
    if network.nodes() == 1 {
        return Err(fault([path], "programs need a second node to send to; the network has 1 node"));
    }
    groups::size(experiment, of.group.as_ref(), &path)?;
    let others = (0..).zip(&experiment.workload).filter_map(|(index, entry)| match entry {
        Workload::Spmd(other) => Some((index, &other.group)),
        Workload::Messages(_)
        | Workload::Traffic(_)
        | Workload::Trace(_)
        | Workload::Multicast(_)
        | Workload::Multicasts(_)
        | Workload::Stalls(_) => None,
    });
    let clash = |group: &Option<String>| match (group, &of.group) {
        (Some(one), Some(other)) => one == other || groups::overlap(experiment, one, other),
        _ => true,
    };
    for (index, group) in others {
        let own = format!("workload[{index}]");
        if own == entry {
            break;
        }
        if clash(group) {
            let why = format!(
                "a second program on nodes of {own}; allowed: one program for each node, in a group of \
                 its own"
            );
            return Err(fault([at("group"), path], why));
        }
    }
    within(&at("compute"), of.compute, 1.0..=MOST_COST, " cycles")?;
    of.bytes.check(&(1..=MOST_BYTES), " bytes").map_err(|(field, why)| fault([at(&format!("bytes.{field}"))], why))?;
    let longest = Length::of_bytes(of.bytes.most(), network.switch.flit_bits);
    rules.check_shape(Encoding::Unicast, 1, longest.flits).map_err(|why| {
        let fault = worm_fault(why, &path);
        let paths = fault.paths.into_iter().map(|field| field.replace("payload_flits", "bytes")).collect();
        super::fault::Fault { paths, ..fault }
    })?;
    if of.pattern.is_set() || matches!(of.pattern, Pattern::Matrix { .. }) {
        let allowed = "uniform, hot_spot, transpose, bit_reversal, shuffle, tornado, nearest_neighbour, permutation";
        let why = format!("a program sends unicasts, and {} is for traffic; allowed: {allowed}", of.pattern.name());
        return Err(fault([at("pattern")], why));
    }
    check_pattern(network, rules, &of.pattern, &at("pattern"))?;
    check_pattern_in(experiment, of.group.as_ref(), &of.pattern, &at("pattern"), "uniform, hot_spot")
}
