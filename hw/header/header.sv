// Header decoder of one encoding: the pins that all encodings have, and the block of this encoding.
// header/mod.rs is the Rust of this block.
//
//  count, header -->+--------+--> strip
//       stripped -->| header |--> ready
//         serves -->|        |--> groups
//                   +--------+
//
// strip_o: the part in front is for this switch. ready_o: the flits of the decision are there.
// groups_o: the lane groups of the branches. Only encodings that strip parts drive strip_o, and only
// multiport has a register. The decoder gives the parameters and pins that its encodings need.
module header #(
  parameter int                              Encoding       = words::Unicast,
  parameter int                              FlitBits       = 64,
  parameter int                              PartFlits      = 1,
  parameter int                              Window         = 1,
  parameter int                              CountBits      = 3,
  parameter int                              Nodes          = 9,
  parameter int                              Ports          = 5,
  parameter int                              Groups         = 5,
  parameter logic [Nodes*8-1:0]              Route          = '0,
  parameter logic [Ports*Nodes-1:0]          Reach          = '0,
  parameter logic [Ports*8-1:0]              GroupOf        = '0,
  parameter logic [2*Ports-1:0]              ClimbPorts     = '0,
  parameter logic [2*Ports-1:0]              ClimbBelow     = '0,
  parameter int                              MaskPorts      = 1,
  parameter logic [Nodes-1:0]                Ahead          = '1,
  parameter int                              CoordinateBits = 1,
  parameter logic [Nodes*CoordinateBits-1:0] Coordinates    = '0
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [CountBits-1:0]       count_i,
  input  logic [Window*FlitBits-1:0] header_i,
  input  logic [Window-1:0]          hdr_i,
  // A worm of this encoding without a decision is at the front or in service, and its own part was
  // stripped before.
  input  logic                       serves_i,
  input  logic                       stripped_i,
  output logic                       strip_o,
  output logic                       ready_o,
  output logic [Groups-1:0]          groups_o
);
  // The numbers of the nodes, as their addresses.
  localparam int NumberBits = (Nodes > 1) ? $clog2(Nodes) : 1;
  function automatic logic [Nodes*NumberBits-1:0] numbers();
    for (int n = 0; n < Nodes; n++) numbers[n*NumberBits +: NumberBits] = NumberBits'(n);
  endfunction

  // Not all encodings read all pins.
  logic unused_pins;
  assign unused_pins = ^{clk_i, rst_ni, hdr_i, serves_i, stripped_i, header_i};

  // Encodings that leave the header whole.
  if (Encoding != words::Multidestination && Encoding != words::Multiport) begin : stays
    assign strip_o = 1'b0;
  end

  if (Encoding == words::Unicast) begin : unicast
    unicast #(
      .FlitBits(FlitBits), .PartFlits(PartFlits), .CountBits(CountBits), .Nodes(Nodes), .Ports(Ports), .Groups(Groups),
      .Route(Route), .GroupOf(GroupOf)
    ) encoding (.count_i, .header_i(header_i[PartFlits*FlitBits-1:0]), .ready_o, .groups_o);
  end else if (Encoding == words::BitString) begin : bit_string
    bit_string #(
      .FlitBits(FlitBits), .PartFlits(PartFlits), .CountBits(CountBits), .Nodes(Nodes), .Ports(Ports), .Groups(Groups),
      .Reach(Reach), .GroupOf(GroupOf), .ClimbPorts(ClimbPorts), .ClimbBelow(ClimbBelow)
    ) encoding (.count_i, .header_i(header_i[PartFlits*FlitBits-1:0]), .ready_o, .groups_o);
  end else if (Encoding == words::Multidestination) begin : multidestination
    multidestination #(
      .FlitBits(FlitBits), .PartFlits(PartFlits), .CountBits(CountBits), .Nodes(Nodes), .Ports(Ports), .Groups(Groups),
      .Route(Route), .GroupOf(GroupOf)
    ) encoding (
      .count_i, .header_i(header_i[2*PartFlits*FlitBits-1:0]), .hdr_i(hdr_i[2*PartFlits-1:0]), .stripped_i, .strip_o,
      .ready_o, .groups_o
    );
  end else if (Encoding == words::Multiport) begin : multiport
    multiport #(
      .FlitBits(FlitBits), .PartFlits(PartFlits), .CountBits(CountBits), .Bits(MaskPorts), .Ports(Ports),
      .Groups(Groups), .GroupOf(GroupOf), .ClimbPorts(ClimbPorts)
    ) encoding (
      .clk_i, .rst_ni, .count_i, .header_i(header_i[PartFlits*FlitBits-1:0]), .serves_i, .stripped_i, .strip_o,
      .ready_o, .groups_o
    );
  end else if (Encoding == words::NodeMask) begin : node_mask
    mask #(
      .FlitBits(FlitBits), .PartFlits(PartFlits), .CountBits(CountBits), .AddressBits(NumberBits), .Nodes(Nodes),
      .Ports(Ports), .Groups(Groups), .Address(numbers()), .Route(Route), .Ahead(Ahead), .GroupOf(GroupOf),
      .ClimbPorts(ClimbPorts), .ClimbBelow(ClimbBelow)
    ) encoding (.count_i, .header_i(header_i[2*PartFlits*FlitBits-1:0]), .ready_o, .groups_o);
  end else begin : coordinate_mask
    mask #(
      .FlitBits(FlitBits), .PartFlits(PartFlits), .CountBits(CountBits), .AddressBits(CoordinateBits), .Nodes(Nodes),
      .Ports(Ports), .Groups(Groups), .Address(Coordinates), .Route(Route), .Ahead(Ahead), .GroupOf(GroupOf),
      .ClimbPorts(ClimbPorts), .ClimbBelow(ClimbBelow)
    ) encoding (.count_i, .header_i(header_i[2*PartFlits*FlitBits-1:0]), .ready_o, .groups_o);
  end
endmodule
