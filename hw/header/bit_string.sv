// Bit-string: one bit per node. Port p is a branch when the header has a node of Reach[p]. The copy
// that leaves through it is masked with Reach[p], as it crosses (see residue.sv).
//
// Bit i is in flit i / FlitBits at position i % FlitBits. The decision needs the whole header
// (docs/reference/timing.md, R2.13 to R2.17).
module bit_string #(
  parameter int            FlitBits   = 64,
  parameter int            PartFlits  = 1,
  parameter int            CountBits  = 3,
  parameter int            Nodes      = 9,
  parameter int            Ports      = 5,
  parameter int            Groups     = 5,
  parameter logic [Ports*Nodes-1:0] Reach      = '0,
  parameter logic [Ports*8-1:0]     GroupOf    = '0,
  parameter logic [2*Ports-1:0]     ClimbPorts = '0,
  parameter logic [2*Ports-1:0]     ClimbBelow = '0
) (
  input  logic [CountBits-1:0]          count_i,
  input  logic [PartFlits*FlitBits-1:0] header_i,
  output logic                          ready_o,
  output logic [Groups-1:0]             groups_o
);
  assign ready_o = 32'(count_i) >= PartFlits;

  // Unused bits of the header are 0.
  logic unused_bits;
  assign unused_bits = ^header_i;

  logic [Ports-1:0] is_branch;
  for (genvar p = 0; p < Ports; p++) begin : port
    assign is_branch[p] = (header_i[Nodes-1:0] & Reach[p*Nodes +: Nodes]) != '0;
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
