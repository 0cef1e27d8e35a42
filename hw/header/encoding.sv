// Branches of a tree: the lane groups of the ports that lead to destinations.
//
//  is_branch (ports) -->+----------+--> groups
//                       | encoding |
//                       +----------+
//
// A climb is a group of ports of which routing may choose any. It counts by its first port, if that
// is a branch. All other ports count if they are branches, except the ports below a climb that
// counts. A climb without ports does not exist. GroupOf has the lane group of each port for worms
// of this input (docs/reference/timing.md, R2.13 to R2.17).
module encoding #(
  parameter int           Ports      = 5,
  parameter int           Groups     = 5,
  parameter logic [Ports*8-1:0]    GroupOf    = '0,
  parameter logic [2*Ports-1:0]    ClimbPorts = '0,
  parameter logic [2*Ports-1:0]    ClimbBelow = '0
) (
  input  logic [Ports-1:0]  is_branch_i,
  output logic [Groups-1:0] groups_o
);
  // The first port of a climb.
  function automatic logic [Ports-1:0] first(input logic [Ports-1:0] ports);
    first = ports & (~ports + Ports'(1));
  endfunction

  logic [Ports-1:0] ports;
  always_comb begin
    ports = is_branch_i;
    for (int c = 0; c < 2; c++) begin
      ports &= ~ClimbPorts[c*Ports +: Ports] | first(ClimbPorts[c*Ports +: Ports]);
      // The ports below do not reach all destinations.
      if ((is_branch_i & first(ClimbPorts[c*Ports +: Ports])) != '0) begin
        ports &= ~ClimbBelow[c*Ports +: Ports];
      end
    end
  end

  always_comb begin
    groups_o = '0;
    for (int p = 0; p < Ports; p++) begin
      if (ports[p]) groups_o |= Groups'(1) << GroupOf[p*8 +: 8];
    end
  end
endmodule
