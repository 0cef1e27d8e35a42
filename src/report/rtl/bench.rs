//! The testbench, with the sizes and the registers of a design.

use std::fmt::Write as _;

use super::Recorded;
use super::design::{INDEX_BITS, Twin, WORM_BITS};
use super::registers::{self, RegisterList};
use crate::engine::WormInfo;
use crate::hw::NodeId;

/// The testbench of every design.
pub(super) const TEXT: &str = include_str!("tb.sv");
/// The same testbench for cocotb.
pub(super) const COCOTB: &str = include_str!("test_network.py");

/// Most bits that a simulator prints at once: Verilator 5.006 refuses more than 8192. It is a
/// number of whole digits.
const MOST_PRINTED: usize = 4096;

/// The sizes of the design and of its stimulus.
pub(super) fn parameters(design: &Twin, recorded: &Recorded) -> String {
    let node = design.constants.node();
    let words = if design.header_bits > 0 { |_| 1 } else { |worm: &WormInfo| worm.header_flits };
    let header: u32 = recorded.worms.iter().map(words).sum();
    // A build can also run other stimuli of these sizes.
    let at_least = |count: usize| count.max(1024);
    let values = [
        ("FlitBits", design.flit_bits() as usize),
        ("HeaderBits", design.header_bits as usize),
        ("Nodes", design.built.wiring().nodes() as usize),
        ("InjectionLanes", node.injection_lanes.into()),
        ("ConsumptionLanes", node.consumption_lanes.into()),
        ("WormBits", WORM_BITS as usize),
        ("LengthBits", INDEX_BITS as usize),
        ("Switches", design.size() as usize),
        ("SwitchLanes", design.constants.lanes().outputs.count().into()),
        ("Space", design.space() as usize),
        ("MaxStalls", at_least(recorded.stalls.len())),
        ("MaxFreed", at_least(recorded.freed.len())),
        ("MaxWorms", at_least(recorded.worms.len())),
        ("MaxHeaderFlits", at_least(header as usize)),
        ("MaxArrivals", at_least(recorded.arrivals.len())),
    ];
    let lines = values.map(|(name, value)| format!("  localparam int {name} = {value};\n"));
    format!("// The sizes of the design and of its stimulus. wormscope wrote this file.\n{}", lines.concat())
}

/// All instances of a design with their registers: switches first, then nodes, then token rings.
pub(super) fn instances(design: &Twin) -> Vec<RegisterList> {
    let nodes = (0..design.built.wiring().nodes()).map(|node| registers::node(design, NodeId(node)));
    let rings = design.constants.rings();
    let rings = rings.iter().enumerate().map(|(number, (of, _))| registers::ring(design, number, of.len()));
    design.switches().map(|switch| registers::switch(design, switch)).chain(nodes).chain(rings).collect()
}

/// Writes the registers of instances that have changed.
pub(super) fn registers(design: &Twin) -> String {
    let mut text = String::from(
        "// Registers of all instances. wormscope wrote this file.\n\
         // In a cycle, the task writes a line for each instance that has changed: its number\n\
         // and its registers. The last line of a cycle has its number. Unknown bits, as in a\n\
         // cell without a flit, count as 0.\n",
    );
    let layouts = instances(design);
    for (n, layout) in layouts.iter().enumerate() {
        let paths: Vec<String> = layout.registers.iter().rev().map(|of| format!("    top.{}", of.path)).collect();
        let width = layout.width();
        let _ = write!(
            text,
            "\n  logic [{width}-1:0] registers_{n};\n  bit [{width}-1:0] known_{n}, shown_{n};\n  assign registers_{n} = {{\n{}\n  }};\n",
            paths.join(",\n")
        );
    }
    text.push_str("\n  task dump;\n");
    for (n, layout) in layouts.iter().enumerate() {
        let _ = write!(
            text,
            "    known_{n} = registers_{n};\n    if (cycle == 0 || known_{n} != shown_{n}) begin\n      $fwrite(registers, \"{n} \");\n"
        );
        let parts: Vec<usize> = (0..layout.width()).step_by(MOST_PRINTED).collect();
        for &low in parts.iter().rev() {
            let high = (low + MOST_PRINTED).min(layout.width()) - 1;
            let _ = writeln!(text, "      $fwrite(registers, \"%h\", known_{n}[{high}:{low}]);");
        }
        let _ = write!(text, "      $fwrite(registers, \"\\n\");\n      shown_{n} = known_{n};\n    end\n");
    }
    text.push_str("    $fwrite(registers, \"= %0d\\n\", cycle);\n  endtask\n");
    text
}
