// Mask: an address and a mask of the bits that do not matter. The worm goes to all nodes that match:
// their address equals the header's in every bit that is 0 in the mask.
//
// Address has the address of each node: its number, or its coordinates side by side. The header is
// the same on every link, so only matching nodes ahead of this input belong to this branch. A port is
// a branch when one of these nodes is routed through it (docs/reference/timing.md, R2.26 to R2.35).
module mask #(
  parameter int                           FlitBits    = 64,
  parameter int                           PartFlits   = 1,
  parameter int                           CountBits   = 3,
  parameter int                           AddressBits = 4,
  parameter int                           Nodes       = 9,
  parameter int                           Ports       = 5,
  parameter int                           Groups      = 5,
  parameter logic [Nodes*AddressBits-1:0] Address     = '0,
  parameter logic [Nodes*8-1:0]           Route       = '0,
  parameter logic [Nodes-1:0]             Ahead       = '1,
  parameter logic [Ports*8-1:0]           GroupOf     = '0,
  parameter logic [2*Ports-1:0]           ClimbPorts  = '0,
  parameter logic [2*Ports-1:0]           ClimbBelow  = '0
) (
  input  logic [CountBits-1:0]            count_i,
  input  logic [2*PartFlits*FlitBits-1:0] header_i,
  output logic                            ready_o,
  output logic [Groups-1:0]               groups_o
);
  // The decision needs both parts.
  assign ready_o = 32'(count_i) >= 2 * PartFlits;

  // Unused bits of the header are 0.
  logic unused_bits;
  assign unused_bits = ^header_i;

  logic [AddressBits-1:0] address, any;
  assign address = header_i[AddressBits-1:0];
  assign any     = header_i[PartFlits*FlitBits +: AddressBits];

  // The destinations.
  logic [Nodes-1:0] named;
  for (genvar n = 0; n < Nodes; n++) begin : node
    assign named[n] = Ahead[n] && ((Address[n*AddressBits +: AddressBits] ^ address) & ~any) == '0;
  end

  // The nodes that a port leads to.
  function automatic logic [Nodes-1:0] nodes_of(input int number);
    nodes_of = '0;
    for (int n = 0; n < Nodes; n++) nodes_of[n] = 32'(Route[n*8 +: 8]) == number;
  endfunction

  logic [Ports-1:0] is_branch;
  for (genvar p = 0; p < Ports; p++) begin : port
    localparam logic [Nodes-1:0] Own = nodes_of(p);
    assign is_branch[p] = (named & Own) != '0;
  end

  encoding #(
    .Ports     (Ports),
    .Groups    (Groups),
    .GroupOf   (GroupOf),
    .ClimbPorts(ClimbPorts),
    .ClimbBelow(ClimbBelow)
  ) branches (
    .is_branch_i(is_branch),
    .groups_o
  );
endmodule
