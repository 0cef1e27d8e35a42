//! `network.sv`: switches and nodes, and the links that join them.

use std::fmt::Write as _;

use super::bits::{Vector, bits_of};
use super::design::{INDEX_BITS, Twin, WORM_BITS};
use super::registers::deepest;
use crate::hw::header::Rom as _;
use crate::hw::{Encoding, NodeId, PortMask, SwitchId};
use crate::network::End;

/// The pins and the widths of a network.
const HEAD: &str = "\
// A network may have no links between switches, or no token ring.
/* verilator lint_off UNUSEDPARAM */
module network #(
@PARAMETERS@
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  // Worms that wait for an injection lane, and the data of the flits that leave: see node.sv.
  input  logic [Nodes*InjectionLanes-1:0]                wait_i,
  input  logic [Nodes*InjectionLanes*WormBits-1:0]       worm_i,
  input  logic [Nodes*InjectionLanes*flit::EncBits-1:0]  enc_i,
  input  logic [Nodes*InjectionLanes*LengthBits-1:0]     header_i,
  input  logic [Nodes*InjectionLanes*LengthBits-1:0]     length_i,
  output logic [Nodes*InjectionLanes-1:0]                begun_o,
  output logic [Nodes*InjectionLanes*WormBits-1:0]       worm_o,
  output logic [Nodes*InjectionLanes*LengthBits-1:0]     index_o,
  input  logic [Nodes*InjectionLanes*(NodeWidth-flit::Data)-1:0] data_i,
  // Stalls, for tests: nodes that take nothing, injection lanes and output lanes that send nothing.
  input  logic [Nodes-1:0]                               stalled_nodes_i,
  input  logic [Nodes*InjectionLanes-1:0]                stalled_injections_i,
  input  logic [Switches*SwitchLanes-1:0]                stalled_outputs_i,
  // Payload flits that the software takes out of the receive buffers.
  input  logic [Nodes*ConsumptionLanes*SpaceBits-1:0]    freed_i,
  // Flits that the nodes take.
  output logic [Nodes*ConsumptionLanes-1:0]              taken_o,
  output logic [Nodes*ConsumptionLanes*NodeWidth-1:0]  taken_flit_o
);
  /* verilator lint_on UNUSEDPARAM */
";

/// The cycle, which the heads of synchronous worms carry.
const CYCLE: &str = "
  logic [flit::SinceBits-1:0] cycle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_q <= '0;
    else         cycle_q <= cycle_q + flit::SinceBits'(1);
  end
";

/// The text of the file.
pub(super) fn network(design: &Twin) -> String {
    let mut text = String::from(
        "// The network: switches and nodes under their names in waveforms, and the links that join\n\
         // them. wormscope wrote this file. The tables of a switch are its routing function.\n",
    );
    text.push_str(&HEAD.replace("@PARAMETERS@", &parameters(design)));
    if design.is_synchronous() {
        text.push_str(CYCLE);
    }
    for switch in design.switches() {
        self::switch(&mut text, design, switch);
    }
    for node in (0..design.built.wiring().nodes()).map(NodeId) {
        self::node(&mut text, design, node);
    }
    for (number, (stations, _)) in design.constants.rings().iter().enumerate() {
        ring(&mut text, design, number, stations);
    }
    for switch in design.switches() {
        links_into(&mut text, design, switch);
    }
    for node in (0..design.built.wiring().nodes()).map(NodeId) {
        links_to_node(&mut text, design, node);
    }
    text.push_str("endmodule\n");
    text
}

/// Parameters of the network with their values.
fn parameters(design: &Twin) -> String {
    let (network, constants) = (design.built.network(), &design.constants);
    let (s, node, delays) = (&network.switch, constants.node(), constants.delays());
    let values: [(&str, u64); 32] = [
        ("FlitBits", s.flit_bits.into()),
        ("HeaderBits", design.header_bits.into()),
        ("IdBits", if design.has_ages() { WORM_BITS.into() } else { 0 }),
        ("FifoDepth", s.fifo_depth.into()),
        ("InjectionDepth", node.injection_depth.into()),
        ("RoutingCycles", s.routing_cycles.into()),
        ("AllocationCycles", s.allocation_cycles.into()),
        ("Replication", s.replication as u64),
        ("Acquisition", s.acquisition as u64),
        ("Arbiter", s.arbiter as u64),
        ("LaneChoice", s.lane_choice as u64),
        ("Slots", design.slots.into()),
        ("DepthBits", design.depth_bits() as u64),
        ("LinkCycles", delays.flit.into()),
        ("CreditCycles", delays.credit.into()),
        ("InjectionLinkCycles", delays.inject.into()),
        ("InjectionCreditCycles", delays.inject_credit.into()),
        ("ConsumptionLinkCycles", delays.consume.into()),
        ("ConsumptionCreditCycles", delays.consume_credit.into()),
        ("Switches", design.size().into()),
        ("SwitchLanes", constants.lanes().outputs.count().into()),
        ("Space", design.space().into()),
        ("SpaceBits", bits_of(design.space()).max(1) as u64),
        ("Nodes", design.built.wiring().nodes().into()),
        ("InjectionLanes", node.injection_lanes.into()),
        ("ConsumptionLanes", node.consumption_lanes.into()),
        ("NodeLinkLanes", node.link_lanes.into()),
        ("ConsumptionDepth", node.consumption_depth.into()),
        ("FreedBits", bits_of(design.freed) as u64),
        ("TokenHopCycles", network.token_ring.map_or(1, |ring| ring.hop_cycles.into())),
        ("WormBits", WORM_BITS.into()),
        ("LengthBits", INDEX_BITS.into()),
    ];
    let lines = values.map(|(name, value)| format!("  parameter int {name:<23} = {value}"));
    let tree =
        if design.is_synchronous() { "flit::SinceBits + DepthBits + ((Slots > 1) ? $clog2(Slots) : 1)" } else { "0" };
    let widths = [
        ("TreeBits", tree),
        ("NodeWidth", "flit::Data + FlitBits + HeaderBits + IdBits"),
        ("Width", "NodeWidth + TreeBits"),
    ];
    let widths = widths.map(|(name, value)| format!("  localparam int {name:<22} = {value}"));
    lines.join(",\n") + ",\n" + &widths.join(",\n")
}

/// The instance of a switch, and the nets at its pins.
#[allow(clippy::too_many_lines)] // One line a parameter.
fn switch(text: &mut String, design: &Twin, switch: SwitchId) {
    let (constants, wiring) = (&design.constants, design.built.wiring());
    let (lanes, name, rom) = (constants.lanes(), design.name(switch), constants.rom(switch));
    let (ins, outs, ports) = (lanes.inputs.count(), lanes.outputs.count(), wiring.ports());
    let nodes = wiring.nodes();
    let groups = design.groups();
    let exists = Vector::of_bits((0..ins).map(|lane| constants.input(switch, lane).is_some()));
    let links = Vector::of((0..outs).map(|lane| rom.link(lane).0), outs.into());
    let depths = |ends: Vec<Option<(End, u8)>>, of_node: &str| {
        let depth = |end| if matches!(end, Some((End::Node(_), _))) { of_node } else { "FifoDepth" };
        let list: Vec<_> = ends.into_iter().rev().map(|end| format!("16'({})", depth(end))).collect();
        list.join(", ")
    };
    let input_depths = depths((0..ins).map(|lane| constants.input(switch, lane)).collect(), "InjectionDepth");
    let credit_depths = depths((0..outs).map(|lane| constants.output(switch, lane)).collect(), "ConsumptionDepth");
    let is_deeper = deepest(design, switch) > design.built.network().switch.fifo_depth;
    let group_lanes = constants.switch().group_lanes.iter().take(groups.into()).map(|lanes| lanes.0);
    let order = constants.switch().order.iter().map(|&lane| u64::from(lane));
    let route = (0..nodes).map(|node| u64::from(rom.port(node)));
    let group_of = (0..ins).flat_map(|lane| (0..ports).map(move |port| (lane, port)));
    let group_of = Vector::of(group_of.map(|(lane, port)| rom.group(lane, port).into()), 8);
    let reads_reach = design.encodings.iter().any(|encoding| encoding.header().looks_up_reach());
    let bit = |words: &[u64], node: u32| words[node as usize / 64] >> (node % 64) & 1 != 0;
    let reach = |port: u8| (0..nodes).map(move |node| (port, node));
    let reach = (0..ports).flat_map(reach).map(|(port, node)| reads_reach && bit(rom.reach(port), node));
    let mask = |lane: u8| (0..nodes).map(move |node| (lane, node));
    let kept = |(lane, node)| !reads_reach || rom.mask(lane).is_none_or(|words| bit(words, node));
    let mask = (0..outs).flat_map(mask).map(kept);
    let leads_on = |lane| matches!(constants.output(switch, lane), Some((End::Switch(..), _)));
    let onward = Vector::of_bits((0..outs).map(leads_on));
    let climbs = |of: &dyn Fn(usize) -> PortMask| Vector::of((0..2).map(|climb| of(climb).0), ports.into());
    let climb = |climb: usize| rom.climbs().get(climb).copied();
    let climb_ports = climbs(&|n| climb(n).map_or(PortMask::NONE, |climb| climb.ports));
    let climb_below = climbs(&|n| climb(n).map_or(PortMask::NONE, |climb| climb.below));
    let has = |encoding: &Encoding| design.encodings.contains(encoding);
    let encodings = Encoding::ALL.map(|encoding| has(&encoding));
    // Compared signals of 3 bits number 8 encodings.
    let part_flits = Encoding::ALL.map(|encoding| u64::from(design.part_flits(encoding))).into_iter().chain([0; 2]);
    let has_masks = design.encodings.iter().any(|encoding| encoding.header().stays());
    let ahead = (0..ins).flat_map(|lane| (0..nodes).map(move |node| (lane, node)));
    let ahead = ahead.map(|(lane, node)| !has_masks || rom.ahead(lane, node));
    let mask_ports = if has(&Encoding::Multiport) { rom.layout().ports } else { 1 };
    let radices = if has(&Encoding::CoordinateMask) { &rom.layout().radices[..] } else { &[] };
    let (coordinates, coordinate_bits) = coordinates(radices, nodes);
    let (station, bound_bits) = (design.ring(switch), design.bound_bits());
    let bounds = station.map(|(_, _, to_come)| design.bounds(to_come)).unwrap_or_default().into_iter().chain([0; 2]);
    let _ = writeln!(
        text,
        "
  // {name}
  logic [{ins}-1:0]           {name}_push;
  logic [{ins}*Width-1:0]     {name}_arrives;
  logic [{ins}*FreedBits-1:0] {name}_freed;
  logic [{outs}-1:0]           {name}_sent;
  logic [{outs}*Width-1:0]     {name}_leaves;
  logic [{outs}*FreedBits-1:0] {name}_returned;
  logic {name}_here, {name}_captured, {name}_released;
  logic [{ins}*Slots-1:0]  {name}_before_ready, {name}_before_done, {name}_before_go;
  logic [{outs}*Slots-1:0]  {name}_next_ready, {name}_next_done, {name}_next_go;
  switch #(
    .Width           (Width),
    .FlitBits        (FlitBits),
    .HeaderBits      (HeaderBits),
    .FifoDepth       ({deepest}),
    .HeaderFlits     ({header_flits}),
    .Inputs          ({ins}),
    .Lanes           ({outs}),
    .Ports           ({ports}),
    .Groups          ({groups}),
    .Nodes           (Nodes),
    .RoutingCycles   (RoutingCycles),
    .AllocationCycles(AllocationCycles),
    .Replication     (Replication),
    .Acquisition     (Acquisition),
    .Arbiter         (Arbiter),
    .LaneChoice      (LaneChoice),
    .Slots           (Slots),
    .DepthBits       (DepthBits),
    .Encodings       ({encodings}),
    .PartFlits       ({part_flits}),
    .InputExists     ({exists}),
    .InputDepth      ({{{input_depths}}}),
    .Links           ({links}),
    .CreditDepth     ({{{credit_depths}}}),
    .GroupLanes      ({group_lanes}),
    .Order           ({order}),
    .Route           ({route}),
    .GroupOf         ({group_of}),
    .Reach           ({reach}),
    .OutMask         ({mask}),
    .Onward          ({onward}),
    .ClimbPorts      ({climb_ports}),
    .ClimbBelow      ({climb_below}),
    .MaskPorts       ({mask_ports}),
    .Ahead           ({ahead}),
    .CoordinateBits  ({coordinate_bits}),
    .Coordinates     ({coordinates}),
    .FreedBits       (FreedBits),
    .HasStation      ({has_station}),
    .BoundBits       ({bound_bits}),
    .Bounds          ({bounds})
  ) {name} (
    .clk_i,
    .rst_ni,
    .push_i    ({name}_push),
    .flit_i    ({name}_arrives),
    .freed_o   ({name}_freed),
    .sent_o    ({name}_sent),
    .flit_o    ({name}_leaves),
    .returned_i({name}_returned),
    .stalled_i (stalled_outputs_i[{number}*SwitchLanes +: SwitchLanes]),
    .token_here_i({name}_here),
    .captured_o({name}_captured),
    .released_o({name}_released),
    .now_i         ({now}),
    .before_go_i   ({name}_before_go),
    .before_ready_o({name}_before_ready),
    .before_done_o ({name}_before_done),
    .next_go_o     ({name}_next_go),
    .next_ready_i  ({name}_next_ready),
    .next_done_i   ({name}_next_done)
  );",
        number = switch.index(),
        header_flits = design.header_flits,
        encodings = Vector::of_bits(encodings).literal(),
        part_flits = Vector::of(part_flits, 16).literal(),
        exists = exists.literal(),
        links = links.literal(),
        deepest = if is_deeper { "InjectionDepth" } else { "FifoDepth" },
        group_lanes = Vector::of(group_lanes, outs.into()).literal(),
        order = Vector::of(order, 8).literal(),
        route = Vector::of(route, 8).literal(),
        group_of = group_of.literal(),
        reach = Vector::of_bits(reach).literal(),
        mask = Vector::of_bits(mask).literal(),
        onward = onward.literal(),
        now = if design.is_synchronous() { "cycle_q" } else { "32'd0" },
        climb_ports = climb_ports.literal(),
        climb_below = climb_below.literal(),
        ahead = Vector::of_bits(ahead).literal(),
        coordinates = Vector::of(coordinates, coordinate_bits).literal(),
        has_station = u8::from(station.is_some()),
        bounds = Vector::of(bounds.into_iter().map(u64::from), bound_bits).literal(),
    );
    if station.is_none() {
        let _ = writeln!(text, "  assign {name}_here = 1'b0;");
    }
    // Lanes that do not exist at this switch lead nowhere.
    let _ = writeln!(
        text,
        "  logic unused_{name};\n  assign unused_{name} = ^{{{name}_sent, {name}_leaves, {name}_freed, {name}_captured, \
         {name}_released,\n    {name}_before_ready, {name}_before_done, {name}_next_go}};"
    );
}

/// The instance of a token ring, between its stations.
fn ring(text: &mut String, design: &Twin, number: usize, stations: &[SwitchId]) {
    let pins = |pin: &str| {
        let nets: Vec<String> = stations.iter().rev().map(|&at| format!("{}_{pin}", design.name(at))).collect();
        format!("{{{}}}", nets.join(", "))
    };
    let _ = writeln!(
        text,
        "
  token_ring #(.Stations({}), .HopCycles(TokenHopCycles)) ring{number} (
    .clk_i,
    .rst_ni,
    .captured_i({}),
    .released_i({}),
    .here_o    ({})
  );",
        stations.len(),
        pins("captured"),
        pins("released"),
        pins("here"),
    );
}

/// The coordinates of each node side by side, and their bits.
fn coordinates(radices: &[u32], nodes: u32) -> (Vec<u64>, u32) {
    let bits = |radix: u32| u32::BITS - radix.saturating_sub(1).leading_zeros();
    let of = |node: u32| {
        let (mut left, mut shift, mut address) = (node, 0, 0);
        for &radix in radices {
            address |= u64::from(left % radix) << shift;
            left /= radix;
            shift += bits(radix);
        }
        address
    };
    ((0..nodes).map(of).collect(), radices.iter().map(|&radix| bits(radix)).sum::<u32>().max(1))
}

/// The instance of a node, and the nets at its links.
fn node(text: &mut String, design: &Twin, node: NodeId) {
    let (injects, consumes) = (design.constants.node().injection_lanes, design.constants.node().consumption_lanes);
    let arrives = |lane| format!("node{node}_arrives[{lane}*Width +: NodeWidth]");
    let arrives = (0..consumes).rev().map(arrives).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "
  // node{node}
  logic [{injects}-1:0]           node{node}_sent;
  logic [{injects}*NodeWidth-1:0] node{node}_made;
  logic [{injects}*Width-1:0]     node{node}_leaves;
  logic [{injects}*FreedBits-1:0] node{node}_returned;
  logic [{consumes}-1:0]           node{node}_push;
  logic [{consumes}*Width-1:0]     node{node}_arrives;
  node #(
    .Width           (NodeWidth),
    .InjectionDepth  (InjectionDepth),
    .InjectionLanes  (InjectionLanes),
    .ConsumptionLanes(ConsumptionLanes),
    .LinkLanes       (NodeLinkLanes),
    .ConsumptionDepth(ConsumptionDepth),
    .Space           (Space),
    .WormBits        (WormBits),
    .LengthBits      (LengthBits),
    .FreedBits       (FreedBits)
  ) node{node} (
    .clk_i,
    .rst_ni,
    .wait_i         (wait_i[{node}*InjectionLanes +: InjectionLanes]),
    .worm_i         (worm_i[{node}*InjectionLanes*WormBits +: InjectionLanes*WormBits]),
    .enc_i          (enc_i[{node}*InjectionLanes*flit::EncBits +: InjectionLanes*flit::EncBits]),
    .header_i       (header_i[{node}*InjectionLanes*LengthBits +: InjectionLanes*LengthBits]),
    .length_i       (length_i[{node}*InjectionLanes*LengthBits +: InjectionLanes*LengthBits]),
    .begun_o        (begun_o[{node}*InjectionLanes +: InjectionLanes]),
    .worm_o         (worm_o[{node}*InjectionLanes*WormBits +: InjectionLanes*WormBits]),
    .index_o        (index_o[{node}*InjectionLanes*LengthBits +: InjectionLanes*LengthBits]),
    .data_i         (data_i[{node}*InjectionLanes*(NodeWidth-flit::Data) +: InjectionLanes*(NodeWidth-flit::Data)]),
    .sent_o         (node{node}_sent),
    .flit_o         (node{node}_made),
    .returned_i     (node{node}_returned),
    .push_i         (node{node}_push),
    .flit_i         ({{{arrives}}}),
    .taken_o        (taken_o[{node}*ConsumptionLanes +: ConsumptionLanes]),
    .taken_flit_o   (taken_flit_o[{node}*ConsumptionLanes*NodeWidth +: ConsumptionLanes*NodeWidth]),
    .freed_i        (freed_i[{node}*ConsumptionLanes*SpaceBits +: ConsumptionLanes*SpaceBits]),
    .stalled_i      (stalled_nodes_i[{node}]),
    .stalled_lanes_i(stalled_injections_i[{node}*InjectionLanes +: InjectionLanes])
  );"
    );
    // A synchronous worm leaves with the cycle, at depth 0.
    let stamp = if design.is_synchronous() { "TreeBits'(cycle_q), " } else { "" };
    for lane in 0..injects {
        let _ = writeln!(
            text,
            "  assign node{node}_leaves[{lane}*Width +: Width] = {{{stamp}node{node}_made[{lane}*NodeWidth +: NodeWidth]}};"
        );
    }
    if design.is_synchronous() {
        let _ = writeln!(text, "  logic unused_node{node};\n  assign unused_node{node} = ^node{node}_arrives;");
    }
}

/// Name and first lane of the outputs at an end of a link.
fn sender(design: &Twin, (end, within): (End, u8)) -> (String, u8) {
    match end {
        End::Switch(switch, port) => (design.name(switch), design.constants.lanes().outputs.first(port.0) + within),
        End::Node(node) => (format!("node{node}"), within),
    }
}

/// Lanes that share the wires of a link into or out of a switch.
fn channels(design: &Twin, end: End) -> u8 {
    match end {
        End::Switch(..) => design.built.network().switch.virtual_channels as u8,
        End::Node(_) => design.constants.node().link_lanes,
    }
}

/// A link of flits between the lanes of two instances.
fn flit_link(text: &mut String, name: &str, cycles: &str, lanes: u8, (from, first): (&str, u8), (to, at): (&str, u8)) {
    let _ = writeln!(
        text,
        "
  link #(.Width(Width), .Lanes({lanes}), .Cycles({cycles})) {name} (
    .clk_i,
    .rst_ni,
    .send_i  ({from}_sent[{first} +: {lanes}]),
    .value_i ({from}_leaves[{first}*Width +: {lanes}*Width]),
    .arrive_o({to}_push[{at} +: {lanes}]),
    .value_o ({to}_arrives[{at}*Width +: {lanes}*Width])
  );"
    );
}

/// A link of credits. `freed` is the net of the flits that leave the FIFO.
fn credit_link(text: &mut String, name: &str, cycles: &str, freed: &str, returned: &str) {
    let _ = writeln!(
        text,
        "
  logic {name}_arrives;
  logic [FreedBits-1:0] {name}_value;
  link #(.Width(FreedBits), .Cycles({cycles})) {name} (
    .clk_i,
    .rst_ni,
    .send_i  ({freed} != '0),
    .value_i ({freed}),
    .arrive_o({name}_arrives),
    .value_o ({name}_value)
  );
  assign {returned} = {name}_value & {{FreedBits{{{name}_arrives}}}};"
    );
}

/// The links of flits and credits that arrive at a switch.
fn links_into(text: &mut String, design: &Twin, switch: SwitchId) {
    let (constants, name) = (&design.constants, design.name(switch));
    let lanes = constants.lanes();
    for lane in 0..lanes.inputs.count() {
        let Some((end, within)) = constants.input(switch, lane) else {
            let _ = writeln!(text, "\n  assign {name}_push[{lane}] = 1'b0;");
            let _ = writeln!(text, "  assign {name}_arrives[{lane}*Width +: Width] = '0;");
            continue;
        };
        let shared = channels(design, end);
        if within % shared == 0 {
            let cycles = if matches!(end, End::Node(_)) { "InjectionLinkCycles" } else { "LinkCycles" };
            let link = format!("{name}_{}_link", lanes.input_name(lane).replace('.', "_"));
            let (from, first) = sender(design, (end, within));
            flit_link(text, &link, cycles, shared, (&from, first), (&name, lane));
        }
    }
    wires_of_trees(text, design, switch);
    for lane in 0..lanes.outputs.count() {
        let returned = format!("{name}_returned[{lane}*FreedBits +: FreedBits]");
        let link = format!("{name}_{}_credits", lanes.output_name(lane).replace('.', "_"));
        match constants.output(switch, lane) {
            None => {
                let _ = writeln!(text, "\n  assign {returned} = '0;");
            }
            Some((End::Switch(far, port), within)) => {
                let at = lanes.inputs.first(port.0) + within;
                let freed = format!("{}_freed[{at}*FreedBits +: FreedBits]", design.name(far));
                credit_link(text, &link, "CreditCycles", &freed, &returned);
            }
            Some((End::Node(node), channel)) => {
                let freed = format!("FreedBits'(taken_o[{node}*ConsumptionLanes + {channel}])");
                credit_link(text, &link, "ConsumptionCreditCycles", &freed, &returned);
            }
        }
    }
}

/// The wires of the trees of synchronous worms, from and to the switch before each input lane and
/// the next switch after each output lane. The links have no registers for them (R8.13).
fn wires_of_trees(text: &mut String, design: &Twin, switch: SwitchId) {
    let (constants, name) = (&design.constants, design.name(switch));
    if !design.is_synchronous() {
        let nets = ["before_go", "next_ready", "next_done"].map(|pin| format!("  assign {name}_{pin} = '0;\n"));
        text.push_str(&nets.concat());
        return;
    }
    let lanes = constants.lanes();
    let of = |lane: u8| format!("[{lane}*Slots +: Slots]");
    for lane in 0..lanes.inputs.count() {
        let go = match constants.input(switch, lane) {
            Some((End::Switch(far, port), within)) => {
                format!("{}_next_go{}", design.name(far), of(lanes.outputs.first(port.0) + within))
            }
            _ => "'0".to_owned(),
        };
        let _ = writeln!(text, "  assign {name}_before_go{} = {go};", of(lane));
    }
    for lane in 0..lanes.outputs.count() {
        let far = constants.output(switch, lane);
        for pin in ["ready", "done"] {
            let value = match far {
                Some((End::Switch(far, port), within)) => {
                    format!("{}_before_{pin}{}", design.name(far), of(lanes.inputs.first(port.0) + within))
                }
                _ => "'0".to_owned(),
            };
            let _ = writeln!(text, "  assign {name}_next_{pin}{} = {value};", of(lane));
        }
    }
}

/// The links of flits and credits that arrive at a node.
fn links_to_node(text: &mut String, design: &Twin, node: NodeId) {
    let (constants, wiring) = (&design.constants, design.built.wiring());
    let (lanes, own) = (constants.lanes(), constants.node());
    let (switch, port) = wiring.consumption(node);
    for lane in (0..own.consumption_lanes).step_by(own.link_lanes.into()) {
        let first = lanes.outputs.first(port.0) + lane;
        let link = format!("node{node}_{}_link", lanes.eject_name(lane));
        let to = format!("node{node}");
        flit_link(text, &link, "ConsumptionLinkCycles", own.link_lanes, (&design.name(switch), first), (&to, lane));
    }
    let (switch, port) = wiring.injection(node);
    for lane in 0..own.injection_lanes {
        let at = lanes.inputs.first(port.0) + lane;
        let freed = format!("{}_freed[{at}*FreedBits +: FreedBits]", design.name(switch));
        let link = format!("node{node}_{}_credits", lanes.inject_name(lane));
        credit_link(
            text,
            &link,
            "InjectionCreditCycles",
            &freed,
            &format!("node{node}_returned[{lane}*FreedBits +: FreedBits]"),
        );
    }
}
