//! Links: wires, and the registers of links longer than a cycle. Virtual channels share the wires
//! of the data, through a multiplexer.
//!
//! A link of V virtual channels has the wires of a cell of a FIFO. It has V wires `valid`, and V
//! that return credits. Every cycle beyond the first is a register on each of these wires. Every
//! cycle of the crossbar is a register on each of them but the credits. The multiplexer has
//! `1.7 F (V - 0.4)`, as a crossbar.
//!
//! Trees of synchronous worms have three more wires for each slot, between switches. The feedback
//! has their registers.

use super::SwitchShape;
use super::crossbar::choice;
use super::shape::TREE_SLOTS;
use super::unit::Area;
use crate::network::Link;

/// Number of forward wires of a link, and number of wires that return credits.
fn wires(s: &SwitchShape, channels: u64) -> (u64, u64) {
    (s.cell_bits() + channels, channels)
}

/// Number of wires of a link between switches.
#[must_use]
pub(crate) fn between_switches(s: &SwitchShape) -> u64 {
    let (forwards, credits) = wires(s, s.channels());
    let trees = if s.is_synchronous() { 3 * TREE_SLOTS } else { 0 };
    forwards + credits + trees
}

/// Number of wires of all links that leave a switch, and of the links that bring flits of its
/// nodes.
#[must_use]
pub(crate) fn all_wires(s: &SwitchShape) -> u64 {
    let (forwards, credits) = wires(s, s.node_channels());
    between_switches(s) * s.links() + (forwards + credits) * (s.consumption_links() + s.injection_links())
}

/// The multiplexers and registers of these links.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let crossbar = u64::from(s.network.switch.crossbar_cycles);
    let registers = |crossbar: u64, link: Link, channels: u64| {
        let (forwards, credits) = wires(s, channels);
        let stages = crossbar + u64::from(link.link_cycles) - 1;
        let turns = if channels > 1 { choice(s.cell_bits(), channels) } else { Area::default() };
        turns + Area::delay(forwards * stages + credits * (u64::from(link.credit_cycles) - 1))
    };
    let node = &s.network.node;
    registers(crossbar, s.network.link, s.channels()) * s.links()
        + registers(crossbar, node.consumption_link, s.node_channels()) * s.consumption_links()
        + registers(0, node.injection_link, s.node_channels()) * s.injection_links()
}
