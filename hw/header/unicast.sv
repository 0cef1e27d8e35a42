// Unicast: the destination address, PartFlits flits, which stay unchanged on the next link.
//
// The routing function of the switch turns the address into one lane group. Route has the port
// towards each node, and GroupOf the lane group of each port for worms of this input
// (docs/reference/timing.md, R3.16 to R3.23).
module unicast #(
  parameter int        FlitBits  = 64,
  parameter int        PartFlits = 1,
  parameter int        CountBits = 3,
  parameter int        Nodes     = 9,
  parameter int        Ports     = 5,
  parameter int        Groups    = 5,
  parameter logic [Nodes*8-1:0] Route     = '0,
  parameter logic [Ports*8-1:0] GroupOf   = '0
) (
  input  logic [CountBits-1:0]          count_i,
  input  logic [PartFlits*FlitBits-1:0] header_i,
  output logic                          ready_o,
  output logic [Groups-1:0]             groups_o
);
  localparam int AddressBits = (Nodes > 1) ? $clog2(Nodes) : 1;

  // The decision needs all flits of the address.
  assign ready_o = 32'(count_i) >= PartFlits;

  // Unused bits of the header are 0.
  logic unused_bits;
  assign unused_bits = ^header_i;

  logic [AddressBits-1:0] address;
  logic [7:0]             port;
  assign address  = header_i[AddressBits-1:0];
  assign port     = (32'(address) < Nodes) ? Route[32'(address)*8 +: 8] : '0;
  assign groups_o = Groups'(1) << GroupOf[32'(port)*8 +: 8];
endmodule
