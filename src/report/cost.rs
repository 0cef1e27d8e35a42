//! Cost of a network, as a table and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::clock::Clocked;
use crate::cost::HardwareCost;
use crate::experiment::Loaded;
use crate::table::Table;

/// Shape of [`Checked`].
const SCHEMA_VERSION: u32 = 1;

/// Output of `wormscope check --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// 1.
    pub schema_version: u32,
    /// Version of wormscope.
    pub tool_version: &'static str,
    /// The experiment as the user named it.
    pub experiment: String,
    /// Hash of its configuration.
    pub config_hash: String,
    /// The network in some words.
    pub network: String,
    /// Nodes.
    pub nodes: u32,
    /// Switches.
    pub switches: u32,
    /// Cost of the network: an estimate by the formulas of docs/explain/cost.md.
    pub cost_estimate: HardwareCost,
    /// Time of a cycle.
    pub clock: Clocked,
}

impl Checked {
    /// An experiment, the cost of its network, and its clock.
    #[must_use]
    pub fn new(loaded: &Loaded, network: String, cost: HardwareCost, clock: Clocked) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: loaded.title(),
            config_hash: loaded.hash.clone(),
            network,
            nodes: loaded.experiment.network.nodes(),
            switches: loaded.experiment.network.switches(),
            cost_estimate: cost,
            clock,
        }
    }
}

/// The cost as a table; blocks that the network does not have are left out.
#[must_use]
pub fn table(cost: &HardwareCost) -> String {
    let header =
        ["  cost, an estimate", "GE of the largest switch", "flip-flops", "GE of the network", "flip-flops", "± %"];
    let mut table = Table::new(&header, &[0]);
    let area = |area: crate::cost::Area| [format!("{:.0}", area.ge), area.flip_flops.to_string()];
    let mut row = |name: &str, largest: Option<_>, network, error: f64| {
        let largest = largest.map_or([const { String::new() }; 2], area);
        let error = vec![format!("{error:.0}")];
        table.row([vec![name.to_owned()], largest.to_vec(), area(network).to_vec(), error].concat());
    };
    for block in cost.blocks.iter().filter(|block| block.network.ge > 0.0) {
        row(&format!("  {}", block.block), block.largest, block.network, block.error_percent);
    }
    row("  in all", Some(cost.switch), cost.network, cost.area_error_percent);
    let mut text = table.text();
    let _ = writeln!(
        text,
        "  {:<22}{} levels between registers, an estimate, ± {:.0} %",
        "logic depth", cost.logic_depth, cost.depth_error_percent
    );
    let (links, wires) = (cost.bisection_links, cost.bisection_wires);
    let _ =
        writeln!(text, "  {:<22}{}; across the middle {links} links, {wires} wires", "wires of links", cost.link_wires);
    text
}
