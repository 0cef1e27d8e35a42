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
  // The ports that count, as far as each climb says.
  logic [2*Ports-1:0] counts;
  for (genvar c = 0; c < 2; c++) begin : climb
    localparam logic [Ports-1:0] Own   = ClimbPorts[c*Ports +: Ports];
    localparam logic [Ports-1:0] First = Own & (~Own + Ports'(1));
    // The ports below do not reach all destinations.
    localparam logic [Ports-1:0] Below = ClimbBelow[c*Ports +: Ports];
    assign counts[c*Ports +: Ports] =
        (~Own | First) & (((is_branch_i & First) != '0) ? ~Below : {Ports{1'b1}});
  end

  logic [Ports-1:0] ports;
  assign ports = is_branch_i & counts[0 +: Ports] & counts[Ports +: Ports];

  // The ports of a lane group.
  function automatic logic [Ports-1:0] ports_of(input int number);
    ports_of = '0;
    for (int p = 0; p < Ports; p++) ports_of[p] = 32'(GroupOf[p*8 +: 8]) == number;
  endfunction

  for (genvar g = 0; g < Groups; g++) begin : group
    localparam logic [Ports-1:0] Own = ports_of(g);
    assign groups_o[g] = (ports & Own) != '0;
  end
endmodule
