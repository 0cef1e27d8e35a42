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
         tools:\n      icarus:\n        iverilog_options: [-g2012]\n  \
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

/// The README.
pub(super) fn readme(design: &Twin, recorded: &Recorded, title: &str, command: &str) -> String {
    let (wiring, network) = (design.built.wiring(), design.built.network());
    let encodings: Vec<String> = design.encodings.iter().map(ToString::to_string).collect();
    format!(
        "# The network of {title} in SystemVerilog

wormscope {version} wrote this directory with

    {command}

The RTL equals the model of wormscope in every register of every cycle. `make lockstep` compares them.

| command | effect |
|---|---|
| `make sim` | runs the testbench with Verilator or Icarus Verilog (`SIM=icarus`): all {arrivals} arrivals must be those of the model |
| `make lockstep` | compares all registers in every cycle with the model; needs `wormscope` |
| `make cocotb` | runs a testbench in Python, with cocotb and Icarus Verilog |
| `make lint` | checks the RTL with all warnings of Verilator |
| `make waves` | writes `waves.vcd`, with the names of wormscope's own waveforms |
| `make synth` | synthesises the network with Yosys, and prints the area of each kind of block. `LIBRARY=FILE` takes the cells of a library in the format Liberty |

## The network

{topology}: {switches} switches, {nodes} nodes. {worms} worms ({encodings}) in {cycles} cycles.
A switch is an instance of `switch.sv`. The network gives it parameters: the sizes, and the tables of
its routing function. `rtl/network.sv` has the sizes as parameters of the network: {flit_bits} bits a
flit, {depths}, {replication} replication, arbiter {arbiter}.
`HeaderBits` is the number of wires that carry a header beside the data. It is 0 if flits carry it.
`IdBits` is 0 in hardware. With the arbiter `oldest_first` it is 32: the number of the worm, which is its
age. The testbench sets more bits, so each flit also carries its index. No block reads the index.

## The blocks of a switch
```text{DRAWING}```

Some networks have other blocks. `atomic.sv` (atomic acquisition) or `reservation.sv` (synchronous worms)
takes the place of `allocator.sv`. `feedback.sv` lets the heads of a synchronous worm go on together.
`token_station.sv` and `token_ring.sv` are the token rings.

Each block is a file with its contract on top. `rtl/node.sv` is the interface of a node:
`injector.sv`, `sink.sv`, `fifo.sv`, `credit.sv` and `multiplexer.sv`. The decoders of the encodings
are in `rtl/header/`. Rules such as R7.9 are those of wormscope's page \"Timing\".

Pins end in `_i` and `_o`, registers in `_q`. The reset is asynchronous and active low. `rt_1_0.in[2]`
is input lane 2 of the switch `rt_1_0`, and `rt_1_0.out[0]` is its output lane 0.

| path | contents |
|---|---|
| `rtl/` | the blocks, and `network.sv` with the switches, nodes and links |
| `tb/tb.sv` | the testbench: the software of the nodes, and the judge of the arrivals |
| `tb/test_network.py` | the same testbench for cocotb |
| `tb/stimulus.txt` | the worms: cycle, source, encoding, header flits, flits, then the header |
| `tb/expected.txt` | the arrivals: cycle of the tail, node, lane, worm, flits |
| `tb/events.txt` | the stalls, and the flits that the software takes out of receive buffers |
| `synth/gates.lib` | the areas of the gates, in gate equivalents |
| `network.core` | the same files for FuseSoC |
",
        version = env!("CARGO_PKG_VERSION"),
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
