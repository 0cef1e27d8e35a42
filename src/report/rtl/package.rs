//! The files around the RTL: Makefile, description for FuseSoC, README.

use std::fmt::Write as _;

use super::{Recorded, Twin};

/// The Makefile of every design.
const MAKEFILE: &str = include_str!("Makefile.txt");

/// Areas of the gates of a synthesis.
pub(super) const GATES: &str = include_str!("gates.lib");

/// Paths of the RTL below the directory of the design, in the order in which a compiler reads them.
fn rtl() -> Vec<String> {
    Twin::blocks().map(|(path, _)| format!("rtl/{path}")).chain(["rtl/network.sv".to_owned()]).collect()
}

/// The Makefile. `compare` has the arguments of wormscope that compare a dump of registers.
pub(super) fn makefile(compare: &str) -> String {
    let rtl: Vec<String> = rtl().iter().map(|path| format!("\t{path}")).collect();
    // Make and the shell see `$` of a path as a variable.
    MAKEFILE.replace("@RTL@", &rtl.join(" \\\n")).replace("@COMPARE@", &compare.replace('$', "$$"))
}

/// The description for FuseSoC and Edalize.
pub(super) fn core() -> String {
    let mut text = String::from(
        "CAPI=2:\n\nname: ::wormscope_network:0\ndescription: A network of wormhole switches that wormscope wrote\n\n\
         filesets:\n  rtl:\n    files:\n",
    );
    for path in rtl() {
        let _ = writeln!(text, "      - {path}");
    }
    text.push_str(
        "    file_type: systemVerilogSource\n  tb:\n    files:\n      - tb/parameters.svh: {is_include_file: true}\n      \
         - tb/registers.svh: {is_include_file: true}\n      - tb/tb.sv\n      \
         - tb/stimulus.txt: {file_type: user, copyto: tb/stimulus.txt}\n      \
         - tb/expected.txt: {file_type: user, copyto: tb/expected.txt}\n      \
         - tb/events.txt: {file_type: user, copyto: tb/events.txt}\n    file_type: systemVerilogSource\n\n\
         targets:\n  default: &default\n    filesets: [rtl]\n    toplevel: network\n  \
         sim:\n    <<: *default\n    default_tool: icarus\n    filesets: [rtl, tb]\n    toplevel: tb\n    \
         tools:\n      icarus:\n        iverilog_options: [-g2012, -DWORMSCOPE_ASSERTIONS]\n  \
         lint:\n    <<: *default\n    default_tool: verilator\n    tools:\n      verilator:\n        \
         mode: lint-only\n        verilator_options: [-Wall]\n",
    );
    text
}

const DRAWING: &str = r"
            fifo.sv     decoder.sv         allocator.sv     replication.sv  multiplexer.sv crossbar.sv  link.sv
           +------+    +---------+ groups +-----------+ lanes +-------------+ +-----+ +----------+  +------+
  flits -->| fifo |--->| decoder |------->| allocator |------>| replication |>| mux |>| crossbar |->| link |-->
           +-+--^-+    +-^-------+        +-----^-----+       +--+----------+ +--^--+ +----------+  +------+
 credits <---+  |        |                lane_group.sv          |               |
                |        |                arbiter/*.sv           |           credit.sv <-- credits
                |        |                lane.sv                |
                +--------+-------------------- pop, passed ------+
";

/// Lines of the README about a run that ends in a deadlock.
const DEADLOCK: &str = "
**The run ends in a deadlock.** Worms that never arrive are not among the arrivals of `make sim`.
";

/// The README.
pub(super) fn readme(design: &Twin, recorded: &Recorded, title: &str, command: &str) -> String {
    let (wiring, network) = (design.built.wiring(), design.built.network());
    let encodings: Vec<String> = design.encodings.iter().map(ToString::to_string).collect();
    format!(
        "# The network of {title} in SystemVerilog

wormscope {version} wrote this directory with

    {command}

`make lockstep` compares the registers of the switches and nodes with the model of wormscope in every
cycle. wormscope's page \"Export SystemVerilog and simulate it\" lists the registers that it leaves out.
{deadlock}
| command | effect |
|---|---|
| `make sim` | runs the testbench with Verilator or Icarus Verilog (`SIM=icarus`): all {arrivals} arrivals must be those of the model |
| `make lockstep` | compares the registers in every cycle with the model; needs `wormscope` |
| `make cocotb` | runs a testbench in Python, with cocotb and Icarus Verilog |
| `make lint` | checks the RTL with all warnings of Verilator |
| `make waves` | writes `waves.vcd`. Switches and nodes have the names of wormscope's own waveforms |
| `make synth` | synthesises the network with Yosys, and prints the area of each kind of block. `LIBRARY=FILE` takes the cells of a library in the format Liberty |

## The network

{topology}: {switches} switches, {nodes} nodes. {worms} worms ({encodings}) in {cycles} cycles.
A switch is an instance of `switch.sv`. The network gives it parameters: the sizes, and the tables of
its routing function. `rtl/network.sv` has the sizes as parameters of the network: {flit_bits} bits a
flit, {depths}, {replication} replication, arbiter {arbiter}.
The parameters depend on each other. To change one, change the experiment and run wormscope again.
The switches decode these encodings only: {encodings}. A worm of another encoding waits for ever.
`HeaderBits` is the number of wires that carry a header beside the data. It is 0 if flits carry it.
`IdBits` is 0, or 32 with the arbiter `oldest_first`. Then each flit carries the number of its worm, which
is its age, above its data. A later worm needs a larger number. The testbench sets more bits, so each
flit also carries its index. No block reads the index.

## The blocks of a switch
```text{DRAWING}```

Some networks have other blocks. `atomic.sv` (atomic acquisition) or `reservation.sv` (synchronous worms)
takes the place of `allocator.sv`. `feedback.sv` lets the heads of a synchronous worm go on together.
`token_station.sv` and `token_ring.sv` are the token rings.

Each block is a file with its contract on top. `rtl/node.sv` is the interface of a node:
`injector.sv`, `sink.sv`, `fifo.sv`, `credit.sv` and `multiplexer.sv`. The decoders of the encodings
are in `rtl/header/`. Rules such as R7.9 are those of wormscope's page \"Timing\".

Pins end in `_i` and `_o`, registers in `_q`. The reset is asynchronous and active low. Cells of FIFOs
and data of links have none. Modules have plain names such as `fifo` and `link`: keep them in a library
of their own beside other designs. `rt_1_0.in[2]`
is input lane 2 of the switch `rt_1_0`, and `rt_1_0.out[0]` is its output lane 0.

| path | contents |
|---|---|
| `rtl/` | the blocks, and `network.sv` with the switches, nodes and links |
| `tb/tb.sv` | the testbench: the software of the nodes, and the judge of the arrivals |
| `tb/test_network.py` | the same testbench for cocotb |
| `tb/experiment.ron` | the experiment, for `make lockstep`; only if it names no other file |
| `tb/stimulus.txt` | the numbers of worms and cycles, then the worms: cycle, source, encoding, header flits, all flits, then the header in hexadecimal |
| `tb/expected.txt` | the number of arrivals, then the arrivals: cycle of the tail, node, lane, worm, flits |
| `tb/events.txt` | the numbers of stalls and of events of the software; then the stalls: kind of pin (0 node, 1 injection lane, 2 output lane), pin, first cycle, cycle after the last; then the flits that the software takes out of receive buffers: cycle, lane, flits |
| `synth/gates.lib` | the areas of the gates, in gate equivalents |
| `network.core` | the same files for FuseSoC |
",
        version = env!("CARGO_PKG_VERSION"),
        deadlock = if recorded.is_deadlock { DEADLOCK } else { "" },
        arrivals = recorded.arrivals.len(),
        topology = network.blueprint().describe(),
        switches = wiring.switches(),
        nodes = wiring.nodes(),
        worms = recorded.worms.len(),
        encodings = encodings.join(", "),
        cycles = recorded.cycles,
        flit_bits = network.switch.flit_bits,
        depths = depths(network),
        replication = network.switch.replication,
        arbiter = network.switch.arbiter,
    )
}

/// `FIFOs of 4 flits`, and those behind nodes if they have another depth.
fn depths(network: &crate::network::Network) -> String {
    let (depth, own) = (network.switch.fifo_depth, network.injection_depth());
    let behind_nodes = if own == depth { String::new() } else { format!(" and of {own} flits behind nodes") };
    format!("FIFOs of {depth} flits{behind_nodes}")
}
