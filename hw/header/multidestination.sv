// Multidestination: addresses in visiting order. A router that is the first address strips it,
// absorbs a copy and forwards the rest towards the next address. Any other router routes towards the
// first address.
//
// The address is stripped in the cycle in which all its flits are in the FIFO. The decision then
// waits for the next address. The hdr side signal of the flit after an address tells whether another
// address follows. If not, the decision waits for this flit alone. The router's own node is at its
// last port (docs/reference/timing.md, R5.5 to R5.8).
//
// header_i has two addresses from the front of the FIFO on, and hdr_i the side signals of their
// flits.
module multidestination #(
  parameter int                 FlitBits  = 64,
  parameter int                 PartFlits = 1,
  parameter int                 CountBits = 3,
  parameter int                 Nodes     = 9,
  parameter int                 Ports     = 5,
  parameter int                 Groups    = 5,
  parameter logic [Nodes*8-1:0] Route     = '0,
  parameter logic [Ports*8-1:0] GroupOf   = '0
) (
  input  logic [CountBits-1:0]            count_i,
  input  logic [2*PartFlits*FlitBits-1:0] header_i,
  input  logic [2*PartFlits-1:0]          hdr_i,
  // The own address was stripped before this cycle.
  input  logic                            stripped_i,
  output logic                            strip_o,
  output logic                            ready_o,
  output logic [Groups-1:0]               groups_o
);
  localparam int AddressBits = (Nodes > 1) ? $clog2(Nodes) : 1;
  localparam logic [7:0] Own = 8'(Ports - 1);

  // Unused bits of the header are 0, and only the first flit of an address tells that it follows.
  logic unused_bits;
  assign unused_bits = ^{header_i, hdr_i};

  function automatic logic [7:0] port(input logic [AddressBits-1:0] address);
    port = (32'(address) < Nodes) ? Route[32'(address)*8 +: 8] : '0;
  endfunction

  logic [7:0] first, second;
  assign first  = port(header_i[AddressBits-1:0]);
  assign second = port(header_i[PartFlits*FlitBits +: AddressBits]);

  logic is_there;
  assign is_there = 32'(count_i) >= PartFlits;
  assign strip_o  = !stripped_i & is_there && first == Own;

  // The next address is behind the one that is stripped in this cycle.
  logic       follows;
  logic [7:0] forward;
  int         left, needed;
  assign follows = strip_o ? hdr_i[PartFlits] : hdr_i[0];
  assign forward = strip_o ? second : first;
  assign left    = strip_o ? 32'(count_i) - PartFlits : 32'(count_i);
  assign needed  = (left > 0 && follows) ? PartFlits : 1;
  assign ready_o = (stripped_i | is_there) && left >= needed;

  assign groups_o = (follows ? Groups'(1) << GroupOf[32'(forward)*8 +: 8] : '0) |
                    ((stripped_i | strip_o) ? Groups'(1) << GroupOf[32'(Own)*8 +: 8] : '0);
endmodule
